// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_FOR_HPP
#define KOKKOSMMA_ROUTE_FOR_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/loops/KokkosMMA_ForProblem.hpp>
#include <core/loops/KokkosMMA_LoopShape.hpp>
#include <core/routing/KokkosMMA_RouteByRefusals.hpp>

namespace KokkosMMA::Impl {

/// Class of loops of one kernel that use the same choice, below 2^24.
constexpr unsigned loop_class(ForProblem const& problem) {
  constexpr unsigned size_classes = 1u << 13;
  static_assert(64 * 65 + 64 < size_classes);
  return problem.tiles * size_classes + loop_size_class(problem.space);
}

/// Why the route `mma` cannot run a loop; it never can.
constexpr Refusal refuse_mma(ForProblem const&, Capability const&) {
  return {"a loop computes no sums"};
}

/// Route of a loop. Automatic choice never fails. With a forced route, `route`
/// is that route and the caller checks whether it can run.
constexpr RouteDecision route_for(ForProblem const& problem,
                                  Capability const& capability,
                                  Route asked = Route::automatic) {
  return route_by_refusals(asked, refuse_mma(problem, capability),
                           refuse_streamed(problem, capability), {});
}

}  // namespace KokkosMMA::Impl

#endif
