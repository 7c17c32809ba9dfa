// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions and scans of ranges by calls of the application's functor.

#include "DeviceMemory.hpp"

#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_StreamedReduce.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_StreamedScan.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

Kokkos::Cuda const space;

unsigned blocks_of(std::uint64_t tiles) {
  return unsigned(std::min<std::uint64_t>(
      tiles, 2 * std::uint64_t(Impl::Cuda::device(0).multiprocessors)));
}

std::uint64_t random_size(int n, Random& random) {
  return n < 6 ? std::uint64_t(n)
               : std::uint64_t(random.integer(1, n % 2 ? 200 : 70000));
}

/// A sum that does not commute: the values and their number.
struct Chain {
  std::int64_t sum;
  std::int32_t first, last;  ///< -1: none
};
struct ChainReducer {
  void init(Chain* value) const { *value = {0, -1, -1}; }
  /// `from` follows `into`: where it does not, the sum is spoilt.
  void join(Chain* into, Chain const* from) const {
    if (from->first < 0) return;
    if (into->first >= 0 && into->last + 1 != from->first) into->sum = -1000000;
    into->sum += from->sum;
    if (into->first < 0) into->first = from->first;
    into->last = from->last;
  }
  void final(Chain*) const {}
};

TEST(CallKernels, ScansKeepTheOrder) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 1; n < 12; ++n) {
    any_device(random);
    std::uint64_t const size = random_size(n, random);
    SCOPED_TRACE(size);
    std::vector<std::int64_t> y(size, -1);
    std::vector<int> calls(size, 0);
    auto const call = [y = y.data(), calls = calls.data()](
                          std::int64_t i, Chain& value, bool is_final) {
      if (value.first < 0) value.first = std::int32_t(i);
      value.sum += i % 7;
      value.last = std::int32_t(i);
      if (is_final) {
        y[i] = value.sum;
        ++calls[i];
      }
    };
    using Scanned = Impl::Cuda::ScannedValue<ChainReducer, Chain>;
    using Tuning =
        Impl::Cuda::tuning_type<Impl::streamed_scan_tuning(sizeof(Chain))>;
    constexpr unsigned threads = Tuning::value.threads;
    unsigned const rows = Impl::streamed_scan_rows(Impl::Cuda::tuning(space),
                                                   Tuning::value, size);
    auto const tiles = unsigned((size + threads * rows - 1) / (threads * rows));
    Chain total{};
    Impl::Cuda::launch_kernel(
        space, "streamed_scan",
        Impl::Cuda::streamed_scan<Scanned, Tuning, std::int64_t, Chain,
                                  std::remove_const_t<decltype(call)>,
                                  ChainReducer>,
        {blocks_of(tiles), threads + 32,
         int(sizeof(Impl::Cuda::StreamedScanMemory<Chain, Tuning>))},
        call, ChainReducer(), std::int64_t(0), size, rows, tiles,
        Impl::Cuda::StreamScratch(space)->scan(
            Impl::Cuda::look_back_words<Chain>(tiles)),
        Impl::Cuda::ResultTarget<Chain>{&total, nullptr});
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      sum += std::int64_t(i) % 7;
      ASSERT_EQ(calls[i], 1) << i;
      ASSERT_EQ(y[i], sum) << i;
    }
    EXPECT_EQ(total.sum, sum);
  }
}

constexpr auto streamed = Impl::streamed_tuning(8);

struct PlusReducer {
  void init(std::int64_t* value) const { *value = 0; }
  void join(std::int64_t* into, std::int64_t const* from) const {
    *into += *from;
  }
  void final(std::int64_t*) const {}
};

/// The sum of a reduction in so many blocks.
template <class Call>
std::int64_t sum_of(Call const& call, std::int64_t begin, std::uint64_t size,
                    unsigned blocks, unsigned threads) {
  using Running      = Impl::Cuda::RunningValue<PlusReducer, std::int64_t>;
  using Tuning       = Impl::Cuda::tuning_type<streamed>;
  std::int64_t total = -1;
  Impl::Cuda::launch_kernel(
      space, "streamed_reduce",
      Impl::Cuda::streamed_reduce<Running, Tuning, std::int64_t, std::int64_t,
                                  Call, PlusReducer>,
      {blocks, threads}, call, PlusReducer(), begin, size,
      Impl::Cuda::StreamScratch(space)->grid(blocks, sizeof(std::int64_t)),
      Impl::Cuda::ResultTarget<std::int64_t>{&total, nullptr});
  return total;
}

TEST(CallKernels, ReductionsCallEachIndexOnce) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 0; n < 12; ++n) {
    any_device(random);
    std::uint64_t const size = random_size(n, random);
    SCOPED_TRACE(size);
    std::vector<int> calls(size, 0);
    auto const call = [calls = calls.data()](std::int64_t i,
                                             std::int64_t& sum) {
      ++calls[i - 5];
      sum += i * i;
    };
    std::int64_t const total =
        sum_of(call, 5, size, unsigned(random.integer(1, 7)), streamed.threads);
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      ASSERT_EQ(calls[i], 1) << i;
      sum += std::int64_t(i + 5) * std::int64_t(i + 5);
    }
    EXPECT_EQ(total, sum);
  }
}

/// With a thread for each index no thread calls twice.
TEST(CallKernels, SpreadReductionsCallOnceInAThread) {
  Random random;
  SCOPED_TRACE(random.note());
  constexpr unsigned threads = Impl::spread_threads;
  for (int n = 0; n < 8; ++n) {
    any_device(random);
    auto const blocks        = unsigned(random.integer(1, 7));
    std::uint64_t const size = blocks * threads - (n < 4 ? 0 : n);
    SCOPED_TRACE(size);
    std::vector<int> calls(blocks * threads, 0);
    auto const call = [calls = calls.data()](std::int64_t, std::int64_t& sum) {
      ++calls[blockIdx.x * threads + threadIdx.x];
      ++sum;
    };
    EXPECT_EQ(sum_of(call, 0, size, blocks, threads), std::int64_t(size));
    EXPECT_EQ(*std::max_element(calls.begin(), calls.end()), 1);
  }
}

}  // namespace
