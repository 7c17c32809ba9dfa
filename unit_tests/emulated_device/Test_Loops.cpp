// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parts of loops and nested calls, and the measurement of launches. Whole loops
// over ranges and boxes: random_calls.

#include "DeviceMemory.hpp"
#include "WaitingCalls.hpp"

#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_OverlappedScan.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_StridedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_LaunchTimes.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::LoopBox;
using Impl::LoopGrid;
using Impl::LoopRange;
using Impl::LoopSpace;

Kokkos::Cuda const space;

/// Blocks of a range that is too long to run: the first and the last one.
TEST(LoopKernels, RangesBeyondFourBillionIndices) {
  LoopSpace loop;
  loop.begin[0]  = -5;
  loop.extent[0] = (std::uint64_t(1) << 40) + 1;
  LoopGrid grid;
  LoopRange const range = Impl::lay_out_range(loop, {256, 1, 4}, grid);
  std::vector<std::int64_t> seen;
  auto const f   = [&seen](std::int64_t i) { seen.push_back(i); };
  auto const run = [&](unsigned block) {
    threadIdx = {0, 0, 0};
    blockDim  = {256, 1, 1};
    blockIdx  = {block, 0, 0};
    seen.clear();
    Impl::Cuda::streamed_for<std::int64_t, std::remove_const_t<decltype(f)>>(
        f, range);
    return seen;
  };
  EXPECT_EQ(run(0), (std::vector<std::int64_t>{-5, 251, 507, 763}));
  EXPECT_EQ(grid.blocks, (1u << 30) + 1);
  EXPECT_EQ(run(grid.blocks - 1),
            (std::vector<std::int64_t>{(std::int64_t(1) << 40) - 5}));
}

/// The calls of each of `lanes` lanes in [begin, begin + n), which both forms
/// of a nested reduction make in rising order.
template <class Index>
void check_lanes(Index begin, std::uint64_t n, unsigned lanes) {
  SCOPED_TRACE(n);
  SCOPED_TRACE(lanes);
  auto const end = static_cast<Index>(std::uint64_t(begin) + n);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    std::vector<Index> expected;
    for (std::uint64_t i = lane; i < n; i += lanes)
      expected.push_back(static_cast<Index>(std::uint64_t(begin) + i));
    std::vector<Index> seen;
    auto const f = [](Index i, std::vector<Index>& calls) {
      calls.push_back(i);
    };
    Impl::Cuda::overlapped_strided_calls(begin, end, lane, lanes, f, seen);
    ASSERT_EQ(expected, seen) << "four calls a round, lane " << lane;
    seen.clear();
    Impl::Cuda::overlapped_strided_calls<2>(begin, end, lane, lanes, f, seen);
    ASSERT_EQ(expected, seen) << "two calls a round, lane " << lane;
    // As on Kokkos, the index after the last one has to be one too.
    if (std::uint64_t(std::numeric_limits<Index>::max()) - std::uint64_t(end) >=
        lanes) {
      seen.clear();
      Impl::Cuda::strided_calls(begin, end, lane, lanes, f, seen);
      ASSERT_EQ(expected, seen) << "one call a round, lane " << lane;
    }
  }
}
template <class Index>
void check_lanes_of(Random& random) {
  using Limits = std::numeric_limits<Index>;
  for (unsigned const lanes : {1u, 2u, 8u, 31u, 32u}) {
    std::uint64_t const last = 9 * lanes < 100 ? 9 * lanes : 100;
    for (std::uint64_t n = 0; n <= last; ++n) check_lanes<Index>(5, n, lanes);
    for (int k = 0; k < 5; ++k) {
      auto const n = std::uint64_t(random.integer(0, 110));
      check_lanes<Index>(Limits::min(), n, lanes);
      check_lanes<Index>(static_cast<Index>(Limits::max() - Index(n)), n,
                         lanes);
    }
  }
}
TEST(LoopKernels, CallsOfALaneInTheirOrder) {
  Random random;
  check_lanes_of<std::int8_t>(random);
  check_lanes_of<std::int16_t>(random);
  check_lanes_of<std::int32_t>(random);
  check_lanes_of<std::uint32_t>(random);
  check_lanes_of<std::int64_t>(random);
  check_lanes_of<std::uint64_t>(random);
}
/// Backwards there is none.
TEST(LoopKernels, NoCallsOfALaneInAnEmptyRange) {
  int calls    = 0;
  auto const f = [](int, int& n) { ++n; };
  Impl::Cuda::overlapped_strided_calls(7, -1, 0, 4, f, calls);
  Impl::Cuda::strided_calls(7, -1, 0, 4, f, calls);
  EXPECT_EQ(calls, 0);
}

/// The scan of one vector as Kokkos does it, one round after the other, and
/// the total.
template <class T>
std::vector<T> scan_in_order(std::vector<T> const& x, unsigned lanes) {
  std::vector<T> sums(x.size());
  T carry = 0;
  for (std::size_t base = 0; base < x.size(); base += lanes) {
    std::vector<T> value(lanes, T(0));
    for (unsigned lane = 1; lane < lanes; ++lane)
      if (base + lane - 1 < x.size()) value[lane] = x[base + lane - 1];
    for (unsigned step = 1; step < lanes; step *= 2) {
      std::vector<T> const other = value;
      for (unsigned lane = step; lane < lanes; ++lane)
        value[lane] += other[lane - step];
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
      value[lane] += carry;
      if (base + lane < x.size()) {
        value[lane] += x[base + lane];
        sums[base + lane] = value[lane];
      }
    }
    carry = value[lanes - 1];
  }
  sums.push_back(carry);
  return sums;
}

/// One block of threads that call f().
template <class F>
void run_block(F const& f, dim3 threads) {
  static F const* current;
  current = &f;
  ASSERT_EQ(Impl::Cuda::enqueue_kernel(nullptr, +[] { (*current)(); },
                                       {dim3(1), threads, 0, false}),
            cudaSuccess);
}

template <class T>
void check_vector_scan(Random& random, unsigned lanes, int longest) {
  constexpr unsigned threads = 5;
  std::vector<std::vector<T>> x(threads), sums(threads);
  std::vector<T> totals(threads);
  std::vector<std::vector<int>> finals(threads);
  for (unsigned t = 0; t < threads; ++t) {
    x[t].resize(t == 0 ? longest : random.integer(0, longest));
    for (T& v : x[t]) v = T(random.uniform(-1000, 1000));
    sums[t].assign(x[t].size(), T(-7));
    finals[t].assign(x[t].size(), 0);
  }
  run_block(
      [&] {
        unsigned const t = threadIdx.y;
        Impl::Cuda::VectorLanes const vector{
            threadIdx.x, lanes,
            lanes == 32 ? ~0u : ((1u << lanes) - 1) << t * lanes % 32};
        T carry = 0;
        Impl::Cuda::overlapped_scan(
            int(x[t].size()), vector,
            [&](int i, T& value, bool final) {
              value += x[t].at(i);
              if (!final) return;
              sums[t][i] = value;
              ++finals[t][i];
            },
            [](T& value, T const& other) { value += other; }, carry);
        if (threadIdx.x == lanes - 1) totals[t] = carry;
      },
      dim3(lanes, threads));
  for (unsigned t = 0; t < threads; ++t) {
    sums[t].push_back(totals[t]);
    ASSERT_EQ(sums[t], scan_in_order(x[t], lanes))
        << lanes << " lanes, " << x[t].size();
    ASSERT_EQ(finals[t], std::vector<int>(x[t].size(), 1));
  }
}
TEST(LoopKernels, ScansOfVectorsInTheOrderOfOneRoundAfterTheOther) {
  Random random;
  for (unsigned const lanes : {1u, 2u, 8u, 16u, 32u})
    for (int const longest : {0, 1, int(lanes), int(lanes) + 1, 131, 400}) {
      check_vector_scan<float>(random, lanes, longest);
      check_vector_scan<std::int64_t>(random, lanes, longest);
    }
}

/// Kokkos' scan of a block in memory (4.6 to 5.2), of whole warps or less than
/// one: up a tree of the threads, down again between warps, then inside them.
/// The tree of less than a warp ends where the next power of two ends.
template <class T>
void scan_block_as_kokkos(std::vector<T>& x) {
  auto const threads = std::ptrdiff_t(x.size());
  auto const first =
      threads < 32 ? std::ptrdiff_t(std::bit_ceil(x.size())) - threads : 0;
  auto const end = first + threads;
  std::vector<T> tree(end, T(0));
  std::copy(x.begin(), x.end(), tree.begin() + first);
  auto const join = [&](std::ptrdiff_t to, std::ptrdiff_t from) {
    if (from >= first) tree[to] += tree[from];
  };
  for (std::ptrdiff_t step = 1; step < end; step *= 2)
    for (std::ptrdiff_t i = 2 * step - 1; i < end; i += 2 * step)
      join(i, i - step);
  for (std::ptrdiff_t step = 256; step >= 32; step /= 2)
    for (std::ptrdiff_t i = 3 * step - 1; i < end; i += 2 * step)
      join(i, i - step);
  for (std::ptrdiff_t step = 8; step > 0; step /= 2)
    for (std::ptrdiff_t i = step - 1; i < end; i += 2 * step)
      if (i % 32 >= step) join(i, i - step);
  for (std::ptrdiff_t i = 32; i < end; ++i)
    if (i % 32 != 31) join(i, i / 32 * 32 - 1);
  std::copy(tree.begin() + first, tree.end(), x.begin());
}
/// Kokkos' exclusive scan of a team: round by round.
template <class T>
std::vector<T> scan_team_as_kokkos(std::vector<T> const& x, unsigned threads) {
  std::vector<T> prefixes;
  T carry = 0;
  for (std::size_t begin = 0; begin < x.size(); begin += threads) {
    std::vector<T> round(threads, T(0));
    for (unsigned t = 0; t < threads && begin + t < x.size(); ++t)
      round[t] = x[begin + t];
    scan_block_as_kokkos(round);
    for (unsigned t = 0; t < threads; ++t) {
      T sum = carry + (t == 0 ? T(0) : round[t - 1]);
      if (begin + t < x.size()) {
        prefixes.push_back(sum);
        sum += x[begin + t];
      }
      if (t == threads - 1) carry = sum;
    }
  }
  prefixes.push_back(carry);
  return prefixes;
}

template <class T, class Index>
void check_team_scan(Random& random, unsigned threads, Index begin, int size) {
  std::vector<T> x(size), prefixes(size + 1);
  for (T& each : x) each = T(random.uniform(-1, 1) * 1024);
  std::vector<int> finals(size, 0);
  std::vector<T> totals(threads);
  std::vector<T> shared(2 * (threads / 32 + 2));
  run_block(
      [&] {
        using Wide          = decltype(Index() + int());
        totals[threadIdx.y] = Impl::Cuda::overlapped_team_scan<2, T>(
            {threadIdx.y, threads}, Wide(begin), Wide(begin + size),
            [&](Wide i, T& value, bool final) {
              auto const at = std::size_t(i - Wide(begin));
              if (final) prefixes.at(at) = value;
              value += x.at(at);
              finals.at(at) += final;
            },
            shared.data());
      },
      dim3(1, threads));
  for (T const& total : totals) ASSERT_EQ(total, totals[0]);
  prefixes.back() = totals[0];
  ASSERT_EQ(prefixes, scan_team_as_kokkos(x, threads))
      << threads << " threads, " << size;
  ASSERT_EQ(finals, std::vector<int>(size, 1));
}
TEST(LoopKernels, ScansOfTeamsInTheOrderOfKokkos) {
  Random random;
  for (unsigned const threads : {1u, 5u, 8u, 20u, 32u, 64u, 96u, 128u, 416u})
    for (int const size : {0, 1, int(threads), int(threads) + 1, 700}) {
      check_team_scan<float>(random, threads, 3, size);
      check_team_scan<std::int64_t>(random, threads, std::int64_t(-7), size);
    }
  check_team_scan<double>(random, 1024, std::uint8_t(0), 200);
}

/// The last block of a box that is too long to run, in both orders.
TEST(LoopKernels, BoxesOfTwoBillionIndicesInADimension) {
  LoopSpace loop;
  loop.rank   = 2;
  loop.begin  = {-3, 9};
  loop.extent = {(std::uint64_t(1) << 31) - 1, 5, 1, 1, 1, 1};
  for (int const fast : {0, 1}) {
    LoopGrid grid;
    LoopBox const box = Impl::lay_out_box(loop, {64, 4, 4, fast}, grid);
    ASSERT_GT(grid.blocks, 1u << 20);
    std::vector<std::array<std::int64_t, 2>> seen;
    auto const f = [&seen](std::int64_t i, std::int64_t j) {
      seen.push_back({i, j});
    };
    blockDim = {grid.threads, 1, 1};
    blockIdx = {grid.blocks - 1, 0, 0};
    for (unsigned thread = 0; thread < grid.threads; ++thread) {
      threadIdx = {thread, 0, 0};
      Impl::Cuda::streamed_for<std::int64_t, std::remove_const_t<decltype(f)>,
                               Impl::Cuda::MDRangePolicyLoop<2, true>>(f, box);
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
    ASSERT_FALSE(seen.empty());
    std::array<std::int64_t, 2> const last = {
        loop.begin[0] + std::int64_t(loop.extent[0]) - 1, 13};
    EXPECT_EQ(seen.back(), last);
    EXPECT_GT(seen.front()[0], last[0] - 128);
    EXPECT_GE(seen.front()[1], 9);
  }
}

/// Counts its invocations in a mutable member.
struct CountsItself {
  std::vector<int>* seen;
  mutable int count = 0;
  template <class... Index>
  void operator()(Index...) const {
    seen->push_back(++count);
  }
};
/// With a copy of the functor per thread, in Kokkos a thread makes one
/// invocation: what that wrote into its copy is not in the next one.
TEST(LoopKernels, EachInvocationHasTheFunctorAsItWas) {
  std::vector<int> seen;
  CountsItself const f{&seen};
  threadIdx = blockIdx = {0, 0, 0};
  LoopSpace loop;
  loop.extent[0] = 10000;
  LoopGrid grid;
  LoopRange const range = Impl::lay_out_range(loop, {256, 1, 4}, grid);
  blockDim              = {grid.threads, 1, 1};
  Impl::Cuda::streamed_for<int, CountsItself, Impl::Cuda::RangePolicyLoop,
                           true>(f, range);
  EXPECT_EQ(seen, std::vector<int>(4, 1));
  loop.rank         = 2;
  loop.extent[1]    = 100;
  LoopBox const box = Impl::lay_out_box(loop, {64, 4, 4}, grid);
  blockDim          = {grid.threads, 1, 1};
  seen.clear();
  Impl::Cuda::streamed_for<int, CountsItself,
                           Impl::Cuda::MDRangePolicyLoop<2, true>, true>(f,
                                                                         box);
  EXPECT_EQ(seen, std::vector<int>(4, 1));
  EXPECT_EQ(f.count, 0);
}

using Times = Impl::Cuda::LaunchTimes;

/// A loop that no test has seen, nor a run of this one before.
Times::Loop new_loop() {
  static unsigned size_class = 0;
  return {0, &space, ++size_class, false};
}

/// Runs one call whose candidates take these times; what it ran.
int run_call(Times::Loop const& loop, std::vector<float> const& times,
             int unmeasured = 0) {
  auto& all        = Times::instance();
  auto const trial = all.begin(loop, int(times.size()), nullptr, unmeasured);
  emulated_clock += times[trial.candidate];
  all.end(loop, trial, nullptr);
  return trial.candidate;
}

TEST(LaunchTimes, TheFastestStays) {
  Times::Loop const loop = new_loop();
  // What nodes of graphs ask for.
  std::vector<int> ran, decided;
  for (int n = 0; n < 12; ++n) {
    decided.push_back(Times::instance().decided(loop));
    ran.push_back(run_call(loop, {4, 2, 3}));
  }
  EXPECT_EQ(ran, (std::vector<int>{0, 1, 2, 0, 1, 2, 1, 2, 1, 1, 1, 1}));
  EXPECT_EQ(std::count(decided.begin(), decided.end(), 1), 3);
  EXPECT_EQ(decided[8], Impl::LaunchChooser::none);
  // Another size and another device are other loops.
  EXPECT_EQ(run_call(new_loop(), {4, 2, 3}), 0);
  Times::Loop elsewhere = loop;
  elsewhere.device_id   = 1;
  EXPECT_EQ(run_call(elsewhere, {4, 2, 3}), 0);
}

/// A choice that turns out to be slow with other data is given up.
TEST(LaunchTimes, AWatchedChoiceThatTurnsSlowIsGivenUp) {
  Times::Loop const loop = new_loop();
  auto& all              = Times::instance();
  auto const run         = [&](float second) {
    auto const trial = all.begin(loop, 2, nullptr, 0, 0, true);
    emulated_clock += trial.candidate == 0 ? 10 : second;
    all.end(loop, trial, nullptr);
    return trial.candidate;
  };
  for (int n = 0; n < 200; ++n) run(9);
  EXPECT_EQ(all.decided(loop), 1);
  for (int slow = 0; run(13) == 1; ++slow) ASSERT_LT(slow, 200);
  EXPECT_EQ(all.decided(loop), 0);
}

TEST(LaunchTimes, TheFirstCallsMayGoUnmeasured) {
  Times::Loop const loop = new_loop();
  std::vector<int> ran;
  for (int n = 0; n < 10; ++n) ran.push_back(run_call(loop, {4, 2}, 3));
  EXPECT_EQ(ran, (std::vector<int>{0, 0, 0, 0, 1, 0, 1, 1, 1, 1}));
}

/// Nothing waits for events: as long as they are not done, the first candidate
/// runs, and no more pairs are made than the bound.
TEST(LaunchTimes, EventsThatAreNotDone) {
  emulated_events_done = false;
  int const before     = emulated_events;
  std::vector<int> ran;
  Times::Loop const loop = new_loop();
  std::vector<Times::Loop> others;
  for (int n = 0; n < 300; ++n) others.push_back(new_loop());
  for (int n = 0; n < 12; ++n) ran.push_back(run_call(loop, {4, 2}));
  EXPECT_EQ(ran, (std::vector<int>{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  for (Times::Loop const& each : others) run_call(each, {4, 2});
  EXPECT_LE(emulated_events, before + 2 * Times::max_pairs);
  emulated_events_done = true;
  // Then they are read, and used again.
  for (int n = 0; n < 4; ++n) EXPECT_EQ(run_call(loop, {4, 2}), 1);
  int const all = emulated_events;
  for (Times::Loop const& each : others) run_call(each, {4, 2});
  EXPECT_EQ(emulated_events, all);
}

/// Events belong to a device. Those that another one no longer needs are made
/// anew.
TEST(LaunchTimes, ADeviceGetsEventsThatAnotherOneHad) {
  emulated_events_done = false;
  for (int n = 0; n < 300; ++n) run_call(new_loop(), {4, 2});
  emulated_events_done = true;
  int const before     = emulated_events;
  Times::Loop loop     = new_loop();
  loop.device_id       = 2;
  std::vector<int> const ran{run_call(loop, {4, 2}), run_call(loop, {4, 2})};
  EXPECT_EQ(ran, (std::vector<int>{0, 1}));
  EXPECT_EQ(emulated_events, before);
}

/// Recording an event waits if the stream has too many launches in flight,
/// perhaps for a call of another host thread.
TEST(LaunchTimes, AFullStreamHoldsNoOther) {
  static Times::Loop loop;
  for (bool const at_end : {false, true}) {
    loop = new_loop();
    Times::Trial trial;
    if (at_end) trial = Times::instance().begin(loop, 2, nullptr);
    expect_goes_on([] { Times::instance().decided(loop); },
                   [&] {
                     if (at_end)
                       Times::instance().end(loop, trial, nullptr);
                     else
                       run_call(loop, {4, 2});
                   });
  }
}

TEST(LaunchTimes, ACapturedStreamIsNotMeasured) {
  emulated_capture       = true;
  Times::Loop const loop = new_loop();
  for (int n = 0; n < 5; ++n) EXPECT_EQ(run_call(loop, {4, 2}), 0);
  emulated_capture = false;
  for (int n = 0; n < 6; ++n) EXPECT_EQ(run_call(loop, {2.5f, 2}), n % 2);
  run_call(loop, {2.5f, 2});
  emulated_capture = true;
  EXPECT_EQ(run_call(loop, {2.5f, 2}), 1);
  emulated_capture = false;
}

TEST(LaunchTimes, ALaunchThatFailsIsNotTriedAgain) {
  Times::Loop const loop = new_loop();
  auto& all              = Times::instance();
  EXPECT_EQ(run_call(loop, {4, 2, 3}), 0);
  auto const trial = all.begin(loop, 3, nullptr);
  ASSERT_EQ(trial.candidate, 1);
  all.cannot_run(loop, trial);
  int last = 0;
  for (int n = 0; n < 10; ++n) {
    last = run_call(loop, {4, 2, 3});
    EXPECT_NE(last, 1);
  }
  EXPECT_EQ(last, 2);
}

TEST(LaunchTimes, NothingIsLeftAtTheEndOfKokkos) {
  Times times;  // of this test only
  int const before = emulated_events;
  for (bool const done : {true, false, false}) {
    emulated_events_done = done;
    auto const trial     = times.begin({0, &space, 1, false}, 2, nullptr);
    times.end({0, &space, 1, false}, trial, nullptr);
  }
  emulated_events_done = true;
  times.release();
  EXPECT_EQ(emulated_events, before);
  auto const trial = times.begin({0, &space, 1, false}, 2, nullptr);
  EXPECT_EQ(trial.candidate, 0);
  EXPECT_EQ(trial.start, nullptr);
  EXPECT_EQ(emulated_events, before);
}

}  // namespace
