// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_COLUMN_TUNING_HPP
#define KOKKOSMMA_CUDA_COLUMN_TUNING_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

#include <algorithm>

/// \file
/// How reductions and scans of columns are laid over a multiprocessor.

namespace KokkosMMA::Impl::Cuda {

/// Under the caps that hold for sm_90 ptxas 13.0 spills on sm_80. The grids
/// stay what the tunings say.
template <class Tuned>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr int column_min_blocks = 1;
#else
inline constexpr int column_min_blocks = Tuned::min_blocks;
#endif

template <class Sums>
struct ColumnReduceTuning {
  using Value = typename Sums::Value;
  // Running values and vectors in flight share the registers.
  static constexpr bool use_mma   = Sums::deep > 1 && Sums::registers >= 32;
  static constexpr bool wide      = use_mma || Sums::registers >= 16;
  static constexpr int threads    = wide ? 256 : 512;
  static constexpr int min_blocks = wide && !use_mma ? 3 : 2;
  static constexpr int warps      = threads / 32;
  static constexpr int loads =
      Sums::registers >= 48 || (wide && !use_mma) ? 4 : 8;
};

template <class Sums>
inline constexpr int column_reduce_memory = ColumnReduceTuning<Sums>::warps*
    Sums::width* Sums::elements* int(sizeof(typename Sums::Value));

/// Two tiles of a block wait in shared memory for what comes before them, a
/// third is loaded: 10 warps of 8 rows of 16 bytes are 40 KB each.
struct ColumnScanTuning {
  static constexpr int threads    = 320;
  static constexpr int min_blocks = 2;
  static constexpr int warps      = threads / 32;
};

template <Scalar Input, int Elements>
inline constexpr int column_bytes = Elements* size_of(Input);

/// Rows that a lane loads at a time, from the bytes that it loads of each.
template <int Bytes>
inline constexpr int column_scan_rows = std::min(32, 128 / Bytes);

/// What a column scan loads and stores at a time: the larger of both sides has
/// 16 bytes, or there is one element.
template <int InputBytes, int OutputBytes>
inline constexpr int column_scan_elements =
    std::min(8, 16 / std::max(InputBytes, OutputBytes));

}  // namespace KokkosMMA::Impl::Cuda

#endif
