// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <core/routing/KokkosMMA_CallTables.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

char const a_type     = 0;
char const other_type = 0;

/// `count` calls of one time after a first one, all timed.
void make_calls(CallKind& kind, Route route, double first, int count,
                double microseconds, double bytes = 0) {
  CallTimes& times = kind.on(route);
  times.calls += std::uint64_t(count) + 1;
  times.first.add({1, first, bytes});
  for (int i = 0; i < count; ++i) times.later.add({1, microseconds, bytes});
}

TEST(CallTables, CallsAreAlikeInPatternLabelTypeAndPowerOfTwo) {
  CallKinds kinds;
  auto const kind = [&](char const* pattern, char const* label,
                        void const* type, std::uint64_t size) {
    return &kind_of(kinds, {pattern, label, type, log2_size(size)});
  };
  CallKind* const dot = kind("parallel_reduce", "dot", &a_type, 1024);
  EXPECT_EQ(dot, kind("parallel_reduce", "dot", &a_type, 2047));
  EXPECT_NE(dot, kind("parallel_reduce", "dot", &a_type, 1023));
  EXPECT_NE(dot, kind("parallel_reduce", "dot", &a_type, 2048));
  EXPECT_NE(dot, kind("parallel_reduce", "dot", &other_type, 1024));
  EXPECT_NE(dot, kind("parallel_reduce", "norm", &a_type, 1024));
  EXPECT_NE(dot, kind("parallel_scan", "dot", &a_type, 1024));
  // Of the first kind the address is still the same.
  EXPECT_EQ(dot, kind("parallel_reduce", "dot", &a_type, 1500));
  EXPECT_EQ(log2_size(0), -1);
  EXPECT_EQ(log2_size(~std::uint64_t(0)), 63);
}

TEST(CallTables, EachPairOfCallsHasOneTurnOfKokkosAndNoFixedOrder) {
  int first_of_a_pair = 0;
  for (std::uint64_t call = 0; call < 64; call += 2) {
    EXPECT_NE(is_native_call(call), is_native_call(call + 1)) << call;
    first_of_a_pair += is_native_call(call);
  }
  EXPECT_FALSE(is_native_call(0));
  EXPECT_EQ(first_of_a_pair, 16);
}

TEST(CallTables, ReportIsByLabelAndRouteTheLongestFirst) {
  CallKinds kinds;
  // Two sizes of one label are a row; the first calls are not in the mean.
  make_calls(kind_of(kinds, {"parallel_reduce", "dot", &a_type, 20}),
             Route::mma, 1000, 3, 100, 1e8);
  make_calls(kind_of(kinds, {"parallel_reduce", "dot", &a_type, 21}),
             Route::mma, 2000, 1, 300, 3e8);
  // Another route of the label is another row.
  CallKind& refused = kind_of(kinds, {"parallel_reduce", "dot", &a_type, 5});
  refused.reason    = "it has too few indices";
  make_calls(refused, Route::generic, 50, 0, 0);
  make_calls(kind_of(kinds, {"parallel_scan", "offsets", &a_type, 9}),
             Route::streamed, 6000, 1, 350);
  // Counted and not timed, with a launch each.
  CallKind& loop = kind_of(kinds, {"parallel_for", "", &a_type, 9});
  loop.on(Route::streamed).calls = 7;
  loop.on(Route::generic).calls  = 1;
  loop.launch                    = "64 x 4";
  for (char const* const launch : {"64 x 4", "32 x 8"}) {
    CallKind& other = kind_of(kinds, {"parallel_for", "fill", launch, 9});
    other.on(Route::streamed).calls = 1;
    other.launch                    = launch;
  }
  EXPECT_EQ('\n' + report_table(kinds), R"(
KokkosMMA: calls by label and route (KOKKOSMMA_REPORT)
pattern          label        calls  route     total ms  us/call  GB/s   share  why Kokkos              launch
parallel_scan    offsets          2  streamed     6.350    350.0        63.5 %
parallel_reduce  dot              6  mma          3.600    150.0  1000  36.0 %
parallel_reduce  dot              1  generic      0.050     50.0         0.5 %  it has too few indices
parallel_for     (not known)      1  generic
parallel_for     (not known)      7  streamed                                                           64 x 4
parallel_for     fill             2  streamed                                                           several
KokkosMMA: 19 calls, 10.000 ms on the device
KokkosMMA: 10 calls not timed: too many were in flight
)");
}

TEST(CallTables, ComparisonHasTheSmallestSpeedUpFirst) {
  CallKinds kinds;
  CallKind& won = kind_of(kinds, {"parallel_reduce", "won", &a_type, 20});
  make_calls(won, Route::generic, 5000, 2, 300);
  make_calls(won, Route::streamed, 9000, 2, 100);
  CallKind& alone = kind_of(kinds, {"parallel_scan", "alone", &a_type, -1});
  alone.reason    = "the functor is large";
  make_calls(alone, Route::generic, 10, 0, 0);
  CallKind& lost = kind_of(kinds, {"parallel_scan", "lost", &a_type, 3});
  make_calls(lost, Route::generic, 50, 0, 0);
  make_calls(lost, Route::mma, 100, 0, 0);
  EXPECT_EQ('\n' + comparison_table(kinds), R"(
KokkosMMA: calls by kind, alternating between Kokkos' own code and kokkos-mma (KOKKOSMMA_COMPARE), the smallest speed-up first
pattern          label     n  calls  route     Kokkos us  kokkos-mma us  speed-up  why Kokkos
parallel_scan    lost    2^3      2  mma            50.0          100.0     0.50x
parallel_reduce  won    2^20      6  streamed      300.0          100.0     3.00x
parallel_scan    alone     0      1  generic        10.0                           the functor is large
KokkosMMA: 8 calls of kinds that ran both ways; estimated total 1.900 ms by Kokkos and 0.800 ms by kokkos-mma, 2.38x
KokkosMMA: 1 call of kinds that ran one way only
)");
}

TEST(CallTables, RatesOfBothWaysWhereTheDataAreKnown) {
  CallKinds kinds;
  CallKind& sum = kind_of(kinds, {"parallel_reduce", "sum", &a_type, 28});
  make_calls(sum, Route::generic, 0, 1, 1000, 1e9);
  make_calls(sum, Route::mma, 0, 1, 500, 1e9);
  std::string const table = comparison_table(kinds);
  EXPECT_NE(table.find("  Kokkos GB/s  kokkos-mma GB/s  "), std::string::npos);
  EXPECT_NE(table.find("         1000             2000     2.00x\n"),
            std::string::npos)
      << table;
}

TEST(CallJson, AnObjectForEachKindAndRoute) {
  CallKinds kinds;
  CallKind& sum =
      kind_of(kinds, {"parallel_reduce", "a \"sum\"\n", &a_type, 20});
  make_calls(sum, Route::generic, 50, 0, 0);
  sum.reason = "the functor is large";
  make_calls(sum, Route::mma, 1000, 3, 100.25, 4096);
  // Counted and not timed, without a label and without indices.
  kind_of(kinds, {"parallel_for", "", &a_type, -1}).on(Route::streamed).calls =
      7;
  EXPECT_EQ('\n' + json_report(kinds, 3), R"(
{"drop_in": "active", "not_intercepted_on_cuda": 3, "calls": [
{"pattern": "parallel_reduce", "label": "a \"sum\"\u000a", "log2_size": 20, "route": "generic", "calls": 1, "timed_calls": 1, "total_ns": 50000, "mean_ns": 50000, "bytes_per_call": null, "launch": null, "why_kokkos": "the functor is large"},
{"pattern": "parallel_reduce", "label": "a \"sum\"\u000a", "log2_size": 20, "route": "mma", "calls": 4, "timed_calls": 4, "total_ns": 1300750, "mean_ns": 100250, "bytes_per_call": 4096, "launch": null, "why_kokkos": null},
{"pattern": "parallel_for", "label": null, "log2_size": null, "route": "streamed", "calls": 7, "timed_calls": 0, "total_ns": null, "mean_ns": null, "bytes_per_call": null, "launch": null, "why_kokkos": null}
]}
)");
  EXPECT_EQ(json_report(CallKinds(), 0),
            "{\"drop_in\": \"active\", \"not_intercepted_on_cuda\": 0, "
            "\"calls\": [\n]}\n");
}

TEST(CallJson, StringsAreASCII) {
  EXPECT_EQ(json_string(""), "null");
  EXPECT_EQ(json_string("solver/dot<a>(b)"), "\"solver/dot<a>(b)\"");
  EXPECT_EQ(json_string("\"\\/"), R"("\"\\/")");
  EXPECT_EQ(json_string(std::string_view("\0\t\x1f \x7e\x7f\xc3\xa4", 8)),
            R"("\u0000\u0009\u001f ~\u007f\u00c3\u00a4")");
}

TEST(CallTables, BytesAreThoseOfVisibleElements) {
  ReduceProblem reduce;
  reduce.size = 1000;
  EXPECT_EQ(known_bytes(reduce), 0);
  reduce.input  = Scalar::float32;
  reduce.source = Source::view;
  EXPECT_EQ(known_bytes(reduce), 4000);
  reduce.source = Source::product;
  EXPECT_EQ(known_bytes(reduce), 8000);
  ScanProblem scan;
  scan.size = 1000;
  EXPECT_EQ(known_bytes(scan), 0);
  scan.input  = Scalar::half;
  scan.output = Scalar::float32;
  EXPECT_EQ(known_bytes(scan), 6000);
}

TEST(CallLabels, OfTheApplicationStay) {
  for (char const* const label :
       {"dot", "d", "1D", "solver/dot", "Zeta: 3", "a<b>(c)", "a < b, c > d",
        "KokkosMMA::reduce[mma,half]", "__nv_", "_GLOBAL__N__"})
    EXPECT_EQ(short_label(label, 44), label);
  EXPECT_EQ(short_label("abcdefghijklmnopqrstuvwxyz", 12), "abcde...wxyz");
  EXPECT_EQ(short_label("abcdefghijkl", 12), "abcdefghijkl");
  EXPECT_EQ(short_label("(abcdefghijklmnopqrstuvwx)", 12), "(abcd...vwx)");
  // Brackets that are none.
  EXPECT_EQ(short_label("where x < 1, all the others", 12), "where...hers");
  EXPECT_EQ(short_label("part 1 (of 2: all the rest", 12), "part ...rest");
}

TEST(CallLabels, OfTypesAreReadable) {
  std::string const unnamed = "_GLOBAL__N__173fa7fd_8_nvl2_cpp_b244053b::";
  for (auto const& [type, name] :
       std::vector<std::pair<std::string, char const*>>{
           {unnamed + "app::Kernel", "app::Kernel"},
           {"{anonymous}::Kernel/{anonymous}::Tag", "Kernel/Tag"},
           {"(anonymous namespace)::Kernel", "Kernel"},
           {"lib::Kernel<int, lib::Data>/lib::Tag",
            "lib::Kernel<int, lib::Data>/lib::Tag"},
           {"lib::Kernel<lib::Data<double>, lib::Data<float> >/lib::Tag",
            "lib::Kernel/lib::Tag"},
           {"main(int, char**)::<lambda(int, double&)>", "main::lambda"},
           {"Kokkos::Impl::CombinedFunctorReducer<{anonymous}::Norm<double>, "
            "Kokkos::Impl::FunctorAnalysis<Kokkos::Impl::REDUCE, Policy<int>, "
            "{anonymous}::Norm<double> >::Reducer, void>/{anonymous}::Tag",
            "Norm<double>/Tag"},
           {"Kokkos::Impl::CombinedFunctorReducer<main()::<lambda(int, "
            "double&)>, Sum<double>, void>",
            "main::lambda"},
           {"__nv_hdl_wrapper_t<false, false, false, __nv_dl_tag<int (*)(int, "
            "char**), main, 1>, int(int), int>",
            "main lambda#1"},
           {"__nv_dl_wrapper_t<__nv_dl_tag<int (*)(int, char**), main, 12>, "
            "int>/lib::Tag",
            "main lambda#12/lib::Tag"},
           {"__nv_dl_wrapper_t<__nv_dl_tag<void (" + unnamed +
                "Solver<double>::*)(double*), &" + unnamed +
                "Solver<double>::run, 2>, double*>",
            "Solver::run lambda#2"},
           {"__nv_dl_wrapper_t<__nv_dl_tag<void (*)(float), lib::solve<float, "
            "3>, 1>, float>",
            "lib::solve lambda#1"}})
    EXPECT_EQ(short_label(type, 44), name);
}

// Types that are cut anywhere have a short form all the same.
TEST(CallLabels, NoTextIsTooMuch) {
  std::string const type =
      "__nv_dl_wrapper_t<__nv_dl_tag<void (*)(float), lib::solve<float, 3>, "
      "1>, float>/lib::Tag<{anonymous}::A>::<lambda(int)>";
  for (std::size_t begin = 0; begin < type.size(); ++begin)
    for (std::size_t count = 0; begin + count <= type.size(); ++count) {
      EXPECT_LE(short_label(type.substr(begin, count), 20).size(), 20u);
      std::string rest = type;
      rest.erase(begin, count);
      EXPECT_LE(short_label(rest, 20).size(), 20u);
    }
}

}  // namespace
