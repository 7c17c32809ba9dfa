// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SEGMENTS_HPP
#define KOKKOSMMA_WARP_SEGMENTS_HPP

#include <core/base/KokkosMMA_Combine.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>

#include <cstdint>

/// \file
/// Reductions of segments by one warp, in three variants. Rows: vectors
/// directly from memory, a row of 32 in the lanes, for segments of a power of
/// two of vectors. Staged: a tile in shared memory, for all other segments; a
/// power of two of neighbouring lanes reduces a segment. Running: one segment,
/// part by part.
///
/// A warp provides the members listed in core/scan/KokkosMMA_WarpScan.hpp.

namespace KokkosMMA::Impl {

/// Equal, consecutive segments in a staged tile.
struct SegmentsOfTile {
  int first;   ///< byte of the tile at which the first one starts
  int length;  ///< bytes of a segment
  int size;    ///< bytes of all segments; the last may be shorter
  int count;   ///< segments
  int lanes;   ///< lanes per segment: a power of two
  int width;   ///< common divisor of begins and ends in bytes: 16, 8, 4 or an
               ///< element's
};

/// Vector with zeros for the bytes outside [from, to).
KOKKOSMMA_FORCEINLINE_FUNCTION Vector16 bytes_within(Vector16 vector, int from,
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

/// Operation on bytes [begin, end) of a staged tile, in each calling lane.
template <class Warp, Operation Op, Scalar Input, class Value>
struct LaneOperation {
  using Join                    = Combine<Op, Value>;
  static constexpr int bytes    = size_of(Input);
  static constexpr int elements = 16 / bytes;

  /// Sums of one-byte elements: four per instruction. A bool is 0 or 1.
  static constexpr bool adds_bytes =
      Op == Operation::sum && bytes == 1 && std::is_integral_v<Value>;
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value byte_sum(std::uint32_t sum) {
    return Input == Scalar::int8
               ? static_cast<Value>(static_cast<std::int32_t>(sum))
               : static_cast<Value>(sum);
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION static Value all(Vector16 const& vector) {
    if constexpr (adds_bytes) {
      return sum_of_bytes<4>(vector);
    } else {
      return tree<elements>([&](int e) {
        return element_of_vector<Warp, Input, Value>(vector, e);
      });
    }
  }
  template <int Width>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value word(StagedTile const& tile,
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
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value sum_of_bytes(
      Vector const& words) {
    std::uint32_t sum = 0;
    for (int w = 0; w < Words; ++w)
      sum = Warp::template add_bytes<Input == Scalar::int8>(sum, words[w]);
    return byte_sum(sum);
  }
  template <int N, class Get>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value tree(Get const& get) {
    Value value[N];
    for (int e = 0; e < N; ++e) value[e] = get(e);
    // A minimum or maximum keeps a NaN that is its left operand.
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
  /// Joins the elements at bytes [from, to) of the vector.
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value some(Vector16 const& vector,
                                                   int from, int to) {
    if constexpr (adds_bytes) {
      return all(bytes_within(vector, from, to));
    } else {
      Value value = Join::identity();
      for (int e = 0; e < elements; ++e)
        if (e * bytes >= from && e * bytes < to)
          value = Join::apply(value,
                              element_of_vector<Warp, Input, Value>(vector, e));
      return value;
    }
  }
  /// Joins every `lanes`-th word of `Width` bytes in [begin, end).
  template <int Width>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value of_words(StagedTile const& tile,
                                                       int begin, int end,
                                                       int lane, int lanes) {
    // One lane: offsets are constants once the loop is unrolled.
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
  /// Joins every `lanes`-th vector that overlaps [begin, end), restricted to
  /// that range.
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value of_bytes(StagedTile const& tile,
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

/// Joins the lanes' values over groups of neighbouring lanes. The result is in
/// the first lane of each group.
template <class Join, class Warp, class Lanes>
KOKKOSMMA_FORCEINLINE_FUNCTION void join_lanes(Warp const& warp, Lanes& values,
                                               int lanes) {
  for (int offset = 1; offset < lanes; offset *= 2) {
    Lanes const other = warp.shuffle_xor(values, offset);
    warp.each([&](int lane) {
      warp.at(values, lane) =
          Join::apply(warp.at(values, lane), warp.at(other, lane));
    });
  }
}

/// Rows of a tile that a warp holds: 8 vectors per lane.
inline constexpr int segment_rows = 8;

/// Reduction of segments by additions, comparisons or multiplications.
template <class Warp, Operation Op, Scalar Input, class Value_>
class WarpSegmentsStreamed {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Lane  = LaneOperation<Warp, Op, Input, Value_>;

 public:
  using Value    = Value_;
  using Join     = Combine<Op, Value>;
  using Streamed = WarpSegmentsStreamed;
  static constexpr int min_blocks =
      Op == Operation::min || Op == Operation::max
          ? row_segments_tuning.min_blocks_extremes
          : row_segments_tuning.min_blocks;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpSegmentsStreamed(Warp const& warp)
      : m_warp(warp) {
    clear();
  }

  /// Bytes from which a staged segment is read by vectors for any alignment:
  /// masking the first and the last costs less than reading by element (int8,
  /// segments of 127, 255: 1910, 1516 GB/s by element).
  static constexpr int masked_bytes = Lane::adds_bytes ? 112 : 256;

  /// Values that remain of the rows once their registers are free.
  struct Rows {
    Lanes<Value> value[segment_rows];
  };

  KOKKOSMMA_FORCEINLINE_FUNCTION void gather(
      Lanes<Vector16> const (&row)[segment_rows], int, Rows& rows) const {
    for (int r = 0; r < segment_rows; ++r)
      m_warp.each([&](int lane) {
        m_warp.at(rows.value[r], lane) = Lane::all(m_warp.at(row[r], lane));
      });
  }
  /// Calls store(s, value) in one lane for each segment s of the rows.
  /// \param vectors per segment: a power of two, at most 256
  /// \return true; false would mean that the rows are needed again
  /// (core/papers/KokkosMMA_WarpSegmentsMma.hpp)
  template <class Store>
  KOKKOSMMA_FORCEINLINE_FUNCTION bool scatter(Rows& rows, int vectors,
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
  KOKKOSMMA_FORCEINLINE_FUNCTION void staged(StagedTile const& tile,
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

  /// Adds two vectors of each lane to the running segment.
  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const& first,
                                          Lanes<Vector16> const& second) {
    m_warp.each([&](int lane) {
      m_warp.at(m_value, lane) =
          Join::apply(m_warp.at(m_value, lane),
                      Join::apply(Lane::all(m_warp.at(first, lane)),
                                  Lane::all(m_warp.at(second, lane))));
    });
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_where(Lanes<Vector16> const& row,
                                                Lanes<bool> const& have) {
    m_warp.each([&](int lane) {
      if (m_warp.at(have, lane))
        add_element(lane, Lane::all(m_warp.at(row, lane)));
    });
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_element(int lane, Value value) {
    m_warp.at(m_value, lane) = Join::apply(m_warp.at(m_value, lane), value);
  }
  /// Value of the running segment, in lane 0; starts the next one.
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<Value> finish() {
    Lanes<Value> value = m_value;
    join_lanes<Join>(m_warp, value, 32);
    clear();
    return value;
  }

 private:
  /// Variant for words of `Width` bytes, or for masked vectors (0).
  template <int Width, class Store>
  KOKKOSMMA_FORCEINLINE_FUNCTION void staged_by(StagedTile const& tile,
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

  /// Lanes with a common segment exchange rows: in step i, lanes with bit i set
  /// keep the upper half of the rows, others the lower. After `Steps` steps a
  /// value is a row's sum over 2^Steps lanes, with 7 exchanges for 8 rows
  /// instead of 24.
  template <int Steps, class Store>
  KOKKOSMMA_FORCEINLINE_FUNCTION void rows_by_exchange(
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
      // Segments of several rows: the last bit of a row is bit 2 of its lane.
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
          // With the identity, a sum of negative zeros is a zero, as in Kokkos.
          store(vector / vectors,
                Join::apply(Join::identity(), m_warp.at(value[r], lane)));
      }
    });
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void clear() {
    m_warp.each([&](int lane) { m_warp.at(m_value, lane) = Join::identity(); });
  }

  Warp m_warp;
  Lanes<Value> m_value;
};

}  // namespace KokkosMMA::Impl

#endif
