// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SEGMENTS_MMA_HPP
#define KOKKOSMMA_WARP_SEGMENTS_MMA_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <core/segmented/KokkosMMA_WarpSegments.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

#include <cstdint>

/// \file
/// Equal segments of half by MMA: the variant of
/// core/segmented/KokkosMMA_WarpSegments.hpp that no automatic choice uses.

namespace KokkosMMA::Impl {

/// Sums by MMA with ones. The four lanes of a quad hold two rows of the
/// operand, so an MMA sums only vectors of the same quad. Staged segments have
/// separate quads, so that a NaN stays in its segment.
///
/// Source: Dakkak et al. 2019, "Accelerating Reduction and Scan Using Tensor
/// Core Units", reductions of small segments.
template <class Warp>
class WarpSegmentsMma {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Sum   = WarpSum<Warp, Scalar::half>;

 public:
  using Value = float;
  using Join  = Combine<Operation::sum, float>;
  using Streamed =
      WarpSegmentsStreamed<Warp, Operation::sum, Scalar::half, float>;
  static constexpr int min_blocks = row_segments_tuning.min_blocks_mma;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpSegmentsMma(Warp const& warp)
      : m_warp(warp), m_sum(warp, chain_length) {
    clear();
  }

  /// Sums of the columns.
  using Rows = typename Streamed::Rows;

  KOKKOSMMA_FORCEINLINE_FUNCTION void gather(
      Lanes<Vector16> const (&row)[segment_rows], int vectors,
      Rows& rows) const {
    if (vectors == 1)
      gather_columns<1>(row, rows);
    else if (vectors == 2)
      gather_columns<2>(row, rows);
    else
      gather_columns<4>(row, rows);
  }
  /// \return false if nothing was stored because of an infinity or a NaN: use
  /// additions instead.
  template <class Store>
  KOKKOSMMA_FORCEINLINE_FUNCTION bool scatter(Rows& rows, int vectors,
                                              Store const& store) const {
    if (vectors == 1)
      return scatter_columns<1>(rows, vectors, store);
    else if (vectors == 2)
      return scatter_columns<2>(rows, vectors, store);
    else
      return scatter_columns<4>(rows, vectors, store);
  }

  template <class Store>
  KOKKOSMMA_FORCEINLINE_FUNCTION void staged(StagedTile const& tile,
                                             SegmentsOfTile const& in,
                                             Store const& store) const {
    int const lanes   = in.lanes < 4 ? 4 : in.lanes;
    int const touched = in.width == 16 ? in.length / 16 : in.length / 16 + 2;
    int const steps   = (touched + lanes - 1) / lanes;
    for (int first = 0; first < in.count; first += 32 / lanes) {
      Sum sum(m_warp, chain_length);
      for (int step = 0; step < steps; step += 2) {
        Lanes<Vector16> pair[2];
        for (int i = 0; i < 2; ++i)
          m_warp.each([&](int lane) {
            int const s     = first + lane / lanes;
            int const begin = in.first + s * in.length;
            int const stop  = in.first + in.size;
            int const end = begin + in.length < stop ? begin + in.length : stop;
            int const v   = begin / 16 + lane % lanes + (step + i) * lanes;
            m_warp.at(pair[i], lane) = vector_within(tile, v, begin, end);
          });
        sum.add(pair[0], pair[1]);
      }
      Lanes<Value> const value = total(sum, lanes);
      m_warp.each([&](int lane) {
        int const s = first + lane / lanes;
        if (lane % lanes == 0 && s < in.count) store(s, m_warp.at(value, lane));
      });
    }
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const& first,
                                          Lanes<Vector16> const& second) {
    m_sum.add(first, second);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_where(Lanes<Vector16> const& row,
                                                Lanes<bool> const& have) {
    Lanes<Vector16> inside, none;
    m_warp.each([&](int lane) {
      m_warp.at(inside, lane) =
          m_warp.at(have, lane) ? m_warp.at(row, lane) : Vector16{};
      m_warp.at(none, lane) = Vector16{};
    });
    m_sum.add(inside, none);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_element(int lane, Value value) {
    m_warp.at(m_elements, lane) =
        Join::apply(m_warp.at(m_elements, lane), value);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<Value> finish() {
    Lanes<Value> value = total(m_sum, 32);
    join_lanes<Join>(m_warp, m_elements, 32);
    m_warp.each([&](int lane) {
      m_warp.at(value, lane) =
          Join::apply(m_warp.at(value, lane), m_warp.at(m_elements, lane));
    });
    m_sum = Sum(m_warp, chain_length);
    clear();
    return value;
  }

 private:
  static constexpr int chain_length = 8;
  using Shape                       = MmaF16;

  /// Sums each row of vectors into separate columns: one per lane of a quad
  /// (Vectors = 1), per two lanes (2), or per quad (4). Lane 4g + q then holds
  /// column 2q of quad g in registers 0 and 2, column 2q + 1 in 1 and 3. Other
  /// columns get zeros added, except from infinities and NaNs. Value 2s + c is
  /// column 2q + c of accumulators s.
  template <int Vectors>
  KOKKOSMMA_FORCEINLINE_FUNCTION void gather_columns(
      Lanes<Vector16> const (&row)[segment_rows], Rows& rows) const {
    constexpr int columns = 4 / Vectors;         // per row
    constexpr int fit     = 8 / columns;         // rows per set of accumulators
    constexpr int sets    = segment_rows / fit;  // sets of accumulators
    Lanes<typename Shape::C> sum[sets]{};        // (16,8) per warp
    for (int r = 0; r < segment_rows; ++r) {
      Lanes<typename Shape::B> pick;  // (k,8)
      m_warp.each([&](int lane) {
        int const column  = r % fit * columns + lane % 4 / Vectors;
        std::uint32_t one = 0;
        for (int e = 0; e < Shape::packed; ++e)
          one |= Shape::one << 32 / Shape::packed * e;
        for (int reg = 0; reg < Shape::b_registers; ++reg)
          m_warp.at(pick, lane)[reg] = lane / 4 == column ? one : 0u;
      });
      m_warp.template multiply<Shape>(sum[r / fit], row[r], pick);
    }
    m_warp.each([&](int lane) {
      for (int set = 0; set < sets; ++set)
        for (int c = 0; c < 2; ++c) {
          auto const& d                            = m_warp.at(sum[set], lane);
          m_warp.at(rows.value[2 * set + c], lane) = d[c] + d[c + 2];
        }
    });
  }
  template <int Vectors, class Store>
  KOKKOSMMA_FORCEINLINE_FUNCTION bool scatter_columns(
      Rows& rows, int vectors, Store const& store) const {
    constexpr int columns = 4 / Vectors;
    constexpr int fit     = 8 / columns;
    constexpr int sets    = segment_rows / fit;
    auto& value           = rows.value;
    Lanes<bool> lost;
    m_warp.each([&](int lane) {
      bool any = false;
      for (int i = 0; i < 2 * sets; ++i) {
        Value const v = m_warp.at(value[i], lane);
        any           = any || !(v - v == Value(0));
      }
      m_warp.at(lost, lane) = any;
    });
    if (m_warp.any(lost)) return false;
    if constexpr (Vectors == 4) {
      // Column = row. Quads of a segment are in lanes 4g + q of equal q, its
      // rows in neighbouring columns.
      int const quads = vectors < 32 ? vectors / 4 : 8;
      for (int quad = 1; quad < quads; quad *= 2) add_lanes(value, 4 * quad);
      if (vectors >= 64)
        m_warp.each([&](int lane) {
          m_warp.at(value[0], lane) =
              m_warp.at(value[0], lane) + m_warp.at(value[1], lane);
        });
      for (int r = 2; 32 * r < vectors; r *= 2) add_lanes(value, r / 2);
      m_warp.each([&](int lane) {
        for (int c = 0; c < 2; ++c) {
          int const vector = (lane % 4 * 2 + c) * 32 + lane / 4 * 4;
          if (vector % vectors == 0)
            store(vector / vectors, m_warp.at(value[c], lane));
        }
      });
    } else {
      m_warp.each([&](int lane) {
        for (int i = 0; i < 2 * sets; ++i) {
          int const column = lane % 4 * 2 + i % 2;
          int const r      = i / 2 * fit + column / columns;
          store(r * (32 / Vectors) + lane / 4 * columns + column % columns,
                m_warp.at(value[i], lane));
        }
      });
    }
    return true;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_lanes(
      Lanes<Value> (&value)[segment_rows], int mask) const {
    for (int c = 0; c < 2; ++c) {
      Lanes<Value> const other = m_warp.shuffle_xor(value[c], mask);
      m_warp.each([&](int lane) {
        m_warp.at(value[c], lane) =
            m_warp.at(value[c], lane) + m_warp.at(other, lane);
      });
    }
  }

  /// Vector v of the tile with zeros outside [begin, end).
  KOKKOSMMA_FORCEINLINE_FUNCTION static Vector16 vector_within(
      StagedTile const& tile, int v, int begin, int end) {
    if (16 * v >= end || 16 * v + 16 <= begin) return Vector16{};
    Vector16 const vector = tile.vector(v);
    if (16 * v >= begin && 16 * v + 16 <= end) return vector;
    return bytes_within(vector, begin - 16 * v, end - 16 * v);
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<Value> total(Sum& sum, int lanes) const {
    Lanes<Value> value = sum.finish();
    join_lanes<Join>(m_warp, value, lanes);
    return value;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void clear() {
    m_warp.each(
        [&](int lane) { m_warp.at(m_elements, lane) = Join::identity(); });
  }

  Warp m_warp;
  Sum m_sum;
  Lanes<Value> m_elements;
};

}  // namespace KokkosMMA::Impl

#endif
