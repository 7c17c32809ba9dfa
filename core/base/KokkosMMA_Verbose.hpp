// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VERBOSE_HPP
#define KOKKOSMMA_VERBOSE_HPP

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

/// \file
/// Output about calls that environment variables request.

namespace KokkosMMA::Impl {

/// Whether an environment variable is set to anything but 0 or nothing.
[[gnu::cold]] inline bool environment_has(char const* name) {
  char const* const text = std::getenv(name);
  return text && *text && std::string_view(text) != "0";
}

/// Whether to print a line per call on stderr. The environment is read once.
inline bool environment_verbose() {
  static bool const verbose = environment_has("KOKKOSMMA_VERBOSE");
  return verbose;
}

/// Value of KOKKOSMMA_REPORT, empty if it is not on.
[[gnu::cold]] inline std::string const& requested_report() {
  // Never destroyed: reports are written when the process ends.
  static std::string const& report = *new std::string(
      environment_has("KOKKOSMMA_REPORT") ? std::getenv("KOKKOSMMA_REPORT")
                                          : "");
  return report;
}
/// Whether to print a table of the calls by label.
inline bool environment_report() { return !requested_report().empty(); }
/// Whether to print a table of the times of calls both ways.
inline bool environment_compare() {
  static bool const compare = environment_has("KOKKOSMMA_COMPARE");
  return compare;
}
inline bool measures_calls() {
  return environment_report() || environment_compare();
}
/// Whether a call prints or records anything.
inline bool reports_calls() {
  static bool const any = measures_calls() || environment_verbose();
  return any;
}

/// Writes the report to KOKKOSMMA_REPORT if that ends in .json, else false.
[[gnu::cold]] inline bool write_json(char const* text) {
  std::string const& name = requested_report();
  if (!name.ends_with(".json")) return false;
  std::FILE* const file = std::fopen(name.c_str(), "w");
  if (!file || std::fputs(text, file) < 0 || std::fclose(file) != 0)
    std::fprintf(stderr, "KokkosMMA: KOKKOSMMA_REPORT: cannot write %s\n",
                 name.c_str());
  return true;
}

}  // namespace KokkosMMA::Impl

#endif
