// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TILED_COPY_HPP
#define KOKKOSMMA_CUDA_TILED_COPY_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <core/loops/KokkosMMA_LayoutCopy.hpp>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

/// Copies a tile per block through shared memory, so that warps read and write
/// contiguous elements. Assignment of T is trivial.
template <class T>
__global__ void __launch_bounds__(copy_threads)
    copy_tiles(T const* from, T* to,
               KOKKOSMMA_GRID_CONSTANT TiledCopy const task) {
  constexpr unsigned columns = copy_tile_columns;
  constexpr unsigned rows    = copy_tile_rows<T>;
  constexpr unsigned warps   = copy_threads / 32;
  constexpr unsigned pitch   = columns + 1;  // no bank conflicts of columns
  __shared__ __align__(16) unsigned char memory[rows * pitch * sizeof(T)];
  T* const tile       = reinterpret_cast<T*>(memory);
  unsigned const lane = threadIdx.x % 32;
  unsigned const warp = threadIdx.x / 32;

  unsigned block         = blockIdx.x;
  unsigned const first_x = block % task.tiles_x * columns;
  block /= task.tiles_x;
  unsigned const first_y = block % task.tiles_y * rows;
  block /= task.tiles_y;
  for (int d = 0; d < task.others; ++d) {
    unsigned const index = block % task.extent[d];
    block /= task.extent[d];
    from += index * task.from[d];
    to += index * task.to[d];
  }

  unsigned const x = first_x + lane;
#pragma unroll
  for (unsigned row = warp; row < rows; row += warps) {
    unsigned const y = first_y + row;
    if (x < task.x && y < task.y)
      tile[row * pitch + lane] = from[x + y * task.from_y];
  }
  __syncthreads();
#pragma unroll
  for (unsigned part = warp; part < columns * (rows / 32); part += warps) {
    unsigned const column = part % columns;
    unsigned const row    = part / columns * 32 + lane;
    unsigned const y      = first_y + row;
    if (first_x + column < task.x && y < task.y)
      to[(first_x + column) * task.to_x + y] = tile[row * pitch + column];
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
