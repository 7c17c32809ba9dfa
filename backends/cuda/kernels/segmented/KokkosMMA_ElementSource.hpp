// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_ELEMENT_SOURCE_HPP
#define KOKKOSMMA_CUDA_ELEMENT_SOURCE_HPP

#include <backends/cuda/kernels/block/KokkosMMA_WarpPipeline.hpp>
#include <core/mma/KokkosMMA_StagedRing.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>

/// \file
/// Sources of the elements of segments: memory, or a function of the index. A
/// source offers
///   input                element type
///   called               whether it invokes a function of the caller
///   from(first)[e]       bits of element first + e
///   stream(memory, first, last, lane)
///                        elements [first, last) streamed through a ring in the
///                        shared memory of a warp

namespace KokkosMMA::Impl::Cuda {

/// Contiguous elements, at any alignment.
template <Scalar Input>
struct LoadedElements {
  static constexpr Scalar input = Input;
  static constexpr bool called  = false;
  void const* data;

  __device__ ElementBits<Input> const* from(std::uint64_t first) const {
    return static_cast<ElementBits<Input> const*>(data) + first;
  }
  template <int Tiles, int TileBytes>
  __device__ WarpPipeline<Tiles, TileBytes, size_of(Input)> stream(
      unsigned char* memory, std::uint64_t first, std::uint64_t last,
      int lane) const {
    return {memory, reinterpret_cast<unsigned char const*>(from(first)),
            last - first, lane};
  }
};

/// Results of invocations, streamed through a ring in shared memory that
/// belongs to one warp, as WarpPipeline does with loads. Positions count as if
/// the elements were at an address that is a multiple of 16, so a kernel gives
/// the same bits for such elements in memory.
template <int Tiles, int TileBytes, class Elements>
class CallPipeline {
 public:
  using Bits                         = ElementBits<Elements::input>;
  using Ring                         = StagedRing<Tiles * TileBytes>;
  static constexpr unsigned per_tile = TileBytes / sizeof(Bits);
  static constexpr unsigned window   = Tiles / 2 * per_tile;
  static constexpr unsigned reach    = (Tiles - 1) * per_tile;

  __device__ CallPipeline(Elements const& elements, unsigned char* memory,
                          std::uint64_t first, std::uint64_t last, int lane)
      : m_elements(elements), m_ring{memory}, m_lane(lane) {
    constexpr unsigned per_vector = 16 / sizeof(Bits);
    m_begin                       = unsigned(first % per_vector);
    m_first                       = first - m_begin;
    m_end                         = unsigned(last - m_first);
    m_tiles = first == last ? 0 : (m_end + per_tile - 1) / per_tile;
  }

  __device__ unsigned begin() const { return m_begin; }
  __device__ unsigned end() const { return m_end; }
  __device__ Ring const& ring() const { return m_ring; }
  __device__ unsigned ready() const { return m_ready; }
  __device__ void wait(unsigned position) {
    if (position <= m_ready) return;
    m_ready = min((position + per_tile - 1) / per_tile * per_tile, m_end);
    __syncwarp();  // all lanes have stored their results
  }
  __device__ void release(unsigned position) {
    unsigned const end = min(position / per_tile + Tiles, m_tiles);
    if (m_fetched >= end) return;
    __syncwarp();  // all lanes have read what is overwritten
    for (; m_fetched < end; ++m_fetched) call(m_fetched * per_tile);
  }

 private:
  /// Invocations of a lane between stores: their loads are in flight together.
  /// Eight are no faster (csr_tuning).
  static constexpr int calls = 4;
  static_assert(TileBytes % 1024 == 0 && per_tile % (32 * calls) == 0);

  __device__ void call(unsigned tile) {
    if (tile >= m_begin && tile + per_tile <= m_end) {
      for (unsigned p = tile + m_lane; p < tile + per_tile; p += 32 * calls) {
        Bits bits[calls];
#pragma unroll
        for (int k = 0; k < calls; ++k)
          bits[k] = m_elements.bits(m_first + (p + 32 * k));
#pragma unroll
        for (int k = 0; k < calls; ++k) store(p + 32 * k, bits[k]);
      }
    } else {
      unsigned const end = min(tile + per_tile, m_end);
      for (unsigned p = max(tile, m_begin) + m_lane; p < end; p += 32)
        store(p, m_elements.bits(m_first + p));
    }
  }
  __device__ void store(unsigned position, Bits bits) {
    *reinterpret_cast<Bits*>(
        m_ring.memory + Ring::place(position * unsigned(sizeof(Bits)))) = bits;
  }

  Elements const& m_elements;
  Ring m_ring;
  int m_lane;
  std::uint64_t m_first;  // index of the element at position 0
  unsigned m_begin, m_end;
  unsigned m_tiles;        // of the range
  unsigned m_fetched = 0;  // tiles
  unsigned m_ready   = 0;  // elements
};

/// Elements of a function: element i is function(i), which is invoked once for
/// each element of a segment.
template <Scalar Input, class Function>
struct CalledElements {
  static constexpr Scalar input = Input;
  static constexpr bool called  = true;
  Function function;

  __device__ ElementBits<Input> bits(std::uint64_t i) const {
    auto const value = function(static_cast<std::int64_t>(i));
    ElementBits<Input> bits;
    static_assert(sizeof(bits) == sizeof(value));
    memcpy(&bits, &value, sizeof(bits));
    return bits;
  }

  struct From {
    CalledElements const& elements;
    std::uint64_t first;
    __device__ ElementBits<Input> operator[](int e) const {
      return elements.bits(first + e);
    }
  };
  __device__ From from(std::uint64_t first) const { return {*this, first}; }
  template <int Tiles, int TileBytes>
  __device__ CallPipeline<Tiles, TileBytes, CalledElements> stream(
      unsigned char* memory, std::uint64_t first, std::uint64_t last,
      int lane) const {
    return {*this, memory, first, last, lane};
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
