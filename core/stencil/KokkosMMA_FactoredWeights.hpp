// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_FACTORED_WEIGHTS_HPP
#define KOKKOSMMA_FACTORED_WEIGHTS_HPP

#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_OuterProduct.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

/// \file
/// Data that are computed once from the weights of a stencil, for all calls
/// with these weights.

namespace KokkosMMA::Impl {

/// Weights and boundaries for a grid with reversed dimensions.
template <int R>
StencilWeights<R> reversed(StencilWeights<R> const& weights) {
  if constexpr (R == 1) {
    return weights;
  }
  auto radius = weights.radius();
  std::reverse(radius.begin(), radius.end());
  StencilWeights<R> const shape = StencilWeights<R>::box(radius);
  std::vector<double> values(weights.size());
  for (std::size_t at = 0; at < values.size(); ++at) {
    auto offsets = shape.offsets(at);
    std::reverse(offsets.begin(), offsets.end());
    values[at] = weights.weight(offsets);
  }
  return StencilWeights<R>::dense(radius, values);
}
template <int R>
Boundaries<R> reversed(Boundaries<R> boundaries) {
  std::reverse(boundaries.low, boundaries.low + R);
  std::reverse(boundaries.high, boundaries.high + R);
  return boundaries;
}

template <int R>
struct FactoredWeights {
  using Factors = typename OuterProduct<R>::Factors;

  /// \param reverse whether kernels see the dimensions reversed, with the fast
  /// one last
  FactoredWeights(StencilWeights<R> const& of_caller, bool reverse)
      : is_reversed(reverse),
        weights(of_caller),
        kernel_weights(reverse ? reversed(of_caller) : of_caller),
        is_box(of_caller.is_box()) {
    if (auto found = outer_product(kernel_weights))
      product = std::move(found->factors);
  }

  /// Whether a factor contains a zero, by which kernels would multiply.
  bool has_zero_factor() const {
    if (!product) return false;
    for (auto const& factor : *product)
      if (std::count(factor.begin(), factor.end(), 0.0) > 0) return true;
    return false;
  }

  bool is_reversed;
  StencilWeights<R> weights;         ///< in the caller's order
  StencilWeights<R> kernel_weights;  ///< in the kernels' order
  std::optional<Factors> product;  ///< factors of kernel_weights, if separable
  bool is_box;
};

}  // namespace KokkosMMA::Impl

#endif
