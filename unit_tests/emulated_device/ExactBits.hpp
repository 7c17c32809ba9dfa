// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_EXACTBITS_HPP
#define EMULATEDDEVICE_EXACTBITS_HPP

#include "KernelSupport.hpp"

#include <KokkosMMA_ExactReference.hpp>

#include <cstdint>

namespace KokkosMMA::Testing {

/// The reference's sum of elements as bits of a format.
inline std::uint64_t expected_bits(ExactReference const& sum, Scalar format) {
  auto const bits = [](auto encoded) { return std::uint64_t(encoded); };
  switch (format) {
    case Scalar::half: return encode_half(sum.as_half());
    case Scalar::bhalf: return encode_bhalf(sum.as_bhalf());
    case Scalar::float32:
      return bits(Format<Scalar::float32>::encode(sum.as_float()));
    default: return bits(Format<Scalar::float64>::encode(sum.as_double()));
  }
}

}  // namespace KokkosMMA::Testing

#endif
