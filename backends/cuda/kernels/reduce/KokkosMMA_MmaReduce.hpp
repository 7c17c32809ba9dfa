// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_MMA_REDUCE_HPP
#define KOKKOSMMA_CUDA_MMA_REDUCE_HPP

#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

namespace KokkosMMA::Impl::Cuda {

__device__ inline Vector16 load_vector(VectorRange const& range,
                                       std::uint64_t vector) {
  return load_constant(reinterpret_cast<uint4 const*>(range.base) + vector);
}

/// Operands of one step of a sum: two vectors of x.
template <Scalar Input>
struct SumOperands {
  static_assert(size_of(Input) != 4, "additions are as fast");
  using Accumulator                     = WarpSum<Warp, Input>;
  static constexpr int vectors_per_step = 2;
  static constexpr int element_bytes    = size_of(Input);
  VectorRange x;

  __host__ __device__ VectorRange const& range() const { return x; }
  template <class Guard>
  __device__ void load(Vector16 (&step)[2], std::uint64_t first,
                       std::uint64_t stride, Guard const& inside) const {
    step[0] = inside(first) ? load_vector(x, first) : Vector16{};
    step[1] =
        inside(first + stride) ? load_vector(x, first + stride) : Vector16{};
  }
  __device__ void load_edge(Vector16 (&step)[2], int lane) const {
    step[0] = edge_vector<element_bytes>(x, lane);
    step[1] = Vector16{};
  }
};

/// Operands of one step of a dot product: one vector of x and the vector of y
/// at the same index.
template <Scalar Input>
struct DotOperands {
  static_assert(size_of(Input) <= 2 || Input == Scalar::float64,
                "products of wider elements are not exact");
  using Accumulator                     = WarpDot<Warp, Input>;
  static constexpr int vectors_per_step = 1;
  static constexpr int element_bytes    = size_of(Input);
  VectorRange x;
  VectorRange y;

  __host__ __device__ VectorRange const& range() const { return x; }
  template <class Guard>
  __device__ void load(Vector16 (&step)[2], std::uint64_t first, std::uint64_t,
                       Guard const& inside) const {
    bool const in = inside(first);
    step[0]       = in ? load_vector(x, first) : Vector16{};
    step[1]       = in ? load_vector(y, first) : Vector16{};
  }
  __device__ void load_edge(Vector16 (&step)[2], int lane) const {
    step[0] = edge_vector<element_bytes>(x, lane);
    step[1] = edge_vector<element_bytes>(y, lane);
  }
};

/// Reduces all 16-byte vectors of the data with chained MMA. Every thread has
/// mma_tuning.vectors loads in flight. The first warp of the grid gathers the
/// elements before the first and after the last whole vector, padded with
/// zeros.
template <class Operands, class T>
__global__ void __launch_bounds__(mma_tuning.threads,
                                  min_blocks_of<mma_tuning.min_blocks, 1>)
    mma_reduce(Operands const operands, int const chain_length,
               GridScratch const scratch, ResultTarget<T> const target) {
  using Accumulator      = typename Operands::Accumulator;
  constexpr int per_step = Operands::vectors_per_step;
  constexpr int steps    = mma_tuning.vectors / 2;

  VectorRange const& range   = operands.range();
  std::uint64_t const stride = std::uint64_t(gridDim.x) * blockDim.x;
  Accumulator accumulator(Warp{}, chain_length);
  Vector16 loaded[steps][2];  // (steps,2) per thread

  std::uint64_t const tile = std::uint64_t(blockDim.x) * steps * per_step;
  std::uint64_t done       = range.begin;
  for (; done + tile * gridDim.x <= range.end; done += tile * gridDim.x) {
    std::uint64_t const first = done + blockIdx.x * tile + threadIdx.x;
    auto const always         = [](std::uint64_t) { return true; };
#pragma unroll
    for (int s = 0; s < steps; ++s)
      operands.load(loaded[s], first + s * per_step * blockDim.x, blockDim.x,
                    always);
#pragma unroll
    for (int s = 0; s < steps; ++s) accumulator.add(loaded[s][0], loaded[s][1]);
  }

  // The loop bound is uniform in a warp: its lanes execute each MMA together.
  std::uint64_t const in_grid =
      std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::uint64_t base = done + in_grid - threadIdx.x % 32; base < range.end;
       base += 2 * per_step * stride) {
    auto const inside = [&](std::uint64_t vector) {
      return vector < range.end;
    };
#pragma unroll
    for (int s = 0; s < 2; ++s)
      operands.load(loaded[s], base + threadIdx.x % 32 + s * per_step * stride,
                    stride, inside);
#pragma unroll
    for (int s = 0; s < 2; ++s) accumulator.add(loaded[s][0], loaded[s][1]);
  }
  if (blockIdx.x == 0 && threadIdx.x < 32 && range.has_edges()) {
    operands.load_edge(loaded[0], threadIdx.x);
    accumulator.add(loaded[0][0], loaded[0][1]);
  }

  auto value = accumulator.finish();
  last_block_reduce(value, Plus<decltype(value)>{}, scratch, [&](auto total) {
    target.store(
        static_cast<T>(static_cast<typename Accumulator::Total>(total)));
  });
}

/// Launches on the stream of `space`; StreamScratch::deliver() says when the
/// result is available.
template <class Operands, class T>
void launch_mma_reduce(Stream const& space, StreamScratch const& scratch,
                       Operands const& operands, T* result,
                       bool device_accessible,
                       int chain_length = mma_tuning.chain_length,
                       int block_size   = mma_tuning.threads) {
  LaunchShape const shape = mma_reduce_shape(
      operands.range().end - operands.range().begin,
      device(space.device).multiprocessors, max_partials, block_size);
  using Partial =
      decltype(std::declval<typename Operands::Accumulator&>().finish());
  GridScratch const grid = scratch->grid(shape.blocks, sizeof(Partial));
  scratch.deliver(result, device_accessible,
                  [&](ResultTarget<T> const& target) {
                    launch_kernel(space, "mma_reduce", mma_reduce<Operands, T>,
                                  {shape.blocks, shape.threads}, operands,
                                  chain_length, grid, target);
                  });
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
