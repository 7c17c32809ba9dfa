// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_CSR_TUNING_HPP
#define KOKKOSMMA_CUDA_CSR_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Launch shape of a reduction of CSR segments.
struct CsrTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int tiles;       ///< tiles in the ring buffer of a warp
  int tile_bytes;
  int segment_bytes;    ///< cost of a segment, in bytes of elements
  int bytes_per_range;  ///< bytes of work that justify another warp
  int quads;            ///< 1: WarpMergePath may use quads; 0: it does not
};

/// GB/s of elements, offsets and results, one NVIDIA H200, CUDA 13.0,
/// 2026-11-21, 2^28 floats (copy 4198), by lengths of segments:
///
/// | threads x blocks, ring | 0..32 | mean 16 | 0..8 | 0..128 | one  | none |
/// |------------------------|-------|---------|------|--------|------|------|
/// | 256 x 3, 4 x 2048      | 3506  | 3434    | 2830 | 2762   | 4029 | 2580 |
/// | 256 x 4, 4 x 1024      | 3569  | 3194    | 2817 | 2159   | 3858 | 2681 |
///
/// 0..32 and so on: uniform; mean 16: geometric. Microseconds for uniform
/// lengths 0..32 with offsets loaded one window ahead: 360 with 256 x 3, 4 x
/// 2048; 506 with 128 x 3, 4 x 4096; 372 with 256 x 3, 8 x 1024. Then with
/// blocks that join their ranges: 352; with 2 blocks for each resident one 362,
/// with 8 410.
///
/// \param quads for longer segments (quads_csr_bytes)
constexpr CsrTuning csr_tuning(bool quads) {
  return {.threads         = 256,
          .min_blocks      = 3,
          .tiles           = 4,
          .tile_bytes      = 2048,
          .segment_bytes   = 32,
          .bytes_per_range = 4096,
          .quads           = quads};
}

/// Smallest mean size of segments between offsets that quads of lanes sum.
/// Floats of uniform lengths, quads and other kernel: 0..128 3059, 2762; 0..8
/// 2578, 2830; 0..32 3439, 3506.
inline constexpr int quads_csr_bytes = 96;

/// Longest segment, in bytes, for which threads sum one segment each.
constexpr int tiny_csr_limit(TuningTable const& table, int element_bytes) {
  return element_bytes > 2 ? table.tiny_csr_wide_bytes : table.tiny_csr_bytes;
}

/// Launch shape of the check of offsets.
struct OffsetsTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int loads;       ///< bytes in flight per thread
};

/// Other shapes that were tried are not recorded.
inline constexpr OffsetsTuning offsets_tuning{
    .threads = 512, .min_blocks = 3, .loads = 32};

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl::Cuda

#endif
