// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_MERGE_PATH_HPP
#define KOKKOSMMA_WARP_MERGE_PATH_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/segmented/KokkosMMA_WarpSegments.hpp>

#include <cstdint>

/// \file
/// Reduction of segments of any lengths (CSR rows) by warps with equal ranges
/// of the merge path, which may split segments.
///
/// Work is counted in elements; closing a segment counts as several. Thus
/// neither a segment of 2^28 elements nor a million empty ones keep one warp
/// busy while others are idle. Source of the split: Merrill and Garland 2016,
/// "Merge-based parallel sparse matrix-vector multiplication".
///
/// A warp provides the members listed in core/reduce/KokkosMMA_WarpSum.hpp and
/// core/scan/KokkosMMA_WarpScan.hpp, and
///   ballot(lanes)       bit l is set when lane l holds true

namespace KokkosMMA::Impl {

/// Coordinate of the merge path: segments before `segment` are closed, elements
/// before `element` are added.
struct MergeCoordinate {
  std::uint64_t segment;
  std::uint64_t element;
  friend constexpr bool operator==(MergeCoordinate, MergeCoordinate) = default;
};

template <class Segments>
struct MergePath {
  Segments segments;     ///< at least one
  std::uint64_t weight;  ///< work of closing a segment, in elements
  std::uint64_t first;   ///< first element
  std::uint64_t last;    ///< element after the last

  KOKKOSMMA_FORCEINLINE_FUNCTION static MergePath of(Segments const &segments,
                                                     std::uint64_t weight) {
    return {segments, weight, segments.begin(0),
            segments.end(segments.count() - 1)};
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint64_t total() const {
    return weight * segments.count() + (last - first);
  }
  /// Work done when segment s is closed.
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint64_t until_closed(
      std::uint64_t s) const {
    return weight * (s + 1) + (segments.end(s) - first);
  }
  /// Coordinate after `done` work, given that `closed` segments are closed by
  /// then.
  KOKKOSMMA_FORCEINLINE_FUNCTION MergeCoordinate
  coordinate(std::uint64_t done, std::uint64_t closed) const {
    if (closed == segments.count()) return {closed, last};
    std::uint64_t const element = first + (done - weight * closed);
    std::uint64_t const end     = segments.end(closed);
    return {closed, element < end ? element : end};
  }
};

/// Begin of partition `i` of `partitions` of equal size.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t begin_of_partition(
    std::uint64_t total, std::uint64_t partitions, std::uint64_t i) {
  std::uint64_t const left = total % partitions;
  return total / partitions * i + (i < left ? i : left);
}

/// Finds the coordinates after `done[0]` and `done[1]` work. The warp tests 32
/// offsets at a time: 2^24 segments need five dependent loads.
template <class Warp, class Segments>
KOKKOSMMA_FORCEINLINE_FUNCTION void find_coordinates(
    Warp const &warp, MergePath<Segments> const &work,
    std::uint64_t const (&done)[2], MergeCoordinate (&coordinates)[2]) {
  // The number of closed segments is from `low` to `high`.
  std::uint64_t low[2]  = {0, 0};
  std::uint64_t high[2] = {work.segments.count(), work.segments.count()};
  while (low[0] < high[0] || low[1] < high[1]) {
    typename Warp::template Lanes<bool> closed[2];
    std::uint64_t step[2];
    for (int k = 0; k < 2; ++k) {
      step[k] = (high[k] - low[k] + 31) / 32;
      warp.each([&](int lane) {
        std::uint64_t const asked = low[k] + (lane + 1) * step[k] - 1;
        warp.at(closed[k], lane)  = low[k] < high[k] && asked < high[k] &&
                                   work.until_closed(asked) <= done[k];
      });
    }
    for (int k = 0; k < 2; ++k) {
      if (low[k] == high[k]) continue;
      int const n = popcount(warp.ballot(closed[k]));
      low[k] += n * step[k];
      std::uint64_t const above = low[k] + step[k] - 1;
      high[k]                   = above < high[k] ? above : high[k];
    }
  }
  for (int k = 0; k < 2; ++k) coordinates[k] = work.coordinate(done[k], low[k]);
}

/// Head and tail partials of a warp's range: the parts of segments that the
/// warp did not store.
template <class Value>
struct RangePartials {
  Value head;  ///< last part of the first segment, if `ends_another`
  Value tail;  ///< of the segment open at the end
  std::uint64_t segment_and_flags;

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t segment() const {
    return segment_and_flags >> 2;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr bool closes() const {
    return segment_and_flags & 1;
  }
  /// Whether the first closed segment began in an earlier range.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr bool ends_another() const {
    return segment_and_flags & 2;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr std::uint64_t pack(
      std::uint64_t segment, bool closes, bool ends_another) {
    return segment << 2 | std::uint64_t(ends_another) << 1 |
           std::uint64_t(closes);
  }
};

/// Joins the partials of the next range to `left`. Calls store(segment, value)
/// for a segment that ends there and began in the ranges of `left`.
template <Operation Op, class Value, class Store>
KOKKOSMMA_FORCEINLINE_FUNCTION void join_partials(
    RangePartials<Value> &left, RangePartials<Value> const &right,
    Store const &store) {
  using Math = Combine<Op, Value>;
  if (!right.closes()) {
    left.tail = Math::apply(left.tail, right.tail);
    return;
  }
  if (!left.closes()) {
    left.head              = Math::apply(left.tail, right.head);
    left.segment_and_flags = right.segment_and_flags;
  } else if (right.ends_another()) {
    store(right.segment(), Math::apply(left.tail, right.head));
  }
  left.tail = right.tail;
}

/// Value of the segment that is open after some ranges.
template <Operation Op, class Value>
struct OpenSegment {
  using Math  = Combine<Op, Value>;
  Value value = Math::identity();
  bool fresh  = false;  ///< the segment open before these ranges is closed

  /// Adds a range. Calls store(segment, value) if it ends an earlier segment.
  template <class Store>
  KOKKOSMMA_FORCEINLINE_FUNCTION void add(RangePartials<Value> const &range,
                                          Store const &store) {
    if (!range.closes()) {
      value = Math::apply(value, range.tail);
      return;
    }
    if (range.ends_another())
      store(range.segment(), Math::apply(value, range.head));
    value = range.tail;
    fresh = true;
  }
  /// Adds the result of the ranges that follow.
  KOKKOSMMA_FORCEINLINE_FUNCTION void add(OpenSegment const &later) {
    value = later.fresh ? later.value : Math::apply(value, later.value);
    fresh = fresh || later.fresh;
  }
};

/// Computes the open segment `before` each lane's ranges, and that after `all`
/// ranges of the warp, from the open segments after each lane's ranges, `mine`.
template <class Warp, Operation Op, class Value>
KOKKOSMMA_FORCEINLINE_FUNCTION void open_before(
    Warp const &warp,
    typename Warp::template Lanes<OpenSegment<Op, Value>> const &mine,
    typename Warp::template Lanes<OpenSegment<Op, Value>> &before,
    typename Warp::template Lanes<OpenSegment<Op, Value>> &all) {
  using Open = OpenSegment<Op, Value>;
  typename Warp::template Lanes<Value> value;
  typename Warp::template Lanes<int> fresh;
  warp.each([&](int lane) {
    warp.at(value, lane) = warp.at(mine, lane).value;
    warp.at(fresh, lane) = warp.at(mine, lane).fresh;
  });
  for (int offset = 1; offset < 32; offset *= 2) {
    auto const other_value = warp.shuffle_up(value, offset);
    auto const other_fresh = warp.shuffle_up(fresh, offset);
    warp.each([&](int lane) {
      if (lane < offset) return;
      Open open{warp.at(other_value, lane), warp.at(other_fresh, lane) != 0};
      open.add(Open{warp.at(value, lane), warp.at(fresh, lane) != 0});
      warp.at(value, lane) = open.value;
      warp.at(fresh, lane) = open.fresh;
    });
  }
  auto const up_value  = warp.shuffle_up(value, 1);
  auto const up_fresh  = warp.shuffle_up(fresh, 1);
  auto const all_value = warp.broadcast(value, 31);
  auto const all_fresh = warp.broadcast(fresh, 31);
  warp.each([&](int lane) {
    warp.at(before, lane) =
        lane == 0 ? Open{}
                  : Open{warp.at(up_value, lane), warp.at(up_fresh, lane) != 0};
    warp.at(all, lane) =
        Open{warp.at(all_value, lane), warp.at(all_fresh, lane) != 0};
  });
}

/// Reduces a range of the merge path. Elements come from a `Stream`:
///   begin(), end()     positions of the first element and after the last; a
///                      vector starts at multiples of its number of elements
///   ring()             StagedRing that holds the elements
///   ready()            elements before this position are loaded
///   wait(position)     waits until ready() >= position: at most `reach` after
///                      the last released position; longer segments load
///                      `window` at a time
///   release(position)  no lane reads elements before it any more
/// \tparam Quads whether four lanes may reduce a segment: faster for medium
/// lengths, at the cost of code for the others
template <class Warp, Operation Op, Scalar Input, class Value, bool Quads>
class WarpMergePath {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Math  = Combine<Op, Value>;

 public:
  static constexpr int element_bytes = size_of(Input);

 private:
  static constexpr int per_vector = 16 / element_bytes;
  // Approximate instructions per vector, and per segment that the whole warp
  // adds. They only decide which lanes add a segment.
  static constexpr int vector_cost =
      6 + per_vector * (element_bytes >= 4 ? 1 : 4 - element_bytes);
  static constexpr int joint_cost = 40 + vector_cost;
  static constexpr int quads_cost = 4 * 40 + 32 * vector_cost;

 public:
  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpMergePath(Warp const &warp)
      : m_warp(warp) {}

  /// Stores every segment that begins and ends between the two coordinates,
  /// with store(segment, value), and returns the partials; `tail` and `head`
  /// are equal in all lanes.
  template <class Stream, class Segments, class Store>
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<RangePartials<Value>> walk(
      Stream &stream, Segments const &segments, MergeCoordinate const &begin,
      MergeCoordinate const &end, Store const &store) const {
    using Position = typename Segments::Position;
    // Number of segments that end in the range.
    auto const closed = unsigned(end.segment - begin.segment);
    bool const ends_another =
        closed > 0 && begin.element > segments.begin(begin.segment);
    unsigned position = stream.begin();  // of the next element
    auto const base   = unsigned(begin.element) - position;
    Lanes<Value> open, head, value;
    m_warp.each([&](int lane) {
      m_warp.at(open, lane) = Math::identity();
      m_warp.at(head, lane) = Math::identity();
    });
    stream.release(position);

    Lanes<Position> ahead[windows_ahead];
    auto const ask = [&](unsigned first) {
      for (int k = 0; k < windows_ahead; ++k)
        m_warp.each([&](int lane) {
          unsigned const s          = first + 32 * k + lane;
          m_warp.at(ahead[k], lane) = static_cast<Position>(
              segments.end(begin.segment + (s < closed ? s : closed - 1)));
        });
    };
    if (closed > 0) ask(0);

    Lanes<unsigned> known[windows_ahead];  // ends of segments
    for (unsigned window = 0; window < closed; window += 32) {
      // Registers with loads in flight cannot be moved without waiting: all are
      // read when the next loads are issued.
      if (window % (32 * windows_ahead) == 0) {
        for (int k = 0; k < windows_ahead; ++k)
          m_warp.each([&](int lane) {
            m_warp.at(known[k], lane) =
                unsigned(m_warp.at(ahead[k], lane)) - base;
          });
        unsigned const next = window + 32 * windows_ahead;
        if (next < closed) ask(next);
      }
      Lanes<unsigned> const ends = known[0];
      for (int k = 0; k + 1 < windows_ahead; ++k) known[k] = known[k + 1];

      Lanes<unsigned> begins = m_warp.shuffle_up(ends, 1);
      m_warp.each([&](int lane) {
        if (lane == 0) m_warp.at(begins, lane) = position;
        m_warp.at(value, lane) = Math::identity();
      });
      unsigned const last = of_lane(ends, 31);
      bool is_open        = false;  // `open` has elements of segment `done`
      for (int done = 0; position < last;) {
        wait_towards(stream, position, last);
        unsigned const ready = stream.ready();
        int until            = 32;
        if (ready < last) {
          Lanes<bool> complete;
          m_warp.each([&](int lane) {
            m_warp.at(complete, lane) = m_warp.at(ends, lane) <= ready;
          });
          until = popcount(m_warp.ballot(complete));
        }
        if (until == done) {
          absorb(stream.ring(), position, ready, open);
          is_open  = true;
          position = ready;
        } else {
          if (is_open) {
            absorb(stream.ring(), position, of_lane(ends, done), open);
            Lanes<Value> const total = close(open);
            m_warp.each([&](int lane) {
              if (lane == done) m_warp.at(value, lane) = m_warp.at(total, lane);
            });
          }
          reduce(stream.ring(), begins, ends, done + is_open, until, value);
          is_open  = false;
          done     = until;
          position = until == 32 ? last : of_lane(ends, until - 1);
        }
        stream.release(position);
      }
      bool const in_head = ends_another && window == 0;
      m_warp.each([&](int lane) {
        if (window + lane < closed && !(in_head && lane == 0))
          store(begin.segment + (window + lane), m_warp.at(value, lane));
      });
      if (in_head) head = m_warp.broadcast(value, 0);
    }

    while (position < stream.end()) {
      wait_towards(stream, position, stream.end());
      absorb(stream.ring(), position, stream.ready(), open);
      position = stream.ready();
      stream.release(position);
    }
    Lanes<Value> const tail = close(open);
    Lanes<RangePartials<Value>> left;
    m_warp.each([&](int lane) {
      m_warp.at(left, lane) = {
          m_warp.at(head, lane), m_warp.at(tail, lane),
          RangePartials<Value>::pack(begin.segment, closed > 0, ends_another)};
    });
    return left;
  }

 private:
  /// Windows of 32 segments whose offsets are loaded together.
  static constexpr int windows_ahead = 4;

  template <class T>
  KOKKOSMMA_FORCEINLINE_FUNCTION T of_lane(Lanes<T> const &values,
                                           int lane) const {
    Lanes<T> const same = m_warp.broadcast(values, lane);
    return m_warp.at(same, 0);
  }
  template <class Stream>
  KOKKOSMMA_FORCEINLINE_FUNCTION static void wait_towards(Stream &stream,
                                                          unsigned position,
                                                          unsigned last) {
    constexpr unsigned most = Quads ? Stream::reach : Stream::window;
    stream.wait(last - position <= most ? last : position + Stream::window);
  }

  /// Joins the elements of a vector to a running value. A minimum or maximum of
  /// a NaN and the next element would lose that element, so they are added one
  /// by one: the running value is never a NaN.
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value fold(
      Value running, Value (&element)[per_vector]) {
    if constexpr (Op == Operation::min || Op == Operation::max) {
      for (int e = 0; e < per_vector; ++e)
        running = Math::apply(running, element[e]);
      return running;
    } else {
      for (int half = per_vector / 2; half > 0; half /= 2)
        for (int e = 0; e < half; ++e)
          element[e] = Math::apply(element[e], element[e + half]);
      return Math::apply(running, element[0]);
    }
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value all_of(Value running,
                                                     Vector16 const &vector) {
    Value element[per_vector];
    for (int e = 0; e < per_vector; ++e)
      element[e] = element_of_vector<Warp, Input, Value>(vector, e);
    return fold(running, element);
  }
  /// Elements in [begin, end) of a vector that starts at position `at`.
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value some_of(Value running,
                                                      Vector16 const &vector,
                                                      unsigned at,
                                                      unsigned begin,
                                                      unsigned end) {
    Value element[per_vector];
    for (int e = 0; e < per_vector; ++e) {
      Value const value = element_of_vector<Warp, Input, Value>(vector, e);
      element[e] = at + e - begin < end - begin ? value : Math::identity();
    }
    return fold(running, element);
  }

  /// Reduces elements [begin, end), at least one, in one lane.
  template <class Ring>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value in_lane(Ring const &ring,
                                                      unsigned begin,
                                                      unsigned end) {
    unsigned v          = begin / per_vector;
    unsigned const last = (end - 1) / per_vector;
    Value running =
        some_of(Math::identity(), ring.vector(v), v * per_vector, begin, end);
    for (++v; v < last; ++v) running = all_of(running, ring.vector(v));
    if (v == last)
      running = some_of(running, ring.vector(v), v * per_vector, begin, end);
    return running;
  }

  /// Adds elements [begin, end), at least one, to running values of all lanes.
  template <class Ring>
  KOKKOSMMA_FORCEINLINE_FUNCTION void absorb(Ring const &ring, unsigned begin,
                                             unsigned end,
                                             Lanes<Value> &open) const {
    unsigned const first = begin / per_vector;
    unsigned const last  = end / per_vector;
    bool const has_head  = begin % per_vector != 0;
    bool const has_tail = end % per_vector != 0 && !(has_head && first == last);
    m_warp.each([&](int lane) {
      Value running = m_warp.at(open, lane);
      for (unsigned v = first + has_head + lane; v < last; v += 32)
        running = all_of(running, ring.vector(v));
      if ((has_head && lane == 0) || (has_tail && lane == 1)) {
        unsigned const v = lane == 0 ? first : last;
        running = some_of(running, ring.vector(v), v * per_vector, begin, end);
      }
      m_warp.at(open, lane) = running;
    });
  }
  /// Joins the running values of all lanes, in every lane, and resets them.
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<Value> close(Lanes<Value> &open) const {
    Lanes<Value> total = open;
    for (int offset = 16; offset > 0; offset /= 2) {
      Lanes<Value> const other = m_warp.shuffle_xor(total, offset);
      m_warp.each([&](int lane) {
        m_warp.at(total, lane) =
            Math::apply(m_warp.at(total, lane), m_warp.at(other, lane));
      });
    }
    m_warp.each([&](int lane) { m_warp.at(open, lane) = Math::identity(); });
    return total;
  }

  /// Reduces the segments of lanes [from, until) except `others` by four lanes
  /// each, eight segments at a time: neighbouring lanes read neighbouring
  /// vectors.
  template <class Ring>
  KOKKOSMMA_FORCEINLINE_FUNCTION void by_quads(Ring const &ring,
                                               Lanes<unsigned> const &begins,
                                               Lanes<unsigned> const &ends,
                                               int from, int until,
                                               std::uint32_t others,
                                               Lanes<Value> &value) const {
    for (int first = from / 8 * 8; first < until; first += 8) {
      auto const segment          = [&](int lane) { return first + lane / 4; };
      Lanes<unsigned> const begin = m_warp.gather(begins, segment);
      Lanes<unsigned> const end   = m_warp.gather(ends, segment);
      Lanes<Value> part;
      m_warp.each([&](int lane) {
        Value running    = Math::identity();
        int const s      = segment(lane);
        unsigned const b = m_warp.at(begin, lane);
        unsigned const e = m_warp.at(end, lane);
        if (s >= from && s < until && !(others >> s & 1)) {
          for (unsigned v = b / per_vector + lane % 4; v * per_vector < e;
               v += 4) {
            unsigned const at = v * per_vector;
            running           = at < b || at + per_vector > e
                                    ? some_of(running, ring.vector(v), at, b, e)
                                    : all_of(running, ring.vector(v));
          }
        }
        m_warp.at(part, lane) = running;
      });
      join_lanes<Math>(m_warp, part, 4);
      Lanes<Value> const total =
          m_warp.gather(part, [](int lane) { return lane % 8 * 4; });
      m_warp.each([&](int lane) {
        if (lane / 8 == first / 8 && lane >= from && lane < until)
          m_warp.at(value, lane) = m_warp.at(total, lane);
      });
    }
  }

  /// Reduces the segments of lanes [from, until): short ones one per lane, long
  /// ones by all lanes. The limit depends on the window's segments: while one
  /// lane is busy, 31 more may be.
  template <class Ring>
  KOKKOSMMA_FORCEINLINE_FUNCTION void reduce(Ring const &ring,
                                             Lanes<unsigned> const &begins,
                                             Lanes<unsigned> const &ends,
                                             int from, int until,
                                             Lanes<Value> &value) const {
    Lanes<unsigned> vectors;
    m_warp.each([&](int lane) {
      m_warp.at(vectors, lane) =
          lane >= from && lane < until
              ? (m_warp.at(ends, lane) - m_warp.at(begins, lane)) / per_vector
              : 0;
    });
    auto const longer_than = [&](unsigned limit) {
      Lanes<bool> longer;
      m_warp.each([&](int lane) {
        m_warp.at(longer, lane) = m_warp.at(vectors, lane) > limit;
      });
      return m_warp.ballot(longer);
    };
    unsigned limit       = 4;
    bool quads           = false;
    std::uint32_t longer = longer_than(limit);
    if (longer) {
      auto const cost_beyond = [](std::uint32_t segments) {
        return joint_cost * popcount(segments);
      };
      int least           = vector_cost * 4 + cost_beyond(longer);
      std::uint32_t other = longer_than(16);
      int cost            = vector_cost * 16 + cost_beyond(other);
      if (cost < least) {
        least  = cost;
        limit  = 16;
        longer = other;
      }
      if (Quads && least > quads_cost) {
        other = longer_than(64);
        cost  = quads_cost + cost_beyond(other);
        if (cost < least) {
          quads  = true;
          limit  = 64;
          longer = other;
        }
      }
    }
    if (Quads && quads) {
      by_quads(ring, begins, ends, from, until, longer, value);
    } else {
      m_warp.each([&](int lane) {
        if (lane < from || lane >= until || m_warp.at(vectors, lane) > limit)
          return;
        unsigned const begin = m_warp.at(begins, lane);
        unsigned const end   = m_warp.at(ends, lane);
        m_warp.at(value, lane) =
            begin < end ? in_lane(ring, begin, end) : Math::identity();
      });
    }
    for (; longer; longer &= longer - 1) {
      int const k = countr_zero(longer);
      Lanes<Value> part;
      m_warp.each([&](int lane) { m_warp.at(part, lane) = Math::identity(); });
      absorb(ring, of_lane(begins, k), of_lane(ends, k), part);
      Lanes<Value> const total = close(part);
      m_warp.each([&](int lane) {
        if (lane == k) m_warp.at(value, lane) = m_warp.at(total, lane);
      });
    }
  }

  Warp m_warp;
};

}  // namespace KokkosMMA::Impl

#endif
