// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StencilSupport.hpp"

#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_SeparableVolumeLaunch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

/// Grids whose strips and pieces end anywhere.
template <class T, int R>
void expect_separable(Factors<R> const& factors, Random& random) {
  constexpr std::int64_t strip =
      128 * Impl::Cuda::sums_at_once<typename T::Element, typename T::Result>;
  Place<R> most;
  most.fill(R == 2 ? 90 : 15);
  most[R - 1]                     = R == 1 ? 9000 : R == 2 ? strip + 80 : 300;
  StencilWeights<R> const weights = factors.weights();
  StencilCase<R> in               = random_case<R>(random, weights, most);
  // Where a strip ends, boundaries lie in every place of its windows.
  if (R == 2 && random.integer(0, 1) == 0)
    in.extent[R - 1] = strip + random.integer(-20, 20);
  expect_exact_sums<typename T::A, typename T::Element, typename T::Result, R,
                    T::calls>(
      in, random, [&](auto const& grid, auto const& sink) {
        if constexpr (R == 3) {
          // All planes at once, or a few.
          Impl::Cuda::launch_separable_volume<typename T::A>(
              Kokkos::Cuda(), grid, factors.of, sink,
              random.integer(0, 1) ? 0 : 1);
        } else {
          Impl::Cuda::launch_separable_stencil<typename T::A, R>(
              Kokkos::Cuda(), grid, factors.of, factors.ones, sink);
        }
        return true;
      });
}

template <class T>
struct SeparableKernels : ::testing::Test {};

// Each is seconds of compiling: what bytes and halfs have in common is tested
// with one of them.
using All = ::testing::Types<
    StencilTypes<std::int32_t, std::uint8_t, std::uint8_t>,
    StencilTypes<std::int32_t, std::int8_t, std::int8_t>,
    StencilTypes<std::int32_t, std::int8_t, std::int32_t>,
    StencilTypes<std::int32_t, std::uint8_t, char, true>,
    StencilTypes<std::int32_t, std::int32_t, std::int32_t>,
    StencilTypes<std::int64_t, std::int64_t, std::int64_t>,
    StencilTypes<float, Half, Half>, StencilTypes<float, Bhalf, Bhalf>,
    StencilTypes<float, float, float>, StencilTypes<float, float, char, true>,
    StencilTypes<double, double, double>>;
TYPED_TEST_SUITE(SeparableKernels, All);

TYPED_TEST(SeparableKernels, BoxesOfEveryRadius) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int radius = 1; radius <= 7; ++radius)
    for (int n = 0; n < 3; ++n)
      expect_separable<TypeParam, 2>(box<2>(radius), random);
}

TYPED_TEST(SeparableKernels, Factors) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 0; n < 16; ++n) {
    int const radius = int(random.integer(1, 10));
    int const other =
        random.integer(0, 1) ? radius : int(random.integer(1, radius));
    expect_separable<TypeParam, 2>(random_factors<2>({other, radius}, random),
                                   random);
  }
}

TYPED_TEST(SeparableKernels, Lines) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int radius : {1, 4, 7, 16})
    for (int n = 0; n < 2; ++n)
      expect_separable<TypeParam, 1>(random_factors<1>({radius}, random),
                                     random);
}

TYPED_TEST(SeparableKernels, Volumes) {
  Random random;
  SCOPED_TRACE(random.note());
  // Of each radius of both directions of a plane there is a kernel up to 7.
  for (int radius : {int(random.integer(2, 4)), int(random.integer(5, 7))})
    expect_separable<TypeParam, 3>(
        random_factors<3>({int(random.integer(1, radius)), radius, radius},
                          random),
        random);
  for (int radius : {6, 9}) {
    std::array<int, 3> of = {radius, int(random.integer(1, radius)),
                             int(random.integer(1, radius))};
    std::swap(of[0], of[std::size_t(random.integer(0, 2))]);
    expect_separable<TypeParam, 3>(random_factors<3>(of, random), random);
  }
}

}  // namespace
