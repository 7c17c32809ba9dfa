// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the elements of a matrix lie in the vectors that lanes take.

#include <core/segmented/KokkosMMA_ColumnVectors.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using Impl::ColumnVectors;

struct Shape {
  std::uint64_t rows, columns, stride;
};

/// Around a vector, 16 bytes and a warp of vectors; close rows and wide gaps.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (std::uint64_t const rows : {1, 2, 5, 16, 17, 70})
    for (std::uint64_t const columns : {1, 2, 3, 4, 7, 8, 16, 33, 100})
      for (std::uint64_t const gap : {0, 1, 3, 16, 61})
        all.push_back({rows, columns, columns + gap});
  return all;
}

/// Calls check(shape, vectors) for matrices of so many times the rows, of every
/// size of elements, from any place of 16 bytes on.
template <class Check>
void for_all_vectors(std::uint64_t times, Check const& check) {
  alignas(16) static unsigned char line[16];
  for (int const bytes : {1, 2, 4, 8})
    for (unsigned const width : {8u, 32u})
      for (Shape s : shapes()) {
        s.rows *= times;
        for (int skip = 0; skip < 16 / bytes; skip += 3) {
          SCOPED_TRACE(
              std::to_string(s.rows) + " x " + std::to_string(s.columns) +
              ", stride " + std::to_string(s.stride) + ", skip " +
              std::to_string(skip) + ", " + std::to_string(bytes) + " bytes");
          check(s, Impl::column_vectors(line + skip * bytes,
                                        {s.rows, s.columns, s.stride}, bytes,
                                        width));
        }
      }
}

TEST(ColumnVectors, EachElementHasOnePlace) {
  for_all_vectors(1, [](Shape const& s, ColumnVectors const& v) {
    std::vector<int> seen(v.period * s.columns, 0);
    for (std::uint64_t p = 0; p < v.positions; ++p)
      for (unsigned e = 0; e < v.per_vector; ++e) {
        Impl::ColumnCoordinate const coordinate = v.coordinate(p, int(e));
        if (coordinate.row < 0) continue;
        ASSERT_LT(std::uint64_t(coordinate.row), v.period);
        ASSERT_LT(coordinate.column, s.columns);
        ++seen[coordinate.row * s.columns + coordinate.column];
        ASSERT_EQ(p * v.per_vector + e,
                  v.index(std::uint64_t(coordinate.row), coordinate.column));
      }
    for (int const times : seen) ASSERT_EQ(1, times);
    ASSERT_EQ(0u, v.step() % v.per_vector) << "periods meet lines alike";
    ASSERT_GE(v.periods * v.period + v.period, s.rows);
  });
}

// Whole periods are read without a look at the end of the data.
TEST(ColumnVectors, InnerPeriodsLieInside) {
  for_all_vectors(40, [](Shape const&, ColumnVectors const& v) {
    for (std::uint64_t p = 0; p < v.positions; ++p) {
      bool used = false;
      for (unsigned e = 0; e < v.per_vector; ++e)
        used = used || v.coordinate(p, int(e)).row >= 0;
      if (!used || v.periods < 3) continue;
      ASSERT_LE(v.offset(p) + (v.periods - 2) * v.step() + v.per_vector,
                v.end())
          << "position " << p;
    }
  });
}

}  // namespace
