// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EMULATED_MMA_REDUCE_HPP
#define KOKKOSMMA_EMULATED_MMA_REDUCE_HPP

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>
#include <core/reduce/KokkosMMA_WarpDot.hpp>
#include <core/papers/KokkosMMA_WarpPapers.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

#include <cstring>

/// \file
/// The `mma` route on one emulated warp: the walk over the vectors is this
/// file's, everything a lane computes is the code that the device runs.

namespace KokkosMMA::Impl::Emulated {

using Vectors = Warp::Lanes<Vector16>;

/// Vectors first, first + 1, ... of a range, one per lane, zeros behind its
/// end.
inline Vectors load_vectors(VectorRange const& range, std::uint64_t first) {
  Vectors vectors{};
  Warp::each([&](int lane) {
    if (first + lane < range.end)
      std::memcpy(&Warp::at(vectors, lane), range.base + 16 * (first + lane),
                  16);
  });
  return vectors;
}

template <int ElementBytes>
Vectors load_edges(VectorRange const& range) {
  Vectors vectors{};
  Warp::each([&](int lane) {
    Warp::at(vectors, lane) = edge_vector<ElementBytes>(range, lane);
  });
  return vectors;
}

/// A value per lane to one, in the order of the device's tree.
template <class T>
T sum_of_lanes(Warp::Lanes<T> values) {
  for (int offset = Warp::size / 2; offset > 0; offset /= 2)
    for (int lane = 0; lane < offset; ++lane)
      values.lane[lane] += values.lane[lane + offset];
  return values.lane[0];
}

/// Sum of contiguous elements.
template <Scalar Input>
auto reduce(void const* data, std::uint64_t size, int chain_length) {
  VectorRange const range = vector_range(data, size, size_of(Input));
  WarpSum<Warp, Input> sum(Warp{}, chain_length);
  for (std::uint64_t v = range.begin; v < range.end; v += 2 * Warp::size)
    sum.add(load_vectors(range, v), load_vectors(range, v + Warp::size));
  sum.add(load_edges<size_of(Input)>(range), Vectors{});
  return static_cast<typename WarpSum<Warp, Input>::Total>(
      sum_of_lanes(sum.finish()));
}

/// Sum of x(i) * y(i); both start at the same place of a 16-byte line.
template <Scalar Input>
auto dot(void const* x, void const* y, std::uint64_t size, int chain_length) {
  VectorRange const xs = vector_range(x, size, size_of(Input));
  VectorRange const ys = vector_range(y, size, size_of(Input));
  WarpDot<Warp, Input> sum(Warp{}, chain_length);
  for (std::uint64_t v = xs.begin; v < xs.end; v += Warp::size)
    sum.add(load_vectors(xs, v), load_vectors(ys, v));
  sum.add(load_edges<size_of(Input)>(xs), load_edges<size_of(Input)>(ys));
  return sum_of_lanes(sum.finish());
}

/// Sum of halves by R chained products and a second product per pass: the
/// papers' single pass, with R = 1 one level of their recurrence.
inline float paper_single_pass(void const* data, std::uint64_t size,
                               int chain_length) {
  VectorRange const range = vector_range(data, size, 2);
  Warp const warp;
  float total       = 0;
  auto const passes = [&](auto&& load, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t v = begin; v < end; v += chain_length * Warp::size) {
      Warp::Lanes<MmaF16::C> column_sums{};  // (16,8)
      for (int r = 0; r < chain_length; ++r)
        add_column_sums(warp, column_sums, load(v + r * Warp::size));
      total += sum_of_lanes(total_of_column_sums(warp, column_sums));
    }
  };
  passes([&](std::uint64_t v) { return load_vectors(range, v); }, range.begin,
         range.end);
  Vectors const edges = load_edges<2>(range);
  passes([&](std::uint64_t v) { return v == 0 ? edges : Vectors{}; }, 0, 1);
  return total;
}

}  // namespace KokkosMMA::Impl::Emulated

#endif
