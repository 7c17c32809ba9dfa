// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_ROUTES_HPP
#define KOKKOSMMA_PERF_ROUTES_HPP

#include <core/routing/KokkosMMA_Settings.hpp>

namespace perf {

/// The route of the last call, intercepted loop or team kernel that came to the
/// library.
inline KokkosMMA::Route& heard_route(KokkosMMA::Impl::Observed what) {
  static KokkosMMA::Route routes[3] = {};
  return routes[int(what)];
}
inline KokkosMMA::Route route_of_last_call() {
  return heard_route(KokkosMMA::Impl::Observed::call);
}
inline bool const hears_routes = [] {
  KokkosMMA::Impl::route_observer.store(
      [](KokkosMMA::Route ran, KokkosMMA::Impl::Observed what) {
        heard_route(what) = ran;
      });
  return true;
}();

}  // namespace perf

#endif
