// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_LAUNCH_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorStore.hpp>
#include <backends/cuda/kernels/stencil/band/KokkosMMA_BandStencil.hpp>
#include <backends/cuda/kernels/stencil/band/KokkosMMA_BandStencilTuning.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_SplitWeights.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_WarpBand.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

/// \file
/// Conditions under which the band kernels support a separable stencil, its
/// weights as MMA operands, and its launch.

namespace KokkosMMA::Impl::Cuda {

/// Whether results of this type depend only on the lowest byte of the sums.
template <class A, class Result>
inline constexpr bool is_modulo_256 =
    std::is_integral_v<A>&& takes_lowest_bytes<Result>;

/// Conditions of the band kernels on grids and weights.
/// \tparam Result void for functors
template <class A, class Element, class Result>
struct BandStencil {
  using Factors = std::array<std::vector<double>, 2>;

  static constexpr bool is_bytes = sizeof(Element) == 1;
  static constexpr bool is_half  = is_band_half<Element>;
  static constexpr bool is_float = scalar_v<Element> == Scalar::float32;
  /// For functors, float kernels without tensor cores are as fast.
  static constexpr bool is_compiled = !is_float || !std::is_void_v<Result>;
  static constexpr bool takes_split = !is_bytes && !std::is_void_v<Result>;

  static MmaOperands operands(Factors const& factors) {
    if constexpr (is_bytes) {
      return byte_weights(factors) ? MmaOperands::exact : MmaOperands::none;
    } else if constexpr (!is_compiled || !std::is_same_v<A, float>) {
      return MmaOperands::none;
    } else {
      if (float_weights<false>(factors)) return MmaOperands::exact;
      if constexpr (takes_split) {
        if (float_weights<true>(factors)) return MmaOperands::split;
      }
      return MmaOperands::none;
    }
  }

  /// Returns the weights as bytes, or nothing if they do not fit. Lowest bytes
  /// suffice if results depend only on the lowest byte of the sums.
  static std::optional<BandWeights<std::int8_t>> byte_weights(
      Factors const& factors) {
    constexpr bool modulo  = is_modulo_256<A, Result>;
    constexpr double least = modulo ? -0x1p53 : -128;
    constexpr double most  = modulo ? 0x1p53 : 127;
    double largest         = is_bytes && std::is_signed_v<Element> ? 128 : 255;
    BandWeights<std::int8_t> weights{};
    for (int d = 0; d < 2; ++d) {
      auto const& factor = factors[std::size_t(d)];
      auto* const to =
          (d ? weights.row : weights.column)[0] +
          (BandWeights<std::int8_t>::origin - int(factor.size()) / 2);
      double sum = 0;
      for (int k = 0; k < int(factor.size()); ++k) {
        double const w = factor[std::size_t(k)];
        if (w != std::trunc(w) || w < least || w > most) return {};
        to[k] = static_cast<std::int8_t>(static_cast<std::int64_t>(w));
        sum += std::abs(w);
      }
      largest *= sum;
    }
    // Sums have 32 bits. They must not overflow if the accumulator has more
    // bits or is not an integer.
    if (!modulo && (!std::is_integral_v<A> || sizeof(A) > 4) &&
        largest >= 0x1p31)
      return {};
    return weights;
  }

  /// Number of bytes that hold the sums along the rows.
  static int planes(Factors const& factors) {
    double low = 0, high = 0;
    double const least = std::is_signed_v<Element> ? -128 : 0;
    double const most  = std::is_same_v<Element, bool> ? 1
                         : std::is_signed_v<Element>   ? 127
                                                       : 255;
    for (double const w : factors[1]) {
      low += std::min(w * least, w * most);
      high += std::max(w * least, w * most);
    }
    if (low >= 0 && high <= 255) return 1;
    return low >= -0x1p15 && high < 0x1p15 ? 2 : 3;
  }

  /// Whether a kernel of two groups of rows is enough.
  static bool is_near(Factors const& factors) {
    constexpr std::size_t most = 2 * 8 + 1;
    if (factors[0].size() > most) return false;
    if constexpr (is_bytes) {
      return is_modulo_256<A, Result> || planes(factors) <= 2;
    } else {
      return factors[1].size() <= most;
    }
  }
  /// Whether blocks have more shared memory than some devices: up to
  /// stencil_large_band_bytes.
  static bool is_large(Factors const& factors) {
    return std::is_void_v<Result> && is_near(factors) != is_bytes;
  }

  template <bool Split>
  using FloatWeights =
      typename WarpFloatBand<Warp, scalar_v<Element>, 2, 2, Split>::Weights;

  /// Returns the weights as 16-bit floats or, if Split, as sums of several with
  /// nearly the precision of float; nothing if that is impossible.
  template <bool Split>
  static std::optional<FloatWeights<Split>> float_weights(
      Factors const& factors) {
    using Row = weight_operand_t<is_half>;
    // Scales the largest weight along the rows to about 1 or, if Split, so high
    // that the smallest operands are in the range of fp16. The other factor
    // gets the inverse power of two. Sums of subnormal bfloat16 along the rows
    // must have no bits below 2^-133, which operands of the second product
    // cannot hold: the two operands of a weight have 16 bits.
    constexpr int top = scalar_v<Element> == Scalar::bhalf ? 16
                        : Split                            ? Row::top
                                                           : 0;
    double largest    = 0;
    for (double const w : factors[1]) largest = std::max(largest, std::abs(w));
    int const exponent = largest > 0 ? top - std::ilogb(largest) : 0;
    FloatWeights<Split> weights{};
    if (!encode<BhalfOperand>(factors[0], -exponent, weights.column) ||
        !encode<Row>(factors[1], exponent, weights.row))
      return {};
    return weights;
  }

 private:
  template <class Format, int Operands, int Size>
  static bool encode(std::vector<double> const& factor, int exponent,
                     std::uint16_t (&operands)[Operands][Size]) {
    int at = Size / 2 - int(factor.size()) / 2;
    for (double const w : factor) {
      double const weight = std::ldexp(w, exponent);
      // Keeps the scales of sums in the range of normal numbers.
      if (!(std::abs(weight) < 0x1p100)) return false;
      if constexpr (Operands == 1) {
        auto const bits = exact_operand<Format>(weight, 0);
        if (!bits) return false;
        operands[0][at] = *bits;
      } else {
        double rest = weight;
        for (int part = 0; part < Operands; ++part)
          operands[part][at] = take_operand<Format>(rest);
        if (std::abs(rest) > 0x1p-23 * std::abs(weight)) return false;
      }
      ++at;
    }
    return true;
  }
};

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
  constexpr bool is_large =
      !StencilEpilogue<Epilogue> && Band::is_far == (sizeof(Element) == 1);
  constexpr int room = is_large ? stencil_large_band_bytes : 99 * 1024;
  static_assert(bytes + sizeof(typename Band::Words) + 256 <= room);
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

/// Launches the band kernel, asynchronously. BandStencil::operands() must
/// encode `factors`. Constants beyond boundaries must be values of Element (see
/// as_elements()), rows of floats aligned to 16 bytes.
template <class A, class Element, class Epilogue>
void launch_band_stencil(Stream const& space,
                         StencilGrid<Element, 2> const& grid,
                         std::array<std::vector<double>, 2> const& factors,
                         Epilogue const& epilogue) {
  using Result             = epilogue_value_t<Epilogue, void>;
  using Takes              = BandStencil<A, Element, Result>;
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
  auto const choose = [&](auto near, auto far, auto const& weights) {
    auto const of_radius = [&](auto unaligned, auto unaligned_results) {
      if (Takes::is_near(factors))
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
             weights);
    } else {
      choose(std::type_identity<WarpByteBand<Warp, is_signed, 2, 2>>(),
             std::type_identity<WarpByteBand<Warp, is_signed, 3, 3>>(),
             weights);
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
        choose(std::type_identity<Near>(), std::type_identity<Far>(), weights);
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
