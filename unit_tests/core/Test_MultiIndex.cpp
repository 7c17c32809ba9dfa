// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <adapters/drop_in/KokkosMMA_MultiIndex.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA::Impl;
using KokkosMMA::Testing::Random;

constexpr std::uint32_t largest = (std::uint32_t(1) << 31) - 1;

void expect_quotient(ReciprocalDivisor const& by, std::uint64_t n) {
  if (n > largest) return;
  ASSERT_EQ(n / by.divisor, by.quotient(std::uint32_t(n)))
      << n << " / " << by.divisor;
}

/// All n around the multiples where a quotient steps.
void expect_quotients_near_multiples(std::uint32_t divisor, Random& random) {
  ReciprocalDivisor const by(divisor);
  ASSERT_EQ(divisor, by.divisor);
  std::uint64_t const multiples = largest / divisor;
  for (std::uint64_t const m :
       {std::uint64_t(0), std::uint64_t(1), std::uint64_t(2), multiples / 2,
        multiples - 1, multiples,
        std::uint64_t(random.integer(0, std::int64_t(multiples)))})
    for (int step = -1; step <= 1; ++step)
      expect_quotient(by, m * divisor + std::uint64_t(step));
  for (std::uint32_t n : {0u, 1u, largest - 1, largest}) expect_quotient(by, n);
  for (int repeat = 0; repeat < 50; ++repeat)
    expect_quotient(by, std::uint64_t(random.integer(0, largest)));
}

TEST(ReciprocalDivisor, ExactBelowTwoToThe31) {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::uint32_t divisor = 1; divisor <= 3000; ++divisor)
    expect_quotients_near_multiples(divisor, random);
  for (int bit = 12; bit < 31; ++bit)
    for (int step = -2; step <= 2; ++step)
      expect_quotients_near_multiples((std::uint32_t(1) << bit) + step, random);
  for (std::uint32_t divisor : {largest, largest - 1, largest / 3, 715827883u})
    expect_quotients_near_multiples(divisor, random);
  for (int repeat = 0; repeat < 2000; ++repeat)
    expect_quotients_near_multiples(
        std::uint32_t(random.integer(1, std::int64_t(largest))), random);
}

TEST(TileWidth, LeavesFewThreadsWithoutWork) {
  EXPECT_EQ(7u, tile_width(7, 32));
  EXPECT_EQ(32u, tile_width(32, 32));
  EXPECT_EQ(17u, tile_width(33, 32));  // 2 tiles, 1 place idle
  EXPECT_EQ(32u, tile_width(8190, 32));
  for (std::uint32_t most : {1u, 8u, 16u, 32u, 48u, 1024u})
    for (std::uint32_t extent = 1; extent < 20 * most; ++extent) {
      std::uint32_t const width = tile_width(extent, most);
      ASSERT_LE(width, most);
      ASSERT_GE(width, std::min(extent, most / 2 + 1));
      std::uint32_t const places = (extent + width - 1) / width * width;
      ASSERT_LE(places, extent + extent / 8 + 8) << extent << " of " << most;
    }
}

/// Records the index tuples of its invocations.
template <int Rank>
struct Tuples {
  std::vector<std::array<long, Rank>>* calls;
  template <class... I>
  void operator()(I&&... index_and_value) const {
    // As Kokkos' own loop over a box, which has the indices in an array.
    static_assert((std::is_lvalue_reference_v<I&&> && ...));
    auto const all = std::forward_as_tuple(index_and_value...);
    append(all, std::make_integer_sequence<int, Rank>{});
  }
  template <class All, int... D>
  void append(All const& all, std::integer_sequence<int, D...>) const {
    static_assert(std::tuple_size_v<All> == Rank + 1);
    calls->push_back({long(std::get<D>(all))...});
  }
};

template <int Rank, bool LeftFastest>
void expect_each_tuple_once() {
  Random random;
  SCOPED_TRACE(random.note());
  std::array<long, Rank> lower, upper;
  std::vector<std::array<long, Rank>> expected{{}};
  long const most = Rank == 1 ? 3000 : Rank == 2 ? 150 : Rank == 3 ? 40 : 9;
  for (int d = 0; d < Rank; ++d) {
    lower[d] = random.integer(-7, 7);
    upper[d] = lower[d] + random.integer(1, most);
    std::vector<std::array<long, Rank>> longer;
    for (std::array<long, Rank> tuple : expected)
      for (tuple[d] = lower[d]; tuple[d] < upper[d]; ++tuple[d])
        longer.push_back(tuple);
    expected = std::move(longer);
  }
  std::sort(expected.begin(), expected.end());

  int const threads = 1 << random.integer(5, 10);
  SCOPED_TRACE(threads);
  std::vector<std::array<long, Rank>> calls;
  auto const call = multi_index_call<Tuples<Rank>, long, Rank, LeftFastest>(
      Tuples<Rank>{&calls}, lower, upper, threads);
  int value                  = 0;
  std::uint64_t const places = call.places();
  ASSERT_EQ(0u, places % threads);
  for (std::uint64_t flat = 0; flat < places; ++flat)
    call(std::uint32_t(flat), value);
  std::sort(calls.begin(), calls.end());
  EXPECT_EQ(expected, calls) << "by flat indices";

  calls.clear();
  bool const across = random.integer(0, 1) == 0;
  std::vector<int> owners(threads, 0);
  for (int thread = 0; thread < threads; ++thread) {
    auto const place = call.place(std::uint32_t(thread), across);
    ASSERT_LT(place.number, std::uint32_t(threads));
    ++owners[place.number];
    auto const other = call.place(place.number);
    ASSERT_EQ(place.is_used, other.is_used);
    for (int d = 0; d < Rank && place.is_used; ++d)
      ASSERT_EQ(other.of[d], place.of[d]);
    for (std::uint32_t t = 0; t < places / threads; ++t) {
      auto const at = call.at(call.tile(t), place);
      ASSERT_LE(call.has(at), place.is_used);
      if (call.has(at)) call(at, value);
    }
  }
  for (int const count : owners) ASSERT_EQ(1, count);
  std::sort(calls.begin(), calls.end());
  EXPECT_EQ(expected, calls) << "by tiles";
}

template <int Rank>
void expect_both_directions() {
  for (int repeat = 0; repeat < 12; ++repeat) {
    SCOPED_TRACE("rank " + std::to_string(Rank));
    expect_each_tuple_once<Rank, true>();
    expect_each_tuple_once<Rank, false>();
  }
}

TEST(MultiIndexCall, EachTupleOnce) {
  expect_both_directions<1>();
  expect_both_directions<2>();
  expect_both_directions<3>();
  expect_both_directions<4>();
  expect_both_directions<5>();
  expect_both_directions<6>();
}

TEST(BoxTiles, AreLongInTwoDimensions) {
  BoxTiles<3> const tiles({640, 640, 640}, 512);
  EXPECT_EQ(16u, tiles.width[0]);
  EXPECT_EQ(1u, tiles.width[1]);
  EXPECT_EQ(32u, tiles.width[2]);
  EXPECT_EQ(0, tiles.along);
  EXPECT_EQ(40u, tiles.whole_in_row);
  for (std::uint32_t thread = 0; thread < 512; ++thread) {
    EXPECT_EQ(thread % 16, tiles.place(thread).of[0]);
    EXPECT_EQ(thread / 16, tiles.place(thread).of[2]);
    EXPECT_EQ(thread % 32, tiles.place(thread, true).of[2]);
    EXPECT_EQ(thread / 32, tiles.place(thread, true).of[0]);
  }
  // Dimensions of three indices leave all threads but a few work.
  BoxTiles<3> const narrow({3, 100000, 3}, 1024);
  EXPECT_EQ(3u, narrow.width[0]);
  EXPECT_EQ(3u, narrow.width[2]);
  EXPECT_GE(narrow.width[1], 110u);
  EXPECT_EQ(1, narrow.along);
}

struct LastIndex {
  template <class Index>
  void operator()(Index i, Index j, std::int64_t& value) const {
    value = std::max(value, std::int64_t(i) * 100000 + j);
  }
};

TEST(MultiIndexCall, CornersOfLargeRanges) {
  // 46340^2 is just below 2^31
  std::array<std::int64_t, 2> const lower{1000000, -20000};
  std::array<std::int64_t, 2> const upper{1046340, 26340};
  auto const call = multi_index_call<LastIndex, std::int64_t, 2, false>(
      LastIndex{}, lower, upper, 512);
  std::int64_t value = 0;
  for (std::uint64_t flat = call.places() - 512; flat < call.places(); ++flat)
    call(std::uint32_t(flat), value);
  EXPECT_EQ(1046339 * std::int64_t(100000) + 26339, value);
  value = 0;
  call(0u, value);
  EXPECT_EQ(1000000 * std::int64_t(100000) - 20000, value);
}

}  // namespace
