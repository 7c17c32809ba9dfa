// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_STENCIL_HPP
#define KOKKOSMMA_ROUTE_STENCIL_HPP

#include <core/KokkosMMA_Capability.hpp>
#include <core/KokkosMMA_Problem.hpp>
#include <core/KokkosMMA_RouteDecision.hpp>
#include <core/KokkosMMA_Settings.hpp>

namespace KokkosMMA {

/// The first reason for which no kernel of the library takes a stencil, or
/// none.
constexpr Refusal refuse_stencil(StencilProblem const& problem,
                                 Capability const& capability) {
  if (!capability.cuda)
    return {"the execution space is not Cuda", "DESIGN section 4"};
  if (problem.input == Scalar::opaque || problem.accumulator == Scalar::opaque)
    return {"the element type is none that kernels know",
            "core/KokkosMMA_Scalar.hpp"};
  return {"no kernel of the library runs stencils",
          "core/KokkosMMA_RouteStencil.hpp"};
}

/// Route of a stencil: `mma` is band products on tensor cores, `streamed` the
/// library's kernels without them, `generic` plain Kokkos. Automatic choice
/// never fails. With a forced route, `route` is that route and the caller
/// checks the refusal.
constexpr RouteDecision route_stencil(StencilProblem const& problem,
                                      Capability const& capability,
                                      Settings const& settings) {
  RouteDecision decision;
  decision.mma      = refuse_stencil(problem, capability);
  decision.streamed = decision.mma;
  if (settings.route != Route::automatic)
    decision.route = settings.route;
  else if (!decision.mma)
    decision.route = Route::mma;
  return decision;
}

}  // namespace KokkosMMA

#endif
