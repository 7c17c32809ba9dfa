// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ERASED_FOR_HPP
#define KOKKOSMMA_ERASED_FOR_HPP

#include <backends/cuda/runtime/KokkosMMA_Stream.hpp>
#include <core/loops/KokkosMMA_LayoutCopy.hpp>
#include <core/loops/KokkosMMA_ForProblem.hpp>
#include <core/loops/KokkosMMA_CachedLaunch.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <atomic>

/// \file
/// Intercepted loops without the type of the functor. Their code is compiled
/// once, in libkokkosmma.

namespace KokkosMMA::Impl {

/// Copy or fill that a loop performs, if it is known to.
struct ErasedCopy : CopiedArrays {
  void const* kernel     = nullptr;  ///< copy_tiles, null if there is none
  bool only_rows         = false;    ///< the kernel copies nothing else
  unsigned element_bytes = 0;        ///< 0: not known to be either
};

struct ErasedFor {
  Cuda::Stream stream;
  void const* closure;  ///< Kokkos' closure
  /// Runs Kokkos' launch over a part of the box, or all of the loop if null.
  void (*run_native)(void const* closure, LoopSpace const* part);
  void const* (*kernel_of_kokkos)();
  void const* kernel;
  void const* functor;  ///< the kernel's first argument
  /// Functors may use atomics with locks, whose state is per translation unit.
  void (*ensure_locks)();
  std::atomic_flag& reported;
  CachedLaunch& cached;
  ForProblem problem;
  ErasedCopy copy{};
  bool is_part = false;  ///< `problem.space` is a part of the closure's box
};

/// Whether loops keep the tiles that the caller gave (KOKKOSMMA_TILES=keep).
bool keeps_given_tiles();

/// Runs a loop, by this library or by Kokkos: in one launch, except for the
/// first call of a large box. Returns the route that ran.
Route run_for(ErasedFor const& call);

/// Adds a node to a CUDA graph that invokes the functor once per index.
/// \return whether it is this library's; if not, the caller adds Kokkos' own
bool add_loop_node(ErasedFor const& call, Cuda::GraphPlace const& place);

}  // namespace KokkosMMA::Impl

#endif
