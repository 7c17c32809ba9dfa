// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TUNING_FILE_HPP
#define KOKKOSMMA_TUNING_FILE_HPP

#include <core/routing/KokkosMMA_BuiltInTunings.hpp>
#include <core/base/KokkosMMA_Version.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

/// \file
/// Text format of a tuning table, one `name value` per line. Reading is strict:
/// a table with an error may be truncated or meant for another version, and the
/// built-in table is better than a guess. Every error is a
/// std::invalid_argument with the file, the line, the text found and the values
/// allowed.

namespace KokkosMMA::Impl {

/// Table and its origin.
struct TuningFile {
  TuningTable table;   ///< the values
  TunedDevice device;  ///< where they were measured
  std::string date;    ///< YYYY-MM-DD
  /// Names of entries that were read and ignored: their kernels were removed.
  std::vector<std::string> ignored{};
};

/// Entries of older tables; a point at the end stands for all names that begin
/// so.
inline constexpr std::string_view removed_tuning_entries[] = {
    "scan.mma.", "segments.mma_bytes.", "reduce.mma.float", "reduce.mma.int32"};

/// One line about the ignored entries of a table, or nothing.
[[gnu::cold]] inline std::string ignored_entries(TuningFile const& file) {
  if (file.ignored.empty()) return {};
  std::string text = "ignored " + file.ignored.front();
  if (file.ignored.size() > 1)
    text += " and " + std::to_string(file.ignored.size() - 1) + " more";
  return text + ": this version has no such choice";
}

inline constexpr std::string_view tuning_title = "kokkos-mma tuning table, ";
inline constexpr int tuning_format             = 1;
inline constexpr std::size_t max_tuning_bytes  = 1 << 20;

[[gnu::cold]] inline std::string joined(
    std::initializer_list<std::string_view> texts) {
  std::string result;
  for (std::string_view const text : texts) result += text;
  return result;
}
[[gnu::cold]] inline std::string tuning_version() {
  return joined({std::to_string(KOKKOSMMA_VERSION_MAJOR), ".",
                 std::to_string(KOKKOSMMA_VERSION_MINOR), ".",
                 std::to_string(KOKKOSMMA_VERSION_PATCH)});
}
[[gnu::cold]] inline std::string capability_text(TunedDevice const& device) {
  return joined({std::to_string(device.compute_capability / 10), ".",
                 std::to_string(device.compute_capability % 10)});
}
[[gnu::cold]] inline std::string to_text(TunedDevice const& device) {
  return joined({device.name, ", compute capability ", capability_text(device),
                 ", ", std::to_string(device.multiprocessors),
                 " multiprocessors"});
}

/// FNV-1a checksum: detects damage and edits, not attacks.
[[gnu::cold]] inline std::string tuning_checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char const c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  constexpr char digits[] = "0123456789abcdef";
  std::string result(16, '0');
  for (int i = 15; i >= 0; --i, hash /= 16) result[i] = digits[hash % 16];
  return result;
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

/// YYYY-MM-DD.
[[gnu::cold]] inline bool is_date(std::string_view text) {
  int year = 0, month = 0, day = 0;
  return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
         parse_digits(text.substr(0, 4), year) &&
         parse_digits(text.substr(5, 2), month) &&
         parse_digits(text.substr(8, 2), day) && month >= 1 && month <= 12 &&
         day >= 1 && day <= 31;
}

/// Parser of one text. Every member throws with the line number.
class TuningReader {
 public:
  TuningReader(std::string_view text, std::string const& file)
      : m_text(text), m_file(file) {}

  [[gnu::cold]] TuningFile read() {
    read_title();
    std::string_view line;
    while (next_line(line)) {
      if (line.empty() || line.front() == '#') continue;
      std::size_t const space = line.find(' ');
      std::string const name(line.substr(0, space));
      std::string_view const value =
          space == line.npos ? std::string_view() : line.substr(space + 1);
      if (value.empty())
        refuse({"\"", line,
                "\" is not an entry; a line is a name, a space and a value"});
      if (name == "checksum") {
        read_checksum(value);
        require_all();
        return m_result;
      }
      if (Line const* const seen = find(name))
        refuse({name, " is in line ", std::to_string(seen->line), " already"});
      m_lines.push_back({name, m_line});
      if (!read_header(name, value)) read_entry(name, value);
    }
    refuse_file(
        {"ends without a line \"checksum\": it is truncated; copy it again, or "
         "run kokkosmma-tune again"});
  }

 private:
  using Texts = std::initializer_list<std::string_view>;
  struct Line {
    std::string name;
    int line;
  };

  [[noreturn, gnu::cold]] void refuse_file(Texts texts) const {
    throw std::invalid_argument(m_file + ": " + joined(texts));
  }
  [[noreturn, gnu::cold]] void refuse(Texts texts) const {
    refuse_file({"line ", std::to_string(m_line), ": ", joined(texts)});
  }

  [[gnu::cold]] Line const* find(std::string_view name) const {
    for (Line const& each : m_lines)
      if (each.name == name) return &each;
    return nullptr;
  }

  /// False at the end. A last line without a line feed is truncated.
  [[gnu::cold]] bool next_line(std::string_view& line) {
    if (m_next == m_text.size()) return false;
    ++m_line;
    m_begin               = m_next;
    std::size_t const end = m_text.find('\n', m_begin);
    if (end == m_text.npos)
      refuse(
          {"the file ends within this line: it is truncated; copy it again, or "
           "run kokkosmma-tune again"});
    line   = m_text.substr(m_begin, end - m_begin);
    m_next = end + 1;
    for (char const c : line)
      if (static_cast<unsigned char>(c) < ' ' || c == 127)
        refuse({"byte ", std::to_string(int(static_cast<unsigned char>(c))),
                " is not text; a table has plain lines that end with a line "
                "feed"});
    return true;
  }

  [[gnu::cold]] void read_title() {
    std::string_view line;
    if (m_text.empty())
      refuse_file({"is empty; kokkosmma-tune writes a table"});
    if (m_text.substr(0, tuning_title.size()) != tuning_title)
      refuse_file(
          {"line 1: is not \"", tuning_title, "format ",
           std::to_string(tuning_format),
           "\": this is not a tuning table; kokkosmma-tune writes one"});
    next_line(line);
    std::string const known =
        joined({tuning_title, "format ", std::to_string(tuning_format)});
    if (line != known)
      refuse({"\"", line.substr(tuning_title.size()),
              "\" is not known; this library reads format ",
              std::to_string(tuning_format), "; run kokkosmma-tune again"});
  }

  [[gnu::cold]] bool read_header(std::string const& name,
                                 std::string_view value) {
    TunedDevice& device = m_result.device;
    if (name == "version") {
      if (value != tuning_version())
        refuse({"the table is for kokkos-mma ", value, " and this is ",
                tuning_version(),
                ", whose kernels differ; run kokkosmma-tune again"});
    } else if (name == "device") {
      device.name = value;
    } else if (name == "compute_capability") {
      std::size_t const point = value.find('.');
      int major = 0, minor = 0;
      if (point == value.npos || !parse_digits(value.substr(0, point), major) ||
          !parse_digits(value.substr(point + 1), minor) || major > 99 ||
          minor > 9)
        refuse({"compute_capability is \"", value,
                "\"; write a number, a point and a digit, as in 9.0"});
      device.compute_capability = 10 * major + minor;
    } else if (name == "multiprocessors") {
      if (!parse_digits(value, device.multiprocessors) ||
          device.multiprocessors == 0)
        refuse({"multiprocessors is \"", value,
                "\"; allowed: whole numbers >= 1"});
    } else if (name == "date") {
      if (!is_date(value))
        refuse({"date is \"", value, "\"; write a date as 2026-11-21"});
      m_result.date = value;
    } else {
      return false;
    }
    return true;
  }

  [[gnu::cold]] void read_entry(std::string const& wanted,
                                std::string_view text) {
    bool found = false;
    for_each_tuned_value(
        m_result.table,
        [&](std::string const& name, TuningEntry const& entry, int& value) {
          if (name != wanted) return;
          found      = true;
          int number = 0;
          if (entry.is_flag() && (text == "yes" || text == "no"))
            number = text == "yes";
          else if (entry.or_never && text == "never")
            number = never;
          else if (entry.is_flag() || !parse_digits(text, number) ||
                   !entry.allows(number))
            refuse({name, " is \"", text, "\"; allowed: ", entry.allowed()});
          value = number;
        });
    for (std::string_view const removed : removed_tuning_entries)
      if (wanted == removed ||
          (removed.ends_with('.') && wanted.starts_with(removed))) {
        m_result.ignored.push_back(wanted);
        return;
      }
    if (!found) refuse({"\"", wanted, "\" is not a name of the tuning table"});
  }

  [[gnu::cold]] void read_checksum(std::string_view value) {
    std::string const right = tuning_checksum(m_text.substr(0, m_begin));
    if (value != right && value != "edited")
      refuse({"the checksum is ", value, " and that of the lines before is ",
              right,
              ": the file was changed or damaged; if you changed it, write "
              "\"checksum edited\" here"});
    if (m_next != m_text.size())
      refuse({"text follows the checksum, which is the last line of a table"});
  }

  [[gnu::cold]] void require_all() const {
    auto const require = [&](std::string const& name) {
      if (!find(name))
        refuse_file(
            {"has no ", name,
             ", but a table must have every value; run kokkosmma-tune again"});
    };
    for (char const* const name :
         {"version", "device", "compute_capability", "multiprocessors", "date"})
      require(name);
    for_each_tuned_value(m_result.table,
                         [&](std::string const& name, TuningEntry const&,
                             int const&) { require(name); });
  }

  std::string_view m_text;
  std::string const& m_file;
  TuningFile m_result{};
  std::vector<Line> m_lines;
  std::size_t m_begin = 0;
  std::size_t m_next  = 0;
  int m_line          = 0;
};

/// Text of a table. \p notes become comments below the header, one per line.
inline std::string write_tuning(TuningFile const& file,
                                std::string const& notes = {}) {
  TunedDevice const& device = file.device;
  std::string text          = joined(
               {tuning_title, "format ", std::to_string(tuning_format), "\nversion ",
                tuning_version(), "\ndevice ", device.name, "\ncompute_capability ",
                capability_text(device), "\nmultiprocessors ",
                std::to_string(device.multiprocessors), "\ndate ", file.date, "\n"});
  for (std::size_t begin = 0; begin < notes.size();) {
    std::size_t const end = std::min(notes.find('\n', begin), notes.size());
    text += "# " + notes.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  for_each_tuned_value(file.table, [&](std::string const& name,
                                       TuningEntry const& entry, int value) {
    text += name + " " + tuned_value_text(entry, value) + "\n";
  });
  return text + "checksum " + tuning_checksum(text) + "\n";
}

/// Parses the text of a table; \p file is its name in errors.
inline TuningFile parse_tuning(std::string_view text, std::string const& file) {
  return TuningReader(text, file).read();
}

/// Reads a table from a file.
[[gnu::cold]] inline TuningFile read_tuning(std::string const& file) {
  auto const refuse = [&](std::initializer_list<std::string_view> texts) {
    throw std::invalid_argument(file + ": " + joined(texts));
  };
  errno = 0;
  std::string text(max_tuning_bytes + 1, '\0');
  // Not <fstream>, which every source of an application would parse. fopen()
  // also opens a folder; reading it fails.
  std::FILE* const stream = std::fopen(file.c_str(), "rb");
  std::size_t const count =
      stream ? std::fread(text.data(), 1, text.size(), stream) : 0;
  bool const failed = !stream || std::ferror(stream);
  int const error   = errno ? errno : EIO;
  if (stream) std::fclose(stream);
  if (failed)
    refuse({"cannot be read: ", std::generic_category().message(error),
            "; KOKKOSMMA_TUNING needs the path of a file that kokkosmma-tune "
            "wrote"});
  text.resize(count);
  if (text.size() > max_tuning_bytes)
    refuse(
        {"has more than ", std::to_string(max_tuning_bytes),
         " bytes, and a table has a few thousand; kokkosmma-tune writes one"});
  return parse_tuning(text, file);
}

}  // namespace KokkosMMA::Impl

#endif
