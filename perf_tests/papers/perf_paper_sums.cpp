// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers/Perf_Paper.hpp"

#include <tuple>

#include "support/Perf_Check.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <backends/cuda/kernels/papers/KokkosMMA_PaperReduce.hpp>

#include <cub/device/device_reduce.cuh>
#endif

/// Sums of halves and floats: the formulations over R and B, their errors over
/// n, their energy.
namespace perf {
namespace {

/// `integers`: -1, 0 and 1, whose sums every contender has to get exactly where
/// they are few.
enum class Distribution { uniform, normal, integers };
constexpr char const* name_of(Distribution d) {
  return d == Distribution::uniform  ? "uniform"
         : d == Distribution::normal ? "normal"
                                     : "integers";
}

template <class T>
struct FillDistributed {
  T* x;
  Distribution distribution;

  KOKKOS_FUNCTION static double unit(std::uint64_t i) {
    return static_cast<double>((mix(i) >> 11) + 1) * 0x1p-53;  // (0, 1]
  }
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if (distribution == Distribution::uniform) {
      x[i] = random_value<T>(i);
    } else if (distribution == Distribution::integers) {
      x[i] = static_cast<T>(static_cast<float>(mix(i) % 3) - 1.f);
    } else {  // Box and Muller
      double const radius = Kokkos::sqrt(-2 * Kokkos::log(unit(2 * i)));
      double const angle  = 6.283185307179586 * unit(2 * i + 1);
      x[i] = static_cast<T>(static_cast<float>(radius * Kokkos::cos(angle)));
    }
  }
};

struct Exact {
  ReferenceSum sum, magnitudes;
};

/// Elements of one distribution, and what the first n of them add up to.
template <class T>
class Input {
 public:
  Input(Exec const& exec, Distribution distribution, std::size_t n)
      : m_exec(exec), m_n(n), m_memory(exec, n) {
    Kokkos::parallel_for("perf::fill", IndexRange(exec, 0, n),
                         FillDistributed<T>{m_memory.data(), distribution});
    exec.fence("perf::fill");
  }
  T const* data() const { return m_memory.data(); }
  std::size_t size() const { return m_n; }

  Exact const& exact(std::size_t n) {
    auto const known = m_exact.find(n);
    if (known != m_exact.end()) return known->second;
    return m_exact[n] = {reference_sum<T>(m_exec, data(), n),
                         reference_sum<T, true>(m_exec, data(), n)};
  }

 private:
  Exec m_exec;
  std::size_t m_n;
  Scratch<T> m_memory;
  std::map<std::size_t, Exact> m_exact;
};

/// What a contender adds, and where the sum goes.
template <class T>
struct Operands {
  Exec exec;
  T const* x;
  std::size_t n;
  float* result;
};
/// `call` is timed, `finish` brings a result of another type into the float.
struct Work {
  Call call;
  Call finish = [] {};
};
template <class T>
using Maker = std::function<Work(Operands<T> const&)>;

template <class T>
struct Contender {
  std::string name;
  Maker<T> make;
  bool ours         = false;    // the same bits in every run
  bool loose        = false;    // adds in half, or keeps sums in it
  char const* route = nullptr;  // launched without a call

  /// After a call.
  std::string label() const {
    if (route != nullptr) return route;
    return ours ? checked_route(Expectation::library) : name;
  }
};

template <class T, class Sum>
void kokkos_sum(Operands<T> const& o, Kokkos::View<Sum, Exec> const& result) {
  T const* const x = o.x;
  Kokkos::parallel_reduce(
      "perf_paper", IndexRange(o.exec, 0, o.n),
      KOKKOS_LAMBDA(std::size_t i, Sum & sum) {
        sum += static_cast<Sum>(x[i]);
      },
      result);
}

template <class T>
struct ToFloat {
  T const* from;
  float* to;
  KOKKOS_FUNCTION void operator()(std::size_t) const {
    *to = static_cast<float>(*from);
  }
};
template <class T>
void to_float(Exec const& exec, T const* from, float* to) {
  Kokkos::parallel_for("perf::to_float", IndexRange(exec, 0, 1),
                       ToFloat<T>{from, to});
}

template <class T>
Contender<T> kokkos_contender() {
  return {"kokkos", [](Operands<T> const& o) -> Work {
            Kokkos::View<float, Exec> const view(o.result);
            return {[=] { kokkos_sum<T, float>(o, view); }};
          }};
}

template <class T>
Contender<T> library_contender(std::string const& name,
                               KokkosMMA::Settings const& settings) {
  return {name,
          [settings](Operands<T> const& o) -> Work {
            Kokkos::View<T const*, Exec> const in(o.x, o.n);
            Kokkos::View<float, Exec> const out(o.result);
            return {[=] { KokkosMMA::reduce(o.exec, in, out, settings); }};
          },
          true};
}

#ifdef KOKKOS_ENABLE_CUDA

/// cub::DeviceReduce adding in Sum.
template <class T, class Sum>
Call cub_sum(Operands<T> const& o, Sum* result) {
  return cub_call(o.exec, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(scratch, bytes, cub_items(o.x), result,
                                     static_cast<long long>(o.n), Plus<Sum>{},
                                     Sum(0.f), o.exec.cuda_stream());
  });
}

template <class T>
Contender<T> cub_contender(std::string const& name) {
  return {name, [](Operands<T> const& o) -> Work {
            return {cub_sum<T, float>(o, o.result)};
          }};
}

std::vector<Contender<half_type>> half_result_contenders() {
  using Halves = Operands<half_type>;
  return {{"cub_half",
           [](Halves const& o) -> Work {
             Scratch<__half> const sum(o.exec, 1);
             return {cub_sum<half_type, __half>(o, sum.data()),
                     [=] { to_float<__half>(o.exec, sum.data(), o.result); }};
           },
           false, true},
          {"kokkos_half",
           [](Halves const& o) -> Work {
             Kokkos::View<half_type, Exec> const sum("perf::half");
             return {
                 [=] { kokkos_sum<half_type, half_type>(o, sum); },
                 [=] { to_float<half_type>(o.exec, sum.data(), o.result); }};
           },
           false, true}};
}

Contender<half_type> wmma_contender(Formulation form, int chain, int block) {
  return {"wmma_" + std::string(to_string(form)),
          [=](Operands<half_type> const& o) -> Work {
            return {wmma_sum(o.exec, form, chain, block, o.x, o.n, o.result)};
          },
          false, form == Formulation::recurrence};
}
Contender<half_type> mma_contender(Formulation form, int chain, int block) {
  namespace Cuda = KokkosMMA::Impl::Cuda;
  return {"mma_" + std::string(to_string(form)),
          [=](Operands<half_type> const& o) -> Work {
            return {[=] {
              Cuda::launch_paper_reduce(
                  o.exec, Cuda::StreamScratch(o.exec),
                  KokkosMMA::Impl::vector_range(o.x, o.n, sizeof(half_type)),
                  {form, chain, block}, o.result, true);
            }};
          },
          true, false, "mma"};
}
Contender<half_type> shuffle_contender(int block) {
  return {"shuffle", [=](Operands<half_type> const& o) -> Work {
            return {shuffle_sum(o.exec, block, o.x, o.n, o.result)};
          }};
}
#endif

class Sums {
 public:
  explicit Sums(PaperTests& tests) : m_tests(tests) {}

  void register_all() {
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (has_half) {
      register_chains();
      register_errors<half_type>(half_contenders());
    }
#endif
    std::vector<Contender<float>> floats = {kokkos_contender<float>()};
#ifdef KOKKOS_ENABLE_CUDA
    floats.push_back(cub_contender<float>("cub_float"));
#endif
    floats.push_back(library_contender<float>("library", {}));
    register_errors<float>(floats);
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (has_half) register_energy();
#endif
  }

 private:
  Session& session() { return m_tests.session; }
  Exec const& exec() { return session().exec; }

  /// Kept until another type, distribution or size is asked for: two of 2^28
  /// halves and one of floats are in memory at most.
  template <class T>
  Input<T>& input(Distribution distribution, std::size_t n) {
    auto& kept = [&]() -> auto& {
      if constexpr (std::is_same_v<T, float>)
        return m_floats;
      else
        return m_halves;
    }
    ();
    auto& slot            = kept[distribution == Distribution::integers];
    std::string const key = name_of(distribution) + std::to_string(n);
    if (slot.first != key) {
      slot.second.reset();
      slot.second = std::make_unique<Input<T>>(exec(), distribution, n);
      slot.first  = key;
    }
    return *slot.second;
  }

  /// What a contender makes of the first n elements.
  template <class T>
  float sum_of(Contender<T> const& contender, T const* x, std::size_t n) {
    Scratch<float> const result(exec(), 1);
    poison_bytes(exec(), result.data(), sizeof(float));
    Work const work = contender.make({exec(), x, n, result.data()});
    work.call();
    work.finish();
    return result.to_host()[0];
  }

  static std::string wrong(std::string const& what, double value,
                           double expected, double allowed) {
    std::ostringstream text;
    text << std::setprecision(9) << "wrong sum of " << what << ": " << value
         << ", expected " << expected << ", allowed is a difference of "
         << allowed;
    return text.str();
  }

  /// Integers that every form adds exactly, on a number of elements that
  /// nothing divides; then the data that are timed. Sums of n normal values are
  /// of the size of sqrt(n): a form that loses a per cent of them is wrong.
  template <class T>
  void check(Contender<T> const& contender, Input<T>& data) {
    std::size_t const few = std::min(data.size(), (std::size_t(1) << 18) - 37);
    Input<T>& integers    = input<T>(Distribution::integers, few);
    double const whole    = integers.exact(few).sum.high;
    double const counted  = sum_of(contender, integers.data(), few);
    // cub_half adds thousands of halves in a row, above 2048 not exactly.
    double const slack = contender.loose ? 8 : 0;
    if (!(std::abs(counted - whole) <= slack))
      throw std::runtime_error(wrong("integers", counted, whole, slack));

    std::size_t const n = data.size();
    double const exact  = data.exact(n).sum.high;
    double const allowed =
        (contender.loose ? 0.25 : 0.01) * std::sqrt(static_cast<double>(n));
    float const sum = sum_of(contender, data.data(), n);
    if (!(std::abs(sum - exact) <= allowed))
      throw std::runtime_error(wrong("normal values", sum, exact, allowed));
    float const again = sum_of(contender, data.data(), n);
    if (contender.ours && again != sum)
      throw std::runtime_error("two runs on the same data differ");
  }

#ifdef KOKKOS_ENABLE_CUDA
  std::size_t largest() {
    return session().fitting(std::size_t(1) << 28, sizeof(float));
  }

  template <class T>
  void run_chain(benchmark::State& state, Contender<T> const& contender,
                 int chain, int block) {
    double const ceiling = session().read_bytes_per_second();
    std::size_t const n  = largest();
    Input<T>& data       = input<T>(Distribution::normal, n);
    check(contender, data);
    std::string const route = contender.label();
    Scratch<float> const result(exec(), 1);
    Work const work = contender.make({exec(), data.data(), n, result.data()});
    report(state,
           session().timer.sample_briefly(session().options.samples, work.call),
           static_cast<double>(n) * sizeof(T), ceiling, static_cast<double>(n));
    if (chain > 0) {
      state.counters["model_steps"]   = chained_reduction_steps(n, chain);
      state.counters["model_speedup"] = chained_reduction_speedup(chain);
    }
    state.SetLabel(route);
  }

  template <class T>
  void add_chain(Contender<T> const& contender, int chain, int block) {
    std::string name = "paper_chain/" + contender.name + "/" + type_name<T>();
    if (chain > 0) name += "/R:" + std::to_string(chain);
    if (block > 0) name += "/B:" + std::to_string(block);
    m_tests.add(name + "/n:" + std::to_string(largest()),
                [=, this](benchmark::State& state) {
                  run_chain<T>(state, contender, chain, block);
                });
  }

  void register_chains() {
    std::vector<int> const chains = {1, 2, 3, 4, 5, 8, 16, 32};
    std::vector<int> const blocks = {32, 64, 128, 256, 512, paper_max_block};
    for (int block : blocks) add_chain(shuffle_contender(block), 0, block);
    for (Contender<half_type> const& c : half_result_contenders())
      if (c.name == "cub_half") add_chain(c, 0, 0);
    add_chain(cub_contender<half_type>("cub"), 0, 0);
    add_chain(cub_contender<float>("cub_float"), 0, 0);
    for (Formulation form : {Formulation::recurrence, Formulation::single_pass,
                             Formulation::split, Formulation::chained}) {
      for (int block : blocks) {
        // Of a single warp there is no half to split off.
        if (form == Formulation::split && block < 64) continue;
        for (int chain : chains) {
          if (form != Formulation::chained)
            add_chain(wmma_contender(form, chain, block), chain, block);
          // The library's recurrence has chains of one.
          if (block <= KokkosMMA::Impl::mma_tuning.threads &&
              !(form == Formulation::recurrence && chain > 1))
            add_chain(mma_contender(form, chain, block), chain, block);
        }
      }
    }
  }

  std::vector<Contender<half_type>> half_contenders() {
    std::vector<Contender<half_type>> list = half_result_contenders();
    list.push_back(kokkos_contender<half_type>());
    list.push_back(cub_contender<half_type>("cub"));
    list.push_back(shuffle_contender(256));
    // B and R of the papers' best on a V100.
    for (Formulation form : {Formulation::recurrence, Formulation::single_pass,
                             Formulation::split}) {
      list.push_back(wmma_contender(form, 4, 128));
      list.push_back(mma_contender(form, 4, 128));
    }
    list.push_back(library_contender<half_type>("library", {}));
    return list;
  }

  template <class T>
  void add_energy(Contender<T> const& contender) {
    m_tests.add("paper_energy/" + contender.name + "/" + type_name<T>() +
                    "/reduce/n:" + std::to_string(largest()),
                [=, this](benchmark::State& state) {
                  double const ceiling = session().read_bytes_per_second();
                  std::size_t const n  = largest();
                  Input<T>& data       = input<T>(Distribution::normal, n);
                  check(contender, data);
                  Scratch<float> const result(exec(), 1);
                  Work const work =
                      contender.make({exec(), data.data(), n, result.data()});
                  m_tests.measure_energy(state, work.call,
                                         static_cast<double>(n) * sizeof(T),
                                         ceiling, static_cast<double>(n));
                  state.SetLabel(contender.name);
                });
  }

  void register_energy() {
    if (!m_tests.measures_energy()) return;
    add_energy(shuffle_contender(256));
    add_energy(cub_contender<half_type>("cub"));
    add_energy(cub_contender<float>("cub_float"));
    add_energy(wmma_contender(Formulation::single_pass, 4, 128));
    add_energy(mma_contender(Formulation::single_pass, 4, 128));
    add_energy(library_contender<half_type>("library", {}));
  }
#endif

  template <class T>
  void run_error(benchmark::State& state, Contender<T> const& contender,
                 Distribution distribution, std::size_t n,
                 std::size_t largest_n) {
    session().read_bytes_per_second();
    Input<T>& data     = input<T>(distribution, largest_n);
    Exact const& exact = data.exact(n);
    Scratch<float> const result(exec(), 1);
    Work const work   = contender.make({exec(), data.data(), n, result.data()});
    double const time = [&] {
      std::size_t k = 0;
      return session().timer.seconds(1, k, [&](std::size_t) { work.call(); });
    }();
    work.finish();
    float const sum = result.to_host()[0];
    for (auto _ : state) state.SetIterationTime(time);
    bool const finite        = std::isfinite(sum);
    state.counters["finite"] = finite;
    if (!finite) {
      // What the papers' recurrence and sums in half do to uniform data.
      if (!contender.loose)
        throw std::runtime_error("the sum is " + std::to_string(sum) +
                                 ", expected " +
                                 std::to_string(exact.sum.high));
    } else {
      double const error =
          static_cast<double>(std::abs(sum - exact.sum.floating()));
      double const relative = error / std::abs(exact.sum.high);
      double const spread   = error / exact.magnitudes.high;
      if (!contender.loose && !(spread <= 1e-2))
        throw std::runtime_error(wrong(name_of(distribution), sum,
                                       exact.sum.high,
                                       1e-2 * exact.magnitudes.high));
      state.counters["relative_error"]        = relative;
      state.counters["error_over_magnitudes"] = spread;
    }
    state.SetLabel(contender.label());
  }

  template <class T>
  void register_errors(std::vector<Contender<T>> const& contenders) {
    std::size_t const largest_n =
        session().fitting(std::size_t(1) << (on_cuda ? 28 : 22), sizeof(float));
    for (Distribution distribution :
         {Distribution::uniform, Distribution::normal})
      for (int power = 10; (std::size_t(1) << power) <= largest_n; power += 2)
        for (Contender<T> const& contender : contenders) {
          std::size_t const n = std::size_t(1) << power;
          m_tests.add(
              "paper_error/" + contender.name + "/" + type_name<T>() + "/" +
                  name_of(distribution) + "/n:" + std::to_string(n),
              [=, this](benchmark::State& state) {
                run_error<T>(state, contender, distribution, n, largest_n);
              });
        }
  }

  PaperTests& m_tests;
  template <class T>
  using Slots =
      std::map<bool, std::pair<std::string, std::unique_ptr<Input<T>>>>;
  Slots<float> m_floats;
  Slots<std::conditional_t<has_half, half_type, double>> m_halves;
};

}  // namespace

void register_paper_sums(PaperTests& tests) {
  tests.keep<Sums>().register_all();
}

}  // namespace perf
