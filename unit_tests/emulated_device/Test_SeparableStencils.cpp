// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StencilSupport.hpp"

#include <backends/cuda/kernels/KokkosMMA_SeparableStencil.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class A_, class Element_, class Result_, bool Calls_ = false>
struct Types {
  using A                     = A_;
  using Element               = Element_;
  using Result                = Result_;
  static constexpr bool calls = Calls_;
};

template <int R>
struct Factors {
  std::array<std::vector<double>, R> of;
  bool ones;

  StencilWeights<R> weights() const {
    typename StencilWeights<R>::Offsets radius;
    for (int d = 0; d < R; ++d) radius[d] = int(of[d].size() / 2);
    std::vector<double> values{1.};
    for (auto const& vector : of) {
      std::vector<double> longer;
      for (double const value : values)
        for (double const factor : vector) longer.push_back(value * factor);
      values = longer;
    }
    return StencilWeights<R>::dense(radius, values);
  }
};

template <int R>
Factors<R> box(int radius) {
  Factors<R> factors{{}, true};
  for (auto& vector : factors.of) vector.assign(2 * radius + 1, 1.);
  return factors;
}
/// Small integers, none of which is zero.
template <int R>
Factors<R> random_factors(std::array<int, R> const& radius, Random& random) {
  Factors<R> factors{{}, false};
  for (int d = 0; d < R; ++d)
    for (int i = 0; i < 2 * radius[d] + 1; ++i)
      factors.of[d].push_back(double(random.integer(1, 2)) *
                              (random.integer(0, 3) == 0 ? -1 : 1));
  return factors;
}

template <class T, int R>
void expect_separable(Factors<R> const& factors, StencilCase<R> in,
                      Random& random) {
  in.weights = factors.weights();
  expect_exact_sums<typename T::A, typename T::Element, typename T::Result, R,
                    T::calls>(
      in, random, [&](auto const& grid, auto const& sink) {
        Impl::Cuda::launch_separable_stencil<typename T::A, R>(
            Kokkos::Cuda(), grid, factors.of, factors.ones, sink);
      });
}

/// Grids whose strips and pieces end anywhere.
template <class T, int R>
StencilCase<R> random_case(Random& random, int radius, bool halos) {
  constexpr std::int64_t columns =
      R == 1 ? 9000
             : 128 * Impl::Cuda::sums_at_once<typename T::Element,
                                              typename T::Result>;
  StencilCase<R> in{{}, StencilWeights<R>::box(1), {}};
  for (int d = 0; d < R; ++d)
    in.extent[d] = d == R - 1
                       ? random.integer(2 * radius + 1, columns + 80)
                       : random.integer(2 * radius + 1, R == 2 ? 90 : 21);
  in.boundaries  = random_boundaries<R>(random, halos);
  in.reversed    = random.integer(0, 1) == 1;
  auto const lie = [&](std::int64_t per_line) {
    Lie result;
    result.extra  = random.integer(0, 2 * per_line);
    result.before = random.integer(0, per_line);
    return result;
  };
  switch (random.integer(0, 2)) {
    case 0:  // rows that begin in lines
      in.in.extra = (16 - in.extent[R - 1] % 16) % 16;
      in.out      = in.in;
      break;
    case 1: in.in = lie(16); break;
    default: in.in = lie(16); in.out = lie(16);
  }
  return in;
}

template <class T>
struct SeparableKernels : ::testing::Test {};

using All = ::testing::Types<
    Types<std::int32_t, std::uint8_t, std::uint8_t>,
    Types<std::int32_t, std::int8_t, std::int8_t>,
    Types<std::int32_t, std::uint8_t, std::int32_t>,
    Types<std::int32_t, std::int8_t, std::int32_t>,
    Types<std::int32_t, std::uint8_t, char, true>,
    Types<std::int32_t, std::int8_t, char, true>,
    Types<std::int32_t, std::int32_t, std::int32_t>,
    Types<std::int64_t, std::int64_t, std::int64_t>, Types<float, Half, Half>,
    Types<float, Bhalf, Bhalf>, Types<float, Half, char, true>,
    Types<float, float, float>, Types<float, float, char, true>,
    Types<double, double, double>, Types<double, double, char, true>>;
TYPED_TEST_SUITE(SeparableKernels, All);

TYPED_TEST(SeparableKernels, BoxesOfEveryRadius) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int radius = 1; radius <= 7; ++radius)
    for (int n = 0; n < 4; ++n)
      expect_separable<TypeParam, 2>(
          box<2>(radius), random_case<TypeParam, 2>(random, radius, true),
          random);
}

TYPED_TEST(SeparableKernels, Factors) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 0; n < 24; ++n) {
    int const radius = int(random.integer(1, 10));
    int const other =
        random.integer(0, 1) ? radius : int(random.integer(1, radius));
    expect_separable<TypeParam, 2>(
        random_factors<2>({other, radius}, random),
        random_case<TypeParam, 2>(random, radius, true), random);
  }
}

TYPED_TEST(SeparableKernels, Lines) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int radius : {1, 4, 7, 16})
    for (int n = 0; n < 2; ++n)
      expect_separable<TypeParam, 1>(
          random_factors<1>({radius}, random),
          random_case<TypeParam, 1>(random, radius, true), random);
}

TYPED_TEST(SeparableKernels, Volumes) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int radius : {1, 3, 6})
    for (int n = 0; n < 2; ++n)
      expect_separable<TypeParam, 3>(
          random_factors<3>(
              {int(random.integer(1, std::min(radius, 2))),
               int(random.integer(1, std::min(radius, 3))), radius},
              random),
          random_case<TypeParam, 3>(random, radius, true), random);
}

}  // namespace
