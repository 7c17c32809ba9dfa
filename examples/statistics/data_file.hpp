// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a data file: text numbers, or raw little endian values. Plain C++20.

#ifndef STATISTICS_DATA_FILE_HPP
#define STATISTICS_DATA_FILE_HPP

#include "../common/command_line.hpp"
#include "../common/files.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

// Numbers separated by white space; the rest of a line after # is a comment.
template <class Value>
std::vector<Value> parse_text(std::string const& bytes, std::string const& path,
                              long skipped_lines) {
  char const* const type =
      std::is_same_v<Value, float> ? "a float" : "a double";
  std::vector<Value> values;
  std::size_t position   = 0;
  std::size_t line_start = 0;
  long line              = 1;
  while (position < bytes.size()) {
    if (bytes[position] == '\n') {
      ++line;
      line_start = ++position;
      continue;
    }
    if (line <= skipped_lines || bytes[position] == '#') {
      position = std::min(bytes.find('\n', position), bytes.size());
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(bytes[position]))) {
      ++position;
      continue;
    }
    std::size_t const token_end =
        std::min(bytes.find_first_of(" \t\r\n\v\f#", position), bytes.size());
    std::string const token = bytes.substr(position, token_end - position);
    auto const refuse       = [&](std::string const& why) {
      throw InputError(in_quotes(path) + ", line " + std::to_string(line) +
                             ", column " + std::to_string(position - line_start + 1) +
                             ": " + in_quotes(token, 40) + " " + why);
    };
    // strtod would also accept hexadecimal numbers, "nan" and "inf".
    char* end    = nullptr;
    double value = 0;
    if (token.find_first_not_of("0123456789+-.eE") == std::string::npos) {
      value = std::is_same_v<Value, float> ? std::strtof(token.c_str(), &end)
                                           : std::strtod(token.c_str(), &end);
    }
    if (end != token.c_str() + token.size()) {
      refuse(
          "is not a finite decimal number; correct it, put # before a comment, "
          "pass --skip-lines N when the file starts with a header, or --raw "
          "when it holds raw values");
    }
    if (!std::isfinite(value)) {
      refuse(std::string("is too large for ") + type +
             (std::is_same_v<Value, float> ? "; leave --float out, or scale it"
                                           : "; scale the data"));
    }
    values.push_back(static_cast<Value>(value));
    position = token_end;
  }
  return values;
}

template <class Value>
std::vector<Value> parse_raw(std::string const& bytes,
                             std::string const& path) {
  bool constexpr is_float = std::is_same_v<Value, float>;
  if (bytes.size() % sizeof(Value) != 0) {
    throw InputError(in_quotes(path) + " has " + std::to_string(bytes.size()) +
                     " bytes, which is not a multiple of the " +
                     std::to_string(sizeof(Value)) + " bytes of a " +
                     (is_float ? "float; leave --float out if it holds doubles"
                               : "double; add --float if it holds floats") +
                     ", or --raw if it holds text");
  }
  std::vector<Value> values(bytes.size() / sizeof(Value));
  for (std::size_t i = 0; i < values.size(); ++i) {
    char element[sizeof(Value)];
    std::copy_n(bytes.data() + i * sizeof(Value), sizeof(Value), element);
    if constexpr (std::endian::native == std::endian::big) {
      std::reverse(element, element + sizeof(Value));
    }
    std::memcpy(&values[i], element, sizeof(Value));
    if (!std::isfinite(values[i])) {
      throw InputError(in_quotes(path) + ": element " + std::to_string(i) +
                       " is " + std::to_string(values[i]) +
                       ", not a finite number; remove it from the data, or " +
                       (is_float ? "leave --float out if the file holds doubles"
                                 : "add --float if the file holds floats"));
    }
  }
  return values;
}

#endif
