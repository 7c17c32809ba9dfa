// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef STENCILSTEPCASES_HPP
#define STENCILSTEPCASES_HPP

#include "StencilSupport.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

/// \file
/// Several steps in one call have the bits of as many calls.

namespace KokkosMMA::Testing {

/// Of weights that are rounded.
enum class StepWeights { star, dense, sparse, product, mean };

inline StencilWeights<2> fractions(StepWeights form, int radius,
                                   Random& random) {
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
      case StepWeights::star: values[at] = o[0] && o[1] ? 0 : by; break;
      case StepWeights::sparse:
        values[at] = random.integer(0, 1) ? by : 0;
        break;
      case StepWeights::product:
        values[at] = line[0][std::size_t(o[0] + radius)] *
                     line[1][std::size_t(o[1] + radius)];
        break;
      case StepWeights::mean: values[at] = 1. / double(values.size()); break;
      case StepWeights::dense: values[at] = by;
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
void steps_of(std::initializer_list<StepWeights> forms, int cases) {
  SeededRandom random;
  for (StepWeights const form : forms)
    for (int i = 0; i < cases; ++i) {
      int const radius = form == StepWeights::sparse ? 1 : 1 + i % 4;
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

}  // namespace KokkosMMA::Testing

#endif
