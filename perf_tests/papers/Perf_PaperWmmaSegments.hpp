// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_PAPER_WMMA_SEGMENTS_HPP
#define KOKKOSMMA_PERF_PAPER_WMMA_SEGMENTS_HPP

#include "papers/Perf_PaperWmma.hpp"

/// Sums and inclusive scans of segments of halves in plain nvcuda::wmma, with
/// fp32 sums, for lengths that are multiples of 16 below 256, and of 256.
///
/// Source: Dakkak et al. 2019, written from their formulas: sixteen short
/// segments are the columns of X (sums: 1 X) or the rows of A (scans: A U, with
/// ones on and above the diagonal of U), longer ones a chain of such tiles with
/// the sums before them carried along; in a tile of one segment the rows' sums
/// come in by L (A 1), with ones below the diagonal of L, rounded to half.
namespace perf::paper {

/// Sixteen segments of `length` elements for each warp, 16 <= length < 256;
/// \p segments is a multiple of 16.
static __global__ void __launch_bounds__(256)
    short_segment_sums(__half const* x, float* sums, std::size_t segments,
                       int length) {
  std::size_t const first =
      (std::size_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32) * side;
  if (first >= segments) return;
  LeftRows ones;
  wmma::fill_fragment(ones, __half(1.f));
  Sums d;
  wmma::fill_fragment(d, 0.f);
  for (int at = 0; at < length; at += side) {
    RightColumns data;
    wmma::load_matrix_sync(data, x + first * length + at, length);
    wmma::mma_sync(d, ones, data, d);
  }
  Room& room = room_of_warp();
  wmma::store_matrix_sync(room.sums, d, side, wmma::mem_row_major);
  __syncwarp();
  int const lane = threadIdx.x % 32;
  if (lane < side) sums[first + lane] = room.sums[lane];
}

/// A segment for each warp, its length a multiple of 256.
static __global__ void __launch_bounds__(256)
    long_segment_sums(__half const* x, float* sums, std::size_t segments,
                      std::size_t length) {
  std::size_t const s =
      std::size_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (s >= segments) return;
  float const total =
      chain_total(x + s * length, length, 0, length / tile, room_of_warp());
  if (threadIdx.x % 32 == 0) sums[s] = total;
}

/// Ones on and above the diagonal, as a right operand; `Below`: strictly below
/// it, as a left one.
template <bool Below, class Fragment>
__device__ inline void load_triangle(Fragment& triangle, Room& room) {
  for (int k = threadIdx.x % 32; k < tile; k += 32) {
    int const row = k / side, column = k % side;
    bool const one   = Below ? column < row : row <= column;
    room.halves()[k] = __half(one ? 1.f : 0.f);
  }
  __syncwarp();
  wmma::load_matrix_sync(triangle, room.halves(), side);
  __syncwarp();
}

/// Sixteen segments for each warp; all in the accumulators.
static __global__ void __launch_bounds__(256)
    short_segment_scans(__half const* x, float* y, std::size_t segments,
                        int length) {
  std::size_t const first =
      (std::size_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32) * side;
  if (first >= segments) return;
  RightRows upper, ones;
  load_triangle<false>(upper, room_of_warp());
  wmma::fill_fragment(ones, __half(1.f));
  Sums before;  // of each row, in all its entries
  wmma::fill_fragment(before, 0.f);
  for (int at = 0; at < length; at += side) {
    LeftRows data;
    Sums d;
    wmma::load_matrix_sync(data, x + first * length + at, length);
    wmma::mma_sync(d, data, upper, before);
    wmma::store_matrix_sync(y + first * length + at, d, length,
                            wmma::mem_row_major);
    wmma::mma_sync(before, data, ones, before);
  }
}

/// A segment for each warp, its length a multiple of 256.
static __global__ void __launch_bounds__(256)
    long_segment_scans(__half const* x, float* y, std::size_t segments,
                       std::size_t length) {
  std::size_t const s =
      std::size_t(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (s >= segments) return;
  int const lane = threadIdx.x % 32;
  Room& room     = room_of_warp();
  LeftRows lower;
  RightRows upper, ones;
  load_triangle<true>(lower, room);
  load_triangle<false>(upper, room);
  wmma::fill_fragment(ones, __half(1.f));
  float carry = 0;
  for (std::size_t at = s * length; at < (s + 1) * length; at += tile) {
    LeftRows data;
    wmma::load_matrix_sync(data, x + at, side);
    Sums row_sums, d;
    wmma::fill_fragment(row_sums, 0.f);
    wmma::mma_sync(row_sums, data, ones, row_sums);
    round_to_room(row_sums, room);
    RightRows rounded;
    wmma::load_matrix_sync(rounded, room.halves(), side);
    __syncwarp();
    wmma::fill_fragment(d, carry);
    wmma::mma_sync(d, data, upper, d);
    wmma::mma_sync(d, lower, rounded, d);
    wmma::store_matrix_sync(room.sums, d, side, wmma::mem_row_major);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < per_lane; ++k)
      y[at + k * 32 + lane] = room.sums[k * 32 + lane];
    carry = room.sums[tile - 1];
    __syncwarp();
  }
}

}  // namespace perf::paper

#endif
