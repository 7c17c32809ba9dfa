// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls whose ways to their kernels call_path.py follows.

#include <KokkosMMA_Scan.hpp>
#include <KokkosMMA_Stencil.hpp>
#include <Kokkos_Core.hpp>

extern "C" void begin_path(char const* name);
extern "C" void end_path();

using Space  = Kokkos::Cuda;
using Vector = Kokkos::View<float*, Space>;
using Matrix = Kokkos::View<float**, Space>;

template <class Call>
void paths(char const* first, char const* later, Call const& call) {
  for (int n = 0; n < 300; ++n) {
    if (n == 0 || n == 299) begin_path(n == 0 ? first : later);
    call();
    end_path();
  }
}

struct Calls {
  Vector x{"x", 1 << 20}, y{"y", 1 << 20};
  Matrix a{"a", 1024, 1024}, b{"b", 1024, 1024};
  Kokkos::View<float, Space> sum{"sum"};
  Space exec;

  void reduction() const {
    Vector const v = x;
    // A result on the host would be waited for.
    Kokkos::parallel_reduce(
        "reduction", v.extent(0), KOKKOS_LAMBDA(int i, float& s) { s += v(i); },
        sum);
  }
  void loop() const {
    Vector const v = x, w = y;
    Kokkos::parallel_for(
        "loop", v.extent(0), KOKKOS_LAMBDA(int i) { w(i) = 2 * v(i); });
  }
};

int main() {
  Kokkos::ScopeGuard guard;
  Calls const c;
  paths("drop-in reduction, first", "drop-in reduction",
        [&] { c.reduction(); });
  paths("drop-in loop, first", "drop-in loop", [&] { c.loop(); });
  paths("scan by name, first", "scan by name",
        [&] { KokkosMMA::inclusive_scan(c.exec, c.x, c.y); });
  auto const weights = KokkosMMA::StencilWeights<2>::box(3);
  auto const periodic =
      KokkosMMA::Boundaries<2>::all(KokkosMMA::Boundary::periodic);
  paths("2D stencil by name, first", "2D stencil by name",
        [&] { KokkosMMA::stencil(c.exec, c.a, c.b, weights, periodic); });
}
