// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions and scans inside kernels of TeamPolicy: every lane gets the
// result, for teams that fill warps, parts of warps and several warps, and
// counts around their sizes.

#include "AlgorithmSupport.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using KokkosMMA::Impl::accumulator_t;
using KokkosMMA::Impl::chosen_accumulator_t;
using namespace KokkosMMA::Testing;

struct Geometry {
  int team;  ///< 0: as Kokkos likes
  int vector;
};

template <class Exec>
std::vector<Geometry> geometries() {
  if (!on_cuda<Exec>) return {{1, 1}, {0, 1}, {1, 4}};
  return {{1, 1},  {1, 2},  {1, 32}, {2, 16}, {3, 4},    {5, 8},   {7, 1},
          {8, 4},  {32, 1}, {33, 1}, {13, 2}, {4, 32},   {100, 1}, {128, 1},
          {31, 8}, {64, 4}, {8, 32}, {0, 4},  {1000, 1}, {32, 32}};
}

std::string name(Geometry g) {
  return "team " + std::to_string(g.team) + " x " + std::to_string(g.vector);
}

/// Around the lanes of a group, four and eight times as many, and of 16-byte
/// vectors times these.
std::vector<int> test_counts() {
  return {0,    1,    2,    3,    5,    7,    9,    15,   16,  17,
          31,   32,   33,   48,   49,   63,   64,   65,   100, 127,
          128,  129,  255,  256,  257,  401,  511,  513,  777, 1023,
          1024, 1025, 2047, 2049, 4096, 4099, 8200, 33000};
}
constexpr int max_count = 33000;

// A kernel of a thousand lanes has few registers for each.
template <class Exec>
using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 1>>;

template <class Exec>
Policy<Exec> team_policy(int league, Geometry g) {
  if (g.team == 0) return Policy<Exec>(league, Kokkos::AUTO, g.vector);
  return Policy<Exec>(league, g.team, g.vector);
}

template <class Exec>
using Member = typename Policy<Exec>::member_type;
template <class Exec>
using Counts = Kokkos::View<int*, Exec>;

template <class Exec>
Counts<Exec> device_counts(std::vector<int> const& counts) {
  return make_view<int, Exec>(counts.size(),
                              [&](std::size_t i) { return counts[i]; });
}

/// What every lane of every team got, one value or several. Lanes beyond the
/// team stay poisoned.
template <class T, class Exec>
struct Results {
  static constexpr int max_lanes = 1024;
  int vector;
  Kokkos::View<T***, Kokkos::LayoutRight, Exec> of_lane;
  Kokkos::View<int*, Exec> team_size;

  Results(int league, int vector_length, int values = 1)
      : vector(vector_length),
        of_lane("of_lane", values, league, max_lanes),
        team_size("team_size", league) {
    auto const host = Kokkos::create_mirror_view(of_lane);
    std::fill_n(host.data(), host.size(), poison<T>());
    Kokkos::deep_copy(of_lane, host);
  }
  KOKKOS_FUNCTION void store(Member<Exec> const& member, T const& value,
                             int which = 0) const {
    team_size(member.league_rank()) = member.team_size();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, vector), [&](int v) {
      of_lane(which, member.league_rank(), member.team_rank() * vector + v) =
          value;
    });
  }
  template <class Expected>
  void check(Expected const& expected, int which = 0) const {
    auto const host  = host_copy(of_lane);
    auto const sizes = host_copy(team_size);
    for (int l = 0; l < int(sizes.extent(0)); ++l) {
      T const wanted = expected(l);
      int wrong      = 0;
      for (int lane = 0; lane < sizes(l) * vector; ++lane)
        wrong += !same_bits(wanted, host(which, l, lane));
      EXPECT_EQ(0, wrong) << "lanes with another result, first lane: "
                          << double(host(which, l, 0)) << " instead of "
                          << double(wanted) << ", team " << l << ", value "
                          << which;
    }
  }
};

/// Small integers, not periodic in any size of a group.
inline int pattern(std::size_t i) { return int((i * 2654435761u >> 7) % 11); }

template <class T, class Exec>
Kokkos::View<T*, Exec> patterns(std::size_t size) {
  return make_view<T, Exec>(
      size, [](std::size_t i) { return static_cast<T>(float(pattern(i))); });
}

/// Integers up to 10 so that all sums are exact in a float; the exact sum of
/// [first, first + count).
std::int64_t pattern_sum(std::size_t first, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += pattern(i);
  return sum;
}

KOKKOSMMA_TEST_EVERY_SPACE(TeamCollectives);

enum class Call { team_reduce, vector_reduce, inclusive_scan, exclusive_scan };

template <class T, class Exec>
struct CallFunctor {
  Counts<Exec> counts;
  Kokkos::View<T const*, Exec> x;
  RowMajor<T, Exec> y;
  Kokkos::View<int**, Exec> calls;
  Results<T, Exec> results;
  Call call;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    int const l       = member.league_rank();
    auto const reduce = [&](int i, T& update) {
      Kokkos::atomic_inc(&calls(l, i));
      update += x(l + i);
    };
    auto const scan = [&](int i, T& update, bool final) {
      if (call == Call::inclusive_scan) update += x(l + i);
      if (final) {
        y(l, i) = update;
        Kokkos::atomic_inc(&calls(l, i));
      }
      if (call == Call::exclusive_scan) update += x(l + i);
    };
    T result{};
    if (call == Call::team_reduce) {
      KokkosMMA::team_reduce(member, counts(l), reduce, result);
    } else if (call == Call::vector_reduce) {
      KokkosMMA::vector_reduce(member, counts(l), reduce, result);
    } else if (call == Call::exclusive_scan) {
      KokkosMMA::team_scan(member, counts(l), scan, result);
    } else {
      // What the scan wrote is there for everyone.
      KokkosMMA::team_scan(member, counts(l), scan);
      if (counts(l) > 0) result = y(l, counts(l) - 1);
    }
    results.store(member, result);
  }
};

template <class T, class Exec>
void call_functors() {
  auto const counts = test_counts();
  int const league  = int(counts.size());
  auto const x      = patterns<T, Exec>(max_count + league);
  // A 16-bit functor adds to what was rounded.
  auto const rounded = [](std::int64_t sum) {
    return static_cast<T>(static_cast<accumulator_t<T, T>>(sum));
  };
  for (Geometry const g : geometries<Exec>())
    for (Call const call : {Call::team_reduce, Call::vector_reduce,
                            Call::inclusive_scan, Call::exclusive_scan}) {
      SCOPED_TRACE(joined(name(g), ", call ", int(call)));
      bool const scans = call >= Call::inclusive_scan;
      RowMajor<T, Exec> const y("y", scans ? league : 0, max_count);
      Kokkos::View<int**, Exec> const calls("calls", league, max_count);
      CallFunctor<T, Exec> const body{
          device_counts<Exec>(counts), x, y, calls, {league, g.vector}, call};
      Kokkos::parallel_for("test", team_policy<Exec>(league, g), body);
      auto const host  = host_copy(y);
      auto const seen  = host_copy(calls);
      auto const sizes = host_copy(body.results.team_size);
      int wrong_sums = 0, wrong_calls = 0;
      for (int l = 0; l < league; ++l) {
        std::int64_t sum = 0;
        for (int i = 0; i < max_count; ++i) {
          bool const in    = i < counts[l];
          int const groups = call == Call::vector_reduce ? sizes(l) : 1;
          wrong_calls += seen(l, i) != (in ? groups : 0);
          if (!scans) continue;
          T expected = in ? rounded(sum) : static_cast<T>(0.f);
          if (in && call == Call::inclusive_scan)
            expected += static_cast<T>(float(pattern(l + i)));
          sum += pattern(l + i);
          wrong_sums += !same_bits(expected, host(l, i));
        }
      }
      EXPECT_EQ(0, wrong_sums);
      EXPECT_EQ(0, wrong_calls) << "indices not called once by every group";
      body.results.check([&](int l) {
        if (call == Call::inclusive_scan)
          return counts[l] == 0 ? static_cast<T>(0.f) : host(l, counts[l] - 1);
        return rounded(pattern_sum(l, counts[l]));
      });
    }
}
TYPED_TEST(TeamCollectives, FunctorsAreCalledOnce) {
  call_functors<int, TypeParam>();
  call_functors<double, TypeParam>();
  call_functors<half_t, TypeParam>();
}

/// Three numbers that are no built-in type: sums of 24 bytes.
struct Triple {
  double a, b;
  std::int64_t c;
  KOKKOS_FUNCTION Triple() : a(0), b(0), c(0) {}
  KOKKOS_FUNCTION Triple(double v) : a(v), b(2 * v), c(std::int64_t(v)) {}
  KOKKOS_FUNCTION Triple& operator+=(Triple const& o) {
    a += o.a;
    b += o.b;
    c += o.c;
    return *this;
  }
};

/// A reducer of a user: the largest two numbers.
template <class Exec>
struct LargestTwo {
  using reducer = LargestTwo;
  struct value_type {
    int first, second;
  };
  using result_view_type =
      Kokkos::View<value_type, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  value_type* result;

  KOKKOS_FUNCTION void init(value_type& value) const { value = {-1, -1}; }
  KOKKOS_FUNCTION void join(value_type& into, value_type const& from) const {
    value_type const old = into;
    if (from.first > old.first) {
      into.first  = from.first;
      into.second = from.second > old.first ? from.second : old.first;
    } else if (from.first > old.second) {
      into.second = from.first;
    }
  }
  KOKKOS_FUNCTION value_type& reference() const { return *result; }
  KOKKOS_FUNCTION result_view_type view() const { return {result}; }
};

template <class Exec>
struct ReduceByReducers {
  Counts<Exec> counts;
  Kokkos::View<int const*, Exec> x;
  Kokkos::View<half_t const*, Exec> twos;
  Results<int, Exec> results;
  enum { at, two, product, half_product, half_sum, triple, values };

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    using MinLoc    = Kokkos::MinLoc<int, int>;
    using Largest   = typename LargestTwo<Exec>::value_type;
    int const l     = member.league_rank();
    int const count = counts(l);
    typename MinLoc::value_type least{};
    KokkosMMA::team_reduce(
        member, count,
        [&](int i, typename MinLoc::value_type& update) {
          // Distinct: no tie to break.
          int const value = (x(l + i) - 3) * 65536 + i;
          if (value < update.val) update = {value, i};
        },
        MinLoc(least));
    results.store(member, count == 0 ? 0 : least.loc, at);

    Largest top{};
    KokkosMMA::vector_reduce(
        member, count,
        [&](int i, Largest& update) {
          LargestTwo<Exec>{}.join(update, {x(l + i) * 65536 + i, -1});
        },
        LargestTwo<Exec>{&top});
    results.store(member, top.second, two);

    // Unsigned: the product wraps.
    unsigned signs = 0;
    KokkosMMA::vector_reduce(
        member, count,
        [&](int i, unsigned& update) {
          if (x(l + i) % 2 == 1) update *= unsigned(-3);
        },
        Kokkos::Prod<unsigned>(signs));
    results.store(member, int(signs), product);

    // 2 and 1/2 in turn, then ones: 1, or 2 where their number is odd.
    half_t turns(0.f), of_thread(0.f);
    KokkosMMA::team_reduce(
        member, count, [&](int i, half_t& update) { update *= twos(i); },
        Kokkos::Prod<half_t>(turns));
    KokkosMMA::vector_reduce(member,
                             Kokkos::subview(twos, Kokkos::make_pair(0, count)),
                             Kokkos::Prod<half_t>(of_thread));
    results.store(member,
                  float(turns) == float(of_thread) ? int(float(turns)) : -1,
                  half_product);

    half_t halves(0.f);
    KokkosMMA::team_reduce(
        member, count,
        [&](int i, half_t& update) { update += half_t(float(x(l + i))); },
        KokkosMMA::Sum<half_t>(halves));
    results.store(member, int(float(halves)), half_sum);

    Triple triples;
    KokkosMMA::team_reduce(
        member, count,
        [&](int i, Triple& update) { update += Triple(x(l + i)); }, triples);
    results.store(
        member,
        triples.b == 2 * triples.a && triples.c == std::int64_t(triples.a)
            ? int(triples.c)
            : -1,
        triple);
  }
};

TYPED_TEST(TeamCollectives, ReducersAndValuesOfManyBytes) {
  // A half holds no more than 65504.
  std::vector<int> counts;
  for (int const c : test_counts())
    if (c < 10000) counts.push_back(c);
  int const league = int(counts.size());
  auto const x     = patterns<int, TypeParam>(max_count + league);
  // A lane may have all the twos: 2^100 is a float and no half.
  auto const twos = make_view<half_t, TypeParam>(max_count, [](std::size_t i) {
    return half_t(i >= 200 ? 1.f : i % 2 == 0 ? 2.f : 0.5f);
  });
  for (Geometry const g : geometries<TypeParam>()) {
    SCOPED_TRACE(name(g));
    ReduceByReducers<TypeParam> const body{
        device_counts<TypeParam>(counts),
        x,
        twos,
        {league, g.vector, ReduceByReducers<TypeParam>::values}};
    Kokkos::parallel_for("test", team_policy<TypeParam>(league, g), body);
    body.results.check(
        [&](int l) {
          int least = 0;
          for (int i = 0; i < counts[l]; ++i)
            if (pattern(l + i) < pattern(l + least)) least = i;
          return least;
        },
        body.at);
    body.results.check(
        [&](int l) {
          int first = -1, second = -1;
          for (int i = 0; i < counts[l]; ++i) {
            int const value = pattern(l + i) * 65536 + i;
            if (value > first) {
              second = first;
              first  = value;
            } else if (value > second) {
              second = value;
            }
          }
          return second;
        },
        body.two);
    body.results.check(
        [&](int l) {
          unsigned product = 1;
          for (int i = 0; i < counts[l]; ++i)
            if (pattern(l + i) % 2 == 1) product *= unsigned(-3);
          return int(product);
        },
        body.product);
    body.results.check(
        [&](int l) { return 1 + (counts[l] < 200 ? counts[l] % 2 : 0); },
        body.half_product);
    body.results.check(
        [&](int l) {
          return int(float(half_t(float(pattern_sum(l, counts[l])))));
        },
        body.half_sum);
    body.results.check([&](int l) { return int(pattern_sum(l, counts[l])); },
                       body.triple);
  }
}

/// Elements of every team's part lie between others that no sum may reach.
template <class T, class Result, class Exec>
struct ReduceViews {
  Counts<Exec> counts;
  Kokkos::View<T const*, Exec> x;
  Kokkos::View<T const*, Kokkos::LayoutStride, Exec> strided;
  int shift;
  Results<Result, Exec> results;
  enum { team, vector, largest, of_strided, values };

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    int const l = member.league_rank();
    auto const part =
        Kokkos::subview(x, Kokkos::make_pair(l + shift, l + shift + counts(l)));
    Result result = poison_on_device();
    KokkosMMA::team_reduce(member, part, result);
    results.store(member, result, team);
    result = poison_on_device();
    KokkosMMA::vector_reduce(member, part, result);
    results.store(member, result, vector);

    using Value = std::conditional_t<sizeof(T) == 2, float, Result>;
    Value max{};
    KokkosMMA::team_reduce(member, part, Kokkos::Max<Value>(max));
    results.store(member, static_cast<Result>(counts(l) == 0 ? Value(0) : max),
                  largest);

    auto const sparse = Kokkos::subview(
        strided, Kokkos::make_pair(l + shift, l + shift + counts(l)));
    result = poison_on_device();
    KokkosMMA::team_reduce(member, sparse, Kokkos::Sum<Result>(result));
    results.store(member, result, of_strided);
  }
  KOKKOS_FUNCTION static Result poison_on_device() {
    return static_cast<Result>(77.f);
  }
};

template <class T, class Result, class Exec>
void reduce_views() {
  auto const counts = test_counts();
  int const league  = int(counts.size());
  auto const value  = [](std::size_t i) -> float {
    return std::is_same_v<T, bool> ? float(pattern(i) % 2) : float(pattern(i));
  };
  int const elements = max_count + league + 40;
  auto const x       = make_view<T, Exec>(
      elements, [&](std::size_t i) { return static_cast<T>(value(i)); });
  Kokkos::View<T*, Exec> const wide("wide", 3 * elements);
  auto const strided = Kokkos::View<T*, Kokkos::LayoutStride, Exec>(
      wide.data() + 1, Kokkos::LayoutStride(elements - 1, 3));
  {
    auto const host = Kokkos::create_mirror_view(wide);
    for (int i = 0; i < 3 * elements; ++i)
      host(i) = static_cast<T>(i % 3 == 1 ? value(i / 3) : 1.f);
    Kokkos::deep_copy(wide, host);
  }
  int shift = 0;
  for (Geometry const g : geometries<Exec>()) {
    SCOPED_TRACE(joined(name(g), ", shift ", shift));
    ReduceViews<T, Result, Exec> const body{
        device_counts<Exec>(counts),
        x,
        strided,
        shift,
        {league, g.vector, ReduceViews<T, Result, Exec>::values}};
    Kokkos::parallel_for("test", team_policy<Exec>(league, g), body);
    auto const expected = [&](int l) {
      accumulator_t<T, Result> sum = 0;
      for (int i = 0; i < counts[l]; ++i)
        sum += static_cast<accumulator_t<T, Result>>(value(l + shift + i));
      return static_cast<Result>(sum);
    };
    body.results.check(expected, body.team);
    body.results.check(expected, body.vector);
    body.results.check(expected, body.of_strided);
    body.results.check(
        [&](int l) {
          float largest = 0;
          for (int i = 0; i < counts[l]; ++i)
            largest = std::max(largest, value(l + shift + i));
          return static_cast<Result>(largest);
        },
        body.largest);
    shift = (shift + 5) % 37;
  }
}
TYPED_TEST(TeamCollectives, ReduceViews) {
  for_types<Pair<half_t, half_t>, Pair<bhalf_t, float>, Pair<float, float>,
            Pair<float, double>, Pair<double, double>, Pair<std::int8_t, int>,
            Pair<std::uint8_t, float>, Pair<bool, std::int64_t>,
            Pair<int, std::int64_t>, Pair<std::uint32_t, std::uint32_t>,
            Pair<std::int64_t, std::int64_t>>(
      [&]<class A, class B>(Pair<A, B>) { reduce_views<A, B, TypeParam>(); });
}

/// Rows of a matrix by the threads of a team, of which some have no row: their
/// lanes stay away while the others work.
template <class Exec>
struct Rows {
  Kokkos::View<int const*, Exec> offsets;
  Kokkos::View<half_t const*, Exec> x;
  Kokkos::View<float*, Exec> sums, of_functor;
  Kokkos::View<int*, Exec> scanned;
  int rows_of_team;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    int const first = member.league_rank() * rows_of_team;
    int const last =
        Kokkos::min(first + rows_of_team, int(offsets.extent(0)) - 1);
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, first, last), [&](int row) {
          int const begin = offsets(row), end = offsets(row + 1);
          float sum = -1, by_functor = -1;
          KokkosMMA::vector_reduce(
              member, Kokkos::subview(x, Kokkos::make_pair(begin, end)), sum);
          KokkosMMA::vector_reduce(
              member, end - begin,
              [&](int i, float& update) { update += float(x(begin + i)); },
              by_functor);
          KokkosMMA::vector_scan(member, end - begin,
                                 [&](int i, int& update, bool final) {
                                   update += int(float(x(begin + i)));
                                   if (final) scanned(begin + i) = update;
                                 });
          Kokkos::single(Kokkos::PerThread(member), [&] {
            sums(row)       = sum;
            of_functor(row) = by_functor;
          });
        });
  }
};

TYPED_TEST(TeamCollectives, ThreadsWithRowsOfTheirOwn) {
  using Exec     = TypeParam;
  int const rows = 203;
  std::vector<int> offsets{0};
  for (int row = 0; row < rows; ++row)
    offsets.push_back(offsets.back() + pattern(row) * pattern(row + 50) *
                                           (row % 17 == 0 ? 20 : 1));
  auto const x = patterns<half_t, Exec>(offsets.back());
  for (Geometry const g : geometries<Exec>()) {
    SCOPED_TRACE(name(g));
    Rows<Exec> const body{
        make_view<int, Exec>(offsets.size(),
                             [&](std::size_t i) { return offsets[i]; }),
        x,
        filled<float, Exec>(rows, -5.f),
        filled<float, Exec>(rows, -5.f),
        filled<int, Exec>(offsets.back(), -5),
        7};
    Kokkos::parallel_for("test", team_policy<Exec>((rows + 6) / 7, g), body);
    auto const host       = host_copy(body.sums);
    auto const by_functor = host_copy(body.of_functor);
    auto const scanned    = host_copy(body.scanned);
    int wrong             = 0;
    for (int row = 0; row < rows; ++row) {
      float const sum =
          float(pattern_sum(offsets[row], offsets[row + 1] - offsets[row]));
      wrong += host(row) != sum || by_functor(row) != sum;
      int running = 0;
      for (int i = offsets[row]; i < offsets[row + 1]; ++i)
        wrong += scanned(i) != (running += pattern(i));
    }
    EXPECT_EQ(0, wrong);
  }
}

template <class T, class Output, class Exec>
struct ScanViews {
  Counts<Exec> counts;
  Kokkos::View<T const*, Exec> x;
  RowMajor<Output, Exec> y;
  int x_shift, y_shift;
  int call;  ///< 1: inclusive, 2: by one thread
  using Total =
      chosen_accumulator_t<void, Kokkos::View<T*>, Kokkos::View<Output*>>;
  Results<Total, Exec> totals;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    int const l   = member.league_rank();
    auto const in = Kokkos::subview(
        x, Kokkos::make_pair(l + x_shift, l + x_shift + counts(l)));
    auto const out =
        Kokkos::subview(y, l, Kokkos::make_pair(y_shift, y_shift + counts(l)));
    Total total          = 99;
    bool const by_thread = call & 2, inclusive = call & 1;
    if (!by_thread && inclusive)
      KokkosMMA::team_inclusive_scan(member, in, out, total);
    else if (!by_thread)
      KokkosMMA::team_exclusive_scan(member, in, out, total);
    else if (member.team_rank() == 0 && inclusive)  // only its lanes call
      KokkosMMA::vector_inclusive_scan(member, in, out, total);
    else if (member.team_rank() == 0)
      KokkosMMA::vector_exclusive_scan(member, in, out, total);
    if (by_thread) {
      member.team_barrier();
      member.team_broadcast(total, 0);
    }
    totals.store(member, total);
  }
};

template <class T, class Output, class Exec>
void scan_views() {
  std::vector<int> counts;
  for (int const c : test_counts())
    if (c < 5000) counts.push_back(c);
  int const most   = 4099;
  int const league = int(counts.size());
  auto const x     = patterns<T, Exec>(most + league + 40);
  int shift        = 0;
  for (Geometry const g : geometries<Exec>()) {
    for (int const call : {0, 1, 2, 3}) {
      // The same alignment, another one, and back.
      int const x_shift = shift % 17;
      int const y_shift = shift % 3 == 0 ? x_shift : 3 * shift % 19;
      SCOPED_TRACE(joined(name(g), ", call ", call, ", shifts ", x_shift,
                          " and ", y_shift));
      RowMajor<Output, Exec> const y("y", league, most + 64);
      Kokkos::deep_copy(y, static_cast<Output>(99.f));
      ScanViews<T, Output, Exec> const body{
          device_counts<Exec>(counts), x, y, x_shift, y_shift, call,
          {league, g.vector}};
      Kokkos::parallel_for("test", team_policy<Exec>(league, g), body);
      auto const host = host_copy(y);
      using Wide      = accumulator_t<T, Output>;
      int wrong       = 0;
      for (int l = 0; l < league; ++l) {
        std::int64_t sum = 0;
        for (int i = -y_shift; i < most + 64 - y_shift; ++i) {
          Output expected = static_cast<Output>(99.f);
          if (i >= 0 && i < counts[l]) {
            std::int64_t const next = sum + pattern(l + x_shift + i);
            expected =
                static_cast<Output>(static_cast<Wide>(call & 1 ? next : sum));
            sum = next;
          }
          wrong += !same_bits(expected, host(l, i + y_shift));
        }
      }
      EXPECT_EQ(0, wrong);
      body.totals.check([&](int l) {
        return static_cast<typename ScanViews<T, Output, Exec>::Total>(
            pattern_sum(l + x_shift, counts[l]));
      });
      ++shift;
    }
  }
}
TYPED_TEST(TeamCollectives, ScanViews) {
  for_types<Pair<float, float>, Pair<double, double>, Pair<double, float>,
            Pair<half_t, half_t>, Pair<bhalf_t, float>,
            Pair<std::int8_t, std::int64_t>, Pair<std::uint8_t, std::uint8_t>,
            Pair<int, int>, Pair<std::int64_t, float>>(
      [&]<class A, class B>(Pair<A, B>) { scan_views<A, B, TypeParam>(); });
}

/// Everything in a row, on memory that the team shares, with no other barriers
/// than Kokkos' own calls would need.
template <class Exec>
struct InARow {
  using Scratch = Kokkos::View<float*, typename Exec::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  int size, repetitions;
  Results<int, Exec> wrong;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Scratch const shared(member.team_scratch(0), size);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, size),
                         [&](int i) { shared(i) = 1; });
    member.team_barrier();
    int bad = 0;
    for (int round = 0; round < repetitions; ++round) {
      float sum = -1, total = -1, by_functor = -1;
      KokkosMMA::team_reduce(member, shared, sum);
      bad += sum != float(size);
      KokkosMMA::team_inclusive_scan(member, shared, shared, total);
      bad += total != float(size);
      // What other lanes wrote.
      bad += shared(size - 1) != float(size) || shared(0) != 1;
      member.team_barrier();
      KokkosMMA::team_scan(member, size, [&](int i, float& update, bool final) {
        float const before = i == 0 ? 0 : float(i);
        update += float(i + 1) - before;
        if (final) shared(i) = update - before;
      });
      KokkosMMA::team_reduce(
          member, size, [&](int i, float& update) { update += shared(i); },
          by_functor);
      bad += by_functor != float(size);
    }
    wrong.store(member, bad);
  }
};

TYPED_TEST(TeamCollectives, InARowOnSharedMemory) {
  for (Geometry const g : geometries<TypeParam>()) {
    for (int const size : {1, 5, 129, 1000}) {
      SCOPED_TRACE(joined(name(g), ", size ", size));
      InARow<TypeParam> const body{size, 20, {9, g.vector}};
      auto policy = team_policy<TypeParam>(9, g);
      policy.set_scratch_size(
          0, Kokkos::PerTeam(InARow<TypeParam>::Scratch::shmem_size(size)));
      Kokkos::parallel_for("test", policy, body);
      body.wrong.check([](int) { return 0; });
    }
  }
}

template <class T, class Exec>
struct SumOnly {
  Kokkos::View<T const*, Exec> x;
  Results<float, Exec> results;
  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    float sum = 0;
    KokkosMMA::team_reduce(member, x, sum);
    results.store(member, sum);
  }
};

template <class T, class Exec>
void numerics() {
  Random random;
  int const size = 50001;
  std::vector<double> values(size);
  ExactSum exact;
  double magnitudes = 0;
  auto const x      = make_view<T, Exec>(size, [&](std::size_t i) {
    T const value = static_cast<T>(float(random.uniform(-1., 3.)));
    values[i]     = double(float(value));
    exact.add(values[i]);
    magnitudes += std::abs(values[i]);
    return value;
  });
  for (Geometry const g : geometries<Exec>()) {
    SCOPED_TRACE(name(g));
    float first = 0;
    for (int run = 0; run < 2; ++run) {
      SumOnly<T, Exec> const body{x, {3, g.vector}};
      Kokkos::parallel_for("test", team_policy<Exec>(3, g), body);
      auto const host = host_copy(body.results.of_lane);
      if (run == 0) first = host(0, 0, 0);
      body.results.check([&](int) { return first; });
    }
    // A chain of additions in fp32 for each of the running values of a lane.
    int const lanes = g.team == 0 ? 1 : on_cuda<Exec> ? g.team * g.vector : 1;
    double const chain = on_cuda<Exec> ? size / (4. * lanes) + 64. : size;
    EXPECT_LE(exact.error_of(first), chain * 0x1p-24 * magnitudes);
  }
}
TYPED_TEST(TeamCollectives, SumsAreReproducibleAndClose) {
  numerics<float, TypeParam>();
  numerics<half_t, TypeParam>();
  numerics<bhalf_t, TypeParam>();
}

/// An infinity reaches what follows it and nothing else.
TYPED_TEST(TeamCollectives, InfinitiesReachWhatFollows) {
  int const size = 1500;
  auto const x   = make_view<float, TypeParam>(size, [](std::size_t i) {
    return i == 700 ? std::numeric_limits<float>::infinity() : 1.f;
  });
  for (Geometry const g : geometries<TypeParam>()) {
    SCOPED_TRACE(name(g));
    RowMajor<float, TypeParam> const y("y", 1, size);
    ScanViews<float, float, TypeParam> const body{
        device_counts<TypeParam>({size}), x, y, 0, 0, 1, {1, g.vector}};
    Kokkos::parallel_for("test", team_policy<TypeParam>(1, g), body);
    auto const host = host_copy(y);
    int wrong       = 0;
    for (int i = 0; i < size; ++i)
      wrong += host(0, i) != (i < 700 ? float(i + 1)
                                      : std::numeric_limits<float>::infinity());
    EXPECT_EQ(0, wrong);
  }
}

}  // namespace
