// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The wave equation in plain Kokkos: four layers of ghost points around the
// grid, which are filled before every step, and a loop over the grid. wave.cpp
// is the same with kokkos-mma.

#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <cstdint>
#include <utility>

class PlainKernels {
 public:
  static constexpr int ghosts = radius;

  PlainKernels(Boundary boundary, double lambda)
      : m_periodic(boundary == Boundary::periodic), m_lambda(lambda) {}

  void advance(Grid& u, Grid& previous, std::int64_t steps) const {
    for (std::int64_t step = 0; step < steps; ++step) {
      if (m_periodic) fill_ghosts(u);
      step_into(u, previous);
      std::swap(u, previous);
    }
  }

  // The points of the grid have the indices 4 to n + 3. Without periodic
  // boundaries the ghost points stay zero.
  void fill_ghosts(Grid const& u) const {
    auto const n = static_cast<std::int64_t>(u.extent(0)) - 2 * radius;
    Kokkos::parallel_for(
        "wave::ghosts", Grid2D({radius, radius}, {n + radius, n + radius}),
        KOKKOS_LAMBDA(std::int64_t a, std::int64_t b) {
          for (int g = 0; g < radius; ++g) {
            std::int64_t const end = n + radius + g;
            u(g, a, b)             = u(n + g, a, b);
            u(end, a, b)           = u(radius + g, a, b);
            u(a, g, b)             = u(a, n + g, b);
            u(a, end, b)           = u(a, radius + g, b);
            u(a, b, g)             = u(a, b, n + g);
            u(a, b, end)           = u(a, b, radius + g);
          }
        });
  }

  void step_into(Grid const& u, Grid const& previous) const {
    double const lambda2 = m_lambda * m_lambda;
    Derivative const derivative;
    auto const end = static_cast<std::int64_t>(u.extent(0)) - radius;
    Kokkos::parallel_for(
        "wave::step", Grid3D({radius, radius, radius}, {end, end, end}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k) {
          auto const& w    = derivative.weight;
          double laplacian = 3 * w[0] * u(i, j, k);
          for (int o = 1; o <= radius; ++o) {
            laplacian +=
                w[o] * (u(i - o, j, k) + u(i + o, j, k) + u(i, j - o, k) +
                        u(i, j + o, k) + u(i, j, k - o) + u(i, j, k + o));
          }
          previous(i, j, k) =
              2 * u(i, j, k) - previous(i, j, k) + lambda2 * laplacian;
        });
  }

  void print_route(std::int64_t) const {}

 private:
  bool m_periodic;
  double m_lambda;
};

int main(int argc, char** argv) {
  return program<PlainKernels>("wave_plain", argc, argv);
}
