// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cellular automata in plain Kokkos: two grids with layers of ghost cells
// around them, which are filled before every generation, and a loop over the
// cells. life.cpp does the same with kokkos-mma.

#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/files.hpp"
#include "../common/memory.hpp"
#include "cells.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace life {

// What becomes of a cell depends on its state and on how many cells around it
// are in state 1. With more than two states a cell that does not survive grows
// older until it is dead.
struct Rule {
  std::string text;
  int radius          = 1;
  int states          = 2;
  bool is_moore       = true;  // or von Neumann
  bool counts_centre  = false;
  HostCells births    = HostCells(1090);  // by count, 1: yes
  HostCells survivals = HostCells(1090);
};

class RuleReader {
 public:
  explicit RuleReader(std::string text) { m_rule.text = std::move(text); }

  Rule read() {
    std::string const& text = m_rule.text;
    if (text.starts_with("R")) {
      larger_than_life();
    } else if (text.starts_with("B")) {  // B3/S23, B2/S013V
      m_at = 1;
      digits(m_rule.births);
      expect("/S");
      digits(m_rule.survivals);
      if (m_at < text.size()) {
        expect("V");
        m_rule.is_moore = false;
      }
    } else {  // 23/3, 345/2/4
      digits(m_rule.survivals);
      expect("/");
      digits(m_rule.births);
      if (m_at < text.size()) {
        expect("/");
        m_rule.states = number();
      }
    }
    if (m_at != text.size() || m_rule.radius < 1 || m_rule.radius > 16 ||
        m_rule.states < 2 || m_rule.states > 255)
      refuse();
    return m_rule;
  }

 private:
  // R5,C0,M1,S34..58,B34..45,NM
  void larger_than_life() {
    expect("R");
    m_rule.radius = number();
    expect(",C");
    m_rule.states = std::max(2, number());
    expect(",M");
    m_rule.counts_centre = number() == 1;
    expect(",S");
    ranges(m_rule.survivals);
    expect(",B");
    ranges(m_rule.births);
    expect(",N");
    m_rule.is_moore = peek() == 'M';
    expect(m_rule.is_moore ? "M" : "N");
  }

  void digits(HostCells& counts) {
    for (; std::isdigit(peek()); ++m_at) counts[peek() - '0'] = 1;
  }
  // 34..58 or 1-3,5
  void ranges(HostCells& counts) {
    do {
      if (peek() == ',') ++m_at;
      int const first = number();
      int last        = first;
      if (peek() == '-' || peek() == '.') {
        m_at += peek() == '-' ? 1 : 2;
        last = number();
      }
      if (last >= static_cast<int>(counts.size())) refuse();
      for (int i = first; i <= last; ++i) counts[i] = 1;
    } while (peek() == ',' && std::isdigit(peek(1)));
  }

  unsigned char peek(std::size_t ahead = 0) const {
    auto const at = m_at + ahead;
    return at < m_rule.text.size() ? m_rule.text[at] : 0;
  }
  int number() {
    if (!std::isdigit(peek())) refuse();
    int value = 0;
    for (; std::isdigit(peek()) && value < 1000; ++m_at)
      value = 10 * value + peek() - '0';
    return value;
  }
  void expect(std::string const& word) {
    if (m_rule.text.compare(m_at, word.size(), word) != 0) refuse();
    m_at += word.size();
  }
  [[noreturn]] void refuse() const {
    throw InputError("the rule " + in_quotes(m_rule.text) +
                     " is not understood; give one as B3/S23, 345/2/4 or "
                     "R5,C0,M1,S34..58,B34..45,NM");
  }

  Rule m_rule;
  std::size_t m_at = 0;
};

struct Pattern {
  std::string rule;
  std::vector<std::string> rows;  // 'o' is alive

  // A run-length encoded file, for a grid of `side` x `side` cells.
  Pattern(std::string const& file, std::size_t side) : rows(1) {
    std::istringstream lines(read_bytes(file, "a pattern file"));
    std::size_t count  = 0;
    std::size_t number = 0;
    auto const refuse  = [&](std::string const& why) {
      throw InputError(in_quotes(file) + ", line " + std::to_string(number) +
                        ": " + why);
    };
    bool finished = false;
    for (std::string line; !finished && std::getline(lines, line);) {
      ++number;
      if (line.ends_with('\r')) line.pop_back();
      if (line.starts_with("#")) continue;
      if (line.starts_with("x")) {
        read_rule(line);
        continue;
      }
      for (unsigned char const c : line) {
        if (std::isspace(c)) continue;
        if (std::isdigit(c)) {
          // More than fits is as wrong as much more.
          count = std::min(10 * count + (c - '0'), side + 1);
          continue;
        }
        std::size_t const times = std::max<std::size_t>(1, count);
        count                   = 0;
        if (c == 'b' || c == 'o') {
          rows.back().append(times, static_cast<char>(c));
          if (rows.size() > side || rows.back().size() > side)
            refuse("the pattern is larger than the grid; give a larger --size");
        } else if (c == '$') {
          rows.resize(std::min(rows.size() + times, side + 1));
        } else if (c == '!') {
          finished = true;
          break;
        } else {
          refuse(in_quotes(std::string(1, static_cast<char>(c))) +
                 " is not a cell that this program reads; cells are b and o, "
                 "lines end with $, the pattern with !");
        }
      }
    }
    while (rows.size() > 1 && rows.back().empty()) rows.pop_back();
    if (rows.back().empty())
      throw InputError(in_quotes(file) + " has no cells; give a pattern");
  }

 private:
  // The rest of x = 36, y = 9, rule = B3/S23, with or without blanks.
  void read_rule(std::string const& line) {
    auto at = line.find("rule");
    if (at == line.npos) return;
    at   = std::min(line.find_first_not_of(" \t=", at + 4), line.size());
    rule = line.substr(at, line.find_last_not_of(" \t") + 1 - at);
  }
};

class Automaton {
 public:
  Automaton(Rule const& rule, bool is_periodic, std::int64_t height,
            std::int64_t width)
      : m_radius(rule.radius),
        m_states(rule.states),
        m_is_moore(rule.is_moore),
        m_counts_centre(rule.counts_centre),
        m_is_periodic(is_periodic),
        m_height(height),
        m_width(width),
        m_births(on_device("births", rule.births)),
        m_survivals(on_device("survivals", rule.survivals)),
        m_from(allocated<Cells>("from", height + 2 * m_radius,
                                width + 2 * m_radius)),
        m_to(allocated<Cells>("to", height + 2 * m_radius,
                              width + 2 * m_radius)) {
    Kokkos::deep_copy(m_from, 0);
    Kokkos::deep_copy(m_to, 0);
  }

  // The cells of the grid, without the ghost cells.
  auto cells() const {
    auto const r = static_cast<std::size_t>(m_radius);
    return Kokkos::subview(m_from, std::pair(r, m_from.extent(0) - r),
                           std::pair(r, m_from.extent(1) - r));
  }

  void advance(std::int64_t generations) {
    for (std::int64_t i = 0; i < generations; ++i) {
      if (m_is_periodic) fill_ghosts();
      step();
      std::swap(m_from, m_to);
    }
  }

  // First left and right of the grid, then whole rows above and below.
  void fill_ghosts() const {
    auto const grid   = m_from;
    auto const height = m_height;
    auto const width  = m_width;
    int const r       = m_radius;
    Kokkos::parallel_for(
        "life::ghost_columns", Range(r, height + r),
        KOKKOS_LAMBDA(std::int64_t y) {
          for (int g = 0; g < r; ++g) {
            grid(y, g)             = grid(y, width + g);
            grid(y, width + r + g) = grid(y, r + g);
          }
        });
    Kokkos::parallel_for(
        "life::ghost_rows", Range(0, width + 2 * r),
        KOKKOS_LAMBDA(std::int64_t x) {
          for (int g = 0; g < r; ++g) {
            grid(g, x)              = grid(height + g, x);
            grid(height + r + g, x) = grid(r + g, x);
          }
        });
  }

  void step() const {
    auto const from          = m_from;
    auto const to            = m_to;
    auto const births        = m_births;
    auto const survivals     = m_survivals;
    int const r              = m_radius;
    int const states         = m_states;
    bool const is_moore      = m_is_moore;
    bool const counts_centre = m_counts_centre;
    Kokkos::parallel_for(
        "life::step", Grid2D({r, r}, {m_height + r, m_width + r}),
        KOKKOS_LAMBDA(std::int64_t y, std::int64_t x) {
          int count = 0;
          for (int dy = -r; dy <= r; ++dy) {
            int const reach = is_moore ? r : r - (dy < 0 ? -dy : dy);
            for (int dx = -reach; dx <= reach; ++dx)
              count += from(y + dy, x + dx) == 1;
          }
          int const state = from(y, x);
          if (!counts_centre) count -= state == 1;
          int next = state + 1 < states ? state + 1 : 0;
          if (state == 0) next = births(count);
          if (state == 1 && survivals(count) == 1) next = 1;
          to(y, x) = static_cast<std::uint8_t>(next);
        });
  }

 private:
  static Array<std::uint8_t> on_device(std::string const& label,
                                       HostCells const& table) {
    auto const size                  = static_cast<std::int64_t>(table.size());
    Array<std::uint8_t> const result = uninitialized<std::uint8_t>(label, size);
    Kokkos::deep_copy(
        result,
        Kokkos::View<std::uint8_t const*, Kokkos::HostSpace,
                     Kokkos::MemoryUnmanaged>(table.data(), table.size()));
    return result;
  }

  int m_radius;
  int m_states;
  bool m_is_moore;
  bool m_counts_centre;
  bool m_is_periodic;
  std::int64_t m_height;
  std::int64_t m_width;
  Array<std::uint8_t> m_births;
  Array<std::uint8_t> m_survivals;
  Cells m_from;
  Cells m_to;
};

struct Options {
  std::string file;
  std::string rule;
  std::int64_t size  = 256;
  std::int64_t steps = 1000;
  int repeat         = 0;
  bool is_periodic   = false;
  bool soup          = false;
  bool help          = false;
};

char const* const help =
    R"(usage: life_plain [options] PATTERN.rle
       life_plain [options] --soup

Runs a cellular automaton from a run-length encoded pattern file, which it puts into the centre
of the grid, or from a grid of which a random half is alive, the same on every machine.

  --size N        N by N cells (default: 256)
  --steps S       generations (default: 1000)
  --boundary B    constant (dead cells beyond the edge, default) or periodic
  --rule R        in place of the file's: B3/S23, 23/3, 345/2/4, B2/S013V or
                  R5,C0,M1,S34..58,B34..45,NM (default: B3/S23)
  --repeat K      run it K times after one that does not count, print the median of the times,
                  and how fast memory is copied
  --help          print this text

The last line is the population, the number of cells that are not dead. Options that start with
--kokkos- go to Kokkos. Exit code: 0, 2 for wrong input.
)";

Options parse_options(int& argc, char** argv) {
  Options options;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--size") {
      options.size = arguments.integer(1, largest_side);
    } else if (word == "--steps") {
      options.steps = arguments.integer(0, std::int64_t(1) << 40);
    } else if (word == "--boundary") {
      std::string const text = arguments.value();
      if (text != "constant" && text != "periodic") {
        throw InputError("--boundary " + in_quotes(text) +
                         ": allowed are constant and periodic");
      }
      options.is_periodic = text == "periodic";
    } else if (word == "--rule") {
      options.rule = arguments.value();
    } else if (word == "--repeat") {
      options.repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--soup") {
      options.soup = true;
    } else if (word == "--help") {
      options.help = true;
    } else {
      arguments.refuse();
    }
  }
  options.file = arguments.operand("patterns");
  if (!options.help && options.soup != options.file.empty())
    throw InputError("give either a pattern file or --soup");
  return options;
}

HostCells first_generation(Options const& options, std::string& rule) {
  auto const n = options.size;
  // The first generation, the grid before and after, and the result.
  require_memory(
      (on_host ? 4. : 1.) * static_cast<double>(n * n),
      "a grid of " + std::to_string(n) + " x " + std::to_string(n) + " cells",
      "give a smaller --size");
  if (options.soup) return soup_of(n * n);
  auto const side = static_cast<std::size_t>(n);
  Pattern const pattern(options.file, side);
  if (rule.empty()) rule = pattern.rule;
  std::size_t width = 0;
  for (auto const& row : pattern.rows) width = std::max(width, row.size());
  HostCells cells(side * side);
  std::size_t const left = (side - width) / 2;
  std::size_t at         = (side - pattern.rows.size()) / 2 * side + left;
  for (auto const& row : pattern.rows) {
    for (std::size_t x = 0; x < row.size(); ++x) cells[at + x] = row[x] == 'o';
    at += side;
  }
  return cells;
}

void run(Options const& options, Rule const& rule, HostCells& first) {
  auto const n     = options.size;
  auto const cells = allocated<Cells>("cells", n, n);
  Automaton automaton(rule, options.is_periodic, n, n);
  std::vector<double> seconds;
  for (int i = 0; i <= options.repeat; ++i) {
    Kokkos::deep_copy(cells, wrapped(first, n, n));
    Kokkos::deep_copy(automaton.cells(), cells);
    Kokkos::fence();
    Kokkos::Timer const timer;
    automaton.advance(options.steps);
    Kokkos::fence();
    if (i > 0 || options.repeat == 0) seconds.push_back(timer.seconds());
  }
  Kokkos::deep_copy(cells, automaton.cells());
  auto const middle = seconds.begin() + options.repeat / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  print_report({options.soup ? "soup" : options.file, rule.text,
                options.is_periodic ? "periodic" : "constant", options.steps,
                options.repeat, *middle},
               cells);
}

int life_plain(int argc, char** argv) {
  Options const options = parse_options(argc, argv);
  if (options.help) {
    std::fputs(help, stdout);
    return 0;
  }
  std::string text = options.rule;
  HostCells first  = first_generation(options, text);
  Rule const rule  = RuleReader(text.empty() ? "B3/S23" : text).read();
  if (rule.radius > options.size)
    throw InputError(
        "the radius of the rule is larger than the grid; give a larger --size");
  Kokkos::ScopeGuard const kokkos(argc, argv);
  run(options, rule, first);
  return 0;
}

}  // namespace life

int main(int argc, char** argv) {
  try {
    return life::life_plain(argc, argv);
  } catch (InputError const& error) {
    std::fprintf(stderr, "life_plain: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "life_plain: %s\n", error.what());
    return 1;
  }
}
