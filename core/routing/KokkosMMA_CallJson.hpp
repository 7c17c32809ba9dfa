// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CALL_JSON_HPP
#define KOKKOSMMA_CALL_JSON_HPP

#include <core/base/KokkosMMA_TextTable.hpp>
#include <core/routing/KokkosMMA_CallTables.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

/// \file
/// JSON output of the calls for KOKKOSMMA_REPORT=FILE.json. Numbers are
/// integers, since a locale may print a decimal comma.

namespace KokkosMMA::Impl {

/// JSON string of a text, null if empty. Bytes other than printable ASCII are
/// escaped.
inline std::string json_string(std::string_view text) {
  if (text.empty()) return "null";
  std::string quoted = "\"";
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    char escape[16] = {c};
    if (byte < 0x20 || byte >= 0x7F)
      std::snprintf(escape, sizeof(escape), "\\u%04x", unsigned(byte));
    else if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += escape;
  }
  return quoted + '"';
}

/// JSON integer; null for a number that is not finite.
inline std::string json_number(double number) {
  return std::isfinite(number) ? fixed_digits(number, 0) : "null";
}

/// JSON report with one object per kind of call and route.
/// \param not_intercepted calls on Cuda that bypassed the drop-in
inline std::string json_report(CallKinds const& kinds,
                               std::uint64_t not_intercepted) {
  std::string text = "{\"drop_in\": \"active\", \"not_intercepted_on_cuda\": " +
                     json_number(double(not_intercepted)) + ", \"calls\": [";
  char const* separator = "\n";
  for (CallKind const& kind : kinds)
    for (int route = 1; route < 4; ++route) {
      CallTimes const& times = kind.times[route];
      if (times.calls == 0) continue;
      double const unknown = std::nan("");
      double const spent   = times.timed() > 0 ? times.spent() : unknown;
      int const log2_size  = kind.key.log2_size;
      TimeSum const& sum   = times.steady();
      auto const add       = [&](char const* name, std::string const& value) {
        text += separator;
        text += name + value;
        separator = ", ";
      };
      add("{\"pattern\": ", json_string(kind.key.pattern));
      add("\"label\": ", json_string(kind.key.label));
      add("\"log2_size\": ", json_number(log2_size < 0 ? unknown : log2_size));
      add("\"route\": ", json_string(to_string(Route(route))));
      add("\"calls\": ", json_number(double(times.calls)));
      add("\"timed_calls\": ", json_number(times.timed()));
      add("\"total_ns\": ", json_number(1e3 * spent));
      add("\"mean_ns\": ", json_number(1e3 * times.mean()));
      add("\"bytes_per_call\": ",
          json_number(sum.bytes > 0 ? sum.bytes / sum.count : unknown));
      add("\"launch\": ",
          json_string(Route(route) == Route::generic ? "" : kind.launch));
      add("\"why_kokkos\": ",
          json_string(Route(route) == Route::generic ? kind.reason : ""));
      text += '}';
      separator = ",\n";
    }
  return text + "\n]}\n";
}

}  // namespace KokkosMMA::Impl

#endif
