// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Around the generations of life.cpp: arguments, pattern files, pictures, the
// progress bar, the check. The program brings its `Kernels`:
//   Kernels(KokkosMMA::AutomatonRule const&, KokkosMMA::Boundary)
//   void advance(Cells const& cells, std::int64_t generations)     in place

#ifndef LIFE_PROGRAM_HPP
#define LIFE_PROGRAM_HPP

#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/files.hpp"
#include "../common/memory.hpp"
#include "../common/picture.hpp"
#include "../common/progress.hpp"
#include "cells.hpp"
#include "notation.hpp"
#include "pattern_file.hpp"

#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Options {
  std::string file;
  std::string rule;
  std::string out;
  std::string png;
  std::int64_t width  = 0;
  std::int64_t height = 0;
  std::int64_t steps  = 1000;
  std::optional<KokkosMMA::Boundary> boundary;
  int scale  = 1;
  int repeat = 0;
  bool soup  = false;
  bool check = false;
  bool help  = false;
};

inline std::string help_text(std::string const& program) {
  return "usage: " + program + R"( [options] PATTERN
       )" +
         program + R"( [options] --soup

Runs a cellular automaton from a pattern file, run-length encoded (.rle) or plaintext (.cells),
which it puts into the centre of the grid, or from a grid of which a random half is alive, the
same on every machine.

  --size N | WxH    cells of the grid (default: what the rule says, as in B3/S23:T400,300, or
                    the power of two from 256 on that is twice as large as the pattern)
  --steps S         generations (default: 1000)
  --boundary B      beyond the edge: constant (dead cells), periodic, reflect, mirror or nearest
                    (default: what the rule says, or constant)
  --rule R          in place of the file's: B3/S23, 23/3, 345/2/4, B2/S013V or
                    R5,C0,M1,S34..58,B34..45,NM (default: B3/S23)
  --out FILE.rle    write the grid as a pattern file, which runs on where this run ended
  --png FILE.png    write the grid as a picture, one point per cell, dead cells white
  --scale K         K by K points per cell, 1 to 64 (default: 1)
  --check           run the same on one thread of the host and compare every cell
  --repeat K        run it K times after one that does not count, print the median of the times,
                    and how fast memory is copied
  --help            print this text

The last line is the population, the number of cells that are not dead. Options that start with
--kokkos- go to Kokkos. Exit code: 0, 2 for wrong input, 1 for a wrong result.
)";
}

inline KokkosMMA::Boundary parse_boundary(std::string const& text) {
  using KokkosMMA::Boundary;
  for (Boundary const kind :
       {Boundary::constant, Boundary::periodic, Boundary::reflect,
        Boundary::mirror, Boundary::nearest}) {
    if (text == to_string(kind)) return kind;
  }
  throw InputError("--boundary " + in_quotes(text) +
                   ": allowed are constant, periodic, reflect, mirror and "
                   "nearest");
}

inline void parse_size(std::string const& text, Options& options) {
  auto const by = text.find('x');
  if (!parse_integer(text.substr(0, by), 1, largest_side, options.width) ||
      !parse_integer(by == text.npos ? text : text.substr(by + 1), 1,
                     largest_side, options.height)) {
    throw InputError("--size " + in_quotes(text) +
                     ": give N or WxH, integers from 1 to " +
                     std::to_string(largest_side));
  }
}

inline Options parse_options(int& argc, char** argv) {
  Options options;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--size") {
      parse_size(arguments.value(), options);
    } else if (word == "--steps") {
      options.steps = arguments.integer(0, std::int64_t(1) << 40);
    } else if (word == "--boundary") {
      options.boundary = parse_boundary(arguments.value());
    } else if (word == "--rule") {
      options.rule = arguments.value();
    } else if (word == "--out") {
      options.out = arguments.value();
    } else if (word == "--png") {
      options.png = arguments.value();
    } else if (word == "--scale") {
      options.scale = static_cast<int>(arguments.integer(1, 64));
    } else if (word == "--repeat") {
      options.repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--soup") {
      options.soup = true;
    } else if (word == "--check") {
      options.check = true;
    } else if (word == "--help") {
      options.help = true;
    } else {
      arguments.refuse();
    }
  }
  if (options.help) return options;
  options.file = arguments.operand("patterns");
  if (options.file.empty() && !options.soup) {
    throw InputError(
        "no pattern; give a file, run-length encoded (.rle) or plaintext "
        "(.cells), or --soup");
  }
  if (!options.file.empty() && options.soup) {
    throw InputError("both a pattern, " + in_quotes(options.file) +
                     ", and --soup; give one");
  }
  if (!options.out.empty()) check_output("--out", options.out);
  if (!options.png.empty()) check_picture_output("--png", options.png);
  return options;
}

// Errors of the library's parser are wrong input here: they name the column.
template <class Body>
auto or_input_error(std::string const& where, Body const& body) {
  try {
    return body();
  } catch (std::invalid_argument const& error) {
    throw InputError(where + error.what());
  }
}

// Everything that is known before the first generation.
struct Setup {
  CellPattern pattern;  // empty for a soup
  KokkosMMA::AutomatonRule rule;
  KokkosMMA::Boundary boundary;
  std::int64_t width;
  std::int64_t height;

  // With the grid, where the notation can say it: the run can go on.
  std::string rule_with_grid() const {
    bool const torus = boundary == KokkosMMA::Boundary::periodic;
    if (!torus && boundary != KokkosMMA::Boundary::constant)
      return text_of(rule);
    return text_of(rule) + BoundedGrid{width, height, torus}.text();
  }
};

inline Setup prepare(Options const& options) {
  // A pattern larger than --size is an error that names the line.
  PatternLimits limits;
  if (options.width > 0) limits = {options.width, options.height};
  CellPattern pattern;
  if (!options.soup)
    pattern = read_pattern(read_bytes(options.file, "a pattern file"),
                           options.file, limits);
  std::string const text      = !options.rule.empty()  ? options.rule
                                : pattern.rule.empty() ? "B3/S23"
                                                       : pattern.rule;
  auto const [of_cells, grid] = split_rule(text);
  auto const rule             = or_input_error(
                  options.rule.empty() ? "'" + options.file + "': " : "--rule: ",
      [&notation = of_cells] { return KokkosMMA::parse_rule(notation); });
  auto boundary       = KokkosMMA::Boundary::constant;
  std::int64_t width  = options.width;
  std::int64_t height = options.height;
  if (grid) {
    if (grid->torus) boundary = KokkosMMA::Boundary::periodic;
    if (width == 0) {
      width  = grid->width;
      height = grid->height;
      if (std::max(width, height) > largest_side) {
        throw InputError("the rule " + in_quotes(text) + " needs a grid of " +
                         std::to_string(width) + " x " +
                         std::to_string(height) + " cells; allowed: up to " +
                         std::to_string(largest_side) +
                         " on a side; give --size");
      }
    }
  }
  if (width == 0) {
    auto const side =
        static_cast<std::int64_t>(std::max(pattern.width, pattern.height));
    width = 256;
    while (width < 2 * side && width < largest_side) width *= 2;
    height = width;
  }
  if (options.boundary) boundary = *options.boundary;
  // The limits of libpng.
  std::int64_t const points = options.scale * width * (options.scale * height);
  if (!options.png.empty() &&
      (options.scale * std::max(width, height) > 1000000 ||
       points > 4000000000)) {
    throw InputError("--scale " + std::to_string(options.scale) +
                     ": the picture would have " +
                     std::to_string(options.scale * width) + " x " +
                     std::to_string(options.scale * height) +
                     " points; allowed: up to 1000000 on a side and "
                     "4000000000 in all");
  }
  // The grid before and after, and what the kernels hold of it.
  auto const cells = static_cast<double>(width) * static_cast<double>(height);
  require_memory(
      cells * ((on_host ? 4 : 2) + (options.check ? 2 : 0)) +
          (options.png.empty() ? 0 : 2 * static_cast<double>(points)),
      "a grid of " + std::to_string(width) + " x " + std::to_string(height) +
          " cells" +
          (options.png.empty()
               ? ""
               : " and its picture, --scale " + std::to_string(options.scale)),
      "give a smaller --size or --scale");
  auto const rows    = static_cast<std::int64_t>(pattern.height);
  auto const columns = static_cast<std::int64_t>(pattern.width);
  if (columns > width || rows > height) {
    throw InputError("'" + options.file + "': the pattern has " +
                     std::to_string(columns) + " x " + std::to_string(rows) +
                     " cells, the grid " + std::to_string(width) + " x " +
                     std::to_string(height) + "; give a larger --size");
  }
  for (std::size_t i = 0; i < pattern.cells.size(); ++i) {
    if (pattern.cells[i] >= rule.states()) {
      throw InputError(
          "'" + options.file + "': the cell in row " +
          std::to_string(i / pattern.width + 1) + ", column " +
          std::to_string(i % pattern.width + 1) +
          " of the pattern is in state " + std::to_string(pattern.cells[i]) +
          ", and the rule " + text_of(rule) + " has states up to " +
          std::to_string(rule.states() - 1) + "; give another --rule");
    }
  }
  int const radius = rule.radius();
  if (radius > std::min(width, height)) {
    throw InputError("the rule " + text_of(rule) + " has radius " +
                     std::to_string(radius) + ", the grid " +
                     std::to_string(width) + " x " + std::to_string(height) +
                     " cells; give a larger --size");
  }
  return {std::move(pattern), rule, boundary, width, height};
}

inline HostCells first_generation(Setup const& setup, bool soup) {
  auto const rows         = static_cast<std::int64_t>(setup.pattern.height);
  auto const columns      = static_cast<std::int64_t>(setup.pattern.width);
  std::int64_t const top  = (setup.height - rows) / 2;
  std::int64_t const left = (setup.width - columns) / 2;
  std::int64_t const size = setup.width * setup.height;
  HostCells cells =
      soup ? soup_of(size) : HostCells(static_cast<std::size_t>(size));
  for (std::int64_t y = 0; y < rows; ++y) {
    std::copy_n(setup.pattern.cells.begin() + y * columns, columns,
                cells.begin() + (top + y) * setup.width + left);
  }
  return cells;
}

// As the rule is defined, a cell after the other.
inline HostCells on_one_thread(HostCells cells, Setup const& setup,
                               std::int64_t steps) {
  auto const& rule    = setup.rule;
  int const r         = rule.radius();
  bool const is_moore = rule.neighbourhood() == KokkosMMA::Neighbourhood::moore;
  HostCells next(cells.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::int64_t y = 0; y < setup.height; ++y) {
      for (std::int64_t x = 0; x < setup.width; ++x) {
        int count = 0;
        for (int dy = -r; dy <= r; ++dy) {
          int const reach = is_moore ? r : r - std::abs(dy);
          for (int dx = -reach; dx <= reach; ++dx) {
            if (dx == 0 && dy == 0 && !rule.counts_centre()) continue;
            auto const row =
                KokkosMMA::boundary_index(setup.boundary, y + dy, setup.height);
            auto const column =
                KokkosMMA::boundary_index(setup.boundary, x + dx, setup.width);
            if (row < 0 || column < 0) continue;
            count += cells[row * setup.width + column] == 1;
          }
        }
        auto const at = y * setup.width + x;
        next[at]      = rule.next(cells[at], count);
      }
    }
    std::swap(cells, next);
  }
  return cells;
}

inline void write_pattern(std::string const& file, HostCells const& cells,
                          Setup const& setup, std::int64_t steps) {
  CellPattern pattern = setup.pattern;
  pattern.width       = static_cast<decltype(pattern.width)>(setup.width);
  pattern.height      = static_cast<decltype(pattern.height)>(setup.height);
  pattern.rule        = setup.rule_with_grid();
  pattern.cells       = cells;
  pattern.comments.push_back("#C " + std::to_string(steps) +
                             " generations later, boundary " +
                             to_string(setup.boundary));
  write_bytes(file, run_length(pattern));
}

// White, black, and the older the paler.
inline Picture painted(HostCells const& cells, Setup const& setup,
                       std::int64_t scale) {
  int const states = setup.rule.states();
  Picture picture{scale * setup.width, scale * setup.height,
                  HostCells(scale * scale * cells.size())};
  for (std::int64_t i = 0; i < picture.width * picture.height; ++i) {
    std::int64_t const y     = i / picture.width / scale;
    std::int64_t const x     = i % picture.width / scale;
    std::uint8_t const state = cells[y * setup.width + x];
    picture.points[i]        = static_cast<std::uint8_t>(
        state == 0 ? 255 : 220 * (state - 1) / (states - 1));
  }
  return picture;
}

template <class Kernels>
void run(Options const& options, Setup const& setup) {
  auto const cells = allocated<Cells>("cells", setup.height, setup.width);
  HostCells host   = first_generation(setup, options.soup);
  Kernels kernels(setup.rule, setup.boundary);

  // A bar wants news about ten times a second; without one nothing waits.
  double seconds = 0;
  if (options.repeat > 0) {
    std::vector<double> times;
    for (int i = 0; i <= options.repeat; ++i) {
      Kokkos::deep_copy(cells, wrapped(host, setup.height, setup.width));
      Kokkos::Timer const timer;
      kernels.advance(cells, options.steps);
      Kokkos::fence();
      if (i > 0) times.push_back(timer.seconds());
    }
    auto const middle = times.begin() + options.repeat / 2;
    std::nth_element(times.begin(), middle, times.end());
    seconds = *middle;
  } else {
    Kokkos::deep_copy(cells, wrapped(host, setup.height, setup.width));
    Progress const progress(options.steps);
    std::int64_t part = progress.is_shown() ? 1 : options.steps;
    for (std::int64_t done = 0; done < options.steps;) {
      part = std::min(part, options.steps - done);
      Kokkos::Timer const timer;
      kernels.advance(cells, part);
      Kokkos::fence();
      double const taken = timer.seconds();
      seconds += taken;
      done += part;
      progress.show(done);
      if (taken < 0.05) part *= 2;
    }
  }

  HostCells result(host.size());
  Kokkos::deep_copy(wrapped(result, setup.height, setup.width), cells);
  if (options.check) {
    HostCells const expected =
        on_one_thread(std::move(host), setup, options.steps);
    auto const [wrong, right] =
        std::mismatch(result.begin(), result.end(), expected.begin());
    if (wrong != result.end()) {
      auto const at = wrong - result.begin();
      throw std::runtime_error(
          "the cell in row " + std::to_string(at / setup.width) + ", column " +
          std::to_string(at % setup.width) + " is in state " +
          std::to_string(*wrong) + ", on one thread of the host in state " +
          std::to_string(*right));
    }
  }
  if (!options.out.empty()) {
    write_pattern(options.out, result, setup, options.steps);
  }
  if (!options.png.empty())
    write_picture(options.png, painted(result, setup, options.scale));

  print_report({options.soup ? "soup" : options.file, text_of(setup.rule),
                to_string(setup.boundary), options.steps, options.repeat,
                seconds, options.check},
               cells);
}

template <class Kernels>
int program(char const* name, int argc, char** argv) {
  try {
    Options const options = parse_options(argc, argv);
    if (options.help) {
      std::fputs(help_text(name).c_str(), stdout);
      return 0;
    }
    // The file is read before anything is started: wrong input costs nothing.
    Setup const setup = prepare(options);
    Kokkos::ScopeGuard const kokkos(argc, argv);
    run<Kernels>(options, setup);
    return 0;
  } catch (InputError const& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

#endif
