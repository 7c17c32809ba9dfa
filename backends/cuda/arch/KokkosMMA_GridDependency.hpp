// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_GRID_DEPENDENCY_HPP
#define KOKKOSMMA_CUDA_ARCH_GRID_DEPENDENCY_HPP

namespace KokkosMMA::Impl::Cuda {

/// Between two grids of a stream, the later one launched with
/// KernelGrid::follows: its blocks replace blocks that are done, and
/// set themselves up while the last ones work. On devices before sm_90, and
/// without such a launch, nothing happens: the grids are one after the other.
/// Stencils of 16384^2 bytes, back to back, 1 % faster (band of radius 7 139.2
/// us instead of 140.5, separable sums of radius 1 136.0 instead of 137.4),
/// half values and floats up to 1 % (H200, CUDA 13.0, 2026-11-24).
struct GridDependency {
  /// Called by the earlier grid: once all its blocks have, the later one may
  /// start.
  __device__ static void release() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
  }
  /// Called by each thread of the later grid before it reads or writes global
  /// memory: the earlier one is then done, and what it wrote is there.
  __device__ static void wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
