// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COST_MODELS_HPP
#define KOKKOSMMA_COST_MODELS_HPP

#include <core/base/KokkosMMA_Errors.hpp>

#include <cstdint>

/// \file
/// What the papers predict, in steps of their abstract machine: unlimited
/// processors, a step for a memory access, an addition or a product of two m x
/// m matrices. Nothing is chosen by these figures; perf_paper prints them
/// beside what it measures.
///
/// Sources: Carrasco, Vega, Navarro 2018 (two products for a level); Navarro et
/// al. 2020 (chains of R products); for automata the products T * A * T with a
/// tridiagonal T (Life) and those of CAT (arXiv 2406.17284).

namespace KokkosMMA::Impl {
/// The binary logarithm of x >= 1, to the last bits of a double; std::log2 is
/// no constant expression.
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

/// The side of the matrices that one nvcuda::wmma product of halves has.
inline constexpr int papers_matrix_side = 16;

/// Steps of the classic reduction by pairs: T(n) = 4 log_2 n.
constexpr double classic_reduction_steps(std::uint64_t n) {
  if (n == 0)
    invalid_argument("KokkosMMA::classic_reduction_steps",
                     "n is 0; a model of a sum needs 1 or more elements");
  return 4 * log2_of(static_cast<double>(n));
}

/// Steps of a reduction by chains of R products and one more for each m x m
/// block that they leave: T_R(n) = (2R + 3) log_{R m^2} n; with R = 1 it is the
/// first paper's T(n) = 5 log_{m^2} n.
constexpr double chained_reduction_steps(std::uint64_t n, int chain_length,
                                         int side = papers_matrix_side) {
  constexpr char const* who = "KokkosMMA::chained_reduction_steps";
  if (n == 0)
    invalid_argument(who, "n is 0; a model of a sum needs 1 or more elements");
  if (chain_length < 1)
    invalid_argument(who, "the chain length is ", chain_length,
                     "; allowed are 1 and more");
  if (side < 2)
    invalid_argument(who, "the side of a matrix is ", side,
                     "; allowed are 2 and more");
  double const reduced_by =
      static_cast<double>(chain_length) * side * static_cast<double>(side);
  return (2 * chain_length + 3) * log2_of(static_cast<double>(n)) /
         log2_of(reduced_by);
}

/// What the model promises over the classic reduction, whatever n:
/// S_R = 4 / (2R + 3) log_2(R m^2), largest at R = 1, where it is
/// (4/5) log_2 m^2.
constexpr double chained_reduction_speedup(int chain_length,
                                           int side = papers_matrix_side) {
  return classic_reduction_steps(2) /
         chained_reduction_steps(2, chain_length, side);
}

/// What a generation of a cellular automaton on Moore's neighbourhood costs a
/// cell or a block of cells.
struct AutomatonCost {
  int neighbour_reads;  ///< of a cell, where each neighbour is read: (2r+1)^2
  double staged_reads;  ///< of a cell from slow memory, where a block of cells
                        ///< and what surrounds it are staged in fast memory
  int products;  ///< of matrices for a block, where neighbours are summed by
                 ///< band products T * A * T: those of the bands that are not
                 ///< zero, from both sides
};

/// \param radius 1 or more
/// \param side   of the square blocks: of the staged ones and of the matrices
constexpr AutomatonCost automaton_cost(int radius,
                                       int side = papers_matrix_side) {
  constexpr char const* who = "KokkosMMA::automaton_cost";
  if (radius < 1)
    invalid_argument(who, "the radius is ", radius, "; allowed are 1 and more");
  if (side < 1)
    invalid_argument(who, "the side of a block is ", side,
                     "; allowed are 1 and more");
  int const width    = 2 * radius + 1;
  double const whole = static_cast<double>(side + 2 * radius) / side;
  int const bands    = 2 * ((radius + side - 1) / side) + 1;
  return {width * width, whole * whole, 2 * bands};
}

/// What band products promise over a generation that reads every neighbour: a
/// cell is read once instead of (2r+1)^2 times; 9 for Life.
constexpr double automaton_speedup(int radius) {
  return automaton_cost(radius).neighbour_reads;
}

}  // namespace KokkosMMA::Impl

#endif
