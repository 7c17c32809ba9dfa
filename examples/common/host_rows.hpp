// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compressed rows, what is large in them and products with a vector, by one
// thread and the standard library.

#ifndef EXAMPLES_COMMON_HOST_ROWS_HPP
#define EXAMPLES_COMMON_HOST_ROWS_HPP

#include "matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

struct HostRows {
  std::vector<int> offsets;
  std::vector<int> columns;
  std::vector<double> values;

  explicit HostRows(Triplets const& entries)
      : offsets(static_cast<std::size_t>(entries.rows) + 1) {
    for (int const row : entries.row) ++offsets[row + 1];
    for (int row = 0; row < entries.rows; ++row) {
      offsets[row + 1] += offsets[row];
    }
    std::vector<int> next(offsets.begin(), offsets.end() - 1);
    std::vector<int> order(entries.row.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[next[entries.row[i]]++] = static_cast<int>(i);
    }
    for (int row = 0; row < entries.rows; ++row) {
      std::stable_sort(order.begin() + offsets[row],
                       order.begin() + offsets[row + 1],
                       [&](int left, int right) {
                         return entries.column[left] < entries.column[right];
                       });
    }
    for (int const i : order) {
      columns.push_back(entries.column[i]);
      values.push_back(entries.value[i]);
    }
  }

  std::vector<int> larger_than(double threshold) const {
    std::vector<int> kept;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::abs(values[i]) > threshold) kept.push_back(static_cast<int>(i));
    }
    return kept;
  }
};

// The product with a vector, from the entries as they were read, and how far
// from it another order of additions may end.
struct HostProduct {
  std::vector<double> values;
  std::vector<double> bounds;

  template <class Vector>
  HostProduct(Triplets const& entries, Vector const& x)
      : values(entries.rows), bounds(entries.rows) {
    std::vector<int> lengths(entries.rows);
    for (std::size_t i = 0; i < entries.row.size(); ++i) {
      double const term = entries.value[i] * x(entries.column[i]);
      values[entries.row[i]] += term;
      bounds[entries.row[i]] += std::abs(term);
      ++lengths[entries.row[i]];
    }
    for (int row = 0; row < entries.rows; ++row) {
      bounds[row] *=
          2 * (lengths[row] + 1) * std::numeric_limits<double>::epsilon();
    }
  }
};

#endif
