// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ARCH_MMA_HPP
#define KOKKOSMMA_CUDA_ARCH_MMA_HPP

#include <cstdint>

/// \file
/// One struct per mma.sync instruction, named by shape and types of D, A, B, C;
/// all need sm_80. Each accumulates in place: d += a * b.

namespace KokkosMMA::Impl::Cuda {

// D and C in four registers of type D, A in four or two, B in half as many.
#define KOKKOSMMA_IMPL_MMA_OF_4(NAME, INSTRUCTION, D, PLUS)                 \
  struct NAME {                                                             \
    __device__ static void fma(D (&d)[4], std::uint32_t const (&a)[4],      \
                               std::uint32_t const (&b)[2]) {               \
      asm volatile("mma.sync.aligned." INSTRUCTION                          \
                   " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"    \
                   : PLUS(d[0]), PLUS(d[1]), PLUS(d[2]), PLUS(d[3])         \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), \
                     "r"(b[1]));                                            \
    }                                                                       \
  }
#define KOKKOSMMA_IMPL_MMA_OF_2(NAME, INSTRUCTION, D, PLUS)            \
  struct NAME {                                                        \
    __device__ static void fma(D (&d)[4], std::uint32_t const (&a)[2], \
                               std::uint32_t const (&b)[1]) {          \
      asm volatile("mma.sync.aligned." INSTRUCTION                     \
                   " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"        \
                   : PLUS(d[0]), PLUS(d[1]), PLUS(d[2]), PLUS(d[3])    \
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]));                 \
    }                                                                  \
  }

KOKKOSMMA_IMPL_MMA_OF_4(M16N8K16_F32F16F16F32,
                        "m16n8k16.row.col.f32.f16.f16.f32", float, "+f");
KOKKOSMMA_IMPL_MMA_OF_4(M16N8K16_F32BF16BF16F32,
                        "m16n8k16.row.col.f32.bf16.bf16.f32", float, "+f");
KOKKOSMMA_IMPL_MMA_OF_2(M16N8K8_F32BF16BF16F32,
                        "m16n8k8.row.col.f32.bf16.bf16.f32", float, "+f");
KOKKOSMMA_IMPL_MMA_OF_4(M16N8K32_S32S8S8S32, "m16n8k32.row.col.s32.s8.s8.s32",
                        std::int32_t, "+r");
KOKKOSMMA_IMPL_MMA_OF_4(M16N8K32_S32U8U8S32, "m16n8k32.row.col.s32.u8.u8.s32",
                        std::int32_t, "+r");
KOKKOSMMA_IMPL_MMA_OF_2(M16N8K16_S32S8S8S32, "m16n8k16.row.col.s32.s8.s8.s32",
                        std::int32_t, "+r");
KOKKOSMMA_IMPL_MMA_OF_4(M16N8K32_S32S8U8S32, "m16n8k32.row.col.s32.s8.u8.s32",
                        std::int32_t, "+r");
KOKKOSMMA_IMPL_MMA_OF_2(M16N8K16_S32S8U8S32, "m16n8k16.row.col.s32.s8.u8.s32",
                        std::int32_t, "+r");

#undef KOKKOSMMA_IMPL_MMA_OF_4
#undef KOKKOSMMA_IMPL_MMA_OF_2

struct M8N8K4_F64F64F64F64 {
  __device__ static void fma(double (&d)[2], double const (&a)[1],
                             double const (&b)[1]) {
    asm volatile(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
        "{%0,%1},{%2},{%3},{%0,%1};"
        : "+d"(d[0]), "+d"(d[1])
        : "d"(a[0]), "d"(b[0]));
  }
};

/// An instruction of sm_90; before sm_90 four of the shape above, k in order.
struct M16N8K8_F64F64F64F64 {
  __device__ static void fma(double (&d)[4], double const (&a)[4],
                             double const (&b)[2]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      double half[2] = {d[2 * row], d[2 * row + 1]};
      M8N8K4_F64F64F64F64::fma(half, {a[row]}, {b[0]});
      M8N8K4_F64F64F64F64::fma(half, {a[2 + row]}, {b[1]});
      d[2 * row]     = half[0];
      d[2 * row + 1] = half[1];
    }
#endif
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
