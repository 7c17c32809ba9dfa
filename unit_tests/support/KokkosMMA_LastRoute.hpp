// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_LASTROUTE_HPP
#define KOKKOSMMA_LASTROUTE_HPP

#include <core/routing/KokkosMMA_Settings.hpp>

namespace KokkosMMA::Testing {

/// The route of this host thread's last call, intercepted loop or team kernel.
inline Route& heard_route(Impl::Observed what) {
  thread_local Route routes[3] = {};
  return routes[int(what)];
}
inline bool const hears_routes = [] {
  Impl::route_observer.store(
      [](Route ran, Impl::Observed what) { heard_route(what) = ran; });
  return true;
}();

}  // namespace KokkosMMA::Testing

namespace KokkosMMA {

/// The route of the last call that this host thread made to the library:
/// `automatic` before the first one. Calls on hosts' execution spaces that are
/// not intercepted leave it unchanged.
inline Route last_route() { return Testing::heard_route(Impl::Observed::call); }

}  // namespace KokkosMMA

#endif
