// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StencilSupport.hpp"

#include <backends/cuda/kernels/stencil/separable/KokkosMMA_SeparableStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/volumes/KokkosMMA_SeparableVolume.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencilLaunch.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
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
  int const shared_kilobytes      = random.integer(0, 1) ? 99 : 227;
  EmulatedDevice::shared_limit    = std::size_t(shared_kilobytes) * 1024;
  Impl::Cuda::device_entry(0).shared_bytes = shared_kilobytes * 1024;
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
KOKKOSMMA_TYPED_TESTS(SeparableKernels, All);

TYPED_TEST(SeparableKernels, BoxesOfEveryRadius) {
  Random random;
  for (int radius = 1; radius <= 7; ++radius)
    for (int n = 0; n < 3; ++n)
      expect_separable<TypeParam, 2>(box<2>(radius), random);
}

TYPED_TEST(SeparableKernels, Factors) {
  Random random;
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
  for (int radius : {1, 4, 7, 16})
    for (int n = 0; n < 2; ++n)
      expect_separable<TypeParam, 1>(random_factors<1>({radius}, random),
                                     random);
}

// Blocks for radius 4 need 105 KB of shared memory.
TEST(SeparableLines, UnalignedLinesOfFloatsOnSmallDevices) {
  Random random;
  for (int n = 0; n < 12; ++n)
    expect_separable<StencilTypes<float, float, float>, 1>(
        random_factors<1>({int(random.integer(1, 4))}, random), random);
}

TYPED_TEST(SeparableKernels, Volumes) {
  Random random;
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

/// In two passes sums have the bits of one sweep, which aligned rows take:
/// those of several steps do not depend on where the values between two steps
/// lie.
template <class A, class T, class Result>
void expect_bits_of_sweep(int radius, Random& random) {
  Factors<3> factors = random_factors<3>({radius, radius, radius}, random);
  for (auto& vector : factors.of)
    for (double& factor : vector) factor *= random.uniform(0.3, 1.);
  StencilCase<3> in = random_case<3>(random, factors.weights(), {9, 40, 200});
  in.in = in.out = {};
  in.in.extra = in.out.extra = (16 - in.extent[2] % 16) % 16;
  for (auto* side : {&in.boundaries.low[2], &in.boundaries.high[2]})
    if (side->kind == Boundary::halo) side->kind = Boundary::nearest;
  each_sum<A, T, Result, 3, false>(
      in, random, [&] { return T(float(random.uniform(0., 99.))); },
      [&](auto const& grid, auto const& sink) {
        using Sink = std::remove_cvref_t<decltype(sink)>;
        EXPECT_TRUE((Impl::Cuda::has_product_sweep<T, Sink>(factors.of)));
        EXPECT_TRUE(Impl::Cuda::launch_product_sweep<A>(Kokkos::Cuda(), grid,
                                                        factors.of, sink));
        std::vector<Result> one_sweep(std::size_t(sink.stride[0]) *
                                      std::size_t(in.extent[0]));
        auto const bytes = [&](std::int64_t i, std::int64_t j) {
          return static_cast<void*>(sink.data + i * sink.stride[0] +
                                    j * sink.stride[1]);
        };
        auto const kept = [&](std::int64_t i, std::int64_t j) {
          return one_sweep.data() + i * sink.stride[0] + j * sink.stride[1];
        };
        auto const row      = std::size_t(in.extent[2]) * sizeof(Result);
        auto const each_row = [&](auto const& f) {
          for (std::int64_t i = 0; i < in.extent[0]; ++i)
            for (std::int64_t j = 0; j < in.extent[1]; ++j) f(i, j);
        };
        each_row([&](auto i, auto j) {
          std::memcpy(static_cast<void*>(kept(i, j)), bytes(i, j), row);
          std::memset(bytes(i, j), 0, row);
        });
        Impl::Cuda::launch_separable_volume<A>(Kokkos::Cuda(), grid, factors.of,
                                               sink);
        each_row([&](auto i, auto j) {
          ASSERT_EQ(0, std::memcmp(kept(i, j), bytes(i, j), row))
              << sizeof(T) << " "
              << "row " << i << ", " << j << ", radius " << radius;
        });
        return true;
      },
      [](auto const&...) {});
}

using OfVolumes =
    SampledTypes<::testing::Types<StencilTypes<float, Half, Half>>,
                 ::testing::Types<StencilTypes<float, std::uint8_t, float>,
                                  StencilTypes<float, float, float>>>;
KOKKOSMMA_TYPED_TESTS(SeparableVolumes, OfVolumes);

TYPED_TEST(SeparableVolumes, HaveTheBitsOfOneSweep) {
  using Element = typename TypeParam::Element;
  Random random;
  int const least = std::is_same_v<Element, float> ? 2 : 1;
  for (int radius = least; radius < least + 3; ++radius)
    expect_bits_of_sweep<typename TypeParam::A, Element,
                         typename TypeParam::Result>(radius, random);
}

static_assert(Impl::Cuda::one_radius_tuning<float, float, 3, true, true>()
                  .short_block_rows(3) == 22);

}  // namespace
