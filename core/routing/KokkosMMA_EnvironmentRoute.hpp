// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ENVIRONMENT_ROUTE_HPP
#define KOKKOSMMA_ENVIRONMENT_ROUTE_HPP

#include <core/routing/KokkosMMA_Route.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace KokkosMMA::Impl {

/// Value of KOKKOSMMA_ROUTE. An empty value counts as unset. An invalid value
/// is reported once and ignored: `route` is then `automatic`.
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
              "\" is not a route and is ignored; set it to auto, generic, "
              "streamed or mma"};
}

/// Reads KOKKOSMMA_ROUTE once, so that an application which changes its
/// environment does not change routes between calls. The first call reads it,
/// or with the drop-in, code before main; errors are printed then.
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

}  // namespace KokkosMMA::Impl

#endif
