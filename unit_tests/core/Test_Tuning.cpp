// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/reduce/KokkosMMA_RouteReduce.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

/// What the kernel takes for granted.
constexpr bool usable(StreamedTuning const& tuning) {
  bool const power_of_two =
      (tuning.accumulators & (tuning.accumulators - 1)) == 0;
  return tuning.threads % 32 == 0 && tuning.threads >= 32 &&
         tuning.threads <= 1024 && tuning.min_blocks >= 1 &&
         tuning.threads * tuning.min_blocks <= 2048 && tuning.calls >= 1 &&
         tuning.accumulators >= 1 && power_of_two &&
         tuning.calls % tuning.accumulators == 0 &&
         tuning.most_calls >= tuning.calls &&
         tuning.most_calls % tuning.accumulators == 0;
}
constexpr bool all_usable() {
  for (std::size_t value = 1; value <= max_value_bytes; ++value)
    for (int const indices : {1, 2, 3, 4, 6})
      for (bool const sum : {true, false})
        for (std::size_t const functor : {8, 100, 600})
          for (bool const one_view : {false, true})
            if (!usable(streamed_tuning(value, indices, sum, functor, 40,
                                        one_view)))
              return false;
  return true;
}
static_assert(all_usable());
constexpr bool arrays_usable() {
  for (std::size_t bytes = 1; bytes <= max_shared_value_bytes; ++bytes)
    for (bool const array : {true, false}) {
      ArrayTuning const tuning = array_tuning(array, bytes);
      if (tuning.threads % 32 || tuning.threads < 32 || tuning.calls < 1 ||
          tuning.threads * tuning.min_blocks > 2048)
        return false;
    }
  return true;
}
static_assert(arrays_usable());
constexpr StreamedTuning fair{.threads      = 256,
                              .min_blocks   = 2,
                              .calls        = 16,
                              .most_calls   = 16,
                              .accumulators = 4};
constexpr bool usable_with(int StreamedTuning::*member, int value) {
  StreamedTuning tuning = fair;
  tuning.*member        = value;
  return usable(tuning);
}
static_assert(usable(fair) && !usable_with(&StreamedTuning::accumulators, 3) &&
                  !usable_with(&StreamedTuning::accumulators, 0) &&
                  !usable_with(&StreamedTuning::min_blocks, 9) &&
                  !usable_with(&StreamedTuning::most_calls, 8),
              "the check itself can fail");

/// The running values of a thread stay within half its registers.
constexpr bool values_fit() {
  for (std::size_t value = 1; value <= max_value_bytes; ++value) {
    for (bool const one_view : {false, true}) {
      StreamedTuning const tuning =
          streamed_tuning(value, 1, true, 0, 40, one_view);
      int const registers = 65536 / (tuning.threads * tuning.min_blocks);
      if (tuning.accumulators * int(value + 3) / 4 > registers / 2)
        return false;
    }
  }
  return true;
}
static_assert(values_fit());

/// A functor with one View has the same kernel whatever the size of a View.
constexpr StreamedTuning tuning_of(std::size_t functor, std::size_t view) {
  return streamed_tuning(4, 1, true, functor, view);
}
static_assert(tuning_of(40, 40) == tuning_of(48, 48) &&
              tuning_of(48, 40) == tuning_of(56, 48) &&
              !(tuning_of(48, 40) == tuning_of(48, 48)));

/// Letters: most calls, neighbours, free-running, scattered warps, one subrange
/// each from the first or last on.
TEST(Tuning, OrdersOfCalls) {
  auto const orders = [](StreamedTuning const& tuning, unsigned subranges = 1) {
    CallOrders const all = call_orders(tuning, false, subranges);
    std::string text;
    for (int k = 0; k < all.count; ++k) {
      if (all[k].most_calls) text += 'm';
      if (all[k].neighbours) text += 'n';
      if (all[k].free_running) text += 'f';
      if (all[k].scattered_warps) text += 's';
      if (all[k].one_each) text += all[k].from_end ? '<' : '>';
      EXPECT_EQ(all[k].subranges, subranges);
      text += ';';
    }
    return text;
  };
  EXPECT_EQ(orders(streamed_tuning(4)), ";mn;mf;");
  EXPECT_EQ(orders(streamed_tuning(8)), ";m;mf;");
  EXPECT_EQ(orders(streamed_tuning(8), 4), ";m;mf;mf>;mf<;");
  EXPECT_EQ(orders(streamed_tuning(8, 1, false)), ";m;mf;");
  EXPECT_EQ(orders(streamed_tuning(8, 1, true, 40, 40, true)), ";m;mf;");
  EXPECT_EQ(orders(streamed_tuning(4, 1, false)), ";f;fs;");
  EXPECT_EQ(orders(streamed_tuning(64)), ";f;fs;");
  // The body of a large functor is compiled for fewer invocations.
  EXPECT_EQ(orders(streamed_tuning(8, 1, true, 256)), ";m;mf;");
  EXPECT_EQ(orders(streamed_tuning(8, 1, true, 264)), ";f;fs;");
  EXPECT_EQ(orders(streamed_tuning(4, 1, false, 264)), ";f;fs;");
}
static_assert(streamed_tuning(8, 2, true, 256).most_calls == 4 &&
              streamed_tuning(8, 2, false, 256).most_calls == 4 &&
              streamed_tuning(8, 2, false, 264).most_calls == 2 &&
              streamed_tuning(16, 2, false, 264).calls == 2);
// In ranges each thread has 32 registers.
static_assert(most_spilled(streamed_tuning(8, 1, true, 264)) == 64 &&
              most_spilled(streamed_tuning(8, 1, true, 256)) == 8 &&
              most_spilled(streamed_tuning(16, 1, true, 264)) == 8 &&
              most_spilled(streamed_tuning(8, 2, true, 264)) == 8);
// Lambdas over one View of 8-byte values, too.
constexpr StreamedTuning one_view = streamed_tuning(8, 1, true, 40, 40, true);
static_assert(most_spilled(one_view) == 24 && !may_divide_parts(one_view) &&
              streamed_tuning(8, 1, false, 40, 40, true).min_blocks == 4 &&
              streamed_tuning(4, 1, true, 40, 40, true) ==
                  streamed_tuning(4, 1, true, 40, 40) &&
              streamed_tuning(8, 2, true, 40, 40, true) ==
                  streamed_tuning(8, 2, true, 40, 40) &&
              keeps_first_if_short(one_view, false, 4));
// With 20 invocations in flight, too.
static_assert(most_spilled(streamed_tuning(4)) == 64 &&
              most_spilled(streamed_tuning(4, 1, false)) == 8);
static_assert(keeps_first_if_short(streamed_tuning(8), false, 4) &&
              !keeps_first_if_short(streamed_tuning(8), false, 3) &&
              !keeps_first_if_short(streamed_tuning(8), true, 4) &&
              !keeps_first_if_short(streamed_tuning(4), false, 2));
static_assert(order_class(1000, false) != order_class(1000, true));

// Kernels that leave threads of a multiprocessor unused divide parts of ranges.
constexpr unsigned subranges(StreamedTuning const& tuning, bool is_box,
                             std::uint64_t size, unsigned resident) {
  LaunchShape const shape{132 * resident, 512};
  return subranges_of_part(tuning, is_box, size, shape, resident);
}
static_assert(subranges(streamed_tuning(8), false, 1 << 20, 2) == 4 &&
              subranges(streamed_tuning(8), false, 1 << 23, 3) == 2 &&
              subranges(streamed_tuning(8), false, 1 << 22, 3) == 1 &&
              subranges(streamed_tuning(8), false, 1 << 20, 4) == 1 &&
              subranges(streamed_tuning(8), false, 1 << 19, 2) == 1 &&
              subranges(streamed_tuning(8, 2), true, 1 << 20, 2) == 1 &&
              subranges(streamed_tuning(16), false, 1 << 20, 2) == 1 &&
              subranges(streamed_tuning(4), false, 1 << 20, 2) == 1);

// More indices never ask for more calls in flight.
static_assert(streamed_tuning(16, 4).calls < streamed_tuning(16, 3).calls);

// Functors of several Views get the registers of doubles.
static_assert(streamed_tuning(4, 1, true, 48) == streamed_tuning(8) &&
              streamed_tuning(4, 1, true, 40) == streamed_tuning(4));

// A join that is no addition may read what its value points to.
static_assert(streamed_tuning(8, 1, false).accumulators == 1 &&
              streamed_tuning(4, 1, false).accumulators == 1);

static_assert(mma_tuning.threads % 32 == 0 && mma_tuning.threads <= 1024);
static_assert(mma_tuning.vectors % 2 == 0, "vectors are added in pairs");
static_assert(mma_tuning.chain_length >= 1);
static_assert(spread_threads % 32 == 0);

}  // namespace
