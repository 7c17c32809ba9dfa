// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HALF_TYPES_HPP
#define KOKKOSMMA_HALF_TYPES_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Half.hpp>

// In a Kokkos without a 16-bit backend half_t is an alias of float and is
// handled as float.
namespace KokkosMMA {

namespace Impl {
template <class T>
struct Extremes;  // core/base/KokkosMMA_Combine.hpp
template <class T>
struct ExtremesOfKokkos {
  KOKKOS_FORCEINLINE_FUNCTION static T least() {
    return Kokkos::reduction_identity<T>::max();
  }
  KOKKOS_FORCEINLINE_FUNCTION static T greatest() {
    return Kokkos::reduction_identity<T>::min();
  }
};
}  // namespace Impl

#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
template <>
inline constexpr Scalar scalar_v<Kokkos::Experimental::half_t> = Scalar::half;
template <>
inline constexpr Scalar scalar_v<Kokkos::Experimental::half_t const> =
    Scalar::half;
namespace Impl {
template <>
struct Extremes<Kokkos::Experimental::half_t>
    : ExtremesOfKokkos<Kokkos::Experimental::half_t> {};
}  // namespace Impl
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
template <>
inline constexpr Scalar scalar_v<Kokkos::Experimental::bhalf_t> = Scalar::bhalf;
template <>
inline constexpr Scalar scalar_v<Kokkos::Experimental::bhalf_t const> =
    Scalar::bhalf;
namespace Impl {
template <>
struct Extremes<Kokkos::Experimental::bhalf_t>
    : ExtremesOfKokkos<Kokkos::Experimental::bhalf_t> {};
}  // namespace Impl
#endif

namespace Impl {

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

}  // namespace Impl
}  // namespace KokkosMMA

#endif
