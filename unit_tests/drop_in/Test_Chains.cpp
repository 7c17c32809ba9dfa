// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of one instance that depend on each other and on other work of the
// application, without a fence between them: from compute capability 9.0 on, a
// kernel may start before the previous one has ended. Only chains of calls:
// random_calls.

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_LoopSupport.hpp>

#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>

#include <algorithm>
#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Cuda   = Kokkos::Cuda;
using Number = std::uint64_t;
template <class Space>
using Numbers = Kokkos::View<Number*, Space>;

/// Reads what other blocks of the previous kernel wrote, and writes in place.
template <class Space>
struct Gather {
  Numbers<Space> to, from;
  Number step;
  KOKKOS_FUNCTION void operator()(int i) const {
    to(i) = 3 * to(i) + from((i * step + 7) % to.extent(0)) + 1;
  }
};
/// Most of its blocks return without an access.
struct AddToFew {
  Numbers<Cuda> to;
  Kokkos::View<Number, Cuda> value;
  KOKKOS_FUNCTION void operator()(int i) const {
    if (i % 1000 != 3) return;
    to(i) += value();
  }
};
struct Total {
  Numbers<Cuda> from;
  KOKKOS_FUNCTION void operator()(int i, Number& sum) const {
    sum += from(i) * (i + 1);
  }
};

template <class F>
void run_loop(Cuda const& exec, int n, F const& f) {
  Kokkos::parallel_for("loop", Kokkos::RangePolicy<Cuda>(exec, 0, n), f);
}
/// One invocation after the other.
template <class F>
void on_host(int n, F const& f) {
  for (int i = 0; i < n; ++i) f(i);
}

/// Lets the next kernel start, and writes much later.
__global__ void write_late(Number* to, int n, Number value) {
  Impl::Cuda::GridDependency::release();
  for (long long const start = clock64(); clock64() - start < 200000;) {
  }
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    to[i] = value + i;
}

/// A kernel of the application that lets the next one start.
TEST(Chains, AfterAKernelThatEndsLate) {
  int const n = 20011;
  Cuda const exec;
  ScopedSettings const scope(Settings{Route::streamed});
  Numbers<Cuda> const x("x", n), y("y", n);
  Kokkos::View<Number, Cuda> const zero("zero"), sum("sum");
  Number expected = 0;
  for (int round = 0; round < 20; ++round) {
    write_late<<<20, 64, 0, exec.cuda_stream()>>>(x.data(), n, round);
    // Its blocks have nothing to do; the next kernel reads what the one before
    // them wrote.
    if (round % 2 == 1) run_loop(exec, 3, AddToFew{y, zero});
    if (round % 4 < 2) {
      run_loop(exec, n, Gather<Cuda>{y, x, 1});
    } else {
      Kokkos::parallel_reduce(Kokkos::RangePolicy<Cuda>(exec, 0, n), Total{x},
                              sum);
      expected = 0;
      for (int i = 0; i < n; ++i) expected += Number(round + i) * (i + 1);
      EXPECT_EQ(value_of(sum), expected) << round;
    }
  }
  auto const found = host_copy(y);
  for (int i = 0; i < n; ++i) {
    Number value = 0;
    for (int round = 0; round < 20; ++round)
      if (round % 4 < 2) value = 3 * value + round + (i + 7) % n + 1;
    ASSERT_EQ(found(i), value) << i;
  }
}

/// Threads of all multiprocessors read numbers, of whose sectors one thread
/// writes the others, late.
struct WriteBesideReaders {
  Numbers<Cuda> x, sink;
  int last;
  Number value;
  KOKKOS_FUNCTION void operator()(int i) const {
    Number sum = 0;
    for (int s = 0; s < 16; ++s) sum += x(4 * s + 1 + i % 3);
    if (sum == 1) sink(0) = sum;
    if (i != last) return;
    KOKKOS_IF_ON_DEVICE(
        (for (long long const start = clock64(); clock64() - start < 20000;){}))
    for (int s = 0; s < 16; ++s) x(4 * s) = value;
  }
};
struct CountOthers {
  Kokkos::View<Number const*, Cuda, Kokkos::MemoryTraits<Kokkos::RandomAccess>>
      x;
  Number value;
  KOKKOS_FUNCTION void operator()(int, Number& wrong) const {
    for (int s = 0; s < 16; ++s) wrong += x(4 * s) != value;
  }
};

/// No multiprocessor may use what its cache has from before the write.
TEST(Chains, LinesThatTheKernelBeforeHasRead) {
  int const n = Cuda().concurrency() / 4;
  ScopedSettings const scope(Settings{Route::streamed});
  Numbers<Cuda> const x("x", 64), sink("sink", 1);
  Kokkos::View<Number*, Cuda> const wrong("wrong", 100);
  for (int round = 0; round < 100; ++round) {
    Number const value = round + 2;
    run_loop(Cuda(), n, WriteBesideReaders{x, sink, n - 1, value});
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Cuda>(0, n),
                            CountOthers{x, value},
                            Kokkos::subview(wrong, round));
  }
  auto const found = host_copy(wrong);
  for (int round = 0; round < 100; ++round)
    EXPECT_EQ(found(round), 0u) << round;
}

/// Copies, fills, and events of other streams between loops.
TEST(Chains, BetweenWorkOfTheApplication) {
  int const n          = 5003;
  auto const instances = make_instances<Cuda>(2);
  Cuda const &a = instances[0], b = instances[1];
  Numbers<Cuda> const x("x", n), y("y", n), z("z", n);
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaSuccess,
            cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  auto const hand_over = [&](Cuda const& from, Cuda const& to) {
    EXPECT_EQ(cudaSuccess, cudaEventRecord(event, from.cuda_stream()));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(to.cuda_stream(), event, 0));
  };
  Numbers<Kokkos::HostSpace> const hx("x", n), hy("y", n), hz("z", n);
  std::size_t const bytes = n * sizeof(Number);
  Kokkos::fence();
  for (int round = 0; round < 150; ++round) {
    Number const step = 2 * round + 3;
    run_loop(a, n, Gather<Cuda>{x, z, step});
    run_loop(a, n, Gather<Cuda>{z, x, step});
    hand_over(a, b);
    run_loop(b, n, Gather<Cuda>{y, z, step});
    cudaMemcpyAsync(z.data(), y.data(), bytes, cudaMemcpyDeviceToDevice,
                    b.cuda_stream());
    run_loop(b, n, Gather<Cuda>{y, z, step});
    cudaMemsetAsync(z.data(), round, bytes / 2, b.cuda_stream());
    hand_over(b, a);

    on_host(n, Gather<Kokkos::HostSpace>{hx, hz, step});
    on_host(n, Gather<Kokkos::HostSpace>{hz, hx, step});
    on_host(n, Gather<Kokkos::HostSpace>{hy, hz, step});
    std::copy_n(hy.data(), n, hz.data());
    on_host(n, Gather<Kokkos::HostSpace>{hy, hz, step});
    std::fill_n(reinterpret_cast<unsigned char*>(hz.data()), bytes / 2,
                static_cast<unsigned char>(round));
  }
  Kokkos::fence();
  cudaEventDestroy(event);
  auto const fx = host_copy(x), fy = host_copy(y), fz = host_copy(z);
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(fx(i), hx(i)) << i;
    ASSERT_EQ(fy(i), hy(i)) << i;
    ASSERT_EQ(fz(i), hz(i)) << i;
  }
}

}  // namespace
