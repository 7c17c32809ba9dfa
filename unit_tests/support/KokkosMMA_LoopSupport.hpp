// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_TESTING_LOOP_SUPPORT_HPP
#define KOKKOSMMA_TESTING_LOOP_SUPPORT_HPP

#include <KokkosMMA_TestSupport.hpp>
#include <core/loops/KokkosMMA_CachedLaunch.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

/// \file
/// What the tests of loops under the drop-in share.

namespace KokkosMMA::Testing {

/// Whether x(i) == factor * i for all i. Takes the values away, so that no
/// later loop finds them.
template <class View>
bool holds_multiples(View const& x, int factor) {
  Kokkos::fence();
  auto const host = host_copy(x);
  bool holds      = true;
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    holds   = holds && host(i) == factor * std::int64_t(i);
    host(i) = -1;
  }
  Kokkos::deep_copy(x, host);
  return holds;
}

template <class View, class Make>
void fill_random(View const& view, Make const& make) {
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < view.extent(0); ++i)
    for (std::size_t j = 0; j < view.extent(1); ++j) host(i, j) = make();
  Kokkos::deep_copy(view, host);
}

/// As often as a call is measured, and more: all launches of a loop run.
#ifdef KOKKOS_ENABLE_CUDA
inline constexpr int every_launch = 40;
#else
inline constexpr int every_launch = 2;
#endif

/// Runs a call by every launch that it may have, with check() after each.
template <class Call, class Check>
void each_launch(Call const& call, Check const& check) {
  for (Route const route :
       {Route::generic, Route::streamed, Route::automatic}) {
    SCOPED_TRACE(to_string(route));
    ScopedSettings const scope(Settings{route});
    int const rounds = route == Route::generic ? 1 : every_launch;
    for (int round = 0; round < rounds; ++round) {
      call();
      check();
      if (::testing::Test::HasFailure()) return;
    }
  }
}

/// Runs a call by every launch that it may have: each leaves the numbers in
/// these Views that Kokkos' own launch leaves, and at least one of them is new.
template <class Call, class... Views>
void expect_bits_of_kokkos(Call const& call, Views const&... outputs) {
  auto const erase   = [&] { (Kokkos::deep_copy(outputs, -7), ...); };
  auto const numbers = [&] {
    std::vector<double> all;
    auto const append = [&](auto const& view) {
      auto const host = host_copy(view);
      using T         = typename std::decay_t<decltype(view)>::value_type;
      using Number =
          std::conditional_t<std::is_same_v<T, Kokkos::complex<double>>, double,
                             T>;
      auto const* const first = reinterpret_cast<Number const*>(host.data());
      all.insert(all.end(), first,
                 first + host.size() * sizeof(T) / sizeof(Number));
    };
    (append(outputs), ...);
    return all;
  };
  erase();
  std::vector<double> const erased = numbers();
  std::vector<double> first;
  each_launch(call, [&] {
    std::vector<double> const now = numbers();
    if (first.empty()) first = now;  // by Kokkos
    ASSERT_EQ(first, now);
    erase();
  });
  EXPECT_NE(erased, first);
}

/// Which route the loops since its construction took, the last of them.
template <class Exec>
class LoopProbe {
 public:
  LoopProbe() { reset(); }
  void reset() {
#ifdef KOKKOS_ENABLE_CUDA
    seen() = Route::automatic;
#endif
  }
  /// On Cuda; on a host space nothing is intercepted.
  /// \param expected `automatic`: the loop kept Kokkos' class
  ::testing::AssertionResult took([[maybe_unused]] Route expected) const {
#ifdef KOKKOS_ENABLE_CUDA
    if (seen() != (on_cuda<Exec> ? expected : Route::automatic))
      return ::testing::AssertionFailure()
             << "the loop took route " << to_string(seen());
#endif
    return ::testing::AssertionSuccess();
  }

 private:
  static Route& seen() { return heard_route(Impl::Observed::loop); }
};

/// The calls of each index of [0, n), counted on the device.
template <class Exec>
class CallCounts {
 public:
  explicit CallCounts(std::size_t n) : counts("counts", n) {}

  ::testing::AssertionResult once() {
    auto const host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = host.extent(0); i-- > 0;)
      if (host(i) != 1) {
        ++wrong;
        first = i;
      }
    // By bytes: a fill by a loop would be one more of those under test.
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = 0;
    Kokkos::deep_copy(counts, host);
    if (wrong == 0) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << wrong << " of " << host.extent(0)
           << " indices were not called once, the first is " << first;
  }

  Kokkos::View<int*, Exec> counts;
};

}  // namespace KokkosMMA::Testing

#endif
