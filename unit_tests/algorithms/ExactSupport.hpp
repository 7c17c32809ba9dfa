// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EXACTSUPPORT_HPP
#define EXACTSUPPORT_HPP

#include "AlgorithmSupport.hpp"

#include <KokkosMMA_ExactReference.hpp>

namespace KokkosMMA::Testing {

inline constexpr Settings exactly{.reproducibility = Reproducibility::exact};

template <class T>
T rounded(ExactReference const& sum) {
  // Of 16-bit types the reference's value is one of theirs already.
  return static_cast<T>(sum.as(scalar_v<T>));
}
template <class T>
::testing::AssertionResult same_sum(T expected, T computed) {
  if (same_bits(expected, computed)) return ::testing::AssertionSuccess();
  // NaNs of the host's conversions have any sign; this library's is quiet and
  // positive.
  if (expected != expected && computed != computed)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << double(expected) << " became " << double(computed);
}

}  // namespace KokkosMMA::Testing

#endif
