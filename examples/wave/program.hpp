// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the two programs have in common: arguments, checks, report. Plain
// Kokkos. A program brings its `Kernels`:
//   Kernels(Boundary, double lambda)
//   static constexpr int ghosts
//                     layers of points around the grid in each View; they are
//                     zero at first
//   void advance(Grid& u, Grid& previous, std::int64_t steps)
//                     previous = 2 u - previous + lambda^2 L u, and the two
//                     Views change places, steps times
//   void print_route(std::int64_t points)

#ifndef WAVE_PROGRAM_HPP
#define WAVE_PROGRAM_HPP

#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/measure.hpp"
#include "../common/memory.hpp"
#include "grid.hpp"
#include "point_source.hpp"
#include "standing_wave.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

struct Options {
  Boundary boundary    = Boundary::periodic;
  std::int64_t points  = 12;
  int levels           = 3;
  std::int64_t periods = 1;
  double lambda        = 0.4;
  SourceOptions source;
  std::int64_t measure = 0;
  int repeat           = 5;
  bool help            = false;
};

constexpr std::int64_t measured_steps = 16;

inline std::string help_text(std::string const& program) {
  return "usage: " + program + R"( [options]

Solves the wave equation u_tt = u_xx + u_yy + u_zz in the unit cube: leapfrog in time, a star of
radius 4 (order 8) in space. A standing wave is compared with the exact solution of the discrete
equations, and on finer and finer grids with the analytic one. With --source, waves of a point.

  --boundary B   periodic   from sin(2 pi x) sin(2 pi y) sin(2 pi z) (default)
                 constant   u = 0 beyond the outermost points, which reflects; from the slowest
                            standing wave of the grid
  --points N     points on a side of the coarsest grid, 12 to 24 (default: 12)
  --levels K     grids, each with half the distance of the one before, 2 to 4 (default: 3)
  --periods P    the standing wave runs for about P + 1/4 periods, 1 to 4 (default: 1)
  --lambda L     time step over the distance of the points, 0.1 to 0.45 (default: 0.4)
  --source N     also a short pulse from a point in a grid of N by N by N points, and whether the
                 energy stays what it is afterwards
  --steps M      steps of the pulse (default: until it has crossed 0.8 of the cube)
  --picture F    write the slice through the point at the end as a PNG picture
  --frames D     write a picture into the folder D, every --every steps (default: 5)
  --measure N    also time 16 steps on N by N by N points, and how fast memory is copied
  --repeat K     timed runs after one that does not count, of which the median is printed
                 (default: 5)
  --help         print this text

Options that start with --kokkos- go to Kokkos. Exit code: 0, 2 for wrong input, 1 for a wrong
result.
)";
}

inline Options parse_options(int& argc, char** argv) {
  Options options;
  SourceOptions& source = options.source;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--boundary") {
      std::string const text = arguments.value();
      if (text != "constant" && text != "periodic") {
        throw InputError("--boundary " + in_quotes(text) +
                         ": allowed are constant and periodic");
      }
      options.boundary =
          text == "constant" ? Boundary::constant : Boundary::periodic;
    } else if (word == "--points") {
      // On finer grids rounding hides order 8.
      options.points = arguments.integer(12, 24);
    } else if (word == "--levels") {
      options.levels = static_cast<int>(arguments.integer(2, 4));
    } else if (word == "--periods") {
      options.periods = arguments.integer(1, 4);
    } else if (word == "--lambda") {
      // Above 0.4528 = 2 / sqrt(3 * 6.502) the steps are unstable.
      options.lambda = number_option(word, arguments.value(), 0.1, 0.45);
    } else if (word == "--source") {
      source.points = arguments.integer(32, most_points);
    } else if (word == "--steps") {
      source.steps = arguments.integer(1, 1000000);
    } else if (word == "--picture") {
      source.picture = arguments.value();
    } else if (word == "--frames") {
      source.frames = arguments.value();
    } else if (word == "--every") {
      source.every = arguments.integer(1, 1000000);
    } else if (word == "--measure") {
      options.measure = arguments.integer(16, most_points);
    } else if (word == "--repeat") {
      options.repeat = static_cast<int>(arguments.integer(1, 1000000));
    } else if (word == "--help") {
      options.help = true;
    } else {
      arguments.refuse();
    }
  }
  arguments.refuse_operands();
  source.check(options.lambda);
  // Two time levels. Each View by itself may fit.
  if (on_host && !options.help) {
    auto const side = std::max(source.points, options.measure);
    require_memory(16 * std::pow(static_cast<double>(side), 3),
                   "two grids of " + std::to_string(side) + "^3 points",
                   "give a smaller --measure or --source");
  }
  return options;
}

struct Outcome {
  double error       = 0;  // against the analytic solution
  double space_error = 0;  // against the one that is exact in space only
  double rounding    = 0;  // of what rounding explains
  double seconds     = 0;
};

template <class Kernels>
Outcome solve(Kernels const& kernels, Level const& level, double lambda,
              std::int64_t steps) {
  StandingWave const wave(level, lambda);
  int const ghosts = Kernels::ghosts;
  auto const side  = level.points + 2 * ghosts;
  Grid u           = allocated<Grid>("u", side, side, side);
  Grid previous    = allocated<Grid>("previous", side, side, side);
  if (ghosts > 0) {
    Kokkos::deep_copy(u, 0);
    Kokkos::deep_copy(previous, 0);
  }
  wave.fill(points_of(u, ghosts), points_of(previous, ghosts));
  Kokkos::fence();
  Kokkos::Timer const timer;
  kernels.advance(u, previous, steps);
  Kokkos::fence();
  Outcome outcome;
  outcome.seconds     = timer.seconds();
  Points const points = points_of(u, ghosts);
  outcome.error       = wave.error(points, wave.analytic, steps);
  outcome.space_error = wave.error(points, wave.exact_in_space, steps);
  // At most 16 units of 2^-53 in a step; what is added to a step grows no
  // faster than with the number of the steps that follow.
  double const m = static_cast<double>(steps + 4);
  outcome.rounding =
      wave.discrete_error(points, steps) / std::ldexp(8 * m * m, -53);
  if (!(outcome.rounding <= 1)) {
    wrong("with " + std::to_string(level.points) +
          " points the grid differs from the exact solution of the discrete "
          "equations by " +
          std::to_string(outcome.rounding) + " times what rounding explains");
  }
  return outcome;
}

// The start and the check of every run are not timed.
template <class Kernels>
void measure(Kernels const& kernels, Options const& options) {
  Level const level{options.boundary, options.measure};
  std::vector<double> seconds;
  for (int i = 0; i <= options.repeat; ++i) {
    double const taken =
        solve(kernels, level, options.lambda, measured_steps).seconds;
    if (i > 0) seconds.push_back(taken / measured_steps);
  }
  auto const middle = seconds.begin() + options.repeat / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  double const points = std::pow(static_cast<double>(options.measure), 3);
  // u and previous are read, and previous is written.
  double const bytes = 3 * sizeof(double) * points;
  double const rate  = bytes / *middle;
  double const copy  = measure_copy(bytes, options.repeat);
  std::printf(
      "measured_points %lld\nstep_seconds %.4g\nupdates_per_second %.4g\n"
      "step_GBps %.4g\ncopy_GBps %.4g\nof_copy %.3g\n",
      static_cast<long long>(options.measure), *middle, points / *middle,
      rate / 1e9, copy / 1e9, rate / copy);
}

template <class Kernels>
void converge(Kernels const& kernels, Options const& options) {
  bool const periodic = options.boundary == Boundary::periodic;
  Level level{options.boundary, options.points};
  std::int64_t steps =
      std::llround((static_cast<double>(options.periods) + 0.25) *
                   level.period() / (options.lambda * level.distance()));
  Outcome before;
  double order       = 0;
  double space_order = 0;
  std::string table;
  for (int k = 0; k < options.levels; ++k) {
    Outcome const now  = solve(kernels, level, options.lambda, steps);
    char orders[2][16] = {"-", "-"};
    if (k > 0) {
      order = std::log2(before.error / now.error);
      std::snprintf(orders[0], sizeof(orders[0]), "%.3f", order);
      if (now.space_error > 1e-11) {
        space_order = std::log2(before.space_error / now.space_error);
        std::snprintf(orders[1], sizeof(orders[1]), "%.3f", space_order);
      }
    }
    char line[256];
    std::snprintf(line, sizeof(line),
                  "level %d points %lld steps %lld error %.4g order %s "
                  "space_error %.4g space_order %s rounding %.2g\n",
                  k, static_cast<long long>(level.points),
                  static_cast<long long>(steps), now.error, orders[0],
                  now.space_error, orders[1], now.rounding);
    table += line;
    before = now;
    level  = level.refined();
    steps *= 2;
  }
  // Zeros beyond a wall are no odd continuation: the wall is known to a
  // fraction of the distance of the points, order 1.
  bool const right =
      periodic
          ? std::abs(order - 2) <= 0.1 && std::abs(space_order - 8) <= 0.2
          : 0.9 <= order && order <= 2.1 && std::abs(space_order - 1) <= 0.1;
  if (!right) {
    wrong("the errors fall with the powers " + std::to_string(order) + " and " +
          std::to_string(space_order) + " of the distance:\n" + table);
  }
  std::printf("%s", table.c_str());
}

template <class Kernels>
void run(Options const& options) {
  Kernels const kernels(options.boundary, options.lambda);
  std::printf("boundary %s\nexecution_space %s\nruns_on %s\nlambda %g\n",
              to_string(options.boundary), Space::name(),
              on_host ? "host" : "device", options.lambda);
  converge(kernels, options);
  kernels.print_route(options.points);
  if (options.source.points > 0) {
    radiate(kernels, options.source, options.boundary, options.lambda);
  }
  if (options.measure > 0) measure(kernels, options);
  std::printf("checked against the exact and the analytic solution\n");
}

template <class Kernels>
int program(char const* name, int argc, char** argv) {
  try {
    Options const options = parse_options(argc, argv);
    if (options.help) {
      std::fputs(help_text(name).c_str(), stdout);
      return 0;
    }
    Kokkos::ScopeGuard const kokkos(argc, argv);
    run<Kernels>(options);
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
