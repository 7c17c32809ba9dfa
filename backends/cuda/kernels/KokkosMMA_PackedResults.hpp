// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PACKED_RESULTS_HPP
#define KOKKOSMMA_CUDA_PACKED_RESULTS_HPP

#include <core/KokkosMMA_Scalar.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// \file
/// Sums of a stencil on their way out: converted, and stored as many at once as
/// a lane has side by side.

namespace KokkosMMA::Impl::Cuda {

template <class Element>
inline constexpr bool is_band_half = scalar_v<Element> == Scalar::half;
template <class Element>
inline constexpr bool is_band_bhalf = scalar_v<Element> == Scalar::bhalf;

/// Neighbouring sums as results, packed.
template <class Result, int N>
struct PackedResults {
  static constexpr int bytes = N * int(sizeof(Result));
  static_assert(bytes % 4 == 0);
  std::uint32_t word[bytes / 4];

  template <class A, class Sum>
  __device__ void pack(Sum const* sums) {
    if constexpr (std::is_integral_v<Result> && std::is_integral_v<Sum> &&
                  sizeof(Result) == 1 && !std::is_same_v<Result, bool>) {
#pragma unroll
      for (int i = 0; i < N; i += 4)
        word[i / 4] = __byte_perm(
            __byte_perm(unsigned(sums[i]), unsigned(sums[i + 1]), 0x0040),
            __byte_perm(unsigned(sums[i + 2]), unsigned(sums[i + 3]), 0x0040),
            0x5410);
    } else if constexpr (is_band_half<Result> && std::is_same_v<Sum, float>) {
#pragma unroll
      for (int i = 0; i < N; i += 2) {
        __half2 const pair = __floats2half2_rn(sums[i], sums[i + 1]);
        word[i / 2]        = reinterpret_cast<std::uint32_t const&>(pair);
      }
    } else if constexpr (is_band_bhalf<Result> && std::is_same_v<Sum, float>) {
#pragma unroll
      for (int i = 0; i < N; i += 2) {
        __nv_bfloat162 const pair = __floats2bfloat162_rn(sums[i], sums[i + 1]);
        word[i / 2] = reinterpret_cast<std::uint32_t const&>(pair);
      }
    } else {
      Result results[N];
#pragma unroll
      for (int i = 0; i < N; ++i)
        results[i] = static_cast<Result>(static_cast<A>(sums[i]));
      memcpy(word, results, bytes);
    }
  }
  /// 16-bit floats: `zero` becomes NaN in one half or the other where a result
  /// is not finite. 0 * Inf and 0 * NaN are NaN.
  __device__ void check(std::uint32_t& zero) const {
    using Pair =
        std::conditional_t<is_band_half<Result>, __half2, __nv_bfloat162>;
    std::uint32_t const none = 0;
#pragma unroll
    for (std::uint32_t const& pair : word)
      reinterpret_cast<Pair&>(zero) =
          __hfma2(reinterpret_cast<Pair const&>(pair),
                  reinterpret_cast<Pair const&>(none),
                  reinterpret_cast<Pair const&>(zero));
  }
  /// At once; aligned to all of them or to 16 bytes.
  /// \tparam Last with the hint that they are not read again. 32 bytes of a row
  ///   may leave L2 so before their neighbours come. H200, 2026-11-22: bands
  ///   without 152 us for bytes and 310 for halfs, with it 156 and 317; dense
  ///   tiles without 303 10^9 sums per second at radius 7, with it 317.
  template <bool Last>
  __device__ void write(Result* to) const {
    if constexpr (bytes == 4) {
      store<Last>(reinterpret_cast<unsigned*>(to), word[0]);
    } else if constexpr (bytes == 8) {
      store<Last>(reinterpret_cast<uint2*>(to), uint2{word[0], word[1]});
    } else {
#pragma unroll
      for (int i = 0; i < bytes / 16; ++i)
        store<Last>(reinterpret_cast<uint4*>(to) + i,
                    uint4{word[4 * i], word[4 * i + 1], word[4 * i + 2],
                          word[4 * i + 3]});
    }
  }
  /// The first few, one after the other.
  __device__ void write(Result* to, int count) const {
    Result results[N];
    memcpy(results, word, bytes);
#pragma unroll 1
    for (int k = 0; k < N && k < count; ++k) {
      to[k] = results[0];
#pragma unroll
      for (int l = 0; l + 1 < N; ++l) results[l] = results[l + 1];
    }
  }

 private:
  template <bool Last, class Words>
  __device__ static void store(Words* to, Words const& words) {
    if constexpr (Last) {
      __stcs(to, words);
    } else {
      *to = words;
    }
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
