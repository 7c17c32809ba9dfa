// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_DECISION_HPP
#define KOKKOSMMA_ROUTE_DECISION_HPP

#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_EnvironmentChoice.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>

/// \file
/// Common code of the route functions, which choose the route of a call.

namespace KokkosMMA::Impl {

/// "reason (source)".
[[gnu::cold]] inline std::string to_string(Refusal const& refusal) {
  std::string text(refusal.reason);
  if (!refusal.source.empty())
    text.append(" (").append(refusal.source).append(")");
  return text;
}

/// `text` followed by the reasons of a decision. A reason common to both routes
/// is printed once.
[[gnu::cold]] inline std::string with_reasons(std::string text,
                                              RouteDecision const& decision) {
  if (decision.mma && decision.mma.reason == decision.streamed.reason)
    return text + "; neither mma nor streamed: " + to_string(decision.mma);
  if (decision.mma) text += "; not mma: " + to_string(decision.mma);
  if (decision.streamed)
    text += "; not streamed: " + to_string(decision.streamed);
  return text;
}

/// Text of a decision: its route, then its reasons.
[[gnu::cold]] inline std::string to_string(RouteDecision const& decision) {
  std::string text("route ");
  text += to_string(decision.route);
  if (decision.asked != Route::automatic && decision.asked != decision.route)
    text.append(" (").append(to_string(decision.asked)) += " was requested)";
  return with_reasons(text, decision);
}

/// Throws for a forced route that cannot run.
inline void check_route(char const* who, RouteDecision const& decision) {
  Refusal const refusal = refusal_of(decision);
  if (refusal)
    invalid_argument(who, "route ", to_string(decision.asked),
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
    "only KokkosMMA:: sums, dot products, scans and segment sums of "
    "floating-point Views can be exact"};
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
      "results of tensor cores are not bitwise identical on all devices, which "
      "the level requires"};
}

/// Whether scans and sums of equal segments can run on tensor cores: only for
/// half, as in the papers (docs/developers/papers.md). GB/s without and with
/// tensor cores, 2^28 elements (H200, 2026-11-21): scans of float 3755 3625,
/// int8 3460 3412, double 3754 3223, int32 3730 3487, int64 3755 2741; sums of
/// segments of 64 float 4377 4293, int8 3869 3718, of 1024 float 4514 4425,
/// int8 4035 4056. Bhalf gains too little for a kernel: segments of 4096 4067
/// 4366, of 8192 4130 4353, of 1024 nothing (H200, 2026-11-30).
constexpr bool is_input_of_papers(Scalar input, Scalar accumulator) {
  return input == Scalar::half && accumulator == Scalar::float32;
}
inline constexpr Refusal only_half_elements{
    "tensor cores scan, and sum segments of equal length, only half elements "
    "in float"};

/// Warns that a call has a lower level than `asked`, once per operation and
/// offered level.
[[gnu::cold]] inline void report_level(char const* who, Reproducibility asked,
                                       OfferedLevel const& offered) {
  static std::mutex mutex;
  // Never destroyed: a destructor at exit of the process may run a call.
  static std::string& reported = *new std::string;
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

/// Warns once if a Kokkos call does not have the requested level: the results
/// of Kokkos' own code depend on the device, and an opaque functor may do
/// anything with its value.
[[gnu::cold]] inline void report_level_of(char const* pattern,
                                          Settings const& settings,
                                          Scalar value,
                                          RouteDecision const& decision) {
  if (is_exact_in_any_order(value)) return;
  OfferedLevel offered{
      Reproducibility::device_independent,
      {"the library cannot see whether a functor only adds to its value; "
       "compile the source with KOKKOSMMA_EXACT_FUNCTORS to state it"}};
  if (decision.route == Route::generic) {
    offered.level   = Reproducibility::run_to_run;
    offered.refusal = decision.streamed;
    if (!offered.refusal)
      offered.refusal = {"the route generic runs Kokkos' own code"};
  }
  if (settings.reproducibility > offered.level)
    report_level(pattern, settings.reproducibility, offered);
}

/// Throws if a call's own settings are no enumerators. Names are looked up by
/// them.
inline void check_settings(char const* who, Settings const& call) {
  if (call.route > Route::mma)
    invalid_argument(who, "the route of the settings is ", int(call.route),
                     "; routes are automatic, generic, streamed and mma");
  if (call.reproducibility > Reproducibility::exact)
    invalid_argument(who, "the level of the settings is ",
                     int(call.reproducibility),
                     "; levels are run_to_run, device_independent and exact");
}

/// The effective settings of a call, with its level lowered to the offered one.
/// Throws if the call itself requests more than that.
inline Settings settle_level(char const* who, Settings const& call,
                             OfferedLevel const& offered) {
  check_settings(who, call);
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

/// Whether a call that offers `exact` runs at it. On a host it also does so for
/// `device_independent`: hosts add in another order than devices.
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

/// Note of explain() on the level; empty at level run_to_run.
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

/// A call that is decided and not yet launched.
struct CallPlan {
  Settings settings;  ///< effective, with the level that the call gets
  RouteDecision decision;
};

/// Chooses level and route of a call with its own settings. Throws if the route
/// or level that these request is not available. A route that a scope or the
/// environment requests is used if it can run.
/// \param decide route function, as a callable of Settings
template <class Decide>
CallPlan decide_call(char const* who, Settings const& call,
                     Decide const& decide,
                     OfferedLevel const& offered = run_to_run_only) {
  Settings const settings = settle_level(who, call, offered);
  CallPlan const plan{settings, decide(settings)};
  if (call.route != Route::automatic) check_route(who, plan.decision);
  return plan;
}

/// Text of the decision of decide_call().
template <class Decide>
std::string explain_call(Settings const& call, Decide const& decide,
                         OfferedLevel const& offered = run_to_run_only) {
  Settings settings      = effective_settings(call);
  std::string const note = level_note(settings, offered);
  if (settings.reproducibility > offered.level)
    settings.reproducibility = offered.level;
  RouteDecision const decision = decide(settings);
  bool const fails = call.route != Route::automatic && refusal_of(decision);
  return (fails ? with_reasons(concatenate("no route: ", to_string(call.route),
                                           " was requested and cannot run"),
                               decision)
                : to_string(decision)) +
         note + environment_note();
}

}  // namespace KokkosMMA::Impl

#endif
