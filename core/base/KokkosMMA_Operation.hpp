// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_OPERATION_HPP
#define KOKKOSMMA_OPERATION_HPP

#include <Kokkos_ReductionIdentity.hpp>

#include <Kokkos_Macros.hpp>

#include <string_view>
#include <type_traits>

namespace KokkosMMA {

namespace Impl {

/// How elements are combined.
enum class Operation : unsigned char { sum, min, max, prod };

/// The name of an operation, as in the enumeration.
constexpr std::string_view to_string(Operation operation) {
  constexpr std::string_view names[] = {"sum", "min", "max", "prod"};
  return names[static_cast<int>(operation)];
}

}  // namespace Impl

/// The sum, as operation of a segmented reduction or scan, from 0; integers
/// wrap. Plus<double>() keeps the values in double, as std::plus<double> would;
/// Plus() in the type that the operation documents.
template <class T = void>
struct Plus {
  using value_type                           = T;  ///< what values are kept in
  static constexpr Impl::Operation operation = Impl::Operation::sum;  ///< sum
};

/// The product, as operation of a segmented reduction or scan, from 1; integers
/// wrap. Multiplies<double>() keeps the values in double.
template <class T = void>
struct Multiplies {
  using value_type = T;  ///< what values are kept in
  static constexpr Impl::Operation operation =
      Impl::Operation::prod;  ///< product
};

/// The minimum, as operation of a segmented reduction or scan, from what
/// Kokkos::Min starts from: the largest number. A NaN is smaller than nothing
/// and left out. Minimum<double>() keeps the values in double.
template <class T = void>
struct Minimum {
  using value_type = T;  ///< what values are kept in
  static constexpr Impl::Operation operation =
      Impl::Operation::min;  ///< minimum
};

/// The maximum, as operation of a segmented reduction or scan, from what
/// Kokkos::Max starts from: the smallest number. A NaN is larger than nothing
/// and left out. Maximum<double>() keeps the values in double.
template <class T = void>
struct Maximum {
  using value_type = T;  ///< what values are kept in
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

/// Plus, Multiplies, Minimum or Maximum.
template <class T>
concept SegmentOperation = is_segment_operation<T>;

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
