// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cellular automata against a loop on the host: rules of every kind, every
// boundary, layouts and types of cells; known truths; and errors.

#include "AutomatonSupport.hpp"

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Automata);

Cells random_cells(Place<2> const& extent, int states, Random& random) {
  Cells cells(extent);
  for (double& cell : cells.values)
    cell = random.integer(0, 1) ? double(random.integer(0, states - 1)) : 0;
  return cells;
}

/// A rule of the library, or a neighbourhood, a radius and a rule of the
/// caller's own.
template <class T, class Kind, class Exec, class... Rule>
void expect_generations(Place<2> const& extent, Boundaries<2> const& boundaries,
                        std::int64_t steps, int states, Random& random,
                        Rule const&... rule) {
  SCOPED_TRACE(joined(describe<2>(extent, boundaries), "steps ", steps));
  Cells expected = random_cells(extent, states, random);
  TestGrid<T, 2, Kind, Exec> const cells(expected);
  automaton(Exec(), cells.view(), rule..., boundaries, steps);
  for (std::int64_t step = 0; step < steps; ++step)
    expected = next_generation(expected, rule..., boundaries);
  EXPECT_TRUE(cells.holds(expected, as_result<T>));
  if (!on_cuda<Exec>) {
    EXPECT_EQ(Route::generic, last_route());
  }
}
template <class T, class Kind, class Exec>
void expect_generations(std::string const& text, Place<2> const& extent,
                        Boundaries<2> const& boundaries, std::int64_t steps,
                        Random& random) {
  SCOPED_TRACE(text);
  AutomatonRule const rule = parse_rule(text);
  expect_generations<T, Kind, Exec>(extent, boundaries, steps, rule.states(),
                                    random, rule);
}
using Right = Plain<Kokkos::LayoutRight>;

TYPED_TEST(Automata, EveryRule) {
  Random random;
  for (char const* const rule :
       {"B3/S23", "B36/S23", "B2/S", "B1357/S1357", "B02468/S13", "B2/S013V",
        "/2/3", "345/2/4", "23/3/8", "R2,C0,M1,S6..11,B6..9,NM",
        "R3,C0,M0,S8..14,B9..11,NN", "R5,C0,M1,S34..58,B34..45,NM",
        "R7,C5,M0,S60-80,90,B55-70,NM", "R16,C0,M1,S170..280,B170..225,NM",
        "R4,C3,M1,S10-14,B9,11,NN"}) {
    for (std::int64_t const steps : {1, 2, 5})
      expect_generations<std::uint8_t, Right, TypeParam>(
          rule, {24, 37}, random_boundaries<2>(random, false), steps, random);
  }
}

TYPED_TEST(Automata, EveryBoundary) {
  Random random;
  for (int kind = 0; kind < 5; ++kind)
    for (char const* const rule : {"B3/S23", "R3,C0,M1,S14..20,B14..18,NM"})
      for (Place<2> const& extent :
           {Place<2>{3, 3}, Place<2>{3, 40}, Place<2>{33, 10}})
        for (double const outside : {0., 1.})
          expect_generations<std::uint8_t, Right, TypeParam>(
              rule, extent, Boundaries<2>::all(Boundary(kind), outside), 6,
              random);
  for (int i = 0; i < 40; ++i)
    expect_generations<std::uint8_t, Right, TypeParam>(
        "B3/S23", {random.integer(1, 20), random.integer(1, 20)},
        random_boundaries<2>(random, false), 3, random);
}

// Rules of ranges, of which several generations run in bits: grids that end in
// a word and with one, of one word and of several, and of a few rows.
TYPED_TEST(Automata, EveryRadius) {
  Random random;
  for (int radius = 2; radius <= AutomatonRule::max_radius; ++radius) {
    int const size = neighbourhood_size(Neighbourhood::moore, radius);
    auto const any = [&] {
      int const low = int(random.integer(0, size / 2));
      return std::to_string(low) + ".." +
             std::to_string(random.integer(low, size));
    };
    for (Place<2> const& extent :
         {Place<2>{random.integer(radius, 40), random.integer(radius, 100)},
          Place<2>{16, 64}, Place<2>{40, 33}}) {
      expect_generations<std::uint8_t, Right, TypeParam>(
          "R" + std::to_string(radius) + ",C0,M" +
              std::to_string(random.integer(0, 1)) + ",S" + any() + ",B" +
              any() + ",NM",
          extent, random_boundaries<2>(random, false), 3, random);
      // Cells on bytes would be right, too.
      if (on_cuda<TypeParam>) {
        EXPECT_EQ(Route::streamed, last_route());
      }
    }
  }
}

template <class T, class Kind, class Exec>
void one_kind_of_cells() {
  Random random;
  for (std::int64_t const steps : {0, 1, 2, 3, 4})
    expect_generations<T, Kind, Exec>(
        "B3/S23", {15, 22}, random_boundaries<2>(random, false), steps, random);
  // Hosts take 256 cells along the fast dimension together, kernels a tile.
  for (Place<2> const& extent : {Place<2>{9, 515}, Place<2>{515, 9}})
    for (char const* const rule :
         {"B3/S23", "R3,C0,M1,S14..20,B14..18,NM", "R2,C0,M0,S3..5,B4..6,NN"})
      expect_generations<T, Kind, Exec>(rule, extent,
                                        random_boundaries<2>(random, false),
                                        random.integer(2, 4), random);
}
TYPED_TEST(Automata, TypesAndLayouts) {
  using Left = Kokkos::LayoutLeft;
  one_kind_of_cells<std::int8_t, Right, TypeParam>();
  one_kind_of_cells<bool, Right, TypeParam>();
  one_kind_of_cells<char, Right, TypeParam>();
  one_kind_of_cells<std::uint8_t, Plain<Left>, TypeParam>();
  one_kind_of_cells<std::uint8_t, Framed<Kokkos::LayoutRight>, TypeParam>();
  one_kind_of_cells<std::uint8_t, Framed<Left>, TypeParam>();
  one_kind_of_cells<std::uint8_t, Strided, TypeParam>();
}

Cells drawn(std::vector<std::string> const& rows) {
  Cells cells({std::int64_t(rows.size()), std::int64_t(rows[0].size())});
  for (std::size_t i = 0; i < cells.values.size(); ++i)
    cells.values[i] = rows[i / rows[0].size()][i % rows[0].size()] == '#';
  return cells;
}

template <class Exec>
void expect_after(std::string const& rule, Boundary boundary,
                  std::int64_t steps, std::vector<std::string> const& before,
                  std::vector<std::string> const& after) {
  Grid<std::uint8_t, 2, Exec> const cells(drawn(before));
  automaton(Exec(), cells.view(), parse_rule(rule),
            Boundaries<2>::all(boundary), steps);
  EXPECT_TRUE(cells.holds(drawn(after), as_result<std::uint8_t>))
      << rule << " after " << steps;
}

TYPED_TEST(Automata, KnownTruths) {
  std::vector<std::string> const glider = {".#....", "..#...", "###...",
                                           "......", "......", "......"};
  // A cell to the right and down in four generations, around the torus in 24.
  expect_after<TypeParam>(
      "B3/S23", Boundary::periodic, 4, glider,
      {"......", "..#...", "...#..", ".###..", "......", "......"});
  expect_after<TypeParam>("B3/S23", Boundary::periodic, 24, glider, glider);
  // Against a wall of dead cells it becomes a block.
  expect_after<TypeParam>(
      "B3/S23", Boundary::constant, 100, glider,
      {"......", "......", "......", "......", "....##", "....##"});
  expect_after<TypeParam>("B3/S23", Boundary::constant, 7,
                          {"...", "###", "..."}, {".#.", ".#.", ".#."});
  // Every cell with one live neighbour is born.
  expect_after<TypeParam>("B1/SV", Boundary::constant, 1, {"...", ".#.", "..."},
                          {".#.", "#.#", ".#."});
  // Three live neighbours each, and eight around the torus.
  expect_after<TypeParam>("B3/S23", Boundary::constant, 1, {"##", "##"},
                          {"##", "##"});
  expect_after<TypeParam>("B3/S23", Boundary::periodic, 1,
                          {"###", "###", "###"}, {"...", "...", "..."});
}

// A cell in a state that the rule does not have is dead.
TYPED_TEST(Automata, StatesThatTheRuleDoesNotHave) {
  Cells cells      = drawn({".....", ".....", ".###.", ".....", "....."});
  cells.at({1, 2}) = 7;
  cells.at({4, 4}) = 255;
  Grid<std::uint8_t, 2, TypeParam> const grid(cells);
  automaton(TypeParam(), grid.view(), parse_rule("B3/S23"),
            Boundaries<2>::all(Boundary::constant), 1);
  EXPECT_TRUE(grid.holds(drawn({".....", "..#..", "..#..", "..#..", "....."}),
                         as_result<std::uint8_t>));
  // All cells are born or kept.
  for (std::int64_t const steps : {1, 3}) {
    Cells filled      = drawn({"#####", ".....", "#.#.#"});
    filled.at({1, 1}) = 2;
    filled.at({2, 4}) = 200;
    Grid<std::uint8_t, 2, TypeParam> const full(filled);
    automaton(TypeParam(), full.view(), parse_rule("R2,C0,M1,S1..25,B1..25,NM"),
              Boundaries<2>::all(Boundary::constant), steps);
    EXPECT_TRUE(
        full.holds(drawn({"#####", "#####", "#####"}), as_result<std::uint8_t>))
        << steps;
  }
}

TYPED_TEST(Automata, OwnRules) {
  Random random;
  auto const check = [&](auto kind, Neighbourhood neighbourhood, int radius,
                         Place<2> const& extent, std::int64_t steps) {
    SCOPED_TRACE(joined("radius ", radius));
    int const size = neighbourhood_size(neighbourhood, radius);
    expect_generations<std::uint8_t, decltype(kind), TypeParam>(
        extent, random_boundaries<2>(random, false), steps, 4, random,
        neighbourhood, radius, OwnRule{size / 5, size / 2});
  };
  for (Neighbourhood const neighbourhood :
       {Neighbourhood::moore, Neighbourhood::von_neumann})
    for (int const radius : {1, 2, 5, 16})
      for (std::int64_t const steps : {0, 1, 4})
        check(Right(), neighbourhood, radius, {19, 34}, steps);
  for (int i = 0; i < 10; ++i) {
    Place<2> const extent = {random.integer(1, 20), random.integer(1, 20)};
    check(Plain<Kokkos::LayoutLeft>(), Neighbourhood::moore, 1, extent, 3);
    check(Strided(), Neighbourhood::von_neumann, 1, extent, 3);
  }
}

// As a lambda with a table in the memory of the space, beside the rule that the
// library has for it.
template <class Exec>
void rule_from_table() {
  Random random;
  AutomatonRule const life = parse_rule("B36/S23");
  Kokkos::View<bool[2][9], Exec> const table("table");
  auto const host = Kokkos::create_mirror_view(table);
  for (int state = 0; state < 2; ++state)
    for (int count = 0; count < 9; ++count)
      host(state, count) = life.next(std::uint8_t(state), count) == 1;
  Kokkos::deep_copy(table, host);
  for (Boundary const kind : {Boundary::constant, Boundary::periodic}) {
    auto const boundaries = Boundaries<2>::all(kind);
    Cells const before    = random_cells({23, 41}, 2, random);
    Grid<bool, 2, Exec> const by_table(before), by_rule(before);
    automaton(
        Exec(), by_table.view(), Neighbourhood::moore, 1,
        KOKKOS_LAMBDA(bool state, int count) { return table(state, count); },
        boundaries, 9);
    automaton(Exec(), by_rule.view(), life, boundaries, 9);
    EXPECT_EQ(by_rule.values(), by_table.values());
  }
}
TYPED_TEST(Automata, RuleFromTable) { rule_from_table<TypeParam>(); }

/// Every route gives the next generation, or says why not and does not change
/// the cells.
template <class Exec, class... Rule>
void expect_routes(std::vector<Route> const& can_run, char const* refusal,
                   Cells const& before, Rule const&... rule) {
  auto const torus  = Boundaries<2>::all(Boundary::periodic);
  Cells const after = next_generation(before, rule..., torus);
  // One generation, which is never chosen to run on bits.
  auto const advance = [&](auto const& cells, Settings const& settings) {
    automaton(Exec(), cells.view(), rule..., torus, 1, settings);
  };
  for (Route const route : {Route::generic, Route::streamed, Route::mma}) {
    SCOPED_TRACE(joined(route));
    bool const runs =
        std::find(can_run.begin(), can_run.end(), route) != can_run.end();
    Grid<std::uint8_t, 2, Exec> const cells(before), wished(before);
    if (runs) {
      EXPECT_NO_THROW(advance(cells, Settings{route}));
      EXPECT_EQ(route, last_route());
    } else {
      expect_error({"KokkosMMA::automaton: ",
                    joined("route ", route, " was requested but cannot run: "),
                    on_cuda<Exec> ? refusal : "not Cuda"},
                   [&] { advance(cells, Settings{route}); });
    }
    EXPECT_TRUE(cells.holds(runs ? after : before, as_result<std::uint8_t>));
    // From a scope it is a request.
    ScopedSettings const scope(Settings{route});
    EXPECT_NO_THROW(advance(wished, Settings{}));
    EXPECT_TRUE(wished.holds(after, as_result<std::uint8_t>));
    if (runs) {
      EXPECT_EQ(route, last_route());
    }
  }
}
TYPED_TEST(Automata, Routes) {
  using Exec = TypeParam;
  Random random;
  Cells const before = random_cells({12, 70}, 2, random);
  std::vector<Route> can_run{Route::generic};
  if (on_cuda<Exec>) can_run.push_back(Route::mma);
  expect_routes<Exec>(can_run, "functor", before, Neighbourhood::moore, 2,
                      OwnRule{2, 4});
  expect_routes<Exec>(can_run, "more than two states", before,
                      parse_rule("345/2/4"));
  if (on_cuda<Exec>) can_run.push_back(Route::streamed);
  expect_routes<Exec>(can_run, "", before, parse_rule("B3/S23"));
}

template <class T, class Exec, class... Rule>
void expect_refused(std::vector<std::string> parts,
                    Boundaries<2> const& boundaries, std::int64_t steps,
                    Rule const&... rule) {
  Random random;
  Cells const before = random_cells({6, 9}, 2, random);
  Grid<T, 2, Exec> const cells(before);
  parts.push_back("KokkosMMA::automaton: ");
  expect_error(parts, [&] {
    automaton(Exec(), cells.view(), rule..., boundaries, steps);
  });
  EXPECT_TRUE(cells.holds(before, as_result<T>));
}
TYPED_TEST(Automata, BadInput) {
  using Exec               = TypeParam;
  using Byte               = std::uint8_t;
  AutomatonRule const life = parse_rule("B3/S23");
  auto const dead          = Boundaries<2>::all(Boundary::constant);
  auto const outside       = [](double state) {
    return Boundaries<2>::all(Boundary::constant, state);
  };
  expect_refused<Byte, Exec>({"steps is -1", "0 or more"},
                             Boundaries<2>::all(Boundary::periodic), -1, life);
  expect_refused<Byte, Exec>({"radius 7", "6 elements of dimension 0"}, dead, 3,
                             parse_rule("R7,C0,M1,S34..58,B34..45,NM"));
  expect_refused<bool, Exec>({"8 states", "bool", "hold 2"}, dead, 3,
                             parse_rule("23/3/8"));
  expect_refused<std::int8_t, Exec>({"200 states", "int8", "hold 128"}, dead, 3,
                                    parse_rule("23/3/200"));
  for (double const state : {2., -1., .5})
    expect_refused<Byte, Exec>({"not a state", "0 to 1"}, outside(state), 1,
                               life);
  Boundaries<2> boundaries = dead;
  boundaries.high[0].kind  = Boundary::halo;
  expect_refused<Byte, Exec>({"dimension 0 is a halo", "StencilPolicy"},
                             boundaries, 1, life);
  boundaries.high[0].kind = Boundary::periodic;
  expect_refused<Byte, Exec>({"dimension 0", "periodic"}, boundaries, 1, life);
  auto const moore = Neighbourhood::moore;
  OwnRule const own{1, 5};
  for (int const radius : {-1, 0, 17})
    expect_refused<Byte, Exec>({joined("the radius is ", radius), "1 to 16"},
                               dead, 1, moore, radius, own);
  expect_refused<Byte, Exec>({"radius 7", "6 elements of dimension 0"}, dead, 1,
                             moore, 7, own);
  expect_refused<Byte, Exec>({"steps is -1"}, dead, -1, moore, 1, own);
  expect_refused<Byte, Exec>({"not a state", "0 to 255"}, outside(256), 1,
                             moore, 1, own);
  expect_refused<bool, Exec>({"not a state", "0 to 1"}, outside(2), 1, moore, 1,
                             own);
  expect_refused<Byte, Exec>({"is a halo", "StencilPolicy"},
                             Boundaries<2>::all(Boundary::halo), 1, moore, 1,
                             own);
}

TYPED_TEST(Automata, CellsWithoutMemory) {
  Unmanaged<std::uint8_t**, TypeParam> const nowhere(nullptr, 5, 5);
  AutomatonRule const life = parse_rule("B3/S23");
  auto const dead          = Boundaries<2>::all(Boundary::constant);
  expect_error({"KokkosMMA::automaton: cells has no memory"},
               [&] { automaton(TypeParam(), nowhere, life, dead, 1); });
  Kokkos::View<std::uint8_t**, TypeParam> const none("none", 0, 5);
  EXPECT_NO_THROW(automaton(TypeParam(), none, life, dead, 3));
}

}  // namespace
