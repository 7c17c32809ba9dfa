// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several steps of a stencil in one sweep have the bits of as many sweeps.

#include "StencilSupport.hpp"

#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepVolume.hpp>
#include <core/stencil/KokkosMMA_SeparableSums.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace KokkosMMA::Impl {

// As nvcc compiles them: a product that underflows is not rounded before it is
// added, and decides the sign of a zero.
template <>
inline float multiply_add(float a, float b, float c) {
  return std::fma(a, b, c);
}
template <>
inline double multiply_add(double a, double b, double c) {
  return std::fma(a, b, c);
}
template <>
inline float Cuda::add_tap(float sum, float weight, float value) {
  return std::fma(weight, value, sum);
}
template <>
inline double Cuda::add_tap(double sum, double weight, double value) {
  return std::fma(weight, value, sum);
}

}  // namespace KokkosMMA::Impl

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::StepForm;

/// Weights that make sums of every rounding, of all magnitudes alike.
StencilWeights<2> weights_of(StepForm form, int radius, Random& random) {
  auto const real = [&] {
    return (random.integer(0, 1) ? 1 : -1) * double(random.integer(1, 9999)) /
           (20000 * radius);
  };
  auto const shape = StencilWeights<2>::box(radius);
  std::vector<double> values(shape.size());
  std::vector<double> line[2];
  for (auto& factors : line)
    for (int o = 0; o <= 2 * radius; ++o) factors.push_back(real());
  bool const ones = radius == 1 && random.integer(0, 2) == 0;
  for (std::size_t at = 0; at < values.size(); ++at) {
    auto const o         = shape.offsets(at);
    bool const is_centre = o[0] == 0 && o[1] == 0;
    switch (form) {
      case StepForm::star: values[at] = o[0] && o[1] ? 0 : real(); break;
      case StepForm::sparse: values[at] = random.integer(0, 1) * real(); break;
      case StepForm::product:
        values[at] = ones ? 1
                          : line[0][std::size_t(o[0] + radius)] *
                                line[1][std::size_t(o[1] + radius)];
        break;
      default: values[at] = real();
    }
    if (is_centre && form == StepForm::sparse) values[at] = 0;
  }
  return StencilWeights<2>::dense(radius, values);
}

/// Numbers, some of them not finite, or so small that sums underflow.
enum class StepData { ordinary, special, negative_tiny };

template <class T>
T datum(Random& random, StepData data) {
  switch (data) {
    case StepData::special:
      return stencil_datum<T>(random, StencilData::special);
    case StepData::negative_tiny:
      return T(std::ldexp(-double(random.integer(0, 5)),
                          stencil_exponent<T>(StencilData::tiny)));
    default:
      return T(std::ldexp(double(random.integer(-9999, 9999)),
                          -int(random.integer(10, 24))));
  }
}

/// A rule of reaction and diffusion that knows where it is.
struct Rule {
  Place<2> extent;  ///< in the caller's dimensions

  template <class T, class A>
  A operator()(std::int64_t i, std::int64_t j, T value, A sum) const {
    if (i < 0 || i >= extent[0] || j < 0 || j >= extent[1]) std::abort();
    A const rate = A(1 + (i * 7 + j) % 5) / 8;
    return A(value) + rate * (sum - A(value));
  }
};
/// What a single step does with a sum.
template <class T>
struct IntoTurn {
  Rule rule;
  DeviceGrid<T, 2>* from;
  DeviceGrid<T, 2>* to;
  bool reversed;

  template <class A>
  void operator()(std::int64_t i, std::int64_t j, A sum) const {
    Place<2> const place = reversed ? Place<2>{j, i} : Place<2>{i, j};
    to->at(place)        = T(rule(i, j, from->at(place), sum));
  }
};

/// One step by the kernels of single sweeps, only those of the radii that
/// several steps have: each takes a second to compile, for every type.
template <class A, int R, class T, class Sink>
void launch_one_step(Impl::StencilGrid<T, R> const& grid,
                     StencilWeights<R> const& weights, Sink const& sink) {
  constexpr int star  = R == 3 ? 1 : Impl::step_star_radius;
  constexpr int dense = R == 1 ? Impl::step_line_radius : 1;
  auto const pattern  = Impl::direct_pattern(weights);
  if constexpr (R > 1) {
    if (pattern == Impl::DirectPattern::star &&
        Impl::Cuda::launch_pattern_sweep<Impl::Cuda::SweepPattern::star, star,
                                         A>(Kokkos::Cuda(), grid, weights,
                                            sink))
      return;
  }
  if constexpr (R < 3) {
    if (pattern == Impl::DirectPattern::dense &&
        Impl::Cuda::launch_pattern_sweep<Impl::Cuda::SweepPattern::dense, dense,
                                         A>(Kokkos::Cuda(), grid, weights,
                                            sink))
      return;
  }
  Impl::Cuda::launch_general_stencil<A>(Kokkos::Cuda(), grid, weights, sink);
}

/// A grid with so many steps as it has room for, and how they lie.
template <int R>
struct StepCase : StencilCase<R> {
  int steps;
  bool wide;  ///< and periodic: a warp has all rows of its columns

  template <class A, class T, bool Updates>
  static StepCase random(StepForm form, StencilWeights<R> const& weights,
                         Random& random) {
    int const radius = weights.radius(0);
    bool const wide  = R == 2 && random.integer(0, 3) == 0;
    Place<R> most;
    most.fill(R == 3 ? 30 : wide ? 50 : 120);
    most[R - 1] = R == 1 ? 1500 : wide ? 4000 : 330;
    StepCase in{random_case<R>(random, weights, most, false), 0, wide};
    if (wide || random.integer(0, 3) == 0)
      in.boundaries = Boundaries<R>::all(Boundary::periodic);
    if constexpr (R == 3) {
      in.steps = Impl::Cuda::step_volume_tuning<A, T>().steps;
    } else {
      in.steps = int(random.integer(
          1, Impl::Cuda::steps_of_sweep<A, T, R>(form, radius, 0, Updates)));
    }
    for (std::int64_t& n : in.extent)
      n = std::max<std::int64_t>(n, 3 * radius * in.steps);
    if constexpr (R == 3) {
      // Rows of whole vectors.
      std::int64_t& columns = in.extent[2];
      columns               = (columns + 3) / 4 * 4;
      in.in.extra = in.out.extra = (16 - columns % 16) % 16;
      in.in.before               = 16 * random.integer(0, 1);
      in.out.before              = 16 * random.integer(0, 1);
    }
    return in;
  }
  void set_device(Random& random) const {
    any_device(random);
    if (wide) Impl::Cuda::device_entry(0).multiprocessors = 1;
  }
};

/// Boundaries have constants of the elements' type.
template <class T, int R>
Impl::StencilGrid<T, R> grid_of(DeviceGrid<T, R>& elements,
                                StencilCase<R> const& in) {
  Impl::StencilGrid<T, R> grid{
      elements.data(), {}, {}, in.boundaries, in.reversed};
  for (int d = 0; d < R; ++d) {
    grid.stride[d] = elements.stride(d);
    grid.extent[d] = in.extent[d];
    for (auto* const condition :
         {&grid.boundaries.low[d], &grid.boundaries.high[d]})
      condition->value = double(T(condition->value));
  }
  return grid;
}

StepData any_data(Random& random) {
  return StepData(std::max<std::int64_t>(
      0, random.integer(-2, int(StepData::negative_tiny))));
}

template <class A, class T, int R, bool Updates = false>
void expect_steps(StepForm form, StencilWeights<R> const& weights,
                  Random& random, StepData data) {
  auto const in =
      StepCase<R>::template random<A, T, Updates>(form, weights, random);
  int const steps = in.steps;
  SCOPED_TRACE(in.describe() + ", steps " + std::to_string(steps) + ", form " +
               std::to_string(int(form)));
  in.set_device(random);
  Place<R> const none{};
  DeviceGrid<T, R> source(in.extent, none, none, in.in);
  DeviceGrid<T, R> results(in.extent, none, none, in.out);
  // Results of 16-bit floats in rows that begin elsewhere have other bits.
  Lie const pitch_16{(16 - in.extent[R - 1] % 16) % 16, random.integer(0, 9)};
  DeviceGrid<T, R> turn[2] = {{in.extent, none, none, pitch_16},
                              {in.extent, none, none, pitch_16}};
  for (std::int64_t i = 0; i < source.size(); ++i)
    source.memory()[i] = datum<T>(random, data);
  fill_bytes(results);

  Impl::FactoredWeights<R> const factored(
      in.reversed ? Impl::reversed(weights) : weights, in.reversed);
  Impl::StencilGrid<T, R> grid = grid_of(source, in);
  Impl::StencilTarget<T, R> sink{results.data(), {}};
  for (int d = 0; d < R; ++d) sink.stride[d] = results.stride(d);
  [[maybe_unused]] Rule rule{};
  if constexpr (Updates) {
    rule.extent =
        in.reversed ? Place<2>{in.extent[1], in.extent[0]} : in.extent;
    Impl::Cuda::launch_step_stencil<A, T>(Kokkos::Cuda(), grid, factored, form,
                                          steps, sink, rule);
  } else {
    Impl::Cuda::launch_step_stencil<A, T>(Kokkos::Cuda(), grid, factored, form,
                                          steps, sink);
  }
  for (int step = 0; step < steps; ++step) {
    DeviceGrid<T, R>& to = turn[step % 2];
    Impl::StencilTarget<T, R> step_sink{to.data(), {}};
    for (int d = 0; d < R; ++d) step_sink.stride[d] = to.stride(d);
    if constexpr (Updates) {
      IntoTurn<T> const into{rule, step == 0 ? &source : &turn[(step - 1) % 2],
                             &to, in.reversed};
      launch_one_step<A, R>(
          grid, factored.kernel_weights,
          Impl::StencilCall<IntoTurn<T>, R>{into, in.reversed});
    } else if (form == StepForm::product || form == StepForm::inward) {
      if constexpr (R < 3) {
        Impl::Cuda::launch_separable_stencil<A, R, Impl::step_product_radius>(
            Kokkos::Cuda(), grid, *factored.product, factored.is_box,
            step_sink);
      }
    } else {
      launch_one_step<A, R>(grid, factored.kernel_weights, step_sink);
    }
    grid.data = to.data();
    for (int d = 0; d < R; ++d) grid.stride[d] = to.stride(d);
  }
  HostGrid<R> const all(in.extent);
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    Place<R> const place = all.place(i);
    T const expected     = turn[(steps - 1) % 2].at(place);
    ASSERT_TRUE(same_sum(results.at(place), expected))
        << double(results.at(place)) << ", not " << double(expected)
        << ", of element " << ::testing::PrintToString(place);
    results.at(place) = T{};
  }
  expect_only_written(results, all.values.size());
}

/// Leaves elements as they are, so that each step has the values and sums of
/// the first, and counts all others.
template <class T, class A>
struct KnownRule {
  DeviceGrid<T, 2>* values;
  DeviceGrid<A, 2>* sums;
  bool reversed;
  std::int64_t* calls;
  std::int64_t* others;

  A operator()(std::int64_t i, std::int64_t j, T value, A sum) const {
    Place<2> const place = reversed ? Place<2>{j, i} : Place<2>{i, j};
    T const known        = values->at(place);
    ++*calls;
    *others += !same_sum(value, known) || !same_sum(sum, sums->at(place));
    return A(known);
  }
};

/// The functor of several steps gets what a step has, and nothing else.
template <class A, class T>
void expect_known(StepForm form, StencilWeights<2> const& weights,
                  Random& random) {
  auto const in =
      StepCase<2>::template random<A, T, true>(form, weights, random);
  SCOPED_TRACE(in.describe() + ", steps " + std::to_string(in.steps) +
               ", form " + std::to_string(int(form)));
  in.set_device(random);
  Place<2> const none{};
  DeviceGrid<T, 2> source(in.extent, none, none, in.in);
  DeviceGrid<T, 2> results(in.extent, none, none, in.out);
  DeviceGrid<A, 2> sums(in.extent, none, none, {});
  DeviceGrid<unsigned char, 2> once(in.extent, none, none, {});
  for (std::int64_t i = 0; i < source.size(); ++i)
    source.memory()[i] = datum<T>(random, StepData::ordinary);

  Impl::FactoredWeights<2> const factored(
      in.reversed ? Impl::reversed(weights) : weights, in.reversed);
  Impl::StencilGrid<T, 2> const grid = grid_of(source, in);
  launch_one_step<A, 2>(
      grid, factored.kernel_weights,
      Impl::StencilCall<KeepSum<A, 2>, 2>{{&sums, &once}, false});
  std::int64_t calls = 0, others = 0;
  Impl::Cuda::launch_step_stencil<A, T>(
      Kokkos::Cuda(), grid, factored, form, in.steps,
      Impl::StencilTarget<T, 2>{results.data(),
                                {results.stride(0), results.stride(1)}},
      KnownRule<T, A>{&source, &sums, in.reversed, &calls, &others});
  ASSERT_GE(calls, in.extent[0] * in.extent[1] * in.steps);
  ASSERT_EQ(others, 0) << "of " << calls
                       << " calls with a value or a sum that no step has";
}

using All = SampledTypes<::testing::Types<StencilTypes<float, Half, Half>,
                                          StencilTypes<double, double, double>>,
                         ::testing::Types<StencilTypes<float, float, float>>>;
KOKKOSMMA_TYPED_TESTS(StepKernels, All);

template <class Types>
void every_radius(StepForm form, int radius, int cases) {
  Random random;
  for (int n = 0; n < cases; ++n)
    for (int r = 1; r <= radius; ++r)
      expect_steps<typename Types::A, typename Types::Element, 2>(
          form, weights_of(form, r, random), random, any_data(random));
}

TYPED_TEST(StepKernels, Stars) {
  every_radius<TypeParam>(StepForm::star, Impl::step_star_radius, 6);
}
TYPED_TEST(StepKernels, AnyWeights) {
  every_radius<TypeParam>(StepForm::dense, 1, 10);
  every_radius<TypeParam>(StepForm::sparse, 1, 10);
}
/// expect(form, weights, random) for all that functors are called with.
template <class Types>
void every_update(auto const& expect) {
  Random random;
  auto const one = [&](StepForm form, int radius) {
    expect(form, weights_of(form, radius, random), random);
  };
  for (int n = 0; n < 4; ++n) {
    for (int r = 1; r <= Impl::step_star_radius; ++r) one(StepForm::star, r);
    one(StepForm::dense, 1);
    one(StepForm::sparse, 1);
  }
}
TYPED_TEST(StepKernels, Updates) {
  every_update<TypeParam>([](StepForm form, auto const& weights,
                             Random& random) {
    expect_steps<typename TypeParam::A, typename TypeParam::Element, 2, true>(
        form, weights, random, any_data(random));
  });
}
TYPED_TEST(StepKernels, UpdatesOfWhatStepsHave) {
  every_update<TypeParam>(
      [](StepForm form, auto const& weights, Random& random) {
        expect_known<typename TypeParam::A, typename TypeParam::Element>(
            form, weights, random);
      });
}
TYPED_TEST(StepKernels, Lines) {
  Random random;
  for (int n = 0; n < 8; ++n)
    for (int r = 1; r <= Impl::step_line_radius; ++r) {
      // What all underflows is a zero of one sign.
      bool const tiny = n < 2;
      std::vector<double> values;
      for (int o = 0; o <= 2 * r; ++o)
        values.push_back(random.uniform(tiny ? .1 : -.5, tiny ? .3 : .6));
      expect_steps<typename TypeParam::A, typename TypeParam::Element, 1>(
          n % 2 ? StepForm::star : StepForm::inward,
          StencilWeights<1>::dense(r, values), random,
          tiny ? StepData::negative_tiny : any_data(random));
    }
}
TYPED_TEST(StepKernels, Volumes) {
  Random random;
  for (int n = 0; n < 12; ++n) {
    auto const star = StencilWeights<3>::star(1);
    std::vector<double> values(star.values().begin(), star.values().end());
    for (double& value : values) value *= random.uniform(-.3, .4);
    expect_steps<typename TypeParam::A, typename TypeParam::Element, 3>(
        StepForm::star, StencilWeights<3>::dense(1, values), random,
        any_data(random));
  }
}
// The kernel reads and writes rows as vectors.
TEST(StepsOfSweep, RowsOfVolumesAreWholeVectors) {
  auto const steps = []<class T>(T, std::int64_t columns) {
    return Impl::Cuda::steps_of_sweep<T, T, 3>(StepForm::star, 1, columns);
  };
  for (std::int64_t columns = 8; columns < 16; ++columns) {
    EXPECT_EQ(steps(float(), columns), columns % 4 == 0 ? 2 : 1) << columns;
    EXPECT_EQ(steps(double(), columns), columns % 2 == 0 ? 2 : 1) << columns;
  }
}
TYPED_TEST(StepKernels, Products) {
  every_radius<TypeParam>(StepForm::product, Impl::step_product_radius, 6);
}

}  // namespace
