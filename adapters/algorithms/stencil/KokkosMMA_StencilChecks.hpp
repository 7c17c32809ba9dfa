// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_CHECKS_HPP
#define KOKKOSMMA_STENCIL_CHECKS_HPP

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/kokkos/KokkosMMA_AccumulatorTypes.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <backends/generic/KokkosMMA_StencilGeneric.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// Default accumulator type of a stencil. Integer sums use the wider of both
/// element types, at least int32. Floating-point sums use float, or double if
/// an element type is double or the input is integers of 4 bytes or more.
template <class In, class Out>
struct StencilAccumulator {
  static constexpr bool floating =
      is_floating(scalar_v<In>) || is_floating(scalar_v<Out>);
  static constexpr bool wide = scalar_v<In> == Scalar::float64 ||
                               scalar_v<Out> == Scalar::float64 ||
                               (!is_floating(scalar_v<In>) && sizeof(In) > 2);
  using Integer = std::conditional_t<(sizeof(In) >= sizeof(Out)), In, Out>;
  using type    = std::conditional_t<
      floating, std::conditional_t<wide, double, float>,
      std::conditional_t<sizeof(Integer) < 4, std::int32_t, Integer>>;
};
template <class Accumulator, class In, class Out>
using stencil_accumulator_t =
    canonical_t<std::conditional_t<std::is_void_v<Accumulator>,
                                   typename StencilAccumulator<In, Out>::type,
                                   std::remove_cv_t<Accumulator>>>;

/// Checks that a View has the extents of the grid and its ghost cells, and that
/// the radius does not exceed the grid.
template <class X, int R>
void check_stencil_extents(char const* who, char const* name, X const& x,
                           GridExtents<R> const& extents,
                           GridRadius<R> const& radius,
                           Boundaries<R> const& boundaries) {
  boundaries.check(who);
  bool empty = false;
  for (int d = 0; d < R; ++d) {
    std::int64_t const extent = extents[d];
    if (extent < 0)
      invalid_argument(who, name, " \"", x.label(), "\" of ",
                       describe_extents(x), " has fewer elements in dimension ",
                       d,
                       " than ghost cells: the extents of the grid would be ",
                       shape_of(extents), "; extents must be 0 or more");
    empty          = empty || extent == 0;
    int const low  = boundaries.ghosts_low(d, radius[d]);
    int const high = boundaries.ghosts_high(d, radius[d]);
    if (std::int64_t(x.extent(d)) != extent + low + high)
      invalid_argument(who, name, " \"", x.label(), "\" of ",
                       describe_extents(x), " has extent ", x.extent(d),
                       " in dimension ", d, "; the grid of ", shape_of(extents),
                       " has ", extent, " elements there, ", low,
                       " ghost cells below and ", high, " above: make it ",
                       extent + low + high);
  }
  if (empty) return;
  for (int d = 0; d < R; ++d)
    if (radius[d] > extents[d])
      invalid_argument(who, "the radius ", radius[d], " is larger than the ",
                       extents[d], " elements of dimension ", d,
                       "; use a larger grid or a smaller radius");
  check_memory(who, name, x);
}

template <int R>
void refuse_halo(char const* who, Boundaries<R> const& boundaries,
                 char const* what) {
  for (int d = 0; d < R; ++d)
    for (BoundaryCondition const& condition :
         {boundaries.low[d], boundaries.high[d]})
      if (condition.kind == Boundary::halo)
        invalid_argument(who, "a boundary of dimension ", d, " is a halo, and ",
                         what);
}

/// Whether T holds the value; a floating-point T holds any, rounded.
template <class T>
bool is_value_of(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value == 0 || value == 1;
  } else if constexpr (std::is_integral_v<T>) {
    return value == std::trunc(value) &&
           value >= double(std::numeric_limits<T>::lowest()) &&
           // max() of 64 bits is not a double, max() + 1 is
           value < std::ldexp(1, std::numeric_limits<T>::digits);
  } else {
    return true;
  }
}

/// Boundaries with constants rounded to the element type of the View.
template <class Element, int R>
Boundaries<R> as_elements(char const* who, Boundaries<R> boundaries) {
  for (int d = 0; d < R; ++d)
    for (BoundaryCondition* const condition :
         {&boundaries.low[d], &boundaries.high[d]}) {
      if (condition->kind != Boundary::constant) continue;
      if (!is_value_of<Element>(condition->value))
        invalid_argument(who, "the boundary value ", condition->value,
                         " of dimension ", d, " is not representable as ",
                         to_string(scalar_v<Element>),
                         "; use one that the elements can hold");
      if constexpr (is_floating(scalar_v<Element>)) {
        condition->value = double(static_cast<Element>(condition->value));
      }
    }
  return boundaries;
}

/// Rejects weights that integer sums cannot hold. In unsigned sums negative
/// weights wrap.
template <class A, int R>
void check_weights(char const* who, StencilWeights<R> const& weights) {
  if constexpr (std::is_integral_v<A>) {
    using Signed = std::make_signed_t<A>;
    for (std::size_t at = 0; at < weights.size(); ++at) {
      double const weight = weights.values()[at];
      if (is_value_of<A>(weight) || is_value_of<Signed>(weight)) continue;
      auto const offset = weights.offsets(at);
      std::string place = concatenate(offset[0]);
      for (int d = 1; d < R; ++d) place += concatenate(", ", offset[d]);
      invalid_argument(who, "the weight of offset (", place, ") is ", weight,
                       ", and the accumulator has type ",
                       to_string(scalar_v<A>),
                       "; use weights that this type can hold, or float or "
                       "double as the accumulator");
    }
  }
}

/// Rejects Views that a stencil cannot write, or that share memory.
template <class X, class Y>
void check_stencil_memory(char const* who, X const& in, Y const& out) {
  check_memory(who, "out", out);
  check_distinct(who, "out", out);
  check_apart(who, "in", in, "out", out,
              "a stencil reads neighbours of what it writes: pass Views that "
              "share no memory");
}

/// Rejects wrong arguments of a stencil from View to View before any launch or
/// write.
///
/// \tparam A type of the sums
/// \param of_in boundaries of the View `in`: those of the grid or of a block of
/// it
template <class A, class X, class Y, int R>
void check_stencil_call(char const* who, X const& in, Y const& out,
                        StencilWeights<R> const& weights,
                        Boundaries<R> const& boundaries,
                        Boundaries<R> const& of_in, std::int64_t steps) {
  using Element = typename X::non_const_value_type;
  using Result  = typename Y::non_const_value_type;
  if (steps < 1)
    invalid_argument(who, "steps is ", steps, "; it must be 1 or more");
  boundaries.check(who);
  check_stencil_extents(who, "in", in, extents_of(out), weights.radius(),
                        of_in);
  if (steps > 1) {
    refuse_halo(
        who, boundaries,
        "the caller fills its ghost cells before each step; set steps to 1");
    if (!accumulator_holds<Result, A>())
      invalid_argument(who, "steps is ", steps, ", and sums in ",
                       to_string(scalar_v<A>), " cannot hold the ",
                       to_string(scalar_v<Result>),
                       " that a step writes and the next one reads; choose "
                       "another accumulator or set steps to 1");
    as_elements<Result>(who, boundaries);
  }
  as_elements<Element>(who, boundaries);
  check_weights<A>(who, weights);
  check_stencil_memory(who, in, out);
}

}  // namespace Impl
}  // namespace KokkosMMA

/// Checks the types of every stencil. A macro, because a static_assert needs a
/// literal, which starts with the public name.
#define KOKKOSMMA_IMPL_CHECK_STENCIL(NAME, EXEC, X, ACCUMULATOR)              \
  KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE(NAME, EXEC);                           \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, X, "what is read");              \
  static_assert(KokkosMMA::Impl::is_plain_source<X>, NAME                     \
                ": the Views must give plain references to their elements; "  \
                "Views with atomic access are not supported");                \
  static_assert(                                                              \
      KokkosMMA::Impl::is_scan_type<typename X::non_const_value_type>, NAME   \
      ": elements must be half_t, bhalf_t, float, double, bool or integers"); \
  static_assert(                                                              \
      KokkosMMA::Impl::accumulator_holds<typename X::non_const_value_type,    \
                                         ACCUMULATOR>(),                      \
      NAME                                                                    \
      ": the accumulator cannot hold the elements; floating-point "           \
      "elements need float or double that are no narrower, integers an "      \
      "integer that is no narrower, double, or for 2 bytes float")

#define KOKKOSMMA_IMPL_CHECK_STENCIL_VIEWS(NAME, EXEC, X, Y, ACCUMULATOR)     \
  static_assert(KokkosMMA::Impl::rank_of<X> == KokkosMMA::Impl::rank_of<Y>,   \
                NAME ": in and out must have the same rank");                 \
  static_assert(!std::is_const_v<typename Y::value_type>,                     \
                NAME ": out is written, so its elements must not be const");  \
  KOKKOSMMA_IMPL_CHECK_STENCIL(NAME, EXEC, X, ACCUMULATOR);                   \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, Y, "out");                       \
  static_assert(KokkosMMA::Impl::is_plain_memory<Y>,                          \
                NAME ": out must give plain references to its elements");     \
  static_assert(KokkosMMA::Impl::may_write<X, Y, ACCUMULATOR>(), NAME         \
                ": out must be a View of half_t, bhalf_t, float, double or, " \
                "for integer sums, integers other than bool that are no "     \
                "narrower than those of in")

#endif
