// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of rows: lengths, indices, types, reducers and teams.

#include "nested/Perf_Nested.hpp"

namespace perf::KOKKOSMMA_PERF_SIDE {

using Level::all, Level::lanes, Level::threads;

// What a body does with the element at i, and what it writes of its value.

/// The logarithms of the factors have a mean of 0.
struct Multiply {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int) const {
    u *= x + 0.542;
  }
};
struct Least {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int) const {
    u = Kokkos::min(u, x);
  }
};
/// Reads its running value.
struct Greatest {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int) const {
    if (x > u) u = x;
  }
};
struct And {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int) const {
    u = u && x != 5;
  }
};
struct Or {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int) const { u |= x; }
};
struct Count {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int) const {
    if (x > 0.5f) ++u;
  }
};
struct LeastAt {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int i) const {
    if (x < u.val) {
      u.val = x;
      u.loc = i;
    }
  }
};
struct Extremes {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int) const {
    if (x < u.min_val) u.min_val = x;
    if (x > u.max_val) u.max_val = x;
  }
};

/// A value with an operator, without a reducer.
struct Three {
  double c[3] = {};
  KOKKOS_FUNCTION Three& operator+=(Three const& other) {
    for (int k = 0; k < 3; ++k) c[k] += other.c[k];
    return *this;
  }
};
struct Powers {
  KOKKOS_FUNCTION void operator()(Three& u, double x, int) const {
    u.c[0] += x;
    u.c[1] += x * x;
    u.c[2] += x * x * x;
  }
};

/// Number, mean and squared distances from it.
struct Moments {
  double n = 0, mean = 0, squares = 0;
};
struct Welford {
  KOKKOS_FUNCTION void operator()(Moments& u, double x, int) const {
    double const from_mean = x - u.mean;
    u.n += 1;
    u.mean += from_mean / u.n;
    u.squares += from_mean * (x - u.mean);
  }
};
/// A reducer of the application.
struct Merge {
  using reducer    = Merge;
  using value_type = Moments;
  using result_view_type =
      Kokkos::View<Moments, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Moments& value;
  KOKKOS_FUNCTION explicit Merge(Moments& v) : value(v) {}
  KOKKOS_FUNCTION void init(Moments& v) const { v = Moments(); }
  KOKKOS_FUNCTION void join(Moments& to, Moments const& from) const {
    double const n = to.n + from.n;
    if (n == 0) return;
    double const between = from.mean - to.mean;
    to.squares += from.squares + between * between * to.n * from.n / n;
    to.mean += between * from.n / n;
    to.n = n;
  }
  KOKKOS_FUNCTION Moments& reference() const { return value; }
  KOKKOS_FUNCTION result_view_type view() const {
    return result_view_type(&value);
  }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }
};

/// What is compared: of a tie no place, but the value there.
KOKKOS_FUNCTION double figure(auto const& v, int r, auto const& value) {
  if constexpr (requires { value.loc; })
    return v.x(r, value.loc);
  else if constexpr (requires { value.max_val; })
    return value.max_val - value.min_val;
  else if constexpr (requires { value.c; })
    return value.c[0] + 2 * value.c[1] + 4 * value.c[2];
  else if constexpr (requires { value.squares; })
    return value.n + value.mean + value.squares;
  else
    return static_cast<double>(value);
}

/// A row into a reducer, or into a value where there is none.
template <class T, class Op, class Reducer>
struct Reduced {
  using In                          = T;
  using Out                         = double;
  static constexpr double tolerance = std::is_same_v<Op, Multiply> ||
                                              std::is_same_v<Op, Powers> ||
                                              std::is_same_v<Op, Welford>
                                          ? 1e-11
                                          : 0;
  static KOKKOS_FUNCTION void at(auto const& v, auto const& nest, int r) {
    auto const range = nest.range(v.begin, v.x.extent_int(1));
    auto const write = [&](auto const& value) {
      nest.once([&] { v.z(r, 0) = figure(v, r, value); });
    };
    if constexpr (requires { typename Reducer::value_type; }) {
      using V = typename Reducer::value_type;
      V value;
      Kokkos::parallel_reduce(
          range, [&](int i, V& u) { Op()(u, v.x(r, i), i); }, Reducer(value));
      write(value);
    } else {
      Reducer value;
      Kokkos::parallel_reduce(
          range, [&](int i, Reducer& u) { Op()(u, v.x(r, i), i); }, value);
      write(value);
    }
  }
};

template <class T, class Op, class Reducer>
void add_reducer(std::vector<Line>& lines, std::string const& name) {
  using Body = Reduced<T, Op, Reducer>;
  lines.push_back(rows<Body, lanes>("reducer/" + name + "_vector", {256}));
  lines.push_back(
      rows<Body, threads>("reducer/" + name + "_team", {2048, {128, 1}}));
}

std::vector<Line> reducers() {
  using I8                = std::int8_t;
  using I32               = std::int32_t;
  std::vector<Line> lines = {
      rows<Sum<float>, lanes>("few/vector_1", {1}),
      rows<Sum<double>, lanes>("few/vector_3", {3, {32, 4}}),
      rows<Sum<float>, lanes>("few/vector_7", {7, {16, 8}}),
      rows<Sum<float>, lanes>("few/vector_7_lanes_1", {7, {128, 1}}),
      rows<Sum<float>, threads>("few/team_1", {1, {32, 1}}),
      rows<Sum<float>, threads>("few/team_7", {7, {64, 1}}),
      rows<Sum<double>, threads>("few/team_64", {64, {256, 1}}),
      rows<Sum<double>, all>("few/team_vector_7", {7, {4, 32}}),
      rows<Sum<float>, lanes>("odd/vector_33", {33}),
      rows<Sum<double>, lanes>("odd/vector_101", {101}),
      rows<Sum<float>, lanes>("odd/vector_999_lanes_2", {999, {64, 2}}),
      rows<Sum<float>, threads>("odd/team_1001", {1001, {128, 1}}),
      rows<Sum<double>, threads>("odd/team_96_threads", {1000, {96, 1}}),
      rows<Sum<float>, all>("odd/team_vector_5000", {5000, {8, 32}}),
      rows<Sum<float>, lanes>("begin/vector", {260, {}, 5}),
      rows<Sum<double>, threads>("begin/team", {2048, {128, 1}, 1000}),
      rows<Sum<double, double, std::int64_t>, lanes>("index/int64_vector",
                                                     {256}),
      rows<Sum<float, float, std::int64_t>, threads>("index/int64_team",
                                                     {2048, {128, 1}}),
      rows<Sum<float, float, short>, lanes>("index/short_vector", {256}),
      rows<Sum<double, double, std::size_t>, threads>("index/size_t_team",
                                                      {2048, {128, 1}}),
      rows<Sum<float>, threads>("threads/512", {16384, {512, 1}}),
      rows<Sum<double>, threads>("threads/1024", {16384, {1024, 1}}),
      rows<Sum<float>, all>("threads/32x32", {16384, {32, 32}}),
      rows<Sum<double>, lanes>("threads/auto_vector", {256, {0, 32}}),
      rows<Sum<double>, all>("threads/auto_team_vector", {4096, {0, 32}}),
      rows<Sum<I8, int>, lanes>("type/into_int_vector", {1024}),
      rows<Sum<I8, int>, threads>("type/into_int_team", {4096, {128, 1}}),
      rows<Sum<float, double>, lanes>("type/into_double", {256}),
      rows<Sum<float, int, int, Count>, lanes>("type/count_vector", {256}),
      rows<Sum<float, int, int, Count>, threads>("type/count_team",
                                                 {2048, {128, 1}})};
  if constexpr (has_half) {
    lines.push_back(
        rows<Sum<half_type, float>, lanes>("type/into_float", {512}));
    lines.push_back(
        rows<Sum<half_type, half_type>, lanes>("type/into_half", {64}));
  }
  add_reducer<double, Add, Kokkos::Sum<double>>(lines, "sum");
  add_reducer<double, Multiply, Kokkos::Prod<double>>(lines, "prod");
  add_reducer<float, Least, Kokkos::Min<float>>(lines, "min");
  add_reducer<float, Greatest, Kokkos::Max<float>>(lines, "max");
  add_reducer<I8, And, Kokkos::LAnd<int>>(lines, "land");
  add_reducer<I32, Or, Kokkos::BOr<int>>(lines, "bor");
  add_reducer<float, LeastAt, Kokkos::MinLoc<float, int>>(lines, "minloc");
  add_reducer<double, Extremes, Kokkos::MinMax<double>>(lines, "minmax");
  add_reducer<double, Powers, Three>(lines, "values3");
  add_reducer<double, Welford, Merge>(lines, "moments");
  return lines;
}

}  // namespace perf::KOKKOSMMA_PERF_SIDE
