// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_GENERAL_STENCIL_HPP
#define KOKKOSMMA_CUDA_GENERAL_STENCIL_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabSource.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Stencils with any weights. Each row of weights is read in groups, with a
/// mask of the weights that are not zero.

namespace KokkosMMA::Impl::Cuda {

/// Tile sizes of the kernel for any weights.
template <class A, int R, class Element>
struct GeneralShape {
  static constexpr int vector  = 16 / int(sizeof(Element));
  static constexpr int group   = vector < 8 ? vector : 8;  // columns per thread
  static constexpr int threads = 256;
  static constexpr int rows    = R > 1 ? 4 : 1;  // per thread
  static constexpr int tile_x  = (R > 1 ? 32 : threads) * group;
  static constexpr int tile_y  = R > 1 ? threads / 32 * rows : 1;

  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int pad(int radius) {
    return (radius + vector - 1) / vector * vector;
  }
  /// Includes elements after the last one, which a thread reads but does not
  /// use.
  static constexpr int slab_bytes(int radius, int radius_y) {
    return ((tile_x + 2 * pad(radius)) * (tile_y + 2 * radius_y) + vector) *
           int(sizeof(Element));
  }
  static constexpr int staging_bytes = threads * group * int(sizeof(A));
  /// Offset of the masks and weights of a plane, after its elements.
  static constexpr int weights_at(int radius, int radius_y) {
    return (std::max(slab_bytes(radius, radius_y), staging_bytes) + 15) / 16 *
           16;
  }
  /// Includes one more row of masks, which aligns the weights.
  static constexpr int shared_bytes(int radius, int radius_y, int groups) {
    return weights_at(radius, radius_y) +
           (2 * radius_y + 2) *
               (groups * group * int(sizeof(A)) + int(sizeof(std::uint64_t)));
  }
  static constexpr int max_bytes =
      shared_bytes(16, R > 1 ? 16 : 0, 32 / group + 1);
};

template <class A, int R, class Element, class Epilogue, class Shape>
struct GeneralArguments {
  SlabSource<Element, R> source;
  SumStore<Shape::group, A, R, Epilogue> store;
  A const* weights;            ///< groups * group per row
  std::uint64_t const* masks;  ///< one per row
  std::int64_t origin;
  unsigned tiles_x;
  unsigned tiles;
  int reach;
  int groups;
  int weights_at;            ///< offset in shared memory
  std::int64_t first_plane;  ///< in three dimensions, plane of block 0
};

/// Stores a thread's sums. Its first row and column are relative to those of
/// the tile.
template <class A, int R, class Element, class Epilogue, class Shape>
__device__ __forceinline__ void store_rows(
    GeneralArguments<A, R, Element, Epilogue, Shape> const& in,
    std::int64_t const& plane, std::int64_t tile_y, int thread_y,
    std::int64_t const& tile_x, int thread_x,
    A const (&sums)[Shape::rows][Shape::group], A* staging) {
#pragma unroll
  for (int y = 0; y < Shape::rows; ++y) {
    if constexpr (R == 1) {
      std::int64_t at[1] = {tile_x + thread_x};
      in.store(at, sums[0], staging);
    } else {
      std::int64_t const row = tile_y + thread_y + y;
      if (row >= in.source.grid.extent[R - 2]) break;
      if constexpr (R == 2) {
        std::int64_t at[2] = {row, tile_x + thread_x};
        in.store(at, sums[y], staging);
      } else {
        std::int64_t at[3] = {plane, row, tile_x + thread_x};
        in.store(at, sums[y], staging);
      }
    }
  }
}

template <class A, int R, class Element, class Epilogue>
__global__ void __launch_bounds__((GeneralShape<A, R, Element>::threads), 2)
    general_stencil(GeneralArguments<A, R, Element, Epilogue,
                                     GeneralShape<A, R, Element>> const in) {
  using Shape         = GeneralShape<A, R, Element>;
  using Index         = std::int64_t;
  constexpr int group = Shape::group;
  constexpr int rows  = Shape::rows;

  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, memory);
  Element* const slab = reinterpret_cast<Element*>(memory);
  int const radius_z  = R > 2 ? in.source.radius[0] : 0;
  int const radius_y  = R > 1 ? in.source.radius[R > 1 ? R - 2 : 0] : 0;
  int const width_y   = 2 * radius_y + 1;
  int const pad       = Shape::pad(in.source.radius[R - 1]);
  int const pitch     = Shape::tile_x + 2 * pad;
  int const of_plane  = width_y * in.groups * group;
  auto* const masks = reinterpret_cast<std::uint64_t*>(memory + in.weights_at);
  A* const weights  = reinterpret_cast<A*>(masks + width_y + width_y % 2);

  int const warp      = int(threadIdx.x / 32);
  int const lane      = int(threadIdx.x % 32);
  unsigned const tile = blockIdx.x % in.tiles;
  Index const plane   = in.first_plane + blockIdx.x / in.tiles;
  Index const tile_x  = in.origin + Index(tile % in.tiles_x) * Shape::tile_x;
  Index const tile_y  = Index(tile / in.tiles_x) * Shape::tile_y;
  int const thread_x  = int(R > 1 ? lane : int(threadIdx.x)) * group;
  int const thread_y  = R > 1 ? warp * rows : 0;

  A sums[rows][group];
#pragma unroll
  for (int y = 0; y < rows; ++y)
#pragma unroll
    for (int x = 0; x < group; ++x) sums[y][x] = A(0);

#pragma unroll 1
  for (int dz = 0; dz <= 2 * radius_z; ++dz) {
    if (dz > 0) __syncthreads();
    if constexpr (R == 1) {
      in.source.load(slab, 1, pitch / Shape::vector, 0, 0, tile_x - pad,
                     int(threadIdx.x), Shape::threads);
    } else {
      Index const y = tile_y - radius_y;
      in.source.load(slab, Shape::tile_y + 2 * radius_y, pitch / Shape::vector,
                     R > 2 ? plane + dz - radius_z : y, y, tile_x - pad,
                     int(threadIdx.x), Shape::threads);
    }
    CopyAsync16::commit();
    for (int i = int(threadIdx.x); i < of_plane; i += Shape::threads)
      weights[i] = in.weights[dz * of_plane + i];
    for (int i = int(threadIdx.x); i < width_y; i += Shape::threads)
      masks[i] = in.masks[dz * width_y + i];
    CopyAsync16::wait<0>();
    __syncthreads();

    Element const* const corner =
        slab + thread_y * pitch + thread_x + pad - in.reach;
#pragma unroll 1
    for (int from = 0; from < rows + 2 * radius_y; ++from) {
      std::uint64_t mask[rows];
      std::uint64_t any = 0;
#pragma unroll
      for (int y = 0; y < rows; ++y) {
        int const dy = from - y;
        mask[y]      = 0 <= dy && dy < width_y ? masks[dy] : 0;
        any |= mask[y];
      }
      if (any == 0) continue;
      Element const* row = corner + from * pitch;
      A const* weight    = weights + from * in.groups * group;
      A values[2 * group];
      read_values<group>(row, values + group);
#pragma unroll 1
      for (; any != 0; any >>= group) {
        row += group;
#pragma unroll
        for (int x = 0; x < group; ++x) values[x] = values[group + x];
        read_values<group>(row, values + group);
#pragma unroll
        for (int y = 0; y < rows; ++y) {
          constexpr unsigned full = (1u << group) - 1;
          unsigned const taps     = unsigned(mask[y]) & full;
          mask[y] >>= group;
          if (taps == 0) continue;
          A w[group];
          read_values<group>(weight - y * in.groups * group, w);
          if (taps == full) {
#pragma unroll
            for (int t = 0; t < group; ++t)
#pragma unroll
              for (int x = 0; x < group; ++x)
                sums[y][x] = add_tap(sums[y][x], w[t], values[t + x]);
          } else {
#pragma unroll
            for (int t = 0; t < group; ++t)
              if (taps >> t & 1)
#pragma unroll
                for (int x = 0; x < group; ++x)
                  sums[y][x] = add_tap(sums[y][x], w[t], values[t + x]);
          }
        }
        weight += group;
      }
    }
  }
  // The memory of the slab is reused to exchange sums within warps.
  __syncthreads();
  store_rows(in, plane, tile_y, thread_y, tile_x, thread_x, sums,
             reinterpret_cast<A*>(memory) + warp * 32 * group);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
