// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_COLUMNDOTS_HPP
#define KOKKOSMMA_PERF_COLUMNDOTS_HPP

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "support/Perf_Program.hpp"

/// Dot products of the columns of two matrices, one reduction to an array:
/// dots/CONTENDER/LAYOUT/columns:K/n:N.
namespace perf {

/// y(j) = sum of a(i, j) b(i, j) over i, as in a block of Krylov vectors.
template <class Layout>
struct ColumnDots {
  using execution_space = Exec;
  using value_type      = double[];
  unsigned value_count;
  Kokkos::View<double const**, Layout, Exec, Kokkos::MemoryUnmanaged> a, b;
  KOKKOS_FUNCTION void operator()(std::size_t i, double* dots) const {
    for (unsigned j = 0; j < value_count; ++j) dots[j] += a(i, j) * b(i, j);
  }
};

struct DotsCase {
  bool ours;
  unsigned columns;
};

template <class Layout>
void run_dots(Session& session, benchmark::State& state, DotsCase const& c,
              std::size_t n) {
  double const ceiling = session.read_bytes_per_second();
  std::optional<KokkosMMA::ScopedSettings> scope;
  if (!c.ours) scope.emplace(KokkosMMA::Settings{KokkosMMA::Route::generic});
  double* const data = session.data<double>(2 * n * c.columns);
  using Matrix       = decltype(ColumnDots<Layout>::a);
  ColumnDots<Layout> const functor{c.columns, Matrix(data, n, c.columns),
                                   Matrix(data + n * c.columns, n, c.columns)};
  Kokkos::View<double*, Exec> const y("perf::dots", c.columns);
  auto const call = [&](std::size_t = 0) {
    Kokkos::parallel_reduce("perf_dots", IndexRange(session.exec, 0, n),
                            functor, y);
  };
  auto const result = [&] {
    Kokkos::deep_copy(session.exec, y, -12345.);
    call();
    std::vector<double> values(c.columns);
    Kokkos::deep_copy(
        Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
            values.data(), c.columns),
        y);
    return values;
  };
  auto const first = result(), again = result();
  std::string const route =
      checked_route(c.ours ? Expectation::drop_in : Expectation::kokkos);
  auto const samples =
      session.timer.sample(session.options.samples, std::cref(call));
  if (std::memcmp(first.data(), again.data(), c.columns * sizeof(double)) != 0)
    throw std::runtime_error("two runs on the same data differ");
  for (unsigned j = 0; j < c.columns; ++j) {
    double column = 0;
    Kokkos::parallel_reduce(
        "perf_dots_reference", IndexRange(session.exec, 0, n),
        KOKKOS_LAMBDA(std::size_t i, double& sum) {
          sum += functor.a(i, j) * functor.b(i, j);
        },
        column);
    if (!(std::abs(first[j] - column) <= 1e-10 * std::abs(column)))
      throw std::runtime_error("column " + std::to_string(j) + " is wrong");
  }
  auto const products = double(n) * c.columns;
  report(state, samples, 2 * products * sizeof(double), ceiling, products);
  state.SetLabel(route);
}

/// As many rows as fit, at most 10^7, of 1, 4, 16 and 64 columns.
inline void register_dots(Session& session) {
  auto const add = [&session](DotsCase const& c) {
    std::size_t const n =
        std::min(session.fitting(10000000, 2 * sizeof(double) * c.columns),
                 session.max_n<double>() / (2 * c.columns));
    auto const name = [&](char const* layout) {
      return std::string("dots/") + (c.ours ? "drop_in" : "kokkos") + "/" +
             layout + "/columns:" + std::to_string(c.columns) +
             "/n:" + std::to_string(n);
    };
    register_case(session, name("left"), [&session, c, n](auto& state) {
      run_dots<Kokkos::LayoutLeft>(session, state, c, n);
    });
    register_case(session, name("right"), [&session, c, n](auto& state) {
      run_dots<Kokkos::LayoutRight>(session, state, c, n);
    });
  };
  for (unsigned const columns : {1, 4, 16, 64}) {
    add({false, columns});
    add({true, columns});
  }
}

}  // namespace perf

#endif
