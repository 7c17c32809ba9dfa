// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What stands beyond a boundary, against sequences written by hand: those of
// scipy.ndimage (constant, wrap, reflect, mirror, nearest).

#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <KokkosMMA_ErrorOf.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

static_assert(Boundaries<2>::all(Boundary::reflect).index(1, 4, 4) == 3);
static_assert(Boundaries<3>{}.low[2] ==
              BoundaryCondition{Boundary::constant, 0.});

/// The letters of `grid` from `distance` before it to as many after it; a dot
/// for a constant.
std::string extended(Boundary kind, std::string const& grid, int distance) {
  std::string text;
  auto const n = std::int64_t(grid.size());
  for (std::int64_t i = -distance; i < n + distance; ++i) {
    std::int64_t const at = boundary_index(kind, i, n);
    text += at < 0 ? '.' : grid.at(std::size_t(at));
  }
  return text;
}

TEST(BoundaryIndex, SequencesOfScipy) {
  std::pair<Boundary, char const*> const cases[] = {
      {Boundary::constant, "......... abcd ........."},
      {Boundary::periodic, "dabcdabcd abcd abcdabcda"},
      {Boundary::reflect, "aabcddcba abcd dcbaabcdd"},
      {Boundary::mirror, "dcbabcdcb abcd cbabcdcba"},
      {Boundary::nearest, "aaaaaaaaa abcd ddddddddd"}};
  for (auto const& [kind, expected] : cases)
    EXPECT_EQ(extended(kind, "abcd", 9).insert(13, " ").insert(9, " "),
              expected);
}

TEST(BoundaryIndex, FarAwayIsOneStepAfterAnother) {
  // What a single boundary does to an index just beyond it, until it is inside.
  auto const walk = [](Boundary kind, std::int64_t i, std::int64_t n) {
    while (i < 0 || i >= n) {
      if (kind == Boundary::constant) return std::int64_t(-1);
      if (kind == Boundary::periodic)
        i += i < 0 ? n : -n;
      else if (kind == Boundary::reflect)
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
      else if (kind == Boundary::mirror && n > 1)
        i = i < 0 ? -i : 2 * n - 2 - i;
      else
        i = i < 0 ? 0 : n - 1;
    }
    return i;
  };
  for (Boundary const kind :
       {Boundary::constant, Boundary::periodic, Boundary::reflect,
        Boundary::mirror, Boundary::nearest, Boundary::halo})
    for (std::int64_t n = 1; n < 12; ++n)
      for (std::int64_t i = -100; i < 100; ++i) {
        SCOPED_TRACE(to_string(kind) + (" " + std::to_string(i)) + " of " +
                     std::to_string(n));
        std::int64_t const at = boundary_index(kind, i, n);
        ASSERT_EQ(at, kind == Boundary::halo ? i : walk(kind, i, n));
        if (-n <= i && i < 2 * n) {
          ASSERT_EQ(at, Impl::near_boundary_index(kind, i, n));
        }
      }
}

TEST(BoundaryIndex, LargeGrids) {
  std::int64_t const n = std::int64_t(1) << 40;
  EXPECT_EQ(boundary_index(Boundary::periodic, -3, n), n - 3);
  EXPECT_EQ(boundary_index(Boundary::reflect, n + 2, n), n - 3);
  EXPECT_EQ(boundary_index(Boundary::mirror, n + 2, n), n - 4);
  EXPECT_EQ(boundary_index(Boundary::nearest, n + 2, n), n - 1);
}

TEST(Boundaries, MakersSetTheSidesTheyName) {
  using Condition  = BoundaryCondition;
  auto const sides = [](Boundaries<2> const& boundaries) {
    return std::vector<Condition>{boundaries.low[0], boundaries.high[0],
                                  boundaries.low[1], boundaries.high[1]};
  };
  Condition const seven{Boundary::constant, 7}, wrap{Boundary::periodic},
      mirror{Boundary::mirror}, one{Boundary::constant, 1},
      two{Boundary::constant, 2}, nearest{Boundary::nearest},
      reflect{Boundary::reflect};
  EXPECT_EQ(sides(Boundaries<2>::all(Boundary::constant, 7)),
            std::vector<Condition>(4, seven));
  EXPECT_EQ(sides(Boundaries<2>::per_dimension({wrap, mirror})),
            (std::vector<Condition>{wrap, wrap, mirror, mirror}));
  EXPECT_EQ(sides(Boundaries<2>::per_side({nearest, one}, {two, reflect})),
            (std::vector<Condition>{nearest, two, one, reflect}));
  EXPECT_FALSE(Boundaries<2>::all(Boundary::constant, 7) ==
               Boundaries<2>::all(Boundary::constant, 1));
}

TEST(Boundaries, LocateReplacesEachIndexByItsBoundary) {
  auto const boundaries =
      Boundaries<2>::per_side({{{Boundary::nearest}, {Boundary::constant, 1}}},
                              {{{Boundary::constant, 2}, {Boundary::reflect}}});
  std::int64_t const extent[2] = {5, 3};
  struct Case {
    std::int64_t at[2];
    bool element;
    std::int64_t expected[2];
    double value;
  };
  for (Case const& c :
       std::vector<Case>{
           {{2, 1}, true, {2, 1}, 0},
           {{-2, 1}, true, {0, 1}, 0},   // nearest
           {{2, 4}, true, {2, 1}, 0},    // reflected
           {{-1, 3}, true, {0, 2}, 0},   // both
           {{5, 1}, false, {0, 0}, 2},   // beyond the high boundary of 0
           {{2, -1}, false, {0, 0}, 1},  // beyond the low boundary of 1
           {{-1, -1}, false, {0, 0}, 1},
           {{6, 4}, false, {0, 0}, 2},
           {{5, -1}, false, {0, 0}, 2}})  // two constants: that of dimension 0
  {
    SCOPED_TRACE("element " + std::to_string(c.at[0]) + ", " +
                 std::to_string(c.at[1]));
    std::int64_t element[2] = {c.at[0], c.at[1]};
    double value            = -99;
    ASSERT_EQ(boundaries.locate(element, extent, value), c.element);
    if (c.element) {
      EXPECT_EQ(element[0], c.expected[0]);
      EXPECT_EQ(element[1], c.expected[1]);
      EXPECT_EQ(value, -99);
    } else {
      EXPECT_EQ(value, c.value);
    }
  }
}

TEST(Boundaries, HalosStayInTheGhostCells) {
  auto const boundaries =
      Boundaries<2>::per_side({{{Boundary::halo}, {Boundary::periodic}}},
                              {{{Boundary::nearest}, {Boundary::periodic}}});
  EXPECT_EQ(boundaries.ghosts_low(0, 3), 3);
  EXPECT_EQ(boundaries.ghosts_high(0, 3), 0);
  EXPECT_EQ(boundaries.ghosts_low(1, 3), 0);
  EXPECT_EQ(boundaries.ghosts_high(1, 3), 0);
  std::int64_t const extent[2] = {5, 4};
  std::int64_t element[2]      = {-2, -1};
  double value                 = 0;
  ASSERT_TRUE(boundaries.locate(element, extent, value));
  EXPECT_EQ(element[0], -2);
  EXPECT_EQ(element[1], 3);
}

TEST(Boundaries, PeriodicIsBothSidesOrNone) {
  EXPECT_EQ(
      error_of([] {
        Boundaries<2>::per_side({{{}, {Boundary::periodic}}},
                                {{{}, {Boundary::mirror}}});
      }),
      "KokkosMMA::Boundaries::per_side: the low boundary of dimension 1 is "
      "periodic, the high one mirror; make both of them periodic or none");
  // Boundaries may be set one by one, so users check again.
  Boundaries<1> boundaries;
  boundaries.high[0].kind = Boundary::periodic;
  EXPECT_EQ(error_of([&] { boundaries.check("caller"); }),
            "caller: the low boundary of dimension 0 is constant, the high one "
            "periodic; make both of them periodic or none");
  boundaries.low[0].kind = Boundary::periodic;
  EXPECT_EQ(error_of([&] { boundaries.check("caller"); }), "");
}

TEST(Boundaries, KindsThatDoNotExist) {
  Boundaries<3> boundaries;
  boundaries.low[2].kind = Boundary(6);
  EXPECT_EQ(
      error_of([&] { boundaries.check("caller"); }),
      "caller: a boundary of dimension 2 is of kind 6; kinds are constant, "
      "periodic, reflect, mirror, nearest, halo");
}

}  // namespace
