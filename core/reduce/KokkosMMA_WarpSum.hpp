// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_SUM_HPP
#define KOKKOSMMA_WARP_SUM_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/mma/KokkosMMA_Encoding.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Sums and dot products by chained MMA, one warp. 16-byte vectors are the A
/// operand without conversion, a constant matrix is B. Accumulators run for a
/// bounded chain and are then added, rounded to nearest, to a running value per
/// lane.
///
/// The algorithms are templates over the warp. A warp provides
///   Lanes<T>            one T per lane
///   at(lanes, lane)     the T of a lane
///   each(f)             f(lane) for all lanes that the program represents
///   multiply<Shape>(d, a, b)   d += a * b
///   any(lanes)          whether any lane holds true
/// On Cuda a program is one lane and Lanes<T> is T; the emulated warp has all
/// 32 lanes.
///
/// Source: Carrasco, Vega, Navarro 2018 and Navarro et al. 2020 for the
/// encoding by ones and the chain; Ootomo and Yokota 2022 for additions outside
/// the tensor cores.

namespace KokkosMMA::Impl {

KOKKOSMMA_FORCEINLINE_FUNCTION float float_of(std::uint32_t bits) {
  return bit_cast<float>(bits);
}

KOKKOSMMA_FORCEINLINE_FUNCTION double double_of(std::uint32_t low,
                                                std::uint32_t high) {
  return bit_cast<double>(std::uint64_t(high) << 32 | low);
}

/// Accumulator that is flushed after `chain_length` MMA, since tensor cores
/// truncate (unit_tests/support/KokkosMMA_ErrorBound.hpp).
template <class Warp, class Shape>
struct Chain {
  typename Warp::template Lanes<typename Shape::C>
      accumulator{};  // (m,n) per warp
  int length = 0;

  template <class Flush>
  KOKKOSMMA_FORCEINLINE_FUNCTION void multiply(
      Warp const& warp,
      typename Warp::template Lanes<typename Shape::A> const& a,  // (m,k)
      typename Warp::template Lanes<typename Shape::B> const& b,  // (k,n)
      int chain_length, Flush const& flush) {
    warp.template multiply<Shape>(accumulator, a, b);
    if (++length == chain_length) {
      flush();
      clear(warp);
    }
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void clear(Warp const& warp) {
    warp.each([&](int lane) { warp.at(accumulator, lane) = {}; });
    length = 0;
  }
};

/// Sum of a type whose registers are operands without conversion, by a product
/// with a constant matrix. Ones sum half, bfloat16, 8-bit integers and bool:
/// every column holds the row sums, so each lane with lane % 4 == 0 has two
/// rows. 64-bit integers are summed exactly modulo 2^64: their bytes are
/// unsigned 8-bit operands; column n of the product is the sum of bytes n and
/// has weight 256^n.
/// \tparam Total_ type of the result; the lanes' sum equals it modulo 2^64
template <class Warp, class Shape, class Matrix, class Sum, class Total_ = Sum>
class WarpSumDirect {
 public:
  using Value  = Sum;
  using Total  = Total_;
  using Vector = typename Warp::template Lanes<Vector16>;

  KOKKOSMMA_FORCEINLINE_FUNCTION WarpSumDirect(Warp const& warp,
                                               int chain_length)
      : m_warp(warp), m_chain_length(chain_length) {
    warp.each([&](int lane) {
      warp.at(m_matrix, lane) = encode_b<Shape, Matrix>(lane);
      warp.at(m_sum, lane)    = Sum(0);
    });
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Vector const& first,
                                          Vector const& second) {
    product(first);
    product(second);
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION typename Warp::template Lanes<Sum> finish() {
    flush();
    m_chain.clear(m_warp);
    return m_sum;
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION void product(Vector const& data) {
    if constexpr (std::is_same_v<Matrix, ByteColumnsOf8>) {
      Vector a;  // (16,32)
      m_warp.each([&](int lane) {
        Vector16 const& v  = m_warp.at(data, lane);
        m_warp.at(a, lane) = {{v[0], v[2], v[1], v[3]}};
      });
      multiply(a);
    } else {
      multiply(data);
    }
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void multiply(Vector const& a) {
    m_chain.multiply(m_warp, a, m_matrix, m_chain_length, [&] { flush(); });
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void flush() {
    m_warp.each([&](int lane) {
      auto const& d = m_warp.at(m_chain.accumulator, lane);  // (16,8)
      if constexpr (std::is_same_v<Matrix, Ones>) {
        if (lane % 4 == 0) m_warp.at(m_sum, lane) += Sum(d[0]) + Sum(d[2]);
      } else {
        Sum const even = Sum(std::uint32_t(d[0])) + std::uint32_t(d[2]);
        Sum const odd  = Sum(std::uint32_t(d[1])) + std::uint32_t(d[3]);
        m_warp.at(m_sum, lane) += (even + (odd << 8)) << (lane % 4 * 16);
      }
    });
  }

  Warp m_warp;
  int m_chain_length;
  typename Warp::template Lanes<typename Shape::B> m_matrix;  // (k,8)
  Chain<Warp, Shape> m_chain;
  typename Warp::template Lanes<Sum> m_sum;
};

/// Sum of doubles. DMMA is a chain of IEEE fused multiply-adds, so the flush
/// only shortens the chain of roundings. Two chains, one per double of a
/// vector.
template <class Warp>
class WarpSumDouble {
 public:
  using Value  = double;
  using Total  = double;
  using Vector = typename Warp::template Lanes<Vector16>;

  KOKKOSMMA_FORCEINLINE_FUNCTION WarpSumDouble(Warp const& warp,
                                               int chain_length)
      : m_warp(warp), m_chain_length(chain_length) {
    warp.each([&](int lane) {
      warp.at(m_ones, lane) = encode_b<MmaF64, Ones>(lane);
      warp.at(m_sum, lane)  = 0;
    });
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Vector const& first,
                                          Vector const& second) {
    product(first);
    product(second);
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION typename Warp::template Lanes<double>
  finish() {
    flush();
    m_even.clear(m_warp);
    return m_sum;
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION void product(Vector const& data) {
    typename Warp::template Lanes<MmaF64::A> even, odd;  // (8,4)
    m_warp.each([&](int lane) {
      Vector16 const& v        = m_warp.at(data, lane);
      m_warp.at(even, lane)[0] = double_of(v[0], v[1]);
      m_warp.at(odd, lane)[0]  = double_of(v[2], v[3]);
    });
    m_warp.template multiply<MmaF64>(m_odd, odd, m_ones);
    m_even.multiply(m_warp, even, m_ones, m_chain_length, [&] { flush(); });
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void flush() {
    m_warp.each([&](int lane) {
      auto& odd = m_warp.at(m_odd, lane);  // (8,8)
      if (lane % 4 == 0)
        m_warp.at(m_sum, lane) +=
            m_warp.at(m_even.accumulator, lane)[0] + odd[0];
      odd = {};
    });
  }

  Warp m_warp;
  int m_chain_length;
  typename Warp::template Lanes<MmaF64::B> m_ones;  // (4,8)
  Chain<Warp, MmaF64> m_even;
  typename Warp::template Lanes<MmaF64::C> m_odd{};  // (8,8)
  typename Warp::template Lanes<double> m_sum;
};

template <class Warp, Scalar Input>
struct WarpSumChoice {
  static constexpr bool is_byte = size_of(Input) == 1;
  static_assert(is_byte || (size_of(Input) == 8 && !is_floating(Input)));
  using Whole =
      std::conditional_t<Input == Scalar::int64, std::int64_t, std::uint64_t>;
  using type = std::conditional_t<
      is_byte,
      WarpSumDirect<Warp,
                    std::conditional_t<Input == Scalar::int8, MmaS8, MmaU8>,
                    Ones, std::int64_t>,
      WarpSumDirect<Warp, MmaU8, ByteColumnsOf8, std::uint64_t, Whole>>;
};
template <class Warp>
struct WarpSumChoice<Warp, Scalar::half> {
  using type = WarpSumDirect<Warp, MmaF16, Ones, float>;
};
template <class Warp>
struct WarpSumChoice<Warp, Scalar::bhalf> {
  using type = WarpSumDirect<Warp, MmaBF16, Ones, float>;
};
template <class Warp>
struct WarpSumChoice<Warp, Scalar::float64> {
  using type = WarpSumDouble<Warp>;
};
/// Sum of `Input` by the lanes of `Warp`: construct, add() pairs of vectors
/// (zero vectors add nothing); finish() returns a Value per lane. The sum of
/// these, as a Total, is the result. Floats:
/// core/papers/KokkosMMA_WarpSumFloat.hpp.
template <class Warp, Scalar Input>
using WarpSum = typename WarpSumChoice<Warp, Input>::type;

/// Sum of x(i) * y(i). The vector of x that a lane loads is part of a row of A,
/// its vector of y part of the same column of B. The dot product is thus the
/// trace of the accumulator; other entries are never read. Products of 16-bit
/// floats and 8-bit integers are exact, doubles are fused.
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
