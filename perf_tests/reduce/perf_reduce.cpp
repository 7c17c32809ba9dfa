// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of random data by every contender: reduce/CONTENDER/TYPE/RESULT/n:N, and
// dot products of columns. docs/developers/benchmarks.md explains the names.

#include <tuple>
#include <utility>

#include "reduce/Perf_ColumnDots.hpp"
#include "support/Perf_Program.hpp"
#include "support/Perf_Check.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/device/device_reduce.cuh>
#endif

namespace perf {

enum class Contender {
  kokkos,
  kokkos_int64,
  drop_in,
  drop_in_int64,
  mma,
  exact,
  cub
};
/// grid2, grid3: into a View, over an MDRangePolicy with all defaults, of a
/// View with the default layout; _right: of a View with LayoutRight.
enum class Result {
  view,
  view_warm,
  scalar,
  grid2,
  grid3,
  grid2_right,
  grid3_right
};

constexpr char const* name_of(Contender c) {
  constexpr char const* names[] = {
      "kokkos", "kokkos_int64", "drop_in", "drop_in_int64",
      "mma",    "exact",        "cub"};
  return names[static_cast<int>(c)];
}
constexpr char const* name_of(Result r) {
  constexpr char const* names[] = {"view",       "view_warm", "scalar",
                                   "grid2",      "grid3",     "grid2_right",
                                   "grid3_right"};
  return names[static_cast<int>(r)];
}
constexpr Expectation expectation(Contender c) {
  using enum Expectation;
  constexpr Expectation of[] = {kokkos,  kokkos,  drop_in, drop_in,
                                library, library, cub};
  return of[static_cast<int>(c)];
}

inline KokkosMMA::Settings const kokkos_settings{.route =
                                                     KokkosMMA::Route::generic};

struct Case {
  Contender contender;
  Result result;
  std::size_t n;
  KokkosMMA::Settings settings = {};

  template <class T>
  std::string name() const {
    return std::string("reduce/") + name_of(contender) + "/" + type_name<T>() +
           "/" + name_of(result) + "/n:" + std::to_string(n);
  }
};

/// What an application writes. Kokkos' own code and the drop-in run the same
/// function under different settings. The type of the index matters: nvcc
/// unrolls Kokkos' own loop by four for a signed one of 64 bits, and not for
/// the default.
template <class T, class Index, class ResultRef>
void reduce_lambda(Exec const& exec, Vector<T> const& x, ResultRef&& result) {
  using Sum = sum_type<T>;
  Kokkos::parallel_reduce(
      "perf_reduce", RangeOf<Index>(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(Index i, Sum & sum) { sum += static_cast<Sum>(x(i)); },
      result);
}

inline int side_of(std::size_t n, int rank) {
  return static_cast<int>(std::pow(static_cast<double>(n), 1. / rank) + 1e-6);
}
template <class Layout, class T>
void reduce_grid2(Exec const& exec, Vector<T> const& x,
                  Kokkos::View<T, Exec> const& result) {
  int const n = side_of(x.extent(0), 2);
  Kokkos::View<T const**, Layout, Exec> const grid(x.data(), n, n);
  Kokkos::parallel_reduce(
      "perf_reduce",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {n, n}),
      KOKKOS_LAMBDA(int i, int j, T& sum) { sum += grid(i, j); }, result);
}
template <class Layout, class T>
void reduce_grid3(Exec const& exec, Vector<T> const& x,
                  Kokkos::View<T, Exec> const& result) {
  int const n = side_of(x.extent(0), 3);
  Kokkos::View<T const***, Layout, Exec> const grid(x.data(), n, n, n);
  Kokkos::parallel_reduce(
      "perf_reduce",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(exec, {0, 0, 0}, {n, n, n}),
      KOKKOS_LAMBDA(int i, int j, int k, T& sum) { sum += grid(i, j, k); },
      result);
}

/// How far a floating-point sum of n values in [0, 1) may be off, relative to
/// the sum. A contender adds n / concurrency values one after another, which
/// loses about eps * sqrt(n / concurrency) when it rounds to nearest; 16 eps
/// cover the tree above and a tensor core's truncation in chains of up to 32
/// products. Exact sums are rounded once.
template <class T>
double tolerance(Exec const& exec, Case const& c) {
  double const eps = std::numeric_limits<sum_type<T>>::epsilon();
  if (c.contender == Contender::exact) return eps;
  double const chain =
      static_cast<double>(c.n) / static_cast<double>(exec.concurrency());
  return eps * (16 + 2 * std::sqrt(chain));
}

template <class T>
class BufferRing;

class ReduceTests {
 public:
  explicit ReduceTests(Session& session) : m_session(session) {}

  void register_all() {
    register_ceilings(m_session);
    register_type<half_type>(has_half);
    register_type<bhalf_type>(has_bhalf);
    register_type<float>(true);
    register_type<double>(true);
    register_type<std::int8_t>(true);
    register_type<std::int32_t>(true);
    register_type<std::int64_t>(true);
    register_dots(m_session);
  }

  template <class T>
  void run(benchmark::State& state, Case const& c);

 private:
  template <class T>
  void register_case(Case const& c) {
    perf::register_case(
        m_session, c.name<T>(),
        [this, c](benchmark::State& state) { run<T>(state, c); });
  }

  template <class T>
  void register_type(bool exists) {
    if (!exists) return;
    std::size_t const largest = m_session.max_n<T>();
    // The largest size, and small ones, whose time is mostly that of the
    // launch.
    std::vector<std::size_t> views = {1u << 10, 1u << 14, 1u << 17};
    std::vector<std::size_t> small = views;
    if (m_session.options.all) {
      // Powers of four from one up to the largest, and one size that nothing
      // divides.
      for (std::size_t n : {1, 32, 1000003}) views.push_back(n);
      for (std::size_t n = 1 << 10; n <= largest; n *= 4) views.push_back(n);
      small.push_back(1);
      for (std::size_t n : {1 << 20, 1 << 24}) small.push_back(n);
    }
    views.push_back(largest);
    for (std::size_t n : sizes(views, largest))
      register_contenders<T>(Result::view, n);
    for (std::size_t n : sizes(small, std::min<std::size_t>(largest, 1 << 17)))
      register_contenders<T>(Result::view_warm, n);
    for (std::size_t n : sizes(small, largest))
      register_contenders<T>(Result::scalar, n);
    if constexpr (std::is_floating_point_v<T>) {
      std::size_t const side = side_of(largest, 2), edge = side_of(largest, 3);
      for (Result result : {Result::grid2, Result::grid2_right})
        register_grid<T>(result, side * side);
      for (Result result : {Result::grid3, Result::grid3_right})
        register_grid<T>(result, edge * edge * edge);
    }
  }
  template <class T>
  void register_grid(Result result, std::size_t n) {
    register_case<T>({Contender::kokkos, result, n, kokkos_settings});
    register_case<T>({Contender::drop_in, result, n});
  }

  template <class T>
  void register_contenders(Result result, std::size_t n) {
    register_case<T>({Contender::kokkos, result, n, kokkos_settings});
    register_case<T>({Contender::drop_in, result, n});
    if (result == Result::view) {
      register_case<T>({Contender::kokkos_int64, result, n, kokkos_settings});
      register_case<T>({Contender::drop_in_int64, result, n});
    }
    register_case<T>({Contender::mma, result, n});
    if (!std::is_integral_v<T>) {
      Case exact{Contender::exact, result, n};
      exact.settings.reproducibility = KokkosMMA::Reproducibility::exact;
      register_case<T>(exact);
    }
    if (on_cuda) register_case<T>({Contender::cub, result, n});
  }

  template <class T>
  double check(BufferRing<T>& ring, Case const& c);

  /// Reference sums, computed once per data set: (type, first element, n).
  template <class T>
  ReferenceSum const& reference(Vector<T> const& x, std::size_t first) {
    auto const key =
        std::tuple(std::string(type_name<T>()), first, x.extent(0));
    auto at = m_references.find(key);
    if (at == m_references.end())
      at = m_references
               .emplace(key,
                        reference_sum<T>(m_session.exec, x.data(), x.extent(0)))
               .first;
    return at->second;
  }

  Session& m_session;
  std::map<std::tuple<std::string, std::size_t, std::size_t>, ReferenceSum>
      m_references;
};

/// One contender on one ring of buffers: what is timed and what is checked.
template <class T>
class BufferRing {
 public:
  using Sum = sum_type<T>;

  BufferRing(Session& session, Case const& c)
      : m_exec(session.exec), m_case(c), m_result("perf::result") {
    // Every call gets the next buffer of a ring that is several times the
    // cache; one buffer where the data alone are larger, or are to stay in the
    // cache. Buffers start at multiples of 256 bytes, as allocations do.
    std::size_t const all = session.rotation_bytes() / sizeof(T);
    m_stride              = (c.n * sizeof(T) + 255) / 256 * 256 / sizeof(T);
    m_slots = c.result == Result::view_warm ? 1 : (all - 1) / m_stride + 1;
    m_data  = session.data<T>((m_slots - 1) * m_stride + c.n);
#ifdef KOKKOS_ENABLE_CUDA
    if (c.contender == Contender::cub)
      m_cub = cub_call(
          m_exec,
          [n = static_cast<long long>(c.n), stream = m_exec.cuda_stream()](
              void* scratch, std::size_t& bytes, T const* x, Sum* result) {
            return cub::DeviceReduce::Reduce(scratch, bytes, cub_items(x),
                                             result, n, Plus<Sum>{}, Sum(0),
                                             stream);
          },
          static_cast<T const*>(nullptr), static_cast<Sum*>(nullptr));
#endif
  }

  std::size_t slots() const { return m_slots; }
  std::size_t first(std::size_t k) const { return k % m_slots * m_stride; }
  Vector<T> input(std::size_t k) const {
    return Vector<T>(m_data + first(k), m_case.n);
  }

  /// Call number k.
  void operator()(std::size_t k) {
    Vector<T> const x = input(k);
    bool const scalar = m_case.result == Result::scalar;
    switch (m_case.contender) {
      case Contender::kokkos:
      case Contender::drop_in:
        if constexpr (std::is_floating_point_v<T>) {
          using Default = Exec::array_layout;
          using Right   = Kokkos::LayoutRight;
          switch (m_case.result) {
            case Result::grid2:
              return reduce_grid2<Default>(m_exec, x, m_result);
            case Result::grid3:
              return reduce_grid3<Default>(m_exec, x, m_result);
            case Result::grid2_right:
              return reduce_grid2<Right>(m_exec, x, m_result);
            case Result::grid3_right:
              return reduce_grid3<Right>(m_exec, x, m_result);
            default: break;
          }
        }
        if (scalar) {
          reduce_lambda<T, std::size_t>(m_exec, x, m_scalar);
        } else {
          reduce_lambda<T, std::size_t>(m_exec, x, m_result);
        }
        break;
      case Contender::kokkos_int64:
      case Contender::drop_in_int64:
        reduce_lambda<T, std::int64_t>(m_exec, x, m_result);
        break;
      case Contender::mma:
      case Contender::exact:
        if (scalar) {
          KokkosMMA::reduce(m_exec, x, m_scalar, m_case.settings);
        } else {
          KokkosMMA::reduce(m_exec, x, m_result, m_case.settings);
        }
        break;
      case Contender::cub:
#ifdef KOKKOS_ENABLE_CUDA
        // The device writes to pinned memory of the host: no copy.
        m_cub(x.data(), scalar ? m_host.data() : m_result.data());
        if (scalar) {
          check_cuda(cudaStreamSynchronize(m_exec.cuda_stream()),
                     "cudaStreamSynchronize");
          m_scalar = m_host();
        }
#endif
        break;
    }
  }

  /// What call number k computes, read back after the result has been
  /// overwritten with something else.
  Sum result_of(std::size_t k) {
    Sum const poison = static_cast<Sum>(-12345);
    Kokkos::deep_copy(m_exec, m_result, poison);
    m_scalar = poison;
    (*this)(k);
    if (m_case.result != Result::scalar)
      Kokkos::deep_copy(m_exec, m_scalar, m_result);
    m_exec.fence("perf::result_of");
    return m_scalar;
  }

 private:
  Exec m_exec;
  Case m_case;
  std::size_t m_stride = 0;  // elements from buffer to buffer
  std::size_t m_slots  = 0;
  T* m_data            = nullptr;
  Kokkos::View<Sum, Exec> m_result;
  Sum m_scalar = {};
#ifdef KOKKOS_ENABLE_CUDA
  std::function<void(T const*, Sum*)> m_cub;
  Kokkos::View<Sum, Kokkos::CudaHostPinnedSpace> m_host{"perf::cub::host"};
#endif
};

/// Compares the sums of the first and the last buffer with the reference, twice
/// each, and returns the larger relative error (0 for integers).
/// \throws std::runtime_error that says how a sum is wrong.
template <class T>
double ReduceTests::check(BufferRing<T>& ring, Case const& c) {
  double error = 0;
  for (std::size_t k : {std::size_t(0), ring.slots() - 1}) {
    auto const result = ring.result_of(k);
    error             = std::max(error,
                                 checked_error([] { return std::string("sum"); }, result,
                                   reference<T>(ring.input(k), ring.first(k)),
                                   tolerance<T>(m_session.exec, c)));
    auto const again  = ring.result_of(k);
    if (std::memcmp(&again, &result, sizeof(result)) != 0)
      throw std::runtime_error("two runs on the same data differ");
  }
  return error;
}

template <class T>
void ReduceTests::run(benchmark::State& state, Case const& c) {
  // Before there is a BufferRing: measuring the ceilings overwrites the data.
  double const ceiling = m_session.read_bytes_per_second();
  // The drop-in runs with the settings of the environment, as in an
  // application.
  std::optional<KokkosMMA::ScopedSettings> scope;
  if (expectation(c.contender) == Expectation::kokkos)
    scope.emplace(c.settings);

  BufferRing<T> ring(m_session, c);
  double const error = check(ring, c);
  // Grids that Kokkos sums as fast may be left to it.
  bool const is_grid      = c.result >= Result::grid2;
  std::string const route = checked_route(
      is_grid && c.contender == Contender::drop_in ? Expectation::library
                                                   : expectation(c.contender));

  // The drop-in finds the schedule of a sum by measuring its first calls.
  if (on_cuda && expectation(c.contender) == Expectation::drop_in)
    for (std::size_t k = 0; k < 20; ++k) {
      ring(k);
      m_session.exec.fence("perf::warm_up");
    }

  int const count = m_session.options.samples;
  auto const n    = static_cast<double>(c.n);
  report(state,
         c.result == Result::scalar
             ? sample_host(3 * count, ring)
             : m_session.timer.sample(count, std::ref(ring)),
         n * sizeof(T), ceiling, n);
  if constexpr (!std::is_integral_v<T>) {
    state.counters["relative_error"] = error;
  }
  state.SetLabel(route);
}

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::ReduceTests>("perf_reduce", argc, argv);
}
