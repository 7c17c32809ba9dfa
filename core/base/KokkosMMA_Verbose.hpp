// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VERBOSE_HPP
#define KOKKOSMMA_VERBOSE_HPP

#include <cstdlib>

namespace KokkosMMA::Impl {

/// Whether KOKKOSMMA_VERBOSE asks for lines on stderr. Read once, as all of the
/// environment is. Every source of an application has it with the drop-in, so
/// it includes next to nothing.
inline bool environment_verbose() {
  static bool const verbose = [] {
    char const* const text = std::getenv("KOKKOSMMA_VERBOSE");
    return text && *text && !(text[0] == '0' && text[1] == '\0');
  }();
  return verbose;
}

}  // namespace KokkosMMA::Impl

#endif
