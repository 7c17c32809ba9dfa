// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_LAUNCH_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_BandStencil.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_BandStencilTuning.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_BandStencilWeights.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace KokkosMMA::Impl::Cuda {

template <class Tuning, class Band, class A, bool Shifted, class Element,
          class Sink, class Weights>
void run_band_stencil(Kokkos::Cuda const& space,
                      StencilGrid<Element, 2> const& grid,
                      Weights const& weights, int radius_rows,
                      int radius_columns, Sink const& sink) {
  constexpr int width = Band::columns * Tuning::blocks_per_warp * Tuning::warps;
  auto* const kernel  = band_stencil<Tuning, Band, A, Element, Sink, Shifted>;
  using Rows          = BandRows<Tuning, Band, Element, Shifted>;
  constexpr std::size_t bytes =
      Rows::bytes +
      Tuning::warps *
          (has_row_tiles<Band, Sink> ? RowTile<Tuning::blocks_per_warp>::bytes
           : VisibleStencilSink<Sink>
               ? 0
               : 16 * sizeof(typename Band::Sum) *
                     call_pitch<Band, Tuning::blocks_per_warp>);
  int const device_id = space.cuda_device();
  auto const facts = kernel_facts(device_id, kernel, 32 * Tuning::warps, bytes);

  BandArguments<Band, Element, Sink> arguments{
      grid, Band::words(weights), sink, {}, {}, {}, {}};
  arguments.radius[0] = radius_rows;
  arguments.radius[1] = radius_columns;
  if constexpr (VisibleStencilSink<Sink>) {
    constexpr std::uintptr_t all =
        Band::per_lane * sizeof(typename Sink::value_type);
    constexpr std::uintptr_t line = all < 16 ? all : 16;
    arguments.vectors =
        sink.stride[1] == 1 &&
        reinterpret_cast<std::uintptr_t>(sink.data) % line == 0 &&
        std::uintptr_t(sink.stride[0]) * sizeof(typename Sink::value_type) %
                line ==
            0;
    arguments.lines =
        begins_with_lines(sink.data, sink.stride[0]) && sink.stride[1] == 1;
  }
  std::int64_t const strips = (grid.extent[1] + width - 1) / width;
  std::int64_t const groups = (grid.extent[0] + 15) / 16;
  // Less high where the device is not full otherwise, but not so low that much
  // is read again.
  std::int64_t const slots =
      std::int64_t(facts.resident_blocks) * device(device_id).multiprocessors;
  std::int64_t const chunks = std::max<std::int64_t>(1, slots / strips);
  auto const height         = [&](std::int64_t most) {
    return 16 *
           int(std::clamp((groups + chunks - 1) / chunks,
                                  std::min({std::int64_t(4), groups, most}), most));
  };
  arguments.pieces =
      StripPieces(grid.extent[0], strips, height(Tuning::height_at_boundaries),
                  height(Tuning::height));
  auto const blocks = arguments.pieces.blocks();
  launch_kernel(space, "band_stencil", kernel,
                {blocks, 32 * Tuning::warps, bytes, facts.may_follow},
                arguments);
}

/// Sums of a rectangle around each element with weights that are the outer
/// product of two factors, which BandStencil takes.
template <class A, class Element, class Sink>
void launch_band_stencil(Kokkos::Cuda const& space,
                         StencilGrid<Element, 2> const& grid,
                         std::array<std::vector<double>, 2> const& factors,
                         Sink const& sink) {
  using Result = typename SinkValue<Sink>::type;
  using Takes  = BandStencil<A, Element, Result>;
  if (grid.extent[0] == 0 || grid.extent[1] == 0) return;
  int const radius_rows    = int(factors[0].size()) / 2;
  int const radius_columns = int(factors[1].size()) / 2;
  // Rows and results that begin with lines; for functors nothing does.
  bool rows = false, results = false;
  if constexpr (VisibleStencilSink<Sink>) {
    rows    = begins_with_lines(grid.data, grid.stride[0]);
    results = begins_with_lines(sink.data, sink.stride[0]);
  }
  std::true_type constexpr yes;
  std::false_type constexpr no;
  auto const run = [&](auto band, auto shifted, auto results_shifted,
                       auto const& weights) {
    using Band             = typename decltype(band)::type;
    constexpr bool Shifted = decltype(shifted)::value;
    using Tuning = band_tuning<Band, Shifted && VisibleStencilSink<Sink>,
                               decltype(results_shifted)::value>;
    run_band_stencil<Tuning, Band, A, Shifted>(
        space, grid, weights, radius_rows, radius_columns, sink);
  };
  auto const choose = [&](auto near, auto far, bool is_near,
                          auto const& weights) {
    auto const of_radius = [&](auto shifted, auto results_shifted) {
      if (is_near)
        run(near, shifted, results_shifted, weights);
      else
        run(far, shifted, results_shifted, weights);
    };
    if constexpr (VisibleStencilSink<Sink>) {
      if (rows && results) return of_radius(no, no);
      if (!results) return of_radius(yes, yes);
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
    auto const of_weights = [&]<bool InPieces>(auto const& weights) {
      constexpr Scalar element = scalar_v<Element>;
      using Far                = WarpFloatBand<Warp, element, 3, 3, InPieces>;
      if constexpr (Takes::of_floats) {
        // Up to radius 7 kernels without tensor cores are faster.
        run(std::type_identity<Far>(), no, no, weights);
      } else {
        using Near = WarpFloatBand<Warp, element, 2, 2, InPieces>;
        choose(std::type_identity<Near>(), std::type_identity<Far>(),
               radius_rows <= 8 && radius_columns <= 8, weights);
      }
    };
    if constexpr (Takes::is_compiled) {
      if (auto const weights = Takes::template float_weights<false>(factors)) {
        of_weights.template operator()<false>(*weights);
      } else if constexpr (Takes::takes_pieces) {
        of_weights.template operator()<true>(
            Takes::template float_weights<true>(factors).value());
      }
    }
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
