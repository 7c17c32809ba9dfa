// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_TUNECHOICE_HPP
#define KOKKOSMMA_PERF_TUNECHOICE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

/// How measured times become a choice. What is already there wins wherever the
/// difference is noise: a table that differs from the built-in one does so for
/// a reason that the next run finds too.
namespace perf {

/// Medians of two runs of one case on an H200 differ by less.
inline constexpr double tune_noise = 0.01;

/// Seconds of one case on both sides of a decision.
struct BothWays {
  double taken = 0;
  double left  = 0;

  double cost(bool takes) const {
    // Equal within the noise costs the same.
    double const ratio = taken / left;
    if (ratio < 1 + tune_noise && ratio > 1 - tune_noise)
      return std::log(std::min(taken, left));
    return std::log(takes ? taken : left);
  }
};

/// The candidate whose decisions cost least over all cases: that of the first
/// candidate that no other beats. takes(candidate, case) is what a candidate
/// decides.
template <class Takes>
std::size_t cheapest_decisions(std::size_t candidates,
                               std::vector<BothWays> const& cases,
                               Takes const& takes) {
  std::size_t best = 0;
  double least     = 0;
  for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
    double cost = 0;
    for (std::size_t i = 0; i < cases.size(); ++i)
      cost += cases[i].cost(takes(candidate, i));
    if (candidate == 0 || cost < least - tune_noise / 2) {
      least = cost;
      best  = candidate;
    }
  }
  return best;
}

/// The candidate that is fastest over all cases, by the geometric mean; the
/// first unless another one is faster by more than the noise.
/// \param seconds of each candidate, of each case
inline std::size_t fastest_value(
    std::vector<std::vector<double>> const& seconds) {
  auto const mean = [&](std::size_t candidate) {
    double sum = 0;
    for (double const s : seconds[candidate]) sum += std::log(s);
    return sum / double(seconds[candidate].size());
  };
  std::size_t best = 0;
  for (std::size_t candidate = 1; candidate < seconds.size(); ++candidate)
    if (mean(candidate) < mean(best)) best = candidate;
  return mean(best) < mean(0) + std::log(1 - tune_noise) ? best : 0;
}

}  // namespace perf

#endif
