// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EMULATED_RAGGED_REDUCE_HPP
#define KOKKOSMMA_EMULATED_RAGGED_REDUCE_HPP

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/mma/KokkosMMA_StagedRing.hpp>
#include <core/segmented/KokkosMMA_WarpMergePath.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

/// \file
/// Reduction of segments by several emulated warps, one after the other:
/// staging is this file's, everything a lane computes is the code that the
/// device runs.

namespace KokkosMMA::Impl::Emulated {

/// Elements of a stretch as they pass through a ring of `Tiles` tiles. What has
/// left the ring, or is not there yet, reads as all bits set.
template <int Tiles, int TileBytes, int ElementBytes>
class RingStream {
 public:
  using Ring                         = StagedRing<Tiles * TileBytes>;
  static constexpr unsigned per_tile = TileBytes / ElementBytes;
  static constexpr unsigned window   = Tiles / 2 * per_tile;
  static constexpr unsigned reach    = (Tiles - 1) * per_tile;

  RingStream(void const *x, RaggedPlace const &begin, RaggedPlace const &end)
      : m_memory(Ring::bytes / sizeof(Line)) {
    auto const *const first =
        static_cast<unsigned char const *>(x) + begin.element * ElementBytes;
    auto const skip = reinterpret_cast<std::uintptr_t>(first) % 16;
    m_source        = first - skip;
    m_begin         = unsigned(skip / ElementBytes);
    m_end           = m_begin + unsigned(end.element - begin.element);
    std::memset(bytes(), 0xff, Ring::bytes);
  }

  unsigned begin() const { return m_begin; }
  unsigned end() const { return m_end; }
  Ring ring() const { return {bytes()}; }
  unsigned ready() const { return std::min(m_ready * per_tile, m_end); }
  void wait(unsigned position) {
    for (; ready() < position; ++m_ready) {
      // The first element that is still asked for must not be overwritten.
      m_overrun = m_overrun || m_ready >= m_released + Tiles;
      for (unsigned b = 0; b < TileBytes; ++b) {
        std::uint64_t const at = std::uint64_t(m_ready) * TileBytes + b;
        bytes()[Ring::place(unsigned(at))] =
            at >= m_begin * ElementBytes && at / ElementBytes < m_end
                ? m_source[at]
                : 0xff;
      }
    }
  }
  void release(unsigned position) {
    for (; m_released < position / per_tile; ++m_released)
      for (unsigned b = 0; b < TileBytes; ++b)
        bytes()[Ring::place(m_released * TileBytes + b)] = 0xff;
  }
  bool overrun() const { return m_overrun; }

 private:
  struct alignas(128) Line {
    unsigned char bytes[128];
  };
  unsigned char *bytes() const {
    return const_cast<unsigned char *>(m_memory.data()->bytes);
  }

  std::vector<Line> m_memory;
  unsigned char const *m_source;
  unsigned m_begin, m_end;
  unsigned m_ready    = 0;  // tiles
  unsigned m_released = 0;  // tiles
  bool m_overrun      = false;
};

/// Calls store(segment, value) once for every segment. Returns whether the
/// warps kept within their rings.
template <Operation Op, Scalar Input, class Value, bool Quads, int Tiles,
          int TileBytes, class Offset, class Store>
bool ragged_reduce(void const *x, OffsetSegments<Offset> const &segments,
                   std::uint64_t weight, std::uint64_t stretches,
                   Store const &store) {
  using Open = RaggedOpen<Op, Value>;
  Warp const warp;
  auto const work = RaggedWork<Offset>::of(segments, weight);
  bool in_ring    = true;
  std::vector<RaggedPartial<Value>> partials;
  for (std::uint64_t i = 0; i < stretches; ++i) {
    RaggedPlace places[2];
    find_places(warp, work,
                {begin_of_share(work.total(), stretches, i),
                 begin_of_share(work.total(), stretches, i + 1)},
                places);
    RingStream<Tiles, TileBytes, size_of(Input)> stream(x, places[0],
                                                        places[1]);
    auto const left = WarpRagged<Warp, Op, Input, Value, Quads>(warp).walk(
        stream, segments, places[0], places[1], store);
    // Neighbours are joined first, as those of a block are on the device.
    if (i % 3 == 0)
      partials.push_back(Warp::at(left, 0));
    else
      join_partials<Op>(partials.back(), Warp::at(left, 0), store);
    in_ring = in_ring && !stream.overrun();
  }

  std::uint64_t const per_lane =
      (partials.size() + Warp::size - 1) / Warp::size;
  auto const of_lane = [&](int lane, Open open, auto const &to) {
    for (std::uint64_t i = lane * per_lane;
         i < std::min<std::uint64_t>(partials.size(), (lane + 1) * per_lane);
         ++i)
      open.add(partials[i], to);
    return open;
  };
  Warp::Lanes<Open> mine, before, all;
  Warp::each([&](int lane) {
    Warp::at(mine, lane) =
        of_lane(lane, Open{}, [](std::uint64_t, Value const &) {});
  });
  open_before<Warp, Op, Value>(warp, mine, before, all);
  Warp::each([&](int lane) { of_lane(lane, Warp::at(before, lane), store); });
  return in_ring;
}

}  // namespace KokkosMMA::Impl::Emulated

#endif
