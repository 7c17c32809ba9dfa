// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_GIVEN_TILES_HPP
#define KOKKOSMMA_GIVEN_TILES_HPP

#include <core/routing/KokkosMMA_EnvironmentChoice.hpp>

#include <string_view>

/// \file
/// What becomes of tiles that an application gives to an MDRangePolicy.

namespace KokkosMMA::Impl {

enum class GivenTiles : unsigned char { measure, keep };
constexpr std::string_view to_string(GivenTiles tiles) {
  return tiles == GivenTiles::keep ? "keep" : "measure";
}

inline EnvironmentChoice<GivenTiles> parse_tiles(std::string_view text) {
  return parse_variable("KOKKOSMMA_TILES", text, "",
                        {GivenTiles::measure, GivenTiles::keep});
}

/// Whether loops keep the tiles that the caller gave, and are not measured.
inline bool environment_keeps_tiles() {
  static bool const keep =
      read_variable("KOKKOSMMA_TILES", &parse_tiles).value == GivenTiles::keep;
  return keep;
}

}  // namespace KokkosMMA::Impl

#endif
