// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_TUNING_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_TUNING_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/stencil/KokkosMMA_WarpDenseBand.hpp>
#include <core/stencil/KokkosMMA_WarpDenseBandHalf.hpp>

#include <cstdint>
#include <utility>

namespace KokkosMMA::Impl::Cuda {

/// How a block works. `Rows` of each strip between two barriers, `Groups` of
/// such rows in the ring, `Across` threads for a row of a strip, `Pause` rows
/// from the one before which the first warp of a scheduler loads and stores to
/// the one before which the next does, so that one keeps the tensor cores busy,
/// `Stores` rows stored at once.
template <int Warps, int Rows, int Groups, int Across, int Pause, int Stores>
struct DenseBandBlock {
  static constexpr int warps   = Warps;  ///< 8 columns each
  static constexpr int rows    = Rows;
  static constexpr int groups  = Groups;
  static constexpr int across  = Across;
  static constexpr int pause   = Pause;
  static constexpr int stores  = Stores;
  static constexpr int threads = 32 * warps;
  static constexpr int columns = 8 * warps;
  static_assert(warps % 4 == 0 && (warps / 4 - 1) * pause < rows);
};

/// 16384^2 elements, radius 7, 10^9 sums per second (H200, CUDA 13.0,
/// 2026-11-22).
template <class Element>
struct DenseBandTuning {
  // 480. Former states of the kernel: 500, 3 steps in a turn and 12 rows in 2
  // groups 464; 384, 12 warps with 168 registers each, which leave few products
  // on their way, 372.
  using Block   = DenseBandBlock<8, 8, 3, 8, 4, 4>;
  using Sum     = float;
  using Operand = std::uint16_t;
  using Reaches = std::integer_sequence<int, 4, 7, 8>;
  template <int Reach>
  using Band = WarpDenseBand16<Warp, scalar_v<Element>, Reach>;
};
template <>
struct DenseBandTuning<float> {
  // 182; 12 warps that take one row in a step 105. Without tensor cores 187,
  // 141 and 108 at radius 5, 6 and 7.
  using Block   = DenseBandBlock<8, 4, 3, 8, 2, 2>;
  using Sum     = float;
  using Operand = std::uint16_t;
  using Reaches = std::integer_sequence<int, 7>;
  template <int Reach>
  using Band = WarpDenseBand16<Warp, Scalar::float32, Reach>;
};
template <>
struct DenseBandTuning<double> {
  // 78. Former states of the kernel: 74.9, all warps at once 71.4, pauses of 1
  // row 74.0; 69.7, 3 rows in 4 groups 64.7. Other reaches: 4 has 163 at radius
  // 4, 5 has 101 at radius 5; without tensor cores 154, 105, 81 and 62 at
  // radius 4, 5, 6 and 7.
  using Block   = DenseBandBlock<8, 5, 2, 16, 2, 1>;
  using Sum     = double;
  using Operand = double;
  using Reaches = std::integer_sequence<int, 7>;
  template <int Reach>
  using Band = WarpDenseBand<Warp, Reach>;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
