// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions and scans of the columns of a matrix.

#include "ReductionSuite.hpp"
#include "ScanSuite.hpp"

#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_ColumnScan.hpp>

namespace KokkosMMA::Testing {
namespace {

struct Matrix {
  std::size_t rows, columns, stride;
  Groups groups() const {
    return {std::to_string(rows) + " x " + std::to_string(columns) +
                ", stride " + std::to_string(stride),
            (rows - 1) * stride + columns, columns,
            [columns = columns, stride = stride](std::size_t i) {
              return i % stride < columns ? std::ptrdiff_t(i % stride) : -1;
            }};
  }
  /// Around a vector, 16 bytes and a warp of vectors; close rows and wide gaps.
  static std::vector<Matrix> all(Random& random) {
    std::vector<Matrix> all;
    for (std::size_t const columns : {1, 2, 3, 4, 7, 8, 16, 33, 100, 300})
      for (std::size_t const gap : {0, 1, 3, 16, 61}) {
        // A part of them in each run.
        if (random.integer(0, 2) != 0) continue;
        all.push_back(
            {std::size_t(random.integer(1, random.integer(0, 5) ? 40 : 400)),
             columns, columns + gap});
      }
    for (std::size_t const rows : {1, 2, 16, 17}) all.push_back({rows, 20, 20});
    for (int n = 0; n < 4; ++n) {
      auto const columns = std::size_t(random.integer(1, 1100));
      all.push_back({std::size_t(random.integer(1, 60)), columns, columns});
    }
    if (random.integer(0, 2) == 0) all.push_back({9000, 3, 3});
    return all;
  }
  static std::vector<Matrix> few() {
    return {{60, 1, 1}, {60, 3, 5}, {400, 8, 8}, {60, 50, 50}, {4001, 5, 5}};
  }
  static std::vector<Matrix> large(Random&) {
    return {{33333, 3, 3}, {1562, 64, 64}, {200, 500, 500}};
  }
};

struct ColumnReduction : KernelOf<Matrix> {
  template <Impl::Operation Op, class T, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       Check const& check) {
    using Value = typename T::Value;
    Results<Value> results(c.columns);
    Impl::Cuda::launch_column_reduce<Op, T::input, Value>(
        Kokkos::Cuda(), x, c.rows, c.columns, c.stride, results.store());
    check(results.values(), false);
  }
};

struct ColumnScan : KernelOf<Matrix> {
  static std::vector<Case> cases(int, Random& random) {
    std::vector<Case> all = Matrix::all(random);
    // Every way to lay rows side by side in a warp.
    for (std::size_t columns = 1; columns <= 36; ++columns)
      all.push_back({std::size_t(random.integer(1, 70)), columns, columns});
    // More chunks than a window of the look-back.
    all.push_back({3500, 29, 29});
    return all;
  }
  template <Impl::Operation Op, class T, class ResultOf, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       ResultOf const& y_of, Check const& check) {
    using Value     = typename T::Value;
    auto const scan = [&]<bool Inclusive>() {
      Impl::Cuda::launch_column_scan<Op, T::input, Value, Inclusive>(
          Kokkos::Cuda(), x, c.rows, c.columns, c.stride, y_of(), c.stride);
      check(Inclusive, false);
    };
    scan.template operator()<true>();
    scan.template operator()<false>();
  }
};

KOKKOSMMA_KERNEL_TESTS(Columns, Reductions, ColumnReduction);
KOKKOSMMA_KERNEL_TESTS(Columns, Scans, ColumnScan);

// Rows of the result lie apart from each other otherwise than those of x, and
// what lies between them stays.
TEST(Columns, ScansIntoRowsOfAnotherStride) {
  Random random;
  using T = Combined<Scalar::int8, std::int32_t>;
  for (Matrix const& m : Matrix::all(random)) {
    any_tuned_device(random);
    std::size_t const y_stride = m.columns + std::size_t(random.integer(0, 9));
    Row<std::uint8_t> x(m.groups().elements, int(random.integer(0, 15)));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = T::draw<Impl::Operation::sum>(random);
    Row<std::int32_t> y((m.rows - 1) * y_stride + m.columns,
                        int(random.integer(0, 3)));
    Impl::Cuda::launch_column_scan<Impl::Operation::sum, Scalar::int8,
                                   std::int32_t, true>(
        Kokkos::Cuda(), x.data(), m.rows, m.columns, m.stride, y.data(),
        y_stride);
    std::vector<std::int32_t> sum(m.columns);
    for (std::size_t i = 0; i < y.size(); ++i) {
      std::size_t const row = i / y_stride, column = i % y_stride;
      if (column < m.columns)
        sum[column] += T::value_of(x[row * m.stride + column]);
      ASSERT_EQ(column < m.columns ? sum[column] : -1, y[i])
          << m.groups().name << ", " << row << ", " << column;
    }
  }
}

// Blocks that store 16 bytes of 16-bit results per lane need 102 KB of shared
// memory. At a fixed level small devices have the bits of large ones.
TEST(Columns, ScansInto16BitFloats) {
  Random random;
  for (Matrix const& m : Matrix::all(random)) {
    bool const fixed = random.integer(0, 1) != 0;
    ScopedSettings const scope(
        Settings{.reproducibility = fixed ? Reproducibility::device_independent
                                          : Reproducibility::run_to_run});
    bool const integers = random.integer(0, 1) != 0;
    int const before    = int(random.integer(0, 7));
    Row<std::uint16_t> x(m.groups().elements, before);
    std::vector<float> number(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i]      = std::uint16_t(Format<Scalar::half>::encode(
               integers ? double(random.integer(-1, 1)) : random.normal()));
      number[i] = float(Format<Scalar::half>::decode(x[i]));
    }
    std::vector<Half> first;
    for (int device = 0; device < 4; ++device) {
      any_tuned_device(random);
      Row<Half> y(x.size(), before);
      Impl::Cuda::launch_column_scan<Impl::Operation::sum, Scalar::half, float,
                                     true>(Kokkos::Cuda(), x.data(), m.rows,
                                           m.columns, m.stride, y.data(),
                                           m.stride);
      std::vector<float> sum(m.columns);
      for (std::size_t i = 0; integers && i < x.size(); ++i) {
        if (std::size_t const column = i % m.stride; column < m.columns) {
          sum[column] += number[i];
          ASSERT_EQ(float(Half(sum[column])), float(y[i])) << m.groups().name;
        }
      }
      if (device == 0) first.assign(y.data(), y.data() + y.size());
      for (std::size_t i = 0; fixed && i < x.size(); ++i)
        ASSERT_EQ(first[i].bits, y[i].bits) << m.groups().name;
    }
  }
}

}  // namespace
}  // namespace KokkosMMA::Testing
