// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EMULATED_SEGMENTED_REDUCE_HPP
#define KOKKOSMMA_EMULATED_SEGMENTED_REDUCE_HPP

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/segmented/KokkosMMA_WarpSegments.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

/// \file
/// Reduction of equal segments by one emulated warp: the walks over the data
/// are this file's, everything a lane computes is the code that the device
/// runs. What a lane may not look at has all bits set: NaN, or -1.
///
/// Sizes and lengths are in bytes; store(segment, value) is called once for
/// every segment.

namespace KokkosMMA::Impl::Emulated {

/// Elements [from, to), by a whole warp.
template <class Segments, Scalar Input>
typename Segments::Value warp_reduce_elements(unsigned char const* from,
                                              unsigned char const* to) {
  using Bits = ElementBits<Input>;
  using Join = typename Segments::Join;
  Warp::Lanes<typename Segments::Value> value;
  Warp::each([&](int lane) {
    value.lane[lane]        = Join::identity();
    auto const* const begin = reinterpret_cast<Bits const*>(from);
    auto const* const end   = reinterpret_cast<Bits const*>(to);
    for (auto const* e = begin + lane; e < end; e += Warp::size)
      value.lane[lane] =
          Join::apply(value.lane[lane],
                      element_value<Warp, Input, typename Segments::Value>(*e));
  });
  join_lanes<Join>(Warp{}, value, Warp::size);
  return value.lane[0];
}

/// Rows of vectors in the lanes. Whole tiles are followed by pieces, as in the
/// last round on the device.
/// \param length 16 times a power of two
/// \return tiles of which the products could not tell the sums
template <class Segments, Scalar Input, class Store>
int reduce_row_segments(void const* x, std::uint64_t size, std::uint64_t length,
                        Store const& store) {
  auto const* const data      = static_cast<unsigned char const*>(x);
  int const vectors_of        = int(length / 16);
  std::uint64_t const vectors = size / length * vectors_of;
  Segments const segments{Warp{}};
  int again       = 0;
  auto const take = [&](std::uint64_t first, int count) {
    Warp::Lanes<Vector16> row[segment_rows]{};  // (8,32)
    for (int v = 0; v < count; ++v)
      std::memcpy(&row[v / 32].lane[v % 32], data + 16 * (first + v), 16);
    auto const store_some = [&](int s, typename Segments::Value const& value) {
      if (s < count / vectors_of) store(first / vectors_of + s, value);
    };
    typename Segments::Rows rows;
    segments.gather(row, vectors_of, rows);
    if (segments.scatter(rows, vectors_of, store_some)) return;
    ++again;
    typename Segments::Streamed const additions{Warp{}};
    additions.gather(row, vectors_of, rows);
    additions.scatter(rows, vectors_of, store_some);
  };
  constexpr std::uint64_t tile = 32 * segment_rows;
  std::uint64_t first          = 0;
  for (; first + tile <= vectors; first += tile) take(first, int(tile));
  auto const piece = std::uint64_t(std::max(32, vectors_of));
  for (; first < vectors; first += piece)
    take(first, int(std::min(vectors - first, piece)));
  if (size % length != 0)
    store(size / length, warp_reduce_elements<Segments, Input>(
                             data + size / length * length, data + size));
  return again;
}

/// Tiles of whole segments.
/// \param per_tile segments of a tile
/// \param lanes    of a segment
template <class Segments, class Store>
void reduce_staged_segments(void const* x, std::uint64_t size,
                            std::uint64_t length, int per_tile, int lanes,
                            Store const& store) {
  struct alignas(16) Line {
    unsigned char bytes[16];
  };
  std::uint64_t const tile_bytes = per_tile * length;
  Segments const segments{Warp{}};
  for (std::uint64_t begin = 0; begin < size; begin += tile_bytes) {
    auto const* const from = static_cast<unsigned char const*>(x) + begin;
    int const bytes        = int(std::min(size - begin, tile_bytes));
    int const skip         = int(reinterpret_cast<std::uintptr_t>(from) % 16);
    // No more lines than the tile touches.
    std::vector<Line> memory((skip + bytes + 15) / 16);
    std::memset(memory.data()->bytes, 0xff, memory.size() * 16);
    std::memcpy(memory.data()->bytes + skip, from, bytes);
    int const bits            = skip | int(length) | bytes;
    int const width           = bits % 16 == 0  ? 16
                                : bits % 8 == 0 ? 8
                                : bits % 4 == 0 ? 4
                                                : 1;
    std::uint64_t const first = begin / length;
    segments.staged(
        StagedTile{memory.data()->bytes},
        SegmentsOfTile{skip, int(length), bytes,
                       int((bytes + length - 1) / length), lanes, width},
        [&](int s, typename Segments::Value const& value) {
          store(first + s, value);
        });
  }
}

/// Segments in parts, interleaved tile by tile.
/// \param parts of a segment
template <class Segments, Scalar Input, class Store>
void reduce_long_segments(void const* x, std::uint64_t size,
                          std::uint64_t length, std::uint64_t parts,
                          Store const& store) {
  using Value                  = typename Segments::Value;
  using Join                   = typename Segments::Join;
  using Bits                   = ElementBits<Input>;
  constexpr std::uint64_t tile = 32 * segment_rows;  // vectors
  Segments segments{Warp{}};
  for (std::uint64_t from = 0; from < size; from += length) {
    auto const* const begin   = static_cast<unsigned char const*>(x) + from;
    std::uint64_t const bytes = std::min(size - from, length);
    unsigned char const* const end = begin + bytes;
    std::uint64_t const head = -reinterpret_cast<std::uintptr_t>(begin) % 16;
    unsigned char const* const first = head < bytes ? begin + head : end;
    std::uint64_t const vectors      = std::uint64_t(end - first) / 16;
    std::vector<Value> partials;
    for (std::uint64_t part = 0; part < parts; ++part) {
      std::uint64_t vector = part * tile;
      for (; vector < vectors; vector += parts * tile) {
        Warp::Lanes<Vector16> row[segment_rows];  // (8,32)
        Warp::Lanes<bool> have[segment_rows];
        std::memset(static_cast<void*>(row), 0xff, sizeof(row));
        for (int r = 0; r < segment_rows; ++r)
          Warp::each([&](int lane) {
            std::uint64_t const v = vector + 32 * r + lane;
            have[r].lane[lane]    = v < vectors;
            if (v < vectors)
              std::memcpy(&row[r].lane[lane], first + 16 * v, 16);
          });
        if (vector + tile <= vectors) {
          for (int r = 0; r < segment_rows; r += 2)
            segments.add(row[r], row[r + 1]);
        } else {
          for (int r = 0; r < segment_rows; ++r)
            if (vector + 32 * r < vectors) segments.add_where(row[r], have[r]);
        }
      }
      auto const edge = [&](int lane, unsigned char const* here,
                            unsigned char const* stop) {
        here += lane % 16 * sizeof(Bits);
        if (here < stop)
          segments.add_element(lane, element_value<Warp, Input, Value>(
                                         *reinterpret_cast<Bits const*>(here)));
      };
      if (part == 0)
        Warp::each([&](int lane) {
          edge(lane, lane < 16 ? begin : first + 16 * vectors,
               lane < 16 ? first : end);
        });
      partials.push_back(segments.finish().lane[0]);
    }
    Warp::Lanes<Value> value;
    Warp::each([&](int lane) {
      value.lane[lane] = Join::identity();
      for (std::uint64_t p = lane; p < parts; p += Warp::size)
        value.lane[lane] = Join::apply(value.lane[lane], partials[p]);
    });
    join_lanes<Join>(Warp{}, value, Warp::size);
    store(from / length, parts > 1 ? value.lane[0] : partials[0]);
  }
}

}  // namespace KokkosMMA::Impl::Emulated

#endif
