// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDATA_HPP
#define EMULATEDDATA_HPP

#include <backends/emulated/arch/KokkosMMA_Mma.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <KokkosMMA_Random.hpp>
#include <KokkosMMA_SmallFloats.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace KokkosMMA::Testing {

/// A floating-point element as the emulated warp reads it: bits, and the number
/// they stand for.
template <Scalar Input>
struct Format;
template <>
struct Format<Scalar::half> {
  using Bits = std::uint16_t;
  using Sum  = float;
  static Bits encode(double x) { return encode_half(x); }
  static double decode(Bits bits) { return Impl::Emulated::decode_half(bits); }
};
template <>
struct Format<Scalar::bhalf> {
  using Bits = std::uint16_t;
  using Sum  = float;
  static Bits encode(double x) { return encode_bhalf(x); }
  static double decode(Bits bits) { return Impl::Emulated::decode_bhalf(bits); }
};
template <>
struct Format<Scalar::float32> {
  using Bits = std::uint32_t;
  using Sum  = float;
  static Bits encode(double x) { return std::bit_cast<Bits>(float(x)); }
  static double decode(Bits bits) { return std::bit_cast<float>(bits); }
};
template <>
struct Format<Scalar::float64> {
  using Bits = std::uint64_t;
  using Sum  = double;
  static Bits encode(double x) { return std::bit_cast<Bits>(x); }
  static double decode(Bits bits) { return std::bit_cast<double>(bits); }
};

/// Which elements of a row are combined: element i belongs to group of(i), or
/// to none if that is negative.
struct Groups {
  std::string name;
  std::size_t elements;
  std::size_t count;
  std::function<std::ptrdiff_t(std::size_t)> of;
};

}  // namespace KokkosMMA::Testing

#endif
