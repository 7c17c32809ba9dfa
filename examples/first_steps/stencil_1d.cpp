// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every element becomes the sum of itself and its three neighbours on either
// side; what is outside of the array counts 0. First as it is said, then by
// teams whose threads share a window of the array.

#include <Kokkos_Core.hpp>

#include "first_steps.hpp"

#include <algorithm>
#include <cstdint>

constexpr int radius = 3;

void stencil(Kokkos::View<int const*> const& x, Kokkos::View<int*> const& y) {
  int const n = static_cast<int>(x.extent(0));
  Kokkos::parallel_for(
      "stencil", n, KOKKOS_LAMBDA(int i) {
        int sum = 0;
        for (int k = i - radius; k <= i + radius; ++k) {
          if (k >= 0 && k < n) sum += x(k);
        }
        y(i) = sum;
      });
}

// Here every element is read from memory once, by the team that owns it, except
// for those near the edges of a tile. On a GPU scratch memory of level 0 is the
// shared memory of a thread block.
void stencil_in_teams(Kokkos::View<int const*> const& x,
                      Kokkos::View<int*> const& y) {
  using Team   = Kokkos::TeamPolicy<>;
  using Member = Team::member_type;
  using Window =
      Kokkos::View<int*, Kokkos::DefaultExecutionSpace::scratch_memory_space,
                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr int tile   = 1024;
  constexpr int window = radius + tile + radius;
  int const n          = static_cast<int>(x.extent(0));
  Kokkos::parallel_for(
      "stencil_in_teams",
      Team((n - 1) / tile + 1, Kokkos::AUTO)
          .set_scratch_size(0, Kokkos::PerTeam(Window::shmem_size(window))),
      KOKKOS_LAMBDA(Member const& team) {
        int const first = team.league_rank() * tile;
        Window const shared(team.team_scratch(0), window);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, window), [&](int k) {
          int const i = first - radius + k;
          shared(k)   = i >= 0 && i < n ? x(i) : 0;
        });
        // Nobody reads the window before all of it is there.
        team.team_barrier();
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, n - first < tile ? n - first : tile),
            [&](int k) {
              int sum = 0;
              for (int j = 0; j <= 2 * radius; ++j) sum += shared(k + j);
              y(first + k) = sum;
            });
      });
}

std::int64_t wrong_elements(int n) {
  Kokkos::View<int*> const x("x", n);
  Kokkos::View<int*> const plain("plain", n);
  Kokkos::View<int*> const in_teams("in_teams", n);
  Kokkos::parallel_for(
      "fill", n, KOKKOS_LAMBDA(int i) { x(i) = i % 101 - 7; });
  stencil(x, plain);
  stencil_in_teams(x, in_teams);

  Kokkos::HostSpace const host;
  auto const host_x     = Kokkos::create_mirror_view_and_copy(host, x);
  auto const host_plain = Kokkos::create_mirror_view_and_copy(host, plain);
  auto const host_teams = Kokkos::create_mirror_view_and_copy(host, in_teams);
  std::int64_t wrong    = 0;
  for (int i = 0; i < n; ++i) {
    int expected = 0;
    for (int k = std::max(0, i - radius); k <= std::min(n - 1, i + radius); ++k)
      expected += host_x(k);
    wrong += host_plain(i) != expected;
    wrong += host_teams(i) != expected;
  }
  return wrong;
}

int main(int argc, char** argv) {
  return run_step({"stencil_1d",
                   "Sums each element and its three neighbours on either side, "
                   "in two ways, "
                   "and checks both.",
                   "length of the array", 1 << 20, 1 << 28, wrong_elements},
                  argc, argv);
}
