// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HALF_TYPES_HPP
#define KOKKOSMMA_HALF_TYPES_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Half.hpp>

// On a Kokkos without a 16-bit backend half_t is another name for float, and
// the data are handled as what they are.
namespace KokkosMMA {

#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
template <>
inline constexpr Scalar scalar_v<Kokkos::Experimental::half_t> = Scalar::half;
template <>
inline constexpr Scalar scalar_v<Kokkos::Experimental::half_t const> =
    Scalar::half;
#endif
#if defined(KOKKOS_BHALF_T_IS_FLOAT) && !KOKKOS_BHALF_T_IS_FLOAT
template <>
inline constexpr Scalar scalar_v<Kokkos::Experimental::bhalf_t> = Scalar::bhalf;
template <>
inline constexpr Scalar scalar_v<Kokkos::Experimental::bhalf_t const> =
    Scalar::bhalf;
#endif

namespace Impl {

/// Type in which a sum of `Input` is kept for a result of type `Result`: never
/// narrower than either, fp32 for 16-bit floats, the result's own integers.
/// Integers for a floating-point result are kept in double, where no sum wraps;
/// those of 1 and 2 bytes in 64 bits, which take 2^47 of them to fill.
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

/// Whether sums of `From` become a `To` with no more than a rounding: an
/// integer holds no floating-point number and no wider integer. Types that are
/// no numbers convert as they like.
template <class From, class To>
inline constexpr bool keeps_sums =
    !is_number<From> || !std::is_integral_v<To> ||
    (std::is_same_v<To, bool>
         ? std::is_same_v<From, bool>
         : std::is_integral_v<From> && sizeof(To) >= sizeof(From));

}  // namespace Impl
}  // namespace KokkosMMA

#endif
