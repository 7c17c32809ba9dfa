// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_HPP
#define KOKKOSMMA_ROUTE_HPP

#include <string_view>

namespace KokkosMMA {

/// The kind of code that runs a call.
enum class Route : unsigned char {
  automatic,  ///< the fastest route that can run; its name is `auto`
  generic,    ///< plain Kokkos code
  streamed,   ///< kernels of this library without tensor cores
  mma         ///< kernels of this library with tensor cores (MMA)
};

/// Name of a route, as in KOKKOSMMA_ROUTE.
constexpr std::string_view to_string(Route route) {
  constexpr std::string_view names[] = {"auto", "generic", "streamed", "mma"};
  return names[static_cast<int>(route)];
}

}  // namespace KokkosMMA

#endif
