// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_COLUMN_SUMS_HPP
#define KOKKOSMMA_WARP_COLUMN_SUMS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_Encoding.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/mma/KokkosMMA_Split.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/segmented/KokkosMMA_ColumnVectors.hpp>
#include <core/segmented/KokkosMMA_ColumnWords.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Running values of columns in a warp, by additions and by MMA. A warp
/// provides the members listed in core/reduce/KokkosMMA_WarpSum.hpp.

namespace KokkosMMA::Impl {

/// Running values by additions; each lane loads the vectors of one position.
template <class Warp, Operation Op, Scalar Input, class Element>
class WarpColumnAdditions {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Apply = Combine<Op, Element>;

 public:
  using Value                        = Element;
  static constexpr int element_bytes = size_of(Input);
  static constexpr int elements      = 16 / element_bytes;
  static constexpr int width         = 32;  ///< positions side by side
  static constexpr int deep          = 1;   ///< periods side by side
  static constexpr int vectors       = 1;   ///< per lane in a step
  /// Registers (32-bit) of a lane for running values.
  static constexpr int registers = elements * int(sizeof(Value)) / 4;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpColumnAdditions(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        warp.at(m_running, lane)[e] = Apply::identity();
    });
  }

  /// Position (of `width`) and period (of `deep`) of a lane's first vector in a
  /// step. Its further vectors are `deep` periods apart.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int position(int lane) {
    return lane;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int depth(int) { return 0; }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(Lanes<Vector16> const (&step)[1]) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e) add_element(lane, step[0], e);
    });
  }
  /// Adds a vector per lane; only elements with a bit in `present` are data,
  /// others are zero.
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_some(Lanes<Vector16> const& vector,
                                               Lanes<unsigned> const& present) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        if (m_warp.at(present, lane) >> e & 1) add_element(lane, vector, e);
    });
  }

  /// Calls visit(lane, position, element, value) for all positions.
  template <class Visit>
  KOKKOSMMA_FORCEINLINE_FUNCTION void finish(Visit const& visit) {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        visit(lane, lane, e, m_warp.at(m_running, lane)[e]);
    });
  }

 private:
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_element(int lane,
                                                  Lanes<Vector16> const& vector,
                                                  int e) {
    Value& running = m_warp.at(m_running, lane)[e];
    running        = Apply::apply(running, element_value<Warp, Input, Value>(
                                        element_of_vector<element_bytes>(
                                            m_warp.at(vector, lane), e)));
  }

  Warp m_warp;
  Lanes<Registers<Value, elements>> m_running;
};

/// Column sums of bytes by MMA: ones times the rows. Lane 4g + q loads position
/// g in period q. Every row of the product holds the sums; lane 4g + q keeps
/// those of element g (modulo their number) at positions 2q and 2q + 1. Only of
/// bytes: for no other type a table was faster than additions by 5 %, and wider
/// integers need four or eight MMA in place of one addition.
template <class Warp, Scalar Input, class Element>
class WarpColumnMma {
  static_assert(size_of(Input) == 1);
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Shape = std::conditional_t<Input == Scalar::int8, MmaS8K16, MmaU8K16>;
  using Apply = Combine<Operation::sum, Element>;

 public:
  using Value                        = Element;
  static constexpr int element_bytes = 1;
  static constexpr int elements      = 16;
  static constexpr int width         = 8;
  static constexpr int deep          = 4;
  static constexpr int vectors       = 4;
  static constexpr int registers =
      elements * int(sizeof(typename Shape::C)) / 4;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpColumnMma(Warp const& warp)
      : m_warp(warp) {
    warp.each([&](int lane) {
      warp.at(m_ones, lane) = encode_a<Shape, Ones>(lane);
      for (int k = 0; k < kept; ++k) warp.at(m_sum, lane)[k] = Value(0);
    });
    clear();
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int position(int lane) {
    return lane / 4;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int depth(int lane) {
    return lane % 4;
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void add(
      Lanes<Vector16> const (&step)[vectors]) {
    for (int e = 0; e < elements; ++e) {
      // Periods may map to k in any order: all entries of A are one.
      Lanes<typename Shape::B> b;  // (k,n) per warp
      m_warp.each([&](int lane) {
        Vector16 own[vectors];
        for (int v = 0; v < vectors; ++v) own[v] = m_warp.at(step[v], lane);
        m_warp.at(b, lane)[0] = byte_column(
            own[0][e / 4], own[1][e / 4], own[2][e / 4], own[3][e / 4], e % 4);
      });
      m_warp.template multiply<Shape>(m_products[e], m_ones, b);
    }
    if (++m_length == chain) flush();
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_some(Lanes<Vector16> const& vector,
                                               Lanes<unsigned> const&) {
    Lanes<Vector16> step[vectors]{};
    step[0] = vector;
    add(step);
  }

  template <class Visit>
  KOKKOSMMA_FORCEINLINE_FUNCTION void finish(Visit const& visit) {
    flush();
    m_warp.each([&](int lane) {
      for (int k = 0; k < kept; ++k) {
        int const e = lane / 4 + k / 2 * 8;
        // Always. Without it nvcc 13.0 orders these kernels differently from
        // those that were measured.
        if (e < elements)
          visit(lane, lane % 4 * 2 + k % 2, e, m_warp.at(m_sum, lane)[k]);
      }
    });
  }

 private:
  /// Sums per lane: two positions of every eighth element.
  static constexpr int kept = 4;
  /// 2^16 MMA of 16 bytes per column stay below 2^31.
  static constexpr int chain = 1 << 16;

  KOKKOSMMA_FORCEINLINE_FUNCTION void clear() {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e) m_warp.at(m_products[e], lane) = {};
    });
    m_length = 0;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void flush() {
    m_warp.each([&](int lane) {
      for (int e = 0; e < elements; ++e)
        if (lane / 4 % 8 == e % 8)
          for (int c = 0; c < 2; ++c) {
            Value& kept_sum = m_warp.at(m_sum, lane)[e / 8 * 2 + c];
            kept_sum = Apply::apply(kept_sum, static_cast<Value>(m_warp.at(
                                                  m_products[e], lane)[c]));
          }
    });
    clear();
  }

  Warp m_warp;
  int m_length = 0;
  Lanes<typename Shape::A> m_ones;                // (m,k)
  Lanes<typename Shape::C> m_products[elements];  // (m,n)
  Lanes<Registers<Value, kept>> m_sum;
};

}  // namespace KokkosMMA::Impl

#endif
