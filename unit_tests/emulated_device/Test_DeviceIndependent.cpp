// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Level device_independent: launches. The same bits on devices of any size and
// with any tuning table: KernelSuite::expect_same_bits().

#include "KernelSupport.hpp"

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

namespace KokkosMMA::Testing {
namespace {

Kokkos::Cuda const space;

constexpr Settings level{.reproducibility =
                             Reproducibility::device_independent};

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
