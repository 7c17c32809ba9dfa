// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The emulated device itself: it does what a kernel may rely on, and notices
// what one may not.

#include <backends/cuda/arch/KokkosMMA_Barrier.hpp>
#include <backends/cuda/arch/KokkosMMA_CopyAsync.hpp>
#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/arch/KokkosMMA_SharedBarrier.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace {

using namespace KokkosMMA::Impl::Cuda;

template <class Kernel>
void run(Kernel const& body, dim3 blocks, dim3 threads, int shared_bytes = 0,
         bool follows = false) {
  static Kernel const* current;
  current = &body;
  EXPECT_EQ(enqueue_kernel(nullptr, +[] { (*current)(); },
                           {blocks, threads, shared_bytes, follows}),
            cudaSuccess);
}

// Neighbours read what each other wrote; no thread is there first in all
// blocks.
TEST(EmulatedDevice, BarriersOrderSharedMemory) {
  std::vector<int> before(6), behind(6);
  auto const neighbours = [&](bool waits, std::vector<int>& wrong) {
    run(
        [&, waits] {
          KOKKOSMMA_DYNAMIC_SHARED(int, 4, values);
          int const t = int(threadIdx.x);
          values[t]   = t;
          if (waits) __syncthreads();
          wrong[blockIdx.x] += values[(t + 1) % 64] != (t + 1) % 64;
          wrong[blockIdx.x] += values[(t + 63) % 64] != (t + 63) % 64;
        },
        dim3(6), dim3(64), 64 * sizeof(int));
  };
  neighbours(true, behind);
  neighbours(false, before);
  for (int block = 0; block < 6; ++block) {
    EXPECT_EQ(behind[block], 0);
    EXPECT_GT(before[block], 32);
  }
}

TEST(EmulatedDevice, BarriersOfSomeThreads) {
  std::vector<int> order;
  run(
      [&] {
        if (threadIdx.x >= 64) return;  // the others wait for no one else
        PartialBarrier<1, 64>::wait();
        if (threadIdx.x == 0) order.push_back(int(blockIdx.x));
        __syncthreads();
      },
      dim3(2), dim3(96));
  EXPECT_EQ(order, (std::vector<int>{0, 1}));
}

TEST(EmulatedDevice, Shuffles) {
  std::array<std::array<int, 64>, 5> got{};
  std::array<unsigned, 2> ballots{};
  run(
      [&] {
        int const t     = int(threadIdx.x);
        int const lane  = t % 32;
        got[0][t]       = __shfl_sync(~0u, t, (lane + 3) % 32);
        got[1][t]       = __shfl_up_sync(~0u, t, 2);
        got[2][t]       = __shfl_down_sync(~0u, t, 5);
        got[3][t]       = __shfl_xor_sync(~0u, t, 16);
        got[4][t]       = __shfl_down_sync(~0u, t, 1, 8);
        ballots[t / 32] = __ballot_sync(~0u, t % 3 == 0);
      },
      dim3(1), dim3(64));
  std::array<unsigned, 2> expected{};
  for (int t = 0; t < 64; ++t) {
    int const lane = t % 32, first = t - lane;
    EXPECT_EQ(got[0][t], first + (lane + 3) % 32);
    EXPECT_EQ(got[1][t], lane < 2 ? t : t - 2);
    EXPECT_EQ(got[2][t], lane + 5 > 31 ? t : t + 5);
    EXPECT_EQ(got[3][t], first + (lane ^ 16));
    EXPECT_EQ(got[4][t], t % 8 == 7 ? t : t + 1);
    expected[t / 32] |= unsigned(t % 3 == 0) << lane;
  }
  EXPECT_EQ(ballots, expected);
}

// A copy has arrived when its group was waited for, and not before.
TEST(EmulatedDevice, AsynchronousCopies) {
  alignas(16) static int const from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int seen[4];
  run(
      [&] {
        KOKKOSMMA_DYNAMIC_SHARED(int, 16, to);
        CopyAsync16::copy(to, from);
        CopyAsync16::commit();
        CopyAsync16::copy(to + 4, from + 4);
        CopyAsync16::commit();
        seen[0] = to[3];
        CopyAsync16::wait<1>();
        seen[1] = to[3];
        seen[2] = to[7];
        CopyAsync16::wait<0>();
        seen[3] = to[7];
      },
      dim3(1), dim3(1), 32);
  EXPECT_EQ(seen[0], -1);
  EXPECT_EQ(seen[1], 4);
  EXPECT_EQ(seen[2], -1);
  EXPECT_EQ(seen[3], 8);
}

TEST(EmulatedDevice, BarriersInSharedMemory) {
  std::vector<int> seen;
  run(
      [&] {
        __shared__ unsigned long long place;
        SharedBarrier barrier(unsigned(__cvta_generic_to_shared(&place)));
        if (threadIdx.x == 0) barrier.init(2);
        __syncthreads();
        for (unsigned phase = 0; phase < 3; ++phase) {
          if (threadIdx.x < 2) barrier.arrive();
          barrier.wait(phase % 2);
          if (threadIdx.x == 5) seen.push_back(int(phase));
          __syncthreads();
        }
      },
      dim3(1), dim3(32));
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

using EmulatedDeviceDeathTest = testing::Test;

TEST(EmulatedDeviceDeathTest, EndsWhatWouldHang) {
  EXPECT_DEATH(run(
                   [] {
                     if (threadIdx.x == 0) PartialBarrier<1, 64>::wait();
                   },
                   dim3(1), dim3(64)),
               "what never comes");
}
TEST(EmulatedDeviceDeathTest, EndsAWarpThatIsOfTwoMinds) {
  EXPECT_DEATH(run(
                   [] {
                     if (threadIdx.x == 0)
                       __syncwarp();
                     else
                       __shfl_sync(~0u, 1, 0);
                   },
                   dim3(1), dim3(32)),
               "different operations");
}
TEST(EmulatedDeviceDeathTest, EndsCopiesThatAreNotAligned) {
  alignas(16) static unsigned char const from[32] = {};
  EXPECT_DEATH(run(
                   [] {
                     KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 16, to);
                     CopyAsync16::copy(to, from + 4);
                   },
                   dim3(1), dim3(1), 16),
               "not aligned");
}
TEST(EmulatedDevice, TakesAGridThatWaitsForTheOneInFront) {
  run([] { GridDependency::wait(); }, dim3(2), dim3(33), 0, true);
}
TEST(EmulatedDeviceDeathTest, EndsAGridThatShouldWaitForTheOneInFront) {
  EXPECT_DEATH(run(
                   [] {
                     if (threadIdx.x < 32) GridDependency::wait();
                   },
                   dim3(2), dim3(33), 0, true),
               "64 of 66 threads");
}
TEST(EmulatedDeviceDeathTest, EndsLaunchesThatNoDeviceTakes) {
  EXPECT_DEATH(run([] {}, dim3(1), dim3(1025)), "too many threads");
  EXPECT_DEATH(run([] {}, dim3(1), dim3(32), 228 * 1024), "too much shared");
}

}  // namespace
