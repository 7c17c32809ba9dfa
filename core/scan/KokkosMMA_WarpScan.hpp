// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SCAN_HPP
#define KOKKOSMMA_WARP_SCAN_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <cstdint>

/// \file
/// Scan of a tile of 16 rows by one warp. Lane 4g + q holds columns E*q to E*q
/// + E - 1 of rows g and g + 8, E neighbours in memory each. Each lane has two
/// vectors; every load and store of the warp is contiguous. Rows are
/// consecutive in memory.
///
/// A warp provides the members listed in core/reduce/KokkosMMA_WarpSum.hpp, and
///   shuffle_up(lanes, k)    value of lane - k; its own in the first k lanes
///   shuffle_xor(lanes, k)   value of lane ^ k
///   broadcast(lanes, k)     value of lane k
///   half_value(bits)        half as a float

namespace KokkosMMA::Impl {

/// Elements of a scan of `Input` with sums of `Value`; unsigned types represent
/// integers modulo 2^bits. `elements` neighbours are 16 bytes of results.
template <Scalar Input, class ValueT>
struct ScanElements {
  using Value                      = ValueT;
  static constexpr int elements    = 16 / sizeof(Value);
  static constexpr int input_bytes = size_of(Input);
  static constexpr int bytes = elements * input_bytes;  ///< per input vector
  using Words = Registers < std::uint32_t, bytes<4 ? 1 : bytes / 4>;

  template <class Warp>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value element(Words const& words,
                                                      int e) {
    // A bool is 0 or 1.
    constexpr Scalar scalar = Input == Scalar::boolean ? Scalar::uint8 : Input;
    return element_of_vector<Warp, scalar, Value>(words, e);
  }
};

/// Prefixes by additions only: serial in a lane, a tree over the lanes. Nothing
/// is multiplied by zero: a NaN or infinity is confined to prefixes with it.
template <class Warp, class Encoding, bool Inclusive>
class WarpScanShuffle {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;

 public:
  using Elements = Encoding;
  using Value    = typename Encoding::Value;
  using Words    = typename Encoding::Words;
  using Vector   = Registers<Value, Encoding::elements>;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpScanShuffle(Warp const& warp)
      : m_warp(warp) {}

  /// Computes the `prefix` of each element within the tile, and the tile's
  /// `total` in every lane.
  KOKKOSMMA_FORCEINLINE_FUNCTION void scan(Lanes<Words> const (&rows)[2],
                                           Lanes<Vector> (&prefix)[2],
                                           Lanes<Value>& total) const {
    Lanes<Value> up_to[2], own[2];
    for (int r = 0; r < 2; ++r) {
      m_warp.each([&](int lane) {
        Value sum{};
        for (int e = 0; e < Encoding::elements; ++e) {
          Value const element =
              Encoding::template element<Warp>(m_warp.at(rows[r], lane), e);
          Value const before = sum;
          // The first element keeps its bits, including the sign of a zero.
          sum                           = e == 0 ? element : sum + element;
          m_warp.at(prefix[r], lane)[e] = Inclusive ? sum : before;
        }
        m_warp.at(own[r], lane)   = sum;
        m_warp.at(up_to[r], lane) = sum;
      });
    }
    for (int offset = 1; offset < 32; offset *= 2) {
      for (int r = 0; r < 2; ++r) {
        Lanes<Value> const other = m_warp.shuffle_up(up_to[r], offset);
        m_warp.each([&](int lane) {
          if (lane >= offset)
            m_warp.at(up_to[r], lane) =
                m_warp.at(other, lane) + m_warp.at(up_to[r], lane);
        });
      }
    }
    Lanes<Value> const first  = m_warp.broadcast(up_to[0], 31);
    Lanes<Value> const second = m_warp.broadcast(up_to[1], 31);
    for (int r = 0; r < 2; ++r) {
      Lanes<Value> const before = m_warp.shuffle_up(up_to[r], 1);
      m_warp.each([&](int lane) {
        bool const begins = lane == 0;
        if (begins && r == 0) return;
        Value base = m_warp.at(before, lane);
        if (r == 1)
          base =
              begins ? m_warp.at(first, lane) : m_warp.at(first, lane) + base;
        for (int e = 0; e < Encoding::elements; ++e) {
          Value& value = m_warp.at(prefix[r], lane)[e];
          value        = !Inclusive && e == 0 ? base : base + value;
        }
      });
    }
    m_warp.each([&](int lane) {
      m_warp.at(total, lane) = m_warp.at(first, lane) + m_warp.at(second, lane);
    });
  }

 private:
  Warp m_warp;
};

}  // namespace KokkosMMA::Impl

#endif
