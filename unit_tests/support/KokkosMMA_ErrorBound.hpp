// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ERROR_BOUND_HPP
#define KOKKOSMMA_ERROR_BOUND_HPP

#include <cmath>
#include <cstdint>

namespace KokkosMMA {

/// Bound on the error of a chained sum of 16-bit floats, relative to the sum of
/// magnitudes.
///
/// An MMA on Hopper aligns its 16 terms and C to the largest of them. It
/// truncates each at 25 fractional bits and the result toward zero to 24
/// significant bits: 17 * 2^-25 + 2^-23 of the largest intermediate value
/// (arXiv 2511.10909 and 2512.07004). The errors of the `chain_length` MMA of a
/// chain add up, the flush rounds to nearest (2^-24), and `additions` roundings
/// in fp32 follow.
inline double chained_sum_bound(int chain_length, std::uint64_t additions) {
  double const product = 17 * std::ldexp(1., -25) + std::ldexp(1., -23);
  return chain_length * product + double(additions) * std::ldexp(1., -24);
}

/// Bound on the error of a sum of `n` values in any order, relative to the sum
/// of magnitudes. The type has `digits` significant bits (Higham, "Accuracy and
/// Stability of Numerical Algorithms", 4.2).
inline double any_order_bound(std::uint64_t n, int digits) {
  double const u = std::ldexp(1., -digits);
  double const k = n < 2 ? 0. : double(n - 1);
  return k * u < 1. ? k * u / (1. - k * u) : INFINITY;
}

}  // namespace KokkosMMA

#endif
