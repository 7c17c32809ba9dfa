// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RouteSupport.hpp"

#include <core/reduce/KokkosMMA_RouteReduce.hpp>

#include <KokkosMMA_ErrorOf.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;
using enum Scalar;
using P = ReduceProblem;

/// A call that both routes take.
constexpr P sum_of_halves() {
  P problem;
  problem.source        = Source::view;
  problem.input         = half;
  problem.value         = float32;
  problem.sum           = true;
  problem.contiguous    = true;
  problem.value_bytes   = 4;
  problem.functor_bytes = 24;
  problem.size          = 1000;
  return problem;
}
static_assert(!refuse_mma(sum_of_halves(), a100, {}));

/// What the routes say of that call with these changes, on an H200.
template <class... Changes>
constexpr Refusal streamed(Changes... changes) {
  return refuse_streamed(with(sum_of_halves(), changes...), h200);
}
template <class... Changes>
constexpr Refusal mma(Changes... changes) {
  return refuse_mma(with(sum_of_halves(), changes...), h200, {});
}
static_assert(!streamed() && !mma());

static_assert(says(refuse_streamed(sum_of_halves(), host), "not Cuda"));
static_assert(!streamed(&P::in_graph, true));
static_assert(says(streamed(&P::in_graph, true, &P::value_bytes, 65),
                   "graph node"));
static_assert(says(streamed(&P::compiled, false), "no result"));
// Values that are kept in shared memory.
constexpr Refusal array(std::size_t bytes, Pattern pattern = Pattern::range) {
  return streamed(&P::fixed_size, false, &P::value_bytes, bytes, &P::pattern,
                  pattern);
}
static_assert(!array(8) && !array(max_array_bytes));
static_assert(says(array(max_array_bytes + 1), "larger than 16384 bytes"));
static_assert(says(array(0), "no values"));
static_assert(says(array(8, Pattern::mdrange), "no fixed size"));
static_assert(says(streamed(&P::fixed_size, false, &P::value, half),
                   "16-bit floats in fp32"));
static_assert(!streamed(&P::fixed_size, false, &P::value, half, &P::sum,
                        false));
static_assert(!streamed(&P::value_bytes, 512));
static_assert(says(streamed(&P::value_bytes, 513), "larger than 512 bytes"));
constexpr Refusal value_of_a_box(std::size_t bytes) {
  return streamed(&P::pattern, Pattern::mdrange, &P::value_bytes, bytes);
}
static_assert(!value_of_a_box(64));
static_assert(says(value_of_a_box(65), "larger than 64 bytes"));
static_assert(says(refuse_streamed(with(sum_of_halves(), &P::value_bytes, 500),
                                   {true, 90, 1, 2400}),
                   "shared memory of a block"));
static_assert(!streamed(&P::functor_bytes, 32400));
static_assert(says(streamed(&P::functor_bytes, 32401), "than 32400 bytes"));
static_assert(!streamed(&P::size, std::uint64_t(1) << 40));
constexpr Refusal mdrange(std::uint64_t size) {
  return streamed(&P::pattern, Pattern::mdrange, &P::size, size);
}
static_assert(!mdrange((1u << 31) - 1) && says(mdrange(1u << 31), "2^31"));
static_assert(!streamed(&P::local_bytes, 8) &&
              says(streamed(&P::local_bytes, 9), "registers"));
constexpr Refusal spills_of_a_large_functor(int bytes) {
  return streamed(&P::most_spilled, 64, &P::local_bytes, bytes);
}
static_assert(!spills_of_a_large_functor(64) &&
              says(spills_of_a_large_functor(65), "registers"));
constexpr Refusal spills_in_a_box(int bytes) {
  return streamed(&P::pattern, Pattern::mdrange, &P::local_bytes, bytes);
}
static_assert(!spills_in_a_box(512) && says(spills_in_a_box(513), "registers"));
// What only `mma` cares about.
static_assert(!refuse_streamed(with(sum_of_halves(), &P::source,
                                    Source::functor, &P::input, opaque, &P::sum,
                                    false, &P::contiguous, false,
                                    &P::same_alignment, false),
                               v100));

constexpr Settings exactly(Route route = Route::automatic) {
  return {.route = route, .reproducibility = Reproducibility::exact};
}
template <class... Changes>
constexpr OfferedLevel offered(Capability const& machine, Settings const& asked,
                               Changes... changes) {
  return offered_level(with(sum_of_halves(), changes...), machine, asked);
}
static_assert(offered(h200, exactly()).level == Reproducibility::exact);
static_assert(offered(v100, exactly(Route::mma)).level ==
              Reproducibility::exact);
static_assert(offered(host, exactly(), &P::on_host, true).level ==
              Reproducibility::exact);
static_assert(says(offered(host, exactly()).refusal, "not Cuda"));
static_assert(says(offered(h200, exactly(Route::generic)).refusal,
                   "Kokkos' own code"));
static_assert(says(offered(h200, exactly(), &P::sum, false).refusal,
                   "not a sum"));
static_assert(says(offered(h200, exactly(), &P::input, int32).refusal,
                   "sum of integers"));
static_assert(offered(h200, exactly(), &P::input, int32).level ==
              Reproducibility::device_independent);
static_assert(offered(host, exactly(), &P::on_host, true, &P::sum, false)
                  .level == Reproducibility::run_to_run);
// Nor are minima of integers rounded.
static_assert(offered(host, exactly(), &P::sum, false, &P::value, int64)
                  .level == Reproducibility::exact);
static_assert(offered(h200, exactly(Route::generic), &P::input, int32,
                      &P::value, int64)
                  .level == Reproducibility::exact);
static_assert(route_reduce(sum_of_halves(), h200, exactly()).route ==
              Route::streamed);
static_assert(route_reduce(sum_of_halves(), host, exactly()).route ==
              Route::generic);
static_assert(says(refusal_of(route_reduce(sum_of_halves(), h200,
                                           exactly(Route::mma))),
                   "an exact sum was requested"));
// A sum by calls of a functor is not exact; no other level goes to the tensor
// cores either, but for integers.
static_assert(route_reduce(with(sum_of_halves(), &P::intercepted, true), h200,
                           exactly())
                  .route == Route::streamed);
static_assert(says(route_reduce(with(sum_of_halves(), &P::intercepted, true),
                                h200, exactly())
                       .mma,
                   "bitwise identical on all devices"));
static_assert(route_reduce(with(sum_of_halves(), &P::input, int64, &P::value,
                                int64),
                           h200, exactly())
                  .route == Route::mma);

static_assert(says(refuse_mma(sum_of_halves(), host, {}), "not Cuda"));
static_assert(says(refuse_mma(sum_of_halves(), v100, {}), "below 8.0"));
static_assert(says(refuse_mma(sum_of_halves(), {true, 79, 80}, {}),
                   "below 8.0"));
static_assert(says(mma(&P::in_graph, true), "graph node"));
static_assert(says(mma(&P::compiled, false), "no result"));
static_assert(says(mma(&P::source, Source::functor), "opaque"));
static_assert(says(mma(&P::source, Source::transform), "transformed values"));
static_assert(says(mma(&P::sum, false), "not a sum"));
static_assert(says(mma(&P::input, opaque), "not support this element type"));
static_assert(says(mma(&P::contiguous, false), "strided"));
static_assert(says(mma(&P::source, Source::product, &P::same_alignment, false),
                   "aligned differently"));
// What only `streamed` cares about.
static_assert(!mma(&P::functor_bytes, 10000, &P::local_bytes, 8));

// What the sum is kept in decides too: nothing is added in another type than
// the caller's where that shows.
constexpr auto mma_says(std::string_view part, Source source = Source::view) {
  return [=](Types const& t) {
    return says(
        mma(&P::source, source, &P::input, t.input, &P::value, t.accumulator),
        part);
  };
}
static_assert(
    all({{int64, float64}, {uint64, float64}, {int64, float32}, {uint64, half}},
        mma_says("8 bytes would wrap")));
static_assert(all({{int32, int64}, {uint32, float64}, {float32, float32}},
                  mma_says("additions are as fast")));
static_assert(all({{float32, float64}, {half, float64}}, mma_says("double")));
static_assert(all({{float64, int64}, {half, int32}}, mma_says("integer")));
static_assert(all({{int32, boolean}, {int32, opaque}},
                  mma_says("neither a number")));
static_assert(all({{int64, int64},
                   {int64, uint64},
                   {uint8, float32},
                   {int8, float64},
                   {boolean, float64},
                   {float64, float32},
                   {half, half}},
                  mma_says("")));
// Products are of the smallest integers only, whose sums cannot wrap either.
static_assert(all({{uint8, float64},
                   {half, half},
                   {bhalf, bhalf},
                   {float64, float64},
                   {int8, int8},
                   {uint8, uint8}},
                  mma_says("", Source::product)));
static_assert(all({{float32, float32},
                   {int32, int32},
                   {uint32, uint32},
                   {int64, int64},
                   {uint64, uint64}},
                  mma_says("not exact", Source::product)));
static_assert(all({{boolean, int32}}, mma_says("bool", Source::product)));

// --- the first reason in the order of the list is the one that is given ----
constexpr P many_wrong =
    with(sum_of_halves(), &P::in_graph, true, &P::value_bytes, 65, &P::source,
         Source::functor, &P::sum, false, &P::contiguous, false);
static_assert(says(refuse_streamed(many_wrong, host), "not Cuda"));
static_assert(says(refuse_streamed(many_wrong, h200), "graph node"));
static_assert(says(refuse_mma(many_wrong, host, {}), "not Cuda"));
static_assert(says(refuse_mma(many_wrong, h200, {}), "opaque"));
static_assert(says(refuse_mma(with(many_wrong, &P::source, Source::view), v100,
                              {}),
                   "below 8.0"));

constexpr Route chosen(P const& problem, Capability const& capability,
                       Route requested = {}) {
  return route_reduce(problem, capability, Settings{requested}).route;
}
static_assert(chosen(sum_of_halves(), h200) == Route::mma);
static_assert(chosen(sum_of_halves(), v100) == Route::streamed);
static_assert(chosen(sum_of_halves(), host) == Route::generic);
static_assert(chosen(with(sum_of_halves(), &P::source, Source::functor),
                     h200) == Route::streamed);
static_assert(chosen(with(sum_of_halves(), &P::in_graph, true), h200) ==
              Route::streamed);

// Requested, here for all route functions, which share the code: a route that
// cannot run leaves the call to another, and the refusal says why.
constexpr bool requested(Route route, Capability const& capability, Route taken,
                         std::string_view part) {
  RouteDecision const decision =
      route_reduce(sum_of_halves(), capability, Settings{route});
  return decision.route == taken && says(refusal_of(decision), part);
}
static_assert(requested(Route::generic, h200, Route::generic, "") &&
              requested(Route::streamed, h200, Route::streamed, "") &&
              requested(Route::generic, host, Route::generic, "") &&
              requested(Route::mma, host, Route::generic, "not Cuda") &&
              requested(Route::streamed, host, Route::generic, "not Cuda"));

constexpr P strided = with(sum_of_halves(), &P::contiguous, false);

TEST(RouteReduce, DecisionAsText) {
  EXPECT_EQ("route mma", to_string(route_reduce(sum_of_halves(), h200, {})));
  EXPECT_EQ(
      "route streamed; not mma: the View is strided: its elements do not fill "
      "16-byte loads",
      to_string(route_reduce(strided, h200, {})));
  EXPECT_EQ(
      "route generic; neither mma nor streamed: the execution space is not "
      "Cuda",
      to_string(route_reduce(sum_of_halves(), host, {})));
}

// A request of the environment or of a scope that cannot be met: what runs, and
// what was asked for.
TEST(RouteReduce, WishesAsText) {
  auto const text = [](P const& problem, Capability const& machine,
                       Route requested) {
    return to_string(route_reduce(problem, machine, Settings{requested}));
  };
  EXPECT_EQ(0u, text(sum_of_halves(), host, Route::mma)
                    .find("route generic (mma was requested); neither mma "
                          "nor streamed: the execution space is not Cuda"));
  EXPECT_EQ(0u, text(strided, h200, Route::mma)
                    .find("route streamed (mma was requested); not mma: the "
                          "View is strided"));
  EXPECT_EQ("route mma", text(sum_of_halves(), h200, Route::mma));
  EXPECT_EQ("route mma", text(sum_of_halves(), h200, Route::automatic));
  EXPECT_EQ("route generic", text(sum_of_halves(), h200, Route::generic));
  // An order runs nothing else.
  EXPECT_EQ(0u,
            Impl::explain_call(Settings{Route::mma},
                               [&](Settings const& settings) {
                                 return route_reduce(sum_of_halves(), host,
                                                     settings);
                               })
                .find("no route: mma was requested and cannot run; "
                      "neither mma nor streamed: the execution space is not "
                      "Cuda"));
}

TEST(RouteReduce, ForcedRouteThatCannotRunIsAnError) {
  std::string const error = error_of([] {
    Impl::check_route("KokkosMMA::reduce",
                      route_reduce(strided, h200, Settings{Route::mma}));
  });
  EXPECT_EQ(0u, error.find("KokkosMMA::reduce: ")) << error;
  EXPECT_TRUE(has_parts(
      error, {"route mma", "the View is strided", "auto or generic"}));
  EXPECT_NO_THROW(Impl::check_route(
      "who", route_reduce(sum_of_halves(), h200, Settings{Route::streamed})));
}

static_assert(scalar_v<float> == float32);
static_assert(scalar_v<double const> == float64);
static_assert(scalar_v<bool> == boolean);
static_assert(scalar_v<signed char> == int8);
static_assert(scalar_v<unsigned char> == uint8);
static_assert(scalar_v<int> == int32);
static_assert(scalar_v<unsigned> == uint32);
static_assert(scalar_v<long> == (sizeof(long) == 8 ? int64 : int32));
static_assert(scalar_v<long long> == int64);
static_assert(scalar_v<unsigned long long> == uint64);
static_assert(scalar_v<short> == opaque);
static_assert(scalar_v<long double> == opaque);
static_assert(scalar_v<int*> == opaque);
static_assert(size_of(half) == 2 && size_of(float64) == 8 &&
              size_of(uint8) == 1 && size_of(uint32) == 4 &&
              size_of(boolean) == 1 && size_of(opaque) == 0);
static_assert(to_string(float32) == "float" && to_string(boolean) == "bool" &&
              to_string(uint64) == "uint64");

}  // namespace
