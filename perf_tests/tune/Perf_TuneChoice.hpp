// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_TUNE_CHOICE_HPP
#define KOKKOSMMA_PERF_TUNE_CHOICE_HPP

#include "support/Perf_Timing.hpp"

/// How measured times become a choice. The present value stays unless another
/// one is faster by more than tune_least_gain and by more than what the rounds
/// of the measurement differ by: a table that differs from the built-in one
/// does so for a reason that the next run finds too.
namespace perf {

/// Gains are logarithms of ratios of times; smaller ones than this, 2 %, are
/// not worth a table of their own.
inline constexpr double tune_least_gain = 0.02;

/// Median and interquartile range.
struct Quartiles {
  double median = 0, range = 0;

  explicit Quartiles(std::vector<double> values) {
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    std::size_t const last = values.size() - 1;
    median                 = (values[last / 2] + values[values.size() / 2]) / 2;
    range                  = values[last - last / 4] - values[last / 4];
  }
};

/// Both sides of a decision in one case. Round by round the two are measured
/// next to each other, so that a clock that changes between rounds changes
/// their times, but not the ratio.
struct BothWays {
  double taken = 0, left = 0;  ///< seconds, medians over the rounds
  double gain   = 0;           ///< median of log(left / taken)
  double spread = 0;           ///< interquartile range of the same

  BothWays() = default;
  BothWays(std::vector<double> const& with, std::vector<double> const& without)
      : taken(Quartiles(with).median), left(Quartiles(without).median) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < with.size(); ++r)
      ratios.push_back(std::log(without[r] / with[r]));
    Quartiles const quartiles(ratios);
    gain   = quartiles.median;
    spread = quartiles.range;
  }

  /// Of taking it; 0 where the difference is noise.
  double certain_gain() const {
    return std::abs(gain) > std::max(tune_least_gain, spread) ? gain : 0;
  }
};

/// The candidate whose decisions gain most over those of the first one, the
/// present value; the first where no gain is above tune_least_gain.
/// takes(candidate, case) is what a candidate decides.
template <class Takes>
std::size_t best_decisions(std::size_t candidates,
                           std::vector<BothWays> const& cases,
                           Takes const& takes) {
  std::size_t best = 0;
  double most      = tune_least_gain;
  for (std::size_t candidate = 1; candidate < candidates; ++candidate) {
    double gain = 0;
    for (std::size_t i = 0; i < cases.size(); ++i)
      gain += (int(takes(candidate, i)) - int(takes(0, i))) *
              cases[i].certain_gain();
    if (gain > most + 1e-9) {
      most = gain;
      best = candidate;
    }
  }
  return best;
}

}  // namespace perf

#endif
