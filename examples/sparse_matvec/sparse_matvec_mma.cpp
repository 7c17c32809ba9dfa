// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sparse_matvec.cpp with kokkos-mma: the sum of a row and the dot products are
// replaced.

#include <KokkosMMA.hpp>
#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <cstdint>
#include <cstdio>

using Team   = Kokkos::TeamPolicy<Space>;
using Member = Team::member_type;

class TeamKernels {
 public:
  explicit TeamKernels(CompressedRows const& matrix) : m_matrix(matrix) {
    // As many lanes to a row as rows have entries on average.
    while (!on_host && m_lanes < 32 &&
           m_lanes * static_cast<std::int64_t>(matrix.rows()) < matrix.size()) {
      m_lanes *= 2;
    }
  }

  void multiply(Array<double> const& x, Array<double> const& y) const {
    auto const matrix      = m_matrix;
    int const rows         = matrix.rows();
    int const rows_of_team = on_host ? 1024 : 128;
    Kokkos::parallel_for(
        "sparse_matvec::multiply",
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

  void residual(Array<double> const& b, Array<double> const& x,
                Array<double> const& r) const {
    multiply(x, r);
    Kokkos::parallel_for(
        "sparse_matvec::residual", Range(0, m_matrix.rows()),
        KOKKOS_LAMBDA(std::int64_t i) { r(i) = b(i) - r(i); });
  }

  double dot(Array<double> const& x, Array<double> const& y) const {
    double result = 0;
    Kokkos::parallel_reduce("sparse_matvec::dot", Range(0, x.extent(0)),
                            KokkosMMA::dot(x, y),
                            KokkosMMA::Sum<double>(result));
    return result;
  }

  void print_route() const {
    auto const x = uninitialized<double>("x", m_matrix.rows());
    std::printf("route %s\n", KokkosMMA::explain([&] { dot(x, x); }).c_str());
  }

 private:
  CompressedRows m_matrix;
  int m_lanes = 1;
};

int main(int argc, char** argv) {
  return program<TeamKernels>("sparse_matvec_mma", argc, argv);
}
