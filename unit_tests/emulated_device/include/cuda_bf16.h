// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_CUDA_BF16_H
#define KOKKOSMMA_EMULATED_CUDA_BF16_H

#include <KokkosMMA_SmallFloats.hpp>
#include <backends/emulated/arch/KokkosMMA_Mma.hpp>

#include <cuda_runtime.h>

#include <cstdint>

struct __nv_bfloat16 {
  std::uint16_t bits;
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};

inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {{KokkosMMA::Testing::encode_bhalf(x)},
          {KokkosMMA::Testing::encode_bhalf(y)}};
}

inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b,
                              __nv_bfloat162 c) {
  using KokkosMMA::Impl::Emulated::decode_bhalf;
  auto const fma = [](__nv_bfloat16 x, __nv_bfloat16 y, __nv_bfloat16 z) {
    return __nv_bfloat16{KokkosMMA::Testing::encode_bhalf(
        decode_bhalf(x.bits) * decode_bhalf(y.bits) + decode_bhalf(z.bits))};
  };
  return {fma(a.x, b.x, c.x), fma(a.y, b.y, c.y)};
}

#endif
