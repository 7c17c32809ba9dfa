// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ENCODING_HPP
#define KOKKOSMMA_ENCODING_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

/// \file
/// Constant matrices that turn a matrix product into sums. Their entries are 0
/// and 1, so every product is exact. Fragments are computed in registers from
/// the entry function and the lane map of the shape; nothing is loaded.

namespace KokkosMMA::Impl {

/// All ones: every column of the product is the row sum.
struct Ones {
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr bool entry(int, int) {
    return true;
  }
};

/// Selects byte n of the 64-bit words along k, lower halves in the first half
/// of k and upper halves in the second: column n is the sum of bytes n, 0 to 7.
struct ByteColumnsOf8 {
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr bool entry(int k,
                                                             int column) {
    return k % 4 + 4 * (k / 16) == column;
  }
};

/// B fragment of one lane. // (k,n) per warp
template <class Shape, class Matrix>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr typename Shape::B encode_b(int lane) {
  typename Shape::B fragment{};
  for (int reg = 0; reg < Shape::b_registers; ++reg) {
    if constexpr (Shape::packed == 1) {
      Coordinate const at = Shape::b(lane, reg, 0);
      fragment[reg]       = Matrix::entry(at.row, at.column) ? 1 : 0;
    } else {
      constexpr int bits = 32 / Shape::packed;
      for (int element = 0; element < Shape::packed; ++element) {
        Coordinate const at = Shape::b(lane, reg, element);
        if (Matrix::entry(at.row, at.column))
          fragment[reg] |= Shape::one << bits * element;
      }
    }
  }
  return fragment;
}

}  // namespace KokkosMMA::Impl

#endif
