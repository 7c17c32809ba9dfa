// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SEGMENT_SCAN_HPP
#define KOKKOSMMA_WARP_SEGMENT_SCAN_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstdint>

/// \file
/// Scan of segments by one warp, row by row. Each lane holds one vector of a
/// row, so that loads and stores are contiguous for any segment lengths. A bit
/// per element marks the begins of segments, where the scan restarts. Nothing
/// is multiplied by a flag or subtracted: a NaN or an infinity affects only
/// later prefixes of its segment.
///
/// A warp provides the members listed in core/scan/KokkosMMA_WarpScan.hpp, and
///   ballot(lanes of bool)   bit l is the value of lane l

namespace KokkosMMA::Impl {

/// Begins of segments of equal length, for a lane that steps along rows.
/// \tparam Elements per vector
template <int Elements>
struct EqualStarts {
  /// Upper limit of the ranges that a warp scans; longer segments are clamped.
  static constexpr std::uint64_t longest = 1u << 30;

  std::uint32_t length;
  std::uint32_t step;     ///< from row to row, modulo the length
  std::uint32_t pattern;  ///< bits at the multiples of the length

  constexpr explicit EqualStarts(std::uint64_t segment_length)
      : length(
            std::uint32_t(segment_length < longest ? segment_length : longest)),
        step(32 * Elements % length),
        pattern(0) {
    for (std::uint32_t bit = 0; bit < Elements; bit += length)
      pattern |= 1u << bit;
  }

  /// Elements from `offset` to the first start at or after it. The first start
  /// is after `first` elements, fewer than the length.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t ahead(
      std::uint64_t first, std::uint32_t offset) const {
    if (first >= offset)
      return std::uint32_t(first - offset < longest ? first - offset : longest);
    std::uint32_t const passed =
        (offset - static_cast<std::uint32_t>(first)) % length;
    return passed ? length - passed : 0;
  }
  /// Value of ahead() one row later.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t next_row(
      std::uint32_t ahead) const {
    return ahead >= step ? ahead - step : ahead + (length - step);
  }
  /// Mask with bit e set if a segment begins with element e.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t starts(
      std::uint32_t ahead) const {
    return ahead < Elements ? pattern << ahead & ((1u << Elements) - 1) : 0;
  }
};

/// Scan of rows.
/// \tparam Op any operation; it need not commute
template <class Warp, Operation Op, Scalar InputScalar, class ValueT,
          bool Inclusive>
class WarpSegmentScan {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;

 public:
  using Value                       = ValueT;
  using Combined                    = Combine<Op, Value>;
  static constexpr Scalar input     = InputScalar;
  static constexpr bool inclusive   = Inclusive;
  static constexpr int input_bytes  = size_of(input);
  static constexpr int elements     = 16 / sizeof(Value);
  static constexpr int bytes        = elements * input_bytes;  ///< of a vector
  static constexpr int row_elements = 32 * elements;
  using Words  = Registers < std::uint32_t, bytes<4 ? 1 : bytes / 4>;
  using Vector = Registers<Value, elements>;
  static_assert(input_bytes <= int(sizeof(Value)));
  static constexpr bool is_extreme =
      Op == Operation::min || Op == Operation::max;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpSegmentScan(Warp const& warp)
      : m_warp(warp) {}

  /// \param starts bit e: a segment begins with element e of the lane
  /// \param carry  prefix of the segment that reaches into the row; updated for
  /// the next row
  KOKKOSMMA_FORCEINLINE_FUNCTION void scan(Lanes<Words> const& words,
                                           Lanes<std::uint32_t> const& starts,
                                           Lanes<Value>& carry,
                                           Lanes<Vector>& prefix) const {
    Lanes<Value> up_to;
    Lanes<bool> begins;
    m_warp.each([&](int lane) {
      std::uint32_t const bits = m_warp.at(starts, lane);
      Value sum                = Combined::identity();
      for (int e = 0; e < elements; ++e) {
        Value const element =
            element_of_vector<Warp, input, Value>(m_warp.at(words, lane), e);
        bool const anew    = bits >> e & 1;
        Value const before = anew ? Combined::identity() : sum;
        // From the identity: a sum of negative zeros is a zero, as in Kokkos,
        // and a minimum passes over a NaN.
        sum                        = anew || (is_extreme && e == 0)
                                         ? Combined::apply(Combined::identity(), element)
                                     : e == 0 ? element
                                              : Combined::apply(sum, element);
        m_warp.at(prefix, lane)[e] = Inclusive ? sum : before;
      }
      m_warp.at(begins, lane) = bits != 0;
      m_warp.at(up_to, lane)  = sum;
    });
    // Number of lanes to add before each lane: back to the last lane, possibly
    // itself, in which a segment begins.
    std::uint32_t const begin_lanes = m_warp.ballot(begins);
    Lanes<int> reach;
    m_warp.each([&](int lane) {
      std::uint32_t const up_to_here =
          begin_lanes & (0xffffffffu >> (31 - lane));
      m_warp.at(reach, lane) = lane - 31 + countl_zero(up_to_here | 1u);
    });
    for (int offset = 1; offset < 32; offset *= 2) {
      Lanes<Value> const other = m_warp.shuffle_up(up_to, offset);
      m_warp.each([&](int lane) {
        if (offset <= m_warp.at(reach, lane))
          m_warp.at(up_to, lane) =
              Combined::apply(m_warp.at(other, lane), m_warp.at(up_to, lane));
      });
    }
    Lanes<Value> const before = m_warp.shuffle_up(up_to, 1);
    Lanes<Value> const total  = m_warp.broadcast(up_to, 31);
    m_warp.each([&](int lane) {
      std::uint32_t const earlier = begin_lanes & ((1u << lane) - 1);
      Value const from_before     = m_warp.at(carry, lane);
      Value base                  = m_warp.at(before, lane);
      if (lane == 0)
        base = from_before;
      else if (earlier == 0)
        base = Combined::apply(from_before, base);
      std::uint32_t const bits = m_warp.at(starts, lane);
      for (int e = 0; e < elements; ++e) {
        if (bits & ((2u << e) - 1)) continue;
        Value& value = m_warp.at(prefix, lane)[e];
        value = !Inclusive && e == 0 ? base : Combined::apply(base, value);
      }
      m_warp.at(carry, lane) =
          begin_lanes ? m_warp.at(total, lane)
                      : Combined::apply(from_before, m_warp.at(total, lane));
    });
  }

 private:
  Warp m_warp;
};

}  // namespace KokkosMMA::Impl

#endif
