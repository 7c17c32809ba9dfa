// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a functor is invoked. Overloads, explicit copies and mutable members:
// random_calls.

#include <KokkosMMA_LoopSupport.hpp>

#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Invocations);

constexpr int few = 901, many = 300007;

enum Kind : int { none, lvalue, constant_lvalue, rvalue, constant_rvalue };

/// What kind of argument T is deduced from.
template <class T>
constexpr Kind kind_of =
    std::is_lvalue_reference_v<T>
        ? std::is_const_v<std::remove_reference_t<T>> ? constant_lvalue : lvalue
    : std::is_const_v<T> ? constant_rvalue
                         : rvalue;

/// Records as digits how it receives its arguments.
template <class Exec>
struct Records {
  Kokkos::View<int*, Exec> kinds;

  template <class... Arguments>
  KOKKOS_FUNCTION void operator()(Arguments&&... arguments) const {
    int digits = 1;
    ((digits = digits * 10 + kind_of<Arguments>), ...);
    kinds(at(arguments...)) = digits;
  }
  template <class Index, class... Others>
  KOKKOS_FUNCTION static int at(Index const& i, Others const&...) {
    return int(i);
  }
};

template <class Exec, class Call>
void expect_kinds(Kokkos::View<int*, Exec> const& kinds, Call const& call) {
  int expected = 0;
  each_launch(call, [&] {
    auto const host = host_copy(kinds);
    // Kokkos' own launch comes first.
    if (expected == 0) expected = host(0);
    EXPECT_NE(0, expected);
    for (std::size_t i = 0; i < host.extent(0); ++i)
      ASSERT_EQ(expected, host(i)) << i;
    Kokkos::deep_copy(kinds, 0);
  });
}

template <class Exec>
struct RecordsSum : Records<Exec> {
  using value_type = long;
};

TYPED_TEST(Invocations, ArgumentsAreThoseOfKokkos) {
  using Exec  = TypeParam;
  using Range = Kokkos::RangePolicy<Exec, int>;
  using Box   = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;
  for (int const n : {few, many}) {
    SCOPED_TRACE(n);
    Kokkos::View<int*, Exec> const kinds("kinds", n);
    Records<Exec> const f{kinds};
    expect_kinds<Exec>(kinds,
                       [&] { Kokkos::parallel_for("loop", Range(0, n), f); });
    expect_kinds<Exec>(kinds, [&] {
      Kokkos::parallel_for("box", Box({0, 0}, {n, 3}), f);
    });
    RecordsSum<Exec> const g{{kinds}};
    long sum = 0;
    expect_kinds<Exec>(
        kinds, [&] { Kokkos::parallel_reduce("sum", Range(0, n), g, sum); });
    expect_kinds<Exec>(kinds, [&] {
      Kokkos::parallel_reduce("box", Box({0, 0}, {n, 3}), g, sum);
    });
    expect_kinds<Exec>(kinds,
                       [&] { Kokkos::parallel_scan("scan", Range(0, n), g); });
  }
}

/// Has an operator& of its own, whose result Kokkos does not use.
template <class Exec>
struct OwnAddress {
  Kokkos::View<int*, Exec> x;
  KOKKOS_FUNCTION OwnAddress const* operator&() const { return nullptr; }
  KOKKOS_FUNCTION void operator()(int i) const { x(i) = i; }
  KOKKOS_FUNCTION void operator()(int i, int j) const { x(10 * i + j) -= i; }
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& sum) const {
    sum += x(i);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, std::int64_t& sum) const {
    sum += x(10 * i + j);
  }
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& sum, bool final) const {
    sum += x(i);
    if (final) x(i) = sum;
  }
};

TYPED_TEST(Invocations, FunctorsWithTheirOwnAddress) {
  using Exec  = TypeParam;
  using Range = Kokkos::RangePolicy<Exec, int>;
  using Box   = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;
  Kokkos::View<int*, Exec> const x("x", 1000);
  OwnAddress<Exec> const f{x};
  std::int64_t sum = 0, sum_of_box = 0, total = 0, prefix = 0;
  Kokkos::parallel_for("loop", Range(0, 1000), f);
  Kokkos::parallel_for("box", Box({0, 0}, {100, 10}), f);
  Kokkos::parallel_reduce("sum", Range(0, 1000), f, sum);
  Kokkos::parallel_reduce("box", Box({0, 0}, {100, 10}), f, sum_of_box);
  Kokkos::parallel_scan("scan", Range(0, 1000), f, total);
  auto const host = host_copy(x);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(prefix += i - i / 10, host(i)) << i;
  EXPECT_EQ(prefix, sum);
  EXPECT_EQ(prefix, sum_of_box);
  EXPECT_EQ(prefix, total);
}

/// As code that makes Kokkos' closures itself does.
template <class Exec>
void check_constant_closures() {
  using Team   = Kokkos::TeamPolicy<Exec>;
  using Range  = Kokkos::RangePolicy<Exec>;
  auto const x = Kokkos::View<int*, Exec>("x", 30);
  auto const f = KOKKOS_LAMBDA(typename Team::member_type const& member) {
    Kokkos::single(Kokkos::PerTeam(member),
                   [&] { x(member.league_rank()) += 1; });
  };
  auto const g = KOKKOS_LAMBDA(int i) { x(i) += 10; };
  Kokkos::Impl::ParallelFor<std::remove_const_t<decltype(f)>, Team, Exec> const
      teams(f, Team(30, 1));
  teams.execute();
  Kokkos::Impl::ParallelFor<std::remove_const_t<decltype(g)>, Range, Exec> const
      range(g, Range(0, 30));
  range.execute();
  Kokkos::fence();
  auto const host = host_copy(x);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(11, host(i)) << i;
}
TYPED_TEST(Invocations, ConstantClosures) {
  check_constant_closures<TypeParam>();
}

}  // namespace
