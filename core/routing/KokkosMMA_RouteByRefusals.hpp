// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_BY_REFUSALS_HPP
#define KOKKOSMMA_ROUTE_BY_REFUSALS_HPP

#include <core/routing/KokkosMMA_Refusal.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

/// \file
/// The choice of a route by the reasons against each.

namespace KokkosMMA::Impl {

// Reasons that several operations share.
inline constexpr Refusal no_tensor_cores{
    "the device has no usable tensor cores (compute capability below 8.0)",
    "PTX ISA, mma target notes"};
inline constexpr Refusal no_async_copy{
    "the device cannot copy to shared memory asynchronously (compute "
    "capability below 8.0)",
    "PTX ISA, cp.async"};
inline constexpr Refusal opaque_functor{
    "the functor is opaque: the library cannot see its data"};
inline constexpr Refusal no_encoding{
    "tensor cores do not support this element type"};

/// Route of a call and the reasons against the faster ones.
struct RouteDecision {
  Route route = Route::generic;  ///< the route of the call
  /// Route requested by a scope or the environment, or `automatic`.
  Route asked = Route::automatic;
  Refusal mma;       ///< empty when the route is mma
  Refusal streamed;  ///< empty when the route is mma or streamed
};

/// Why the chosen route cannot run. Empty unless the route was forced.
constexpr Refusal refusal_of(RouteDecision const& decision) {
  return decision.route == Route::mma        ? decision.mma
         : decision.route == Route::streamed ? decision.streamed
                                             : Refusal{};
}

/// Decides from the reasons against each route. `asked` is a forced route or
/// `automatic`, which always finds a route.
/// \param preference why `auto` prefers streamed although mma can run, or none.
/// It applies only if streamed can run and mma is not forced
constexpr RouteDecision route_by_refusals(Route asked, Refusal const& mma,
                                          Refusal const& streamed,
                                          Refusal const& preference) {
  RouteDecision decision;
  decision.mma      = mma;
  decision.streamed = streamed;
  if (asked != Route::automatic) {
    decision.route = asked;
    return decision;
  }
  if (!mma && !streamed) decision.mma = preference;
  if (!decision.mma)
    decision.route = Route::mma;
  else if (!streamed)
    decision.route = Route::streamed;
  return decision;
}

/// Decides for a call that sets no route. A route of a scope or the environment
/// is used if it can run; otherwise `auto` decides.
/// \param decide route function, as a callable of the requested route
template <class Decide>
constexpr RouteDecision decide_requested(Route asked, Decide const& decide) {
  // One use of `decide`, so that it is compiled once.
  RouteDecision decision;
  for (Route requested = asked;; requested = Route::automatic) {
    decision = decide(requested);
    if (!refusal_of(decision) || requested == Route::automatic) break;
  }
  decision.asked = asked;
  return decision;
}

}  // namespace KokkosMMA::Impl

#endif
