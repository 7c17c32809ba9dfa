// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sum that Kokkos takes when a call names no reducer, of 16-bit floats.
// Other types: Test_Sizes.cpp and random_calls, sum_* and scan_*.

#include <KokkosMMA_ScanSupport.hpp>

namespace {

using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(DefaultSum);

/// Sums x into a scalar and into a View.
template <class Exec, class Result, class T>
void check_sum_of(Kokkos::View<T*, Exec> const& x, Result expected) {
  expect_reduced(expected, Kokkos::RangePolicy<Exec>(0, x.extent(0)),
                 ElementSum<T, Exec, Kokkos::View<T const*, Exec>, Result>{x});
}

/// Long runs of ones, where a sum kept in the type of the summands stops
/// growing.
TYPED_TEST(DefaultSum, LongRunsOfOnes) {
  using Exec = TypeParam;
  auto const hundred_thousand =
      make_view<half_t, Exec>(100000, [](std::size_t) { return 1.f; });
  check_sum_of<Exec, float, half_t>(hundred_thousand, 100000.f);
  // A result of 16 bits is Kokkos' own affair on a host space: there the sum
  // stops at 2048 or 256.
  if constexpr (on_cuda<Exec> || std::is_same_v<half_t, float>) {
    auto const ones =
        make_view<half_t, Exec>(60000, [](std::size_t) { return 1.f; });
    check_sum_of<Exec, half_t, half_t>(ones, half_t(60000.f));
  }
  if constexpr (on_cuda<Exec> || std::is_same_v<bhalf_t, float>) {
    auto const ones =
        make_view<bhalf_t, Exec>(32768, [](std::size_t) { return 1.f; });
    check_sum_of<Exec, bhalf_t, bhalf_t>(ones, bhalf_t(32768.f));
  }
}

}  // namespace
