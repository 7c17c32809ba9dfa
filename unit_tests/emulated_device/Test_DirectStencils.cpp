// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StencilSupport.hpp"

#include <backends/cuda/arch/KokkosMMA_CopyTensor.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencilLaunch.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class T, int R>
void expect_direct(StencilWeights<R> const& weights, Random& random) {
  Place<R> most;
  most.fill(R == 2 ? 70 : 19);
  most[R - 1] = R == 1 ? 5000 : R == 2 ? 600 : 300;
  expect_exact_sums<T, R>(random_case<R>(random, weights, most), random,
                          [&](auto const& grid, auto const& sink) {
                            Impl::Cuda::launch_direct_stencil<typename T::A, R>(
                                Kokkos::Cuda(), grid, weights, sink);
                            return true;
                          });
}

using All = SampledTypes<
    ::testing::Types<StencilTypes<float, Half, Half>,
                     StencilTypes<double, double, double>>,
    ::testing::Types<StencilTypes<std::int32_t, std::uint8_t, std::uint8_t>,
                     StencilTypes<std::int32_t, std::int8_t, std::int32_t>,
                     StencilTypes<std::int32_t, bool, char, true>,
                     StencilTypes<std::int32_t, std::int32_t, std::int32_t>,
                     StencilTypes<std::int64_t, std::int64_t, std::int64_t>,
                     StencilTypes<float, Bhalf, Bhalf>,
                     StencilTypes<float, float, float>,
                     StencilTypes<float, float, char, true>>>;
KOKKOSMMA_TYPED_TESTS(DirectKernels, All);

TYPED_TEST(DirectKernels, Stars) {
  Random random;
  for (int n = 1; n <= 5; ++n) {
    int const radius = n < 5 ? n : int(random.integer(5, 9));
    expect_direct<TypeParam, 1>(StencilWeights<1>::star(radius), random);
    expect_direct<TypeParam, 2>(StencilWeights<2>::star(radius), random);
    expect_direct<TypeParam, 3>(StencilWeights<3>::star(radius), random);
  }
}

TYPED_TEST(DirectKernels, AnyWeights) {
  Random random;
  for (int n = 0; n < 12; ++n) {
    auto const radius = [&](int most) { return int(random.integer(1, most)); };
    bool const sparse = n % 2 == 0;
    expect_direct<TypeParam, 1>(random_weights<1>({radius(16)}, sparse, random),
                                random);
    int const same = radius(5);
    expect_direct<TypeParam, 2>(
        n % 3 == 0 ? random_weights<2>({radius(9), radius(9)}, sparse, random)
                   : random_weights<2>({same, same}, sparse, random),
        random);
    expect_direct<TypeParam, 3>(
        n % 3 == 0 ? random_weights<3>({1, 1, 1}, sparse, random)
                   : random_weights<3>({radius(2), radius(2), radius(4)},
                                       sparse, random),
        random);
  }
}

TYPED_TEST(DirectKernels, Neighbourhoods) {
  Random random;
  for (int radius : {1, 2, 3}) {
    expect_direct<TypeParam, 2>(StencilWeights<2>::moore(radius), random);
    expect_direct<TypeParam, 2>(StencilWeights<2>::von_neumann(radius), random);
    expect_direct<TypeParam, 3>(StencilWeights<3>::von_neumann(radius), random);
  }
}

/// Slabs that are boxes of the grid or reach beyond it into zeros or ghost
/// cells, and others beside them.
template <class T>
void expect_boxes(StencilWeights<3> const& weights, Random& random,
                  bool only_boxes) {
  StencilCase<3> in = random_case<3>(random, weights, {12, 40, 600});
  auto const any    = in.boundaries;
  for (int d = 0; d < 3; ++d)
    for (auto* side : {&in.boundaries.low, &in.boundaries.high})
      (*side)[d] = {
          random.integer(0, 1) == 0 ? Boundary::constant : Boundary::halo, 0};
  if (int const d = int(random.integer(0, 5)); d < 3 && !only_boxes) {
    in.boundaries.low[d]  = any.low[d];
    in.boundaries.high[d] = any.high[d];
  }
  std::int64_t row = in.extent[2];
  for (BoundaryCondition const& side :
       {in.boundaries.low[2], in.boundaries.high[2]})
    if (side.kind == Boundary::halo) row += weights.radius(2);
  in.in.before = only_boxes ? 0 : random.integer(0, 1) * random.integer(0, 15);
  in.in.extra  = (16 - row % 16) % 16;
  // Ghost cells lie in front of the first element.
  in.out.before = in.boundaries.low[2].kind == Boundary::halo
                      ? in.in.before + weights.radius(2)
                      : in.in.before;
  in.out.extra  = (16 - in.extent[2] % 16) % 16;
  expect_exact_sums<T, 3>(in, random, [&](auto const& grid, auto const& sink) {
    Impl::Cuda::launch_direct_stencil<typename T::A, 3>(Kokkos::Cuda(), grid,
                                                        weights, sink);
    return true;
  });
}
TYPED_TEST(DirectKernels, Boxes) {
  Random random;
  int const before = Impl::Cuda::CopyTensor::copies();
  for (int n = 0; n < 8; ++n) {
    int const radius = 1 + n;
    expect_boxes<TypeParam>(StencilWeights<3>::star(radius), random, n == 0);
    if (n % 4 == 0)
      expect_boxes<TypeParam>(random_weights<3>({1, 1, 1}, false, random),
                              random, false);
  }
  EXPECT_GT(Impl::Cuda::CopyTensor::copies(), before);
}

/// Slabs that are boxes beside boundaries of every kind: aligned rows of whole
/// vectors, of more and of fewer rows than a tile has. A functor is called once
/// for each sum, also in a tile that was moved up.
TYPED_TEST(DirectKernels, BoxesBesideBoundaries) {
  using T = StencilTypes<typename TypeParam::A, typename TypeParam::Element,
                         typename TypeParam::Result, true>;
  Random random;
  int const before = Impl::Cuda::CopyTensor::copies();
  // Only large boxes are copied; in rare runs none of twelve is.
  auto const none_copied = [&] {
    return Impl::Cuda::CopyTensor::copies() == before;
  };
  for (int n = 0; n < 12 || (n < 120 && none_copied()); ++n) {
    int const radius   = 1 + n % 8;
    auto const weights = n % 12 < 8
                             ? StencilWeights<3>::star(radius)
                             : random_weights<3>({1, 1, 1}, false, random);
    StencilCase<3> in =
        random_case<3>(random, weights, {12, n % 3 == 0 ? 24 : 80, 600});
    in.extent[2] = (in.extent[2] + 15) / 16 * 16;
    for (auto* side : {&in.boundaries.low, &in.boundaries.high})
      if ((*side)[2].kind == Boundary::halo) (*side)[2] = {Boundary::periodic};
    in.in.before = in.in.extra = in.out.before = in.out.extra = 0;
    expect_exact_sums<T, 3>(
        in, random, [&](auto const& grid, auto const& sink) {
          Impl::Cuda::launch_direct_stencil<typename T::A, 3>(
              Kokkos::Cuda(), grid, weights, sink);
          return true;
        });
  }
  EXPECT_GT(Impl::Cuda::CopyTensor::copies(), before);
}

/// Outer products whose sums along a row, of rows and of planes are exact.
TYPED_TEST(DirectKernels, Products) {
  using T = TypeParam;
  Random random;
  int taken = 0;
  for (int n = 0; n < 16; ++n) {
    int const radius = 1 + n % 4;
    Factors<3> const factors =
        random_factors<3>({radius, radius, radius}, random);
    StencilCase<3> in =
        random_case<3>(random, factors.weights(), {12, 40, 300});
    if (n >= 4) {  // aligned
      in.in = in.out = {};
      in.in.extra = in.out.extra = (16 - in.extent[2] % 16) % 16;
      for (auto* side : {&in.boundaries.low[2], &in.boundaries.high[2]})
        if (side->kind == Boundary::halo) side->kind = Boundary::nearest;
    }
    expect_exact_sums<T, 3>(
        in, random, [&](auto const& grid, auto const& sink) {
          bool const takes = Impl::Cuda::launch_product_sweep<typename T::A>(
              Kokkos::Cuda(), grid, factors.of, sink);
          taken += takes;
          return takes;
        });
  }
  if (!T::calls) {
    EXPECT_GT(taken, 0);
  }
}

}  // namespace
