// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EXACTSUPPORT_HPP
#define EXACTSUPPORT_HPP

#include "AlgorithmSupport.hpp"

#include <KokkosMMA_ExactReference.hpp>

namespace KokkosMMA::Testing {

inline constexpr Settings exactly = [] {
  Settings settings;
  settings.reproducibility = Reproducibility::exact;
  return settings;
}();

template <class T>
T rounded(ExactReference const& sum) {
  constexpr Scalar type = scalar_v<T>;
  // Of 16-bit types the reference's value is one of theirs already.
  return static_cast<T>(type == Scalar::half      ? sum.as_half()
                        : type == Scalar::bhalf   ? sum.as_bhalf()
                        : type == Scalar::float32 ? sum.as_float()
                                                  : sum.as_double());
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
