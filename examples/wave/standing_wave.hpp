// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A standing wave wave(x) wave(y) wave(z) f(t), its start and what is known of
// it later.

#ifndef WAVE_STANDING_WAVE_HPP
#define WAVE_STANDING_WAVE_HPP

#include "grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

// A grid of one level: where its points are. Walls are one distance beyond the
// outermost points.
struct Level {
  Boundary boundary;
  std::int64_t points;

  bool periodic() const { return boundary == Boundary::periodic; }
  double distance() const {
    return 1 / static_cast<double>(periodic() ? points : points + 1);
  }
  Level refined() const {
    return {boundary, periodic() ? 2 * points : 2 * points + 1};
  }
  // Of the analytic wave along one axis, in radians per distance.
  double angle() const {
    return (periodic() ? 2 : 1) * std::numbers::pi * distance();
  }
  double period() const {
    return 2 * std::numbers::pi * distance() / (std::sqrt(3.) * angle());
  }
};

// An eigenvector of the second derivative along one axis.
struct Mode {
  std::vector<double> values;
  double eigenvalue = 0;  // of minus the derivative
};

inline std::vector<double> sine(Level const& level) {
  std::vector<double> values(static_cast<std::size_t>(level.points));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(level.angle() *
                         static_cast<double>(level.periodic() ? i : i + 1));
  return values;
}

inline Mode periodic_mode(Level const& level) {
  Mode mode{sine(level), 0};
  for (int o = 1; o <= radius; ++o) {
    double const sine_of_half = std::sin(o * level.angle() / 2);
    mode.eigenvalue += 4 * Derivative().weight[o] * sine_of_half * sine_of_half;
  }
  return mode;
}

// The slowest mode between walls: inverse iteration with the Cholesky factor of
// minus the derivative, a symmetric band matrix.
inline Mode wall_mode(Level const& level) {
  Derivative const derivative;
  auto const& weight = derivative.weight;
  int const n        = static_cast<int>(level.points);
  // factor[i][o] is element (i, i - o).
  std::vector<std::array<double, radius + 1>> factor(
      static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    for (int j = std::max(0, i - radius); j <= i; ++j) {
      double rest = -weight[i - j];
      for (int k = std::max(0, i - radius); k < j; ++k)
        rest -= factor[i][i - k] * factor[j][j - k];
      factor[i][i - j] = i == j ? std::sqrt(rest) : rest / factor[j][0];
    }
  // Three quarters of what is not the slowest mode go in an iteration.
  Mode mode{sine(level), 0};
  auto& v = mode.values;
  for (int iteration = 0; iteration < 40; ++iteration) {
    for (int i = 0; i < n; ++i) {
      for (int k = std::max(0, i - radius); k < i; ++k)
        v[i] -= factor[i][i - k] * v[k];
      v[i] /= factor[i][0];
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < std::min(n, i + radius + 1); ++k)
        v[i] -= factor[k][k - i] * v[k];
      v[i] /= factor[i][0];
    }
    double const largest = *std::max_element(v.begin(), v.end());
    for (double& value : v) value /= largest;
  }
  double above = 0;
  double below = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = std::max(0, i - radius); k < std::min(n, i + radius + 1); ++k)
      above -= weight[std::abs(i - k)] * v[i] * v[k];
    below += v[i] * v[i];
  }
  mode.eigenvalue = above / below;
  return mode;
}

class StandingWave {
 public:
  // Radians per step of three solutions.
  double analytic       = 0;
  double exact_in_space = 0;
  double discrete       = 0;

  StandingWave(Level const& level, double lambda) {
    Mode const mode =
        level.periodic() ? periodic_mode(level) : wall_mode(level);
    // 1 - cos(radians) = lambda^2 / 2 times the eigenvalue of minus L.
    auto const leapfrog = [](double squared) {
      return 2 * std::asin(std::sqrt(squared) / 2);
    };
    analytic       = lambda * std::sqrt(3.) * level.angle();
    exact_in_space = leapfrog(analytic * analytic);
    discrete       = leapfrog(lambda * lambda * 3 * mode.eigenvalue);
    m_mode         = on_device(mode.values);
    m_sine         = on_device(sine(level));
  }

  // At time 0, and one step before as it is in the analytic solution.
  void fill(Points const& u, Points const& previous) const {
    auto const wave     = m_mode;
    double const before = std::cos(analytic);
    auto const n        = static_cast<std::int64_t>(u.extent(0));
    Kokkos::parallel_for(
        "wave::start", Grid3D({0, 0, 0}, {n, n, n}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k) {
          u(i, j, k)        = wave(i) * wave(j) * wave(k);
          previous(i, j, k) = before * u(i, j, k);
        });
  }

  double error(Points const& u, double radians, std::int64_t steps) const {
    return largest_difference(u, m_sine, factor(radians, steps));
  }
  double discrete_error(Points const& u, std::int64_t steps) const {
    return largest_difference(u, m_mode, factor(discrete, steps));
  }

  // A NaN counts as a large difference.
  static double largest_difference(Points const& u, Array<double> const& wave,
                                   double factor) {
    auto const n  = static_cast<std::int64_t>(u.extent(0));
    double result = 0;
    Kokkos::parallel_reduce(
        "wave::difference", Grid3D({0, 0, 0}, {n, n, n}),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j, std::int64_t k,
                      double& largest) {
          double const off =
              Kokkos::abs(u(i, j, k) - factor * wave(i) * wave(j) * wave(k));
          if (!(off <= largest)) largest = off == off ? off : 1e300;
        },
        Kokkos::Max<double>(result));
    return result;
  }

 private:
  // What advances by that many radians per step and starts as fill() does.
  double factor(double radians, std::int64_t steps) const {
    double const now = radians * static_cast<double>(steps);
    double const off =
        (std::cos(radians) - std::cos(analytic)) / std::sin(radians);
    return std::cos(now) + off * std::sin(now);
  }

  static Array<double> on_device(std::vector<double> const& values) {
    Array<double> const result =
        uninitialized<double>("wave", static_cast<std::int64_t>(values.size()));
    Kokkos::deep_copy(
        result,
        Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
            values.data(), values.size()));
    return result;
  }

  Array<double> m_mode;
  Array<double> m_sine;
};

#endif
