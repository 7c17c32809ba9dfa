// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SUM_FLOAT_HPP
#define KOKKOSMMA_WARP_SUM_FLOAT_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_Split.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

#include <cstdint>

/// \file
/// Sum of floats by MMA. Additions are as fast, so that only the papers'
/// kernels use it.
///
/// Source: Ootomo and Yokota 2022.

namespace KokkosMMA::Impl {

/// Sum of floats as three chains of exact bfloat16 operands. If a split in the
/// warp is not exact (infinity, NaN, last bits below 2^-133), every lane adds
/// its own two vectors instead.
template <class Warp>
class WarpSumFloat {
 public:
  using Value  = float;
  using Total  = float;
  using Vector = typename Warp::template Lanes<Vector16>;

  KOKKOSMMA_FORCEINLINE_FUNCTION WarpSumFloat(Warp const& warp,
                                              int chain_length)
      : m_warp(warp), m_chain_length(chain_length) {
    warp.each([&](int lane) {
      warp.at(m_ones, lane) = encode_b<MmaBF16, Ones>(lane);
      warp.at(m_sum, lane)  = 0;
    });
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Vector const& first,
                                          Vector const& second) {
    typename Warp::template Lanes<MmaBF16::A> high, middle, low;  // (16,16)
    typename Warp::template Lanes<bool> inexact;
    m_warp.each([&](int lane) {
      std::uint32_t lost = 0;
      for (int pair = 0; pair < 4; ++pair) {
        Vector16 const& v  = m_warp.at(pair < 2 ? first : second, lane);
        SplitFloat const x = split_float(v[pair % 2 * 2]);
        SplitFloat const y = split_float(v[pair % 2 * 2 + 1]);
        m_warp.at(high, lane)[pair]   = pack_upper_halves(x.high, y.high);
        m_warp.at(middle, lane)[pair] = pack_upper_halves(x.middle, y.middle);
        m_warp.at(low, lane)[pair]    = pack_upper_halves(x.low, y.low);
        lost |= x.lost | y.lost;
      }
      m_warp.at(inexact, lane) = lost != 0;
    });
    if (m_warp.any(inexact)) {
      m_warp.each([&](int lane) {
        Vector16 const& a = m_warp.at(first, lane);
        Vector16 const& b = m_warp.at(second, lane);
        m_warp.at(m_sum, lane) += ((float_of(a[0]) + float_of(a[1])) +
                                   (float_of(a[2]) + float_of(a[3]))) +
                                  ((float_of(b[0]) + float_of(b[1])) +
                                   (float_of(b[2]) + float_of(b[3])));
      });
      return;
    }
    m_warp.template multiply<MmaBF16>(m_low, low, m_ones);
    m_warp.template multiply<MmaBF16>(m_middle, middle, m_ones);
    m_high.multiply(m_warp, high, m_ones, m_chain_length, [&] { flush(); });
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION typename Warp::template Lanes<float> finish() {
    flush();
    m_high.clear(m_warp);
    return m_sum;
  }

 private:
  // Small operands first: their sum is then rounded once against the large one.
  KOKKOSMMA_FORCEINLINE_FUNCTION void flush() {
    m_warp.each([&](int lane) {
      auto const& h = m_warp.at(m_high.accumulator, lane);  // (16,8)
      auto& m       = m_warp.at(m_middle, lane);            // (16,8)
      auto& l       = m_warp.at(m_low, lane);               // (16,8)
      if (lane % 4 == 0) {
        m_warp.at(m_sum, lane) +=
            ((l[0] + m[0]) + h[0]) + ((l[2] + m[2]) + h[2]);
      }
      m = {};
      l = {};
    });
  }

  Warp m_warp;
  int m_chain_length;
  typename Warp::template Lanes<MmaBF16::B> m_ones;  // (16,8)
  Chain<Warp, MmaBF16> m_high;
  typename Warp::template Lanes<MmaBF16::C> m_middle{}, m_low{};  // (16,8)
  typename Warp::template Lanes<float> m_sum;
};

}  // namespace KokkosMMA::Impl

#endif
