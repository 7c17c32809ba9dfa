// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the two programs have in common: arguments, solutions, checks, report.
// Plain Kokkos. A program brings its `Kernels`:
//   Kernels(Boundary, double lambda)
//   static constexpr int ghosts
//                     layers of points around the grid in each View; they are
//                     zero at first
//   void advance(Grid& u, Grid& other, std::int64_t steps)
//                     u += lambda (sum of the four neighbours - 4 u), steps
//                     times; may swap the two Views
//   void advance_at_once(Grid& u, Grid& other, std::int64_t steps)
//                     another one that does the same, if there is one
//   void print_route(std::int64_t points)

#ifndef HEAT_PROGRAM_HPP
#define HEAT_PROGRAM_HPP

#include <Kokkos_Core.hpp>

#include "../common/command_line.hpp"
#include "../common/measure.hpp"
#include "../common/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

// u(i, j), j fastest.
using Grid   = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;
using Grid2D = Kokkos::MDRangePolicy<
    Space, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>,
    Kokkos::IndexType<std::int64_t>>;

enum class Boundary { constant, periodic, reflect, mirror };

inline char const* to_string(Boundary boundary) {
  constexpr char const* names[] = {"constant", "periodic", "reflect", "mirror"};
  return names[static_cast<int>(boundary)];
}

struct Options {
  Boundary boundary    = Boundary::constant;
  std::int64_t points  = 20;
  int levels           = 4;
  double time          = 0.05;
  double lambda        = 0.2;
  std::int64_t measure = 0;
  int repeat           = 5;
  bool help            = false;
};

constexpr std::int64_t most_points    = 20000;
constexpr std::int64_t measured_steps = 16;

inline std::string help_text(std::string const& program) {
  return "usage: " + program + R"( [options]

Solves the heat equation u_t = u_xx + u_yy on the unit square by explicit Euler steps, compares
it with the analytic solution, halves the distance of the points and checks that the error falls
with its square.

  --boundary B   constant   u = 0 on the edge; from sin(pi x) sin(pi y) (default)
                 periodic   from sin(2 pi x) sin(2 pi y)
                 reflect    insulated edges half way between points; from cos(pi x) cos(pi y)
                 mirror     insulated edges through the outermost points; likewise
  --points N     points on a side of the coarsest grid, from 16 on (default: 20)
  --levels K     grids, each with half the distance of the one before, 2 to 10 (default: 4)
  --time T       the time that is reached, about, 0.001 to 0.1 (default: 0.05)
  --lambda L     time step over the square of the distance, 0.15 to 0.25 (default: 0.2)
  --measure N    also time 16 steps on a grid of N by N points, and how fast memory is copied
  --repeat K     timed runs after one that does not count, of which the median is printed
                 (default: 5)
  --help         print this text

Options that start with --kokkos- go to Kokkos. Exit code: 0, 2 for wrong input, 1 for a wrong
result.
)";
}

// A grid of one level: where its points are, and what the solution is.
struct Level {
  Boundary boundary;
  std::int64_t points;

  double distance() const {
    auto const n = static_cast<double>(points);
    return 1 / (boundary == Boundary::constant ? n + 1
                : boundary == Boundary::mirror ? n - 1
                                               : n);
  }
  double coordinate(std::int64_t i) const {
    double const shift = boundary == Boundary::constant  ? 1
                         : boundary == Boundary::reflect ? 0.5
                                                         : 0;
    return (static_cast<double>(i) + shift) * distance();
  }
  Level refined() const {
    return {boundary, boundary == Boundary::constant ? 2 * points + 1
                      : boundary == Boundary::mirror ? 2 * points - 1
                                                     : 2 * points};
  }

  double frequency() const {
    return boundary == Boundary::periodic ? 2 * std::numbers::pi
                                          : std::numbers::pi;
  }
  // The wave along one side: the solution is wave(x) wave(y) times a factor
  // that falls with time.
  double wave(std::int64_t i) const {
    double const angle = frequency() * coordinate(i);
    return boundary == Boundary::constant || boundary == Boundary::periodic
               ? std::sin(angle)
               : std::cos(angle);
  }
  double analytic_factor(double time) const {
    return std::exp(-2 * frequency() * frequency() * time);
  }
  // The same wave is an eigenvector of the discrete Laplacian.
  double discrete_factor(double lambda, std::int64_t steps) const {
    double const sine = std::sin(frequency() * distance() / 2);
    return std::pow(1 - 8 * lambda * sine * sine, static_cast<double>(steps));
  }
};

inline Options parse_options(int& argc, char** argv) {
  Options options;
  Arguments arguments(argc, argv);
  for (std::string word; arguments.next(word);) {
    if (word == "--boundary") {
      std::string const text = arguments.value();
      bool known             = false;
      for (Boundary const kind : {Boundary::constant, Boundary::periodic,
                                  Boundary::reflect, Boundary::mirror}) {
        if (text != to_string(kind)) continue;
        options.boundary = kind;
        known            = true;
      }
      if (!known) {
        throw InputError("--boundary " + in_quotes(text) +
                         ": allowed are constant, periodic, reflect and "
                         "mirror");
      }
    } else if (word == "--points") {
      options.points = arguments.integer(16, most_points);
    } else if (word == "--levels") {
      options.levels = static_cast<int>(arguments.integer(2, 10));
    } else if (word == "--time") {
      // Late, little of the solution is left, and the coarsest grids show no
      // order yet.
      options.time = number_option(word, arguments.value(), 0.001, 0.1);
    } else if (word == "--lambda") {
      // Above 1/4 the steps are unstable, and around 1/12 the errors of time
      // and space cancel: there is no order to be seen.
      options.lambda = number_option(word, arguments.value(), 0.15, 0.25);
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
  Level level{options.boundary, options.points};
  for (int k = 1; k < options.levels; ++k) level = level.refined();
  if (level.points > most_points) {
    throw InputError("the finest grid has " + std::to_string(level.points) +
                     " points on a side; allowed: up to " +
                     std::to_string(most_points) +
                     "; give fewer --points or --levels");
  }
  // Before and after a step. Each View by itself may fit.
  if (on_host && !options.help) {
    auto const side = std::max(level.points, options.measure);
    require_memory(16 * static_cast<double>(side) * static_cast<double>(side),
                   "two grids of " + std::to_string(side) + " x " +
                       std::to_string(side) + " points",
                   "give fewer points");
  }
  return options;
}

[[noreturn]] inline void wrong(std::string const& what) {
  throw std::runtime_error("wrong result: " + what);
}

struct Wave {
  Array<double> along;

  explicit Wave(Level const& level)
      : along(uninitialized<double>("wave", level.points)) {
    auto const host = Kokkos::create_mirror_view(along);
    for (std::int64_t i = 0; i < level.points; ++i) host(i) = level.wave(i);
    Kokkos::deep_copy(along, host);
  }

  void fill(Grid const& u, int ghosts) const {
    auto const wave = along;
    auto const n    = static_cast<std::int64_t>(wave.extent(0));
    Kokkos::parallel_for(
        "heat::start", Grid2D({0, 0}, {n, n}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
          u(i + ghosts, j + ghosts) = wave(i) * wave(j);
        });
  }

  // A NaN counts as a large difference.
  double largest_difference(Grid const& u, int ghosts, double factor) const {
    auto const wave = along;
    auto const n    = static_cast<std::int64_t>(wave.extent(0));
    double result   = 0;
    Kokkos::parallel_reduce(
        "heat::difference", Grid2D({0, 0}, {n, n}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, double& largest) {
          double const off = Kokkos::abs(u(i + ghosts, j + ghosts) -
                                         factor * wave(i) * wave(j));
          if (!(off <= largest)) largest = off == off ? off : 1e300;
        },
        Kokkos::Max<double>(result));
    return result;
  }
};

struct Outcome {
  double error    = 0;
  double rounding = 0;  // of what rounding explains
  double seconds  = 0;
};

template <int ghosts, class Advance>
Outcome solve(Level const& level, double lambda, std::int64_t steps,
              Advance const& advance) {
  Wave const wave(level);
  std::int64_t const side = level.points + 2 * ghosts;
  Grid u                  = allocated<Grid>("u", side, side);
  Grid other              = allocated<Grid>("other", side, side);
  if (ghosts > 0) {
    Kokkos::deep_copy(u, 0);
    Kokkos::deep_copy(other, 0);
  }
  wave.fill(u, ghosts);
  Kokkos::fence();
  Kokkos::Timer const timer;
  advance(u, other, steps);
  Kokkos::fence();
  Outcome outcome;
  outcome.seconds = timer.seconds();
  double const h  = level.distance();
  outcome.error   = wave.largest_difference(
        u, ghosts,
        level.analytic_factor(lambda * h * h * static_cast<double>(steps)));
  // The weights are not negative and add up to 1: what rounding adds in a step,
  // at most 16 units of 2^-53, later steps do not enlarge.
  outcome.rounding =
      wave.largest_difference(u, ghosts, level.discrete_factor(lambda, steps)) /
      (std::ldexp(16, -53) * static_cast<double>(steps + 4));
  if (!(outcome.rounding <= 1)) {
    wrong("with " + std::to_string(level.points) +
          " points the grid differs from the exact solution of the discrete "
          "equations by " +
          std::to_string(outcome.rounding) + " times what rounding explains");
  }
  return outcome;
}

// Of one step. The start and the check of every run are not timed.
template <int ghosts, class Advance>
double median_step_seconds(Level const& level, Options const& options,
                           Advance const& advance) {
  std::vector<double> seconds;
  for (int i = 0; i <= options.repeat; ++i) {
    double const taken =
        solve<ghosts>(level, options.lambda, measured_steps, advance).seconds;
    if (i > 0) seconds.push_back(taken / measured_steps);
  }
  auto const middle = seconds.begin() + options.repeat / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

template <class Kernels>
void measure(Kernels const& kernels, Options const& options) {
  Level const level{options.boundary, options.measure};
  std::printf("measured_points %lld\nstep_seconds %.4g\n",
              static_cast<long long>(options.measure),
              median_step_seconds<Kernels::ghosts>(
                  level, options, [&](Grid& u, Grid& other, std::int64_t n) {
                    kernels.advance(u, other, n);
                  }));
  if constexpr (requires(Grid & u) { kernels.advance_at_once(u, u, 1); }) {
    std::printf("step_at_once_seconds %.4g\n",
                median_step_seconds<Kernels::ghosts>(
                    level, options, [&](Grid& u, Grid& other, std::int64_t n) {
                      kernels.advance_at_once(u, other, n);
                    }));
  }
  double const bytes = 2. * sizeof(double) *
                       static_cast<double>(options.measure) *
                       static_cast<double>(options.measure);
  std::printf("copy_GBps %.4g\n", measure_copy(bytes, options.repeat) / 1e9);
}

template <class Kernels>
void run(Options const& options) {
  Kernels const kernels(options.boundary, options.lambda);
  Level level{options.boundary, options.points};
  double const h     = level.distance();
  std::int64_t steps = std::max<std::int64_t>(
      1, std::llround(options.time / (options.lambda * h * h)));
  double const time = options.lambda * h * h * static_cast<double>(steps);
  constexpr bool has_another = requires(Kernels const& k, Grid& u) {
    k.advance_at_once(u, u, 1);
  };

  std::string table;
  double previous = 0;
  double order    = 0;
  for (int k = 0; k < options.levels; ++k) {
    Outcome outcome =
        solve<Kernels::ghosts>(level, options.lambda, steps,
                               [&](Grid& u, Grid& other, std::int64_t count) {
                                 kernels.advance(u, other, count);
                               });
    double at_once = 0;
    if constexpr (has_another) {
      Outcome const another =
          solve<Kernels::ghosts>(level, options.lambda, steps,
                                 [&](Grid& u, Grid& other, std::int64_t count) {
                                   kernels.advance_at_once(u, other, count);
                                 });
      at_once          = another.seconds;
      outcome.error    = std::max(outcome.error, another.error);
      outcome.rounding = std::max(outcome.rounding, another.rounding);
    }
    double const updates = static_cast<double>(level.points * level.points) *
                           static_cast<double>(steps);
    char line[256];
    char order_text[16] = "-";
    if (k > 0) {
      order = std::log2(previous / outcome.error);
      std::snprintf(order_text, sizeof(order_text), "%.3f", order);
    }
    std::snprintf(line, sizeof(line),
                  "level %d points %lld steps %lld error %.4g order %s "
                  "rounding %.2g updates_per_second %.3g",
                  k, static_cast<long long>(level.points),
                  static_cast<long long>(steps), outcome.error, order_text,
                  outcome.rounding, updates / outcome.seconds);
    table += line;
    if (has_another) {
      std::snprintf(line, sizeof(line), " at_once %.3g", updates / at_once);
      table += line;
    }
    table += "\n";
    previous = outcome.error;
    if (k + 1 < options.levels) {
      level = level.refined();
      steps *= 4;
    }
  }
  if (!(std::abs(order - 2) <= 0.1)) {
    wrong("the error falls with the power " + std::to_string(order) +
          " of the distance, not 2:\n" + table);
  }
  std::printf(
      "boundary %s\nexecution_space %s\nruns_on %s\nlambda %g\ntime %.6g\n%s",
      to_string(options.boundary), Space::name(), on_host ? "host" : "device",
      options.lambda, time, table.c_str());
  kernels.print_route(level.points);
  if (options.measure > 0) measure(kernels, options);
  std::printf("checked against the analytic solution\norder %.3f\n", order);
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
