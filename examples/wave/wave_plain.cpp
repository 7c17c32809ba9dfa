// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The wave equation in plain Kokkos. wave.cpp is the same with kokkos-mma.

#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <cstdint>
#include <utility>

class PlainKernels {
 public:
  PlainKernels(KokkosMMA::Boundary boundary, double lambda)
      : m_periodic(boundary == KokkosMMA::Boundary::periodic),
        m_lambda(lambda) {}

  void advance(Grid& u, Grid& previous, std::int64_t steps) const {
    for (std::int64_t step = 0; step < steps; ++step) {
      step_into(u, previous);
      std::swap(u, previous);
    }
  }

  void step_into(Grid const& u, Grid const& previous) const {
    bool const periodic  = m_periodic;
    double const lambda2 = m_lambda * m_lambda;
    Derivative const derivative;
    auto const n = static_cast<std::int64_t>(u.extent(0));
    Kokkos::parallel_for(
        "wave::step", Grid3D({0, 0, 0}, {n, n, n}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k) {
          previous(i, j, k) =
              2 * u(i, j, k) - previous(i, j, k) +
              lambda2 * laplacian_at(u, periodic, derivative, i, j, k);
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
