// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef NUMERICSSUPPORT_HPP
#define NUMERICSSUPPORT_HPP

#include "ScanSupport.hpp"

#include <KokkosMMA_ExactSum.hpp>
#include <KokkosMMA_Numbers.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace KokkosMMA::Testing {

inline constexpr double inf       = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

/// What sums of T are kept in.
template <class T>
using wide_t = std::conditional_t<std::is_same_v<T, double>, double, float>;

inline bool same_number(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b;
}

}  // namespace KokkosMMA::Testing

#endif
