// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The route is a constant expression: most of this is checked by compiling it.

#include <core/segmented/KokkosMMA_RouteSegmented.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;

constexpr Capability h200{true, 90, 132};
constexpr Capability a100{true, 80, 108};
constexpr Capability v100{true, 70, 80};
constexpr Capability host{};

/// A reduction that both routes take.
constexpr SegmentedProblem rows_of_halfs() {
  SegmentedProblem problem;
  problem.layout         = SegmentLayout::packed;
  problem.input          = Scalar::half;
  problem.accumulator    = Scalar::float32;
  problem.output         = Scalar::float32;
  problem.segments       = 1000;
  problem.segment_length = 100;
  return problem;
}

/// That call with one thing changed.
template <class Change>
constexpr SegmentedProblem with(Change const& change) {
  SegmentedProblem problem = rows_of_halfs();
  change(problem);
  return problem;
}
constexpr bool says(Refusal const& refusal, std::string_view part) {
  return refusal.reason.find(part) != std::string_view::npos &&
         !refusal.source.empty();
}
template <class Change>
constexpr Refusal streamed_with(Change const& change, bool scan = false) {
  return refuse_segmented(with(change), h200, scan);
}
template <class Change>
constexpr Refusal mma_with(Change const& change, bool scan = false) {
  return refuse_mma_segmented(with(change), h200, {}, scan);
}
constexpr auto nothing = [](auto&) {};

static_assert(!streamed_with(nothing));
static_assert(!streamed_with(nothing, true));
static_assert(!mma_with(nothing));
static_assert(!refuse_segmented(rows_of_halfs(), a100, false));
static_assert(!refuse_mma_segmented(rows_of_halfs(), a100, {}, false));

// --- every rule of both routes on its own ----------------------------------
constexpr bool both_say(SegmentedProblem const& problem,
                        Capability const& capability, std::string_view part) {
  return says(refuse_segmented(problem, capability, false), part) &&
         says(refuse_segmented(problem, capability, true), part) &&
         says(refuse_mma_segmented(problem, capability, {}, false), part) &&
         says(refuse_mma_segmented(problem, capability, {}, true), part);
}
static_assert(both_say(rows_of_halfs(), host, "not Cuda"));
static_assert(both_say(rows_of_halfs(), v100, "below 8.0"));
static_assert(both_say(with([](auto& p) { p.moments = true; }), h200,
                       "two values per segment"));
static_assert(both_say(with([](auto& p) { p.input = Scalar::opaque; }), h200,
                       "no kernel"));
static_assert(both_say(with([](auto& p) { p.plain_memory = false; }), h200,
                       "does not refer to its elements"));
static_assert(both_say(with([](auto& p) { p.layout = SegmentLayout::strided; }),
                       h200, "gaps"));
static_assert(both_say(with([](auto& p) { p.layout = SegmentLayout::unlike; }),
                       h200, "layouts differ"));
static_assert(both_say(with([](auto& p) {
                         p.layout = SegmentLayout::interleaved;
                       }),
                       h200, "several values"));
static_assert(both_say(with([](auto& p) {
                         p.csr            = true;
                         p.packed_offsets = false;
                       }),
                       h200, "offsets are strided"));
// Only offsets can be strided.
static_assert(!streamed_with([](auto& p) { p.packed_offsets = false; }));
static_assert(!streamed_with([](auto& p) { p.csr = true; }));
static_assert(!streamed_with([](auto& p) {
  p.layout = SegmentLayout::columns;
}));

// --- rules of `mma` ---------------------------------------------------------
static_assert(says(mma_with([](auto& p) { p.operation = Operation::min; }),
                   "not a sum"));
static_assert(!streamed_with([](auto& p) { p.operation = Operation::prod; }));
static_assert(says(mma_with([](auto& p) { p.csr = true; }),
                   "variable-size segments"));
static_assert(says(mma_with(nothing, true), "no MMA kernel"));
static_assert(says(mma_with([](auto& p) { p.accumulator = Scalar::float64; }),
                   "accumulate in float"));
static_assert(!streamed_with([](auto& p) { p.accumulator = Scalar::float64; }));
static_assert(says(mma_with([](auto& p) {
                     p.layout = SegmentLayout::columns;
                     p.input = p.accumulator = Scalar::int32;
                   }),
                   "columns of wide integers"));
static_assert(!mma_with([](auto& p) {
  p.input = p.accumulator = Scalar::int32;
}));
static_assert(says(refuse_mma_segmented(rows_of_halfs(), h200,
                                        {Route::automatic, Formulation::split},
                                        false),
                   "formulations"));

// --- which types have kernels ----------------------------------------------
static_assert(segment_kernel_exists(Scalar::half, Scalar::float32));
static_assert(segment_kernel_exists(Scalar::half, Scalar::float64));
static_assert(segment_kernel_exists(Scalar::float32, Scalar::float64));
static_assert(!segment_kernel_exists(Scalar::float64, Scalar::float32));
static_assert(!segment_kernel_exists(Scalar::half, Scalar::half));
static_assert(!segment_kernel_exists(Scalar::half, Scalar::int32));
static_assert(segment_kernel_exists(Scalar::boolean, Scalar::int32));
static_assert(segment_kernel_exists(Scalar::int8, Scalar::uint64));
static_assert(!segment_kernel_exists(Scalar::int8, Scalar::int8));
static_assert(!segment_kernel_exists(Scalar::int8, Scalar::float32));
static_assert(!segment_kernel_exists(Scalar::int64, Scalar::int32));
static_assert(!segment_kernel_exists(Scalar::opaque, Scalar::int32));
static_assert(!segment_kernel_exists(Scalar::int32, Scalar::opaque));

// A reduction converts where it stores, a scan writes what it keeps.
static_assert(!streamed_with([](auto& p) { p.output = Scalar::int8; }));
static_assert(says(streamed_with([](auto& p) { p.output = Scalar::int8; },
                                 true),
                   "no kernel"));
static_assert(segment_scan_kernel_exists(Scalar::half, Scalar::float32,
                                         Scalar::half));
static_assert(!segment_scan_kernel_exists(Scalar::half, Scalar::float32,
                                          Scalar::bhalf));
static_assert(!segment_scan_kernel_exists(Scalar::float32, Scalar::float64,
                                          Scalar::float32));

static_assert(segment_products_exist(Scalar::bhalf, Scalar::float32));
static_assert(segment_products_exist(Scalar::float64, Scalar::float64));
static_assert(!segment_products_exist(Scalar::float32, Scalar::float64));
static_assert(segment_products_exist(Scalar::boolean, Scalar::int32));
static_assert(!segment_products_exist(Scalar::int8, Scalar::int64));
static_assert(segment_products_exist(Scalar::uint64, Scalar::int64));

// --- what is chosen ---------------------------------------------------------
constexpr Route chosen(SegmentedProblem const& problem,
                       Capability const& capability, Route wish = {}) {
  return route_segmented_reduce(problem, capability, Settings{wish}).route;
}
constexpr bool takes_the_faster(Scalar input, Scalar accumulator,
                                std::uint64_t length) {
  SegmentedProblem const problem = with([&](auto& p) {
    p.input          = input;
    p.accumulator    = accumulator;
    p.segment_length = length;
  });
  Route const faster = mma_segments_pay(input, length * size_of(input))
                           ? Route::mma
                           : Route::streamed;
  return chosen(problem, h200) == faster &&
         chosen(problem, h200, Route::mma) == Route::mma &&
         chosen(problem, v100) == Route::generic &&
         chosen(problem, host) == Route::generic;
}
static_assert(takes_the_faster(Scalar::half, Scalar::float32, 16));
static_assert(takes_the_faster(Scalar::half, Scalar::float32, 1 << 20));
static_assert(takes_the_faster(Scalar::float32, Scalar::float32, 7));
static_assert(takes_the_faster(Scalar::float64, Scalar::float64, 256));
static_assert(takes_the_faster(Scalar::int8, Scalar::int32, 1000));
static_assert(takes_the_faster(Scalar::int64, Scalar::int64, 3));
static_assert(chosen(with([](auto& p) { p.csr = true; }), h200) ==
              Route::streamed);
static_assert(chosen(with([](auto& p) { p.moments = true; }), h200) ==
              Route::generic);
static_assert(route_segmented_scan(rows_of_halfs(), h200, {}).route ==
              Route::streamed);

// Forced: the route is what was asked for, the refusal says whether it can run.
static_assert(chosen(rows_of_halfs(), h200, Route::generic) == Route::generic);
static_assert(!refusal_of(route_segmented_reduce(rows_of_halfs(), h200,
                                                 Settings{Route::mma})));
static_assert(says(refusal_of(route_segmented_scan(rows_of_halfs(), h200,
                                                   Settings{Route::mma})),
                   "no MMA kernel"));
static_assert(says(refusal_of(route_segmented_reduce(
                       rows_of_halfs(), host, Settings{Route::streamed})),
                   "not Cuda"));

TEST(RouteSegmented, AutomaticNeverFails) {
  int routes[4] = {};
  for (int bits = 0; bits < 1 << 7; ++bits) {
    auto const bit = [&](int i) { return (bits >> i & 1) != 0; };
    for (int layout = 0; layout < 5; ++layout)
      for (int operation = 0; operation < 4; ++operation)
        for (int input = 0; input < 12; ++input)
          for (Scalar const accumulator :
               {Scalar::float32, Scalar::float64, Scalar::int32}) {
            SegmentedProblem problem;
            problem.layout         = SegmentLayout(layout);
            problem.operation      = Operation(operation);
            problem.input          = Scalar(input);
            problem.accumulator    = accumulator;
            problem.output         = accumulator;
            problem.csr            = bit(0);
            problem.packed_offsets = bit(1);
            problem.moments        = bit(2);
            problem.plain_memory   = bit(3);
            problem.segment_length = bit(4) ? 16 : 1000000;
            bool const scan        = bit(5);
            Capability const capability{bit(6), 90, 132};

            RouteDecision const decision =
                scan ? route_segmented_scan(problem, capability, Settings{})
                     : route_segmented_reduce(problem, capability, Settings{});

            ASSERT_FALSE(refusal_of(decision)) << to_string(decision);
            ASSERT_NE(Route::automatic, decision.route);
            ASSERT_EQ(decision.route == Route::generic, bool(decision.streamed))
                << to_string(decision);
            ASSERT_TRUE(decision.route == Route::mma || decision.mma)
                << "no reason";
            ++routes[int(decision.route)];
          }
  }
  EXPECT_LT(0, routes[int(Route::generic)]);
  EXPECT_LT(0, routes[int(Route::streamed)]);
}

TEST(RouteSegmented, DecisionAsText) {
  EXPECT_EQ(
      "route streamed; not mma: variable-size segments do not fill the rows of "
      "a product (backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp)",
      to_string(route_segmented_reduce(with([](auto& p) { p.csr = true; }),
                                       h200, {})));
}

}  // namespace
