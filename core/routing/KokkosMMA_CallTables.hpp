// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CALL_TABLES_HPP
#define KOKKOSMMA_CALL_TABLES_HPP

#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/base/KokkosMMA_CallLabel.hpp>
#include <core/base/KokkosMMA_TextTable.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <list>
#include <string>
#include <string_view>

/// \file
/// Calls of an application with their times, and two tables of them:
/// KOKKOSMMA_REPORT by label and route, as text or JSON, KOKKOSMMA_COMPARE with
/// Kokkos' code next to kokkos-mma.

namespace KokkosMMA::Impl {

/// Sums over timed calls.
struct TimeSum {
  double count        = 0;
  double microseconds = 0;
  double bytes        = 0;  ///< of the data; 0 if unknown

  void add(TimeSum const& other) {
    count += other.count;
    microseconds += other.microseconds;
    bytes += other.bytes;
  }
};

/// Bytes of the elements that a call reads and writes; 0 if unknown.
constexpr double known_bytes(ReduceProblem const& problem) {
  return double(problem.size) * double(size_of(problem.input)) *
         (problem.source == Source::product ? 2 : 1);
}
constexpr double known_bytes(ScanProblem const& problem) {
  return double(problem.size) *
         double(size_of(problem.input) + size_of(problem.output));
}

/// Calls of one kind on one route.
struct CallTimes {
  std::uint64_t calls = 0;  ///< timed or not
  /// First call of a kind. It loads the kernel, which may take milliseconds:
  /// mean() includes it only if no other call was timed, spent() always.
  TimeSum first;
  TimeSum later;

  double timed() const { return first.count + later.count; }
  double spent() const { return first.microseconds + later.microseconds; }
  TimeSum const& steady() const { return later.count > 0 ? later : first; }
  /// Microseconds per call; NaN if none was timed.
  double mean() const { return steady().microseconds / steady().count; }
  /// GB/s; NaN if the bytes are unknown.
  double rate() const {
    TimeSum const& sum = steady();
    return sum.bytes > 0 ? sum.bytes / sum.microseconds / 1e3 : std::nan("");
  }
  void add(CallTimes const& other) {
    calls += other.calls;
    first.add(other.first);
    later.add(other.later);
  }
};

/// Key of a kind of call: the pattern, the label, the type of the call and the
/// power of two below the number of indices.
struct CallKey {
  std::string_view pattern;  ///< "parallel_reduce"; a string literal
  std::string label;
  void const* type;
  int log2_size;  ///< -1: no index

  friend bool operator==(CallKey const&, CallKey const&) = default;
};
constexpr int log2_size(std::uint64_t size) {
  return int(std::bit_width(size)) - 1;
}

struct CallKind {
  CallKey key;
  std::uint64_t compared  = 0;   ///< calls that both libraries can run
  std::string_view reason = {};  ///< why only Kokkos runs it; a literal
  std::string launch      = {};  ///< of the last call that measured several
  CallTimes times[4]      = {};  ///< by route

  CallTimes& on(Route route) { return times[static_cast<int>(route)]; }
  CallTimes const& on(Route route) const {
    return times[static_cast<int>(route)];
  }
  CallTimes const& kokkos() const { return on(Route::generic); }
  CallTimes kokkosmma() const {
    CallTimes both = on(Route::streamed);
    both.add(on(Route::mma));
    return both;
  }
  /// Kokkos' mean time over that of kokkos-mma; NaN if either is missing.
  double speed_up() const { return kokkos().mean() / kokkosmma().mean(); }
};

/// All kinds of calls by first call. Addresses stay valid.
using CallKinds = std::list<CallKind>;

inline CallKind& kind_of(CallKinds& kinds, CallKey const& key) {
  for (CallKind& kind : kinds)
    if (kind.key == key) return kind;
  return kinds.emplace_back(CallKind{key});
}

/// Stable sort in ascending order, NaN last.
template <class Value>
void sort_by(CallKinds& kinds, Value const& value) {
  kinds.sort([&](CallKind const& a, CallKind const& b) {
    double const left = value(a), right = value(b);
    return left < right || (!std::isnan(left) && std::isnan(right));
  });
}

/// Whether Kokkos runs call `number` of its kind: one of each pair. Which of
/// the two follows the Thue-Morse sequence, since loops often make two calls of
/// a kind with different data.
constexpr bool is_native_call(std::uint64_t number) {
  return std::popcount(number) % 2 != 0;
}

inline void add_name(TextTable& table, CallKey const& key) {
  table.add(std::string(key.pattern));
  table.add(key.label.empty() ? "(not known)" : short_label(key.label, 44));
}

/// Line "KokkosMMA: 5 calls" followed by `what`.
inline std::string line_on_calls(double count, std::string const& what) {
  return "KokkosMMA: " + fixed_digits(count, 0) +
         (count == 1 ? " call" : " calls") + what + '\n';
}
/// Line below a table about calls that were not timed; else empty.
inline std::string line_on_times(CallTimes const& all) {
  double const missing = double(all.calls) - all.timed();
  return missing > 0
             ? line_on_calls(missing, " not timed: too many were in flight")
             : std::string();
}

/// Table of calls by label and route, in descending order of total time.
inline std::string report_table(CallKinds const& kinds) {
  CallKinds rows;
  CallTimes all;
  for (CallKind const& kind : kinds)
    for (int route = 1; route < 4; ++route) {
      CallTimes const& times = kind.times[route];
      if (times.calls == 0) continue;
      bool const generic = Route(route) == Route::generic;
      // Per route and reason: `type` holds the reason, `log2_size` the route.
      CallKey const key{kind.key.pattern, kind.key.label,
                        generic ? kind.reason.data() : nullptr, route};
      CallKind& row = kind_of(rows, key);
      if (generic) row.reason = kind.reason;
      bool const is_other = !row.launch.empty() && row.launch != kind.launch;
      if (!generic) row.launch = is_other ? "several" : kind.launch;
      row.times[0].add(times);
      all.add(times);
    }
  sort_by(rows, [](CallKind const& row) { return -row.times[0].spent(); });
  static constexpr TextTable::Column columns[] = {
      {"pattern", false}, {"label", false},   {"calls", true},
      {"route", false},   {"total ms", true}, {"us/call", true},
      {"GB/s", true},     {"share", true},    {"why Kokkos", false},
      {"launch", false}};
  TextTable table(columns, 10);
  for (CallKind const& row : rows) {
    CallTimes const& times = row.times[0];
    double const spent     = times.timed() > 0 ? times.spent() : std::nan("");
    add_name(table, row.key);
    table.add(double(times.calls), 0);
    table.add(std::string(to_string(Route(row.key.log2_size))));
    table.add(spent / 1e3, 3);
    table.add(times.mean(), 1);
    table.add(times.rate(), 0);
    table.add(100 * spent / all.spent(), 1, " %");
    table.add(std::string(row.reason));
    table.add(row.launch);
  }
  return "KokkosMMA: calls by label and route (KOKKOSMMA_REPORT)\n" +
         table.text() +
         line_on_calls(
             double(all.calls),
             ", " + fixed_digits(all.spent() / 1e3, 3) + " ms on the device") +
         line_on_times(all);
}

/// Table that compares Kokkos' code with this library by kind of call, the
/// smallest speed-up first. Kinds that ran one way only come last.
inline std::string comparison_table(CallKinds& kinds) {
  sort_by(kinds, [](CallKind const& kind) { return kind.speed_up(); });
  static constexpr TextTable::Column columns[] = {
      {"pattern", false},      {"label", false},      {"n", true},
      {"calls", true},         {"route", false},      {"Kokkos us", true},
      {"kokkos-mma us", true}, {"Kokkos GB/s", true}, {"kokkos-mma GB/s", true},
      {"speed-up", true},      {"why Kokkos", false}, {"launch", false}};
  TextTable table(columns, 12);
  CallTimes all;
  double both_ways   = 0;  // calls of kinds that ran both ways
  double kokkos_time = 0;
  double own_time    = 0;
  for (CallKind const& kind : kinds) {
    CallTimes const own = kind.kokkosmma();
    CallTimes sum       = kind.kokkos();
    sum.add(own);
    all.add(sum);
    auto const calls = double(sum.calls);
    if (!std::isnan(kind.speed_up())) {
      both_ways += calls;
      kokkos_time += calls * kind.kokkos().mean();
      own_time += calls * own.mean();
    }
    int const log2_size = kind.key.log2_size;
    add_name(table, kind.key);
    table.add(log2_size < 0 ? "0" : "2^" + fixed_digits(log2_size, 0));
    table.add(calls, 0);
    table.add(std::string(to_string(own.calls == 0 ? Route::generic
                                    : kind.on(Route::mma).calls > 0
                                        ? Route::mma
                                        : Route::streamed)));
    table.add(kind.kokkos().mean(), 1);
    table.add(own.mean(), 1);
    table.add(kind.kokkos().rate(), 0);
    table.add(own.rate(), 0);
    table.add(kind.speed_up(), 2, "x");
    table.add(std::string(kind.reason));
    table.add(kind.launch);
  }
  std::string text =
      "KokkosMMA: calls by kind, alternating between Kokkos' own code and "
      "kokkos-mma (KOKKOSMMA_COMPARE), the smallest speed-up first\n" +
      table.text();
  if (both_ways > 0)
    text += line_on_calls(
        both_ways, " of kinds that ran both ways; estimated total " +
                       fixed_digits(kokkos_time / 1e3, 3) +
                       " ms by Kokkos and " + fixed_digits(own_time / 1e3, 3) +
                       " ms by kokkos-mma, " +
                       fixed_digits(kokkos_time / own_time, 2) + "x");
  double const one_way = double(all.calls) - both_ways;
  if (one_way > 0)
    text += line_on_calls(one_way, " of kinds that ran one way only");
  return text + line_on_times(all);
}

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

/// JSON integer, since a locale may print a decimal comma; null for a number
/// that is not finite.
inline std::string json_number(double number) {
  return std::isfinite(number) ? fixed_digits(number, 0) : "null";
}

/// JSON report for KOKKOSMMA_REPORT=FILE.json, with one object per kind of call
/// and route.
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
