// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element types, accumulators and outputs at every size at which a kernel
// changes its ways. The values are small integers, so that all routes give the
// exact prefixes.

#include "ScanSupport.hpp"

#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ScanValues);

/// -1, 0 and 1 where prefixes would leave the exact integers of the type.
template <class Input>
std::int64_t small_value(Random& random, bool narrow) {
  if constexpr (std::is_same_v<Input, bool>) {
    return random.integer(0, 1);
  }
  int const most = narrow ? 1 : 4;
  return random.integer(std::is_unsigned_v<Input> ? 0 : -most, most);
}

/// One size by every route, with an initial value and without, with a total
/// and without. Integers have any bits: sums leave the type and come back
/// modulo 2^bits.
template <Impl::ScanKind Kind, class Input, class Output, class Exec,
          class Accumulator>
void expect_exact_at(std::size_t size, Random& random) {
  using A = Impl::chosen_accumulator_t<Accumulator, Kokkos::View<Input*>,
                                       Kokkos::View<Output*>>;
  constexpr bool any_bits =
      std::is_integral_v<Input> && std::is_integral_v<A> &&
      std::is_integral_v<Output> && !std::is_same_v<Input, bool>;
  std::vector<std::uint64_t> values(size);
  std::uint64_t sum = 0;
  auto const x      = make_view<Input, Exec>(size, [&](std::size_t i) {
    std::int64_t const value = any_bits
                                        ? std::int64_t(random.bits())
                                        : small_value<Input>(random, size > 100000);
    auto const element       = static_cast<Input>(value);
    values[i] = std::uint64_t(any_bits ? std::int64_t(element) : value);
    sum += values[i];
    return element;
  });
  for (Route const route : scan_routes<Input, Output, Exec, Accumulator>()) {
    SCOPED_TRACE(scan_trace(route, Kind, size));
    Settings const settings{route};
    Exec const exec;
    auto const check = [&](auto const& y, std::uint64_t init) {
      auto const expected = sequential_scan<Kind>(values, init);
      return holds(y, [&](std::size_t i) {
        return static_cast<Output>(static_cast<A>(std::int64_t(expected[i])));
      });
    };
    {
      auto const y = poisoned_array<Output, Exec>(size);
      run_scan<Kind, Accumulator>(exec, x, y, settings);
      ASSERT_TRUE(check(y, 0));
    }
    {
      auto const y = poisoned_array<Output, Exec>(size);
      A total      = poison<A>();
      run_scan<Kind, Accumulator>(exec, x, y, settings, 3, Total(total));
      ASSERT_EQ(static_cast<A>(std::int64_t(sum)), total);
      ASSERT_TRUE(check(y, 3));
    }
  }
}

template <class Input, class Output, class Exec, class Accumulator = void>
void expect_exact(std::vector<std::size_t> const& sizes) {
  Random random(types<Input, Output>());
  for (std::size_t const size : sizes) {
    expect_exact_at<Impl::ScanKind::exclusive, Input, Output, Exec,
                    Accumulator>(size, random);
    expect_exact_at<Impl::ScanKind::inclusive, Input, Output, Exec,
                    Accumulator>(size, random);
  }
}

std::vector<std::size_t> const few_sizes = {0, 1, 2, 33, 257, 8193, 65537};
std::vector<std::size_t> const all_sizes = {
    0,    1,     2,     31,    32,    33,    127,   128,  129,  255,
    256,  257,   1023,  1024,  1025,  4095,  4096,  4097, 8191, 8192,
    8193, 16383, 16384, 16385, 32769, 65535, 65536, 65537};

TYPED_TEST(ScanValues, EverySize) {
  for_types<Pair<half_t, float>, Pair<bhalf_t, float>, Pair<float, float>,
            Pair<double, double>, Pair<std::int8_t, std::int32_t>,
            Pair<bool, std::int32_t>, Pair<std::int32_t, std::int32_t>,
            Pair<std::int64_t, std::int64_t>>([]<class A, class B>(Pair<A, B>) {
    expect_exact<A, B, TypeParam>(all_sizes);
  });
}

TYPED_TEST(ScanValues, EveryPairOfTypes) {
  for_types<Pair<half_t, half_t>, Pair<bhalf_t, bhalf_t>, Pair<float, half_t>,
            Pair<std::uint8_t, std::uint64_t>, Pair<std::int8_t, std::int8_t>,
            Pair<std::int32_t, std::int64_t>,
            Pair<std::uint32_t, std::uint64_t>,
            Pair<std::uint64_t, std::uint64_t>, Pair<std::int64_t, double>>(
      []<class A, class B>(Pair<A, B>) {
        expect_exact<A, B, TypeParam>(few_sizes);
      });
  // no tile kernel
  expect_exact<std::int16_t, std::int32_t, TypeParam>(few_sizes);
  // accumulators of the caller's
  expect_exact<half_t, double, TypeParam, double>(few_sizes);
  expect_exact<float, float, TypeParam, double>(few_sizes);
  expect_exact<std::int8_t, float, TypeParam, float>(few_sizes);
  expect_exact<bool, std::uint8_t, TypeParam, std::uint32_t>(few_sizes);
}

TYPED_TEST(ScanValues, AMillion) {
  for_types<Pair<half_t, half_t>, Pair<std::int8_t, std::int32_t>,
            Pair<std::int64_t, std::int64_t>>([]<class A, class B>(Pair<A, B>) {
    expect_exact<A, B, TypeParam>({1000003});
  });
}

/// Counts elements that differ from first + i.
template <class Y>
struct WrongCounts {
  Y y;
  std::size_t first;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& wrong) const {
    using Output = typename Y::non_const_value_type;
    if (y(i) != static_cast<Output>(first + i)) ++wrong;
  }
};

/// Many windows of look-back: counted where the data are.
template <class Input, class Output, class Exec>
void expect_many_tiles(std::size_t size) {
  Kokkos::View<Input*, Exec> const x(
      Kokkos::view_alloc("ones", Kokkos::WithoutInitializing), size);
  Kokkos::View<Output*, Exec> const y(
      Kokkos::view_alloc("counts", Kokkos::WithoutInitializing), size);
  Kokkos::deep_copy(x, Input(1));
  for (Route const route : scan_routes<Input, Output, Exec>()) {
    SCOPED_TRACE(trace(route, size));
    Kokkos::deep_copy(y, Output(77));
    Output total = poison<Output>();
    run_scan<Impl::ScanKind::exclusive>(Exec(), x, y, Settings{route}, 5,
                                        Total(total));
    EXPECT_EQ(static_cast<Output>(size), total);
    std::size_t wrong = 0;
    Kokkos::parallel_reduce(
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, size),
        WrongCounts<Kokkos::View<Output*, Exec>>{y, 5}, wrong);
    EXPECT_EQ(0u, wrong);
  }
}

TYPED_TEST(ScanValues, ManyTiles) {
  std::size_t const size =
      (std::size_t(1) << (on_cuda<TypeParam> ? 27 : 22)) + 12345;
  expect_many_tiles<std::int8_t, std::int32_t, TypeParam>(size);
  expect_many_tiles<std::int32_t, std::int32_t, TypeParam>(size);
  expect_many_tiles<double, double, TypeParam>(size);
  // exact in fp32
  expect_many_tiles<half_t, float, TypeParam>((1 << 24) - 7);
}

TYPED_TEST(ScanValues, BeyondTwoToThe31) {
  if (!on_cuda<TypeParam>) GTEST_SKIP() << "its kernels run on Cuda only";
  expect_many_tiles<std::int8_t, std::uint32_t, TypeParam>(
      (std::size_t(1) << 32) + 5);
}

using Impl::accumulator_holds;
static_assert(accumulator_holds<half_t, float>());
static_assert(accumulator_holds<half_t, double>());
static_assert(accumulator_holds<float, double>());
static_assert(!accumulator_holds<double, float>());
static_assert(!accumulator_holds<float, std::int64_t>());
static_assert(!accumulator_holds<half_t, std::int32_t>());
static_assert(accumulator_holds<std::int8_t, std::int8_t>());
static_assert(accumulator_holds<std::int8_t, std::uint64_t>());
static_assert(!accumulator_holds<std::int32_t, std::int8_t>());
static_assert(!accumulator_holds<std::int64_t, std::int32_t>());
static_assert(accumulator_holds<std::int16_t, float>());
static_assert(!accumulator_holds<std::int32_t, float>());
static_assert(accumulator_holds<std::uint32_t, double>());
static_assert(accumulator_holds<std::int64_t, double>());
static_assert(!accumulator_holds<std::int64_t, float>());
static_assert(accumulator_holds<bool, std::int32_t>());
static_assert(!accumulator_holds<bool, bool>());
static_assert(!accumulator_holds<long double, double>());
static_assert(!accumulator_holds<std::string, double>());
#if !KOKKOS_HALF_T_IS_FLOAT
static_assert(!accumulator_holds<half_t, half_t>());
static_assert(!accumulator_holds<bhalf_t, half_t>());
static_assert(!accumulator_holds<std::int8_t, half_t>());
#endif

template <class Sum, class Input, class Output>
inline constexpr bool sums_in =
    std::is_same_v<Sum, Impl::chosen_accumulator_t<void, Kokkos::View<Input*>,
                                                   Kokkos::View<Output*>>>;
static_assert(sums_in<float, half_t, half_t>);
static_assert(sums_in<double, float, double>);
static_assert(sums_in<double, double, float>);
static_assert(sums_in<std::int32_t, std::int8_t, std::int32_t>);
static_assert(sums_in<std::int64_t, std::int64_t, std::int8_t>);
static_assert(sums_in<std::int32_t, bool, bool>);
static_assert(sums_in<double, std::int64_t, double>);
static_assert(sums_in<double, std::uint64_t, float>);
static_assert(sums_in<double, std::int32_t, half_t>);
static_assert(sums_in<double, std::int16_t, float>);

// What may be written, and which totals: no integer loses bits of the elements,
// and no total promises more than was kept.
template <class Input, class Output, class Accumulator>
constexpr bool may_write() {
  return Impl::may_write<Kokkos::View<Input*>, Kokkos::View<Output*>,
                         Accumulator>();
}
static_assert(may_write<std::int8_t, std::int8_t, std::int32_t>());
static_assert(may_write<std::int64_t, float, double>());
static_assert(may_write<double, half_t, double>());
static_assert(!may_write<std::int64_t, std::int32_t, std::int64_t>());
static_assert(!may_write<float, std::int64_t, float>());
static_assert(!may_write<std::int32_t, std::int32_t, double>());
static_assert(!may_write<bool, bool, std::int32_t>());
template <class Place, class Input, class Accumulator>
constexpr bool total_holds() {
  return Impl::total_holds<Place, Kokkos::View<Input*>, Accumulator>();
}
static_assert(total_holds<std::int32_t, std::int8_t, std::int32_t>());
static_assert(total_holds<std::int8_t, std::int8_t, std::int32_t>());
static_assert(total_holds<Kokkos::View<float>, double, double>());
static_assert(!total_holds<Kokkos::View<float const>, double, double>());
static_assert(!total_holds<Kokkos::View<float*>, double, double>());
static_assert(!total_holds<double const, double, double>());
static_assert(!total_holds<std::int16_t, std::int32_t, std::int32_t>());
static_assert(!total_holds<std::int64_t, std::int32_t, std::int32_t>());
static_assert(!total_holds<double, std::int64_t, std::int64_t>());
static_assert(!total_holds<double, float, float>());
static_assert(!total_holds<std::int64_t, std::int32_t, double>());

}  // namespace
