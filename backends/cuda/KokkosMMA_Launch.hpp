// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_LAUNCH_HPP
#define KOKKOSMMA_CUDA_LAUNCH_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/kernels/KokkosMMA_GridFinish.hpp>
#include <backends/cuda/kernels/KokkosMMA_LookBack.hpp>
#include <core/KokkosMMA_ActiveTuning.hpp>
#include <core/KokkosMMA_Capability.hpp>

#include <Kokkos_Core.hpp>

#include <cuda_runtime.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

/// \file
/// What every launch needs: the device's properties, scratch of its stream, and
/// the hand-over of a result to the host.

namespace KokkosMMA::Impl::Cuda {

/// Device errors abort, as Kokkos does: they are sticky, nothing after them can
/// succeed.
inline void check(cudaError_t error, char const* call) {
  if (error == cudaSuccess) return;
  std::string const text = std::string("KokkosMMA: ") + call +
                           " failed: " + cudaGetErrorName(error) + ": " +
                           cudaGetErrorString(error);
  Kokkos::abort(text.c_str());
}

/// Puts a kernel into the stream of an instance whose device is the current
/// one; `name` is for the message if it cannot.
template <class... Parameters, class... Arguments>
void launch_kernel(Kokkos::Cuda const& space, char const* name,
                   void (*kernel)(Parameters...), KernelGrid const& grid,
                   Arguments&&... arguments) {
  cudaError_t const error = enqueue_kernel(
      space.cuda_stream(), kernel, grid, std::forward<Arguments>(arguments)...);
  if (error != cudaSuccess)
    check(error, (std::string("launch of ") + name).c_str());
}

struct Device {
  int id                   = 0;
  int multiprocessors      = 0;
  int compute_capability   = 0;
  int shared_bytes         = 0;  ///< at most, of a block
  std::size_t memory_bytes = 0;
  std::string name;
  TuningTable const* tuning = &builtin_tuning;

  TunedDevice tuned() const {
    return {name, compute_capability, multiprocessors};
  }
};

inline Device& device_entry(int id) {
  constexpr int max_devices = 64;
  static std::once_flag once[max_devices];
  static Device devices[max_devices];
  if (id < 0 || id >= max_devices)
    Kokkos::abort("KokkosMMA: more than 64 CUDA devices");
  std::call_once(once[id], [id] {
    int major = 0;
    int minor = 0;
    Device& d = devices[id];
    d.id      = id;
    check(cudaDeviceGetAttribute(&d.multiprocessors,
                                 cudaDevAttrMultiProcessorCount, id),
          "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id),
          "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, id),
          "cudaDeviceGetAttribute");
    d.compute_capability = 10 * major + minor;
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, id), "cudaGetDeviceProperties");
    d.name         = properties.name;
    d.shared_bytes = int(properties.sharedMemPerBlockOptin);
    d.memory_bytes = properties.totalGlobalMem;
    d.tuning       = &tuning_of(d.tuned());
  });
  return devices[id];
}
inline Device const& device(int id) { return device_entry(id); }

/// Another table for a device, for whoever measures them: while it runs no
/// other host thread may call the library, and the table must outlive its use.
inline void use_tuning(int id, TuningTable const& table) {
  device_entry(id).tuning = &table;
}
inline TuningTable const& tuning(Kokkos::Cuda const& space) {
  return *device(space.cuda_device()).tuning;
}

inline Capability capability(Kokkos::Cuda const& space) {
  Device const& d = device(space.cuda_device());
  return {true, d.compute_capability, d.multiprocessors, d.shared_bytes};
}

/// What the runtime says of a kernel.
struct KernelFacts {
  int local_bytes;
  int resident_blocks;  ///< per multiprocessor
  bool may_follow;      ///< a grid that is not done: KernelGrid::follows
};

/// Asks, and allows the kernel its shared memory, once for each device and
/// kernel. Never keep this in a static of a function that launches: from CUDA
/// 13 on every translation unit has a kernel of its own, and where such a
/// function is inlined, one is asked and another launched.
template <class... Parameters>
KernelFacts kernel_facts(int device_id, void (*kernel)(Parameters...),
                         int threads, std::size_t shared_bytes = 0) {
  using Key = std::pair<int, void const*>;
  static std::mutex mutex;
  static std::map<Key, KernelFacts> all;
  auto const* const address = reinterpret_cast<void const*>(kernel);
  std::lock_guard<std::mutex> const lock(mutex);
  auto const [entry, is_new] =
      all.try_emplace(Key{device_id, address}, KernelFacts{});
  KernelFacts& facts = entry->second;
  if (!is_new) return facts;
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, address), "cudaFuncGetAttributes");
  facts.local_bytes = int(attributes.localSizeBytes);
  facts.may_follow  = attributes.ptxVersion >= 90;
  check(
      cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           int(shared_bytes)),
      "cudaFuncSetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &facts.resident_blocks, address, threads, shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return facts;
}

/// Memory of one stream: partial results and the hand-shake of scans, which the
/// order of the stream protects, and words in pinned memory for a result that
/// the host waits for, which the mutex protects. Allocated at the first call on
/// a stream, so that later calls neither allocate nor synchronise.
class StreamScratch {
 public:
  static constexpr int max_words = 16;  // 64 bytes, 4 in each

  explicit StreamScratch(int device_id) : m_device(device_id) {
    constexpr std::size_t counters = 128;
    char* const memory = static_cast<char*>(zeroed(partials_bytes + counters));
    m_grid = {memory, reinterpret_cast<unsigned*>(memory + partials_bytes)};
    m_scan.control =
        reinterpret_cast<ScanControl*>(memory + partials_bytes + counters / 2);
    RelaxedCapture const capture;
    void* words = nullptr;
    check(cudaHostAlloc(&words, max_words * sizeof(unsigned long long),
                        cudaHostAllocMapped),
          "cudaHostAlloc");
    m_words = static_cast<unsigned long long*>(words);
  }
  ~StreamScratch() {
    int current = 0;
    cudaGetDevice(&current);
    cudaSetDevice(m_device);
    for (void* const memory : m_allocated) cudaFree(memory);
    cudaFreeHost(m_words);
    cudaSetDevice(current);
  }
  StreamScratch(StreamScratch const&)            = delete;
  StreamScratch& operator=(StreamScratch const&) = delete;

  GridScratch grid() const { return m_grid; }

  /// Words for the hand-shake of a scan. They grow by doubling, and what was
  /// too small stays until the end: kernels in flight or in a graph may use it.
  ScanScratch scan(std::uint64_t words) {
    std::lock_guard<std::mutex> const lock(m_mutex);
    if (words > m_scan.capacity) {
      std::uint64_t const capacity = std::bit_ceil(words);
      m_scan.words =
          static_cast<std::uint64_t*>(zeroed(capacity * sizeof(std::uint64_t)));
      m_scan.capacity = capacity;
    }
    return m_scan;
  }

  /// For what blocks of a segmented operation hand to each other. It grows like
  /// the words of a scan.
  void* segments(std::size_t bytes) { return m_segments.of(*this, bytes); }

  /// Counters that every launch finds at zero and leaves at zero.
  unsigned* counters(std::size_t count) {
    return static_cast<unsigned*>(
        m_counters.of(*this, count * sizeof(unsigned)));
  }

  /// Tens of milliseconds: the query only has to notice a kernel that died.
  static constexpr unsigned spins_per_query = 1u << 24;

  /// Runs `launch(sink)` and waits for the value that its kernel stores.
  template <class T, class Launch>
  void receive(T* result, cudaStream_t stream, Launch const& launch) {
    constexpr int words = Words<T>::size;
    static_assert(words <= max_words);
    std::lock_guard<std::mutex> const lock(m_mutex);
    for (int i = 0; i < words; ++i) m_words[i] = 0;
    launch(ResultSink<T>{nullptr, m_words});
    std::uint32_t bits[words];
    for (int i = 0; i < words; ++i) {
      std::atomic_ref<unsigned long long> const word(m_words[i]);
      unsigned long long seen = word.load(std::memory_order_acquire);
      for (unsigned spins = 1; !(seen & ResultSink<T>::mark); ++spins) {
        if (spins % spins_per_query == 0) {
          cudaError_t const state = cudaStreamQuery(stream);
          if (state != cudaErrorNotReady) check(state, "kernel of a result");
        }
        seen = word.load(std::memory_order_acquire);
      }
      bits[i] = static_cast<std::uint32_t>(seen);
    }
    std::memcpy(static_cast<void*>(result), bits, sizeof(T));
  }

 private:
  /// Allows the calls below while another thread captures a graph.
  struct RelaxedCapture {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    RelaxedCapture() { exchange(); }
    ~RelaxedCapture() { exchange(); }
    void exchange() {
      check(cudaThreadExchangeStreamCaptureMode(&mode),
            "cudaThreadExchangeStreamCaptureMode");
    }
  };

  struct Growing {
    void* memory         = nullptr;
    std::size_t capacity = 0;

    void* of(StreamScratch& scratch, std::size_t bytes) {
      std::lock_guard<std::mutex> const lock(scratch.m_mutex);
      if (bytes > capacity) {
        capacity = std::bit_ceil(bytes);
        memory   = scratch.zeroed(capacity);
      }
      return memory;
    }
  };

  void* zeroed(std::size_t bytes) {
    RelaxedCapture const capture;
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
    m_allocated.push_back(memory);
    // Not on the default stream, where it would wait for other streams.
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
    check(cudaMemsetAsync(memory, 0, bytes, stream), "cudaMemsetAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    check(cudaStreamDestroy(stream), "cudaStreamDestroy");
    return memory;
  }

  int m_device;
  std::vector<void*> m_allocated;
  GridScratch m_grid{};
  ScanScratch m_scan{};
  Growing m_segments;
  Growing m_counters;
  unsigned long long* m_words = nullptr;
  std::mutex m_mutex;
};

/// Scratch of the stream behind an execution-space instance. Instances that
/// share a stream share scratch: their kernels run one after the other.
inline StreamScratch& stream_scratch(Kokkos::Cuda const& space) {
  using Key = std::pair<int, cudaStream_t>;
  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<StreamScratch>> all;
  std::lock_guard<std::mutex> const lock(mutex);
  static bool released_at_finalize = false;
  if (!released_at_finalize) {
    released_at_finalize = true;
    Kokkos::push_finalize_hook([] {
      std::lock_guard<std::mutex> const hook_lock(mutex);
      all.clear();
      released_at_finalize = false;
    });
  }
  Key const key{space.cuda_device(), space.cuda_stream()};
  auto& entry = all[key];
  if (!entry) entry = std::make_unique<StreamScratch>(key.first);
  return *entry;
}

/// Runs `launch(sink)` so that the result arrives where the caller wants it: at
/// once in order on the stream when the device can write there, through pinned
/// memory with a wait for this kernel otherwise.
template <class T, class Launch>
void deliver(Kokkos::Cuda const& space, StreamScratch& scratch, T* result,
             bool device_accessible, Launch const& launch) {
  if (device_accessible)
    launch(ResultSink<T>{result, nullptr});
  else
    scratch.receive(result, space.cuda_stream(), launch);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
