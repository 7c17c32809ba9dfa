// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ASKED_ROUTE_HPP
#define KOKKOSMMA_ASKED_ROUTE_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Tuning tools may choose the route of a reduction or a scan, among those that
/// can run.

namespace KokkosMMA::Impl {

/// Query to a tool: the properties of a call and its candidate routes.
struct RouteQuestion {
  char const* operation = "";  ///< "reduce" or "scan"
  Scalar input          = Scalar::opaque;
  std::uint64_t size    = 0;
  Route preferred       = Route::generic;
  bool mma              = false;  ///< whether mma can run
  bool streamed         = false;

  /// Whether a route can run; `generic` always can.
  constexpr bool can_run(Route route) const {
    return route == Route::generic || (route == Route::mma && mma) ||
           (route == Route::streamed && streamed);
  }
  constexpr bool is_open() const { return mma || streamed; }
};

/// Query for a call. It is open only if no route or level was requested.
/// Candidates are all routes that can run, preferred or not.
template <class Problem>
RouteQuestion route_question(Problem const& problem,
                             Capability const& capability,
                             Settings const& settings,
                             RouteDecision const& decision) {
  RouteQuestion question{
      std::is_same_v<Problem, ReduceProblem> ? "reduce" : "scan", problem.input,
      problem.size, decision.route};
  if (settings.route == Route::automatic &&
      settings.reproducibility == Reproducibility::run_to_run) {
    question.mma      = !refuse_mma(problem, capability, settings);
    question.streamed = !refuse_streamed(problem, capability);
  }
  return question;
}

/// Route that `Tools` chooses for a query. The tool's context lasts from before
/// the launch until after it. An answer that is no candidate is ignored.
/// \tparam Tools begin(question) returns a context, 0 without a tool;
///               choose(context, question) returns a route as a number;
///               end(context)
template <class Tools>
class AskedRoute {
 public:
  AskedRoute(Tools tools, RouteQuestion const& question)
      : m_tools(tools), m_route(question.preferred) {
    if (!question.is_open()) return;
    m_context = m_tools.begin(question);
    if (m_context == 0) return;
    std::int64_t const answer = m_tools.choose(m_context, question);
    for (Route const route : {Route::generic, Route::streamed, Route::mma})
      if (answer == static_cast<std::int64_t>(route) && question.can_run(route))
        m_route = route;
  }
  ~AskedRoute() {
    if (m_context != 0) m_tools.end(m_context);
  }
  AskedRoute(AskedRoute const&)            = delete;
  AskedRoute& operator=(AskedRoute const&) = delete;

  Route route() const { return m_route; }

 private:
  Tools m_tools;
  std::size_t m_context = 0;
  Route m_route;
};

/// Functions of a tuning tool, as for AskedRoute.
struct RouteTool {
  std::size_t (*begin)(RouteQuestion const&);
  std::int64_t (*choose)(std::size_t context, RouteQuestion const&);
  void (*end)(std::size_t context);
};

}  // namespace KokkosMMA::Impl

#endif
