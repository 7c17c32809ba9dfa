// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SESSION_HPP
#define KOKKOSMMA_PERF_SESSION_HPP

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <KokkosMMA.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

#include "support/Perf_Nvml.hpp"
#include "support/Perf_Timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/version.cuh>
#endif

#ifndef KOKKOSMMA_PERF_GIT_REVISION
#define KOKKOSMMA_PERF_GIT_REVISION "unknown"
#endif

namespace perf {

/// The machine, which decides the sizes of the tests.
struct Machine {
  std::string name;
  int processors          = 0;  // SMs on Cuda, concurrency elsewhere
  std::size_t cache_bytes = 0;  // L2 on Cuda, last level on hosts
  std::size_t pool_bytes  = 0;  // what one allocation of input data may take

  static Machine detect(Exec const& exec) {
    Machine m;
#ifdef KOKKOS_ENABLE_CUDA
    (void)exec;
    int device = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, device),
               "cudaGetDeviceProperties");
    std::size_t free_bytes = 0, total_bytes = 0;
    check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    m.name        = properties.name;
    m.processors  = properties.multiProcessorCount;
    m.cache_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    m.pool_bytes  = std::min<std::size_t>(
        std::size_t(4) << 30,
        free_bytes / 5 * 2);  // the copy ceiling needs it twice
#else
    m.name           = host_name();
    m.processors     = exec.concurrency();
    long const cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    long const pages = sysconf(_SC_AVPHYS_PAGES);
    m.cache_bytes =
        cache > 0 ? static_cast<std::size_t>(cache) : std::size_t(32) << 20;
    std::size_t avail =
        pages > 0 ? static_cast<std::size_t>(pages) *
                        static_cast<std::size_t>(sysconf(_SC_PAGESIZE))
                  : 0;
    m.pool_bytes = std::clamp<std::size_t>(avail / 5 * 2, std::size_t(64) << 20,
                                           std::size_t(4) << 30);
#endif
    return m;
  }

 private:
  static std::string host_name() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
      if (line.rfind("model name", 0) == 0 &&
          line.find(": ") != std::string::npos)
        return line.substr(line.find(": ") + 2);
    }
    return "unknown CPU";
  }
};

/// The flags that all programs have beside Google Benchmark's and Kokkos'.
/// Kokkos warns about any unknown flag that contains its name, hence `--mma-`.
struct Options {
  std::size_t max_n = 0;  // --mma-max-n=N: no more elements than this (0: 2^30
                          // on Cuda, 2^24 on hosts)
  int samples  = 15;      // --mma-samples=N: device-time samples per case
  bool all     = false;  // --mma-all: every size; implied by --benchmark_filter
  bool energy  = false;  // --mma-energy: of the programs that measure it
  bool summary = false;  // --mma-summary: of the programs that have one
  bool lists   = false;  // --benchmark_list_tests: nothing runs

  /// Takes these flags out of argv.
  /// \throws std::invalid_argument for one that is not understood.
  static Options parse(int& argc, char** argv) {
    Options o;
    char** const kept = std::remove_if(
        argv + 1, argv + argc, [&o](char const* arg) { return o.take(arg); });
    argc  = static_cast<int>(kept - argv);
    *kept = nullptr;
    return o;
  }

 private:
  bool take(std::string_view arg) {
    bool const ours = arg.starts_with("--mma");
    lists           = lists || arg.starts_with("--benchmark_list_tests");
    if (arg == "--mma-all" || lists || arg.starts_with("--benchmark_filter"))
      all = true;
    else if (arg == "--mma-energy")
      energy = true;
    else if (arg == "--mma-summary")
      summary = true;
    else if (arg.starts_with("--mma-max-n="))
      max_n = number(arg);
    else if (arg.starts_with("--mma-samples="))
      samples = static_cast<int>(std::min<std::size_t>(number(arg), 100000));
    else if (ours)
      throw std::invalid_argument("perf: '" + std::string(arg) +
                                  "' is not a flag; --mma-all, --mma-energy, "
                                  "--mma-summary, --mma-max-n=N and "
                                  "--mma-samples=N are");
    return ours;
  }
  static std::size_t number(std::string_view arg) {
    std::string const digits(arg.substr(arg.find('=') + 1));
    if (digits.empty() || digits.size() > 12 ||
        digits.find_first_not_of("0123456789") != std::string::npos ||
        std::stoull(digits) == 0)
      throw std::invalid_argument("perf: '" + std::string(arg) +
                                  "' needs a whole number from 1 to "
                                  "999999999999 after the equals sign");
    return std::stoull(digits);
  }
};

#ifdef KOKKOS_ENABLE_CUDA
/// Reads everything once with 16-byte loads, four in flight per thread, and
/// keeps nothing: what the memory can give.
static __global__ void __launch_bounds__(512)
    read_kernel(uint4 const* data, std::size_t n, uint4* out) {
  std::size_t const stride = std::size_t(gridDim.x) * blockDim.x;
  std::size_t i            = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  uint4 folded             = {0, 0, 0, 0};
  auto const fold          = [&folded](uint4 v) {
    folded.x ^= v.x;
    folded.y ^= v.y;
    folded.z ^= v.z;
    folded.w ^= v.w;
  };
  for (; i + 3 * stride < n; i += 4 * stride) {
    uint4 const a = data[i], b = data[i + stride], c = data[i + 2 * stride],
                d = data[i + 3 * stride];
    fold(a);
    fold(b);
    fold(c);
    fold(d);
  }
  for (; i < n; i += stride) fold(data[i]);
  // Never true in practice, unknown to the compiler: the loads cannot be
  // dropped.
  if ((folded.x ^ folded.y ^ folded.z ^ folded.w) == 0x12345678u) *out = folded;
}
static __global__ void empty_kernel() {}
#endif

/// One measured ceiling: seconds per call and the bytes a call moves.
struct Ceiling {
  Samples samples;
  double bytes = 0;
  double bytes_per_second() const { return bytes / samples.median(); }
};

/// Memory that only grows, with 256 bytes to spare.
class Growing {
 public:
  template <class T>
  T* get(Exec const& exec, std::size_t count) {
    std::size_t const words = (count * sizeof(T) + sizeof(std::uint64_t) - 1) /
                                  sizeof(std::uint64_t) +
                              32;
    if (m_words.extent(0) < words) {
      m_words = decltype(m_words)();
      m_words = decltype(m_words)(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                             "perf::growing"),
          words);
      exec.fence("perf::growing");
    }
    return reinterpret_cast<T*>(m_words.data());
  }

 private:
  Kokkos::View<std::uint64_t*, Exec> m_words;
};

/// Everything that the cases share: instance, machine, input memory, ceilings,
/// and the count of failed checks.
class Session {
 public:
  Exec exec;
  Machine machine;
  Options options;
  DeviceTimer timer;
  int failures = 0;

  explicit Session(Options const& o)
      : machine(Machine::detect(exec)), options(o), timer(exec) {
    if (options.max_n == 0)
      options.max_n = std::size_t(1) << (on_cuda ? 30 : 24);
  }

  /// The most elements of T that a case may have: 2^30, 2^28 for 8-byte types,
  /// what the memory holds, --mma-max-n.
  template <class T>
  std::size_t max_n() const {
    return fitting(std::size_t(1) << (sizeof(T) == 8 ? 28 : 30), sizeof(T));
  }

  /// Elements that are divided into segments: 2^28, on hosts 2^22; of 8 bytes,
  /// or with sums of 8 bytes, half as many on Cuda.
  template <class T>
  std::size_t segment_elements() const {
    std::size_t const bytes = std::max(sizeof(T), sizeof(sum_type<T>));
    return fitting(std::size_t(1) << (on_cuda ? (bytes == 8 ? 27 : 28) : 22),
                   bytes);
  }

  /// n, halved until so many elements fit into one allocation; no more than
  /// --mma-max-n.
  std::size_t fitting(std::size_t n, std::size_t element_bytes) const {
    while (n * element_bytes > machine.pool_bytes) n /= 2;
    return std::min(n, options.max_n);
  }

  /// Bytes that repeated calls on small data walk through, so that each meets
  /// data that no cache holds any more. Hosts with huge last-level caches are
  /// cut short: their figures are then partly the cache's.
  std::size_t rotation_bytes() const {
    return std::min(4 * machine.cache_bytes,
                    on_cuda ? machine.pool_bytes / 2 : std::size_t(256) << 20);
  }

  /// At least \p count random elements of T. The memory is one allocation for
  /// the whole session; another type overwrites it.
  template <class T>
  T* data(std::size_t count) {
    std::size_t const words =
        words_for(std::max(count * sizeof(T), rotation_bytes()));
    if (m_pool.extent(0) < words) {
      m_pool = decltype(m_pool)();  // both together may not fit
      m_pool = decltype(m_pool)(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "perf::data"),
          words);
      m_filled_type = {};
    }
    if (m_filled_type != type_name<T>()) {
      m_filled_type = type_name<T>();
      m_filled      = 0;
    }
    T* const pointer = reinterpret_cast<T*>(m_pool.data());
    if (m_filled < count) {
      Kokkos::parallel_for("perf::fill", IndexRange(exec, m_filled, count),
                           Fill<T>{pointer});
      exec.fence("perf::fill");
      m_filled = count;
    }
    return pointer;
  }

  /// Room for at least \p count results of T, a second allocation for the whole
  /// session; what is in it is left over from cases before.
  template <class T>
  T* results(std::size_t count) {
    return m_results.get<T>(exec, count);
  }

  /// The grids (hosts: numbers of workers) that the read ceiling is tried with.
  std::vector<int> read_grids() const {
    if (on_cuda)
      return {4 * machine.processors, 8 * machine.processors,
              16 * machine.processors};
    return {machine.processors};
  }

  /// Read ceilings by grid; the largest is the ceiling of all fractions.
  std::map<int, Ceiling> const& read_ceilings() {
    measure_ceilings();
    return m_read;
  }
  Ceiling const& copy_ceiling() {
    measure_ceilings();
    return *m_copy;
  }
  Ceiling const& launch_ceiling() {
    measure_ceilings();
    return *m_launch;
  }
  double read_bytes_per_second() {
    double best = 0;
    for (auto const& [grid, ceiling] : read_ceilings())
      best = std::max(best, ceiling.bytes_per_second());
    return best;
  }

  void fail(benchmark::State& state, std::string const& message) {
    ++failures;
    state.SkipWithError(message.c_str());
  }

 private:
  static std::size_t words_for(std::size_t bytes) {
    return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t) + 32;
  }

  void measure_ceilings() {
    if (m_copy) return;
    int const count = std::max(options.samples, 3);
    // As large as the largest case may be, and on hosts past the cache.
    std::size_t const bytes =
        std::min(machine.pool_bytes,
                 std::max(options.max_n * 4, rotation_bytes())) /
        64 * 64;
    std::size_t const words = bytes / sizeof(std::uint64_t);
    std::uint64_t* const from =
        reinterpret_cast<std::uint64_t*>(data<std::int64_t>(words));
    Kokkos::View<std::uint64_t*, Exec> to(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "perf::copy"),
        words);
    exec.fence("perf::measure_ceilings");
    auto const ceiling = [&](double moved, auto const& call) {
      return Ceiling{timer.sample(count, [&](std::size_t) { call(); }), moved};
    };
    auto const read = static_cast<double>(bytes);
#ifdef KOKKOS_ENABLE_CUDA
    cudaStream_t const stream = exec.cuda_stream();
    for (int grid : read_grids())
      m_read[grid] = ceiling(read, [&] {
        read_kernel<<<grid, 512, 0, stream>>>(
            reinterpret_cast<uint4 const*>(from), bytes / sizeof(uint4),
            reinterpret_cast<uint4*>(to.data()));
      });
    m_launch = ceiling(0, [&] { empty_kernel<<<1, 32, 0, stream>>>(); });
    m_copy   = ceiling(2 * read, [&] {
      check_cuda(cudaMemcpyAsync(to.data(), from, bytes,
                                   cudaMemcpyDeviceToDevice, stream),
                   "cudaMemcpyAsync");
    });
    check_cuda(cudaGetLastError(), "measuring the ceilings");
#else
    std::size_t const workers = static_cast<std::size_t>(machine.processors);
    Kokkos::View<std::uint64_t*, Exec> out("perf::read", workers);
    auto const run = [&](std::size_t n, auto const& functor) {
      Kokkos::parallel_for("perf::ceiling", IndexRange(exec, 0, n), functor);
    };
    // Each worker folds its own contiguous part of the words.
    m_read[machine.processors] = ceiling(read, [&] {
      run(workers, [=](std::size_t w) {
        std::uint64_t folded  = 0;
        std::size_t const own = words / workers;
        for (std::size_t i = own * w; i < own * (w + 1); ++i) folded ^= from[i];
        out(w) = folded;
      });
    });
    m_launch = ceiling(0, [&] { run(1, [](std::size_t) {}); });
    m_copy   = ceiling(
          2 * read, [&] { run(words, [=](std::size_t i) { to(i) = from[i]; }); });
#endif
  }

  Kokkos::View<std::uint64_t*, Exec> m_pool;
  Growing m_results;
  std::string_view m_filled_type;
  std::size_t m_filled = 0;
  std::map<int, Ceiling> m_read;
  std::optional<Ceiling> m_copy, m_launch;
};

inline std::string version_text(int version, int major_unit, int minor_unit) {
  return std::to_string(version / major_unit) + "." +
         std::to_string(version % major_unit / minor_unit) + "." +
         std::to_string(version % minor_unit);
}

/// Puts into the JSON what a figure needs to be compared with another one.
inline void add_context(Session& session) {
  auto const add = [](char const* key, std::string const& value) {
    benchmark::AddCustomContext(key, value);
  };
  add("device", session.machine.name);
  add("execution_space", Exec::name());
  add("kokkos_version", version_text(KOKKOS_VERSION, 10000, 100));
  add("kokkosmma_version", version_text(KOKKOSMMA_VERSION, 10000, 100));
  add("git_revision", KOKKOSMMA_PERF_GIT_REVISION);
  add("cache_bytes", std::to_string(session.machine.cache_bytes));
  add("rotation_bytes", std::to_string(session.rotation_bytes()));
  add("tuning_table", KokkosMMA::tuning_description());
  add("samples", std::to_string(session.options.samples));
  add("route_setting", std::string(KokkosMMA::to_string(
                           KokkosMMA::Impl::environment_route().value)));
#if defined(__VERSION__)
  add("compiler", __VERSION__);
#endif
#ifdef KOKKOS_ENABLE_CUDA
  int device = 0, runtime = 0, driver = 0, clock_khz = 0, memory_khz = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, device),
             "cudaGetDeviceProperties");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, device),
             "cudaDeviceGetAttribute");
  check_cuda(
      cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, device),
      "cudaDeviceGetAttribute");
  add("compute_capability", std::to_string(properties.major) + "." +
                                std::to_string(properties.minor));
  add("sm_count", std::to_string(properties.multiProcessorCount));
  add("l2_bytes", std::to_string(properties.l2CacheSize));
  add("max_clock_mhz", std::to_string(clock_khz / 1000));
  add("max_memory_clock_mhz", std::to_string(memory_khz / 1000));
  add("cuda_runtime_version", version_text(runtime, 1000, 10));
  add("cuda_driver_api_version", version_text(driver, 1000, 10));
  add("cub_version", version_text(CUB_VERSION, 100000, 100));
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  add("driver", std::getline(file, line)
                    ? line
                    : "unknown: /proc/driver/nvidia/version cannot be read");
  Nvml const nvml;
  add("nvml", nvml.missing().empty() ? "found" : nvml.missing());
  if (nvml.missing().empty()) {
    add("driver_version", nvml.driver_version());
    add("power_limit_watts", nvml.power_limit_watts());
    // Of a device at work, not of one that idles: after the ceilings, which
    // the first case would measure.
    if (!session.options.lists) session.copy_ceiling();
    add("sm_clock_mhz", nvml.clock(Nvml::Clock::sm));
    add("memory_clock_mhz", nvml.clock(Nvml::Clock::memory));
    add("clock_limits", nvml.clock_limits());
  }
  add("peers", "Kokkos' own code, CUB");
#else
  add("concurrency", std::to_string(session.machine.processors));
  add("peers",
      "Kokkos' own code; no Cuda execution space here, so no CUB, and every "
      "route is generic");
#endif
}

}  // namespace perf

#endif
