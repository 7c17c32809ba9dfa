// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_DIRECT_TAPS_HPP
#define KOKKOSMMA_DIRECT_TAPS_HPP

#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

/// \file
/// What the direct kernels of stencils decide on the host: which weights a
/// kernel with a fixed pattern takes, the table of all others, and how a grid
/// is cut into marches.

namespace KokkosMMA::Impl {

/// A weight as a factor of sums in `A`. Negative weights of unsigned sums wrap,
/// as the sums do.
template <class A>
A weight_as(double weight) {
  if constexpr (std::is_integral_v<A>) {
    if (weight < 0) return static_cast<A>(static_cast<std::int64_t>(weight));
  }
  return static_cast<A>(weight);
}

/// boundary_index for indices that are beyond a boundary by no more than the
/// extent, without a division.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t near_boundary_index(
    Boundary kind, std::int64_t i, std::int64_t n) {
  bool const low = i < 0;
  if (!low && i < n) return i;
  switch (kind) {
    case Boundary::constant: return -1;
    case Boundary::nearest: return low ? 0 : n - 1;
    case Boundary::halo: return i;
    case Boundary::periodic: return low ? i + n : i - n;
    case Boundary::reflect: return low ? -1 - i : 2 * n - 1 - i;
    default: break;
  }
  // About the centre of an element there is one less to see.
  if (n == 1) return 0;
  if (low) return -i < n ? -i : n - 2;
  return 2 * n - 2 - i >= 0 ? 2 * n - 2 - i : 1;
}

/// Weights without zeros, the centre aside, of one radius in all dimensions:
/// on the axes or everywhere. Kernels with the pattern in their code take
/// them: a zero would have to be skipped, and only the centre is asked.
enum class DirectPattern : unsigned char { star, dense, other };

template <int R>
DirectPattern direct_pattern(StencilWeights<R> const& weights) {
  for (int d = 1; d < R; ++d)
    if (weights.radius(d) != weights.radius(0)) return DirectPattern::other;
  bool star  = true;
  bool dense = true;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    if (at == weights.size() / 2) continue;
    auto const o       = weights.offsets(at);
    bool const on_axis = std::count(o.begin(), o.end(), 0) >= R - 1;
    bool const is_tap  = weights.values()[at] != 0;
    star               = star && is_tap == on_axis;
    dense              = dense && is_tap;
  }
  return dense  ? DirectPattern::dense
         : star ? DirectPattern::star
                : DirectPattern::other;
}

/// The weights that a kernel with a pattern knows by their places: all of a
/// dense one in their order; of a star the axes one after the other, each with
/// its centre, of which only that of the last one is the weight.
template <class A, int R>
std::vector<A> pattern_weights(StencilWeights<R> const& weights,
                               DirectPattern pattern) {
  std::vector<A> result;
  if (pattern == DirectPattern::dense) {
    for (double const weight : weights.values())
      result.push_back(weight_as<A>(weight));
    return result;
  }
  for (int d = 0; d < R; ++d)
    for (int o = -weights.radius(d); o <= weights.radius(d); ++o) {
      std::array<int, R> at{};
      at[std::size_t(d)] = o;
      result.push_back(weight_as<A>(weights.weight(at)));
    }
  return result;
}

/// Any weights, their rows filled up with zeros to whole groups of `group`:
/// group g of a row is that of the offsets -reach + g * group and those behind
/// it. Bit o + reach of a row's mask: whether offset o is a tap.
template <class A>
struct DirectTable {
  int group;
  int reach;   ///< the radius of the last dimension, rounded up to groups
  int groups;  ///< of a row
  int rows;    ///< in the order of the weights
  std::vector<A> weights;
  std::vector<std::uint64_t> masks;

  template <int R>
  DirectTable(StencilWeights<R> const& all, int group_size)
      : group(group_size),
        reach((all.radius(R - 1) + group - 1) / group * group),
        groups((reach + all.radius(R - 1)) / group + 1),
        rows(int(all.size() / std::size_t(all.width(R - 1)))),
        weights(std::size_t(rows) * std::size_t(groups * group)),
        masks(std::size_t(rows)) {
    int const skip = reach - all.radius(R - 1);
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (all.values()[at] == 0) continue;
      std::size_t const row = at / std::size_t(all.width(R - 1));
      std::size_t const column =
          at % std::size_t(all.width(R - 1)) + std::size_t(skip);
      weights[row * std::size_t(groups * group) + column] =
          weight_as<A>(all.values()[at]);
      masks[row] |= std::uint64_t(1) << column;
    }
  }
};

}  // namespace KokkosMMA::Impl

#endif
