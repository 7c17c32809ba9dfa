// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_STENCIL_HPP
#define KOKKOSMMA_PERF_STENCIL_HPP

#include "stencil/Perf_StencilCase.hpp"

/// The cases of perf_stencil. Every type of every rank is an instance in a
/// source of its own.
namespace perf {

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
  Tiling const& best_tiling(Form form, int radius);
  void run_automaton(benchmark::State& state, Case const& c,
                     RangeRule const& rule);
  template <class Make>
  Tiling const& fastest_tiling(std::string const& key, int rank,
                               Make const& make);
  /// Reports \p updates elements, all steps of a call together.
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

/// Of a form, found with a radius near to that of the case.
template <class T, int R>
Tiling const& StencilTests::best_tiling(Form form, int radius) {
  GridShape<R> const grid = shape<R>();
  T* const x              = filled<T, R>(grid, element_bits<T>());
  T* const y     = m_session.results<T>(static_cast<std::size_t>(grid.size()));
  int const near = radius < 3 ? 1 : radius < 7 || R == 3 ? 3 : 7;
  // All forms but these two read weights; which does not matter.
  if (form != Form::box && form != Form::star) form = Form::dense;
  std::size_t count = 1;
  for (int d = 0; d < R; ++d) count *= static_cast<std::size_t>(2 * near + 1);
  StencilWork<T, R> work{
      m_session.exec,
      {Contender::kokkos_tiled, R, form, near},
      grid,
      grid_of<T, R>(x, grid),
      grid_of<T, R>(y, grid),
      nullptr,
      {},
      KokkosMMA::StencilWeights<R>::box(1),
      {},
      Kokkos::View<plain_sum<T>*, Exec>(
          Kokkos::view_alloc(m_session.exec, Kokkos::WithoutInitializing,
                             "perf::weights"),
          count),
      {}};
  return fastest_tiling(std::string(type_name<T>()) + std::to_string(R) +
                            name_of(form) + "r" + std::to_string(near),
                        R, [&](Tiling const& tiling) {
                          work.tiling = tiling;
                          return stencil_call<T, R>(work);
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
  Radii stars = swept;
  if (R == 3 && !all && !few) stars.insert(stars.end(), {4, 8});
  for (int r : stars) {
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
  // Schemes of finite differences, whose weights are no outer product.
  for (Form form : {Form::star_mean, Form::dense_mean})
    for (Conditions conditions :
         {Conditions::constant, Conditions::periodic, Conditions::reflect})
      if ((R == 2 || (R == 3 && form == Form::star_mean)) && !integers &&
          (first || all))
        add(with_routes({plain, stencil}, false), form, 1, conditions,
            few      ? 4
            : R == 3 ? 8
                     : 24);
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
    tiling = best_tiling<T, R>(c.form, c.radius);

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

  // A route may refuse the call when it is made, too.
  Call call;
  auto const found = checked_outcome(
      m_session, state, is_ours(c.contender),
      is_forced(c.contender) ? name_of(c.contender) : "", n, [&] { call(); },
      [&] {
        if (!call) call = stencil_call<T, R>(work);
        poison_bytes(exec, y, n * sizeof(T));
      },
      [&] { return inspect_stencil<T>(exec, y, sums, n, tolerance); });
  if (!found) return;

  std::string label =
      is_ours(c.contender) ? found->route : name_of(c.contender);
  if (plain)
    label = tiling.empty() ? "kokkos" : "kokkos, tiles " + text_of(tiling);
  double const steps = c.steps;
  report(state, c, found->samples, steps * static_cast<double>(n),
         steps * static_cast<double>(grid.size() + in.size()) * sizeof(T));
  if (!found->reproducible && (is_ours(c.contender) || std::is_integral_v<T>))
    throw std::runtime_error("two runs on the same data differ");
  state.counters["reproducible"] = found->reproducible;
  if constexpr (!std::is_integral_v<T>) {
    state.counters["relative_error"] = found->seen.error;
  }
  state.SetLabel(label);
}

}  // namespace perf

#endif
