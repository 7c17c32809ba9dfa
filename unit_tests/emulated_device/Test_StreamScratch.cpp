// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which scratch the calls of a stream use.

#include "WaitingCalls.hpp"

#include <backends/cuda/kernels/scan/KokkosMMA_ExactScan.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_RunsByKey.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::Cuda::Scratch;
using Impl::Cuda::StreamScratch;

Impl::Cuda::Stream stream(std::size_t number) {
  return {0, reinterpret_cast<cudaStream_t>(16 * (1000 + number))};
}
Scratch* of(Impl::Cuda::Stream const& stream) {
  return StreamScratch(stream).operator->();
}

/// A graph of one thread may run beside one of the other.
TEST(StreamScratch, ThreadsCaptureTheirOwnStreams) {
  struct Capture {
    Capture() { emulated_capture = true; }
    ~Capture() { emulated_capture = false; }
  } const capture;
  Impl::Cuda::Stream const per_thread(0, cudaStreamPerThread);
  Scratch* const here = of(per_thread);
  EXPECT_EQ(of(per_thread), here);
  Scratch* there = nullptr;
  std::thread([&] { there = of(per_thread); }).join();
  EXPECT_NE(there, here);
  EXPECT_EQ(of(stream(1)), of(stream(1)));
  EXPECT_NE(of(stream(1)), of(stream(2)));
}

/// Streams that come and go use the same scratch one after the other.
TEST(StreamScratch, MovesWhenItsWorkIsDone) {
  for (int n = 0; n < 17; ++n) of(stream(10));
  Scratch* const first = of(stream(10));
  for (int n = 0; n < 16; ++n) EXPECT_NE(of(stream(11)), first);
  int const allocations = emulated_allocations;
  Scratch* const third  = of(stream(12));
  EXPECT_EQ(emulated_allocations, allocations);
  EXPECT_NE(third, of(stream(11)));
  {
    StreamScratch const one(stream(12)), two(stream(13));
    EXPECT_NE(one.operator->(), two.operator->());
  }
  emulated_events_done = false;
  EXPECT_NE(of(stream(14)), of(stream(15)));
  emulated_events_done = true;
}

/// An application may query an error of its own much later. Work in progress is
/// an error of the host thread, which would replace it.
TEST(StreamScratch, AnErrorOfTheApplicationStays) {
  emulated_events_done = false;
  of(stream(80));
  for (int n = 0; n < 17; ++n) of(stream(81));
  emulated_error = cudaErrorMemoryAllocation;
  of(stream(82));
  emulated_events_done = true;
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);

  StreamScratch const scratch(stream(82));
  for (int n = 0; n < Scratch::results_by_copy; ++n) scratch->take_words(4);
  auto const lock = scratch->take_words(4);
  static volatile unsigned long long* words;
  words          = scratch->words();
  emulated_work  = [] { *words = Impl::Cuda::result_mark | 7; };
  emulated_error = cudaErrorMemoryAllocation;
  int result     = 0;
  scratch->receive(&result, sizeof(result), scratch.stream());
  EXPECT_EQ(result, 7);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

/// Nor does memory grow with each stream of an application that never queries
/// its error.
TEST(StreamScratch, StreamsOfAnApplicationWithAnErrorShareScratch) {
  emulated_error = cudaErrorMemoryAllocation;
  std::set<Scratch*> all;
  for (std::size_t s = 0; s < 200; ++s)
    for (int n = 0; n < 20; ++n) all.insert(of(stream(1000 + s)));
  EXPECT_LE(all.size(), 64u);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

/// Streams whose small calls take turns keep their scratch, although it is free
/// before the next call.
TEST(StreamScratch, StaysWhileStreamsTakeTurns) {
  constexpr std::size_t streams = 8;
  Scratch* own[streams];
  for (std::size_t s = 0; s < streams; ++s) own[s] = of(stream(50 + s));
  EXPECT_EQ(std::set<Scratch*>(own, own + streams).size(), streams);
  int const queries = emulated_event_queries;
  for (int round = 0; round < 3; ++round)
    for (std::size_t s = 0; s < streams; ++s)
      EXPECT_EQ(of(stream(50 + s)), own[s]);
  EXPECT_EQ(emulated_event_queries, queries);
}

/// Recording an event waits if the stream has too many launches in flight, and
/// an allocation or a load may wait for kernels: perhaps for a call of another
/// host thread, which must not wait for a lock.
TEST(StreamScratch, WhatWaitsForKernelsHoldsNoOtherStream) {
  static char const kernels[2]{};
  auto const other = [] {
    of(stream(60));
    Impl::Cuda::facts_of_kernel(0, kernels, 0, 0);
    Impl::Cuda::load_kernel(0, kernels);
  };
  other();
  expect_goes_on(other, [] { of(stream(60)); });
  emulated_events_done = false;
  expect_goes_on(other, [] { of(stream(61)); });
  emulated_events_done = true;
  emulated_capture     = true;
  expect_goes_on(other, [] { of(stream(62)); });
  emulated_capture = false;
  expect_goes_on(other,
                 [] { Impl::Cuda::facts_of_kernel(0, kernels + 1, 0, 0); });
  expect_goes_on(other, [] { Impl::Cuda::load_kernel(0, kernels + 1); });
}

/// Nor does growing hold a host thread that uses the same stream, which may
/// allocate more in that time. The larger memory is kept.
TEST(StreamScratch, GrowsWithoutHoldingItsStream) {
  static StreamScratch const scratch(stream(70));
  constexpr std::size_t bytes = std::size_t(1) << 20;
  static void* larger[3]{};
  int const allocations = emulated_allocations;
  expect_goes_on(
      [] {
        larger[0] = scratch->grid(1, 2 * bytes).partials;
        larger[1] = scratch->segments(2 * bytes);
        larger[2] = scratch->scan(2 * bytes / 8).words;
      },
      [] { EXPECT_EQ(scratch->grid(1, bytes).partials, larger[0]); });
  EXPECT_EQ(emulated_allocations, allocations + 4);
  EXPECT_EQ(scratch->segments(bytes), larger[1]);
  auto const scan = scratch->scan(bytes / 8);
  EXPECT_EQ(scan.words, larger[2]);
  EXPECT_GE(scan.capacity, 2 * bytes / 8);
  EXPECT_EQ(emulated_allocations, allocations + 4);
}

/// Nor does what allocates for a result on the host, or loads its kernel, hold
/// the words of the stream's results.
TEST(StreamScratch, ResultsAllocateWithoutHoldingTheWords) {
  static StreamScratch const* scratch;
  Impl::Cuda::Stream const space = stream(71);
  StreamScratch const of_space(space);
  scratch             = &of_space;
  auto const waits_in = [](auto const& call) {
    expect_goes_on([] { auto const lock = (*scratch)->take_words(4000); },
                   call);
  };
  waits_in([] {
    auto const lock = (*scratch)->take_words(400);
    EXPECT_TRUE(lock.owns_lock());
  });
  constexpr int n = 3000;
  std::vector<float> const x(n, 1);
  std::vector<float> y(n);
  float total = 0;
  waits_in([&] {
    using namespace Impl::Cuda;
    launch_exact_scan<Scalar::float32, Scalar::float32,
                      Impl::exact_carrier(Scalar::float32), true,
                      tuning_type<exact_scan_tuning()>>(
        space, *scratch,
        {reinterpret_cast<std::uint32_t const*>(x.data()), 1, y.data(), 1, n},
        {0, Impl::float_format(Scalar::float32)},
        Impl::float_format(Scalar::float32), &total, false);
  });
  EXPECT_EQ(total, n);
  EXPECT_EQ(y[n - 1], n);
  std::vector<std::int16_t> const keys(n, 7);
  std::int16_t key  = 0;
  std::int64_t runs = 0;
  float sum         = 0;
  auto const store  = [&](std::uint64_t, float value) { sum = value; };
  waits_in([&] {
    Impl::Cuda::launch_reduce_by_key<Impl::Operation::sum, Scalar::float32,
                                     float>(space, *scratch, keys.data(),
                                            x.data(), n, &key, 1, store, &runs,
                                            false);
  });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(key, 7);
  EXPECT_EQ(sum, n);
}

/// Calls on streams with work in flight share nothing. However many streams
/// come and go, memory stays bounded.
TEST(StreamScratch, HasOneScratchForEachBusyStream) {
  std::set<Scratch*> all;
  emulated_events_done = false;
  for (int n = 0; n < 20; ++n)
    for (std::size_t s = 0; s < 8; ++s) all.insert(of(stream(20 + s)));
  emulated_events_done = true;
  EXPECT_EQ(all.size(), 8u);
  for (int n = 0; n < 17; ++n) of(stream(30));
  int const allocations = emulated_allocations;
  for (std::size_t s = 0; s < 200; ++s)
    for (int n = 0; n < 20; ++n) of(stream(100 + s));
  EXPECT_EQ(emulated_allocations, allocations);
}

}  // namespace
