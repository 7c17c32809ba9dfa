// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_SWEEP_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_SWEEP_STENCIL_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectLaunch.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencil.hpp>
#include <core/stencil/KokkosMMA_DirectTaps.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>
#include <core/stencil/KokkosMMA_TileHeight.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace KokkosMMA::Impl::Cuda {

/// Launches a kernel that sweeps over planes; fill(in.taps) sets the weights.
template <class Shape, class Arguments, class A, int R, class Element,
          class Epilogue, class Fill>
void launch_sweep(Stream const& space, void (*kernel)(Arguments),
                  StencilGrid<Element, R> const& grid,
                  std::array<int, std::size_t(R)> const& radius,
                  Epilogue const& epilogue, Fill const& fill) {
  StencilAlignment const alignment =
      stencil_alignment<Shape::columns, A>(grid, epilogue);
  std::int64_t const columns = grid.extent[R - 1] - alignment.origin;
  std::int64_t const across  = (columns + Shape::tile_x - 1) / Shape::tile_x;
  Arguments in{slab_source(grid, radius, alignment.loads),
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

/// Launches the sweep for weights of the pattern and a radius <= `Radius`.
template <SweepPattern Pattern, int Radius, class A, int R, class Element,
          class Epilogue>
void launch_pattern_sweep(Stream const& space,
                          StencilGrid<Element, R> const& grid,
                          StencilWeights<R> const& weights,
                          Epilogue const& epilogue) {
  if (weights.radius(0) < Radius) {
    if constexpr (Radius > 1) {
      launch_pattern_sweep<Pattern, Radius - 1, A>(space, grid, weights,
                                                   epilogue);
    }
    return;
  }
  auto const launch = [&]<bool Unaligned>(std::bool_constant<Unaligned>) {
    using Shape =
        PatternSweepShape<A, R, Element, Epilogue, Radius, Pattern, Unaligned>;
    launch_sweep<Shape,
                 PatternSweepArguments<A, R, Element, Epilogue, Radius, Pattern,
                                       Unaligned>,
                 A>(
        space,
        sweep_stencil<A, R, Element, Epilogue, Radius, Pattern, Unaligned>,
        grid, weights.radius(), epilogue, [&](auto& taps) {
          taps.has_centre = weights.values()[weights.size() / 2] != 0;
          auto const all  = pattern_weights<A>(
              weights, Pattern == SweepPattern::star ? DirectPattern::star
                                                      : DirectPattern::dense);
          std::copy(all.begin(), all.end(), taps.weight);
        });
  };
  if constexpr (R < 3) {
    launch(std::false_type());
  } else {
    using Shape =
        PatternSweepShape<A, R, Element, Epilogue, Radius, Pattern, false>;
    if (stencil_alignment<Shape::columns, A>(grid, epilogue).loads)
      launch(std::false_type());
    else
      launch(std::true_type());
  }
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

template <class A, int Radius, class Element, class Epilogue>
bool launch_product_radius(Stream const& space,
                           StencilGrid<Element, 3> const& grid,
                           std::array<std::vector<double>, 3> const& factors,
                           Epilogue const& epilogue) {
  if constexpr (!StencilEpilogue<Epilogue> ||
                Radius < first_product_radius<Element>) {
    return false;
  } else {
    std::size_t const width = factors[0].size();
    if (width != 2 * Radius + 1)
      return width < 2 * Radius + 1 && launch_product_radius<A, Radius - 1>(
                                           space, grid, factors, epilogue);
    constexpr SweepPattern pattern = SweepPattern::product;
    using Shape =
        PatternSweepShape<A, 3, Element, Epilogue, Radius, pattern, false>;
    for (int d = 0; d < 3; ++d) {
      if (factors[std::size_t(d)].size() != width || grid.extent[d] < Radius)
        return false;
    }
    if (!stencil_alignment<Shape::columns, A>(grid, epilogue).loads)
      return false;
    launch_sweep<
        Shape,
        PatternSweepArguments<A, 3, Element, Epilogue, Radius, pattern, false>,
        A>(space,
           sweep_stencil<A, 3, Element, Epilogue, Radius, pattern, false>, grid,
           std::array{Radius, Radius, Radius}, epilogue, [&](auto& taps) {
             taps.has_centre = true;
             A* weight       = taps.weight;
             for (auto const& factor : factors)
               for (double const each : factor) *weight++ = weight_as<A>(each);
           });
    return true;
  }
}

/// \return whether a kernel exists; otherwise nothing is launched
template <class A, class Element, class Epilogue>
bool launch_product_sweep(Stream const& space,
                          StencilGrid<Element, 3> const& grid,
                          std::array<std::vector<double>, 3> const& factors,
                          Epilogue const& epilogue) {
  return launch_product_radius<A, sweep_product_radius<Element>>(
      space, grid, factors, epilogue);
}

/// Largest radii of patterns that have kernels. Each radius adds about a second
/// of compilation per type and functor. The sums in flight of larger radii
/// would not fit into registers. 10^9 sums per second by sweep_stencil and by
/// general_stencil, stars of radius 5 in three dimensions, 640^3: float 151 and
/// 15.7, half 171 and 22, bytes 183 and 28, double 111 and 6.8. Radius 8 by
/// sweep_stencil: 96, 93, 100 and 56 (H200, 2026-11-24).
template <int R>
inline constexpr int sweep_star_radius = R == 1 ? 0 : 8;
template <int R>
inline constexpr int sweep_dense_radius = R == 3 ? 1 : 8;

}  // namespace KokkosMMA::Impl::Cuda

#endif
