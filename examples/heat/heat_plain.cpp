// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Explicit steps of the heat equation in plain Kokkos: a layer of ghost points
// around the grid, which is filled before every step, and a loop over the grid.
// heat.cpp is the same with kokkos-mma.

#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <cstdint>
#include <utility>

class PlainKernels {
 public:
  static constexpr int ghosts = 1;

  PlainKernels(Boundary boundary, double lambda)
      : m_boundary(boundary), m_lambda(lambda) {}

  void advance(Grid& u, Grid& other, std::int64_t steps) const {
    for (std::int64_t step = 0; step < steps; ++step) {
      fill_ghosts(u);
      step_into(u, other);
      std::swap(u, other);
    }
  }

  // The points of the grid have the indices 1 to n.
  void fill_ghosts(Grid const& u) const {
    if (m_boundary == Boundary::constant) return;  // they stay zero
    auto const n       = static_cast<std::int64_t>(u.extent(0)) - 2;
    std::int64_t first = 1;
    std::int64_t last  = n;
    if (m_boundary == Boundary::periodic) std::swap(first, last);
    if (m_boundary == Boundary::mirror) {
      first = 2;
      last  = n - 1;
    }
    Kokkos::parallel_for(
        "heat::ghosts", Range(1, n + 1), KOKKOS_LAMBDA(std::int64_t i) {
          u(0, i)     = u(first, i);
          u(n + 1, i) = u(last, i);
          u(i, 0)     = u(i, first);
          u(i, n + 1) = u(i, last);
        });
  }

  void step_into(Grid const& u, Grid const& next) const {
    double const lambda = m_lambda;
    auto const n        = static_cast<std::int64_t>(u.extent(0)) - 2;
    Kokkos::parallel_for(
        "heat::step", Grid2D({1, 1}, {n + 1, n + 1}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
          double const sum =
              u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1);
          next(i, j) = u(i, j) + lambda * (sum - 4 * u(i, j));
        });
  }

  void print_route(std::int64_t) const {}

 private:
  Boundary m_boundary;
  double m_lambda;
};

int main(int argc, char** argv) {
  return program<PlainKernels>("heat_plain", argc, argv);
}
