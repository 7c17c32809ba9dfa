// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_FACTORS_HPP
#define KOKKOSMMA_STENCIL_FACTORS_HPP

#include <core/base/KokkosMMA_Errors.hpp>
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
#include <utility>
#include <vector>

/// \file
/// Weights as a sum of outer products of one vector per dimension: each is a
/// product of band matrices, or a chain of one-dimensional stencils.

namespace KokkosMMA {

/// Weights written as a sum of outer products of vectors, one per dimension:
/// weight(o) = sum over the terms t of t[0][o0] * t[1][o1] * ...
template <int Rank>
struct StencilFactors {
  /// One vector per dimension, each of the width of the stencil in it.
  using Term = std::array<std::vector<double>, Rank>;

  /// Their sum is the weights; none means not factored.
  std::vector<Term> terms;
  /// Largest deviation of a weight over the largest weight.
  double error = 0;
  /// Sum over all weights of the absolute values of their terms, over the sum
  /// of the absolute weights: above 1 the terms cancel, and rounding errors of
  /// the sums grow by this factor.
  double growth = 1;
  /// Products and sums of the factors, without rounding, are the weights.
  /// Factors of integer weights are then integers.
  bool exact = false;

  /// Number of terms; 0 means not factored.
  int rank() const { return int(terms.size()); }
};

namespace Impl {

/// A dense matrix, rows one after the other.
struct StencilMatrix {
  std::size_t rows    = 0;
  std::size_t columns = 0;
  std::vector<double> values;

  double& operator()(std::size_t i, std::size_t j) {
    return values[i * columns + j];
  }
  double operator()(std::size_t i, std::size_t j) const {
    return values[i * columns + j];
  }
};

/// column * row
struct StencilProduct {
  std::vector<double> column;
  std::vector<double> row;
};

/// Whether a * b is c without rounding.
inline bool is_exact_product(double a, double b, double c) {
  double const product = a * b;
  return product == c && std::fma(a, b, -product) == 0;
}

inline double largest_magnitude(std::vector<double> const& values) {
  double largest = 0;
  for (double const value : values)
    largest = std::max(largest, std::abs(value));
  return largest;
}

inline void scale(std::vector<double>& values, int exponent) {
  for (double& value : values) value = std::ldexp(value, exponent);
}

/// The exponent that makes integers, none above 2^53, of the values with
/// ldexp(value, -exponent); nothing where there is none.
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

/// Of integers; 1 where all are zero.
inline double common_divisor(std::vector<double> const& values) {
  std::int64_t divisor = 0;
  for (double const value : values)
    divisor = std::gcd(divisor, std::int64_t(value));
  return divisor == 0 ? 1 : double(divisor);
}

/// The one product that integers are, of integers; nothing where they are not
/// of rank 1.
inline std::optional<StencilProduct> integer_product(StencilMatrix const& m) {
  StencilProduct result{std::vector<double>(m.rows),
                        std::vector<double>(m.columns)};
  auto const nonzero = std::find_if(m.values.begin(), m.values.end(),
                                    [](double value) { return value != 0; });
  if (nonzero == m.values.end()) return result;
  auto const at       = std::size_t(nonzero - m.values.begin());
  std::size_t const i = at / m.columns;
  std::size_t const j = at % m.columns;
  for (std::size_t x = 0; x < m.columns; ++x) result.row[x] = m(i, x);
  double const divisor = common_divisor(result.row);
  for (double& value : result.row) value /= divisor;
  // The row has no common divisor, so whole multiples of it are all there is.
  for (std::size_t y = 0; y < m.rows; ++y) {
    result.column[y] = std::round(m(y, j) / result.row[j]);
    for (std::size_t x = 0; x < m.columns; ++x)
      if (!is_exact_product(result.column[y], result.row[x], m(y, x)))
        return {};
  }
  return result;
}

/// Integers as a sum of products of integers, as many as the rank, by
/// elimination; nothing where a pivot divides neither its row nor its column,
/// or where a remainder is no longer small. Pivots with few neighbours are
/// taken first: the terms of a star and its like then do not cancel.
inline std::optional<std::vector<StencilProduct>> integer_products(
    StencilMatrix rest) {
  // Products and differences of what is below this are exact.
  constexpr double small = 1 << 24;
  std::vector<StencilProduct> result;
  auto const divides = [](double divisor, double value) {
    return std::fmod(value, divisor) == 0;
  };
  while (true) {
    if (largest_magnitude(rest.values) > small) return {};
    std::vector<int> in_row(rest.rows, 0), in_column(rest.columns, 0);
    for (std::size_t y = 0; y < rest.rows; ++y)
      for (std::size_t x = 0; x < rest.columns; ++x)
        if (rest(y, x) != 0) {
          ++in_row[y];
          ++in_column[x];
        }
    int best           = std::numeric_limits<int>::max();
    std::size_t i      = 0;
    std::size_t j      = 0;
    bool divides_row   = false;
    bool anything_left = false;
    for (std::size_t y = 0; y < rest.rows; ++y)
      for (std::size_t x = 0; x < rest.columns; ++x) {
        double const pivot = rest(y, x);
        if (pivot == 0) continue;
        anything_left  = true;
        int const cost = (in_row[y] - 1) * (in_column[x] - 1);
        if (cost >= best) continue;
        bool row = true, column = true;
        for (std::size_t k = 0; k < rest.columns; ++k)
          row = row && divides(pivot, rest(y, k));
        for (std::size_t k = 0; k < rest.rows; ++k)
          column = column && divides(pivot, rest(k, x));
        if (!row && !column) continue;
        best        = cost;
        i           = y;
        j           = x;
        divides_row = row;
      }
    if (!anything_left) return result;
    if (best == std::numeric_limits<int>::max()) return {};
    double const pivot = rest(i, j);
    StencilProduct term{std::vector<double>(rest.rows),
                        std::vector<double>(rest.columns)};
    for (std::size_t y = 0; y < rest.rows; ++y)
      term.column[y] = divides_row ? rest(y, j) : rest(y, j) / pivot;
    for (std::size_t x = 0; x < rest.columns; ++x)
      term.row[x] = divides_row ? rest(i, x) / pivot : rest(i, x);
    for (std::size_t y = 0; y < rest.rows; ++y)
      for (std::size_t x = 0; x < rest.columns; ++x)
        rest(y, x) -= term.column[y] * term.row[x];
    result.push_back(std::move(term));
  }
}

/// Singular value decomposition as a sum of products, the largest first:
/// Jacobi rotations make the columns orthogonal (Hestenes). The values are
/// about 1 at most. Columns shorter than 2^-80 are as good as zero.
inline std::vector<StencilProduct> singular_products(StencilMatrix const& m) {
  constexpr double negligible = 0x1p-80;
  constexpr double epsilon    = std::numeric_limits<double>::epsilon();
  // 13 were the most in 300 matrices of up to 33 columns: random, binary,
  // radial, of narrow and of wide range.
  constexpr int sweeps = 60;
  // The work grows with the square of the number of vectors.
  bool const transposed    = m.rows < m.columns;
  std::size_t const count  = transposed ? m.rows : m.columns;
  std::size_t const length = transposed ? m.columns : m.rows;
  std::vector<std::vector<double>> vectors(count, std::vector<double>(length));
  std::vector<std::vector<double>> basis(count, std::vector<double>(count));
  for (std::size_t k = 0; k < count; ++k) {
    basis[k][k] = 1;
    for (std::size_t l = 0; l < length; ++l)
      vectors[k][l] = transposed ? m(k, l) : m(l, k);
  }
  auto const dot = [](std::vector<double> const& a,
                      std::vector<double> const& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  auto const rotate = [](std::vector<double>& a, std::vector<double>& b,
                         double cosine, double sine) {
    for (std::size_t l = 0; l < a.size(); ++l) {
      double const x = a[l];
      a[l]           = cosine * x - sine * b[l];
      b[l]           = sine * x + cosine * b[l];
    }
  };
  bool rotated = true;
  for (int sweep = 0; sweep < sweeps && rotated; ++sweep) {
    rotated = false;
    for (std::size_t p = 0; p + 1 < count; ++p)
      for (std::size_t q = p + 1; q < count; ++q) {
        double const alpha  = dot(vectors[p], vectors[p]);
        double const beta   = dot(vectors[q], vectors[q]);
        double const gamma  = dot(vectors[p], vectors[q]);
        double const norm_p = std::sqrt(alpha);
        double const norm_q = std::sqrt(beta);
        if (norm_p < negligible || norm_q < negligible ||
            std::abs(gamma) <= epsilon * norm_p * norm_q)
          continue;
        rotated           = true;
        double const zeta = (beta - alpha) / (2 * gamma);
        double const tangent =
            std::copysign(1, zeta) / (std::abs(zeta) + std::hypot(1, zeta));
        double const cosine = 1 / std::hypot(1, tangent);
        rotate(vectors[p], vectors[q], cosine, cosine * tangent);
        rotate(basis[p], basis[q], cosine, cosine * tangent);
      }
  }
  std::vector<double> norms(count);
  for (std::size_t k = 0; k < count; ++k)
    norms[k] = std::sqrt(dot(vectors[k], vectors[k]));
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::size_t a, std::size_t b) { return norms[a] > norms[b]; });
  std::vector<StencilProduct> result;
  for (std::size_t const k : order) {
    if (norms[k] < negligible) break;
    // Both vectors take half of the singular value.
    double const root = std::sqrt(norms[k]);
    for (double& value : vectors[k]) value /= root;
    // What vector j had of this one before the rotations.
    std::vector<double> other(count);
    for (std::size_t j = 0; j < count; ++j) other[j] = basis[k][j] * root;
    if (transposed)
      result.push_back({std::move(other), std::move(vectors[k])});
    else
      result.push_back({std::move(vectors[k]), std::move(other)});
  }
  return result;
}

/// The first products, as few as leave nothing above `tolerance`; nothing where
/// all together do not.
inline std::optional<std::vector<StencilProduct>> enough_products(
    StencilMatrix rest, std::vector<StencilProduct> products,
    double tolerance) {
  for (std::size_t q = 0; q < products.size(); ++q) {
    StencilProduct const& term = products[q];
    for (std::size_t y = 0; y < rest.rows; ++y)
      for (std::size_t x = 0; x < rest.columns; ++x)
        rest(y, x) = std::fma(-term.column[y], term.row[x], rest(y, x));
    if (largest_magnitude(rest.values) <= tolerance) {
      products.resize(q + 1);
      return products;
    }
  }
  return {};
}

/// The column and the row of the largest value as a product; nothing where a
/// value is off by more than the rounding errors of a product computed value by
/// value. Small values keep their relative accuracy, which they lose in a
/// singular value decomposition: the tails of a Gaussian.
inline std::optional<StencilProduct> largest_cross(StencilMatrix const& m) {
  // The three values, a quotient and a product are rounded.
  constexpr double bound = 4 * std::numeric_limits<double>::epsilon();
  auto const pivot       = std::max_element(
            m.values.begin(), m.values.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  auto const at       = std::size_t(pivot - m.values.begin());
  std::size_t const i = at / m.columns;
  std::size_t const j = at % m.columns;
  StencilProduct result{std::vector<double>(m.rows),
                        std::vector<double>(m.columns)};
  for (std::size_t y = 0; y < m.rows; ++y) result.column[y] = m(y, j) / *pivot;
  for (std::size_t x = 0; x < m.columns; ++x) result.row[x] = m(i, x);
  for (std::size_t y = 0; y < m.rows; ++y)
    for (std::size_t x = 0; x < m.columns; ++x)
      if (!(std::abs(m(y, x) - result.column[y] * result.row[x]) <=
            bound * std::abs(m(y, x))))
        return {};
  return result;
}

/// Dimensions d and above of the weights as one product. `tolerance` is that of
/// each dimension: what they leave together is still to be judged.
template <int Rank>
bool separate(StencilMatrix const& m, bool integers, double tolerance, int d,
              std::array<std::size_t, Rank> const& widths,
              std::array<std::vector<double>, Rank>& term) {
  if (d == Rank - 1) {
    term[std::size_t(d)] = m.values;
    return true;
  }
  std::optional<StencilProduct> product =
      integers ? integer_product(m) : largest_cross(m);
  if (!product && !integers) {
    auto found = enough_products(m, singular_products(m), tolerance);
    if (found && found->size() == 1) product = std::move(found->front());
  }
  if (!product) return false;
  term[std::size_t(d)]   = std::move(product->column);
  std::size_t const rows = widths[std::size_t(d) + 1];
  return separate<Rank>(
      {rows, product->row.size() / rows, std::move(product->row)}, integers,
      tolerance, d + 1, widths, term);
}

/// Fills in error and growth from the terms and what they stand for.
template <int Rank>
void judge(StencilWeights<Rank> const& weights, std::vector<double> const& w,
           StencilFactors<Rank>& factors) {
  double deviation = 0, terms = 0, sum = 0;
  for (std::size_t at = 0; at < w.size(); ++at) {
    auto const offsets = weights.offsets(at);
    double rest        = w[at];
    for (auto const& term : factors.terms) {
      double left = 1;
      for (int d = 0; d + 1 < Rank; ++d)
        left *= term[std::size_t(d)]
                    [std::size_t(offsets[std::size_t(d)] + weights.radius(d))];
      double const right =
          term[Rank - 1]
              [std::size_t(offsets[Rank - 1] + weights.radius(Rank - 1))];
      rest = std::fma(-left, right, rest);
      terms += std::abs(left * right);
    }
    deviation = std::max(deviation, std::abs(rest));
    sum += std::abs(w[at]);
  }
  double const largest = largest_magnitude(w);
  factors.error        = largest > 0 ? deviation / largest : 0;
  factors.growth       = sum > 0 ? terms / sum : 1;
}

/// The matrix whose row i is what belongs to index i of the first dimension.
template <int Rank>
StencilMatrix unfold(StencilWeights<Rank> const& weights,
                     std::vector<double> const& values) {
  auto const rows = std::size_t(weights.width(0));
  return {rows, values.size() / rows, values};
}

template <int Rank>
std::array<std::size_t, Rank> widths(StencilWeights<Rank> const& weights) {
  std::array<std::size_t, Rank> result;
  for (int d = 0; d < Rank; ++d)
    result[std::size_t(d)] = std::size_t(weights.width(d));
  return result;
}

template <int Rank>
void append(std::vector<StencilProduct>&& products,
            StencilFactors<Rank>& factors) {
  static_assert(Rank == 2);
  for (auto& product : products)
    factors.terms.push_back(
        {std::move(product.column), std::move(product.row)});
}

}  // namespace Impl

/// Weights as a sum of outer products without rounding, found by division and
/// elimination; no terms where there are none or they are not found so (three
/// dimensions: where one product is not enough). Factors of integers are
/// integers. Weights are tried that are integers below 2^53 times one power of
/// two, in one dimension all.
///
/// \param single nothing but one term is of use, nor is what judge() fills in
template <int Rank>
StencilFactors<Rank> factor_exactly(StencilWeights<Rank> const& weights,
                                    bool single = false) {
  std::vector<double> values(weights.values().begin(), weights.values().end());
  StencilFactors<Rank> result;
  typename StencilFactors<Rank>::Term term;
  result.exact = true;
  if constexpr (Rank == 1) {
    result.terms.push_back({std::move(values)});
  } else {
    auto const exponent = Impl::integer_exponent(values);
    if (!exponent) return {};
    Impl::scale(values, -*exponent);
    // Elimination needs small numbers: 0.1 times small integers will do.
    double const divisor = Impl::common_divisor(values);
    for (double& value : values) value /= divisor;
    if (Impl::separate<Rank>(Impl::unfold(weights, values), true, 0, 0,
                             Impl::widths(weights), term))
      result.terms.push_back(std::move(term));
    else if constexpr (Rank == 2) {
      if (!single)
        if (auto found = Impl::integer_products(Impl::unfold(weights, values)))
          Impl::append(std::move(*found), result);
    }
    if (result.rank() == 0) return {};
    if (!single) Impl::judge(weights, values, result);
    for (auto& each : result.terms) {
      for (double& value : each[0]) {
        double const product = value * divisor;
        if (!Impl::is_exact_product(value, divisor, product)) return {};
        value = std::ldexp(product, *exponent);
        if (!std::isfinite(value)) return {};
      }
    }
  }
  return result;
}

/// Weights as one outer product, each right to the last bits of a double, or
/// nothing. No more than some looks at every weight: for calls that have no
/// time for factor(). (Radius 16 in three dimensions: 0.7 ms, boxes of ones
/// 0.01 ms; EPYC, g++ 12, 2026-11-24.)
template <int Rank>
std::optional<typename StencilFactors<Rank>::Term> outer_product(
    StencilWeights<Rank> const& weights) {
  if (weights.is_box_of_ones()) {
    typename StencilFactors<Rank>::Term ones;
    for (int d = 0; d < Rank; ++d)
      ones[std::size_t(d)].assign(std::size_t(weights.width(d)), 1);
    return ones;
  }
  StencilFactors<Rank> exact = factor_exactly(weights, true);
  if (exact.rank() == 1) return std::move(exact.terms.front());

  auto const values = weights.values();
  auto const pivot  = std::max_element(
       values.begin(), values.end(),
       [](double a, double b) { return std::abs(a) < std::abs(b); });
  auto const centre = weights.offsets(std::size_t(pivot - values.begin()));
  typename StencilFactors<Rank>::Term term;
  for (int d = 0; d < Rank; ++d)
    for (int o = -weights.radius(d); o <= weights.radius(d); ++o) {
      auto at            = centre;
      at[std::size_t(d)] = o;
      // The pivot is in the first factor alone.
      term[std::size_t(d)].push_back(weights.weight(at) /
                                     (d == 0 ? 1 : *pivot));
    }
  // What roundings of the weights, the factors and their products add up to.
  constexpr double few_bits = 8 * std::numeric_limits<double>::epsilon();
  for (std::size_t at = 0; at < values.size(); ++at) {
    auto const offsets = weights.offsets(at);
    double product     = 1;
    for (int d = 0; d < Rank; ++d)
      product *= term[std::size_t(d)]
                     [std::size_t(offsets[std::size_t(d)] + weights.radius(d))];
    if (!(std::abs(product - values[at]) <= few_bits * std::abs(values[at])))
      return {};
  }
  return term;
}

/// Weights as a sum of outer products, as few as leave no weight off by more
/// than `tolerance` times the largest weight; no terms where the weights are
/// not of that form (three dimensions: where one product is not enough).
///
/// The terms are those of factor_exactly where these are as few and cancel as
/// little, and otherwise those of a singular value decomposition.
/// \throws std::invalid_argument for a tolerance outside [0, 1)
template <int Rank>
StencilFactors<Rank> factor(StencilWeights<Rank> const& weights,
                            double tolerance = 0x1p-44) {
  if (!(0 <= tolerance && tolerance < 1))
    Impl::invalid_argument("KokkosMMA::factor", "the tolerance is ", tolerance,
                           "; it is at least 0 and less than 1");
  StencilFactors<Rank> exact = factor_exactly(weights);
  if (exact.rank() == 1) return exact;

  std::vector<double> values(weights.values().begin(), weights.values().end());
  // About 1, so that squares neither overflow nor vanish.
  int exponent = 0;
  std::frexp(Impl::largest_magnitude(values), &exponent);
  Impl::scale(values, -exponent);
  double const allowed = tolerance * Impl::largest_magnitude(values);
  auto const matrix    = Impl::unfold(weights, values);
  StencilFactors<Rank> result;
  typename StencilFactors<Rank>::Term term;
  if (Impl::separate<Rank>(matrix, false, allowed, 0, Impl::widths(weights),
                           term))
    result.terms.push_back(std::move(term));
  else if constexpr (Rank == 2) {
    if (auto found = Impl::enough_products(
            matrix, Impl::singular_products(matrix), allowed))
      Impl::append(std::move(*found), result);
  }
  Impl::judge(weights, values, result);
  if (result.rank() == 0 || !(result.error <= tolerance)) return exact;
  if (exact.rank() > 0 && exact.rank() <= result.rank() &&
      exact.growth <= result.growth * 2)
    return exact;
  for (auto& each : result.terms) {
    Impl::scale(each[0], exponent / 2);
    Impl::scale(each[Rank - 1], exponent - exponent / 2);
  }
  return result;
}

}  // namespace KokkosMMA

#endif
