// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_WEIGHTS_HPP
#define KOKKOSMMA_STENCIL_WEIGHTS_HPP

#include <core/base/KokkosMMA_Errors.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace KokkosMMA {

/// Weights of a stencil: `sum(i)` is the sum of `weight(o) * input(i + o)` over
/// all offsets `o`. This is a correlation: the weights are not reversed.
/// Offsets run from -radius to radius in each dimension.
///
/// An element with weight 0 does not contribute: an Inf or NaN there has no
/// effect.
///
/// \code
/// auto const heat = StencilWeights<2>::star(1).with_centre(-4);
/// auto const blur = StencilWeights<1>::dense(1, {0.25, 0.5, 0.25});
/// \endcode
template <int Rank>
class StencilWeights {
  static_assert(1 <= Rank && Rank <= 3,
                "KokkosMMA::StencilWeights: Rank is 1, 2 or 3");

 public:
  /// One integer per dimension: an offset from the centre, or a radius.
  using Offsets = std::array<int, Rank>;

  static constexpr int rank       = Rank;  ///< number of dimensions
  static constexpr int max_radius = 16;    ///< largest radius

  /// Box of ones, including the centre.
  ///
  /// \throws std::invalid_argument for a radius below 1 or above max_radius;
  /// the same for all shapes
  static StencilWeights box(Offsets const& radius) {
    return filled("KokkosMMA::StencilWeights::box", radius,
                  [](Offsets const&) { return true; });
  }
  /// A box of ones with the same radius in every dimension.
  static StencilWeights box(int radius) { return box(same(radius)); }

  /// Moore neighbourhood: a box of ones without its centre.
  static StencilWeights moore(int radius) {
    return filled("KokkosMMA::StencilWeights::moore", same(radius),
                  [](Offsets const& o) { return distance(o) != 0; });
  }

  /// Von Neumann neighbourhood: ones where the absolute offsets sum to at most
  /// the radius, without the centre.
  static StencilWeights von_neumann(int radius) {
    return filled("KokkosMMA::StencilWeights::von_neumann", same(radius),
                  [radius](Offsets const& o) {
                    return 0 < distance(o) && distance(o) <= radius;
                  });
  }

  /// Ones on the axes, including the centre.
  static StencilWeights star(Offsets const& radius) {
    return filled("KokkosMMA::StencilWeights::star", radius,
                  [](Offsets const& o) { return on_axis(o); });
  }
  /// Star with the same radius in every dimension.
  static StencilWeights star(int radius) { return star(same(radius)); }

  /// Any weights, from offset -radius to +radius; the last dimension varies
  /// fastest.
  ///
  /// \throws std::invalid_argument for a radius out of range, another number of
  /// weights than 2 * radius + 1 per dimension, or one that is not finite
  static StencilWeights dense(Offsets const& radius,
                              std::span<double const> values) {
    char const* const who = "KokkosMMA::StencilWeights::dense";
    check_radius(who, radius);
    StencilWeights result(radius);
    if (values.size() != result.size())
      Impl::invalid_argument(who, values.size(), " weights for ",
                             result.describe(), "; there must be ",
                             result.size(), ", 2 * radius + 1 per dimension");
    for (std::size_t at = 0; at < values.size(); ++at)
      if (!std::isfinite(values[at]))
        Impl::invalid_argument(who, "the weight of offset ",
                               describe(result.offsets(at)), " is ", values[at],
                               "; weights are finite numbers");
    result.m_values.assign(values.begin(), values.end());
    return result;
  }
  /// Any weights with the same radius in every dimension.
  static StencilWeights dense(int radius, std::span<double const> values) {
    return dense(same(radius), values);
  }
  /// Weights in braces: `StencilWeights<1>::dense(1, {0.25, 0.5, 0.25})`.
  static StencilWeights dense(Offsets const& radius,
                              std::initializer_list<double> values) {
    return dense(radius, std::span(values.begin(), values.size()));
  }
  /// Weights in braces, with the same radius in every dimension.
  static StencilWeights dense(int radius,
                              std::initializer_list<double> values) {
    return dense(same(radius), values);
  }

  /// Copy with `weight` at the centre.
  ///
  /// \throws std::invalid_argument for a weight that is not finite
  StencilWeights with_centre(double weight) const {
    StencilWeights result = *this;
    if (!std::isfinite(weight))
      Impl::invalid_argument("KokkosMMA::StencilWeights::with_centre",
                             "the weight of the centre is ", weight,
                             "; weights are finite numbers");
    result.m_values[size() / 2] = weight;
    return result;
  }

  /// Radius in dimension `d`.
  int radius(int d) const { return m_radius[std::size_t(d)]; }
  /// Radii of all dimensions.
  Offsets const& radius() const { return m_radius; }
  /// Number of weights along dimension `d`: `2 * radius(d) + 1`.
  int width(int d) const { return 2 * radius(d) + 1; }

  /// Number of weights, including zeros.
  std::size_t size() const { return m_values.size(); }
  /// All weights; the last dimension varies fastest.
  std::span<double const> values() const { return m_values; }
  /// Number of nonzero weights.
  std::size_t taps() const {
    return size() -
           std::size_t(std::count(m_values.begin(), m_values.end(), 0.0));
  }

  /// Weight of offset `o`; 0 beyond the radius.
  double weight(Offsets const& o) const {
    for (int d = 0; d < Rank; ++d)
      if (o[std::size_t(d)] < -radius(d) || o[std::size_t(d)] > radius(d))
        return 0;
    return m_values[index(o)];
  }

  /// Index in values() of an offset within the radius.
  std::size_t index(Offsets const& o) const {
    std::size_t at = 0;
    for (int d = 0; d < Rank; ++d)
      at = at * std::size_t(width(d)) +
           std::size_t(o[std::size_t(d)] + radius(d));
    return at;
  }
  /// Offset of `values()[at]`.
  Offsets offsets(std::size_t at) const {
    Offsets result{};
    for (int d = Rank - 1; d >= 0; --d) {
      result[std::size_t(d)] = int(at % std::size_t(width(d))) - radius(d);
      at /= std::size_t(width(d));
    }
    return result;
  }

  /// Whether every weight is 1.
  bool is_box() const {
    return std::all_of(m_values.begin(), m_values.end(),
                       [](double value) { return value == 1; });
  }

  /// Whether radii and weights are equal.
  friend bool operator==(StencilWeights const&,
                         StencilWeights const&) = default;

 private:
  explicit StencilWeights(Offsets const& radius) : m_radius(radius) {
    std::size_t count = 1;
    for (int d = 0; d < Rank; ++d) count *= std::size_t(width(d));
    m_values.resize(count);
  }

  template <class IsOne>
  static StencilWeights filled(char const* who, Offsets const& radius,
                               IsOne const& is_one) {
    check_radius(who, radius);
    StencilWeights result(radius);
    for (std::size_t at = 0; at < result.size(); ++at)
      result.m_values[at] = is_one(result.offsets(at)) ? 1 : 0;
    return result;
  }

  static Offsets same(int radius) {
    Offsets result;
    result.fill(radius);
    return result;
  }
  static int distance(Offsets const& o) {
    int sum = 0;
    for (int const offset : o) sum += std::abs(offset);
    return sum;
  }
  static bool on_axis(Offsets const& o) {
    return std::count(o.begin(), o.end(), 0) >= Rank - 1;
  }

  static std::string describe(Offsets const& o) {
    std::string text = "(";
    for (int d = 0; d < Rank; ++d)
      text += (d ? ", " : "") + std::to_string(o[std::size_t(d)]);
    return text + ")";
  }
  std::string describe() const { return "radius " + describe(m_radius); }

  static void check_radius(char const* who, Offsets const& radius) {
    for (int d = 0; d < Rank; ++d)
      if (radius[std::size_t(d)] < 1 || radius[std::size_t(d)] > max_radius)
        Impl::invalid_argument(who, "the radius of dimension ", d, " is ",
                               radius[std::size_t(d)], "; it is 1 to ",
                               max_radius);
  }

  Offsets m_radius;
  std::vector<double> m_values;
};

namespace Impl {

/// Weight as a factor of sums in `A`. Negative weights of unsigned sums wrap,
/// as do the sums; so does a factor of 2^31 of the weight -2^31, which an int
/// does not hold (some processors convert it to 2^31 - 1).
template <class A>
A weight_as(double weight) {
  if constexpr (std::is_integral_v<A>) {
    return weight < 0 ? static_cast<A>(static_cast<std::int64_t>(weight))
                      : static_cast<A>(static_cast<std::uint64_t>(weight));
  } else {
    return static_cast<A>(weight);
  }
}

}  // namespace Impl

}  // namespace KokkosMMA

#endif
