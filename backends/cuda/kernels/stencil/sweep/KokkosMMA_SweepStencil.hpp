// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SWEEP_STENCIL_HPP
#define KOKKOSMMA_CUDA_SWEEP_STENCIL_HPP

#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/arch/KokkosMMA_KernelParameters.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_PlaneSweep.hpp>

#include <cstdint>

/// \file
/// Stars, dense weights and outer products. A block sweeps along the slowest
/// dimension. A thread keeps the sums of all planes to which the newest plane
/// contributes. It reads a few neighbours in that plane from shared memory,
/// each once for all these sums.

namespace KokkosMMA::Impl::Cuda {

/// Computes the sums of a thread's elements within a plane: first along rows,
/// then across them. The order is that of KokkosMMA_SeparableVolume.hpp; at
/// radius 1 the neighbours are added before the element itself.
/// \param place place(h) is the thread's first column, h rows below its corner
/// \param weight weights across rows, then those along a row
template <class Shape, class Place, class A>
__device__ __forceinline__ void sum_within_plane(
    Place const& place, A const* weight,
    A (&sums)[Shape::rows][Shape::columns]) {
  constexpr int columns = Shape::columns;
  constexpr int width   = Shape::width;
#pragma unroll
  for (int from = 0; from < Shape::rows + width - 1; ++from) {
    A values[Shape::window];
#pragma unroll
    for (int u = 0; u < Shape::window / columns; ++u)
      read_columns<columns, Shape::unaligned>(
          place(from) - Shape::side + u * columns, values + u * columns);
    A in_row[columns];
#pragma unroll
    for (int x = 0; x < columns; ++x) {
      in_row[x] = A(0);
#pragma unroll
      for (int n = 0; n < width; ++n) {
        int const dx = width == 3 && n > 0 ? 3 - n : n;
        in_row[x]    = add_tap(in_row[x], weight[width + dx],
                               values[Shape::side - width / 2 + dx + x]);
      }
    }
#pragma unroll
    for (int y = 0; y < Shape::rows; ++y) {
      int const dy = from - y;
      if (dy < 0 || dy >= width) continue;
#pragma unroll
      for (int x = 0; x < columns; ++x)
        sums[y][x] = add_tap(dy > 0 ? sums[y][x] : A(0), weight[dy], in_row[x]);
    }
  }
}

/// Store of a kernel's arguments, used in place for a View. A functor may write
/// to its members, so that each thread has a copy.
template <bool InPlace, class Store>
struct CopiedStore {
  Store const& in_arguments;
  __device__ Store const& store() const { return in_arguments; }
};
template <class Store>
struct CopiedStore<false, Store> {
  Slot<std::remove_const_t<Store>> copy;
  __device__ explicit CopiedStore(Store const& store) {
    copy_bits(&copy.value, &store);
  }
  __device__ Store const& store() const { return copy.value; }
};

/// Sums of a thread in all planes to which the newest plane contributes. Each
/// contribution is written one index further, so that they rotate without
/// register moves.
template <class Shape, SweepPattern Pattern, int R, int Radius, class A>
struct PatternSums {
  static constexpr bool is_star = Pattern == SweepPattern::star;
  static constexpr int columns  = Shape::columns;
  static constexpr int rows     = Shape::rows;
  static constexpr int planes   = Shape::planes;
  static constexpr int reach    = Shape::reach;
  static constexpr int reach_y  = Shape::reach_y;
  static constexpr int width    = Shape::width;

  A at[planes][rows][columns];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int k = 0; k < planes; ++k)
#pragma unroll
      for (int y = 0; y < rows; ++y)
#pragma unroll
        for (int x = 0; x < columns; ++x) at[k][y][x] = A(0);
  }
  /// Sets sum k to sum k - 1 plus a tap.
  __device__ __forceinline__ void advance(int k, int y, A weight,
                                          A const* values) {
#pragma unroll
    for (int x = 0; x < columns; ++x)
      at[k][y][x] = add_tap(k > 0 ? at[k - 1][y][x] : A(0), weight, values[x]);
  }
  __device__ __forceinline__ void add(int k, int y, A weight, A const* values) {
#pragma unroll
    for (int x = 0; x < columns; ++x)
      at[k][y][x] = add_tap(at[k][y][x], weight, values[x]);
  }
  /// Adds the newest plane.
  /// \param place place(h) is the thread's first column, h rows below its
  ///   corner
  template <class Place, class Taps>
  __device__ __forceinline__ void push(Place const& place, Taps const& taps) {
    if constexpr (Pattern == SweepPattern::product) {
      A in_plane[rows][columns];
      sum_within_plane<Shape>(place, taps.weight + width, in_plane);
#pragma unroll
      for (int y = 0; y < rows; ++y)
#pragma unroll
        for (int k = planes - 1; k >= 0; --k)
          advance(k, y, taps.weight[k], in_plane[y]);
    }
    if constexpr (is_star && reach > 0) {
#pragma unroll
      for (int y = 0; y < rows; ++y) {
        A centre[columns];
        read_columns<columns, Shape::unaligned>(place(y + reach_y), centre);
#pragma unroll
        for (int k = planes - 1; k >= 0; --k) {
          if (k != reach) {
            advance(k, y, taps.weight[k], centre);
          } else {
#pragma unroll
            for (int x = 0; x < columns; ++x) at[k][y][x] = at[k - 1][y][x];
          }
        }
      }
    }
    if constexpr (Pattern != SweepPattern::product) {
#pragma unroll
      for (int from = 0; from < rows + 2 * reach_y; ++from) {
        auto const* const row = place(from);
        A values[Shape::window];
        if (!is_star || (from >= reach_y && from < rows + reach_y)) {
#pragma unroll
          for (int u = 0; u < Shape::window / columns; ++u)
            read_columns<columns, Shape::unaligned>(
                row - Shape::side + u * columns, values + u * columns);
        } else {
          read_columns<columns, Shape::unaligned>(row, values + Shape::side);
        }
#pragma unroll
        for (int y = 0; y < rows; ++y) {
          int const dy = from - y;
          if (dy < 0 || dy > 2 * reach_y) continue;
          if constexpr (is_star) {
            if (dy != reach_y) {
              add(reach, y, taps.weight[width + dy], values + Shape::side);
              continue;
            }
#pragma unroll
            for (int dx = 0; dx < width; ++dx)
              if (dx != Radius || taps.has_centre)
                add(reach, y, taps.weight[(R - 1) * width + dx],
                    values + Shape::side - Radius + dx);
          } else {
#pragma unroll
            for (int k = planes - 1; k >= 0; --k)
#pragma unroll
              for (int dx = 0; dx < width; ++dx) {
                int const tap    = (k * Shape::height + dy) * width + dx;
                A const* const v = values + Shape::side - Radius + dx;
                if (dy == 0 && dx == 0)
                  advance(k, y, taps.weight[tap], v);
                else if (tap != Shape::taps / 2 || taps.has_centre)
                  add(k, y, taps.weight[tap], v);
              }
          }
        }
      }
    }
  }
};

template <class A, int R, class Element, class Epilogue, int Radius,
          SweepPattern Pattern, bool Unaligned>
struct SweepKernel {
  using Index = std::int64_t;
  using Shape = SweepShape<A, R, Element, Radius, Pattern, Unaligned,
                           !StencilEpilogue<Epilogue>>;
  using Task  = SweepArguments<A, R, Element, Epilogue, Shape>;
  static constexpr int threads    = Shape::threads;
  static constexpr int min_blocks = Shape::min_blocks;

  __device__ __forceinline__ static void run(Task const& in) {
    constexpr int rows   = Shape::rows;
    constexpr int planes = Shape::planes;
    constexpr int reach  = Shape::reach;

    KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 128, sweep_memory);
    GridDependency::release();
    PlaneSweep<Shape, R, A, Element> const sweep(in, sweep_memory);
    CopiedStore<StencilEpilogue<Epilogue>, decltype(in.store)> const copied{
        in.store};
    auto const& store = copied.store();

    PatternSums<Shape, Pattern, R, Radius, A> sums;
    sums.clear();

    // Address of the first sum of the next plane that is stored.
    [[maybe_unused]] auto* to = [&] {
      if constexpr (R == 3 && StencilEpilogue<Epilogue>) {
        return store.address({sweep.begin, sweep.row, sweep.column});
      } else {
        return static_cast<A*>(nullptr);
      }
    }();

    auto const step = [&](Element const* corner, Index plane,
                          int const* shifts) {
      // Returns the thread's first column, `from` rows below its corner.
      auto const place = [&](int from) {
        Element const* const row = corner + from * Shape::pitch;
        if constexpr (Unaligned) {
          return row + shifts[from];
        } else {
          return row;
        }
      };
      sums.push(place, in.taps);
      if (plane - reach < sweep.begin ||
          (Shape::batch > 1 && plane - reach >= sweep.end))
        return;
#pragma unroll
      for (int y = 0; y < rows; ++y) {
        if constexpr (R == 1) {
          Index at[1] = {sweep.column + plane * Shape::tile_x};
          store(at, sums.at[0][0], sweep.staging);
        } else if constexpr (R == 2) {
          Index at[2] = {plane - reach, sweep.column};
          store(at, sums.at[planes - 1][0], sweep.staging);
        } else if ((sweep.stored >> y & 1) != 0) {
          if constexpr (StencilEpilogue<Epilogue>) {
            store.write(to + y * store.epilogue.stride[1], sweep.column,
                        sums.at[planes - 1][y], sweep.staging);
          } else {
            Index at[3] = {plane - reach, sweep.row + y, sweep.column};
            store(at, sums.at[planes - 1][y], sweep.staging);
          }
        }
      }
      if constexpr (R == 3 && StencilEpilogue<Epilogue>) {
        to += store.epilogue.stride[0];
      }
    };
    GridDependency::wait();
    sweep.over(in, [&](Element const* corner, Index plane, int const* shifts) {
    // If unrolled, the rows of a batch are read ahead into registers.
#pragma unroll 1
      for (int b = 0; b < Shape::batch; ++b)
        step(corner + b * Shape::pitch, plane + b, shifts);
    });
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
