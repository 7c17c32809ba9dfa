// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rank 1 has an error of its own and does not make the call that the others
// wait in: the job ends all the same, with the rank's message.

#include <KokkosMMA_Mpi.hpp>

#include <cstdio>
#include <stdexcept>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) throw std::runtime_error("rank 1 lost its input file");
  Kokkos::View<float*> const x("x", 3);
  float sum = 0;
  KokkosMMA::mpi::reduce(MPI_COMM_WORLD, Kokkos::DefaultExecutionSpace(), x,
                         sum);
  std::printf("the sum was computed without rank 1\n");
  MPI_Finalize();
}
