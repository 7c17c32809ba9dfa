// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REPRODUCIBILITY_HPP
#define KOKKOSMMA_REPRODUCIBILITY_HPP

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace KokkosMMA {

/// Inputs on which the bits of a floating-point result may depend. Each level
/// includes the guarantees of the levels before it.
enum class Reproducibility : unsigned char {
  run_to_run,          ///< data, call, device and tuning table
  device_independent,  ///< data and call
  exact                ///< data, not their order: sums are correctly rounded
};

/// Name of a level, as in KOKKOSMMA_REPRODUCIBILITY.
constexpr std::string_view to_string(Reproducibility level) {
  constexpr std::string_view names[] = {"run_to_run", "device_independent",
                                        "exact"};
  return names[static_cast<int>(level)];
}

namespace Impl {

/// Value of KOKKOSMMA_REPRODUCIBILITY. An empty value counts as unset. An
/// invalid value is reported once and ignored.
struct EnvironmentLevel {
  Reproducibility level = Reproducibility::run_to_run;
  std::string error{};  ///< empty: none
};

[[gnu::cold]] inline EnvironmentLevel parse_level(std::string_view text) {
  if (text.empty()) return {};
  for (Reproducibility const level :
       {Reproducibility::run_to_run, Reproducibility::device_independent,
        Reproducibility::exact}) {
    if (text == to_string(level)) return {level};
  }
  return {Reproducibility::run_to_run,
          "KOKKOSMMA_REPRODUCIBILITY=\"" + std::string(text) +
              "\" is not a level and is ignored; set it to run_to_run, "
              "device_independent or exact"};
}

/// Reads the environment once, like environment_route(), and prints an error.
inline EnvironmentLevel const& environment_level() {
  static EnvironmentLevel const once = [] {
    char const* const text = std::getenv("KOKKOSMMA_REPRODUCIBILITY");
    EnvironmentLevel read  = parse_level(text ? text : "");
    if (!read.error.empty())
      std::fprintf(stderr, "KokkosMMA: %s\n", read.error.c_str());
    return read;
  }();
  return once;
}

}  // namespace Impl
}  // namespace KokkosMMA

#endif
