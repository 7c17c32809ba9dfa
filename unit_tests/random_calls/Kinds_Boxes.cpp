// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over boxes.

#include "Kinds.hpp"
#include "LoopFunctors.hpp"

namespace random_calls::RANDOM_CALLS_TWIN {
namespace {

template <class BoxType, class FunctorType>
void add_box(Table& table, char const* name, Limits limits = {}) {
  limits.rank = BoxType::rank;
  using Index = typename BoxType::Index;
  if (std::is_unsigned_v<Index>) limits.low = 0;
  if (sizeof(Index) == 8) limits.high = std::int64_t(1) << 40;
#if defined(RANDOM_CALLS_EMULATED)
  if (sizeof(Index) == 1) limits.low = -128, limits.high = 127;
#endif
  // Kokkos invokes some indices twice if its grid is full.
  constexpr bool kokkos_repeats = BoxType::rank > 4 && KOKKOS_VERSION < 50200;
  add<kokkos_repeats>(table, name, limits, [](auto const& run, Call const& c) {
    run.loop(BoxType(c), FunctorType(c));
  });
}

}  // namespace

void add_boxes(Table& table) {
#if KOKKOS_VERSION >= 50200
  add_box<Box<int, 1, false, void, MDRangeOfOne>, MixBox<1>>(table,
                                                             "box_1_right");
#endif
  add_box<Box<int, 2, true>, MixBox<2>>(table, "box_2_left");
  add_box<Box<std::int64_t, 2, false>, MixBox<2>>(table, "box_2_right_int64");
  add_box<Box<int, 3, true>, MixBox<3>>(table, "box_3_left");
  add_box<Box<std::uint32_t, 3, false>, MixBox<3>>(table, "box_3_right_uint32");
  add_box<Box<int, 4, true>, MixBox<4>>(table, "box_4_left");
  add_box<Box<int, 4, false>, MixBox<4>>(table, "box_4_right");
#if defined(RANDOM_CALLS_EMULATED)
  add_box<Box<std::int8_t, 3, true>, MixBox<3>>(table, "box_3_left_int8");
#endif
  add_box<Box<int, 5, true>, MixBox<5>>(table, "box_5_left");
  add_box<Box<int, 5, false>, MixBox<5>>(table, "box_5_right");
  add_box<Box<int, 6, true>, MixBox<6>>(table, "box_6_left");
  add_box<Box<std::int64_t, 6, false>, MixBox<6>>(table, "box_6_right_int64");
  add_box<Box<int, 2, false, TagA>, Tagged<2>>(table, "box_tag_a");
  add_box<Box<int, 2, true, TagB>, Tagged<2>>(table, "box_tag_b");
  add_box<Box<int, 2, true, void, Kokkos::LaunchBounds<256, 2>>, MixBox<2>>(
      table, "box_launch_bounds");
  add_box<Box<int, 2, true>, OverloadsBox>(table, "box_overloads");
#if defined(KOKKOS_ENABLE_CUDA)
  // On hosts Kokkos gives rvalues to these.
  add_box<Box<int, 3, false>, AnyIndex<3>>(table, "box_any_index");
#endif
#if KOKKOS_VERSION < 50000 || defined(RANDOM_CALLS_EMULATED)
  add_box<Box<int, 2, false>, ScratchBox>(table, "box_mutable_scratch");
#endif
  add_box<Box<int, 2, false>, LargeTable<4400, 2>>(table, "box_4400_bytes",
                                                   {.most_repeats = 20});
  Limits const numbers{.numbers = Numbers::sums};
  add_box<Box<int, 2, true>, FivePoints<Kokkos::LayoutLeft>>(
      table, "box_layout_left", numbers);
  add_box<Box<int, 2, false>, FivePoints<Kokkos::LayoutRight>>(
      table, "box_layout_right", numbers);
  add_box<Box<int, 2, false>, FivePoints<Kokkos::LayoutStride>>(
      table, "box_layout_stride",
      {.most = 1 << 17, .numbers = Numbers::sums, .strided = true});
}

}  // namespace random_calls::RANDOM_CALLS_TWIN
