// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MULTI_INDEX_HPP
#define KOKKOSMMA_MULTI_INDEX_HPP

#include <core/base/KokkosMMA_ReciprocalDivisor.hpp>
#include <core/loops/KokkosMMA_TiledBox.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <utility>

namespace KokkosMMA::Impl {

/// Box of several dimensions, divided into tiles with one element per thread of
/// a block. A functor does not show which dimension of an array is contiguous.
/// So a tile is long in the fastest dimension and in the slowest one, and
/// neighbouring lanes lie along either of them. That choice permutes the
/// threads of a tile, not the elements and their accumulators. Sums row by row,
/// without tiles, reached 0.04 of the copy rate for LayoutRight Views of
/// 16384^2 floats, Kokkos 5.2 0.12 (H200, CUDA 13.0, 2026-11-28). Dimensions
/// are ordered here from the fastest to the slowest.
template <int Rank>
struct BoxTiles {
  static constexpr int rank = Rank;
  static constexpr int slow = Rank - 1;

  std::uint32_t extent[Rank] = {};
  std::uint32_t width[Rank]  = {};
  /// Dimension along which tiles form a row, the fastest with a long row; and
  /// the step of the offsets from tile to tile.
  int along                = 0;
  std::uint32_t step[Rank] = {};
  /// Number of tiles in that dimension, then in the others.
  ReciprocalDivisor count[Rank];
  std::uint32_t whole_in_row = 0;  ///< tiles of a row that lie inside
  std::uint32_t threads      = 1;  ///< a power of two

  BoxTiles() = default;
  BoxTiles(std::uint32_t const (&extents)[Rank], std::uint32_t thread_count)
      : threads(thread_count) {
    for (int d = 0; d < Rank; ++d) extent[d] = extents[d];
    tile_box({Rank, threads, extent, width, step, count, along, whole_in_row});
  }

  /// Number of elements of all tiles, those outside the box included.
  std::uint64_t places() const {
    std::uint64_t product = threads;
    for (ReciprocalDivisor const& tiles : count) product *= tiles.divisor;
    return product;
  }

  /// Offsets from the first index of the box.
  struct Offsets {
    std::uint32_t of[Rank];
  };
  struct Place : Offsets {
    std::uint32_t number;  ///< in the tile
    bool is_used;  ///< tiles may have fewer elements than a block threads
  };
  struct Tile : Offsets {
    std::uint32_t in_row;  ///< preceding tiles of the row
  };

  /// Element of a thread in a tile, as offsets from those of the tile.
  /// \param across whether neighbouring lanes lie along the slowest dimension
  KOKKOS_FORCEINLINE_FUNCTION Place place(std::uint32_t thread,
                                          bool across = false) const {
    Place at{};
    std::uint32_t rest = thread;
    auto const take    = [&](int d) {
      at.of[d] = rest % width[d];
      rest /= width[d];
    };
    if (Rank > 1 && across) take(slow);
    take(0);
    if (Rank > 1 && !across) take(slow);
    for (int d = 1; d < slow; ++d) take(d);
    at.is_used = rest == 0;
    at.number  = thread;
    if (Rank > 1 && across && at.is_used) {
      std::uint32_t const plane = width[0] * width[slow];
      at.number = at.of[0] + at.of[slow] * width[0] + thread / plane * plane;
    }
    // Outside any box, whose extents are below 2^31.
    if (!at.is_used) at.of[slow] = 0x80000000u;
    return at;
  }

  KOKKOS_FORCEINLINE_FUNCTION Tile tile(std::uint32_t number) const {
    std::uint32_t rest[Rank];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int k = 0; k < Rank; ++k) {
      std::uint32_t const quotient =
          k + 1 < Rank ? count[k].quotient(number) : 0;
      rest[k] = number - quotient * count[k].divisor;
      number  = quotient;
    }
    Tile at{};
    at.in_row = rest[0];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int d = 0; d < Rank; ++d)
      at.of[d] = width[d] * (d == along  ? rest[0]
                             : d < along ? rest[d + 1 < Rank ? d + 1 : d]
                                         : rest[d]);
    return at;
  }

  KOKKOS_FORCEINLINE_FUNCTION Offsets at(Tile const& tile,
                                         Place const& place) const {
    Offsets at;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int d = 0; d < Rank; ++d) at.of[d] = tile.of[d] + place.of[d];
    return at;
  }
  /// Whether offsets are in the box.
  KOKKOS_FORCEINLINE_FUNCTION bool has(Offsets const& at) const {
    bool inside = true;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int d = 0; d < Rank; ++d) inside = inside & (at.of[d] < extent[d]);
    return inside;
  }
};

/// Functor of several indices as a functor of elements of tiles. The fastest
/// index is the first if `LeftFastest`, otherwise the last.
template <class Functor, class Index, int Rank, bool LeftFastest>
struct MultiIndexCall : BoxTiles<Rank> {
  using typename BoxTiles<Rank>::Offsets;

  Functor functor;
  Index lower[Rank];  ///< in the order of the arguments

  MultiIndexCall(BoxTiles<Rank> const& tiles, auto const& from)
      : BoxTiles<Rank>(tiles), functor(from), lower{} {}

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Offsets const& at,
                                              Value& value) const {
    Index index[Rank];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int d = 0; d < Rank; ++d) {
      int const argument = LeftFastest ? d : Rank - 1 - d;
      index[argument] =
          static_cast<Index>(lower[argument] + static_cast<Index>(at.of[d]));
    }
    call(index, value, std::make_integer_sequence<int, Rank>{});
  }

  /// Invokes the functor for a flat index over all tiles, one after another;
  /// does nothing outside the box.
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint32_t flat,
                                              Value& value) const {
    Offsets const at = this->at(this->tile(flat / this->threads),
                                this->place(flat % this->threads));
    if (this->has(at)) (*this)(at, value);
  }

 private:
  template <class Value, int... D>
  KOKKOS_FORCEINLINE_FUNCTION void call(
      Index (&index)[Rank], Value& value,
      std::integer_sequence<int, D...>) const {
    functor(index[D]..., value);
  }
};

/// \param functor object from which a Functor is constructed, with one copy
/// \param lower, upper corners of the index space, Rank numbers each
/// \param threads block size, a power of two
template <class Functor, class Index, int Rank, bool LeftFastest, class From,
          class Point>
auto multi_index_call(From const& functor, Point const& lower,
                      Point const& upper, int threads) {
  std::uint32_t extents[Rank];
  for (int d = 0; d < Rank; ++d) {
    int const argument = LeftFastest ? d : Rank - 1 - d;
    auto const extent  = upper[argument] - lower[argument];
    // Longer extents are rejected later: 2^32 is not a divisor.
    bool const divides = extent > 0 && std::uint64_t(extent) < 0x80000000u;
    extents[d]         = divides ? static_cast<std::uint32_t>(extent) : 1u;
  }
  MultiIndexCall<Functor, Index, Rank, LeftFastest> call(
      BoxTiles<Rank>(extents, std::uint32_t(threads)), functor);
  for (int d = 0; d < Rank; ++d) call.lower[d] = static_cast<Index>(lower[d]);
  return call;
}

}  // namespace KokkosMMA::Impl

#endif
