// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ORDER_CHOICE_HPP
#define KOKKOSMMA_ORDER_CHOICE_HPP

#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_PartialsOfWarps.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#include <core/routing/KokkosMMA_CallOrders.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

/// \file
/// Choice of the schedule of a reduction's invocations by their times.

namespace KokkosMMA::Impl {

inline CallOrders orders_of(ErasedReduce const& call) {
  return call_orders(call.tuning, call.problem.pattern == Pattern::mdrange);
}

/// Number of schedules to measure; 1 if no thread has two invocations, so that
/// nothing is measured. Above that, to 2^20 indices, another schedule takes
/// 0.73 to 0.85 of the first one's time for triangular loops and 0.85 to 1.0
/// for rows of power-law length; plain sums of 14 us are not slowed by
/// measuring (doubles, H200, 2026-11-28).
inline int orders_to_measure(ErasedReduce const& call,
                             LaunchShape const& shape) {
  return call.places <= std::uint64_t(shape.blocks) * shape.threads
             ? 1
             : orders_of(call).count;
}
/// Key of a choice of the schedule. Sizes within an eighth share it, so that a
/// launch that is slower than others indicates other data.
inline Cuda::LaunchTimes::Loop loop_of_order(ErasedReduce const& call) {
  std::uint64_t const size = call.problem.size;
  int const octave         = std::bit_width(size);
  return {call.stream.device, call.kernel,
          unsigned(octave) * 8 + unsigned(size >> (octave - 4) & 7), false};
}

/// Number of partial results in a schedule. The last schedule needs the most.
inline std::size_t partials(LaunchShape const& shape, CallOrder const& order) {
  return order.scattered_warps
             ? Cuda::partials_of_warps(shape.blocks, shape.threads)
             : shape.blocks;
}

}  // namespace KokkosMMA::Impl

#endif
