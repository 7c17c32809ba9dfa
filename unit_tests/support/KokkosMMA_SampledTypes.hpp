// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_SAMPLEDTYPES_HPP
#define KOKKOSMMA_SAMPLEDTYPES_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <utility>

/// \file
/// Fewer types for tests that compile for minutes. The CMake option
/// KokkosMMA_ENABLE_ALL_TYPES is OFF, ON, or ONLY: what OFF has is left out.

namespace KokkosMMA::Testing {

#ifdef KOKKOSMMA_TEST_ALL_TYPES
inline constexpr bool all_types = true;
#else
inline constexpr bool all_types = false;
#endif
#ifdef KOKKOSMMA_TEST_OTHER_TYPES
inline constexpr bool few_types = false;
#else
inline constexpr bool few_types = true;
#endif

template <class Few, class Others>
struct JoinedTypes;
template <class... F, class... O>
struct JoinedTypes<::testing::Types<F...>, ::testing::Types<O...>> {
  using type = ::testing::Types<F..., O...>;
};

/// The types of a typed test suite: a few of different sizes, and others. Under
/// AddressSanitizer, which looks for accesses outside of memory and so for what
/// depends only on the sizes of types, the kernels of separable stencils take
/// 420 s of compiling with all types and 130 s with three (g++ 12, 2026-11-26).
template <class Few, class Others>
using SampledTypes = std::conditional_t<
    !all_types, Few,
    std::conditional_t<few_types, typename JoinedTypes<Few, Others>::type,
                       Others>>;

/// A suite of typed tests that needs nothing from a fixture.
#define KOKKOSMMA_TYPED_TESTS(suite, types) \
  template <class T>                        \
  struct suite : ::testing::Test {};        \
  TYPED_TEST_SUITE(suite, types)

/// f(T()) for each of these types, or for every third.
template <class... Types>
void for_types(auto const& f) {
  auto const one = [&]<std::size_t N, class T>(
                       std::integral_constant<std::size_t, N>, T type) {
    if constexpr (all_types || N % 3 == 0) {
      f(type);
    }
  };
  [&]<std::size_t... N>(std::index_sequence<N...>) {
    (one(std::integral_constant<std::size_t, N>(), Types()), ...);
  }
  (std::index_sequence_for<Types...>());
}

}  // namespace KokkosMMA::Testing

#endif
