// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_GRID_DEPENDENCY_HPP
#define KOKKOSMMA_CUDA_ARCH_GRID_DEPENDENCY_HPP

namespace KokkosMMA::Impl::Cuda {

/// Overlap of two grids of a stream, of which the later one is launched with
/// KernelGrid::follows. Its blocks start as blocks of the earlier grid finish,
/// and set themselves up meanwhile. On devices before sm_90, and without this
/// launch, the grids run one after the other. Stencils of 16384^2 bytes, back
/// to back, are 1 % faster (band of radius 7 139.2 us instead of 140.5,
/// separable sums of radius 1 136.0 instead of 137.4), half values and floats
/// up to 1 % (H200, CUDA 13.0, 2026-11-24).
struct GridDependency {
  /// Called by the earlier grid: once all its blocks have called it, the later
  /// grid may start.
  __device__ static void release() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
  }
  /// Called by each thread of the later grid before it accesses global memory:
  /// waits until the earlier grid is complete and its writes are visible.
  __device__ static void wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
