// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TUNING_FILE_HPP
#define KOKKOSMMA_TUNING_FILE_HPP

#include <core/routing/KokkosMMA_BuiltInTunings.hpp>
#include <core/base/KokkosMMA_Version.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

/// \file
/// Text format of a tuning table: a title with the version, then one `name
/// value` per line, every name of this version in its order, and a last line
/// `end`. Reading is strict, since a table with an error may be truncated or
/// meant for another version, and the built-in table is better than a guess.
/// Every error is a std::invalid_argument with the file, the line, the text
/// found and what must be there.

namespace KokkosMMA::Impl {

/// Table and its origin.
struct TuningFile {
  TuningTable table;   ///< the values
  TunedDevice device;  ///< where they were measured
  std::string date;    ///< YYYY-MM-DD
};

inline constexpr std::size_t max_tuning_bytes = 1 << 20;

[[gnu::cold]] inline std::string joined(
    std::initializer_list<std::string_view> texts) {
  std::string result;
  for (std::string_view const text : texts) result += text;
  return result;
}
/// First line of a table of this version.
[[gnu::cold]] inline std::string tuning_title() {
  return joined({"kokkos-mma ", std::to_string(KOKKOSMMA_VERSION_MAJOR), ".",
                 std::to_string(KOKKOSMMA_VERSION_MINOR), ".",
                 std::to_string(KOKKOSMMA_VERSION_PATCH), " tuning table"});
}
[[gnu::cold]] inline std::string to_text(TunedDevice const& device) {
  return joined({device.name, ", compute capability ",
                 std::to_string(device.compute_capability / 10), ".",
                 std::to_string(device.compute_capability % 10), ", ",
                 std::to_string(device.multiprocessors), " multiprocessors"});
}

[[gnu::cold]] inline std::string tuned_value_text(TuningEntry const& entry,
                                                  int value) {
  if (entry.is_flag()) return value ? "yes" : "no";
  return value == never ? "never" : std::to_string(value);
}

/// Parses digits without sign or spaces. False for other texts and for numbers
/// that do not fit.
[[gnu::cold]] inline bool parse_digits(std::string_view text, int& value) {
  if (text.empty() || text.size() > 9) return false;
  value = 0;
  for (char const c : text) {
    if (c < '0' || c > '9') return false;
    value = 10 * value + (c - '0');
  }
  return true;
}

/// Parser of one text. Every member throws with the line number.
class TuningReader {
 public:
  TuningReader(std::string_view text, std::string const& file)
      : m_rest(text), m_file(file) {}

  [[gnu::cold]] TuningFile read() {
    TuningFile result{};
    if (next_line() != tuning_title()) refuse({"\"", tuning_title(), "\""});
    result.device.name               = next("device");
    result.device.compute_capability = number("compute_capability");
    result.device.multiprocessors    = number("multiprocessors");
    result.date                      = next("date");
    for (TuningEntry const& entry : tuning_entries)
      result.table.*entry.value = parse(entry, next(entry.name));
    if (next_line() != "end" || !m_rest.empty())
      refuse({"a last line \"end\""});
    return result;
  }

 private:
  [[noreturn, gnu::cold]] void refuse(
      std::initializer_list<std::string_view> wanted) const {
    throw std::invalid_argument(
        joined({m_file, ": line ", std::to_string(m_number), " is \"", m_line,
                "\", and there must be ", joined(wanted),
                ": the table is damaged, or of another version; run "
                "kokkosmma-tune again"}));
  }

  /// Next line that is neither empty nor a comment; empty at the end and for a
  /// last line without a line feed, which is truncated.
  [[gnu::cold]] std::string_view next_line() {
    do {
      std::size_t const end = m_rest.find('\n');
      m_line                = m_rest.substr(0, end);
      ++m_number;
      if (end == m_rest.npos) return {};
      m_rest.remove_prefix(end + 1);
    } while (m_line.empty() || m_line.front() == '#');
    return m_line;
  }
  /// Value of the next line, which has this name.
  [[gnu::cold]] std::string_view next(std::string_view name) {
    std::string_view const line = next_line();
    if (line.size() < name.size() + 2 || line[name.size()] != ' ' ||
        line.substr(0, name.size()) != name)
      refuse({"\"", name, "\" and a value"});
    return line.substr(name.size() + 1);
  }
  [[gnu::cold]] int number(std::string_view name) {
    int value = 0;
    if (!parse_digits(next(name), value)) refuse({name, " and a whole number"});
    return value;
  }
  [[gnu::cold]] int parse(TuningEntry const& entry,
                          std::string_view text) const {
    if (entry.is_flag() && (text == "yes" || text == "no"))
      return text == "yes";
    if (entry.or_never && text == "never") return never;
    int value = 0;
    if (entry.is_flag() || !parse_digits(text, value) || !entry.allows(value))
      refuse({"one of the values allowed: ", entry.allowed()});
    return value;
  }

  std::string_view m_rest, m_line;
  std::string const& m_file;
  int m_number = 0;
};

/// Text of a table. \p notes become comments below the header, one per line.
inline std::string write_tuning(TuningFile const& file,
                                std::string const& notes = {}) {
  TunedDevice const& device = file.device;
  std::string text          = joined(
               {tuning_title(), "\ndevice ", device.name, "\ncompute_capability ",
                std::to_string(device.compute_capability), "\nmultiprocessors ",
                std::to_string(device.multiprocessors), "\ndate ", file.date, "\n"});
  for (std::size_t begin = 0; begin < notes.size();) {
    std::size_t const end = std::min(notes.find('\n', begin), notes.size());
    text += "# " + notes.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  for (TuningEntry const& entry : tuning_entries)
    text += joined({entry.name, " ",
                    tuned_value_text(entry, file.table.*entry.value), "\n"});
  return text + "end\n";
}

/// Reads a table from a file.
[[gnu::cold]] inline TuningFile read_tuning(std::string const& file) {
  errno = 0;
  std::string text(max_tuning_bytes, '\0');
  // Not <fstream>, which every source of an application would parse. fopen()
  // also opens a folder; reading it fails.
  std::FILE* const stream = std::fopen(file.c_str(), "rb");
  text.resize(stream ? std::fread(text.data(), 1, text.size(), stream) : 0);
  bool const failed = !stream || std::ferror(stream);
  int const error   = errno ? errno : EIO;
  if (stream) std::fclose(stream);
  if (failed)
    throw std::invalid_argument(joined(
        {file, ": cannot be read: ", std::generic_category().message(error),
         "; KOKKOSMMA_TUNING needs the path of a file that "
         "kokkosmma-tune wrote"}));
  return TuningReader(text, file).read();
}

}  // namespace KokkosMMA::Impl

#endif
