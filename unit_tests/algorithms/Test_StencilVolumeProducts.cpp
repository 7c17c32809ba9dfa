// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Outer products in three dimensions: several steps.

#include "StencilStepCases.hpp"

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class StencilVolumeProducts : public ::testing::Test {};
TYPED_TEST_SUITE(StencilVolumeProducts, ExecutionSpaces);

/// Aligned rows have a sweep for outer products, others take two passes, and
/// the values between two steps lie otherwise than the caller's.
template <class T, class Kind, class Exec>
void steps_of_products() {
  SeededRandom random;
  for (int radius = 1; radius <= 3; ++radius) {
    auto const box = StencilWeights<3>::box(radius);
    std::vector<double> const mean(box.size(), 1. / double(box.size()));
    expect_bits_of_steps<T, 3, Kind, Exec>(
        {random.integer(7, 20), random.integer(7, 30),
         8 * random.integer(2, 20) + random.integer(0, 1)},
        StencilWeights<3>::dense(radius, mean),
        random_boundaries<3>(random, false), 3, random);
  }
}
TYPED_TEST(StencilVolumeProducts, BitsOfSteps) {
  steps_of_products<half_t, Plain<Right>, TypeParam>();
  steps_of_products<half_t, Framed<Right>, TypeParam>();
  steps_of_products<bhalf_t, Framed<Right>, TypeParam>();
  steps_of_products<float, Framed<Right>, TypeParam>();
}

}  // namespace
