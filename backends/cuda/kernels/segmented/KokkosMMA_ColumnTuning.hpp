// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_COLUMN_TUNING_HPP
#define KOKKOSMMA_CUDA_COLUMN_TUNING_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <algorithm>

/// \file
/// Launch shapes of column reductions and scans.

namespace KokkosMMA::Impl::Cuda {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

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
}  // namespace KokkosMMA::Impl::Cuda

#endif
