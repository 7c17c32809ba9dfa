// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#include <backends/cuda/runtime/KokkosMMA_NodeScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_ResultTarget.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/loops/KokkosMMA_ForProblem.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>

namespace KokkosMMA::Impl {
namespace {

/// Prints the line of a node, without a label: Kokkos Tools do not see nodes.
void report_node(std::atomic_flag& reported, char const* pattern,
                 std::uint64_t size, RouteDecision const& decision,
                 char const* note = "") {
  if (reported.test_and_set()) return;
  std::fprintf(stderr, "KokkosMMA: %s n=%llu %s%s\n", pattern,
               static_cast<unsigned long long>(size),
               to_string(decision).c_str(), note);
}

/// Launch shape of a node, which is not measured in a graph. It is the shape
/// that was measured for launches of the same loop, otherwise the first
/// candidate: the small shape for few indices, Kokkos' own launch for many.
LoopShape node_shape(ErasedFor const& call, bool forced, int multiprocessors,
                     int max_threads) {
  LoopCandidates const candidates = loop_candidates(
      call.problem.space,
      {forced, call.problem.user_tiles, multiprocessors, max_threads});
  if (candidates.count == 0) return kokkos_shape;
  using Times       = Cuda::LaunchTimes;
  int const decided = Times::instance().decided(
      {call.stream.device, call.kernel, loop_class(call.problem), forced});
  return candidates[decided < 0 ? 0 : decided];
}

/// Adds a kernel node; the graph copies its arguments.
cudaError_t add_kernel_node(Cuda::GraphPlace const& place, void const* kernel,
                            unsigned blocks, unsigned threads,
                            void const* const* arguments) {
  cudaKernelNodeParams parameters{};
  parameters.func         = const_cast<void*>(kernel);
  parameters.gridDim      = blocks;
  parameters.blockDim     = threads;
  parameters.kernelParams = const_cast<void**>(arguments);
  return cudaGraphAddKernelNode(place.node, place.graph, nullptr, 0,
                                &parameters);
}

/// Adds this library's kernel with this shape.
/// \return whether that succeeded
bool add_shape(ErasedFor const& call, Cuda::GraphPlace const& place,
               LoopShape const& shape) {
  LoopGrid grid;
  LoopArguments const laid_out(call.functor, call.problem.space, shape, grid);
  if (grid.blocks == 0) return false;
  call.ensure_locks();
  Cuda::OwnErrors const errors;
  return add_kernel_node(place, call.kernel, grid.blocks, grid.threads,
                         laid_out.pointers) == cudaSuccess;
}

void add_streamed_reduce(ErasedReduce const& call,
                         Cuda::GraphPlace const& place,
                         Cuda::KernelFacts const& facts) {
  call.ensure_locks();
  LaunchLayout const layout = Cuda::launch_layout(call.stream);
  LaunchShape shape         = layout.streamed_reduce(
              call.tuning, call.places, facts.resident_blocks, Cuda::max_partials);
  Cuda::check(cudaSetDevice(call.stream.device), "cudaSetDevice");
  bool const is_box        = call.problem.pattern == Pattern::mdrange;
  unsigned const subranges = layout.subranges(call.tuning, is_box, call.places,
                                              shape, facts.resident_blocks);
  CallOrders const orders  = call_orders(call.tuning, is_box, subranges);
  int const decided =
      orders_to_measure(orders, call.places, shape) > 1
          ? Cuda::LaunchTimes::instance().decided(
                {call.stream.device, call.kernel,
                 order_class(call.problem.size, layout.fixed), false})
          : 0;
  CallOrder const order = orders.all[decided < 0 ? 0 : decided];
  if (order.one_each) shape.blocks *= subranges;
  std::size_t const partials =
      order.scattered_warps
          ? Cuda::partials_of_warps(shape.blocks, shape.threads)
          : shape.blocks;
  Cuda::GridScratch const grid = Cuda::NodeScratch::instance().take(
      call.stream.device, place.graph, partials * call.running_bytes);
  Cuda::ResultTarget<void> const target{call.result, nullptr};
  void const* const arguments[] = {call.arguments[0],
                                   call.arguments[1],
                                   call.arguments[2],
                                   &call.places,
                                   &order,
                                   &grid,
                                   &target};
  Cuda::check(add_kernel_node(place, call.kernel, shape.blocks, shape.threads,
                              arguments),
              "cudaGraphAddKernelNode");
}

}  // namespace

bool add_loop_node(ErasedFor const& call, Cuda::GraphPlace const& place) {
  Settings const settings = effective_settings();
  RouteDecision decision;
  if (settings.route != Route::generic)
    decision = route_for(call.problem, settings.route);
  bool runs_own = false;
  int const max_threads =
      decision.route == Route::streamed && call.problem.space.size() > 0
          ? Cuda::max_threads_of_kernel(call.stream.device, call.kernel,
                                        call.problem.max_threads)
          : 0;
  if (max_threads > 0) {
    LoopShape const shape = node_shape(
        call, settings.route == Route::streamed || call.problem.kokkos_is_wrong,
        Cuda::device(call.stream.device).multiprocessors, max_threads);
    runs_own = shape != kokkos_shape && add_shape(call, place, shape);
  }
  if (environment_verbose())
    report_node(call.reported, "then_parallel_for", call.problem.space.size(),
                decision,
                max_threads > 0 && !runs_own
                    ? "; uses Kokkos' own node: no launch of it "
                      "was timed, or Kokkos' own was the fastest"
                    : "");
  observed(runs_own ? Route::streamed : Route::generic, Observed::loop);
  return runs_own;
}

bool add_reduce_node(ErasedReduce& call, Cuda::GraphPlace const& place) {
  Settings const settings    = effective_settings();
  Cuda::Device const& device = Cuda::device(call.stream.device);
  call.problem.intercepted   = true;
  call.problem.in_graph      = true;
  Cuda::KernelFacts facts{};
  RouteDecision decision;
  decision.asked = settings.route;
  if (settings.route != Route::generic && call.result_on_device &&
      call.result != nullptr) {
    facts = Cuda::facts_of_kernel(call.stream.device, call.kernel,
                                  call.tuning.threads, 0);
    if (settings.reproducibility == Reproducibility::run_to_run)
      call.problem.local_bytes = facts.local_bytes;
    call.problem.most_spilled = most_spilled(call.tuning);
    decision = route_reduce(call.problem, device, settings, *device.tuning);
  }
  if (decision.route == Route::streamed) {
    try {
      add_streamed_reduce(call, place, facts);
    } catch (std::bad_alloc const&) {
      Refusal const refusal{"the device has no memory left for scratch"};
      decision = {Route::generic, decision.asked, refusal, refusal};
    }
  }
  observed(decision.route);
  if (settings.reproducibility != Reproducibility::run_to_run)
    report_level_of("then_parallel_reduce", settings, call.problem.value,
                    decision);
  if (environment_verbose())
    report_node(call.reported, "then_parallel_reduce", call.problem.size,
                decision);
  return decision.route == Route::streamed;
}

}  // namespace KokkosMMA::Impl
