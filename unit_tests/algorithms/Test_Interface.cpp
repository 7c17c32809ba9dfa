// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Views that do not fit; explanations and labels of types;
// print_configuration().

#include "AlgorithmSupport.hpp"

#include <KokkosMMA_Recorder.hpp>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Interface);

TYPED_TEST(Interface, WrongViews) {
  Kokkos::View<double*, TypeParam> const x("left", 10), y("right", 13);
  expect_error({"KokkosMMA::dot", "\"left\" has 10", "\"right\" has 13"},
               [&] { dot(x, y); });
  EXPECT_NO_THROW(dot(x, x));
  Kokkos::View<double, TypeParam> const nothing;
  expect_error({"KokkosMMA::reduce", "result View", "null", "allocate it"},
               [&] { reduce(TypeParam(), x, nothing); });
  Unmanaged<double*, TypeParam> const nowhere(nullptr, 7);
  double result = poison<double>();
  expect_error({"KokkosMMA::reduce", "x has no memory"},
               [&] { reduce(TypeParam(), nowhere, result); });
  EXPECT_TRUE(same_bits(poison<double>(), result));
}

TYPED_TEST(Interface, ExplanationsOfRequests) {
  double result = poison<double>();
  // 8-byte integers would wrap before they are converted
  Kokkos::View<std::int64_t*, TypeParam> const integers("x", 10);
  ScopedSettings const requested(Settings{Route::mma});
  expect_explained(
      {on_cuda<TypeParam> ? "route streamed (mma was requested)"
                          : "route generic (mma was requested)",
       on_cuda<TypeParam> ? "not mma: the sum is floating point"
                          : "neither mma nor streamed: the execution space is "
                            "not Cuda"},
      [&] { reduce(TypeParam(), integers, result); });
}

// A mistake is an error where it is made, and no call to a requires-clause.
template <class... A>
concept Reduces = requires(A&... a) {
  KokkosMMA::reduce(a...);
};
template <class... A>
concept Scans = requires(A&... a) {
  KokkosMMA::exclusive_scan(a...);
  KokkosMMA::inclusive_scan(a...);
};
template <class... A>
concept Sums = requires(A&... a) {
  KokkosMMA::stencil(a...);
};
using AnExec   = Kokkos::DefaultExecutionSpace;
using AView    = Kokkos::View<float*, AnExec>;
using AMatrix  = Kokkos::View<float**, AnExec>;
using AProduct = decltype(dot(AView(), AView()));
static_assert(Reduces<AnExec, AView, float>);
static_assert(Reduces<AnExec, AView, float, Settings>);
static_assert(Reduces<AnExec, AView, Kokkos::Max<float>>);
static_assert(Reduces<AnExec, AProduct, float>);
static_assert(!Reduces<AnExec, AMatrix, float>);
static_assert(!Reduces<AView, float> && !Reduces<AProduct, float, Settings>);
static_assert(!Reduces<AnExec, AView> && !Reduces<AnExec, AProduct>);
static_assert(Scans<AnExec, AView, AView, int const>);
static_assert(Scans<AnExec, AView, AView, Settings>);
static_assert(!Scans<AnExec, AMatrix, AMatrix> && !Scans<AView, AView>);
static_assert(Sums<AnExec, AMatrix, AMatrix, StencilWeights<2>, Boundaries<2>>);
static_assert(!Sums<AnExec, AView, AView, StencilWeights<2>, Boundaries<2>>);
static_assert(!Sums<AView, AView, StencilWeights<1>, Boundaries<1>>);

/// In calls of Kokkos, with functors of the library.
TYPED_TEST(Interface, LabelsOfTheUserAreKept) {
  auto const x = filled<double, TypeParam>(100, 1);
  Kokkos::View<double*, TypeParam> const y("y", 100);
  Kokkos::RangePolicy<TypeParam> const all(0, 100);
  double sum = 0;
  Recorder const recorder;
  Kokkos::parallel_reduce("my sum", all, load(x), sum);
  Kokkos::parallel_scan("my scan", all, exclusive_scan_into(x, y));
  Kokkos::fence();
  std::erase_if(Recorder::events, [](std::string const& event) {
    return !event.starts_with("begin ");
  });
  EXPECT_EQ(
      (std::vector<std::string>{"begin reduce my sum", "begin scan my scan"}),
      Recorder::events);
}

TEST(PrintConfiguration, SaysWhatABugReportNeeds) {
  std::ostringstream out;
  print_configuration(out);
  std::string const text         = out.str();
  std::vector<std::string> parts = {
      joined("Kokkos ", KOKKOS_VERSION / 10000, ".", KOKKOS_VERSION / 100 % 100,
             ".", KOKKOS_VERSION % 100, ","),
      "KokkosMMA 0.1.0", "tuning table: built-in"};
#ifdef KOKKOS_ENABLE_SERIAL
  parts.push_back(" Serial");
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  parts.push_back(" OpenMP");
#endif
#ifdef KOKKOS_ENABLE_CUDA
  parts.insert(parts.end(), {" Cuda", "compute capability", "multiprocessors"});
#else
  // One line, and not one for each type.
  parts.insert(parts.end(), {"every route is generic"});
  EXPECT_EQ(text.find("generic"), text.rfind("generic"));
#endif
  EXPECT_TRUE(has_parts(text, parts));
}

}  // namespace
