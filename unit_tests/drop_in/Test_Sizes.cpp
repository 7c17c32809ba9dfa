// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lengths around every boundary that a kernel may have, and the same bits from
// run to run.

#include <KokkosMMA_TestSupport.hpp>

#include <cmath>
#include <vector>

namespace {

using KokkosMMA::Testing::ElementSum;
using KokkosMMA::Testing::ExecutionSpaces;
using KokkosMMA::Testing::make_view;
using KokkosMMA::Testing::on_cuda;
using KokkosMMA::Testing::poison;
using KokkosMMA::Testing::poisoned_view;
using KokkosMMA::Testing::Random;
using KokkosMMA::Testing::RouteProbe;
using KokkosMMA::Testing::same_bits;
using KokkosMMA::Testing::value_of;

template <class Exec>
class Sizes : public ::testing::Test {};
TYPED_TEST_SUITE(Sizes, ExecutionSpaces);

constexpr std::int64_t longest = (std::int64_t(1) << 20) + 9;

/// Runs that are compared bit by bit with the first.
constexpr int runs = 20;

template <class Exec>
void check_sizes() {
  Random random;
  SCOPED_TRACE(random.note());
  std::vector<std::uint64_t> prefix(longest +
                                    1);  // sum of x below i, modulo 2^64
  auto const x = make_view<std::uint64_t, Exec>(longest, [&](std::size_t i) {
    auto const value = random.bits();
    prefix[i + 1]    = prefix[i] + value;
    return value;
  });
  ElementSum<std::uint64_t, Exec> const functor{x};

  std::vector<std::int64_t> lengths = {0, 1, 2, 3, 100003, longest};
  for (int power = 5; power <= 20; ++power)
    for (int off = -1; off <= 1; ++off)
      lengths.push_back((std::int64_t(1) << power) + off);
  for (int k = 0; k < 40; ++k) lengths.push_back(random.integer(1, longest));
  // whole waves of the 132 multiprocessors of an H200, one index more and one
  // less
  for (int block : {128, 256, 512, 1024})
    for (int off = -1; off <= 1; ++off) lengths.push_back(132 * block + off);

  auto const view = poisoned_view<std::uint64_t, Exec>();
  for (std::int64_t const n : lengths)
    for (std::int64_t const begin : {0, 1, 6}) {
      if (begin + n > longest) continue;
      SCOPED_TRACE("n = " + std::to_string(n) + " from " +
                   std::to_string(begin));
      std::uint64_t const expected = prefix[begin + n] - prefix[begin];
      Kokkos::RangePolicy<Exec> const policy(begin, begin + n);
      std::uint64_t scalar = poison<std::uint64_t>();
      Kokkos::parallel_reduce(policy, functor, scalar);
      ASSERT_EQ(expected, scalar);
      if (begin == 1) {
        Kokkos::parallel_reduce(policy, functor, view);
        ASSERT_EQ(expected, value_of(view));
      }
    }
}
TYPED_TEST(Sizes, ExactAtEveryBoundary) { check_sizes<TypeParam>(); }

/// From one element to the longest, the route is the same.
template <class Exec>
void check_route() {
  auto const x = make_view<std::int64_t, Exec>(
      longest, [](std::size_t i) { return std::int64_t(i); });
  for (std::int64_t n = 1; n <= longest; n = 3 * n + 1) {
    std::int64_t scalar = poison<std::int64_t>();
    RouteProbe<Exec> probe;
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(0, n),
                            ElementSum<std::int64_t, Exec>{x}, scalar);
    EXPECT_TRUE(probe.streamed()) << "n = " << n;
    EXPECT_EQ(n * (n - 1) / 2, scalar);
  }
}
TYPED_TEST(Sizes, RouteIsTheSameForEveryLength) { check_route<TypeParam>(); }

template <class Exec, class T>
void check_reproducible() {
  Random random;
  SCOPED_TRACE(random.note());
  auto const x = make_view<T, Exec>(longest, [&](std::size_t) {
    return random.normal() * std::ldexp(1., random.integer(-20, 20));
  });
  ElementSum<T, Exec> const functor{x};
  // the default instance and, where there are others, another one
  std::vector<Exec> instances{Exec()};
  if constexpr (on_cuda<Exec>) {
    instances.push_back(Kokkos::Experimental::partition_space(
        Exec(), std::vector<int>{1, 1})[1]);
  }
  for (std::int64_t const n : {3l, 777l, 5000l, 100003l, 1l * longest}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    T first = poison<T>();
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(0, n), functor, first);
    auto const view = poisoned_view<T, Exec>();
    for (int run = 0; run < runs; ++run) {
      Exec const& exec = instances[run % instances.size()];
      T again          = poison<T>();
      Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(exec, 0, n), functor,
                              again);
      ASSERT_TRUE(same_bits(first, again)) << first << " and " << again;
      if (run % 5 != 0) continue;
      Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(exec, 0, n), functor,
                              view);
      again = value_of(view);
      ASSERT_TRUE(same_bits(first, again)) << first << " and " << again;
    }
  }
}
TYPED_TEST(Sizes, FloatSumsAreReproducible) {
  check_reproducible<TypeParam, float>();
}
TYPED_TEST(Sizes, DoubleSumsAreReproducible) {
  check_reproducible<TypeParam, double>();
}

}  // namespace
