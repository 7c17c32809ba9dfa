// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls before MPI_Init and after MPI_Finalize are refused with a message.

#include <KokkosMMA_Mpi.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

bool refused(char const* expected) {
  Kokkos::View<float*> const x("x", 3);
  float sum = -1;
  try {
    KokkosMMA::mpi::reduce(MPI_COMM_WORLD, Kokkos::DefaultExecutionSpace(), x,
                           sum);
  } catch (std::invalid_argument const& error) {
    std::printf("%s\n", error.what());
    return sum == -1 &&
           std::string(error.what()).find(expected) != std::string::npos;
  }
  std::printf("not refused\n");
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  bool good = refused("KokkosMMA::mpi::reduce: MPI is not initialised");
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  good = refused("KokkosMMA::mpi::reduce: MPI is finalised") && good;
  return good ? 0 : 1;
}
