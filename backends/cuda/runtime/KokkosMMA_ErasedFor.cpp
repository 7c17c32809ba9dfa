// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_KeptChoices.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#include <backends/cuda/runtime/KokkosMMA_LoopLaunch.hpp>
#include <backends/cuda/runtime/KokkosMMA_ReportChoice.hpp>
#include <backends/cuda/runtime/KokkosMMA_TimedCall.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/loops/KokkosMMA_TiledCopyPlan.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace KokkosMMA::Impl {
namespace {

void report_loop(ErasedFor const& call, RouteDecision const& decision) {
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

/// Launches this library's kernel with this shape.
/// \return whether that succeeded; an error is cleared
bool launch_loop(ErasedFor const& call, LoopShape const& shape) {
  LoopGrid grid;
  LoopArguments const arguments(call, shape, grid);
  if (grid.blocks == 0) return false;
  call.ensure_locks();
  Cuda::OwnErrors const errors;
  if (cudaSetDevice(call.stream.device) != cudaSuccess) return false;
  return Cuda::enqueue_kernel(call.stream.handle, call.kernel,
                              {grid.blocks, grid.threads},
                              arguments.pointers) == cudaSuccess;
}

/// Launches a copy in tiles. Returns false if it has none or the launch fails;
/// an error is cleared.
bool launch_copy(ErasedFor const& call) {
  ErasedCopy const& copy = call.copy;
  if (copy.kernel == nullptr) return false;
  TiledCopy tiles;
  unsigned const blocks =
      plan_tiled_copy(copy.layouts, {copy.element_bytes},
                      reinterpret_cast<std::uintptr_t>(copy.from) |
                          reinterpret_cast<std::uintptr_t>(copy.to),
                      tiles);
  if (blocks == 0) {
    // A later call of this source may need it while another kernel runs.
    Cuda::load_kernel(call.stream.device, copy.kernel);
    return false;
  }
  void const* const arguments[] = {&copy.from, &copy.to, &tiles};
  Cuda::OwnErrors const errors;
  return cudaSetDevice(call.stream.device) == cudaSuccess &&
         Cuda::enqueue_kernel(call.stream.handle, copy.kernel,
                              {blocks, copy_threads}, arguments) == cudaSuccess;
}

/// Runs a loop in one launch, this library's with this shape, or Kokkos'.
/// \return whether it was this library's
bool run_shape(ErasedFor const& call, LoopShape const& shape) {
  bool const runs_own = shape != kokkos_shape && launch_loop(call, shape);
  if (!runs_own) call.run_native(call.closure);
  return runs_own;
}

/// Runs a loop in the fastest launch shape, or in the one to be timed next.
/// \return whether it was this library's
bool run_measured_loop(ErasedFor const& call, CachedLaunch::Loop const& key,
                       int multiprocessors, int max_threads) {
  LoopCandidates const candidates =
      candidates_of(call, key.forced, multiprocessors, max_threads);
  if (candidates.count <= 1) {
    LoopShape const only = candidates.count == 0 ? kokkos_shape : candidates[0];
    bool const runs_own  = run_shape(call, only);
    if (runs_own || only == kokkos_shape) call.cached.keep(key, only);
    return runs_own;
  }
  using Times = Cuda::LaunchTimes;
  auto& times = Times::instance();
  Times::Loop const loop{key.device_id, call.kernel, key.size_class,
                         key.forced};
  cudaStream_t const stream = call.stream.handle;
  // The other candidates of a forced route are not all there.
  KeptChoices* const kept =
      key.forced ? nullptr : KeptChoices::of_environment();
  if (kept)
    times.recall(loop, candidates.count, [&] {
      std::vector<std::string> names;
      for (int c = 0; c < candidates.count; ++c)
        names.push_back(to_string(candidates[c]));
      return kept->recall(kept_loop("parallel_for", call.cached.types(), key),
                          names);
    });
  Times::Trial const trial =
      times.begin(loop, candidates.count, stream,
                  call.problem.space.size() < min_large_indices
                      ? small_calls_before_measuring
                      : 0,
                  candidates.first, false, candidates.required.data());
  if (trial.has_decided && kept)
    kept->keep(kept_loop("parallel_for", call.cached.types(), key),
               to_string(candidates[trial.chooser->choice()]));
  if (trial.has_decided && environment_verbose())
    report_choice("parallel_for", call.problem.space.size(), "", candidates,
                  *trial.chooser);
  Times::OnException const abandon(times, loop, trial);
  LoopShape const shape = candidates[trial.candidate];
  bool const runs_own   = run_shape(call, shape);
  if (runs_own || shape == kokkos_shape) {
    times.end(loop, trial, stream);
    if (trial.is_final) call.cached.keep(key, shape);
  } else {
    times.cannot_run(loop, trial);
  }
  return runs_own;
}

}  // namespace

void run_for(ErasedFor const& call) {
  Settings const settings      = effective_settings();
  Capability const machine     = Cuda::capability(call.stream.device);
  RouteDecision const decision = decide_loop(call, settings, machine);
  if (environment_verbose()) report_loop(call, decision);
  std::uint64_t const size = call.problem.space.size();
  bool runs_own            = decision.route == Route::streamed;
  TimedCall timed;
  if (measures_calls() && timed.begin(call.stream, "parallel_for",
                                      &call.reported, size, 0, decision)) {
    call.run_native(call.closure);
    last_loop_route_of_this_thread() = Route::generic;
    return;
  }
  if (runs_own && launch_copy(call)) {
    // in tiles
  } else if (runs_own && size > 0) {
    CachedLaunch::Loop const key{
        call.stream.device, loop_class(call.problem),
        settings.route == Route::streamed || call.problem.kokkos_overflows};
    auto const shape = call.cached.find(key);
    if (!shape && !key.forced)
      Cuda::load_kernel(key.device_id, call.kernel_of_kokkos());
    if (shape) {
      runs_own = run_shape(call, *shape);
    } else if (int const max_threads = max_threads_of(call); max_threads == 0) {
      runs_own = run_shape(call, kokkos_shape);
    } else {
      runs_own =
          run_measured_loop(call, key, machine.multiprocessors, max_threads);
    }
  } else if (!runs_own) {
    call.run_native(call.closure);
  }
  if (decision.route == Route::streamed && !runs_own)
    timed.ran(Route::generic, "Kokkos' own launch is faster or is being timed");
  last_loop_route_of_this_thread() =
      runs_own ? Route::streamed : Route::generic;
}

}  // namespace KokkosMMA::Impl
