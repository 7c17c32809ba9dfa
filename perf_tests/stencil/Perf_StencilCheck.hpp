// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_STENCIL_CHECK_HPP
#define KOKKOSMMA_PERF_STENCIL_CHECK_HPP

#include "support/Perf_Check.hpp"

/// Data and checks of stencils and automata: every element against sums in
/// integers. No code is shared with a contender.
namespace perf {

/// Elements and weights are integers times a power of two, and sums of their
/// products are kept as integers: modulo 2^64 of integer elements, of which
/// the last bits are wanted, else exactly.
__extension__ typedef unsigned __int128 WideInteger;
template <class T>
using exact_type =
    std::conditional_t<std::is_integral_v<T>, std::uint64_t, WideInteger>;

inline constexpr bool first_is_fast =
    std::is_same_v<Exec::array_layout, Kokkos::LayoutLeft>;

/// A grid in the layout of the execution space.
template <int R>
struct GridShape {
  std::int64_t extent[R];

  KOKKOS_INLINE_FUNCTION static int dimension(int rank_of_speed) {
    return first_is_fast ? rank_of_speed : R - 1 - rank_of_speed;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t size() const {
    std::int64_t n = 1;
    for (int d = 0; d < R; ++d) n *= extent[d];
    return n;
  }
  KOKKOS_INLINE_FUNCTION void coordinates(std::int64_t i,
                                          std::int64_t (&at)[R]) const {
    for (int k = 0; k < R; ++k) {
      int const d = dimension(k);
      at[d]       = i % extent[d];
      i /= extent[d];
    }
  }
  KOKKOS_INLINE_FUNCTION std::int64_t index(std::int64_t const (&at)[R]) const {
    std::int64_t i = 0;
    for (int k = R - 1; k >= 0; --k) {
      int const d = dimension(k);
      i           = i * extent[d] + at[d];
    }
    return i;
  }
  std::string text() const {
    std::string result;
    for (int d = 0; d < R; ++d)
      result += (d ? "x" : "") + std::to_string(extent[d]);
    return result;
  }
};

/// Bits after the binary point of the elements: none of them is rounded, and
/// sums of floats and doubles are.
template <class T>
constexpr int element_bits() {
  if constexpr (std::is_integral_v<T>) {
    return 0;
  } else if constexpr (std::is_same_v<T, double>) {
    return 53;
  } else {
    return std::is_same_v<T, float> ? 24 : 8;
  }
}

/// Element i. Floating point: uniform in (0, 1], multiples of 2^-bits; no sum
/// cancels, so that an error relative to a sum means something.
template <class T>
KOKKOS_INLINE_FUNCTION T stencil_value(std::uint64_t i, int bits) {
  std::uint64_t const h = mix(i);
  if constexpr (std::is_same_v<T, std::int32_t>) {
    return static_cast<std::int32_t>(h >> 49) - 16384;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(h >> 56);
  } else {
    double const unit = 1 / static_cast<double>(std::uint64_t(1)
                                                << static_cast<unsigned>(bits));
    double const value =
        static_cast<double>((h >> (64 - static_cast<unsigned>(bits))) + 1) *
        unit;
    if constexpr (std::is_same_v<T, double>) {
      return value;
    } else {
      return static_cast<T>(static_cast<float>(value));
    }
  }
}
template <class T>
struct FillStencil {
  T* data;
  int bits;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    data[i] = stencil_value<T>(i, bits);
  }
};

template <class T>
struct ToExact {
  T const* data;
  exact_type<T>* exact;
  double scale;  // 2^bits
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if constexpr (std::is_integral_v<T>) {
      exact[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(data[i]));
    } else if constexpr (std::is_same_v<T, double>) {
      exact[i] = static_cast<std::uint64_t>(data[i] * scale);
    } else {
      exact[i] = static_cast<std::uint64_t>(
          static_cast<double>(static_cast<float>(data[i])) * scale);
    }
  }
};

/// The boundaries of a grid, by name, all alike. Constants are 0.
enum class Conditions { constant, periodic, reflect, mirror, nearest, halo };

constexpr char const* name_of(Conditions f) {
  constexpr char const* names[] = {"constant", "periodic", "reflect",
                                   "mirror",   "nearest",  "halo"};
  return names[static_cast<int>(f)];
}

/// Which of n elements stand for the indices from -radius to -1 and from n to
/// n + radius - 1; -1 where there is none. Found by walking outwards from
/// either boundary, bouncing off the ends. A halo has no such elements.
std::vector<std::int32_t> beyond_boundaries(Conditions conditions,
                                            std::int64_t n, int radius);

template <int R>
struct ExactTap {
  std::int64_t weight;
  int offset[R];
};

/// Weights that are integers times 2^-shift: of all neighbours, or one factor
/// for every dimension.
template <int R>
struct ExactWeights {
  int radius = 0;
  int shift  = 0;                    // of the weights, not of their factors
  std::vector<std::int64_t> factor;  // 2 radius + 1; empty: see taps
  std::vector<ExactTap<R>> taps;     // not zero

  std::vector<double> values() const;  // the last dimension fastest
};

/// The sums of a stencil, in integers; by passes along the dimensions where
/// the weights are factors.
/// \param from  of shape \p in, ghost cells included; overwritten
/// \param other as large
/// \return which of both has the sums
template <class Exact, int R>
Exact* exact_stencil(Exec const& exec, Exact* from, Exact* other,
                     GridShape<R> const& in, GridShape<R> const& out,
                     ExactWeights<R> const& weights, Conditions conditions,
                     int steps);

/// Rules that are two ranges of counts, the centre counted; a cell that does
/// not survive grows old through the states from 2 up before it is dead.
struct RangeRule {
  bool moore;
  int radius;
  int states;
  int birth[2], survive[2];

  std::string text() const;  // R5,C0,M1,S34..58,B34..45,NM
};

/// The limits of R5,C0,M1,S34..58,B34..45 as shares of a neighbourhood; of
/// radius 1 that is Life.
RangeRule scaled_rule(bool moore, int radius, int states);

/// Every other cell alive, at random.
struct FillCells {
  std::uint8_t* cells;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    cells[i] = static_cast<std::uint8_t>(mix(i) >> 63);
  }
};

/// `steps` generations of cells in \p from; \return which of both has the last.
std::uint8_t* exact_automaton(Exec const& exec, std::uint8_t* from,
                              std::uint8_t* other, GridShape<2> const& shape,
                              RangeRule const& rule, Conditions conditions,
                              int steps);

/// What a result may be.
struct Tolerance {
  double allowed = 0;  // relative
  double scale   = 1;  // of the exact sums: 2^-(all bits)
  double divisor = 1;  // of a mean
};

template <class T>
struct LookAtStencil {
  T const* result;
  exact_type<T> const* exact;
  std::size_t n;
  Tolerance tolerance;

  /// A NaN is wrong too.
  KOKKOS_FUNCTION bool is_right(std::size_t i, double& error) const {
    if constexpr (std::is_integral_v<T>) {
      if (tolerance.divisor == 1) return result[i] == static_cast<T>(exact[i]);
      double const sum = static_cast<double>(exact[i]);
      return Kokkos::abs(static_cast<double>(result[i]) * tolerance.divisor -
                         sum) <= tolerance.divisor;
    } else {
      // Four pieces that are exact as doubles; difference() is of their sum.
      ReferenceSum sum;
      double unit = tolerance.scale * 0x1p96;
      for (int shift = 96; shift >= 0; shift -= 32, unit *= 0x1p-32)
        sum.add(
            static_cast<double>(static_cast<std::uint32_t>(exact[i] >> shift)) *
            unit);
      double value;
      if constexpr (std::is_same_v<T, double>) {
        value = result[i];
      } else {
        value = static_cast<double>(static_cast<float>(result[i]));
      }
      double const difference =
          Kokkos::abs((value * tolerance.divisor - sum.high) - sum.low);
      error = difference / sum.high;
      return difference <= tolerance.allowed * sum.high;
    }
  }

  KOKKOS_FUNCTION void operator()(std::size_t w, std::size_t workers,
                                  Inspection& found) const {
    for_own_items(n, w, workers, [&](std::size_t i) {
      double error     = 0;
      bool const right = is_right(i, error);
      found.take(i, result[i]);
      found.judge(i, right, error);
    });
  }
};

template <class T>
Inspection inspect_stencil(Exec const& exec, T const* result,
                           exact_type<T> const* exact, std::size_t n,
                           Tolerance const& tolerance) {
  return inspect_all(exec, n, LookAtStencil<T>{result, exact, n, tolerance});
}

/// How far a sum of so many positive products may be off, relative to itself:
/// 16 eps of the sums' type cover trees and a tensor core's truncation in
/// chains of up to 32 products, additions in a row stray like a random walk,
/// and the result is rounded once to the elements.
template <class T>
double stencil_tolerance(double taps, int steps) {
  if constexpr (std::is_integral_v<T>) {
    (void)taps, (void)steps;
    return 0;
  } else {
    constexpr double sums    = std::is_same_v<T, double> ? 0x1p-52 : 0x1p-23;
    constexpr double results = std::is_same_v<T, double>      ? 0x1p-53
                               : std::is_same_v<T, float>     ? 0x1p-24
                               : std::is_same_v<T, half_type> ? 0x1p-11
                                                              : 0x1p-8;
    return steps * (results * 1.01 + sums * (16 + 4 * std::sqrt(taps)));
  }
}

}  // namespace perf

#endif
