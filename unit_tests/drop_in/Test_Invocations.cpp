// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a functor is invoked: with which arguments, and whose members it writes
// to. Overloads, explicit copies and mutable members: random_calls.

#include <KokkosMMA_LoopSupport.hpp>

#include <cstdint>
#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Invocations);

constexpr std::int64_t few = 901, many = 300007;

// --- members that a functor writes ------------------------------------------

// In Kokkos 4 each thread of a device has a copy of a functor. In Kokkos 5 the
// functor lies in constant memory, and a store to it is lost or worse; on
// OpenMP all threads share one.
#if defined(KOKKOS_ENABLE_CUDA) && KOKKOS_VERSION < 50000
using OnCuda4 = Invocations<Kokkos::Cuda>;

/// Remembers what it has computed for the last block of eight indices, in two
/// scalars and an array that is indexed at run time.
template <class Exec>
struct Remembers {
  Kokkos::View<std::int64_t*, Exec> out;
  mutable std::int64_t block       = -1;
  mutable std::int64_t invocations = 0;
  mutable int table[8]             = {};

  KOKKOS_FUNCTION std::int64_t value(std::int64_t i) const {
    if (block != i / 8) {
      block = i / 8;
      for (int k = 0; k < 8; ++k) table[k] = int(block % 100 + k);
    }
    ++invocations;
    return table[i % 8] + (invocations > 0 ? 0 : 1000);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { out(i) = value(i); }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum) const {
    sum += value(i);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum,
                                  bool final) const {
    sum += value(i);
    if (final) out(i) = sum;
  }
};

std::int64_t remembered(std::int64_t i) { return i / 8 % 100 + i % 8; }

/// An array of sums, whose length the functor says.
template <class Exec>
struct RememberedArray : Remembers<Exec> {
  using value_type     = std::int64_t[];
  unsigned value_count = 3;
  KOKKOS_FUNCTION void operator()(std::int64_t i,
                                  std::int64_t* const sums) const {
    sums[i % 3] += this->value(i);
  }
};

template <class Exec>
struct RememberingTeam : Remembers<Exec> {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  /// A nested functor with members of its own that it writes.
  struct Row {
    RememberingTeam const& of;
    std::int64_t first;
    mutable std::int64_t last = 0;
    KOKKOS_FUNCTION void operator()(int k, std::int64_t& sum) const {
      last = of.value(first + k);
      sum += last;
    }
  };
  KOKKOS_FUNCTION std::int64_t row(Member const& member) const {
    std::int64_t sum = 0;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(member, 30),
                            Row{*this, std::int64_t(member.league_rank()) * 30},
                            sum);
    return sum;
  }
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t const sum = row(member);
    if (member.team_rank() == 0) this->out(member.league_rank()) = sum;
  }
  KOKKOS_FUNCTION void operator()(Member const& member,
                                  std::int64_t& total) const {
    std::int64_t const sum = row(member);
    if (member.team_rank() == 0) total += sum;
  }
};

TEST_F(OnCuda4, ArraysAndTeamsThatWriteTheirMembers) {
  using Exec           = Kokkos::Cuda;
  std::int64_t const n = 30 * 700;
  Kokkos::View<std::int64_t*, Exec> const out("out", n);
  RememberedArray<Exec> const array{{out}};
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> const sums("sums", 3);
  std::int64_t expected[3] = {}, total = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    expected[i % 3] += remembered(i);
    total += remembered(i);
  }
  each_launch(
      [&] {
        Kokkos::parallel_reduce(
            "array",
            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, n),
            array, sums);
        Kokkos::fence();
      },
      [&] {
        for (int k = 0; k < 3; ++k) EXPECT_EQ(expected[k], sums(k));
        Kokkos::deep_copy(sums, -1);
      });

  int const threads = 32;
  Kokkos::TeamPolicy<Exec> const policy(int(n / 30), threads);
  RememberingTeam<Exec> const team{{out}};
  each_launch([&] { Kokkos::parallel_for("teams", policy, team); },
              [&] {
                auto const host = Kokkos::create_mirror_view_and_copy(
                    Kokkos::HostSpace(), out);
                for (std::int64_t row = 0; row < n / 30; ++row) {
                  std::int64_t sum = 0;
                  for (int k = 0; k < 30; ++k) sum += remembered(row * 30 + k);
                  ASSERT_EQ(sum, host(row)) << row;
                }
                Kokkos::deep_copy(out, -1);
              });
  std::int64_t sum = 0;
  each_launch([&] { Kokkos::parallel_reduce("sum", policy, team, sum); },
              [&] {
                EXPECT_EQ(total, sum);
                sum = -1;
              });
}

#endif

// --- overloads --------------------------------------------------------------

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
    auto const host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), kinds);
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
  for (int const n : {int(few), int(many)}) {
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
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
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
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(11, host(i)) << i;
}
TYPED_TEST(Invocations, ConstantClosures) {
  check_constant_closures<TypeParam>();
}

}  // namespace
