// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SEGMENTS_HPP
#define KOKKOSMMA_WARP_SEGMENTS_HPP

#include <core/KokkosMMA_Operation.hpp>
#include <core/KokkosMMA_StagedTile.hpp>
#include <core/KokkosMMA_WarpSum.hpp>

#include <cstdint>

/// \file
/// Reductions of segments by one warp, in three forms. Rows: vectors as they
/// come from memory, a row of 32 in the lanes, where segments are a power of
/// two of vectors. Staged: a tile in memory that the lanes share, for all other
/// segments; a power of two of neighbouring lanes takes a segment. Running: one
/// segment, part after part.
///
/// A warp offers what core/KokkosMMA_WarpScan.hpp says.

namespace KokkosMMA::Impl {

/// Equal segments that lie in a staged tile one behind the other.
struct SegmentsOfTile {
  int first;     ///< byte of the tile at which the first one starts
  int length;    ///< bytes of a segment
  int size;      ///< bytes of all of them: the last may be shorter
  int count;     ///< segments
  int lanes;     ///< of a segment: a power of two
  bool aligned;  ///< each starts and ends at a vector
};

/// Bytes [begin, end) of a staged tile, by the lanes that call it.
template <class Warp, Operation Op, Scalar Input, class Value>
struct LaneOperation {
  using Join                    = Combine<Op, Value>;
  static constexpr int bytes    = size_of(Input);
  static constexpr int elements = 16 / bytes;

  KOKKOS_FORCEINLINE_FUNCTION static Value element(Vector16 const& vector,
                                                   int e) {
    return element_value<Warp, Input, Value>(
        element_of_vector<bytes>(vector, e));
  }
  /// All elements of a vector, joined in a tree.
  KOKKOS_FORCEINLINE_FUNCTION static Value all(Vector16 const& vector) {
    Value value[elements];
    for (int e = 0; e < elements; ++e) value[e] = element(vector, e);
    for (int step = 1; step < elements; step *= 2)
      for (int e = 0; e < elements; e += 2 * step)
        value[e] = Join::apply(value[e], value[e + step]);
    return value[0];
  }
  /// Those at bytes [from, to) of the vector.
  KOKKOS_FORCEINLINE_FUNCTION static Value some(Vector16 const& vector,
                                                int from, int to) {
    Value value = Join::identity();
    for (int e = 0; e < elements; ++e)
      if (e * bytes >= from && e * bytes < to)
        value = Join::apply(value, element(vector, e));
    return value;
  }
  /// Every `lanes`-th vector of [begin, end), which lie at vectors.
  KOKKOS_FORCEINLINE_FUNCTION static Value of_vectors(StagedTile const& tile,
                                                      int begin, int end,
                                                      int lane, int lanes) {
    Value value = Join::identity();
    for (int v = begin / 16 + lane; v < end / 16; v += lanes)
      value = Join::apply(value, all(tile.vector(v)));
    return value;
  }
  /// Every `lanes`-th element of [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION static Value of_elements(StagedTile const& tile,
                                                       int begin, int end,
                                                       int lane, int lanes) {
    Value value = Join::identity();
    for (int byte = begin + lane * bytes; byte < end; byte += lanes * bytes)
      value = Join::apply(
          value, element_value<Warp, Input, Value>(tile.element<bytes>(byte)));
    return value;
  }
  /// Every `lanes`-th vector that [begin, end) touches, of the first and the
  /// last what lies inside.
  KOKKOS_FORCEINLINE_FUNCTION static Value of_bytes(StagedTile const& tile,
                                                    int begin, int end,
                                                    int lane, int lanes) {
    Value value = Join::identity();
    for (int v = begin / 16 + lane; 16 * v < end; v += lanes) {
      Vector16 const vector = tile.vector(v);
      bool const whole      = 16 * v >= begin && 16 * v + 16 <= end;
      value                 = Join::apply(
                          value,
          whole ? all(vector) : some(vector, begin - 16 * v, end - 16 * v));
    }
    return value;
  }
};

/// The lanes' values joined over groups of neighbouring lanes; every lane gets
/// its group's.
template <class Join, class Warp, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void join_lanes(Warp const& warp, Lanes& values,
                                            int lanes) {
  for (int offset = 1; offset < lanes; offset *= 2) {
    Lanes const other = warp.shuffle_xor(values, offset);
    warp.each([&](int lane) {
      // The lower lane's value first, in both.
      auto const mine       = warp.at(values, lane);
      auto const theirs     = warp.at(other, lane);
      warp.at(values, lane) = (lane & offset) ? Join::apply(theirs, mine)
                                              : Join::apply(mine, theirs);
    });
  }
}

/// Rows of a tile that a warp holds: 8 vectors in each lane.
inline constexpr int segment_rows = 8;

/// By additions, comparisons or multiplications: any operation.
template <class Warp, Operation Op, Scalar Input, class Value_>
class WarpSegmentsStreamed {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Lane  = LaneOperation<Warp, Op, Input, Value_>;

 public:
  using Value = Value_;
  using Join  = Combine<Op, Value>;

  KOKKOS_FORCEINLINE_FUNCTION explicit WarpSegmentsStreamed(Warp const& warp)
      : m_warp(warp) {
    clear();
  }

  /// \param vectors of a segment: a power of two, at most 256
  /// store(s, value) by one lane for each segment s of the rows.
  template <class Store>
  KOKKOS_FORCEINLINE_FUNCTION void rows(
      Lanes<Vector16> const (&row)[segment_rows], int vectors,
      Store const& store) const {
    Lanes<Value> value[segment_rows];
    for (int r = 0; r < segment_rows; ++r)
      m_warp.each([&](int lane) {
        m_warp.at(value[r], lane) = Lane::all(m_warp.at(row[r], lane));
      });
    // Segments of several rows: into the first of their rows.
    for (int step = 1; step < segment_rows; step *= 2)
      if (32 * step < vectors)
        for (int r = 0; r < segment_rows; r += 2 * step)
          m_warp.each([&](int lane) {
            auto& into = m_warp.at(value[r], lane);
            into       = Join::apply(into, m_warp.at(value[r + step], lane));
          });
    int const lanes = vectors < 32 ? vectors : 32;
    int const apart = vectors < 32 ? 1 : vectors / 32;
    for (int r = 0; r < segment_rows; ++r) {
      if (r % apart != 0) continue;
      join_lanes<Join>(m_warp, value[r], lanes);
      m_warp.each([&](int lane) {
        if (lane % lanes == 0)
          store((r * 32 + lane) / vectors, m_warp.at(value[r], lane));
      });
    }
  }

  template <class Store>
  KOKKOS_FORCEINLINE_FUNCTION void staged(StagedTile const& tile,
                                          SegmentsOfTile const& in,
                                          Store const& store) const {
    for (int first = 0; first < in.count; first += 32 / in.lanes) {
      Lanes<Value> value;
      m_warp.each([&](int lane) {
        int const s     = first + lane / in.lanes;
        int const begin = in.first + s * in.length;
        int const stop  = in.first + in.size;
        int const end   = begin + in.length < stop ? begin + in.length : stop;
        int const l     = lane % in.lanes;
        m_warp.at(value, lane) =
            in.aligned ? Lane::of_vectors(tile, begin, end, l, in.lanes)
                       : Lane::of_elements(tile, begin, end, l, in.lanes);
      });
      join_lanes<Join>(m_warp, value, in.lanes);
      m_warp.each([&](int lane) {
        int const s = first + lane / in.lanes;
        if (lane % in.lanes == 0 && s < in.count)
          store(s, m_warp.at(value, lane));
      });
    }
  }

  /// Two vectors of each lane belong to the running segment.
  KOKKOS_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const& first,
                                       Lanes<Vector16> const& second) {
    m_warp.each([&](int lane) {
      m_warp.at(m_value, lane) =
          Join::apply(m_warp.at(m_value, lane),
                      Join::apply(Lane::all(m_warp.at(first, lane)),
                                  Lane::all(m_warp.at(second, lane))));
    });
  }
  /// One vector of those lanes that have one.
  KOKKOS_FORCEINLINE_FUNCTION void add_where(Lanes<Vector16> const& row,
                                             Lanes<bool> const& have) {
    m_warp.each([&](int lane) {
      if (m_warp.at(have, lane))
        add_element(lane, Lane::all(m_warp.at(row, lane)));
    });
  }
  /// A value of this lane.
  KOKKOS_FORCEINLINE_FUNCTION void add_element(int lane, Value value) {
    m_warp.at(m_value, lane) = Join::apply(m_warp.at(m_value, lane), value);
  }
  /// The running segment, in every lane; the next one is empty.
  KOKKOS_FORCEINLINE_FUNCTION Lanes<Value> finish() {
    Lanes<Value> value = m_value;
    join_lanes<Join>(m_warp, value, 32);
    clear();
    return value;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    m_warp.each([&](int lane) { m_warp.at(m_value, lane) = Join::identity(); });
  }

  Warp m_warp;
  Lanes<Value> m_value;
};

/// Sums by products with ones: the four lanes of a quad hold two rows of the
/// operand, so a product sums each quad's vectors and no other's: staged
/// segments get quads of their own, and a NaN stays where it is.
///
/// Source: Dakkak et al. 2019, "Accelerating Reduction and Scan Using Tensor
/// Core Units", reductions of small segments.
template <class Warp, Scalar Input, class Value_>
class WarpSegmentsMma {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Sum   = WarpSum<Warp, Input>;
  using Part  = typename Sum::Value;
  using Lane  = LaneOperation<Warp, Operation::sum, Input, Value_>;

 public:
  using Value = Value_;
  using Join  = Combine<Operation::sum, Value>;

  KOKKOS_FORCEINLINE_FUNCTION explicit WarpSegmentsMma(Warp const& warp)
      : m_warp(warp), m_sum(warp, chain_length) {
    clear();
  }

  template <class Store>
  KOKKOS_FORCEINLINE_FUNCTION void rows(
      Lanes<Vector16> const (&row)[segment_rows], int vectors,
      Store const& store) const {
    if constexpr (has_columns) {
      if (vectors == 1)
        rows_by_columns<1>(row, vectors, store);
      else if (vectors == 2)
        rows_by_columns<2>(row, vectors, store);
      else
        rows_by_columns<4>(row, vectors, store);
    } else {
      WarpSegmentsStreamed<Warp, Operation::sum, Input, Value>(m_warp).rows(
          row, vectors, store);
    }
  }

  template <class Store>
  KOKKOS_FORCEINLINE_FUNCTION void staged(StagedTile const& tile,
                                          SegmentsOfTile const& in,
                                          Store const& store) const {
    int const lanes   = in.lanes < 4 ? 4 : in.lanes;
    int const touched = in.aligned ? in.length / 16 : in.length / 16 + 2;
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

  KOKKOS_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const& first,
                                       Lanes<Vector16> const& second) {
    m_sum.add(first, second);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_where(Lanes<Vector16> const& row,
                                             Lanes<bool> const& have) {
    Lanes<Vector16> inside, none;
    m_warp.each([&](int lane) {
      m_warp.at(inside, lane) =
          m_warp.at(have, lane) ? m_warp.at(row, lane) : Vector16{};
      m_warp.at(none, lane) = Vector16{};
    });
    m_sum.add(inside, none);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_element(int lane, Value value) {
    m_warp.at(m_elements, lane) =
        Join::apply(m_warp.at(m_elements, lane), value);
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes<Value> finish() {
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

  /// Operands whose registers are vectors as they lie.
  static constexpr bool has_columns = size_of(Input) <= 2;
  using Shape                       = std::conditional_t<
      Input == Scalar::half, MmaF16,
      std::conditional_t<
          Input == Scalar::bhalf, MmaBF16,
          std::conditional_t<Input == Scalar::int8, MmaS8, MmaU8>>>;
  using Accumulators = Lanes<typename Shape::C>;

  /// Each row of vectors is summed into columns of its own: Quads of the
  /// columns tell which lanes of a quad they sum, one (4), two (2) or all four
  /// of them (1). Lane 4g + q then holds, in registers 0 and 2, column 2q of
  /// quad g, and column 2q + 1 in 1 and 3. What is added to the other columns
  /// is zero, unless something is infinite or NaN: then additions do it.
  template <int Vectors, class Store>
  KOKKOS_FORCEINLINE_FUNCTION void rows_by_columns(
      Lanes<Vector16> const (&row)[segment_rows], int vectors,
      Store const& store) const {
    constexpr int columns = 4 / Vectors;         // of a row
    constexpr int fit     = 8 / columns;         // rows of a product's columns
    constexpr int sets    = segment_rows / fit;  // of accumulators
    Accumulators sum[sets]{};                    // (16,8) per warp
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
    Lanes<Value> value[sets][2];
    Lanes<bool> lost;
    m_warp.each([&](int lane) {
      bool any = false;
      for (int set = 0; set < sets; ++set)
        for (int c = 0; c < 2; ++c) {
          auto const& d = m_warp.at(sum[set], lane);
          m_warp.at(value[set][c], lane) =
              static_cast<Value>(d[c]) + static_cast<Value>(d[c + 2]);
          if constexpr (size_of(Input) == 2)
            any = any || !(m_warp.at(value[set][c], lane) -
                               m_warp.at(value[set][c], lane) ==
                           Value(0));
        }
      m_warp.at(lost, lane) = any;
    });
    if constexpr (size_of(Input) == 2) {
      if (m_warp.any(lost)) {
        WarpSegmentsStreamed<Warp, Operation::sum, Input, Value>(m_warp).rows(
            row, vectors, store);
        return;
      }
    }
    if constexpr (Vectors == 4) {
      // Column = row; a segment of more than a quad lies in neighbouring lanes
      // 4g + q of equal q, one of more than a row in neighbouring columns.
      int const quads = vectors < 32 ? vectors / 4 : 8;
      for (int quad = 1; quad < quads; quad *= 2) add_lanes(value[0], 4 * quad);
      if (vectors >= 64)
        m_warp.each([&](int lane) {
          m_warp.at(value[0][0], lane) =
              m_warp.at(value[0][0], lane) + m_warp.at(value[0][1], lane);
        });
      for (int rows = 2; 32 * rows < vectors; rows *= 2)
        add_lanes(value[0], rows / 2);
      m_warp.each([&](int lane) {
        for (int c = 0; c < 2; ++c) {
          int const vector = (lane % 4 * 2 + c) * 32 + lane / 4 * 4;
          if (vector % vectors == 0)
            store(vector / vectors, m_warp.at(value[0][c], lane));
        }
      });
    } else {
      m_warp.each([&](int lane) {
        for (int set = 0; set < sets; ++set)
          for (int c = 0; c < 2; ++c) {
            int const column = lane % 4 * 2 + c;
            int const r      = set * fit + column / columns;
            store(r * (32 / Vectors) + lane / 4 * columns + column % columns,
                  m_warp.at(value[set][c], lane));
          }
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_lanes(Lanes<Value> (&value)[2],
                                             int mask) const {
    for (int c = 0; c < 2; ++c) {
      Lanes<Value> const other = m_warp.shuffle_xor(value[c], mask);
      m_warp.each([&](int lane) {
        m_warp.at(value[c], lane) =
            m_warp.at(value[c], lane) + m_warp.at(other, lane);
      });
    }
  }

  /// Vector v of the tile, zeros where it lies outside of [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION static Vector16 vector_within(
      StagedTile const& tile, int v, int begin, int end) {
    if (16 * v >= end || 16 * v + 16 <= begin) return Vector16{};
    Vector16 vector = tile.vector(v);
    if (16 * v >= begin && 16 * v + 16 <= end) return vector;
    for (int w = 0; w < 4; ++w) {
      int const at   = 16 * v + 4 * w;
      int const from = begin <= at ? 0 : begin - at < 4 ? begin - at : 4;
      int const to   = end <= at ? 0 : end - at < 4 ? end - at : 4;
      std::uint32_t const below =
          to == 4 ? 0xffffffffu : (std::uint32_t(1) << 8 * to) - 1;
      std::uint32_t const above = from == 4 ? 0 : 0xffffffffu << 8 * from;
      vector[w] &= below & above;
    }
    return vector;
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes<Value> total(Sum& sum, int lanes) const {
    Lanes<Part> parts = sum.finish();
    join_lanes<Combine<Operation::sum, Part>>(m_warp, parts, lanes);
    Lanes<Value> value;
    m_warp.each([&](int lane) {
      m_warp.at(value, lane) = static_cast<Value>(
          static_cast<typename Sum::Total>(m_warp.at(parts, lane)));
    });
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    m_warp.each(
        [&](int lane) { m_warp.at(m_elements, lane) = Join::identity(); });
  }

  Warp m_warp;
  Sum m_sum;
  Lanes<Value> m_elements;
};

}  // namespace KokkosMMA::Impl

#endif
