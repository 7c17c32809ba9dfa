// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a table decides, and that launches stay within what the kernels take.

#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>
#include <core/segmented/KokkosMMA_SegmentedTuning.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <gtest/gtest.h>

#include <KokkosMMA_RandomTable.hpp>

#include <string_view>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

static_assert(mma_reduce_pays(Scalar::uint64));
static_assert(segments_are_tiny(7, 7) && !segments_are_tiny(6, 12) &&
              segments_are_tiny(6, 24) && !segments_are_tiny(18, 36));

TEST(TuningTable, BuiltInTableByWhatTheDeviceReports) {
  auto const of = [](std::string_view name, int capability = 90) {
    return builtin_tuning_of(name, capability).name;
  };
  for (char const* const name : {"NVIDIA H200", "NVIDIA H200 NVL"})
    EXPECT_EQ("built-in, H200", of(name)) << name;
  for (char const* const name :
       {"NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe", "NVIDIA H100 NVL",
        "NVIDIA H100 80GB HBM3 MIG 1g.10gb"})
    EXPECT_EQ("built-in, H100", of(name)) << name;
  for (char const* const name :
       {"NVIDIA GH200 480GB", "NVIDIA H20", "NVIDIA H800", "NVIDIA H2000",
        "NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-16GB", ""})
    EXPECT_EQ("built-in, any GPU", of(name)) << name;
  EXPECT_EQ("built-in, any GPU", of("NVIDIA H200", 80));

  EXPECT_EQ(builtin_tuning, builtin_tuning_of("NVIDIA H200", 90).table);
  // Sums that additions do as well leave the tensor cores of unknown devices.
  TuningTable const& any = builtin_tuning_of("NVIDIA A100", 80).table;
  EXPECT_FALSE(mma_reduce_pays(Scalar::float64, any));
  EXPECT_FALSE(mma_reduce_pays(Scalar::int64, any));
  EXPECT_TRUE(mma_reduce_pays(Scalar::half, any));
  EXPECT_EQ(never, mma_dense_taps(Scalar::float64, any));
}

/// Route functions end here, so no table makes a result wrong: it decides
/// between two routes that can run, and not where one of them is requested.
TEST(RouteByRefusals, TakesTheBestThatCanRun) {
  Refusal const can_run, refused{"refused"}, as_fast{"as fast"};
  using enum Route;
  for (Refusal const& no_mma : {can_run, refused})
    for (Refusal const& no_streamed : {can_run, refused})
      for (Refusal const& preference : {can_run, as_fast}) {
        Route const best = !no_mma && (no_streamed || !preference) ? mma
                           : !no_streamed                          ? streamed
                                                                   : generic;
        for (Route const asked : {automatic, generic, streamed, mma}) {
          auto const decision =
              route_by_refusals(asked, no_mma, no_streamed, preference);
          bool const chosen = asked == automatic;
          bool const cannot_run =
              (asked == mma && no_mma) || (asked == streamed && no_streamed);
          EXPECT_EQ(chosen || cannot_run ? best : asked, decision.route);
          EXPECT_EQ(cannot_run, bool(refusal_of(decision)));
          EXPECT_EQ(no_streamed.reason, decision.streamed.reason);
          EXPECT_EQ(no_mma || !chosen || best == mma ? no_mma.reason
                                                     : preference.reason,
                    decision.mma.reason);
        }
      }
}

/// No table sends a sum that tensor cores can compute to Kokkos' own code.
TEST(TuningTable, SumsThatStreamedRefuses) {
  ReduceProblem p;
  p.source      = Source::view;
  p.input       = Scalar::float64;
  p.value       = Scalar::float64;
  p.sum         = true;
  p.contiguous  = true;
  p.value_bytes = 8;
  Capability const h200{true, 90, 132};
  TuningTable table;
  table.mma_8_bytes = 0;
  EXPECT_EQ(Route::streamed, route_reduce(p, h200, {}, table).route);
  p.functor_bytes = max_functor_bytes + 1;
  EXPECT_EQ(Route::mma, route_reduce(p, h200, {}, table).route);
}

/// Tensor cores get a stencil only if a kernel is compiled for its elements.
TEST(TuningTable, StencilKernelsAreCompiled) {
  Random random;
  auto const flag = [&] { return random.integer(0, 1) == 1; };
  int taken       = 0;
  for (int i = 0; i < 20000; ++i) {
    StencilProblem p;
    p.rank          = flag() ? 2 : random.integer(1, 3);
    p.input         = Scalar(random.integer(0, 11));
    p.radius        = random.integer(1, 16);
    p.one_radius    = flag();
    p.taps          = random.integer(1, 1089);
    p.accumulator   = size_of(p.input) == 2   ? Scalar::float32
                      : size_of(p.input) == 1 ? Scalar::int32
                                              : p.input;
    p.weights       = WeightForm(random.integer(0, 3));
    p.factors       = MmaOperands(random.integer(0, 2));
    p.exact_weights = flag();
    p.source        = RowLayout(random.integer(0, 3));
    p.target        = RowLayout(random.integer(1, 3));
    Route const route =
        route_stencil(p, {true, 90, 132}, {}, random_table(random)).route;
    if (route != Route::mma) continue;
    ++taken;
    ASSERT_TRUE(stencil_kernel(p, route) == StencilKernel::band
                    ? stencil_band_exists(p.input, p.accumulator)
                    : stencil_dense_band_exists(p.input, p.accumulator));
  }
  EXPECT_LT(0, taken);
}

TEST(LaunchShapes, AreWithinTheirLimits) {
  Random random;
  constexpr unsigned most = 4096;
  for (int i = 0; i < 20000; ++i) {
    std::uint64_t const size = random.bits() >> random.integer(0, 63);
    int const processors     = random.integer(1, 200);

    auto const by_mma = Impl::mma_reduce_shape(size, processors, most);
    ASSERT_GE(by_mma.blocks, 1u);
    ASSERT_LE(by_mma.blocks, most);
    ASSERT_EQ(0u, by_mma.threads % 32);
    ASSERT_GE(by_mma.threads, 32u);
    ASSERT_LE(by_mma.threads, unsigned(mma_tuning.threads));

    StreamedTuning const tuning =
        streamed_tuning(std::size_t(random.integer(1, 64)));
    auto const streamed = Impl::streamed_reduce_shape(
        tuning, size, processors, random.integer(1, 8), most);
    ASSERT_GE(streamed.blocks, 1u);
    ASSERT_LE(streamed.blocks, most);
    ASSERT_EQ(0u, streamed.threads % 32);
    ASSERT_GE(streamed.threads, 32u);
    ASSERT_LE(streamed.threads, unsigned(tuning.threads));

    ArrayTuning const arrays = array_tuning(true, 8);
    std::size_t const stride = array_stride(
        std::size_t(random.integer(1, max_array_bytes)), alignof(double));
    int const shared_bytes       = int(random.integer(32, 227)) * 1024;
    Impl::ArrayShape const array = Impl::array_reduce_shape(
        arrays, 1, stride, size >> random.integer(0, 30), processors,
        shared_bytes, int(random.integer(1, 16)) * 128, most);
    ASSERT_GE(array.launch.blocks, 1u);
    ASSERT_LE(array.launch.blocks, most);
    ASSERT_GE(array.layout.callers, 1u);
    ASSERT_LE(array.layout.callers, array.launch.threads);
    ASSERT_EQ((array.layout.callers + 31) / 32 * 32, array.launch.threads);
    ASSERT_LE(array.launch.threads, unsigned(arrays.threads));
    ASSERT_LE(array.shared_bytes() + 256, shared_bytes);

    StreamedScanTuning const scan =
        streamed_scan_tuning(std::size_t(random.integer(1, 64)));
    unsigned const rows = Impl::streamed_scan_rows(scan, size >> 20);
    ASSERT_GE(rows, 1u);
    ASSERT_LE(rows, unsigned(scan.items));
  }
}

// The shapes that the figures were measured with.
static_assert(Impl::mma_reduce_shape(1u << 28, 132, 4096).blocks == 264);
static_assert(Impl::mma_reduce_shape(1u << 28, 132, 4096).threads == 512);
static_assert(Impl::mma_reduce_shape(1000, 132, 4096).threads == 256);
static_assert(Impl::mma_reduce_shape(0, 132, 4096).blocks == 1);
static_assert(Impl::streamed_reduce_shape(streamed_tuning(4), 131072, 132, 2,
                                          4096)
                  .threads == 256);

// Arrays of so many doubles on an H100, whose kernel leaves 1024 threads to a
// multiprocessor.
constexpr Impl::ArrayShape doubles(unsigned count, std::uint64_t size) {
  return Impl::array_reduce_shape(array_tuning(true, 8), count,
                                  Impl::array_stride(8 * count, 8), size, 132,
                                  227 * 1024, 1024, 4096);
}
constexpr bool is(Impl::ArrayShape const& shape, unsigned blocks,
                  unsigned callers, unsigned stride) {
  return shape.launch.blocks == blocks && shape.layout.callers == callers &&
         shape.layout.stride == stride;
}
static_assert(is(doubles(1, 10000000), 264, 512, 8));
static_assert(is(doubles(4, 10000000), 264, 512, 40));
static_assert(is(doubles(16, 10000000), 264, 512, 136));
static_assert(is(doubles(64, 10000000), 132, 352, 520));
static_assert(is(doubles(1024, 10000000), 132, 24, 8200));
static_assert(is(doubles(2048, 10000000), 132, 12, 16392));
// Short ranges have a call in a thread, and threads that do not call have no
// array.
static_assert(is(doubles(4, 0), 1, 1, 40) && is(doubles(4, 7), 1, 7, 40));
static_assert(is(doubles(4, 10000), 105, 96, 40));

}  // namespace
