// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several steps in one call have the bits of as many calls.

#include "StencilSupport.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;

enum class Form { star, dense, sparse, product, mean };

StencilWeights<2> fractions(Form form, int radius, Random& random) {
  auto const shape = StencilWeights<2>::box(radius);
  std::vector<double> values(shape.size());
  std::vector<double> line[2];
  for (auto& factors : line)
    for (int o = 0; o <= 2 * radius; ++o)
      factors.push_back(random.uniform(-.4, .5) / radius);
  for (std::size_t at = 0; at < values.size(); ++at) {
    auto const o    = shape.offsets(at);
    double const by = random.uniform(-.3, .4) / radius;
    switch (form) {
      case Form::star: values[at] = o[0] && o[1] ? 0 : by; break;
      case Form::sparse: values[at] = random.integer(0, 1) ? by : 0; break;
      case Form::product:
        values[at] = line[0][std::size_t(o[0] + radius)] *
                     line[1][std::size_t(o[1] + radius)];
        break;
      case Form::mean: values[at] = 1. / double(values.size()); break;
      case Form::dense: values[at] = by;
    }
  }
  return StencilWeights<2>::dense(radius, values);
}

/// All magnitudes, or a few Inf and NaN among them.
template <class T>
HostGrid<2> numbers(Place<2> const& extent, Random& random) {
  bool const special = random.integer(0, 3) == 0;
  HostGrid<2> grid(extent);
  for (double& value : grid.values) {
    value = std::ldexp(random.uniform(-1, 1), int(random.integer(-20, 3)));
    if (special && random.integer(0, 400) == 0)
      value = random.integer(0, 1) ? std::numeric_limits<double>::infinity()
                                   : std::nan("");
  }
  return grid;
}

template <class T, class Kind, class Exec>
void expect_bits_of_steps(Place<2> const& extent,
                          StencilWeights<2> const& weights,
                          Boundaries<2> const& boundaries, std::int64_t steps,
                          Random& random) {
  SCOPED_TRACE(joined(describe<2>(extent, boundaries), "steps ", steps,
                      " radius ", weights.radius(0)));
  using Grid = TestGrid<T, 2, Kind, Exec>;
  Grid const in(numbers<T>(extent, random)), out(extent);
  stencil(Exec(), in.view(), out.view(), weights, boundaries, steps);
  Grid const turn[2] = {Grid(extent), Grid(extent)};
  for (std::int64_t step = 0; step < steps; ++step)
    stencil(Exec(), step == 0 ? in.view() : turn[(step - 1) % 2].view(),
            turn[step % 2].view(), weights, boundaries);
  HostGrid<2> expected(extent);
  expected.values = turn[(steps - 1) % 2].values();
  EXPECT_TRUE(out.holds(expected, [](double v) { return static_cast<T>(v); }));
}

template <class T, class Kind, class Exec>
void steps_of(std::initializer_list<Form> forms, int cases) {
  SeededRandom random;
  for (Form const form : forms)
    for (int i = 0; i < cases; ++i) {
      int const radius = form == Form::sparse ? 1 : 1 + i % 4;
      Place<2> extent;
      for (std::int64_t& n : extent)
        n = random.integer(0, 3) ? random.integer(30, 160)
                                 : random.integer(4, 30);
      expect_bits_of_steps<T, Kind, Exec>(
          extent, fractions(form, radius, random),
          i < 10 ? Boundaries<2>::all(Boundary(i / 2), .3)
                 : random_boundaries<2>(random, false),
          random.integer(2, 17), random);
    }
}

template <class Exec>
class StencilSteps : public ::testing::Test {};
TYPED_TEST_SUITE(StencilSteps, ExecutionSpaces);

using Right = Kokkos::LayoutRight;
using Left  = Kokkos::LayoutLeft;

TYPED_TEST(StencilSteps, Floats) {
  steps_of<float, Plain<Right>, TypeParam>(
      {Form::star, Form::dense, Form::sparse, Form::product, Form::mean}, 14);
  steps_of<float, Framed<Right>, TypeParam>({Form::star, Form::product}, 8);
}
TYPED_TEST(StencilSteps, Doubles) {
  steps_of<double, Plain<Right>, TypeParam>(
      {Form::star, Form::dense, Form::sparse, Form::product, Form::mean}, 14);
  steps_of<double, Framed<Left>, TypeParam>({Form::star, Form::dense}, 8);
}
TYPED_TEST(StencilSteps, SmallFloats) {
  steps_of<half_t, Plain<Right>, TypeParam>(
      {Form::star, Form::dense, Form::sparse, Form::product, Form::mean}, 14);
  steps_of<bhalf_t, Plain<Right>, TypeParam>({Form::star, Form::dense}, 6);
}
// Many panels and pieces of them.
TYPED_TEST(StencilSteps, LargerGrids) {
  SeededRandom random;
  expect_bits_of_steps<float, Plain<Right>, TypeParam>(
      {900, 1501}, fractions(Form::star, 1, random),
      random_boundaries<2>(random, false), 9, random);
  expect_bits_of_steps<double, Plain<Right>, TypeParam>(
      {1501, 900}, fractions(Form::product, 2, random),
      random_boundaries<2>(random, false), 7, random);
}

}  // namespace
