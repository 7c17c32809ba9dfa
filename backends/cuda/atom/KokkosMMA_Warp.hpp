// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ATOM_WARP_HPP
#define KOKKOSMMA_CUDA_ATOM_WARP_HPP

#include <backends/cuda/arch/KokkosMMA_Logic.hpp>
#include <backends/cuda/arch/KokkosMMA_Mma.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <cuda_fp16.h>

namespace KokkosMMA::Impl::Cuda {

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
struct Instruction<MmaS8K16> : M16N8K16_S32S8S8S32 {};
template <>
struct Instruction<MmaS8U8> : M16N8K32_S32S8U8S32 {};
template <>
struct Instruction<MmaS8U8K16> : M16N8K16_S32S8U8S32 {};
template <>
struct Instruction<MmaF64> : M8N8K4_F64F64F64F64 {};
template <>
struct Instruction<MmaF64K8> : M16N8K8_F64F64F64F64 {};

/// A warp of the device, seen from one lane (core/reduce/KokkosMMA_WarpSum.hpp
/// lists the operations of a warp). All 32 lanes of the hardware warp make
/// every call.
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
  /// Bit l: the value of lane l.
  __device__ static std::uint32_t ballot(bool value) {
    return __ballot_sync(0xffffffffu, value);
  }
  template <class T>
  __device__ static T shuffle_up(T const& value, int offset) {
    return __shfl_up_sync(0xffffffffu, value, offset);
  }
  template <class T>
  __device__ static T shuffle_xor(T const& value, int mask) {
    return __shfl_xor_sync(0xffffffffu, value, mask);
  }
  template <class T>
  __device__ static T broadcast(T const& value, int from) {
    return __shfl_sync(0xffffffffu, value, from);
  }
  /// Value of lane source(lane).
  template <class T, class Source>
  __device__ static T gather(T const& value, Source const& source) {
    return __shfl_sync(0xffffffffu, value, source(lane()));
  }
  /// Adds the four bytes of a word to `sum`.
  template <bool Signed>
  __device__ static std::uint32_t add_bytes(std::uint32_t sum,
                                            std::uint32_t word) {
    if constexpr (Signed) {
      return __dp4a(int(word), 0x01010101, int(sum));
    } else {
      return __dp4a(word, 0x01010101u, sum);
    }
  }
  /// Any function of three bits, 32 at a time; `Table` is its value for 0xf0,
  /// 0xcc and 0xaa.
  template <int Table>
  __device__ static std::uint32_t logic(std::uint32_t a, std::uint32_t b,
                                        std::uint32_t c) {
    return Logic<Table>::of(a, b, c);
  }
  __device__ static float half_value(std::uint16_t bits) {
    return __half2float(__ushort_as_half(bits));
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
