// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COMBINE_HPP
#define KOKKOSMMA_COMBINE_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>

#include <limits>
#include <string_view>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Operation that combines the elements.
enum class Operation : unsigned char { sum, min, max, prod };

/// Name of an operation.
constexpr std::string_view to_string(Operation operation) {
  constexpr std::string_view names[] = {"sum", "min", "max", "prod"};
  return names[static_cast<int>(operation)];
}

/// Least and greatest number of a type, infinite if there are infinities: the
/// identities of maximum and minimum, as in Kokkos 5. For Kokkos' 16-bit
/// floats, see adapters/kokkos/KokkosMMA_HalfTypes.hpp.
template <class T>
struct Extremes {
  using Limits = std::numeric_limits<T>;
  static_assert(Limits::is_specialized);
  // Members, because nvcc warns of functions of the host, even in constants.
  static constexpr T most =
      Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr T fewest = Limits::has_infinity ? -most : Limits::lowest();

  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr T least() { return fewest; }
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr T greatest() { return most; }
};

/// Operation on values of type `T`, with the semantics of Kokkos' reducers:
/// integers wrap; minimum and maximum ignore a NaN.
template <Operation Op, class T>
struct Combine {
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr T identity() {
    if constexpr (Op == Operation::sum) {
      return T(0);
    } else if constexpr (Op == Operation::prod) {
      return T(1);
    } else if constexpr (Op == Operation::min) {
      return Extremes<T>::greatest();
    } else {
      return Extremes<T>::least();
    }
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION static constexpr T apply(T a, T b) {
    if constexpr (Op == Operation::min) {
      return b < a ? b : a;
    } else if constexpr (Op == Operation::max) {
      return b > a ? b : a;
    } else if constexpr (std::is_integral_v<T>) {
      // Unsigned: signed overflow is undefined, and the operations wrap.
      using Bits = std::make_unsigned_t<decltype(a + b)>;
      return static_cast<T>(Op == Operation::sum ? Bits(a) + Bits(b)
                                                 : Bits(a) * Bits(b));
    } else {
      return Op == Operation::sum ? a + b : a * b;
    }
  }
};

/// Adds `a` to `sum`. Integers wrap modulo 2^bits, without the
/// undefined behaviour of signed overflow.
template <class Value>
KOKKOSMMA_FORCEINLINE_FUNCTION void add(Value& sum, Value a) {
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    using Bits = std::make_unsigned_t<Value>;
    sum        = static_cast<Value>(
        static_cast<Bits>(static_cast<Bits>(sum) + static_cast<Bits>(a)));
  } else {
    sum += a;
  }
}
}  // namespace KokkosMMA::Impl

#endif
