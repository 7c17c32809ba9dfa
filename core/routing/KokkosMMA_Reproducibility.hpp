// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REPRODUCIBILITY_HPP
#define KOKKOSMMA_REPRODUCIBILITY_HPP

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace KokkosMMA {

/// What the bits of a floating-point result may depend on. Each level keeps the
/// promises of the levels before it.
enum class Reproducibility : unsigned char {
  run_to_run,          ///< data, call, device and tuning table
  device_independent,  ///< data and call
  exact                ///< data, not their order: sums are correctly rounded
};

/// The name of a level, as KOKKOSMMA_REPRODUCIBILITY spells it.
constexpr std::string_view to_string(Reproducibility level) {
  constexpr std::string_view names[] = {"run_to_run", "device_independent",
                                        "exact"};
  return names[static_cast<int>(level)];
}

namespace Impl {

/// What KOKKOSMMA_REPRODUCIBILITY says. An empty value counts as unset. An
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
              "\" is not a level and is not used; set it to run_to_run, "
              "device_independent or exact"};
}

/// Read once, as KOKKOSMMA_ROUTE is; an error is printed when it is read.
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
