// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_CUDA_FP16_H
#define KOKKOSMMA_EMULATED_CUDA_FP16_H

#include <KokkosMMA_SmallFloats.hpp>
#include <backends/emulated/arch/KokkosMMA_Mma.hpp>

#include <cuda_runtime.h>

#include <cstdint>

struct __half {
  std::uint16_t bits;
};
struct alignas(4) __half2 {
  __half x, y;
};

inline __half __ushort_as_half(unsigned short bits) { return {bits}; }
inline float __half2float(__half value) {
  return float(KokkosMMA::Impl::Emulated::decode_half(value.bits));
}
inline __half __double2half(double value) {
  return {KokkosMMA::Testing::encode_half(value)};
}
inline __half2 __floats2half2_rn(float x, float y) {
  return {__double2half(x), __double2half(y)};
}
inline float2 __half22float2(__half2 pair) {
  return {__half2float(pair.x), __half2float(pair.y)};
}
// A product of halfs and its sum with one fit a double.
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  auto const fma = [](__half x, __half y, __half z) {
    return __double2half(double(__half2float(x)) * double(__half2float(y)) +
                         double(__half2float(z)));
  };
  return {fma(a.x, b.x, c.x), fma(a.y, b.y, c.y)};
}

#endif
