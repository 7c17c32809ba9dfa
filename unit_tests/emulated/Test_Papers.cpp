// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The papers' formulations on the emulated warp.

#include <backends/emulated/kernels/KokkosMMA_MmaReduce.hpp>
#include <core/base/KokkosMMA_ErrorBound.hpp>
#include "EmulatedData.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
namespace Emulated = KokkosMMA::Impl::Emulated;

struct Halves {
  Elements<std::uint16_t> x;
  ExactSum exact;
  double magnitudes = 0;

  template <class Draw>
  Halves(std::size_t size, int offset, Draw const& draw) : x(size, offset) {
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = encode_half(draw());
      exact.add(decode(i));
      magnitudes += std::abs(decode(i));
    }
  }
  double decode(std::size_t i) { return Emulated::decode_half(x[i]); }
};

/// Two products per vector are chained, one more adds the columns; every pass
/// ends with three additions and five levels of lanes.
double single_pass_bound(std::size_t size, int chain_length) {
  std::uint64_t const passes = size / (256 * std::size_t(chain_length)) + 2;
  return 1.01 * chained_sum_bound(2 * chain_length + 1, passes + 8);
}

TEST(PaperSinglePass, WithinBound) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int const chain_length : {1, 4, 8, 32})
    for (int offset = 0; offset < 8; ++offset)
      for (std::size_t const size : interesting_sizes(8)) {
        Halves data(size, offset, [&] { return random.uniform(-1, 2); });
        double const computed =
            Emulated::paper_single_pass(data.x.data(), size, chain_length);
        ASSERT_LE(data.exact.error_of(computed),
                  single_pass_bound(size, chain_length) * data.magnitudes)
            << "size " << size << ", offset " << offset << ", chain "
            << chain_length;
      }
}

TEST(PaperSinglePass, SmallIntegersAreExact) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int const chain_length : {1, 3, 8, 32})
    for (std::size_t size = 0; size <= 600; size += 7) {
      Halves data(size, int(size % 8),
                  [&] { return double(random.integer(-500, 500)); });
      ASSERT_EQ(data.exact.value(),
                Emulated::paper_single_pass(data.x.data(), size, chain_length))
          << "size " << size << ", chain " << chain_length;
    }
}

TEST(PaperSinglePass, ColumnSumsBeyondHalf) {
  // the papers keep column sums as half, where 16 * 60000 is infinite
  Halves data(5000, 3, [] { return 60000.; });
  EXPECT_EQ(5000 * 60000.,
            double(Emulated::paper_single_pass(data.x.data(), 5000, 32)));
}

TEST(PaperSinglePass, NonFinite) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::size_t const size = std::size_t(random.integer(1, 700));
    auto const draw        = [&] { return random.uniform(); };
    auto const place       = [&] {
      return std::size_t(random.integer(0, std::int64_t(size) - 1));
    };
    int const offset = int(random.integer(0, 7));
    {
      Halves data(size, offset, draw);
      data.x[place()] = 0x7c00;
      ASSERT_EQ(INFINITY, Emulated::paper_single_pass(data.x.data(), size, 4));
    }
    {
      Halves data(size, offset, draw);
      data.x[place()] = 0xfc00;
      ASSERT_EQ(-INFINITY, Emulated::paper_single_pass(data.x.data(), size, 4));
    }
    {
      Halves data(size, offset, draw);
      data.x[place()] = 0x7e00;
      ASSERT_TRUE(
          std::isnan(Emulated::paper_single_pass(data.x.data(), size, 4)));
    }
    if (size > 1) {
      Halves data(size, offset, draw);
      data.x[0]        = 0x7c00;
      data.x[size - 1] = 0xfc00;
      ASSERT_TRUE(
          std::isnan(Emulated::paper_single_pass(data.x.data(), size, 4)));
    }
  }
}

/// The recurrence: a total per 256 halves, then totals of 256 totals until one
/// is left.
float recurrence(Elements<std::uint16_t>& x, int& levels) {
  std::vector<float> totals;
  for (std::size_t first = 0; first < x.size(); first += 256)
    totals.push_back(Emulated::paper_single_pass(
        x.data() + first, std::min<std::size_t>(256, x.size() - first), 1));
  levels = 1;
  while (totals.size() > 1) {
    std::vector<float> next;
    for (std::size_t first = 0; first < totals.size(); first += 256)
      next.push_back(Emulated::reduce<Scalar::float32>(
          totals.data() + first,
          std::min<std::size_t>(256, totals.size() - first), 1));
    totals.swap(next);
    ++levels;
  }
  return totals.empty() ? 0.f : totals[0];
}

TEST(PaperRecurrence, ThroughItsLevels) {
  Random random;
  SCOPED_TRACE(random.note());
  std::size_t const sizes[] = {255, 256, 257, 65536, 65537, 70001};
  for (std::size_t const size : sizes) {
    Halves data(size, 0, [&] { return random.uniform(-1, 2); });
    int levels            = 0;
    double const computed = recurrence(data.x, levels);
    EXPECT_EQ(size <= 256 ? 1 : size <= 65536 ? 2 : 3, levels);
    double const bound = levels * 1.01 * chained_sum_bound(3, 12);
    EXPECT_LE(data.exact.error_of(computed), bound * data.magnitudes)
        << "size " << size;
  }
}

}  // namespace
