// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_GENERAL_STENCIL_HPP
#define KOKKOSMMA_CUDA_GENERAL_STENCIL_HPP

#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_KernelParameters.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_RunKernel.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_StoreValues.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SlabSource.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

/// \file
/// Stencils with any weights. Each row of weights is read in groups, with a
/// mask of the weights that are not zero.

namespace KokkosMMA::Impl::Cuda {

template <class A, int R, class Element, class Epilogue>
struct GeneralKernel {
  using Index                  = std::int64_t;
  static constexpr int vector  = 16 / int(sizeof(Element));
  static constexpr int group   = vector < 8 ? vector : 8;  // columns per thread
  static constexpr int threads = 256;
  static constexpr int min_blocks  = 2;
  static constexpr int rows        = R > 1 ? 4 : 1;  // per thread
  static constexpr int tile_width  = (R > 1 ? 32 : threads) * group;
  static constexpr int tile_height = R > 1 ? threads / 32 * rows : 1;

  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int padding(int radius) {
    return (radius + vector - 1) / vector * vector;
  }
  /// Includes elements after the last one, which a thread reads but does not
  /// use.
  static constexpr int slab_bytes(int radius, int radius_y) {
    return ((tile_width + 2 * padding(radius)) * (tile_height + 2 * radius_y) +
            vector) *
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

  struct Task {
    SlabSource<Element, R> source;
    SumStore<group, A, R, Epilogue> store;
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

  __device__ __forceinline__ static void run(Task const& in) {
    KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, memory);
    Element* const slab = reinterpret_cast<Element*>(memory);
    int const radius_z  = R > 2 ? in.source.radius[0] : 0;
    int const radius_y  = R > 1 ? in.source.radius[R > 1 ? R - 2 : 0] : 0;
    int const width_y   = 2 * radius_y + 1;
    int const pad       = padding(in.source.radius[R - 1]);
    int const pitch     = tile_width + 2 * pad;
    int const of_plane  = width_y * in.groups * group;
    auto* const masks =
        reinterpret_cast<std::uint64_t*>(memory + in.weights_at);
    A* const weights = reinterpret_cast<A*>(masks + width_y + width_y % 2);

    int const warp      = int(threadIdx.x / 32);
    int const lane      = int(threadIdx.x % 32);
    unsigned const tile = blockIdx.x % in.tiles;
    Index const plane   = in.first_plane + blockIdx.x / in.tiles;
    Index const tile_x  = in.origin + Index(tile % in.tiles_x) * tile_width;
    Index const tile_y  = Index(tile / in.tiles_x) * tile_height;
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
        in.source.load(slab, 1, pitch / vector, 0, 0, tile_x - pad,
                       int(threadIdx.x), threads);
      } else {
        Index const y = tile_y - radius_y;
        in.source.load(slab, tile_height + 2 * radius_y, pitch / vector,
                       R > 2 ? plane + dz - radius_z : y, y, tile_x - pad,
                       int(threadIdx.x), threads);
      }
      CopyAsync16::commit();
      for (int i = int(threadIdx.x); i < of_plane; i += threads)
        weights[i] = in.weights[dz * of_plane + i];
      for (int i = int(threadIdx.x); i < width_y; i += threads)
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

 private:
  /// Stores a thread's sums. Its first row and column are relative to those of
  /// the tile.
  __device__ __forceinline__ static void store_rows(
      Task const& in, Index const& plane, Index tile_y, int thread_y,
      Index const& tile_x, int thread_x, A const (&sums)[rows][group],
      A* staging) {
#pragma unroll
    for (int y = 0; y < rows; ++y) {
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
};

template <class A, int R, class Element, class Epilogue>
void launch_general_stencil(Stream const& space,
                            StencilGrid<Element, R> const& grid,
                            StencilWeights<R> const& weights,
                            Epilogue const& epilogue) {
  using Shape       = GeneralKernel<A, R, Element, Epilogue>;
  auto const kernel = run_kernel_on_copy<Shape>;
  DirectTable<A> const table(weights, Shape::group);
  std::size_t const weight_words =
      (table.weights.size() * sizeof(A) + sizeof(std::uint64_t) - 1) /
      sizeof(std::uint64_t);
  std::vector<std::uint64_t> words(weight_words + table.masks.size());
  std::memcpy(words.data(), table.weights.data(),
              table.weights.size() * sizeof(A));
  std::copy(table.masks.begin(), table.masks.end(),
            words.begin() + std::ptrdiff_t(weight_words));
  StreamScratch const scratch(space);
  auto* const memory = static_cast<std::uint64_t*>(
      scratch->segments(words.size() * sizeof(std::uint64_t)));
  store_table(space, memory, words);

  StencilAlignment const alignment =
      stencil_alignment<Shape::group>(grid, epilogue);
  std::int64_t const columns = grid.extent[R - 1] - alignment.origin;
  std::int64_t const across =
      (columns + Shape::tile_width - 1) / Shape::tile_width;
  std::int64_t tiles = across;
  int radius_y       = 0;
  if constexpr (R > 1) {
    tiles *= (grid.extent[R - 2] + Shape::tile_height - 1) / Shape::tile_height;
    radius_y = weights.radius(R - 2);
  }
  typename Shape::Task in{slab_source(grid, weights.radius(), alignment.loads),
                          {epilogue, grid.extent[R - 1], alignment.stores},
                          reinterpret_cast<A const*>(memory),
                          memory + weight_words,
                          alignment.origin,
                          checked_blocks(across),
                          checked_blocks(tiles),
                          table.reach,
                          table.groups,
                          Shape::weights_at(weights.radius(R - 1), radius_y),
                          0};
  int const shared =
      Shape::shared_bytes(weights.radius(R - 1), radius_y, table.groups);
  kernel_facts(space.device, kernel, Shape::threads, Shape::max_bytes);
  // A launch has at most most_blocks blocks; many small planes need more.
  std::int64_t const planes  = R > 2 ? grid.extent[0] : 1;
  std::int64_t const at_once = most_blocks / tiles;
  for (; in.first_plane < planes; in.first_plane += at_once)
    launch_kernel(space, "general_stencil", kernel,
                  {unsigned(tiles * std::min(at_once, planes - in.first_plane)),
                   Shape::threads, shared},
                  in);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
