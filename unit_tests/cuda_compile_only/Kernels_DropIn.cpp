// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plain Kokkos reductions as applications write them, in a graph and over teams
// too, for the preset cuda-compile-only, which compiles this file with the
// drop-in. Nothing here runs.

#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>

#include <cstdint>

namespace {

using Exec = Kokkos::Cuda;

template <class T>
void sums(Kokkos::View<T*, Exec> x, T& result) {
  // A lambda over one View must count as a simple functor (streamed_tuning).
  auto const sum = KOKKOS_LAMBDA(int i, T& update) { update += x(i); };
  static_assert(sizeof(sum) <= sizeof(Kokkos::View<float**, Exec>));
  Kokkos::parallel_reduce("sum", Kokkos::RangePolicy<Exec>(0, x.extent(0)), sum,
                          result);
  Kokkos::parallel_reduce(
      "sum_64",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0,
                                                                 x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, T & update) { update += x(i) * x(i); },
      Kokkos::Sum<T>(result));
  Kokkos::parallel_reduce(
      "max", Kokkos::RangePolicy<Exec>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i, T& update) {
        if (x(i) > update) update = x(i);
      },
      Kokkos::Max<T>(result));
}

struct Moments {
  double count, sum, squares;
  KOKKOS_FUNCTION Moments& operator+=(Moments const& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
    return *this;
  }
};

struct Scaled {
  Kokkos::View<double*, Exec> x;
  Kokkos::View<double, Exec> sum;
  KOKKOS_FUNCTION void operator()(int i) const { x(i) *= sum(); }
  KOKKOS_FUNCTION void operator()(int i, double& update) const {
    update += x(i);
  }
};

using Teams = Kokkos::TeamPolicy<Exec>;
struct Prefixes {
  Kokkos::View<double**, Exec> x;
  KOKKOS_FUNCTION void operator()(Teams::member_type const& member,
                                  double& update) const {
    int const row = member.league_rank();
    double total;
    Kokkos::parallel_scan(
        Kokkos::TeamThreadRange(member, int(x.extent(1))),
        [&](int i, double& sum, bool final) {
          double const own = x(row, i);
          if (final) x(row, i) = sum;
          sum += own;
        },
        total);
    if (member.team_rank() == 0) update += total;
  }
};

/// With launch bounds, Kokkos before 5.2 compiles no closure above 32 KB: not
/// the one that is asked for team sizes, and not one with the functor twice.
template <int Bytes>
struct LargeTeams {
  using Policy     = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<128, 1>>;
  using Member     = Policy::member_type;
  using value_type = int;
  int* x;
  char bytes[Bytes];
  KOKKOS_FUNCTION void operator()(Member const& m) const {
    x[m.league_rank()] = bytes[m.league_rank()];
  }
  KOKKOS_FUNCTION void operator()(Member const& m, int& update) const {
    update += bytes[m.league_rank()];
  }
};
struct LargeJoins : LargeTeams<17000> {
  KOKKOS_FUNCTION void join(int& into, int const& from) const { into += from; }
};
template <class Functor>
int large_teams(Functor const& f) {
  typename Functor::Policy const policy(10, Kokkos::AUTO);
  int result;
  Kokkos::parallel_for("large", policy, f);
  Kokkos::parallel_reduce("large", policy, f, result);
  return policy.team_size_max(f, Kokkos::ParallelForTag()) +
         policy.team_size_max(f, Kokkos::ParallelReduceTag()) + result;
}

}  // namespace

void kernels_drop_in() {
  large_teams(LargeTeams<20000>{});
  large_teams(LargeJoins{});
  Kokkos::View<float*, Exec> const f("f", 100);
  Kokkos::View<double*, Exec> const d("d", 100);
  Kokkos::View<int*, Exec> const i("i", 100);
  Kokkos::View<std::int64_t*, Exec> const l("l", 100);
  Kokkos::View<double**, Exec> const m("m", 10, 10);
  float f_result;
  double d_result;
  int i_result;
  std::int64_t l_result;
  sums<float>(f, f_result);
  sums<double>(d, d_result);
  sums<int>(i, i_result);
  sums<std::int64_t>(l, l_result);

  Kokkos::MinMaxScalar<double> extremes;
  Kokkos::parallel_reduce(
      "min_max", Kokkos::RangePolicy<Exec>(0, 100),
      KOKKOS_LAMBDA(int k, Kokkos::MinMaxScalar<double>& update) {
        if (d(k) < update.min_val) update.min_val = d(k);
        if (d(k) > update.max_val) update.max_val = d(k);
      },
      Kokkos::MinMax<double>(extremes));

  Kokkos::parallel_reduce(
      "two_sums", Kokkos::RangePolicy<Exec>(0, 100),
      KOKKOS_LAMBDA(int k, double& sum, double& squares) {
        sum += d(k);
        squares += d(k) * d(k);
      },
      d_result, Kokkos::Sum<double>(d_result));

  Moments moments;
  Kokkos::parallel_reduce(
      "moments", Kokkos::RangePolicy<Exec>(0, 100),
      KOKKOS_LAMBDA(int k, Moments& update) {
        update += Moments{1., d(k), d(k) * d(k)};
      },
      moments);

  Kokkos::parallel_reduce(
      "matrix", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {10, 10}),
      KOKKOS_LAMBDA(int r, int c, double& update) { update += m(r, c); },
      d_result);

  Kokkos::View<double, Exec> const sum("sum");
  Kokkos::Experimental::create_graph<Exec>([&](auto root) {
    root.then_parallel_for(Kokkos::RangePolicy<Exec>(0, 100), Scaled{d, sum})
        .then_parallel_reduce(Kokkos::RangePolicy<Exec>(0, 100), Scaled{d, sum},
                              sum);
  }).submit();

  Kokkos::parallel_reduce("prefixes", Teams(10, Kokkos::AUTO), Prefixes{m},
                          d_result);
}
