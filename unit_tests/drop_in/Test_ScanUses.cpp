// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What applications scan for: offsets of graphs in compressed rows and copies
// by a condition. Everything is compared with the host.

#include <KokkosMMA_ScanSupport.hpp>

#include <Kokkos_StdAlgorithms.hpp>

#include <vector>

namespace {

namespace KE = Kokkos::Experimental;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ScanUses);

/// The columns of row i; the lengths of rows differ, some are empty.
struct Pattern {
  int columns;
  KOKKOS_FUNCTION int length(int row) const {
    return row % 5 == 3 ? 0 : row % 97 == 0 ? 40 : row % 7;
  }
  KOKKOS_FUNCTION int column(int row, int k) const {
    return (row * 31 + k * k * 17 + k) % columns;
  }
  // what Kokkos::count_and_fill_crs calls: once to count, once to fill
  KOKKOS_FUNCTION int operator()(int row, int* fill) const {
    if (fill)
      for (int k = 0; k < length(row); ++k) fill[k] = column(row, k);
    return length(row);
  }
};

/// Kokkos::Crs constructs the closure of a scan by itself, past
/// Kokkos::parallel_scan.
TYPED_TEST(ScanUses, CompressedRows) {
  using Exec     = TypeParam;
  using Crs      = Kokkos::Crs<int, Exec, void, int>;
  int const rows = 30011, columns = 4001;
  Pattern const pattern{columns};
  Crs graph;
  RouteProbe<Exec> probe;
  Kokkos::count_and_fill_crs(graph, rows, pattern);
  EXPECT_TRUE(probe.streamed());
  std::vector<int> offsets{0}, entries, counts(columns, 0);
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < pattern.length(row); ++k) {
      entries.push_back(pattern.column(row, k));
      ++counts[entries.back()];
    }
    offsets.push_back(entries.size());
  }
  EXPECT_TRUE(holds(graph.row_map, offsets));
  EXPECT_TRUE(holds(graph.entries, entries));

  Kokkos::View<int*, Exec> row_map;
  auto const counted = view_of<Exec>(counts);
  probe.reset();
  int const number = Kokkos::get_crs_row_map_from_counts(row_map, counted);
  EXPECT_TRUE(probe.streamed());
  EXPECT_EQ(int(entries.size()), number);
  std::vector<int> expected{0};
  for (int count : counts) expected.push_back(expected.back() + count);
  EXPECT_TRUE(holds(row_map, expected));
}

struct IsThird {
  KOKKOS_FUNCTION bool operator()(int value) const { return value % 3 == 0; }
};
/// Values in runs, so that there is something to make unique.
template <class Exec>
struct Values {
  Random random;
  std::vector<int> host;
  Kokkos::View<int*, Exec> x;
  explicit Values(int n) {
    int value = 0;
    for (int i = 0; i < n; ++i) {
      if (random.integer(0, 2) == 0) value = random.integer(0, 1000);
      host.push_back(value);
    }
    x = view_of<Exec>(host);
  }
};
constexpr int sizes[] = {1, 2, 1000, 65537, 300007};

/// copy_if and partition_copy are one scan each; what remove_copy_if is made of
/// differs between versions of Kokkos.
TYPED_TEST(ScanUses, ConditionalCopies) {
  using Exec = TypeParam;
  for (int n : sizes) {
    Values<Exec> const values(n);
    SCOPED_TRACE("n = " + std::to_string(n));
    std::vector<int> thirds, others;
    for (int value : values.host)
      (IsThird()(value) ? thirds : others).push_back(value);

    auto const copied = poisoned_array<int, Exec>(n);
    RouteProbe<Exec> probe;
    auto const copied_end = KE::copy_if(Exec(), values.x, copied, IsThird());
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(std::ptrdiff_t(thirds.size()), copied_end - KE::begin(copied));
    EXPECT_TRUE(holds(copied, thirds));

    auto const kept     = poisoned_array<int, Exec>(n);
    auto const kept_end = KE::remove_copy_if(Exec(), values.x, kept, IsThird());
    EXPECT_EQ(std::ptrdiff_t(others.size()), kept_end - KE::begin(kept));
    EXPECT_TRUE(holds(kept, others));

    auto const yes = poisoned_array<int, Exec>(n);
    auto const no  = poisoned_array<int, Exec>(n);
    probe.reset();
    auto const ends = KE::partition_copy(Exec(), values.x, yes, no, IsThird());
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(std::ptrdiff_t(thirds.size()), ends.first - KE::begin(yes));
    EXPECT_EQ(std::ptrdiff_t(others.size()), ends.second - KE::begin(no));
    EXPECT_TRUE(holds(yes, thirds));
    EXPECT_TRUE(holds(no, others));
  }
}

}  // namespace
