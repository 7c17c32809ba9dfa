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

/// Rows of results that begin anywhere, four lanes to a row: of(v) are the 8
/// bytes that lane l has v-th, vector 4 v + l % 4 of the row at `to`. What is
/// stored at once begins a multiple of 8 bytes: a part of one vector and of the
/// next, of another lane. The first and the last few bytes of a row, which
/// share 8 with a neighbour's, go in powers of two.
///
/// H200, 2026-11-23, 16384^2 halfs, box of radius 7, results three elements
/// behind a line, us: all by element 1530, ends by element 867.
template <int Vectors, class Result, class Of>
__device__ void write_rows_anywhere(Result* to, int lane, Of const& of) {
  int const q = lane % 4;
  // Bytes of a vector before the first that begins so.
  int const before     = int((0 - reinterpret_cast<std::uintptr_t>(to)) % 8);
  bool const is_far    = before >= 4;
  unsigned const shift = before % 4 * 8;
  auto* const bytes    = reinterpret_cast<unsigned char*>(to);
#pragma unroll
  for (int v = 0; v < Vectors; ++v) {
    std::uint32_t const mine[2] = {of(v).word[0], of(v).word[1]};
    auto const& following       = of(v + 1 < Vectors ? v + 1 : v).word;
    std::uint32_t const next[2] = {following[0], following[1]};
    int const from              = (lane & ~3) | ((lane + 1) & 3);
    std::uint32_t const low =
        __shfl_sync(0xffffffffu, q == 0 ? next[0] : mine[0], from);
    std::uint32_t const high =
        __shfl_sync(0xffffffffu, q == 0 ? next[1] : mine[1], from);
    std::uint32_t const a = is_far ? mine[1] : mine[0];
    std::uint32_t const b = is_far ? low : mine[1];
    std::uint32_t const c = is_far ? high : low;
    if (v + 1 < Vectors || q < 3 || before == 0)
      *reinterpret_cast<uint2*>(bytes + 8 * (4 * v + q) + before) =
          uint2{__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift)};
  }
  if (before != 0 && q % 3 == 0) {
    // The bytes of the 8 that are this row's, where they are to be.
    bool const is_begin       = q == 0;
    auto const& first         = of(0).word;
    auto const& last          = of(Vectors - 1).word;
    std::uint64_t const whole = is_begin
                                    ? std::uint64_t(first[1]) << 32 | first[0]
                                    : std::uint64_t(last[1]) << 32 | last[0];
    int const count           = is_begin ? before : 8 - before;
    unsigned char* const eight =
        bytes + before + (is_begin ? -8 : 8 * (4 * Vectors - 1));
    std::uint64_t const shifted =
        is_begin ? whole << 8 * (8 - before) : whole >> 8 * before;
    auto const store = [&]<class Part>(Part) {
      constexpr int size = int(sizeof(Part));
      if ((count & size) == 0) return;
      int const at = is_begin ? 8 - (count & -size) : count & -(2 * size);
      *reinterpret_cast<Part*>(eight + at) = Part(shifted >> 8 * at);
    };
    store(std::uint32_t());
    if constexpr (sizeof(Result) <= 2) {
      store(std::uint16_t());
    }
    if constexpr (sizeof(Result) == 1) {
      store(std::uint8_t());
    }
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
