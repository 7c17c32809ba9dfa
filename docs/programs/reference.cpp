// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The examples of docs/api, with answers that are known.

#include <KokkosMMA.hpp>

#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using KokkosMMA::Boundaries, KokkosMMA::Boundary, KokkosMMA::StencilWeights;

template <class View>
auto on_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

bool teams() {
  int const rows = 100, columns = 1000;
  Kokkos::View<float**> const matrix("matrix", rows, columns);
  Kokkos::View<float*> const sums("sums", rows);
  Kokkos::deep_copy(matrix, 0.5f);

  using Team = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for(
      "rows", Team(rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(Team::member_type const& member) {
        int const row = member.league_rank();
        float sum     = 0;
        KokkosMMA::team_reduce(
            member, columns,
            [&](int i, float& running) { running += matrix(row, i); }, sum);
        Kokkos::single(Kokkos::PerTeam(member), [&] { sums(row) = sum; });
      });
  return on_host(sums)(rows - 1) == 500;
}

bool segments() {
  Exec const exec;
  Kokkos::View<float*> const x("x", 1000), norms("norms", 10);
  Kokkos::deep_copy(x, 4.f);

  Kokkos::parallel_for(
      "norms", KokkosMMA::SegmentPolicy(exec, x, 100),
      KOKKOS_LAMBDA(std::size_t segment, float sum) {
        norms(segment) = Kokkos::sqrt(sum);
      });
  return on_host(norms)(9) == 20;
}

bool steps() {
  Exec const exec;
  Kokkos::View<double**> const u("u", 64, 64), later("later", 64, 64);
  Kokkos::deep_copy(u, 1);

  // one side constant, its opposite reflecting; the other dimension periodic
  auto const boundaries = Boundaries<2>::per_side(
      {{{Boundary::constant, 1.}, {Boundary::periodic}}},
      {{{Boundary::reflect}, {Boundary::periodic}}});
  auto const weights =
      StencilWeights<2>::dense(1, {0, .25, 0, .25, 0, .25, 0, .25, 0});
  KokkosMMA::stencil(exec, u, later, weights, boundaries, 100);
  return on_host(later)(63, 63) == 1;
}

bool automata() {
  Exec const exec;
  std::istringstream file("x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n");
  KokkosMMA::CellPattern const pattern =
      KokkosMMA::read_pattern(file, "glider.rle");
  Kokkos::View<std::uint8_t**> const cells("cells", 16, 16);
  auto const host = Kokkos::create_mirror_view(cells);
  for (std::int64_t y = 0; y < pattern.height; ++y)
    for (std::int64_t x = 0; x < pattern.width; ++x)
      host(y, x) = pattern.cells[y * pattern.width + x];
  Kokkos::deep_copy(cells, host);

  auto const torus = Boundaries<2>::all(Boundary::periodic);
  KokkosMMA::automaton(exec, cells, KokkosMMA::parse_rule("B3/S23"), torus, 64);
  // a glider moves by one cell in four generations: it is where it was
  auto const after = on_host(cells);
  bool same        = true;
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column)
      same = same && after(row, column) == host(row, column);
  return same;
}

bool settings() {
  Exec const exec;
  Kokkos::View<double*> const x("x", 1000);
  Kokkos::deep_copy(x, 0.1);
  double sum = 0, exact = 0;

  // of one call: an error if it cannot be had
  KokkosMMA::reduce(exec, x, exact,
                    {.reproducibility = KokkosMMA::Reproducibility::exact});
  {
    // of all calls of this thread in the block; ignored where it is impossible
    KokkosMMA::ScopedSettings const scope({.route = KokkosMMA::Route::generic});
    KokkosMMA::reduce(exec, x, sum);
  }
  return exact == 100 && sum > 99.9 &&
         KokkosMMA::last_route() == KokkosMMA::Route::generic;
}

bool routing() {
  KokkosMMA::Capability const machine = KokkosMMA::capability(Exec());
  // at most, of a sum of 2^20 half values in chains of 8 products and 20
  // additions in fp32, relative to the sum of their magnitudes
  double const bound = KokkosMMA::chained_sum_bound(8, 20);
  std::printf("tensor cores: %s, bound %.1e\n",
              machine.tensor_cores() ? "yes" : "no", bound);
  return bound < 1e-4;
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  int wrong = 0;
  for (bool const right :
       {teams(), segments(), steps(), automata(), settings(), routing()})
    wrong += !right;
  std::printf("%d wrong examples\n", wrong);
  return wrong == 0 ? 0 : 1;
}
