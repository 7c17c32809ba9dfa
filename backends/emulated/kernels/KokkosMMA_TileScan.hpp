// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EMULATED_TILE_SCAN_HPP
#define KOKKOSMMA_EMULATED_TILE_SCAN_HPP

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/scan/KokkosMMA_ScanEncoding.hpp>
#include <core/scan/KokkosMMA_WarpScan.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

/// \file
/// Scan of memory into memory by one emulated warp: the walk over the tiles is
/// this file's, everything a lane computes is the code that the device runs.

namespace KokkosMMA::Impl::Emulated {

/// Elements of a tile.
template <class Encoding>
inline constexpr std::uint64_t tile_elements =
    2 * Warp::size* Encoding::elements;

/// The tile that begins with element `first`, zeros behind the end.
template <class Encoding>
void load_tile(void const* x, std::uint64_t size, std::uint64_t first,
               Warp::Lanes<typename Encoding::Words> (&rows)[2]) {
  constexpr std::uint64_t elements = Encoding::elements;
  constexpr std::uint64_t bytes    = Encoding::bytes / elements;
  for (int r = 0; r < 2; ++r)
    Warp::each([&](int lane) {
      std::uint64_t const begin = first + (Warp::size * r + lane) * elements;
      Warp::at(rows[r], lane)   = {};
      if (begin < size)
        std::memcpy(&Warp::at(rows[r], lane),
                    static_cast<unsigned char const*>(x) + begin * bytes,
                    std::min(elements, size - begin) * bytes);
    });
}

/// y(i) = init + the sum of x(0) to x(i - 1), or to x(i) if `Inclusive`; y may
/// be x. Returns the sum of all x(i).
/// \tparam WarpScan of core/scan/KokkosMMA_WarpScan.hpp
template <template <class, class, bool> class WarpScan, Scalar Input,
          class Value, bool Inclusive>
Value tile_scan(void const* x, std::uint64_t size, Value* y,
                Value init = Value(0)) {
  using Encoding = ScanEncoding<Input, Value>;
  using Scan     = WarpScan<Warp, Encoding, Inclusive>;
  Scan const scan{Warp{}};
  Value sum(0);
  for (std::uint64_t first = 0; first < size;
       first += tile_elements<Encoding>) {
    Warp::Lanes<typename Scan::Words> rows[2];
    Warp::Lanes<typename Scan::Vector> prefix[2];
    Warp::Lanes<Value> total;
    load_tile<Encoding>(x, size, first, rows);
    scan.scan(rows, prefix, total);
    Value const before = init + sum;
    std::uint64_t i    = first;
    for (auto const& row : prefix)
      for (auto const& vector : row.lane)
        for (Value const value : vector.value)
          if (i < size) y[i++] = before + value;
    sum = sum + total.lane[0];
  }
  return sum;
}

}  // namespace KokkosMMA::Impl::Emulated

#endif
