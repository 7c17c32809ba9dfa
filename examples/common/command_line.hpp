// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the examples make of their arguments. Plain C++20.

#ifndef EXAMPLES_COMMON_COMMAND_LINE_HPP
#define EXAMPLES_COMMON_COMMAND_LINE_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

// What the user gave is wrong; the text names it and says what to do.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Printable whatever the text holds. What comes out of a file may be of any
// length: give `longest` there.
inline std::string in_quotes(std::string_view text,
                             std::size_t longest = std::string_view::npos) {
  std::string result = "'";
  for (char const character : text.substr(0, longest)) {
    auto const byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte < 0x7f) {
      result += character;
    } else {
      char const* const digits = "0123456789abcdef";
      result += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
  }
  return result + (text.size() > longest ? "...'" : "'");
}

inline bool parse_integer(std::string_view text, std::int64_t lowest,
                          std::int64_t highest, std::int64_t& value) {
  char const* const end    = text.data() + text.size();
  auto const [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && value >= lowest &&
         value <= highest;
}

inline std::int64_t integer_option(std::string const& name,
                                   std::string const& text, std::int64_t lowest,
                                   std::int64_t highest) {
  std::int64_t value = 0;
  if (!parse_integer(text, lowest, highest, value)) {
    throw InputError(name + " " + in_quotes(text) + ": give an integer from " +
                     std::to_string(lowest) + " to " + std::to_string(highest));
  }
  return value;
}

// The words of a command line, one after the other.
class Arguments {
 public:
  Arguments(int argc, char** argv) : m_argc(argc), m_argv(argv) {}

  // The next word that is not for Kokkos; false at the end.
  bool next(std::string& word) {
    while (++m_at < m_argc) {
      word = m_argv[m_at];
      if (!word.starts_with("--kokkos-")) {
        m_name = word;
        return true;
      }
    }
    return false;
  }

  // What follows the option that next() gave.
  std::string value() {
    if (m_at + 1 >= m_argc) {
      throw InputError(m_name + " needs a value, see --help");
    }
    return m_argv[++m_at];
  }

  std::int64_t integer(std::int64_t lowest, std::int64_t highest) {
    return integer_option(m_name, value(), lowest, highest);
  }

  [[noreturn]] void refuse() const {
    throw InputError("unknown option " + in_quotes(m_name) +
                     "; --help lists the options");
  }

 private:
  int m_argc;
  char** m_argv;
  int m_at = 0;
  std::string m_name;
};

#endif
