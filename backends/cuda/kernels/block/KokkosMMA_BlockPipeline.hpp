// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BLOCK_PIPELINE_HPP
#define KOKKOSMMA_CUDA_BLOCK_PIPELINE_HPP

#include <backends/cuda/arch/KokkosMMA_CopyBulk.hpp>
#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>

#include <cstdint>

/// \file
/// A pipeline of stages in shared memory that all warps of a block fill with
/// cp.async, and read.

namespace KokkosMMA::Impl::Cuda {

/// Warps wait for the copies of a stage, and for its readers, but not for each
/// other: with a block-wide barrier for each step, and four stages as here, a
/// copy through panels of 512 bytes takes 149 us instead of 140 for bytes and
/// 289 instead of 273 for half (H200, 2026-11-22, 16384^2, two blocks of 256
/// threads per multiprocessor, copy of the runtime 130 and 258).
///
/// Each warp, for each step in turn: begin(step), its copies, end(step), all of
/// them `ahead` steps before wait(step), its reads, release(step). Where steps
/// are no more than stages, all copies may come before the first wait.
template <int Stages, int Warps>
class BlockPipeline {
  static_assert(Stages >= 3);

 public:
  using Memory = std::uint64_t[2 * Stages];

  /// The stage to be filled was last read Stages - ahead steps ago. Other warps
  /// may lag by one step less than that. If they may lag by one step only, a
  /// warp that fills a stage by itself delays all others: with half of eight
  /// stages sweeps of three dimensions took 0.75 to 1 of the time that they
  /// took with six (H100, 2026-11-27).
  static constexpr int ahead = Stages > 5 ? Stages / 2 : Stages - 2;

  /// Called by all threads of the block, which meet in it.
  /// \param memory in shared memory
  /// \param one_fills whether each stage is filled by one warp, any of them
  __device__ explicit BlockPipeline(Memory& memory, bool one_fills = false)
      : m_place(unsigned(__cvta_generic_to_shared(memory))) {
    // Or each step would compute anew where shared memory begins.
    Opaque::hide(m_place);
    if (threadIdx.x < Stages) {
      filled(int(threadIdx.x)).init(one_fills ? 64 : 33 * Warps);
      read(int(threadIdx.x)).init(32 * Warps);
      if (one_fills) CopyBulk::order_writes();
    }
    __syncthreads();
  }
  __device__ static int stage(int step) { return step % Stages; }
  /// Waits until no warp reads what was in the stage of this step.
  __device__ void begin(int step) const {
    if (step >= Stages) read(stage(step)).wait(unsigned(step / Stages + 1) % 2);
  }
  /// Ends the copies of this warp for the step, and its stores to the stage.
  __device__ void end(int step, int lane) const {
    filled(stage(step)).arrive_behind_copies();
    __syncwarp();
    if (lane == 0) filled(stage(step)).arrive();
  }
  /// Ends the copies for a step where one warp fills its stage.
  /// \param filled that of the stage, or one of 64 arrivals before it
  /// \param bytes that this lane copies with CopyBulk for it
  __device__ static void end_of_one(SharedBarrier filled, unsigned bytes) {
    filled.arrive_behind_copies();
    filled.arrive_expecting(bytes);
  }
  /// Waits for what all warps put into the stage of this step.
  __device__ void wait(int step) const {
    filled(stage(step)).wait(unsigned(step / Stages) % 2);
  }
  /// Ends the reads of this lane from the stage of this step. One lane for its
  /// warp after __syncwarp takes the same time (half and byte bands, plane
  /// sweeps of three dimensions; within 1 %), but compute-sanitizer's racecheck
  /// of CUDA 13.0 does not follow that: 25 hazards of half bands over 600 rows,
  /// with every lane none (H200, 2026-11-24).
  __device__ void release(int step) const { read(stage(step)).arrive(); }

  __device__ SharedBarrier filled(int stage) const {
    return SharedBarrier(m_place + 8 * stage);
  }

 private:
  __device__ SharedBarrier read(int stage) const {
    return SharedBarrier(m_place + 8 * (Stages + stage));
  }

  unsigned m_place;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
