// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Drawing.hpp"

#include "Memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace random_calls {

namespace {

using P = Parameters;

// Indices of a call, and of all its repetitions. Hosts have few cores, and what
// a call can get wrong there does not depend on its length.
#if defined(KOKKOS_ENABLE_CUDA)
constexpr std::int64_t most_indices = std::int64_t(1) << 22,
                       most_work    = std::int64_t(1) << 24;
#else
constexpr std::int64_t most_indices = 3000, most_work = 1 << 13;
#endif
#if defined(RANDOM_CALLS_EMULATED)
// Kernels are launched without the drop-in, which would change later launches.
constexpr std::int64_t most_repeats = 2;
#else
constexpr std::int64_t most_repeats = 130;
#endif

/// A parameter's name, and the value that says nothing.
struct Field {
  char const* name;
  std::int64_t least;
};
constexpr Field fields[] = {
    {"begin0", 0},  {"begin1", 0},  {"begin2", 0},   {"begin3", 0},
    {"begin4", 0},  {"begin5", 0},  {"extent0", 0},  {"extent1", 0},
    {"extent2", 0}, {"extent3", 0}, {"extent4", 0},  {"extent5", 0},
    {"tile0", 0},   {"tile1", 0},   {"tile2", 0},    {"tile3", 0},
    {"tile4", 0},   {"tile5", 0},   {"chunk", 0},    {"team", 0},
    {"vector", 1},  {"inner", 0},   {"stride", 1},   {"count", 1},
    {"shift", 0},   {"repeats", 1}, {"where", 0},    {"values", 0},
    {"level", 0},   {"threads", 1}, {"instance", 0}, {"seed", 0}};
static_assert(std::size(fields) == P::fields);

class Dice {
 public:
  explicit Dice(std::mt19937_64& engine) : m_engine(engine) {}
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(m_engine);
  }
  bool one_in(int n) { return (*this)(1, n) == 1; }
  /// Few, around the sizes of warps and blocks, or of any magnitude.
  std::int64_t size(std::int64_t most) {
    most                    = std::max<std::int64_t>(most, 0);
    std::int64_t const kind = (*this)(0, 9);
    std::int64_t n          = 0;
    if (kind == 0) {
      n = (*this)(0, 3);
    } else if (kind < 4) {
      n = (std::int64_t(16) << (*this)(0, 7)) * (*this)(1, 3) + (*this)(-1, 1);
    } else {
      double const exponent = std::log2(double(most) + 1);
      double const share =
          std::uniform_real_distribution<double>(0, 1)(m_engine);
      n = std::int64_t(std::exp2(exponent * share));
    }
    return std::min(n, most);
  }

 private:
  std::mt19937_64& m_engine;
};

void draw_space(Limits const& limits, Dice& dice, P& p) {
  std::int64_t left = std::min(limits.most, most_indices);
  double const each = std::pow(double(left), 1. / limits.rank);
  for (int d = 0; d < limits.rank; ++d) {
    // One dimension may have nearly all.
    std::int64_t const most = limits.rank == 1 || dice.one_in(4)
                                  ? left
                                  : std::min(left, std::int64_t(4 * each));
    // The difference of the limits may be no number.
    std::int64_t const n = dice.size(
        limits.low > limits.high - most ? limits.high - limits.low : most);
    p[P::extent + d] = n;
    left /= std::max<std::int64_t>(n, 1);
    std::int64_t const last = limits.high - n;
    bool const wide         = limits.high > std::int64_t(1) << 33;
    p[P::begin + d] =
        dice.one_in(3) ? std::clamp<std::int64_t>(0, limits.low, last)
        : !dice.one_in(5)
            ? dice(limits.low, std::min(last, limits.low + 200000))
        : wide && dice.one_in(2)
            // Around the first numbers that 31 or 32 bits do not hold.
            ? (std::int64_t(1) << dice(31, 32)) - dice(0, n)
            : std::max(limits.low, last - dice(0, 300));
  }
  if (limits.rank > 1 && dice.one_in(3)) {
    // From 5.0 on Kokkos has the slowest one or two dimensions along z of the
    // block, where 64 threads fit, and does not run a loop of more.
    std::int64_t const most = limits.rank < 3 ? 256 : limits.rank < 5 ? 64 : 8;
    std::int64_t threads    = 256;
    for (int d = 0; d < limits.rank; ++d) {
      p[P::tile + d] = std::int64_t(1) << dice(
                           0, std::int64_t(std::log2(std::min(threads, most))));
      threads /= p[P::tile + d];
    }
  }
}

bool is_allowed(Limits const& limits, P const& p) {
  auto const is_power = [&](int f) { return (p[f] & (p[f] - 1)) == 0; };
  for (int f = P::tile; f <= P::chunk; ++f)
    if (!is_power(f)) return false;
  if (!is_power(P::vector)) return false;
  if (limits.scans_teams &&
      (!is_power(P::team) || p[P::team] == 0 || p[P::vector] != 1))
    return false;
  for (int d = 0; d < limits.rank; ++d)
    if (p[P::extent + d] > 0 &&
        (p[P::begin + d] < limits.low ||
         p[P::begin + d] + p[P::extent + d] > limits.high))
      return false;
  return true;
}

P nothing_said() {
  P p;
  for (int f = 0; f < P::fields; ++f) p[f] = fields[f].least;
  return p;
}

}  // namespace

Parameters draw(Limits const& limits, std::mt19937_64& engine, int instances,
                int host_threads) {
  Dice dice(engine);
  P p = nothing_said();
  if (limits.teams) {
    p[P::inner]  = dice.size(300);
    p[P::extent] = dice.size(
        std::min<std::int64_t>(2000, most_indices / (p[P::inner] + 1) + 1));
    p[P::vector] = limits.scans_teams ? 1 : std::int64_t(1) << dice(0, 5);
    std::int64_t const most = 256 / p[P::vector];
    p[P::team]              = limits.scans_teams
                                  ? std::int64_t(1) << dice(0, std::int64_t(std::log2(most)))
                              : dice.one_in(3) ? 0
                                               : dice(1, most);
  } else {
    draw_space(limits, dice, p);
  }
  if (limits.chunks && dice.one_in(4))
    p[P::chunk] = std::int64_t(1) << dice(0, 9);
  if (limits.strided) p[P::stride] = dice(1, 4);
  if (limits.arrays)
    p[P::count] = dice.one_in(20)  ? dice(1000, 2048)
                  : dice.one_in(4) ? dice(150, 300)
                                   : dice(1, dice.one_in(2) ? 4 : 40);
  p[P::shift] = dice.one_in(2) ? 0 : dice(1, 15);
  // The drop-in measures launches and changes them at calls 13, 100 and 101.
  std::int64_t const size = indices_of(limits, p);
  p[P::repeats]           = dice.one_in(2)   ? 1
                            : dice.one_in(2) ? dice(2, 15)
                                             : dice(90, 130);
  // What the longest loops of a kind cost is bounded.
  p[P::repeats] = std::clamp<std::int64_t>(
      std::min(
          {p[P::repeats], std::int64_t(limits.most_repeats), most_repeats}),
      1, 1 + most_work / (size + 1));
#if defined(RANDOM_CALLS_EMULATED)
  // Each repetition has another order of the calls.
  if (limits.one_result) p[P::repeats] = most_repeats;
#endif
  p[P::where]  = dice(0, 2);
  p[P::values] = dice(0, 3);
  p[P::level]  = dice.one_in(2) ? 0 : dice(1, 2);
  if (size < (1 << 16) && dice.one_in(6)) p[P::threads] = host_threads;
  p[P::instance] = dice(0, instances - 1);
  p[P::seed]     = dice(0, 1 << 30);
  return p;
}

std::string to_text(Parameters const& p) {
  std::ostringstream text;
  for (int f = 0; f < P::fields; ++f)
    if (p[f] != fields[f].least)
      text << (text.tellp() > 0 ? "," : "") << fields[f].name << '=' << p[f];
  return text.tellp() > 0 ? text.str() : "seed=0";
}

Parameters from_text(Limits const& limits, std::string const& text) {
  P p = nothing_said();
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');) {
    auto const equals       = item.find('=');
    auto const* const field = std::find_if(
        std::begin(fields), std::end(fields),
        [&](Field const& f) { return item.substr(0, equals) == f.name; });
    if (equals == std::string::npos || field == std::end(fields))
      throw std::invalid_argument("random_calls: \"" + item +
                                  "\" is no parameter; they are NAME=NUMBER "
                                  "as a failure prints them");
    p[int(field - fields)] =
        std::strtoll(item.c_str() + equals + 1, nullptr, 10);
  }
  if (!is_allowed(limits, p))
    throw std::invalid_argument(
        "random_calls: this kind allows indices from " +
        std::to_string(limits.low) + " to " + std::to_string(limits.high) +
        ", and powers of two as tiles, chunks, vector lengths and, where teams "
        "scan, as team sizes, with vectors of one lane");
  return p;
}

Parameters shrink(Limits const& limits, Parameters p,
                  std::function<bool(Parameters const&)> const& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (int f = 0; f < P::fields; ++f) {
      std::int64_t const least =
          f < P::extent ? std::clamp<std::int64_t>(
                              0, limits.low, limits.high - p[P::extent + f])
                        : fields[f].least;
      for (std::int64_t const to :
           {least, least + (p[f] - least) / 2, p[f] - (p[f] > least)}) {
        P candidate  = p;
        candidate[f] = to;
        if (candidate == p || !is_allowed(limits, candidate) ||
            !fails(candidate))
          continue;
        p       = candidate;
        smaller = true;
        break;
      }
    }
  }
  return p;
}

}  // namespace random_calls
