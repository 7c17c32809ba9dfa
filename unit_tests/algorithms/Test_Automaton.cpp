// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cellular automata against a loop on the host: rules of every kind, every
// boundary, layouts and types of cells; known truths; and errors.

#include "StencilSupport.hpp"

#include <KokkosMMA_Recorder.hpp>

#include <algorithm>
#include <cstdlib>

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

template <class Exec>
class Automata : public ::testing::Test {};
TYPED_TEST_SUITE(Automata, ExecutionSpaces);

using Cells = HostGrid<2>;

/// One generation of a functor that takes a state and the number of the other
/// cells around it that are in state 1.
template <class Next>
Cells next_generation(Cells const& cells, Neighbourhood neighbourhood, int r,
                      Next const& next, Boundaries<2> const& boundaries) {
  Cells result(cells.extent);
  for (std::size_t i = 0; i < cells.values.size(); ++i) {
    Place<2> const cell = cells.place(i);
    int count           = 0;
    for_each_offset<2>({r, r}, [&](Place<2> const& o) {
      if (neighbourhood == Neighbourhood::von_neumann &&
          std::abs(o[0]) + std::abs(o[1]) > r)
        return;
      if (o == Place<2>{0, 0}) return;
      count += read_at<2>(cells, {cell[0] + o[0], cell[1] + o[1]}, cells.extent,
                          {r, r}, boundaries) == 1;
    });
    result.values[i] = double(next(std::uint8_t(cells.values[i]), count));
  }
  return result;
}

/// What a rule makes of a cell is core's and tested there.
Cells next_generation(Cells const& cells, AutomatonRule const& rule,
                      Boundaries<2> const& boundaries) {
  return next_generation(
      cells, rule.neighbourhood(), rule.radius(),
      [&](std::uint8_t state, int count) {
        return rule.next(state, count + (rule.counts_centre() && state == 1));
      },
      boundaries);
}

Cells random_cells(Place<2> const& extent, int states, Random& random) {
  Cells cells(extent);
  for (double& cell : cells.values)
    cell = random.integer(0, 1) ? double(random.integer(0, states - 1)) : 0;
  return cells;
}

template <class T, class Kind, class Exec>
void expect_generations(std::string const& text, Place<2> const& extent,
                        Boundaries<2> const& boundaries, std::int64_t steps,
                        Random& random) {
  SCOPED_TRACE(text + " " + describe<2>(extent, boundaries) + "steps " +
               std::to_string(steps));
  AutomatonRule const rule = parse_rule(text);
  Cells expected           = random_cells(extent, rule.states(), random);
  TestGrid<T, 2, Kind, Exec> const cells(expected);
  automaton(Exec(), cells.view(), rule, boundaries, steps);
  for (std::int64_t step = 0; step < steps; ++step)
    expected = next_generation(expected, rule, boundaries);
  EXPECT_TRUE(cells.holds(expected, as_result<T>));
  if (!on_cuda<Exec>) {
    EXPECT_EQ(Route::generic, last_route());
  }
}
using Right = Plain<Kokkos::LayoutRight>;

template <class Exec>
void every_rule() {
  Random random;
  SCOPED_TRACE(random.note());
  for (char const* const rule :
       {"B3/S23", "B36/S23", "B2/S", "B1357/S1357", "B02468/S13", "B2/S013V",
        "/2/3", "345/2/4", "23/3/8", "R2,C0,M1,S6..11,B6..9,NM",
        "R3,C0,M0,S8..14,B9..11,NN", "R5,C0,M1,S34..58,B34..45,NM",
        "R7,C5,M0,S60-80,90,B55-70,NM", "R16,C0,M1,S170..280,B170..225,NM",
        "R4,C3,M1,S10-14,B9,11,NN"}) {
    for (std::int64_t const steps : {1, 2, 5})
      expect_generations<std::uint8_t, Right, Exec>(
          rule, {24, 37}, random_boundaries<2>(random, false), steps, random);
  }
}
TYPED_TEST(Automata, EveryRule) { every_rule<TypeParam>(); }

template <class Exec>
void every_boundary() {
  Random random;
  SCOPED_TRACE(random.note());
  for (int kind = 0; kind < 5; ++kind)
    for (char const* const rule : {"B3/S23", "R3,C0,M1,S14..20,B14..18,NM"})
      for (Place<2> const& extent :
           {Place<2>{3, 3}, Place<2>{3, 40}, Place<2>{33, 10}})
        for (double const outside : {0., 1.})
          expect_generations<std::uint8_t, Right, Exec>(
              rule, extent, Boundaries<2>::all(Boundary(kind), outside), 6,
              random);
  for (int i = 0; i < 40; ++i)
    expect_generations<std::uint8_t, Right, Exec>(
        "B3/S23", {random.integer(1, 20), random.integer(1, 20)},
        random_boundaries<2>(random, false), 3, random);
}
TYPED_TEST(Automata, EveryBoundary) { every_boundary<TypeParam>(); }

// Rules of ranges, of which several generations run in bits: grids that end in
// a word and with one, of one word and of several, and of a few rows.
template <class Exec>
void every_radius() {
  Random random;
  SCOPED_TRACE(random.note());
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
      expect_generations<std::uint8_t, Right, Exec>(
          "R" + std::to_string(radius) + ",C0,M" +
              std::to_string(random.integer(0, 1)) + ",S" + any() + ",B" +
              any() + ",NM",
          extent, random_boundaries<2>(random, false), 3, random);
      // Cells on bytes would be right, too.
      if (on_cuda<Exec>) {
        EXPECT_EQ(Route::streamed, last_route());
      }
    }
  }
}
TYPED_TEST(Automata, EveryRadius) { every_radius<TypeParam>(); }

template <class T, class Kind, class Exec>
void one_kind_of_cells() {
  Random random;
  SCOPED_TRACE(random.note());
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

// --- known truths ------------------------------------------------------------

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
  TestGrid<std::uint8_t, 2, Right, Exec> const cells(drawn(before));
  automaton(Exec(), cells.view(), parse_rule(rule),
            Boundaries<2>::all(boundary), steps);
  EXPECT_TRUE(cells.holds(drawn(after), as_result<std::uint8_t>))
      << rule << " after " << steps;
}

template <class Exec>
void known_truths() {
  std::vector<std::string> const glider = {".#....", "..#...", "###...",
                                           "......", "......", "......"};
  // A cell to the right and down in four generations, around the torus in 24.
  expect_after<Exec>(
      "B3/S23", Boundary::periodic, 4, glider,
      {"......", "..#...", "...#..", ".###..", "......", "......"});
  expect_after<Exec>("B3/S23", Boundary::periodic, 24, glider, glider);
  // Against a wall of dead cells it becomes a block.
  expect_after<Exec>(
      "B3/S23", Boundary::constant, 100, glider,
      {"......", "......", "......", "......", "....##", "....##"});
  expect_after<Exec>("B3/S23", Boundary::constant, 7, {"...", "###", "..."},
                     {".#.", ".#.", ".#."});
  // Every cell with one live neighbour is born.
  expect_after<Exec>("B1/SV", Boundary::constant, 1, {"...", ".#.", "..."},
                     {".#.", "#.#", ".#."});
  // Three live neighbours each, and eight around the torus.
  expect_after<Exec>("B3/S23", Boundary::constant, 1, {"##", "##"},
                     {"##", "##"});
  expect_after<Exec>("B3/S23", Boundary::periodic, 1, {"###", "###", "###"},
                     {"...", "...", "..."});
}
TYPED_TEST(Automata, KnownTruths) { known_truths<TypeParam>(); }

// A state that the rule does not have is dead one generation later, and nobody
// counts it.
template <class Exec>
void foreign_states() {
  Cells cells      = drawn({".....", ".....", ".###.", ".....", "....."});
  cells.at({1, 1}) = 7;
  cells.at({4, 4}) = 255;
  TestGrid<std::uint8_t, 2, Right, Exec> const grid(cells);
  automaton(Exec(), grid.view(), parse_rule("B3/S23"),
            Boundaries<2>::all(Boundary::constant), 1);
  EXPECT_TRUE(grid.holds(drawn({".....", "..#..", "..#..", "..#..", "....."}),
                         as_result<std::uint8_t>));
  // Everything that is known is born and kept.
  for (std::int64_t const steps : {1, 3}) {
    Cells filled      = drawn({"#####", ".....", "#.#.#"});
    filled.at({1, 1}) = 2;
    filled.at({2, 4}) = 200;
    Cells expected    = drawn({"#####", "#.###", "####."});
    if (steps > 1) expected = drawn({"#####", "#####", "#####"});
    TestGrid<std::uint8_t, 2, Right, Exec> const full(filled);
    automaton(Exec(), full.view(), parse_rule("R2,C0,M1,S1..25,B1..25,NM"),
              Boundaries<2>::all(Boundary::constant), steps);
    EXPECT_TRUE(full.holds(expected, as_result<std::uint8_t>)) << steps;
  }
}
TYPED_TEST(Automata, StatesThatTheRuleDoesNotHave) {
  foreign_states<TypeParam>();
}

// --- rules of the caller's own -----------------------------------------------

// Depends on parity and on two limits, which no sets of counts can say, and
// uses states that are neither dead nor alive in two ways.
struct OwnRule {
  int few;
  int many;

  KOKKOS_FUNCTION int operator()(std::uint8_t state, int count) const {
    if (state == 1) return count < few ? 2 : count > many ? 3 : 1;
    if (state == 2) return count % 2 == 0 ? 1 : 0;
    if (state == 3) return 0;
    return count >= few && count % 3 == 0 ? 1 : 0;
  }
};

template <class T, class Kind, class Exec>
void expect_own_generations(Neighbourhood neighbourhood, int radius,
                            Place<2> const& extent,
                            Boundaries<2> const& boundaries, std::int64_t steps,
                            Random& random) {
  SCOPED_TRACE(describe<2>(extent, boundaries) + "radius " +
               std::to_string(radius) + " steps " + std::to_string(steps));
  int const size = neighbourhood_size(neighbourhood, radius);
  OwnRule const rule{size / 5, size / 2};
  Cells expected = random_cells(extent, 4, random);
  TestGrid<T, 2, Kind, Exec> const cells(expected);
  automaton(Exec(), cells.view(), neighbourhood, radius, rule, boundaries,
            steps);
  for (std::int64_t step = 0; step < steps; ++step)
    expected =
        next_generation(expected, neighbourhood, radius, rule, boundaries);
  EXPECT_TRUE(cells.holds(expected, as_result<T>));
  if (!on_cuda<Exec>) {
    EXPECT_EQ(Route::generic, last_route());
  }
}
template <class Exec>
void own_rules() {
  Random random;
  SCOPED_TRACE(random.note());
  for (Neighbourhood const neighbourhood :
       {Neighbourhood::moore, Neighbourhood::von_neumann})
    for (int const radius : {1, 2, 5, 16})
      for (std::int64_t const steps : {0, 1, 4})
        expect_own_generations<std::uint8_t, Right, Exec>(
            neighbourhood, radius, {19, 34},
            random_boundaries<2>(random, false), steps, random);
  for (int i = 0; i < 10; ++i) {
    auto const boundaries = random_boundaries<2>(random, false);
    Place<2> const extent = {random.integer(1, 20), random.integer(1, 20)};
    expect_own_generations<std::uint8_t, Plain<Kokkos::LayoutLeft>, Exec>(
        Neighbourhood::moore, 1, extent, boundaries, 3, random);
    expect_own_generations<std::uint8_t, Strided, Exec>(
        Neighbourhood::von_neumann, 1, extent, boundaries, 3, random);
  }
}
TYPED_TEST(Automata, OwnRules) { own_rules<TypeParam>(); }

// As a lambda with a table in the memory of the space, beside the rule that the
// library has for it.
template <class Exec>
void rule_from_table() {
  Random random;
  SCOPED_TRACE(random.note());
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
    TestGrid<bool, 2, Right, Exec> const by_table(before);
    TestGrid<bool, 2, Right, Exec> const by_rule(before);
    automaton(
        Exec(), by_table.view(), Neighbourhood::moore, 1,
        KOKKOS_LAMBDA(bool state, int count) { return table(state, count); },
        boundaries, 9);
    automaton(Exec(), by_rule.view(), life, boundaries, 9);
    EXPECT_EQ(by_rule.values(), by_table.values());
  }
}
TYPED_TEST(Automata, RuleFromTable) { rule_from_table<TypeParam>(); }

// --- routes ------------------------------------------------------------------

/// Every route gives these cells, or says why not and leaves the cells alone.
template <class Exec, class Advance>
void expect_routes(std::vector<Route> const& can_run, char const* refusal,
                   Cells const& before, Cells const& after,
                   Advance const& advance) {
  for (Route const route : {Route::generic, Route::streamed, Route::mma}) {
    SCOPED_TRACE(std::string(to_string(route)));
    bool const runs =
        std::find(can_run.begin(), can_run.end(), route) != can_run.end();
    TestGrid<std::uint8_t, 2, Right, Exec> const cells(before);
    std::string const error =
        error_of([&] { advance(cells.view(), Settings{route}); });
    if (runs) {
      EXPECT_EQ("", error);
      EXPECT_EQ(route, last_route());
    } else {
      EXPECT_TRUE(has_parts(error, {"KokkosMMA::automaton: ",
                                    "route " + std::string(to_string(route)) +
                                        " was asked for but cannot run: ",
                                    on_cuda<Exec> ? refusal : "not Cuda"}));
    }
    EXPECT_TRUE(cells.holds(runs ? after : before, as_result<std::uint8_t>));
    // From a scope it is a wish.
    TestGrid<std::uint8_t, 2, Right, Exec> const wished(before);
    ScopedSettings const scope(Settings{route});
    EXPECT_EQ("", error_of([&] { advance(wished.view(), Settings{}); }));
    EXPECT_TRUE(wished.holds(after, as_result<std::uint8_t>));
    if (runs) {
      EXPECT_EQ(route, last_route());
    }
  }
}
template <class Exec>
void routes_of_automata() {
  Random random;
  SCOPED_TRACE(random.note());
  auto const torus   = Boundaries<2>::all(Boundary::periodic);
  Cells const before = random_cells({12, 70}, 2, random);
  for (char const* const text : {"B3/S23", "345/2/4"}) {
    SCOPED_TRACE(text);
    AutomatonRule const rule = parse_rule(text);
    Cells const after        = next_generation(before, rule, torus);
    std::vector<Route> can_run{Route::generic};
    if (on_cuda<Exec>) can_run.push_back(Route::mma);
    if (on_cuda<Exec> && rule.states() == 2) can_run.push_back(Route::streamed);
    // One generation, which is never chosen to run on bits.
    expect_routes<Exec>(can_run, "more than two states", before, after,
                        [&](auto const& cells, Settings const& settings) {
                          automaton(Exec(), cells, rule, torus, 1, settings);
                        });
  }
  OwnRule const own{2, 4};
  std::vector<Route> can_run{Route::generic};
  if (on_cuda<Exec>) can_run.push_back(Route::mma);
  expect_routes<Exec>(
      can_run, "functor", before,
      next_generation(before, Neighbourhood::moore, 2, own, torus),
      [&](auto const& cells, Settings const& settings) {
        automaton(Exec(), cells, Neighbourhood::moore, 2, own, torus, 1,
                  settings);
      });
}
TYPED_TEST(Automata, Routes) { routes_of_automata<TypeParam>(); }

template <class Exec>
void explanations() {
  Random random;
  Cells const before       = random_cells({12, 70}, 2, random);
  AutomatonRule const life = parse_rule("B3/S23");
  auto const dead          = Boundaries<2>::all(Boundary::constant);
  TestGrid<std::uint8_t, 2, Right, Exec> const cells(before);
  std::string const text = explain([&] {
    automaton(Exec(), cells.view(), life, dead, 64);
    automaton(Exec(), cells.view(), Neighbourhood::moore, 1, OwnRule{2, 4},
              dead, 64);
  });
  EXPECT_TRUE(has_parts(
      text, on_cuda<Exec>
                ? std::vector<std::string>{"route streamed; not mma: ",
                                           "\nroute mma; not streamed: "}
                : std::vector<std::string>{"route generic; not mma: the "
                                           "execution space is not Cuda",
                                           "\nroute generic; "}));
  EXPECT_TRUE(cells.holds(before, as_result<std::uint8_t>));
}
TYPED_TEST(Automata, Explanations) { explanations<TypeParam>(); }

template <class Exec>
void labels() {
  Kokkos::View<std::uint8_t**, Exec> const cells("cells", 12, 70);
  auto const dead = Boundaries<2>::all(Boundary::constant);
  auto const seen = [](auto const& call) {
    Recorder const recorder;
    call();
    std::vector<std::string> labels;
    for (std::string const& event : Recorder::events)
      if (event.starts_with("begin for ")) labels.push_back(event.substr(10));
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
  };
  using Labels             = std::vector<std::string>;
  AutomatonRule const life = parse_rule("B3/S23");
  EXPECT_EQ(Labels{on_cuda<Exec> ? "KokkosMMA::automaton[streamed]"
                                 : "KokkosMMA::automaton[generic]"},
            seen([&] { automaton(Exec(), cells, life, dead, 4); }));
  EXPECT_EQ(Labels{"mine"},
            seen([&] { automaton("mine", Exec(), cells, life, dead, 4); }));
  EXPECT_EQ(Labels{"own rule"}, seen([&] {
              automaton("own rule", Exec(), cells, Neighbourhood::moore, 1,
                        OwnRule{2, 4}, dead, 4);
            }));
}
TYPED_TEST(Automata, Labels) { labels<TypeParam>(); }

// --- bad input ---------------------------------------------------------------

template <class T, class Exec>
void expect_refused(AutomatonRule const& rule, Boundaries<2> const& boundaries,
                    std::int64_t steps, std::vector<std::string> parts,
                    Settings const& settings = {}) {
  Random random;
  Cells const before = random_cells({6, 9}, 2, random);
  TestGrid<T, 2, Right, Exec> const cells(before);
  parts.push_back("KokkosMMA::automaton: ");
  EXPECT_TRUE(has_parts(error_of([&] {
                          automaton(Exec(), cells.view(), rule, boundaries,
                                    steps, settings);
                        }),
                        parts));
  EXPECT_TRUE(cells.holds(before, as_result<T>));
}
TYPED_TEST(Automata, BadInput) {
  AutomatonRule const life = parse_rule("B3/S23");
  auto const torus         = Boundaries<2>::all(Boundary::periodic);
  auto const dead          = Boundaries<2>::all(Boundary::constant);
  expect_refused<std::uint8_t, TypeParam>(life, torus, -1,
                                          {"steps is -1", "0 or more"});
  expect_refused<std::uint8_t, TypeParam>(
      parse_rule("R7,C0,M1,S34..58,B34..45,NM"), dead, 3,
      {"radius 7", "6 elements of dimension 0"});
  expect_refused<bool, TypeParam>(parse_rule("23/3/8"), dead, 3,
                                  {"8 states", "bool", "hold 2"});
  expect_refused<std::int8_t, TypeParam>(parse_rule("23/3/200"), dead, 3,
                                         {"200 states", "int8", "hold 128"});
  for (double const outside : {2., -1., .5})
    expect_refused<std::uint8_t, TypeParam>(
        life, Boundaries<2>::all(Boundary::constant, outside), 1,
        {"no state", "0 to 1"});
  Boundaries<2> boundaries = dead;
  boundaries.high[0].kind  = Boundary::halo;
  expect_refused<std::uint8_t, TypeParam>(
      life, boundaries, 1, {"dimension 0 is a halo", "StencilPolicy"});
  boundaries.high[0].kind = Boundary::periodic;
  expect_refused<std::uint8_t, TypeParam>(life, boundaries, 1,
                                          {"dimension 0", "periodic"});
  Settings settings;
  settings.chain_length = 99;
  expect_refused<std::uint8_t, TypeParam>(life, torus, 1,
                                          {"chain_length is 99"}, settings);
}

template <class T, class Exec>
void expect_own_refused(int radius, Boundaries<2> const& boundaries,
                        std::int64_t steps, std::vector<std::string> parts) {
  Random random;
  Cells const before = random_cells({6, 9}, 2, random);
  TestGrid<T, 2, Right, Exec> const cells(before);
  parts.push_back("KokkosMMA::automaton: ");
  EXPECT_TRUE(has_parts(error_of([&] {
                          automaton(Exec(), cells.view(), Neighbourhood::moore,
                                    radius, OwnRule{1, 5}, boundaries, steps);
                        }),
                        parts));
  EXPECT_TRUE(cells.holds(before, as_result<T>));
}
TYPED_TEST(Automata, BadInputWithOwnRules) {
  auto const dead = Boundaries<2>::all(Boundary::constant);
  for (int const radius : {-1, 0, 17})
    expect_own_refused<std::uint8_t, TypeParam>(
        radius, dead, 1,
        {"the radius is " + std::to_string(radius), "1 to 16"});
  expect_own_refused<std::uint8_t, TypeParam>(
      7, dead, 1, {"radius 7", "6 elements of dimension 0"});
  expect_own_refused<std::uint8_t, TypeParam>(1, dead, -1, {"steps is -1"});
  expect_own_refused<std::uint8_t, TypeParam>(
      1, Boundaries<2>::all(Boundary::constant, 256), 1,
      {"no state", "0 to 255"});
  expect_own_refused<bool, TypeParam>(
      1, Boundaries<2>::all(Boundary::constant, 2), 1, {"no state", "0 to 1"});
  expect_own_refused<std::uint8_t, TypeParam>(
      1, Boundaries<2>::all(Boundary::halo), 1, {"is a halo", "StencilPolicy"});
}

template <class Exec>
void cells_without_memory() {
  Kokkos::View<std::uint8_t**, Exec,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const nowhere(nullptr,
                                                                      5, 5);
  AutomatonRule const life = parse_rule("B3/S23");
  auto const dead          = Boundaries<2>::all(Boundary::constant);
  EXPECT_TRUE(
      has_parts(error_of([&] { automaton(Exec(), nowhere, life, dead, 1); }),
                {"KokkosMMA::automaton: cells has no memory"}));
  Kokkos::View<std::uint8_t**, Exec> const none("none", 0, 5);
  EXPECT_EQ("", error_of([&] { automaton(Exec(), none, life, dead, 3); }));
}
TYPED_TEST(Automata, CellsWithoutMemory) { cells_without_memory<TypeParam>(); }

}  // namespace
