// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_KeptChoices.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#include <backends/cuda/runtime/KokkosMMA_ReportChoice.hpp>
#include <backends/cuda/runtime/KokkosMMA_TimedCall.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/loops/KokkosMMA_CachedLaunch.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/loops/KokkosMMA_LoopParts.hpp>
#include <core/loops/KokkosMMA_ForProblem.hpp>
#include <core/loops/KokkosMMA_TiledCopyPlan.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <cuda_runtime.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
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

/// Whether the kernel may start before the previous kernel of the stream has
/// ended. Chains of 100 small loops take 4.5 us per loop, 5.0 to 5.2 without
/// (H200, 2026-11-29). Not in captured streams: an application that requests
/// the edges of its graph gets an error if one has such data.
bool may_follow(ErasedFor const& call, bool has_run) {
  int const device = call.stream.device;
  if (!has_run && !call.cached.may_follow(device)) {
    if (!Cuda::facts_of_kernel(device, call.kernel, 0, 0).may_follow)
      return false;
    call.cached.follows(device);
  }
  if (!call.cached.may_follow(device)) return false;
  auto status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(call.stream.handle, &status) == cudaSuccess)
    return status == cudaStreamCaptureStatusNone;
  cudaGetLastError();
  return false;
}

/// Launches this library's kernel with this shape.
/// \param has_run whether it has run before in this shape. Then an error is so
/// unlikely that an older one of the host thread is not looked for first.
/// \return whether that succeeded; an error is cleared
bool launch_loop(ErasedFor const& call, LoopShape const& shape, bool has_run) {
  LoopGrid grid;
  LoopArguments const arguments(call.functor, call.problem.space, shape, grid);
  if (grid.blocks == 0) return false;
  call.ensure_locks();
  std::optional<Cuda::OwnErrors> errors;
  if (!has_run) errors.emplace();
  if (cudaSetDevice(call.stream.device) == cudaSuccess &&
      Cuda::enqueue_kernel(
          call.stream.handle, call.kernel,
          {grid.blocks, grid.threads, 0, may_follow(call, has_run)},
          arguments.pointers) == cudaSuccess)
    return true;
  if (has_run) cudaGetLastError();
  return false;
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
  // Kernels that a later call of this source may need, with other extents and
  // while another kernel runs.
  int const device = call.stream.device;
  if (blocks == 0 || (copy.only_rows && !tiles.is_rows)) {
    Cuda::load_kernel(device, copy.kernel);
    return false;
  }
  // One lookup in later calls: run_for() loads both, too.
  if (Cuda::load_kernel(device, call.kernel_of_kokkos()))
    Cuda::load_kernel(device, call.kernel);
  void const* const arguments[] = {&copy.from, &copy.to, &tiles};
  Cuda::OwnErrors const errors;
  return cudaSetDevice(device) == cudaSuccess &&
         Cuda::enqueue_kernel(call.stream.handle, copy.kernel,
                              {blocks, copy_threads}, arguments) == cudaSuccess;
}

/// Runs a loop in one launch, this library's with this shape, or Kokkos'.
/// \return the shape that ran: Kokkos' if this library's cannot
LoopShape run_shape(ErasedFor const& call, LoopShape const& shape,
                    bool has_run = false) {
  if (shape != kokkos_shape && launch_loop(call, shape, has_run)) return shape;
  call.run_native(call.closure, call.is_part ? &call.problem.space : nullptr);
  return kokkos_shape;
}

/// Runs a loop's first call in parts: each of the most promising candidates
/// runs small ones. Those that are then promising, and the fastest so far, run
/// large ones. The best of all runs the rest.
/// \return the shape that ran the rest
LoopShape run_in_parts(ErasedFor const& call, LoopCandidates const& candidates,
                       LoopParts parts, Cuda::LaunchTimes::Loop const& loop) {
  using Times               = Cuda::LaunchTimes;
  auto& times               = Times::instance();
  cudaStream_t const stream = call.stream.handle;
  ErasedFor part            = call;
  part.is_part              = true;
  auto const run            = [&](LaunchChooser::Candidates some, bool large) {
    for (int round = 0; round < parts_per_candidate; ++round)
      for (int c = 0; c < candidates.count; ++c) {
        if ((some >> c & 1) == 0) continue;
        part.problem.space       = parts.next(candidates[c].fast, large);
        Times::Trial const trial = times.begin_part(
                       loop, c, parts.factor_of(part.problem.space), large, stream);
        Times::OnException const abandon(times, loop, trial);
        if (run_shape(part, candidates[c]) == candidates[c])
          times.end(loop, trial, stream);
        else
          times.cannot_run(loop, trial);
      }
  };
  run(candidates.in_parts, false);
  auto const end      = std::chrono::steady_clock::now() + Times::longest_wait;
  Times::OfParts told = times.choice_by_parts(loop, end);
  if (auto const then = LaunchChooser::Candidates(candidates.then_in_parts &
                                                  told.promising)) {
    run(LaunchChooser::Candidates(then | 1u << told.choice), true);
    // None is promising before all parts have a result.
    Times::OfParts const later = times.choice_by_parts(loop, end);
    if (later.promising != 0) told = later;
  }
  part.problem.space = parts.rest();
  return run_shape(part, candidates[told.choice]);
}

/// Runs a loop in the fastest launch shape, or in the one to be timed next.
/// \return the shape that ran
LoopShape run_measured_loop(ErasedFor const& call,
                            CachedLaunch::Loop const& key) {
  int const max_threads = Cuda::max_threads_of_kernel(
      key.device_id, call.kernel, call.problem.max_threads);
  if (max_threads == 0) return run_shape(call, kokkos_shape);
  LoopCandidates const candidates = loop_candidates(
      call.problem.space, {key.forced, call.problem.user_tiles,
                           Cuda::device(key.device_id).multiprocessors,
                           max_threads, call.problem.functor_bytes});
  if (candidates.count <= 1) {
    LoopShape const only = candidates.count == 0 ? kokkos_shape : candidates[0];
    LoopShape const ran  = run_shape(call, only);
    if (ran == only) call.cached.keep(key, only);
    return ran;
  }
  using Times = Cuda::LaunchTimes;
  auto& times = Times::instance();
  // Copies and fills of other layouts have the same kernel.
  void const* const identity =
      call.copy.element_bytes > 0 ? &call.cached : call.kernel;
  Times::Loop const loop{key.device_id, identity, key.size_class, key.forced};
  cudaStream_t const stream = call.stream.handle;
  // The other candidates of a forced route are not all there.
  KeptChoices* const kept =
      key.forced ? nullptr : KeptChoices::of_call(call.cached.types());
  if (kept)
    times.recall(loop, candidates.count, [&] {
      std::vector<std::string> names;
      for (int c = 0; c < candidates.count; ++c)
        names.push_back(to_string(candidates[c]));
      return kept->recall(kept_loop("parallel_for", call.cached.types(), key),
                          names);
    });
  LoopParts const parts(call.problem.space, std::popcount(candidates.in_parts));
  if (parts.any() &&
      times.opens(loop, candidates.count, stream, candidates.first,
                  candidates.required.data(),
                  call.problem.user_tiles ? FirstCandidate::of_caller
                                          : FirstCandidate::usual))
    return run_in_parts(call, candidates, parts, loop);
  Times::Trial const trial =
      times.begin(loop, candidates.count, stream,
                  call.problem.space.size() < min_large_indices
                      ? small_calls_before_measuring
                      : 0,
                  candidates.first, false, candidates.required.data());
  if (trial.decided && kept)
    kept->keep(kept_loop("parallel_for", call.cached.types(), key),
               to_string(candidates[trial.decided->choice()]));
  if (trial.decided && environment_verbose())
    report_choice("parallel_for", call.problem.space.size(), "", candidates,
                  *trial.decided);
  Times::OnException const abandon(times, loop, trial);
  LoopShape const shape = candidates[trial.candidate];
  LoopShape const ran   = run_shape(call, shape);
  if (ran == shape) {
    times.end(loop, trial, stream);
    if (trial.is_final) call.cached.keep(key, shape);
  } else {
    times.cannot_run(loop, trial);
  }
  return ran;
}

}  // namespace

bool keeps_given_tiles() { return environment_keeps_tiles(); }

Route run_for(ErasedFor const& call) {
  Settings const settings = effective_settings();
  RouteDecision decision;
  if (settings.route != Route::generic)
    decision = route_for(call.problem, settings.route);
  bool runs_own = decision.route == Route::streamed;
  TimedCall timed;
  if (reports_calls()) {
    if (environment_verbose()) report_loop(call, decision);
    if (measures_calls() &&
        timed.begin(call.stream, "parallel_for", &call.reported,
                    call.problem.space.size(), 0, decision))
      runs_own = false;
  }
  bool const is_compared = decision.route == Route::streamed && !runs_own;
  if (!runs_own) {
    call.run_native(call.closure, nullptr);
  } else if (!launch_copy(call) && call.problem.space.size() > 0) {
    CachedLaunch::Loop const key{
        call.stream.device, loop_class(call.problem),
        settings.route == Route::streamed || call.problem.kokkos_is_wrong};
    auto const shape = call.cached.find(key);
    if (!shape && !key.forced)
      Cuda::load_kernel(key.device_id, call.kernel_of_kokkos());
    LoopShape const ran =
        shape ? run_shape(call, *shape, true) : run_measured_loop(call, key);
    runs_own = ran != kokkos_shape;
    timed.stop();
    if (reports_calls()) timed.launched(to_string(ran));
  }
  if (decision.route == Route::streamed && !runs_own && !is_compared)
    timed.ran(Route::generic, "Kokkos' own launch is faster or is being timed");
  return observed(runs_own ? Route::streamed : Route::generic, Observed::loop);
}

}  // namespace KokkosMMA::Impl
