// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans within equal and ragged segments, in place and not. The values are
// small integers, so that all routes give the exact prefixes.

#include "SegmentedCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(SegmentedScan);

constexpr Impl::Operation sum = Impl::Operation::sum;
// Not min: nvcc names the function std::min in the code that it writes for g++.
constexpr Impl::Operation minimum = Impl::Operation::min;
constexpr Impl::Operation maximum = Impl::Operation::max;

TYPED_TEST(SegmentedScan, EveryLength) {
  expect_lengths<Scan, TypeParam, Case<sum, float, float>,
                 Case<sum, std::int8_t, std::int32_t>>(all_lengths());
}
TYPED_TEST(SegmentedScan, Ragged) {
  using Exec = TypeParam;
  expect_ragged<Scan, Case<sum, float, float>, std::int32_t, Exec>();
  using Bytes = Case<sum, std::int8_t, std::int32_t>;
  expect_ragged<Scan, Bytes, std::int64_t, Exec>();
  expect_ragged<Scan, Case<sum, half_t, half_t>, std::int32_t, Exec>();
  using Minima = Case<minimum, std::int32_t, std::int32_t>;
  expect_ragged<Scan, Minima, std::int32_t, Exec>();
}
TYPED_TEST(SegmentedScan, Types) {
  expect_lengths<Scan, TypeParam, Case<sum, half_t, half_t>,
                 Case<sum, half_t, float>, Case<sum, bhalf_t, bhalf_t>,
                 Case<sum, double, double>, Case<sum, float, double>,
                 Case<sum, bool, std::int32_t>,
                 Case<sum, std::uint32_t, std::uint64_t>,
                 Case<sum, std::int64_t, std::int64_t>>(few_lengths);
  // This library has no kernel for these.
  expect_lengths<Scan, TypeParam, Case<sum, std::int8_t, std::int8_t>,
                 Case<sum, std::int16_t, std::int32_t>,
                 Case<sum, float, float, double>>(few_lengths);
}
TYPED_TEST(SegmentedScan, OtherOperations) {
  expect_lengths<Scan, TypeParam, Case<maximum, float, float>,
                 Case<maximum, std::int8_t, std::int8_t>,
                 Case<minimum, std::int32_t, std::int32_t>,
                 Case<Impl::Operation::prod, std::int32_t, std::int32_t>>(
      few_lengths);
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

TYPED_TEST(SegmentedScan, BeyondTwoToThe32) {
  using Exec = TypeParam;
  if (!on_cuda<Exec>) GTEST_SKIP() << "its kernels run on Cuda only";
  std::size_t const size = (std::size_t(1) << 32) + 5;
  using Y                = Kokkos::View<std::uint32_t*, Exec>;
  Kokkos::View<std::int8_t*, Exec> const x(
      Kokkos::view_alloc("ones", Kokkos::WithoutInitializing), size);
  Y const y(Kokkos::view_alloc("places", Kokkos::WithoutInitializing), size);
  Kokkos::deep_copy(x, std::int8_t(1));
  for (std::size_t const length :
       {std::size_t(100), (std::size_t(1) << 30) + 1}) {
    Kokkos::deep_copy(y, 77);
    segmented_exclusive_scan(Exec(), x, length, y);
    std::size_t wrong = 0;
    Kokkos::parallel_reduce(
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, size),
        WrongPlaces<Y>{y, length}, wrong);
    EXPECT_EQ(0u, wrong) << "length " << length;
  }
}

TYPED_TEST(SegmentedScan, AMillion) {
  Random random;
  for (std::size_t const length : {1, 7, 1000, 300000, 1000003, 2000000})
    expect_equal<Scan, Case<sum, std::int32_t, std::int32_t>, TypeParam>(
        1000003, length, random);
}

}  // namespace
