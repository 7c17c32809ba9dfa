// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EMULATED_SEGMENT_SCAN_HPP
#define KOKKOSMMA_EMULATED_SEGMENT_SCAN_HPP

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/segmented/KokkosMMA_WarpSegmentScan.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

/// \file
/// Scan of segments by one emulated warp: the walk over the rows is this
/// file's, everything a lane computes is the code that the device runs.

namespace KokkosMMA::Impl::Emulated {

/// \param skip   elements of the first vector that are not there
/// \param starts starts(lane, row): the bits of a lane's vector; called row by
///               row
template <Operation Op, Scalar Input, class Value, bool Inclusive, class Starts>
void segment_scan(void const* x, std::uint64_t size, int skip, Starts& starts,
                  Value* y) {
  using Scan = WarpSegmentScan<Warp, Op, Input, Value, Inclusive>;
  Scan const scan{Warp{}};
  auto const each_inside = [&](std::uint64_t row, int lane, auto const& f) {
    for (int e = 0; e < Scan::elements; ++e) {
      std::uint64_t const place =
          row * Scan::row_elements + lane * Scan::elements + e;
      if (place >= std::uint64_t(skip) && place < skip + size)
        f(place - skip, e);
    }
  };
  Warp::Lanes<Value> carry;
  Warp::each([&](int lane) { carry.lane[lane] = Scan::Combined::identity(); });
  for (std::uint64_t row = 0; row * Scan::row_elements < skip + size; ++row) {
    Warp::Lanes<typename Scan::Words> words;
    Warp::Lanes<std::uint32_t> bits;
    Warp::Lanes<typename Scan::Vector> prefix;
    Warp::each([&](int lane) {
      words.lane[lane] = {};
      bits.lane[lane]  = starts(lane, row);
      each_inside(row, lane, [&](std::uint64_t i, int e) {
        constexpr int bytes = Scan::input_bytes;
        std::memcpy(
            reinterpret_cast<unsigned char*>(&words.lane[lane]) + e * bytes,
            static_cast<unsigned char const*>(x) + i * bytes, bytes);
      });
    });
    scan.scan(words, bits, carry, prefix);
    Warp::each([&](int lane) {
      each_inside(row, lane,
                  [&](std::uint64_t i, int e) { y[i] = prefix.lane[lane][e]; });
    });
  }
}

}  // namespace KokkosMMA::Impl::Emulated

#endif
