// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plain Kokkos loops as applications write them, for the preset
// cuda-compile-only, which compiles this file with the drop-in. Nothing here
// runs.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace {

using Exec = Kokkos::Cuda;
using Kokkos::Iterate;
using Kokkos::Rank;

struct Halve {};
template <int Bytes>
struct Large {
  double weights[Bytes / 8];
  Kokkos::View<double*, Exec> x;
  KOKKOS_FUNCTION void operator()(Halve, std::int64_t const i) const {
    x(i) = weights[i % (Bytes / 8)] / 2;
  }
};
struct Plain {
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(Indices...) const {}
};
struct WithSharedMemory : Plain {
  unsigned team_shmem_size(int) const { return 100; }
};

// What is taken over, and what keeps Kokkos' class.
template <class Functor, class Policy>
constexpr bool takes =
    std::is_base_of_v<KokkosMMA::Impl::RoutedFor<Functor, Policy>,
                      Kokkos::Impl::ParallelFor<Functor, Policy, Exec>>;
template <class Functor, class... Traits>
constexpr bool takes_range =
    takes<Functor, Kokkos::RangePolicy<Exec, Traits...>>;
template <class... Traits>
constexpr bool takes_grid =
    takes<Plain, Kokkos::MDRangePolicy<Exec, Traits...>>;
static_assert(takes_range<Plain> && takes_range<WithSharedMemory>);
static_assert(takes_range<Large<30000>, Halve> && !takes_range<Large<32600>>);
static_assert(takes_range<Plain, Kokkos::Schedule<Kokkos::Dynamic>,
                          Kokkos::IndexType<std::int8_t>>);
// Kokkos 4 copies small functors per thread.
static_assert(takes_range<Plain, Kokkos::LaunchBounds<128, 2>> ==
              (KOKKOS_VERSION >= 50000));
static_assert(takes_range<Large<512>, Halve, Kokkos::LaunchBounds<128, 2>>);
static_assert(!takes_range<Plain, Kokkos::LaunchBounds<16>>);
static_assert(takes_grid<Rank<2>> && takes_grid<Rank<6>, Halve>);
static_assert(takes_grid<Rank<3>, Kokkos::LaunchBounds<256>> ==
              (KOKKOS_VERSION >= 50000));

template <class T>
void streams(Kokkos::View<T*, Exec> x, Kokkos::View<T*, Exec> y) {
  std::size_t const n = x.extent(0);
  Kokkos::parallel_for(
      "copy", Kokkos::RangePolicy<Exec>(0, n),
      KOKKOS_LAMBDA(int i) { y(i) = x(i); });
  Kokkos::parallel_for(
      "triad", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
      KOKKOS_LAMBDA(std::int64_t i) { y(i) = x(i) + T(3) * y(i); });
  Kokkos::parallel_for(
      n, KOKKOS_LAMBDA(int i) {
        if (x(i) == T(0)) return;
        Kokkos::atomic_add(&y(i / 7), x(i));
      });
  Kokkos::deep_copy(y, T(1));
}

template <Iterate Direction>
void grids(Kokkos::View<float***, Exec> x, Kokkos::View<float***, Exec> y) {
  Kokkos::parallel_for(
      "rank 2",
      Kokkos::MDRangePolicy<Exec, Rank<2, Direction, Direction>>({0, 0},
                                                                 {10, 10}),
      KOKKOS_LAMBDA(int i, int j) { y(i, j, 0) = x(i, j, 1); });
  Kokkos::parallel_for(
      "rank 3",
      Kokkos::MDRangePolicy<Exec, Rank<3, Direction, Direction>>({1, 1, 1},
                                                                 {9, 9, 9}),
      KOKKOS_LAMBDA(int i, int j, int k) {
        y(i, j, k) = x(i, j, k - 1) + x(i, j, k + 1) + x(i - 1, j, k) +
                     x(i + 1, j, k) + x(i, j - 1, k) + x(i, j + 1, k);
      });
  Kokkos::parallel_for(
      "rank 4",
      Kokkos::MDRangePolicy<Exec, Rank<4, Direction, Direction>,
                            Kokkos::IndexType<std::int64_t>>({0, 0, 0, 0},
                                                             {9, 9, 9, 3}),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k,
                    std::int64_t l) { y(i, j, k) = x(i, j, l); });
}

template <class T>
void copies() {
  Kokkos::View<T***, Kokkos::LayoutLeft, Exec> const left("l", 10, 10, 10);
  Kokkos::View<T***, Kokkos::LayoutRight, Exec> const right("r", 10, 10, 10);
  Kokkos::deep_copy(Exec(), right, left);
}
struct Point {
  float x, y, z;
};

}  // namespace

void kernels_loops() {
  copies<std::int8_t>();
  copies<std::int16_t>();
  copies<float>();
  copies<double>();
  copies<Kokkos::complex<double>>();
  copies<Point>();
  Kokkos::View<float*, Exec> const f("f", 100);
  Kokkos::View<double*, Exec> const d("d", 100);
  Kokkos::View<std::int8_t*, Exec> const c("c", 100);
  streams<float>(f, f);
  streams<double>(d, d);
  streams<std::int8_t>(c, c);
  Kokkos::View<float***, Exec> const x("x", 10, 10, 10);
  grids<Iterate::Left>(x, x);
  grids<Iterate::Right>(x, x);
  Kokkos::parallel_for("large", Kokkos::RangePolicy<Exec, Halve>(0, 100),
                       Large<30000>{{}, d});
  namespace KE         = Kokkos::Experimental;
  auto const double_it = KOKKOS_LAMBDA(int i) { d(i) *= 2; };
  Kokkos::parallel_for(
      "bounds", Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<256, 2>>(0, 100),
      double_it);
  Kokkos::parallel_for("hint",
                       KE::require(Kokkos::RangePolicy<Exec>(0, 100),
                                   KE::WorkItemProperty::HintLightWeight),
                       double_it);
  Kokkos::parallel_for(
      "occupancy",
      KE::prefer(Kokkos::RangePolicy<Exec>(0, 100), KE::DesiredOccupancy{50}),
      double_it);
  Kokkos::parallel_for(
      "bounds of rank 2",
      Kokkos::MDRangePolicy<Exec, Rank<2>, Kokkos::LaunchBounds<256, 2>>(
          {0, 0}, {9, 9}),
      KOKKOS_LAMBDA(int i, int j) { x(i, j, 0) += 1; });
  Kokkos::parallel_for(
      "rank 6",
      Kokkos::MDRangePolicy<Exec, Rank<6>>({0, 0, 0, 0, 0, 0},
                                           {3, 3, 3, 3, 3, 3}),
      KOKKOS_LAMBDA(int i, int j, int k, int l, int m, int n) {
        x(i, j, k) += x(l, m, n);
      });
}
