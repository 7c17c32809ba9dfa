// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#include <backends/cuda/runtime/KokkosMMA_ReportChoice.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_TimedCall.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/loops/KokkosMMA_TileWidths.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>
#include <core/routing/KokkosMMA_CallTables.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

namespace KokkosMMA::Impl {

void tile_box(TiledBox const& box) { choose_tiles(box); }

void announce_refused(ReduceProblem const& types) {
  if (!environment_verbose()) return;
  Refusal const refusal = refuse_streamed(types, Capability{true, 90, 1});
  if (refusal) VerboseLines::announce_refusal("parallel_reduce", refusal);
}

namespace {

/// Prints the KOKKOSMMA_VERBOSE line of a call, once per flag `reported`.
void report_route(ErasedCall const& call, char const* pattern,
                  std::uint64_t size, RouteDecision const& decision) {
  std::string const label = VerboseLines::seen();
  if (call.reported.test_and_set()) return;
  std::fprintf(stderr, "KokkosMMA: %s %s%sn=%llu value=%zu bytes %s\n", pattern,
               label.c_str(), label.empty() ? "" : " ",
               static_cast<unsigned long long>(size), call.value_bytes,
               to_string(decision).c_str());
}

Settings settings_of(ErasedCall const& call) {
  return call.plan != nullptr ? call.plan->settings : effective_settings();
}

/// Type in which a call joins its values.
Scalar value_of(ReduceProblem const& problem) { return problem.value; }
Scalar value_of(ScanProblem const& problem) { return problem.accumulator; }

RouteDecision decide(ReduceProblem const& problem, Settings const& settings,
                     Cuda::Device const& device) {
  return route_reduce(problem, device, settings, *device.tuning);
}
RouteDecision decide(ScanProblem const& problem, Settings const& settings,
                     Cuda::Device const& device) {
  return route_scan(problem, device, settings);
}

/// Runs a call with `launch(route, scratch)`, or Kokkos' own code. Without a
/// plan, a route that a scope or the environment requests is used if it can
/// run, so no call fails because of it. Returns the route that ran.
///
/// \param is_exact whether this library's kernel has the level `exact`
template <class Problem, class Launch>
Route run_call(ErasedCall const& call, char const* pattern,
               Problem const& problem, bool result_on_device, bool is_exact,
               Settings const& settings, Launch const& launch) {
  RouteDecision decision;
  if (call.plan != nullptr) {
    decision = call.plan->decision;
  } else {
    decision.asked = settings.route;
    if (settings.route != Route::generic)
      decision = decide(problem, settings, Cuda::device(call.stream.device));
  }
  TimedCall timed;  // includes Kokkos' own code, if that runs
  bool const is_native =
      reports_calls() && measures_calls() &&
      timed.begin(
          call.stream, pattern, &call.reported, problem.size,
          known_bytes(problem), decision,
          call.plan == nullptr && settings.route == scoped_settings().route);
  if (is_native) {
    decision.route = Route::generic;
  } else if (decision.route != Route::generic) {
    Refusal const refusal = with_scratch(
        call.stream, result_on_device, [&](Cuda::StreamScratch const& scratch) {
          launch(decision.route, scratch);
        });
    if (refusal) {
      decision = {Route::generic, decision.asked, refusal, refusal};
      timed.fall_back(refusal);
    }
  }
  observed(decision.route);
  bool const is_generic = decision.route == Route::generic;
  if (settings.reproducibility != Reproducibility::run_to_run &&
      !(is_exact && !is_generic))
    report_level_of(pattern, settings, value_of(problem), decision);
  if (environment_verbose() && !is_native)
    report_route(call, pattern, problem.size, decision);
  if (is_generic) call.run_native(call.closure);
  return decision.route;
}

/// Waits for a result if Kokkos does not. Timed calls wait, too, because
/// Kokkos' own code waits before it returns.
void wait_for_result(ErasedCall const& call,
                     Cuda::StreamScratch const& scratch) {
  if (call.must_wait || (measures_calls() && !call.result_on_device))
    scratch.wait();
}

void launch_streamed_reduce(ErasedReduce const& call,
                            LaunchLayout const& layout,
                            Cuda::KernelFacts const& facts,
                            Cuda::StreamScratch const& scratch) {
  call.ensure_locks();
  LaunchShape shape = layout.streamed_reduce(
      call.tuning, call.places, facts.resident_blocks, Cuda::max_partials);
  bool const is_box        = call.problem.pattern == Pattern::mdrange;
  unsigned const subranges = layout.subranges(call.tuning, is_box, call.places,
                                              shape, facts.resident_blocks);
  CallOrders const orders  = call_orders(call.tuning, is_box, subranges);
  int const measured       = orders_to_measure(orders, call.places, shape);
  // Before a measurement begins: without memory Kokkos' own code runs. The last
  // schedule needs the most.
  Cuda::GridScratch const grid =
      scratch->grid(orders.all[measured - 1].scattered_warps
                        ? Cuda::partials_of_warps(shape.blocks, shape.threads)
                        : shape.blocks * subranges,
                    call.running_bytes);
  scratch.deliver(
      call.result, call.value_bytes, call.result_on_device,
      [&](Cuda::ResultTarget<void> const& target) {
        using Times = Cuda::LaunchTimes;
        auto& times = Times::instance();
        Times::Loop loop{};
        Times::Trial trial;
        if (measured > 1) {
          loop  = {call.stream.device, call.kernel,
                   order_class(call.problem.size, layout.fixed), false};
          trial = times.begin(
              loop, measured, scratch.stream(), 0, 0, true, nullptr,
              keeps_first_if_short(call.tuning, is_box, facts.resident_blocks)
                  ? FirstCandidate::kept_if_short
                  : FirstCandidate::usual);
          if (trial.decided && environment_verbose())
            report_choice("parallel_reduce", call.problem.size, " invocations",
                          orders, *trial.decided);
        }
        Times::OnException const abandon(times, loop, trial);
        CallOrder const order = orders.all[trial.candidate];
        if (order.one_each) shape.blocks *= subranges;
        void const* const arguments[] = {call.arguments[0],
                                         call.arguments[1],
                                         call.arguments[2],
                                         &call.places,
                                         &order,
                                         &grid,
                                         &target};
        Cuda::check_launch(
            Cuda::enqueue_kernel(scratch.stream(), call.kernel,
                                 {shape.blocks, shape.threads, 0,
                                  facts.may_follow && !scratch.captured()},
                                 arguments),
            "streamed_reduce");
        times.end(loop, trial, scratch.stream());
      });
  // The value may arrive before the functor's writes to other host memory.
  wait_for_result(call, scratch);
}

void launch_streamed_scan(ErasedScan const& call, bool on_device,
                          Cuda::StreamScratch const& scratch) {
  unsigned const threads        = call.tuning.threads;
  std::uint64_t const size      = call.problem.size;
  Cuda::KernelFacts const facts = Cuda::facts_of_kernel(
      call.stream.device, call.kernel, threads + 32, call.shared_bytes);
  call.ensure_locks();
  unsigned const rows = streamed_scan_rows(call.tuning, size);
  auto const tiles = unsigned((size + threads * rows - 1) / (threads * rows));
  deliver_total(
      scratch, call.look_back, tiles, call.result, call.value_bytes, on_device,
      [&](Cuda::ResultTarget<void> const& target,
          Cuda::ScanScratch const& scan) {
        void const* const arguments[] = {call.arguments[0],
                                         call.arguments[1],
                                         call.arguments[2],
                                         &size,
                                         &rows,
                                         &tiles,
                                         &scan,
                                         &target};
        Cuda::check_launch(
            Cuda::enqueue_kernel(
                scratch.stream(), call.kernel,
                {scan_blocks(call.stream, tiles, facts.resident_blocks),
                 threads + 32, int(call.shared_bytes)},
                arguments),
            "streamed_scan");
      });
}

void launch_array_reduce(ErasedArrays const& call, LaunchLayout const& layout,
                         Cuda::KernelFacts const& facts,
                         Cuda::StreamScratch const& scratch) {
  call.ensure_locks();
  std::size_t const stride = array_stride(call.value_bytes, call.alignment);
  int const shared =
      Cuda::shared_bytes_of_kernel(call.stream.device, call.kernel);
  ArrayShape const shape =
      layout.fixed ? fixed_array_shape(call.tuning, call.count, stride,
                                       call.problem.size, Cuda::max_partials)
                   : array_reduce_shape(
                         call.tuning, call.count, stride, call.problem.size,
                         layout.multiprocessors, shared,
                         facts.resident_blocks * array_facts_threads,
                         Cuda::max_partials);
  Cuda::GridScratch const grid =
      scratch->grid(shape.launch.blocks, call.value_bytes);
  scratch.deliver(
      call.result, call.value_bytes, call.result_on_device,
      [&](Cuda::ResultTarget<void> const& target) {
        void const* const arguments[] = {call.arguments[0],
                                         call.arguments[1],
                                         call.arguments[2],
                                         &call.problem.size,
                                         &grid,
                                         &target,
                                         &shape.layout};
        Cuda::check_launch(
            Cuda::enqueue_kernel(scratch.stream(), call.kernel,
                                 {shape.launch.blocks, shape.launch.threads,
                                  shape.shared_bytes()},
                                 arguments),
            "array_reduce");
      });
  wait_for_result(call, scratch);
}

/// Largest value of Kokkos' own kernel: values of 32 threads and two more use
/// 48 KB (4.6 to 5.2).
constexpr std::size_t most_bytes_of_kokkos = 48 * 1024 / 34;

/// Whether Kokkos only calls `init`, on the host: for a box without indices. It
/// calls `final` for a range (4.6 to 5.2). Results in managed and pinned memory
/// are on the host and on the device.
bool is_only_init(ErasedCall const& call, ReduceProblem const& problem) {
  return call.plan == nullptr && problem.pattern == Pattern::mdrange &&
         problem.size == 0 && (!call.result_on_device || call.result_on_host);
}

}  // namespace

Route run_reduce(ErasedReduce& call) {
  Settings const settings  = settings_of(call);
  call.problem.intercepted = true;
  Cuda::KernelFacts facts{};
  bool const is_exact = call.use_exact != nullptr &&
                        settings.reproducibility == Reproducibility::exact;
  bool const is_mma = call.plan != nullptr && call.use_mma != nullptr &&
                      call.plan->decision.route == Route::mma;
  // Facts are needed only if the kernel for opaque functors may run.
  if (settings.route == Route::generic || call.result == nullptr ||
      is_only_init(call, call.problem)) {
    call.problem.compiled = false;
  } else if (!is_exact && !is_mma) {
    facts = Cuda::facts_of_kernel(call.stream.device, call.kernel,
                                  call.tuning.threads, 0);
    // Spilled bytes depend on the architecture.
    if (settings.reproducibility == Reproducibility::run_to_run)
      call.problem.local_bytes = facts.local_bytes;
    call.problem.most_spilled = most_spilled(call.tuning);
  }
  return run_call(
      call, "parallel_reduce", call.problem, call.result_on_device, is_exact,
      settings, [&](Route route, Cuda::StreamScratch const& scratch) {
        if (is_exact) {
          call.ensure_locks();
          call.use_exact(call.closure, scratch);
          wait_for_result(call, scratch);
        } else if (call.use_mma != nullptr && route == Route::mma) {
          call.use_mma(call.closure, scratch);
          wait_for_result(call, scratch);
        } else {
          launch_streamed_reduce(
              call, Cuda::launch_layout(call.stream, settings.reproducibility),
              facts, scratch);
        }
      });
}

Route run_arrays(ErasedArrays& call) {
  Settings settings = effective_settings();
  // Kokkos throws for larger values, so KOKKOSMMA_COMPARE must not run it.
  if (settings.route == Route::automatic &&
      call.value_bytes > most_bytes_of_kokkos)
    settings.route = Route::streamed;
  Cuda::KernelFacts facts{};
  auto const ask = [&](void const* kernel) {
    facts = Cuda::facts_of_kernel(call.stream.device, kernel,
                                  array_facts_threads, 0);
    // Spilled bytes depend on the architecture.
    if (settings.reproducibility != Reproducibility::run_to_run)
      facts.local_bytes = 0;
    return facts.local_bytes == 0;
  };
  if (settings.route == Route::generic || call.result == nullptr ||
      is_only_init(call, call.problem)) {
    call.problem.compiled = false;
  } else if (call.kernel_in_registers == nullptr) {
    ask(call.kernel);
  } else {
    // The length of a later call's array may need the other one.
    for (void const* const each : {call.kernel_in_registers, call.kernel})
      Cuda::load_kernel(call.stream.device, each);
    if (call.count <= most_in_registers && ask(call.kernel_in_registers))
      call.kernel = call.kernel_in_registers;
    else
      ask(call.kernel);
  }
  call.problem.local_bytes = facts.local_bytes;
  return run_call(
      call, "parallel_reduce", call.problem, call.result_on_device, false,
      settings, [&](Route, Cuda::StreamScratch const& scratch) {
        launch_array_reduce(
            call, Cuda::launch_layout(call.stream, settings.reproducibility),
            facts, scratch);
      });
}

Route run_scan(ErasedScan& call) {
  if (!call.may_lose_errors &&
      !Cuda::asking_keeps_errors(call.stream.device, call.kernel,
                                 call.shared_bytes)) {
    call.run_native(call.closure);
    return observed(Route::generic);
  }
  bool const on_device    = call.result_on_device || !call.result;
  Settings const settings = settings_of(call);
  return run_call(call, "parallel_scan", call.problem, on_device, false,
                  settings, [&](Route, Cuda::StreamScratch const& scratch) {
                    if (call.scan_tiles != nullptr &&
                        call.scan_tiles(call.closure, scratch))
                      return;
                    launch_streamed_scan(call, on_device, scratch);
                  });
}

}  // namespace KokkosMMA::Impl
