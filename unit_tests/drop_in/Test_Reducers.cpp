// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of 16 bits. The reducers that Kokkos brings: random_calls,
// reducer_*.

#include <KokkosMMA_TestSupport.hpp>

namespace {

using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Reducers);

/// Products of 16 bits, whose factors 2 and 1/2 in turn leave the type by any
/// order but one.
template <class T>
struct TwosAndHalves {
  KOKKOS_FUNCTION void operator()(int i, T& update) const {
    update *= T(i % 2 == 0 ? 2.f : 0.5f);
  }
};
template <class T, class Exec>
void check_small_products() {
  for (int n : {2, 64, 3000, 300000}) {
    T scalar = poison<T>();
    RouteProbe<Exec> probe;
    Kokkos::parallel_reduce("scalar", Kokkos::RangePolicy<Exec>(0, n),
                            TwosAndHalves<T>(), Kokkos::Prod<T>(scalar));
    EXPECT_TRUE(probe.streamed());
    // The order of a host space is its own.
    if (KokkosMMA::Testing::on_cuda<Exec> && n <= 3000) {
      EXPECT_EQ(1.f, float(scalar)) << n;
    }
    auto const view = poisoned_view<T, Exec>();
    Kokkos::parallel_reduce("View", Kokkos::RangePolicy<Exec>(0, n / 2 * 2 + 1),
                            TwosAndHalves<T>(), Kokkos::Prod<T, Exec>(view));
    if (KokkosMMA::Testing::on_cuda<Exec> && n <= 3000) {
      EXPECT_EQ(2.f, float(value_of(view))) << n;
    }
  }
  T none = poison<T>();
  Kokkos::parallel_reduce("nothing", Kokkos::RangePolicy<Exec>(3, 3),
                          TwosAndHalves<T>(), Kokkos::Prod<T>(none));
  EXPECT_EQ(1.f, float(none));
}
TYPED_TEST(Reducers, ProductsOfSixteenBits) {
  check_small_products<Kokkos::Experimental::half_t, TypeParam>();
  check_small_products<Kokkos::Experimental::bhalf_t, TypeParam>();
}

}  // namespace
