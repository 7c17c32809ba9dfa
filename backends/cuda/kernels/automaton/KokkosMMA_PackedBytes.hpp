// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PACKED_BYTES_HPP
#define KOKKOSMMA_CUDA_PACKED_BYTES_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/automaton/KokkosMMA_PackedCells.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Conversion between byte cells and bit cells.

namespace KokkosMMA::Impl::Cuda {

/// Packs byte cells into bits, set where a cell is 1; 16 cells per thread.
template <bool Aligned>
__global__ void __launch_bounds__(256)
    pack_cells_of_bytes(unsigned char const* const cells,
                        std::int64_t const stride, std::int64_t const rows,
                        std::int64_t const columns, std::uint16_t* const bits,
                        std::int64_t const pitch, unsigned* const foreign) {
  bool is_foreign         = false;
  std::int64_t const part = std::int64_t(blockIdx.x) * 256 + threadIdx.x;
  if (16 * part >= (columns + 31) / 32 * 32) return;
  bool const whole = 16 * part + 16 <= columns;
#pragma unroll 4
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    unsigned char const* const cell = cells + row * stride + 16 * part;
    std::uint32_t packed            = 0;
    if (Aligned && whole) {
      uint4 const four = __ldcs(reinterpret_cast<uint4 const*>(cell));
      packed           = pack_cells(four.x) | pack_cells(four.y) << 4 |
               pack_cells(four.z) << 8 | pack_cells(four.w) << 12;
      is_foreign |= has_foreign_states(four.x | four.y | four.z | four.w);
    } else {
      int const count = whole ? 16 : int(columns - 16 * part);
      for (int c = 0; c < count; ++c) {
        packed |= std::uint32_t(cell[c] == 1) << c;
        is_foreign |= cell[c] > 1;
      }
    }
    bits[row * 2 * pitch + part] = std::uint16_t(packed);
  }
  if (is_foreign) *foreign = 1;
}

template <bool Aligned>
__global__ void __launch_bounds__(256)
    unpack_cells_to_bytes(std::uint16_t const* const bits,
                          std::int64_t const pitch, unsigned char* const cells,
                          std::int64_t const stride, std::int64_t const rows,
                          std::int64_t const columns) {
  std::int64_t const part = std::int64_t(blockIdx.x) * 256 + threadIdx.x;
  if (16 * part >= columns) return;
  bool const whole = 16 * part + 16 <= columns;
#pragma unroll 4
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    unsigned char* const cell  = cells + row * stride + 16 * part;
    std::uint32_t const packed = bits[row * 2 * pitch + part];
    if (Aligned && whole) {
      __stcs(reinterpret_cast<uint4*>(cell),
             uint4{unpack_cells(packed), unpack_cells(packed >> 4),
                   unpack_cells(packed >> 8), unpack_cells(packed >> 12)});
    } else {
      int const count = whole ? 16 : int(columns - 16 * part);
      for (int c = 0; c < count; ++c)
        cell[c] = static_cast<unsigned char>(packed >> c & 1u);
    }
  }
}

/// Grid with four rows per thread, whose loads overlap.
inline dim3 packing_blocks(std::int64_t rows, std::int64_t columns) {
  return {unsigned(((columns + 31) / 32 * 2 + 255) / 256),
          unsigned(std::min<std::int64_t>((rows + 3) / 4, 65535))};
}
inline bool has_packed_rows(unsigned char const* cells, std::int64_t stride) {
  return reinterpret_cast<std::uintptr_t>(cells) % 16 == 0 && stride % 16 == 0;
}

/// Packs cells into whole words, padded with dead cells. Row i of the bits
/// begins at word i * pitch. Sets *foreign to 1 if any cell is neither 0 nor 1.
inline void launch_packing(Stream const& space, unsigned char const* cells,
                           std::int64_t stride, std::int64_t rows,
                           std::int64_t columns, std::uint32_t* bits,
                           std::int64_t pitch, unsigned* foreign) {
  auto* const kernel = has_packed_rows(cells, stride)
                           ? pack_cells_of_bytes<true>
                           : pack_cells_of_bytes<false>;
  launch_kernel(space, "pack_cells_of_bytes", kernel,
                {packing_blocks(rows, columns), 256}, cells, stride, rows,
                columns, reinterpret_cast<std::uint16_t*>(bits), pitch,
                foreign);
}

inline void launch_unpacking(Stream const& space, std::uint32_t const* bits,
                             std::int64_t pitch, std::int64_t rows,
                             std::int64_t columns, unsigned char* cells,
                             std::int64_t stride) {
  auto* const kernel = has_packed_rows(cells, stride)
                           ? unpack_cells_to_bytes<true>
                           : unpack_cells_to_bytes<false>;
  launch_kernel(space, "unpack_cells_to_bytes", kernel,
                {packing_blocks(rows, columns), 256},
                reinterpret_cast<std::uint16_t const*>(bits), pitch, cells,
                stride, rows, columns);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
