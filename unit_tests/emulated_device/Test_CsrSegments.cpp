// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of segments between offsets, and the check of offsets.

#include "../emulated/CsrCases.hpp"
#include "ReductionSuite.hpp"

#include <backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <algorithm>

namespace KokkosMMA::Testing {
namespace {

struct CsrSegment : KernelOf<CsrCase> {
  template <Impl::Operation Op, class T, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       Check const& check) {
    using Value  = typename T::Value;
    using Offset = OffsetOf<T>;
    std::vector<Offset> const offsets(c.offsets.begin(), c.offsets.end());
    Impl::OffsetSegments<Offset> const segments{offsets.data(),
                                                offsets.size() - 1};
    auto const reduce = [&](std::uint64_t longest) {
      Results<Value> results(segments.count());
      Impl::Cuda::launch_csr_reduce<Op, T::input, Value>(
          Kokkos::Cuda(), x, segments, results.store(), c.size(), longest);
      check(results.values(), false);
    };
    // What is known decides which kernel runs.
    if (Op == Impl::Operation::sum || c.size() % 2 == 0)
      reduce(Impl::OffsetFindings::unknown);
    if (Op == Impl::Operation::sum || c.size() % 2 == 1) reduce(c.longest());
  }
};

KOKKOSMMA_KERNEL_TESTS(Csr, Reductions, CsrSegment);

/// Small elements keep the lower limit.
TEST(CsrReduce, LongestSegmentOfAThread) {
  using Impl::tiny_csr_limit;
  Impl::TuningTable const& h100 =
      Impl::builtin_tuning_of("NVIDIA H100", 90).table;
  for (int const bytes : {1, 2, 4, 8})
    EXPECT_EQ(tiny_csr_limit(h100, bytes), bytes > 2 ? 128 : 64) << bytes;
}

TEST(CsrOffsets, TheFirstBadOneAndTheLongestSegment) {
  Random random;
  for (CsrCase const& c : CsrCase::all(random)) {
    any_tuned_device(random);
    std::vector<std::int32_t> offsets(c.offsets.begin(), c.offsets.end());
    for (int copies = 0; copies < 6; ++copies)
      offsets.insert(offsets.end(), offsets.size(), offsets.back());
    auto const findings = [&] {
      return Impl::Cuda::findings_of_offsets<std::int32_t>(
          Kokkos::Cuda(), {offsets.data(), offsets.size() - 1}, c.size());
    };
    EXPECT_EQ(Impl::OffsetFindings::unknown, findings().first_bad) << c.name;
    EXPECT_EQ(c.longest(), findings().longest) << c.name;
    // Too large, negative, smaller than the one before.
    auto const at  = std::size_t(random.integer(1, offsets.size() - 1));
    auto const was = offsets[at];
    for (std::int32_t const bad :
         {std::int32_t(c.size() + 1), -1, offsets[at - 1] - 1}) {
      offsets[at] = bad;
      EXPECT_EQ(at, findings().first_bad) << c.name << ", " << bad;
      offsets[at] = was;
    }
  }
}

}  // namespace
}  // namespace KokkosMMA::Testing
