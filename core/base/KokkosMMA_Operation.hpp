// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_OPERATION_HPP
#define KOKKOSMMA_OPERATION_HPP

#include <Kokkos_ReductionIdentity.hpp>

#include <Kokkos_Macros.hpp>

#include <string_view>
#include <type_traits>

namespace KokkosMMA {

/// How the elements of a segment are combined.
enum class Operation : unsigned char { sum, min, max, prod };

/// The name of an operation, as in the enumeration.
constexpr std::string_view to_string(Operation operation) {
  constexpr std::string_view names[] = {"sum", "min", "max", "prod"};
  return names[static_cast<int>(operation)];
}

namespace Impl {

/// An operation on values of type `T`, as Kokkos' reducers of these names:
/// integers wrap; a NaN is lost in a minimum or maximum that compares it.
template <Operation Op, class T>
struct Combine {
  KOKKOS_FORCEINLINE_FUNCTION static constexpr T identity() {
    using Identity = Kokkos::reduction_identity<T>;
    if constexpr (Op == Operation::sum) {
      return Identity::sum();
    } else if constexpr (Op == Operation::prod) {
      return Identity::prod();
    } else if constexpr (Op == Operation::min) {
      return Identity::min();
    } else {
      return Identity::max();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr T apply(T a, T b) {
    if constexpr (Op == Operation::min) {
      return b < a ? b : a;
    } else if constexpr (Op == Operation::max) {
      return b > a ? b : a;
    } else if constexpr (std::is_integral_v<T>) {
      // Unsigned: signed overflow is undefined, and wraps here.
      using Bits = std::make_unsigned_t<decltype(a + b)>;
      return static_cast<T>(Op == Operation::sum ? Bits(a) + Bits(b)
                                                 : Bits(a) * Bits(b));
    } else {
      return Op == Operation::sum ? a + b : a * b;
    }
  }
};

}  // namespace Impl
}  // namespace KokkosMMA

#endif
