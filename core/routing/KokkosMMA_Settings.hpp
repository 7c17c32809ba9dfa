// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SETTINGS_HPP
#define KOKKOSMMA_SETTINGS_HPP

#include <core/base/KokkosMMA_Errors.hpp>
#include <core/routing/KokkosMMA_Reproducibility.hpp>
#include <core/routing/KokkosMMA_Route.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>

#include <string_view>

namespace KokkosMMA {

/// Forms of the sum on tensor cores. `chained` is the product; the others are
/// the formulations of Navarro et al. 2020 ("GPU Tensor Cores for Fast
/// Arithmetic Reductions"), kept for comparison and for half_t input alone.
enum class Formulation : unsigned char {
  chained,     ///< data as A, ones as B; fp32 flush every R; fixed-order finish
  recurrence,  ///< two products per 256 values, one launch per level
  single_pass,  ///< R chained products, a second product per warp, one launch
  split         ///< half of the data by MMA, half by shuffles
};

/// The name of a formulation, as in the enumeration.
constexpr std::string_view to_string(Formulation formulation) {
  constexpr std::string_view names[] = {"chained", "recurrence", "single_pass",
                                        "split"};
  return names[static_cast<int>(formulation)];
}

/// Settings of one call. A value that is left at its default is looked up in
/// the enclosing ScopedSettings, then in the environment, then in the tuning
/// table. Of levels of reproducibility the highest that call, scope or
/// environment asks for counts. Formulation, chain length and block size are
/// for reductions; a scan reads the route, and another formulation than
/// `chained` keeps it off `mma`.
struct Settings {
  Route route             = Route::automatic;      ///< what runs the call
  Formulation formulation = Formulation::chained;  ///< of sums on tensor cores
  int chain_length        = 0;  ///< R: MMA per flush, 1 to 32; 0 = tuned
  int block_size =
      0;  ///< B: threads per block, 32 to 512 in steps of 32; 0 = tuned
  bool check_offsets = true;  ///< of segments; wrong ones that are not checked
                              ///< read and write outside of the Views
  Reproducibility reproducibility =
      Reproducibility::run_to_run;  ///< that the result needs, at least

  /// Whether all settings are the same.
  friend constexpr bool operator==(Settings const&, Settings const&) = default;
};

namespace Impl {

inline Settings& scoped_settings() {
  thread_local Settings settings;
  return settings;
}

/// Call, scope, environment: the first that says something wins.
inline Settings effective_settings(Settings call = {}) {
  Settings const scope = scoped_settings();
  if (call.route == Route::automatic) call.route = scope.route;
  if (call.route == Route::automatic) call.route = environment_route().route;
  if (call.formulation == Formulation::chained)
    call.formulation = scope.formulation;
  if (call.chain_length == 0) call.chain_length = scope.chain_length;
  if (call.block_size == 0) call.block_size = scope.block_size;
  if (!scope.check_offsets) call.check_offsets = false;
  for (Reproducibility const level :
       {scope.reproducibility, environment_level().level})
    if (level > call.reproducibility) call.reproducibility = level;
  return call;
}

/// What settings say of reproducibility, and nothing else.
inline Settings only_level(Settings const& settings) {
  Settings level;
  level.reproducibility = settings.reproducibility;
  return level;
}

/// Refuses chain lengths and block sizes that no kernel takes.
inline void check_settings(char const* who, Settings const& settings) {
  if (settings.chain_length < 0 || settings.chain_length > max_chain_length)
    invalid_argument(who, "chain_length is ", settings.chain_length,
                     "; allowed are 1 to ", max_chain_length,
                     ", or 0 for the tuned value");
  if (settings.block_size < 0 || settings.block_size > mma_tuning.threads ||
      settings.block_size % 32 != 0)
    invalid_argument(who, "block_size is ", settings.block_size,
                     "; allowed are multiples of 32 up to ", mma_tuning.threads,
                     ", or 0 for the tuned value");
}

inline Route& last_route_of_this_thread() {
  thread_local Route route = Route::automatic;
  return route;
}

}  // namespace Impl

/// Settings for every call of this host thread until the end of the scope;
/// scopes nest, the inner one wins where it says something. Inside a scope a
/// route is a preference: a Kokkos call that cannot run it takes another one.
class ScopedSettings {
 public:
  /// \throws std::invalid_argument for settings out of range
  explicit ScopedSettings(Settings settings)
      : m_outer(Impl::scoped_settings()) {
    Impl::check_settings("KokkosMMA::ScopedSettings", settings);
    Impl::scoped_settings() = Impl::effective_settings(settings);
  }
  /// Brings the settings of the enclosing scope back.
  ~ScopedSettings() { Impl::scoped_settings() = m_outer; }
  ScopedSettings(ScopedSettings const&)            = delete;
  ScopedSettings& operator=(ScopedSettings const&) = delete;

 private:
  Settings m_outer;
};

/// Route of the last reduction or scan that this host thread gave to the
/// library; `automatic` before the first one. Calls on host execution spaces
/// through the drop-in never reach the library and leave it as it is.
inline Route last_route() { return Impl::last_route_of_this_thread(); }

}  // namespace KokkosMMA

#endif
