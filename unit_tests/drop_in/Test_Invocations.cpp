// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a functor is invoked: which overload of its operator() runs, and whose
// members it writes to.

#include <KokkosMMA_LoopSupport.hpp>

#include <cstdint>
#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class Invocations : public ::testing::Test {};
TYPED_TEST_SUITE(Invocations, ExecutionSpaces);

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
/// A box has two indices before the sum.
template <class Exec>
struct RemembersInBox : Remembers<Exec> {
  KOKKOS_FUNCTION void operator()(int i, int j) const {
    this->out(i * 30 + j) = this->value(i * 30 + j);
  }
  KOKKOS_FUNCTION void operator()(int i, int j, std::int64_t& sum) const {
    sum += this->value(i * 30 + j);
  }
};

std::int64_t remembered(std::int64_t i) { return i / 8 % 100 + i % 8; }

template <class View>
bool holds(View const& out, std::int64_t n, bool sums) {
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  std::int64_t sum = 0;
  bool right       = true;
  for (std::int64_t i = 0; i < n; ++i) {
    sum += remembered(i);
    right = right && host(i) == (sums ? sum : remembered(i));
  }
  Kokkos::deep_copy(out, -1);
  return right;
}

TEST_F(OnCuda4, FunctorsThatWriteTheirMembers) {
  using Exec = Kokkos::Cuda;
  for (std::int64_t const n : {few / 30 * 30, many / 30 * 30}) {
    Kokkos::View<std::int64_t*, Exec> const out("out", n);
    Remembers<Exec> const f{out};
    RemembersInBox<Exec> const g{{out}};
    using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < n; ++i) expected += remembered(i);

    each_launch([&] { Kokkos::parallel_for("loop", Range(0, n), f); },
                [&] { EXPECT_TRUE(holds(out, n, false)); });
    using Box = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;
    each_launch(
        [&] {
          Kokkos::parallel_for("box", Box({0, 0}, {n / 30, 30}), g);
        },
        [&] { EXPECT_TRUE(holds(out, n, false)); });
    std::int64_t sum = 0;
    each_launch([&] { Kokkos::parallel_reduce("sum", Range(0, n), f, sum); },
                [&] {
                  EXPECT_EQ(expected, sum);
                  sum = -1;
                });
    each_launch(
        [&] {
          Kokkos::parallel_reduce("box", Box({0, 0}, {n / 30, 30}), g, sum);
        },
        [&] {
          EXPECT_EQ(expected, sum);
          sum = -1;
        });
    each_launch([&] { Kokkos::parallel_scan("scan", Range(0, n), f, sum); },
                [&] {
                  EXPECT_TRUE(holds(out, n, true));
                  EXPECT_EQ(expected, sum);
                });
  }
}

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

template <class Exec>
struct Overloaded {
  Kokkos::View<int*, Exec> out;
  KOKKOS_FUNCTION void operator()(int const& i) const { out(i) = 1; }
  KOKKOS_FUNCTION void operator()(int const&& i) const { out(i) = 2; }
  KOKKOS_FUNCTION void operator()(int const& i) { out(i) = 3; }
};
template <class Exec>
struct TakesLvalues {
  Kokkos::View<int*, Exec> out;
  template <class I>
  KOKKOS_FUNCTION void operator()(I& i) const {
    out(i) = 1;
  }
  template <class I>
  KOKKOS_FUNCTION void operator()(I& i, I& j) const {
    out(i * 100 + j) = 1;
  }
  template <class I>
  KOKKOS_FUNCTION void operator()(I& i, I& j, long& sum) const {
    sum += i * 100 + j;
  }
};
template <class Exec>
struct TeamTakesLvalues {
  Kokkos::View<int*, Exec> out;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member& member, long& sum) const {
    if (member.team_rank() == 0) sum += member.league_rank();
  }
};

#ifdef KOKKOS_ENABLE_CUDA
// Kokkos' own loops on hosts pass rvalues in places.
using OnCuda = Invocations<Kokkos::Cuda>;

TEST_F(OnCuda, OverloadsByConstAndReference) {
  using Exec = Kokkos::Cuda;
  Kokkos::View<int*, Exec> const out("out", many);
  auto const all_one = [&](int n) {
    auto const host =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
    bool right = true;
    for (int i = 0; i < n; ++i) right = right && host(i) == 1;
    Kokkos::deep_copy(out, 0);
    return right;
  };
  for (int const n : {int(few), int(many)})
    each_launch(
        [&] {
          Kokkos::parallel_for("overloads",
                               Kokkos::RangePolicy<Exec, int>(0, n),
                               Overloaded<Exec>{out});
        },
        [&] { EXPECT_TRUE(all_one(n)); });
  TakesLvalues<Exec> const f{out};
  each_launch(
      [&] {
        Kokkos::parallel_for("lvalues", Kokkos::RangePolicy<Exec, int>(0, few),
                             f);
      },
      [&] { EXPECT_TRUE(all_one(few)); });
  using Box = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;
  each_launch(
      [&] {
        Kokkos::parallel_for("box", Box({0, 0}, {9, 100}), f);
      },
      [&] { EXPECT_TRUE(all_one(900)); });
  long sum = 0;
  each_launch(
      [&] {
        Kokkos::parallel_reduce("box", Box({0, 0}, {9, 100}), f, sum);
      },
      [&] {
        EXPECT_EQ(899 * 450, sum);
        sum = 0;
      });
  each_launch(
      [&] {
        Kokkos::parallel_reduce("teams", Kokkos::TeamPolicy<Exec>(40, 1),
                                TeamTakesLvalues<Exec>{out}, sum);
      },
      [&] {
        EXPECT_EQ(780, sum);
        sum = 0;
      });
}

void check_nested_scans() {
  using Exec = Kokkos::Cuda;
  using Team = Kokkos::TeamPolicy<Exec>;
  Kokkos::View<int*, Exec> const out("out", 40 * 100);
  each_launch(
      [&] {
        Kokkos::parallel_for(
            "teams", Team(40, 32),
            KOKKOS_LAMBDA(Team::member_type const& member) {
              int const row = member.league_rank() * 100;
              Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, 100),
                                    [&](int& i, int& sum, bool final) {
                                      sum += i;
                                      if (final) out(row + i) = sum;
                                    });
            });
      },
      [&] {
        auto const host =
            Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
        for (int i = 0; i < 4000; ++i)
          ASSERT_EQ(i % 100 * (i % 100 + 1) / 2, host(i)) << i;
        Kokkos::deep_copy(out, -1);
      });
}
TEST_F(OnCuda, NestedScansWithLvalues) { check_nested_scans(); }
#endif

// --- copies -----------------------------------------------------------------

template <class Exec>
struct ExplicitlyCopied {
  Kokkos::View<int*, Exec> x;
  explicit ExplicitlyCopied(Kokkos::View<int*, Exec> const& view) : x(view) {}
  KOKKOS_FUNCTION explicit ExplicitlyCopied(ExplicitlyCopied const& other)
      : x(other.x) {}
  KOKKOS_FUNCTION void operator()(int i) const { x(i) = i; }
  KOKKOS_FUNCTION void operator()(int i, long& sum) const { sum += i; }
  KOKKOS_FUNCTION void operator()(int i, int j, long& sum) const {
    sum += i * 10 + j;
  }
};

TYPED_TEST(Invocations, ExplicitCopyConstructors) {
  using Exec = TypeParam;
  Kokkos::View<int*, Exec> const x("x", 1000);
  ExplicitlyCopied<Exec> const f(x);
  Kokkos::parallel_for("loop", Kokkos::RangePolicy<Exec, int>(0, 1000), f);
  long sum = 0;
  Kokkos::parallel_reduce("sum", Kokkos::RangePolicy<Exec, int>(0, 1000), f,
                          sum);
  EXPECT_EQ(499500, sum);
  Kokkos::parallel_reduce(
      "box", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {100, 10}), f,
      sum);
  EXPECT_EQ(499500, sum);
}

/// Has an operator& of its own, which Kokkos applies only to functors of
/// reductions and scans.
template <class Exec>
struct OwnAddress {
  Kokkos::View<int*, Exec> x;
  KOKKOS_FUNCTION int operator&() const { return 0; }
  KOKKOS_FUNCTION void operator()(int i) const { x(i) = i; }
  KOKKOS_FUNCTION void operator()(int i, int j) const { x(10 * i + j) -= i; }
};

TYPED_TEST(Invocations, LoopsOfFunctorsWithTheirOwnAddress) {
  using Exec = TypeParam;
  Kokkos::View<int*, Exec> const x("x", 1000);
  OwnAddress<Exec> const f{x};
  Kokkos::parallel_for("loop", Kokkos::RangePolicy<Exec, int>(0, 1000), f);
  Kokkos::parallel_for(
      "box", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {100, 10}),
      f);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(i - i / 10, host(i)) << i;
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
