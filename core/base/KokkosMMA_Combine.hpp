// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COMBINE_HPP
#define KOKKOSMMA_COMBINE_HPP

#include <core/base/KokkosMMA_Operation.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_ReductionIdentity.hpp>

#include <type_traits>

namespace KokkosMMA::Impl {

/// Operation on values of type `T`, with the semantics of Kokkos' reducers:
/// integers wrap; minimum and maximum ignore a NaN.
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
      // Unsigned: signed overflow is undefined, and the operations wrap.
      using Bits = std::make_unsigned_t<decltype(a + b)>;
      return static_cast<T>(Op == Operation::sum ? Bits(a) + Bits(b)
                                                 : Bits(a) * Bits(b));
    } else {
      return Op == Operation::sum ? a + b : a * b;
    }
  }
};

}  // namespace KokkosMMA::Impl

#endif
