// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans of segments of one length, by warps that walk over whole segments and
// by the pipeline of tiles, and of segments between offsets.

#include "../emulated/CsrCases.hpp"
#include "ScanSuite.hpp"

#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedScan.hpp>

namespace KokkosMMA::Testing {
namespace {

/// Both kinds of scan.
template <Impl::Operation Op, class T, class Segments, class ResultOf,
          class Check>
void each_scan(typename T::Bits const* x, std::size_t size,
               Segments const& segments, ResultOf const& y_of,
               Check const& check) {
  using Value = typename T::Value;
  Impl::Cuda::launch_segmented_scan<Op, T::input, Value, true>(
      Kokkos::Cuda(), x, size, segments, y_of());
  check(true, false);
  Impl::Cuda::launch_segmented_scan<Op, T::input, Value, false>(
      Kokkos::Cuda(), x, size, segments, y_of());
  check(false, false);
}

struct EqualSegmentScan : KernelOf<SegmentsOfLength> {
  static std::vector<Case> cases(int, Random& random) {
    std::vector<Case> all;
    for (std::size_t const length :
         {1,   2,   3,   4,   5,   6,   7,   8,    9,    15,   16,
          17,  31,  32,  33,  63,  64,  65,  100,  127,  128,  129,
          255, 256, 257, 400, 511, 512, 513, 1000, 5000, 30000})
      all.push_back({std::size_t(random.integer(1, 1600)), length});
    for (std::size_t const length : {3, 64, 777, 4096, 30000})
      all.push_back({std::size_t(random.integer(9000, 20000)), length});
    return all;
  }
  static std::vector<Case> few_cases(int, Random&) {
    return {{270, 3}, {1200, 33}, {1200, 257}, {9000, 5000}, {1200, 30000}};
  }
  template <Impl::Operation Op, class T, class ResultOf, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       ResultOf const& y_of, Check const& check) {
    each_scan<Op, T>(x, c.size, Impl::EqualSegments{c.size, c.length}, y_of,
                     check);
  }
};

struct CsrSegmentScan : KernelOf<CsrCase> {
  template <Impl::Operation Op, class T, class ResultOf, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       ResultOf const& y_of, Check const& check) {
    using Offset = OffsetOf<T>;
    std::vector<Offset> const offsets(c.offsets.begin(), c.offsets.end());
    each_scan<Op, T>(
        x, c.size(),
        Impl::OffsetSegments<Offset>{offsets.data(), offsets.size() - 1}, y_of,
        check);
  }
};

KOKKOSMMA_KERNEL_TESTS(Equal, Scans, EqualSegmentScan);
KOKKOSMMA_KERNEL_TESTS(Csr, Scans, CsrSegmentScan);

}  // namespace
}  // namespace KokkosMMA::Testing
