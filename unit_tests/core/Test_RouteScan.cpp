// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The route is a constant expression: most of this is checked by compiling it.

#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;

constexpr Capability h200{true, 90, 132};
constexpr Capability a100{true, 80, 108};
constexpr Capability v100{true, 70, 80};
constexpr Capability host{};

/// A call that both routes take.
constexpr ScanProblem scan_of_flags() {
  ScanProblem problem;
  problem.source        = Source::view;
  problem.input         = Scalar::int8;
  problem.accumulator   = Scalar::int32;
  problem.output        = Scalar::int32;
  problem.sum           = true;
  problem.contiguous    = true;
  problem.tile_compiled = true;
  problem.value_bytes   = 4;
  problem.functor_bytes = 40;
  problem.size          = 1000;
  return problem;
}
static_assert(!refuse_mma_scan(scan_of_flags(), h200, {}));
static_assert(!refuse_mma_scan(scan_of_flags(), a100, {}));
static_assert(!refuse_streamed_scan(scan_of_flags(), h200));
static_assert(!refuse_streamed_scan(scan_of_flags(), v100));

/// That call with one thing changed.
template <class Change>
constexpr ScanProblem with(Change const& change) {
  ScanProblem problem = scan_of_flags();
  change(problem);
  return problem;
}

/// A functor of which nothing is known.
constexpr ScanProblem opaque() {
  ScanProblem problem;
  problem.value_bytes   = 16;
  problem.functor_bytes = 100;
  problem.size          = 1000;
  return problem;
}
static_assert(!refuse_streamed_scan(opaque(), v100));

constexpr bool says(Refusal const& refusal, std::string_view part) {
  return refusal.reason.find(part) != std::string_view::npos &&
         !refusal.source.empty();
}

// --- every rule of `streamed` on its own -----------------------------------
template <class Change>
constexpr Refusal streamed_with(Change const& change) {
  return refuse_streamed_scan(with(change), h200);
}
static_assert(says(refuse_streamed_scan(scan_of_flags(), host), "not Cuda"));
static_assert(says(streamed_with([](auto& p) { p.in_graph = true; }),
                   "graph node"));
static_assert(says(streamed_with([](auto& p) { p.fixed_size = false; }),
                   "no fixed size"));
static_assert(!streamed_with([](auto& p) { p.value_bytes = 64; }));
static_assert(says(streamed_with([](auto& p) { p.value_bytes = 65; }),
                   "larger than 64 bytes"));
static_assert(!streamed_with([](auto& p) { p.functor_bytes = 32400; }));
static_assert(says(streamed_with([](auto& p) { p.functor_bytes = 32401; }),
                   "larger than 32400 bytes"));
static_assert(!streamed_with([](auto& p) { p.size = std::uint64_t(1) << 40; }));
// One of the two kernels is enough.
static_assert(!streamed_with([](auto& p) { p.compiled = false; }));
static_assert(!streamed_with([](auto& p) { p.tile_compiled = false; }));
static_assert(says(streamed_with([](auto& p) {
                     p.compiled      = false;
                     p.tile_compiled = false;
                   }),
                   "no kernel is compiled"));
// What only `mma` cares about.
static_assert(!streamed_with([](auto& p) {
  p.source        = Source::functor;
  p.input         = Scalar::opaque;
  p.sum           = false;
  p.contiguous    = false;
  p.tile_compiled = false;
}));

// --- every rule of `mma` on its own ----------------------------------------
template <class Change>
constexpr Refusal mma_with(Change const& change) {
  return refuse_mma_scan(with(change), h200, {});
}
static_assert(says(refuse_mma_scan(scan_of_flags(), host, {}), "not Cuda"));
static_assert(says(refuse_mma_scan(scan_of_flags(), v100, {}), "below 8.0"));
static_assert(says(refuse_mma_scan(scan_of_flags(), {true, 79, 80}, {}),
                   "below 8.0"));
static_assert(says(mma_with([](auto& p) { p.in_graph = true; }), "graph node"));
static_assert(says(mma_with([](auto& p) { p.source = Source::functor; }),
                   "opaque"));
static_assert(says(mma_with([](auto& p) { p.sum = false; }), "not a sum"));
static_assert(says(mma_with([](auto& p) { p.input = Scalar::opaque; }),
                   "no encoding"));
static_assert(says(mma_with([](auto& p) { p.tile_compiled = false; }),
                   "no tile kernel"));
static_assert(says(mma_with([](auto& p) { p.contiguous = false; }), "strided"));
static_assert(says(mma_with([](auto& p) {
                     p.accumulator = p.output = Scalar::int64;
                   }),
                   "the accumulator is wider"));
static_assert(says(mma_with([](auto& p) {
                     p.input       = Scalar::int32;
                     p.accumulator = p.output = Scalar::int64;
                   }),
                   "the accumulator is wider"));
static_assert(!mma_with([](auto& p) {
  p.input = p.accumulator = p.output = Scalar::int64;
}));
static_assert(!streamed_with([](auto& p) {
  p.accumulator = p.output = Scalar::int64;
}));
constexpr bool is_refused(Formulation formulation) {
  return says(refuse_mma_scan(scan_of_flags(), h200,
                              Settings{Route::automatic, formulation}),
              "formulations");
}
static_assert(is_refused(Formulation::recurrence));
static_assert(is_refused(Formulation::single_pass));
static_assert(is_refused(Formulation::split));
// Chain lengths and block sizes are for reductions.
static_assert(!refuse_mma_scan(scan_of_flags(), h200,
                               Settings{Route::automatic, Formulation::chained,
                                        32, 64}));
// What only `streamed` cares about.
static_assert(!mma_with([](auto& p) {
  p.functor_bytes = 10000;
  p.compiled      = false;
}));

// --- the first reason in the order of the list is the one that is told -----
constexpr ScanProblem everything_wrong() {
  return with([](auto& p) {
    p.source        = Source::functor;
    p.sum           = false;
    p.contiguous    = false;
    p.tile_compiled = false;
    p.compiled      = false;
    p.in_graph      = true;
    p.value_bytes   = 65;
  });
}
static_assert(says(refuse_streamed_scan(everything_wrong(), host), "not Cuda"));
static_assert(says(refuse_streamed_scan(everything_wrong(), h200), "graph"));
static_assert(says(refuse_mma_scan(everything_wrong(), v100, {}), "below 8.0"));
static_assert(says(refuse_mma_scan(everything_wrong(), h200, {}), "graph"));
static_assert(says(mma_with([](auto& p) {
                     p.source     = Source::functor;
                     p.sum        = false;
                     p.contiguous = false;
                   }),
                   "opaque"));

// --- which types have a tile kernel ----------------------------------------
static_assert(scan_tile_exists(Scalar::half, Scalar::float32, Scalar::float32));
static_assert(scan_tile_exists(Scalar::half, Scalar::float32, Scalar::half));
static_assert(!scan_tile_exists(Scalar::half, Scalar::float32, Scalar::bhalf));
static_assert(!scan_tile_exists(Scalar::half, Scalar::float64,
                                Scalar::float64));
static_assert(scan_tile_exists(Scalar::bhalf, Scalar::float32, Scalar::bhalf));
static_assert(scan_tile_exists(Scalar::float32, Scalar::float32,
                               Scalar::float32));
static_assert(scan_tile_exists(Scalar::float64, Scalar::float64,
                               Scalar::float64));
static_assert(scan_tile_exists(Scalar::int8, Scalar::int32, Scalar::int32));
static_assert(scan_tile_exists(Scalar::boolean, Scalar::int32, Scalar::int32));
static_assert(scan_tile_exists(Scalar::int32, Scalar::int32, Scalar::int32));
static_assert(scan_tile_exists(Scalar::int64, Scalar::int64, Scalar::int64));
static_assert(!scan_tile_exists(Scalar::int64, Scalar::int32, Scalar::int32));
static_assert(!scan_tile_exists(Scalar::int8, Scalar::int8, Scalar::int8));
static_assert(!scan_tile_exists(Scalar::opaque, Scalar::int32, Scalar::int32));
static_assert(!scan_tile_exists(Scalar::int32, Scalar::opaque, Scalar::opaque));

// --- what is chosen --------------------------------------------------------
constexpr Route chosen(ScanProblem const& problem, Capability const& capability,
                       Route wish = {}) {
  return route_scan(problem, capability, Settings{wish}).route;
}
constexpr Route measured(Scalar input, Scalar accumulator) {
  return mma_scan_pays(input, accumulator) ? Route::mma : Route::streamed;
}
constexpr bool takes_the_faster(Scalar input, Scalar accumulator) {
  ScanProblem const problem = with([&](auto& p) {
    p.input       = input;
    p.accumulator = accumulator;
    p.output      = accumulator;
  });
  return chosen(problem, h200) == measured(input, accumulator) &&
         chosen(problem, h200, Route::mma) == Route::mma &&
         !refusal_of(route_scan(problem, h200, Settings{Route::mma})) &&
         chosen(problem, v100) == Route::streamed &&
         chosen(problem, host) == Route::generic;
}
static_assert(takes_the_faster(Scalar::half, Scalar::float32));
static_assert(takes_the_faster(Scalar::bhalf, Scalar::float32));
static_assert(takes_the_faster(Scalar::float32, Scalar::float32));
static_assert(takes_the_faster(Scalar::float64, Scalar::float64));
static_assert(takes_the_faster(Scalar::int8, Scalar::int32));
static_assert(takes_the_faster(Scalar::boolean, Scalar::int32));
static_assert(takes_the_faster(Scalar::int32, Scalar::int32));
static_assert(takes_the_faster(Scalar::int64, Scalar::int64));
static_assert(chosen(opaque(), h200) == Route::streamed);
static_assert(chosen(opaque(), host) == Route::generic);
static_assert(chosen(with([](auto& p) { p.in_graph = true; }), h200) ==
              Route::generic);
// The tensor cores are better than Kokkos' own code, whatever they pay.
constexpr bool mma_where_streamed_cannot(Scalar scalar) {
  return chosen(with([&](auto& p) {
                  p.input = p.accumulator = p.output = scalar;
                  p.functor_bytes                    = 40000;
                }),
                h200) == Route::mma;
}
static_assert(mma_where_streamed_cannot(Scalar::float32));
static_assert(mma_where_streamed_cannot(Scalar::float64));
static_assert(mma_where_streamed_cannot(Scalar::int64));

// Forced: the route is what was asked for, the refusal says whether it can run.
static_assert(chosen(scan_of_flags(), h200, Route::generic) == Route::generic);
static_assert(chosen(opaque(), h200, Route::mma) == Route::mma);
static_assert(!refusal_of(route_scan(scan_of_flags(), h200,
                                     Settings{Route::streamed})));
static_assert(!refusal_of(route_scan(opaque(), host,
                                     Settings{Route::generic})));
static_assert(says(refusal_of(route_scan(opaque(), h200, Settings{Route::mma})),
                   "opaque"));
static_assert(says(refusal_of(route_scan(opaque(), host,
                                         Settings{Route::streamed})),
                   "not Cuda"));

TEST(RouteScan, AutomaticNeverFails) {
  int routes[4] = {};
  for (int bits = 0; bits < 1 << 10; ++bits) {
    auto const bit = [&](int i) { return (bits >> i & 1) != 0; };
    for (Source const source : {Source::functor, Source::view})
      for (Scalar const input :
           {Scalar::opaque, Scalar::half, Scalar::float32, Scalar::float64,
            Scalar::int8, Scalar::int64, Scalar::boolean}) {
        ScanProblem problem;
        problem.source        = source;
        problem.input         = input;
        problem.accumulator   = Scalar::float64;
        problem.output        = Scalar::float64;
        problem.sum           = bit(0);
        problem.contiguous    = bit(1);
        problem.fixed_size    = bit(2);
        problem.in_graph      = bit(3);
        problem.compiled      = bit(4);
        problem.tile_compiled = bit(5);
        problem.value_bytes   = bit(6) ? 8 : 100;
        problem.functor_bytes = bit(7) ? 8 : 10000;
        problem.size          = bit(8) ? 100 : std::uint64_t(1) << 33;
        Capability const capability{bit(9), 90, 132};

        RouteDecision const decision =
            route_scan(problem, capability, Settings{});

        ASSERT_FALSE(refusal_of(decision)) << to_string(decision);
        ASSERT_NE(Route::automatic, decision.route);
        ASSERT_EQ(decision.route == Route::mma, !decision.mma);
        ASSERT_EQ(decision.route == Route::generic,
                  bool(decision.mma) && bool(decision.streamed));
        ++routes[int(decision.route)];
      }
  }
  EXPECT_LT(0, routes[int(Route::generic)]);
  EXPECT_LT(0, routes[int(Route::streamed)]);
  EXPECT_LT(0, routes[int(Route::mma)]);
}

TEST(RouteScan, DecisionAsText) {
  EXPECT_EQ(
      "route streamed; not mma: a View is strided: its elements do not fill "
      "16-byte accesses (docs/routes.md)",
      to_string(
          route_scan(with([](auto& p) { p.contiguous = false; }), h200, {})));
  EXPECT_EQ(
      "route generic; not mma: the execution space is not Cuda "
      "(docs/routes.md); not streamed: the execution space is not Cuda "
      "(docs/routes.md)",
      to_string(route_scan(scan_of_flags(), host, {})));
  // Whatever is faster for a type, the sentence names the reason.
  for (Scalar const scalar : {Scalar::half, Scalar::float32, Scalar::float64,
                              Scalar::int32, Scalar::int64}) {
    std::string const text = to_string(route_scan(
        with([&](auto& p) { p.input = p.accumulator = scalar; }), h200, {}));
    if (mma_scan_pays(scalar, scalar))
      EXPECT_EQ("route mma", text);
    else
      EXPECT_EQ(
          "route streamed; not mma: shuffles are as fast for these types "
          "(mma_scan_pays, core/routing/KokkosMMA_TuningTable.hpp)",
          text);
  }
}

TEST(RouteScan, ForcedRouteThatCannotRunIsAnError) {
  try {
    Impl::check_route("KokkosMMA::exclusive_scan",
                      route_scan(with([](auto& p) { p.contiguous = false; }),
                                 h200, Settings{Route::mma}));
    FAIL() << "no error";
  } catch (std::invalid_argument const& error) {
    std::string const text = error.what();
    for (char const* const part : {"KokkosMMA::exclusive_scan: ", "route mma",
                                   "a View is strided", "auto or generic"})
      EXPECT_NE(std::string::npos, text.find(part)) << text;
  }
  EXPECT_NO_THROW(Impl::check_route(
      "who", route_scan(scan_of_flags(), h200, Settings{Route::streamed})));
}

}  // namespace
