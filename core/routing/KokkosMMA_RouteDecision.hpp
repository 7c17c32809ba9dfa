// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_DECISION_HPP
#define KOKKOSMMA_ROUTE_DECISION_HPP

#include <core/routing/KokkosMMA_Settings.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

/// \file
/// What the route functions of all operations have in common.

namespace KokkosMMA::Impl {

/// Why a route does not take a problem, and where the limit comes from.
struct Refusal {
  std::string_view reason;  ///< empty: not refused
  std::string_view source;  ///< where the limit or the number comes from

  /// Whether there is a reason.
  constexpr explicit operator bool() const { return !reason.empty(); }
};

/// A row of a table of refusals.
struct RefusalRule {
  bool applies;
  Refusal refusal;
};

/// The refusal of the first rule that applies, or none.
constexpr Refusal first_refusal(std::initializer_list<RefusalRule> rules) {
  for (RefusalRule const& rule : rules)
    if (rule.applies) return rule.refusal;
  return {};
}

// Refusals of several operations.
inline constexpr Refusal not_cuda{"the execution space is not Cuda",
                                  "docs/routes.md"};
inline constexpr Refusal no_tensor_cores{
    "the device has no usable tensor cores (compute capability below 8.0)",
    "PTX ISA, mma target notes"};
inline constexpr Refusal no_async_copy{
    "the device cannot copy to shared memory asynchronously (compute "
    "capability below 8.0)",
    "PTX ISA, cp.async"};
inline constexpr Refusal is_graph_node{
    "the call is a graph node", "Kokkos casts a node to its own kernel class"};
inline constexpr Refusal no_fixed_size{
    "the value has no fixed size", "arrays whose length is known at run time"};
inline constexpr Refusal too_large_value{"the value is larger than 64 bytes",
                                         "max_value_bytes"};
inline constexpr Refusal too_large_functor{
    "functor and reducer are larger than 32400 bytes", "kernel argument limit"};
inline constexpr Refusal opaque_functor{
    "the functor is opaque: its data cannot be loaded into fragments",
    "docs/routes.md"};
inline constexpr Refusal no_encoding{"the element type has no encoding",
                                     "docs/routes.md"};

/// Largest value of the `streamed` route: a block keeps one per warp in shared
/// memory and a partial per block in scratch.
inline constexpr std::size_t max_value_bytes = 64;

/// A kernel has 32764 bytes of arguments (CUDA 12.1, compute capability 7.0);
/// some hundred are for what our kernels need besides. What is larger Kokkos
/// moves through global memory.
inline constexpr std::size_t max_functor_bytes = 32400;

/// A route and why the faster ones were refused.
struct RouteDecision {
  Route route = Route::generic;  ///< what runs
  /// What a scope or the environment asked for; `automatic` if nothing.
  Route asked = Route::automatic;
  Refusal mma;       ///< empty when the route is mma
  Refusal streamed;  ///< empty when the route is mma or streamed
};

/// The refusal of the route that was chosen: empty unless it was forced.
constexpr Refusal refusal_of(RouteDecision const& decision) {
  return decision.route == Route::mma        ? decision.mma
         : decision.route == Route::streamed ? decision.streamed
                                             : Refusal{};
}

/// The decision from what each route refuses. `asked` is a forced route or
/// `automatic`, which never fails.
/// \param preference why `auto` passes over an mma that can run, or none. It
/// yields to a route that can run, and a forced mma never meets it
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

/// The decision as a sentence for a person: what runs. An order that cannot be
/// followed runs nothing.
[[gnu::cold]] inline std::string to_string(RouteDecision const& decision) {
  std::string text;
  if (refusal_of(decision)) {
    text = "no route: ";
    text += to_string(decision.route);
    text += " was asked for and cannot run";
  } else {
    text = "route ";
    text += to_string(decision.route);
    if (decision.asked != Route::automatic &&
        decision.asked != decision.route) {
      text += " (";
      text += to_string(decision.asked);
      text += " was asked for)";
    }
  }
  auto const explain = [&](Route route, Refusal const& refusal) {
    if (!refusal) return;
    text += "; not ";
    text += to_string(route);
    text += ": ";
    text += refusal.reason;
    text += " (";
    text += refusal.source;
    text += ")";
  };
  explain(Route::mma, decision.mma);
  explain(Route::streamed, decision.streamed);
  return text;
}

/// Refuses a forced route that cannot run.
inline void check_route(char const* who, RouteDecision const& decision) {
  Refusal const refusal = refusal_of(decision);
  if (refusal)
    invalid_argument(who, "route ", to_string(decision.route),
                     " was asked for but cannot run: ", refusal.reason, " (",
                     refusal.source, "); use route auto or generic");
}

/// A decision where the route is a wish of a scope or of the environment: they
/// ask for it wherever it can run, and no call fails because of them.
template <class Decide>
RouteDecision decide_wish(Settings const& settings, Decide const& decide) {
  // `decide` stands once, where it is compiled once.
  RouteDecision decision;
  for (Settings wish = settings;; wish.route = Route::automatic) {
    decision = decide(wish);
    if (!refusal_of(decision) || wish.route == Route::automatic) break;
  }
  decision.asked = settings.route;
  return decision;
}

/// The decision for a call with settings of its own, whose route is an order.
template <class Decide>
RouteDecision decide_call(char const* who, Settings const& call,
                          Decide const& decide) {
  if (call.route == Route::automatic)
    return decide_wish(effective_settings(call), decide);
  RouteDecision const decision = decide(effective_settings(call));
  check_route(who, decision);
  return decision;
}

/// What decide_call would do, as a sentence.
template <class Decide>
std::string explain_call(Settings const& call, Decide const& decide) {
  Settings const settings = effective_settings(call);
  return to_string(call.route == Route::automatic
                       ? decide_wish(settings, decide)
                       : decide(settings)) +
         environment_note();
}

}  // namespace KokkosMMA::Impl

#endif
