// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NUMERICSSUPPORT_HPP
#define NUMERICSSUPPORT_HPP

#include "ScanSupport.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace KokkosMMA::Testing {

inline constexpr double inf       = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

/// What sums of T are kept in.
template <class T>
using wide_t = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Numbers whose sums round. `cancelling` takes away in the second half of
/// `count` what the first half adds up.
enum class Numbers {
  uniform,
  normal,
  alternating,      ///< neighbours cancel up to one part in a thousand
  ill_conditioned,  ///< large numbers that nearly cancel, of random signs: of
                    ///< alternating ones loops over neighbours are right by
                    ///< luck
  spread,
  cancelling,
  tiny  ///< subnormal as half_t, and as they are in wider types
};
inline char const* to_string(Numbers numbers) {
  constexpr char const* names[] = {
      "uniform", "normal",     "alternating", "ill-conditioned",
      "spread",  "cancelling", "tiny"};
  return names[int(numbers)];
}
inline double draw(Numbers numbers, Random& random, std::size_t i,
                   std::size_t count) {
  switch (numbers) {
    case Numbers::uniform: return random.uniform();
    case Numbers::normal: return random.normal();
    case Numbers::alternating:
      return (i % 2 ? -1 : 1) * (1000 + random.uniform());
    case Numbers::ill_conditioned:
      return (random.integer(0, 1) ? -1 : 1) * (100 + random.uniform());
    case Numbers::spread:
      return std::ldexp(random.uniform(-1, 1), int(random.integer(-12, 12)));
    case Numbers::cancelling:
      return (i < count / 2 ? 1 : -1) * (1 + random.uniform(0, 1e-3)) / 2;
    default: return std::ldexp(double(random.integer(-1023, 1023)), -24);
  }
}

/// The same number, or NaN both.
inline bool same_number(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b;
}

}  // namespace KokkosMMA::Testing

#endif
