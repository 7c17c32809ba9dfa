// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ERASED_FOR_HPP
#define KOKKOSMMA_ERASED_FOR_HPP

/// \file
/// Intercepted loops without the type of the functor. Their code is compiled
/// once per source, as for reductions
/// (adapters/drop_in/KokkosMMA_ErasedCalls.hpp). The functions are nevertheless
/// templates of ErasedFor, so that a source without a loop instantiates none.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <core/loops/KokkosMMA_RouteFor.hpp>
#include <core/loops/KokkosMMA_SettledLaunch.hpp>
#if !defined(__CUDA_ARCH__)
#include <adapters/drop_in/KokkosMMA_TimedCall.hpp>
#include <adapters/kokkos/KokkosMMA_VerboseLines.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace KokkosMMA::Impl {

struct ErasedFor {
  Kokkos::Cuda const& space;
  void const* closure;  ///< Kokkos' closure
  void (*run_native)(void const* closure);
  void const* (*kernel_of_kokkos)();
  void const* kernel;
  void const* functor;  ///< the kernel's first argument
  /// Functors may use atomics with locks, whose state is per translation unit.
  void (*ensure_locks)();
  std::atomic_flag& reported;
  SettledLaunch& settled;
  ForProblem problem;
};

/// Route of the last intercepted loop of this host thread.
inline Route& last_loop_route_of_this_thread() {
  thread_local Route route = Route::automatic;
  return route;
}

// nvcc parses the host code in the device pass, too. Nothing below names a
// kernel, so declarations are enough there. With reductions, scans and team
// kernels this saves the device compiler 0.4 of 5.2 s for a source without a
// call (CUDA 13.0, 2026-11-26).
#if defined(__CUDA_ARCH__)
template <class Call>
void run_for(Call const& call);
#else

template <class Call>
[[gnu::cold]] void report_loop(Call const& call,
                               RouteDecision const& decision) {
  std::string const label = VerboseLines::seen();
  if (call.reported.test_and_set()) return;
  bool const measured = decision.route == Route::streamed &&
                        call.problem.space.size() >= min_measured_indices;
  std::fprintf(
      stderr, "KokkosMMA: parallel_for %s%sn=%llu %s%s\n", label.c_str(),
      label.empty() ? "" : " ",
      static_cast<unsigned long long>(call.problem.space.size()),
      to_string(decision).c_str(),
      measured ? "; its launches are timed to choose the fastest" : "");
}

/// Arguments of this library's kernel for a launch shape.
struct LoopArguments {
  LoopRange range{};
  LoopBox box{};
  void const* pointers[2];

  template <class Call>
  LoopArguments(Call const& call, LoopShape const& shape, LoopGrid& grid)
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

/// Launches this library's kernel with this shape.
/// \return whether that succeeded; an error is cleared
template <class Call>
bool launch_loop(Call const& call, LoopShape const& shape) {
  LoopGrid grid;
  LoopArguments const arguments(call, shape, grid);
  if (grid.blocks == 0) return false;
  call.ensure_locks();
  Cuda::OwnErrors const errors;
  if (cudaSetDevice(call.space.cuda_device()) != cudaSuccess) return false;
  return Cuda::enqueue_kernel(
             call.space.cuda_stream(), call.kernel,
             {grid.blocks, {grid.threads[0], grid.threads[1], grid.threads[2]}},
             arguments.pointers) == cudaSuccess;
}

/// Runs a loop in one launch, this library's with this shape, or Kokkos'.
/// \return whether it was this library's
template <class Call>
bool run_shape(Call const& call, LoopShape const& shape) {
  bool const ours = shape != kokkos_shape && launch_loop(call, shape);
  if (!ours) call.run_native(call.closure);
  return ours;
}

/// Runs a loop in the fastest launch shape, or in the one to be timed next.
/// \return whether it was this library's
template <class Call>
bool run_measured_loop(Call const& call, SettledLaunch::Loop const& key,
                       int multiprocessors, int max_threads) {
  LoopCandidates const candidates = loop_candidates(
      call.problem.space, key.forced, multiprocessors, max_threads);
  using Times = Cuda::LaunchTimes<>;
  auto& times = Times::instance();
  Times::Loop const loop{key.device_id, call.kernel, key.size_class,
                         key.forced};
  cudaStream_t const stream = call.space.cuda_stream();
  Times::Turn const turn =
      times.begin(loop, candidates.count, stream,
                  call.problem.space.size() < min_large_indices
                      ? small_calls_before_measuring
                      : 0,
                  candidates.first);
  if (turn.has_decided && environment_verbose())
    report_choice("parallel_for", call.problem.space.size(), "", candidates,
                  *turn.chooser);
  LoopShape const shape =
      candidates.count == 0 ? kokkos_shape : candidates[turn.candidate];
  bool const ours = run_shape(call, shape);
  if (ours || shape == kokkos_shape) {
    times.end(loop, turn, stream);
    if (turn.settled) call.settled.keep(key, shape);
  } else {
    times.cannot_run(loop, turn);
  }
  return ours;
}

/// Largest block that the kernel's registers allow; 0 if the kernel cannot be
/// loaded, for example without device memory for its code.
template <class Call>
int max_threads_of(Call const& call) {
  Cuda::OwnErrors const errors;
  try {
    int const device = call.space.cuda_device();
    Cuda::check(cudaSetDevice(device), "cudaSetDevice");
    return Cuda::facts_of_kernel(device, call.kernel, 32, 0).max_threads;
  } catch (std::runtime_error const&) {
    return 0;
  }
}

/// Runs a loop in one launch, by this library or by Kokkos.
template <class Call>
void run_for(Call const& call) {
  Settings const settings  = effective_settings();
  Capability const machine = Cuda::capability(call.space);
  RouteDecision decision;
  if (settings.route != Route::generic)
    decision = decide_wish(settings, [&](Settings const& wish) {
      return route_for(call.problem, machine, wish);
    });
  if (environment_verbose()) report_loop(call, decision);
  std::uint64_t const size = call.problem.space.size();
  bool ours                = decision.route == Route::streamed;
  TimedCall timed;
  if (measures_calls() && timed.begin(call.space, "parallel_for",
                                      &call.reported, size, 0, decision)) {
    call.run_native(call.closure);
    last_loop_route_of_this_thread() = Route::generic;
    return;
  }
  if (ours && size > 0) {
    SettledLaunch::Loop const key{
        call.space.cuda_device(), loop_size_class(call.problem.space),
        settings.route == Route::streamed || call.problem.kokkos_overflows};
    auto const shape = call.settled.find(key);
    if (!shape && !key.forced)
      Cuda::load_kernel(key.device_id, call.kernel_of_kokkos());
    if (shape) {
      ours = run_shape(call, *shape);
    } else if (int const max_threads = max_threads_of(call); max_threads == 0) {
      ours = run_shape(call, kokkos_shape);
    } else if (size < min_measured_indices) {
      LoopShape const small = small_loop_shape(
          call.problem.space, machine.multiprocessors, max_threads);
      ours = run_shape(call, small);
      if (ours) call.settled.keep(key, small);
    } else {
      ours = run_measured_loop(call, key, machine.multiprocessors, max_threads);
    }
  } else if (!ours) {
    call.run_native(call.closure);
  }
  if (decision.route == Route::streamed && !ours)
    timed.ran(Route::generic, "Kokkos' own launch is faster or is being timed");
  last_loop_route_of_this_thread() = ours ? Route::streamed : Route::generic;
}

#endif  // __CUDA_ARCH__

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
