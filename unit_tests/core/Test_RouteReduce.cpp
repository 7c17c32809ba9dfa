// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The route is a constant expression: most of this is checked by compiling it.

#include <core/reduce/KokkosMMA_RouteReduce.hpp>

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
constexpr ReduceProblem sum_of_halves() {
  ReduceProblem problem;
  problem.source        = Source::view;
  problem.input         = Scalar::half;
  problem.value         = Scalar::float32;
  problem.sum           = true;
  problem.contiguous    = true;
  problem.value_bytes   = 4;
  problem.functor_bytes = 24;
  problem.size          = 1000;
  return problem;
}
static_assert(!refuse_mma(sum_of_halves(), h200, {}));
static_assert(!refuse_streamed(sum_of_halves(), h200));
static_assert(!refuse_mma(sum_of_halves(), a100, {}));

/// That call with one thing changed.
template <class Change>
constexpr ReduceProblem with(Change const& change) {
  ReduceProblem problem = sum_of_halves();
  change(problem);
  return problem;
}

constexpr bool says(Refusal const& refusal, std::string_view part) {
  return refusal.reason.find(part) != std::string_view::npos &&
         !refusal.source.empty();
}

// --- every rule of `streamed` on its own -----------------------------------
static_assert(says(refuse_streamed(sum_of_halves(), host), "not Cuda"));
static_assert(says(
    refuse_streamed(with([](auto& p) { p.pattern = Pattern::team; }), h200),
    "TeamPolicy"));
static_assert(says(refuse_streamed(with([](auto& p) { p.in_graph = true; }),
                                   h200),
                   "graph node"));
static_assert(says(refuse_streamed(with([](auto& p) { p.fixed_size = false; }),
                                   h200),
                   "no fixed size"));
static_assert(says(refuse_streamed(with([](auto& p) { p.compiled = false; }),
                                   h200),
                   "no result"));
static_assert(!refuse_streamed(with([](auto& p) { p.value_bytes = 64; }),
                               h200));
static_assert(says(refuse_streamed(with([](auto& p) { p.value_bytes = 65; }),
                                   h200),
                   "larger than 64 bytes"));
static_assert(!refuse_streamed(with([](auto& p) { p.functor_bytes = 32400; }),
                               h200));
static_assert(
    says(refuse_streamed(with([](auto& p) { p.functor_bytes = 32401; }), h200),
         "larger than 32400 bytes"));
static_assert(!refuse_streamed(with([](auto& p) {
                                 p.pattern = Pattern::mdrange;
                                 p.size    = (std::uint64_t(1) << 31) - 1;
                               }),
                               h200));
static_assert(says(refuse_streamed(with([](auto& p) {
                                     p.pattern = Pattern::mdrange;
                                     p.size    = std::uint64_t(1) << 31;
                                   }),
                                   h200),
                   "2^31"));
static_assert(!refuse_streamed(
    with([](auto& p) { p.size = std::uint64_t(1) << 40; }), h200));
static_assert(says(refuse_streamed(with([](auto& p) { p.local_bytes = 1; }),
                                   h200),
                   "registers"));
// What only `mma` cares about.
static_assert(!refuse_streamed(with([](auto& p) {
                                 p.source         = Source::functor;
                                 p.input          = Scalar::opaque;
                                 p.sum            = false;
                                 p.contiguous     = false;
                                 p.same_alignment = false;
                               }),
                               v100));

// --- every rule of `mma` on its own ----------------------------------------
static_assert(says(refuse_mma(sum_of_halves(), host, {}), "not Cuda"));
static_assert(says(refuse_mma(sum_of_halves(), v100, {}), "below 8.0"));
static_assert(says(refuse_mma(sum_of_halves(), Capability{true, 79, 80}, {}),
                   "below 8.0"));
static_assert(says(refuse_mma(with([](auto& p) { p.in_graph = true; }), h200,
                              {}),
                   "graph node"));
static_assert(says(refuse_mma(with([](auto& p) { p.compiled = false; }), h200,
                              {}),
                   "no result"));
static_assert(says(refuse_mma(with([](auto& p) { p.source = Source::functor; }),
                              h200, {}),
                   "opaque"));
static_assert(says(
    refuse_mma(with([](auto& p) { p.source = Source::transform; }), h200, {}),
    "transformed values"));
static_assert(says(refuse_mma(with([](auto& p) { p.sum = false; }), h200, {}),
                   "not a sum"));
static_assert(says(refuse_mma(with([](auto& p) { p.input = Scalar::opaque; }),
                              h200, {}),
                   "no encoding"));
static_assert(says(refuse_mma(with([](auto& p) { p.contiguous = false; }), h200,
                              {}),
                   "strided"));
static_assert(says(refuse_mma(with([](auto& p) {
                                p.source         = Source::product;
                                p.same_alignment = false;
                              }),
                              h200, {}),
                   "aligned differently"));

// What the sum is kept in decides too: nothing is added in another type than
// the caller's where that shows.
constexpr Refusal refuse_value(Scalar input, Scalar value,
                               std::uint64_t size = 1000) {
  return refuse_mma(with([=](auto& p) {
                      p.input = input;
                      p.value = value;
                      p.size  = size;
                    }),
                    h200, {});
}
constexpr std::uint64_t words = std::uint64_t(1) << 32;
static_assert(says(refuse_value(Scalar::int64, Scalar::float64),
                   "8 bytes would wrap"));
static_assert(says(refuse_value(Scalar::uint64, Scalar::float64),
                   "8 bytes would wrap"));
static_assert(says(refuse_value(Scalar::int64, Scalar::float32),
                   "8 bytes would wrap"));
static_assert(says(refuse_value(Scalar::uint64, Scalar::half),
                   "8 bytes would wrap"));
static_assert(!refuse_value(Scalar::int64, Scalar::int64));
static_assert(!refuse_value(Scalar::int64, Scalar::uint64));
static_assert(!refuse_value(Scalar::int32, Scalar::int64, 2 * words));
static_assert(!refuse_value(Scalar::int32, Scalar::float64, words));
static_assert(says(refuse_value(Scalar::int32, Scalar::float64, words + 1),
                   "2^32 integers"));
static_assert(says(refuse_value(Scalar::uint32, Scalar::float32, words + 1),
                   "2^32 integers"));
static_assert(!refuse_value(Scalar::uint8, Scalar::float32, words* words / 2));
static_assert(!refuse_value(Scalar::int8, Scalar::float64, words + 1));
static_assert(!refuse_value(Scalar::boolean, Scalar::float64, words + 1));
static_assert(says(refuse_value(Scalar::float32, Scalar::float64), "double"));
static_assert(says(refuse_value(Scalar::half, Scalar::float64), "double"));
static_assert(!refuse_value(Scalar::float64, Scalar::float32));
static_assert(!refuse_value(Scalar::half, Scalar::half));
static_assert(says(refuse_value(Scalar::float64, Scalar::int64), "integer"));
static_assert(says(refuse_value(Scalar::half, Scalar::int32), "integer"));
static_assert(says(refuse_value(Scalar::int32, Scalar::boolean),
                   "neither a number"));
static_assert(says(refuse_value(Scalar::int32, Scalar::opaque),
                   "neither a number"));
// Products are of the smallest integers only, whose sums cannot wrap either.
static_assert(!refuse_mma(with([](auto& p) {
                            p.source = Source::product;
                            p.input  = Scalar::uint8;
                            p.value  = Scalar::float64;
                          }),
                          h200, {}));

constexpr Refusal refuse_product(Scalar scalar) {
  return refuse_mma(with([=](auto& p) {
                      p.source = Source::product;
                      p.input  = scalar;
                      p.value =
                          scalar == Scalar::boolean ? Scalar::int32 : scalar;
                    }),
                    h200, {});
}
static_assert(!refuse_product(Scalar::half));
static_assert(!refuse_product(Scalar::bhalf));
static_assert(!refuse_product(Scalar::float64));
static_assert(!refuse_product(Scalar::int8));
static_assert(!refuse_product(Scalar::uint8));
static_assert(says(refuse_product(Scalar::float32), "not exact"));
static_assert(says(refuse_product(Scalar::int32), "not exact"));
static_assert(says(refuse_product(Scalar::uint32), "not exact"));
static_assert(says(refuse_product(Scalar::int64), "not exact"));
static_assert(says(refuse_product(Scalar::uint64), "not exact"));
static_assert(says(refuse_product(Scalar::boolean), "bool"));

constexpr Refusal refuse_paper(Formulation formulation, Scalar scalar,
                               Source source) {
  return refuse_mma(with([=](auto& p) {
                      p.input  = scalar;
                      p.source = source;
                    }),
                    h200, Settings{Route::automatic, formulation});
}
constexpr bool paper_rules(Formulation formulation) {
  return !refuse_paper(formulation, Scalar::half, Source::view) &&
         says(refuse_paper(formulation, Scalar::bhalf, Source::view),
              "formulations") &&
         says(refuse_paper(formulation, Scalar::float32, Source::view),
              "formulations") &&
         says(refuse_paper(formulation, Scalar::half, Source::product),
              "formulations");
}
static_assert(paper_rules(Formulation::recurrence));
static_assert(paper_rules(Formulation::single_pass));
static_assert(paper_rules(Formulation::split));

// What only `streamed` cares about.
static_assert(!refuse_mma(with([](auto& p) {
                            p.functor_bytes = 10000;
                            p.local_bytes   = 8;
                          }),
                          h200, {}));

// --- the first reason in the order of the list is the one that is told -----
static_assert(says(refuse_streamed(with([](auto& p) {
                                     p.pattern     = Pattern::team;
                                     p.in_graph    = true;
                                     p.value_bytes = 65;
                                   }),
                                   host),
                   "not Cuda"));
static_assert(says(refuse_streamed(with([](auto& p) {
                                     p.pattern     = Pattern::team;
                                     p.in_graph    = true;
                                     p.value_bytes = 65;
                                   }),
                                   h200),
                   "TeamPolicy"));
static_assert(says(refuse_mma(with([](auto& p) {
                                p.source     = Source::functor;
                                p.sum        = false;
                                p.contiguous = false;
                              }),
                              v100, {}),
                   "below 8.0"));
static_assert(says(refuse_mma(with([](auto& p) {
                                p.source     = Source::functor;
                                p.sum        = false;
                                p.contiguous = false;
                              }),
                              h200, {}),
                   "opaque"));

// --- what is chosen --------------------------------------------------------
constexpr Route chosen(ReduceProblem const& problem,
                       Capability const& capability, Route wish = {}) {
  return route_reduce(problem, capability, Settings{wish}).route;
}
static_assert(chosen(sum_of_halves(), h200) == Route::mma);
static_assert(chosen(sum_of_halves(), v100) == Route::streamed);
static_assert(chosen(sum_of_halves(), host) == Route::generic);
static_assert(chosen(with([](auto& p) { p.source = Source::functor; }), h200) ==
              Route::streamed);
static_assert(chosen(with([](auto& p) { p.in_graph = true; }), h200) ==
              Route::generic);
static_assert(chosen(with([](auto& p) {
                       p.pattern = Pattern::team;
                       p.source  = Source::functor;
                     }),
                     h200) == Route::generic);

// Forced: the route is what was asked for, the refusal says whether it can run.
static_assert(chosen(sum_of_halves(), h200, Route::generic) == Route::generic);
static_assert(chosen(sum_of_halves(), h200, Route::streamed) ==
              Route::streamed);
static_assert(chosen(sum_of_halves(), host, Route::mma) == Route::mma);
static_assert(!refusal_of(route_reduce(sum_of_halves(), h200,
                                       Settings{Route::streamed})));
static_assert(!refusal_of(route_reduce(sum_of_halves(), host,
                                       Settings{Route::generic})));
static_assert(says(refusal_of(route_reduce(sum_of_halves(), host,
                                           Settings{Route::mma})),
                   "not Cuda"));
static_assert(says(refusal_of(route_reduce(sum_of_halves(), host,
                                           Settings{Route::streamed})),
                   "not Cuda"));

TEST(RouteReduce, AutomaticNeverFails) {
  int routes[4] = {};
  for (int bits = 0; bits < 1 << 9; ++bits) {
    auto const bit = [&](int i) { return (bits >> i & 1) != 0; };
    for (Pattern const pattern :
         {Pattern::range, Pattern::mdrange, Pattern::team})
      for (Source const source :
           {Source::functor, Source::view, Source::product, Source::transform})
        for (Scalar const input :
             {Scalar::opaque, Scalar::half, Scalar::float32, Scalar::float64,
              Scalar::int8, Scalar::int64, Scalar::boolean}) {
          ReduceProblem problem;
          problem.pattern        = pattern;
          problem.source         = source;
          problem.input          = input;
          problem.value          = input;
          problem.sum            = bit(0);
          problem.contiguous     = bit(1);
          problem.same_alignment = bit(2);
          problem.fixed_size     = bit(3);
          problem.in_graph       = bit(4);
          problem.value_bytes    = bit(5) ? 8 : 100;
          problem.local_bytes    = bit(6) ? 0 : 16;
          problem.size           = bit(7) ? 100 : std::uint64_t(1) << 33;
          Capability const capability{bit(8), 90, 132};

          RouteDecision const decision =
              route_reduce(problem, capability, Settings{});

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

TEST(RouteReduce, DecisionAsText) {
  EXPECT_EQ("route mma", to_string(route_reduce(sum_of_halves(), h200, {})));
  EXPECT_EQ(
      "route streamed; not mma: the View is strided: its elements do not fill "
      "16-byte loads (docs/results/h200.md)",
      to_string(
          route_reduce(with([](auto& p) { p.contiguous = false; }), h200, {})));
  EXPECT_EQ(
      "route generic; not mma: the execution space is not Cuda "
      "(docs/routes.md); not streamed: the execution space is not Cuda "
      "(docs/routes.md)",
      to_string(route_reduce(sum_of_halves(), host, {})));
}

// A wish of the environment or a scope that cannot be followed: what runs, and
// what was asked for.
TEST(RouteReduce, WishesAsText) {
  auto const text = [](ReduceProblem const& problem, Capability const& machine,
                       Route wish) {
    return to_string(
        Impl::decide_wish(Settings{wish}, [&](Settings const& settings) {
          return route_reduce(problem, machine, settings);
        }));
  };
  EXPECT_EQ(0u, text(sum_of_halves(), host, Route::mma)
                    .find("route generic (mma was asked for); not mma: the "
                          "execution space is not Cuda"));
  EXPECT_EQ(0u,
            text(with([](auto& p) { p.contiguous = false; }), h200, Route::mma)
                .find("route streamed (mma was asked for); not mma: the "
                      "View is strided"));
  EXPECT_EQ("route mma", text(sum_of_halves(), h200, Route::mma));
  EXPECT_EQ("route mma", text(sum_of_halves(), h200, Route::automatic));
  EXPECT_EQ("route generic", text(sum_of_halves(), h200, Route::generic));
  // An order runs nothing else.
  EXPECT_EQ(0u,
            to_string(route_reduce(sum_of_halves(), host, Settings{Route::mma}))
                .find("no route: mma was asked for and cannot run; not "
                      "mma: the execution space is not Cuda"));
}

TEST(RouteReduce, ForcedRouteThatCannotRunIsAnError) {
  RouteDecision const decision = route_reduce(
      with([](auto& p) { p.contiguous = false; }), h200, Settings{Route::mma});
  try {
    Impl::check_route("KokkosMMA::reduce", decision);
    FAIL() << "no error";
  } catch (std::invalid_argument const& error) {
    std::string const text = error.what();
    for (char const* const part : {"KokkosMMA::reduce: ", "route mma",
                                   "the View is strided", "auto or generic"})
      EXPECT_NE(std::string::npos, text.find(part)) << text;
  }
  EXPECT_NO_THROW(Impl::check_route(
      "who", route_reduce(sum_of_halves(), h200, Settings{Route::streamed})));
}

static_assert(scalar_v<float> == Scalar::float32);
static_assert(scalar_v<double const> == Scalar::float64);
static_assert(scalar_v<bool> == Scalar::boolean);
static_assert(scalar_v<signed char> == Scalar::int8);
static_assert(scalar_v<unsigned char> == Scalar::uint8);
static_assert(scalar_v<int> == Scalar::int32);
static_assert(scalar_v<unsigned> == Scalar::uint32);
static_assert(scalar_v<long> ==
              (sizeof(long) == 8 ? Scalar::int64 : Scalar::int32));
static_assert(scalar_v<long long> == Scalar::int64);
static_assert(scalar_v<unsigned long long> == Scalar::uint64);
static_assert(scalar_v<short> == Scalar::opaque);
static_assert(scalar_v<long double> == Scalar::opaque);
static_assert(scalar_v<int*> == Scalar::opaque);
static_assert(size_of(Scalar::half) == 2 && size_of(Scalar::float64) == 8 &&
              size_of(Scalar::uint8) == 1 && size_of(Scalar::uint32) == 4 &&
              size_of(Scalar::boolean) == 1 && size_of(Scalar::opaque) == 0);
static_assert(to_string(Scalar::float32) == "float" &&
              to_string(Scalar::boolean) == "bool" &&
              to_string(Scalar::uint64) == "uint64");

}  // namespace
