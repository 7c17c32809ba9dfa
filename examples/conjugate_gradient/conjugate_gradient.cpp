// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conjugate gradients on the five-point Laplacian of a square grid, without a
// matrix and with one in compressed rows. Each iteration is five kernels, whose
// numbers stay on the device: launched one by one, and as a Kokkos graph of the
// iterations between two looks of the host.

#include <Kokkos_Core.hpp>
#include <Kokkos_Graph.hpp>

#include "../common/command_line.hpp"
#include "../common/measure.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

constexpr int iterations_between_looks = 10;

using Number = Kokkos::View<double, Memory>;
using Teams  = Kokkos::TeamPolicy<Space>;

struct Vectors {
  std::int64_t size;
  Array<double> known = uninitialized<double>("known", size);
  Array<double> b     = uninitialized<double>("b", size);
  Array<double> x     = uninitialized<double>("x", size);
  Array<double> r     = uninitialized<double>("r", size);
  Array<double> p     = uninitialized<double>("p", size);
  Array<double> q     = uninitialized<double>("q", size);
  Number square{"square"};        // r r
  Number last{"last"};            // that of the iteration before
  Number curvature{"curvature"};  // p A p

  Range range() const { return Range(0, size); }
};

// q = A p for a grid of n x n points.
struct GridProduct {
  std::int64_t n;
  Array<double> p, q;

  Range policy() const { return Range(0, n * n); }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::int64_t const x = i % n;
    double sum           = 4 * p(i);
    if (i >= n) sum -= p(i - n);
    if (x > 0) sum -= p(i - 1);
    if (x + 1 < n) sum -= p(i + 1);
    if (i + n < n * n) sum -= p(i + n);
    q(i) = sum;
  }
};

// q = A p by compressed rows: a row for each thread of a team. Five entries are
// too few for the lanes of a vector.
struct RowsProduct {
  static constexpr int rows_of_team = on_host ? 256 : 128;
  Array<int> offsets, columns;
  Array<double> values, p, q;

  Teams policy() const {
    int const teams =
        (static_cast<int>(q.extent(0)) + rows_of_team - 1) / rows_of_team;
    return Teams(teams, on_host ? 1 : rows_of_team);
  }
  KOKKOS_FUNCTION void operator()(Teams::member_type const& member) const {
    int const first = member.league_rank() * rows_of_team;
    int const last =
        Kokkos::min(first + rows_of_team, static_cast<int>(q.extent(0)));
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, first, last), [&](int row) {
          double sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(member, offsets(row), offsets(row + 1)),
              [&](int i, double& update) {
                update += values(i) * p(columns(i));
              },
              sum);
          Kokkos::single(Kokkos::PerThread(member), [&] { q(row) = sum; });
        });
  }
};

RowsProduct rows_product(std::int64_t n, Vectors const& v) {
  std::int64_t const size = n * n;
  RowsProduct const result{uninitialized<int>("offsets", size + 1),
                           uninitialized<int>("columns", 5 * size - 4 * n),
                           uninitialized<double>("values", 5 * size - 4 * n),
                           v.p, v.q};
  auto const offsets = Kokkos::create_mirror_view(result.offsets);
  auto const columns = Kokkos::create_mirror_view(result.columns);
  auto const values  = Kokkos::create_mirror_view(result.values);
  int entry          = 0;
  auto const add     = [&](bool inside, std::int64_t column, double value) {
    if (!inside) return;
    columns(entry)  = static_cast<int>(column);
    values(entry++) = value;
  };
  for (std::int64_t i = 0; i < size; ++i) {
    offsets(i) = entry;
    add(i >= n, i - n, -1);
    add(i % n > 0, i - 1, -1);
    add(true, i, 4);
    add(i % n + 1 < n, i + 1, -1);
    add(i + n < size, i + n, -1);
  }
  offsets(size) = entry;
  Kokkos::deep_copy(result.offsets, offsets);
  Kokkos::deep_copy(result.columns, columns);
  Kokkos::deep_copy(result.values, values);
  return result;
}

struct Dot {
  Array<double> a, b;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum) const {
    sum += a(i) * b(i);
  }
};

// To the minimum along p. A residual that is zero stays so.
struct Step {
  Vectors v;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double const length = v.curvature() > 0 ? v.square() / v.curvature() : 0;
    v.x(i) += length * v.p(i);
    v.r(i) -= length * v.q(i);
    if (i == 0) v.last() = v.square();
  }
};

struct Turn {
  Vectors v;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double const ratio = v.last() > 0 ? v.square() / v.last() : 0;
    v.p(i)             = v.r(i) + ratio * v.p(i);
  }
};

// A NaN counts as a large difference.
double largest_difference(Array<double> const& a, Array<double> const& b) {
  double result = 0;
  Kokkos::parallel_reduce(
      "difference", Range(0, static_cast<std::int64_t>(a.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i, double& largest) {
        double const off = Kokkos::abs(a(i) - b(i));
        if (!(off <= largest)) largest = off == off ? off : 1e300;
      },
      Kokkos::Max<double>(result));
  return result;
}

// Until r r is 1e-24 of b b, which the host looks at after every tenth
// iteration: iterate() makes ten. Returns the largest element of b - A x.
template <class Product, class Iterate>
double solve(std::string const& name, Product const& product, Vectors const& v,
             Iterate const& iterate) {
  double start = 0, now = 0, seconds = 0;
  int iterations        = 0;
  auto const iterate_to = [&](int most) {
    Kokkos::deep_copy(v.x, 0.);
    Kokkos::deep_copy(v.r, v.b);
    Kokkos::deep_copy(v.p, v.b);
    Kokkos::parallel_reduce("start", v.range(), Dot{v.r, v.r}, v.square);
    Kokkos::deep_copy(start, v.square);
    now = start;
    Kokkos::Timer const timer;
    for (iterations = 0; now > 1e-24 * start && iterations < most;) {
      iterate();
      iterations += iterations_between_looks;
      Kokkos::deep_copy(now, v.square);
    }
    seconds = timer.seconds();
  };
  iterate_to(100);  // kernels are loaded when they run first
  iterate_to(100000);
  Kokkos::deep_copy(v.p, v.x);
  Kokkos::parallel_for("product", product.policy(), product);
  double const residual = largest_difference(v.b, v.q);
  double const error    = largest_difference(v.x, v.known);
  char const* const by  = name.c_str();
  std::printf(
      "%s_iterations %d\n%s_residual %.3g\n%s_error %.3g\n"
      "%s_seconds_per_iteration %.3g\n",
      by, iterations, by, residual, by, error, by, seconds / iterations);
  if (!(residual < 1e-10 && error < 1e-6))
    throw std::runtime_error("wrong result: " + name);
  return residual;
}

template <class Product>
void compare(std::string const& name, Product const& product,
             Vectors const& v) {
  auto const launches = [&] {
    for (int i = 0; i < iterations_between_looks; ++i) {
      Kokkos::parallel_for("product", product.policy(), product);
      Kokkos::parallel_reduce("curvature", v.range(), Dot{v.p, v.q},
                              v.curvature);
      Kokkos::parallel_for("step", v.range(), Step{v});
      Kokkos::parallel_reduce("square", v.range(), Dot{v.r, v.r}, v.square);
      Kokkos::parallel_for("turn", v.range(), Turn{v});
    }
  };
  auto graph = Kokkos::Experimental::create_graph<Space>([&](auto root) {
    Kokkos::Experimental::GraphNodeRef<Space> node = root;
    for (int i = 0; i < iterations_between_looks; ++i)
      node = node.then_parallel_for("product", product.policy(), product)
                 .then_parallel_reduce("curvature", v.range(), Dot{v.p, v.q},
                                       v.curvature)
                 .then_parallel_for("step", v.range(), Step{v})
                 .then_parallel_reduce("square", v.range(), Dot{v.r, v.r},
                                       v.square)
                 .then_parallel_for("turn", v.range(), Turn{v});
  });
  graph.instantiate();
  double const one_by_one = solve(name + "_launches", product, v, launches);
  double const as_graph =
      solve(name + "_graph", product, v, [&] { graph.submit(Space()); });
  if (!(std::abs(one_by_one - as_graph) < 1e-11))
    throw std::runtime_error("wrong result: the residuals differ");
}

void run(std::int64_t n) {
  Vectors const v{n * n};
  auto const known = v.known;
  Kokkos::parallel_for(
      "known", v.range(), KOKKOS_LAMBDA(std::int64_t i) {
        known(i) = static_cast<double>(scrambled(i) >> 40) / (1 << 24) - 0.5;
      });
  GridProduct const by_grid{n, v.p, v.q};
  Kokkos::deep_copy(v.p, v.known);
  Kokkos::parallel_for("product", by_grid.policy(), by_grid);
  Kokkos::deep_copy(v.b, v.q);
  std::printf("execution_space %s\nunknowns %lld\n", Space::name(),
              static_cast<long long>(n * n));
  compare("matrix_free", by_grid, v);
  compare("compressed_rows", rows_product(n, v), v);
}

constexpr char help[] =
    R"(usage: conjugate_gradient [--size N]

Solves Poisson's equation on a grid of N x N points (316) by conjugate gradients, with and
without a matrix, kernels launched one by one and as a Kokkos graph; checks the solutions.

Options that start with --kokkos- go to Kokkos. Exit code: 0, 2 for wrong input, 1 for a
wrong result.
)";

int main(int argc, char** argv) {
  try {
    std::int64_t size = 316;
    bool only_help    = false;
    Arguments arguments(argc, argv);
    for (std::string word; arguments.next(word);) {
      if (word == "--size")
        size = arguments.integer(1, 4000);
      else if (word == "--help")
        only_help = true;
      else
        arguments.refuse();
    }
    arguments.refuse_operands();
    if (only_help) return std::fputs(help, stdout) < 0;
    Kokkos::ScopeGuard const kokkos(argc, argv);
    run(size);
    return 0;
  } catch (InputError const& error) {
    std::fprintf(stderr, "conjugate_gradient: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "conjugate_gradient: %s\n", error.what());
    return 1;
  }
}
