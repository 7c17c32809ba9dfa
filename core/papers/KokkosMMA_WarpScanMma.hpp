// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SCAN_MMA_HPP
#define KOKKOSMMA_WARP_SCAN_MMA_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/mma/KokkosMMA_Encoding.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/mma/KokkosMMA_Split.hpp>
#include <core/papers/KokkosMMA_PaperOperands.hpp>
#include <core/scan/KokkosMMA_WarpScan.hpp>

#include <cstdint>

/// \file
/// Scan of half elements in float by MMA.
///
/// The shape determines the slots of k that a lane's values fill. The constant
/// matrices map slots to columns of the tile such that each lane's slots are
/// neighbours in the memory that it loads, and its results in the memory that
/// it stores.

namespace KokkosMMA::Impl {

/// Lane of a quad that holds slot k of an operand of 16-bit floats; below, the
/// slot's index within that lane.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int slot_quad(int k) {
  return k % 8 / 2;
}
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int slot_element(int k) {
  return k / 8 * 2 + k % 2;
}

/// Matrix U: slot k holds column 4 * quad + element; product column n of part
/// `Half` is tile column 4 * (n / 2) + 2 * Half + n % 2.
template <bool Inclusive, int Half>
struct UpperColumns {
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr bool entry(int k, int n) {
    int const from = 4 * slot_quad(k) + slot_element(k);
    int const to   = 4 * (n / 2) + 2 * Half + n % 2;
    return Inclusive ? from <= to : from < to;
  }
};

/// Matrix L: slot k holds the sum of row 2 * quad + element % 2 + 8 * (element
/// / 2).
struct LowerRows {
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr bool entry(int row, int k) {
    int const element = slot_element(k);
    return 2 * slot_quad(k) + element % 2 + 8 * (element / 2) < row;
  }
};

/// Whether one of two packed halves is infinite or NaN.
KOKKOSMMA_FORCEINLINE_FUNCTION bool pair_not_finite(std::uint32_t word) {
  return ((word & 0x7fff7fffu) + 0x04000400u) & 0x80008000u;
}
KOKKOSMMA_FORCEINLINE_FUNCTION bool any_not_finite(
    Registers<std::uint32_t, 2> const& words) {
  return pair_not_finite(words[0]) || pair_not_finite(words[1]);
}

/// Splits four sums into exact bfloat16 operands, the smallest first: the
/// accumulator is rounded three times, the last time against the largest
/// operand. Returns whether the split is inexact.
KOKKOSMMA_FORCEINLINE_FUNCTION bool split_sums(float const (&sum)[4],
                                               MmaBF16::B (&fragment)[3]) {
  std::uint32_t lost = 0;
  for (int pair = 0; pair < 2; ++pair) {
    SplitFloat const x = split_float(bit_cast<std::uint32_t>(sum[2 * pair]));
    SplitFloat const y =
        split_float(bit_cast<std::uint32_t>(sum[2 * pair + 1]));
    fragment[0][pair] = pack_upper_halves(x.low, y.low);
    fragment[1][pair] = pack_upper_halves(x.middle, y.middle);
    fragment[2][pair] = pack_upper_halves(x.high, y.high);
    lost |= x.lost | y.lost;
  }
  return lost != 0;
}

/// Prefixes by MMA. A is the tile, U upper triangular ones, L strictly lower
/// triangular ones. A * U are the prefixes within rows, L * (A * 1) the sums of
/// earlier rows. A * 1 is computed as ones times the transposed tile, which
/// leaves it in the lanes and registers that the second MMA needs. Row sums are
/// split exactly; a tile with an inexact split, infinity or NaN uses
/// WarpScanShuffle.
///
/// Source: Dakkak et al. 2019, "Accelerating Reduction and Scan Using Tensor
/// Core Units".
template <class Warp, bool Inclusive>
class WarpScanMma {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;

 public:
  using Elements = ScanElements<Scalar::half, float>;
  using Value    = float;
  using Words    = typename Elements::Words;
  using Vector   = Registers<float, Elements::elements>;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpScanMma(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      warp.at(m_ones, lane)  = encode_a<MmaF16, Ones>(lane);
      warp.at(m_lower, lane) = encode_a<MmaBF16, LowerRows>(lane);
      warp.at(m_upper[0], lane) =
          encode_b<MmaF16, UpperColumns<Inclusive, 0>>(lane);
      warp.at(m_upper[1], lane) =
          encode_b<MmaF16, UpperColumns<Inclusive, 1>>(lane);
    });
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void scan(Lanes<Words> const (&rows)[2],
                                           Lanes<Vector> (&prefix)[2],
                                           Lanes<float>& total) const {
    Lanes<MmaF16::B> fragment[2];  // (16,8) per warp
    Lanes<bool> inexact;
    m_warp.each([&](int lane) {
      bool lost = false;
      for (int r = 0; r < 2; ++r) {
        Words const& words           = m_warp.at(rows[r], lane);
        lost                         = any_not_finite(words) || lost;
        m_warp.at(fragment[r], lane) = {{words[0], words[1]}};
      }
      m_warp.at(inexact, lane) = lost;
    });

    Lanes<MmaF16::C> sums[2]{};  // (16,8)
    for (int r = 0; r < 2; ++r)
      m_warp.template multiply<MmaF16>(sums[r], m_ones, fragment[r]);
    Lanes<MmaBF16::B> row_fragment[3];  // (16,8)
    m_warp.each([&](int lane) {
      float sum[4];  // of rows 2q, 2q + 1, 2q + 8, 2q + 9
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c)
          sum[2 * r + c] = m_warp.at(sums[r], lane)[c];
      MmaBF16::B split[3];
      bool const lost          = split_sums(sum, split);
      m_warp.at(inexact, lane) = m_warp.at(inexact, lane) || lost;
      for (int p = 0; p < 3; ++p) m_warp.at(row_fragment[p], lane) = split[p];
      m_warp.at(total, lane) = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    });
    if (m_warp.any(inexact)) {
      WarpScanShuffle<Warp, Elements, Inclusive>(m_warp).scan(rows, prefix,
                                                              total);
      return;
    }
    for (int offset = 1; offset < 4; offset *= 2) {
      Lanes<float> const other = m_warp.shuffle_xor(total, offset);
      m_warp.each([&](int lane) {
        m_warp.at(total, lane) =
            m_warp.at(total, lane) + m_warp.at(other, lane);
      });
    }

    Lanes<MmaBF16::C> before{};  // (16,8)
    for (int p = 0; p < 3; ++p)
      m_warp.template multiply<MmaBF16>(before, m_lower, row_fragment[p]);
    for (int h = 0; h < 2; ++h) {
      Lanes<MmaF16::C> within{};  // (16,8)
      Lanes<MmaF16::A> a;         // (16,16)
      m_warp.each([&](int lane) {
        for (int step = 0; step < 2; ++step)
          for (int r = 0; r < 2; ++r)
            m_warp.at(a, lane)[2 * step + r] =
                m_warp.at(fragment[r], lane)[step];
      });
      m_warp.template multiply<MmaF16>(within, a, m_upper[h]);
      m_warp.each([&](int lane) {
        for (int r = 0; r < 2; ++r)
          for (int c = 0; c < 2; ++c)
            m_warp.at(prefix[r], lane)[2 * h + c] =
                m_warp.at(before, lane)[2 * r] +
                m_warp.at(within, lane)[2 * r + c];
      });
    }
  }

 private:
  Warp m_warp;
  Lanes<MmaF16::A> m_ones;      // (16,16)
  Lanes<MmaBF16::A> m_lower;    // (16,16)
  Lanes<MmaF16::B> m_upper[2];  // (16,8)
};

}  // namespace KokkosMMA::Impl

#endif
