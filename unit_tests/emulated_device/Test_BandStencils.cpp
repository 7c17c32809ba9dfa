// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils on tensor cores: products of two factors, and dense weights.

#include "StencilSupport.hpp"

#include <backends/cuda/kernels/stencil/KokkosMMA_BandStencilLaunch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DenseBandStencilLaunch.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

TEST(StripPieces, EveryRowOfEveryStripOnce) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 0; n < 300; ++n) {
    int const rows   = int(random.integer(1, 300));
    int const strips = int(random.integer(1, n < 20 ? 4 : 70));
    int const high   = int(random.integer(1, 100));
    int const low    = int(random.integer(1, 40));
    Impl::Cuda::StripPieces const pieces(rows, strips, high, low);
    std::vector<int> seen(std::size_t(rows) * std::size_t(strips));
    for (unsigned block = 0; block < pieces.blocks(); ++block) {
      auto const piece = pieces.of_block(block);
      ASSERT_LT(int(piece.strip), strips);
      ASSERT_LT(piece.first_row, rows);
      bool const at_boundary =
          piece.strip == 0 || int(piece.strip) == strips - 1;
      EXPECT_EQ(at_boundary ? high : low, piece.rows);
      for (std::int64_t row = piece.first_row;
           row < piece.first_row + piece.rows && row < rows; ++row)
        ++seen[std::size_t(row) * std::size_t(strips) + piece.strip];
    }
    for (int const times : seen)
      ASSERT_EQ(1, times) << rows << " rows, " << strips
                          << " strips, pieces of " << high << " and " << low
                          << " rows";
  }
  // Without rounding, as far as an int goes.
  for (unsigned const strips : {3u, 4u, 5u, 9u, 1000003u, 4000000u}) {
    Impl::Cuda::StripPieces const pieces(1000, strips, 1000, 1);
    unsigned const last = pieces.blocks() - 1;
    EXPECT_EQ(998, pieces.of_block(last).first_row) << strips;
    EXPECT_EQ(strips - 2, pieces.of_block(last).strip) << strips;
  }
}

/// False where these kernels do not take the factors or the grid.
template <class T>
bool expect_bands(Factors<2> const& factors, Random& random,
                  // Strips have up to 512 bytes.
                  Place<2> const& most = {
                      50, sizeof(typename T::Element) == 1 ? 800 : 400}) {
  bool taken = true;
  expect_exact_sums<typename T::A, typename T::Element, typename T::Result, 2,
                    T::calls>(
      random_case<2>(random, factors.weights(), most), random,
      [&](auto const& grid, auto const& sink) {
        using Bands = Impl::Cuda::BandStencil<
            typename T::A, typename T::Element,
            std::conditional_t<T::calls, void, typename T::Result>>;
        taken = Bands::takes(grid) && Bands::takes_rows(grid) &&
                Bands::operands(factors.of) != Impl::Cuda::BandOperands::none;
        if (taken)
          Impl::Cuda::launch_band_stencil<typename T::A>(Kokkos::Cuda(), grid,
                                                         factors.of, sink);
        return taken;
      });
  return taken;
}

template <class T>
struct BandKernels : ::testing::Test {};
using OfBands = ::testing::Types<
    StencilTypes<std::int32_t, std::uint8_t, std::uint8_t>,
    StencilTypes<std::int32_t, std::int8_t, std::int8_t>,
    StencilTypes<std::int32_t, std::uint8_t, std::int32_t>,
    StencilTypes<std::int32_t, std::uint8_t, char, true>,
    StencilTypes<float, Half, Half>, StencilTypes<float, Half, float>,
    StencilTypes<float, Half, char, true>, StencilTypes<float, Bhalf, Bhalf>,
    StencilTypes<float, float, float>, StencilTypes<float, float, Half>>;
TYPED_TEST_SUITE(BandKernels, OfBands);

TYPED_TEST(BandKernels, Products) {
  Random random;
  SCOPED_TRACE(random.note());
  int taken = 0;
  for (int radius = 1; radius <= 16; radius += radius < 8 ? 1 : 4)
    for (int n = 0; n < 2; ++n) {
      taken += expect_bands<TypeParam>(box<2>(radius), random);
      taken += expect_bands<TypeParam>(
          random_factors<2>({int(random.integer(1, radius)), radius}, random),
          random);
    }
  EXPECT_GT(taken, 3);
}

// Blocks of so many rows that stages are used again, in strips that no boundary
// cuts, where warps do not wait for each other.
TYPED_TEST(BandKernels, StagesAreUsedAgain) {
  Random random;
  SCOPED_TRACE(random.note());
  constexpr int strip = 512 / int(sizeof(typename TypeParam::Element));
  for (int radius : {1, 2, 1, 2})
    expect_bands<TypeParam>(box<2>(radius), random, {400, 3 * strip + 50});
}

template <class T>
struct BandKernelsInPieces : ::testing::Test {};
using InPieces = ::testing::Types<
    StencilTypes<float, Half, Half>, StencilTypes<float, Half, float>,
    StencilTypes<float, Bhalf, Bhalf>, StencilTypes<float, float, float>>;
TYPED_TEST_SUITE(BandKernelsInPieces, InPieces);

// Weights that no operand holds, whose sums a float does.
TYPED_TEST(BandKernelsInPieces, Products) {
  using Element = typename TypeParam::Element;
  Random random;
  SCOPED_TRACE(random.note());
  int taken = 0;
  for (int radius = 1; radius <= 16; radius += radius < 8 ? 1 : 4)
    for (int d = 0; d < 2; ++d) {
      int const most = d == 1 && std::is_same_v<Element, Half> ? 2051 : 511;
      std::array<int, 2> const radii{int(random.integer(1, radius)), radius};
      Factors<2> factors = random_factors<2>(radii, random);
      auto& vector       = factors.of[std::size_t(d)];
      for (double& weight : vector)
        weight = double(random.integer(-most, most));
      vector[1] = double(most);
      EXPECT_EQ(
          Impl::Cuda::BandOperands::sums,
          (Impl::Cuda::BandStencil<float, Element, typename TypeParam::Result>::
               operands(factors.of)));
      EXPECT_EQ(Impl::Cuda::BandOperands::none,
                (Impl::Cuda::BandStencil<float, Element, void>::operands(
                    factors.of)));
      taken += expect_bands<TypeParam>(factors, random);
    }
  EXPECT_GT(taken, 2);
}

template <class T>
struct ByteBandKernels : ::testing::Test {};
using OfBytes =
    ::testing::Types<StencilTypes<std::int32_t, std::uint8_t, std::uint8_t>,
                     StencilTypes<std::int32_t, std::int8_t, std::int8_t>,
                     StencilTypes<std::uint32_t, std::uint8_t, std::int8_t>>;
TYPED_TEST_SUITE(ByteBandKernels, OfBytes);

// Of results of a byte, the lowest byte of sums and weights is all there is.
TYPED_TEST(ByteBandKernels, FactorsOfAnySize) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int radius = 1; radius <= 16; radius += radius < 8 ? 1 : 4) {
    Factors<2> factors{{}, false};
    for (auto& vector : factors.of)
      for (int i = 0; i < 2 * radius + 1; ++i)
        vector.push_back(double(random.integer(-5000, 5000)));
    EXPECT_TRUE(expect_bands<TypeParam>(factors, random)) << radius;
  }
  Factors<2> const fraction{{{{1, 2.5, 1}, {1, 1, 1}}}, false};
  EXPECT_EQ(Impl::Cuda::BandOperands::none,
            (Impl::Cuda::BandStencil<
                typename TypeParam::A, typename TypeParam::Element,
                typename TypeParam::Result>::operands(fraction.of)));
}

/// False where these kernels do not take the weights or the grid.
template <class T>
bool expect_dense_bands(StencilWeights<2> const& weights, Random& random) {
  bool taken = true;
  expect_exact_sums<typename T::A, typename T::Element, typename T::Result, 2,
                    T::calls>(
      random_case<2>(random, weights, {50, 300}), random,
      [&](auto const& grid, auto const& sink) {
        using Dense =
            Impl::Cuda::DenseBandStencil<typename T::A, typename T::Element>;
        taken = Dense::takes(weights) && Dense::takes_rows(grid);
        if (taken)
          Impl::Cuda::launch_dense_band_stencil<typename T::A>(
              Kokkos::Cuda(), grid, weights, sink);
        return taken;
      });
  return taken;
}

template <class T>
struct DenseBandKernels : ::testing::Test {};
using OfDenseBands = ::testing::Types<
    StencilTypes<float, Half, Half>, StencilTypes<float, Half, float>,
    StencilTypes<float, Bhalf, Bhalf>, StencilTypes<float, float, float>,
    StencilTypes<double, double, double>>;
TYPED_TEST_SUITE(DenseBandKernels, OfDenseBands);

TYPED_TEST(DenseBandKernels, AnyWeights) {
  Random random;
  SCOPED_TRACE(random.note());
  int taken = 0;
  for (int radius = 1; radius <= 8; ++radius)
    for (int n = 0; n < 3; ++n)
      taken += expect_dense_bands<TypeParam>(
          random_weights<2>({int(random.integer(1, radius)), radius}, n == 1,
                            random),
          random);
  EXPECT_GT(taken, 4);
}

}  // namespace
