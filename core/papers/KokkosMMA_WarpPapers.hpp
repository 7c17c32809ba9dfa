// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_PAPERS_HPP
#define KOKKOSMMA_WARP_PAPERS_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_Split.hpp>
#include <core/papers/KokkosMMA_PaperOperands.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

/// \file
/// Sum in the papers' formulation, one warp: T = (1 * X) * 1. The product with
/// ones from the left has column sums in every row; the product of these with
/// ones from the right has the total in every entry.
///
/// Source: Carrasco, Vega, Navarro 2018 (two products); Navarro et al. 2020
/// (recurrence, single pass with R chained products, split). The papers keep
/// column sums as half, which overflows on uniform data; here the second
/// product uses them as three exact bfloat16 operands.

namespace KokkosMMA::Impl {

/// Adds D += 1 * X for the 256 values of one vector per lane: two MMA.
/// \param d column sums, equal in all rows // (16,8)
template <class Warp>
KOKKOSMMA_FORCEINLINE_FUNCTION void add_column_sums(
    Warp const& warp, typename Warp::template Lanes<MmaF16::C>& d,
    typename Warp::template Lanes<Vector16> const& x) {
  typename Warp::template Lanes<MmaF16::A> ones;  // (16,16)
  typename Warp::template Lanes<MmaF16::B> b;     // (16,8)
  warp.each([&](int lane) { warp.at(ones, lane) = ones_a<MmaF16>(); });
  for (int half = 0; half < 2; ++half) {
    warp.each([&](int lane) {
      Vector16 const& v = warp.at(x, lane);
      warp.at(b, lane)  = {{v[2 * half], v[2 * half + 1]}};
    });
    warp.template multiply<MmaF16>(d, ones, b);
  }
}

/// Total of column sums: D * 1, with the accumulator as A operand. Column sums
/// that are not finite do not split; the lanes of the first row add them.
/// \return a value per lane whose sum over lanes is the total
template <class Warp>
KOKKOSMMA_FORCEINLINE_FUNCTION typename Warp::template Lanes<float>
total_of_column_sums(Warp const& warp,
                     typename Warp::template Lanes<MmaF16::C> const& d) {
  typename Warp::template Lanes<MmaBF16K8::A> high, middle, low;  // (16,8)
  typename Warp::template Lanes<MmaBF16K8::B> ones;               // (8,8)
  typename Warp::template Lanes<bool> inexact;
  warp.each([&](int lane) {
    std::uint32_t lost = 0;
    for (int row = 0; row < 2; ++row) {
      auto const& sums   = warp.at(d, lane);
      SplitFloat const x = split_float(bit_cast<std::uint32_t>(sums[2 * row]));
      SplitFloat const y =
          split_float(bit_cast<std::uint32_t>(sums[2 * row + 1]));
      warp.at(high, lane)[row]   = pack_upper_halves(x.high, y.high);
      warp.at(middle, lane)[row] = pack_upper_halves(x.middle, y.middle);
      warp.at(low, lane)[row]    = pack_upper_halves(x.low, y.low);
      lost |= x.lost | y.lost;
    }
    warp.at(inexact, lane) = lost != 0;
    warp.at(ones, lane)    = encode_b<MmaBF16K8, Ones>(lane);
  });
  typename Warp::template Lanes<float> total;
  if (warp.any(inexact)) {
    warp.each([&](int lane) {
      auto const& sums     = warp.at(d, lane);
      warp.at(total, lane) = lane < 4 ? sums[0] + sums[1] : 0.f;
    });
    return total;
  }
  typename Warp::template Lanes<MmaBF16K8::C> h{}, m{}, l{};  // (16,8)
  warp.template multiply<MmaBF16K8>(h, high, ones);
  warp.template multiply<MmaBF16K8>(m, middle, ones);
  warp.template multiply<MmaBF16K8>(l, low, ones);
  warp.each([&](int lane) {
    warp.at(total, lane) =
        lane == 0
            ? (warp.at(l, lane)[0] + warp.at(m, lane)[0]) + warp.at(h, lane)[0]
            : 0.f;
  });
  return total;
}

}  // namespace KokkosMMA::Impl

#endif
