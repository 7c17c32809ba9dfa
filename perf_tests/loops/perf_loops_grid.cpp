// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over grids of two dimensions.

#include "loops/Perf_Loops.hpp"

namespace perf::KOKKOSMMA_PERF_SIDE {

std::vector<Line> grid_loops() {
  using Space            = Exec::array_layout;
  constexpr auto Default = Iterate::Default;
  return {loop<float, 2, Copy>("copy"),
          loop<double, 2, Copy>("copy"),
          loop<std::int8_t, 2, Copy>("copy"),
          loop<float, 2, Copy, Left, across>("copy_left"),
          loop<float, 2, Copy, Space, Default>("copy_default"),
          loop<double, 2, Copy, Space, Default>("copy_default"),
          loop<float, 2, Star, Space, Default>("points5_default"),
          loop<double, 2, Star, Space, Default>("points5_default"),
          loop<float, 2, Box<1>, Space, Default>("points9_default"),
          loop<double, 2, Box<1>, Space, Default>("points9_default"),
          loop<float, 2, Copy, Right, Default>("copy_default_right"),
          loop<double, 2, Copy, Right, Default>("copy_default_right"),
          loop<float, 2, Star, Right, Default>("points5_default_right"),
          loop<double, 2, Star, Right, Default>("points5_default_right"),
          loop<float, 2, Combine<0, 0, 3>>("fill"),
          loop<double, 2, Combine<1, 2>>("triad"),
          loop<float, 2, Copy, Right, across>("across"),
          loop<double, 2, Copy, Right, across>("across"),
          loop<float, 2, Copy, Left, along>("across_left"),
          loop<float, 2, Copy>("odd", {.more = {-1, 1}}),
          loop<double, 2, Copy, Left, across>("odd_left", {.more = {3, -3}}),
          loop<float, 2, Copy>("tile_1_256", {.tile = {1, 256}}),
          loop<float, 2, Copy>("tile_4_64", {.tile = {4, 64}}),
          loop<float, 2, Copy>("tile_16_16", {.tile = {16, 16}}),
          loop<float, 2, Copy>("tile_32_4", {.tile = {32, 4}}),
          loop<float, 2, Transpose>("transpose_read"),
          loop<double, 2, Transpose>("transpose_read"),
          loop<float, 2, Transpose, Right, across>("transpose_write"),
          loop<double, 2, Transpose, Right, across>("transpose_write"),
          loop<float, 2, Star>("points5"),
          loop<double, 2, Star>("points5"),
          loop<float, 2, Star, Left, across>("points5_left"),
          loop<float, 2, Star, Right, across>("points5_across"),
          loop<float, 2, Box<1>>("points9"),
          loop<double, 2, Box<1>>("points9"),
          loop<float, 2, Box<3>>("points49"),
          loop<double, 2, Box<3>>("points49"),
          loop<float, 2, Combine<2, 0>>("components", {.fixed = {0, 3}}),
          loop<float, 2, Combine<2, 0>, Left, across>("components_left",
                                                      {.fixed = {0, 3}}),
          loop<double, 2, Combine<2, 0>, Left, along>("components_across",
                                                      {.fixed = {0, 3}}),
          loop<float, 2, Polynomial>("polynomial"),
          loop<float, 2, Transpose>("small16", {.fixed = {16, 16}}),
          loop<float, 2, Transpose>("small64", {.fixed = {64, 64}})};
}

}  // namespace perf::KOKKOSMMA_PERF_SIDE
