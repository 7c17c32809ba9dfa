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

/// Grids whose panels and row blocks end anywhere.
template <class T, int R>
void expect_separable(Factors<R> const& factors, Random& random) {
  constexpr std::int64_t panel =
      128 * Impl::Cuda::sums_at_once<typename T::Element, typename T::Result>;
  Place<R> most;
  most.fill(R == 2 ? 90 : 15);
  most[R - 1]                     = R == 1 ? 9000 : R == 2 ? panel + 80 : 300;
  StencilWeights<R> const weights = factors.weights();
  StencilCase<R> in               = random_case<R>(random, weights, most);
  // Where a panel ends, boundaries lie in every place of its windows.
  if (R == 2 && random.integer(0, 1) == 0)
    in.extent[R - 1] = panel + random.integer(-20, 20);
  expect_exact_sums<T, R>(
      in, random, [&](auto const& grid, auto const& epilogue) {
        if constexpr (R == 3) {
          // All planes at once, or a few.
          Impl::Cuda::launch_separable_volume<typename T::A>(
              Kokkos::Cuda(), grid, factors.of, epilogue,
              random.integer(0, 1) ? 0 : 1);
        } else {
          Impl::Cuda::launch_separable_stencil<typename T::A, R>(
              Kokkos::Cuda(), grid, factors.of, factors.ones, epilogue);
        }
        return true;
      });
}

template <class T>
struct SeparableKernels : ::testing::Test {};

// Each is seconds of compiling: what bytes and half values have in common is
// tested with one of them.
using All = SampledTypes<
    ::testing::Types<StencilTypes<std::int32_t, std::int8_t, std::int32_t>,
                     StencilTypes<float, Half, Half>>,
    ::testing::Types<StencilTypes<std::int32_t, std::uint8_t, std::uint8_t>,
                     StencilTypes<std::int32_t, std::int8_t, std::int8_t>,
                     StencilTypes<std::int32_t, std::uint8_t, char, true>,
                     StencilTypes<std::int32_t, std::int32_t, std::int32_t>,
                     StencilTypes<std::int64_t, std::int64_t, std::int64_t>,
                     StencilTypes<float, Bhalf, Bhalf>,
                     StencilTypes<float, float, float>,
                     StencilTypes<float, float, char, true>,
                     StencilTypes<double, double, double>>>;
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
    int const radius = int(random.integer(1, n < 2 ? 16 : 10));
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

TEST(SeparableTuning, PrintsItself) {
  auto const box = Impl::Cuda::one_radius_tuning<float, float, 3, true, true>();
  EXPECT_EQ(
      "sums_per_thread=4 threads=128 min_blocks=3 stage_rows=7 stages=4 "
      "batch=8 loaded_rows=28 28 28",
      to_string(box));
  EXPECT_EQ(22, box.short_block_rows(3));
  EXPECT_NE(box,
            (Impl::Cuda::one_radius_tuning<float, float, 2, true, true>()));
  EXPECT_EQ("sums_per_thread=4 threads=128 min_blocks=3 batch=8",
            to_string(Impl::Cuda::plane_sums_tuning<float, 8>()));
}

}  // namespace
