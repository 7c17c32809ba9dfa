// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over grids of three to six dimensions.

#include "loops/Perf_Loops.hpp"

namespace perf::KOKKOSMMA_PERF_SIDE {

std::vector<Line> volume_loops() {
  using Space            = Exec::array_layout;
  constexpr auto Default = Iterate::Default;
  return {loop<float, 3, Copy>("copy"),
          loop<double, 3, Copy>("copy"),
          loop<float, 3, Copy, Left, across>("copy_left"),
          loop<float, 3, Copy, Space, Default>("copy_default"),
          loop<double, 3, Copy, Space, Default>("copy_default"),
          loop<float, 3, Star, Space, Default>("points7_default"),
          loop<double, 3, Star, Space, Default>("points7_default"),
          loop<float, 3, Copy, Right, Default>("copy_default_right"),
          loop<double, 3, Copy, Right, Default>("copy_default_right"),
          loop<float, 3, Star, Right, Default>("points7_default_right"),
          loop<double, 3, Star, Right, Default>("points7_default_right"),
          loop<float, 3, Copy, Right, across>("across"),
          loop<double, 3, Copy, Left, along>("across_left"),
          loop<float, 3, Copy>("odd", {.more = {1, 0, -1}}),
          loop<float, 3, Copy, Left, across>("odd_left", {.more = {1, 0, -1}}),
          loop<float, 3, Copy>("tile_1_4_64", {.tile = {1, 4, 64}}),
          loop<float, 3, Copy>("tile_4_4_32", {.tile = {4, 4, 32}}),
          loop<float, 3, Copy>("tile_8_8_8", {.tile = {8, 8, 8}}),
          loop<float, 3, Copy>("components", {.fixed = {0, 0, 3}}),
          loop<float, 3, Copy, Left, across>("components_left",
                                             {.fixed = {0, 0, 3}}),
          loop<float, 3, Copy>("planes", {.fixed = {5, 0, 0}}),
          loop<float, 3, Transpose>("transpose_read"),
          loop<double, 3, Transpose, Right, across>("transpose_write"),
          loop<float, 3, Star>("points7"),
          loop<double, 3, Star>("points7"),
          loop<float, 3, Star, Left, across>("points7_left"),
          loop<float, 3, Box<1>>("points27"),
          loop<double, 3, Box<1>>("points27"),
          loop<float, 4, Copy>("copy"),
          loop<double, 4, Copy, Left, across>("copy_left"),
          loop<float, 4, Copy, Right, across>("across"),
          loop<float, 5, Copy>("copy"),
          loop<double, 5, Copy, Left, across>("copy_left"),
          loop<float, 6, Copy>("copy"),
          loop<double, 6, Copy, Left, across>("copy_left")};
}

}  // namespace perf::KOKKOSMMA_PERF_SIDE
