// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SETTINGS_HPP
#define KOKKOSMMA_SETTINGS_HPP

#include <core/routing/KokkosMMA_EnvironmentChoice.hpp>
#include <core/routing/KokkosMMA_Reproducibility.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <atomic>

namespace KokkosMMA {

/// Settings of one call. If the route has its default value, that of the
/// enclosing ScopedSettings or else of the environment counts. The level of
/// reproducibility is the highest of call, scope and environment. A call throws
/// std::invalid_argument if its own route or level is not available.
struct Settings {
  Route route = Route::automatic;  ///< route of the call
  /// Whether to check segment offsets: if they are not checked, wrong offsets
  /// make kernels access memory outside the Views.
  bool check_offsets = true;
  Reproducibility reproducibility =
      Reproducibility::run_to_run;  ///< minimum level of the result
  /// Name of the call in Kokkos Tools and KOKKOSMMA_VERBOSE; the default is
  /// made of function, route and element type. The characters must live until
  /// the call returns. A ScopedSettings does not pass the label on, and
  /// policies ignore it.
  std::string_view label = {};

  /// Whether all settings are equal.
  friend constexpr bool operator==(Settings const&, Settings const&) = default;
};

namespace Impl {

/// Settings of the environment, the outermost scope of every host thread.
inline Settings settings_of_environment() {
  Settings settings;
  settings.route           = environment_route().value;
  settings.reproducibility = environment_level().value;
  return settings;
}

[[gnu::visibility("default")]] inline Settings& scoped_settings() {
  thread_local Settings settings = settings_of_environment();
  return settings;
}

/// For objects that may outlive the characters of the label.
constexpr Settings without_label(Settings settings) {
  settings.label = {};
  return settings;
}

/// Merges the settings of call and scope, in this order of priority. The label
/// is that of the call.
inline Settings effective_settings(Settings call = {}) {
  Settings const& scope = scoped_settings();
  if (call.route == Route::automatic) call.route = scope.route;
  if (!scope.check_offsets) call.check_offsets = false;
  if (scope.reproducibility > call.reproducibility)
    call.reproducibility = scope.reproducibility;
  return call;
}

/// Settings with this level of reproducibility and defaults otherwise.
inline Settings only_level(Settings const& settings) {
  Settings level;
  level.reproducibility = settings.reproducibility;
  return level;
}

enum class Observed { call, loop, team };
/// Receives the route of each call, intercepted loop and team kernel, on the
/// host thread that makes it. Tests and benchmarks set it.
[[gnu::visibility("default")]] inline std::atomic<void (*)(Route, Observed)>
    route_observer{nullptr};
inline Route observed(Route ran, Observed what = Observed::call) {
  if (auto const observe = route_observer.load(std::memory_order_relaxed))
    observe(ran, what);
  return ran;
}

}  // namespace Impl

/// Settings for every call of this host thread until the end of the scope.
/// Scopes nest: members that the inner scope sets override those of the outer
/// one. The route of a scope is a preference: a call that cannot use it uses
/// another route. A label has no effect: each call has its own.
class ScopedSettings {
 public:
  /// Begins the scope.
  explicit ScopedSettings(Settings settings)
      : m_outer(Impl::scoped_settings()) {
    Impl::scoped_settings() =
        Impl::effective_settings(Impl::without_label(settings));
  }
  /// Restores the settings of the enclosing scope.
  ~ScopedSettings() { Impl::scoped_settings() = m_outer; }
  ScopedSettings(ScopedSettings const&)            = delete;
  ScopedSettings& operator=(ScopedSettings const&) = delete;

 private:
  Settings m_outer;
};

}  // namespace KokkosMMA

#endif
