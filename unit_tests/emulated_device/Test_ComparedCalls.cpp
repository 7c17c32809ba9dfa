// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of a program that runs with KOKKOSMMA_COMPARE.

#include "LaunchedCalls.hpp"

#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>

#include <KokkosMMA_ErrorOf.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

// Before the library reads the environment, at its first call.
char const report[] = "compared_calls.json";
bool const compares = setenv("KOKKOSMMA_COMPARE", "1", 1) == 0 &&
                      setenv("KOKKOSMMA_REPORT", report, 1) == 0;

/// Sums by a kernel of 1 ms or by Kokkos' own code of 3 ms.
int sums_by_kokkos(int calls, Impl::CallPlan const* plan) {
  int native = 0;
  for (int n = 0; n < calls; ++n) {
    SumCall sum(1000);
    sum.call.plan       = plan;
    sum.call.run_native = [](void const* self) {
      Ran::native(self);
      emulated_clock += 3;
    };
    bool const by_kokkos = run_reduce(sum.call) == Route::generic;
    EXPECT_EQ(sum.ran.what, by_kokkos ? "kokkos " : "");
    EXPECT_EQ(sum.result, by_kokkos ? -1 : 499500);
    native += by_kokkos;
  }
  return native;
}

TEST(ComparedCalls, KokkosRunsEveryOtherCall) {
  ASSERT_TRUE(compares);
  int const native = sums_by_kokkos(60, nullptr);
  EXPECT_GT(native, 20);
  EXPECT_LT(native, 40);
}

/// A call by name needs its route, and so does one with a level or in a scope
/// with a route.
TEST(ComparedCalls, CallsThatNeedTheirRouteAreNotCompared) {
  Impl::CallPlan const streamed = plan_of(Route::streamed);
  EXPECT_EQ(sums_by_kokkos(10, &streamed), 0);
  Settings level;
  level.reproducibility = Reproducibility::device_independent;
  for (Settings const& settings : {Settings{Route::streamed}, level}) {
    ScopedSettings const scope(settings);
    EXPECT_EQ(sums_by_kokkos(10, nullptr), 0);
  }
}

struct Store {
  int* x;
  void operator()(std::int64_t i) const { x[i] = 1; }
};

/// A loop of few indices, which has one launch.
void loop() {
  std::vector<int> x(900);
  Store const functor{x.data()};
  std::atomic_flag reported = ATOMIC_FLAG_INIT;
  Impl::CachedLaunch cached;
  auto const kernel = Impl::Cuda::kernel_address(
      &Impl::Cuda::streamed_for<std::int64_t, Store>);
  Impl::ErasedFor call{space,
                       nullptr,
                       [](void const*, Impl::LoopSpace const*) {},
                       [] { return static_cast<void const*>(nullptr); },
                       kernel,
                       &functor,
                       &no_locks,
                       reported,
                       cached,
                       {}};
  call.problem.space.extent[0] = x.size();
  run_for(call);
}

/// More calls than timers, none of which is done.
TEST(ComparedCalls, AnErrorOfTheApplicationStays) {
  emulated_events_done = false;
  for (int n = 0; n < 1100; ++n) {
    emulated_error = cudaErrorMemoryAllocation;
    loop();
    ASSERT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation) << n;
  }
  emulated_events_done = true;
}

TEST(ComparedCalls, TheTableHasBothTimesAndTheLaunch) {
  sums_by_kokkos(60, nullptr);
  loop();
  emulated_capture = true;
  loop();
  emulated_capture = false;
  // A new file: what another process writes or reads stays whole.
  std::ofstream(report) << "of another rank";
  std::ifstream of_other(report);
  ::testing::internal::CaptureStderr();
  Impl::AtFinalize::run();
  EXPECT_TRUE(
      has_parts(::testing::internal::GetCapturedStderr(),
                {"parallel_reduce", "3.00x",
                 "  LoopShape{width = 32, height = 1, calls = 1, fast = 0}\n",
                 "captured streams", "; 1 of them ran on Cuda\n"}));
  auto const text = [](std::ifstream& file) {
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  EXPECT_EQ(text(of_other), "of another rank");
  std::ifstream file(report);
  std::string const json = text(file);
  EXPECT_EQ(json.rfind("{\"drop_in\": \"active\"", 0), 0u) << json;
  EXPECT_EQ(json.substr(json.size() - 4), "\n]}\n") << json;
  std::filesystem::remove(report);
}

}  // namespace
