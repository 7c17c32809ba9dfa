// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_HPP
#define KOKKOSMMA_ROUTE_HPP

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace KokkosMMA {

/// What runs an operation; `automatic` lets the route function choose.
enum class Route : unsigned char {
  automatic,  ///< written `auto`: the fastest one that can run
  generic,    ///< plain Kokkos
  streamed,   ///< kernels of this library without tensor cores
  mma         ///< matrix multiply-accumulate (MMA) on tensor cores
};

/// The name of a route, as KOKKOSMMA_ROUTE takes it.
constexpr std::string_view to_string(Route route) {
  constexpr std::string_view names[] = {"auto", "generic", "streamed", "mma"};
  return names[static_cast<int>(route)];
}

namespace Impl {

/// What KOKKOSMMA_ROUTE says. Empty counts as unset. What is no route is
/// an error that ends no application: it is told, and route is `automatic`.
struct EnvironmentRoute {
  Route route = Route::automatic;
  std::string error{};  ///< empty: none
};

[[gnu::cold]] inline EnvironmentRoute parse_route(std::string_view text) {
  if (text.empty()) return {};
  for (Route route :
       {Route::automatic, Route::generic, Route::streamed, Route::mma}) {
    if (text == to_string(route)) return {route};
  }
  return {Route::automatic,
          "KOKKOSMMA_ROUTE=\"" + std::string(text) +
              "\" is not a route and is not used; set it to auto, generic, "
              "streamed or mma"};
}

/// Read once: an application that changes its environment while it runs would
/// make two calls in a row disagree. An error is printed when it is read: by
/// the first call, with the drop-in before main.
inline EnvironmentRoute const& environment_route() {
  static EnvironmentRoute const once = [] {
    char const* const text = std::getenv("KOKKOSMMA_ROUTE");
    EnvironmentRoute read  = parse_route(text ? text : "");
    if (!read.error.empty())
      std::fprintf(stderr, "KokkosMMA: %s\n", read.error.c_str());
    return read;
  }();
  return once;
}

}  // namespace Impl
}  // namespace KokkosMMA

#endif
