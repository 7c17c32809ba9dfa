// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_EXACTBITS_HPP
#define EMULATEDDEVICE_EXACTBITS_HPP

#include "KernelSupport.hpp"

#include <KokkosMMA_ExactReference.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace KokkosMMA::Testing {

/// The reference's sum of elements as bits of a format.
inline std::uint64_t expected_bits(ExactReference const& sum, Scalar format) {
  return encode(format, sum.as(format));
}

/// Of limb 20 of a sum of doubles as much as a number can have, which no window
/// holds beside the ones that are there, and that cancel.
inline std::vector<double> full_limbs(std::size_t size) {
  std::vector<double> terms(size, std::ldexp(0x1p53 - 1, 32 * 20 - 1074));
  for (std::size_t i = 0; i < size; i += 64) terms[i] = i / 64 % 2 ? -1 : 1;
  return terms;
}

}  // namespace KokkosMMA::Testing

#endif
