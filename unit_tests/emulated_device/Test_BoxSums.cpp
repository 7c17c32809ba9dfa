// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions over boxes of several dimensions, which go in tiles.

#include "DeviceMemory.hpp"
#include "SumReducer.hpp"

#include <adapters/drop_in/KokkosMMA_MultiIndex.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_StreamedReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

Kokkos::Cuda const space;

/// Counts the invocations of each tuple of a box and adds what lies there.
template <class Value, int Rank>
struct AddPlaces {
  Value const* values;
  int* counts;
  std::array<long, Rank> lower, extent;

  template <class... Arguments>
  void operator()(Arguments&... arguments) const {
    add(std::tie(arguments...), std::make_integer_sequence<int, Rank>{});
  }
  template <class All, int... D>
  void add(All const& all, std::integer_sequence<int, D...>) const {
    long at = 0;
    ((at = at * extent[D] + (std::get<D>(all) - lower[D])), ...);
    ++counts[at];
    std::get<Rank>(all) += values[at];
  }
};

template <class Value, int Rank, bool LeftFastest>
void expect_sums_of_boxes(Random& random) {
  constexpr auto tuned = Impl::streamed_tuning(sizeof(Value), Rank);
  using Tuning         = Impl::Cuda::tuning_type<tuned>;
  using Running        = Impl::Cuda::RunningValue<SumReducer<Value>, Value>;
  std::array<long, Rank> lower, upper, extent;
  long size       = 1;
  long const most = Rank == 2 ? 260 : Rank == 3 ? 50 : Rank == 4 ? 14 : 6;
  for (int d = 0; d < Rank; ++d) {
    extent[d] = random.integer(1, most);
    lower[d]  = random.integer(-9, 9);
    upper[d]  = lower[d] + extent[d];
    size *= extent[d];
  }
  std::vector<Value> values(size);
  for (Value& value : values) value = Value(random.normal());
  Value reference = 0;
  std::vector<int> counts(size);
  AddPlaces<Value, Rank> const functor{values.data(), counts.data(), lower,
                                       extent};
  auto const call =
      Impl::multi_index_call<AddPlaces<Value, Rank>, long, Rank, LeftFastest>(
          functor, lower, upper, tuned.threads);
  auto const blocks = unsigned(random.integer(1, 5));
  // A block of another size goes over the places one by one.
  bool const is_tuned    = random.integer(0, 3) > 0;
  unsigned const threads = is_tuned ? unsigned(tuned.threads) : 256;
  auto const orders      = Impl::call_orders(tuned, true);
  for (int order = 0; order < orders.count; ++order) {
    std::fill(counts.begin(), counts.end(), 0);
    Value total;
    std::memset(&total, 0xee, sizeof(Value));
    auto const launch = [&](auto* kernel) {
      Impl::Cuda::launch_kernel(
          space, "streamed_reduce", kernel, {blocks, threads}, call,
          SumReducer<Value>(), std::uint32_t(0), call.places(), orders[order],
          Impl::Cuda::StreamScratch(space)->grid(
              Impl::Cuda::partials_of_warps(blocks, threads), sizeof(Value)),
          Impl::Cuda::ResultTarget<Value>{&total, nullptr});
    };
    using Call = std::remove_const_t<decltype(call)>;
    if (random.integer(0, 1) == 0)
      launch(&Impl::Cuda::streamed_reduce<Running, Tuning, std::uint32_t, Value,
                                          Call, SumReducer<Value>>);
    else
      launch(&Impl::Cuda::streamed_reduce<Running, Tuning, std::uint32_t, Value,
                                          Call, SumReducer<Value>, true>);
    for (long at = 0; at < size; ++at)
      ASSERT_EQ(1, counts[at]) << at << " of " << size << ", order " << order;
    if (order == 0) {
      reference  = total;
      double sum = 0, magnitude = 0;
      for (Value const value : values) {
        sum += double(value);
        magnitude += std::abs(double(value));
      }
      EXPECT_NEAR(sum, double(total),
                  magnitude * 64 * std::numeric_limits<Value>::epsilon());
    }
    EXPECT_EQ(0, std::memcmp(&reference, &total, sizeof(Value)))
        << "bits in order " << order;
  }
}

template <class Value>
void expect_sums_of_ranks() {
  Random random;
  for (int repeat = 0; repeat < 4; ++repeat) {
    any_device(random);
    expect_sums_of_boxes<Value, 2, true>(random);
    expect_sums_of_boxes<Value, 2, false>(random);
    expect_sums_of_boxes<Value, 3, true>(random);
    expect_sums_of_boxes<Value, 4, false>(random);
    expect_sums_of_boxes<Value, 5, true>(random);
    expect_sums_of_boxes<Value, 6, false>(random);
    if (::testing::Test::HasFailure()) return;
  }
}
TEST(BoxSums, Floats) { expect_sums_of_ranks<float>(); }
TEST(BoxSums, Doubles) { expect_sums_of_ranks<double>(); }

}  // namespace
