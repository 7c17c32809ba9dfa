// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Explicit steps of the heat equation in plain Kokkos. heat.cpp is the same
// with kokkos-mma.

#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <cstdint>
#include <cstdio>
#include <utility>

// Beyond an edge: the point that stands for point i of n, -1 for zero.
KOKKOS_INLINE_FUNCTION std::int64_t neighbour(KokkosMMA::Boundary boundary,
                                              std::int64_t i, std::int64_t n) {
  using KokkosMMA::Boundary;
  if (i >= 0 && i < n) return i;
  switch (boundary) {
    case Boundary::periodic: return i < 0 ? n - 1 : 0;
    case Boundary::reflect: return i < 0 ? 0 : n - 1;
    case Boundary::mirror: return i < 0 ? 1 : n - 2;
    default: return -1;
  }
}

class PlainKernels {
 public:
  PlainKernels(KokkosMMA::Boundary boundary, double lambda)
      : m_boundary(boundary), m_lambda(lambda) {}

  void advance(Grid& u, Grid& other, std::int64_t steps) const {
    for (std::int64_t step = 0; step < steps; ++step) {
      step_into(u, other);
      std::swap(u, other);
    }
  }

  void step_into(Grid const& u, Grid const& next) const {
    auto const boundary = m_boundary;
    double const lambda = m_lambda;
    auto const n        = static_cast<std::int64_t>(u.extent(0));
    Kokkos::parallel_for(
        "heat::step", Grid2D({0, 0}, {n, n}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
          std::int64_t const above = neighbour(boundary, i - 1, n);
          std::int64_t const below = neighbour(boundary, i + 1, n);
          std::int64_t const left  = neighbour(boundary, j - 1, n);
          std::int64_t const right = neighbour(boundary, j + 1, n);
          double const sum =
              (above < 0 ? 0 : u(above, j)) + (below < 0 ? 0 : u(below, j)) +
              (left < 0 ? 0 : u(i, left)) + (right < 0 ? 0 : u(i, right));
          next(i, j) = u(i, j) + lambda * (sum - 4 * u(i, j));
        });
  }

  void print_route(std::int64_t) const {}

 private:
  KokkosMMA::Boundary m_boundary;
  double m_lambda;
};

int main(int argc, char** argv) {
  return program<PlainKernels>("heat_plain", argc, argv);
}
