// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an application does with CUDA itself, around its calls: errors that it
// has handled, streams that come and go, streams that it captures, memory that
// the host reads as soon as a call returns.

#include <KokkosMMA_TestSupport.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#ifdef KOKKOS_ENABLE_CUDA

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

using Policy = Kokkos::RangePolicy<Kokkos::Cuda>;
template <class T>
using Pinned = Kokkos::View<T, Kokkos::SharedHostPinnedSpace>;

/// Adds i % 7 + 1, and writes it where there is memory for it.
struct AddAndWrite {
  using value_type      = std::int64_t;
  std::int64_t* written = nullptr;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update) const {
    update += i % 7 + 1;
    if (written != nullptr) written[i] = i % 7 + 1;
  }
  /// Its scan: writes the sum up to i, i included.
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update,
                                  bool last) const {
    update += i % 7 + 1;
    if (last && written != nullptr) written[i] = update;
  }
};
constexpr std::int64_t sum_of(std::int64_t n) {
  std::int64_t const rest = n % 7;
  return n / 7 * 28 + rest * (rest + 1) / 2;
}

std::size_t used_memory() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaSuccess, cudaMemGetInfo(&free, &total));
  return total - free;
}

/// An error that a call has reported already, still the host thread's last one.
cudaError_t leave_an_error() {
  void* memory = nullptr;
  return cudaMalloc(&memory, std::size_t(1) << 60);
}

/// Its kernel needs more shared memory than every kernel may have.
struct AddToArray {
  using value_type = std::int64_t[];
  int value_count;
  KOKKOS_FUNCTION void operator()(int i, std::int64_t* sums) const {
    for (int e = 0; e < value_count; ++e) sums[e] += i + e;
  }
};

TEST(Surroundings, AnErrorThatWasHandledBefore) {
  int const n = 100000;
  for (Route const route : {Route::generic, Route::automatic}) {
    SCOPED_TRACE(to_string(route));
    ScopedSettings const scope(Settings{route});
    ASSERT_EQ(cudaErrorMemoryAllocation, leave_an_error());
    std::int64_t sum = poison<std::int64_t>(), total = sum;
    Kokkos::parallel_reduce(n, AddAndWrite(), sum);
    EXPECT_EQ(sum_of(n), sum);
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaPeekAtLastError());
    Kokkos::parallel_scan(n, AddAndWrite(), total);
    EXPECT_EQ(sum_of(n), total);
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaPeekAtLastError());
    std::int64_t sums[100];
    Kokkos::parallel_reduce(n, AddToArray{100}, sums);
    for (int e = 0; e < 100; ++e)
      EXPECT_EQ(std::int64_t(n) * (n - 1) / 2 + std::int64_t(n) * e, sums[e]);
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaPeekAtLastError());
    cudaGetLastError();
    EXPECT_EQ(route == Route::generic ? Route::generic : Route::streamed,
              last_route());
  }
}

/// Calls on streams that live no longer than they take.
void use_streams(int count) {
  std::vector<cudaStream_t> streams(count);
  for (auto& stream : streams)
    ASSERT_EQ(cudaSuccess, cudaStreamCreate(&stream));
  std::vector<std::int64_t> scalars(count, poison<std::int64_t>());
  Kokkos::View<std::int64_t*, Kokkos::Cuda> const sums("sums", count),
      totals("totals", count), last("last", count);
  Kokkos::deep_copy(sums, -1);
  Kokkos::deep_copy(totals, -1);
  for (int i = 0; i < count; ++i) {
    Kokkos::Cuda const exec(streams[i]);
    int const n = 1000 * i + 1;
    Kokkos::parallel_reduce(Policy(exec, 0, n), AddAndWrite(),
                            Kokkos::subview(sums, i));
    auto const total = Kokkos::subview(totals, i);
    Kokkos::parallel_scan(Policy(exec, 0, n), AddAndWrite(), total);
    Kokkos::parallel_reduce(Policy(exec, 0, n), AddAndWrite(), scalars[i]);
    // Long ones are measured.
    Kokkos::parallel_for(
        Policy(exec, 0, 5 * n), KOKKOS_LAMBDA(int k) {
          if (k == 5 * n - 1) last(i) = k;
        });
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  }
  for (auto const stream : streams)
    ASSERT_EQ(cudaSuccess, cudaStreamDestroy(stream));
  auto const host_sums   = host_copy(sums);
  auto const host_totals = host_copy(totals);
  auto const host_last   = host_copy(last);
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(sum_of(1000 * i + 1), host_sums(i)) << "stream " << i;
    ASSERT_EQ(sum_of(1000 * i + 1), host_totals(i)) << "stream " << i;
    ASSERT_EQ(sum_of(1000 * i + 1), scalars[i]) << "stream " << i;
    ASSERT_EQ(5000 * i + 4, host_last(i)) << "stream " << i;
  }
}

TEST(Surroundings, StreamsThatComeAndGoTakeNoMemoryAlong) {
  use_streams(64);
  Kokkos::fence();
  std::size_t const before = used_memory();
  for (int round = 0; round < 20; ++round) use_streams(64);
  Kokkos::fence();
  // A slab of the allocator at most.
  EXPECT_LE(used_memory(), before + (std::size_t(4) << 20));
}

/// What the functor has written to pinned memory is there when a call returns
/// whose result is in memory of the host.
template <class Call>
void check_written(Call const& call) {
  int const n = 1 << 22;
  Pinned<std::int64_t*> const written("written", n);
  for (int repetition = 0; repetition < 10; ++repetition) {
    std::fill_n(written.data(), n, poison<std::int64_t>());
    std::int64_t const result               = call(n, written.data());
    std::int64_t volatile const* const seen = written.data();
    // The places that are written last first.
    std::size_t missing = 0;
    for (int i = n - 1; i >= 0; --i)
      missing += seen[i] == poison<std::int64_t>();
    ASSERT_EQ(0u, missing) << "of " << n << ", repetition " << repetition;
    ASSERT_EQ(sum_of(n), result);
  }
}
TEST(Surroundings, WhatAReductionWroteIsThere) {
  std::int64_t number = 0;
  Kokkos::View<std::int64_t, Kokkos::HostSpace> const view("result");
  Kokkos::View<std::int64_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const
      unmanaged(&number);
  auto const check = [](auto&& result, std::int64_t const& value) {
    check_written([&](int n, std::int64_t* written) {
      Kokkos::parallel_reduce(n, AddAndWrite{written}, result);
      EXPECT_EQ(Route::streamed, last_route());
      return value;
    });
  };
  check(view, view());
  check(unmanaged, number);
  check(number, number);
  check(Kokkos::Sum<std::int64_t>(number), number);
  check(Kokkos::Sum<std::int64_t, Kokkos::HostSpace>(view), view());
}
TEST(Surroundings, WhatAScanWroteIsThere) {
  Kokkos::View<std::int64_t, Kokkos::HostSpace> const total("total");
  check_written([&](int n, std::int64_t* written) {
    Kokkos::parallel_scan(n, AddAndWrite{written}, total);
    EXPECT_EQ(Route::streamed, last_route());
    return total();
  });
}

/// What the application sees of a capture: an exception or not, and the end's
/// error code.
using Seen = std::pair<bool, cudaError_t>;

class Captures : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaSuccess, cudaStreamCreate(&stream)); }
  void TearDown() override { cudaStreamDestroy(stream); }

  template <class Call>
  Seen capture(Call const& call, cudaGraph_t& graph) const {
    Kokkos::Cuda const exec(stream);
    call(exec);  // code is loaded and memory is there
    exec.fence();
    EXPECT_EQ(cudaSuccess,
              cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    bool thrown = false;
    try {
      call(exec);
    } catch (std::runtime_error const&) {
      thrown = true;
    }
    graph                 = nullptr;
    cudaError_t const end = cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    return {thrown, end};
  }

  /// With the drop-in as without.
  template <class Call>
  void check_as_kokkos(Call const& call) const {
    cudaGraph_t graph = nullptr;
    Seen plain, ours;
    {
      ScopedSettings const scope(Settings{Route::generic});
      plain = capture(call, graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
    }
    ours = capture(call, graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    EXPECT_EQ(plain, ours);
    // The device goes on.
    std::int64_t sum = poison<std::int64_t>();
    Kokkos::parallel_reduce(1000, AddAndWrite(), sum);
    EXPECT_EQ(sum_of(1000), sum);
  }

  cudaStream_t stream = nullptr;
};

TEST_F(Captures, AResultOnTheHostEndsAsInKokkos) {
  check_as_kokkos([](Kokkos::Cuda const& exec) {
    std::int64_t sum = 0;
    Kokkos::parallel_reduce(Policy(exec, 0, 5000), AddAndWrite(), sum);
  });
  // Kokkos waits for the device where it frees a View.
  Kokkos::View<std::int64_t, Kokkos::HostSpace> const sum("sum");
  check_as_kokkos([&](Kokkos::Cuda const& exec) {
    Kokkos::parallel_reduce(Policy(exec, 0, 5000), AddAndWrite(), sum);
  });
  check_as_kokkos([](Kokkos::Cuda const& exec) {
    std::int64_t total = 0;
    Kokkos::parallel_scan(Policy(exec, 0, 5000), AddAndWrite(), total);
  });
}

TEST_F(Captures, AResultOnTheDeviceIsAGraph) {
  auto const sum = poisoned_view<std::int64_t, Kokkos::Cuda>();
  Kokkos::View<std::int64_t*, Kokkos::Cuda> const prefixes("prefixes", 50000);
  cudaGraph_t graph = nullptr;
  Seen const seen   = capture(
      [&](Kokkos::Cuda const& exec) {
        Kokkos::parallel_reduce(Policy(exec, 0, 50000), AddAndWrite(), sum);
        EXPECT_EQ(Route::streamed, last_route());
        Kokkos::parallel_scan(Policy(exec, 0, 50000),
                                AddAndWrite{prefixes.data()});
      },
      graph);
  EXPECT_FALSE(seen.first) << "an exception";
  ASSERT_EQ(cudaSuccess, seen.second) << cudaGetErrorString(seen.second);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&executable, graph, 0));
  for (int launch = 0; launch < 3; ++launch) {
    Kokkos::deep_copy(sum, poison<std::int64_t>());
    Kokkos::deep_copy(prefixes, poison<std::int64_t>());
    Kokkos::fence();
    ASSERT_EQ(cudaSuccess, cudaGraphLaunch(executable, stream));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    EXPECT_EQ(sum_of(50000), value_of(sum));
    auto const host = host_copy(prefixes);
    for (int i = 0; i < 50000; ++i) ASSERT_EQ(sum_of(i + 1), host(i));
    use_streams(8);  // others take no scratch of a graph
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

}  // namespace

#endif
