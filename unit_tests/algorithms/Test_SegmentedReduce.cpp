// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of equal and ragged segments at every length at which a kernel changes
// its ways. The values are small integers, so that all routes are exact.

#include "SegmentedReduceCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentedReduce : public ::testing::Test {};
TYPED_TEST_SUITE(SegmentedReduce, ExecutionSpaces);

constexpr Impl::Operation sum = Impl::Operation::sum;

TYPED_TEST(SegmentedReduce, Halfs) {
  expect_lengths<sum, half_t, float, TypeParam>(all_lengths());
}
TYPED_TEST(SegmentedReduce, Floats) {
  expect_lengths<sum, float, float, TypeParam>(all_lengths());
}
TYPED_TEST(SegmentedReduce, Doubles) {
  expect_lengths<sum, double, double, TypeParam>(all_lengths());
}
TYPED_TEST(SegmentedReduce, Bytes) {
  expect_lengths<sum, std::int8_t, std::int32_t, TypeParam>(all_lengths());
}

/// One segment, and two of which the second is shorter or as long.
template <class Exec>
void expect_few_long() {
  Random random;
  SCOPED_TRACE(random.note());
  std::size_t const n = 1000003;
  for (std::size_t const length : {n, n + 1, n - 1, n / 2, n / 2 + 1, n / 7})
    expect_equal<sum, float, float, Exec>(n, length, random);
  expect_equal<sum, std::int8_t, std::int32_t, Exec>(
      n, std::numeric_limits<std::size_t>::max(), random);
}
TYPED_TEST(SegmentedReduce, FewLongSegments) { expect_few_long<TypeParam>(); }

TYPED_TEST(SegmentedReduce, ManySegments) {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::size_t const length : {1, 3, 8, 100, 129})
    expect_equal<sum, half_t, float, TypeParam>(1000003, length, random);
}

/// Ones, more than 2^32 of them: a segment's sum is its length.
template <class Exec>
void expect_beyond_32_bits() {
  std::size_t const size = (std::size_t(1) << 32) + 5;
  Kokkos::View<std::int8_t*, Exec> const x(
      Kokkos::view_alloc("ones", Kokkos::WithoutInitializing), size);
  Kokkos::deep_copy(x, std::int8_t(1));
  for (std::size_t const length :
       {std::size_t(1000), (std::size_t(1) << 30) + 1, size}) {
    auto const segments = equal_segments(size, length);
    std::vector<std::int64_t> offsets{0};
    for (auto const& segment : segments)
      offsets.push_back(std::int64_t(segment.second));
    auto const cuts  = offsets_view<std::int64_t, Exec>(offsets);
    auto const check = [&](auto const& cut, Route route) {
      Kokkos::View<std::int64_t*, Exec> const result("result", segments.size());
      segmented_reduce(Exec(), x, cut, result, Settings{route});
      auto const computed = elements_of(result);
      for (std::size_t s = 0; s < segments.size(); ++s)
        ASSERT_EQ(segments[s].second - segments[s].first,
                  std::size_t(computed[s]))
            << "segment " << s << " of length " << length;
    };
    check(length, Route::automatic);
    check(cuts, Route::automatic);
  }
}
TYPED_TEST(SegmentedReduce, BeyondTwoToThe32) {
  if (!on_cuda<TypeParam>) GTEST_SKIP() << "kernels of ours run on Cuda alone";
  expect_beyond_32_bits<TypeParam>();
}

TYPED_TEST(SegmentedReduce, RaggedFloats) {
  expect_all_ragged<sum, float, float, TypeParam>(std::int32_t());
}
TYPED_TEST(SegmentedReduce, RaggedHalfs) {
  expect_all_ragged<sum, half_t, float, TypeParam>(std::int64_t());
}
TYPED_TEST(SegmentedReduce, RaggedBytes) {
  expect_all_ragged<sum, std::int8_t, std::int32_t, TypeParam>(std::int32_t());
}

}  // namespace
