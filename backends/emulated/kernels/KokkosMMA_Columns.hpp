// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EMULATED_COLUMNS_HPP
#define KOKKOSMMA_EMULATED_COLUMNS_HPP

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/segmented/KokkosMMA_WarpColumns.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

/// \file
/// Reductions and scans along the rows of a matrix by one emulated warp: the
/// walk is this file's, everything a lane computes is the code that the device
/// runs.

namespace KokkosMMA::Impl::Emulated {

/// The combination of each column.
/// \tparam Sums of core/segmented/KokkosMMA_WarpColumns.hpp
template <Operation Op, class Sums>
std::vector<typename Sums::Value> column_reduce(void const* x,
                                                ColumnMatrix const& matrix) {
  using Value                 = typename Sums::Value;
  constexpr int bytes         = Sums::element_bytes;
  ColumnVectors const vectors = column_vectors(x, matrix, bytes, Sums::width);
  unsigned char const* const base =
      static_cast<unsigned char const*>(x) - vectors.skip * bytes;
  std::vector<Value> results(matrix.columns, Combine<Op, Value>::identity());
  for (std::uint64_t first = 0; first < vectors.positions;
       first += Sums::width) {
    Sums sums{Warp{}};
    // Some elements of the vector that a lane holds, zeros beside them.
    auto const load = [&](std::uint64_t period, int lane, Vector16& vector) {
      std::uint64_t const position = first + Sums::position(lane);
      unsigned present             = 0;
      vector                       = {};
      if (position >= vectors.positions || period >= vectors.periods)
        return present;
      std::uint64_t const begin =
          vectors.offset(position) + period * vectors.step();
      for (int e = 0; e < Sums::elements; ++e) {
        if (begin + e < vectors.skip || begin + e >= vectors.end()) continue;
        typename Unsigned<bytes>::type bits;
        std::memcpy(&bits, base + (begin + e) * bytes, bytes);
        put_element<bytes>(vector, e, bits);
        present |= 1u << e;
      }
      return present;
    };
    auto const add_some = [&](std::uint64_t period) {
      Warp::Lanes<Vector16> vector{};
      Warp::Lanes<unsigned> present{};
      Warp::each([&](int lane) {
        if (Sums::depth(lane) == 0)
          Warp::at(present, lane) = load(period, lane, Warp::at(vector, lane));
      });
      sums.add_some(vector, present);
    };
    constexpr std::uint64_t step = Sums::deep * Sums::vectors;
    std::uint64_t const stop     = vectors.periods - 1;
    add_some(0);
    std::uint64_t period = 1;
    for (; period + step <= stop; period += step) {
      Warp::Lanes<Vector16> loaded[Sums::vectors];
      for (int v = 0; v < Sums::vectors; ++v)
        Warp::each([&](int lane) {
          load(period + v * Sums::deep + Sums::depth(lane), lane,
               Warp::at(loaded[v], lane));
        });
      sums.add(loaded);
    }
    for (; period <= stop; ++period) add_some(period);
    sums.finish([&](int, int position, int e, Value value) {
      if (first + position >= vectors.positions) return;
      ColumnPlace const place = vectors.place(first + position, e);
      if (place.row < 0) return;
      Value& result = results[place.column];
      result        = Combine<Op, Value>::apply(result, value);
    });
  }
  return results;
}

/// Scan of a tile of rows that follow each other, `lanes.positions` vectors of
/// Elements elements each, with `before` in front of every column. `total` is
/// the combination of the columns without that.
template <Operation Op, Scalar Input, class Value, int Elements, int Rows,
          bool Inclusive>
void column_scan_tile(void const* x, int rows, ColumnLanes const& lanes,
                      Value before, Value* y, Value* total) {
  using Scan  = WarpColumnScan<Warp, Op, Input, Value, Elements, Rows, true>;
  using Words = typename Scan::Words;
  Scan const scan(Warp{}, lanes);
  int const columns = lanes.positions * Elements;
  Warp::Lanes<int> counts{};
  Warp::Lanes<typename Scan::Vector> running, sums;
  Warp::each([&](int lane) {
    int const left = rows - lanes.group(lane);
    Warp::at(counts, lane) =
        lanes.group(lane) >= lanes.groups || left <= 0
            ? 0
            : std::min((left + lanes.groups - 1) / lanes.groups, Rows);
    for (int e = 0; e < Elements; ++e) Warp::at(running, lane)[e] = before;
  });
  auto const place = [&](int lane, int r) {
    return (r * lanes.groups + lanes.group(lane)) * columns +
           lanes.position(lane) * Elements;
  };
  auto const row = [&](int lane, int r) {
    Words words{};
    std::memcpy(&words,
                static_cast<unsigned char const*>(x) +
                    place(lane, r) * Scan::element_bytes,
                Scan::bytes);
    return words;
  };
  scan.total(row, counts, sums);
  Warp::each([&](int lane) {
    if (lanes.holds_total(lane))
      for (int e = 0; e < Elements; ++e)
        total[lanes.position(lane) * Elements + e] = Warp::at(sums, lane)[e];
  });
  scan.template prefixes<Inclusive>(
      row, counts, running,
      [&](int lane, int r, typename Scan::Vector const& prefix) {
        for (int e = 0; e < Elements; ++e) y[place(lane, r) + e] = prefix[e];
      });
}

}  // namespace KokkosMMA::Impl::Emulated

#endif
