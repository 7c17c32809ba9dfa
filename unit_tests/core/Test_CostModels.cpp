// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/routing/KokkosMMA_CostModels.hpp>
#include <KokkosMMA_ErrorOf.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace {

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

// Powers of two come out exactly.
static_assert(log2_of(1) == 0);
static_assert(log2_of(1ull << 52) == 52);
static_assert(classic_reduction_steps(1024) == 40);
// 256^3 elements: three levels of five steps.
static_assert(chained_reduction_steps(1 << 24, 1) == 15);
// R = 4: groups of 1024, so two levels of eleven steps for 2^20.
static_assert(chained_reduction_steps(1 << 20, 4) == 22);
// Matrices of 4 x 4: groups of 16.
static_assert(chained_reduction_steps(1 << 8, 1, 4) == 10);
static_assert(chained_reduction_steps(1, 5) == 0);
// (4/5) log2 256
static_assert(chained_reduction_speedup(1) == 6.4);
// By the model a chain never pays: it is the launch and the memory that it
// leaves out that make it pay.
static_assert(chained_reduction_speedup(1) > chained_reduction_speedup(2));
static_assert(chained_reduction_speedup(4) > chained_reduction_speedup(5));
static_assert(chained_reduction_speedup(16) > chained_reduction_speedup(32));

// Life on blocks of 4 x 4: three products from each side.
static_assert(automaton_cost(1, 4).products == 6);
static_assert(automaton_speedup(1) == 9);
// The same six up to a radius of the block's side, ten beyond.
static_assert(automaton_cost(16).products == automaton_cost(1).products);
static_assert(automaton_cost(17).products == 10);
static_assert(automaton_cost(16).neighbour_reads == 1089);
static_assert(automaton_cost(8).staged_reads == 4);

TEST(CostModels, LogarithmIsThatOfTheLibrary) {
  for (double x : {1.1, 3., 7.5, 1000003., 104857600., 6.02e23})
    EXPECT_NEAR(std::log2(x), log2_of(x), 1e-13 * std::log2(x) + 1e-15) << x;
}

TEST(CostModels, StepsFollowTheFormula) {
  for (int chain : {1, 2, 3, 4, 5, 8, 16, 32})
    for (std::uint64_t n : {1000ull, 104857600ull, 1ull << 40}) {
      double const expected =
          (2 * chain + 3) * std::log(double(n)) / std::log(chain * 256.);
      EXPECT_NEAR(expected, chained_reduction_steps(n, chain), 1e-12 * expected)
          << "R = " << chain << ", n = " << n;
      EXPECT_NEAR(4 * std::log2(double(n)) / expected,
                  chained_reduction_speedup(chain), 1e-12)
          << "R = " << chain;
    }
}

TEST(CostModels, RefuseWhatTheyAreNotAbout) {
  auto const expect = [](std::string const& text, char const* who,
                         char const* what) {
    EXPECT_NE(std::string::npos, text.find(who)) << text;
    EXPECT_NE(std::string::npos, text.find(what)) << text;
  };
  expect(error_of([] { (void)classic_reduction_steps(0); }),
         "KokkosMMA::classic_reduction_steps", "n is 0");
  expect(error_of([] { (void)chained_reduction_steps(0, 1); }),
         "KokkosMMA::chained_reduction_steps", "n is 0");
  expect(error_of([] { (void)chained_reduction_steps(8, 0); }),
         "KokkosMMA::chained_reduction_steps", "chain length is 0");
  expect(error_of([] { (void)chained_reduction_steps(8, 1, 1); }),
         "KokkosMMA::chained_reduction_steps", "matrix is 1");
  expect(error_of([] { (void)automaton_cost(0); }), "KokkosMMA::automaton_cost",
         "radius is 0");
  expect(error_of([] { (void)automaton_cost(1, 0); }),
         "KokkosMMA::automaton_cost", "block is 0");
}

}  // namespace
