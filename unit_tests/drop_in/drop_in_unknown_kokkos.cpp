// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// drop_in_unknown_kokkos: an application with the drop-in and calls by name,
// with a Kokkos of a version that the library does not know. Kokkos' own code
// runs, and the answers are right.

#include <KokkosMMA.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#if KOKKOSMMA_IMPL_ON_CUDA()
#error "kernels of the library are compiled for a Kokkos that it does not know"
#endif

namespace {

using Exec    = Kokkos::DefaultExecutionSpace;
using Doubles = Kokkos::View<double*>;

int failures = 0;
void expect(char const* what, double expected, double actual) {
  if (expected == actual) return;
  ++failures;
  std::printf("failed: %s: %g instead of %g\n", what, actual, expected);
}

template <class View>
auto on_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

void of_the_application(Doubles const& x) {
  std::size_t const n = x.extent(0);
  double sum          = 0;
  Kokkos::parallel_for(
      "loop", Kokkos::RangePolicy<Exec>(0, n),
      KOKKOS_LAMBDA(std::size_t i) { x(i) = double(i % 4); });
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy<Exec>(0, n),
      KOKKOS_LAMBDA(std::size_t i, double& s) { s += x(i); }, sum);
  expect("a sum of the application", 1.5 * double(n), sum);
}

void by_name(Doubles const& x) {
  std::size_t const n = x.extent(0);
  Exec const exec;
  double sum = 0, total = 0;
  KokkosMMA::reduce(exec, x, sum);
  expect("reduce", 1.5 * double(n), sum);
  // Exact sums of device data need the library's kernels; hosts do without.
  constexpr bool can_be_exact =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                 Exec::memory_space>::accessible;
  sum           = -1;
  bool rejected = false;
  try {
    KokkosMMA::reduce(exec, x, sum,
                      {.reproducibility = KokkosMMA::Reproducibility::exact});
  } catch (std::invalid_argument const&) {
    rejected = true;
  }
  expect("an exact sum is rejected", !can_be_exact, rejected);
  expect("an exact sum", can_be_exact ? 1.5 * double(n) : -1, sum);
  Kokkos::parallel_reduce("dot", n, KokkosMMA::dot(x, x), sum);
  expect("dot", 3.5 * double(n), sum);

  Doubles const y("y", n);
  KokkosMMA::inclusive_scan(exec, x, y, KokkosMMA::Total(total));
  expect("the total of a scan", 1.5 * double(n), total);
  expect("a scan", 1.5 * double(n), on_host(y)(n - 1));

  Doubles const sums("sums", n / 100);
  KokkosMMA::segmented_reduce(exec, x, 100, sums);
  expect("sums of segments", 150, on_host(sums)(n / 100 - 1));
  KokkosMMA::segmented_inclusive_scan(exec, x, 100, y);
  expect("prefixes of segments", 150, on_host(y)(n - 1));

  Kokkos::View<int*> const keys("keys", n), found("found", n);
  expect("runs", 1, double(KokkosMMA::reduce_by_key(exec, keys, x, found, y)));
  expect("the sum of a run", 1.5 * double(n), on_host(y)(0));

  auto const torus =
      KokkosMMA::Boundaries<2>::all(KokkosMMA::Boundary::periodic);
  Kokkos::View<float**> const grid("grid", 40, 50), blurred("blurred", 40, 50);
  Kokkos::deep_copy(grid, 1.f);
  KokkosMMA::stencil(exec, grid, blurred, KokkosMMA::StencilWeights<2>::box(2),
                     torus);
  expect("a stencil", 25, on_host(blurred)(39, 49));
  Kokkos::View<std::uint8_t**> const cells("cells", 20, 20);
  Kokkos::deep_copy(cells, std::uint8_t(1));
  KokkosMMA::automaton(exec, cells, KokkosMMA::parse_rule("B8/S8"), torus, 10);
  expect("an automaton", 1, on_host(cells)(7, 7));
}

void in_teams(Doubles const& x) {
  std::size_t const n = x.extent(0);
  Doubles const sums("sums", 1), totals("totals", 1), y("y", n), z("z", n);
  using Team = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for(
      "teams", Team(1, Kokkos::AUTO),
      KOKKOS_LAMBDA(Team::member_type const& member) {
        double sum = 0, total = 0;
        KokkosMMA::team_reduce(member, x, sum);
        KokkosMMA::team_inclusive_scan(member, x, y, total);
        KokkosMMA::team_scan(member, n,
                             [&](std::size_t i, double& prefix, bool final) {
                               prefix += x(i);
                               if (final) z(i) = prefix;
                             });
        Kokkos::single(Kokkos::PerTeam(member), [&] {
          sums(0)   = sum;
          totals(0) = total;
        });
      });
  expect("team_reduce", 1.5 * double(n), on_host(sums)(0));
  expect("the total of a team", 1.5 * double(n), on_host(totals)(0));
  expect("team_inclusive_scan", 1.5 * double(n), on_host(y)(n - 1));
  expect("team_scan", 1.5 * double(n), on_host(z)(n - 1));
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Doubles const x("x", 10000);
  of_the_application(x);
  by_name(x);
  in_teams(x);
  std::string const text = KokkosMMA::explain([&] {
    double sum = 0;
    KokkosMMA::reduce(Exec(), x, sum);
  });
  if (text.rfind("route generic", 0) != 0) {
    ++failures;
    std::printf("failed: %s\n", text.c_str());
  }
  return failures;
}
