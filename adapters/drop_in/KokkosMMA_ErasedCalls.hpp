// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ERASED_CALLS_HPP
#define KOKKOSMMA_ERASED_CALLS_HPP

/// \file
/// Intercepted calls without the types of functor and value. Their code, from
/// the choice of the route to the launch, is compiled once per source, not once
/// per call: with a template per call the host compiler took 1.5 times as long
/// for a source of ten reductions. The functions are nevertheless templates of
/// ErasedReduce and ErasedScan, so that a source without a call instantiates
/// none.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchLayout.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>
#if !defined(__CUDA_ARCH__)
#include <adapters/drop_in/KokkosMMA_TimedCall.hpp>
#include <adapters/kokkos/KokkosMMA_ToolsTuning.hpp>
#include <adapters/kokkos/KokkosMMA_VerboseLines.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Common part of reductions and scans.
struct ErasedCall {
  Kokkos::Cuda const& space;
  void const* closure;  ///< argument of the pointers to functions
  void const* kernel;   ///< for an opaque functor
  /// Functor, reducer and first index: the kernel's first arguments.
  void const* arguments[3];
  void* result;  ///< null: not requested
  bool result_on_device;
  std::size_t value_bytes;
  /// Functors may use atomics with locks, whose state is per translation unit.
  void (*ensure_locks)();
  std::atomic_flag& reported;  ///< shared by all calls of this type
  bool must_wait = false;  ///< for the result; see KokkosMMA_ReduceClosure.hpp
  bool is_exact  = false;  ///< if this library's kernel runs
#if !defined(__CUDA_ARCH__)
  /// Times the call until destruction, including Kokkos' code if that runs.
  TimedCall timed{};
#endif
};

struct ErasedReduce : ErasedCall {
  ReduceProblem problem;
  StreamedTuning tuning;
  std::size_t running_bytes;  ///< size of a block's partial result
  /// Reduces visible data on the tensor cores; null if no kernel exists.
  void (*use_mma)(void const* closure, Cuda::StreamScratch const&,
                  Settings const&);
  /// Sums the contributions exactly; null if no kernel is compiled.
  void (*use_exact)(void const* closure, Cuda::StreamScratch const&) = nullptr;
  /// Elements that the kernel iterates over: indices of a range, or all
  /// elements of the tiles of a box, those outside it included.
  std::uint64_t places = 0;

  CallOrders orders() const {
    return call_orders(tuning, problem.pattern == Pattern::mdrange);
  }
};

struct ErasedScan : ErasedCall {
  ScanProblem problem;
  StreamedScanTuning tuning;
  std::size_t shared_bytes;
  std::uint64_t (*look_back_words)(std::uint64_t tiles);
  /// Scans visible data in tiles; returns false if it cannot. Null if no kernel
  /// exists.
  bool (*scan_tiles)(void const* closure, Cuda::StreamScratch const&, Route);
};

/// Number of blocks of a scan; they fetch tiles until none is left.
inline unsigned scan_blocks(Kokkos::Cuda const& space, unsigned tiles,
                            int resident_blocks) {
  int const processors = Cuda::device(space.cuda_device()).multiprocessors;
  return std::min(tiles, unsigned(processors) * unsigned(resident_blocks));
}

/// Calls launch(target, scan) with `words` of scratch and delivers the total.
/// The last tile's total may arrive before the final invocations of other
/// tiles. So a call with a total on the host waits for the kernel, also if the
/// total is a View, for which Kokkos itself does not wait.
template <class Launch>
void deliver_total(Cuda::StreamScratch const& scratch, std::uint64_t words,
                   void* result, std::size_t bytes, bool on_device,
                   Launch const& launch) {
  Cuda::ScanScratch const scan = scratch->scan(words);
  scratch.deliver(
      result, bytes, on_device,
      [&](Cuda::ResultTarget<void> const& target) { launch(target, scan); });
  if (!on_device) scratch.wait();
}

/// Runs `launch(scratch)`, or returns why Kokkos' own code must handle the
/// call: the device has no memory for scratch, or the stream is captured and
/// the host would wait for the result.
template <class Launch>
Refusal with_scratch(Kokkos::Cuda const& space, bool result_on_device,
                     Launch const& launch) {
  try {
    Cuda::StreamScratch const scratch(space);
    if (scratch.captured() && !result_on_device)
      return {"the stream is captured and the result goes to the host",
              "a captured kernel has not run when the call returns"};
    launch(scratch);
    return {};
  } catch (std::bad_alloc const&) {
    return {"the device has no memory left for scratch"};
  }
}

/// Warns once that a call does not have the requested level: the results of
/// Kokkos' own code depend on the device, and an opaque functor may do anything
/// with its value.
[[gnu::cold]] inline void report_level_of(char const* pattern,
                                          Settings const& settings,
                                          Scalar value,
                                          RouteDecision const& decision) {
  if (is_exact_in_any_order(value)) return;
  OfferedLevel offered{
      Reproducibility::device_independent,
      {"the library cannot see whether a functor only adds to its value; "
       "compile the source with KOKKOSMMA_EXACT_FUNCTORS to state it"}};
  if (decision.route == Route::generic) {
    offered.level   = Reproducibility::run_to_run;
    offered.refusal = decision.streamed;
    if (!offered.refusal)
      offered.refusal = {"the route generic runs Kokkos' own code"};
  }
  if (settings.reproducibility > offered.level)
    report_level(pattern, settings.reproducibility, offered);
}

// Declarations, as in adapters/drop_in/KokkosMMA_ErasedFor.hpp.
#if defined(__CUDA_ARCH__)
template <class Call>
bool run_reduce(Call& call);
template <class Call>
bool run_scan(Call& call);
#else

/// Prints the KOKKOSMMA_VERBOSE line of a call, once per flag `reported`.
[[gnu::cold]] inline void report_route(ErasedCall const& call,
                                       char const* pattern, std::uint64_t size,
                                       RouteDecision const& decision) {
  std::string const label = VerboseLines::seen();
  if (call.reported.test_and_set()) return;
  std::fprintf(stderr, "KokkosMMA: %s %s%sn=%llu value=%zu bytes %s\n", pattern,
               label.c_str(), label.empty() ? "" : " ",
               static_cast<unsigned long long>(size), call.value_bytes,
               to_string(decision).c_str());
}

/// Type in which a call joins its values.
inline Scalar value_of(ReduceProblem const& problem) { return problem.value; }
inline Scalar value_of(ScanProblem const& problem) {
  return problem.accumulator;
}

/// Chooses a route with `choose(problem, capability, wish, tuning)` and runs it
/// with `launch(route, scratch)`. A route that a scope or the environment
/// requests is used if it can run: no call fails because of it.
/// \return whether this library's kernel runs; if not, the caller runs Kokkos'
/// own code while `call` lives
template <class Problem, class Choose, class Launch>
bool run_call(ErasedCall& call, char const* pattern, Problem const& problem,
              bool result_on_device, Settings const& settings,
              Choose const& choose, Launch const& launch) {
  static_cast<void>(&listens_before_main<std::void_t<Problem> >);
  Capability const machine  = Cuda::capability(call.space);
  TuningTable const& tuning = Cuda::tuning(call.space);
  RouteDecision decision;
  decision.asked = settings.route;
  if (settings.route != Route::generic)
    decision = decide_wish(settings, [&](Settings const& wish) {
      return choose(problem, machine, wish, tuning);
    });
  RouteOfCall const chosen(problem, machine, settings, decision);
  decision.route = chosen.route();
  bool const turn_of_kokkos =
      measures_calls() &&
      call.timed.begin(call.space, pattern, &call.reported, problem.size,
                       known_bytes(problem), decision);
  if (turn_of_kokkos) {
    decision.route = Route::generic;
  } else if (decision.route != Route::generic) {
    Refusal const refusal = with_scratch(
        call.space, result_on_device, [&](Cuda::StreamScratch const& scratch) {
          launch(decision.route, scratch);
        });
    if (refusal) {
      decision = {Route::generic, decision.asked, refusal, refusal};
      call.timed.fall_back(refusal);
    }
  }
  last_route_of_this_thread() = decision.route;
  bool const is_exact = call.is_exact && decision.route != Route::generic;
  if (settings.reproducibility != Reproducibility::run_to_run && !is_exact)
    report_level_of(pattern, settings, value_of(problem), decision);
  if (environment_verbose() && !turn_of_kokkos)
    report_route(call, pattern, problem.size, decision);
  return decision.route != Route::generic;
}

/// Waits for a result if Kokkos does not. Timed calls wait, too, because
/// Kokkos' own code waits before it returns.
inline void wait_for_result(ErasedCall const& call,
                            Cuda::StreamScratch const& scratch) {
  if (call.must_wait || (measures_calls() && !call.result_on_device))
    scratch.wait();
}

/// Number of schedules to measure; 1 if no thread has two invocations, so that
/// nothing is measured. Above that, to 2^20 indices, another schedule takes
/// 0.73 to 0.85 of the first one's time for triangular loops and 0.85 to 1.0
/// for rows of power-law length; plain sums of 14 us are not slowed by
/// measuring (doubles, H200, 2026-11-28).
template <class Call>
int orders_to_measure(Call const& call, LaunchShape const& shape) {
  return call.places <= std::uint64_t(shape.blocks) * shape.threads
             ? 1
             : call.orders().count;
}
/// Key of a choice of the schedule. Sizes within an eighth share it, so that a
/// launch that is slower than others indicates other data.
template <class Call>
Cuda::LaunchTimes<>::Loop loop_of_order(Call const& call) {
  std::uint64_t const size = call.problem.size;
  int const octave         = std::bit_width(size);
  return {call.space.cuda_device(), call.kernel,
          unsigned(octave) * 8 + unsigned(size >> (octave - 4) & 7), false};
}

/// Number of partial results in a schedule. The last schedule needs the most.
inline std::size_t partials(LaunchShape const& shape, CallOrder const& order) {
  return order.scattered_warps
             ? Cuda::partials_of_warps(shape.blocks, shape.threads)
             : shape.blocks;
}

template <class Call>
void launch_streamed_reduce(Call const& call, Cuda::KernelFacts const& facts,
                            Cuda::StreamScratch const& scratch) {
  call.ensure_locks();
  LaunchShape const shape =
      Cuda::launch_layout(call.space)
          .streamed_reduce(call.tuning, call.places, facts.resident_blocks,
                           Cuda::max_partials);
  CallOrders const orders = call.orders();
  int const measured      = orders_to_measure(call, shape);
  // Before a measurement begins: without memory Kokkos' own code runs.
  Cuda::GridScratch const grid =
      scratch->grid(partials(shape, orders[measured - 1]), call.running_bytes);
  scratch.deliver(
      call.result, call.value_bytes, call.result_on_device,
      [&](Cuda::ResultTarget<void> const& target) {
        using Times = Cuda::LaunchTimes<>;
        auto& times = Times::instance();
        Times::Loop loop{};
        Times::Turn turn;
        if (measured > 1) {
          loop = loop_of_order(call);
          turn = times.begin(loop, measured, scratch.stream(), 0, 0, true);
          if (turn.has_decided && environment_verbose())
            report_choice("parallel_reduce", call.problem.size, " invocations",
                          orders, *turn.chooser);
        }
        CallOrder const order         = orders[turn.candidate];
        void const* const arguments[] = {call.arguments[0],
                                         call.arguments[1],
                                         call.arguments[2],
                                         &call.places,
                                         &order,
                                         &grid,
                                         &target};
        Cuda::check_launch(
            Cuda::enqueue_kernel(scratch.stream(), call.kernel,
                                 {shape.blocks, shape.threads}, arguments),
            "streamed_reduce");
        times.end(loop, turn, scratch.stream());
      });
  // The value may arrive before the functor's writes to other host memory.
  wait_for_result(call, scratch);
}

/// \return whether this library's kernel runs; if not, the caller runs Kokkos'
template <class Call>
bool run_reduce(Call& call) {
  Settings const settings  = effective_settings();
  call.problem.intercepted = true;
  Cuda::KernelFacts facts{};
  // Facts are needed only if this library's kernel may run.
  if (settings.route == Route::generic || call.result == nullptr) {
    call.problem.compiled = false;
  } else {
    facts = Cuda::facts_of_kernel(call.space.cuda_device(), call.kernel,
                                  call.tuning.threads, 0);
    // Spilled bytes depend on the architecture.
    if (settings.reproducibility == Reproducibility::run_to_run)
      call.problem.local_bytes = facts.local_bytes;
  }
  call.is_exact = call.use_exact != nullptr &&
                  settings.reproducibility == Reproducibility::exact;
  return run_call(
      call, "parallel_reduce", call.problem, call.result_on_device, settings,
      [](auto const&... arguments) { return route_reduce(arguments...); },
      [&](Route route, Cuda::StreamScratch const& scratch) {
        if (call.is_exact) {
          call.ensure_locks();
          call.use_exact(call.closure, scratch);
          wait_for_result(call, scratch);
        } else if (call.use_mma != nullptr && route == Route::mma) {
          call.use_mma(call.closure, scratch, settings);
        } else {
          launch_streamed_reduce(call, facts, scratch);
        }
      });
}

template <class Call>
void launch_streamed_scan(Call const& call, bool on_device,
                          Cuda::StreamScratch const& scratch) {
  unsigned const threads        = call.tuning.threads;
  std::uint64_t const size      = call.problem.size;
  Cuda::KernelFacts const facts = Cuda::facts_of_kernel(
      call.space.cuda_device(), call.kernel, threads + 32, call.shared_bytes);
  call.ensure_locks();
  unsigned const rows = streamed_scan_rows(
      Cuda::launch_layout(call.space).tuning, call.tuning, size);
  auto const tiles = unsigned((size + threads * rows - 1) / (threads * rows));
  deliver_total(
      scratch, call.look_back_words(tiles), call.result, call.value_bytes,
      on_device,
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
                {scan_blocks(call.space, tiles, facts.resident_blocks),
                 threads + 32, int(call.shared_bytes)},
                arguments),
            "streamed_scan");
      });
}

/// \return whether this library's kernel runs; if not, the caller runs Kokkos'
template <class Call>
bool run_scan(Call& call) {
  bool const on_device    = call.result_on_device || !call.result;
  Settings const settings = effective_settings();
  return run_call(
      call, "parallel_scan", call.problem, on_device, settings,
      [](auto const&... arguments) { return route_scan(arguments...); },
      [&](Route route, Cuda::StreamScratch const& scratch) {
        if (call.scan_tiles != nullptr &&
            call.scan_tiles(call.closure, scratch, route))
          return;
        launch_streamed_scan(call, on_device, scratch);
      });
}

#endif  // __CUDA_ARCH__

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
