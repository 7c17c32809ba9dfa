// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_TESTSUPPORT_HPP
#define KOKKOSMMA_TESTSUPPORT_HPP

#include <Kokkos_Core.hpp>
#include <KokkosMMA.hpp>

#include <KokkosMMA_LastRoute.hpp>
#include <KokkosMMA_Random.hpp>
#include <KokkosMMA_SampledTypes.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace KokkosMMA::Testing {

/// Every execution space of the Kokkos in use; typed tests run over this list.
/// Under AddressSanitizer, which triples the time of compiling, OpenMP stands
/// for Serial.
using ExecutionSpaces = ::testing::Types<
#ifdef KOKKOS_ENABLE_CUDA
    Kokkos::Cuda
#if defined(KOKKOS_ENABLE_SERIAL) || defined(KOKKOS_ENABLE_OPENMP)
    ,
#endif
#endif
#if defined(KOKKOS_ENABLE_SERIAL) && \
    !(defined(__SANITIZE_ADDRESS__) && defined(KOKKOS_ENABLE_OPENMP))
    Kokkos::Serial
#ifdef KOKKOS_ENABLE_OPENMP
    ,
#endif
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    Kokkos::OpenMP
#endif
    >;

/// A suite of typed tests that needs nothing from a fixture.
#define KOKKOSMMA_TEST_EVERY_SPACE(suite) \
  KOKKOSMMA_TYPED_TESTS(suite, ::KokkosMMA::Testing::ExecutionSpaces)

#ifdef KOKKOS_ENABLE_CUDA
template <class Exec>
inline constexpr bool on_cuda = std::is_same_v<Exec, Kokkos::Cuda>;
#else
template <class Exec>
inline constexpr bool on_cuda = false;
#endif

#ifdef KOKKOS_ENABLE_CUDA
struct CountOnCuda {
  KOKKOS_FUNCTION void operator()(int, int& update) const { ++update; }
};
#endif

/// Tells which route the calls since its construction (or reset()) took.
///
/// It first leaves behind a route that the calls under test must overwrite:
/// generic before a call that has to be routed, streamed before one on a host
/// space, where a call must leave no trace.
template <class Exec>
class RouteProbe {
 public:
  RouteProbe() { reset(); }

  void reset() {
#ifdef KOKKOS_ENABLE_CUDA
    ScopedSettings scope(
        Settings{on_cuda<Exec> ? Route::generic : Route::streamed});
    int count = 0;
    Kokkos::parallel_reduce("RouteProbe",
                            Kokkos::RangePolicy<Kokkos::Cuda>(0, 1),
                            CountOnCuda(), count);
#endif
    m_before = last_route();
  }

  /// On Cuda: the last call took this route. On a host space: it was not
  /// intercepted.
  ::testing::AssertionResult took(Route expected) const {
    Route const seen = last_route();
    if constexpr (on_cuda<Exec>) {
      if (seen == expected) return ::testing::AssertionSuccess();
      return ::testing::AssertionFailure()
             << "the call took route " << to_string(seen) << " instead of "
             << to_string(expected);
    } else {
      if (seen == m_before) return ::testing::AssertionSuccess();
      return ::testing::AssertionFailure()
             << "a call on " << Exec::name()
             << ", a host execution space, was intercepted: last_route() is "
             << to_string(seen) << " and was " << to_string(m_before);
    }
  }
  ::testing::AssertionResult streamed() const { return took(Route::streamed); }
  ::testing::AssertionResult went_to_kokkos() const {
    return took(Route::generic);
  }

 private:
  Route m_before = Route::automatic;
};

/// x(i) = value(i) for a rank-1 View anywhere, by way of a host copy.
template <class View, class Value>
void fill(View const& x, Value&& value) {
  auto host = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    host(i) = static_cast<typename View::non_const_value_type>(value(i));
  Kokkos::deep_copy(x, host);
}

template <class T, class Exec, class Value>
Kokkos::View<T*, Exec> make_view(std::size_t n, Value&& value) {
  Kokkos::View<T*, Exec> x(
      Kokkos::view_alloc("data", Kokkos::WithoutInitializing), n);
  fill(x, std::forward<Value>(value));
  return x;
}

template <class Exec, class T>
Kokkos::View<T*, Exec> view_of(std::vector<T> const& values) {
  return make_view<T, Exec>(values.size(),
                            [&](std::size_t i) { return values[i]; });
}

/// The elements of any View after all work has finished. A copy also where the
/// host reaches the memory: what follows may poison it.
template <class View>
auto host_copy(View const& view) {
  Kokkos::fence("KokkosMMA::Testing::host_copy");
  auto const host = Kokkos::create_mirror(view);
  Kokkos::deep_copy(host, view);
  return host;
}

/// What outputs hold before a call: a value that no test computes.
template <class T>
T poison() {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memset(static_cast<void*>(&value), 0xa5, sizeof(T));
  return value;
}

template <class T, class Space>
Kokkos::View<T, Space> poisoned_view() {
  Kokkos::View<T, Space> result(
      Kokkos::view_alloc("result", Kokkos::WithoutInitializing));
  auto host = Kokkos::create_mirror_view(result);
  host()    = poison<T>();
  Kokkos::deep_copy(result, host);
  return result;
}

template <class View>
typename View::non_const_value_type value_of(View const& x) {
  Kokkos::fence("KokkosMMA::Testing::value_of");
  auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  return host();
}

template <class T, class Exec>
Kokkos::View<T*, Exec> poisoned_array(std::size_t n) {
  Kokkos::View<T*, Exec> const y(
      Kokkos::view_alloc("data", Kokkos::WithoutInitializing), n);
  auto const host = Kokkos::create_mirror_view(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, Kokkos::HostSpace()), y);
  std::memset(static_cast<void*>(host.data()), 0xa5, n * sizeof(T));
  Kokkos::deep_copy(y, host);
  return y;
}

template <class View>
std::vector<typename View::non_const_value_type> elements_of(View const& x) {
  Kokkos::fence("KokkosMMA::Testing::elements_of");
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  return {host.data(), host.data() + host.extent(0)};
}

template <class T>
bool same_bits(T const& a, T const& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::memcmp(static_cast<void const*>(&a), static_cast<void const*>(&b),
                     sizeof(T)) == 0;
}

/// Equal, or with the same bits where a type has no operator==.
template <class T>
::testing::AssertionResult is_value(T const& expected, T const& found) {
  if constexpr (requires { expected == found; }) {
    if (expected == found) return ::testing::AssertionSuccess();
  } else {
    if (same_bits(expected, found)) return ::testing::AssertionSuccess();
  }
  auto failure = ::testing::AssertionFailure();
  if constexpr (std::is_arithmetic_v<T>) {
    failure << +found << " instead of " << +expected;
  }
  return failure;
}

/// A reduction to a variable and to a View, both poisoned before.
template <class T, class Policy, class Functor>
void expect_reduced(T const& expected, Policy const& policy,
                    Functor const& functor, Route route = Route::streamed) {
  using Exec = typename Policy::execution_space;
  T scalar   = poison<T>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("to a variable", policy, functor, scalar);
  EXPECT_TRUE(probe.took(route));
  EXPECT_TRUE(is_value(expected, scalar));
  auto const view = poisoned_view<T, Exec>();
  probe.reset();
  Kokkos::parallel_reduce(policy, functor, view);
  EXPECT_TRUE(probe.took(route));
  EXPECT_TRUE(is_value(expected, value_of(view)));
}

/// Distance from 1 to the next number. half_t and bhalf_t are float in a Kokkos
/// without them.
template <class T>
inline constexpr double epsilon = std::numeric_limits<T>::epsilon();
template <class T>
requires(sizeof(T) == 2) inline constexpr double epsilon<T> =
    std::is_same_v<T, Kokkos::Experimental::half_t> ? 0x1p-10 : 0x1p-7;

/// update += x(i): the functor of a plain sum, also for calls that give only an
/// integer count.
template <class T, class Exec, class Data = Kokkos::View<T const*, Exec>,
          class Result = T>
struct ElementSum {
  using execution_space = Exec;
  using value_type      = Result;
  Data x;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index i, Result& update) const {
    update += static_cast<Result>(x(i));
  }
};

}  // namespace KokkosMMA::Testing

#endif
