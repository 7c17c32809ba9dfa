// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_DOT_HPP
#define KOKKOSMMA_WARP_DOT_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/reduce/KokkosMMA_WarpSum.hpp>

/// \file
/// Sum of x(i) * y(i) by chained MMA, one warp. The vector of x that a lane
/// loads is part of a row of A, its vector of y part of the same column of B.
/// The dot product is thus the trace of the accumulator; other entries are
/// never read. Products of 16-bit floats and 8-bit integers are exact, doubles
/// are fused.

namespace KokkosMMA::Impl {

template <class Warp, class Shape, class Sum>
class WarpDotOfShape {
 public:
  using Value  = Sum;
  using Total  = Sum;
  using Vector = typename Warp::template Lanes<Vector16>;

  KOKKOSMMA_FORCEINLINE_FUNCTION WarpDotOfShape(Warp const& warp,
                                                int chain_length)
      : m_warp(warp), m_chain_length(chain_length) {
    warp.each([&](int lane) { warp.at(m_sum, lane) = Sum(0); });
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Vector const& x, Vector const& y) {
    for (int half = 0; half < 2; ++half) {
      typename Warp::template Lanes<typename Shape::A>
          a;  // (m,k), rows >= 8 zero
      typename Warp::template Lanes<typename Shape::B> b;  // (k,8)
      m_warp.each([&](int lane) {
        Vector16 const& u = m_warp.at(x, lane);
        Vector16 const& v = m_warp.at(y, lane);
        if constexpr (Shape::packed == 1) {
          m_warp.at(a, lane)[0] = double_of(u[2 * half], u[2 * half + 1]);
          m_warp.at(b, lane)[0] = double_of(v[2 * half], v[2 * half + 1]);
        } else {
          m_warp.at(a, lane) = {{u[2 * half], 0, u[2 * half + 1], 0}};
          m_warp.at(b, lane) = {{v[2 * half], v[2 * half + 1]}};
        }
      });
      m_chain.multiply(m_warp, a, b, m_chain_length, [&] { flush(); });
    }
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION typename Warp::template Lanes<Sum> finish() {
    flush();
    m_chain.clear(m_warp);
    return m_sum;
  }

 private:
  // Entry (g, g) is in lane g / 2 of quad g, register g % 2.
  KOKKOSMMA_FORCEINLINE_FUNCTION void flush() {
    m_warp.each([&](int lane) {
      int const row = lane / 4;
      auto const& d = m_warp.at(m_chain.accumulator, lane);  // (m,8)
      if (lane % 4 == row / 2)
        m_warp.at(m_sum, lane) += Sum(row % 2 ? d[1] : d[0]);
    });
  }

  Warp m_warp;
  int m_chain_length;
  Chain<Warp, Shape> m_chain;
  typename Warp::template Lanes<Sum> m_sum;
};

/// Dot product of `Input` by the lanes of `Warp`, used like WarpSum, for 16-bit
/// floats, doubles and 8-bit integers.
template <class Warp, Scalar Input>
using WarpDot = std::conditional_t<
    Input == Scalar::half, WarpDotOfShape<Warp, MmaF16, float>,
    std::conditional_t<
        Input == Scalar::bhalf, WarpDotOfShape<Warp, MmaBF16, float>,
        std::conditional_t<
            Input == Scalar::float64, WarpDotOfShape<Warp, MmaF64, double>,
            std::conditional_t<Input == Scalar::int8,
                               WarpDotOfShape<Warp, MmaS8, std::int64_t>,
                               WarpDotOfShape<Warp, MmaU8, std::int64_t>>>>>;

}  // namespace KokkosMMA::Impl

#endif
