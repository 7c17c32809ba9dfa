// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Errors, explanations and labels.

#include "AlgorithmSupport.hpp"

#include <thread>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class Interface : public ::testing::Test {};
TYPED_TEST_SUITE(Interface, ExecutionSpaces);

TYPED_TEST(Interface, DotOfDifferentLengths) {
  Kokkos::View<double*, TypeParam> const x("left", 10);
  Kokkos::View<double*, TypeParam> const y("right", 13);
  std::string const why = error_of([&] { dot(x, y); });
  EXPECT_TRUE(has_parts(
      why, {"KokkosMMA::dot", "\"left\" has 10", "\"right\" has 13"}));
  EXPECT_NO_THROW(dot(x, x));
}

TYPED_TEST(Interface, NullResult) {
  Kokkos::View<double*, TypeParam> const x("x", 10);
  Kokkos::View<double, TypeParam> const nothing;
  std::string const why = error_of([&] { reduce(TypeParam(), x, nothing); });
  EXPECT_TRUE(has_parts(
      why, {"KokkosMMA::reduce", "result View", "null", "allocate it"}));
}

TYPED_TEST(Interface, DataWithoutMemory) {
  Kokkos::View<double*, TypeParam,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      x(static_cast<double*>(nullptr), 7);
  double result         = poison<double>();
  std::string const why = error_of([&] { reduce(TypeParam(), x, result); });
  EXPECT_TRUE(
      has_parts(why, {"KokkosMMA::reduce", "x has 7 elements", "no memory"}));
  EXPECT_TRUE(same_bits(poison<double>(), result));
}

template <class Exec>
void expect_refused_settings(Settings const& settings,
                             std::vector<std::string> const& parts) {
  Kokkos::View<double*, Exec> const x("x", 10);
  double scalar   = poison<double>();
  auto const view = poisoned_view<double, Exec>();
  EXPECT_TRUE(
      has_parts(error_of([&] { reduce(Exec(), x, scalar, settings); }), parts));
  EXPECT_TRUE(
      has_parts(error_of([&] { reduce(Exec(), x, view, settings); }), parts));
  EXPECT_TRUE(same_bits(poison<double>(), scalar));
  EXPECT_TRUE(same_bits(poison<double>(), value_of(view)));
  EXPECT_NE("", error_of([&] {
              explain([&] { reduce(Exec(), x, scalar, settings); });
            }));
}

TYPED_TEST(Interface, SettingsOutOfRange) {
  Settings settings;
  settings.chain_length = 33;
  expect_refused_settings<TypeParam>(
      settings, {"KokkosMMA::reduce", "chain_length is 33", "1 to 32"});
  settings.chain_length = -1;
  expect_refused_settings<TypeParam>(settings, {"chain_length is -1"});
  settings.chain_length = 0;
  settings.block_size   = 48;
  expect_refused_settings<TypeParam>(
      settings, {"KokkosMMA::reduce", "block_size is 48", "multiples of 32"});
  settings.block_size = -1;
  expect_refused_settings<TypeParam>(settings, {"block_size is -1"});
  settings.block_size = 544;
  expect_refused_settings<TypeParam>(settings, {"block_size is 544", "512"});
}

TYPED_TEST(Interface, ForcedRouteThatCannotRun) {
  if (on_cuda<TypeParam>)
    GTEST_SKIP() << "both routes can run; strided Views have their own test";
  Kokkos::View<double*, TypeParam> const x("x", 10);
  Route const before = last_route();
  for (Route const route : {Route::mma, Route::streamed}) {
    double scalar                        = poison<double>();
    auto const view                      = poisoned_view<double, TypeParam>();
    std::vector<std::string> const parts = {
        "KokkosMMA::reduce", "route " + std::string(to_string(route)),
        "not Cuda", "auto or generic"};
    EXPECT_TRUE(has_parts(
        error_of([&] { reduce(TypeParam(), x, scalar, Settings{route}); }),
        parts));
    EXPECT_TRUE(has_parts(
        error_of([&] { reduce(TypeParam(), x, view, Settings{route}); }),
        parts));
    EXPECT_TRUE(same_bits(poison<double>(), scalar));
    EXPECT_TRUE(same_bits(poison<double>(), value_of(view)));
  }
  EXPECT_EQ(before, last_route());
}

template <class Exec>
void expect_wish_in_scope() {
  auto const x = make_view<double, Exec>(100, [](std::size_t) { return 2; });
  for (Route const wish : {Route::generic, Route::streamed, Route::mma}) {
    ScopedSettings const scope(Settings{wish});
    double result = poison<double>();
    EXPECT_NO_THROW(reduce(Exec(), x, result));
    EXPECT_EQ(200., result);
    EXPECT_EQ(on_cuda<Exec> ? wish : Route::generic, last_route());
    EXPECT_EQ(wish, Impl::scoped_settings().route) << "the scope is left alone";
    // the call wins
    reduce(Exec(), x, result, Settings{Route::generic});
    EXPECT_EQ(Route::generic, last_route());
  }
}

TYPED_TEST(Interface, RouteOfAScopeIsAWish) {
  expect_wish_in_scope<TypeParam>();
}

TYPED_TEST(Interface, ScopeSurvivesAnError) {
  Kokkos::View<double*, TypeParam> const x("x", 10);
  Kokkos::View<double, TypeParam> const nothing;
  Settings const before = Impl::scoped_settings();
  EXPECT_NE("", error_of([&] {
              reduce(TypeParam(), x, nothing, Settings{Route::generic});
            }));
  EXPECT_EQ(before, Impl::scoped_settings());
}

TYPED_TEST(Interface, LastRouteIsOfThisThread) {
  Kokkos::View<double*, TypeParam> const x("x", 10);
  double result = 0;
  reduce(TypeParam(), x, result);
  EXPECT_EQ(best_route<TypeParam>(), last_route());
  Route elsewhere = Route::mma;
  std::thread([&] { elsewhere = last_route(); }).join();
  EXPECT_EQ(Route::automatic, elsewhere);
}

TYPED_TEST(Interface, Explanation) {
  Kokkos::View<double*, TypeParam> const x("x", 10);
  double result          = poison<double>();
  std::string const text = explain([&] { reduce(TypeParam(), x, result); });
  if (on_cuda<TypeParam>) {
    EXPECT_EQ("route mma", text);
  } else {
    EXPECT_TRUE(has_parts(
        text, {"route generic", "not mma: the execution space is not Cuda",
               "not streamed: the execution space is not Cuda"}));
  }
  EXPECT_TRUE(has_parts(explain([&] {
                          reduce(TypeParam(), x, result,
                                 Settings{Route::generic});
                        }),
                        {"route generic"}));
  EXPECT_TRUE(same_bits(poison<double>(), result)) << "explaining runs nothing";

  // a result wider than fp32 accumulators
  Kokkos::View<float*, TypeParam> const narrow("x", 10);
  if (on_cuda<TypeParam>) {
    EXPECT_TRUE(
        has_parts(explain([&] { reduce(TypeParam(), narrow, result); }),
                  {"route streamed", "not mma: the sum is kept in double"}));
  }
  // 8-byte integers would wrap before they are converted
  Kokkos::View<std::int64_t*, TypeParam> const integers("x", 10);
  {
    ScopedSettings const wish(Settings{Route::mma});
    EXPECT_TRUE(has_parts(
        explain([&] { reduce(TypeParam(), integers, result); }),
        {on_cuda<TypeParam> ? "route streamed (mma was asked for)"
                            : "route generic (mma was asked for)",
         on_cuda<TypeParam> ? "not mma: the sum is floating point"
                            : "not mma: the execution space is not Cuda"}));
  }
  EXPECT_TRUE(has_parts(explain([&] {
                          reduce(TypeParam(), integers, result,
                                 Settings{Route::mma});
                        }),
                        {"no route: mma was asked for and cannot run"}));
}

TEST(PrintConfiguration, PrintsRoutesThatRun) {
  ScopedSettings const wish(Settings{Route::mma});
  std::ostringstream out;
  print_configuration(out);
  EXPECT_EQ(on_cuda<Kokkos::DefaultExecutionSpace>,
            out.str().find("=mma") != std::string::npos)
      << out.str();
  EXPECT_TRUE(has_parts(
      out.str(), {on_cuda<Kokkos::DefaultExecutionSpace> ? "half=streamed"
                                                         : "half=generic"}))
      << "a functor of the application has no mma";
}

TEST(PrintConfiguration, SaysWhatABugReportNeeds) {
  std::ostringstream out;
  print_configuration(out);
  std::string const text = out.str();
  std::ostringstream kokkos;
  kokkos << "Kokkos " << KOKKOS_VERSION / 10000 << "."
         << KOKKOS_VERSION / 100 % 100 << "." << KOKKOS_VERSION % 100 << ",";
  std::vector<std::string> parts = {"KokkosMMA 0.1.0",
                                    kokkos.str(),
                                    "routes on",
                                    Kokkos::DefaultExecutionSpace::name(),
                                    "sum of a View:",
                                    "dot product:",
                                    "functor of the application:",
                                    "scan of a View:",
                                    "scan functor of the application:"};
  parts.push_back("tuning table: built-in");
  for (char const* const type :
       {"half", "bhalf", "float", "double", "int8", "uint8", "int32", "int64"})
    parts.push_back(" " + std::string(type) + "=");
#ifdef KOKKOS_ENABLE_SERIAL
  parts.push_back(" Serial");
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  parts.push_back(" OpenMP");
#endif
#ifdef KOKKOS_ENABLE_CUDA
  parts.insert(parts.end(),
               {" Cuda", "compute capability", "multiprocessors",
                "tensor-core sums", "double=mma", "float=streamed"});
#else
  parts.insert(parts.end(), {"every route is generic", "double=generic"});
  EXPECT_EQ(std::string::npos, text.find("=mma"));
#endif
  EXPECT_TRUE(has_parts(text, parts));
}

/// Labels of the reductions that Kokkos Tools see while f runs.
template <class F>
std::vector<std::string> labels_of(F const& f) {
  namespace Tools = Kokkos::Tools::Experimental;
  static std::vector<std::string> labels;
  auto const before = Tools::get_callbacks();
  labels.clear();
  Tools::set_begin_parallel_reduce_callback(
      [](char const* name, std::uint32_t, std::uint64_t* id) {
        *id = 0;
        labels.push_back(name);
      });
  f();
  Kokkos::fence();
  Tools::set_callbacks(before);
  return labels;
}

template <class Element, class Value, class Exec>
void expect_label(std::string const& element) {
  Kokkos::View<Element*, Exec> const x("x", 100);
  for (Route const route : routes<Exec>(visible_to_mma<Element, Value>)) {
    Route const taken                       = route == Route::automatic
                                                  ? best_route<Exec>(visible_to_mma<Element, Value>)
                                                  : route;
    std::vector<std::string> const expected = {"KokkosMMA::reduce[" +
                                               std::string(to_string(taken)) +
                                               "," + element + "]"};
    Value scalar                            = 0;
    Kokkos::View<Value, Exec> const view("result");
    EXPECT_EQ(expected,
              labels_of([&] { reduce(Exec(), x, scalar, Settings{route}); }));
    EXPECT_EQ(expected,
              labels_of([&] { reduce(Exec(), x, view, Settings{route}); }));
  }
}

TYPED_TEST(Interface, LabelsSayRouteAndType) {
  expect_label<double, double, TypeParam>("double");
  expect_label<float, double, TypeParam>("float");
  expect_label<std::int8_t, std::int32_t, TypeParam>("int8");
}

template <class Exec>
void expect_label_of_the_user() {
  Kokkos::View<double*, Exec> const x("x", 100);
  double result                           = 0;
  std::vector<std::string> const expected = {"a label of the user"};
  EXPECT_EQ(expected, labels_of([&] {
              Kokkos::parallel_reduce("a label of the user",
                                      Kokkos::RangePolicy<Exec>(0, 100),
                                      load(x), result);
            }));
}

TYPED_TEST(Interface, LabelOfTheUserIsKept) {
  expect_label_of_the_user<TypeParam>();
}

}  // namespace
