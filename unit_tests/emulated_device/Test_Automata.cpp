// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StencilSupport.hpp"

#include <algorithms/AutomatonSupport.hpp>

#include <backends/cuda/kernels/automaton/KokkosMMA_Automaton.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedCounts.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedLife.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

using DeviceCells = DeviceGrid<std::uint8_t, 2>;

Impl::StencilGrid<std::uint8_t, 2> grid_of(DeviceCells& cells,
                                           Place<2> const& extent,
                                           Boundaries<2> const& boundaries,
                                           bool reversed) {
  return {cells.data(),
          {cells.stride(0), cells.stride(1)},
          {extent[0], extent[1]},
          boundaries,
          reversed};
}

enum class Alive { any, all, none };

struct Automaton {
  Alive alive;
  Place<2> extent;
  Boundaries<2> boundaries;
  bool reversed;
  Lie lie_from;
  Lie lie_to;

  Automaton(Place<2> const& extent_, Random& random, Alive alive_ = Alive::any)
      : alive(alive_),
        extent(extent_),
        boundaries(random_boundaries<2>(random, false)),
        reversed(random.integer(0, 1) == 1) {
    if (random.integer(0, 1) == 0) {
      lie_from.extra = lie_to.extra = (16 - extent[1] % 16) % 16;
    } else {
      lie_from = {random.integer(0, 32), random.integer(0, 16)};
      lie_to   = {random.integer(0, 32), random.integer(0, 16)};
    }
  }

  /// launch(grid, to, stride) makes `steps` generations of cells, of which each
  /// is what next(state, count) says.
  template <class Next, class Launch>
  void expect(Neighbourhood neighbourhood, int radius, int states, int steps,
              Next const& next, Random& random, Launch const& launch) const {
    SCOPED_TRACE(describe<2>(extent, boundaries) + "radius " +
                 std::to_string(radius) + " steps " + std::to_string(steps) +
                 ", rows " + std::to_string(lie_from.extra) + " and " +
                 std::to_string(lie_to.extra) + " longer, from " +
                 std::to_string(lie_from.before) + " and " +
                 std::to_string(lie_to.before) + " on" +
                 (reversed ? ", reversed" : ""));
    any_device(random);
    Place<2> const none{};
    DeviceCells from(extent, none, none, lie_from);
    DeviceCells to(extent, none, none, lie_to);
    for (std::int64_t i = 0; i < from.size(); ++i)
      from.memory()[i] = alive != Alive::any ? alive == Alive::all
                         : random.integer(0, 1)
                             ? std::uint8_t(random.integer(0, states - 1))
                             : 0;
    std::fill_n(to.memory(), to.size(), std::uint8_t(0x5a));
    auto const grid = grid_of(from, extent, boundaries, reversed);
    launch(grid, to.data(), to.stride(0));
    Cells now(extent);
    for (std::size_t i = 0; i < now.values.size(); ++i)
      now.values[i] = from.at(now.place(i));
    for (int step = 0; step < steps; ++step)
      now = next_generation(now, neighbourhood, radius, next, boundaries,
                            reversed);
    for (std::size_t i = 0; i < now.values.size(); ++i)
      ASSERT_EQ(int(to.at(now.place(i))), int(now.values[i]))
          << ::testing::PrintToString(now.place(i));
    // What is no cell is left as it was.
    for (std::int64_t k = 0; k < to.size(); ++k) {
      std::int64_t const at = k - lie_to.before;
      if (at < 0 || at % to.stride(0) >= extent[1]) {
        ASSERT_EQ(int(to.memory()[k]), 0x5a) << "beside the cells";
      }
    }
  }
};

TEST(AutomatonKernels, RulesInBytes) {
  Random random;
  for (char const* const text :
       {"B3/S23", "B2/S013V", "345/2/4", "R2,C0,M1,S6..11,B6..9,NM",
        "R3,C0,M0,S8..14,B9..11,NN", "R5,C0,M1,S34..58,B34..45,NM",
        "R7,C5,M0,S60-80,90,B55-70,NM", "R16,C0,M1,S170..280,B170..225,NM",
        "R11,C3,M1,S10-14,B9,11,NN"})
    for (int n = 0; n < 3; ++n) {
      SCOPED_TRACE(text);
      AutomatonRule const rule = parse_rule(text);
      Automaton({random.integer(rule.radius(), 60),
                 random.integer(rule.radius(), n == 0 ? 700 : 150)},
                random)
          .expect(rule.neighbourhood(), rule.radius(), rule.states(), 1,
                  next_by(rule), random,
                  [&](auto const& grid, auto* to, std::int64_t stride) {
                    Impl::Cuda::launch_automaton(Kokkos::Cuda(), grid, to,
                                                 stride, rule);
                  });
    }
}

/// Rule that counts its invocations and those in states that no cell has.
struct CountingRule {
  OwnRule rule;
  std::int64_t* calls;
  std::int64_t* unknown;
  std::uint8_t operator()(std::uint8_t state, int count) const {
    ++*calls;
    *unknown += state > 3;
    return rule(state, count);
  }
};

/// The caller's functor is invoked once per cell, in a cell's state: not for
/// what lies beside the grid in a tile.
TEST(AutomatonKernels, OwnRulesOncePerCell) {
  Random random;
  for (Neighbourhood const neighbourhood :
       {Neighbourhood::moore, Neighbourhood::von_neumann})
    for (int const radius : {1, 2, 5, 16})
      for (Place<2> const& extent :
           {Place<2>{16, 16}, Place<2>{17, 33}, Place<2>{31, 100},
            Place<2>{50, 192}, Place<2>{48, 257}}) {
        int const size = neighbourhood_size(neighbourhood, radius);
        OwnRule const own{size / 5, size / 2};
        std::int64_t calls = 0, unknown = 0;
        Automaton(extent, random)
            .expect(neighbourhood, radius, 4, 1, own, random,
                    [&](auto const& grid, auto* to, std::int64_t stride) {
                      Impl::Cuda::launch_automaton(
                          Kokkos::Cuda(), grid, to, stride, neighbourhood,
                          radius, CountingRule{own, &calls, &unknown});
                    });
        EXPECT_EQ(extent[0] * extent[1], calls) << radius;
        EXPECT_EQ(0, unknown) << radius;
      }
}

TEST(AutomatonKernels, OwnRules) {
  Random random;
  for (Neighbourhood const neighbourhood :
       {Neighbourhood::moore, Neighbourhood::von_neumann})
    for (int radius = 1; radius <= AutomatonRule::max_radius; ++radius)
      for (Alive const alive : {Alive::any, Alive::all}) {
        int const size = neighbourhood_size(neighbourhood, radius);
        OwnRule const rule{size / 5, size / 2};
        Automaton({random.integer(radius, 50), random.integer(radius, 200)},
                  random, alive)
            .expect(neighbourhood, radius, 4, 1, rule, random,
                    [&](auto const& grid, auto* to, std::int64_t stride) {
                      Impl::Cuda::launch_automaton(Kokkos::Cuda(), grid, to,
                                                   stride, neighbourhood,
                                                   radius, rule);
                    });
      }
}

AutomatonRule random_life(Random& random) {
  auto const neighbourhood =
      random.integer(0, 1) ? Neighbourhood::moore : Neighbourhood::von_neumann;
  int const size = neighbourhood_size(neighbourhood, 1);
  CountSet survive, birth;
  for (int count = 0; count <= size; ++count) {
    if (random.integer(0, 1)) survive.insert(count);
    if (random.integer(0, 1)) birth.insert(count);
  }
  return {neighbourhood, 1, 2, random.integer(0, 1) != 0, survive, birth};
}

TEST(AutomatonKernels, LifeInBits) {
  Random random;
  std::vector<AutomatonRule> rules;
  for (char const* const text :
       {"B3/S23", "B36/S23", "B2/S013V", "B1357/S02468", "B/S", "B0/S8",
        "B012345678/S012345678", "B01234/S", "R1,C0,M1,S3..4,B3..3,NM",
        "R1,C0,M1,S1-9,B0-9,NM"})
    rules.push_back(parse_rule(text));
  for (int n = 0; n < 60; ++n) rules.push_back(random_life(random));
  for (std::size_t r = 0; r < rules.size(); ++r)
    for (int n = 0; n < (r < 4 ? 26 : 3); ++n) {
      AutomatonRule const& rule = rules[r];
      SCOPED_TRACE("rule " + std::to_string(r));
      ASSERT_TRUE(Impl::has_bits(rule));
      // Mostly small: what is beyond a boundary is beyond the other one, too.
      Place<2> const extent{random.integer(1, r == 0 && n == 0 ? 400
                                              : n < 6          ? 60
                                                               : 20),
                            random.integer(1, r == 0 && n == 1 ? 1300
                                              : n < 6          ? 150
                                                      : 8 + 9 * (n % 9))};
      // The kernels read the word after a row, which nothing writes.
      std::vector<unsigned char> memory(
          Impl::Cuda::packed_life_memory(extent[0], extent[1]));
      for (unsigned char& byte : memory)
        byte = static_cast<unsigned char>(random.integer(0, 255));
      int const steps = int(random.integer(1, n < 6 ? 9 : 16));
      Automaton(extent, random)
          .expect(rule.neighbourhood(), 1, random.integer(0, 1) ? 2 : 4, steps,
                  next_by(rule), random,
                  [&](auto const& grid, auto* to, std::int64_t stride) {
                    Impl::Cuda::launch_packed_life(Kokkos::Cuda(), grid, to,
                                                   stride, rule, steps,
                                                   memory.data());
                  });
    }
}

TEST(AutomatonKernels, CountsInBits) {
  Random random;
  for (int radius = 2; radius <= AutomatonRule::max_radius; ++radius)
    for (Alive const alive :
         {Alive::any, Alive::any, Alive::all, Alive::none}) {
      int const size = neighbourhood_size(Neighbourhood::moore, radius);
      auto const any = [&] {
        int const low = int(random.integer(0, size / 2));
        return std::to_string(low) + ".." +
               std::to_string(random.integer(low, size));
      };
      std::string const text = "R" + std::to_string(radius) + ",C0,M" +
                               std::to_string(random.integer(0, 1)) + ",S" +
                               any() + ",B" + any() + ",NM";
      SCOPED_TRACE(text);
      AutomatonRule const rule = parse_rule(text);
      Place<2> const extent{random.integer(radius, 50),
                            random.integer(radius, 300)};
      int const steps = int(random.integer(1, 3));
      // Aligned to 128.
      std::size_t const bytes =
          Impl::Cuda::packed_counts_memory(extent[0], extent[1], radius);
      DeviceGrid<unsigned char, 1> memory({std::int64_t(bytes)}, {0}, {0}, {});
      Automaton(extent, random, alive)
          .expect(rule.neighbourhood(), radius, 2, steps, next_by(rule), random,
                  [&](auto const& grid, auto* to, std::int64_t stride) {
                    Impl::Cuda::launch_packed_counts(Kokkos::Cuda(), grid, to,
                                                     stride, rule, steps,
                                                     memory.memory());
                  });
    }
}

}  // namespace
