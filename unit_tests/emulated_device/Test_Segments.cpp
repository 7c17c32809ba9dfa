// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions and scans of segments and of columns.

#include "RowSupport.hpp"

#include <backends/cuda/kernels/segmented/KokkosMMA_Columns.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_LongSegments.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedScan.hpp>
#include <core/segmented/KokkosMMA_RouteSegmented.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::EqualSegments;
using Impl::OffsetSegments;

/// Results, and how often each was stored.
template <class Value>
struct Results {
  std::vector<Value> value;
  std::vector<int> stores;

  explicit Results(std::uint64_t count) : value(count), stores(count) {}
  struct Store {
    Value* value;
    int* stores;
    void operator()(std::uint64_t at, Value result) const {
      value[at] = result;
      ++stores[at];
    }
  };
  Store store() { return {value.data(), stores.data()}; }
};

template <class T>
struct SegmentKernels : ::testing::Test {};
TYPED_TEST_SUITE(SegmentKernels, AllRowTypes);

template <Operation Op, class T, class Segments, class Launch>
void expect_reduced(Row<typename T::Element> const& row,
                    Segments const& segments, Launch const& launch) {
  using Value = typename T::Value;
  Results<Value> results(segments.count());
  launch(results.store());
  for (std::uint64_t s = 0; s < segments.count(); ++s) {
    Value expected = Impl::Combine<Op, Value>::identity();
    for (std::uint64_t i = segments.begin(s); i < segments.end(s); ++i)
      expected = Impl::Combine<Op, Value>::apply(expected, Value(row[i]));
    ASSERT_EQ(results.stores[s], 1) << "stores of segment " << s;
    ASSERT_EQ(results.value[s], expected) << "of segment " << s;
  }
}

/// y[i] for all elements of segments; others stay.
template <Operation Op, bool Inclusive, class T, class Segments, class Launch>
void expect_scanned(Row<typename T::Element> const& row,
                    Segments const& segments, int before,
                    Launch const& launch) {
  using Value = typename T::Value;
  Row<Value> y(row.size(), before);
  launch(y.data());
  std::vector<Value> expected(row.size(), Value(99));
  for (std::uint64_t s = 0; s < segments.count(); ++s) {
    Value sum = Impl::Combine<Op, Value>::identity();
    for (std::uint64_t i = segments.begin(s); i < segments.end(s); ++i) {
      Value const with = Impl::Combine<Op, Value>::apply(sum, Value(row[i]));
      expected[i]      = Inclusive ? with : sum;
      sum              = with;
    }
  }
  for (std::uint64_t i = 0; i < y.size(); ++i)
    ASSERT_EQ(y[i], expected[i]) << "element " << i;
}

std::vector<std::int32_t> random_offsets(std::uint64_t size, int longest,
                                         Random& random) {
  std::vector<std::int32_t> offsets{
      std::int32_t(random.integer(0, std::min<std::int64_t>(size, 3)))};
  for (;;) {
    std::int64_t const length =
        random.integer(0, 3) == 0 ? 0 : random.integer(0, longest);
    if (std::uint64_t(offsets.back() + length) > size) break;
    offsets.push_back(std::int32_t(offsets.back() + length));
  }
  return offsets;
}

TYPED_TEST(SegmentKernels, EqualSums) {
  using Element = typename TypeParam::Element;
  using Value   = typename TypeParam::Value;
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 0; n < 30; ++n) {
    any_device(random);
    constexpr int lengths[] = {1, 3, 8, 16, 31, 64, 100, 256, 777, 1024, 5000};
    std::uint64_t const length =
        n < 11 ? lengths[n] : std::uint64_t(random.integer(1, 600));
    Row<Element> const row(random.integer(1, 12000), int(random.integer(0, 16)),
                           random);
    EqualSegments const segments{row.size(), length};
    SCOPED_TRACE(row.describe() + ", length " + std::to_string(length));
    for (bool const products : {false, true}) {
      if (products &&
          !segment_products_exist(scalar_v<Element>, scalar_v<Value>))
        continue;
      expect_reduced<Operation::sum, TypeParam>(
          row, segments, [&](auto const& store) {
            Impl::Cuda::launch_segmented_reduce<Operation::sum,
                                                scalar_v<Element>, Value>(
                Kokkos::Cuda(), row.data(), segments, store, products);
          });
    }
    expect_reduced<Operation::min, TypeParam>(
        row, segments, [&](auto const& store) {
          Impl::Cuda::launch_segmented_reduce<Operation::min, scalar_v<Element>,
                                              Value>(Kokkos::Cuda(), row.data(),
                                                     segments, store, false);
        });
  }
}

TYPED_TEST(SegmentKernels, RaggedSums) {
  using Element = typename TypeParam::Element;
  using Value   = typename TypeParam::Value;
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 0; n < 12; ++n) {
    any_device(random);
    Row<Element> const row(random.integer(1, 12000), int(random.integer(0, 16)),
                           random);
    int const longest  = n % 3 == 0 ? 4 : n % 3 == 1 ? 60 : 4000;
    auto const offsets = random_offsets(row.size(), longest, random);
    OffsetSegments<std::int32_t> const segments{offsets.data(),
                                                offsets.size() - 1};
    SCOPED_TRACE(row.describe() + ", longest " + std::to_string(longest));
    for (std::uint64_t const known :
         {Impl::OffsetFindings::unknown, std::uint64_t(longest)})
      expect_reduced<Operation::sum, TypeParam>(
          row, segments, [&](auto const& store) {
            Impl::Cuda::launch_ragged_reduce<Operation::sum, scalar_v<Element>,
                                             Value>(
                Kokkos::Cuda(), row.data(), segments, store, row.size(), known);
          });
    expect_reduced<Operation::max, TypeParam>(
        row, segments, [&](auto const& store) {
          Impl::Cuda::launch_ragged_reduce<Operation::max, scalar_v<Element>,
                                           Value>(Kokkos::Cuda(), row.data(),
                                                  segments, store);
        });
  }
}

TYPED_TEST(SegmentKernels, Scans) {
  using Element = typename TypeParam::Element;
  using Value   = typename TypeParam::Value;
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 0; n < 12; ++n) {
    any_device(random);
    Row<Element> const row(random.integer(1, 20000), int(random.integer(0, 16)),
                           random);
    int const before = int(random.integer(0, 8));
    std::uint64_t const length =
        n == 0   ? 1
        : n == 1 ? 30000
                 : std::uint64_t(random.integer(1, n % 2 == 0 ? 40 : 3000));
    EqualSegments const equal{row.size(), length};
    auto const offsets = random_offsets(row.size(), int(length), random);
    OffsetSegments<std::int32_t> const ragged{offsets.data(),
                                              offsets.size() - 1};
    SCOPED_TRACE(row.describe() + ", length " + std::to_string(length) +
                 ", results from " + std::to_string(before) + " on");
    expect_scanned<Operation::sum, true, TypeParam>(
        row, equal, before, [&](Value* y) {
          Impl::Cuda::launch_segmented_scan<Operation::sum, scalar_v<Element>,
                                            Value, true>(
              Kokkos::Cuda(), row.data(), row.size(), equal, y);
        });
    expect_scanned<Operation::sum, false, TypeParam>(
        row, ragged, before, [&](Value* y) {
          Impl::Cuda::launch_segmented_scan<Operation::sum, scalar_v<Element>,
                                            Value, false>(
              Kokkos::Cuda(), row.data(), row.size(), ragged, y);
        });
    expect_scanned<Operation::max, true, TypeParam>(
        row, ragged, before, [&](Value* y) {
          Impl::Cuda::launch_segmented_scan<Operation::max, scalar_v<Element>,
                                            Value, true>(
              Kokkos::Cuda(), row.data(), row.size(), ragged, y);
        });
  }
}

TYPED_TEST(SegmentKernels, Columns) {
  using Element = typename TypeParam::Element;
  using Value   = typename TypeParam::Value;
  Random random;
  SCOPED_TRACE(random.note());
  for (int n = 0; n < 14; ++n) {
    any_device(random);
    std::uint64_t const columns = n < 5 ? std::uint64_t(1) << 2 * n
                                        : std::uint64_t(random.integer(1, 300));
    std::uint64_t const rows    = std::uint64_t(random.integer(1, 400));
    std::uint64_t const stride  = columns + (n % 2 ? random.integer(0, 9) : 0);
    Row<Element> const row((rows - 1) * stride + columns,
                           n % 3 == 0 ? 0 : int(random.integer(0, 16)), random);
    SCOPED_TRACE(row.describe() + ", " + std::to_string(rows) + " rows of " +
                 std::to_string(columns) + ", " + std::to_string(stride) +
                 " apart");
    auto const reduce = [&](auto op, bool products) {
      constexpr Operation Op = decltype(op)::value;
      Results<Value> results(columns);
      Impl::Cuda::launch_column_reduce<Op, scalar_v<Element>, Value>(
          Kokkos::Cuda(), row.data(), rows, columns, stride, results.store(),
          products);
      for (std::uint64_t j = 0; j < columns; ++j) {
        Value expected = Impl::Combine<Op, Value>::identity();
        for (std::uint64_t i = 0; i < rows; ++i)
          expected = Impl::Combine<Op, Value>::apply(
              expected, Value(row[i * stride + j]));
        ASSERT_EQ(results.stores[j], 1) << "stores of column " << j;
        ASSERT_EQ(results.value[j], expected) << "of column " << j;
      }
    };
    using Sum = std::integral_constant<Operation, Operation::sum>;
    reduce(Sum(), false);
    reduce(Sum(), true);
    reduce(std::integral_constant<Operation, Operation::min>(), false);
    auto const scan = [&](auto inclusive) {
      constexpr bool Inclusive = decltype(inclusive)::value;
      std::uint64_t const y_stride =
          n % 2 ? columns + std::uint64_t(random.integer(0, 9)) : stride;
      Row<Value> y((rows - 1) * y_stride + columns,
                   n % 3 == 0 ? 0 : int(random.integer(0, 8)));
      Impl::Cuda::launch_column_scan<Operation::sum, scalar_v<Element>, Value,
                                     Inclusive>(Kokkos::Cuda(), row.data(),
                                                rows, columns, stride, y.data(),
                                                y_stride, false);
      // What lies between the rows stays.
      for (std::uint64_t i = 0; i < y.size(); ++i)
        if (i % y_stride >= columns) {
          ASSERT_EQ(y[i], Value(99)) << "beside the matrix";
        }
      for (std::uint64_t j = 0; j < columns; ++j) {
        Value sum(0);
        for (std::uint64_t i = 0; i < rows; ++i) {
          Value const with = sum + Value(row[i * stride + j]);
          ASSERT_EQ(y[i * y_stride + j], Inclusive ? with : sum)
              << i << ", " << j;
          sum = with;
        }
      }
    };
    scan(std::true_type());
    scan(std::false_type());
  }
}

}  // namespace
