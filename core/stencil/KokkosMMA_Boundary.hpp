// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_BOUNDARY_HPP
#define KOKKOSMMA_BOUNDARY_HPP

#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>

#include <array>
#include <cstdint>

/// \file
/// Boundary conditions: values that replace elements beyond the sides of a
/// grid.

namespace KokkosMMA {

/// Kind of values beyond the sides of a grid, shown for `a b c d`.
enum class Boundary {
  constant,  ///< `v v v v | a b c d | v v v v`
  periodic,  ///< `a b c d | a b c d | a b c d`
  reflect,   ///< `d c b a | a b c d | d c b a`: repeats a and d
  mirror,    ///< `c d c b | a b c d | c b a b`: does not repeat a and d
  nearest,   ///< `a a a a | a b c d | d d d d`
  halo       ///< ghost cells of the View, which the caller fills
};

/// Name of a kind of boundary.
constexpr char const* to_string(Boundary kind) {
  switch (kind) {
    case Boundary::constant: return "constant";
    case Boundary::periodic: return "periodic";
    case Boundary::reflect: return "reflect";
    case Boundary::mirror: return "mirror";
    case Boundary::nearest: return "nearest";
    case Boundary::halo: return "halo";
  }
  return "unknown";
}

/// Index in [0, n) of the element that replaces element `i`; outside the grid
/// -1 for a constant and `i` for a halo. `i` may be at any distance; `n` is at
/// least 1.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::int64_t boundary_index(
    Boundary kind, std::int64_t i, std::int64_t n) {
  if (0 <= i && i < n) return i;
  switch (kind) {
    case Boundary::constant: return -1;
    case Boundary::nearest: return i < 0 ? 0 : n - 1;
    case Boundary::halo: return i;
    default: break;
  }
  if (kind == Boundary::mirror && n == 1) return 0;
  std::int64_t const period = kind == Boundary::periodic  ? n
                              : kind == Boundary::reflect ? 2 * n
                                                          : 2 * n - 2;
  std::int64_t const rest   = i % period;
  std::int64_t const place  = rest < 0 ? rest + period : rest;
  if (place < n) return place;
  return period - place - (kind == Boundary::reflect);
}

namespace Impl {

/// Variant of boundary_index() without a division, for indices beyond a
/// boundary by at most the extent.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::int64_t near_boundary_index(
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
  // Mirror about the centre of an element, which is not repeated.
  if (n == 1) return 0;
  if (low) return -i < n ? -i : n - 2;
  return 2 * n - 2 - i >= 0 ? 2 * n - 2 - i : 1;
}

}  // namespace Impl

/// Boundary condition on one side of one dimension.
struct BoundaryCondition {
  Boundary kind = Boundary::constant;  ///< kind of boundary
  double value  = 0;  ///< value of a constant; other kinds ignore it

  /// Whether kind and value are equal.
  friend constexpr bool operator==(BoundaryCondition const&,
                                   BoundaryCondition const&) = default;
};

/// Boundary conditions of a grid of `Rank` dimensions, one per side.
///
/// The condition of a side defines the elements beyond it, as if the opposite
/// side had the same condition. Beyond corners, each index is replaced
/// separately; of several constants, that of the first dimension is used.
///
/// A View has ghost cells only beyond sides that are halos, as many as the
/// radius of the stencil in this dimension. Element 0 of the grid is element
/// ghosts_low(d, radius) of the View.
template <int Rank>
struct Boundaries {
  static_assert(1 <= Rank && Rank <= 3,
                "KokkosMMA::Boundaries: Rank is 1, 2 or 3");

  BoundaryCondition low[Rank];   ///< conditions before element 0, per dimension
  BoundaryCondition high[Rank];  ///< conditions after the last element

  /// Same condition on every side of every dimension.
  ///
  /// \code
  /// auto const torus = Boundaries<2>::all(Boundary::periodic);
  /// auto const ones  = Boundaries<2>::all(Boundary::constant, 1);
  /// \endcode
  static constexpr Boundaries all(Boundary kind, double value = 0) {
    Boundaries result;
    for (int d = 0; d < Rank; ++d)
      result.low[d] = result.high[d] = BoundaryCondition{kind, value};
    return result;
  }

  /// One condition per dimension, on both of its sides.
  static constexpr Boundaries per_dimension(
      std::array<BoundaryCondition, Rank> const& conditions) {
    Boundaries result;
    for (int d = 0; d < Rank; ++d)
      result.low[d] = result.high[d] = conditions[d];
    return result;
  }

  /// One condition per side of each dimension.
  ///
  /// \throws std::invalid_argument if only one of two opposite sides is
  /// periodic
  static constexpr Boundaries per_side(
      std::array<BoundaryCondition, Rank> const& lows,
      std::array<BoundaryCondition, Rank> const& highs) {
    Boundaries result;
    for (int d = 0; d < Rank; ++d) {
      result.low[d]  = lows[d];
      result.high[d] = highs[d];
    }
    result.check("KokkosMMA::Boundaries::per_side");
    return result;
  }

  /// Throws std::invalid_argument for conditions that no call accepts: a
  /// dimension with one periodic side only, and unknown kinds. `who` begins the
  /// message.
  constexpr void check(char const* who) const {
    for (int d = 0; d < Rank; ++d) {
      for (BoundaryCondition const& condition : {low[d], high[d]})
        if (condition.kind < Boundary::constant ||
            condition.kind > Boundary::halo)
          Impl::invalid_argument(
              who, "a boundary of dimension ", d, " is of kind ",
              int(condition.kind),
              "; kinds are constant, periodic, reflect, mirror, nearest, halo");
      if ((low[d].kind == Boundary::periodic) !=
          (high[d].kind == Boundary::periodic))
        Impl::invalid_argument(who, "the low boundary of dimension ", d, " is ",
                               to_string(low[d].kind), ", the high one ",
                               to_string(high[d].kind),
                               "; make both of them periodic or none");
    }
  }

  /// Number of ghost cells before element 0 of dimension `d`.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int ghosts_low(int d,
                                                          int radius) const {
    return low[d].kind == Boundary::halo ? radius : 0;
  }
  /// Number of ghost cells after the last element of dimension `d`.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int ghosts_high(int d,
                                                           int radius) const {
    return high[d].kind == Boundary::halo ? radius : 0;
  }

  /// Index of the element that replaces element `i` of `n` in dimension `d`.
  /// See boundary_index().
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::int64_t index(
      int d, std::int64_t i, std::int64_t n) const {
    return boundary_index(i < 0 ? low[d].kind : high[d].kind, i, n);
  }

  /// Replaces `element` by the element whose value is used and returns true, or
  /// sets `value` to the constant and returns false. `element` is then
  /// meaningless.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr bool locate(
      std::int64_t (&element)[Rank], std::int64_t const (&extent)[Rank],
      double& value) const {
    for (int d = 0; d < Rank; ++d) {
      std::int64_t const i               = element[d];
      BoundaryCondition const& condition = i < 0 ? low[d] : high[d];
      element[d] = boundary_index(condition.kind, i, extent[d]);
      if ((i < 0 || i >= extent[d]) && condition.kind == Boundary::constant) {
        value = condition.value;
        return false;
      }
    }
    return true;
  }

  /// Whether all conditions are equal.
  friend constexpr bool operator==(Boundaries const&,
                                   Boundaries const&) = default;
};

}  // namespace KokkosMMA

#endif
