// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos::parallel_for over ranges, as applications call it. Index types, tags
// and lengths: random_calls, loop_*. Instances and host threads, streams that
// come and go: Test_Asynchrony.cpp, Test_Surroundings.cpp.

#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_LoopSupport.hpp>

#include <Kokkos_DynamicView.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Loops);

// No multiples of a block: one launch that is measured against Kokkos' own
// after many calls; all shapes.
constexpr std::int64_t few_size = 5003, measured_size = 300007;
static_assert(few_size < std::int64_t(Impl::min_large_indices) &&
              measured_size >= std::int64_t(Impl::min_large_indices));

template <class Counts>
struct Count {
  Counts counts;
  KOKKOS_FUNCTION void operator()(int i) const { ++counts(i); }
};

/// So often that few indices are measured too.
TYPED_TEST(Loops, FewIndicesOfManyCalls) {
  using Exec = TypeParam;
  CallCounts<Exec> calls(few_size);
  Count<decltype(calls.counts)> const f{calls.counts};
  int const rounds =
      on_cuda<Exec> ? Impl::small_calls_before_measuring + every_launch : 3;
  for (int round = 0; round < rounds; ++round) {
    Kokkos::parallel_for("few", Kokkos::RangePolicy<Exec>(0, few_size), f);
    ASSERT_TRUE(calls.once()) << round;
  }
}

template <class Exec>
struct Multiply {
  Kokkos::View<double*, Exec> x;
  KOKKOS_FUNCTION void operator()(int i) const { x(i) = i; }
};

/// Atomics of 24 bytes take locks.
struct Wide {
  double a, b, c;
  friend bool operator==(Wide const&, Wide const&) = default;
  KOKKOS_FUNCTION friend Wide operator+(Wide const& x, Wide const& y) {
    return {x.a + y.a, x.b + y.b, x.c + y.c};
  }
};
template <class Exec>
void check_locks() {
  int const n = measured_size;
  Kokkos::View<Wide[64], Exec> const sums("sums");
  each_launch(
      [&] {
        Kokkos::deep_copy(sums, Wide{0, 0, 0});
        Kokkos::parallel_for(
            "locks", Kokkos::RangePolicy<Exec>(0, n), KOKKOS_LAMBDA(int i) {
              Kokkos::atomic_add(&sums(i % 64), Wide{1, 2, double(i % 64)});
            });
      },
      [&] {
        auto const host = host_copy(sums);
        for (int k = 0; k < 64; ++k) {
          double const calls = (n - k + 63) / 64;
          EXPECT_EQ(calls, host(k).a);
          EXPECT_EQ(2 * calls, host(k).b);
          EXPECT_EQ(k * calls, host(k).c);
        }
      });
}
TYPED_TEST(Loops, AtomicsThatTakeLocks) { check_locks<TypeParam>(); }

/// What a policy says beyond its range is a request about speed. Launch bounds
/// hold; Kokkos 4 copies functors per thread, which no kernel with bounds does.
TYPED_TEST(Loops, PoliciesThatSayMore) {
  using Exec  = TypeParam;
  int const n = measured_size;
  Kokkos::View<double*, Exec> const x("x", n);
  Multiply<Exec> const f{x};
  Kokkos::RangePolicy<Exec> const plain(0, n);
  ScopedSettings const scope(Settings{Route::streamed});
  LoopProbe<Exec> probe;
  Kokkos::parallel_for(plain, f);
  EXPECT_TRUE(probe.took(Route::streamed));
  auto const check = [&](auto const& policy, Route expected = Route::streamed) {
    probe.reset();
    Kokkos::parallel_for("more", policy, f);
    EXPECT_TRUE(probe.took(expected));
    EXPECT_TRUE(holds_multiples(x, 1));
  };
  namespace KE = Kokkos::Experimental;
  check(Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<128, 2>>(0, n),
        KOKKOS_VERSION < 50000 ? Route::automatic : Route::streamed);
  // Bounds by name that are none.
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<>>(0, n),
                       f);
  EXPECT_TRUE(probe.took(Route::streamed));
  EXPECT_TRUE(holds_multiples(x, 1));
  check(KE::prefer(plain, KE::DesiredOccupancy(33)));
  check(KE::require(plain, KE::WorkItemProperty::HintHeavyWeight));
  check(KE::require(plain, KE::WorkItemProperty::HintLightWeight));
}

/// The range is too long for counters; the calls at a stride and at its ends
/// are counted.
template <class Exec>
void check_long_range(std::int64_t n) {
  Kokkos::View<std::int64_t[2], Exec> const seen("seen");
  std::int64_t const begin = -1000, stride = std::int64_t(1) << 16;
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> const policy(
      begin, begin + n);
  Kokkos::parallel_for(
      "long", policy, KOKKOS_LAMBDA(std::int64_t i) {
        if ((i - begin) % stride == 0 || i == begin + n - 1) {
          Kokkos::atomic_inc(&seen(0));
          Kokkos::atomic_add(&seen(1), i);
        }
      });
  std::int64_t count = 1, sum = begin + n - 1;
  for (std::int64_t i = 0; i < n - 1; i += stride) {
    ++count;
    sum += begin + i;
  }
  auto const host = host_copy(seen);
  EXPECT_EQ(count, host(0));
  EXPECT_EQ(sum, host(1));
}
TYPED_TEST(Loops, LongRanges) {
  for (Route const route : {Route::streamed, Route::automatic}) {
    ScopedSettings const scope(Settings{route});
    check_long_range<TypeParam>(
        on_cuda<TypeParam> ? (std::int64_t(1) << 32) + 12345 : 1000003);
  }
}

/// Views are filled by loops of Kokkos, at their construction and later.
TYPED_TEST(Loops, ViewsAreFilled) {
  using Exec = TypeParam;
  for (int round = 0; round < every_launch; ++round) {
    Kokkos::View<double*, Exec> const zeros("zeros", measured_size);
    Kokkos::View<Wide*, Exec> const wides("wides", 7001);
    Kokkos::View<std::int8_t***, Kokkos::LayoutRight, Exec> const bytes(
        "bytes", 71, 23, 67);
    Kokkos::View<float****, Kokkos::LayoutLeft, Exec> const floats("floats", 9,
                                                                   10, 11, 12);
    Kokkos::View<float**, Kokkos::LayoutStride, Exec> const strided(
        floats.data(), Kokkos::LayoutStride(9, 11, 10, 9 * 11));
    Kokkos::deep_copy(bytes, std::int8_t(round + 1));
    Kokkos::deep_copy(floats, 3.5f);
    Kokkos::deep_copy(strided, -1.f);
    using Complex = Kokkos::complex<double>;
    Kokkos::View<Complex**, Exec> const pairs("pairs", 31, 17);
    Kokkos::deep_copy(Kokkos::subview(pairs, std::pair(1, 30), Kokkos::ALL),
                      Complex(1, round));
    Kokkos::View<int*, Exec, Kokkos::MemoryTraits<Kokkos::Atomic>> const atomic(
        "atomic", 501);
    Kokkos::deep_copy(atomic, round - 2);
    Kokkos::View<double**, Kokkos::LayoutRight, Exec> const matrix("matrix",
                                                                   501, 7);
    Kokkos::deep_copy(Kokkos::subview(matrix, Kokkos::ALL, 3), -2.5);
    // The halves of the number differ.
    std::int64_t const number = (std::int64_t(round + 1) << 40) - 3;
    Kokkos::View<std::int64_t*, Exec> const numbers("numbers", 7001);
    Kokkos::deep_copy(numbers, number);
    // So many elements have the value, and the others what was there before.
    auto const expect = [](auto const& view, auto const& value,
                           auto const& before, std::ptrdiff_t filled) {
      auto const host         = host_copy(view);
      auto const* const first = host.data();
      auto const* const last  = first + host.span();
      EXPECT_EQ(filled, std::count(first, last, value));
      EXPECT_EQ(last, std::find_if(first, last, [&](auto const& element) {
                  return !(element == value || element == before);
                }));
    };
    expect(zeros, 0., 0., measured_size);
    expect(wides, Wide{0, 0, 0}, Wide{0, 0, 0}, 7001);
    expect(bytes, round + 1, round + 1, 71 * 23 * 67);
    expect(floats, -1.f, 3.5f, 9 * 10);
    expect(pairs, Complex(1, round), Complex(0, 0), 29 * 17);
    Kokkos::View<int*, Exec> const same(atomic.data(), 501);
    expect(same, round - 2, round - 2, 501);
    expect(matrix, -2.5, 0., 501);
    auto const host = host_copy(matrix);
    for (int i = 0; i < 501; ++i) ASSERT_EQ(-2.5, host(i, 3)) << i;
    expect(numbers, number, number, 7001);
  }
}

/// Copied by a functor that has the name of the one for Views, but no strides.
TYPED_TEST(Loops, CopiesOfDynamicViews) {
  Kokkos::Experimental::DynamicView<int*, TypeParam> chunks("chunks", 16, 1000);
  chunks.resize_serial(1000);
  Kokkos::View<int*, TypeParam> const from("from", 1000), to("to", 1000);
  auto const host = Kokkos::create_mirror_view(from);
  for (int i = 0; i < 1000; ++i) host(i) = i;
  Kokkos::deep_copy(from, host);
  Kokkos::deep_copy(chunks, from);
  Kokkos::deep_copy(to, chunks);
  Kokkos::deep_copy(host, 0);
  Kokkos::deep_copy(host, to);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(i, host(i)) << i;
}

#ifdef KOKKOS_ENABLE_CUDA

/// Has the code of a loop on the device: what CUDA does when it comes there is
/// not under test.
template <class Functor>
void load_code(Functor const& f) {
  for (Route const route : {Route::generic, Route::streamed}) {
    ScopedSettings const scope(Settings{route});
    Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::Cuda>(0, 100), f);
  }
  Kokkos::fence();
}

/// Times are measured, and nothing waits for them.
TEST(LoopsOnCuda, NothingWaits) {
  Gate const gate;
  Kokkos::Cuda const exec;
  Kokkos::View<double*, Kokkos::Cuda> const x("x", measured_size);
  load_code(Multiply<Kokkos::Cuda>{x});
  gate.close(exec);
  for (int round = 0; round < every_launch; ++round)
    Kokkos::parallel_for(
        "behind the gate",
        Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, measured_size),
        Multiply<Kokkos::Cuda>{x});
  gate.let_go();
  EXPECT_TRUE(holds_multiples(x, 1));
  EXPECT_EQ(1, gate.opened_by_host());
}

/// A graph of loops that were measured before, or were not.
template <bool Before>
void check_capture() {
  int const n         = measured_size;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamCreate(&stream));
  {
    Kokkos::Cuda const exec(stream);
    Kokkos::View<double*, Kokkos::Cuda> const x("x", n);
    auto const f    = KOKKOS_LAMBDA(int i) { x(i) += Before ? i : i / 2; };
    auto const loop = [&] {
      Kokkos::parallel_for("captured",
                           Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, n), f);
    };
    load_code(f);
    Kokkos::deep_copy(x, 0);
    Kokkos::fence();
    int const calls_before = Before ? every_launch : 0;
    for (int k = 0; k < calls_before; ++k) loop();
    exec.fence();
    cudaGraph_t graph        = nullptr;
    cudaGraphExec_t runnable = nullptr;
    ASSERT_EQ(cudaSuccess,
              cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < 5; ++k) loop();
    ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
    ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&runnable, graph, 0));
    for (int k = 0; k < 4; ++k)
      ASSERT_EQ(cudaSuccess, cudaGraphLaunch(runnable, stream));
    exec.fence();
    auto const host = host_copy(x);
    int const calls = calls_before + 20;
    for (int i = 0; i < n; i += 101)
      ASSERT_EQ(double(calls) * (Before ? i : i / 2), host(i)) << i;
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);
  }
  cudaStreamDestroy(stream);
}
TEST(LoopsOnCuda, CapturedAfterUse) { check_capture<true>(); }
TEST(LoopsOnCuda, CapturedAtFirstUse) { check_capture<false>(); }

/// Loops of another thread while a stream is captured.
TEST(LoopsOnCuda, BesideACapture) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamCreate(&stream));
  auto const instances = make_instances<Kokkos::Cuda>(2);
  Kokkos::View<double*, Kokkos::Cuda> const x("x", measured_size);
  Multiply<Kokkos::Cuda> const f{x};
  // It is not measured yet at the larger size.
  load_code(f);
  ASSERT_EQ(cudaSuccess,
            cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  std::thread([&] {
    for (int k = 0; k < every_launch; ++k)
      Kokkos::parallel_for(
          "beside",
          Kokkos::RangePolicy<Kokkos::Cuda>(instances[1], 0, measured_size), f);
  }).join();
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  EXPECT_TRUE(holds_multiples(x, 1));
}

/// An error that the application has handled, or will.
TEST(LoopsOnCuda, ErrorsOfTheApplicationStay) {
  Kokkos::View<double*, Kokkos::Cuda> const x("x", measured_size);
  for (int round = 0; round < every_launch; ++round) {
    void* memory = nullptr;
    ASSERT_EQ(cudaErrorMemoryAllocation,
              cudaMalloc(&memory, std::size_t(1) << 60));
    Kokkos::parallel_for(measured_size, Multiply<Kokkos::Cuda>{x});
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaGetLastError());
    EXPECT_TRUE(holds_multiples(x, 1));
    Kokkos::parallel_for(measured_size, Multiply<Kokkos::Cuda>{x});
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    EXPECT_TRUE(holds_multiples(x, 1));
  }
}

#endif

}  // namespace
