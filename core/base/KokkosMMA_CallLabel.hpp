// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CALL_LABEL_HPP
#define KOKKOSMMA_CALL_LABEL_HPP

#include <cstddef>
#include <string>
#include <string_view>

/// \file
/// Readable labels of calls. Kokkos labels an unlabelled call with the type of
/// its functor, and with a work tag "functor/tag". The type of a lambda has a
/// line or more. Formats of type names: Kokkos 4.6, nvcc 13.0 and g++ 12.

namespace KokkosMMA::Impl {

/// Text without the outermost `open` ... `close` groups. A text with an `open`
/// that nothing closes, such as "x < 1", stays.
inline std::string without_brackets(std::string_view text, char open,
                                    char close) {
  std::string rest;
  int depth = 0;
  for (char const c : text) {
    if (c == open) ++depth;
    if (depth == 0) rest += c;
    if (c == close && depth > 0) --depth;
  }
  return depth == 0 ? rest : std::string(text);
}

/// Qualified name of a function or type without template arguments.
inline std::string bare_name(std::string_view name) {
  return without_brackets(without_brackets(name, '<', '>'), '(', ')');
}

/// End of the template argument that begins at `at`.
inline std::size_t end_of_argument(std::string_view text, std::size_t at) {
  for (int depth = 0; at < text.size(); ++at) {
    char const c = text[at];
    if (depth == 0 && (c == ',' || c == '>')) break;
    depth += (c == '<' || c == '(') - (c == '>' || c == ')');
  }
  return at;
}

/// Removes the names of anonymous namespaces.
inline void erase_unnamed(std::string& text) {
  for (std::string_view const name :
       {"_GLOBAL__N__", "{anonymous}", "(anonymous namespace)"})
    for (std::size_t at; (at = text.find(name)) != std::string::npos;) {
      std::size_t const end = text.find("::", at);
      if (end == std::string::npos) break;
      text.erase(at, end + 2 - at);
    }
}

/// "solve lambda#1" for the type of an extended lambda of nvcc, which is
/// __nv_dl_wrapper_t<__nv_dl_tag<TYPE, solve, 1>, ...>; other texts unchanged.
inline std::string name_of_extended_lambda(std::string const& text) {
  std::string_view const tag = "__nv_dl_tag<";
  std::size_t const at       = text.find(tag);
  if (text.rfind("__nv_", 0) != 0 || at == std::string::npos) return text;
  std::size_t const name =
      text.find_first_not_of(",& (", end_of_argument(text, at + tag.size()));
  std::size_t const number = end_of_argument(text, name);
  std::size_t const end    = end_of_argument(text, number + 1);
  // A work tag may follow the type.
  std::size_t rest = text.find('<') + 1;
  for (; (rest = end_of_argument(text, rest)) < text.size(); ++rest)
    if (text[rest] == '>') break;
  if (!(name < number && number + 2 <= end && end <= rest &&
        rest < text.size()))
    return text;
  return bare_name(text.substr(name, number - name)) + " lambda#" +
         text.substr(number + 2, end - number - 2) + text.substr(rest + 1);
}

/// Functor of CombinedFunctorReducer<functor, reducer>, the type that labels an
/// unlabelled reduction, with the work tag that follows; other texts unchanged.
inline std::string without_reducer(std::string const& text) {
  std::string_view const pair = "CombinedFunctorReducer<";
  std::size_t const at        = text.find(pair);
  if (at == std::string::npos || text.find('<') < at) return text;
  std::size_t const functor = at + pair.size();
  std::size_t const end     = end_of_argument(text, functor);
  std::size_t rest          = end;
  for (; rest < text.size() && text[rest] != '>';)
    rest = end_of_argument(text, rest + 1);
  if (rest >= text.size()) return text;
  return text.substr(functor, end - functor) + text.substr(rest + 1);
}

/// Label of at most `width` characters. The application's own label stays; a
/// type becomes its name, without template arguments if they make it too long.
/// A longer result loses its middle.
inline std::string short_label(std::string const& label, std::size_t width) {
  std::string text = label;
  erase_unnamed(text);
  text = name_of_extended_lambda(without_reducer(text));
  if (std::size_t const lambda = text.find("::<lambda(");
      lambda != std::string::npos)
    text = bare_name(text.substr(0, lambda)) + "::lambda";
  if (std::string const bare = bare_name(text);
      text.size() > width && !bare.empty())
    text = bare;
  if (text.size() <= width) return text;
  std::size_t const back = (width - 3) / 2;
  return text.substr(0, width - 3 - back) + "..." +
         text.substr(text.size() - back);
}

}  // namespace KokkosMMA::Impl

#endif
