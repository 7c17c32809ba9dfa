// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PAPER_OPERANDS_HPP
#define KOKKOSMMA_PAPER_OPERANDS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <cstdint>

/// \file
/// Operands that only the papers' formulations have: constant matrices on the
/// left, and bytes of words by their position.

namespace KokkosMMA::Impl {

/// A fragment of one lane. // (m,k) per warp
template <class Shape, class Matrix>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr typename Shape::A encode_a(int lane) {
  typename Shape::A fragment{};
  for (int reg = 0; reg < Shape::a_registers; ++reg) {
    if constexpr (Shape::packed == 1) {
      Coordinate const at = Shape::a(lane, reg, 0);
      fragment[reg]       = Matrix::entry(at.row, at.column) ? 1 : 0;
    } else {
      constexpr int bits = 32 / Shape::packed;
      for (int element = 0; element < Shape::packed; ++element) {
        Coordinate const at = Shape::a(lane, reg, element);
        if (Matrix::entry(at.row, at.column))
          fragment[reg] |= Shape::one << bits * element;
      }
    }
  }
  return fragment;
}

/// A fragment of all ones. // (m,k) per warp
template <class Shape>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr typename Shape::A ones_a() {
  typename Shape::A fragment{};
  for (int reg = 0; reg < Shape::a_registers; ++reg)
    for (int element = 0; element < Shape::packed; ++element)
      fragment[reg] |= Shape::one << 32 / Shape::packed * element;
  return fragment;
}

/// Bytes `p` of four words as one word.
KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t byte_column(std::uint32_t w0,
                                                         std::uint32_t w1,
                                                         std::uint32_t w2,
                                                         std::uint32_t w3,
                                                         int p) {
#if KOKKOSMMA_IMPL_ON_DEVICE()
  unsigned const pick = unsigned(p | (p + 4) << 4);
  return __byte_perm(__byte_perm(w0, w1, pick), __byte_perm(w2, w3, pick),
                     0x5410);
#else
  int const shift = 8 * p;
  return (w0 >> shift & 255) | (w1 >> shift & 255) << 8 |
         (w2 >> shift & 255) << 16 | (w3 >> shift & 255) << 24;
#endif
}

}  // namespace KokkosMMA::Impl

#endif
