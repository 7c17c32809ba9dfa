// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REPRODUCIBILITY_HPP
#define KOKKOSMMA_REPRODUCIBILITY_HPP

#include <string_view>

namespace KokkosMMA {

/// Level of reproducibility: the inputs on which a floating-point result may
/// depend. Each level includes the guarantees of the levels before it.
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

}  // namespace KokkosMMA

#endif
