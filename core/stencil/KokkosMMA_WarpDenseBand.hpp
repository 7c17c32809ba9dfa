// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_DENSE_BAND_HPP
#define KOKKOSMMA_WARP_DENSE_BAND_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>
#include <core/mma/KokkosMMA_Split.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// \file
/// Sums over rectangles with any weights, by one warp: 8 columns of 16 row
/// panels. All panels are swept downwards together.
///
/// A step of doubles multiplies a row of the data of each panel, as an A
/// operand, by the band matrix of each row of weights. This yields the
/// contributions of these rows to 2 * Reach + 1 rows of partial sums, each in
/// its own slot. One of these is then complete, and its slot is free for the
/// next. Each element is thus loaded once and stays in registers for all MMA,
/// and MMA of adjacent rows of weights are independent. (If the rows of A were
/// adjacent in the grid, they would be loaded again for each row of weights.)
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

/// Sums of doubles.
/// \tparam Reach rows of weights above and below the centre
template <class Warp, int Reach>
class WarpDenseBand {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;
  using Shape = MmaF64K8;

 public:
  static constexpr int columns = 8;  ///< columns of sums
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

/// Sums of half, bfloat16, and of floats as three bfloat16 each, with weights
/// that are exact operands. The bands of all rows of weights stay in registers:
/// three pairs of weights of each per lane. MMA truncate their accumulator.
/// Contributions of the rows of a step are therefore summed separately and
/// added to the sums with rounding to nearest, which also moves the sums by
/// these rows.
/// \tparam Reach rows of weights above and below the centre
template <class Warp, Scalar Input, int Reach>
class WarpDenseBandHalf {
  template <class T>
  using Lanes                    = typename Warp::template Lanes<T>;
  static constexpr bool is_half  = Input == Scalar::half;
  static constexpr bool is_float = Input == Scalar::float32;
  using Shape                    = std::conditional_t<is_half, MmaF16, MmaBF16>;

 public:
  /// Rows per step: two need fewer additions, but more registers.
  static constexpr int rows_per_step = 2;
  static constexpr int taps          = 2 * Reach + 1;
  static constexpr int side   = 8;  ///< columns to the left and to the right
  static constexpr int blocks = 1;  ///< of data: load() returns all columns
  /// Steps between calls of renumber(): as many as registers allow, so that
  /// their instructions interleave.
  static constexpr int steps = is_float || Reach > 7 ? 1 : 2;

  /// Rows of a step as pairs of columns: columns 0 to 15 of each row, then the
  /// other columns of each. 16-bit operands, or floats without conversion.
  /// // (16,24) each
  using A = Registers<std::uint32_t, (is_float ? 12 : 6) * rows_per_step>;
  /// Band n: columns 0 to 15 of row n of the weights, then the other columns of
  /// rows n - 1 and n. // (24,8), of 8 columns two
  using B = Registers<std::uint32_t, 4>;
  using C = typename Shape::C;  // (16,8)

  static constexpr int bands = taps + 1;

  /// \param band returns band n, with values unknown to the compiler: it would
  /// merge equal registers and copy them before each MMA (CUDA 13.0)
  template <class Bands>
  KOKKOSMMA_FORCEINLINE_FUNCTION WarpDenseBandHalf(Warp const& warp,
                                                   Bands const& band)
      : m_warp(warp) {
    for (int i = 0; i < taps - 1; ++i) clear(m_sum[i]);
    for (int n = 0; n < bands; ++n) {
      Lanes<B> const words = band(n);
      warp.each([&](int lane) {
        for (int i = 0; i < 2; ++i) {
          if (n < taps)
            warp.at(m_wide[n < taps ? n : 0], lane)[i] =
                warp.at(words, lane)[i];
          warp.at(m_narrow[n], lane)[i] = warp.at(words, lane)[2 + i];
        }
      });
    }
    warp.each([&](int lane) { warp.at(m_lost, lane) = 0; });
  }

  /// Band n of the weights `weight(tap, offset)`, bits of a 16-bit float, for
  /// offsets of -side to side. Weights of rows that do not exist are 0.
  template <class Weight>
  KOKKOSMMA_FORCEINLINE_FUNCTION static B band(int lane, int n,
                                               Weight const& weight) {
    B fragment{};
    for (int i = 0; i < B::size; ++i)
      for (int e = 0; e < 2; ++e) {
        bool const is_wide = i < 2;
        int const row      = 8 * (is_wide ? i : 2) + lane % 4 * 2 + e;
        int const offset   = row - side - lane / 4;
        if (-side <= offset && offset <= side)
          fragment[i] |= std::uint32_t(std::uint16_t(
                             weight(is_wide ? n : n - 3 + i, offset)))
                         << 16 * e;
      }
    return fragment;
  }

  /// Row and first column of the pair in a register of A.
  /// // row of 16 * rows_per_step, column
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr Coordinate pair(int lane,
                                                                  int reg) {
    bool const is_wide = reg < 4 * rows_per_step;
    int const of       = is_wide ? reg : reg - 4 * rows_per_step;
    return {16 * (of / (is_wide ? 4 : 2)) + lane / 4 + 8 * (of % 2),
            (is_wide ? of % 4 / 2 * 8 : 16) + lane % 4 * 2};
  }

  /// Loads the rows of a step, 16 rows of memory each.
  KOKKOSMMA_FORCEINLINE_FUNCTION static A load(unsigned char const* first,
                                               int pitch, int lane) {
    A fragment;
    for (int r = 0; r < 6 * rows_per_step; ++r) {
      Coordinate const at = pair(lane, r);
      unsigned char const* const from =
          first + at.row * pitch + at.column * bytes;
      if constexpr (is_float) {
        auto const two = *reinterpret_cast<std::uint64_t const volatile*>(from);
        fragment[2 * r]     = std::uint32_t(two);
        fragment[2 * r + 1] = std::uint32_t(two >> 32);
      } else {
        fragment[r] = *reinterpret_cast<std::uint32_t const volatile*>(from);
      }
    }
    return fragment;
  }

  /// Does nothing: no data are loaded ahead.
  template <class LoadData>
  KOKKOSMMA_FORCEINLINE_FUNCTION void begin(LoadData const&) {}

  /// Adds `rows_per_step` rows of each row panel, loaded by `data(0, 0)`.
  template <int U, class LoadData, class Bands>
  KOKKOSMMA_FORCEINLINE_FUNCTION void step(LoadData const& data, Bands const&) {
    Lanes<A> const loaded = data(0, 0);
    Operands operands[rows_per_step * planes];
    m_warp.each([&](int lane) {
      A const& words = m_warp.at(loaded, lane);
      for (int r = 0; r < 6 * rows_per_step; ++r) {
        bool const is_wide = r < 4 * rows_per_step;
        int const of       = is_wide ? r : r - 4 * rows_per_step;
        int const row      = of / (is_wide ? 4 : 2);
        auto const set     = [&](int plane, std::uint32_t word) {
          Operands& to = operands[row * planes + plane];
          if (is_wide)
            m_warp.at(to.wide, lane)[of % 4] = word;
          else
            m_warp.at(to.narrow, lane)[of % 2] = word;
        };
        if constexpr (is_float) {
          SplitFloat const x = split_float(words[2 * r]);
          SplitFloat const y = split_float(words[2 * r + 1]);
          set(0, pack_upper_halves(x.high, y.high));
          set(1, pack_upper_halves(x.middle, y.middle));
          set(2, pack_upper_halves(x.low, y.low));
          m_warp.at(m_lost, lane) |= x.lost | y.lost;
        } else {
          set(0, words[r]);
        }
      }
    });
    add(operands, std::make_integer_sequence<int, taps - 1 + rows_per_step>());
  }

  /// Sums that the last step completed: the row `Reach` above row `Row` of the
  /// step. // (16,8) per warp
  template <int U, int Row>
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<C> const& complete() const {
    return m_complete[Row];
  }
  /// Does nothing: the sums have already moved.
  KOKKOSMMA_FORCEINLINE_FUNCTION void renumber() {}

  /// Nonzero if bits of a float are below the smallest bfloat16.
  KOKKOSMMA_FORCEINLINE_FUNCTION Lanes<std::uint32_t> const& lost() const {
    return m_lost;
  }

 private:
  static constexpr int planes = is_float ? 3 : 1;
  static constexpr int bytes  = is_float ? 4 : 2;

  struct Operands {
    Lanes<typename Shape::A> wide;              // (16,16)
    Lanes<Registers<std::uint32_t, 2>> narrow;  // (16,8)
  };
  template <class AllOperands, int... I>
  KOKKOSMMA_FORCEINLINE_FUNCTION void add(AllOperands const& operands,
                                          std::integer_sequence<int, I...>) {
    (add_to<I>(operands), ...);
  }
  /// Adds the contributions of the rows of a step to partial sum I.
  template <int I, class AllOperands>
  KOKKOSMMA_FORCEINLINE_FUNCTION void add_to(AllOperands const& operands) {
    Lanes<C> part;
    clear(part);
    constexpr int tap = taps - 1 - I;  // of row 0 of the step
    // Small operands first.
    for (int plane = planes - 1; plane >= 0; --plane) {
      Operands const& row0 = operands[plane];
      Operands const& row1 = operands[planes + plane];
      if constexpr (tap >= 0) {
        m_warp.template multiply<Shape>(part, row0.wide, m_wide[tap]);
      }
      if constexpr (tap + 1 < taps) {
        m_warp.template multiply<Shape>(part, row1.wide, m_wide[tap + 1]);
      }
      // Last columns of both rows.
      Lanes<typename Shape::A> narrow;  // (16,16)
      m_warp.each([&](int lane) {
        for (int i = 0; i < 2; ++i) {
          m_warp.at(narrow, lane)[i]     = m_warp.at(row0.narrow, lane)[i];
          m_warp.at(narrow, lane)[2 + i] = m_warp.at(row1.narrow, lane)[i];
        }
      });
      m_warp.template multiply<Shape>(part, narrow, m_narrow[tap + 1]);
    }
    Lanes<C>& to = I < rows_per_step
                       ? m_complete[I < rows_per_step ? I : 0]
                       : m_sum[I < rows_per_step ? 0 : I - rows_per_step];
    m_warp.each([&](int lane) {
      for (int r = 0; r < C::size; ++r) {
        float const before =
            I + 1 < taps ? m_warp.at(m_sum[I + 1 < taps ? I : 0], lane)[r]
                         : 0.f;
        m_warp.at(to, lane)[r] = before + m_warp.at(part, lane)[r];
      }
    });
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void clear(Lanes<C>& sums) const {
    m_warp.each([&](int lane) {
      for (int r = 0; r < C::size; ++r) m_warp.at(sums, lane)[r] = 0;
    });
  }

  Warp m_warp;
  Lanes<C> m_sum[taps - 1];  ///< partial sums, the next complete one first
  Lanes<C> m_complete[rows_per_step];
  Lanes<typename Shape::B> m_wide[taps];
  Lanes<typename Shape::B> m_narrow[bands];
  Lanes<std::uint32_t> m_lost;
};

}  // namespace KokkosMMA::Impl

#endif
