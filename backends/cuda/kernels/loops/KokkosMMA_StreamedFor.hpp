// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STREAMED_FOR_HPP
#define KOKKOSMMA_CUDA_STREAMED_FOR_HPP

#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/arch/KokkosMMA_KernelParameters.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_Slot.hpp>
#include <core/loops/KokkosMMA_LoopBox.hpp>

#include <cstdint>

/// \file
/// Loops over opaque functors: one invocation f(i) or f(i, j, ...) per index.
/// The functor is inlined once, in a loop that is not unrolled. The compiler
/// cannot move loads of one invocation before stores of another, since both may
/// be to the same address. Copies of the body would cost compile time and
/// overlap nothing. Loop shapes are run-time values for the same reason. There
/// are no launch bounds but those of the policy, as in Kokkos: the functor uses
/// as many registers as it needs, and the launch queries the resulting maximum
/// of threads. Where each thread of Kokkos' kernel has a copy of the functor,
/// each invocation has one here: Kokkos' threads make one invocation, so what
/// that writes to `mutable` members is gone in the next one.

namespace KokkosMMA::Impl::Cuda {

/// Returns first + offset modulo 2^n, so that neither an 8-bit index nor a
/// range as long as its type overflows.
template <class Index>
__device__ Index loop_index(std::uint64_t first, std::uint64_t offset) {
  return static_cast<Index>(first + offset);
}

/// A kernel's name shows this type after the functor: tools, and a test of
/// Kokkos, look there for the policy's name.
struct RangePolicyLoop {
  using Space = LoopRange;

  template <class Index, bool Copies, class Call>
  __device__ __forceinline__ static void run(Call const& f,
                                             LoopRange const& range) {
    GridDependency::wait();
    std::uint64_t const first = blockIdx.x * range.tile;
    std::uint64_t const left  = range.size - first;
    auto const tile           = unsigned(left < range.tile ? left : range.tile);
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < tile; i += blockDim.x) {
      Argument<Copies, Call> const call(f);
      call.value(loop_index<Index>(range.begin + first, i));
    }
  }
};

/// End of a thread's indices that begin with `first`.
__device__ __forceinline__ unsigned end_of_span(unsigned first, unsigned span,
                                                unsigned extent) {
  return first + span < extent ? first + span : extent;
}

/// Loop over a box. Which dimension lies along a warp, and which one along
/// consecutive blocks, is a value of `box`: a kernel for each order would be
/// compiled for each functor. Each thread runs invocations along one of two
/// dimensions. Both have a step, one of which is 0, and an end. With a count of
/// invocations instead of the ends, the compiler replaces indices by pointers,
/// which takes 16 to 48 instructions more before the loop (sm_90, CUDA 13.0).
/// \tparam Left whether the fastest index of the policy is the first argument
///         of f, otherwise it is the last
template <int Rank, bool Left>
struct MDRangePolicyLoop {
  using Space = LoopBox;

  template <class Index, bool Copies, class Call>
  __device__ __forceinline__ static void run(Call const& f,
                                             LoopBox const& box) {
    GridDependency::wait();
    constexpr int looped = usual_looped_dimension<Rank>;
    unsigned at[Rank];
    bool inside = true;
#pragma unroll
    for (int d = 0; d < Rank; ++d) {
      LoopBox::Dimension const& each = box.dimension[d];
      at[d] = each.before.quotient(blockIdx.x) * each.tile +
              each.period.quotient(blockIdx.x) * each.back +
              (threadIdx.x >> each.shift & each.mask);
      inside = inside & (at[d] < each.extent);
    }
    if (!inside) return;
    unsigned const first_end =
        end_of_span(at[0], box.span[0], box.dimension[0].extent);
    unsigned const looped_end =
        end_of_span(at[looped], box.span[1], box.dimension[looped].extent);
    auto const index = [&](int argument) {
      int const d = Left ? argument : Rank - 1 - argument;
      return loop_index<Index>(std::uint64_t(box.dimension[d].begin), at[d]);
    };
#pragma unroll 1
    do {
      Argument<Copies, Call> const call(f);
      if constexpr (Rank == 2) {
        call.value(index(0), index(1));
      } else if constexpr (Rank == 3) {
        call.value(index(0), index(1), index(2));
      } else if constexpr (Rank == 4) {
        call.value(index(0), index(1), index(2), index(3));
      } else if constexpr (Rank == 5) {
        call.value(index(0), index(1), index(2), index(3), index(4));
      } else {
        static_assert(Rank == 6);
        call.value(index(0), index(1), index(2), index(3), index(4), index(5));
      }
      at[0] += box.step[0];
      at[looped] += box.step[1];
    } while ((at[0] < first_end) & (at[looped] < looped_end));
  }
};

/// \tparam Loop a RangePolicyLoop or MDRangePolicyLoop
/// \tparam Copies each invocation has a copy of the functor
/// \tparam Threads, Blocks launch bounds of the policy: at most Threads per
///   block, registers for Blocks per multiprocessor; 0: none
template <class Index, class Call, class Loop = RangePolicyLoop,
          bool Copies = false, unsigned Threads = 0, unsigned Blocks = 0>
__global__ void __launch_bounds__(Threads, Blocks)
    streamed_for(KOKKOSMMA_GRID_CONSTANT Call const f,
                 KOKKOSMMA_GRID_CONSTANT typename Loop::Space const space) {
  Loop::template run<Index, Copies>(f, space);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
