// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SCANSUPPORT_HPP
#define SCANSUPPORT_HPP

#include "AlgorithmSupport.hpp"

#include <string>
#include <type_traits>
#include <vector>

namespace KokkosMMA::Testing {

/// Routes that can run a scan on this space: the tensor cores where the route
/// function would let a device that can do everything use them.
template <class Input, class Output, class Exec, class Accumulator = void>
std::vector<Route> scan_routes(bool contiguous = true) {
  using A = Impl::chosen_accumulator_t<Accumulator, Kokkos::View<Input*>,
                                       Kokkos::View<Output*>>;
  Impl::ScanProblem problem;
  problem.source        = Impl::Source::view;
  problem.input         = scalar_v<Input>;
  problem.accumulator   = scalar_v<A>;
  problem.output        = scalar_v<Output>;
  problem.sum           = true;
  problem.contiguous    = contiguous;
  problem.tile_compiled = Impl::scan_tile_exists(
      problem.input, problem.accumulator, problem.output);
#if defined(KOKKOSMMA_PAPER_KERNELS)
  problem.mma_compiled = true;
#endif
  return routes<Exec>(
      !Impl::refuse_mma(problem, Capability{true, 90, 132}, {}));
}

/// exclusive_scan or inclusive_scan; checks that the route asked for ran.
template <Impl::ScanKind Kind, class Accumulator = void, class Exec, class X,
          class Y, class... More>
void run_scan(Exec const& exec, X const& x, Y const& y,
              Settings const& settings, More&&... init_and_total) {
  if constexpr (Kind == Impl::ScanKind::exclusive) {
    exclusive_scan<Accumulator>(
        exec, x, y, std::forward<More>(init_and_total)..., settings);
  } else {
    inclusive_scan<Accumulator>(
        exec, x, y, std::forward<More>(init_and_total)..., settings);
  }
  if (settings.route != Route::automatic) {
    EXPECT_EQ(to_string(settings.route), to_string(last_route()));
  } else if (!on_cuda<Exec>) {
    EXPECT_EQ(to_string(Route::generic), to_string(last_route()));
  } else {
    EXPECT_NE(to_string(Route::generic), to_string(last_route()));
  }
}

inline std::string scan_trace(Route route, Impl::ScanKind kind,
                              std::size_t size) {
  return (kind == Impl::ScanKind::exclusive ? "exclusive, " : "inclusive, ") +
         trace(route, size);
}

/// `expected` and `computed` as bits, without vector<bool>.
template <class T, class Expected>
::testing::AssertionResult same_elements_as(Expected const& expected,
                                            std::vector<T> const& computed) {
  for (std::size_t i = 0; i < computed.size(); ++i)
    if (!same_bits(T(expected(i)), T(computed[i])))
      return ::testing::AssertionFailure()
             << "element " << i << " of " << computed.size() << " is "
             << double(computed[i]) << " instead of " << double(T(expected(i)));
  return ::testing::AssertionSuccess();
}

/// The elements of y are `expected`: a number for all, an array, or a function
/// of the index.
template <class View, class Expected>
::testing::AssertionResult holds(View const& y, Expected const& expected) {
  return same_elements_as(
      [&](std::size_t i) {
        if constexpr (std::is_invocable_v<Expected, std::size_t>) {
          return expected(i);
        } else if constexpr (requires { expected[i]; }) {
          return expected[i];
        } else {
          return expected;
        }
      },
      elements_of(y));
}

/// Scans x into a poisoned y by every route, and calls check(y) after each.
template <Impl::ScanKind Kind, class Output, class X, class Check>
void by_every_route(X const& x, Check const& check) {
  using Input = typename X::non_const_value_type;
  using Exec  = typename X::execution_space;
  for (Route const route : scan_routes<Input, Output, Exec>()) {
    SCOPED_TRACE(scan_trace(route, Kind, x.extent(0)));
    auto const y = poisoned_array<Output, Exec>(x.extent(0));
    run_scan<Kind>(Exec(), x, y, Settings{route});
    check(y);
  }
}

/// A scan over [0, n), element by element: what every route is compared with
/// where the sums are exact.
template <Impl::ScanKind Kind, class Sum>
std::vector<Sum> sequential_scan(std::vector<Sum> const& x,
                                 std::type_identity_t<Sum> init) {
  std::vector<Sum> y(x.size());
  Sum sum = init;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Sum const before = sum;
    sum += x[i];
    y[i] = Kind == Impl::ScanKind::exclusive ? before : sum;
  }
  return y;
}

}  // namespace KokkosMMA::Testing

#endif
