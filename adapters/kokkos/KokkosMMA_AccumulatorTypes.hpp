// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ACCUMULATOR_TYPES_HPP
#define KOKKOSMMA_ACCUMULATOR_TYPES_HPP

/// \file
/// Element types of Views, and the accumulator types of their sums.

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Accumulator type for `Input` with a result of type `Result`: at least as
/// wide as both, fp32 or double for floating-point input, an integer result's
/// type for integers. Integers with a floating-point result use double, which
/// does not wrap, or up to 2 bytes int64, which 2^47 of them may fill.
template <class Input, class Result>
using accumulator_t = std::conditional_t<
    is_floating(scalar_v<Input>),
    std::conditional_t<scalar_v<Input> == Scalar::float64 ||
                           scalar_v<Result> == Scalar::float64,
                       double, float>,
    std::conditional_t<
        is_floating(scalar_v<Result>),
        std::conditional_t<sizeof(Input) <= 2, std::int64_t, double>, Result>>;

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> ||
                                  is_floating(scalar_v<T>);

/// Whether a sum of `From` converts to `To` with no more than one rounding. An
/// integer holds no floating-point numbers and no wider integers. Types that
/// are not numbers are not checked.
template <class From, class To>
inline constexpr bool keeps_sums =
    !is_number<From> || !std::is_integral_v<To> ||
    (std::is_same_v<To, bool>
         ? std::is_same_v<From, bool>
         : std::is_integral_v<From> && sizeof(To) >= sizeof(From));

/// Whether T is bool or an integer of at most 8 bytes.
template <class T>
inline constexpr bool is_scan_integer = std::is_integral_v<T> && sizeof(T) <= 8;

template <class T>
inline constexpr bool is_scan_type = is_scan_integer<T> ||
                                     is_floating(scalar_v<T>);

/// Whether `Accumulator` can sum elements of type `Input`. It represents every
/// `Input` value; integer sums wrap modulo 2^bits. 16-bit floats need fp32 or
/// wider. double is allowed for 8-byte integers, too, and rounds those of more
/// than 53 bits.
template <class Input, class Accumulator>
constexpr bool accumulator_holds() {
  constexpr Scalar kept = scalar_v<Accumulator>;
  if constexpr (!is_scan_type<Input> || !is_scan_type<Accumulator> ||
                std::is_same_v<Accumulator, bool> || is_16bit_float(kept)) {
    return false;
  } else if constexpr (is_floating(scalar_v<Input>)) {
    return is_floating(kept) && sizeof(Accumulator) >= sizeof(Input);
  } else if constexpr (is_floating(kept)) {
    return std::is_same_v<Accumulator, double> ||
           std::numeric_limits<Input>::digits <=
               std::numeric_limits<Accumulator>::digits;
  } else {
    return sizeof(Accumulator) >= sizeof(Input);
  }
}

/// Whether sums in `Accumulator` may be written to Y. Integers as wide as the
/// elements of X hold their sums modulo 2^bits.
template <class X, class Y, class Accumulator>
constexpr bool may_write() {
  using Output = typename Y::non_const_value_type;
  return keeps_sums<typename X::non_const_value_type, Output> &&
         is_scan_type<Output> && !std::is_same_v<Output, bool> &&
         (is_floating(scalar_v<Output>) || !is_floating(scalar_v<Accumulator>));
}

/// Whether a sum of X in `Accumulator` may become a total of type `Value`. A
/// wider `Value` would suggest bits that the sum does not have.
template <class Value, class X, class Accumulator>
inline constexpr bool total_fits =
    is_scan_type<Value> && !std::is_same_v<Value, bool> &&
    is_floating(scalar_v<Value>) == is_floating(scalar_v<Accumulator>) &&
    sizeof(Value) <= sizeof(Accumulator) &&
    keeps_sums<typename X::non_const_value_type, Value>;

/// Default accumulator of a scan: accumulator_t with two exceptions. It holds
/// the input even if the output is too narrow; prefixes are converted once.
/// Integers with a floating-point output are summed in double whatever their
/// size, so that the total may have the output's type.
template <class Input, class Output>
using scan_accumulator_t = std::conditional_t<
    is_floating(scalar_v<Input>), accumulator_t<Input, Output>,
    std::conditional_t<
        is_floating(scalar_v<Output>), double,
        std::conditional_t<accumulator_holds<Input, Output>(), Output,
                           std::conditional_t<sizeof(Input) <= 4, std::int32_t,
                                              std::int64_t>>>>;

/// A 4-byte type for integers of 1 and 2 bytes; their sums are exact modulo
/// 2^bits. Kokkos' scan of int8 was wrong from index 128 on (Kokkos 4.6.01,
/// Cuda, H200, 2026-11-21).
template <class T>
using at_least_4_bytes_t = std::conditional_t<
    std::is_integral_v<T> && sizeof(T) < 4,
    std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>, T>;

template <class Accumulator, class X, class Y>
using chosen_accumulator_t = at_least_4_bytes_t<
    std::conditional_t<std::is_void_v<Accumulator>,
                       scan_accumulator_t<typename X::non_const_value_type,
                                          typename Y::non_const_value_type>,
                       std::remove_cv_t<Accumulator>>>;

/// One type per size and signedness of integers of 4 and 8 bytes, so that
/// `long` and `long long` use the same kernels.
template <class T>
using canonical_t = std::conditional_t<
    !std::is_integral_v<T> || std::is_same_v<T, bool>, T,
    std::conditional_t<
        sizeof(T) == 8,
        std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
        std::conditional_t<sizeof(T) == 4,
                           std::conditional_t<std::is_signed_v<T>, std::int32_t,
                                              std::uint32_t>,
                           T>>>;

/// Pointer to the first element, as canonical_t of its type.
template <class V>
auto* canonical_pointer(V const& view) {
  using Value = typename V::value_type;
  using T     = canonical_t<std::remove_const_t<Value>>;
  using P     = std::conditional_t<std::is_const_v<Value>, T const, T>;
  return reinterpret_cast<P*>(view.data());
}

}  // namespace KokkosMMA::Impl

#endif
