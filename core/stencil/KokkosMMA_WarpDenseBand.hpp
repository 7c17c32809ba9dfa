// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_DENSE_BAND_HPP
#define KOKKOSMMA_WARP_DENSE_BAND_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

/// \file
/// Sums of doubles over rectangles with any weights, by one warp: 8 columns of
/// 16 row panels. All panels are swept downwards together, one row of each per
/// step.
///
/// A step multiplies rows of the data, as an A operand, by the band matrix of
/// each row of weights. This yields the contributions of these rows to 2 *
/// Reach + 1 rows of partial sums, each in its own slot. One of these is then
/// complete, and its slot is free for the next. Each element is thus loaded
/// once and stays in registers for all MMA, and MMA of adjacent rows of weights
/// are independent. (If the rows of A were adjacent in the grid, they would be
/// loaded again for each row of weights.)
///
/// 16384^2 doubles, radius 7, H200, CUDA 13.0, 2026-11-22, 10^9 sums per second
/// (92 is the limit of the tensor cores):
///
/// | variant                                                 |      |
/// |---------------------------------------------------------|------|
/// | as here, before the surrounding kernel got faster (78)  | 75.0 |
/// | 3 or 9 band matrices in flight, not 5                   | 72.0 75.0 |
/// | data that the compiler may load again                   | 67.6, spills |
/// | three blocks of the data per sum, one sum by one        | 73.1 |
/// | sums that move by one slot with each row                | 67.1 |
/// | the same, 16-byte loads of data, all bands of a row     | 54.8 |

namespace KokkosMMA::Impl {

/// \tparam Reach rows of weights above and below the centre
template <class Warp, int Reach>
class WarpDenseBand {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Shape = MmaF64K8;

 public:
  static constexpr int rows    = 16;  ///< row panels
  static constexpr int columns = 8;   ///< columns of sums
  static constexpr int taps    = 2 * Reach + 1;
  static constexpr int side    = 8;  ///< columns to the left and to the right
  static constexpr int blocks  = 1 + 2 * side / columns;  ///< blocks of data
  static constexpr int rows_per_step = 1;                 ///< rows per step
  static constexpr int steps = 5;  ///< steps between calls of renumber()

  using A = typename Shape::A;  // (16,8)
  using B = typename Shape::B;  // (8,8)
  using C = typename Shape::C;  // (16,8)

  static constexpr int bands = blocks * taps;

  /// \param band function that returns band n
  template <class Bands>
  KOKKOSMMA_FORCEINLINE_FUNCTION WarpDenseBand(Warp const& warp,
                                               Bands const& band)
      : m_warp(warp) {
    for (int i = 0; i < taps; ++i) clear(m_sum[i]);
    for (int n = 0; n < ahead; ++n) m_band[n] = band(n);
  }

  /// Band n of the weights `weight(tap, offset)`, for offsets of -side to side,
  /// in the order of the MMA: rows from 8 * (n / taps) on of the band matrix of
  /// row taps - 1 - n % taps. // (8,8) per warp
  template <class Weight>
  KOKKOSMMA_FORCEINLINE_FUNCTION static B band(int lane, int n,
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
  KOKKOSMMA_FORCEINLINE_FUNCTION static A load(unsigned char const* first,
                                               int pitch, int lane) {
    // In the order of the operand's registers: the compiler would unpack
    // 16-byte loads for every MMA. Volatile: otherwise it hoists all loads and
    // spills (CUDA 13.0).
    A fragment;  // (16,8) per warp
    for (int r = 0; r < A::size; ++r) {
      Coordinate const at = Shape::a(lane, r, 0);
      fragment[r]         = *reinterpret_cast<double const volatile*>(
          first + at.row * pitch + at.column * int(sizeof(double)));
    }
    return fragment;
  }

  /// Loads the first data of the first step.
  template <class LoadData>
  KOKKOSMMA_FORCEINLINE_FUNCTION void begin(LoadData const& data) {
    m_first = data(0, 0);
  }

  /// Adds a row of each row panel: the first one after renumber() for U = 0,
  /// the next one for U = 1, and so on. `data(row, block)` loads columns from 8
  /// * block - side on, of this row (0) or the next one (1).
  template <int U, class LoadData, class Bands>
  KOKKOSMMA_FORCEINLINE_FUNCTION void step(LoadData const& data,
                                           Bands const& band_of) {
    clear(m_sum[slot(U, taps - 1)]);
    m_first = add<U, 0>(m_first, m_first, data, band_of);
  }

  /// Sums that step U completed: the row `Reach` above the step's row.
  /// // (16,8) per warp
  template <int U, int Row>
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<C> const& complete() const {
    return m_sum[slot(U, 0)];
  }

  /// Renumbers the slots after `steps` rows: the next step is step 0 again.
  KOKKOSMMA_FORCEINLINE_FUNCTION void renumber() {
    static_assert(steps * products % ahead == 0);
    Lanes<C> sum[taps];
    for (int i = 0; i < taps; ++i) sum[i] = m_sum[slot(steps, i)];
    for (int i = 0; i < taps; ++i) m_sum[i] = sum[i];
  }

 private:
  static constexpr int products = blocks * taps;  ///< MMA per row
  /// Band matrices in flight. All rows use the same bands in the same order.
  static constexpr int ahead = 5;

  /// Slot of the sums that step U + i completes. Sums that moved with every
  /// step would wait for its MMA.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int slot(int u, int i) {
    return (u + i) % taps;
  }

  /// MMA N of the row and all later ones: a block of the data with the bands of
  /// all rows of weights, so that MMA are independent, then the next block.
  /// // (16,8) += (16,8) * (8,8) each
  ///
  /// Recursive: a loop over all sums is not always unrolled, and its registers
  /// would then be local memory.
  template <int U, int N, class LoadData, class Bands>
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<A> add(Lanes<A> const& now,
                                              Lanes<A> const& next,
                                              LoadData const& data,
                                              Bands const& band_of) {
    constexpr int block = N / taps;
    if constexpr (N % taps == 0) {
      constexpr bool is_last = block + 1 == blocks;
      return add_one<U, N>(next, data(is_last, is_last ? 0 : block + 1), data,
                           band_of);
    } else {
      return add_one<U, N>(now, next, data, band_of);
    }
  }
  template <int U, int N, class LoadData, class Bands>
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<A> add_one(Lanes<A> const& now,
                                                  Lanes<A> const& next,
                                                  LoadData const& data,
                                                  Bands const& band_of) {
    constexpr int at    = (U * products + N) % ahead;
    Lanes<B> const band = m_band[at];
    m_band[at]          = band_of((N + ahead) % products);
    m_warp.template multiply<Shape>(m_sum[slot(U, N % taps)], now, band);
    if constexpr (N + 1 == products) {
      return next;
    } else {
      return add<U, N + 1>(now, next, data, band_of);
    }
  }

  KOKKOSMMA_FORCEINLINE_FUNCTION void clear(Lanes<C>& sums) const {
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
