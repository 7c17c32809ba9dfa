// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operations over ranks on CUDA.

#include <KokkosMMA.hpp>
#include <KokkosMMA_Mpi.hpp>

#include <cstdint>

namespace {

using Exec    = Kokkos::Cuda;
namespace mpi = KokkosMMA::mpi;

template <class T>
using Array = Kokkos::View<T*, Exec>;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;

}  // namespace

void over_ranks(MPI_Comm comm, Array<float> x, Array<float> y, float& total,
                Matrix<float> in, Matrix<float> out,
                Matrix<std::uint8_t> cells) {
  Exec const exec;
  mpi::reduce(comm, exec, x, total);
  mpi::exclusive_scan(comm, exec, x, y);
  mpi::stencil(comm, exec, in, out, KokkosMMA::StencilWeights<2>::box(2),
               KokkosMMA::Boundaries<2>::all(KokkosMMA::Boundary::periodic), 2);
  mpi::exchange_halos(
      comm, exec, cells, {1, 1},
      KokkosMMA::Boundaries<2>::all(KokkosMMA::Boundary::periodic));
}
