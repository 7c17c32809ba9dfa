// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sparse matrix times vector, rows by the threads of a team and the entries of
// a row by their lanes, as libraries of sparse kernels have it.

#include <cmath>

#include "nested/Perf_Nested.hpp"

namespace perf::KOKKOSMMA_PERF_SIDE {

/// Compressed rows.
struct Matrix {
  Vector<int> from, columns;
  Vector<double> values;
  int rows = 0, entries = 0;
};

/// Rows whose lengths are on the host; their columns are still to be written.
Matrix with_lengths(Arena& a, std::vector<int> const& lengths) {
  int const rows       = static_cast<int>(lengths.size());
  auto const on_device = [](int n) {
    return Vector<int>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::matrix"), n);
  };
  Matrix m;
  m.from          = on_device(rows + 1);
  auto const from = Kokkos::create_mirror_view(m.from);
  int const most  = 2 * a.elements<double>();
  for (; m.rows < rows && m.entries + lengths[m.rows] <= most; ++m.rows) {
    from(m.rows) = m.entries;
    m.entries += lengths[m.rows];
  }
  for (int r = m.rows; r <= rows; ++r) from(r) = m.entries;
  Kokkos::deep_copy(m.from, from);
  m.columns = on_device(m.entries);
  m.values  = a.in<double>(m.entries);
  return m;
}

/// Whether a neighbour of a point of a cube is in it; its number.
KOKKOS_INLINE_FUNCTION int neighbour(int point, int k, int side) {
  int const x = point % side + k % 3 - 1,
            y = point / side % side + k / 3 % 3 - 1,
            z = point / side / side + k / 9 - 1;
  bool const inside =
      x >= 0 && x < side && y >= 0 && y < side && z >= 0 && z < side;
  return inside ? (z * side + y) * side + x : -1;
}

/// The 27-point stencil of a cube.
Matrix stencil27(Arena& a) {
  int const side =
      std::min(128, static_cast<int>(std::cbrt(a.elements<double>() / 27.)));
  std::vector<int> lengths(side * side * side, 0);
  for (int r = 0; r < side * side * side; ++r)
    for (int k = 0; k < 27; ++k) lengths[r] += neighbour(r, k, side) >= 0;
  Matrix const m     = with_lengths(a, lengths);
  auto const from    = m.from;
  auto const columns = m.columns;
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(a.exec, 0, m.rows), KOKKOS_LAMBDA(int r) {
        for (int k = 0, e = from(r); k < 27; ++k)
          if (int const c = neighbour(r, k, side); c >= 0) columns(e++) = c;
      });
  return m;
}

/// Lengths 9 u^(-2/3) for uniform u, 27 on average; random columns.
Matrix power_law(Arena& a) {
  int const rows = std::min(1 << 21, a.elements<double>() / 27);
  std::vector<int> lengths(rows);
  for (int r = 0; r < rows; ++r) {
    double const u = static_cast<double>((mix(r) >> 11) + 1) * 0x1p-53;
    lengths[r] =
        static_cast<int>(std::min(9 * std::pow(u, -2. / 3), rows / 16. + 1));
  }
  Matrix const m     = with_lengths(a, lengths);
  auto const columns = m.columns;
  int const n        = m.rows;
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(a.exec, 0, m.entries), KOKKOS_LAMBDA(int e) {
        columns(e) = static_cast<int>((mix(e) >> 32) * n >> 32);
      });
  return m;
}

/// y = 2 A x
template <Matrix (*make)(Arena&)>
Work product(Arena& a, int lanes) {
  Matrix const m  = make(a);
  auto const from = m.from, columns = m.columns;
  auto const values = m.values;
  auto const x      = a.in<double>(m.rows);
  auto const y      = a.out_vector<double>(m.rows);
  int const rows    = m.rows;
  return each_row<Level::lanes>(
      a, rows, {256 / lanes, lanes}, m.entries, 12. * m.entries + 20. * rows,
      KOKKOS_LAMBDA(Nest<Level::lanes> const& nest, int r) {
        int const begin = from(r), length = from(r + 1) - begin;
        double sum = 0;
        Kokkos::parallel_reduce(
            nest.range(0, length),
            [&](int e, double& u) {
              u += values(begin + e) * x(columns(begin + e));
            },
            sum);
        nest.once([&] { y(r) = 2 * sum; });
      },
      1e-12);
}

template <Matrix (*make)(Arena&)>
void add_products(std::vector<Line>& lines, std::string const& name) {
  for (int lanes : {8, 16, 32})
    lines.push_back({"double", "csr/" + name + "_" + std::to_string(lanes),
                     [lanes](Arena& a) { return product<make>(a, lanes); }});
}

std::vector<Line> sparse_products() {
  std::vector<Line> lines;
  add_products<stencil27>(lines, "stencil27");
  add_products<power_law>(lines, "power_law");
  return lines;
}

}  // namespace perf::KOKKOSMMA_PERF_SIDE
