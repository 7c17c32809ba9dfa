// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_ADD_NEAREST_HPP
#define KOKKOSMMA_CUDA_ARCH_ADD_NEAREST_HPP

namespace KokkosMMA::Impl::Cuda {

/// Arithmetic that is rounded to nearest and keeps subnormal numbers, also in a
/// source that is compiled with -ftz=true or -use_fast_math. These options
/// affect floats only.
struct AddNearest {
  __device__ static float sum(float a, float b) {
    float result;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }
  __device__ static float difference(float a, float b) {
    float result;
    asm("sub.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
  }
  __device__ static double sum(double a, double b) { return __dadd_rn(a, b); }
  __device__ static double difference(double a, double b) {
    return __dsub_rn(a, b);
  }
  __device__ static double product(double a, double b) {
    return __dmul_rn(a, b);
  }
  /// Converts to double without loss, subnormal numbers included.
  __device__ static double widened(float a) {
    double result;
    asm("cvt.f64.f32 %0, %1;" : "=d"(result) : "f"(a));
    return result;
  }
  __device__ static double widened(double a) { return a; }
  /// a * b + c, rounded once.
  __device__ static double product_sum(double a, double b, double c) {
    return __fma_rn(a, b, c);
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
