// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SWEEP_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_SWEEP_STENCIL_LAUNCH_HPP

#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_GeneralStencil.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_RunKernel.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencil.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

/// \file
/// Stencils with any weights as multiply-adds. Each sum follows the order of
/// the weights, so results are bitwise identical to those of the generic route.

namespace KokkosMMA::Impl::Cuda {

/// Launches a kernel that sweeps over planes; fill(in.taps) sets the weights.
template <class Kernel, int R, class Element, class Epilogue, class Fill>
void launch_sweep(Stream const& space, StencilGrid<Element, R> const& grid,
                  std::array<int, std::size_t(R)> const& radius,
                  Epilogue const& epilogue, Fill const& fill) {
  using Shape       = typename Kernel::Shape;
  auto const kernel = run_kernel<Kernel>;
  StencilAlignment const alignment =
      stencil_alignment<Shape::columns>(grid, epilogue);
  std::int64_t const columns = grid.extent[R - 1] - alignment.origin;
  std::int64_t const across  = (columns + Shape::tile_x - 1) / Shape::tile_x;
  typename Kernel::Task in{slab_source(grid, radius, alignment.loads),
                           {epilogue, grid.extent[R - 1], alignment.stores},
                           R == 1 ? across : grid.extent[0],
                           0,
                           alignment.origin,
                           1,
                           1,
                           1,
                           {},
                           {}};
  if constexpr (R > 1) {
    in.tiles = in.tiles_x = checked_blocks(across);
  }
  if constexpr (R > 2) {
    in.tiles = checked_blocks(
        across * ((grid.extent[1] + Shape::tile_y - 1) / Shape::tile_y));
    if constexpr (SlabBox<Shape, Element>::exists) {
      if (device(space.device).compute_capability >= 90)
        describe_slabs(in.box, grid, radius, alignment.origin, alignment.loads);
    }
  }
  fill(in.taps);
  KernelFacts const facts =
      kernel_facts(space.device, kernel, Shape::threads, Shape::shared_bytes);
  std::int64_t const slots = std::int64_t(std::max(facts.resident_blocks, 1)) *
                             device(space.device).multiprocessors;
  // Planes that a block loads before its first sum, and those in flight.
  constexpr int lead   = 2 * Shape::reach + Shape::stages;
  constexpr int height = Shape::tuning.block_planes;
  in.block_planes      = height > 0
                             ? short_block_height(in.length, in.tiles, slots, height,
                                                  Shape::batch, lead)
                             : tall_block_height(in.length, in.tiles, slots, lead);
  auto const blocks    = [&] {
    return (in.length + in.block_planes - 1) / in.block_planes * in.tiles;
  };
  while (blocks() > most_blocks && in.block_planes < in.length)
    in.block_planes *= 2;
  in.row_blocks = checked_blocks(blocks() / in.tiles);
  // Steps of a star on 128^2, 512^2 and 4096^2 floats take 4.8, 4.7 and 37.9
  // us, and 5.2, 5.4 and 38.7 if each waits for the end of the previous one
  // (H200, CUDA 13.0, 2026-11-29).
  launch_kernel(space, "sweep_stencil", kernel,
                {checked_blocks(blocks()), Shape::threads, Shape::shared_bytes,
                 facts.may_follow},
                in);
}

/// Launches the sweep for weights of the pattern. Returns false if the radius
/// exceeds `Largest`.
template <SweepPattern Pattern, int Largest, class A, int R, class Element,
          class Epilogue>
bool launch_pattern_sweep(Stream const& space,
                          StencilGrid<Element, R> const& grid,
                          StencilWeights<R> const& weights,
                          Epilogue const& epilogue) {
  return with_one_radius<1, Largest>(weights.radius(0), [&](auto radius) {
    auto const launch = [&](auto unaligned) {
      launch_sweep<SweepKernel<A, R, Element, Epilogue, decltype(radius)::value,
                               Pattern, decltype(unaligned)::value>>(
          space, grid, weights.radius(), epilogue, [&](auto& taps) {
            taps.has_centre = weights.values()[weights.size() / 2] != 0;
            auto const all  = pattern_weights<A>(
                weights, Pattern == SweepPattern::star ? DirectPattern::star
                                                        : DirectPattern::dense);
            std::copy(all.begin(), all.end(), taps.weight);
          });
      return true;
    };
    if constexpr (R == 3) {
      using Shape =
          typename SweepKernel<A, R, Element, Epilogue, decltype(radius)::value,
                               Pattern, false>::Shape;
      if (!stencil_alignment<Shape::columns>(grid, epilogue).loads)
        return launch(std::true_type());
    }
    return launch(std::false_type());
  });
}

/// Largest radius of outer products that run in one sweep, for Views with
/// aligned rows. KokkosMMA_SeparableVolume.hpp has the same order, but writes
/// sums of planes and reads them again. Fraction of a copy's rate by radius,
/// and by two passes at radius 5; 512^3, H200, 2026-11-27:
///
///            1    2    3    4      5
///   double        .79  .61  .47    .40
///   float         .79  .74  .59    .37
///   half    .79   .49  .35  .26    .23
///   bytes   .46   .24  .16  .11    .12
///
/// Floats and doubles of radius 1 are as fast weight by weight. Bfloat16 of
/// radius 1 is added weight by weight for its range: outer products apply the
/// scale of an average last, so sums of neighbours near the largest number
/// would be infinite.
template <class Element>
inline constexpr int sweep_product_radius = sizeof(Element) > 1 ? 4 : 3;
template <class Element>
inline constexpr int first_product_radius =
    sizeof(Element) > 2 || scalar_v<Element> == Scalar::bhalf ? 2 : 1;

/// Whether a sweep exists for these factors, if rows are aligned.
template <class Element, class Epilogue>
bool has_product_sweep(std::array<std::vector<double>, 3> const& factors) {
  std::size_t const width = factors[0].size();
  return StencilEpilogue<Epilogue> && width == factors[1].size() &&
         width == factors[2].size() &&
         width >= 2 * first_product_radius<Element> + 1 &&
         width <= 2 * sweep_product_radius<Element> + 1;
}

/// \return whether a kernel exists; otherwise nothing is launched
template <class A, class Element, class Epilogue>
bool launch_product_sweep(Stream const& space,
                          StencilGrid<Element, 3> const& grid,
                          std::array<std::vector<double>, 3> const& factors,
                          Epilogue const& epilogue) {
  if constexpr (StencilEpilogue<Epilogue>) {
    int const of_factors = int(factors[0].size() / 2);
    if (!has_product_sweep<Element, Epilogue>(factors) ||
        *std::min_element(grid.extent, grid.extent + 3) < of_factors)
      return false;
    return with_one_radius<first_product_radius<Element>,
                           sweep_product_radius<Element>>(
        of_factors, [&](auto radius) {
          constexpr int Radius = decltype(radius)::value;
          using Kernel         = SweepKernel<A, 3, Element, Epilogue, Radius,
                                     SweepPattern::product, false>;
          if (!stencil_alignment<Kernel::Shape::columns>(grid, epilogue).loads)
            return false;
          launch_sweep<Kernel>(space, grid, std::array{Radius, Radius, Radius},
                               epilogue, [&](auto& taps) {
                                 taps.has_centre = true;
                                 A* weight       = taps.weight;
                                 for (auto const& factor : factors)
                                   for (double const each : factor)
                                     *weight++ = weight_as<A>(each);
                               });
          return true;
        });
  } else {
    return false;
  }
}

/// Largest radii of patterns that have kernels. Each radius adds about a second
/// of compilation per type and functor. The sums in flight of larger radii
/// would not fit into registers. 10^9 sums per second by SweepKernel and by
/// GeneralKernel, stars of radius 5 in three dimensions, 640^3: float 151 and
/// 15.7, half 171 and 22, bytes 183 and 28, double 111 and 6.8. Radius 8 by
/// SweepKernel: 96, 93, 100 and 56 (H200, 2026-11-24).
template <int R>
inline constexpr int sweep_star_radius = R == 1 ? 0 : 8;
template <int R>
inline constexpr int sweep_dense_radius = R == 3 ? 1 : 8;

/// Launches a stencil; the weights are in the order of the grid's dimensions.
template <class A, int R, class Element, class Epilogue>
void launch_direct_stencil(Stream const& space,
                           StencilGrid<Element, R> const& grid,
                           StencilWeights<R> const& weights,
                           Epilogue const& epilogue) {
  DirectPattern const pattern = direct_pattern(weights);
  bool const launched =
      (pattern == DirectPattern::star &&
       launch_pattern_sweep<SweepPattern::star, sweep_star_radius<R>, A>(
           space, grid, weights, epilogue)) ||
      (pattern == DirectPattern::dense &&
       launch_pattern_sweep<SweepPattern::dense, sweep_dense_radius<R>, A>(
           space, grid, weights, epilogue));
  if (!launched) launch_general_stencil<A>(space, grid, weights, epilogue);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
