// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Explicit steps of the heat equation with kokkos-mma, in two ways: a
// parallel_for over a StencilPolicy per step, and all steps in one call.
// heat_plain.cpp is the same in plain Kokkos.

#include <KokkosMMA.hpp>

#include "program.hpp"

#include <cstdint>
#include <cstdio>
#include <utility>

KokkosMMA::Boundary beyond_the_edge(Boundary boundary) {
  switch (boundary) {
    case Boundary::periodic: return KokkosMMA::Boundary::periodic;
    case Boundary::reflect: return KokkosMMA::Boundary::reflect;
    case Boundary::mirror: return KokkosMMA::Boundary::mirror;
    default: return KokkosMMA::Boundary::constant;
  }
}

class MmaKernels {
 public:
  static constexpr int ghosts = 0;

  MmaKernels(Boundary boundary, double lambda)
      : m_boundaries(KokkosMMA::Boundaries<2>::all(beyond_the_edge(boundary))),
        m_lambda(lambda) {}

  // The functor receives the Laplacian at (i, j).
  void advance(Grid& u, Grid& other, std::int64_t steps) const {
    for (std::int64_t step = 0; step < steps; ++step) {
      step_into(u, other);
      std::swap(u, other);
    }
  }

  void step_into(Grid const& u, Grid const& next) const {
    auto const laplacian =
        KokkosMMA::StencilWeights<2>::star(1).with_centre(-4);
    double const lambda = m_lambda;
    Kokkos::parallel_for(
        "heat::step",
        KokkosMMA::StencilPolicy(Space(), u, laplacian, m_boundaries),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, double sum) {
          next(i, j) = u(i, j) + lambda * sum;
        });
  }

  // A step is a stencil by itself: neighbours lambda, centre 1 - 4 lambda.
  void advance_at_once(Grid& u, Grid& other, std::int64_t steps) const {
    KokkosMMA::stencil(Space(), u, other, step_weights(), m_boundaries, steps);
    std::swap(u, other);
  }

  void print_route(std::int64_t points) const {
    Grid const u            = allocated<Grid>("u", points, points);
    Grid const other        = allocated<Grid>("other", points, points);
    std::string const route = KokkosMMA::explain([&] {
      KokkosMMA::stencil(Space(), u, other, step_weights(), m_boundaries);
    });
    std::printf("%s\n", route.c_str());
  }

 private:
  KokkosMMA::StencilWeights<2> step_weights() const {
    double const l         = m_lambda;
    double const values[9] = {0, l, 0, l, 1 - 4 * l, l, 0, l, 0};
    return KokkosMMA::StencilWeights<2>::dense(1, values);
  }

  KokkosMMA::Boundaries<2> m_boundaries;
  double m_lambda;
};

int main(int argc, char** argv) {
  return program<MmaKernels>("heat", argc, argv);
}
