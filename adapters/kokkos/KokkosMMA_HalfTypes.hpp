// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HALF_TYPES_HPP
#define KOKKOSMMA_HALF_TYPES_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Half.hpp>

#include <type_traits>

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
/// `element` as a Value. The two 16-bit types of CUDA convert to each other
/// only through float.
template <class Value, class Element>
KOKKOS_FORCEINLINE_FUNCTION Value converted(Element&& element) {
  using From = std::remove_cvref_t<Element>;
  if constexpr (!std::is_same_v<Value, From> &&
                is_16bit_float(scalar_v<Value>) &&
                is_16bit_float(scalar_v<From>)) {
    return static_cast<Value>(static_cast<float>(element));
  } else {
    return static_cast<Value>(static_cast<Element&&>(element));
  }
}
}  // namespace Impl

}  // namespace KokkosMMA

#endif
