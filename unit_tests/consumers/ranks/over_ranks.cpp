// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <KokkosMMA.hpp>
#include <KokkosMMA_Mpi.hpp>

#include <cstdio>

// The numbers from 0 to 999 in equal parts on all ranks.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    auto const block = KokkosMMA::mpi::block_of<1>(MPI_COMM_WORLD, {1000});
    Kokkos::View<double*> const x("x", block.extent[0]);
    auto const host = Kokkos::create_mirror_view(x);
    for (int i = 0; i < int(block.extent[0]); ++i)
      host(i) = double(block.offset[0] + i);
    Kokkos::deep_copy(x, host);
    double sum = 0;
    KokkosMMA::mpi::reduce(MPI_COMM_WORLD, Kokkos::DefaultExecutionSpace(), x,
                           sum);
    if (block.offset[0] == 0) std::printf("sum %.0f, expected 499500\n", sum);
  }
  MPI_Finalize();
}
