// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of segments of one length: rows of vectors, staged tiles, parts of
// long segments, tiny segments.

#include "ReductionSuite.hpp"

#include <backends/cuda/kernels/papers/KokkosMMA_PaperSegments.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#include <core/segmented/KokkosMMA_RouteSegmented.hpp>

namespace KokkosMMA::Testing {
namespace {

struct EqualSegment : KernelOf<SegmentsOfLength> {
  static std::vector<Case> cases(int bytes, Random& random) {
    std::vector<Case> all;
    auto const add = [&](std::size_t length, std::size_t about) {
      std::size_t const whole = about / length + 1;
      all.push_back(
          {whole * length + (length > 1 ? std::size_t(random.integer(
                                              0, std::int64_t(length) - 1))
                                        : 0),
           length});
    };
    for (std::size_t length = 1; length <= 70; ++length)
      add(length, std::size_t(random.integer(1, 3 * 1024)) / bytes);
    // Powers of two and their neighbours, to some vectors and beyond a tile.
    for (std::size_t of_bytes = 16; of_bytes <= 8192; of_bytes *= 2) {
      std::size_t const length = of_bytes / bytes;
      add(length, 2 * 4096 / bytes);
      if (length > 1) add(length - 1, 2 * length);
      add(length + std::size_t(random.integer(1, 3)), 2 * length);
    }
    // Parts of few segments, more of them than the lanes of a warp.
    add(std::size_t(30001 / bytes), 1);
    add(std::size_t(300001 / bytes), 1);
    return all;
  }
  static std::vector<Case> few_cases(int bytes, Random&) {
    std::vector<Case> all;
    for (std::size_t const of_bytes :
         {8, 16, 24, 32, 48, 64, 128, 256, 272, 512, 520, 1024, 2048, 4096,
          4104, 9000, 40000}) {
      std::size_t const length = of_bytes / std::size_t(bytes);
      all.push_back(
          {3 * length - length / 3 + (of_bytes <= 256 ? 34 : 0) * length,
           length});
    }
    return all;
  }
  template <Impl::Operation Op, class T, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       Check const& check) {
    using Value = typename T::Value;
    Impl::EqualSegments const segments{c.size, c.length};
    Results<Value> results(c.groups().count);
    Impl::Cuda::launch_segmented_reduce<Op, T::input, Value>(
        Kokkos::Cuda(), x, segments, results.store());
    check(results.values(), false);
    if constexpr (Op == Impl::Operation::sum &&
                  Impl::is_input_of_papers(T::input, scalar_v<Value>)) {
      std::vector<Value> by_mma(c.groups().count, Value(-77));
      Impl::Cuda::launch_paper_segments(Kokkos::Cuda(),
                                        {x, segments, by_mma.data(), 1});
      check(by_mma, true);
    }
  }
  /// Four lanes at least share the vectors of a segment; each flush of a chain
  /// is two additions, the pieces of a float another two.
  static double bound(int bytes, std::size_t n) {
    return 1.01 *
           chained_sum_bound(8, n * std::size_t(bytes) / 64 / 8 * 4 + 20);
  }
};

KOKKOSMMA_KERNEL_TESTS(Equal, Reductions, EqualSegment);

}  // namespace
}  // namespace KokkosMMA::Testing
