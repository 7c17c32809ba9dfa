// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <adapters/kokkos/KokkosMMA_ToolsTuning.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>
#include <core/routing/KokkosMMA_AskedRoute.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using Impl::AskedRoute;
using Impl::RouteQuestion;

/// A tool with prescribed answers, which keeps what it heard.
struct Heard {
  std::int64_t answer = 0;
  bool listens        = true;
  std::vector<std::string> calls;
};
struct FakeTool {
  Heard* heard;

  std::size_t begin(RouteQuestion const& q) const {
    if (!heard->listens) return 0;
    heard->calls.push_back(std::string("begin ") + q.operation);
    return 7;
  }
  std::int64_t choose(std::size_t context, RouteQuestion const&) const {
    heard->calls.push_back("choose " + std::to_string(context));
    return heard->answer;
  }
  void end(std::size_t context) const {
    heard->calls.push_back("end " + std::to_string(context));
  }
};

RouteQuestion question(bool mma, bool streamed, Route preferred) {
  return {"reduce", Scalar::float32, 1000, preferred, mma, streamed};
}

TEST(AskedRoute, IsTheToolsAmongThoseThatCanRun) {
  for (bool const mma : {false, true})
    for (bool const streamed : {false, true})
      for (Route const preferred :
           {Route::generic, Route::streamed, Route::mma}) {
        RouteQuestion const q = question(mma, streamed, preferred);
        if (!q.can_run(preferred)) continue;
        // Numbers of routes, of `automatic`, and of nothing.
        for (std::int64_t const answer : {-1, 0, 1, 2, 3, 4, 1000}) {
          Heard heard{answer, true, {}};
          Route const route = AskedRoute(FakeTool{&heard}, q).route();
          EXPECT_TRUE(q.can_run(route));
          bool const is_candidate = q.is_open() && answer >= 1 && answer <= 3 &&
                                    q.can_run(Route(answer));
          EXPECT_EQ(is_candidate ? Route(answer) : preferred, route);
        }
      }
}

TEST(AskedRoute, TastesAreNoRefusalsAndOrdersCloseTheQuestion) {
  ReduceProblem p;
  p.source      = Source::view;
  p.input       = Scalar::float64;
  p.value       = Scalar::float32;
  p.sum         = true;
  p.contiguous  = true;
  p.value_bytes = 4;
  Capability const h200{true, 90, 132};
  auto const asked = [&](Settings const& settings) {
    return Impl::route_question(p, h200, settings,
                                route_reduce(p, h200, settings));
  };
  EXPECT_TRUE(asked({}).mma && asked({}).streamed);
  EXPECT_FALSE(asked(Settings{Route::streamed}).is_open());
  Settings exact;
  exact.reproducibility = Reproducibility::exact;
  EXPECT_FALSE(asked(exact).is_open());
  p.contiguous = false;
  EXPECT_FALSE(asked({}).mma);
  EXPECT_TRUE(asked({}).streamed);

  ScanProblem s;
  s.source                 = Source::view;
  s.input                  = Scalar::float32;
  s.accumulator            = Scalar::float32;
  s.output                 = Scalar::float32;
  s.sum                    = true;
  s.contiguous             = true;
  s.tile_compiled          = true;
  s.mma_compiled           = true;
  s.value_bytes            = 4;
  RouteDecision const scan = route_scan(s, h200, {});
  EXPECT_EQ(Route::streamed, scan.route);
  EXPECT_TRUE(Impl::route_question(s, h200, {}, scan).mma);
}

TEST(AskedRoute, ContextsEndAfterTheLaunch) {
  Heard heard{std::int64_t(Route::streamed), true, {}};
  {
    AskedRoute const asked(FakeTool{&heard}, question(true, true, Route::mma));
    EXPECT_EQ(Route::streamed, asked.route());
    heard.calls.push_back("launch");
  }
  EXPECT_EQ(
      (std::vector<std::string>{"begin reduce", "choose 7", "launch", "end 7"}),
      heard.calls);
}

TEST(AskedRoute, NobodyIsAskedWhereThereIsNoChoice) {
  Heard heard{std::int64_t(Route::mma), true, {}};
  EXPECT_EQ(Route::generic,
            AskedRoute(FakeTool{&heard}, question(false, false, Route::generic))
                .route());
  EXPECT_TRUE(heard.calls.empty());
}

TEST(AskedRoute, WithoutAToolItIsThePreferredOne) {
  Heard heard{std::int64_t(Route::generic), false, {}};
  EXPECT_EQ(
      Route::mma,
      AskedRoute(FakeTool{&heard}, question(true, true, Route::mma)).route());
  EXPECT_TRUE(heard.calls.empty());
  RouteDecision decision;
  decision.route = Route::streamed;
  EXPECT_EQ(Route::streamed,
            Impl::RouteOfCall(ReduceProblem{}, {}, {}, decision).route());
}

#if defined(KOKKOS_ENABLE_TUNING)

/// The same through Kokkos' own callbacks.
struct KokkosTool {
  static inline std::int64_t answer;
  static inline std::vector<std::string> calls;

  static void declare_output(char const* name, std::size_t,
                             Kokkos_Tools_VariableInfo*) {
    calls.push_back(std::string("output ") + name);
  }
  static void declare_input(char const* name, std::size_t,
                            Kokkos_Tools_VariableInfo*) {
    calls.push_back(std::string("input ") + name);
  }
  static void request(std::size_t, std::size_t inputs,
                      Kokkos_Tools_VariableValue const*, std::size_t count,
                      Kokkos_Tools_VariableValue* values) {
    std::string call = "request of " + std::to_string(count) + " by " +
                       std::to_string(inputs) + " among";
    auto const& set = values[0].metadata->candidates.set;
    for (std::size_t i = 0; i < set.size; ++i)
      call += " " + std::to_string(set.values.int_value[i]);
    calls.push_back(call);
    values[0].value.int_value = answer;
  }
  static void begin(std::size_t) { calls.push_back("begin"); }
  static void end(std::size_t, Kokkos_Tools_VariableValue) {
    calls.push_back("end");
  }
};

TEST(AskedRoute, OfAToolOfKokkos) {
  namespace Tools = Kokkos::Tools::Experimental;
  if (!Kokkos::tune_internals())
    GTEST_SKIP() << "run with KOKKOS_TUNE_INTERNALS=1";
  Tools::EventSet const before = Tools::get_callbacks();
  Tools::set_declare_output_type_callback(KokkosTool::declare_output);
  Tools::set_declare_input_type_callback(KokkosTool::declare_input);
  Tools::set_request_output_values_callback(KokkosTool::request);
  Tools::set_begin_context_callback(KokkosTool::begin);
  Tools::set_end_context_callback(KokkosTool::end);
  KokkosTool::answer = std::int64_t(Route::streamed);
  {
    AskedRoute<Impl::KokkosTools> const asked({},
                                              question(true, true, Route::mma));
    EXPECT_EQ(Route::streamed, asked.route());
    KokkosTool::calls.push_back("launch");
  }
  EXPECT_EQ((std::vector<std::string>{
                "input KokkosMMA.operation", "input KokkosMMA.elements",
                "input KokkosMMA.log2_size", "begin",
                "output KokkosMMA.route_generic_mma",
                "output KokkosMMA.route_generic_streamed",
                "output KokkosMMA.route_generic_streamed_mma",
                "request of 1 by 3 among 1 2 3", "launch", "end"}),
            KokkosTool::calls);
  // What is not a candidate is not followed, and nothing is declared twice.
  KokkosTool::calls.clear();
  KokkosTool::answer = std::int64_t(Route::mma);
  EXPECT_EQ(Route::generic, AskedRoute<Impl::KokkosTools>(
                                {}, question(false, true, Route::generic))
                                .route());
  EXPECT_EQ(
      (std::vector<std::string>{"begin", "request of 1 by 3 among 1 2", "end"}),
      KokkosTool::calls);
  Tools::set_callbacks(before);
  KokkosTool::calls.clear();
  EXPECT_EQ(Route::mma,
            AskedRoute<Impl::KokkosTools>({}, question(true, true, Route::mma))
                .route());
  EXPECT_TRUE(KokkosTool::calls.empty());
}

#endif

}  // namespace
