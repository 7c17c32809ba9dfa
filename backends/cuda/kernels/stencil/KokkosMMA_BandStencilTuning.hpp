// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_TUNING_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_TUNING_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

#include <type_traits>

namespace KokkosMMA::Impl::Cuda {

/// \tparam BlocksPerWarp of sums, side by side
/// \tparam Together groups of 16 rows of a stage
/// \tparam Resident blocks of threads per multiprocessor
/// \tparam Height groups of sums of a block of threads, of one in a strip that
///   a boundary cuts HeightAtBoundaries
template <int BlocksPerWarp, int Warps, int Together, int Stages, int Resident,
          int Height, int HeightAtBoundaries = Height>
struct BandTuning {
  static constexpr int blocks_per_warp      = BlocksPerWarp;
  static constexpr int warps                = Warps;
  static constexpr int together             = Together;
  static constexpr int stages               = Stages;
  static constexpr int resident             = Resident;
  static constexpr int height               = Height;
  static constexpr int height_at_boundaries = HeightAtBoundaries;
};

/// Half or more of the warps that fit with 128 registers. H200, CUDA 13.0,
/// 16384 x 16384, boxes of ones, zeros beyond the boundaries, kernels by
/// themselves, in us. Of 2026-11-24; the runtime copies bytes in 130 and halfs
/// in 257:
///   blocks x warps, together, stages, resident, height
///   bytes, radius 7     2 x 8, 2, 4, 2, 11   150 before, 149; tiles 148
///                       2 x 8, 1, 4, 2,  7   154; tiles 162
///                       4 x 4, 1, 4, 2,  7   146
///                       4 x 4, 1, 4, 3,  7   146
///                       4 x 4, 1, 4, 4,  3   142; all units at once 188
///                       4 x 4, 1, 4, 4,  2   153
///                       4 x 4, 1, 4, 4,  4   144;  5 145;  7 146
///                       4 x 8, 1, 4, 2,  5   143
///   rows anywhere       4 x 4, 2, 4, 2, 23   166 before, 159
///                       4 x 4, 1, 4, 3,  5   160;  7 153; next units 156
///   results too         4 x 4, 2, 4, 2, 23   299
///                       4 x 4, 1, 4, 3,  5   299;  7 313
///   radius 16           2 x 8, 2, 4, 1, 16   158 before, 157
///                       4 x 4, 1, 4, 2, 16   154
///                       4 x 4, 1, 4, 3,  8   151; 14 156; rows anywhere 169
///   halfs, radius 7     2 x 8, 2, 4, 2, 23   294 before, 293; tiles 293
///                       2 x 8, 2, 4, 2, 15   290; tiles 292
///                       2 x 8, 2, 4, 2, 11   296
///                       2 x 8, 1, 8, 2,  7   322
///                       4 x 4, 1, 4, 3, 11   tiles 296
///                       2 x 4, 1, 4, 4, 15   302
///   rows anywhere       2 x 8, 2, 4, 2, 23   370 before, 335; 15 344
///                       4 x 4, 2, 4, 2, 23   352
///   results too         2 x 8, 2, 4, 2, 23   646; 4 x 4 516
///   radius 16           4 x 4, 1, 4, 2, 64   359 before, 324; 32 335, 128 322
///   halfs in pieces, 7  4 x 4, 2, 4, 2, 47   391 before, 373; 31 383
///   floats, radius 11   2 x 4, 1, 4, 2, 64   723 before, 718
///                       2 x 4, 1, 4, 3, 64   650; 32 741
/// "before" are blocks of threads that loaded their weights entry by entry and
/// before the first rows. Of 2026-11-23:
///   halfs in pieces     2 x 4, 1, 4, 2, 64   radius 16 576; 2 x 8 632
///   functors, halfs     2 x 8, 2, 4, 2, 23   1027; 4 x 4 1350
///   bytes               2 x 8, 2, 4, 2, 11   686; 4 x 4 1097
/// In pieces a multiprocessor multiplies in more than half of all cycles.
/// \tparam Anywhere rows or results begin anywhere in a line
/// \tparam ResultsAnywhere results do
template <class Band, bool Anywhere, bool ResultsAnywhere>
struct ChooseBandTuning {
  static constexpr bool of_bytes = Band::columns == 32;
  static constexpr bool is_far   = Band::is_far;
  static constexpr bool of_one   = Band::planes == 1;

  using NearBytes = std::conditional_t<
      !of_one, BandTuning<1, 8, 2, 4, 2, 15>,
      std::conditional_t<Anywhere, BandTuning<4, 4, 1, 4, 3, 7, 23>,
                         BandTuning<4, 4, 1, 4, 4, 3, 23>>>;
  using FarBytes = std::conditional_t<of_one, BandTuning<4, 4, 1, 4, 3, 8, 16>,
                                      BandTuning<2, 8, 2, 4, 1, 16>>;
  using Halfs    = std::conditional_t<
      is_far, BandTuning<4, 4, 1, 4, 2, 64>,
      std::conditional_t<
          ResultsAnywhere, BandTuning<4, 4, 2, 4, 2, 23>,
          std::conditional_t<Anywhere, BandTuning<2, 8, 2, 4, 2, 23>,
                             BandTuning<2, 8, 2, 4, 2, 15, 23>>>>;
  using InPieces = std::conditional_t<
      !is_far, BandTuning<4, 4, 2, 4, 2, 47>,
      std::conditional_t<Anywhere, BandTuning<2, 8, 2, 4, 1, 64>,
                         BandTuning<2, 4, 1, 4, 2, 64>>>;
  static constexpr bool in_pieces = Band::Weights::column_pieces > 1;
  using Floats = BandTuning<2, 4, 1, 4, in_pieces ? 2 : 3, 64>;
  using type   = std::conditional_t<
      of_bytes, std::conditional_t<is_far, FarBytes, NearBytes>,
      std::conditional_t<Band::element == Scalar::float32, Floats,
                         std::conditional_t<in_pieces, InPieces, Halfs>>>;
};
template <class Band, bool Anywhere, bool ResultsAnywhere>
using band_tuning =
    typename ChooseBandTuning<Band, Anywhere, ResultsAnywhere>::type;

}  // namespace KokkosMMA::Impl::Cuda

#endif
