// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ADD_PRODUCT_HPP
#define KOKKOSMMA_ADD_PRODUCT_HPP

#include <core/base/KokkosMMA_Combine.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>

#include <type_traits>

namespace KokkosMMA::Impl {

/// Adds `a * b` to `sum`. Integers wrap, as in add().
template <class Value>
KOKKOSMMA_FORCEINLINE_FUNCTION void add_product(Value& sum, Value a, Value b) {
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    // At least as wide as int: narrower operands would be promoted to it.
    using Bits = std::make_unsigned_t<decltype(a + 0)>;
    add(sum, static_cast<Value>(static_cast<Bits>(a) * static_cast<Bits>(b)));
  } else {
    sum += a * b;
  }
}

}  // namespace KokkosMMA::Impl

#endif
