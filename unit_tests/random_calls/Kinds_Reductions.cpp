// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of values, by the default sum and by functors that join.

#include "FoldFunctors.hpp"
#include "Kinds.hpp"

#include <limits>
#include <type_traits>

namespace random_calls::RANDOM_CALLS_TWIN {
namespace {

template <class BoxType, class FunctorType, bool HostReference = false>
void add_fold(Table& table, char const* name, Limits limits = {}) {
  using Value         = typename FunctorType::value_type;
  limits.rank         = BoxType::rank;
  limits.result_bytes = int(sizeof(Value));
  limits.one_result   = true;
  if constexpr (sizeof(typename BoxType::Index) < 4) {
    limits.chunks = false;
    limits.low    = std::numeric_limits<typename BoxType::Index>::min();
    limits.high   = std::numeric_limits<typename BoxType::Index>::max();
#if !defined(KOKKOS_ENABLE_CUDA)
    limits.most = limits.high;
#endif
  } else if (std::is_unsigned_v<typename BoxType::Index>) {
    limits.low = 0;
  }
  if (sizeof(typename BoxType::Index) == 8 && BoxType::rank == 1)
    limits.high = std::int64_t(1) << 40;
  add<HostReference>(table, name, limits, [](auto const& run, Call const& c) {
    run.reduce(BoxType(c), FunctorType(c));
  });
}
/// Of the numbers of an element type.
constexpr Limits sums_of(Element element, bool float_results) {
  return {.element       = element,
          .numbers       = Numbers::sums,
          .float_results = float_results};
}
template <class T, class FunctorType = ArraySum<T>>
void add_array(Table& table, char const* name, Limits limits) {
  limits.arrays     = true;
  limits.one_result = true;
  limits.most       = 1 << 14;
  if (limits.numbers == Numbers::any) limits.numbers = Numbers::sums;
  add<true>(table, name, limits, [](auto const& run, Call const& c) {
    run.reduce_array(Box<int>(c), FunctorType(c));
  });
}

}  // namespace

void add_reductions(Table& table) {
  Limits const doubles = sums_of(Element::f64, true);
  Limits const ints    = sums_of(Element::i32, false);
  add_fold<Box<int>, Sum<double, double>>(table, "sum_double", doubles);
  add_fold<Box<std::int64_t>, Sum<float, float>>(table, "sum_float",
                                                 sums_of(Element::f32, true));
  add_fold<Box<int>, Sum<Half, Half>>(table, "sum_half",
                                      sums_of(Element::half, true));
  add_fold<Box<int>, Sum<Half, float>>(
      table, "sum_float_of_half",
      {.element = Element::half, .numbers = Numbers::sums});
  Limits const normal{.numbers = Numbers::normal, .float_results = true};
  add_fold<Box<int>, Sum<double, double>>(table, "sum_normal_numbers", normal);
  add_fold<Box<int, 2, true>, Sum<double, double, 2>>(
      table, "sum_box_normal_numbers", normal);
  add_fold<Box<std::uint32_t>, Sum<std::int32_t, std::int64_t>>(
      table, "sum_int64_of_int32", ints);
  add_fold<Box<int>, Sum<std::uint8_t, std::uint8_t>>(
      table, "sum_uint8", sums_of(Element::u8, false));
  add_fold<Box<std::int16_t>, Sum<std::int32_t, std::int32_t>, true>(
      table, "sum_index_int16", ints);
  add_fold<Box<std::uint8_t>, Sum<std::int32_t, std::int32_t>, true>(
      table, "sum_index_uint8", ints);
  add_fold<Box<std::uint64_t>, Sum<std::int64_t, std::uint64_t>>(
      table, "sum_index_uint64", sums_of(Element::i64, false));
  add_fold<Box<int>, Sum<double, Numbers_of<std::uint8_t, 3>>>(table,
                                                               "sum_3_bytes");
  // Kokkos reduces values as words of 4 bytes, here one and not one and a half.
  add_fold<Box<int>, Sum<double, Numbers_of<std::uint16_t, 3>>, true>(
      table, "sum_6_bytes");
  add_fold<Box<int>, Sum<double, Numbers_of<std::int64_t, 3>>>(table,
                                                               "sum_24_bytes");
  add_fold<Box<int>, Sum<double, Numbers_of<std::int32_t, 16>>>(
      table, "sum_64_bytes", {.most = 1 << 17});
  add_fold<Box<int>, Sum<double, Numbers_of<std::int64_t, 25>>>(
      table, "sum_200_bytes", {.most = 1 << 15});
  add_fold<Box<int>, Sum<double, Kokkos::complex<double>>>(table, "sum_complex",
                                                           doubles);
  add_fold<Box<int, 1, false, TagA>, Sum<std::int32_t, std::int64_t>>(
      table, "sum_tag", ints);
  add_fold<Box<int, 1, false, void, Kokkos::LaunchBounds<256, 1>>,
           Sum<std::int32_t, std::int64_t>>(table, "sum_launch_bounds", ints);
  add_fold<Box<int>, SmallestAndNumber<>>(table, "fold_init_join_final", ints);
  add_fold<Box<int, 2>, SmallestAndNumber<2>>(table, "fold_box", ints);
  add_fold<Box<int>, SmallestWords<std::uint8_t, 3>>(table, "fold_3_bytes");
  add_fold<Box<int>, LargestMagnitude>(table, "fold_join", ints);
  add_fold<Box<int>, SmallestWithFinal>(table, "fold_200_bytes",
                                        {.most = 1 << 15});
#if !defined(RANDOM_CALLS_EMULATED)
  Limits kept       = ints;
  kept.result_bytes = 16;
  add(table, "fold_without_result", kept, [](auto const& run, Call const& c) {
    run.reduce_without_result(Box<int>(c), KeptByFinal(c));
  });
#endif
  add_fold<Box<int>, OverloadSum>(table, "sum_overloads");
#if KOKKOS_VERSION < 50000 || defined(RANDOM_CALLS_EMULATED)
  add_fold<Box<int>, CachedSum>(table, "sum_mutable_cache", doubles);
  add_fold<Box<int, 2>, ScratchSumBox>(table, "sum_mutable_box");
#endif
  add_fold<Box<int>, AnyIndexSum>(table, "sum_any_index");
  add_fold<Box<int, 2>, ExplicitCopySum>(table, "sum_explicit_copy_box");
  // From 256 and 512 bytes on, fewer invocations are in flight.
  add_fold<Box<int>, LargeSum<300>>(table, "sum_300_bytes");
  add_fold<Box<int>, LargeSum<700>>(table, "sum_700_bytes");
  add_fold<Box<int, 2>, LargeSum<300, 2>>(table, "sum_box_300_bytes");
  add_fold<Box<int, 2, true>, LargeSum<4000, 2>>(table, "sum_box_4000_bytes",
                                                 {.most_repeats = 20});
  add_fold<Box<int>, LargeSum<5000>>(table, "sum_5000_bytes",
                                     {.most_repeats = 20});
#if KOKKOS_VERSION >= 50200
  add_fold<Box<int, 1, false, void, MDRangeOfOne>,
           Sum<std::int32_t, std::int64_t>>(table, "sum_box_1", ints);
#endif
  add_fold<Box<int, 2, false>, Sum<double, double, 2>>(table, "sum_box_2_right",
                                                       doubles);
  add_fold<Box<int, 2, true, TagB>, Sum<std::int32_t, std::int64_t, 2>>(
      table, "sum_box_2_left_tag", ints);
  add_fold<Box<std::int64_t, 3, true>, Sum<std::int32_t, std::int64_t, 3>>(
      table, "sum_box_3_left", ints);
  add_fold<Box<int, 4, false>, Sum<std::int32_t, std::int32_t, 4>>(
      table, "sum_box_4_right", ints);
  add_fold<Box<int, 5, true>, Sum<std::int32_t, std::int64_t, 5>>(
      table, "sum_box_5_left", ints);
  add_fold<Box<int, 6, false>, Sum<std::int32_t, std::int64_t, 6>>(
      table, "sum_box_6_right", ints);
  add_array<std::int64_t>(table, "array_int64", {.element = Element::i64});
  add_array<double>(table, "array_double", {.float_results = true});
  add_array<double>(table, "array_normal_numbers", normal);
  add_array<std::uint8_t, ArraySumWithFinal>(table, "array_uint8_final",
                                             {.element = Element::u8});
#if KOKKOS_VERSION < 50000 || defined(RANDOM_CALLS_EMULATED)
  add_array<std::int64_t, MutableArraySum>(table, "array_mutable",
                                           {.element = Element::i64});
#endif
}

}  // namespace random_calls::RANDOM_CALLS_TWIN
