// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_DIRECT_TAPS_HPP
#define KOKKOSMMA_DIRECT_TAPS_HPP

#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// Host-side preparation for the direct stencil kernels: weights of kernels
/// with a fixed pattern, and the table for all other weights.

namespace KokkosMMA::Impl {

/// Pattern of nonzero weights of equal radius in all dimensions, ignoring the
/// centre: on the axes (star) or everywhere (dense). Kernels have these
/// patterns in their code and skip no zero except at the centre.
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

/// Weights of a pattern in the order of its kernel. Dense weights keep their
/// order. Of a star, the axes follow each other, each with its centre; the
/// kernel uses the centre of the last axis.
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

/// Table of any weights, with rows padded by zeros to whole groups of `group`:
/// group g of a row begins with offset -reach + g * group. Bit o + reach of a
/// row's mask says whether the weight of offset o is nonzero.
template <class A>
struct DirectTable {
  int group;
  int reach;   ///< radius of the last dimension, rounded up to groups
  int groups;  ///< per row
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
