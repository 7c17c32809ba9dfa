// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Applications compiled partly with and partly without the drop-in link, run
// and give the right results. Which code a functor type runs that both parts
// use is the linker's choice.

#include "Mixed.hpp"

#include <KokkosMMA_TestSupport.hpp>

#include <algorithm>
#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

TEST(Mixed, BothPartsGiveTheRightResults) {
  for (int n : {1, 1000, 100003}) {
    Random random;
    SCOPED_TRACE("n = " + std::to_string(n));
    std::int64_t sum = 0, maximum = std::numeric_limits<std::int64_t>::min();
    Kokkos::View<std::int64_t const*, mixed::Exec> const x =
        make_view<std::int64_t, mixed::Exec>(n, [&](std::size_t) {
          auto const value = random.integer(-1000000, 1000000);
          sum += value;
          maximum = std::max(maximum, value);
          return value;
        });
    std::int64_t const triangle = std::int64_t(n) * (n - 1) / 2;
    std::int64_t const grid     = 435 * 780;
    std::int64_t const places   = 900 * 301;
    std::int64_t const loops = 20 * (places * (places - 1) / 2 + 1000 * places);

    std::int64_t const teams = 20 * 500 * 4950;

    // alternately, so that state left by one part meets the other
    for (int repetition = 0; repetition < 3; ++repetition) {
      RouteProbe<mixed::Exec> probe;
      mixed::Results const with = mixed::with_drop_in(x);
      EXPECT_TRUE(probe.streamed());
      EXPECT_EQ(sum, with.sum);
      EXPECT_EQ(sum, with.sum_in_view);
      EXPECT_EQ(static_cast<double>(maximum), with.maximum);
      EXPECT_EQ(2 * triangle, with.only_here);
      EXPECT_EQ(grid, with.grid);
      EXPECT_EQ(loops, with.loops);
      EXPECT_EQ(teams, with.teams);

      mixed::Results const without = mixed::without_drop_in(x);
      EXPECT_EQ(sum, without.sum);
      EXPECT_EQ(sum, without.sum_in_view);
      EXPECT_EQ(static_cast<double>(maximum), without.maximum);
      EXPECT_EQ(5 * triangle, without.only_here);
      EXPECT_EQ(-grid, without.grid);
      EXPECT_EQ(loops, without.loops);
      EXPECT_EQ(teams, without.teams);
    }
  }
}

TEST(Mixed, SourcesWithoutTheDropInAreNotRouted) {
  Kokkos::View<std::int64_t const*, mixed::Exec> const x =
      make_view<std::int64_t, mixed::Exec>(10, [](std::size_t) { return 1; });
  {
    // leaves a route behind that a routed call would overwrite
    ScopedSettings const scope(Settings{Route::generic});
    mixed::with_drop_in(x);
  }
  Route const before = KokkosMMA::last_route();
  EXPECT_EQ(5 * 499500, mixed::only_without_drop_in(1000));
  EXPECT_EQ(before, KokkosMMA::last_route());
}

}  // namespace
