// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_TYPES_HPP
#define KOKKOSMMA_SCAN_TYPES_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

namespace KokkosMMA::Impl {

/// Whether a kernel that loads and stores the data itself is compiled for these
/// types. The output is the accumulator or the input's 16-bit type.
constexpr bool scan_tile_exists(Scalar input, Scalar accumulator,
                                Scalar output) {
  bool const integers =
      accumulator == Scalar::int32 || accumulator == Scalar::uint32 ||
      accumulator == Scalar::int64 || accumulator == Scalar::uint64;
  switch (input) {
    case Scalar::half:
    case Scalar::bhalf:
      return accumulator == Scalar::float32 &&
             (output == accumulator || output == input);
    case Scalar::float32:
    case Scalar::float64: return accumulator == input && output == input;
    case Scalar::int8:
    case Scalar::uint8:
    case Scalar::boolean: return integers && output == accumulator;
    case Scalar::int32:
    case Scalar::uint32:
    case Scalar::int64:
    case Scalar::uint64:
      return integers && size_of(accumulator) >= size_of(input) &&
             output == accumulator;
    case Scalar::opaque: break;
  }
  return false;
}

}  // namespace KokkosMMA::Impl

#endif
