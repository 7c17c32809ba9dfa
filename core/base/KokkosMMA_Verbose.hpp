// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VERBOSE_HPP
#define KOKKOSMMA_VERBOSE_HPP

#include <cstdlib>

namespace KokkosMMA::Impl {

/// Whether a variable of the environment is set to something other than 0.
/// Every source of an application has this with the drop-in, so it includes
/// next to nothing.
[[gnu::cold]] inline bool environment_has(char const* name) {
  char const* const text = std::getenv(name);
  return text && *text && !(text[0] == '0' && text[1] == '\0');
}

/// Whether KOKKOSMMA_VERBOSE requests lines on stderr. Read once, as all of the
/// environment is.
inline bool environment_verbose() {
  static bool const verbose = environment_has("KOKKOSMMA_VERBOSE");
  return verbose;
}

/// Whether KOKKOSMMA_REPORT requests a table of the calls by label, and
/// KOKKOSMMA_COMPARE for one of their times both ways. Read before main: a call
/// loads them and has no guard to pass.
inline bool const environment_report  = environment_has("KOKKOSMMA_REPORT");
inline bool const environment_compare = environment_has("KOKKOSMMA_COMPARE");
inline bool const measures_calls = environment_report || environment_compare;

}  // namespace KokkosMMA::Impl

#endif
