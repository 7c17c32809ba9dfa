// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Level device_independent: the same bits on devices of any size and with any
// tuning table.

#include "KernelSupport.hpp"

#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnScan.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedScan.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

namespace KokkosMMA::Testing {
namespace {

Kokkos::Cuda const space;

constexpr Settings level = [] {
  Settings settings;
  settings.reproducibility = Reproducibility::device_independent;
  return settings;
}();

/// Calls run() for devices of every kind: what it returns has the same bits.
template <class Run>
auto same_on_every_device(Random& random, Run const& run) {
  ScopedSettings const scope(level);
  Impl::Cuda::device_entry(0).multiprocessors = 1;
  Impl::Cuda::use_tuning(0, Impl::builtin_tuning);
  auto const first = run();
  for (int const processors : {7, 108, 132, 144}) {
    static Impl::TuningTable table;
    table                                       = random_table(random);
    Impl::Cuda::device_entry(0).multiprocessors = processors;
    Impl::Cuda::use_tuning(0, table);
    auto const bits = run();
    EXPECT_EQ(first.size(), bits.size());
    EXPECT_EQ(0, std::memcmp(first.data(), bits.data(),
                             first.size() * sizeof(first[0])))
        << "on " << processors << " multiprocessors";
  }
  Impl::Cuda::use_tuning(0, Impl::builtin_tuning);
  return first;
}

// As many blocks as there is room for their values, and no thread without work
// where there is work for all.
TEST(DeviceIndependent, ShapesOfLaunches) {
  for (std::size_t const bytes : {1, 4, 8, 16, 32, 64})
    for (std::uint64_t size = 0; size < (std::uint64_t(1) << 40);
         size               = size * 3 / 2 + 1) {
      Impl::StreamedTuning const tuning = Impl::streamed_tuning(bytes);
      Impl::LaunchShape const shape =
          Impl::fixed_reduce_shape(tuning, size, Impl::Cuda::max_partials);
      EXPECT_GE(shape.blocks, 1u);
      EXPECT_LE(shape.blocks, Impl::Cuda::max_partials);
      EXPECT_TRUE(shape.threads == unsigned(tuning.threads) ||
                  std::uint64_t(shape.blocks) * shape.threads <
                      size + shape.threads + 1)
          << size;
    }
}

/// Elements and, for every kernel of segments, what it makes of them.
template <class T>
void expect_segments(Random& random, std::size_t size, std::size_t length) {
  SCOPED_TRACE(std::to_string(size) + " in segments of " +
               std::to_string(length));
  using V                  = typename T::Value;
  constexpr auto sum       = Impl::Operation::sum;
  constexpr Scalar element = T::input;
  Row<typename T::Bits> x(size, int(random.integer(0, 16 / T::bytes - 1)));
  for (std::size_t i = 0; i < size; ++i) x[i] = T::bits_of(random.normal());
  Impl::EqualSegments const equal{size, length};
  std::vector<std::int32_t> offsets{0};
  while (std::size_t(offsets.back()) < size)
    offsets.push_back(std::int32_t(std::min<std::int64_t>(
        std::int64_t(size),
        offsets.back() + random.integer(0, 2 * std::int64_t(length)))));
  Impl::OffsetSegments<std::int32_t> const cut{offsets.data(),
                                               offsets.size() - 1};
  auto const close = [&](std::vector<V> const& sums, auto const& begin_of) {
    for (std::size_t s = 0; s < sums.size(); ++s) {
      double expected = 0, magnitude = 0;
      for (std::size_t i = begin_of(s); i < begin_of(s + 1); ++i) {
        expected += double(T::value_of(x[i]));
        magnitude += std::abs(double(T::value_of(x[i])));
      }
      ASSERT_NEAR(expected, double(sums[s]), 1e-4 * magnitude) << s;
    }
  };
  close(same_on_every_device(
            random,
            [&] {
              Results<V> results(equal.count());
              Impl::Cuda::launch_segmented_reduce<sum, element, V>(
                  space, x.data(), equal, results.store());
              return results.values();
            }),
        [&](std::size_t s) { return std::min(s * length, size); });
  close(same_on_every_device(random,
                             [&] {
                               Results<V> results(cut.count());
                               Impl::Cuda::launch_csr_reduce<sum, element, V>(
                                   space, x.data(), cut, results.store(), size);
                               return results.values();
                             }),
        [&](std::size_t s) { return std::size_t(offsets[s]); });
  auto const scanned = [&](auto const& segments) {
    std::vector<V> y(size);
    Impl::Cuda::launch_segmented_scan<sum, element, V, true>(
        space, x.data(), size, segments, y.data());
    return y;
  };
  same_on_every_device(random, [&] { return scanned(equal); });
  same_on_every_device(random, [&] { return scanned(cut); });
}

TEST(DeviceIndependent, Segments) {
  Random random;
  using Float  = Combined<Scalar::float32, float>;
  using Double = Combined<Scalar::float64, double>;
  for (std::size_t const length :
       {std::size_t(1), std::size_t(random.integer(2, 40)),
        std::size_t(random.integer(300, 5000)), std::size_t(32768)})
    expect_segments<Float>(random, std::size_t(random.integer(50000, 90000)),
                           length);
  expect_segments<Double>(random, 70000, 70000);
}

TEST(DeviceIndependent, Columns) {
  Random random;
  using T = Combined<Scalar::float32, float>;
  for (std::size_t const columns : {3, 64, 500}) {
    std::size_t const rows = 100000 / columns;
    Row<std::uint32_t> x(rows * columns, 0);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = T::bits_of(random.normal());
    auto const sums  = same_on_every_device(random, [&] {
      Results<float> results(columns);
      Impl::Cuda::launch_column_reduce<Impl::Operation::sum, T::input, float>(
          space, x.data(), rows, columns, columns, results.store());
      return results.values();
    });
    auto const scans = same_on_every_device(random, [&] {
      std::vector<float> y(rows * columns);
      Impl::Cuda::launch_column_scan<Impl::Operation::sum, T::input, float,
                                     true>(space, x.data(), rows, columns,
                                           columns, y.data(), columns);
      return y;
    });
    for (std::size_t j = 0; j < columns; ++j) {
      double expected = 0;
      for (std::size_t i = 0; i < rows; ++i)
        expected += double(T::value_of(x[i * columns + j]));
      ASSERT_NEAR(expected, sums[j], 1e-5 * double(rows));
      ASSERT_NEAR(expected, scans[(rows - 1) * columns + j],
                  1e-5 * double(rows));
    }
  }
}

// Without the level the device's own numbers count.
TEST(DeviceIndependent, LayoutsOfLaunches) {
  Impl::Cuda::device_entry(0).multiprocessors = 7;
  static Impl::TuningTable table              = Impl::builtin_tuning;
  table.tiny_csr_bytes                        = 1;
  Impl::Cuda::use_tuning(0, table);
  auto const own = Impl::Cuda::launch_layout(space);
  EXPECT_EQ(7, own.multiprocessors);
  EXPECT_EQ(1, own.tuning.tiny_csr_bytes);
  EXPECT_EQ(5, own.blocks(5, 2));
  ScopedSettings const scope(level);
  auto const fixed = Impl::Cuda::launch_layout(space);
  EXPECT_EQ(132, fixed.multiprocessors);
  EXPECT_EQ(Impl::builtin_tuning, fixed.tuning);
  EXPECT_EQ(2, fixed.blocks(5, 2));
  auto const blocks = [&](Impl::LaunchLayout const& layout, int resident) {
    return layout
        .streamed_reduce(Impl::streamed_tuning(8), 1 << 20, resident,
                         Impl::Cuda::max_partials)
        .blocks;
  };
  EXPECT_EQ(7 * 5u, blocks(own, 5));
  EXPECT_EQ(blocks(fixed, 2), blocks(fixed, 5));
  Impl::Cuda::use_tuning(0, Impl::builtin_tuning);
}

}  // namespace
}  // namespace KokkosMMA::Testing
