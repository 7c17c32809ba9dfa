// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PAPER_REDUCE_HPP
#define KOKKOSMMA_CUDA_PAPER_REDUCE_HPP

#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_MmaReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/base/KokkosMMA_Bits.hpp>
#include <core/papers/KokkosMMA_PaperSettings.hpp>
#include <core/papers/KokkosMMA_WarpPapers.hpp>
#include <core/papers/KokkosMMA_WarpSumFloat.hpp>

#include <cuda_fp16.h>

/// \file
/// Formulations of a sum of half_t in papers, for comparison: R chained MMAs
/// and a second MMA per warp and pass (`single_pass`), the same with every
/// other warp adding by shuffles (`split`), and a chain of one with a pass over
/// the totals for each level (`recurrence`); beside them the library's own
/// kernel with any chain and block (`chained`). perf_paper measures them.
///
/// Source: Navarro et al. 2020, sections 4 and 5. Two differences: sums are in
/// fp32, and blocks are joined in a fixed order instead of by atomics.

namespace KokkosMMA::Impl::Cuda {

/// Sum of the 8 half values of a vector on the CUDA cores.
__device__ inline float sum_of_halves(Vector16 const& v) {
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    __half2 bits;
    memcpy(&bits, &v[i], sizeof(bits));
    float2 const pair = __half22float2(bits);
    sum += pair.x + pair.y;
  }
  return sum;
}

/// Sums `chain_length` vectors per lane and pass in each warp. `Split`: odd
/// warps add by shuffles.
template <bool Split, class T>
__global__ void __launch_bounds__(mma_tuning.threads, mma_tuning.min_blocks)
    paper_reduce(VectorRange const range, int const chain_length,
                 GridScratch const scratch, ResultTarget<T> const target) {
  Warp const warp;
  int const lane       = threadIdx.x % 32;
  unsigned const warps = blockDim.x / 32;
  std::uint64_t const in_grid =
      std::uint64_t(blockIdx.x) * warps + threadIdx.x / 32;
  std::uint64_t const stride = std::uint64_t(gridDim.x) * warps;
  std::uint64_t const pass   = std::uint64_t(chain_length) * 32;
  bool const on_cuda_cores   = Split && threadIdx.x / 32 % 2 == 1;
  float total                = 0;

  for (std::uint64_t first = range.begin + in_grid * pass; first < range.end;
       first += stride * pass) {
    MmaF16::C column_sums{};  // (16,8)
    for (int r = 0; r < chain_length; ++r) {
      std::uint64_t const at = first + r * 32 + lane;
      Vector16 const v = at < range.end ? load_vector(range, at) : Vector16{};
      if (on_cuda_cores)
        total += sum_of_halves(v);
      else
        add_column_sums(warp, column_sums, v);
    }
    if (!on_cuda_cores) total += total_of_column_sums(warp, column_sums);
  }
  if (blockIdx.x == 0 && threadIdx.x < 32)
    total += sum_of_halves(edge_vector<2>(range, lane));

  last_block_reduce(total, Plus<float>{}, scratch,
                    [&](float sum) { target.store(static_cast<T>(sum)); });
}

/// First level of the recurrence: one total per 256 values. // (n / 256)
template <class Total>
__global__ void __launch_bounds__(mma_tuning.threads)
    paper_level_of_halves(VectorRange const range, Total* const totals,
                          std::uint64_t const count) {
  Warp const warp;
  int const lane             = threadIdx.x % 32;
  std::uint64_t const stride = std::uint64_t(gridDim.x) * blockDim.x / 32;
  for (std::uint64_t t =
           (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
       t < count; t += stride) {
    std::uint64_t const at = range.begin + t * 32 + lane;
    MmaF16::C column_sums{};  // (16,8)
    add_column_sums(warp, column_sums,
                    at < range.end ? load_vector(range, at) : Vector16{});
    float total = total_of_column_sums(warp, column_sums);
    if (t == 0) {
      total += sum_of_halves(edge_vector<2>(range, lane));
    }
    for (int offset = 16; offset > 0; offset /= 2)
      total += __shfl_down_sync(0xffffffffu, total, offset);
    if (lane == 0) totals[t] = total;
  }
}

/// Further levels: one total per 256 floats, split exactly. // (count)
template <class Total>
__global__ void __launch_bounds__(mma_tuning.threads)
    paper_level_of_floats(Total const* const from, std::uint64_t const size,
                          Total* const totals, std::uint64_t const count) {
  int const lane             = threadIdx.x % 32;
  std::uint64_t const stride = std::uint64_t(gridDim.x) * blockDim.x / 32;
  for (std::uint64_t t =
           (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
       t < count; t += stride) {
    Vector16 v[2];
    for (int i = 0; i < 8; ++i) {
      std::uint64_t const at = t * 256 + i * 32 + lane;
      v[i / 4][i % 4] = at < size ? bit_cast<std::uint32_t>(from[at]) : 0u;
    }
    WarpSumFloat<Warp> sum(Warp{}, 1);
    sum.add(v[0], v[1]);
    float total = sum.finish();
    for (int offset = 16; offset > 0; offset /= 2)
      total += __shfl_down_sync(0xffffffffu, total, offset);
    if (lane == 0) totals[t] = total;
  }
}

/// Stores the one total of the last level in the target.
template <class T>
__global__ void paper_store(float const* const total,
                            ResultTarget<T> const target) {
  target.store(static_cast<T>(*total));
}

template <class T>
void launch_paper_recurrence(Stream const& space, StreamScratch const& scratch,
                             VectorRange const& range, unsigned threads,
                             T* result, bool device_accessible) {
  std::uint64_t const levels_of = 256;
  std::uint64_t const vectors   = range.end - range.begin;
  std::uint64_t count = std::max<std::uint64_t>((vectors + 31) / 32, 1);
  auto const blocks   = [&](std::uint64_t tiles) {
    return unsigned(std::clamp<std::uint64_t>(
        (tiles * 32 + threads - 1) / threads, 1, 1u << 20));
  };
  // In order on the stream: the memory is freed after the levels have run.
  float* totals[2];
  std::uint64_t const bytes[2] = {count * sizeof(float),
                                  (count / levels_of + 1) * sizeof(float)};
  cudaStream_t const stream    = space.handle;
  for (int i = 0; i < 2; ++i) {
    void* memory;
    check(cudaMallocAsync(&memory, bytes[i], stream), "cudaMallocAsync");
    totals[i] = static_cast<float*>(memory);
  }
  launch_kernel(space, "paper_level_of_halves", paper_level_of_halves<float>,
                {blocks(count), threads}, range, totals[0], count);
  int from = 0;
  while (count > 1) {
    std::uint64_t const next = (count + levels_of - 1) / levels_of;
    launch_kernel(space, "paper_level_of_floats", paper_level_of_floats<float>,
                  {blocks(next), threads}, totals[from], count,
                  totals[1 - from], next);
    from  = 1 - from;
    count = next;
  }
  scratch.deliver(result, device_accessible,
                  [&](ResultTarget<T> const& target) {
                    launch_kernel(space, "paper_store", paper_store<T>, {1, 1},
                                  totals[from], target);
                  });
  for (float* const memory : totals)
    check(cudaFreeAsync(memory, stream), "cudaFreeAsync");
}

/// Launches the formulation that `settings` names.
template <class T>
void launch_paper_reduce(Stream const& space, StreamScratch const& scratch,
                         VectorRange const& range,
                         PaperSettings const& settings, T* result,
                         bool device_accessible) {
  auto const threads = unsigned(settings.block_size);
  int const chain    = settings.chain_length;
  if (settings.formulation == Formulation::chained) {
    launch_mma_reduce(space, scratch, SumOperands<Scalar::half>{range}, result,
                      device_accessible, chain, settings.block_size);
    return;
  }
  if (settings.formulation == Formulation::recurrence) {
    launch_paper_recurrence(space, scratch, range, threads, result,
                            device_accessible);
    return;
  }
  std::uint64_t const per_block = std::uint64_t(threads) * chain;
  std::uint64_t const vectors   = range.end - range.begin;
  unsigned const blocks         = unsigned(std::clamp<std::uint64_t>(
      (vectors + per_block - 1) / per_block, 1, max_partials));
  GridScratch const grid        = scratch->grid(blocks, sizeof(float));
  scratch.deliver(
      result, device_accessible, [&](ResultTarget<T> const& target) {
        auto const launch = [&](auto split) {
          launch_kernel(space, "paper_reduce",
                        paper_reduce<decltype(split)::value, T>,
                        {blocks, threads}, range, chain, grid, target);
        };
        if (settings.formulation == Formulation::split)
          launch(std::true_type{});
        else
          launch(std::false_type{});
      });
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
