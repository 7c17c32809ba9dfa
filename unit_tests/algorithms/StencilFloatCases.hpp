// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef STENCILFLOATCASES_HPP
#define STENCILFLOATCASES_HPP

#include "StencilCases.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

/// \file
/// Stencils of floating-point elements against a loop on the host, and several
/// steps in one call against as many calls.

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
template <int R>
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

/// Several steps in one call have the bits of as many calls, except the sign
/// and the digits of a NaN: an instruction uses those of one operand or of the
/// other.
/// \param call runs so many steps from a View to another
/// \return the elements after the steps
template <class T, class Kind, class Exec, int R, class Call>
HostGrid<R> expect_steps_agree(HostGrid<R> const& data, std::int64_t steps,
                               Call const& call) {
  using Grid = TestGrid<T, R, Kind, Exec>;
  Grid const in(data), out(data.extent);
  Grid const turn[2] = {Grid(data.extent), Grid(data.extent)};
  call(in.view(), out.view(), steps);
  for (std::int64_t step = 0; step < steps; ++step)
    call(step == 0 ? in.view() : turn[(step - 1) % 2].view(),
         turn[step % 2].view(), 1);
  HostGrid<R> expected(data.extent);
  expected.values                  = turn[(steps - 1) % 2].values();
  HostGrid<R> same                 = expected;
  std::vector<double> const values = out.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i]) && std::isnan(same.values[i]))
      same.values[i] = values[i];
  EXPECT_TRUE(out.holds(same, [](double v) { return static_cast<T>(v); }));
  return expected;
}

template <class T, int R, class Kind, class Exec>
void expect_bits_of_steps(Place<R> const& extent,
                          StencilWeights<R> const& weights,
                          Boundaries<R> const& boundaries, std::int64_t steps,
                          Random& random) {
  SCOPED_TRACE(joined(describe<R>(extent, boundaries), "steps ", steps,
                      " radius ", weights.radius(0)));
  expect_steps_agree<T, Kind, Exec>(
      numbers<R>(extent, random), steps,
      [&](auto const& x, auto const& y, std::int64_t n) {
        stencil(Exec(), x, y, weights, boundaries, n);
      });
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
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const rate(
      "rate", std::size_t(extent[0]), std::size_t(extent[1]));
  HostGrid<2> const rates = small_integers<unsigned, 2>(extent, random);
  auto const on_host      = Kokkos::create_mirror_view(rate);
  for (std::size_t i = 0; i < rates.values.size(); ++i)
    view_at(on_host, rates.place(i)) = float(rates.values[i]) / 8;
  Kokkos::deep_copy(rate, on_host);
  Diffusion<T, Exec> const update{rate};

  HostGrid<2> const data =
      exact ? small_integers<T, 2>(extent, random) : numbers<2>(extent, random);
  TestGrid<T, 2, Kind, Exec> const other(extent);
  StencilPolicy const policy(Exec(), other.view(), weights, boundaries);
  HostGrid<2> const expected = expect_steps_agree<T, Kind, Exec>(
      data, steps, [&](auto const& x, auto const& y, std::int64_t n) {
        stencil(Exec(), x, y, policy, update, n);
      });
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

inline Place<2> any_extent(Random& random) {
  auto const one = [&] {
    return random.integer(0, 3) ? random.integer(30, 160)
                                : random.integer(4, 30);
  };
  return {one(), one()};
}

template <class T, class Kind, class Exec>
void steps_of_updates(int cases) {
  Random random;
  for (int i = 0; i < cases; ++i) {
    auto const extent     = any_extent(random);
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
      expect_bits_of_steps<T, 2, Kind, Exec>(
          any_extent(random), fractions(form, radius, random),
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

/// Sums of these numbers: within the error that so many additions may have.
template <class T, class Exec>
void expect_close_sums(HostGrid<2> data, StencilWeights<2> const& weights,
                       Boundaries<2> const& boundaries) {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  for (double& value : data.values) value = double(static_cast<T>(value));
  Grid<T, 2, Exec> const in(data), shape(data.extent);
  HostGrid<2> size(data.extent);
  auto const exact =
      neighbour_sums(data, data.extent, weights, boundaries, &size);
  on_every_route<Exec>(
      in.view(), shape.view(), weights, boundaries,
      [&](Settings const& settings) {
        // Another one for each route: what one has written hides nothing.
        Grid<T, 2, Exec> const out(data.extent);
        stencil(Exec(), in.view(), out.view(), weights, boundaries, 1,
                settings);
        std::vector<double> const found = out.values();
        for (std::size_t i = 0; i < found.size(); ++i) {
          if (!std::isfinite(exact.values[i])) {
            ASSERT_EQ(std::isnan(exact.values[i]), std::isnan(found[i])) << i;
            ASSERT_FALSE(std::isfinite(found[i])) << i;
            continue;
          }
          ASSERT_LE(
              std::abs(found[i] - exact.values[i]),
              50 * double(epsilon<Sum>) * size.values[i] +
                  epsilon<T> * std::abs(exact.values[i]) +
                  (sizeof(T) == 2 ? 1e-7
                                  : double(weights.taps()) *
                                        std::numeric_limits<Sum>::denorm_min()))
              << i;
        }
      });
}
/// Sums of normal numbers, with an Inf and a NaN among them, and of numbers
/// with bits below those of the smallest bfloat16, on a grid of several tiles.
template <class T, class Exec>
void all_kinds_of_numbers(StencilWeights<2> const& weights,
                          Place<2> const& large, Place<2> const& small,
                          Random& random) {
  HostGrid<2> data(large);
  for (double& value : data.values) value = random.normal();
  expect_close_sums<T, Exec>(data, weights,
                             random_boundaries<2>(random, false));
  data.at({5, 9})                       = INFINITY;
  data.at({large[0] - 1, large[1] - 1}) = NAN;
  expect_close_sums<T, Exec>(data, weights,
                             Boundaries<2>::all(Boundary::constant));
  std::vector<double> scales;
  if (sizeof(T) > 2) scales = {0x1p-112, 0x1p-126, 0x1p-140};
  for (double const scale : scales) {
    SCOPED_TRACE(joined("scale ", std::ilogb(scale)));
    HostGrid<2> tiny(small);
    for (double& value : tiny.values) value = scale * random.normal();
    expect_close_sums<T, Exec>(tiny, weights,
                               Boundaries<2>::all(Boundary::reflect));
  }
}

/// Weights without structure: floats that 16 bits do not hold, and small
/// integers, of all radii for which kernels differ.
template <class T, class Exec>
void weights_without_structure() {
  Random random;
  HostGrid<2> data({40, 50});
  for (double& value : data.values) value = random.normal();
  std::vector<double> floats(49);
  for (double& value : floats) value = double(float(random.normal()));
  expect_close_sums<T, Exec>(data, StencilWeights<2>::dense(3, floats),
                             random_boundaries<2>(random, false));
  using Radius = std::array<int, 2>;
  for (Radius const radius :
       {Radius{3, 4}, Radius{6, 8}, Radius{7, 7}, Radius{8, 5}}) {
    SCOPED_TRACE(joined("radius ", radius[0], ", ", radius[1]));
    std::vector<double> values(
        std::size_t((2 * radius[0] + 1) * (2 * radius[1] + 1)));
    for (double& value : values) value = double(random.integer(1, 15));
    values[values.size() / 3] = 0;
    all_kinds_of_numbers<T, Exec>(StencilWeights<2>::dense(radius, values),
                                  {71, 203}, {19, 70}, random);
  }
}
/// Products of two factors that are no 16-bit floats, but sums of some.
template <class T, class Exec>
void products_of_fractions() {
  Random random;
  using Radius = std::array<int, 2>;
  for (Radius const radius :
       {Radius{2, 2}, Radius{7, 7}, Radius{8, 3}, Radius{9, 12}, Radius{16, 5}})
    for (bool const ones : {false, true}) {
      SCOPED_TRACE(joined("radius ", radius[0], ", ", radius[1],
                          (ones ? " of ones" : "")));
      std::vector<double> values;
      std::vector<double> row(std::size_t(2 * radius[1] + 1));
      for (double& value : row) value = random.uniform(.01, 1);
      for (int i = -radius[0]; i <= radius[0]; ++i) {
        double const factor = random.uniform(-1, 1);
        for (double const value : row)
          values.push_back(ones ? 1 : factor * value);
      }
      // Rows that begin with lines, which the kernels of floats need.
      all_kinds_of_numbers<T, Exec>(StencilWeights<2>::dense(radius, values),
                                    {71, 208}, {19, 72}, random);
    }
}
/// Many panels and pieces of them.
template <class T, class Exec>
void steps_on_a_larger_grid(Place<2> const& extent, StepWeights form,
                            int radius, std::int64_t steps) {
  Random random;
  expect_bits_of_steps<T, 2, Plain<Right>, Exec>(
      extent, fractions(form, radius, random),
      random_boundaries<2>(random, false), steps, random);
}

}  // namespace KokkosMMA::Testing

#endif
