// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCALAR_HPP
#define KOKKOSMMA_SCALAR_HPP

#include <string_view>
#include <type_traits>

namespace KokkosMMA {

/// Element types as enumerators, the input of route decisions. `opaque` is
/// every type that is not listed.
enum class Scalar : unsigned char {
  opaque,
  half,
  bhalf,
  float32,
  float64,
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  boolean
};

/// Name of an element type.
constexpr std::string_view to_string(Scalar scalar) {
  constexpr std::string_view names[] = {"opaque", "half",  "bhalf",  "float",
                                        "double", "int8",  "uint8",  "int32",
                                        "uint32", "int64", "uint64", "bool"};
  return names[static_cast<int>(scalar)];
}

/// Size of an element in bytes; 0 for `opaque`.
constexpr int size_of(Scalar scalar) {
  constexpr int bytes[] = {0, 2, 2, 4, 8, 1, 1, 4, 4, 8, 8, 1};
  return bytes[static_cast<int>(scalar)];
}

namespace Impl {

constexpr bool is_16bit_float(Scalar scalar) {
  return scalar == Scalar::half || scalar == Scalar::bhalf;
}

constexpr bool is_floating(Scalar scalar) {
  return is_16bit_float(scalar) || scalar == Scalar::float32 ||
         scalar == Scalar::float64;
}

// By size and signedness: on Linux both `long` and `long long` have 8 bytes,
// and systems differ in which of them is int64_t. Class templates instead of a
// function: g++ 13 reported use before definition in the code that nvcc 13.0
// generates for the function.
template <class T>
struct BuiltinScalar {
  static constexpr Scalar value = Scalar::opaque;
};
template <class T>
requires(std::is_integral_v<T>) struct BuiltinScalar<T> {
  static constexpr bool is_signed = std::is_signed_v<T>;
  static constexpr Scalar value =
      sizeof(T) == 1   ? (is_signed ? Scalar::int8 : Scalar::uint8)
      : sizeof(T) == 4 ? (is_signed ? Scalar::int32 : Scalar::uint32)
      : sizeof(T) == 8 ? (is_signed ? Scalar::int64 : Scalar::uint64)
                       : Scalar::opaque;
};
template <>
struct BuiltinScalar<bool> {
  static constexpr Scalar value = Scalar::boolean;
};
template <>
struct BuiltinScalar<float> {
  static constexpr Scalar value = Scalar::float32;
};
template <>
struct BuiltinScalar<double> {
  static constexpr Scalar value = Scalar::float64;
};

}  // namespace Impl

/// Enumerator of type `T`. Adapters specialise it for Kokkos' 16-bit types,
/// which core/ does not know.
template <class T>
inline constexpr Scalar scalar_v =
    Impl::BuiltinScalar<std::remove_cv_t<T>>::value;

}  // namespace KokkosMMA

#endif
