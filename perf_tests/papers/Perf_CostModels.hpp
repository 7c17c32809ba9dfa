// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PERF_COST_MODELS_HPP
#define KOKKOSMMA_PERF_COST_MODELS_HPP

#include <core/base/KokkosMMA_Errors.hpp>

#include <cstdint>

/// \file
/// Cost models of the papers, in steps of their abstract machine: unlimited
/// processors; a memory access, an addition or a product of two m x m matrices
/// is one step. No route depends on them; perf_paper prints them next to its
/// measurements.
///
/// Sources: Carrasco, Vega, Navarro 2018 (two products per level); Navarro et
/// al. 2020 (chains of R products); for automata the products T * A * T with a
/// tridiagonal T (Life) and those of CAT (arXiv 2406.17284).

namespace perf {

using KokkosMMA::Impl::invalid_argument;

/// Binary logarithm of x >= 1 to the precision of a double. std::log2 is not a
/// constant expression.
constexpr double log2_of(double x) {
  double result = 0;
  for (; x >= 2; x /= 2) result += 1;
  for (double bit = 0.5; bit > 1e-16; bit /= 2) {
    x *= x;
    if (x >= 2) {
      x /= 2;
      result += bit;
    }
  }
  return result;
}

/// Side of the matrices of one nvcuda::wmma product of halves.
inline constexpr int papers_matrix_side = 16;

/// Steps of the classic pairwise reduction: T(n) = 4 log_2 n.
constexpr double classic_reduction_steps(std::uint64_t n) {
  if (n == 0)
    invalid_argument("perf::classic_reduction_steps",
                     "n is 0; a model of a sum needs 1 or more elements");
  return 4 * log2_of(static_cast<double>(n));
}

/// Steps of a reduction by chains of R products, with one more product for each
/// m x m block that remains: T_R(n) = (2R + 3) log_{R m^2} n. R = 1 is the
/// first paper's T(n) = 5 log_{m^2} n.
constexpr double chained_reduction_steps(std::uint64_t n, int chain_length,
                                         int side = papers_matrix_side) {
  constexpr char const* who = "perf::chained_reduction_steps";
  if (n == 0)
    invalid_argument(who, "n is 0; a model of a sum needs 1 or more elements");
  if (chain_length < 1)
    invalid_argument(who, "the chain length is ", chain_length,
                     "; allowed: 1 and more");
  if (side < 2)
    invalid_argument(who, "the side of a matrix is ", side,
                     "; allowed: 2 and more");
  double const reduced_by =
      static_cast<double>(chain_length) * side * static_cast<double>(side);
  return (2 * chain_length + 3) * log2_of(static_cast<double>(n)) /
         log2_of(reduced_by);
}

/// Predicted speed-up over the classic reduction, for any n: S_R = 4 / (2R + 3)
/// log_2(R m^2), at most (4/5) log_2 m^2, at R = 1.
constexpr double chained_reduction_speedup(int chain_length,
                                           int side = papers_matrix_side) {
  return classic_reduction_steps(2) /
         chained_reduction_steps(2, chain_length, side);
}

/// Cost of a generation of a cellular automaton on Moore's neighbourhood.
struct AutomatonCost {
  int neighbour_reads;  ///< per cell, if each neighbour is read: (2r+1)^2
  double staged_reads;  ///< per cell, if blocks of cells with their halo are
                        ///< staged in fast memory
  int products;  ///< matrix products per block with T * A * T: one per nonzero
                 ///< band and side
};

/// \param radius 1 or more
/// \param side   of the square blocks: the staged ones and the matrices
constexpr AutomatonCost automaton_cost(int radius,
                                       int side = papers_matrix_side) {
  constexpr char const* who = "perf::automaton_cost";
  if (radius < 1)
    invalid_argument(who, "the radius is ", radius, "; allowed: 1 and more");
  if (side < 1)
    invalid_argument(who, "the side of a block is ", side,
                     "; allowed: 1 and more");
  int const width    = 2 * radius + 1;
  double const whole = static_cast<double>(side + 2 * radius) / side;
  int const bands    = 2 * ((radius + side - 1) / side) + 1;
  return {width * width, whole * whole, 2 * bands};
}

/// Predicted speed-up of band products over a generation that reads every
/// neighbour: one read per cell instead of (2r+1)^2; 9 for Life.
constexpr double automaton_speedup(int radius) {
  return automaton_cost(radius).neighbour_reads;
}

}  // namespace perf

#endif
