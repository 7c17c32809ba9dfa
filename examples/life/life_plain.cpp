// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cellular automata in plain Kokkos: two grids with ghost cells around them,
// which are filled before every generation. life.cpp is the same with
// kokkos-mma. Both read patterns and rules by the same code.

#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

// The cell that stands for cell i of n, -1 for a dead one.
KOKKOS_INLINE_FUNCTION std::int64_t stands_for(KokkosMMA::Boundary boundary,
                                               std::int64_t i, std::int64_t n) {
  using KokkosMMA::Boundary;
  if (boundary == Boundary::mirror && n == 1) return 0;
  while (i < 0 || i >= n) {
    switch (boundary) {
      case Boundary::periodic: i += i < 0 ? n : -n; break;
      case Boundary::reflect: i = i < 0 ? -1 - i : 2 * n - 1 - i; break;
      case Boundary::mirror: i = i < 0 ? -i : 2 * n - 2 - i; break;
      case Boundary::nearest: i = i < 0 ? 0 : n - 1; break;
      default: return -1;
    }
  }
  return i;
}

auto without_ghosts(Cells const& grid, int radius) {
  auto const r      = static_cast<std::size_t>(radius);
  auto const middle = [r](std::size_t extent) {
    return std::pair<std::size_t, std::size_t>(r, extent - r);
  };
  return Kokkos::subview(grid, middle(grid.extent(0)), middle(grid.extent(1)));
}

class PlainKernels {
 public:
  PlainKernels(KokkosMMA::AutomatonRule const& rule,
               KokkosMMA::Boundary boundary)
      : m_rule(rule), m_boundary(boundary) {}

  void advance(Cells const& cells, std::int64_t generations) {
    auto const height = static_cast<std::int64_t>(cells.extent(0));
    auto const width  = static_cast<std::int64_t>(cells.extent(1));
    int const r       = m_rule.radius();
    if (m_from.extent(0) == 0) {
      m_from = allocated<Cells>("from", height + 2 * r, width + 2 * r);
      m_to   = allocated<Cells>("to", height + 2 * r, width + 2 * r);
    }
    Kokkos::deep_copy(without_ghosts(m_from, r), cells);
    for (std::int64_t i = 0; i < generations; ++i) {
      fill_ghosts(m_from, height, width);
      step(m_from, m_to, height, width);
      std::swap(m_from, m_to);
    }
    Kokkos::deep_copy(cells, without_ghosts(m_from, r));
  }

  void fill_ghosts(Cells const& grid, std::int64_t height,
                   std::int64_t width) const {
    std::int64_t const r       = m_rule.radius();
    auto const boundary        = m_boundary;
    std::int64_t const across  = width + 2 * r;
    std::int64_t const in_rows = 2 * r * across;
    Kokkos::parallel_for(
        "life::ghosts", Range(0, in_rows + 2 * r * height),
        KOKKOS_LAMBDA(std::int64_t i) {
          std::int64_t y = 0;
          std::int64_t x = 0;
          if (i < in_rows) {  // above and below
            y = i / across < r ? i / across - r : height + i / across - r;
            x = i % across - r;
          } else {  // on either side
            std::int64_t const k = (i - in_rows) % (2 * r);
            y                    = (i - in_rows) / (2 * r);
            x                    = k < r ? k - r : width + k - r;
          }
          std::int64_t const row    = stands_for(boundary, y, height);
          std::int64_t const column = stands_for(boundary, x, width);
          grid(y + r, x + r) =
              row < 0 || column < 0 ? 0 : grid(row + r, column + r);
        });
  }

  void step(Cells const& from, Cells const& to, std::int64_t height,
            std::int64_t width) const {
    auto const rule = m_rule;
    Kokkos::parallel_for(
        "life::step", Grid2D({0, 0}, {height, width}),
        KOKKOS_LAMBDA(std::int64_t y, std::int64_t x) {
          int const r = rule.radius();
          int count   = 0;
          for (int dy = -r; dy <= r; ++dy) {
            int const away = dy < 0 ? -dy : dy;
            int const reach =
                rule.neighbourhood() == KokkosMMA::Neighbourhood::moore
                    ? r
                    : r - away;
            for (int dx = -reach; dx <= reach; ++dx) {
              count += from(y + r + dy, x + r + dx) == 1;
            }
          }
          auto const state = from(y + r, x + r);
          if (!rule.counts_centre()) count -= state == 1;
          to(y + r, x + r) = rule.next(state, count);
        });
  }

 private:
  KokkosMMA::AutomatonRule m_rule;
  KokkosMMA::Boundary m_boundary;
  Cells m_from;
  Cells m_to;
};

int main(int argc, char** argv) {
  return program<PlainKernels>("life_plain", argc, argv);
}
