// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a pattern file says of its rule beside KokkosMMA::parse_rule: the grid
// in the suffix, and the text of a rule. Golly reads and writes the same.

#ifndef LIFE_NOTATION_HPP
#define LIFE_NOTATION_HPP

#include "../common/command_line.hpp"

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A torus (:T400,300) or a plane surrounded by dead cells (:P400,300).
struct BoundedGrid {
  std::int64_t width  = 0;
  std::int64_t height = 0;
  bool torus          = false;

  std::string text() const {
    return (torus ? ":T" : ":P") + std::to_string(width) + "," +
           std::to_string(height);
  }
};

// Separates the rule from the grid, if there is one.
inline std::pair<std::string, std::optional<BoundedGrid>> split_rule(
    std::string const& text) {
  std::size_t const colon = text.find(':');
  if (colon == text.npos) return {text, std::nullopt};
  std::string const grid = text.substr(colon + 1);
  char kind              = 0;
  long long width = 0, height = 0;
  int end         = 0;
  int const count = std::sscanf(grid.c_str(), " %c%9lld%n ,%9lld %n", &kind,
                                &width, &end, &height, &end);
  bool const is_square = count == 2;
  if (is_square) height = width;
  bool const torus = kind == 'T' || kind == 't';
  if (count < 2 || (!torus && kind != 'P' && kind != 'p') || width < 1 ||
      height < 1 || std::size_t(end) != grid.size())
    throw InputError("the grid '" + grid + "' of the rule '" + text +
                     "': allowed are T (torus) or P (plane) and a size, as in "
                     ":T400,300");
  return {text.substr(0, colon), BoundedGrid{width, height, torus}};
}

// 34..58 for a single range as limits, else 1-3,5.
inline std::string ranges_text(std::vector<std::pair<int, int>> const& ranges,
                               bool as_limits) {
  std::string text;
  for (auto const& [first, last] : ranges) {
    if (as_limits) return std::to_string(first) + ".." + std::to_string(last);
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last > first) text.append("-").append(std::to_string(last));
  }
  return text;
}

// The shortest notation of a rule.
inline std::string text_of(KokkosMMA::AutomatonRule const& rule) {
  using namespace KokkosMMA;
  auto const ranges_of = [](CountSet const& counts) {
    std::vector<std::pair<int, int>> ranges;
    for (int count = 0; count <= CountSet::largest; ++count) {
      if (!counts.contains(count)) continue;
      if (!counts.contains(count - 1)) ranges.emplace_back(count, count);
      ranges.back().second = count;
    }
    return ranges;
  };
  auto const digits_of = [](CountSet const& counts) {
    std::string text;
    for (int count = 0; count <= 9; ++count)
      if (counts.contains(count)) text += static_cast<char>('0' + count);
    return text;
  };
  bool const moore     = rule.neighbourhood() == Neighbourhood::moore;
  int const neighbours = neighbourhood_size(rule.neighbourhood(), 1) - 1;
  if (rule.radius() == 1 && !rule.counts_centre() &&
      rule.survive().last() <= neighbours &&
      rule.birth().last() <= neighbours && (moore || rule.states() == 2)) {
    std::string const survive = digits_of(rule.survive());
    std::string const birth   = digits_of(rule.birth());
    if (rule.states() > 2)
      return survive + "/" + birth + "/" + std::to_string(rule.states());
    return "B" + birth + "/S" + survive + (moore ? "" : "V");
  }
  auto const survive = ranges_of(rule.survive());
  auto const birth   = ranges_of(rule.birth());
  bool const limits  = survive.size() == 1 && birth.size() == 1;
  return "R" + std::to_string(rule.radius()) + ",C" +
         std::to_string(rule.states() == 2 ? 0 : rule.states()) + ",M" +
         (rule.counts_centre() ? "1" : "0") + ",S" +
         ranges_text(survive, limits) + ",B" + ranges_text(birth, limits) +
         ",N" + (moore ? "M" : "N");
}

#endif
