// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_GIVEN_TILES_HPP
#define KOKKOSMMA_GIVEN_TILES_HPP

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

/// \file
/// What becomes of tiles that an application gives to an MDRangePolicy.

namespace KokkosMMA::Impl {

/// Value of KOKKOSMMA_TILES. An empty value counts as unset. An invalid value
/// is reported once and ignored.
struct EnvironmentTiles {
  bool keep = false;
  std::string error{};  ///< empty: none
};

[[gnu::cold]] inline EnvironmentTiles parse_tiles(std::string_view text) {
  if (text.empty() || text == "measure") return {};
  if (text == "keep") return {true};
  return {false, "KOKKOSMMA_TILES=\"" + std::string(text) +
                     "\" is ignored; set it to measure or keep"};
}

/// Whether loops keep the tiles that the caller gave, and are not measured. The
/// environment is read once.
inline bool environment_keeps_tiles() {
  static bool const keep = [] {
    char const* const text      = std::getenv("KOKKOSMMA_TILES");
    EnvironmentTiles const read = parse_tiles(text ? text : "");
    if (!read.error.empty())
      std::fprintf(stderr, "KokkosMMA: %s\n", read.error.c_str());
    return read.keep;
  }();
  return keep;
}

}  // namespace KokkosMMA::Impl

#endif
