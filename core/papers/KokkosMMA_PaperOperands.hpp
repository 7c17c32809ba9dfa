// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PAPER_OPERANDS_HPP
#define KOKKOSMMA_PAPER_OPERANDS_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <cstdint>

/// \file
/// Operands that only the papers' formulations have: constant matrices on the
/// left.

namespace KokkosMMA::Impl {

/// A fragment of one lane. // (m,k) per warp
template <class Shape, class Matrix>
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr typename Shape::A encode_a(int lane) {
  typename Shape::A fragment{};
  for (int reg = 0; reg < Shape::a_registers; ++reg) {
    constexpr int bits = 32 / Shape::packed;
    for (int element = 0; element < Shape::packed; ++element) {
      Coordinate const at = Shape::a(lane, reg, element);
      if (Matrix::entry(at.row, at.column))
        fragment[reg] |= Shape::one << bits * element;
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

}  // namespace KokkosMMA::Impl

#endif
