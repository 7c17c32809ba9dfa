// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EXACTSUM_HPP
#define KOKKOSMMA_EXACTSUM_HPP

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace KokkosMMA::Testing {

/// The exact sum of finite doubles, kept as parts that do not overlap (Shewchuk
/// 1997): the reference that every computed sum is compared with. The sum
/// itself must not overflow.
class ExactSum {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (double const part : m_parts) {
      double const sum     = x + part;
      double const rounded = sum - x;
      // what the addition rounded away, exactly (Knuth's TwoSum)
      double const lost = (x - (sum - rounded)) + (part - rounded);
      if (lost != 0.) m_parts[kept++] = lost;
      x = sum;
    }
    m_parts.resize(kept);
    m_parts.push_back(x);
  }

  /// The sum, to within one unit in the last place.
  double value() const {
    double sum = 0.;
    for (auto part = m_parts.rbegin(); part != m_parts.rend(); ++part)
      sum += *part;
    return sum;
  }

  /// |computed - exact sum|, to within one unit in the last place.
  double error_of(double computed) const {
    ExactSum difference = *this;
    difference.add(-computed);
    return std::abs(difference.value());
  }

 private:
  std::vector<double> m_parts;  // increasing magnitude
};

/// The error that a sum may have, next to the error that Kokkos' own code has
/// on the same data.
///
/// No larger than Kokkos' own, up to what no order of summation controls: one
/// unit in the last place of the result's type (how the exact sum rounds to it)
/// and one of the accumulator's type at the sum of magnitudes (one rounding of
/// one partial sum).
inline double allowed_error(double error_of_kokkos, double exact,
                            double sum_of_magnitudes, double result_epsilon,
                            double accumulator_epsilon) {
  return error_of_kokkos + result_epsilon * std::abs(exact) +
         accumulator_epsilon * sum_of_magnitudes +
         std::numeric_limits<double>::denorm_min();
}

}  // namespace KokkosMMA::Testing

#endif
