// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RouteSupport.hpp"

#include <core/segmented/KokkosMMA_RouteSegmented.hpp>

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;
using P = SegmentedProblem;

/// A reduction that both routes take.
constexpr P rows_of_halves() {
  P problem;
  problem.layout         = SegmentLayout::packed;
  problem.input          = Scalar::half;
  problem.accumulator    = Scalar::float32;
  problem.output         = Scalar::float32;
  problem.segments       = 1000;
  problem.segment_length = 100;
  return problem;
}
static_assert(!refuse_segmented(rows_of_halves(), a100));
static_assert(!refuse_mma_segmented(rows_of_halves(), a100, {}));

/// What the routes say of that call, or of a scan, with these changes, on an
/// H200.
template <class... Changes>
constexpr Refusal streamed(Changes... changes) {
  return refuse_segmented(with(rows_of_halves(), changes...), h200);
}
template <class... Changes>
constexpr Refusal streamed_scan(Changes... changes) {
  return refuse_segmented(with(rows_of_halves(), &P::scan, true, changes...),
                          h200);
}
template <class... Changes>
constexpr Refusal mma(Changes... changes) {
  return refuse_mma_segmented(with(rows_of_halves(), changes...), h200, {});
}
static_assert(!streamed() && !streamed_scan() && !mma());

// --- every rule of both routes on its own ----------------------------------
template <class... Changes>
constexpr bool all_say(std::string_view part, Capability const& capability,
                       Changes... changes) {
  P const reduction = with(rows_of_halves(), changes...);
  P const scan      = with(reduction, &P::scan, true);
  return says(refuse_segmented(reduction, capability), part) &&
         says(refuse_segmented(scan, capability), part) &&
         says(refuse_mma_segmented(reduction, capability, {}), part) &&
         says(refuse_mma_segmented(scan, capability, {}), part);
}
static_assert(all_say("not Cuda", host));
static_assert(all_say("below 8.0", v100));
static_assert(all_say("two values per segment", h200, &P::moments, true));
static_assert(all_say("no kernel", h200, &P::input, Scalar::opaque));
static_assert(all_say("does not refer to its elements", h200, &P::plain_memory,
                      false));
constexpr bool layout_says(SegmentLayout layout, std::string_view part) {
  return all_say(part, h200, &P::layout, layout);
}
static_assert(layout_says(SegmentLayout::strided, "gaps"));
static_assert(layout_says(SegmentLayout::unlike, "layouts differ"));
static_assert(layout_says(SegmentLayout::interleaved, "several values"));
static_assert(!streamed(&P::layout, SegmentLayout::columns));
static_assert(all_say("offsets are strided", h200, &P::csr, true,
                      &P::packed_offsets, false));
// Only offsets can be strided.
static_assert(!streamed(&P::packed_offsets, false));
static_assert(!streamed(&P::csr, true));

// --- rules of `mma` ---------------------------------------------------------
static_assert(says(mma(&P::operation, Operation::min), "not a sum"));
static_assert(!streamed(&P::operation, Operation::prod));
static_assert(says(mma(&P::csr, true), "variable-size segments"));
static_assert(says(mma(&P::scan, true), "no MMA kernel"));
static_assert(says(mma(&P::accumulator, Scalar::float64),
                   "accumulate in float"));
static_assert(!streamed(&P::accumulator, Scalar::float64));
static_assert(says(mma(&P::layout, SegmentLayout::columns, &P::input,
                       Scalar::int32, &P::accumulator, Scalar::int32),
                   "columns of wide integers"));
static_assert(!mma(&P::input, Scalar::int32, &P::accumulator, Scalar::int32));
static_assert(says(refuse_mma_segmented(rows_of_halves(), h200,
                                        {Route::automatic, Formulation::split}),
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
static_assert(!streamed(&P::output, Scalar::int8));
static_assert(says(streamed_scan(&P::output, Scalar::int8), "no kernel"));
static_assert(segment_scan_kernel_exists(Scalar::half, Scalar::float32,
                                         Scalar::half));
static_assert(!segment_scan_kernel_exists(Scalar::half, Scalar::float32,
                                          Scalar::bhalf));
static_assert(!segment_scan_kernel_exists(Scalar::float32, Scalar::float64,
                                          Scalar::float32));

static_assert(segment_mma_exists(Scalar::bhalf, Scalar::float32));
static_assert(segment_mma_exists(Scalar::float64, Scalar::float64));
static_assert(!segment_mma_exists(Scalar::float32, Scalar::float64));
static_assert(segment_mma_exists(Scalar::boolean, Scalar::int32));
static_assert(!segment_mma_exists(Scalar::int8, Scalar::int64));
static_assert(segment_mma_exists(Scalar::uint64, Scalar::int64));

// --- what is chosen ---------------------------------------------------------
constexpr Route chosen(P const& problem, Capability const& capability,
                       Route wish = {}) {
  return route_segmented(problem, capability, Settings{wish}).route;
}
constexpr bool takes_the_faster(Scalar input, Scalar accumulator,
                                std::uint64_t length) {
  P const problem    = with(rows_of_halves(), &P::input, input, &P::accumulator,
                            accumulator, &P::segment_length, length);
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
static_assert(chosen(with(rows_of_halves(), &P::csr, true), h200) ==
              Route::streamed);
static_assert(chosen(with(rows_of_halves(), &P::moments, true), h200) ==
              Route::generic);
static_assert(route_segmented(with(rows_of_halves(), &P::scan, true), h200, {})
                  .route == Route::streamed);

// Forced: the route is what was asked for, the refusal says whether it can run.
static_assert(chosen(rows_of_halves(), h200, Route::generic) == Route::generic);
static_assert(!refusal_of(route_segmented(rows_of_halves(), h200,
                                          Settings{Route::mma})));
static_assert(says(refusal_of(route_segmented(with(rows_of_halves(), &P::scan,
                                                   true),
                                              h200, Settings{Route::mma})),
                   "no MMA kernel"));
static_assert(says(refusal_of(route_segmented(rows_of_halves(), host,
                                              Settings{Route::streamed})),
                   "not Cuda"));

TEST(RouteSegmented, DecisionAsText) {
  EXPECT_EQ(
      "route streamed; not mma: variable-size segments do not fill the rows of "
      "a product (backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp)",
      to_string(
          route_segmented(with(rows_of_halves(), &P::csr, true), h200, {})));
}

}  // namespace
