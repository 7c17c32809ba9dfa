// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The grids, and the Laplacian of the checks, by index tests. Plain Kokkos.

#ifndef WAVE_GRID_HPP
#define WAVE_GRID_HPP

#include <Kokkos_Core.hpp>

#include "../common/measure.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

// u(i, j, k), k fastest.
using Grid   = Kokkos::View<double***, Kokkos::LayoutRight, Memory>;
using Grid2D = Kokkos::MDRangePolicy<
    Space, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>,
    Kokkos::IndexType<std::int64_t>>;
using Grid3D = Kokkos::MDRangePolicy<
    Space, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>,
    Kokkos::IndexType<std::int64_t>>;

// The points of a grid without the layers of ghost points around it.
using Points = Kokkos::View<double***, Kokkos::LayoutStride, Memory>;

inline Points points_of(Grid const& u, int ghosts) {
  auto const layers = static_cast<std::size_t>(ghosts);
  std::pair<std::size_t, std::size_t> const inside(layers,
                                                   u.extent(0) - layers);
  return Kokkos::subview(u, inside, inside, inside);
}

enum class Boundary { constant, periodic };

inline char const* to_string(Boundary boundary) {
  return boundary == Boundary::constant ? "constant" : "periodic";
}

constexpr std::int64_t most_points = 2000;
constexpr int radius               = 4;

// The second derivative of order 8: the weights of offsets 0 to 4, on either
// side.
struct Derivative {
  double weight[radius + 1] = {-205. / 72, 8. / 5, -1. / 5, 8. / 315,
                               -1. / 560};
};

// The element at offset o along one axis; 0 beyond a wall.
template <class Element>
KOKKOS_INLINE_FUNCTION double element_at(std::int64_t i, std::int64_t n,
                                         bool periodic,
                                         Element const& element) {
  if (0 <= i && i < n) return element(i);
  if (!periodic) return 0;
  return element(i < 0 ? i + n : i - n);
}

KOKKOS_INLINE_FUNCTION double laplacian_at(Points const& u, bool periodic,
                                           Derivative const& derivative,
                                           std::int64_t i, std::int64_t j,
                                           std::int64_t k) {
  auto const n  = static_cast<std::int64_t>(u.extent(0));
  auto const& w = derivative.weight;
  double sum    = 3 * w[0] * u(i, j, k);
  for (int o = 1; o <= radius; ++o) {
    double ring = 0;
    for (int const at : {-o, o}) {
      ring += element_at(i + at, n, periodic,
                         [&](std::int64_t x) { return u(x, j, k); });
      ring += element_at(j + at, n, periodic,
                         [&](std::int64_t y) { return u(i, y, k); });
      ring += element_at(k + at, n, periodic,
                         [&](std::int64_t z) { return u(i, j, z); });
    }
    sum += w[o] * ring;
  }
  return sum;
}

[[noreturn]] inline void wrong(std::string const& what) {
  throw std::runtime_error("wrong result: " + what);
}

#endif
