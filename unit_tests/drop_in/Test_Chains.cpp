// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls of one instance that depend on each other, without a fence between
// them: from compute capability 9.0 on, a kernel may start before the previous
// one has ended.

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_LoopSupport.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#ifdef KOKKOS_ENABLE_CUDA
#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#endif

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Number = std::uint64_t;

KOKKOSMMA_TEST_EVERY_SPACE(Chains);

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
template <class Space>
struct AddToFew {
  Numbers<Space> to;
  Kokkos::View<Number, Space> value;
  KOKKOS_FUNCTION void operator()(int i) const {
    if (i % 1000 != 3) return;
    to(i) += value();
  }
};
template <class Space>
struct Transpose {
  Numbers<Space> to, from;
  int rows;
  KOKKOS_FUNCTION void operator()(int i, int j) const {
    to(i * 64 + j) ^= from(j * rows + i);
  }
};
template <class Space>
struct Total {
  Numbers<Space> from;
  KOKKOS_FUNCTION void operator()(int i, Number& sum) const {
    sum += from(i) * (i + 1);
  }
};
template <class Space>
struct Prefix {
  Numbers<Space> x;
  KOKKOS_FUNCTION void operator()(int i, Number& sum, bool last) const {
    sum += x(i);
    if (last) x(i) = sum;
  }
};

template <class Exec>
struct OnExec {
  using Space = Exec;
  Exec exec;

  template <class F>
  void loop(int n, F const& f) const {
    Kokkos::parallel_for("loop", Kokkos::RangePolicy<Exec>(exec, 0, n), f);
  }
  template <class F>
  void box(int n, int m, F const& f) const {
    Kokkos::parallel_for(
        "box",
        Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0}, {n, m}), f);
  }
  template <class F, class Result>
  void sum(int n, F const& f, Result const& result) const {
    Kokkos::parallel_reduce("sum", Kokkos::RangePolicy<Exec>(exec, 0, n), f,
                            result);
  }
  template <class F>
  void scan(int n, F const& f) const {
    Kokkos::parallel_scan("scan", Kokkos::RangePolicy<Exec>(exec, 0, n), f);
  }
};
/// One invocation after the other.
struct OnHost {
  using Space = Kokkos::HostSpace;

  template <class F>
  void loop(int n, F const& f) const {
    for (int i = 0; i < n; ++i) f(i);
  }
  template <class F>
  void box(int n, int m, F const& f) const {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j) f(i, j);
  }
  template <class F, class Result>
  void sum(int n, F const& f, Result const& result) const {
    result() = 0;
    for (int i = 0; i < n; ++i) f(i, result());
  }
  template <class F>
  void scan(int n, F const& f) const {
    Number sum = 0;
    for (int i = 0; i < n; ++i) f(i, sum, true);
  }
};

/// All numbers that a chain leaves.
template <class Run>
std::vector<Number> numbers_of_chain(Run const& run, int n, int rounds) {
  using Space = typename Run::Space;
  Numbers<Space> const x("x", n), y("y", n);
  Kokkos::View<Number, Space> const sum("sum");
  Kokkos::fence();
  for (int round = 0; round < rounds; ++round) {
    Number const step = 2 * round + 3;
    run.loop(n, Gather<Space>{x, y, step});
    run.loop(n, Gather<Space>{y, x, step});
    run.sum(n, Total<Space>{y}, sum);
    run.loop(n, AddToFew<Space>{x, sum});
    run.box(n / 64, 64, Transpose<Space>{y, x, n / 64});
    if (round % 5 == 0) run.scan(n, Prefix<Space>{y});
  }
  Kokkos::fence();
  std::vector<Number> all;
  for (auto const& view : {host_copy(x), host_copy(y)})
    all.insert(all.end(), view.data(), view.data() + n);
  all.push_back(value_of(sum));
  return all;
}

/// New loops, loops that are measured, and loops with a chosen launch.
TYPED_TEST(Chains, EachCallSeesThePreviousOne) {
  for (int const n : {777, 5003, 300007}) {
    int const rounds    = n < 100000 && on_cuda<TypeParam> ? 150 : every_launch;
    auto const expected = numbers_of_chain(OnHost(), n, rounds);
    for (Route const route : {Route::automatic, Route::streamed}) {
      ScopedSettings const scope(Settings{route});
      auto const found =
          numbers_of_chain(OnExec<TypeParam>{TypeParam()}, n, rounds);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        wrong += found[i] != expected[i];
      EXPECT_EQ(wrong, 0u) << "of " << n << ", " << to_string(route);
    }
  }
}

#ifdef KOKKOS_ENABLE_CUDA

using Cuda = Kokkos::Cuda;

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
TEST(ChainsOnCuda, AfterAKernelThatEndsLate) {
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
    if (round % 2 == 1)
      Kokkos::parallel_for(Kokkos::RangePolicy<Cuda>(exec, 0, 3),
                           AddToFew<Cuda>{y, zero});
    if (round % 4 < 2) {
      Kokkos::parallel_for(Kokkos::RangePolicy<Cuda>(exec, 0, n),
                           Gather<Cuda>{y, x, 1});
    } else {
      Kokkos::parallel_reduce(Kokkos::RangePolicy<Cuda>(exec, 0, n),
                              Total<Cuda>{x}, sum);
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

/// Copies, fills, and events of other streams between loops.
TEST(ChainsOnCuda, BetweenWorkOfTheApplication) {
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
    OnExec<Cuda>{a}.loop(n, Gather<Cuda>{x, z, step});
    OnExec<Cuda>{a}.loop(n, Gather<Cuda>{z, x, step});
    hand_over(a, b);
    OnExec<Cuda>{b}.loop(n, Gather<Cuda>{y, z, step});
    cudaMemcpyAsync(z.data(), y.data(), bytes, cudaMemcpyDeviceToDevice,
                    b.cuda_stream());
    OnExec<Cuda>{b}.loop(n, Gather<Cuda>{y, z, step});
    cudaMemsetAsync(z.data(), round, bytes / 2, b.cuda_stream());
    hand_over(b, a);

    OnHost().loop(n, Gather<Kokkos::HostSpace>{hx, hz, step});
    OnHost().loop(n, Gather<Kokkos::HostSpace>{hz, hx, step});
    OnHost().loop(n, Gather<Kokkos::HostSpace>{hy, hz, step});
    std::copy_n(hy.data(), n, hz.data());
    OnHost().loop(n, Gather<Kokkos::HostSpace>{hy, hz, step});
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

#endif

}  // namespace
