// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The wave equation with kokkos-mma: a parallel_for over a StencilPolicy per
// step. wave_plain.cpp is the same in plain Kokkos.

#include <KokkosMMA.hpp>

#include "program.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

class MmaKernels {
 public:
  static constexpr int ghosts = 0;

  MmaKernels(Boundary boundary, double lambda)
      : m_boundaries(KokkosMMA::Boundaries<3>::all(
            boundary == Boundary::periodic ? KokkosMMA::Boundary::periodic
                                           : KokkosMMA::Boundary::constant)),
        m_lambda(lambda) {}

  // A policy is made once for each of the two Views that change places.
  void advance(Grid& u, Grid& previous, std::int64_t steps) const {
    auto from_u        = policy(u);
    auto from_previous = policy(previous);
    for (std::int64_t step = 0; step < steps; ++step) {
      step_into(from_u, u, previous);
      std::swap(u, previous);
      std::swap(from_u, from_previous);
    }
  }

  // The neighbours are those of u; previous is read and written in place.
  template <class Policy>
  void step_into(Policy const& from_u, Grid const& u,
                 Grid const& previous) const {
    Kokkos::parallel_for(
        "wave::step", from_u,
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k,
                      double sum) {
          previous(i, j, k) = sum - previous(i, j, k);
        });
  }

  void print_route(std::int64_t points) const {
    Grid const u        = allocated<Grid>("u", points, points, points);
    Grid const previous = allocated<Grid>("previous", points, points, points);
    std::string const route =
        KokkosMMA::explain([&] { step_into(policy(u), u, previous); });
    std::printf("%s\n", route.c_str());
  }

 private:
  KokkosMMA::StencilPolicy<Space, Grid> policy(Grid const& u) const {
    return {Space(), u, weights(), m_boundaries};
  }

  // 2 u + lambda^2 L u: the functor has no need to read u.
  KokkosMMA::StencilWeights<3> weights() const {
    auto const star = KokkosMMA::StencilWeights<3>::star(radius);
    Derivative const derivative;
    double const lambda2 = m_lambda * m_lambda;
    std::vector<double> values(star.size());
    for (std::size_t at = 0; at < values.size(); ++at) {
      auto const o       = star.offsets(at);
      int const distance = std::abs(o[0]) + std::abs(o[1]) + std::abs(o[2]);
      if (star.values()[at] != 0)
        values[at] = lambda2 * derivative.weight[distance];
    }
    return KokkosMMA::StencilWeights<3>::dense(radius, values)
        .with_centre(2 + 3 * lambda2 * derivative.weight[0]);
  }

  KokkosMMA::Boundaries<3> m_boundaries;
  double m_lambda;
};

int main(int argc, char** argv) {
  return program<MmaKernels>("wave", argc, argv);
}
