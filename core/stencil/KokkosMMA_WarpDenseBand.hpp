// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_DENSE_BAND_HPP
#define KOKKOSMMA_WARP_DENSE_BAND_HPP

#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <Kokkos_Macros.hpp>

/// \file
/// Sums of doubles over rectangles with any weights, by one warp: 8 columns of
/// 16 row panels. All panels are swept downwards together, one row of each in
/// a step.
///
/// A step multiplies the rows of the data, as an A operand, by the band matrix
/// of each row of the weights. That gives the contributions of this row of the
/// data to the 2 * Reach + 1 rows of partial sums, each in a slot of its own.
/// One of them is complete then, and its slot is free for the next. So each
/// element is loaded once and stays in its registers for all products, and no
/// product of adjacent rows of weights waits for another. (If the rows of A
/// were adjacent in the grid, they would be loaded anew for each row of the
/// weights.)
///
/// 16384^2 doubles, radius 7, H200, CUDA 13.0, 2026-11-22, 10^9 sums per
/// second (92 if the tensor cores did nothing else):
///
/// | products of a row                                       |      |
/// |---------------------------------------------------------|------|
/// | as here, before the kernel around it became faster (78) | 75.0 |
/// | 3 or 9 band matrices in flight, not 5                   | 72.0 75.0 |
/// | data that the compiler reloads as it likes              | 67.6, spills |
/// | three blocks of the data for each sum, one sum by one   | 73.1 |
/// | sums that move by one slot with each row                | 67.1 |
/// | that, data by loads of 16 bytes, all bands of a row     | 54.8 |

namespace KokkosMMA::Impl {

/// \tparam Reach rows of weights above and below the centre
template <class Warp, int Reach>
class WarpDenseBand {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Shape = MmaF64K8;

 public:
  static constexpr int rows    = 16;  ///< row panels
  static constexpr int columns = 8;   ///< of sums
  static constexpr int taps    = 2 * Reach + 1;
  static constexpr int side    = 8;  ///< columns to the left and to the right
  static constexpr int blocks  = 1 + 2 * side / columns;  ///< of the data
  static constexpr int rows_per_step = 1;                 ///< rows of a step
  static constexpr int steps         = 5;                 ///< before a turn

  using A = typename Shape::A;  // (16,8)
  using B = typename Shape::B;  // (8,8)
  using C = typename Shape::C;  // (16,8)

  static constexpr int bands = blocks * taps;

  /// `band(n)` returns band n.
  template <class Bands>
  KOKKOS_FORCEINLINE_FUNCTION WarpDenseBand(Warp const& warp, Bands const& band)
      : m_warp(warp) {
    for (int i = 0; i < taps; ++i) clear(m_sum[i]);
    for (int n = 0; n < ahead; ++n) m_band[n] = band(n);
  }

  /// Band n of the weights `weight(tap, offset)`, for offsets of -side to
  /// side, in the order of the products: rows from 8 * (n / taps) on of the
  /// band matrix of row taps - 1 - n % taps. // (8,8) per warp
  template <class Weight>
  KOKKOS_FORCEINLINE_FUNCTION static B band(int lane, int n,
                                            Weight const& weight) {
    B fragment{};
    for (int r = 0; r < B::size; ++r) {
      Coordinate const at = Shape::b(lane, r, 0);
      int const offset    = 8 * (n / taps) + at.row - side - at.column;
      if (-side <= offset && offset <= side)
        fragment[r] = weight(taps - 1 - n % taps, offset);
    }
    return fragment;
  }

  /// Loads eight columns of a row of the row panels.
  KOKKOS_FORCEINLINE_FUNCTION static A load(unsigned char const* first,
                                            int pitch, int lane) {
    // In the order of the operand's registers. Loads of 16 bytes would be
    // unpacked by the compiler for every product. Volatile, because otherwise
    // it hoists all loads and spills (CUDA 13.0).
    A fragment;  // (16,8) per warp
    for (int r = 0; r < A::size; ++r) {
      Coordinate const at = Shape::a(lane, r, 0);
      fragment[r]         = *reinterpret_cast<double const volatile*>(
          first + at.row * pitch + at.column * int(sizeof(double)));
    }
    return fragment;
  }

  /// Loads the data that the first step begins with.
  template <class LoadData>
  KOKKOS_FORCEINLINE_FUNCTION void begin(LoadData const& data) {
    m_first = data(0, 0);
  }

  /// Takes a row of each row panel: the first one after a turn for U = 0, the
  /// next one for U = 1, and so on. `data(row, block)` loads columns from 8 *
  /// block - side on, of this row or the next one, 0 or 1.
  template <int U, class LoadData, class Bands>
  KOKKOS_FORCEINLINE_FUNCTION void step(LoadData const& data,
                                        Bands const& bands) {
    clear(m_sum[slot(U, taps - 1)]);
    m_first = add<U, 0>(m_first, m_first, data, bands);
  }

  /// The sums that step U completed: those of the row Reach above its own.
  /// // (16,8) per warp
  template <int U, int Row>
  KOKKOS_FORCEINLINE_FUNCTION Lanes<C> const& complete() const {
    return m_sum[slot(U, 0)];
  }

  /// Ends a turn, after `steps` rows: the next step is step 0 again.
  KOKKOS_FORCEINLINE_FUNCTION void turn() {
    static_assert(steps * products % ahead == 0);
    Lanes<C> sum[taps];
    for (int i = 0; i < taps; ++i) sum[i] = m_sum[slot(steps, i)];
    for (int i = 0; i < taps; ++i) m_sum[i] = sum[i];
  }

 private:
  static constexpr int products = blocks * taps;  ///< of a row
  /// Band matrices in flight. All rows use the same ones in the same order.
  static constexpr int ahead = 5;

  /// The slot of the sums that step U + i completes. Sums that moved with
  /// every step would wait for its products.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int slot(int u, int i) {
    return (u + i) % taps;
  }

  /// Product N of the row and all that follow: a block of the data with the
  /// bands of all rows of weights, so that no product waits for another, then
  /// the next block. // (16,8) += (16,8) * (8,8) each
  ///
  /// Recursive, because a loop over all sums is not always unrolled, and its
  /// registers would be local memory then.
  template <int U, int N, class LoadData, class Bands>
  KOKKOS_FORCEINLINE_FUNCTION Lanes<A> add(Lanes<A> const& now,
                                           Lanes<A> const& next,
                                           LoadData const& data,
                                           Bands const& bands) {
    constexpr int block = N / taps;
    if constexpr (N % taps == 0) {
      constexpr bool is_last = block + 1 == blocks;
      return add_one<U, N>(next, data(is_last, is_last ? 0 : block + 1), data,
                           bands);
    } else {
      return add_one<U, N>(now, next, data, bands);
    }
  }
  template <int U, int N, class LoadData, class Bands>
  KOKKOS_FORCEINLINE_FUNCTION Lanes<A> add_one(Lanes<A> const& now,
                                               Lanes<A> const& next,
                                               LoadData const& data,
                                               Bands const& bands) {
    constexpr int turns = (U * products + N) % ahead;
    Lanes<B> const band = m_band[turns];
    m_band[turns]       = bands((N + ahead) % products);
    m_warp.template multiply<Shape>(m_sum[slot(U, N % taps)], now, band);
    if constexpr (N + 1 == products) {
      return next;
    } else {
      return add<U, N + 1>(now, next, data, bands);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void clear(Lanes<C>& sums) const {
    m_warp.each([&](int lane) {
      for (int r = 0; r < C::size; ++r) m_warp.at(sums, lane)[r] = 0;
    });
  }

  Warp m_warp;
  Lanes<C> m_sum[taps];
  Lanes<B> m_band[ahead];
  Lanes<A> m_first;
};

}  // namespace KokkosMMA::Impl

#endif
