// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ATOM_WARP_HPP
#define KOKKOSMMA_CUDA_ATOM_WARP_HPP

#include <backends/cuda/arch/KokkosMMA_Mma.hpp>
#include <core/KokkosMMA_MmaShape.hpp>

namespace KokkosMMA::Impl::Cuda {

/// The instruction that executes a shape.
template <class Shape>
struct Instruction;
template <>
struct Instruction<MmaF16> : M16N8K16_F32F16F16F32 {};
template <>
struct Instruction<MmaBF16> : M16N8K16_F32BF16BF16F32 {};
template <>
struct Instruction<MmaBF16K8> : M16N8K8_F32BF16BF16F32 {};
template <>
struct Instruction<MmaS8> : M16N8K32_S32S8S8S32 {};
template <>
struct Instruction<MmaU8> : M16N8K32_S32U8U8S32 {};
template <>
struct Instruction<MmaF64> : M8N8K4_F64F64F64F64 {};

/// A warp of the device, seen from one lane (core/KokkosMMA_WarpSum.hpp says
/// what a warp offers). All 32 lanes of the hardware warp take part in every
/// call.
struct Warp {
  template <class T>
  using Lanes = T;

  __device__ static int lane() { return threadIdx.x % 32; }

  template <class T>
  __device__ static T& at(T& value, int) {
    return value;
  }
  template <class F>
  __device__ static void each(F const& f) {
    f(lane());
  }
  template <class Shape>
  __device__ static void multiply(typename Shape::C& d,
                                  typename Shape::A const& a,
                                  typename Shape::B const& b) {
    Instruction<Shape>::fma(d.value, a.value, b.value);
  }
  __device__ static bool any(bool value) {
    return __any_sync(0xffffffffu, value);
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
