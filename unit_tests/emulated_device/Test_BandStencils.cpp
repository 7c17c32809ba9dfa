// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils on tensor cores: products of two factors, and dense weights.

#include "StencilSupport.hpp"

#include <backends/cuda/kernels/stencil/band/KokkosMMA_BandStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseBandStencilLaunch.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

TEST(TileSchedule, EveryRowOfEveryPanelOnce) {
  Random random;
  for (int n = 0; n < 300; ++n) {
    int const rows   = int(random.integer(1, 300));
    int const panels = int(random.integer(1, n < 20 ? 4 : 70));
    int const tall   = int(random.integer(1, 100));
    int const small  = int(random.integer(1, 40));
    Impl::Cuda::TileSchedule const schedule(rows, panels, tall, small);
    std::vector<int> seen(std::size_t(rows) * std::size_t(panels));
    for (unsigned block = 0; block < schedule.blocks(); ++block) {
      auto const tile = schedule.of_block(block);
      ASSERT_LT(int(tile.panel), panels);
      ASSERT_LT(tile.first_row, rows);
      bool const at_boundary = tile.panel == 0 || int(tile.panel) == panels - 1;
      EXPECT_EQ(at_boundary ? tall : small, tile.rows);
      for (std::int64_t row = tile.first_row;
           row < tile.first_row + tile.rows && row < rows; ++row)
        ++seen[std::size_t(row) * std::size_t(panels) + tile.panel];
    }
    for (int const times : seen)
      ASSERT_EQ(1, times) << rows << " rows, " << panels
                          << " panels, blocks of " << tall << " and " << small
                          << " rows";
  }
  // Without rounding, as far as an int goes.
  for (unsigned const panels : {3u, 4u, 5u, 9u, 1000003u, 4000000u}) {
    Impl::Cuda::TileSchedule const schedule(1000, panels, 1000, 1);
    unsigned const last = schedule.blocks() - 1;
    EXPECT_EQ(998, schedule.of_block(last).first_row) << panels;
    EXPECT_EQ(panels - 2, schedule.of_block(last).panel) << panels;
  }
}

/// The float band kernels need rows that are aligned to 16 bytes.
template <class Bands, class Element>
bool runs_rows(Impl::StencilGrid<Element, 2> const& grid) {
  return !Bands::is_float || Impl::rows_aligned_16(grid.data, grid.stride[0]);
}

/// False where these kernels do not support the factors or the grid.
template <class T>
bool expect_bands(Factors<2> const& factors, Random& random,
                  // Strips have up to 512 bytes.
                  Place<2> const& most = {
                      50, sizeof(typename T::Element) == 1 ? 800 : 400}) {
  bool taken = true;
  expect_exact_sums<T, 2>(
      random_case<2>(random, factors.weights(), most), random,
      [&](auto const& grid, auto const& epilogue) {
        using Bands = Impl::Cuda::BandStencil<
            typename T::A, typename T::Element,
            std::conditional_t<T::calls, void, typename T::Result>>;
        taken = runs_rows<Bands>(grid) &&
                Bands::operands(factors.of) != Impl::MmaOperands::none;
        if (taken)
          Impl::Cuda::launch_band_stencil<typename T::A>(Kokkos::Cuda(), grid,
                                                         factors.of, epilogue);
        return taken;
      });
  return taken;
}

using OfBands = SampledTypes<
    ::testing::Types<StencilTypes<std::int32_t, std::uint8_t, std::int32_t>,
                     StencilTypes<float, Half, Half>>,
    ::testing::Types<
        StencilTypes<std::int32_t, std::uint8_t, std::uint8_t>,
        StencilTypes<std::int32_t, std::int8_t, std::int8_t>,
        StencilTypes<std::int32_t, std::uint8_t, char, true>,
        StencilTypes<float, Half, float>, StencilTypes<float, Half, char, true>,
        StencilTypes<float, Bhalf, Bhalf>, StencilTypes<float, float, float>,
        StencilTypes<float, float, Half>>>;
KOKKOSMMA_TYPED_TESTS(BandKernels, OfBands);

TYPED_TEST(BandKernels, Products) {
  Random random;
  int taken = 0;
  // A grid is taken or not by how it lies: with any seed enough are.
  for (int round = 0; round < 20 && taken <= 3; ++round)
    for (int radius = 1; radius <= 16; radius += radius < 8 ? 1 : 4)
      for (int n = 0; n < 2; ++n) {
        taken += expect_bands<TypeParam>(box<2>(radius), random);
        taken += expect_bands<TypeParam>(
            random_factors<2>({int(random.integer(1, radius)), radius}, random),
            random);
      }
  EXPECT_GT(taken, 3);
}

// Blocks of so many rows that stages are used again, in panels that no boundary
// cuts, where warps do not wait for each other.
TYPED_TEST(BandKernels, StagesAreUsedAgain) {
  Random random;
  constexpr int panel = 512 / int(sizeof(typename TypeParam::Element));
  for (int radius : {1, 2, 1, 2})
    expect_bands<TypeParam>(box<2>(radius), random, {400, 3 * panel + 50});
}

/// Most of them no operand holds; sums of them a float does.
template <class Element>
constexpr int largest_split_weight = std::is_same_v<Element, Half> ? 2051 : 511;

using SplitCases =
    SampledTypes<::testing::Types<StencilTypes<float, Half, float>>,
                 ::testing::Types<StencilTypes<float, Half, Half>,
                                  StencilTypes<float, Bhalf, Bhalf>,
                                  StencilTypes<float, float, float>>>;
KOKKOSMMA_TYPED_TESTS(BandKernelsOfSplitWeights, SplitCases);

TYPED_TEST(BandKernelsOfSplitWeights, Products) {
  using Element = typename TypeParam::Element;
  Random random;
  int taken = 0;
  // A grid is taken or not by how it lies: with any seed enough are.
  for (int round = 0; round < 20 && taken <= 2; ++round)
    for (int radius = 1; radius <= 16; radius += radius < 8 ? 1 : 4)
      for (int d = 0; d < 2; ++d) {
        int const most = d == 1 ? largest_split_weight<Element> : 511;
        std::array<int, 2> const radii{int(random.integer(1, radius)), radius};
        Factors<2> factors = random_factors<2>(radii, random);
        auto& vector       = factors.of[std::size_t(d)];
        for (double& weight : vector)
          weight = double(random.integer(-most, most));
        vector[1] = double(most);
        EXPECT_EQ(Impl::MmaOperands::split,
                  (Impl::Cuda::BandStencil<
                      float, Element,
                      typename TypeParam::Result>::operands(factors.of)));
        EXPECT_EQ(Impl::MmaOperands::none,
                  (Impl::Cuda::BandStencil<float, Element, void>::operands(
                      factors.of)));
        taken += expect_bands<TypeParam>(factors, random);
      }
  EXPECT_GT(taken, 2);
}

using OfBytes = SampledTypes<
    ::testing::Types<StencilTypes<std::int32_t, std::int8_t, std::int8_t>>,
    ::testing::Types<StencilTypes<std::int32_t, std::uint8_t, std::uint8_t>,
                     StencilTypes<std::uint32_t, std::uint8_t, std::int8_t>>>;
KOKKOSMMA_TYPED_TESTS(ByteBandKernels, OfBytes);

// Of results of a byte, the lowest byte of sums and weights is all there is.
TYPED_TEST(ByteBandKernels, FactorsOfAnySize) {
  Random random;
  for (int radius = 1; radius <= 16; radius += radius < 8 ? 1 : 4) {
    Factors<2> factors{{}, false};
    for (auto& vector : factors.of)
      for (int i = 0; i < 2 * radius + 1; ++i)
        vector.push_back(double(random.integer(-5000, 5000)));
    EXPECT_TRUE(expect_bands<TypeParam>(factors, random)) << radius;
  }
  Factors<2> const fraction{{{{1, 2.5, 1}, {1, 1, 1}}}, false};
  EXPECT_EQ(Impl::MmaOperands::none,
            (Impl::Cuda::BandStencil<
                typename TypeParam::A, typename TypeParam::Element,
                typename TypeParam::Result>::operands(fraction.of)));
}

using OfWideBytes = SampledTypes<
    ::testing::Types<StencilTypes<std::int32_t, std::uint8_t, std::int32_t>>,
    ::testing::Types<StencilTypes<std::int32_t, std::int8_t, std::int32_t>>>;
KOKKOSMMA_TYPED_TESTS(WideByteBandKernels, OfWideBytes);

// Sums along the rows have two bytes, or three.
TYPED_TEST(WideByteBandKernels, FactorsOfAnySize) {
  Random random;
  auto const expect = [&](std::array<int, 2> const& radii, auto const& weight) {
    Factors<2> factors{{}, false};
    for (std::size_t d = 0; d < 2; ++d)
      for (int i = 0; i < 2 * radii[d] + 1; ++i)
        factors.of[d].push_back(double(weight()));
    EXPECT_TRUE(expect_bands<TypeParam>(factors, random, {50, 150}));
  };
  for (int radius = 1; radius <= 16; ++radius)
    for (int const most : {4, 128})
      expect({radius, 17 - radius},
             [&] { return random.integer(-most, most - 1); });
  // The largest that two bytes hold, and of all.
  for (int n = 0; n < 9; ++n)
    for (auto const [rows, columns, weight] :
         {std::array{1, 1, 42}, {1, 1, 85}, {16, 16, -128}, {8, 16, -128}})
      expect({rows, columns}, [weight = weight] { return weight; });
}

/// False where these kernels do not take the weights or the grid.
template <class T>
bool expect_dense_bands(StencilWeights<2> const& weights, Random& random) {
  bool taken = true;
  expect_exact_sums<T, 2>(
      random_case<2>(random, weights, {50, 300}), random,
      [&](auto const& grid, auto const& epilogue) {
        taken = Impl::Cuda::takes_dense_band<typename T::Element>(weights) &&
                Impl::row_strides_aligned_16(grid);
        if (taken)
          Impl::Cuda::launch_dense_band_stencil<typename T::A>(
              Kokkos::Cuda(), grid, weights, epilogue);
        return taken;
      });
  return taken;
}

using OfDenseBands =
    SampledTypes<::testing::Types<StencilTypes<float, Half, Half>,
                                  StencilTypes<double, double, double>>,
                 ::testing::Types<StencilTypes<float, Half, float>,
                                  StencilTypes<float, Bhalf, Bhalf>,
                                  StencilTypes<float, float, float>>>;
KOKKOSMMA_TYPED_TESTS(DenseBandKernels, OfDenseBands);

TYPED_TEST(DenseBandKernels, AnyWeights) {
  Random random;
  int taken = 0;
  // A grid is taken or not by how it lies: with any seed enough are.
  for (int round = 0; round < 20 && taken <= 4; ++round)
    for (int radius = 1; radius <= 8; ++radius)
      for (int const most : {2, 2, 64, 127})
        taken += expect_dense_bands<TypeParam>(
            random_weights<2>({int(random.integer(1, radius)), radius},
                              random.integer(0, 2) == 0, random, most),
            random);
  EXPECT_GT(taken, 4);
}

using OfFloats =
    SampledTypes<::testing::Types<StencilTypes<float, float, float>>,
                 ::testing::Types<StencilTypes<float, Half, float>,
                                  StencilTypes<float, Bhalf, float>,
                                  StencilTypes<double, double, double>>>;
KOKKOSMMA_TYPED_TESTS(TensorCoreSums, OfFloats);

TYPED_TEST(TensorCoreSums, NoLessAccurateThanPlainSums) {
  using A       = typename TypeParam::A;
  using Element = typename TypeParam::Element;
  Random random;
  std::function<double()> const data[] = {
      [&] { return random.uniform(); }, [&] { return random.normal(); },
      [&] { return 1000 + random.uniform(); },
      // far apart
      [&] { return std::ldexp(random.uniform(), int(random.integer(-8, 8))); },
      // sums along rows are beyond the range of half
      [&] { return 65504 * (1 - random.uniform(0, .1)); }};
  // Of one operand, and of as many as a float needs.
  std::function<double()> const weights[] = {
      [] { return 1; },
      [&] { return std::nearbyint(64 * random.uniform(-1, 1)) / 64; },
      [&] { return double(float(random.uniform(.01, 1))); },
      [&] { return double(float(random.normal())); }};
  constexpr bool has_products = std::is_same_v<A, float>;
  int products = 0, dense = 0;
  auto const enough = [&] {
    return dense > 4 && (!has_products || products > 10);
  };
  // A grid is taken or not by how it lies: with any seed enough are.
  for (int round = 0; round < 20 && !enough(); ++round)
    for (auto const& datum : data)
      for (auto const& weight : weights)
        for (int const radius : {2, 7, 16}) {
          Factors<2> factors{{}, false};
          for (auto& vector : factors.of)
            for (int i = 0; i < 2 * radius + 1; ++i) vector.push_back(weight());
          auto const expect = [&](StencilWeights<2> const& of,
                                  auto const& launch) {
            expect_accurate_sums<A, Element, A, 2>(
                random_case<2>(random, of, {24, 100}), random, datum, launch);
          };
          if constexpr (has_products)
            expect(factors.weights(), [&](auto const& grid, auto const& sink) {
              using Bands = Impl::Cuda::BandStencil<A, Element, A>;
              if (!runs_rows<Bands>(grid) ||
                  Bands::operands(factors.of) == Impl::MmaOperands::none)
                return false;
              Impl::Cuda::launch_band_stencil<A>(Kokkos::Cuda(), grid,
                                                 factors.of, sink);
              ++products;
              return true;
            });
          std::vector<double> values(StencilWeights<2>::box(radius).size());
          for (double& value : values) value = weight();
          auto const any = StencilWeights<2>::dense({radius, radius}, values);
          expect(any, [&](auto const& grid, auto const& sink) {
            if (!Impl::row_strides_aligned_16(grid) ||
                !Impl::Cuda::takes_dense_band<Element>(any))
              return false;
            Impl::Cuda::launch_dense_band_stencil<A>(Kokkos::Cuda(), grid, any,
                                                     sink);
            ++dense;
            return true;
          });
        }
  EXPECT_TRUE(enough()) << products << " products, " << dense << " dense";
}

}  // namespace
