// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils of unsigned integers and of 16 bits against a loop on the host, and
// the types of sums.

#include "StencilCases.hpp"

#include <type_traits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StencilIntegers);

TYPED_TEST(StencilIntegers, EveryPairOfTypes) {
  for_types<Pair<std::int16_t, std::int16_t>, Pair<std::uint8_t, std::uint8_t>,
            Pair<std::uint32_t, std::uint32_t>>(
      []<class A, class B>(Pair<A, B>) { one_type<A, B, TypeParam>(); });
}
TYPED_TEST(StencilIntegers, FactorsOfAnySize) {
  factors_of_any_size<std::uint8_t, std::uint8_t, TypeParam>();
}

// Types of the sums: what a functor of StencilPolicy gets.
template <class Sum, class T, class Result, class Accumulator = void>
inline constexpr bool sums_in =
    std::is_same_v<Sum, Impl::stencil_accumulator_t<Accumulator, T, Result>>;
static_assert(sums_in<float, half_t, half_t>);
static_assert(sums_in<std::int32_t, std::uint8_t, std::uint8_t>);
static_assert(sums_in<std::int32_t, bool, bool>);
static_assert(sums_in<std::uint32_t, std::uint32_t, std::uint32_t>);
static_assert(sums_in<float, std::uint8_t, float>);
static_assert(sums_in<double, std::int32_t, float>);
static_assert(sums_in<double, std::int64_t, float>);
static_assert(sums_in<double, std::int8_t, std::int8_t, double>);

}  // namespace
