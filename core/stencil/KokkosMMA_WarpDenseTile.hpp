// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WARP_DENSE_TILE_HPP
#define KOKKOSMMA_WARP_DENSE_TILE_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

/// \file
/// Sums of 16-bit floats over rectangles with any weights, by one warp: a tile
/// of 16 columns and 8 * Tiles rows of sums, transposed.
///
/// A row of weights is a band matrix, an A operand that yields 16 columns of
/// sums from 32 of data. 8 rows of the data, unconverted, are the B operand.
/// For row `tap` of the weights, sums from row 8 t on need data from row 8 t +
/// tap on. Data loaded for one tile of 8 rows are thus also the data of row tap
/// + 8 of the weights for the tile above. Rows of weights that are 8 apart
/// therefore sweep down the tile together, with their bands in registers.

namespace KokkosMMA::Impl {

/// \tparam Half whether elements are fp16, otherwise bfloat16
template <class Warp, bool Half, int Tiles>
class WarpDenseTile {
  template <class T>
  using Lanes = typename Warp::template Lanes<T>;

 public:
  static constexpr int tiles      = Tiles;
  static constexpr int columns    = 16;  ///< columns of sums
  static constexpr int rows       = 8 * Tiles;
  static constexpr int margin     = 8;  ///< columns before the first sum
  static constexpr int max_radius = 8;

  /// Words lane % 4, 4 + lane % 4, .. of row lane / 4 of 8. // (8,32) per warp
  using Data = Lanes<Registers<std::uint32_t, 4>>;
  /// Band of a row of weights. // (16,32) per warp
  using Band = Lanes<Registers<std::uint32_t, 8>>;
  /// Columns lane / 4 and lane / 4 + 8, rows 2 * (lane % 4) and the next one.
  /// // (16,8) per warp
  using Sums = Lanes<typename MmaF16::C>;

  KOKKOSMMA_FORCEINLINE_FUNCTION explicit WarpDenseTile(Warp const& warp)
      : m_warp(warp) {
    for (int t = 0; t < Tiles; ++t) clear(m_sums[t]);
  }

  /// Offset, in its row, of the weight in element 0 of a register of the band;
  /// element 1 has the next offset. From -23 to 22; weights beyond the radius
  /// are zero.
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr int offset(int lane,
                                                             int reg) {
    Coordinate const at = MmaF16::a(lane, reg % 4, 0);
    return 16 * (reg / 4) + at.column - margin - at.row;
  }

  /// Band of a row of weights from the pairs of registers 0, 2 and 4. Registers
  /// 3, 5 and 7 hold the same pairs; no radius reaches registers 1 and 6.
  ///
  /// `zero` is 0, unknown to the compiler: otherwise it would merge registers
  /// known to be equal and copy them before each MMA (CUDA 13.0). Eight
  /// separate loads would take half of the time of shared memory.
  KOKKOSMMA_FORCEINLINE_FUNCTION static Registers<std::uint32_t, 8> band(
      Registers<std::uint32_t, 3> const& pair, std::uint32_t zero) {
    return {{pair[0], pair[0] & zero, pair[1], pair[0] ^ zero, pair[2],
             pair[1] ^ zero, pair[2] & zero, pair[2] ^ zero}};
  }

  /// Adds the MMA with all rows of weights. `data(row)` loads 8 rows of the
  /// data from that one on; row 0 is that of row 0 of the weights for row 0 of
  /// the sums. `band(tap)` loads the band of row `tap` of the weights.
  template <class LoadData, class LoadBand>
  KOKKOSMMA_FORCEINLINE_FUNCTION void add(int taps, LoadData const& data,
                                          LoadBand const& band) {
    int const pairs = taps <= 8 ? 0 : taps < 16 ? taps - 8 : 8;
    for (int first = 0; first < pairs; ++first) sweep<2>(first, data, band);
    for (int tap = pairs < 8 ? pairs : 16; tap < taps && tap != 8; ++tap)
      sweep<1>(tap, data, band);
  }

  /// Sums from row 8 T on.
  template <int T>
  KOKKOSMMA_FORCEINLINE_FUNCTION Sums const& sums() const {
    return m_sums[T];
  }

 private:
  using Shape = std::conditional_t<Half, MmaF16, MmaBF16>;

  KOKKOSMMA_FORCEINLINE_FUNCTION void clear(Sums& sums) const {
    m_warp.each([&](int lane) { m_warp.at(sums, lane) = {}; });
  }

  template <int Bands, class LoadData, class LoadBand>
  KOKKOSMMA_FORCEINLINE_FUNCTION void sweep(int first, LoadData const& data,
                                            LoadBand const& band) {
    Band bands[Bands];
    for (int k = 0; k < Bands; ++k) bands[k] = band(first + 8 * k);
    Sums parts[Bands];
    sweep_tiles(first, data, bands, parts,
                std::make_integer_sequence<int, Tiles + Bands - 1>());
  }
  /// Data of the next step are loaded before the MMA of this one.
  template <int Bands, class LoadData, int... Step>
  KOKKOSMMA_FORCEINLINE_FUNCTION void sweep_tiles(
      int first, LoadData const& data, Band const (&bands)[Bands],
      Sums (&parts)[Bands], std::integer_sequence<int, Step...>) {
    Data next = data(first);
    (
        [&] {
          Data const now = next;
          if constexpr (Step + 1 < int(sizeof...(Step))) {
            next = data(first + 8 * (Step + 1));
          }
          step<Step>(now, bands, parts);
        }(),
        ...);
  }
  /// Adds the data to parts[k], which belongs to tile Step - k.
  template <int Step, int Bands>
  KOKKOSMMA_FORCEINLINE_FUNCTION void step(Data const& data,
                                           Band const (&bands)[Bands],
                                           Sums (&parts)[Bands]) {
    for (int k = Bands - 1; k > 0; --k) parts[k] = parts[k - 1];
    clear(parts[0]);
    for (int k = 0; k < Bands; ++k)
      if (0 <= Step - k && Step - k < Tiles) multiply(parts[k], bands[k], data);
    // Rounded to nearest; MMA would truncate the sum.
    constexpr int complete = Step - Bands + 1;
    if constexpr (complete >= 0) {
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg)
          m_warp.at(m_sums[complete], lane)[reg] +=
              m_warp.at(parts[Bands - 1], lane)[reg];
      });
    }
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION void multiply(Sums& sums, Band const& band,
                                               Data const& data) const {
    for (int half = 0; half < 2; ++half) {
      Lanes<typename Shape::A> a;  // (16,16) per warp
      Lanes<typename Shape::B> b;  // (16,8) per warp
      m_warp.each([&](int lane) {
        for (int reg = 0; reg < 4; ++reg)
          m_warp.at(a, lane)[reg] = m_warp.at(band, lane)[4 * half + reg];
        for (int reg = 0; reg < 2; ++reg)
          m_warp.at(b, lane)[reg] = m_warp.at(data, lane)[2 * half + reg];
      });
      m_warp.template multiply<Shape>(sums, a, b);
    }
  }

  Warp m_warp;
  Sums m_sums[Tiles];
};

}  // namespace KokkosMMA::Impl

#endif
