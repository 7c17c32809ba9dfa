// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_NUMBERS_HPP
#define KOKKOSMMA_NUMBERS_HPP

#include <KokkosMMA_Random.hpp>

#include <cmath>
#include <cstddef>

namespace KokkosMMA::Testing {

/// Numbers whose sums round; every one fits a half_t. `cancelling` takes away
/// in the second half of `count` what the first half adds up. In the growing
/// ones, late elements are larger than all early prefixes: differences of later
/// sums would not have the early ones.
enum class Numbers {
  uniform,
  normal,
  alternating,  ///< of all magnitudes; each odd one cancels the one before up
                ///< to one part in 64: drawn in order
  spread,
  cancelling,
  growing,
  falling,
  tiny  ///< subnormal as half_t, and as they are in wider types
};
inline char const* to_string(Numbers numbers) {
  constexpr char const* names[] = {"uniform", "normal",     "alternating",
                                   "spread",  "cancelling", "growing",
                                   "falling", "tiny"};
  return names[int(numbers)];
}
inline double draw(Numbers numbers, Random& random, std::size_t i,
                   std::size_t count) {
  double const exponent = 28. * double(i) / double(count) - 14.;
  switch (numbers) {
    case Numbers::uniform: return random.uniform();
    case Numbers::normal: return random.normal();
    case Numbers::alternating: {
      static double before = 0;
      before               = i % 2 ? -before * (1 + 0x1p-6 * random.uniform())
                                   : random.normal() * std::exp2(random.uniform(-8, 8));
      return before;
    }
    case Numbers::spread:
      return std::ldexp(random.uniform(-1, 1), int(random.integer(-12, 12)));
    case Numbers::cancelling:
      return (i < count / 2 ? 1 : -1) * (1 + random.uniform(0, 1e-3)) / 2;
    case Numbers::growing: return random.uniform(.5, 1) * std::exp2(exponent);
    case Numbers::falling: return random.uniform(.5, 1) * std::exp2(-exponent);
    default: return std::ldexp(double(random.integer(-1023, 1023)), -24);
  }
}

}  // namespace KokkosMMA::Testing

#endif
