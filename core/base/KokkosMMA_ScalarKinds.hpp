// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCALAR_KINDS_HPP
#define KOKKOSMMA_SCALAR_KINDS_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

namespace KokkosMMA::Impl {

constexpr bool is_small_integer(Scalar scalar) {
  return scalar == Scalar::int8 || scalar == Scalar::uint8 ||
         scalar == Scalar::boolean;
}

constexpr bool is_wide_integer(Scalar scalar) {
  return scalar == Scalar::int32 || scalar == Scalar::uint32 ||
         scalar == Scalar::int64 || scalar == Scalar::uint64;
}

}  // namespace KokkosMMA::Impl

#endif
