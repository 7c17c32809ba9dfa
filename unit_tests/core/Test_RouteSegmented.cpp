// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RouteSupport.hpp"

#include <core/segmented/KokkosMMA_RouteSegmented.hpp>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;
using enum Scalar;
using P = SegmentedProblem;

/// A reduction that both routes take.
constexpr P rows_of_halves() {
  P problem;
  problem.layout       = SegmentLayout::packed;
  problem.input        = half;
  problem.accumulator  = float32;
  problem.output       = float32;
  problem.segments     = 1000;
  problem.mma_compiled = true;
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
static_assert(all_say("no kernel", h200, &P::input, opaque));
static_assert(all_say("does not return plain references", h200,
                      &P::plain_memory, false));
constexpr bool layout_says(SegmentLayout layout, std::string_view part) {
  return all_say(part, h200, &P::layout, layout);
}
static_assert(layout_says(SegmentLayout::strided, "gaps"));
static_assert(layout_says(SegmentLayout::unlike, "layouts differ"));
static_assert(!streamed(&P::layout, SegmentLayout::columns));
static_assert(all_say("offsets are strided", h200, &P::csr, true,
                      &P::packed_offsets, false));
// Only offsets can be strided.
static_assert(!streamed(&P::packed_offsets, false));
static_assert(!streamed(&P::csr, true));

static_assert(says(mma(&P::operation, Operation::min), "not a sum"));
static_assert(!streamed(&P::operation, Operation::prod));
static_assert(says(mma(&P::csr, true), "segments of different lengths"));
static_assert(says(mma(&P::mma_compiled, false), "KokkosMMA::KokkosMMA"));
static_assert(says(mma(&P::scan, true), "no MMA kernel"));
static_assert(says(mma(&P::accumulator, float64), "only half elements"));
static_assert(says(mma(&P::input, bhalf), "only half elements"));
static_assert(says(mma(&P::input, int32, &P::accumulator, int32),
                   "only half elements"));
static_assert(!streamed(&P::accumulator, float64));
static_assert(says(mma(&P::layout, SegmentLayout::columns, &P::input, int8,
                       &P::accumulator, int32),
                   "sums of columns have no MMA kernel"));

constexpr auto kernel = [](Types const& t) {
  return segment_kernel_exists(t.input, t.accumulator);
};
static_assert(all({{half, float32},
                   {half, float64},
                   {float32, float64},
                   {boolean, int32},
                   {int8, uint64}},
                  kernel));
static_assert(none({{float64, float32},
                    {half, half},
                    {half, int32},
                    {int8, int8},
                    {int8, float32},
                    {int64, int32},
                    {opaque, int32},
                    {int32, opaque}},
                   kernel));

// A reduction converts where it stores, a scan writes what it keeps.
static_assert(!streamed(&P::output, int8));
static_assert(says(streamed_scan(&P::output, int8), "no kernel"));
static_assert(segment_scan_kernel_exists(half, float32, half));
static_assert(!segment_scan_kernel_exists(half, float32, bhalf));
static_assert(!segment_scan_kernel_exists(float32, float64, float32));

constexpr Route chosen(P const& problem, Capability const& capability,
                       Route requested = {}) {
  return route_segmented(problem, capability, Settings{requested}).route;
}
static_assert(chosen(rows_of_halves(), h200) == Route::streamed);
static_assert(chosen(rows_of_halves(), h200, Route::mma) == Route::mma);
static_assert(chosen(rows_of_halves(), v100) == Route::generic);
static_assert(chosen(rows_of_halves(), host) == Route::generic);
static_assert(chosen(with(rows_of_halves(), &P::input, int8, &P::accumulator,
                          int32),
                     h200, Route::mma) == Route::streamed);
static_assert(chosen(with(rows_of_halves(), &P::csr, true), h200) ==
              Route::streamed);
static_assert(chosen(with(rows_of_halves(), &P::scan, true), h200) ==
              Route::streamed);
static_assert(chosen(rows_of_halves(), h200, Route::generic) == Route::generic);

}  // namespace
