// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TUNING_FILE_HPP
#define KOKKOSMMA_TUNING_FILE_HPP

#include <core/base/KokkosMMA_Version.hpp>
#include <core/routing/KokkosMMA_BuiltInTunings.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
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
  std::string date;    ///< of the measurement, for output
};

/// First line; format 1 ended with a checksum.
inline constexpr std::string_view tuning_title =
    "kokkos-mma tuning table, format 2";
/// Last line: a file without it is truncated.
inline constexpr std::string_view tuning_end  = "end";
inline constexpr std::size_t max_tuning_bytes = 1 << 20;

[[gnu::cold]] inline std::string tuning_version() {
  return std::to_string(KOKKOSMMA_VERSION_MAJOR) + "." +
         std::to_string(KOKKOSMMA_VERSION_MINOR) + "." +
         std::to_string(KOKKOSMMA_VERSION_PATCH);
}
[[gnu::cold]] inline std::string capability_text(TunedDevice const& device) {
  return std::to_string(device.compute_capability / 10) + "." +
         std::to_string(device.compute_capability % 10);
}
[[gnu::cold]] inline std::string to_text(TunedDevice const& device) {
  return device.name + ", compute capability " + capability_text(device) +
         ", " + std::to_string(device.multiprocessors) + " multiprocessors";
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

/// Sets what a line names. Returns what is allowed if that is not `value`.
[[gnu::cold]] inline std::string set_tuned(TuningFile& file,
                                           std::string_view wanted,
                                           std::string_view value) {
  TunedDevice& device = file.device;
  std::string allowed;
  if (wanted == "version") {
    if (value != tuning_version())
      allowed = tuning_version() + "; run kokkosmma-tune again";
  } else if (wanted == "device") {
    device.name = value;
  } else if (wanted == "compute_capability") {
    std::size_t const point = std::min(value.find('.'), value.size());
    int major = 0, minor = 0;
    if (parse_digits(value.substr(0, point), major) && major <= 99 &&
        point < value.size() && parse_digits(value.substr(point + 1), minor) &&
        minor <= 9)
      device.compute_capability = 10 * major + minor;
    else
      allowed = "a number, a point and a digit, as in 9.0";
  } else if (wanted == "multiprocessors") {
    if (!parse_digits(value, device.multiprocessors) ||
        device.multiprocessors == 0)
      allowed = "whole numbers >= 1";
  } else if (wanted == "date") {
    file.date = value;
  }
  for_each_tuned_value(file.table, [&](std::string const& name,
                                       TuningEntry const& entry, int& into) {
    if (name != wanted) return;
    int number = 0;
    if (entry.is_flag() && (value == "yes" || value == "no"))
      into = value == "yes";
    else if (entry.or_never && value == "never")
      into = never;
    else if (!entry.is_flag() && parse_digits(value, number) &&
             entry.allows(number))
      into = number;
    else
      allowed = entry.allowed();
  });
  return allowed;
}

/// Names of the lines of a table, in their order.
[[gnu::cold]] inline std::vector<std::string> tuning_lines() {
  std::vector<std::string> names{"version", "device", "compute_capability",
                                 "multiprocessors", "date"};
  for_each_tuned_value(builtin_tuning,
                       [&](std::string const& name, TuningEntry const&,
                           int const&) { names.push_back(name); });
  return names;
}

/// Text of a table. \p notes become comments below the header, one per line.
inline std::string write_tuning(TuningFile const& file,
                                std::string const& notes = {}) {
  TunedDevice const& device = file.device;
  std::string text =
      std::string(tuning_title) + "\nversion " + tuning_version() +
      "\ndevice " + device.name + "\ncompute_capability " +
      capability_text(device) + "\nmultiprocessors " +
      std::to_string(device.multiprocessors) + "\ndate " + file.date + "\n";
  for (std::size_t begin = 0; begin < notes.size();) {
    std::size_t const end = std::min(notes.find('\n', begin), notes.size());
    text += "# " + notes.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  for_each_tuned_value(file.table, [&](std::string const& name,
                                       TuningEntry const& entry, int value) {
    text += name + " " + tuned_value_text(entry, value) + "\n";
  });
  return text + std::string(tuning_end) + "\n";
}

/// Parses the text of a table; \p file is its name in errors.
[[gnu::cold]] inline TuningFile parse_tuning(std::string_view text,
                                             std::string const& file) {
  TuningFile result{};
  std::vector<std::string> missing = tuning_lines();
  int number                       = 0;
  auto const refuse                = [&](std::string const& reason) {
    throw std::invalid_argument(file + ": line " + std::to_string(number) +
                                               ": " + reason);
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t const end       = text.find('\n', begin);
    std::string_view const line = text.substr(begin, end - begin);
    begin                       = std::min(end, text.size() - 1) + 1;
    if (++number == 1) {
      if (line != tuning_title)
        refuse("is not \"" + std::string(tuning_title) +
               "\"; kokkosmma-tune writes such a table");
      continue;
    }
    if (line.empty() || line.front() == '#') continue;
    if (line == tuning_end) {
      if (!missing.empty())
        refuse("a table must have a line " + missing.front() +
               "; run kokkosmma-tune again");
      return result;
    }
    std::size_t const space = line.find(' ');
    std::string const name(line.substr(0, space));
    auto const at = std::find(missing.begin(), missing.end(), name);
    if (at == missing.end() || space == line.npos)
      refuse("\"" + std::string(line) +
             "\" is in an earlier line, or no entry of the tuning table");
    missing.erase(at);
    std::string const value(line.substr(space + 1));
    std::string const allowed = set_tuned(result, name, value);
    if (!allowed.empty())
      refuse(name + " is \"" + value + "\"; allowed: " + allowed);
  }
  throw std::invalid_argument(
      file + ": ends without a line \"" + std::string(tuning_end) +
      "\": it is truncated; copy it again, or run kokkosmma-tune again");
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
    throw std::invalid_argument(
        file + ": cannot be read: " + std::generic_category().message(error) +
        "; KOKKOSMMA_TUNING needs the path of a file that kokkosmma-tune "
        "wrote");
  return parse_tuning(text, file);
}

}  // namespace KokkosMMA::Impl

#endif
