// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_PAPER_WMMA_HPP
#define KOKKOSMMA_PERF_PAPER_WMMA_HPP

#include <cuda_fp16.h>
#include <mma.h>

#include <cstddef>

/// The papers' sums of halves in plain nvcuda::wmma, written from their
/// formulas: a chain of R products with ones from the left,
///   D = 1 X_1 + ... + 1 X_R   (column sums, all rows alike),
/// and one with ones from the right, T = D 1 (the total in every entry). Sums
/// are fp32; D is rounded to half to be an operand again, since wmma has no
/// other operands for such products and no known place for the entries of a
/// fragment: it goes through shared memory. Blocks are joined by atomics.
///
/// Source: Carrasco, Vega, Navarro 2018; Navarro et al. 2020, sections 4 and 5:
/// `recurrence`, `single_pass`, `split`. Kept for comparison with the product.
namespace perf::paper {

namespace wmma = nvcuda::wmma;

inline constexpr int side      = 16;
inline constexpr int tile      = side * side;
inline constexpr int per_lane  = tile / 32;
inline constexpr int max_warps = 32;

using LeftRows =
    wmma::fragment<wmma::matrix_a, side, side, side, __half, wmma::row_major>;
using RightRows =
    wmma::fragment<wmma::matrix_b, side, side, side, __half, wmma::row_major>;
using RightColumns =
    wmma::fragment<wmma::matrix_b, side, side, side, __half, wmma::col_major>;
using Sums = wmma::fragment<wmma::accumulator, side, side, side, float>;

/// A matrix of a warp in shared memory, as floats or as halves.
struct alignas(32) Room {
  float sums[tile];
  __device__ __half* halves() { return reinterpret_cast<__half*>(sums); }
};

/// An accumulator into the room, rounded to half.
__device__ inline void round_to_room(Sums const& d, Room& room) {
  int const lane = threadIdx.x % 32;
  wmma::store_matrix_sync(room.sums, d, side, wmma::mem_row_major);
  __syncwarp();
  float kept[per_lane];
#pragma unroll
  for (int k = 0; k < per_lane; ++k) kept[k] = room.sums[k * 32 + lane];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < per_lane; ++k)
    room.halves()[k * 32 + lane] = __float2half(kept[k]);
  __syncwarp();
}

/// D += 1 X for the 256 elements from `at` on, zeros from n on.
__device__ inline void add_tile(Sums& d, LeftRows const& ones, __half const* x,
                                std::size_t n, std::size_t at, Room& room) {
  RightRows data;
  if (at + tile <= n) {
    wmma::load_matrix_sync(data, x + at, side);
  } else {
    int const lane = threadIdx.x % 32;
    __syncwarp();
    for (int k = lane; k < tile; k += 32)
      room.halves()[k] = at + k < n ? x[at + k] : __half(0.f);
    __syncwarp();
    wmma::load_matrix_sync(data, room.halves(), side);
    __syncwarp();
  }
  wmma::mma_sync(d, ones, data, d);
}

/// T = D 1.
/// \return the total, in every lane
__device__ inline float total_of(Sums const& d, Room& room) {
  round_to_room(d, room);
  LeftRows column_sums;
  wmma::load_matrix_sync(column_sums, room.halves(), side);
  RightRows ones;
  wmma::fill_fragment(ones, __half(1.f));
  Sums total;
  wmma::fill_fragment(total, 0.f);
  wmma::mma_sync(total, column_sums, ones, total);
  __syncwarp();
  return total.x[0];  // all entries are alike
}

/// The sum of `chain` tiles of a warp.
/// \return it, in every lane
__device__ inline float chain_total(__half const* x, std::size_t n,
                                    std::size_t first, std::size_t chain,
                                    Room& room) {
  LeftRows ones;
  wmma::fill_fragment(ones, __half(1.f));
  Sums d;
  wmma::fill_fragment(d, 0.f);
  for (std::size_t r = 0; r < chain && first + r * tile < n; ++r)
    add_tile(d, ones, x, n, first + r * tile, room);
  return total_of(d, room);
}

__device__ inline float sum_of_lanes(float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

/// The same elements added by shuffles.
/// \return the sum, in lane 0
__device__ inline float shuffled_total(__half const* x, std::size_t n,
                                       std::size_t first, std::size_t chain) {
  int const lane = threadIdx.x % 32;
  float sum      = 0;
  for (std::size_t r = 0; r < chain; ++r) {
    std::size_t const at = first + r * tile + lane * per_lane;
    if (at + per_lane <= n) {
      float4 const bits     = *reinterpret_cast<float4 const*>(x + at);
      __half const* const v = reinterpret_cast<__half const*>(&bits);
#pragma unroll
      for (int k = 0; k < per_lane; ++k) sum += __half2float(v[k]);
    } else {
      for (int k = 0; k < per_lane && at + k < n; ++k)
        sum += __half2float(x[at + k]);
    }
  }
  return sum_of_lanes(sum);
}

/// The totals of a block's warps, added to the result by one atomic.
__device__ inline void add_block(float warp_total, float* partial,
                                 float* result) {
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) partial[warp] = warp_total;
  __syncthreads();
  if (warp != 0) return;
  float const sum = sum_of_lanes(
      lane < static_cast<int>(blockDim.x / 32) ? partial[lane] : 0.f);
  if (lane == 0) atomicAdd(result, sum);
}

// 32 bytes: what wmma asks of a matrix in memory.
extern __shared__ __align__(32) unsigned char paper_memory[];
__device__ inline Room& room_of_warp() {
  return reinterpret_cast<Room*>(paper_memory)[threadIdx.x / 32];
}

/// A chain of R tiles for each warp; with `Split` every other warp adds its own
/// by shuffles.
template <bool Split>
__global__ void __launch_bounds__(1024)
    single_pass(__half const* x, std::size_t n, int chain, float* result) {
  __shared__ float partial[max_warps];
  std::size_t const warp =
      std::size_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  std::size_t const first = warp * chain * tile;
  float const total       = Split && threadIdx.x / 32 % 2 == 1
                                ? shuffled_total(x, n, first, chain)
                                : chain_total(x, n, first, chain, room_of_warp());
  add_block(total, partial, result);
}

/// A level of the recurrence: a chain of R tiles becomes one half.
/// \param totals ceil(n / (256 R))
static __global__ void __launch_bounds__(1024)
    recurrence_level(__half const* x, std::size_t n, int chain,
                     __half* totals) {
  std::size_t const warp =
      std::size_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  std::size_t const first = warp * chain * tile;
  if (first >= n) return;
  float const total = chain_total(x, n, first, chain, room_of_warp());
  if (threadIdx.x % 32 == 0) totals[warp] = __float2half(total);
}
static __global__ void recurrence_result(__half const* total, float* result) {
  *result = __half2float(*total);
}

/// The classic reduction: one element for each thread, warps by shuffles.
static __global__ void __launch_bounds__(1024)
    shuffle_reduction(__half const* x, std::size_t n, float* result) {
  __shared__ float partial[max_warps];
  std::size_t const i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  add_block(sum_of_lanes(i < n ? __half2float(x[i]) : 0.f), partial, result);
}

}  // namespace perf::paper

#endif
