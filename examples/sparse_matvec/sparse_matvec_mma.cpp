// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sparse_matvec.cpp with kokkos-mma, twice: the rows are segments of the
// products with the vector, however uneven they are; or only the sum of a row
// is replaced in the kernel of sparse_matvec.cpp.

#include <KokkosMMA.hpp>
#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>

using Team   = Kokkos::TeamPolicy<Space>;
using Member = Team::member_type;

// Entry i of the matrix times its element of the vector.
struct EntryProduct {
  Array<double> values;
  Array<int> columns;
  Array<double> x;

  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return values(i) * x(columns(i));
  }
};

class SegmentKernels {
 public:
  // The offsets never change: they are checked once, here, with the sums of all
  // rows, and not again by every product.
  explicit SegmentKernels(CompressedRows const& matrix) : m_matrix(matrix) {
    // As many lanes to a row as rows have entries on average.
    while (!on_host && m_lanes < 32 &&
           m_lanes * static_cast<std::int64_t>(matrix.rows()) < matrix.size()) {
      m_lanes *= 2;
    }
    auto const sums = uninitialized<double>("sums", matrix.rows());
    KokkosMMA::segmented_reduce(m_exec, matrix.values, matrix.offsets, sums);
    m_unchecked.check_offsets = false;
  }

  void multiply(Array<double> const& x, Array<double> const& y) const {
    KokkosMMA::segmented_reduce(m_exec, products(x), m_matrix.offsets, y,
                                m_unchecked);
  }

  // Nothing is written but y; each row is added up by the lanes of one thread,
  // which is slow for the longest.
  void multiply_in_teams(Array<double> const& x, Array<double> const& y) const {
    auto const matrix      = m_matrix;
    int const rows         = matrix.rows();
    int const rows_of_team = on_host ? 1024 : 128;
    Kokkos::parallel_for(
        "sparse_matvec::multiply_in_teams",
        Team((rows - 1) / rows_of_team + 1, Kokkos::AUTO, m_lanes),
        KOKKOS_LAMBDA(Member const& member) {
          int const first = member.league_rank() * rows_of_team;
          int const end =
              rows - first < rows_of_team ? rows : first + rows_of_team;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first, end),
                               [&](int row) {
                                 int const begin = matrix.offsets(row);
                                 double total    = 0;
                                 KokkosMMA::vector_reduce(
                                     member, matrix.offsets(row + 1) - begin,
                                     [&](int i, double& sum) {
                                       sum += matrix.values(begin + i) *
                                              x(matrix.columns(begin + i));
                                     },
                                     total);
                                 Kokkos::single(Kokkos::PerThread(member),
                                                [&] { y(row) = total; });
                               });
        });
  }

  // The functor receives the row and its sum.
  void residual(Array<double> const& b, Array<double> const& x,
                Array<double> const& r) const {
    Kokkos::parallel_for(
        "sparse_matvec::residual",
        KokkosMMA::SegmentPolicy(m_exec, products(x), m_matrix.offsets,
                                 m_unchecked),
        KOKKOS_LAMBDA(std::size_t row, double sum) { r(row) = b(row) - sum; });
  }

  double dot(Array<double> const& x, Array<double> const& y) const {
    double result = 0;
    Kokkos::parallel_reduce("sparse_matvec::dot", Range(0, x.extent(0)),
                            KokkosMMA::dot(x, y),
                            KokkosMMA::Sum<double>(result));
    return result;
  }

  void print_route() const {
    auto const x = uninitialized<double>("x", m_matrix.columns_of_matrix);
    auto const y = uninitialized<double>("y", m_matrix.rows());
    std::printf("route %s\n",
                KokkosMMA::explain([&] { multiply(x, y); }).c_str());
  }

 private:
  // Computed where a row is summed: nothing is written but y.
  KokkosMMA::ComputedElements<EntryProduct> products(
      Array<double> const& x) const {
    return {m_matrix.size(),
            EntryProduct{m_matrix.values, m_matrix.columns, x}};
  }

  Space m_exec;
  CompressedRows m_matrix;
  KokkosMMA::Settings m_unchecked;
  int m_lanes = 1;
};

int main(int argc, char** argv) {
  return program<SegmentKernels>("sparse_matvec_mma", argc, argv);
}
