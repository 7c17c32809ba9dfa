// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The calls of docs/mpi.md, with answers that are known for any number of
// ranks.

#include <KokkosMMA_Mpi.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using KokkosMMA::Boundaries, KokkosMMA::Boundary, KokkosMMA::StencilWeights;
namespace mpi = KokkosMMA::mpi;

bool sums_and_scans(MPI_Comm comm, int ranks, int rank) {
  Exec const exec;
  Kokkos::View<double*> const x("x", 1000), y("y", 1000);
  Kokkos::deep_copy(x, 1);
  double sum = 0, total = 0;

  // the sum of all ranks' x, on every rank: a scalar or a View
  mpi::reduce(comm, exec, x, sum);
  // the Views of all ranks, concatenated in rank order
  mpi::exclusive_scan(comm, exec, x, y, 0, KokkosMMA::Total(total));

  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  return sum == 1000 * ranks && total == sum &&
         on_host(999) == 1000 * rank + 999;
}

bool stencils(MPI_Comm comm) {
  Exec const exec;
  auto const torus   = Boundaries<2>::all(Boundary::periodic);
  auto const weights = StencilWeights<2>::box(1);

  // an even cut of the grid: this rank's block.offset and block.extent
  auto const block = mpi::block_of<2>(comm, {64, 64});
  Kokkos::View<float**> const in("in", block.extent[0], block.extent[1]);
  Kokkos::View<float**> const out("out", block.extent[0], block.extent[1]);
  Kokkos::deep_copy(in, 1.f);
  mpi::stencil(comm, exec, in, out, weights, torus, 2);

  float sum = 0;
  KokkosMMA::reduce(exec, Kokkos::subview(out, 0, Kokkos::ALL), sum);
  return sum == 81.f * out.extent(1);
}

bool own_kernels(MPI_Comm comm) {
  Exec const exec;
  auto const torus   = Boundaries<2>::all(Boundary::periodic);
  auto const weights = StencilWeights<2>::box(1);
  auto const block   = mpi::block_of<2>(comm, {64, 64});

  // boundaries between two ranks are halos: ghost cells
  auto const local = mpi::block_boundaries(comm, torus);
  auto const low = local.ghosts_low(0, 1), high = local.ghosts_high(0, 1);
  Kokkos::View<float**> const cells("cells", block.extent[0] + low + high, 64);
  Kokkos::View<float**> const out("out", block.extent[0], 64);
  Kokkos::deep_copy(cells, -1.f);
  Kokkos::deep_copy(Kokkos::subview(cells,
                                    Kokkos::pair<std::int64_t, std::int64_t>(
                                        low, low + block.extent[0]),
                                    Kokkos::ALL),
                    1.f);
  // fills the ghost cells from the neighbours
  mpi::exchange_halos(comm, exec, cells, {1, 1}, torus);
  Kokkos::parallel_for(
      "own kernel", KokkosMMA::StencilPolicy(exec, cells, weights, local),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, float sum) {
        out(i, j) = sum / 9;
      });

  float sum = 0;
  KokkosMMA::reduce(exec, Kokkos::subview(out, 0, Kokkos::ALL), sum);
  return sum == 64;
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool right = false;
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    right = sums_and_scans(MPI_COMM_WORLD, ranks, rank) &&
            stencils(MPI_COMM_WORLD) && own_kernels(MPI_COMM_WORLD);
  } catch (std::exception const& error) {
    // The other ranks would wait for this one.
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
