// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROW_ALIGNMENT_HPP
#define KOKKOSMMA_ROW_ALIGNMENT_HPP

#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Alignment of a grid's rows to 16-byte chunks, the unit in which kernels load
/// and store.

namespace KokkosMMA::Impl {

/// Number of elements before this one in its 16-byte chunk.
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

/// Whether `count` adjacent results can be stored as one vector, or as vectors
/// of 16 bytes, beginning `shift` elements before the start of each row.
template <int R, class Epilogue>
bool vectors_aligned([[maybe_unused]] Epilogue const& epilogue,
                     [[maybe_unused]] int shift, [[maybe_unused]] int count) {
  if constexpr (StencilEpilogue<Epilogue>) {
    constexpr auto size = std::uintptr_t(sizeof(typename Epilogue::value_type));
    auto const unit     = std::min<std::uintptr_t>(16, count * size);
    auto const begin =
        reinterpret_cast<std::uintptr_t>(epilogue.data) - shift * size;
    bool aligned = epilogue.stride[R - 1] == 1 && begin % unit == 0;
    for (int d = 0; d + 1 < R; ++d)
      aligned =
          aligned && std::uintptr_t(epilogue.stride[d]) * size % unit == 0;
    return aligned;
  } else {
    return false;
  }
}

}  // namespace KokkosMMA::Impl

#endif
