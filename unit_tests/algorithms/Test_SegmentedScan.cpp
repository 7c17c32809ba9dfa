// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans within equal and ragged segments, in place and not. The values are
// small integers, so that all routes give the exact prefixes.

#include "SegmentedScanCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class SegmentedScan : public ::testing::Test {};
TYPED_TEST_SUITE(SegmentedScan, ExecutionSpaces);

constexpr Impl::Operation sum = Impl::Operation::sum;

TYPED_TEST(SegmentedScan, Floats) {
  expect_scans<sum, float, float, TypeParam>(all_lengths());
  expect_ragged_scans<sum, float, float, std::int32_t, TypeParam>();
}
TYPED_TEST(SegmentedScan, Bytes) {
  expect_scans<sum, std::int8_t, std::int32_t, TypeParam>(all_lengths());
  expect_ragged_scans<sum, std::int8_t, std::int32_t, std::int64_t,
                      TypeParam>();
}
TYPED_TEST(SegmentedScan, HalfsInPlace) {
  expect_scans<sum, half_t, half_t, TypeParam>(few_lengths);
  expect_ragged_scans<sum, half_t, half_t, std::int32_t, TypeParam>();
}
/// Counts elements that differ from their place in their segment.
template <class Y>
struct WrongPlaces {
  Y y;
  std::size_t length;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& wrong) const {
    if (y(i) != i % length) ++wrong;
  }
};

template <class Exec>
void expect_beyond_32_bits() {
  std::size_t const size = (std::size_t(1) << 32) + 5;
  Kokkos::View<std::int8_t*, Exec> const x(
      Kokkos::view_alloc("ones", Kokkos::WithoutInitializing), size);
  Kokkos::View<std::uint32_t*, Exec> const y(
      Kokkos::view_alloc("places", Kokkos::WithoutInitializing), size);
  Kokkos::deep_copy(x, std::int8_t(1));
  for (std::size_t const length :
       {std::size_t(100), (std::size_t(1) << 30) + 1}) {
    Kokkos::deep_copy(y, 77);
    segmented_exclusive_scan(Exec(), x, length, y);
    std::size_t wrong = 0;
    Kokkos::parallel_reduce(
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, size),
        WrongPlaces<Kokkos::View<std::uint32_t*, Exec>>{y, length}, wrong);
    EXPECT_EQ(0u, wrong) << "length " << length;
  }
}
TYPED_TEST(SegmentedScan, BeyondTwoToThe32) {
  if (!on_cuda<TypeParam>) GTEST_SKIP() << "kernels of ours run on Cuda alone";
  expect_beyond_32_bits<TypeParam>();
}

TYPED_TEST(SegmentedScan, AMillion) {
  Random random;
  SCOPED_TRACE(random.note());
  for (std::size_t const length : {1, 7, 1000, 300000, 1000003, 2000000})
    expect_equal_scan<sum, std::int32_t, std::int32_t, true, TypeParam, void>(
        1000003, length, random);
}

}  // namespace
