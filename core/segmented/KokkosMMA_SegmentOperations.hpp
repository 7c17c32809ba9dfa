// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENT_OPERATIONS_HPP
#define KOKKOSMMA_SEGMENT_OPERATIONS_HPP

#include <core/base/KokkosMMA_Combine.hpp>

namespace KokkosMMA {

/// Operation of segmented calls: the sum; its identity is 0. Integers wrap.
/// Plus<double>() keeps the values in double, as std::plus<double> does; Plus()
/// keeps them in the type that the call documents.
template <class T = void>
struct Plus {
  using value_type                           = T;  ///< type of the values
  static constexpr Impl::Operation operation = Impl::Operation::sum;  ///< sum
};

/// Operation of segmented calls: the product; its identity is 1. Integers wrap.
/// Multiplies<double>() keeps the values in double.
template <class T = void>
struct Multiplies {
  using value_type = T;  ///< type of the values
  static constexpr Impl::Operation operation =
      Impl::Operation::prod;  ///< product
};

/// Operation of segmented calls: the minimum; its identity is the largest
/// number. As with Kokkos::Min, a NaN is not smaller than any value and is
/// ignored. Minimum<double>() keeps the values in double.
template <class T = void>
struct Minimum {
  using value_type = T;  ///< type of the values
  static constexpr Impl::Operation operation =
      Impl::Operation::min;  ///< minimum
};

/// Operation of segmented calls: the maximum; its identity is the smallest
/// number. As with Kokkos::Max, a NaN is not larger than any value and is
/// ignored. Maximum<double>() keeps the values in double.
template <class T = void>
struct Maximum {
  using value_type = T;  ///< type of the values
  static constexpr Impl::Operation operation =
      Impl::Operation::max;  ///< maximum
};

namespace Impl {

template <class T>
inline constexpr bool is_segment_operation = false;
template <class T>
inline constexpr bool is_segment_operation<Plus<T>> = true;
template <class T>
inline constexpr bool is_segment_operation<Multiplies<T>> = true;
template <class T>
inline constexpr bool is_segment_operation<Minimum<T>> = true;
template <class T>
inline constexpr bool is_segment_operation<Maximum<T>> = true;

/// Types Plus, Multiplies, Minimum and Maximum.
template <class T>
concept SegmentOperation = is_segment_operation<T>;

}  // namespace Impl

}  // namespace KokkosMMA

#endif
