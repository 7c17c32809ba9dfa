// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the examples make of their arguments. Plain C++20.

#ifndef EXAMPLES_COMMON_COMMAND_LINE_HPP
#define EXAMPLES_COMMON_COMMAND_LINE_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

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

inline double number_option(std::string const& name, std::string const& text,
                            double lowest, double highest) {
  double value             = 0;
  char const* const end    = text.data() + text.size();
  auto const [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end ||
      !(value >= lowest && value <= highest)) {
    char range[64];
    std::snprintf(range, sizeof(range), "%g to %g", lowest, highest);
    throw InputError(name + " " + in_quotes(text) + ": give a number from " +
                     range);
  }
  return value;
}

// The words of a command line. Removes them from argv, except the program's
// name and the options that begin with --kokkos-, which Kokkos reads.
class Arguments {
 public:
  Arguments(int& argc, char** argv)
      : m_left(argc), m_argc(argc), m_argv(argv), m_kept(argc > 0 ? 1 : 0) {}

  // The next option; false at the end. --option=value is --option value. What
  // is no option is an operand, and so is everything after --.
  bool next(std::string& option) {
    if (m_has_value) {
      throw InputError(m_name + " takes no value, and was given " +
                       in_quotes(m_value));
    }
    while (++m_at < m_argc) {
      std::string word = m_argv[m_at];
      if (m_only_operands || !is_option(word)) {
        m_operands.push_back(std::move(word));
      } else if (word == "--") {
        m_only_operands = true;
      } else if (word.starts_with("--kokkos-")) {
        m_argv[m_kept++] = m_argv[m_at];
      } else {
        m_word                   = word;
        std::size_t const equals = word.find('=');
        m_has_value              = equals != word.npos;
        if (m_has_value) m_value = word.substr(equals + 1);
        option = m_name = word.substr(0, equals);
        return true;
      }
    }
    if (m_kept < m_argc) m_argv[m_kept] = nullptr;
    m_left = m_kept;
    return false;
  }

  // Of the option that next() gave.
  std::string value() {
    if (m_has_value) {
      m_has_value = false;
      return m_value;
    }
    if (m_at + 1 >= m_argc) {
      throw InputError(m_name + " needs a value, see --help");
    }
    return m_argv[++m_at];
  }

  std::int64_t integer(std::int64_t lowest, std::int64_t highest) {
    return integer_option(m_name, value(), lowest, highest);
  }

  [[noreturn]] void refuse() const {
    throw InputError("unknown option " + in_quotes(m_word) +
                     "; --help lists the options");
  }

  // For a program without operands.
  void refuse_operands() const {
    if (!m_operands.empty()) {
      throw InputError("unknown argument " + in_quotes(m_operands[0]) +
                       "; --help lists the options");
    }
  }

  // After the last option, or between options.
  std::vector<std::string> const& operands() const { return m_operands; }

  // For a program with one operand; empty when there is none.
  std::string operand(std::string const& plural) const {
    if (m_operands.size() > 1) {
      throw InputError("two " + plural + ", " + in_quotes(m_operands[0]) +
                       " and " + in_quotes(m_operands[1]) + "; give one");
    }
    return m_operands.empty() ? "" : m_operands[0];
  }

 private:
  // -5 is a number, - a name.
  static bool is_option(std::string_view word) {
    return word.size() > 1 && word[0] == '-' &&
           !(word[1] >= '0' && word[1] <= '9');
  }

  int& m_left;
  int m_argc;
  char** m_argv;
  int m_kept;
  int m_at = 0;
  std::string m_word;
  std::string m_name;
  std::string m_value;
  bool m_has_value     = false;
  bool m_only_operands = false;
  std::vector<std::string> m_operands;
};

#endif
