// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The calls of docs/stencils.md, with answers that are known.

#include <KokkosMMA.hpp>

#include <array>
#include <cstdint>
#include <cstdio>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using KokkosMMA::Boundaries, KokkosMMA::Boundary, KokkosMMA::StencilWeights;

template <class View>
auto on_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

bool stencils() {
  Exec const exec;
  Kokkos::View<float**> const image("image", 40, 50), sums("sums", 40, 50);
  Kokkos::View<float**> const u("u", 40, 50), later("later", 40, 50);
  Kokkos::View<float**> const rate("rate", 40, 50);
  Kokkos::deep_copy(image, 1.f);
  Kokkos::deep_copy(u, 1.f);
  Kokkos::deep_copy(rate, 0.125f);
  std::array<double, 9> const mean{.125, .125, .125, .125, 0,
                                   .125, .125, .125, .125};

  auto const torus = Boundaries<2>::all(Boundary::periodic);
  // 7 x 7 elements, the centre included
  KokkosMMA::stencil(exec, image, sums, StencilWeights<2>::box(3), torus);
  // 9 weights, 100 steps
  KokkosMMA::stencil(exec, u, later, StencilWeights<2>::dense(1, mean), torus,
                     100);
  bool const right = on_host(sums)(39, 49) == 49 && on_host(later)(39, 49) == 1;

  // 100 steps of a functor of the element's value and the sum
  KokkosMMA::stencil(
      exec, u, later,
      KokkosMMA::StencilPolicy(exec, u, StencilWeights<2>::star(1), torus),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, float value, float sum) {
        return value + rate(i, j) * (sum - 5 * value);
      },
      100);
  return right && on_host(later)(0, 0) == 1;
}

bool automata() {
  Exec const exec;
  Kokkos::View<std::uint8_t**> const cells("cells", 20, 20);
  Kokkos::deep_copy(cells, std::uint8_t(1));
  auto const torus = Boundaries<2>::all(Boundary::periodic);

  KokkosMMA::automaton(exec, cells, KokkosMMA::parse_rule("B8/S8"), torus, 10);
  // Born and kept with 3 live neighbours; others age up to 9.
  KokkosMMA::automaton(
      exec, cells, KokkosMMA::Neighbourhood::moore, 1,
      KOKKOS_LAMBDA(std::uint8_t state, int count) {
        return count == 3 ? 1 : state == 0 || state == 9 ? 0 : state + 1;
      },
      torus, 3);
  return on_host(cells)(19, 19) == 4;
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  bool const right = stencils() && automata();
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
