// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SCAN_MMA_HPP
#define KOKKOSMMA_WARP_SCAN_MMA_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_Encoding.hpp>
#include <core/papers/KokkosMMA_ScanEncoding.hpp>
#include <core/scan/KokkosMMA_WarpScan.hpp>

#include <type_traits>

namespace KokkosMMA::Impl {

/// Prefixes by MMA. A is the tile, U upper triangular ones, L strictly lower
/// triangular ones. A * U are the prefixes within rows, L * (A * 1) the sums of
/// earlier rows. A * 1 is computed as ones times the transposed tile, which
/// leaves it in the lanes and registers that the second MMA needs. Elements and
/// row sums are split exactly; a tile with an inexact split (infinity, NaN,
/// last bits too small) uses WarpScanShuffle.
///
/// Source: Dakkak et al. 2019, "Accelerating Reduction and Scan Using Tensor
/// Core Units".
template <class Warp, class Encoding, bool Inclusive>
class WarpScanMma {
  template <class T>
  using Lanes                 = typename Warp::template Lanes<T>;
  using Data                  = typename Encoding::Data;  // of the elements
  using Rows                  = typename Encoding::Rows;  // of the row sums
  using DataShape             = typename Data::Shape;
  using RowsShape             = typename Rows::Shape;
  static constexpr int halves = Encoding::elements / 2;

 public:
  using Elements = Encoding;
  using Value    = typename Encoding::Value;
  using Words    = typename Encoding::Words;
  using Vector   = Registers<Value, Encoding::elements>;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpScanMma(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      warp.at(m_ones, lane)  = encode_a<DataShape, Ones>(lane);
      warp.at(m_lower, lane) = encode_a<RowsShape, LowerRows<RowsShape>>(lane);
      warp.at(m_upper[0], lane) =
          encode_b<DataShape,
                   UpperColumns<DataShape, Encoding::elements, Inclusive, 0>>(
              lane);
      if constexpr (halves == 2) {
        warp.at(m_upper[1], lane) =
            encode_b<DataShape,
                     UpperColumns<DataShape, Encoding::elements, Inclusive, 1>>(
                lane);
      }
    });
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void scan(Lanes<Words> const (&rows)[2],
                                           Lanes<Vector> (&prefix)[2],
                                           Lanes<Value>& total) const {
    Lanes<typename DataShape::B> fragment[2]
                                         [Data::fragments];  // (k,n) per warp
    Lanes<bool> inexact;
    m_warp.each([&](int lane) {
      bool lost = false;
      for (int r = 0; r < 2; ++r) {
        typename DataShape::B split[Data::fragments];
        lost = Data::split(m_warp.at(rows[r], lane), split) || lost;
        for (int p = 0; p < Data::fragments; ++p)
          m_warp.at(fragment[r][p], lane) = split[p];
      }
      m_warp.at(inexact, lane) = lost;
    });

    Lanes<typename DataShape::C> sums[2][Data::accumulators]{};  // (16,8)
    for (int r = 0; r < 2; ++r)
      for (int p = 0; p < Data::fragments; ++p)
        m_warp.template multiply<DataShape>(sums[r][p % Data::accumulators],
                                            m_ones, fragment[r][p]);
    Lanes<typename RowsShape::B> row_fragment[Rows::fragments];  // (k,n)
    m_warp.each([&](int lane) {
      Value sum[4];  // of rows 2q, 2q + 1, 2q + 8, 2q + 9
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c)
          sum[2 * r + c] = collect<Data>(sums[r], lane, c);
      typename RowsShape::B split[Rows::fragments];
      bool const lost          = Rows::split(sum, split);
      m_warp.at(inexact, lane) = m_warp.at(inexact, lane) || lost;
      for (int p = 0; p < Rows::fragments; ++p)
        m_warp.at(row_fragment[p], lane) = split[p];
      m_warp.at(total, lane) = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    });
    if (m_warp.any(inexact)) {
      WarpScanShuffle<Warp, Encoding, Inclusive>(m_warp).scan(rows, prefix,
                                                              total);
      return;
    }
    for (int offset = 1; offset < 4; offset *= 2) {
      Lanes<Value> const other = m_warp.shuffle_xor(total, offset);
      m_warp.each([&](int lane) {
        m_warp.at(total, lane) =
            m_warp.at(total, lane) + m_warp.at(other, lane);
      });
    }

    Lanes<typename RowsShape::C> before[Rows::accumulators]{};  // (16,8)
    for (int p = 0; p < Rows::fragments; ++p)
      m_warp.template multiply<RowsShape>(before[p % Rows::accumulators],
                                          m_lower, row_fragment[p]);
    for (int h = 0; h < halves; ++h) {
      Lanes<typename DataShape::C> within[Data::accumulators]{};  // (16,8)
      for (int p = 0; p < Data::fragments; ++p) {
        Lanes<typename DataShape::A> a;  // (16,k)
        m_warp.each([&](int lane) {
          for (int step = 0; step < DataShape::b_registers; ++step)
            for (int r = 0; r < 2; ++r)
              m_warp.at(a, lane)[2 * step + r] =
                  m_warp.at(fragment[r][p], lane)[step];
        });
        m_warp.template multiply<DataShape>(within[p % Data::accumulators], a,
                                            m_upper[h]);
      }
      m_warp.each([&](int lane) {
        for (int r = 0; r < 2; ++r)
          for (int c = 0; c < 2; ++c)
            m_warp.at(prefix[r], lane)[2 * h + c] =
                collect<Rows>(before, lane, 2 * r) +
                collect<Data>(within, lane, 2 * r + c);
      });
    }
  }

 private:
  /// Value represented by the accumulators of all fragments.
  template <class Operand, class Fragment, int N>
  KOKKOSMMA_FORCEINLINE_FUNCTION Value collect(Fragment const (&fragments)[N],
                                               int lane, int reg) const {
    std::remove_cvref_t<decltype(m_warp.at(fragments[0], 0)[0])> part[N];
    for (int p = 0; p < N; ++p) part[p] = m_warp.at(fragments[p], lane)[reg];
    return Operand::template value<Value>(part);
  }

  Warp m_warp;
  Lanes<typename DataShape::A> m_ones;           // (16,k)
  Lanes<typename RowsShape::A> m_lower;          // (16,16)
  Lanes<typename DataShape::B> m_upper[halves];  // (k,8)
};

}  // namespace KokkosMMA::Impl

#endif
