// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_DENSE_BAND_HPP
#define KOKKOSMMA_WARP_DENSE_BAND_HPP

#include <core/KokkosMMA_MmaShape.hpp>

#include <Kokkos_Macros.hpp>

/// \file
/// Sums of doubles over rectangles with any weights, one warp: 8 columns of 16
/// strips of rows that all march downwards, one row of each in a step.
///
/// A step multiplies the rows of the data, as an A operand, by the band matrix
/// of each row of the weights, which gives what this row of the data adds to
/// the 2 * Reach + 1 rows of sums that are under way; one of them is complete
/// then. So each element is loaded once and stays in its registers for all
/// products, and no product of neighbouring rows of weights waits for another.
/// (Rows of A that are neighbours in the grid would have to be loaded anew for
/// each row of the weights.)

namespace KokkosMMA::Impl {

/// \tparam Reach rows of weights above and below the centre
template <class Warp, int Reach>
class WarpDenseBand {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Shape = MmaF64K8;

 public:
  static constexpr int rows    = 16;  ///< strips
  static constexpr int columns = 8;   ///< of sums
  static constexpr int taps    = 2 * Reach + 1;
  static constexpr int side    = 8;  ///< columns to the left and to the right
  static constexpr int blocks  = 1 + 2 * side / columns;  ///< of the data

  using C    = typename Shape::C;                               // (16,8)
  using Data = Registers<double, Shape::a_registers * blocks>;  // (16,24)
  using Band = Registers<double, Shape::b_registers * blocks>;  // (24,8)

  KOKKOS_FORCEINLINE_FUNCTION explicit WarpDenseBand(Warp const& warp)
      : m_warp(warp) {
    for (int i = 0; i < taps; ++i) clear(m_sum[i]);
  }

  /// The band matrix of a row of weights: `weight(offset)` for offsets of -side
  /// to side.
  template <class Weight>
  KOKKOS_FORCEINLINE_FUNCTION static Band band(int lane, Weight const& weight) {
    Band fragment{};  // (24,8) per warp
    for (int block = 0; block < blocks; ++block)
      for (int r = 0; r < Shape::b_registers; ++r) {
        // As the columns of the data that load() gives a lane.
        int const row    = lane % 4 * 2 + r;
        int const offset = 8 * block + row - side - lane / 4;
        if (-side <= offset && offset <= side)
          fragment[block * Shape::b_registers + r] = weight(offset);
      }
    return fragment;
  }

  /// Rows of the strips, from `side` columns to the left of the sums on.
  KOKKOS_FORCEINLINE_FUNCTION static Data load(unsigned char const* first,
                                               int pitch, int lane) {
    // A lane takes neighbouring columns: loads of 16 bytes.
    struct alignas(16) Pair {
      double value[2];
    };
    Data fragment;  // (16,24) per warp
    for (int block = 0; block < blocks; ++block) {
      unsigned char const* const at =
          first + 64 * block + lane / 4 * pitch + lane % 4 * 16;
      Pair const upper = *reinterpret_cast<Pair const*>(at);
      Pair const lower = *reinterpret_cast<Pair const*>(at + 8 * pitch);
      for (int e = 0; e < 2; ++e) {
        fragment[block * Shape::a_registers + 2 * e]     = upper.value[e];
        fragment[block * Shape::a_registers + 2 * e + 1] = lower.value[e];
      }
    }
    return fragment;
  }

  /// Takes the next row of each strip. `bands(tap)` is the band matrix of row
  /// `tap` of the weights, 0 to 2 * Reach. Only the rows of sums first to last
  /// - 1 of those under way are of use, where a strip begins and ends.
  template <class Bands>
  KOKKOS_FORCEINLINE_FUNCTION void step(Lanes<Data> const& row,
                                        Bands const& bands, int first,
                                        int last) {
    Lanes<Band> fragment[together];
    for (int j = 0; j < together; ++j) fragment[j] = bands(taps - 1 - j);
    add<0>(row, fragment, bands, first, last);
  }

  /// The sums that the last step completed: those of the row Reach above its
  /// own. // (16,8) per warp
  KOKKOS_FORCEINLINE_FUNCTION Lanes<C> const& complete() const {
    return m_sum[0];
  }

 private:
  /// Sums whose products are interleaved: a product that adds to the one before
  /// it waits for it.
  static constexpr int together = 2;

  // A loop over all sums is not always unrolled, and its registers would be
  // memory then. The band matrices of the next sums are loaded before the
  // products of these.
  template <int I, class Bands>
  KOKKOS_FORCEINLINE_FUNCTION void add(Lanes<Data> const& row,
                                       Lanes<Band> const (&fragment)[together],
                                       Bands const& bands, int first,
                                       int last) {
    constexpr int count = taps - I < together ? taps - I : together;
    Lanes<Band> next[together];
    for (int j = 0; j < together; ++j)
      if (I + together + j < taps) next[j] = bands(taps - 1 - I - together - j);
    Lanes<C> part[count];
    for (int j = 0; j < count; ++j) {
      if (I + j + 1 < taps)
        part[j] = m_sum[I + j + 1];
      else
        clear(part[j]);
    }
    if (first < I + count && I < last) multiply<0>(part, row, fragment);
    for (int j = 0; j < count; ++j) m_sum[I + j] = part[j];
    if constexpr (I + count < taps) {
      add<I + count>(row, next, bands, first, last);
    }
  }
  /// part += row * fragment, from block P on. // (16,8) += (16,8) * (8,8) each
  template <int P, int Count>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(
      Lanes<C> (&part)[Count], Lanes<Data> const& row,
      Lanes<Band> const (&fragment)[together]) const {
    for (int j = 0; j < Count; ++j) {
      Lanes<typename Shape::A> a;
      Lanes<typename Shape::B> b;
      m_warp.each([&](int lane) {
        for (int r = 0; r < Shape::a_registers; ++r)
          m_warp.at(a, lane)[r] = m_warp.at(row, lane)[4 * P + r];
        for (int r = 0; r < Shape::b_registers; ++r)
          m_warp.at(b, lane)[r] = m_warp.at(fragment[j], lane)[2 * P + r];
      });
      m_warp.template multiply<Shape>(part[j], a, b);
    }
    if constexpr (P + 1 < blocks) {
      multiply<P + 1>(part, row, fragment);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void clear(Lanes<C>& sums) const {
    m_warp.each([&](int lane) {
      for (int r = 0; r < C::size; ++r) m_warp.at(sums, lane)[r] = 0;
    });
  }

  Warp m_warp;
  Lanes<C> m_sum[taps];
};

}  // namespace KokkosMMA::Impl

#endif
