// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What libkokkosmma does between an intercepted call and the launch: the route
// that runs, what runs instead of it, and where the result goes.

#include "LaunchedCalls.hpp"

#include <KokkosMMA_ReferenceFold.hpp>

#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/kernels/loops/KokkosMMA_TiledCopy.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_StreamedReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedTeam.hpp>
#include <core/loops/KokkosMMA_CachedLaunch.hpp>
#include <core/loops/KokkosMMA_LoopParts.hpp>
#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::CallPlan;

TEST(LaunchedCalls, AReductionRunsItsKernel) {
  for (std::uint64_t const size : {0, 1, 1000, 300000}) {
    SumCall sum(size);
    EXPECT_EQ(run_reduce(sum.call), Route::streamed);
    EXPECT_EQ(sum.ran.what, "");
    EXPECT_EQ(sum.result, std::int64_t(size * (size - (size > 0)) / 2));
    EXPECT_EQ(last_route(), Route::streamed);
  }
}

TEST(LaunchedCalls, TheRouteOfAScopeRuns) {
  ScopedSettings const scope(Settings{Route::generic});
  SumCall sum(1000);
  EXPECT_EQ(run_reduce(sum.call), Route::generic);
  EXPECT_EQ(sum.ran.what, "kokkos ");
  EXPECT_EQ(sum.result, -1);
  ScanCall scan(1000);
  EXPECT_EQ(run_scan(scan.call), Route::generic);
  EXPECT_EQ(scan.ran.what, "kokkos ");
  EXPECT_EQ(scan.prefix[999], -1);
}

TEST(LaunchedCalls, APlanIsNotDecidedAgain) {
  CallPlan const generic  = plan_of(Route::generic);
  CallPlan const streamed = plan_of(Route::streamed);
  CallPlan const mma      = plan_of(Route::mma);
  {
    ScopedSettings const scope(Settings{Route::generic});
    SumCall sum(1000);
    sum.call.plan = &streamed;
    EXPECT_EQ(run_reduce(sum.call), Route::streamed);
    EXPECT_EQ(sum.ran.what, "");
    EXPECT_EQ(sum.result, 499500);
    ScanCall scan(1000);
    scan.call.plan = &streamed;
    EXPECT_EQ(run_scan(scan.call), Route::streamed);
    EXPECT_EQ(scan.ran.what, "");
    EXPECT_EQ(scan.total, 499500);
  }
  SumCall sum(1000);
  sum.call.plan = &generic;
  EXPECT_EQ(run_reduce(sum.call), Route::generic);
  EXPECT_EQ(sum.ran.what, "kokkos ");
  SumCall visible(1000);
  visible.call.plan    = &mma;
  visible.call.use_mma = &Ran::mma;
  EXPECT_EQ(run_reduce(visible.call), Route::mma);
  EXPECT_EQ(visible.ran.what, "mma ");
}

TEST(LaunchedCalls, RefusedTypesRunKokkos) {
  SumCall large(1000);
  large.call.problem.functor_bytes = Impl::max_functor_bytes + 1;
  EXPECT_EQ(run_reduce(large.call), Route::generic);
  EXPECT_EQ(large.ran.what, "kokkos ");
  SumCall box(Impl::max_flattened_indices);
  box.call.problem.pattern = Impl::Pattern::mdrange;
  EXPECT_EQ(run_reduce(box.call), Route::generic);
  EXPECT_EQ(box.ran.what, "kokkos ");
  SumCall no_result(1000);
  no_result.call.result = nullptr;
  EXPECT_EQ(run_reduce(no_result.call), Route::generic);
  EXPECT_EQ(no_result.ran.what, "kokkos ");
  SumCall no_index(0);
  no_index.call.problem.pattern = Impl::Pattern::mdrange;
  EXPECT_EQ(run_reduce(no_index.call), Route::generic);
  EXPECT_EQ(no_index.ran.what, "kokkos ");
  // There Kokkos' host would write to the device.
  SumCall on_device(0);
  on_device.call.problem.pattern  = Impl::Pattern::mdrange;
  on_device.call.result_on_device = true;
  EXPECT_EQ(run_reduce(on_device.call), Route::streamed);
  EXPECT_EQ(on_device.result, 0);
  // In managed memory it may.
  SumCall on_both(0);
  on_both.call.problem.pattern  = Impl::Pattern::mdrange;
  on_both.call.result_on_device = on_both.call.result_on_host = true;
  EXPECT_EQ(run_reduce(on_both.call), Route::generic);
  EXPECT_EQ(on_both.ran.what, "kokkos ");
}

TEST(LaunchedCalls, OpaqueFunctorsHaveNoTensorCores) {
  ScopedSettings const scope(Settings{Route::mma});
  SumCall sum(1000);
  EXPECT_EQ(run_reduce(sum.call), Route::streamed);
  EXPECT_EQ(sum.result, 499500);
}

/// Whether the launch of a call may start before the previous kernel ends.
template <class Run>
bool follows(Run const& run) {
  int const before = emulated_following;
  run();
  return emulated_following > before;
}

/// A loop when it is new and when its launch is chosen, and a reduction, but
/// not in a captured stream, where the attribute becomes an edge.
TEST(LaunchedCalls, CallsFollowUnlessCaptured) {
  LoopCall loop(777, 1, 2);
  SumCall sum(1000);
  sum.call.result_on_device = true;
  for (bool const captured : {false, true, false}) {
    emulated_capture = captured;
    for (int round = 0; round < 2; ++round)
      EXPECT_EQ(follows([&] { EXPECT_FALSE(loop.run()); }), !captured);
    EXPECT_EQ(
        follows([&] { EXPECT_EQ(run_reduce(sum.call), Route::streamed); }),
        !captured);
    EXPECT_EQ(sum.result, 499500);
  }
  emulated_capture = false;
}

/// A captured kernel has not run when the call returns.
TEST(LaunchedCalls, ACapturedStreamHasNoResultOnTheHost) {
  struct Capture {
    Capture() { emulated_capture = true; }
    ~Capture() { emulated_capture = false; }
  } const capture;
  SumCall on_host(1000);
  EXPECT_EQ(run_reduce(on_host.call), Route::generic);
  EXPECT_EQ(on_host.ran.what, "kokkos ");
  SumCall on_device(1000);
  on_device.call.result_on_device = true;
  EXPECT_EQ(run_reduce(on_device.call), Route::streamed);
  EXPECT_EQ(on_device.ran.what, "");
  EXPECT_EQ(on_device.result, 499500);
  ScanCall no_total(1000);
  no_total.call.result = nullptr;
  EXPECT_EQ(run_scan(no_total.call), Route::streamed);
  EXPECT_EQ(no_total.prefix[999], 499500);
}

TEST(LaunchedCalls, ScansRunTilesOrInvokeTheFunctor) {
  static int tiles = 0;
  ScanCall strided(5000);
  strided.call.scan_tiles = [](void const*, Impl::Cuda::StreamScratch const&) {
    ++tiles;
    return false;
  };
  EXPECT_EQ(run_scan(strided.call), Route::streamed);
  EXPECT_EQ(tiles, 1);
  for (std::int64_t i = 0; i < 5000; ++i)
    ASSERT_EQ(strided.prefix[std::size_t(i)], i * (i + 1) / 2);
  EXPECT_EQ(strided.total, 4999 * 5000 / 2);
  ScanCall contiguous(5000);
  contiguous.call.scan_tiles = [](void const*,
                                  Impl::Cuda::StreamScratch const&) {
    ++tiles;
    return true;
  };
  EXPECT_EQ(run_scan(contiguous.call), Route::streamed);
  EXPECT_EQ(tiles, 2);
  EXPECT_EQ(contiguous.prefix[0], -1);
}

/// After 2^32 - 1 launches the words are cleared and the tags begin again.
TEST(LaunchedCalls, TagsOfScansRunOut) {
  Impl::Cuda::StreamScratch const of_space(space);
  Impl::Cuda::ScanScratch const scratch = of_space->scan(1);
  auto const scan                       = [](std::int64_t n) {
    ScanCall call{std::uint64_t(n)};
    EXPECT_EQ(run_scan(call.call), Route::streamed);
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ(call.prefix[std::size_t(i)], i * (i + 1) / 2);
  };
  scratch.control->launches = 0xfffffffd;
  scan(20000);
  EXPECT_EQ(scratch.control->launches, 0xfffffffeu);
  scan(10000);
  EXPECT_EQ(scratch.control->launches, 0u);
  EXPECT_EQ(scratch.control->ticket, 0u);
  for (std::uint64_t i = 0; i < scratch.capacity; ++i)
    ASSERT_EQ(scratch.words[i], 0u);
  scan(20000);
  EXPECT_EQ(scratch.control->launches, 1u);
}

struct AddFraction {
  void operator()(std::int64_t i, double& sum) const {
    sum += 1. / double(i + 1);
  }
};
/// More than one for each thread that the level has.
constexpr std::uint64_t fractions = 300000;

/// The sum of 1 / (i + 1), whose rounding depends on the order.
double harmonic_sum(CallPlan const* plan, int multiprocessors) {
  int& of_device   = Impl::Cuda::device_entry(0).multiprocessors;
  int const before = of_device;
  of_device        = multiprocessors;
  ReduceCall<double, AddFraction> sum(fractions);
  sum.call.plan = plan;
  run_reduce(sum.call);
  of_device = before;
  return sum.result;
}

/// The level is that of the plan, or without one that of the scope.
TEST(LaunchedCalls, TheLevelOfAPlanFixesTheOrder) {
  CallPlan any = plan_of(Route::streamed), fixed = any;
  fixed.settings.reproducibility = Reproducibility::device_independent;
  double const reference         = harmonic_sum(&fixed, 20);
  double const of_seven          = harmonic_sum(&any, 7);
  EXPECT_EQ(reference_fold<double>(
                Impl::streamed_tuning(sizeof(double), 1, true), fractions, 0.,
                [](std::uint64_t i) { return 1. / double(i + 1); },
                [](double a, double b) { return a + b; }),
            reference);
  EXPECT_EQ(harmonic_sum(&fixed, 7), reference);
  EXPECT_EQ(harmonic_sum(&fixed, 13), reference);
  EXPECT_NE(of_seven, reference);
  EXPECT_NE(of_seven, harmonic_sum(&any, 20));
  ScopedSettings const scope(fixed.settings);
  EXPECT_EQ(harmonic_sum(nullptr, 7), reference);
  EXPECT_EQ(harmonic_sum(&any, 7), of_seven);
}

/// Only a kernel that states it is exact; others warn once.
TEST(LaunchedCalls, ALevelThatIsNotOfferedIsReported) {
  ScopedSettings const scope({.reproducibility = Reproducibility::exact});
  SumCall stated(1000);
  stated.call.problem.value = Scalar::float64;
  stated.call.use_exact     = &Ran::exact;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_reduce(stated.call), Route::streamed);
  EXPECT_EQ(stated.ran.what, "exact ");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  for (bool const first : {true, false}) {
    SumCall opaque(1000);
    opaque.call.problem.value = Scalar::float64;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_reduce(opaque.call), Route::streamed);
    std::string const text = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(text.find("level exact was requested") != text.npos, first);
  }
}

TEST(LaunchedCalls, LoopsInvokeTheFunctorOncePerIndex) {
  for (std::uint64_t const size : {0, 1, 100, 5000}) {
    LoopCall loop(size, 1, 1);
    EXPECT_FALSE(loop.run());
  }
  ScopedSettings const scope(Settings{Route::generic});
  LoopCall loop(100, 1, 1);
  EXPECT_TRUE(loop.run());
}

TEST(LaunchedCalls, RefusedLoopsRunKokkos) {
  LoopCall bounds(100, 1, 1);
  bounds.call.problem.max_threads = 16;
  EXPECT_TRUE(bounds.run());
  LoopCall large(100, 1, 1);
  large.call.problem.functor_bytes = Impl::max_functor_bytes + 1;
  EXPECT_TRUE(large.run());
}

/// A team kernel whose other form has registers for 896 threads.
class HeavyTeam {
 public:
  HeavyTeam(char const* pattern, int threads) {
    m_call.pattern = pattern;
    m_call.problem = {1 << 20, threads, 1};
  }
  /// Returns the number of the first calls that ran the other form.
  int others() {
    emulated_max_threads = 896;
    for (int n = 0; n < 20; ++n) run_team(m_call);
    emulated_max_threads = 1024;
    return m_others;
  }

 private:
  static void run(void const* self, Impl::NestedLoops form) {
    auto* const team =
        const_cast<HeavyTeam*>(static_cast<HeavyTeam const*>(self));
    team->m_others += form == Impl::NestedLoops::overlapped;
  }
  static void const* kernel(Impl::NestedLoops form) {
    static char const kernels[2] = {};
    return kernels + int(form);
  }

  int m_others                = 0;
  std::atomic_flag m_reported = ATOMIC_FLAG_INIT;
  Impl::CachedLaunch m_cached;
  Impl::ErasedTeam m_call{space,   "",         this,     &run,
                          &kernel, m_reported, m_cached, {}};
};
/// Kokkos would throw for a form without registers for the team.
TEST(LaunchedCalls, FormsWithoutRegistersForTheTeamNeverRun) {
  auto const others = [](char const* pattern, int threads) {
    return HeavyTeam(pattern, threads).others();
  };
  for (Route const route : {Route::automatic, Route::streamed}) {
    ScopedSettings const scope(Settings{route});
    EXPECT_LT(0, others("parallel_for", 896));
    EXPECT_EQ(0, others("parallel_for", 928));
    EXPECT_LT(0, others("parallel_reduce", 512));
    EXPECT_EQ(0, others("parallel_reduce", 896));
  }
}

/// No launch has more threads than launch bounds allow, and Kokkos' is one of
/// those that are timed.
TEST(LaunchedCalls, LaunchBoundsHoldInAllLaunches) {
  // Choices of one kernel and size are shared: another size for each. Few
  // indices are measured after 100 calls.
  struct Bound {
    int threads, log2_of_size, calls;
  };
  for (auto const [threads, log2_of_size, calls] :
       {Bound{32, 14, 120}, {64, 15, 120}, {256, 19, 40}}) {
    LoopCall loop(std::uint64_t(1) << log2_of_size, 1, 3);
    loop.call.problem.max_threads = threads;
    unsigned most                 = 0;
    int native                    = 0;
    for (int n = 0; n < calls; ++n) {
      blockDim.x = 0;
      native += loop.run();
      most = std::max(most, blockDim.x);
    }
    EXPECT_LE(most, unsigned(threads));
    EXPECT_FALSE(loop.run());
    EXPECT_GT(native, 0);
  }
}

/// The clock decides between this library's launches and Kokkos' own.
TEST(LaunchedCalls, TheFasterLaunchOfALoopRemains) {
  for (bool const kokkos_is_faster : {false, true}) {
    LoopCall loop(std::uint64_t(1) << 16, kokkos_is_faster ? 3 : 1,
                  kokkos_is_faster ? 1 : 3);
    // Choices of one kernel and size are shared: another size for each.
    if (kokkos_is_faster) {
      loop.functor.calls.assign(std::size_t(1) << 18, 0);
      loop.call.problem.space.extent[0] = std::uint64_t(1) << 18;
    }
    int native = 0;
    for (int n = 0; n < 150; ++n) native += loop.run();
    EXPECT_GT(native, 0);
    EXPECT_LT(native, 150);
    for (int n = 0; n < 10; ++n) EXPECT_EQ(loop.run(), kokkos_is_faster) << n;
  }
}

/// Kokkos throws for a while, and is the faster one afterwards.
TEST(LaunchedCalls, LaunchesThatThrowAreMeasuredLater) {
  LoopCall loop(std::uint64_t(1) << 17, 3, 1);
  loop.throws = 1;
  int thrown  = 0;
  for (int n = 0; n < 150; ++n) {
    try {
      loop.run();
    } catch (std::runtime_error const&) {
      ++thrown;
    }
  }
  EXPECT_EQ(thrown, 1);
  for (int n = 0; n < 10; ++n) EXPECT_TRUE(loop.run()) << n;
}

TEST(FirstCalls, UseWhatKokkosKnowsOfItsDevice) {
  auto& functions          = Impl::KokkosFunctions::all();
  auto const before        = functions.default_device;
  functions.default_device = [] {
    return Impl::KnownDevice{41, "the device of Kokkos", 12345};
  };
  EXPECT_EQ(Impl::Cuda::device(41).name, "the device of Kokkos");
  EXPECT_EQ(Impl::Cuda::device(41).memory_bytes, 12345u);
  EXPECT_EQ(Impl::Cuda::device(41).shared_bytes,
            EmulatedDevice::max_shared_bytes);
  EXPECT_EQ(Impl::Cuda::device(42).name, "emulated");
  functions.default_device = before;
}

/// Most programs need one allocation per stream, and pinned memory only for
/// many results on the host, or for long ones.
TEST(FirstCalls, AllocateWhatTheyNeed) {
  int const allocations = emulated_allocations;
  int const pinned      = emulated_pinned;
  Impl::Cuda::Scratch scratch(0, nullptr);
  auto const sums  = scratch.grid(1056, 9 * sizeof(double));
  auto const scans = scratch.scan(8192);
  EXPECT_EQ(emulated_allocations, allocations + 1);
  EXPECT_GE(scans.capacity, 8192u);
  // They do not overlap.
  for (std::uint64_t i = 0; i < scans.capacity; ++i) {
    ASSERT_EQ(scans.words[i], 0u);
    scans.words[i] = ~std::uint64_t(0);
  }
  auto* const partials = static_cast<unsigned char*>(sums.partials);
  for (int i = 0; i < 1056 * 9 * 8; ++i) {
    ASSERT_EQ(partials[i], 0);
    partials[i] = 1;
  }
  EXPECT_EQ(*sums.ticket, 0u);
  EXPECT_EQ(scans.control->ticket, 0u);
  for (int n = 0; n < Impl::Cuda::Scratch::results_by_copy; ++n)
    scratch.take_words(64);
  EXPECT_EQ(emulated_pinned, pinned);
  for (int i = 0; i < Impl::Cuda::Scratch::max_words; ++i)
    scratch.words()[i] = ~0ull;
  EXPECT_EQ(*sums.ticket, 0u);
  EXPECT_EQ(scans.control->ticket, 0u);
  EXPECT_EQ(scans.words[0], ~std::uint64_t(0));
  for (std::uint64_t i = 0; i < scans.capacity; ++i) scans.words[i] = 0;
  EXPECT_EQ(scratch.words()[0], ~0ull);
  EXPECT_EQ(partials[0], 1);
  scratch.take_words(8);
  EXPECT_EQ(emulated_pinned, pinned + 1);
  scratch.take_words(64);
  EXPECT_EQ(emulated_pinned, pinned + 1);
  EXPECT_NE(scratch.grid(1 << 20, 8).partials, sums.partials);
  auto const larger = scratch.scan(1 << 20);
  EXPECT_GE(larger.capacity, 1u << 20);
  // Graphs may keep the smaller memory. If its tags run out, those of the
  // larger memory, whose words are not cleared, must go on.
  larger.control->launches = 7;
  scans.control->launches  = 0;
  EXPECT_EQ(larger.control->launches, 7u);
  Impl::Cuda::Scratch other(0, std::nullopt);
  other.take_words(65);
  EXPECT_EQ(emulated_pinned, pinned + 2);
}
TEST(FirstCalls, CopyTheirResults) {
  int const copies = emulated_copies_to_host;
  for (int n = 1; n < 40; ++n) {
    SumCall sum(10 * std::uint64_t(n));
    run_reduce(sum.call);
    ASSERT_EQ(sum.result, 5 * n * (10 * n - 1));
  }
  EXPECT_LE(emulated_copies_to_host - copies,
            Impl::Cuda::Scratch::results_by_copy);
}

/// Loop over a box, with tiles, that counts its invocations. A launch takes
/// long unless lanes lie along one dimension, as if the arrays were contiguous
/// there.
class BoxCall {
 public:
  explicit BoxCall(int contiguous, float time_of_kokkos = slow)
      : m_contiguous(contiguous), m_time_of_kokkos(time_of_kokkos) {
    call.problem.space = {3, {-2, -1, 0}, {64, 65, 66, 1, 1, 1}};
    counts.assign(call.problem.space.size(), 0);
    call.problem.functor_bytes = sizeof(Invoked);
    call.problem.user_tiles    = true;
  }

  struct Invoked {
    BoxCall* self;
    void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
      // The second lane shows the order; its later invocations do not.
      if (blockIdx.x == 0 && threadIdx.x == 1 && self->along < 0) {
        self->along = i != -2 ? 0 : j != -1 ? 1 : 2;
        emulated_clock += self->along == self->m_contiguous ? 1 : slow;
      }
      ++self->counts.at(std::size_t(((i + 2) * 65 + j + 1) * 66 + k));
    }
  };

  /// Runs the loop once. Returns the dimension of the lanes, or -1 for Kokkos'
  /// own code.
  int run() {
    std::fill(counts.begin(), counts.end(), 0);
    along           = -1;
    Route const ran = run_for(call);
    EXPECT_EQ(ran == Route::generic, along < 0);
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 1),
              std::ptrdiff_t(counts.size()));
    return along;
  }

  static constexpr float slow = 17;
  std::vector<int> counts;
  int along                 = -1;
  BoxCall* pointer          = this;
  std::atomic_flag reported = ATOMIC_FLAG_INIT;
  Impl::CachedLaunch cached;
  Impl::ErasedFor call{space,    this,     &run_kokkos, [] { return m_kernel; },
                       m_kernel, &pointer, &no_locks,   reported,
                       cached,   {}};

 private:
  static void run_kokkos(void const* self, Impl::LoopSpace const* part) {
    auto& loop = *const_cast<BoxCall*>(static_cast<BoxCall const*>(self));
    ASSERT_EQ(part, nullptr);
    for (int& count : loop.counts) ++count;
    emulated_clock += loop.m_time_of_kokkos;
  }

  inline static void const* const m_kernel = Impl::Cuda::kernel_address(
      &Impl::Cuda::streamed_for<std::int64_t, Invoked,
                                Impl::Cuda::MDRangePolicyLoop<3, true>>);
  int m_contiguous;
  float m_time_of_kokkos;
};

/// Large box whose first call runs in parts. Its arrays are contiguous in the
/// second dimension, or one in each; Kokkos' lanes lie along the first.
class DividedBox {
 public:
  DividedBox(std::uint64_t first, std::uint64_t second, bool transposes = false)
      : m_transposes(transposes) {
    auto& space                = call.problem.space;
    space.rank                 = 2;
    space.begin                = {-7, 3};
    space.extent[0]            = first;
    space.extent[1]            = second;
    call.problem.functor_bytes = sizeof(Invoked);
  }

  /// Runs the loop once. Returns the dimension of the lanes of the last launch.
  int run() {
    counts.assign(call.problem.space.size(), 0);
    run_for(call);
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 1),
              std::ptrdiff_t(counts.size()));
    return along;
  }

  struct Invoked {
    DividedBox* self;
    void operator()(std::int64_t i, std::int64_t j) const {
      if (blockIdx.x == 0 && (threadIdx.x < 2 || threadIdx.x == 16))
        self->see(i, j);
      self->count(i, j);
    }
  };

  std::vector<std::uint8_t> counts;
  int along                 = -1;
  bool in_squares           = false;  ///< 16 lanes along each dimension
  int parts_of_kokkos       = 0;
  int launches_of_kokkos    = 0;
  float along_second        = 1.4f;   ///< time of transposes in lanes along it
  bool is_busy              = false;  ///< launches in squares end later
  DividedBox* pointer       = this;
  std::atomic_flag reported = ATOMIC_FLAG_INIT;
  Impl::CachedLaunch cached;
  Impl::ErasedFor call{space,    this,     &run_kokkos, [] { return m_kernel; },
                       m_kernel, &pointer, &no_locks,   reported,
                       cached,   {}};

 private:
  void count(std::int64_t i, std::int64_t j) {
    auto const& all = call.problem.space;
    ASSERT_GE(i, -7);
    ASSERT_GE(j, 3);
    ++counts[std::size_t(i + 7) * all.extent[1] + std::size_t(j - 3)];
    if (++m_counted % charged == 0)
      emulated_clock += float(charged) / float(counts.size()) *
                        (!m_transposes ? (along == 1 ? 1.f : 17.f)
                         : in_squares  ? 1.f
                         : along == 1  ? along_second
                                       : 1.4f);
  }
  /// The first invocations of two lanes show the order, a third one the width.
  void see(std::int64_t i, std::int64_t j) {
    if (threadIdx.x == 0) {
      if (!m_seen) m_origin = {i, j};
      m_seen = true;
    } else if (threadIdx.x == 16) {
      in_squares = along == 0 && i == m_origin[0];
      if (in_squares && is_busy) emulated_events_done = false;
    } else if (m_seen) {
      m_seen = false;
      along  = i != m_origin[0] ? 0 : 1;
    }
  }
  static void run_kokkos(void const* self, Impl::LoopSpace const* part) {
    auto& box = *const_cast<DividedBox*>(static_cast<DividedBox const*>(self));
    Impl::LoopSpace const& over = part ? *part : box.call.problem.space;
    ++(part ? box.parts_of_kokkos : box.launches_of_kokkos);
    box.along      = 0;
    box.in_squares = false;
    for (std::int64_t i = 0; i < std::int64_t(over.extent[0]); ++i)
      for (std::int64_t j = 0; j < std::int64_t(over.extent[1]); ++j)
        box.count(over.begin[0] + i, over.begin[1] + j);
  }

  inline static void const* const m_kernel = Impl::Cuda::kernel_address(
      &Impl::Cuda::streamed_for<std::int64_t, Invoked,
                                Impl::Cuda::MDRangePolicyLoop<2, true>>);
  /// The clock moves after so many invocations.
  static constexpr unsigned charged = 1u << 14;
  std::array<std::int64_t, 2> m_origin{};
  bool m_transposes;
  bool m_seen        = false;
  unsigned m_counted = 0;
};

/// No call runs a whole loop in what is far slower, Kokkos' launch or another.
TEST(LaunchedCalls, AFirstCallInPartsFindsTheOrder) {
  DividedBox loop(3001, 2113);
  float const begin = emulated_clock;
  EXPECT_EQ(loop.run(), 1);
  EXPECT_EQ(loop.parts_of_kokkos, Impl::parts_per_candidate);
  for (int n = 1; n < 4; ++n) EXPECT_EQ(loop.run(), 1);
  EXPECT_LT(emulated_clock - begin, 4 + 4);
  EXPECT_EQ(loop.launches_of_kokkos, 0);
}

/// A host far ahead of the device runs transposes in their shape, before a
/// whole call has a time.
TEST(LaunchedCalls, AFirstCallInPartsFindsTheShapeOfTransposes) {
  DividedBox loop(1201, 5407, true);
  loop.call.problem.user_tiles = true;
  loop.run();
  EXPECT_TRUE(loop.in_squares);
  // Small parts, and large ones as the fastest of these.
  EXPECT_EQ(loop.parts_of_kokkos, 2 * Impl::parts_per_candidate);
  emulated_events_done = false;
  int others           = 0;
  for (int n = 0; n < 5; ++n) {
    loop.run();
    others += !loop.in_squares;
  }
  emulated_events_done = true;
  EXPECT_EQ(others, 3);
  EXPECT_TRUE(loop.in_squares);
  EXPECT_EQ(loop.launches_of_kokkos, 1);
}

/// The small parts decide if one of the large ones has no time yet.
TEST(LaunchedCalls, LargePartsAreNotWaitedForLong) {
  DividedBox loop(9001, 709, true);
  loop.call.problem.user_tiles = true;
  loop.along_second            = 1.1f;
  loop.is_busy                 = true;
  EXPECT_EQ(loop.run(), 1);
  EXPECT_FALSE(emulated_events_done);
  emulated_events_done = true;
}

/// Earlier work on the stream hides the times of the parts for a while.
TEST(LaunchedCalls, PartsAreNotWaitedForLong) {
  DividedBox loop(5003, 1303);
  emulated_events_done = false;
  for (int n = 0; n < 2; ++n) EXPECT_EQ(loop.run(), 0);
  emulated_events_done = true;
  for (int n = 0; n < 2; ++n) EXPECT_EQ(loop.run(), 1);
  EXPECT_EQ(loop.launches_of_kokkos, 0);
}

/// Square matrix that is copied to another layout.
class CopyCall {
 public:
  struct Invoked {
    CopyCall* self;
    void operator()(std::int64_t i, std::int64_t j) const {
      self->to[std::size_t(i * self->m_extent + j)] =
          self->from[std::size_t(j * self->m_extent + i)];
    }
  };

  void run(int extent) {
    m_extent = extent;
    from.resize(std::size_t(extent) * std::size_t(extent));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = std::uint32_t(i);
    to.assign(from.size(), ~0u);
    auto const size         = std::uint64_t(extent);
    call.problem.space      = {2, {}, {size, size, 1, 1, 1, 1}};
    call.copy.kernel        = m_kernels[2];
    call.copy.element_bytes = sizeof(std::uint32_t);
    call.copy.from          = from.data();
    call.copy.to            = to.data();
    call.copy.layouts       = {2, {size, size}, {1, extent}, {extent, 1}};
    run_for(call);
    for (int i = 0; i < extent; ++i)
      for (int j = 0; j < extent; ++j)
        ASSERT_EQ(to[std::size_t(i * extent + j)],
                  std::uint32_t(j * extent + i));
  }

  std::vector<std::uint32_t> from, to;
  CopyCall* pointer         = this;
  std::atomic_flag reported = ATOMIC_FLAG_INIT;
  Impl::CachedLaunch cached;
  Impl::ErasedFor call{
      space,        this,     &no_loop,  [] { return m_kernels[1]; },
      m_kernels[0], &pointer, &no_locks, reported,
      cached,       {}};

 private:
  static void no_loop(void const*, Impl::LoopSpace const*) { FAIL(); }

  int m_extent                          = 0;
  inline static char m_kernel_of_kokkos = 0;
  /// Of the loop, of Kokkos, of tiles.
  inline static std::array<void const*, 3> const m_kernels{
      Impl::Cuda::kernel_address(
          &Impl::Cuda::streamed_for<std::int64_t, Invoked,
                                    Impl::Cuda::MDRangePolicyLoop<2, true>>),
      &m_kernel_of_kokkos,
      Impl::Cuda::kernel_address(&Impl::Cuda::copy_tiles<std::uint32_t>)};
};

/// A kernel that was not loaded at the first call could wait for one that waits
/// for the host.
TEST(FirstCalls, OfCopiesLoadWhatOtherExtentsNeed) {
  CopyCall copy;
  copy.run(64);
  auto loaded = emulated_loaded;
  loaded.insert(copy.call.copy.kernel);  // by its launch
  copy.run(8);                           // too small for tiles
  EXPECT_EQ(emulated_loaded, loaded);
}

/// The same for arrays, whose length says which kernel runs.
TEST(FirstCalls, OfArraysLoadTheKernelOfOtherLengths) {
  static char const kernels[4] = {};
  CallPlan const generic       = plan_of(Route::generic);
  std::atomic_flag reported    = ATOMIC_FLAG_INIT;
  for (unsigned const count : {2u, 100u}) {
    char const* const kernel       = kernels + (count == 2 ? 0 : 2);
    char const* const in_registers = kernel + 1;
    Ran ran;
    std::vector<double> result(count);
    Impl::ErasedArrays call{{space,
                             &ran,
                             &Ran::native,
                             kernel,
                             {},
                             result.data(),
                             false,
                             count * sizeof(double),
                             &no_locks,
                             reported,
                             &generic},
                            {},
                            {},
                            count,
                            alignof(double),
                            in_registers};
    run_arrays(call);
    EXPECT_EQ(emulated_loaded.count(kernel), 1u);
    EXPECT_EQ(emulated_loaded.count(in_registers), 1u);
  }
}

/// Kokkos' launch with the tiles that the caller gave is one of the candidates.
TEST(LaunchedCalls, GivenTilesAreMeasuredBesideOtherShapes) {
  for (bool const tiles_are_best : {false, true}) {
    BoxCall loop(2, tiles_are_best ? 0.5f : BoxCall::slow);
    // A choice of other tiles is not this one's.
    loop.call.problem.tiles = tiles_are_best ? 7 : 8;
    EXPECT_EQ(loop.run(), -1);
    for (int n = 1; n < 14; ++n) loop.run();
    EXPECT_EQ(loop.run(), tiles_are_best ? -1 : 2);
  }
  BoxCall kept(1);
  kept.call.problem.tiles_stay = true;
  for (int n = 0; n < 2; ++n) EXPECT_EQ(kept.run(), -1);
}

/// Copies between Views of other layouts have the same kernel.
TEST(LaunchedCalls, CopiesWithOneKernelHaveTheirOwnChoices) {
  BoxCall first(2), second(2);
  for (BoxCall* const copy : {&first, &second}) {
    copy->call.problem.tiles      = 9;
    copy->call.copy.element_bytes = 8;
    EXPECT_EQ(copy->run(), -1);
    for (int k = 1; k < 14; ++k) copy->run();
    EXPECT_EQ(copy->run(), 2);
  }
}

/// Tests and benchmarks hear of every loop and which route it took.
TEST(LaunchedCalls, LoopsAreObserved) {
  static std::vector<Route> heard;
  auto* const before =
      Impl::route_observer.exchange([](Route ran, Impl::Observed what) {
        EXPECT_EQ(what, Impl::Observed::loop);
        heard.push_back(ran);
      });
  BoxCall loop(1);
  loop.run();
  loop.call.problem.tiles_stay = true;
  loop.run();
  {
    ScopedSettings const scope(Settings{Route::streamed});
    loop.call.problem.tiles_stay = false;
    loop.run();
  }
  Impl::route_observer.store(before);
  loop.run();
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[1], Route::generic);
  EXPECT_EQ(heard[2], Route::streamed);
}

}  // namespace
