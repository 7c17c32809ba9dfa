// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <adapters/drop_in/KokkosMMA_MultiIndex.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <tuple>
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

/// Writes down the index tuples of its calls.
template <int Rank>
struct Tuples {
  std::vector<std::array<long, Rank>>* calls;
  template <class... I>
  void operator()(I... index_and_value) const {
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
  long size = 1;
  for (int d = 0; d < Rank; ++d) {
    lower[d] = random.integer(-7, 7);
    upper[d] = lower[d] + random.integer(1, 5);
    size *= upper[d] - lower[d];
  }
  std::vector<std::array<long, Rank>> calls;
  auto const call = multi_index_call<Tuples<Rank>, long, Rank, LeftFastest>(
      Tuples<Rank>{&calls}, lower, upper);

  int value = 0;
  for (long flat = 0; flat < size; ++flat) call(std::uint32_t(flat), value);

  // counts like an odometer, the fastest index first
  std::array<long, Rank> expected = lower;
  ASSERT_EQ(size, long(calls.size()));
  for (auto const& tuple : calls) {
    ASSERT_EQ(expected, tuple);
    for (int step = 0; step < Rank; ++step) {
      int const d = LeftFastest ? step : Rank - 1 - step;
      if (++expected[d] < upper[d]) break;
      expected[d] = lower[d];
    }
  }
  EXPECT_EQ(lower, expected) << "not all tuples were called";
}

template <int Rank>
void expect_both_directions() {
  for (int repeat = 0; repeat < 5; ++repeat) {
    SCOPED_TRACE("rank " + std::to_string(Rank));
    expect_each_tuple_once<Rank, true>();
    expect_each_tuple_once<Rank, false>();
  }
}

TEST(MultiIndexCall, EachTupleOnceInOrder) {
  expect_both_directions<1>();
  expect_both_directions<2>();
  expect_both_directions<3>();
  expect_both_directions<4>();
  expect_both_directions<5>();
  expect_both_directions<6>();
}

struct LastIndex {
  template <class Index>
  void operator()(Index i, Index j, std::int64_t& value) const {
    value = std::int64_t(i) * 100000 + j;
  }
};

TEST(MultiIndexCall, CornersOfLargeRanges) {
  // 46340^2 is just below 2^31
  std::array<std::int64_t, 2> const lower{1000000, -20000};
  std::array<std::int64_t, 2> const upper{1046340, 26340};
  auto const call = multi_index_call<LastIndex, std::int64_t, 2, false>(
      LastIndex{}, lower, upper);
  std::int64_t value = -1;
  call(46340u * 46340u - 1, value);
  EXPECT_EQ(1046339 * std::int64_t(100000) + 26339, value);
  call(46340u * 46339u, value);
  EXPECT_EQ(1046339 * std::int64_t(100000) - 20000, value);
  call(46340u - 1, value);
  EXPECT_EQ(1000000 * std::int64_t(100000) + 26339, value);
}

}  // namespace
