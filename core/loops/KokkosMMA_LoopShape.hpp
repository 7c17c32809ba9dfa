// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_LOOP_SHAPE_HPP
#define KOKKOSMMA_LOOP_SHAPE_HPP

#include <core/loops/KokkosMMA_LoopSpace.hpp>

#include <bit>

/// \file
/// Mapping of a loop to a grid of blocks. Shapes are run-time values: a loop
/// has one compiled kernel for all of them.

namespace KokkosMMA::Impl {

/// Threads of a block along the dimension of a warp and the next one, and
/// invocations per thread. Those are one block apart in a range. In a box they
/// lie along looped_dimension(), never along the warp. calls == 0: Kokkos'
/// launch.
struct LoopShape {
  int width;
  int height;
  int calls;
  /// Dimension along which lanes lie. The policy's order of speed is a guess:
  /// a functor does not show which dimension of an array is contiguous.
  int fast = 0;

  friend constexpr bool operator==(LoopShape const&,
                                   LoopShape const&) = default;
};

inline constexpr LoopShape kokkos_shape{0, 0, 0};

/// Class of loops of one kernel that use the same choice: similar sizes and
/// similar extents in the fastest dimension.
constexpr unsigned loop_size_class(LoopSpace const& space) {
  return unsigned(std::bit_width(space.size())) * 65 +
         unsigned(std::bit_width(space.extent[0]));
}

/// Blocks of a grid and threads of a block, in the form that a launch needs.
struct LoopGrid {
  unsigned blocks  = 0;  ///< 0: more than a grid can have
  unsigned threads = 1;
};

}  // namespace KokkosMMA::Impl

#endif
