// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TILED_BOX_HPP
#define KOKKOSMMA_TILED_BOX_HPP

#include <core/base/KokkosMMA_ReciprocalDivisor.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// Members of a BoxTiles; arrays have `rank` elements.
struct TiledBox {
  int rank;
  std::uint32_t threads;
  std::uint32_t const* extent;
  // Written by tile_box().
  std::uint32_t* width;
  std::uint32_t* step;  ///< zeros before
  ReciprocalDivisor* count;
  int& along;  ///< 0 before
  std::uint32_t& whole_in_row;
};

/// Divides the box into tiles. Compiled once, in libkokkosmma.
void tile_box(TiledBox const& box);

}  // namespace KokkosMMA::Impl

#endif
