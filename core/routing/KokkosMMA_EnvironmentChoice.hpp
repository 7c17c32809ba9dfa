// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ENVIRONMENT_CHOICE_HPP
#define KOKKOSMMA_ENVIRONMENT_CHOICE_HPP

#include <core/routing/KokkosMMA_Reproducibility.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

/// \file
/// Environment variables that are one of several words. They are read once, so
/// that an application which changes its environment does not change routes
/// between calls. The first call reads them, or with the drop-in, code before
/// main; errors are printed then.

namespace KokkosMMA::Impl {

/// Value of a variable. An empty one counts as unset. An invalid one is
/// reported and ignored.
template <class T>
struct EnvironmentChoice {
  T value{};
  std::string error{};  ///< empty: none
};

/// \param kind what an invalid text is not, or empty
template <class T>
[[gnu::cold]] EnvironmentChoice<T> parse_variable(
    char const* variable, std::string_view text, std::string_view kind,
    std::initializer_list<T> values) {
  if (text.empty()) return {};
  std::string error(variable);
  error.append("=\"").append(text).append("\" is ").append(kind);
  error += "ignored; set it to ";
  for (T const& value : values) {
    if (text == to_string(value)) return {value};
    if (&value != values.begin())
      error += &value + 1 == values.end() ? " or " : ", ";
    error += to_string(value);
  }
  return {T(), error};
}
template <class T>
[[gnu::cold]] EnvironmentChoice<T> read_variable(
    char const* variable, EnvironmentChoice<T> (*parse)(std::string_view)) {
  char const* const text    = std::getenv(variable);
  EnvironmentChoice<T> read = parse(text ? text : "");
  if (!read.error.empty())
    std::fprintf(stderr, "KokkosMMA: %s\n", read.error.c_str());
  return read;
}

inline EnvironmentChoice<Route> parse_route(std::string_view text) {
  return parse_variable(
      "KOKKOSMMA_ROUTE", text, "not a route and is ",
      {Route::automatic, Route::generic, Route::streamed, Route::mma});
}
inline EnvironmentChoice<Route> const& environment_route() {
  static auto const once = read_variable("KOKKOSMMA_ROUTE", &parse_route);
  return once;
}

inline EnvironmentChoice<Reproducibility> parse_level(std::string_view text) {
  return parse_variable(
      "KOKKOSMMA_REPRODUCIBILITY", text, "not a level and is ",
      {Reproducibility::run_to_run, Reproducibility::device_independent,
       Reproducibility::exact});
}
inline EnvironmentChoice<Reproducibility> const& environment_level() {
  static auto const once =
      read_variable("KOKKOSMMA_REPRODUCIBILITY", &parse_level);
  return once;
}

}  // namespace KokkosMMA::Impl

#endif
