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
using enum StepWeights;

using Right = Kokkos::LayoutRight;
using Left  = Kokkos::LayoutLeft;

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
template <class T, int R>
HostGrid<R> numbers(Place<R> const& extent, Random& random) {
  bool const special = random.integer(0, 3) == 0;
  HostGrid<R> grid(extent);
  for (double& value : grid.values) {
    value = std::ldexp(random.uniform(-1, 1), int(random.integer(-20, 3)));
    if (special && random.integer(0, 400) == 0)
      value = random.integer(0, 1) ? std::numeric_limits<double>::infinity()
                                   : std::nan("");
  }
  return grid;
}

/// The same bits, but for the sign and the digits of a NaN: an instruction
/// takes those of one operand or of the other.
template <class T, int R, class Grid>
void expect_same_numbers(Grid const& found, HostGrid<R> expected) {
  std::vector<double> const values = found.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i]) && std::isnan(expected.values[i]))
      expected.values[i] = values[i];
  EXPECT_TRUE(
      found.holds(expected, [](double v) { return static_cast<T>(v); }));
}

template <class T, int R, class Kind, class Exec>
void expect_bits_of_steps(Place<R> const& extent,
                          StencilWeights<R> const& weights,
                          Boundaries<R> const& boundaries, std::int64_t steps,
                          Random& random) {
  SCOPED_TRACE(joined(describe<R>(extent, boundaries), "steps ", steps,
                      " radius ", weights.radius(0)));
  using Grid = TestGrid<T, R, Kind, Exec>;
  Grid const in(numbers<T, R>(extent, random)), out(extent);
  stencil(Exec(), in.view(), out.view(), weights, boundaries, steps);
  Grid const turn[2] = {Grid(extent), Grid(extent)};
  for (std::int64_t step = 0; step < steps; ++step)
    stencil(Exec(), step == 0 ? in.view() : turn[(step - 1) % 2].view(),
            turn[step % 2].view(), weights, boundaries);
  HostGrid<R> expected(extent);
  expected.values = turn[(steps - 1) % 2].values();
  expect_same_numbers<T>(out, expected);
}

/// Diffusion at a rate that differs from element to element.
template <class T, class Exec>
struct Diffusion {
  Kokkos::View<float const**, Kokkos::LayoutRight, Exec> rate;

  template <class Sum>
  KOKKOS_FUNCTION Sum operator()(std::int64_t i, std::int64_t j, T value,
                                 Sum sum) const {
    return Sum(value) + Sum(rate(i, j)) * (sum - Sum(value));
  }
};

/// Steps of a functor: bits of single calls, whose results are those of a loop
/// on the host where sums are exact.
template <class T, class Kind, class Exec>
void expect_updates(Place<2> const& extent, StencilWeights<2> const& weights,
                    Boundaries<2> const& boundaries, std::int64_t steps,
                    bool exact, Random& random) {
  SCOPED_TRACE(joined(describe<2>(extent, boundaries), "steps ", steps,
                      " radius ", weights.radius(0)));
  using Grid = TestGrid<T, 2, Kind, Exec>;
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const rate(
      "rate", std::size_t(extent[0]), std::size_t(extent[1]));
  HostGrid<2> const rates = small_integers<unsigned, 2>(extent, random);
  auto const on_host      = Kokkos::create_mirror_view(rate);
  for (std::size_t i = 0; i < rates.values.size(); ++i)
    view_at(on_host, rates.place(i)) = float(rates.values[i]) / 8;
  Kokkos::deep_copy(rate, on_host);
  Diffusion<T, Exec> const update{rate};

  HostGrid<2> const data = exact ? small_integers<T, 2>(extent, random)
                                 : numbers<T, 2>(extent, random);
  Grid const in(data), out(extent), turn[2] = {Grid(extent), Grid(extent)};
  StencilPolicy const policy(Exec(), in.view(), weights, boundaries);
  stencil(Exec(), in.view(), out.view(), policy, update, steps);
  for (std::int64_t step = 0; step < steps; ++step)
    stencil(Exec(), step == 0 ? in.view() : turn[(step - 1) % 2].view(),
            turn[step % 2].view(), policy, update);
  HostGrid<2> expected(extent);
  expected.values = turn[(steps - 1) % 2].values();
  expect_same_numbers<T>(out, expected);
  if (!exact) return;
  HostGrid<2> sums = data;
  for (std::int64_t step = 0; step < steps; ++step) {
    HostGrid<2> const now = sums;
    sums                  = neighbour_sums(now, extent, weights, boundaries);
    for (std::size_t i = 0; i < sums.values.size(); ++i)
      sums.values[i] = now.values[i] +
                       rates.values[i] / 8 * (sums.values[i] - now.values[i]);
  }
  EXPECT_EQ(sums.values, expected.values);
}

template <class T, class Kind, class Exec>
void steps_of_updates(int cases) {
  Random random;
  for (int i = 0; i < cases; ++i) {
    Place<2> extent;
    for (std::int64_t& n : extent)
      n = random.integer(0, 3) ? random.integer(30, 160)
                               : random.integer(4, 30);
    auto const boundaries = i < 10 ? Boundaries<2>::all(Boundary(i / 2), .25)
                                   : random_boundaries<2>(random, false);
    auto const weights    = fractions(
           i % 3 == 0 ? StepWeights::dense : StepWeights::star, 1 + i % 4, random);
    expect_updates<T, Kind, Exec>(extent, weights, boundaries,
                                  random.integer(2, 17), false, random);
    // Two steps of these sums are exact.
    expect_updates<T, Kind, Exec>(extent, StencilWeights<2>::star(1 + i % 2),
                                  boundaries, 2, true, random);
  }
}

template <class T, class Kind, class Exec>
void steps_of(std::initializer_list<StepWeights> forms, int cases) {
  Random random;
  for (StepWeights const form : forms)
    for (int i = 0; i < cases; ++i) {
      int const radius = form == StepWeights::sparse ? 1 : 1 + i % 4;
      Place<2> extent;
      for (std::int64_t& n : extent)
        n = random.integer(0, 3) ? random.integer(30, 160)
                                 : random.integer(4, 30);
      expect_bits_of_steps<T, 2, Kind, Exec>(
          extent, fractions(form, radius, random),
          i < 10 ? Boundaries<2>::all(Boundary(i / 2), .3)
                 : random_boundaries<2>(random, false),
          random.integer(2, 17), random);
    }
}

/// Aligned rows have a sweep for outer products, others take two passes, and
/// the values between two steps lie otherwise than the caller's.
template <class T, class Kind, class Exec>
void steps_of_products() {
  Random random;
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

}  // namespace KokkosMMA::Testing

#endif
