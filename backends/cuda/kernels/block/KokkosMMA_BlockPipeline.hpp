// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BLOCK_PIPELINE_HPP
#define KOKKOSMMA_CUDA_BLOCK_PIPELINE_HPP

#include <backends/cuda/arch/KokkosMMA_CopyBulk.hpp>
#include <backends/cuda/arch/KokkosMMA_Opaque.hpp>
#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>

#include <cstdint>

/// \file
/// Pipeline of stages in shared memory that all warps of a block fill with
/// cp.async and read.

namespace KokkosMMA::Impl::Cuda {

/// Pipeline whose warps wait for the copies and the readers of a stage, but not
/// for each other. With a block-wide barrier per step, and four stages as here,
/// a copy through panels of 512 bytes takes 149 us instead of 140 for bytes and
/// 289 instead of 273 for half (H200, 2026-11-22, 16384^2, two blocks of 256
/// threads per multiprocessor; the runtime's copy: 130 and 258).
///
/// Each warp calls for each step begin(step), its copies and end(step), `ahead`
/// steps before wait(step), its reads and release(step). If there are no more
/// steps than stages, all copies may precede the first wait.
template <int Stages, int Warps>
class BlockPipeline {
  static_assert(Stages >= 3);

 public:
  using Memory = std::uint64_t[2 * Stages];

  /// Steps between the fill and the read of a stage. A stage to be filled was
  /// last read Stages - ahead steps ago; other warps may lag by one step less.
  /// If they may lag by one step only, a warp that fills a stage by itself
  /// delays all others. Sweeps of three dimensions with eight stages took 0.75
  /// to 1 times as long with 4 steps as with 6 (H100, 2026-11-27).
  static constexpr int ahead = Stages > 5 ? Stages / 2 : Stages - 2;

  /// Called by all threads of the block, which it synchronizes.
  /// \param memory in shared memory
  /// \param one_fills whether one warp, any of them, fills each stage
  __device__ explicit BlockPipeline(Memory& memory, bool one_fills = false)
      : m_place(unsigned(__cvta_generic_to_shared(memory))) {
    // Otherwise each step recomputes the address of shared memory.
    Opaque::hide(m_place);
    if (threadIdx.x < Stages) {
      filled(int(threadIdx.x)).init(one_fills ? 64 : 33 * Warps);
      read(int(threadIdx.x)).init(32 * Warps);
      if (one_fills) CopyBulk::order_writes();
    }
    __syncthreads();
  }
  __device__ static int stage(int step) { return step % Stages; }
  /// Waits until no warp reads the previous data of the stage of this step.
  __device__ void begin(int step) const {
    if (step >= Stages) read(stage(step)).wait(unsigned(step / Stages + 1) % 2);
  }
  /// Ends this warp's copies for the step and its stores to the stage.
  __device__ void end(int step, int lane) const {
    filled(stage(step)).arrive_behind_copies();
    __syncwarp();
    if (lane == 0) filled(stage(step)).arrive();
  }
  /// Ends the copies for a step whose stage is filled by one warp.
  /// \param filled barrier of the stage, or an earlier one of 64 arrivals
  /// \param bytes bytes that this lane copies with CopyBulk for it
  __device__ static void end_of_one(SharedBarrier filled, unsigned bytes) {
    filled.arrive_behind_copies();
    filled.arrive_expecting(bytes);
  }
  /// Waits until all warps have filled the stage of this step.
  __device__ void wait(int step) const {
    filled(stage(step)).wait(unsigned(step / Stages) % 2);
  }
  /// Ends the reads of this lane from the stage of this step. One arrival per
  /// warp after __syncwarp takes the same time (half and byte bands, plane
  /// sweeps of three dimensions; within 1 %), but compute-sanitizer's racecheck
  /// of CUDA 13.0 does not follow it: 25 hazards of half bands over 600 rows,
  /// none with an arrival of every lane (H200, 2026-11-24).
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
