// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_SHAPE_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_SHAPE_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorStore.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_WarpDenseBand.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace KokkosMMA::Impl::Cuda {

/// Tuning of the kernel in KokkosMMA_DenseBandStencil.hpp.
struct DenseBandTuning {
  int warps;           ///< with 8 columns of sums each
  int rows;            ///< per row panel between two barriers
  int groups;          ///< groups of `rows` rows in the ring
  int threads_across;  ///< threads that load and store a row of a row panel
  /// Rows between the loads and stores of successive warps of a scheduler:
  /// meanwhile the other warps keep the tensor cores busy.
  int pause;
  int stores;  ///< rows stored at once
};

/// Beside each row: 10^9 sums per second for 16384^2 elements at radius 7
/// (H200, CUDA 13.0, 2026-11-22). `threads_across` and `stores` were chosen in
/// the same runs; their separate effects were not recorded.
template <class Element>
constexpr DenseBandTuning dense_band_tuning() {
  // 78. Earlier version: 74.9, with all warps at once 71.4, with pause 1 74.0.
  // Another: 69.7, with 3 rows in 4 groups 64.7.
  if (std::is_same_v<Element, double>) return {8, 5, 2, 16, 2, 1};
  // 182; with 12 warps and one row per step 105.
  if (std::is_same_v<Element, float>) return {8, 4, 3, 8, 2, 2};
  // 480 for half and bfloat16. Earlier version: 500, with 3 unrolled steps and
  // 12 rows in 2 groups 464. Another: 384, with 12 warps of 168 registers,
  // which leave few MMAs in flight, 372.
  return {8, 8, 3, 8, 4, 4};
}

/// Types of the kernel and the radii along the columns for which it is
/// compiled. 10^9 sums per second of float without tensor cores: 187, 141 and
/// 108 at radius 5, 6 and 7 (16384^2 elements, H200, CUDA 13.0, 2026-11-22).
template <class Element>
struct DenseBandTypes {
  using Sum     = float;
  using Operand = std::uint16_t;
  using Reaches = std::conditional_t<std::is_same_v<Element, float>,
                                     std::integer_sequence<int, 7>,
                                     std::integer_sequence<int, 4, 7, 8>>;
  template <int Reach>
  using Band = WarpDenseBandHalf<Warp, scalar_v<Element>, Reach>;
};
/// 10^9 sums per second, as above: 163 at radius 4 if compiled for radius 4,
/// 101 at radius 5 if compiled for radius 5. Kernels without tensor cores reach
/// 154, 105, 81 and 62 at radius 4, 5, 6 and 7.
template <>
struct DenseBandTypes<double> {
  using Sum     = double;
  using Operand = double;
  using Reaches = std::integer_sequence<int, 7>;
  template <int Reach>
  using Band = WarpDenseBand<Warp, Reach>;
};

/// Parameters that the launch computes from the grid and the weights.
struct DenseBandWork {
  std::int64_t panel_rows;  ///< rows of each of the 16 row panels
  std::int64_t blocks;      ///< blocks of columns
  std::int64_t low[2];      ///< first row and column in memory
  std::int64_t high[2];     ///< end of the rows and columns in memory
  int radius[2];
  int shift;          ///< columns before the grid, for aligned loads
  int boundary_cost;  ///< cost of a row in the first and last column block,
                      ///< relative to a row in the others
  bool aligned;       ///< results may be stored as 16-byte vectors
};

template <class Input, class Epilogue, int Reach, class Tuning>
struct DenseBandShape {
  static constexpr int reach = Reach;

  using Element = Input;
  using Types   = DenseBandTypes<Element>;
  using Band    = typename Types::template Band<reach>;
  using Sum     = typename Types::Sum;
  using Operand = typename Types::Operand;
  using Grid    = StencilGrid<Element, 2>;
  using Index   = std::int64_t;

  struct Block {
    static constexpr int warps   = Tuning::value.warps;
    static constexpr int rows    = Tuning::value.rows;
    static constexpr int groups  = Tuning::value.groups;
    static constexpr int across  = Tuning::value.threads_across;
    static constexpr int pause   = Tuning::value.pause;
    static constexpr int stores  = Tuning::value.stores;
    static constexpr int threads = 32 * warps;
    static constexpr int columns = 8 * warps;
    static_assert(warps % 4 == 0 && (warps / 4 - 1) * pause < rows);
  };

  static constexpr int values = 2 * Band::side + 1;  ///< per row of weights

  /// Kernel argument. Passed by value, so that nothing is allocated and a CUDA
  /// graph contains it.
  struct Task {
    Grid grid;
    DenseBandWork work;
    Operand weights[Band::taps][values];
    Sum scale;    ///< 1 / the scale of the operands
    Sum largest;  ///< largest magnitude of a weight
    Epilogue epilogue;
  };

  /// Type of the staged sums in shared memory.
  using Staged = typename Epilogue::value_type;

  static constexpr int elements = 16 / int(sizeof(Element));  ///< per vector
  static constexpr int width    = Block::columns + 2 * Band::side;
  static constexpr int vectors  = width / elements;
  static constexpr int smallest = width * int(sizeof(Element));
  // Free of bank conflicts: either four lanes read 16 bytes of a row and 32
  // lanes eight rows, or four lanes read 32 bytes and 16 lanes four rows.
  static constexpr int pitch        = sizeof(Element) == 2
                                          ? (smallest / 16 | 1) * 16
                                          : (smallest + 127) / 128 * 128 + 32;
  static constexpr int group_bytes  = Block::rows * 16 * pitch;
  static constexpr int staged_pitch = Block::columns * int(sizeof(Staged)) + 16;
  static constexpr int staged_bytes = Block::rows * 16 * staged_pitch;

  using Fragment                      = typename Band::B;
  static constexpr int fragment_bytes = Band::bands * 512;

  /// Fragment of a band, aligned for 16-byte loads.
  struct alignas(16) Part {
    Fragment fragment;
  };

  /// Rows and columns of the row panels that a thread block sweeps over at
  /// once. In shared memory to save registers.
  struct Segment {
    Index row;     ///< row of the first sums in row panel 0
    Index column;  ///< column of the first sums
    int rows;      ///< rows of data per row panel
    int loaded;    ///< rounded up to whole steps: no sum reads stale data
    int left;      ///< number of leading chunks of a row that are not in memory
    int right;     ///< first of the trailing chunks that are not in memory
  };

  __device__ static bool lies(Task const& task, Index column) {
    return task.work.low[1] <= column && column + elements <= task.work.high[1];
  }
  __device__ static bool is_used(Task const& task, Index row) {
    return -task.work.radius[0] <= row &&
           row < task.grid.extent[0] + task.work.radius[0];
  }

  // A thread keeps its row panel and its columns, so that only the row changes
  // in its addresses.
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
