// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_FUSION_HPP
#define KOKKOSMMA_STENCIL_FUSION_HPP

#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/stencil/KokkosMMA_OuterProduct.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// \file
/// Several steps of a stencil as one: the weights convolved with themselves.
///
/// What lies beyond a boundary after a step must be what the next step sees
/// there. Periodic grids are so for any weights; those that go on as their
/// mirror image (reflect, mirror) for weights that are their own in this
/// dimension. Beyond any other boundary a step would have to leave the constant
/// or the copies of the last element as they are: elements that see values
/// computed there are done step by step, in strips
/// (core/stencil/KokkosMMA_BoundaryStrips.hpp).

namespace KokkosMMA::Impl {

/// The radius of a sweep that sums floating-point numbers for several steps.
inline constexpr int fused_max_radius = 4;

/// `steps` steps of a dimension. Products are added up in long double, in which
/// integers below 2^63 are exact where it has 64 bits or more.
inline std::vector<long double> compose_long(std::vector<double> const& factor,
                                             int steps) {
  std::vector<long double> all(factor.begin(), factor.end());
  for (int step = 1; step < steps; ++step) {
    std::vector<long double> next(all.size() + factor.size() - 1);
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = 0; b < factor.size(); ++b)
        next[a + b] += all[a] * factor[b];
    all = std::move(next);
  }
  return all;
}
inline std::vector<double> compose(std::vector<double> const& factor,
                                   int steps) {
  auto const all = compose_long(factor, steps);
  return {all.begin(), all.end()};
}

/// Of an outer product, which thus stays one.
template <std::size_t Rank>
std::array<std::vector<double>, Rank> compose(
    std::array<std::vector<double>, Rank> const& factors, int steps) {
  std::array<std::vector<double>, Rank> result;
  for (std::size_t d = 0; d < Rank; ++d) result[d] = compose(factors[d], steps);
  return result;
}

/// Of any weights. A radius must not exceed StencilWeights::max_radius.
template <int Rank>
StencilWeights<Rank> compose(StencilWeights<Rank> const& weights, int steps) {
  using Offsets = typename StencilWeights<Rank>::Offsets;
  struct Some {
    Offsets radius;
    std::vector<long double> values;
  };
  auto const size = [](Offsets const& radius) {
    std::size_t count = 1;
    for (int const r : radius) count *= std::size_t(2 * r + 1);
    return count;
  };
  // Of offsets -radius + place, the last dimension fastest.
  auto const index = [](Offsets const& radius, Offsets const& place) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < Rank; ++d)
      at = at * std::size_t(2 * radius[d] + 1) + std::size_t(place[d]);
    return at;
  };
  auto const place = [](Offsets const& radius, std::size_t at) {
    Offsets result;
    for (std::size_t d = Rank; d-- > 0;) {
      auto const width = std::size_t(2 * radius[d] + 1);
      result[d]        = int(at % width);
      at /= width;
    }
    return result;
  };
  auto const values = weights.values();
  Some all{weights.radius(), {values.begin(), values.end()}};
  for (int step = 1; step < steps; ++step) {
    Some next;
    for (std::size_t d = 0; d < Rank; ++d)
      next.radius[d] = all.radius[d] + weights.radius()[d];
    next.values.resize(size(next.radius));
    for (std::size_t a = 0; a < all.values.size(); ++a) {
      if (all.values[a] == 0) continue;
      Offsets const at = place(all.radius, a);
      for (std::size_t b = 0; b < values.size(); ++b) {
        if (values[b] == 0) continue;
        Offsets sum = place(weights.radius(), b);
        for (std::size_t d = 0; d < Rank; ++d) sum[d] += at[d];
        next.values[index(next.radius, sum)] += all.values[a] * values[b];
      }
    }
    all = std::move(next);
  }
  return StencilWeights<Rank>::dense(
      all.radius, std::vector<double>(all.values.begin(), all.values.end()));
}

/// Whether offsets o and -o of dimension d have one weight.
template <int Rank>
bool is_symmetric(StencilWeights<Rank> const& weights, int d) {
  for (std::size_t at = 0; at < weights.size(); ++at) {
    auto offsets            = weights.offsets(at);
    offsets[std::size_t(d)] = -offsets[std::size_t(d)];
    if (weights.weight(offsets) != weights.values()[at]) return false;
  }
  return true;
}

/// Whether the grid beyond a boundary stays what it is under steps of weights
/// that are `symmetric` in this dimension or not.
constexpr bool goes_on(Boundary kind, bool symmetric) {
  return kind == Boundary::periodic ||
         (symmetric && (kind == Boundary::reflect || kind == Boundary::mirror));
}

/// What the sums are made of, and what is written and read between steps.
struct FusionTypes {
  Scalar input;
  Scalar accumulator;
  Scalar result;
};

/// Whether steps may be one as far as rounding is concerned. Integers wrap
/// alike at any time. Floating-point results are not rounded between steps;
/// where they are of 16 bits, that would be seen.
constexpr bool may_fuse(FusionTypes const& types) {
  auto const is_float = [](Scalar type) {
    return type == Scalar::float32 || type == Scalar::float64;
  };
  auto const is_integer = [](Scalar type) {
    return type == Scalar::int8 || type == Scalar::uint8 ||
           type == Scalar::int32 || type == Scalar::uint32 ||
           type == Scalar::int64 || type == Scalar::uint64;
  };
  if (types.input == Scalar::opaque) return false;
  return (is_float(types.accumulator) && is_float(types.result)) ||
         (is_integer(types.accumulator) && is_integer(types.result));
}

/// Whether the weights of several steps can stand for them: integers without
/// rounding; floating-point ones are not negative, so that nothing cancels in
/// their sums and an Inf meets one of the other sign where it does step by
/// step, and neither overflow nor lose digits to underflow.
template <int Rank>
bool may_fuse(StencilWeights<Rank> const& weights, Scalar accumulator) {
  if (accumulator != Scalar::float32 && accumulator != Scalar::float64)
    return std::all_of(
        weights.values().begin(), weights.values().end(),
        [](double w) { return w == std::trunc(w) && std::abs(w) <= 0x1p53; });
  bool const is_single = accumulator == Scalar::float32;
  double const low     = is_single ? double(std::numeric_limits<float>::min())
                                   : std::numeric_limits<double>::min();
  double const high    = is_single ? double(std::numeric_limits<float>::max())
                                   : std::numeric_limits<double>::max();
  return std::all_of(
      weights.values().begin(), weights.values().end(),
      [=](double w) { return w == 0 || (low <= w && w <= high); });
}

/// How many steps of floating-point sums one sweep may stand for, so that its
/// error is not above that of the steps: 1 where the weights are not one outer
/// product without zeros, of one radius, in one or two dimensions.
///
/// A long sum is rounded more often, and the errors of a step are averaged away
/// by the next one. So the sums go along one dimension after the other and from
/// the ends to the middle, those of floats in double. Doubles demand factors
/// without rounding, which all sums would share, and that rise to the middle.
/// Root mean square of the error of 2 to 4 steps in one over that of the steps,
/// sums in the type of the elements, normal random numbers, 500^2 floats:
///
///   box of ones, ends to middle  0.94 0.95 0.96    in order 1.06 1.16 1.29
///   0.25 0.5 0.25                0.91 0.90 0.89             1.04 1.13 1.22
///   star of ones, all weights                               1.35
template <int Rank>
int accurate_steps(StencilWeights<Rank> const& weights, bool is_double) {
  int const radius = weights.radius(0);
  for (int d = 1; d < Rank; ++d)
    if (weights.radius(d) != radius) return 1;
  int const steps = fused_max_radius / radius;
  if (Rank > 2 || steps < 2 || weights.taps() != weights.size()) return 1;
  auto const product = outer_product(weights);
  if (!product) return 1;
  if (!is_double) return steps;
  if (!product->exact) return 1;
  for (auto const& one : product->factors) {
    std::size_t const middle = one.size() / 2;
    for (std::size_t o = 0; o < middle; ++o)
      if (std::abs(one[o]) > std::abs(one[o + 1]) ||
          std::abs(one[one.size() - 1 - o]) > std::abs(one[one.size() - 2 - o]))
        return 1;
    for (long double const value : compose_long(one, steps))
      if (value != static_cast<long double>(static_cast<double>(value)))
        return 1;
  }
  return steps;
}

/// How many steps one sweep may stand for, 1 at least. Grids are not fused
/// that would be strips for the most part.
template <int Rank>
int fusible_steps(StencilWeights<Rank> const& weights,
                  Boundaries<Rank> const& boundaries,
                  std::array<std::int64_t, std::size_t(Rank)> const& extents,
                  FusionTypes const& types,
                  int max_radius = StencilWeights<Rank>::max_radius) {
  if (!may_fuse(types) || !may_fuse(weights, types.accumulator)) return 1;
  std::int64_t limit = max_radius;
  for (int d = 0; d < Rank; ++d) {
    Boundary const low   = boundaries.low[d].kind;
    Boundary const high  = boundaries.high[d].kind;
    bool const symmetric = is_symmetric(weights, d);
    if (low == Boundary::halo || high == Boundary::halo) return 1;
    std::int64_t const n     = extents[std::size_t(d)];
    std::int64_t const reach = std::min<std::int64_t>(
        max_radius, goes_on(low, symmetric) && goes_on(high, symmetric)
                        ? n - 1
                        : n / 4 - 1);
    limit = std::min(limit, reach / weights.radius(d));
  }
  bool const is_double = types.accumulator == Scalar::float64;
  if (limit > 1 && (is_double || types.accumulator == Scalar::float32))
    limit = std::min<std::int64_t>(limit, accurate_steps(weights, is_double));
  // Each further step makes the least weight smaller and the largest larger.
  int steps = 1;
  while (steps < limit &&
         may_fuse(compose(weights, steps + 1), types.accumulator))
    ++steps;
  return steps;
}

}  // namespace KokkosMMA::Impl

#endif
