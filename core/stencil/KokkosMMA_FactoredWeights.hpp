// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_FACTORED_WEIGHTS_HPP
#define KOKKOSMMA_FACTORED_WEIGHTS_HPP

#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Weights of a stencil as kernels need them. Computed once for all calls with
/// these weights: their order and, if they are separable, the outer product of
/// one vector per dimension, which kernels apply one after the other. Computed
/// by each launch of a direct kernel: the pattern of the weights, or the table
/// of those without one.

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

/// Outer product: weight(o) = factors[0][o0] * factors[1][o1] * ..., from left
/// to right; o counts from the lowest offset.
template <int Rank>
struct OuterProduct {
  /// One vector per dimension, as long as the stencil is wide in it.
  using Factors = std::array<std::vector<double>, Rank>;

  Factors factors;
  /// Whether no product is rounded. Factors of integers are integers then.
  bool exact = false;

  /// Product of factors for values()[at] of the weights; `is_exact` receives
  /// whether it was computed without rounding.
  double weight(StencilWeights<Rank> const& weights, std::size_t at,
                bool& is_exact) const {
    auto const offsets = weights.offsets(at);
    double product     = 1;
    is_exact           = true;
    for (int d = 0; d < Rank; ++d) {
      double const factor =
          factors[std::size_t(d)]
                 [std::size_t(offsets[std::size_t(d)] + weights.radius(d))];
      double const next = product * factor;
      is_exact          = is_exact && std::fma(product, factor, -next) == 0;
      product           = next;
    }
    return product;
  }
};

/// Exponent e for which all ldexp(value, -e) are integers up to 2^53; nothing
/// if there is none.
inline std::optional<int> integer_exponent(std::vector<double> const& values) {
  constexpr int digits = std::numeric_limits<double>::digits;
  int lowest           = std::numeric_limits<int>::max();
  int highest          = std::numeric_limits<int>::min();
  for (double const value : values) {
    if (value == 0) continue;
    int exponent          = 0;
    double const fraction = std::frexp(value, &exponent);
    auto const bits = std::uint64_t(std::ldexp(std::abs(fraction), digits));
    int const zeros = std::countr_zero(bits);
    lowest          = std::min(lowest, exponent - digits + zeros);
    highest         = std::max(highest, exponent);
  }
  if (lowest > highest) return 0;
  if (highest - lowest > digits) return {};
  return lowest;
}

/// Outer product without rounding, for weights that are integers times a common
/// power of two; nothing if the weights have none.
/// \param lines of weights through the nonzero weight at `centre`
template <int Rank>
std::optional<OuterProduct<Rank>> integer_outer_product(
    StencilWeights<Rank> const& weights,
    typename OuterProduct<Rank>::Factors lines,
    typename StencilWeights<Rank>::Offsets const& centre) {
  std::optional<int> const exponent =
      integer_exponent({weights.values().begin(), weights.values().end()});
  if (!exponent) return {};
  // The vectors of an outer product of integers are multiples of lines whose
  // integers have no common divisor. The first vector gets the other factors.
  double others = 1;
  int scale     = *exponent;  // of the first vector
  for (std::size_t d = 1; d < Rank; ++d) {
    std::int64_t divisor = 0;
    for (double& value : lines[d]) {
      value   = std::ldexp(value, -*exponent);
      divisor = std::gcd(divisor, std::int64_t(value));
    }
    double const largest =
        lines[d][std::size_t(centre[d] + weights.radius(int(d)))] /
        double(divisor);
    others *= largest;
    // Factors of fractions are near one: as integers of up to 53 bits they, or
    // the small ones of the first vector, leave the range of float.
    int const size = *exponent < 0 ? std::ilogb(largest) : 0;
    for (double& value : lines[d])
      value = std::ldexp(value / double(divisor), -size);
    scale += size;
  }
  for (double& value : lines[0])
    value =
        std::ldexp(std::round(std::ldexp(value, -*exponent) / others), scale);
  OuterProduct<Rank> const result{std::move(lines), true};
  for (std::size_t at = 0; at < weights.size(); ++at) {
    bool is_exact = false;
    if (result.weight(weights, at, is_exact) != weights.values()[at] ||
        !is_exact)
      return {};
  }
  return result;
}

/// Outer product equal to the weights up to the last bits of a double; nothing
/// if there is none. Costs a few passes over the weights: 0.6 ms for radius 16
/// in three dimensions, 0.01 ms for boxes of ones (EPYC, g++ 12, 2026-11-25).
template <int Rank>
std::optional<OuterProduct<Rank>> outer_product(
    StencilWeights<Rank> const& weights) {
  OuterProduct<Rank> result{{}, true};
  if (weights.is_box()) {
    for (int d = 0; d < Rank; ++d)
      result.factors[std::size_t(d)].assign(std::size_t(weights.width(d)), 1);
    return result;
  }
  auto const values  = weights.values();
  auto const largest = std::max_element(
      values.begin(), values.end(),
      [](double a, double b) { return std::abs(a) < std::abs(b); });
  auto const centre = weights.offsets(std::size_t(largest - values.begin()));
  for (int d = 0; d < Rank; ++d)
    for (int o = -weights.radius(d); o <= weights.radius(d); ++o) {
      auto at            = centre;
      at[std::size_t(d)] = o;
      result.factors[std::size_t(d)].push_back(weights.weight(at));
    }
  if (Rank == 1 || *largest == 0) return result;
  if (auto exact = integer_outer_product(weights, result.factors, centre))
    return exact;
  // Integer sums need integer factors, and there are none. (No integer
  // accumulator holds 2^64.)
  if (std::all_of(values.begin(), values.end(), [](double value) {
        return value == std::trunc(value) && std::abs(value) < 0x1p64;
      }))
    return {};

  result.exact = false;
  for (std::size_t d = 1; d < Rank; ++d)
    for (double& value : result.factors[d]) value /= *largest;
  // The weights, the factors and their products are rounded.
  constexpr double few_bits = 8 * std::numeric_limits<double>::epsilon();
  for (std::size_t at = 0; at < values.size(); ++at) {
    bool is_exact = false;
    if (!(std::abs(result.weight(weights, at, is_exact) - values[at]) <=
          few_bits * std::abs(values[at])))
      return {};
  }
  return result;
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

/// Invokes f with the radius as a constant, if it is First to Last. Returns the
/// result of f, otherwise false.
template <int First, int Last, class F>
bool with_one_radius(int radius, F const& f) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    return (
        (radius == First + I && f(std::integral_constant<int, First + I>())) ||
        ...);
  }
  (std::make_integer_sequence<int, Last + 1 - First>());
}

}  // namespace KokkosMMA::Impl

#endif
