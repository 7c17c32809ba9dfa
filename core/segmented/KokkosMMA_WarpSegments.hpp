// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SEGMENTS_HPP
#define KOKKOSMMA_WARP_SEGMENTS_HPP

#include <core/base/KokkosMMA_Operation.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

#include <cstdint>

/// \file
/// Reductions of segments by one warp, in three forms. Rows: vectors as they
/// come from memory, a row of 32 in the lanes, where segments are a power of
/// two of vectors. Staged: a tile in memory that the lanes share, for all other
/// segments; a power of two of neighbouring lanes takes a segment. Running: one
/// segment, part after part.
///
/// A warp offers what core/scan/KokkosMMA_WarpScan.hpp says.

namespace KokkosMMA::Impl {

/// Equal segments that lie in a staged tile one behind the other.
struct SegmentsOfTile {
  int first;   ///< byte of the tile at which the first one starts
  int length;  ///< bytes of a segment
  int size;    ///< bytes of all of them: the last may be shorter
  int count;   ///< segments
  int lanes;   ///< of a segment: a power of two
  int width;   ///< bytes that divide where each starts and ends: 16, 8, 4 or
               ///< those of an element
};

/// A vector with zeros for its bytes outside of [from, to).
KOKKOS_FORCEINLINE_FUNCTION Vector16 bytes_within(Vector16 vector, int from,
                                                  int to) {
  for (int w = 0; w < 4; ++w) {
    int const low             = from - 4 * w;
    int const high            = to - 4 * w;
    std::uint32_t const above = low <= 0   ? 0xffffffffu
                                : low >= 4 ? 0
                                           : 0xffffffffu << 8 * low;
    std::uint32_t const below = high >= 4 ? 0xffffffffu
                                : high <= 0
                                    ? 0
                                    : (std::uint32_t(1) << 8 * high) - 1;
    vector[w] &= above & below;
  }
  return vector;
}

/// Bytes [begin, end) of a staged tile, by the lanes that call it.
template <class Warp, Operation Op, Scalar Input, class Value>
struct LaneOperation {
  using Join                    = Combine<Op, Value>;
  static constexpr int bytes    = size_of(Input);
  static constexpr int elements = 16 / bytes;

  /// Sums of one-byte elements: four in an instruction. A bool is 0 or 1.
  static constexpr bool adds_bytes =
      Op == Operation::sum && bytes == 1 && std::is_integral_v<Value>;
  KOKKOS_FORCEINLINE_FUNCTION static Value byte_sum(std::uint32_t sum) {
    return Input == Scalar::int8
               ? static_cast<Value>(static_cast<std::int32_t>(sum))
               : static_cast<Value>(sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION static Value element(Vector16 const& vector,
                                                   int e) {
    return element_value<Warp, Input, Value>(
        element_of_vector<bytes>(vector, e));
  }
  /// All elements of a vector.
  KOKKOS_FORCEINLINE_FUNCTION static Value all(Vector16 const& vector) {
    if constexpr (adds_bytes) {
      return sum_of_bytes<4>(vector);
    } else {
      return tree<elements>([&](int e) { return element(vector, e); });
    }
  }
  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION static Value word(StagedTile const& tile,
                                                int byte) {
    if constexpr (Width == 16) {
      return all(tile.vector(byte / 16));
    } else {
      using Bits       = typename Unsigned<Width>::type;
      Bits const words = *tile.template elements<Bits>(byte);
      if constexpr (adds_bytes && Width >= 4) {
        Registers<std::uint32_t, Width / 4> parts;
        for (int w = 0; w < Width / 4; ++w)
          parts[w] = static_cast<std::uint32_t>(words >> (Width * 4 * w));
        return sum_of_bytes<Width / 4>(parts);
      } else {
        return tree<Width / bytes>([&](int e) {
          return element_value<Warp, Input, Value>(
              static_cast<ElementBits<Input>>(words >> (8 * bytes * e)));
        });
      }
    }
  }
  template <int Words, class Vector>
  KOKKOS_FORCEINLINE_FUNCTION static Value sum_of_bytes(Vector const& words) {
    std::uint32_t sum = 0;
    for (int w = 0; w < Words; ++w)
      sum = Warp::template add_bytes<Input == Scalar::int8>(sum, words[w]);
    return byte_sum(sum);
  }
  /// N values joined in a tree.
  template <int N, class Get>
  KOKKOS_FORCEINLINE_FUNCTION static Value tree(Get const& get) {
    Value value[N];
    for (int e = 0; e < N; ++e) value[e] = get(e);
    // A minimum or maximum keeps a NaN that is on its left.
    if constexpr ((Op == Operation::min || Op == Operation::max) &&
                  std::is_floating_point_v<Value>) {
      for (int e = 0; e < N; e += 2)
        value[e] = Join::apply(Join::identity(), value[e]);
    }
    for (int step = 1; step < N; step *= 2)
      for (int e = 0; e < N; e += 2 * step)
        value[e] = Join::apply(value[e], value[e + step]);
    return value[0];
  }
  /// Those at bytes [from, to) of the vector.
  KOKKOS_FORCEINLINE_FUNCTION static Value some(Vector16 const& vector,
                                                int from, int to) {
    if constexpr (adds_bytes) {
      return all(bytes_within(vector, from, to));
    } else {
      Value value = Join::identity();
      for (int e = 0; e < elements; ++e)
        if (e * bytes >= from && e * bytes < to)
          value = Join::apply(value, element(vector, e));
      return value;
    }
  }
  /// Every `lanes`-th of the words of `Width` bytes in [begin, end).
  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION static Value of_words(StagedTile const& tile,
                                                    int begin, int end,
                                                    int lane, int lanes) {
    // One lane: offsets are constants when the loop is unrolled.
    Value value = Join::identity();
    if (lanes == 1) {
      for (int w = 0; w < (end - begin) / Width; ++w)
        value = Join::apply(value, word<Width>(tile, begin + w * Width));
    } else {
      for (int at = begin + lane * Width; at < end; at += lanes * Width)
        value = Join::apply(value, word<Width>(tile, at));
    }
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

/// The lanes' values joined over groups of neighbouring lanes: the result is in
/// the first lane of each group.
template <class Join, class Warp, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void join_lanes(Warp const& warp, Lanes& values,
                                            int lanes) {
  for (int offset = 1; offset < lanes; offset *= 2) {
    Lanes const other = warp.shuffle_xor(values, offset);
    warp.each([&](int lane) {
      warp.at(values, lane) =
          Join::apply(warp.at(values, lane), warp.at(other, lane));
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
  using Value                     = Value_;
  using Join                      = Combine<Op, Value>;
  using Streamed                  = WarpSegmentsStreamed;
  static constexpr int min_blocks = Op == Operation::min || Op == Operation::max
                                        ? RowSegmentsTuning::min_blocks_extremes
                                        : RowSegmentsTuning::min_blocks;

  KOKKOS_FORCEINLINE_FUNCTION explicit WarpSegmentsStreamed(Warp const& warp)
      : m_warp(warp) {
    clear();
  }

  /// From so many bytes on a staged segment is read by vectors whatever its
  /// alignment: masking the first and the last costs less than reading by
  /// element (int8, segments of 127, 255: 1910, 1516 GB/s by element).
  static constexpr int masked_bytes = Lane::adds_bytes ? 112 : 256;

  /// What is left of the rows when their registers are free again.
  struct Rows {
    Lanes<Value> value[segment_rows];
  };

  KOKKOS_FORCEINLINE_FUNCTION void gather(
      Lanes<Vector16> const (&row)[segment_rows], int, Rows& rows) const {
    for (int r = 0; r < segment_rows; ++r)
      m_warp.each([&](int lane) {
        m_warp.at(rows.value[r], lane) = Lane::all(m_warp.at(row[r], lane));
      });
  }
  /// store(s, value) by one lane for each segment s of the rows.
  /// \param vectors of a segment: a power of two, at most 256
  /// \return true: false asks for the rows again (WarpSegmentsMma)
  template <class Store>
  KOKKOS_FORCEINLINE_FUNCTION bool scatter(Rows& rows, int vectors,
                                           Store const& store) const {
    if (vectors >= 8)
      rows_by_exchange<3>(rows.value, vectors, store);
    else if (vectors == 4)
      rows_by_exchange<2>(rows.value, vectors, store);
    else if (vectors == 2)
      rows_by_exchange<1>(rows.value, vectors, store);
    else
      rows_by_exchange<0>(rows.value, vectors, store);
    return true;
  }

  template <class Store>
  KOKKOS_FORCEINLINE_FUNCTION void staged(StagedTile const& tile,
                                          SegmentsOfTile const& in,
                                          Store const& store) const {
    constexpr int bytes = Lane::bytes;
    if (in.width == 16)
      staged_by<16>(tile, in, store);
    else if (in.length >= masked_bytes && in.width < 8)
      staged_by<0>(tile, in, store);
    else if (bytes < 8 && in.width == 8)
      staged_by<8>(tile, in, store);
    else if (bytes < 4 && in.width == 4)
      staged_by < bytes<4 ? 4 : bytes>(tile, in, store);
    else
      staged_by<bytes>(tile, in, store);
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
  /// The running segment, in lane 0; the next one is empty.
  KOKKOS_FORCEINLINE_FUNCTION Lanes<Value> finish() {
    Lanes<Value> value = m_value;
    join_lanes<Join>(m_warp, value, 32);
    clear();
    return value;
  }

 private:
  /// By words of `Width` bytes, or by masked vectors (0).
  template <int Width, class Store>
  KOKKOS_FORCEINLINE_FUNCTION void staged_by(StagedTile const& tile,
                                             SegmentsOfTile const& in,
                                             Store const& store) const {
    int const stop = in.first + in.size;
    for (int first = 0; first < in.count; first += 32 / in.lanes) {
      Lanes<Value> value;
      m_warp.each([&](int lane) {
        int const s     = first + lane / in.lanes;
        int const begin = in.first + s * in.length;
        int const end   = begin + in.length < stop ? begin + in.length : stop;
        int const l     = lane % in.lanes;
        if constexpr (Width == 0) {
          m_warp.at(value, lane) =
              Lane::of_bytes(tile, begin, end, l, in.lanes);
        } else {
          m_warp.at(value, lane) =
              Lane::template of_words<Width>(tile, begin, end, l, in.lanes);
        }
      });
      join_lanes<Join>(m_warp, value, in.lanes);
      m_warp.each([&](int lane) {
        int const s = first + lane / in.lanes;
        if (lane % in.lanes == 0 && s < in.count)
          store(s, m_warp.at(value, lane));
      });
    }
  }

  /// Lanes that share a segment exchange rows: in step i those whose bit i is
  /// set keep the upper half of the rows, the others the lower. After Steps
  /// steps a value holds a row's sum over 2^Steps lanes, 7 exchanges for 8 rows
  /// instead of 24.
  template <int Steps, class Store>
  KOKKOS_FORCEINLINE_FUNCTION void rows_by_exchange(
      Lanes<Value> (&value)[segment_rows], int vectors,
      Store const& store) const {
    for (int step = 0; step < Steps; ++step) {
      int const bit  = 1 << step;
      int const half = segment_rows >> (step + 1);
      for (int r = 0; r < half; ++r) {
        Lanes<Value> sent;
        m_warp.each([&](int lane) {
          bool const upper          = lane & bit;
          Value const low           = m_warp.at(value[r], lane);
          Value const high          = m_warp.at(value[r + half], lane);
          m_warp.at(sent, lane)     = upper ? low : high;
          m_warp.at(value[r], lane) = upper ? high : low;
        });
        Lanes<Value> const received = m_warp.shuffle_xor(sent, bit);
        m_warp.each([&](int lane) {
          m_warp.at(value[r], lane) =
              Join::apply(m_warp.at(value[r], lane), m_warp.at(received, lane));
        });
      }
    }
    auto const join = [&](int mask) {
      Lanes<Value> const other = m_warp.shuffle_xor(value[0], mask);
      m_warp.each([&](int lane) {
        m_warp.at(value[0], lane) =
            Join::apply(m_warp.at(value[0], lane), m_warp.at(other, lane));
      });
    };
    if constexpr (Steps == 3) {
      if (vectors >= 16) join(8);
      if (vectors >= 32) join(16);
      // Rows of a segment: the last bit of a row is bit 2 of its lane.
      if (vectors >= 64) join(4);
      if (vectors >= 128) join(2);
      if (vectors >= 256) join(1);
    }
    m_warp.each([&](int lane) {
      int row = 0;
      for (int step = 0; step < Steps; ++step)
        row += (lane >> step & 1) * (segment_rows >> (step + 1));
      int const group = lane >> Steps << Steps;
      for (int r = 0; r < segment_rows >> Steps; ++r) {
        int const vector = (row + r) * 32 + group;
        if (vector % vectors == 0)
          // With the identity, a sum of negative zeros is a zero, as Kokkos'.
          store(vector / vectors,
                Join::apply(Join::identity(), m_warp.at(value[r], lane)));
      }
    });
  }

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

 public:
  using Value    = Value_;
  using Join     = Combine<Operation::sum, Value>;
  using Streamed = WarpSegmentsStreamed<Warp, Operation::sum, Input, Value>;
  static constexpr int min_blocks = RowSegmentsTuning::min_blocks_products;

  KOKKOS_FORCEINLINE_FUNCTION explicit WarpSegmentsMma(Warp const& warp)
      : m_warp(warp), m_sum(warp, chain_length) {
    clear();
  }

  /// Sums of the columns, or of the lanes for types whose registers are no
  /// operands.
  using Rows = typename Streamed::Rows;

  KOKKOS_FORCEINLINE_FUNCTION void gather(
      Lanes<Vector16> const (&row)[segment_rows], int vectors,
      Rows& rows) const {
    if constexpr (!has_columns) {
      Streamed(m_warp).gather(row, vectors, rows);
    } else if (vectors == 1)
      gather_columns<1>(row, rows);
    else if (vectors == 2)
      gather_columns<2>(row, rows);
    else
      gather_columns<4>(row, rows);
  }
  /// \return false when nothing was stored because something is infinite or
  /// NaN: additions have to do it.
  template <class Store>
  KOKKOS_FORCEINLINE_FUNCTION bool scatter(Rows& rows, int vectors,
                                           Store const& store) const {
    if constexpr (!has_columns) {
      return Streamed(m_warp).scatter(rows, vectors, store);
    } else if (vectors == 1)
      return scatter_columns<1>(rows, vectors, store);
    else if (vectors == 2)
      return scatter_columns<2>(rows, vectors, store);
    else
      return scatter_columns<4>(rows, vectors, store);
  }

  template <class Store>
  KOKKOS_FORCEINLINE_FUNCTION void staged(StagedTile const& tile,
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
  /// Doubles are added one after the other in a chain: short ones, to be as
  /// accurate as a tree.
  static constexpr int chain_length = Input == Scalar::float64 ? 2 : 8;

  /// Operands whose registers are vectors as they lie.
  static constexpr bool has_columns = size_of(Input) <= 2;
  static constexpr bool may_be_lost = size_of(Input) == 2;
  using Shape                       = std::conditional_t<
      Input == Scalar::half, MmaF16,
      std::conditional_t<
          Input == Scalar::bhalf, MmaBF16,
          std::conditional_t<Input == Scalar::int8, MmaS8, MmaU8>>>;

  /// Each row of vectors is summed into columns of its own: one column for each
  /// lane of a quad (Vectors = 1), for each two (2), or for all four (4). Lane
  /// 4g + q then holds column 2q of quad g in registers 0 and 2, column 2q + 1
  /// in 1 and 3. What is added to the other columns is zero, unless something
  /// is infinite or NaN. Value 2s + c is column 2q + c of accumulators s.
  template <int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void gather_columns(
      Lanes<Vector16> const (&row)[segment_rows], Rows& rows) const {
    constexpr int columns = 4 / Vectors;         // of a row
    constexpr int fit     = 8 / columns;         // rows of a product's columns
    constexpr int sets    = segment_rows / fit;  // of accumulators
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
          auto const& d = m_warp.at(sum[set], lane);
          m_warp.at(rows.value[2 * set + c], lane) =
              static_cast<Value>(d[c]) + static_cast<Value>(d[c + 2]);
        }
    });
  }
  template <int Vectors, class Store>
  KOKKOS_FORCEINLINE_FUNCTION bool scatter_columns(Rows& rows, int vectors,
                                                   Store const& store) const {
    constexpr int columns = 4 / Vectors;
    constexpr int fit     = 8 / columns;
    constexpr int sets    = segment_rows / fit;
    auto& value           = rows.value;
    if constexpr (may_be_lost) {
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
    }
    if constexpr (Vectors == 4) {
      // Column = row; a segment of more than a quad lies in lanes 4g + q of
      // equal q, one of more than a row in neighbouring columns.
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
  KOKKOS_FORCEINLINE_FUNCTION void add_lanes(
      Lanes<Value> (&value)[segment_rows], int mask) const {
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
    Vector16 const vector = tile.vector(v);
    if (16 * v >= begin && 16 * v + 16 <= end) return vector;
    return bytes_within(vector, begin - 16 * v, end - 16 * v);
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
