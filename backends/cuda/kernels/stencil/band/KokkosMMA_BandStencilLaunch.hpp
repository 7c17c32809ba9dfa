// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/band/KokkosMMA_BandStencil.hpp>
#include <backends/cuda/kernels/stencil/band/KokkosMMA_BandStencilTuning.hpp>
#include <backends/cuda/kernels/stencil/band/KokkosMMA_BandStencilWeights.hpp>
#include <core/stencil/KokkosMMA_RowAlignment.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace KokkosMMA::Impl::Cuda {

template <class Tuning, class Band, class A, bool Unaligned, class Element,
          class Epilogue, class Weights>
void run_band_stencil(Stream const& space, StencilGrid<Element, 2> const& grid,
                      Weights const& weights, int radius_rows,
                      int radius_columns, Epilogue const& epilogue) {
  constexpr int width =
      Band::columns * Tuning::value.blocks_per_warp * Tuning::value.warps;
  auto* const kernel =
      band_stencil<Tuning, Band, A, Element, Epilogue, Unaligned>;
  using Rows = BandRows<Tuning, Band, Element, Unaligned>;
  constexpr std::size_t bytes =
      Rows::bytes +
      Tuning::value.warps *
          (has_row_tiles<Band, Epilogue>
               ? RowTileStore<Tuning::value.blocks_per_warp>::bytes
           : StencilEpilogue<Epilogue>
               ? 0
               : 16 * sizeof(typename Band::Sum) *
                     call_pitch<Band, Tuning::value.blocks_per_warp>);
  int const device_id = space.device;
  auto const facts =
      kernel_facts(device_id, kernel, 32 * Tuning::value.warps, bytes);

  BandArguments<Band, Element, Epilogue> arguments{
      grid, Band::words(weights), epilogue, {}, {}, {}, {}};
  arguments.radius[0] = radius_rows;
  arguments.radius[1] = radius_columns;
  if constexpr (StencilEpilogue<Epilogue>) {
    arguments.lane_aligned = vectors_aligned<2>(epilogue, 0, Band::per_lane);
    arguments.rows_aligned_16 =
        rows_aligned_16(epilogue.data, epilogue.stride[0]) &&
        epilogue.stride[1] == 1;
  }
  std::int64_t const panels = (grid.extent[1] + width - 1) / width;
  std::int64_t const groups = (grid.extent[0] + 15) / 16;
  // Row blocks are shortened to fill the device, but to no less than 4 groups
  // of 16 rows, since the rows at their borders are read twice.
  std::int64_t const slots =
      std::int64_t(facts.resident_blocks) * device(device_id).multiprocessors;
  std::int64_t const blocks_down = std::max<std::int64_t>(1, slots / panels);
  auto const height              = [&](std::int64_t most) {
    return 16 *
           int(std::clamp((groups + blocks_down - 1) / blocks_down,
                                       std::min({std::int64_t(4), groups, most}), most));
  };
  arguments.schedule = TileSchedule(grid.extent[0], panels,
                                    height(Tuning::value.boundary_row_block),
                                    height(Tuning::value.row_block));
  auto const blocks  = arguments.schedule.blocks();
  launch_kernel(space, "band_stencil", kernel,
                {blocks, 32 * Tuning::value.warps, bytes, facts.may_follow},
                arguments);
}

/// Launches the band kernel, asynchronously. BandStencil must support the grid
/// and the weights, which are the outer product of `factors`. Rows of floats
/// must be aligned to 16 bytes.
template <class A, class Element, class Epilogue>
void launch_band_stencil(Stream const& space,
                         StencilGrid<Element, 2> const& grid,
                         std::array<std::vector<double>, 2> const& factors,
                         Epilogue const& epilogue) {
  using Result = typename EpilogueValue<Epilogue>::type;
  using Takes  = BandStencil<A, Element, Result>;
  if (grid.extent[0] == 0 || grid.extent[1] == 0) return;
  int const radius_rows    = int(factors[0].size()) / 2;
  int const radius_columns = int(factors[1].size()) / 2;
  // Whether rows and results are aligned to 16 bytes. With functors both count
  // as unaligned.
  bool aligned_rows = false, aligned_results = false;
  if constexpr (StencilEpilogue<Epilogue>) {
    aligned_rows    = rows_aligned_16(grid.data, grid.stride[0]);
    aligned_results = rows_aligned_16(epilogue.data, epilogue.stride[0]);
  }
  std::true_type constexpr yes;
  std::false_type constexpr no;
  auto const run = [&](auto band, auto unaligned, auto unaligned_results,
                       auto const& weights) {
    using Band               = typename decltype(band)::type;
    constexpr bool Unaligned = decltype(unaligned)::value;
    using Tuning =
        tuning_type<band_tuning<Band>(Unaligned && StencilEpilogue<Epilogue>,
                                      decltype(unaligned_results)::value)>;
    run_band_stencil<Tuning, Band, A, Unaligned>(
        space, grid, weights, radius_rows, radius_columns, epilogue);
  };
  auto const choose = [&](auto near, auto far, bool is_near,
                          auto const& weights) {
    auto const of_radius = [&](auto unaligned, auto unaligned_results) {
      if (is_near)
        run(near, unaligned, unaligned_results, weights);
      else
        run(far, unaligned, unaligned_results, weights);
    };
    if constexpr (StencilEpilogue<Epilogue>) {
      if (aligned_rows && aligned_results) return of_radius(no, no);
      if (!aligned_results) return of_radius(yes, yes);
    }
    of_radius(yes, no);
  };
  if constexpr (sizeof(Element) == 1) {
    constexpr bool is_signed = std::is_signed_v<Element>;
    auto const weights       = Takes::byte_weights(factors).value();
    if constexpr (is_modulo_256<A, Result>) {
      choose(std::type_identity<WarpByteBand<Warp, is_signed, 2, 1>>(),
             std::type_identity<WarpByteBand<Warp, is_signed, 3, 1>>(),
             radius_rows <= 8, weights);
    } else {
      choose(std::type_identity<WarpByteBand<Warp, is_signed, 2, 2>>(),
             std::type_identity<WarpByteBand<Warp, is_signed, 3, 3>>(),
             radius_rows <= 8 && Takes::planes(factors) <= 2, weights);
    }
  } else {
    auto const of_weights = [&]<bool Split>(auto const& weights) {
      constexpr Scalar element = scalar_v<Element>;
      using Far                = WarpFloatBand<Warp, element, 3, 3, Split>;
      if constexpr (Takes::is_float) {
        // Up to radius 7, kernels without tensor cores are faster.
        run(std::type_identity<Far>(), no, no, weights);
      } else {
        using Near = WarpFloatBand<Warp, element, 2, 2, Split>;
        choose(std::type_identity<Near>(), std::type_identity<Far>(),
               radius_rows <= 8 && radius_columns <= 8, weights);
      }
    };
    if constexpr (Takes::is_compiled) {
      if (auto const weights = Takes::template float_weights<false>(factors)) {
        of_weights.template operator()<false>(*weights);
      } else if constexpr (Takes::takes_split) {
        of_weights.template operator()<true>(
            Takes::template float_weights<true>(factors).value());
      }
    }
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
