// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROW_ALIGNMENT_HPP
#define KOKKOSMMA_ROW_ALIGNMENT_HPP

#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <cstdint>

/// \file
/// Where the rows of a grid begin in 16-byte chunks, which kernels load and
/// store at once.

namespace KokkosMMA::Impl {

/// Elements from the beginning of its 16-byte chunk to this one.
template <class Element>
int chunk_offset(Element const* element) {
  return int(reinterpret_cast<std::uintptr_t>(element) % 16 / sizeof(Element));
}

/// Whether rows `stride` elements apart are aligned to 16 bytes.
template <class Element>
bool rows_aligned_16(Element const* rows, std::int64_t stride) {
  return reinterpret_cast<std::uintptr_t>(rows) % 16 == 0 &&
         std::uintptr_t(stride) * sizeof(Element) % 16 == 0;
}

/// Whether all rows have the same offset in their 16-byte chunks.
template <class Element, int R>
bool row_strides_aligned_16(StencilGrid<Element, R> const& grid) {
  bool aligned = true;
  for (int d = 0; d + 1 < R; ++d)
    aligned =
        aligned && std::uint64_t(grid.stride[d]) * sizeof(Element) % 16 == 0;
  return aligned;
}

}  // namespace KokkosMMA::Impl

#endif
