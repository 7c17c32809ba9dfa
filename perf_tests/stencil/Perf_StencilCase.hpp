// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_STENCIL_CASE_HPP
#define KOKKOSMMA_PERF_STENCIL_CASE_HPP

#include "stencil/Perf_StencilLibraries.hpp"
#include "stencil/Perf_StencilPeers.hpp"
#include "support/Perf_Program.hpp"

/// What a case of perf_stencil is, and the call of its contender.
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
enum class Form {
  box,
  mean,
  star,
  star_mean,
  binomial,
  dense,
  dense_mean,
  dense_real,
  automaton
};

constexpr char const* name_of(Contender c) {
  constexpr char const* names[] = {
      "kokkos",  "kokkos_tiled", "separable", "npp", "cudnn",    "generic",
      "stencil", "policy",       "streamed",  "mma", "automaton"};
  return names[static_cast<int>(c)];
}
constexpr char const* name_of(Form f) {
  constexpr char const* names[] = {"box",        "mean",       "star",
                                   "star_mean",  "binomial",   "dense",
                                   "dense_mean", "dense_real", "automaton"};
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
  // Steps neither grow nor fade: these weights have one as their sum.
  bool const star   = form == Form::star || form == Form::star_mean;
  bool const mean   = form == Form::star_mean || form == Form::dense_mean;
  std::size_t count = 1;
  for (int d = 0; d < R; ++d) count *= static_cast<std::size_t>(width);
  if (mean) weights.shift = star ? 3 : R == 2 ? 4 : 5;
  for (std::size_t at = 0; at < count; ++at) {
    ExactTap<R> tap{};
    int away         = 0;
    std::size_t rest = at;
    for (int d = R - 1; d >= 0; --d, rest /= static_cast<std::size_t>(width)) {
      tap.offset[d] =
          static_cast<int>(rest % static_cast<std::size_t>(width)) - radius;
      away += tap.offset[d] != 0;
    }
    if (star && away > 1) continue;
    std::uint64_t const random = mix(at + 1000);
    std::int64_t const centre  = (std::int64_t(1) << weights.shift) -
                                (star ? 2 * R : static_cast<int>(count) - 1);
    tap.weight = mean   ? (away == 0 ? centre : 1)
                 : star ? 1
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
  if (w.c.radius == 1) return plain_call_of<reads, 1>(w);
  if (w.c.radius == 3) return plain_call_of<reads, 3>(w);
  // 15^3 reads are too many to unroll.
  if constexpr (R < 3 || reads == Reads::star) {
    if (w.c.radius == 7) return plain_call_of<reads, 7>(w);
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
        auto const policy = KokkosMMA::StencilPolicy(
            w.exec, w.x, w.weights, w.boundaries, c.settings());
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

}  // namespace perf

#endif
