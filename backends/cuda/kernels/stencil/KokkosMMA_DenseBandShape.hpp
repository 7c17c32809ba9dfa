// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_SHAPE_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_SHAPE_HPP

#include <backends/cuda/kernels/block/KokkosMMA_VectorStore.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DenseBandTuning.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cstdint>
#include <type_traits>

namespace KokkosMMA::Impl::Cuda {

/// What a launch knows beyond the grid and the weights.
struct DenseBandWork {
  std::int64_t strip;    ///< rows of each of the 16 strips
  std::int64_t blocks;   ///< of columns
  std::int64_t low[2];   ///< elements from here ..
  std::int64_t high[2];  ///< .. to here lie in memory
  int radius[2];
  int shift;        ///< columns before the grid, for aligned loads
  int edge_weight;  ///< of a row of the blocks of columns at the boundaries
  bool aligned;     ///< vectors of the result
};

template <class Input, class Sink, int Reach>
struct DenseBandShape {
  static constexpr int reach = Reach;

  using Element = Input;
  using Tuning  = DenseBandTuning<Element>;
  using Block   = typename Tuning::Block;
  using Band    = typename Tuning::template Band<reach>;
  using Sum     = typename Tuning::Sum;
  using Operand = typename Tuning::Operand;
  using Grid    = StencilGrid<Element, 2>;
  using Index   = std::int64_t;

  static constexpr int values = 2 * Band::side + 1;  ///< of a row of weights

  /// An argument: nothing is allocated, and a graph keeps it.
  struct Task {
    Grid grid;
    DenseBandWork work;
    Operand weights[Band::taps][values];
    Sum scale;    ///< of the sums
    Sum largest;  ///< weight
    Sink sink;
  };

  /// Sums on their way out, as they are stored.
  using Staged = typename Sink::value_type;

  static constexpr int elements = 16 / int(sizeof(Element));  ///< of a vector
  static constexpr int width    = Block::columns + 2 * Band::side;
  static constexpr int vectors  = width / elements;
  static constexpr int smallest = width * int(sizeof(Element));
  // All banks: four lanes take 16 bytes of a row and 32 lanes of eight rows, or
  // 32 bytes and 16 lanes of four rows.
  static constexpr int pitch        = sizeof(Element) == 2
                                          ? (smallest / 16 | 1) * 16
                                          : (smallest + 127) / 128 * 128 + 32;
  static constexpr int group_bytes  = Block::rows * 16 * pitch;
  static constexpr int staged_pitch = Block::columns * int(sizeof(Staged)) + 16;
  static constexpr int staged_bytes = Block::rows * 16 * staged_pitch;

  using Fragment                      = typename Band::B;
  static constexpr int fragment_bytes = Band::bands * 512;

  /// Of a lane.
  struct alignas(16) Part {
    Fragment fragment;
  };

  /// Rows of the strips in some columns. In shared memory: the registers are
  /// the sums'.
  struct Segment {
    Index row;     ///< of strip 0, of the first sums
    Index column;  ///< of the first sums
    int rows;      ///< of data, in each strip
    int loaded;    ///< rows of whole steps: no sum meets what was there before
    int left;      ///< vectors that begin a row and do not lie in memory
    int right;     ///< the first of those that end it
  };

  __device__ static bool lies(Task const& task, Index column) {
    return task.work.low[1] <= column && column + elements <= task.work.high[1];
  }
  __device__ static bool is_used(Task const& task, Index row) {
    return -task.work.radius[0] <= row &&
           row < task.grid.extent[0] + task.work.radius[0];
  }

  // A thread stays with its strip and its columns and knows its addresses but
  // for the row.
  static constexpr int across       = Block::across;
  static constexpr int rows_at_once = Block::threads / across / 16;
  static_assert(Block::threads % (16 * across) == 0 &&
                Block::rows % rows_at_once == 0);
  static constexpr int rows_of_thread = Block::rows / rows_at_once;

  static constexpr int shared_bytes = Block::groups * group_bytes +
                                      2 * staged_bytes + fragment_bytes +
                                      int(sizeof(Segment));
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
