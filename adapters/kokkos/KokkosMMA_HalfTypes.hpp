// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HALF_TYPES_HPP
#define KOKKOSMMA_HALF_TYPES_HPP

#include <core/KokkosMMA_Scalar.hpp>

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

constexpr bool is_16bit_float(Scalar scalar) {
  return scalar == Scalar::half || scalar == Scalar::bhalf;
}

constexpr bool is_floating(Scalar scalar) {
  return is_16bit_float(scalar) || scalar == Scalar::float32 ||
         scalar == Scalar::float64;
}

/// Type in which a sum of `Input` is kept for a result of type `Result`: never
/// narrower than either, fp32 for 16-bit floats, the result's own integers.
template <class Input, class Result>
using accumulator_t = std::conditional_t<
    is_floating(scalar_v<Input>),
    std::conditional_t<scalar_v<Input> == Scalar::float64 ||
                           scalar_v<Result> == Scalar::float64,
                       double, float>,
    std::conditional_t<is_floating(scalar_v<Result>),
                       std::conditional_t<scalar_v<Input> == Scalar::uint64,
                                          std::uint64_t, std::int64_t>,
                       Result>>;

}  // namespace Impl
}  // namespace KokkosMMA

#endif
