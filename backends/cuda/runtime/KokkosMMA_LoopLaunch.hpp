// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LOOP_LAUNCH_HPP
#define KOKKOSMMA_LOOP_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/loops/KokkosMMA_RouteFor.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <algorithm>
#include <stdexcept>

/// \file
/// Common part of launches of a loop and of its graph nodes.

namespace KokkosMMA::Impl {

/// Route of a loop.
inline RouteDecision decide_loop(ErasedFor const& call,
                                 Settings const& settings,
                                 Capability const& machine) {
  if (settings.route == Route::generic) return {};
  return decide_requested(settings, [&](Settings const& requested) {
    return route_for(call.problem, machine, requested.route);
  });
}

/// Launches of a loop that may run.
inline LoopCandidates candidates_of(ErasedFor const& call, bool forced,
                                    int multiprocessors, int max_threads) {
  return loop_candidates(call.problem.space, {forced, call.problem.user_tiles,
                                              multiprocessors, max_threads});
}

/// Arguments of this library's kernel for a launch shape.
struct LoopArguments {
  LoopRange range{};
  LoopBox box{};
  void const* pointers[2];

  LoopArguments(ErasedFor const& call, LoopShape const& shape, LoopGrid& grid)
      : pointers{call.functor, &range} {
    LoopSpace const& space = call.problem.space;
    if (space.rank == 1) {
      range = lay_out_range(space, shape, grid);
    } else {
      box         = lay_out_box(space, shape, grid);
      pointers[1] = &box;
    }
  }
  LoopArguments(LoopArguments const&)            = delete;
  LoopArguments& operator=(LoopArguments const&) = delete;
};

/// Largest block that the kernel's registers and the policy's launch bounds
/// allow; 0 if the kernel cannot be
/// loaded, for example without device memory for its code.
inline int max_threads_of(ErasedFor const& call) {
  Cuda::OwnErrors const errors;
  try {
    int const device = call.stream.device;
    Cuda::check(cudaSetDevice(device), "cudaSetDevice");
    int const most =
        Cuda::facts_of_kernel(device, call.kernel, 0, 0).max_threads;
    int const bound = call.problem.max_threads;
    return bound > 0 ? std::min(bound, most) : most;
  } catch (std::runtime_error const&) {
    return 0;
  }
}

}  // namespace KokkosMMA::Impl

#endif
