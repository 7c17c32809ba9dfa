// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DIRECT_LAUNCH_HPP
#define KOKKOSMMA_CUDA_DIRECT_LAUNCH_HPP

#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// Parts of launches of the kernels that compute stencils with multiply-adds:
/// the number of blocks and the alignment of tiles.

namespace KokkosMMA::Impl::Cuda {

inline constexpr std::int64_t most_blocks = 0x7fffffff;
inline unsigned checked_blocks(std::int64_t blocks) {
  if (blocks > most_blocks)
    Kokkos::abort("KokkosMMA: a stencil of more than 2^31 - 1 tiles");
  return unsigned(blocks);
}

/// Alignment of the memory that a stencil reads and writes.
struct StencilAlignment {
  std::int64_t origin;  ///< first column of the first tile, not above 0
  bool loads;
  bool stores;
};

/// Chooses the first column of the tiles so that loads and stores, or at least
/// one of them, use whole vectors. For elements of 4 and 8 bytes stores have
/// priority: copying these one by one costs little. Copying elements of 1 and 2
/// bytes one by one costs much.
/// \tparam Columns per thread
template <int Columns, class A, class Element, int R, class Epilogue>
StencilAlignment stencil_alignment(StencilGrid<Element, R> const& grid,
                                   Epilogue const& epilogue) {
  auto const misaligned = [](auto const* data, auto const* strides, int bytes) {
    constexpr auto size = std::int64_t(sizeof(*data));
    auto const address  = reinterpret_cast<std::uintptr_t>(data);
    for (int d = 0; d + 1 < R; ++d)
      if (strides[d] * size % bytes != 0) return std::int64_t(-1);
    if (address % std::uintptr_t(size) != 0) return std::int64_t(-1);
    return std::int64_t(address % std::uintptr_t(bytes)) / size;
  };
  std::int64_t const load = misaligned(grid.data, grid.stride, 16);
  if constexpr (StencilEpilogue<Epilogue>) {
    using Result      = typename Epilogue::value_type;
    constexpr int per = elements_per_vector<Columns, Result>;
    std::int64_t const store =
        misaligned(epilogue.data, epilogue.stride, per * int(sizeof(Result)));
    if (load >= 0 && store >= 0 && (load - store) % per == 0)
      return {-load, true, true};
    if (store >= 0 && (sizeof(Element) >= 4 || load < 0))
      return {-store, false, true};
  }
  if (load >= 0) return {-load, true, false};
  return {0, false, false};
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
