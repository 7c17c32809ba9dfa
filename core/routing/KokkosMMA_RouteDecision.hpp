// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_DECISION_HPP
#define KOKKOSMMA_ROUTE_DECISION_HPP

#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>

/// \file
/// Common code of the route functions, which choose the route of a call.

namespace KokkosMMA::Impl {

/// Why a route cannot run a problem.
struct Refusal {
  std::string_view reason;       ///< empty: the route can run
  std::string_view source = {};  ///< the source of the limit, or empty

  /// Whether there is a reason.
  constexpr explicit operator bool() const { return !reason.empty(); }
};

/// "reason (source)".
[[gnu::cold]] inline std::string to_string(Refusal const& refusal) {
  std::string text(refusal.reason);
  if (!refusal.source.empty())
    text.append(" (").append(refusal.source).append(")");
  return text;
}

/// Row of a table of reasons why a route cannot run.
struct RefusalRule {
  bool applies;
  Refusal refusal;
};

/// Reason of the first rule that applies; empty if none does.
constexpr Refusal first_refusal(std::initializer_list<RefusalRule> rules) {
  for (RefusalRule const& rule : rules)
    if (rule.applies) return rule.refusal;
  return {};
}

// Reasons that several operations share.
inline constexpr Refusal not_cuda{"the execution space is not Cuda"};
inline constexpr Refusal no_tensor_cores{
    "the device has no usable tensor cores (compute capability below 8.0)",
    "PTX ISA, mma target notes"};
inline constexpr Refusal no_async_copy{
    "the device cannot copy to shared memory asynchronously (compute "
    "capability below 8.0)",
    "PTX ISA, cp.async"};
inline constexpr Refusal is_graph_node{"the call is a graph node"};
inline constexpr Refusal no_fixed_size{
    "the value has no fixed size",
    "an array whose length is known only at run time"};
inline constexpr Refusal too_large_value{"the value is larger than 64 bytes"};
inline constexpr Refusal too_large_functor{
    "functor and reducer are larger than 32400 bytes", "kernel argument limit"};
inline constexpr Refusal opaque_functor{
    "the functor is opaque: the library cannot see its data"};
inline constexpr Refusal no_encoding{
    "tensor cores do not support this element type"};

/// Largest value that the route `streamed` keeps in registers: a block stores
/// one per warp in shared memory and one per block in scratch memory.
inline constexpr std::size_t max_value_bytes = 64;

/// Largest functor of this library's kernels. A kernel can have 32764 bytes of
/// arguments (CUDA 12.1, compute capability 7.0), of which they use a few
/// hundred for themselves. Kokkos passes larger functors through global memory.
inline constexpr std::size_t max_functor_bytes = 32400;

/// Route of a call and the reasons against the faster ones.
struct RouteDecision {
  Route route = Route::generic;  ///< the route of the call
  /// Route requested by a scope or the environment, or `automatic`.
  Route asked = Route::automatic;
  Refusal mma;       ///< empty when the route is mma
  Refusal streamed;  ///< empty when the route is mma or streamed
};

/// A call that is decided and not yet launched.
struct CallPlan {
  Settings settings;  ///< effective, with the level that the call gets
  RouteDecision decision;
};

/// Why the chosen route cannot run. Empty unless the route was forced.
constexpr Refusal refusal_of(RouteDecision const& decision) {
  return decision.route == Route::mma        ? decision.mma
         : decision.route == Route::streamed ? decision.streamed
                                             : Refusal{};
}

/// Decides from the reasons against each route. `asked` is a forced route or
/// `automatic`, which always finds a route.
/// \param preference why `auto` prefers streamed although mma can run, or none.
/// It applies only if streamed can run and mma is not forced
constexpr RouteDecision route_by_refusals(Route asked, Refusal const& mma,
                                          Refusal const& streamed,
                                          Refusal const& preference) {
  RouteDecision decision;
  decision.mma      = mma;
  decision.streamed = streamed;
  if (asked != Route::automatic) {
    decision.route = asked;
    return decision;
  }
  if (!mma && !streamed) decision.mma = preference;
  if (!decision.mma)
    decision.route = Route::mma;
  else if (!streamed)
    decision.route = Route::streamed;
  return decision;
}

/// The decision as a sentence. If the forced route cannot run, nothing runs.
[[gnu::cold]] inline std::string to_string(RouteDecision const& decision) {
  std::string text;
  if (refusal_of(decision)) {
    text = "no route: ";
    text += to_string(decision.route);
    text += " was requested and cannot run";
  } else {
    text = "route ";
    text += to_string(decision.route);
    if (decision.asked != Route::automatic &&
        decision.asked != decision.route) {
      text += " (";
      text += to_string(decision.asked);
      text += " was requested)";
    }
  }
  // A reason common to both routes is printed once.
  if (decision.mma && decision.mma.reason == decision.streamed.reason)
    return text + "; neither mma nor streamed: " + to_string(decision.mma);
  if (decision.mma) text += "; not mma: " + to_string(decision.mma);
  if (decision.streamed)
    text += "; not streamed: " + to_string(decision.streamed);
  return text;
}

/// Throws for a forced route that cannot run.
inline void check_route(char const* who, RouteDecision const& decision) {
  Refusal const refusal = refusal_of(decision);
  if (refusal)
    invalid_argument(who, "route ", to_string(decision.route),
                     " was requested but cannot run: ", to_string(refusal),
                     "; use route auto or generic");
}

/// Highest level of reproducibility of a call and the reason against higher
/// ones.
struct OfferedLevel {
  Reproducibility level = Reproducibility::run_to_run;
  Refusal refusal;  ///< empty: every level
  /// Whether `device_independent` is cheaper than `exact`: a call that requests
  /// the former then does not run at `exact`.
  bool is_cheaper_in_fixed_order = false;
};
inline constexpr OfferedLevel every_level{Reproducibility::exact, {}};
inline constexpr OfferedLevel every_level_by_cost{
    Reproducibility::exact, {}, true};
inline constexpr OfferedLevel run_to_run_only{
    Reproducibility::run_to_run,
    {"the order of floating-point operations depends on the device"}};
/// Whether a sum is the same in any order: true for integers.
constexpr bool is_exact_in_any_order(Scalar value) {
  return value != Scalar::opaque && !is_floating(value);
}
/// Levels of a call whose kernels have the same order of operations on every
/// device.
/// \param refusal why the kernels cannot run, or none
/// \param no_exact why the sums are not exact
constexpr OfferedLevel level_of_kernels(Scalar value, Settings const& settings,
                                        Refusal const& refusal,
                                        Refusal const& no_exact) {
  if (is_exact_in_any_order(value)) return every_level;
  if (settings.route == Route::generic)
    return {Reproducibility::run_to_run,
            {"the route generic runs Kokkos' own code"}};
  if (refusal) return {Reproducibility::run_to_run, refusal};
  return {Reproducibility::device_independent, no_exact};
}
inline constexpr Refusal only_sums_are_exact{
    "only sums, dot products, scans and segment sums of floating-point Views, "
    "called by name, can be exact"};
inline constexpr Refusal no_exact_scans{
    "only KokkosMMA::exclusive_scan and inclusive_scan have exact "
    "floating-point prefixes; segmented_reduce has exact sums"};
/// Levels of an operation without exact results in any execution space.
/// \param no_exact the reason
constexpr OfferedLevel without_exact(OfferedLevel offered,
                                     Settings const& settings,
                                     Refusal const& no_exact) {
  if (settings.reproducibility == Reproducibility::exact &&
      offered.level != Reproducibility::exact)
    offered.refusal = no_exact;
  return offered;
}

/// Why tensor cores cannot be used at the requested level, or none. Integer
/// sums are bitwise identical on every device; floating-point sums are not.
constexpr Refusal refuse_products(Scalar value, Settings const& settings) {
  if (settings.reproducibility == Reproducibility::run_to_run ||
      is_exact_in_any_order(value))
    return {};
  return {
      "tensor cores do not give the same bits on every device, which the level "
      "promises"};
}

/// Prints a warning if a scope or the environment requests a higher level than
/// the call offers, once per operation and level.
[[gnu::cold]] inline void report_level(char const* who, Reproducibility asked,
                                       OfferedLevel const& offered) {
  static std::mutex mutex;
  static std::string reported;
  std::lock_guard<std::mutex> const lock(mutex);
  std::string const name = concatenate(who, to_string(offered.level), '\n');
  if (reported.find(name) != std::string::npos) return;
  reported += name;
  std::fprintf(
      stderr,
      "KokkosMMA: %s: level %s was requested, the call has level %s: %s\n", who,
      std::string(to_string(asked)).c_str(),
      std::string(to_string(offered.level)).c_str(),
      to_string(offered.refusal).c_str());
}

/// The effective settings of a call, with its level lowered to the offered one.
/// Throws if the call itself requests more than that.
inline Settings settle_level(char const* who, Settings const& call,
                             OfferedLevel const& offered) {
  if (call.reproducibility > offered.level)
    invalid_argument(
        who, "level ", to_string(call.reproducibility),
        " was requested and is not available: ", to_string(offered.refusal),
        "; request ", to_string(offered.level));
  Settings settings = effective_settings(call);
  if (settings.reproducibility > offered.level) {
    report_level(who, settings.reproducibility, offered);
    settings.reproducibility = offered.level;
  }
  return settings;
}

/// Whether a call that offers `exact` runs at it. Hosts also do so for
/// `device_independent`, since they add in another order than devices.
constexpr bool is_to_be_exact(Reproducibility level, bool on_host) {
  return on_host ? level != Reproducibility::run_to_run
                 : level == Reproducibility::exact;
}

/// Handles an exact result that is temporarily unavailable. Throws if the call
/// itself requests a higher level than `left`; warns once if a scope or the
/// environment does.
[[gnu::cold]] inline void refuse_exact(char const* who, Settings const& call,
                                       Reproducibility left,
                                       Refusal const& refusal) {
  if (call.reproducibility > left)
    throw std::runtime_error(concatenate(
        who, ": exact sums are not available: ", to_string(refusal)));
  report_level(who, Reproducibility::exact, {left, refusal});
}

/// Throws if Kokkos' own code `ran` although the requested level needs a kernel
/// of this library. Causes: no device memory for scratch, or a captured stream
/// and a result on the host.
inline void check_level_of_run(char const* who, Settings const& call,
                               RouteDecision const& decided, Route ran,
                               Scalar value) {
  if (call.reproducibility != Reproducibility::run_to_run &&
      decided.route != Route::generic && !is_exact_in_any_order(value) &&
      ran == Route::generic)
    throw std::runtime_error(concatenate(
        who, ": level ", to_string(call.reproducibility),
        " is not available: the device has no memory left for scratch, or the "
        "stream is captured and the result goes to the host"));
}

/// Note of explain() on the level; empty if no level is requested.
[[gnu::cold]] inline std::string level_note(Settings const& settings,
                                            OfferedLevel const& offered) {
  if (settings.reproducibility == Reproducibility::run_to_run) return {};
  if (settings.reproducibility <= offered.level)
    return concatenate("; level ", to_string(offered.is_cheaper_in_fixed_order
                                                 ? settings.reproducibility
                                                 : offered.level));
  return concatenate("; level ", to_string(offered.level), ", not ",
                     to_string(settings.reproducibility), ": ",
                     to_string(offered.refusal));
}

/// Note of explain() on errors in environment variables; empty if there are
/// none.
[[gnu::cold]] inline std::string environment_note() {
  std::string text;
  for (std::string const& error :
       {environment_route().error, environment_level().error})
    if (!error.empty()) text += "; " + error;
  return text;
}

/// Decides for a call that sets no route. A route of a scope or the environment
/// is used if it can run; otherwise `auto` decides.
template <class Decide>
RouteDecision decide_wish(Settings const& settings, Decide const& decide) {
  // One use of `decide`, so that it is compiled once.
  RouteDecision decision;
  for (Settings wish = settings;; wish.route = Route::automatic) {
    decision = decide(wish);
    if (!refusal_of(decision) || wish.route == Route::automatic) break;
  }
  decision.asked = settings.route;
  return decision;
}

/// Decides for a call with its own settings. Throws if its route or level is
/// not available.
template <class Decide>
RouteDecision decide_call(char const* who, Settings const& call,
                          Decide const& decide,
                          OfferedLevel const& offered = run_to_run_only) {
  Settings const settings = settle_level(who, call, offered);
  if (call.route == Route::automatic) return decide_wish(settings, decide);
  RouteDecision const decision = decide(settings);
  check_route(who, decision);
  return decision;
}

/// Decision of decide_call() as a sentence.
template <class Decide>
std::string explain_call(Settings const& call, Decide const& decide,
                         OfferedLevel const& offered = run_to_run_only) {
  Settings settings      = effective_settings(call);
  std::string const note = level_note(settings, offered);
  if (settings.reproducibility > offered.level)
    settings.reproducibility = offered.level;
  return to_string(call.route == Route::automatic
                       ? decide_wish(settings, decide)
                       : decide(settings)) +
         note + environment_note();
}

}  // namespace KokkosMMA::Impl

#endif
