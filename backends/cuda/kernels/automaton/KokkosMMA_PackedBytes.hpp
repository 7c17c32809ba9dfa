// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PACKED_BYTES_HPP
#define KOKKOSMMA_CUDA_PACKED_BYTES_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/automaton/KokkosMMA_PackedCells.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// Conversion between byte cells and bit cells.

namespace KokkosMMA::Impl::Cuda {

/// Converts between byte cells and bits, which are set where a cell is 1; 16
/// cells per thread. Packs constant cells, unpacks to others.
template <class Cell, class Bits, bool Aligned>
__global__ void __launch_bounds__(256)
    convert_cells(Cell* const cells, std::int64_t const stride,
                  std::int64_t const rows, std::int64_t const columns,
                  Bits* const bits, std::int64_t const pitch) {
  constexpr bool packs    = std::is_const_v<Cell>;
  std::int64_t const part = std::int64_t(blockIdx.x) * 256 + threadIdx.x;
  if (16 * part >= (packs ? (columns + 31) / 32 * 32 : columns)) return;
  bool const whole = 16 * part + 16 <= columns;
#pragma unroll 4
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    Cell* const cell = cells + row * stride + 16 * part;
    if constexpr (packs) {
      std::uint32_t packed = 0;
      if (Aligned && whole) {
        uint4 const four = __ldcs(reinterpret_cast<uint4 const*>(cell));
        packed           = pack_cells(four.x) | pack_cells(four.y) << 4 |
                 pack_cells(four.z) << 8 | pack_cells(four.w) << 12;
      } else {
        int const count = whole ? 16 : int(columns - 16 * part);
        for (int c = 0; c < count; ++c)
          packed |= std::uint32_t(cell[c] == 1) << c;
      }
      bits[row * 2 * pitch + part] = Bits(packed);
    } else {
      std::uint32_t const packed = bits[row * 2 * pitch + part];
      if (Aligned && whole) {
        __stcs(reinterpret_cast<uint4*>(cell),
               uint4{unpack_cells(packed), unpack_cells(packed >> 4),
                     unpack_cells(packed >> 8), unpack_cells(packed >> 12)});
      } else {
        int const count = whole ? 16 : int(columns - 16 * part);
        for (int c = 0; c < count; ++c) cell[c] = Cell(packed >> c & 1u);
      }
    }
  }
}

template <class Cell, class Bits>
void launch_convert_cells(Stream const& space, Cell* cells, std::int64_t stride,
                          std::int64_t rows, std::int64_t columns, Bits* bits,
                          std::int64_t pitch) {
  bool const aligned =
      reinterpret_cast<std::uintptr_t>(cells) % 16 == 0 && stride % 16 == 0;
  // Four rows per thread, except in grids of more than 262140 rows.
  dim3 const blocks(unsigned(((columns + 31) / 32 * 2 + 255) / 256),
                    unsigned(std::min<std::int64_t>((rows + 3) / 4, 65535)));
  launch_kernel(space, "convert_cells",
                aligned ? convert_cells<Cell, Bits, true>
                        : convert_cells<Cell, Bits, false>,
                {blocks, 256}, cells, stride, rows, columns, bits, pitch);
}

/// Packs cells into whole words, padded with dead cells. Row i of the bits
/// begins at word i * pitch.
inline void launch_packing(Stream const& space, unsigned char const* cells,
                           std::int64_t stride, std::int64_t rows,
                           std::int64_t columns, std::uint32_t* bits,
                           std::int64_t pitch) {
  launch_convert_cells(space, cells, stride, rows, columns,
                       reinterpret_cast<std::uint16_t*>(bits), pitch);
}

inline void launch_unpacking(Stream const& space, std::uint32_t const* bits,
                             std::int64_t pitch, std::int64_t rows,
                             std::int64_t columns, unsigned char* cells,
                             std::int64_t stride) {
  launch_convert_cells(space, cells, stride, rows, columns,
                       reinterpret_cast<std::uint16_t const*>(bits), pitch);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
