// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_TUNING_HPP
#define KOKKOSMMA_SEGMENTED_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Launch shapes and other constants of segmented kernels, with their
/// measurements: one NVIDIA H200, CUDA 13.0, 2026-11-21.

namespace KokkosMMA::Impl {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Launch shape of a reduction of segments in staged tiles.
struct SegmentedTuning {
  int warps;       ///< per block
  int stages;      ///< tiles per warp: one in use, the others being loaded
  int tile_bytes;  ///< per stage
};

/// GB/s, 2^28 elements:
///
/// | warps, stages, bytes | half 12| 33   | 65   | float 12| 33   | 65   |
/// |----------------------|--------|------|------|---------|------|------|
/// | 8, 2, 4096           | 3568   | 3430 | 3493 | 3716    | 3637 | 3605 |
/// | 8, 2, 2048           | 3091   | 3453 | 2849 | 3649    | 3387 | 3436 |
/// | 8, 3, 4096           | 3184   | 3434 | 3515 | 3827    | 3593 | 3576 |
/// | 4, 4, 4096           | 2613   | 3402 | 3456 | 3569    | 3619 | 3649 |
/// | 4, 2, 8192           | 2938   | 3483 | 3573 | 3868    | 3629 | 3669 |
/// | 8, 2, 8192           | 2141   | 2958 | 3655 | 3922    | 3768 | 3788 |
inline constexpr SegmentedTuning segmented_tuning{
    .warps = 8, .stages = 2, .tile_bytes = 4096};

/// Launch shape of kernels that read segments directly from memory: rows of
/// vectors, and parts of segments longer than a tile.
struct RowSegmentsTuning {
  int threads;              ///< per block
  int min_blocks;           ///< per multiprocessor; caps a thread's registers
  int min_blocks_mma;       ///< for sums on tensor cores
  int min_blocks_extremes;  ///< for minima and maxima
};

/// Sums on tensor cores spill with 4 and 3 blocks, minima and maxima of double
/// with 4.
inline constexpr RowSegmentsTuning row_segments_tuning{
    .threads             = 256,
    .min_blocks          = 4,
    .min_blocks_mma      = 2,
    .min_blocks_extremes = 3};

/// Rows up to this size use normal loads, longer ones bypass the caches:
/// results of short rows are an eighth of the traffic or more. Halves, segments
/// of 8, 16, 32, 64, 256, 1024: cached 4083, 4208, 4141, 4086, 4133, 4193;
/// bypassing 3871, 4038, 4080, 4279, 4353, 4325.
inline constexpr std::uint64_t kept_bytes = 64;

/// Whether equal segments are summed one per thread, if their length is no
/// power of two of vectors. 2^28 elements, one per thread and in staged tiles:
///
/// | segment | half      | float     | double    |
/// |---------|-----------|-----------|-----------|
/// | 3       | 2271 3225 | 3428 3551 | 4350      |
/// | 5       | 2868 2908 | 4031 3816 | 4000      |
/// | 7       | 3396 3235 | 4334 3656 | 3725      |
/// | 9       | 3741 3431 | 4368 3859 | 4002 3821 |
/// | 12      | 3937 3649 | 4354 3738 | 4068 3715 |
/// | 15      | 3915 3609 | 4086 3861 | 3087 3872 |
/// | 17      | 3614 3474 | 3901 3704 | 3280 3738 |
/// | 31      | 2832 3661 | 3161 3837 | 2425 3785 |
///
/// From 9 elements on, the first figure is a thread per segment in plain
/// Kokkos. One-byte elements, 9, 12, 15, 17: 2624, 3200, 3220, 2570 and 2396,
/// 2852, 2638, 2633.
constexpr bool segments_are_tiny(std::uint64_t elements, std::uint64_t bytes) {
  return elements <= 17 && bytes <= 96 && (elements >= 7 || bytes > 12);
}

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

/// GB/s of elements, offsets and results, 2^28 floats (copy 4198), by lengths
/// of segments:
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

/// Longest segment, in bytes, for which threads sum one segment each, if the
/// check of the offsets finds it. Microseconds with one segment per thread and
/// without, 32-bit and 64-bit offsets, without their check: 2^27 doubles up to
/// 16 elements 322, 374 and 333, 386; 2^28 floats up to 32 elements 362, 362
/// and 371, 380; doubles up to 32 lose, 353, 332 and 358, 338 (2026-11-30).
/// H100: GB/s of floats up to 16 elements 2267, 1887; microseconds up to 32
/// with the check 515, 562. A thread per segment in plain Kokkos, int32 up to 8
/// and 32 elements: 2899, 2780 and 3033, 3466 GB/s.
constexpr int tiny_csr_limit(TuningTable const& table, int element_bytes) {
  return element_bytes > 2 ? 128 : table.tiny_csr_bytes;
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

/// Launch shape of a segmented scan. GB/s read plus written, 2^28 elements,
/// copy 4223.
struct SegmentScanTuning {
  int threads;     ///< loading threads per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int rows;        ///< of 32 vectors that a warp loads at once
};

/// Shape of warps that each scan whole segments of one length. Segments of 32
/// and of 16384:
///
/// | threads x blocks, rows | float     | half -> float |
/// |------------------------|-----------|---------------|
/// | 256 x 4, 8: this       | 3987 3786 | 4005 3713     |
/// | 128 x 8, 8             | 3970 3790 | 4019 3702     |
/// | 256 x 6, 4             | 3994 3718 | 4027 3618     |
/// | 256 x 3, 16            | 3429 3311 | 3967 3725     |
/// | 256 x 5, 8 (spills)    | 3288 3244 | 4002 3687     |
///
/// Four batches per warp instead of one: 3944 and 3826 for segments of 32.
/// Exclusive scans of vectors of 16 bytes spill with 8 rows, and with 7. No
/// designators: nvcc 12.4 aborts over them in a variable template.
template <class Scan>
inline constexpr SegmentScanTuning segment_walk_tuning{
    256, 4, Scan::bytes == 16 && !Scan::inclusive ? 6 : 8};

/// Shape of the pipeline of tiles.
///
/// | threads x blocks, rows      | 224 x 3, 8 | 256 x 3, 8 | 192 x 4, 8 |
/// |-----------------------------|------------|------------|------------|
/// | float, segments of 2^20     | 3701       | 3624       | 3611       |
/// | half -> float, of 2^20      | 3356       | 3481       | 3458       |
/// | float, CSR, mean 16         | 2644       | 2533       | 2603       |
/// | half -> float, CSR          | 2329       | 2278       | 2327       |
///
/// Slower: 256 x 4, 4 rows (3521, 3094), 480 x 2, 4 rows (3621, 3006). Floats
/// in CSR segments: 2645 with 256 x 3, 6 rows, which do not spill; 8 rows do.
/// Exclusive scans of floats have 8 bytes in local memory with 8 rows.
template <class Scan, bool Equal>
inline constexpr SegmentScanTuning segment_pipeline_tuning{
    Scan::bytes == 16 && Equal ? 224 : 256, 3,
    Scan::bytes != 16 ? 8
    : !Equal          ? 6
    : Scan::inclusive ? 8
                      : 7};

/// Shape of the pipeline for sums of runs of equal keys. Microseconds of 2^28
/// floats and halves and 2^27 doubles (H200, CUDA 13.0, 2026-12-01); before: no
/// list of starts, two loads of each key, the shape of ragged segments:
///
/// | runs of                  | 1    | 4    | 16   | 256  | all  |
/// |--------------------------|------|------|------|------|------|
/// | float                    | 1937 | 1194 | 1049 | 985  | 747  |
/// | float, no list of starts | 2317 | 1577 | 1429 | 850  | 721  |
/// | float, before            | 2477 | 1665 | 1523 | 958  | 813  |
/// | float, CUB               | 1634 | 1182 | 1069 | 1036 | 1028 |
/// | double                   | 1214 | 892  | 807  | 759  | 710  |
/// | double, before           | 1391 | 1165 | 1116 | 826  | 764  |
/// | double, CUB              | 1003 | 664  | 628  | 568  | 560  |
/// | half                     | 1787 | 1178 | 937  | 879  | 612  |
/// | half, before             | 2369 | 1911 | 1547 | 830  | 704  |
///
/// Scans by key have the shape of equal segments: float 876, double 782, half
/// 794; before 1020, 1031, 869; CUB's float and double 1062, 719.
template <class Scan>
inline constexpr SegmentScanTuning run_sums_tuning{224, 3,
                                                   Scan::bytes == 16 ? 6 : 8};

struct ColumnReduceTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
  int loads;       ///< vectors in flight per thread
};

/// Running values and vectors in flight compete for the registers. Other shapes
/// that were tried are not recorded. No designators: nvcc 12.4 aborts over them
/// in a variable template.
template <class Sums>
inline constexpr ColumnReduceTuning column_reduce_tuning =
    Sums::registers >= 16 ? ColumnReduceTuning{256, 3, 4}
                          : ColumnReduceTuning{512, 2, 8};

template <class Sums>
inline constexpr int column_reduce_memory =
    column_reduce_tuning<Sums>.threads / 32 *
    Sums::width* Sums::elements* int(sizeof(typename Sums::Value));

struct ColumnScanTuning {
  int threads;     ///< per block
  int min_blocks;  ///< per multiprocessor; caps a thread's registers
};

/// Two tiles of a block wait in shared memory for their prefixes while a third
/// is loaded: 10 warps of 8 rows of 16 bytes are 40 KB each.
inline constexpr ColumnScanTuning column_scan_tuning{.threads    = 320,
                                                     .min_blocks = 2};

template <Scalar Input, int Elements>
inline constexpr int column_bytes = Elements* size_of(Input);

/// Rows that a lane loads at a time; it loads `Bytes` bytes of each.
template <int Bytes>
inline constexpr int column_scan_rows = std::min(32, 128 / Bytes);

/// Elements that a column scan loads and stores at a time: 16 bytes of the
/// larger type, but at most 8 elements.
template <int InputBytes, int OutputBytes>
inline constexpr int column_scan_elements =
    std::min(8, 16 / std::max(InputBytes, OutputBytes));

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl

#endif
