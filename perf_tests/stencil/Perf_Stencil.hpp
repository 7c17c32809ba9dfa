// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_STENCIL_HPP
#define KOKKOSMMA_PERF_STENCIL_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <KokkosMMA.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/Perf_Program.hpp"
#include "support/Perf_Data.hpp"
#include "support/Perf_Session.hpp"
#include "stencil/Perf_StencilCheck.hpp"
#include "stencil/Perf_StencilLibraries.hpp"
#include "stencil/Perf_StencilPeers.hpp"
#include "support/Perf_Timing.hpp"

/// The cases of perf_stencil. Every type of every rank is an instance in a
/// source of its own.
namespace perf {

enum class Contender {
  kokkos,
  kokkos_tiled,
  separable,
  npp,
  cudnn,
  generic,
  stencil,
  policy,
  streamed,
  mma,
  automaton
};
enum class Form { box, mean, star, binomial, dense, dense_real, automaton };

constexpr char const* name_of(Contender c) {
  constexpr char const* names[] = {
      "kokkos",  "kokkos_tiled", "separable", "npp", "cudnn",    "generic",
      "stencil", "policy",       "streamed",  "mma", "automaton"};
  return names[static_cast<int>(c)];
}
constexpr char const* name_of(Form f) {
  constexpr char const* names[] = {
      "box", "mean", "star", "binomial", "dense", "dense_real", "automaton"};
  return names[static_cast<int>(f)];
}
constexpr KokkosMMA::Boundary boundary_of(Conditions f) {
  using enum KokkosMMA::Boundary;
  constexpr KokkosMMA::Boundary of[] = {constant, periodic, reflect,
                                        mirror,   nearest,  halo};
  return of[static_cast<int>(f)];
}
/// The library's calls, which take a route.
constexpr bool is_ours(Contender c) {
  return c == Contender::generic || c == Contender::stencil ||
         c == Contender::policy || c == Contender::streamed ||
         c == Contender::mma || c == Contender::automaton;
}
constexpr bool is_forced(Contender c) {
  return c == Contender::generic || c == Contender::streamed ||
         c == Contender::mma;
}

struct Case {
  Contender contender;
  int rank;
  Form form;
  int radius;
  Conditions conditions = Conditions::constant;
  int steps             = 1;
  std::string rule_name = {};  // automata: how the rule is called

  /// What is computed, without who does it.
  std::string what() const {
    std::string const r =
        "r:" + std::to_string(radius) + "/" + name_of(conditions);
    if (form == Form::automaton)
      return rule_name + "/" + r + "/steps:" + std::to_string(steps);
    return std::to_string(rank) + "d/" + name_of(form) + "/" + r +
           (steps > 1 ? "/steps:" + std::to_string(steps) : "");
  }
  char const* task() const {
    if (form == Form::automaton) return "automaton";
    return steps > 1 ? "stencil_steps" : "stencil";
  }
  std::string name(std::string const& type, std::size_t n) const {
    return std::string(task()) + "/" + name_of(contender) + "/" + type + "/" +
           what() + "/n:" + std::to_string(n);
  }
  KokkosMMA::Settings settings() const {
    using KokkosMMA::Route;
    KokkosMMA::Settings s;
    if (contender == Contender::generic) s.route = Route::generic;
    if (contender == Contender::streamed) s.route = Route::streamed;
    if (contender == Contender::mma) s.route = Route::mma;
    return s;
  }
};

/// The weights of a form in integers.
template <int R>
ExactWeights<R> exact_weights(Form form, int radius, bool integers) {
  ExactWeights<R> weights;
  weights.radius  = radius;
  int const width = 2 * radius + 1;
  if (form == Form::box || form == Form::mean) {
    weights.factor.assign(static_cast<std::size_t>(width), 1);
    // Near one over their number, so that steps neither grow nor fade much.
    if (form == Form::mean) weights.shift = R == 1 ? 1 : R == 2 ? 3 : 5;
    return weights;
  }
  if (form == Form::binomial) {
    std::int64_t term = 1;
    for (int k = 0; k < width; ++k) {
      weights.factor.push_back(term);
      term = term * (2 * radius - k) / (k + 1);
    }
    weights.shift = integers ? 0 : 2 * radius * R;
    return weights;
  }
  std::size_t count = 1;
  for (int d = 0; d < R; ++d) count *= static_cast<std::size_t>(width);
  for (std::size_t at = 0; at < count; ++at) {
    ExactTap<R> tap{};
    int away         = 0;
    std::size_t rest = at;
    for (int d = R - 1; d >= 0; --d, rest /= static_cast<std::size_t>(width)) {
      tap.offset[d] =
          static_cast<int>(rest % static_cast<std::size_t>(width)) - radius;
      away += tap.offset[d] != 0;
    }
    if (form == Form::star && away > 1) continue;
    std::uint64_t const random = mix(at + 1000);
    tap.weight                 = form == Form::star ? 1
                                 : form == Form::dense
                                     ? static_cast<std::int64_t>(random % 15 + 1)
                                     : static_cast<std::int64_t>(random >> 44 | 1);
    weights.taps.push_back(tap);
  }
  if (form == Form::dense_real) weights.shift = 20;
  return weights;
}

/// Types that stand for the others of their size. bhalf, int8 and int32 are
/// measured where they may differ.
template <class T>
inline constexpr bool is_first_of_its_size =
    std::is_same_v<T, half_type> || std::is_same_v<T, float> ||
    std::is_same_v<T, double> || std::is_same_v<T, std::uint8_t>;

/// A functor of the caller's is another instance of every kernel, and nvcc
/// takes minutes for a type's.
template <class T, int R>
inline constexpr bool has_policy = R == 2 && is_first_of_its_size<T>;

/// Memory that only grows.
class Growing {
 public:
  template <class T>
  T* get(Exec const& exec, std::size_t count) {
    std::size_t const words =
        (count * sizeof(T) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    if (m_words.extent(0) < words) {
      m_words = decltype(m_words)();
      m_words = decltype(m_words)(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                             "perf::stencil"),
          words);
      exec.fence("perf::stencil");
    }
    return reinterpret_cast<T*>(m_words.data());
  }

 private:
  Kokkos::View<std::uint64_t*, Exec> m_words;
};

/// What a contender works on.
template <class T, int R>
struct StencilWork {
  Exec exec;
  Case c;
  GridShape<R> shape;
  GridOf<T, R> x, y;
  T* between;  // steps of peers
  std::vector<double> values;
  KokkosMMA::StencilWeights<R> weights;
  KokkosMMA::Boundaries<R> boundaries;
  Kokkos::View<plain_sum<T>*, Exec> plain_weights;  // or one factor
  Tiling tiling;
};

template <class T>
struct StoreSum {
  GridOf<T, 2> y;
  template <class Sum>
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                  Sum sum) const {
    y(i, j) = static_cast<T>(sum);
  }
};

template <Reads reads, int fixed, class T, int R>
Call plain_call_of(StencilWork<T, R> const& w) {
  auto const functor = [&w](T* in, T* out) {
    return plain_stencil<reads, fixed, T, R>(in, out, w.shape, w.c.radius,
                                             w.c.conditions, w.plain_weights);
  };
  int const steps = w.c.steps;
  T* const y      = w.y.data();
  T* const first  = steps % 2 == 1 ? y : w.between;
  T* const second = steps % 2 == 1 ? w.between : y;
  return [exec = w.exec, shape = w.shape, tiling = w.tiling, steps,
          start = functor(w.x.data(), first), odd = functor(first, second),
          even = functor(second, first)] {
    for (int step = 0; step < steps; ++step)
      for_each_element<R>(exec, shape, tiling,
                          step == 0       ? start
                          : step % 2 == 1 ? odd
                                          : even);
  };
}

template <Reads reads, class T, int R>
Call plain_call(StencilWork<T, R> const& w) {
  if constexpr (reads != Reads::star) {
    if (w.c.radius == 1) return plain_call_of<reads, 1>(w);
    if (w.c.radius == 3) return plain_call_of<reads, 3>(w);
  }
  return plain_call_of<reads, 0>(w);
}

template <class T, int R>
LibraryStencil library_stencil(StencilWork<T, R> const& w) {
  LibraryStencil s{w.exec, type_name<T>(), w.x.data(), w.y.data(),
                   {},     w.c.radius,     w.values};
  for (int d = 0; d < R; ++d)
    s.extents.push_back(w.shape.extent[GridShape<R>::dimension(R - 1 - d)]);
  if (!first_is_fast || R == 1) return s;
  // The other way round: the last dimension becomes the first.
  std::size_t const width = static_cast<std::size_t>(2 * w.c.radius + 1);
  for (std::size_t at = 0; at < s.weights.size(); ++at) {
    std::size_t turned = 0, rest = at;
    for (int d = 0; d < R; ++d, rest /= width)
      turned = turned * width + rest % width;
    s.weights[turned] = w.values[at];
  }
  return s;
}

template <class T, int R>
Call stencil_call(StencilWork<T, R> const& w) {
  Case const& c = w.c;
  switch (c.contender) {
    case Contender::kokkos:
    case Contender::kokkos_tiled:
      if (c.form == Form::box) return plain_call<Reads::box>(w);
      if (c.form == Form::star) return plain_call<Reads::star>(w);
      return plain_call<Reads::weights>(w);
    case Contender::separable:
#ifdef KOKKOS_ENABLE_CUDA
      if constexpr (R < 3) {
        return [w] {
          separable<T, R>(w.exec, w.x.data(), w.y.data(), w.shape, w.c.radius,
                          w.plain_weights);
        };
      }
#endif
      break;
    case Contender::npp: return npp_box(library_stencil(w));
    case Contender::cudnn: return cudnn_convolution(library_stencil(w));
    case Contender::policy:
      if constexpr (has_policy<T, R>) {
        KokkosMMA::StencilExtents<R> const extents(
            std::to_array(w.shape.extent));
        auto const policy = KokkosMMA::StencilPolicy<Exec, Kokkos::Rank<R>>(
            w.exec, extents, w.x, w.weights, w.boundaries, c.settings());
        return [policy, store = StoreSum<T>{w.y}] {
          Kokkos::parallel_for("perf_stencil", policy, store);
        };
      }
      break;
    case Contender::generic:
    case Contender::stencil:
    case Contender::streamed:
    case Contender::mma:
      return [w, settings = c.settings()] {
        KokkosMMA::stencil(w.exec, w.x, w.y, w.weights, w.boundaries, w.c.steps,
                           settings);
      };
    case Contender::automaton: break;
  }
  throw std::logic_error(std::string("perf: no ") + name_of(c.contender) +
                         " for " + c.what());
}

class StencilTests {
 public:
  explicit StencilTests(Session& session);
  void register_all();

  template <class T, int R>
  void register_stencils();
  void register_automata();

 private:
  bool exists(Contender c) const;

  /// Grids of a dimension: 2^28, 16384^2 and 640^3; on hosts 2^18, 512^2, 64^3.
  template <int R>
  GridShape<R> shape() const {
    // Exact sums of 16 bytes are the largest memory.
    auto const most = static_cast<double>(
        m_session.fitting(std::size_t(1) << (on_cuda ? 28 : 18), 16));
    auto side = static_cast<std::int64_t>(std::pow(most, 1. / R) * (1 + 1e-12));
    std::int64_t const unit = R == 1 ? 1 : R == 2 ? 32 : 16;
    if (side > unit) side -= side % unit;
    GridShape<R> result;
    for (int d = 0; d < R; ++d) result.extent[d] = side;
    return result;
  }

  template <class T, int R>
  void register_case(Case const& c);
  template <class T, int R>
  void run(benchmark::State& state, Case const& c);
  template <class T, int R>
  T* filled(GridShape<R> const& shape, int bits);
  template <class T, int R>
  exact_type<T> const* exact(Case const& c, ExactWeights<R> const& weights,
                             T const* x, GridShape<R> const& in,
                             GridShape<R> const& out, int bits);
  template <class T, int R>
  Tiling const& best_tiling(int radius);
  void run_automaton(benchmark::State& state, Case const& c,
                     RangeRule const& rule);
  template <class Make>
  Tiling const& fastest_tiling(std::string const& key, int rank,
                               Make const& make);
  /// What is reported of \p updates elements, all steps of a call together.
  void report(benchmark::State& state, Case const& c, Samples const& samples,
              double updates, double bytes) {
    perf::report(state, samples, bytes,
                 m_session.copy_ceiling().bytes_per_second());
    state.counters["updates_per_second"] = updates / samples.median();
    state.counters["fused_steps"]        = c.steps;
  }

  Session& m_session;
  Growing m_input, m_between, m_exact[2];
  std::string m_input_key, m_exact_key;
  void const* m_exact_sums = nullptr;
  std::map<std::string, Tiling> m_tilings;
};

/// The tiling with which a call is the fastest, once found.
template <class Make>
Tiling const& StencilTests::fastest_tiling(std::string const& key, int rank,
                                           Make const& make) {
  auto const known = m_tilings.find(key);
  if (known != m_tilings.end()) return known->second;
  Tiling best;
  double fastest = std::numeric_limits<double>::infinity();
  for (Tiling const& tiling : tilings(rank)) {
    Call const call = make(tiling);
    std::size_t k   = 0;
    auto const one  = [&](std::size_t) { call(); };
    m_session.timer.seconds(1, k, one);
    double const seconds = m_session.timer.seconds(2, k, one);
    if (seconds >= fastest) continue;
    fastest = seconds;
    best    = tiling;
  }
  return m_tilings[key] = best;
}

/// Of a box, found with a radius near to that of the case.
template <class T, int R>
Tiling const& StencilTests::best_tiling(int radius) {
  GridShape<R> const grid = shape<R>();
  T* const x              = filled<T, R>(grid, element_bits<T>());
  T* const y     = m_session.results<T>(static_cast<std::size_t>(grid.size()));
  int const near = radius < 3 ? 1 : radius < 7 || R == 3 ? 3 : 7;
  StencilWork<T, R> work{m_session.exec,
                         {Contender::kokkos_tiled, R, Form::box, near},
                         grid,
                         grid_of<T, R>(x, grid),
                         grid_of<T, R>(y, grid),
                         nullptr,
                         {},
                         KokkosMMA::StencilWeights<R>::box(1),
                         {},
                         {},
                         {}};
  return fastest_tiling(std::string(type_name<T>()) + std::to_string(R) + "r" +
                            std::to_string(near),
                        R, [&](Tiling const& tiling) {
                          work.tiling = tiling;
                          return plain_call<Reads::box>(work);
                        });
}

template <class T, int R>
T* StencilTests::filled(GridShape<R> const& shape, int bits) {
  auto const n          = static_cast<std::size_t>(shape.size());
  T* const data         = m_input.get<T>(m_session.exec, n);
  std::string const key = std::string(type_name<T>()) + std::to_string(n) +
                          "b" + std::to_string(bits);
  if (key == m_input_key) return data;
  m_input_key = key;
  Kokkos::parallel_for("perf::fill", IndexRange(m_session.exec, 0, n),
                       FillStencil<T>{data, bits});
  m_session.exec.fence("perf::fill");
  return data;
}

/// Kept until a case has others.
template <class T, int R>
exact_type<T> const* StencilTests::exact(Case const& c,
                                         ExactWeights<R> const& weights,
                                         T const* x, GridShape<R> const& in,
                                         GridShape<R> const& out, int bits) {
  using Exact           = exact_type<T>;
  std::string const key = type_name<T>() + c.what() + out.text();
  if (key != m_exact_key) {
    m_exact_key.clear();
    auto const n       = static_cast<std::size_t>(in.size());
    Exec const& exec   = m_session.exec;
    Exact* const from  = m_exact[0].get<Exact>(exec, n);
    Exact* const other = m_exact[1].get<Exact>(exec, n);
    Kokkos::parallel_for("perf::to_exact", IndexRange(exec, 0, n),
                         ToExact<T>{x, from, std::ldexp(1., bits)});
    m_exact_sums = exact_stencil<Exact, R>(exec, from, other, in, out, weights,
                                           c.conditions, c.steps);
    m_exact_key  = key;
  }
  return static_cast<Exact const*>(m_exact_sums);
}

template <class T, int R>
void StencilTests::register_case(Case const& c) {
  if (!exists(c.contender)) return;
  GridShape<R> const grid = shape<R>();
  if (grid.extent[0] < c.radius) return;
  std::string const type = type_name<T>();
  if (c.contender == Contender::npp && !npp_takes(type, R)) return;
  if (c.contender == Contender::cudnn && !cudnn_takes(type)) return;
  perf::register_case(
      m_session, c.name(type, static_cast<std::size_t>(grid.size())),
      [this, c](benchmark::State& state) { run<T, R>(state, c); });
}

template <class T, int R>
void StencilTests::register_stencils() {
  using enum Contender;
  constexpr bool integers = std::is_integral_v<T>;
  bool const all          = m_session.options.all;
  bool const few          = !on_cuda && !all;
  using Radii             = std::vector<int>;
  using Contenders        = std::vector<Contender>;
  auto const among        = [](int r, Radii const& radii) {
    return std::find(radii.begin(), radii.end(), r) != radii.end();
  };
  auto const add = [this](Contenders const& contenders, Form form, int radius,
                          Conditions conditions = Conditions::constant,
                          int steps             = 1) {
    for (Contender c : contenders)
      register_case<T, R>({c, R, form, radius, conditions, steps});
  };
  constexpr bool first = is_first_of_its_size<T>;
  bool const whole     = all || few || (first && R == 2);
  Radii every;
  for (int r = 1; r <= 16; ++r) every.push_back(r);
  Radii const usual = {1, 2, 3, 5, 7, 11, 16};
  // Kokkos' own code reads 3375 neighbours at radius 7 in 3D.
  Radii const slow  = R == 3 && !all ? Radii{1, 3} : Radii{1, 3, 7};
  Radii const swept = all     ? every
                      : few   ? (R == 3 ? Radii{1} : Radii{1, 7})
                      : first ? usual
                              : Radii{1, 3, 7, 16};
  // Named routes where they are compared with the library's choice.
  auto const with_routes = [&](Contenders list, bool wanted) {
    if (wanted || all) list.insert(list.end(), {streamed, mma});
    return list;
  };
  Contender const plain = R == 1 ? kokkos : kokkos_tiled;

  for (int r : swept) {
    Contenders list;
    if (among(r, slow)) list.push_back(kokkos);
    if (R > 1 && (R == 2 || r <= 7 || all)) list.push_back(kokkos_tiled);
    if (R < 3 && among(r, usual)) list.push_back(separable);
    list.push_back(npp);
    if (among(r, slow)) list.push_back(cudnn);
    if (on_cuda && among(r, slow) && whole) list.push_back(generic);
    list.push_back(stencil);
    if (among(r, slow) && has_policy<T, R>) list.push_back(policy);
    add(with_routes(list, whole && among(r, {1, 3, 7, 16})), Form::box, r);
  }
  for (int r : swept) {
    if (R == 1 || !(first || all || few)) break;
    Contenders list = {stencil};
    if (among(r, slow)) list.insert(list.begin(), kokkos_tiled);
    add(with_routes(list, whole && among(r, slow)), Form::star, r);
  }
  for (int r : swept) {
    // Products that int32 and double hold exactly.
    if (r > (integers ? 5 : R == 3 ? 7 : 11) || !whole) continue;
    Contenders list = {stencil};
    if (R < 3 && among(r, usual)) list.insert(list.begin(), separable);
    add(with_routes(list, among(r, slow)), Form::binomial, r);
  }
  for (int r : swept) {
    if (R == 3 && r > (all ? 7 : 3)) continue;
    Contenders list = {stencil};
    if (among(r, slow)) list = {plain, cudnn, generic, stencil};
    if (whole || among(r, slow))
      add(with_routes(list, whole && among(r, slow)), Form::dense, r);
    if (!integers && among(r, slow) && whole)
      add(with_routes({generic, stencil}, false), Form::dense_real, r);
  }
  for (Conditions conditions :
       {Conditions::periodic, Conditions::reflect, Conditions::mirror,
        Conditions::nearest, Conditions::halo})
    for (int r : few ? Radii{1} : R == 3 && !all ? Radii{1, 3} : Radii{1, 7})
      if (first || all || few)
        add(with_routes({plain, stencil}, false), Form::box, r, conditions);
  for (Form form : {Form::box, Form::mean}) {
    // Sums of 9^8 neighbours are no halves, and integers have no mean.
    if (form == Form::box && sizeof(T) == 2) continue;
    if (form == Form::mean && integers) continue;
    // 32 steps of 3 / 2 each leave the range of halves.
    bool const grows = R == 1 && std::is_same_v<T, half_type>;
    for (int steps : R == 3 || grows ? Radii{8} : Radii{8, 32})
      for (Conditions conditions : {Conditions::constant, Conditions::periodic})
        if (all ||
            (few ? steps == 8 && conditions == Conditions::periodic : first))
          add(with_routes({plain, stencil}, false), form, 1, conditions, steps);
  }
}

template <class T, int R>
void StencilTests::run(benchmark::State& state, Case const& c) {
  Exec const& exec = m_session.exec;
  m_session.copy_ceiling();  // before anything else takes the memory
  GridShape<R> const grid = shape<R>();
  GridShape<R> in         = grid;
  int const ghosts        = c.conditions == Conditions::halo ? c.radius : 0;
  for (int d = 0; d < R; ++d) in.extent[d] += 2 * ghosts;
  auto const n = static_cast<std::size_t>(grid.size());
  // Sums of 32 steps take up 102 of 128 bits beside those of the elements.
  int const bits =
      c.steps > 8 ? std::min(24, element_bits<T>()) : element_bits<T>();
  bool const plain = c.contender == Contender::kokkos ||
                     c.contender == Contender::kokkos_tiled;
  Tiling tiling;
  if (c.contender == Contender::kokkos_tiled)
    tiling = best_tiling<T, R>(c.radius);

  ExactWeights<R> const weights =
      exact_weights<R>(c.form, c.radius, std::is_integral_v<T>);
  T* const x                      = filled<T, R>(in, bits);
  T* const y                      = m_session.results<T>(n);
  exact_type<T> const* const sums = exact<T, R>(c, weights, x, in, grid, bits);

  std::vector<double> const values = weights.values();
  StencilWork<T, R> work{
      exec,
      c,
      grid,
      grid_of<T, R>(x, in),
      grid_of<T, R>(y, grid),
      plain && c.steps > 1 ? m_between.get<T>(exec, n) : nullptr,
      values,
      c.form == Form::box ? KokkosMMA::StencilWeights<R>::box(c.radius)
      : c.form == Form::star
          ? KokkosMMA::StencilWeights<R>::star(c.radius)
          : KokkosMMA::StencilWeights<R>::dense(c.radius, values),
      KokkosMMA::Boundaries<R>::all(boundary_of(c.conditions)),
      {},
      tiling};
  {
    using Sum = plain_sum<T>;
    std::vector<Sum> host;
    auto const add = [&host](double weight) {
      if constexpr (std::is_integral_v<Sum>) {
        host.push_back(static_cast<Sum>(static_cast<std::int64_t>(weight)));
      } else {
        host.push_back(static_cast<Sum>(weight));
      }
    };
    if (c.contender == Contender::separable) {
      for (std::int64_t f : weights.factor)
        add(std::ldexp(static_cast<double>(f), -weights.shift / R));
    } else {
      for (double value : values) add(value);
    }
    work.plain_weights = Kokkos::View<Sum*, Exec>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "perf::weights"),
        host.size());
    copy_bytes(exec, work.plain_weights.data(), host.data(),
               host.size() * sizeof(Sum));
    exec.fence("perf::weights");
  }

  Tolerance tolerance;
  double taps = 1;
  for (int d = 0; d < R; ++d) taps *= 2 * c.radius + 1;
  tolerance.allowed = stencil_tolerance<T>(taps, c.steps);
  tolerance.scale   = std::ldexp(1., -bits - c.steps * weights.shift);
  if (c.contender == Contender::npp) tolerance.divisor = taps;
  // Its transforms of tiles are what it is chosen for; the error is reported.
  if (c.contender == Contender::cudnn) tolerance.allowed *= 64;

  Inspection seen;
  Call call;
  auto const run_once = [&] {
    poison_bytes(exec, y, n * sizeof(T));
    call();
    return inspect_stencil<T>(exec, y, sums, n, tolerance);
  };
  try {
    call = stencil_call<T, R>(work);
    seen = run_once();
  } catch (std::invalid_argument const& refusal) {
    // The same arguments pass without a route: it is the route that does not
    // take them.
    if (!is_forced(c.contender)) throw;
    return report_refusal(state, refusal);
  }
  std::string const route =
      is_ours(c.contender) ? checked_route(Expectation::library) : "";
  if (is_forced(c.contender) && route != name_of(c.contender))
    throw std::runtime_error("route " + std::string(name_of(c.contender)) +
                             " was asked for and route " + route + " ran");
  seen.check(n, "results");
  bool reproducible     = run_once().hash == seen.hash;
  Samples const samples = sample_briefly(
      m_session.timer, m_session.options.samples, [&](std::size_t) { call(); });
  reproducible =
      reproducible &&
      inspect_stencil<T>(exec, y, sums, n, tolerance).hash == seen.hash;

  std::string label = is_ours(c.contender) ? route : name_of(c.contender);
  if (plain)
    label = tiling.empty() ? "kokkos" : "kokkos, tiles " + text_of(tiling);
  double const steps = c.steps;
  report(state, c, samples, steps * static_cast<double>(n),
         steps * static_cast<double>(grid.size() + in.size()) * sizeof(T));
  if (!reproducible && (is_ours(c.contender) || std::is_integral_v<T>))
    throw std::runtime_error("two runs on the same data differ");
  state.counters["reproducible"] = reproducible;
  if constexpr (!std::is_integral_v<T>) {
    state.counters["relative_error"] = seen.error;
  }
  state.SetLabel(label);
}

}  // namespace perf

#endif
