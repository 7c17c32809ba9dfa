// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_ELEMENTS_HPP
#define KOKKOSMMA_SCAN_ELEMENTS_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/mma/KokkosMMA_MmaShape.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// Elements of a scan of `Input` with sums of `Value`; unsigned types represent
/// integers modulo 2^bits. `elements` neighbours are 16 bytes of results.
template <Scalar Input, class ValueT>
struct ScanElements {
  using Value                      = ValueT;
  static constexpr int elements    = 16 / sizeof(Value);
  static constexpr int input_bytes = size_of(Input);
  static constexpr int bytes = elements * input_bytes;  ///< per input vector
  using Words = Registers < std::uint32_t, bytes<4 ? 1 : bytes / 4>;

  template <class Warp>
  KOKKOSMMA_FORCEINLINE_FUNCTION static Value element(Words const& words,
                                                      int e) {
    if constexpr (input_bytes == 8) {
      std::uint64_t const bits =
          std::uint64_t(words[2 * e + 1]) << 32 | words[2 * e];
      if constexpr (Input == Scalar::float64) {
        return bit_cast<double>(bits);
      } else {
        return Value(bits);
      }
    } else if constexpr (Input == Scalar::float32) {
      return Value(bit_cast<float>(words[e]));
    } else if constexpr (Input == Scalar::int32) {
      return Value(std::int32_t(words[e]));
    } else if constexpr (Input == Scalar::uint32) {
      return Value(words[e]);
    } else if constexpr (input_bytes == 2) {
      auto const bits = std::uint16_t(words[e / 2] >> 16 * (e % 2));
      if constexpr (Input == Scalar::half) {
        return Value(Warp::half_value(bits));
      } else {
        return Value(bit_cast<float>(std::uint32_t(bits) << 16));
      }
    } else {
      auto const bits = std::uint8_t(words[e / 4] >> 8 * (e % 4));
      if constexpr (Input == Scalar::int8) {
        return Value(std::int8_t(bits));
      } else {
        return Value(bits);
      }
    }
  }
};

}  // namespace KokkosMMA::Impl

#endif
