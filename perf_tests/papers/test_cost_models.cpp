// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The papers' cost models against their formulas: exit 1 and a line for each
// value that is another one.

#include "papers/Perf_CostModels.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

using namespace perf;

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

int failures = 0;
void expect(double expected, double value, double difference,
            char const* what) {
  if (std::abs(expected - value) <= difference) return;
  std::printf("%s: %.17g instead of %.17g\n", what, value, expected);
  ++failures;
}

template <class Model>
void expect_refused(char const* text, Model const& model) {
  std::string error;
  try {
    model();
  } catch (std::invalid_argument const& refused) {
    error = refused.what();
  }
  if (error.find(text) != std::string::npos) return;
  std::printf("\"%s\" is not in the error \"%s\"\n", text, error.c_str());
  ++failures;
}

}  // namespace

int main() {
  for (double x : {1.1, 3., 7.5, 1000003., 104857600., 6.02e23})
    expect(std::log2(x), log2_of(x), 1e-13 * std::log2(x) + 1e-15, "log2");
  for (int chain : {1, 2, 3, 4, 5, 8, 16, 32})
    for (std::uint64_t n : {1000ull, 104857600ull, 1ull << 40}) {
      double const steps =
          (2 * chain + 3) * std::log(double(n)) / std::log(chain * 256.);
      expect(steps, chained_reduction_steps(n, chain), 1e-12 * steps, "steps");
      expect(4 * std::log2(double(n)) / steps, chained_reduction_speedup(chain),
             1e-12, "speed-up");
    }
  expect_refused("perf::classic_reduction_steps: n is 0",
                 [] { classic_reduction_steps(0); });
  expect_refused("perf::chained_reduction_steps: n is 0",
                 [] { chained_reduction_steps(0, 1); });
  expect_refused("chain length is 0", [] { chained_reduction_steps(1, 0); });
  expect_refused("matrix is 1", [] { chained_reduction_steps(1, 1, 1); });
  expect_refused("perf::automaton_cost: the radius is 0",
                 [] { automaton_cost(0); });
  expect_refused("block is 0", [] { automaton_cost(1, 0); });
  if (failures == 0) std::printf("all models are as expected\n");
  return failures ? 1 : 0;
}
