// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CALL_LABEL_HPP
#define KOKKOSMMA_CALL_LABEL_HPP

#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

/// \file
/// Labels of calls for people. The default label of a call in Kokkos is
/// typeid(Functor).name(), with a work tag "functor/tag": of a lambda that is a
/// line or more.

namespace KokkosMMA::Impl {

/// The C++ name of a mangled type, or nothing for other texts. A single letter
/// would be the name of a built-in type, and is a label.
[[gnu::cold]] inline std::string demangled_type(std::string const& text) {
#if __has_include(<cxxabi.h>)
  auto const first = text.size() < 4 ? '\0' : text[0];
  if (first == 'N' || first == 'Z' || first == 'S' ||
      std::isdigit(static_cast<unsigned char>(first))) {
    int status = 0;
    char* const name =
        abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status);
    std::string const found = status == 0 && name ? name : "";
    std::free(name);
    return found;
  }
#else
  static_cast<void>(text);
#endif
  return {};
}

/// The text without what stands between `open` and `close`, and without them.
[[gnu::cold]] inline std::string without_brackets(std::string_view text,
                                                  char open, char close) {
  std::string rest;
  int depth = 0;
  for (char const c : text) {
    if (c == open) ++depth;
    if (depth == 0) rest += c;
    if (c == close && depth > 0) --depth;
  }
  return rest;
}

/// The qualified name in the declaration of a function or a type, without
/// template arguments, parameters and the type of the result.
[[gnu::cold]] inline std::string bare_name(std::string_view declaration) {
  std::string const name =
      without_brackets(without_brackets(declaration, '<', '>'), '(', ')');
  return name.substr(name.rfind(' ') + 1);
}

/// A demangled type as people write it: "solve lambda#1" for an extended lambda
/// of nvcc, whose type is __nv_dl_wrapper_t<__nv_dl_tag<..., &solve, 1u>, ...>,
/// and "main::lambda#1" for main::{lambda(int)#1}. CUDA 12.4 to 13.0, g++ 12.
[[gnu::cold]] inline std::string readable_type(std::string type) {
  auto const erase = [&type](std::string_view what) {
    for (std::size_t at; (at = type.find(what)) != std::string::npos;)
      type.erase(at, what.size());
  };
  erase("(anonymous namespace)::");
  std::string_view const tag = "__nv_dl_tag<";
  std::size_t const tag_at   = type.find(tag);
  std::size_t const function =
      tag_at == std::string::npos ? tag_at : type.find(", &", tag_at);
  if (function != std::string::npos) {
    std::size_t const begin = function + 3;
    std::size_t end         = begin;
    for (int depth = 0; end < type.size(); ++end) {
      char const c = type[end];
      depth += (c == '<' || c == '(') - (c == '>' || c == ')');
      if (depth == 0 && c == ',') break;
    }
    std::string name = type.substr(begin, end - begin);
    if (name.size() > 1 && name.front() == '(' && name.back() == ')')
      name = name.substr(1, name.size() - 2);
    std::string const number =
        type.substr(end, type.find('u', end) - end).erase(0, 2);
    return bare_name(name) + " lambda#" + number;
  }
  std::string_view const lambda = "{lambda(";
  for (std::size_t at; (at = type.find(lambda)) != std::string::npos;) {
    std::size_t const number = type.find('#', at);
    std::size_t const close  = type.find('}', at);
    if (number == std::string::npos || close == std::string::npos ||
        close < number)
      break;
    type.replace(at, close - at + 1,
                 "lambda" + type.substr(number, close - number));
  }
  return type;
}

/// A label in at most `width` characters: as the application gave it; of a
/// default label the name of the type, without template arguments where these
/// make it too long. What is still too long loses its middle.
[[gnu::cold]] inline std::string short_label(std::string const& label,
                                             std::size_t width) {
  std::string text = label;
  std::string tag;
  std::string type = demangled_type(label);
  if (std::size_t const slash = label.find('/');
      type.empty() && slash != std::string::npos) {
    type = demangled_type(label.substr(0, slash));
    tag  = demangled_type(label.substr(slash + 1));
    tag  = '/' + (tag.empty() ? label.substr(slash + 1) : readable_type(tag));
  }
  if (!type.empty()) {
    text = readable_type(type) + tag;
    if (text.size() > width)
      text = without_brackets(without_brackets(text, '<', '>'), '(', ')');
  }
  if (text.size() <= width) return text;
  std::size_t const back = (width - 3) / 2;
  return text.substr(0, width - 3 - back) + "..." +
         text.substr(text.size() - back);
}

}  // namespace KokkosMMA::Impl

#endif
