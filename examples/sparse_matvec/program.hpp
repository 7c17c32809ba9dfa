// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the two programs have in common: arguments, matrices, conjugate
// gradients, checks, times. A program brings its `Kernels`:
//   Kernels(CompressedRows const&)
//   void multiply(Array<double> x, Array<double> y)        y = A x
//   void residual(Array<double> b, Array<double> x, Array<double> r)
//                                                          r = b - A x
//                                         another y = A x, if there is one
//   double dot(Array<double> x, Array<double> y)
//   void print_route()

#ifndef SPARSE_MATVEC_PROGRAM_HPP
#define SPARSE_MATVEC_PROGRAM_HPP

#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/host_rows.hpp"
#include "../common/matrix_generators.hpp"
#include "../common/matrix_market.hpp"
#include "../common/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

struct CompressedRows {
  int columns_of_matrix = 0;
  Array<int> offsets;
  Array<int> columns;
  Array<double> values;

  int rows() const { return static_cast<int>(offsets.extent(0)) - 1; }
  std::int64_t size() const {
    return static_cast<std::int64_t>(values.extent(0));
  }
};

template <class Value>
Array<Value> to_device(std::string const& label,
                       std::vector<Value> const& values) {
  Kokkos::View<Value const*, Kokkos::HostSpace,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      host(values.data(), values.size());
  auto const result =
      uninitialized<Value>(label, static_cast<std::int64_t>(values.size()));
  Kokkos::deep_copy(result, host);
  return result;
}

inline CompressedRows to_device(Triplets const& list) {
  HostRows const rows(list);
  return {list.columns, to_device("offsets", rows.offsets),
          to_device("columns", rows.columns), to_device("values", rows.values)};
}

// The five-point Laplacian without a list of its entries.
inline CompressedRows poisson_rows(Poisson const& grid) {
  auto const nx   = grid.nx;
  auto const ny   = grid.ny;
  auto const rows = grid.rows();
  CompressedRows const result{static_cast<int>(rows),
                              uninitialized<int>("offsets", rows + 1),
                              uninitialized<int>("columns", grid.entries()),
                              uninitialized<double>("values", grid.entries())};
  auto const offsets = result.offsets;
  auto const columns = result.columns;
  auto const values  = result.values;
  Kokkos::parallel_scan(
      "sparse_matvec::offsets", Range(0, rows + 1),
      KOKKOS_LAMBDA(std::int64_t r, int& start, bool final) {
        if (final) offsets(r) = start;
        std::int64_t const x = r % nx;
        std::int64_t const y = r / nx;
        start += 1 + (x > 0) + (x + 1 < nx) + (y > 0) + (y + 1 < ny);
      });
  Kokkos::parallel_for(
      "sparse_matvec::poisson", Range(0, rows), KOKKOS_LAMBDA(std::int64_t r) {
        std::int64_t const x = r % nx;
        std::int64_t const y = r / nx;
        int at               = offsets(r);
        auto const add = [&](bool inside, std::int64_t column, double value) {
          if (!inside) return;
          columns(at) = static_cast<int>(column);
          values(at)  = value;
          ++at;
        };
        add(y > 0, r - nx, -1);
        add(x > 0, r - 1, -1);
        add(true, r, 4);
        add(x + 1 < nx, r + 1, -1);
        add(y + 1 < ny, r + nx, -1);
      });
  return result;
}

// Between -1/2 and 1/2, with all frequencies.
inline Array<double> random_vector(char const* label, std::int64_t size) {
  auto const result = uninitialized<double>(label, size);
  Kokkos::parallel_for(
      "sparse_matvec::random", Range(0, size), KOKKOS_LAMBDA(std::int64_t i) {
        result(i) = static_cast<double>(scrambled(i) >> 11) /
                        static_cast<double>(std::uint64_t(1) << 53) -
                    0.5;
      });
  return result;
}

[[noreturn]] inline void wrong(std::string const& what) {
  throw std::runtime_error("wrong result: " + what);
}

// A dot product whose rounding errors are carried along (Ogita, Rump and Oishi
// 2005): as if computed with 106 bits.
class CompensatedDot {
 public:
  void add(double a, double b) {
    double const product = a * b;
    double const sum     = m_sum + product;
    double const part    = sum - m_sum;
    m_lost +=
        (m_sum - (sum - part)) + (product - part) + std::fma(a, b, -product);
    m_sum = sum;
    m_magnitude += std::abs(product);
    ++m_terms;
  }
  double value() const { return m_sum + m_lost; }
  // How far from it any order of additions may end, products rounded first.
  double bound() const {
    return static_cast<double>(m_terms + 1) * std::ldexp(1., -53) * m_magnitude;
  }

 private:
  double m_sum         = 0;
  double m_lost        = 0;
  double m_magnitude   = 0;
  std::int64_t m_terms = 0;
};

// Every element of y = A x. Returns the largest error in units of its bound.
inline double check_product(CompressedRows const& matrix,
                            Array<double> const& x, Array<double> const& y) {
  auto const host = [](auto const& array) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
  };
  auto const offsets = host(matrix.offsets);
  auto const columns = host(matrix.columns);
  auto const values  = host(matrix.values);
  auto const right   = host(x);
  auto const result  = host(y);
  double largest     = 0;
  for (int row = 0; row < matrix.rows(); ++row) {
    CompensatedDot expected;
    for (int i = offsets(row); i < offsets(row + 1); ++i) {
      expected.add(values(i), right(columns(i)));
    }
    double const error = std::abs(result(row) - expected.value());
    // Terms that overflow have no sum to compare with.
    if (!std::isfinite(expected.bound())) continue;
    if (!(error <= expected.bound())) {
      char text[160];
      std::snprintf(text, sizeof(text),
                    "row %d is %.17g, not %.17g within %.3g", row, result(row),
                    expected.value(), expected.bound());
      wrong(text);
    }
    if (error > 0) largest = std::max(largest, error / expected.bound());
  }
  return largest;
}

// The largest eigenvalue of a symmetric tridiagonal matrix, by bisection on the
// number of eigenvalues below a point (Sturm's sequence).
inline double largest_eigenvalue(std::vector<double> const& diagonal,
                                 std::vector<double> const& beside) {
  double low  = diagonal[0];
  double high = low;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    double const radius = (i > 0 ? std::abs(beside[i - 1]) : 0) +
                          (i < beside.size() ? std::abs(beside[i]) : 0);
    low  = std::min(low, diagonal[i] - radius);
    high = std::max(high, diagonal[i] + radius);
  }
  auto const all_below = [&](double point) {
    double pivot = 1;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      double const square = i > 0 ? beside[i - 1] * beside[i - 1] : 0;
      pivot               = diagonal[i] - point - square / pivot;
      if (!(pivot < 0)) return false;
    }
    return true;
  };
  for (int step = 0; step < 200 && low < high; ++step) {
    double const middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (all_below(middle) ? high : low) = middle;
  }
  return high;
}

struct Solution {
  int iterations    = 0;
  double residual   = 0;  // of b - A x, relative to b
  double error      = 0;  // largest of x, which is known
  double eigenvalue = 0;  // largest of the matrix, as the iteration sees it
};

// Solves A x = b by conjugate gradients for a right-hand side whose solution is
// known. The same coefficients make a tridiagonal matrix whose largest
// eigenvalue becomes that of A (Golub and Van Loan, Matrix Computations, 10.2).
template <class Kernels>
Solution conjugate_gradients(Kernels const& kernels,
                             CompressedRows const& matrix) {
  int const size = matrix.rows();
  if (size != matrix.columns_of_matrix) {
    throw InputError("--solve needs a square matrix; this one has " +
                     std::to_string(size) + " rows and " +
                     std::to_string(matrix.columns_of_matrix) + " columns");
  }
  auto const known = random_vector("known", size);
  auto const b     = uninitialized<double>("b", size);
  auto const x     = uninitialized<double>("x", size);
  auto const r     = uninitialized<double>("r", size);
  auto const p     = uninitialized<double>("p", size);
  auto const q     = uninitialized<double>("q", size);
  kernels.multiply(known, b);
  Kokkos::deep_copy(x, 0.);
  Kokkos::deep_copy(r, b);
  Kokkos::deep_copy(p, b);
  double const start = kernels.dot(b, b);
  if (!(start > 0 && std::isfinite(start))) {
    throw InputError(
        start == 0 ? "--solve needs a symmetric positive definite matrix; the "
                     "square of the right-hand side is 0 with this one"
                   : "--solve: the square of the right-hand side is too large "
                     "for a double; scale the matrix");
  }
  double square = start;
  std::vector<double> diagonal;
  std::vector<double> beside;
  double last_step  = 0;
  double last_ratio = 0;
  Solution result;
  std::int64_t const most = 10 * std::int64_t(size) + 100;
  // 1e-12 of the right-hand side.
  while (square > 1e-24 * start && result.iterations < most) {
    kernels.multiply(p, q);
    double const curvature = kernels.dot(p, q);
    if (!(curvature > 0)) {
      throw InputError(
          "--solve needs a symmetric positive definite matrix; this one has a "
          "direction p with p A p = " +
          std::to_string(curvature));
    }
    double const step = square / curvature;
    Kokkos::parallel_for(
        "sparse_matvec::step", Range(0, size), KOKKOS_LAMBDA(std::int64_t i) {
          x(i) += step * p(i);
          r(i) -= step * q(i);
        });
    double const next  = kernels.dot(r, r);
    double const ratio = next / square;
    diagonal.push_back(1 / step + (last_step > 0 ? last_ratio / last_step : 0));
    beside.push_back(std::sqrt(ratio) / step);
    Kokkos::parallel_for(
        "sparse_matvec::direction", Range(0, size),
        KOKKOS_LAMBDA(std::int64_t i) { p(i) = r(i) + ratio * p(i); });
    square     = next;
    last_step  = step;
    last_ratio = ratio;
    ++result.iterations;
  }
  beside.pop_back();
  result.eigenvalue = largest_eigenvalue(diagonal, beside);
  kernels.residual(b, x, r);
  result.residual = std::sqrt(kernels.dot(r, r) / start);
  Kokkos::parallel_reduce(
      "sparse_matvec::error", Range(0, size),
      KOKKOS_LAMBDA(std::int64_t i, double& largest) {
        largest = Kokkos::max(largest, Kokkos::abs(x(i) - known(i)));
      },
      Kokkos::Max<double>(result.error));
  if (!(result.residual <= 1e-10)) {
    wrong("after " + std::to_string(result.iterations) +
          " iterations the residual is " + std::to_string(result.residual) +
          " of the right-hand side; is the matrix symmetric?");
  }
  return result;
}

struct Options {
  std::string file;
  std::string generate;
  bool solve = false;
  int repeat = 0;
  bool help  = false;
};

inline std::string help_text(std::string const& program) {
  return "usage: " + program + R"( [options] FILE.mtx
       )" +
         program +
         R"( [options] --generate MATRIX

Multiplies a sparse matrix (MatrixMarket, coordinate format) in compressed rows with a vector
and checks every element of the product against compensated sums.

  --generate poisson:NXxNY       in place of a file: five-point Laplacian on a grid
  --generate powerlaw:ROWS:SEED  or rows whose lengths follow a power law
  --solve           also solve a system by conjugate gradients, whose solution is known, and
                    compute the largest eigenvalue; for a grid both are checked
  --repeat K        also time the product K times, and print its rate and the fraction of the
                    copy ceiling that is measured in the same process
  --help            print this text

Options that start with --kokkos- go to Kokkos. Exit code: 0, 2 for wrong input, 1 for a
wrong result.
)";
}

inline Options parse_options(int& argc, char** argv) {
  Options options;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--generate") {
      options.generate = arguments.value();
    } else if (word == "--solve") {
      options.solve = true;
    } else if (word == "--repeat") {
      options.repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--help") {
      options.help = true;
    } else {
      arguments.refuse();
    }
  }
  if (options.help) return options;
  options.file = arguments.operand("files");
  if (options.file.empty() == options.generate.empty()) {
    throw InputError(options.file.empty()
                         ? "no matrix; give a file, or --generate MATRIX"
                         : "both a file, " + in_quotes(options.file) +
                               ", and --generate; give one of them");
  }
  return options;
}

template <class Kernels>
void compute(Options const& options, CompressedRows const& matrix,
             Generated const& generated) {
  Kernels const kernels(matrix);
  auto const x = random_vector("x", matrix.columns_of_matrix);
  auto const y = uninitialized<double>("y", matrix.rows());
  Kokkos::deep_copy(y, NAN);
  kernels.multiply(x, y);
  double const error = check_product(matrix, x, y);
  Solution solution;
  if (options.solve) {
    solution = conjugate_gradients(kernels, matrix);
    if (generated.is_poisson) {
      double const exact =
          4 +
          2 * std::cos(std::numbers::pi /
                       static_cast<double>(generated.poisson.nx + 1)) +
          2 * std::cos(std::numbers::pi /
                       static_cast<double>(generated.poisson.ny + 1));
      if (std::abs(solution.eigenvalue - exact) > 1e-6 * exact) {
        wrong("the largest eigenvalue is " +
              std::to_string(solution.eigenvalue) + ", not " +
              std::to_string(exact));
      }
      // The condition number is below the square of the longer side.
      if (!(solution.error <= 1e-6)) {
        wrong("the solution is off by " + std::to_string(solution.error));
      }
    }
  }

  auto const offsets = matrix.offsets;
  int longest        = 0;
  int empty          = 0;
  Kokkos::parallel_reduce(
      "sparse_matvec::lengths", Range(0, matrix.rows()),
      KOKKOS_LAMBDA(std::int64_t r, int& most, int& none) {
        int const length = offsets(r + 1) - offsets(r);
        most             = length > most ? length : most;
        none += length == 0;
      },
      Kokkos::Max<int>(longest), Kokkos::Sum<int>(empty));

  std::printf(
      "matrix %s\nexecution_space %s\nruns_on %s\nrows %d\ncolumns %d\n"
      "entries %lld\nlongest_row %d\nempty_rows %d\n",
      options.file.empty() ? options.generate.c_str() : options.file.c_str(),
      Space::name(), on_host ? "host" : "device", matrix.rows(),
      matrix.columns_of_matrix, static_cast<long long>(matrix.size()), longest,
      empty);
  std::printf("product_error_of_bound %.2g\n", error);
  if (options.solve) {
    std::printf(
        "iterations %d\nresidual %.2g\nsolution_error %.2g\n"
        "largest_eigenvalue %.12g\n",
        solution.iterations, solution.residual, solution.error,
        solution.eigenvalue);
  }
  kernels.print_route();
  std::printf("checked against compensated sums\n");

  if (options.repeat == 0) return;
  // What a product cannot do without: entries, offsets, both vectors.
  double const bytes =
      static_cast<double>(matrix.size()) * (sizeof(double) + sizeof(int)) +
      static_cast<double>(matrix.rows()) * (sizeof(double) + sizeof(int)) +
      static_cast<double>(matrix.columns_of_matrix) * sizeof(double);
  double const copy = measure_copy(bytes, options.repeat);
  std::printf("repeat %d\ncopy_GBps %.4g\nproduct_bytes %.0f\n", options.repeat,
              copy / 1e9, bytes);
  auto const print = [&](char const* name, double seconds) {
    std::printf("%s_seconds %.6g\n%s_GBps %.4g\n%s_fraction_of_copy %.3f\n",
                name, seconds, name, bytes / seconds / 1e9, name,
                bytes / seconds / copy);
  };
  print("product",
        median_seconds(options.repeat, [&] { kernels.multiply(x, y); }));
}

template <class Kernels>
int program(char const* name, int argc, char** argv) {
  try {
    Options const options = parse_options(argc, argv);
    if (options.help) {
      std::fputs(help_text(name).c_str(), stdout);
      return 0;
    }
    // The file is read before anything is started: wrong input costs nothing.
    Generated generated;
    Triplets list;
    // Measured with 20 million rows and columns, and with 3 million entries.
    BytesPer const bytes_per{12, 8, 40};
    if (options.generate.empty()) {
      list = read_matrix_market(options.file, bytes_per);
    } else {
      generated = parse_generated(options.generate);
      if (generated.is_poisson) {
        // Offsets and vectors; columns and values, of which the check of a
        // device's product has copies.
        require_memory_of(generated,
                          {on_host && options.solve ? 68. : 20., 0, 12},
                          options.generate);
      } else {
        require_memory_of(generated, bytes_per, options.generate);
        list = power_law(generated.power_law());
      }
    }
    Kokkos::ScopeGuard const kokkos(argc, argv);
    compute<Kernels>(options,
                     generated.is_poisson ? poisson_rows(generated.poisson)
                                          : to_device(list),
                     generated);
    return 0;
  } catch (InputError const& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

#endif
