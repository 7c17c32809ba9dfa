// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_VECTOR_STORE_HPP
#define KOKKOSMMA_CUDA_VECTOR_STORE_HPP

#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// \file
/// Stores of stencil sums: converted to results, and as wide as the
/// neighbouring results of a lane allow.

namespace KokkosMMA::Impl::Cuda {

template <class Element>
inline constexpr bool is_band_half = scalar_v<Element> == Scalar::half;
template <class Element>
inline constexpr bool is_band_bhalf = scalar_v<Element> == Scalar::bhalf;

/// Neighbouring results of a lane, packed into words.
template <class Result, int N>
struct VectorStore {
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
  /// For 16-bit floats: makes the low or the high half of `zero` NaN if a
  /// result is not finite, since 0 * Inf and 0 * NaN are NaN.
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
  /// Writes all results at once; `to` is aligned to their size or to 16 bytes.
  /// Without the hint that they are not read again: 32 bytes of a row could
  /// leave L2 before their neighbours come. Bands with the hint 156 us instead
  /// of 152 for bytes, 317 instead of 310 for half (H200, 2026-11-22).
  __device__ void write(Result* to) const {
    store_elements<false>(reinterpret_cast<std::uint32_t*>(to), word);
  }
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
};

/// Stores 16 rows of a warp's results through shared memory. A lane has 8 bytes
/// of every stripe of 32, of row lane / 4 and of the one 8 below. Direct stores
/// are a request to L2 for every 32 bytes, these one for 128. Copies through
/// panels of 512 bytes, row blocks of 48 rows and 16 rows above, 4 blocks of
/// 128 threads per multiprocessor: 137 us instead of 147 (bytes, 16384^2, H200,
/// 2026-11-24, the runtime's copy 130).
template <int Stripes>
class RowTileStore {
  static constexpr int row_bytes = 32 * Stripes;
  // Four rows of 8-byte words, or one row of 16-byte chunks, are in different
  // banks.
  static constexpr int pitch = row_bytes + 32;

 public:
  static constexpr int bytes = 16 * pitch;

  /// \param tile `bytes` of shared memory of this warp, aligned to 16
  __device__ RowTileStore(unsigned char* tile, int lane)
      : m_tile(tile), m_mine(tile + lane / 4 * pitch + lane % 4 * 8) {}

  template <class Results>
  __device__ void put(int stripe, int half, Results const& results) const {
    static_assert(Results::bytes == 8);
    *reinterpret_cast<uint2*>(mine(stripe, half)) =
        uint2{results.word[0], results.word[1]};
  }
  template <class Results>
  __device__ Results get(int stripe, int half) const {
    uint2 const words = *reinterpret_cast<uint2 const*>(mine(stripe, half));
    return {{words.x, words.y}};
  }
  /// Writes the results of all lanes; called by all of them.
  /// \param to the first result of the first row, aligned to 16
  /// \param rows number of rows to write, from the first on
  template <class Result>
  __device__ void write(Result* to, std::int64_t stride, int rows,
                        int lane) const {
    __syncwarp();
    constexpr int at_once = 32 / of_row;
    int const row         = lane / of_row;
    auto* const out = reinterpret_cast<unsigned char*>(to + row * stride) +
                      lane % of_row * 16;
    unsigned char const* const from = m_tile + row * pitch + lane % of_row * 16;
#pragma unroll
    for (int r = 0; r < 16; r += at_once)
      if (r + row < rows)
        *reinterpret_cast<uint4*>(out + r * stride * sizeof(Result)) =
            *reinterpret_cast<uint4 const*>(from + r * pitch);
    __syncwarp();
  }
  /// Writes the results of all lanes element by element, for rows that are
  /// short or unaligned; called by all lanes.
  template <class Result>
  __device__ void write(Result* to, std::int64_t stride, int rows, int columns,
                        int lane) const {
    __syncwarp();
    constexpr int all = row_bytes / int(sizeof(Result));
    int const end     = columns < all ? columns : all;
#pragma unroll 1
    for (int r = 0; r < 16 && r < rows; ++r)
#pragma unroll 1
      for (int c = lane; c < end; c += 32)
        to[r * stride + c] =
            reinterpret_cast<Result const*>(m_tile + r * pitch)[c];
    __syncwarp();
  }

 private:
  static constexpr int of_row = row_bytes / 16;  // lanes

  __device__ unsigned char* mine(int stripe, int half) const {
    return m_mine + 8 * half * pitch + 32 * stripe;
  }

  unsigned char* m_tile;
  unsigned char* m_mine;
};

/// Stores unaligned rows of results, four lanes to a row. of(v) returns the
/// v-th 8 bytes of lane l, which are vector 4 v + l % 4 of the row at `to`.
/// Stores begin at a multiple of 8 bytes: a part of one vector and a part of
/// the next, which another lane has. The first and the last bytes of a row,
/// whose 8 bytes belong to other rows too, are stored in powers of two.
///
/// 16384^2 half, box of radius 7, results three elements after a multiple of 16
/// bytes, H200, 2026-11-23: 1530 us all by element, 867 ends by element.
template <int Vectors, class Result, class Of>
__device__ void write_unaligned_rows(Result* to, int lane, Of const& of) {
  int const q = lane % 4;
  // Bytes of a vector before the first multiple of 8.
  int const before     = int((0 - reinterpret_cast<std::uintptr_t>(to)) % 8);
  bool const is_far    = before >= 4;
  unsigned const shift = before % 4 * 8;
  auto* const bytes    = reinterpret_cast<unsigned char*>(to);
#pragma unroll
  for (int v = 0; v < Vectors; ++v) {
    auto const own              = of(v);
    std::uint32_t const mine[2] = {own.word[0], own.word[1]};
    auto const following        = of(v + 1 < Vectors ? v + 1 : v);
    std::uint32_t const next[2] = {following.word[0], following.word[1]};
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
    // The bytes of this row within the 8, at their positions.
    bool const is_begin = q == 0;
    auto const first    = of(0);
    auto const last     = of(Vectors - 1);
    std::uint64_t const whole =
        is_begin ? std::uint64_t(first.word[1]) << 32 | first.word[0]
                 : std::uint64_t(last.word[1]) << 32 | last.word[0];
    int const count = is_begin ? before : 8 - before;
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
