// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_BAND_STENCIL_WEIGHTS_HPP
#define KOKKOSMMA_CUDA_BAND_STENCIL_WEIGHTS_HPP

#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_VectorStore.hpp>
#include <core/stencil/KokkosMMA_SplitWeights.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_WarpBand.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

/// \file
/// Which stencils the band kernels take, and their weights as operands.

namespace KokkosMMA::Impl::Cuda {

template <class Sink>
struct SinkValue {
  using type = void;
};
template <VisibleStencilSink Sink>
struct SinkValue<Sink> {
  using type = typename Sink::value_type;
};

/// Whether a byte of the sums is all that matters of results of this type.
template <class A, class Result>
inline constexpr bool is_modulo_256 =
    std::is_integral_v<A>&& std::is_integral_v<Result> &&
    !std::is_same_v<Result, bool> && sizeof(Result) == 1;
template <class A>
inline constexpr bool is_modulo_256<A, void> = false;

template <class Element>
bool begins_with_lines(Element const* rows, std::int64_t stride) {
  return reinterpret_cast<std::uintptr_t>(rows) % 16 == 0 &&
         std::uintptr_t(stride) * sizeof(Element) % 16 == 0;
}

/// What factors are to the band products: nothing, operands, or sums of some.
enum class BandOperands { none, exact, sums };

/// Which weights the band products take, and as what.
/// \tparam Result void for functors
template <class A, class Element, class Result>
struct BandStencil {
  using Factors = std::array<std::vector<double>, 2>;

  static constexpr bool of_bytes  = sizeof(Element) == 1;
  static constexpr bool of_halfs  = is_band_half<Element>;
  static constexpr bool of_floats = scalar_v<Element> == Scalar::float32;
  /// Functors are as fast without tensor cores.
  static constexpr bool is_compiled  = !of_floats || !std::is_void_v<Result>;
  static constexpr bool takes_pieces = !of_bytes && !std::is_void_v<Result>;

  static BandOperands operands(Factors const& factors) {
    if constexpr (of_bytes) {
      return byte_weights(factors) ? BandOperands::exact : BandOperands::none;
    } else if constexpr (!is_compiled || !std::is_same_v<A, float>) {
      return BandOperands::none;
    } else {
      if (float_weights<false>(factors)) return BandOperands::exact;
      if constexpr (takes_pieces) {
        if (float_weights<true>(factors)) return BandOperands::sums;
      }
      return BandOperands::none;
    }
  }
  /// Floats have kernels for rows that begin with lines.
  static bool takes_rows(StencilGrid<Element, 2> const& grid) {
    return !of_floats || begins_with_lines(grid.data, grid.stride[0]);
  }
  /// Constants beyond the boundaries are elements too.
  static bool takes(StencilGrid<Element, 2> const& grid) {
    for (int d = 0; d < 2; ++d)
      for (BoundaryCondition const& condition :
           {grid.boundaries.low[d], grid.boundaries.high[d]})
        if (condition.kind == Boundary::constant &&
            !is_element(condition.value))
          return false;
    return true;
  }

  /// Where one byte of the sums is all that matters, one byte of the weights
  /// is.
  static std::optional<BandWeights<std::int8_t>> byte_weights(
      Factors const& factors) {
    constexpr bool modulo  = is_modulo_256<A, Result>;
    constexpr double least = modulo ? -0x1p53 : -128;
    constexpr double most  = modulo ? 0x1p53 : 127;
    double largest         = of_bytes && std::is_signed_v<Element> ? 128 : 255;
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
    // Sums are of 32 bits; what the accumulator has more of is not known.
    if (!modulo && (!std::is_integral_v<A> || sizeof(A) > 4) &&
        largest >= 0x1p31)
      return {};
    return weights;
  }

  /// Bytes of the sums along the rows that matter.
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

  template <bool InPieces>
  using FloatWeights =
      typename WarpFloatBand<Warp, scalar_v<Element>, 2, 2, InPieces>::Weights;

  /// Factors as 16-bit floats or, nearly as close as to floats, as sums of
  /// some; nothing where they are not.
  template <bool InPieces>
  static std::optional<FloatWeights<InPieces>> float_weights(
      Factors const& factors) {
    using Row = weight_piece_t<of_halfs>;
    // The largest weight along the rows about 1, or so large that the smallest
    // pieces are in the range of fp16; the power of two goes to the other
    // factor.
    double largest = 0;
    for (double const w : factors[1]) largest = std::max(largest, std::abs(w));
    int const exponent =
        largest > 0 ? (InPieces ? Row::top : 0) - std::ilogb(largest) : 0;
    FloatWeights<InPieces> weights{};
    if (!encode<BhalfPiece>(factors[0], -exponent, weights.column) ||
        !encode<Row>(factors[1], exponent, weights.row))
      return {};
    return weights;
  }

 private:
  template <class Format, int Pieces, int Size>
  static bool encode(std::vector<double> const& factor, int exponent,
                     std::uint16_t (&operands)[Pieces][Size]) {
    int at = Size / 2 - int(factor.size()) / 2;
    for (double const w : factor) {
      double const weight = std::ldexp(w, exponent);
      // So that scales of sums stay normal.
      if (!(std::abs(weight) < 0x1p100)) return false;
      if constexpr (Pieces == 1) {
        auto const bits = exact_piece<Format>(weight, 0);
        if (!bits) return false;
        operands[0][at] = *bits;
      } else {
        double rest = weight;
        for (int piece = 0; piece < Pieces; ++piece)
          operands[piece][at] = take_piece<Format>(rest);
        if (std::abs(rest) > 0x1p-23 * std::abs(weight)) return false;
      }
      ++at;
    }
    return true;
  }
  static bool is_element(double value) {
    if constexpr (std::is_same_v<Element, bool>) {
      return value == 0 || value == 1;
    } else if constexpr (of_bytes) {
      return value == std::trunc(value) &&
             value >= (std::is_signed_v<Element> ? -128 : 0) &&
             value <= (std::is_signed_v<Element> ? 127 : 255);
    } else {
      return std::isnan(value) ||
             double(float(static_cast<Element>(float(value)))) == value;
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
