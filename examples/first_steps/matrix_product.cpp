// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C = A B for square matrices, tile by tile: a team makes a tile of C from the
// tiles of A and B that meet in it, and reads each of them from memory once.

#include <Kokkos_Core.hpp>

#include "first_steps.hpp"

#include <cstdint>

using Matrix = Kokkos::View<float**>;

void multiply(Matrix const& a, Matrix const& b, Matrix const& c) {
  using Team      = Kokkos::TeamPolicy<>;
  using Member    = Team::member_type;
  constexpr int t = 16;
  using Tile      = Kokkos::View<float[t][t],
                            Kokkos::DefaultExecutionSpace::scratch_memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  int const n     = static_cast<int>(a.extent(0));
  int const tiles = (n - 1) / t + 1;
  Kokkos::parallel_for(
      "matrix_product",
      Team(tiles * tiles, Kokkos::AUTO)
          .set_scratch_size(0, Kokkos::PerTeam(3 * Tile::shmem_size())),
      KOKKOS_LAMBDA(Member const& team) {
        int const first_row    = team.league_rank() / tiles * t;
        int const first_column = team.league_rank() % tiles * t;
        Tile const tile_a(team.team_scratch(0));
        Tile const tile_b(team.team_scratch(0));
        Tile const sum(team.team_scratch(0));
        // A thread takes the same elements of a tile every time: nobody else
        // touches their sums.
        auto const elements = Kokkos::TeamThreadRange(team, t * t);
        Kokkos::parallel_for(elements, [&](int e) { sum(e / t, e % t) = 0; });
        for (int k = 0; k < n; k += t) {
          Kokkos::parallel_for(elements, [&](int e) {
            int const i = e / t;
            int const j = e % t;
            // Zeros beyond the edge of a matrix add nothing.
            tile_a(i, j) =
                first_row + i < n && k + j < n ? a(first_row + i, k + j) : 0;
            tile_b(i, j) = k + i < n && first_column + j < n
                               ? b(k + i, first_column + j)
                               : 0;
          });
          team.team_barrier();
          Kokkos::parallel_for(elements, [&](int e) {
            float total = 0;
            for (int m = 0; m < t; ++m)
              total += tile_a(e / t, m) * tile_b(m, e % t);
            sum(e / t, e % t) += total;
          });
          // The next tiles must not come before the last was used by all.
          team.team_barrier();
        }
        Kokkos::parallel_for(elements, [&](int e) {
          int const row    = first_row + e / t;
          int const column = first_column + e % t;
          if (row < n && column < n) c(row, column) = sum(e / t, e % t);
        });
      });
}

std::int64_t wrong_elements(int n) {
  Matrix const a("a", n, n);
  Matrix const b("b", n, n);
  Matrix const c("c", n, n);
  // Integers of one digit: all sums are below 2^24 and so exact in any order.
  Kokkos::parallel_for(
      "fill", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {n, n}),
      KOKKOS_LAMBDA(int i, int j) {
        a(i, j) = static_cast<float>((7 * i + 3 * j) % 19 - 9);
        b(i, j) = static_cast<float>((5 * i + 11 * j) % 17 - 8);
      });
  multiply(a, b, c);

  Kokkos::HostSpace const host;
  auto const host_a  = Kokkos::create_mirror_view_and_copy(host, a);
  auto const host_b  = Kokkos::create_mirror_view_and_copy(host, b);
  auto const host_c  = Kokkos::create_mirror_view_and_copy(host, c);
  std::int64_t wrong = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      float expected = 0;
      for (int k = 0; k < n; ++k) expected += host_a(i, k) * host_b(k, j);
      wrong += host_c(i, j) != expected;
    }
  }
  return wrong;
}

int main(int argc, char** argv) {
  return run_step({"matrix_product",
                   "Multiplies two square matrices by tiles and checks every "
                   "element.",
                   "rows of the matrices", 250, 4096, wrong_elements},
                  argc, argv);
}
