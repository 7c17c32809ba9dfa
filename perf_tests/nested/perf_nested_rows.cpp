// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of rows, of which nothing but the memory is a bound.

#include "nested/Perf_Nested.hpp"

namespace perf::KOKKOSMMA_PERF_SIDE {

/// A kernel of its own: the drop-in measures each kind of functor once for
/// alike teams, whatever the lengths of their rows.
template <class T>
struct RowSum : Sum<T> {};

template <class T, Level level>
void add_rows(std::vector<Line>& lines, std::string const& name,
              Team const& team) {
  for (int length : {16, 32, 64, 128, 256, 1024, 4096, 16384})
    lines.push_back(rows<RowSum<T>, level>(
        "rows/" + name + "/" + std::to_string(length), {.length   = length,
                                                        .team     = team,
                                                        .elements = 1 << 28,
                                                        .most     = 1 << 28}));
}

template <class T>
void add_type(std::vector<Line>& lines) {
  add_rows<T, Level::lanes>(lines, "vector_8x32", {8, 32});
  add_rows<T, Level::lanes>(lines, "vector_8x16", {8, 16});
  add_rows<T, Level::threads>(lines, "team_128", {128, 1});
  add_rows<T, Level::threads>(lines, "team_auto", {0, 1});
  add_rows<T, Level::all>(lines, "team_vector_4x32", {4, 32});
}

std::vector<Line> row_sums() {
  std::vector<Line> lines;
  add_type<float>(lines);
  add_type<double>(lines);
  return lines;
}

}  // namespace perf::KOKKOSMMA_PERF_SIDE
