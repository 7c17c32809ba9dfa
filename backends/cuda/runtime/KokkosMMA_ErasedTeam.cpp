// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_ErasedTeam.hpp>
#include <backends/cuda/runtime/KokkosMMA_KeptChoices.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#include <backends/cuda/runtime/KokkosMMA_TimedCall.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/loops/KokkosMMA_CachedLaunch.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/loops/KokkosMMA_RouteTeam.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace KokkosMMA::Impl {
namespace {

void report_team(ErasedTeam const& call, RouteDecision const& decision) {
  std::string const label = VerboseLines::seen();
  if (call.reported.test_and_set()) return;
  std::fprintf(stderr, "KokkosMMA: %s %s%steams=%llu %s%s\n", call.pattern,
               label.c_str(), label.empty() ? "" : " ",
               static_cast<unsigned long long>(call.problem.teams),
               to_string(decision).c_str(),
               decision.route == Route::streamed
                   ? "; its nested reductions are timed with and without "
                     "overlapped invocations"
                   : "");
}

/// Whether a block has registers for both forms. For teams that are too large
/// for its own form, Kokkos throws; the other form usually has launch bounds,
/// with which any team can run. Without them (policies that name
/// LaunchBounds<>, functors of more than 31 KB) it may need more registers than
/// Kokkos' own.
bool fits_both_forms(ErasedTeam const& call) {
  unsigned const threads(call.problem.threads);
  if (threads <= 256) return true;  // registers always suffice: 255 each
  for (NestedLoops const each :
       {NestedLoops::kokkos, NestedLoops::overlapped}) {
    unsigned const most(
        Cuda::max_threads_of_kernel(call.stream.device, call.kernel(each), 0));
    // Kokkos rounds the limit of a reduction down to a power of two.
    if (threads > (std::string_view(call.pattern) == "parallel_reduce"
                       ? std::bit_floor(most)
                       : most))
      return false;
  }
  return true;
}

/// Runs the fastest form, or the one to be measured next.
NestedLoops measured_form(ErasedTeam const& call,
                          CachedLaunch::Loop const& key) {
  constexpr NestedLoops forms[]    = {NestedLoops::kokkos,
                                      NestedLoops::overlapped};
  static std::string const names[] = {"Kokkos", "overlapped"};
  for (NestedLoops const each : forms)
    Cuda::load_kernel(key.device_id, call.kernel(each));
  using Times = Cuda::LaunchTimes;
  auto& times = Times::instance();
  Times::Loop const loop{key.device_id, &call.cached, key.size_class, false};
  cudaStream_t const stream = call.stream.handle;
  std::uint64_t const threads =
      call.problem.teams * std::uint64_t(std::max(call.problem.threads, 32));
  KeptChoices* const kept = KeptChoices::of_call(call.cached.types());
  if (kept)
    times.recall(loop, 2, [&] {
      return kept->recall(kept_loop(call.pattern, call.cached.types(), key),
                          names);
    });
  Times::Trial const trial = times.begin(
      loop, 2, stream,
      threads < min_large_team_threads ? small_calls_before_measuring : 0);
  if (trial.decided && kept)
    kept->keep(kept_loop(call.pattern, call.cached.types(), key),
               names[trial.decided->choice()]);
  NestedLoops const form = forms[trial.candidate];
  Times::OnException const abandon(times, loop, trial);
  call.run(call.closure, form);
  times.end(loop, trial, stream);
  if (trial.is_final)
    call.cached.keep(
        key, form == NestedLoops::kokkos ? kokkos_shape : LoopShape{1, 1, 1});
  return form;
}

}  // namespace

Route run_team(ErasedTeam const& call) {
  Settings const settings = effective_settings();
  RouteDecision decision;
  if (settings.route != Route::generic) decision = route_team(settings.route);
  if (environment_verbose()) report_team(call, decision);
  // Both forms give the same bits, on any device if the caller sets the team
  // size. For a reduction over teams Kokkos' grid depends on the device.
  if (settings.reproducibility != Reproducibility::run_to_run &&
      (call.problem.threads == 0 ||
       std::string_view(call.pattern) == "parallel_reduce"))
    report_level(concatenate("Kokkos::", call.pattern, " over teams").c_str(),
                 settings.reproducibility,
                 {Reproducibility::run_to_run,
                  {"Kokkos chooses the team size or the grid, which depend on "
                   "the device"}});
  TimedCall timed;
  bool const is_native =
      measures_calls() && timed.begin(call.stream, call.pattern, &call.reported,
                                      call.problem.teams, 0, decision);
  NestedLoops form = decision.route == Route::streamed && !is_native
                         ? NestedLoops::overlapped
                         : NestedLoops::kokkos;
  CachedLaunch::Loop const key{call.stream.device,
                               team_size_class(call.problem), false};
  if (form == NestedLoops::overlapped && !call.cached.find(key) &&
      !fits_both_forms(call))
    form = NestedLoops::kokkos;
  if (form == NestedLoops::kokkos || settings.route == Route::streamed ||
      call.problem.teams == 0) {
    call.run(call.closure, form);
  } else if (auto const shape = call.cached.find(key)) {
    if (*shape == kokkos_shape) form = NestedLoops::kokkos;
    call.run(call.closure, form);
  } else {
    form = measured_form(call, key);
  }
  bool const overlapped = form == NestedLoops::overlapped;
  if (decision.route == Route::streamed && !is_native && !overlapped)
    timed.ran(Route::generic,
              "Kokkos' own loops are faster or are being timed");
  return observed(overlapped ? Route::streamed : Route::generic,
                  Observed::team);
}

bool launch_team_reduce(ErasedTeamReduce const& call) {
  // The limit of Kokkos' grid, so that values of teams are joined alike.
  constexpr int most_blocks = 32 * 1024;
  int const shared          = call.shared_bytes;
  if (shared > Cuda::usual_shared_bytes) return false;
  unsigned const threads = call.threads.x * call.threads.y * call.threads.z;
  Cuda::KernelFacts const facts =
      Cuda::facts_of_kernel(call.stream.device, call.kernel, 0, 0);
  // Kokkos' joins inside a block use static shared memory of the kernel.
  if (int(threads) > facts.max_threads ||
      shared > Cuda::usual_shared_bytes - facts.static_shared_bytes)
    return false;
  auto const blocks = unsigned(std::min(call.teams, most_blocks));
  return !with_scratch(
      call.stream, call.result_on_device,
      [&](Cuda::StreamScratch const& scratch) {
        call.ensure_locks();
        Cuda::GridScratch const grid = scratch->grid(blocks, call.value_bytes);
        scratch.deliver(call.result, call.value_bytes, call.result_on_device,
                        [&](Cuda::ResultTarget<void> const& target) {
                          void const* const arguments[] = {
                              call.arguments[0], call.arguments[1],
                              call.arguments[2], &grid, &target};
                          Cuda::check_launch(
                              Cuda::enqueue_kernel(
                                  scratch.stream(), call.kernel,
                                  {blocks, call.threads, shared}, arguments),
                              "team_reduce");
                        });
        if (call.must_wait) scratch.wait();
      });
}

}  // namespace KokkosMMA::Impl
