// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans of a whole range of elements, by products and by additions.

#include "ScanSuite.hpp"

#include <backends/cuda/kernels/papers/KokkosMMA_PaperScan.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_TileScan.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

namespace KokkosMMA::Testing {
namespace {

/// In registers integers are modulo 2^bits.
template <class T>
using InRegisters =
    std::conditional_t<T::floating, typename T::Value,
                       std::conditional_t<sizeof(typename T::Value) == 8,
                                          std::uint64_t, std::uint32_t>>;

/// Returns the total.
template <class T, bool Inclusive>
typename T::Value by_additions(typename T::Bits const* x, std::size_t size,
                               typename T::Value* y) {
  using Output = typename T::Value;
  using Value  = InRegisters<T>;
  using Scan =
      Impl::WarpScanShuffle<Impl::Cuda::Warp,
                            Impl::ScanElements<T::input, Value>, Inclusive>;
  Kokkos::Cuda const space;
  Output total(-1);
  Impl::Cuda::launch_tile_scan<Scan, Output, Output,
                               Impl::Cuda::tuning_type<Impl::tile_scan_tuning>>(
      space, Impl::Cuda::StreamScratch(space), x, y, size, Value(scan_start),
      &total, true);
  return total;
}
template <class T, bool Inclusive>
float by_products(typename T::Bits const* x, std::size_t size, float* y) {
  float total = -1;
  EXPECT_FALSE(Impl::Cuda::launch_paper_scan(
      Kokkos::Cuda(), {Scalar::float32, Inclusive, x, y, size,
                       float(scan_start), &total, true}));
  return total;
}

struct RangeScan : KernelOf<WholeRange, false> {
  static constexpr bool has_level = false;
  template <class T>
  static typename T::Value init() {
    return typename T::Value(scan_start);
  }
  /// Around a vector, a row, the halves of a warp's tile and tiles.
  static std::vector<Case> cases(int bytes, Random& random) {
    std::vector<Case> all;
    for (std::size_t size = 1; size <= 40; size += 3) all.push_back({size});
    std::size_t const tile = 64 * std::size_t(std::min(4, 16 / bytes));
    for (std::size_t const edge : {tile / 2, tile, 2 * tile, 32 * tile})
      for (std::size_t const size : {edge - 1, edge, edge + 1})
        all.push_back({size});
    for (int n = 0; n < 4; ++n)
      all.push_back({std::size_t(random.integer(1, 40000))});
    return all;
  }
  static std::vector<Case> few_cases(int, Random& random) {
    return {{1},
            {67},
            {std::size_t(random.integer(200, 600))},
            {std::size_t(random.integer(3000, 8000))}};
  }
  template <Impl::Operation, class T, class ResultOf, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       ResultOf const& y_of, Check const& check) {
    by_additions<T, true>(x, c.size, y_of());
    check(true, false);
    by_additions<T, false>(x, c.size, y_of());
    check(false, false);
    if constexpr (has_products<T>) {
      by_products<T, true>(x, c.size, y_of());
      check(true, true);
      by_products<T, false>(x, c.size, y_of());
      check(false, true);
    }
  }

  template <class T>
  static constexpr bool has_products =
      Impl::is_input_of_papers(T::input, scalar_v<typename T::Value>);
};
static_assert(RangeScan::has_products<Combined<Scalar::half, float>>);

KOKKOSMMA_KERNEL_TESTS(Range, Scans, RangeScan);

KOKKOSMMA_TYPED_TESTS(RangeIntegers, IntegerTypes<std::type_identity_t>);

// The sums of rows have the most bits here: 16 times -128, 127 or 255, and 15
// of these before the last row. The total leaves out what the scan starts from.
TYPED_TEST(RangeIntegers, ExtremesAndTotal) {
  using T             = TypeParam;
  using Bits          = typename T::Bits;
  using Value         = typename T::Value;
  bool const is_bool  = T::input == Scalar::boolean;
  constexpr Bits ones = Bits(~Bits(0));
  constexpr Bits top  = Bits(ones >> 1);
  scan_start          = 3;
  Row<Bits> x(3000, 1);
  Row<Value> y(x.size(), 0);
  for (std::size_t const period : {1, 16, 128})
    for (Bits const bits : {ones, top, Bits(~top), Bits(1)}) {
      if (is_bool && bits > 1) continue;
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = i / period % 2 && !is_bool ? Bits(~bits) : bits;
        sum += std::uint64_t(T::value_of(x[i]));
      }
      EXPECT_EQ(Value(sum),
                (by_additions<T, false>(x.data(), x.size(), y.data())));
    }
}

TEST(RangeOfHalves, TotalByProducts) {
  using T    = Combined<Scalar::half, float>;
  scan_start = 3;
  Row<T::Bits> x(3000, 1);
  Row<float> y(x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i % 3 ? 0x3c00 : 0xc000;  // 1 and -2
  x[0] = 0x7bff;                     // 65504, the largest
  EXPECT_EQ(65506.f, (by_products<T, true>(x.data(), x.size(), y.data())));
  EXPECT_EQ(65509.f, y[x.size() - 1]);
}

}  // namespace
}  // namespace KokkosMMA::Testing
