// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Level exact of KokkosMMA::segmented_reduce: the bits of the correctly rounded
// sum of each segment on every execution space.

#include "ExactSupport.hpp"
#include "SegmentedSupport.hpp"

#include <KokkosMMA_HostileSums.hpp>

#include <algorithm>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentedExact : public ::testing::Test {
 public:
  Random random;

  /// The results of `sum(x, results)`, x from any place of a 16-byte line, are
  /// the exact sums of these segments.
  template <class T, class Value, class Sum>
  void expect_exact(std::string const& name, std::vector<double> const& terms,
                    Segments const& segments, Sum const& sum) {
    auto const before = std::size_t(random.integer(0, 5));
    auto const memory =
        make_view<T, Exec>(terms.size() + before, [&](std::size_t i) {
          return i < before ? double(NAN) : terms[i - before];
        });
    auto const x = Kokkos::subview(memory, Range(before, memory.extent(0)));
    Kokkos::View<Value**, Kokkos::LayoutRight, Exec> const results(
        "results", segments.size(), std::size_t(random.integer(1, 2)));
    auto const column = Kokkos::subview(results, Kokkos::ALL(), 0);
    sum(x, column);
    auto const host_x       = host_copy(x);
    auto const host_results = host_copy(results);
    for (std::size_t s = 0; s < segments.size(); ++s) {
      ExactReference reference;
      for (std::size_t i = segments[s].first; i < segments[s].second; ++i)
        reference.add(double(host_x(i)));
      ASSERT_TRUE(same_sum(rounded<Value>(reference), host_results(s, 0)))
          << name << ", segment " << s << " of "
          << segments[s].second - segments[s].first << ", "
          << types<T, Value>();
    }
  }

  template <class T, class Value>
  void expect_all_exact(std::size_t size) {
    for (HostileSum const& hostile : hostile_sums(random, size, scalar_v<T>)) {
      auto const length = std::size_t(random.integer(1, 300));
      expect_exact<T, Value>(
          hostile.name, hostile.terms, equal_segments(size, length),
          [&](auto const& x, auto const& results) {
            segmented_reduce(Exec(), x, length, results, exactly);
            EXPECT_EQ(on_cuda<Exec> ? Route::streamed : Route::generic,
                      last_route());
          });
      std::vector<std::int64_t> lengths;
      for (std::int64_t left = std::int64_t(size) - 9; left > 0;
           left -= lengths.back())
        lengths.push_back(std::min(left, random.integer(0, 3)
                                             ? random.integer(0, 90)
                                             : random.integer(0, 3000)));
      auto const offsets      = offsets_of(lengths, 5);
      auto const offsets_view = make_view<int, Exec>(
          offsets.size(), [&](std::size_t i) { return int(offsets[i]); });
      expect_exact<T, Value>(hostile.name, hostile.terms,
                             segments_between(offsets),
                             [&](auto const& x, auto const& results) {
                               segmented_reduce(Exec(), x, offsets_view,
                                                results, Plus<>(), exactly);
                             });
    }
  }
};
TYPED_TEST_SUITE(SegmentedExact, ExecutionSpaces);

TYPED_TEST(SegmentedExact, HostileData) {
  this->template expect_all_exact<float, float>(5000);
  this->template expect_all_exact<double, double>(5000);
  this->template expect_all_exact<half_t, float>(2000);
  this->template expect_all_exact<bhalf_t, bhalf_t>(2000);
  this->template expect_all_exact<float, double>(2000);
}

// Of all lengths between a lane's part and several blocks'.
TYPED_TEST(SegmentedExact, AnyLength) {
  std::size_t const size = 1u << 18;
  HostileSum ordinary{"normal", std::vector<double>(size)};
  HostileSum wide{"60 binary orders", std::vector<double>(size)};
  for (std::size_t i = 0; i < size; ++i) {
    ordinary.terms[i] = this->random.normal();
    wide.terms[i] =
        std::ldexp(this->random.normal(), int(this->random.integer(-30, 30)));
  }
  for (HostileSum const& sum : {ordinary, wide})
    for (std::size_t const length :
         {std::size_t(16), std::size_t(64), std::size_t(1000),
          std::size_t(4096), std::size_t(6000), std::size_t(20000), size}) {
      auto const reduce = [&](auto const& x, auto const& results) {
        segmented_reduce(TypeParam(), x, length, results, exactly);
      };
      Segments const segments = equal_segments(size, length);
      this->template expect_exact<float, float>(sum.name, sum.terms, segments,
                                                reduce);
      this->template expect_exact<double, double>(sum.name, sum.terms, segments,
                                                  reduce);
    }
}

// A scope's request counts as the call's does; of a host device_independent is
// the one order that devices have, too.
TYPED_TEST(SegmentedExact, WhoAsks) {
  auto const x       = make_view<float, TypeParam>(8, [](std::size_t i) {
    return i % 4 == 0 ? 1e8f : i % 4 == 3 ? -1e8f : 1.f;
  });
  auto const offsets = offsets_view<int, TypeParam>({0, 4, 8});
  auto const with    = [&](Settings const& settings) {
    auto const y = filled<float, TypeParam>(2, 7),
               z = filled<float, TypeParam>(2, 7);
    segmented_reduce(TypeParam(), x, 4, y, settings);
    segmented_reduce(TypeParam(), x, offsets, z, settings);
    for (auto const& sums : {y, z}) EXPECT_EQ(2.f, host_copy(sums)(1));
  };
  with(exactly);
  if (!on_cuda<TypeParam>)
    with({.reproducibility = Reproducibility::device_independent});
  ScopedSettings const scope(exactly);
  with({});
}

// Rows of a matrix; columns where there is no kernel for them.
TYPED_TEST(SegmentedExact, Matrices) {
  Kokkos::View<float**, Kokkos::LayoutRight, TypeParam> const x("x", 40, 300);
  auto host = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t k = 0; k < 300; ++k)
      host(i, k) = float(
          std::ldexp(this->random.normal(), int(this->random.integer(-9, 9))));
  Kokkos::deep_copy(x, host);
  Kokkos::View<float*, TypeParam> const rows("rows", 40), columns("c", 300);
  segmented_reduce(TypeParam(), x, Axis{1}, rows, exactly);
  auto const host_rows = host_copy(rows);
  for (std::size_t i = 0; i < 40; ++i) {
    ExactReference reference;
    for (std::size_t k = 0; k < 300; ++k) reference.add(double(host(i, k)));
    EXPECT_EQ(reference.as_float(), host_rows(i));
  }
  auto const sum_columns = [&] {
    segmented_reduce(TypeParam(), x, Axis{0}, columns, exactly);
  };
  if (on_cuda<TypeParam>) {
    expect_error({"KokkosMMA::segmented_reduce", "level exact", "columns"},
                 sum_columns);
    return;
  }
  sum_columns();
  auto const host_columns = host_copy(columns);
  for (std::size_t k = 0; k < 300; ++k) {
    ExactReference reference;
    for (std::size_t i = 0; i < 40; ++i) reference.add(double(host(i, k)));
    EXPECT_EQ(reference.as_float(), host_columns(k));
  }
}

TYPED_TEST(SegmentedExact, LinesWithoutElements) {
  Kokkos::View<double**, Kokkos::LayoutRight, TypeParam> const none("none", 5,
                                                                    0);
  auto const zeros = filled<double, TypeParam>(5, 7);
  segmented_reduce(TypeParam(), none, Axis{1}, zeros, exactly);
  EXPECT_EQ(0., host_copy(zeros)(4));
}

/// Terms that add as much to a limb as a number may.
struct FullTerms {
  using Sum = Impl::Superaccumulator<Scalar::float64>;
  std::size_t count;

  std::size_t size() const { return count; }
  void add(std::size_t begin, std::size_t end, Sum& sum) const {
    sum.limb[0] = std::int64_t(std::uint64_t(sum.limb[0]) +
                               (end - begin) * std::uint64_t(0xffffffff));
  }
};

// Of as many numbers as one thread may get, more than a limb takes.
TEST(ExactOnHost, OfManyByOneThread) {
  for (std::size_t const count :
       {std::size_t(0), std::size_t(5), std::size_t(1) << 30,
        (std::size_t(1) << 30) + 1, (std::size_t(21) << 29) + 3}) {
    FullTerms::Sum sum, expected;
    sum.init();
    expected.init();
    Impl::add_all(FullTerms{count}, sum);
    expected.limb[0] = -std::int64_t(count);
    expected.limb[1] = std::int64_t(count);
    sum.carry();
    expected.carry();
    for (int k = 0; k < sum.limbs; ++k)
      ASSERT_EQ(expected.limb[k], sum.limb[k]) << count << ", limb " << k;
  }
}

}  // namespace
