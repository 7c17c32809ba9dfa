// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_WRITE_JSON_HPP
#define KOKKOSMMA_WRITE_JSON_HPP

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace KokkosMMA::Impl {

/// Writes the report to KOKKOSMMA_REPORT if that ends in .json, else false.
[[gnu::cold]] inline bool write_json(char const* text) {
  char const* const name = std::getenv("KOKKOSMMA_REPORT");
  if (!name || !std::string_view(name).ends_with(".json")) return false;
  std::FILE* const file = std::fopen(name, "w");
  if (!file || std::fputs(text, file) < 0 || std::fclose(file) != 0)
    std::fprintf(stderr, "KokkosMMA: KOKKOSMMA_REPORT: cannot write %s\n",
                 name);
  return true;
}

}  // namespace KokkosMMA::Impl

#endif
