// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and scans by key for the preset cuda-compile-only. Nothing here runs.

#include <KokkosMMA_Segmented.hpp>

#include <cstdint>

namespace {

template <class T>
using Array = Kokkos::View<T*, Kokkos::Cuda>;

/// Two numbers, as of a cell of a grid.
struct Cell {
  std::int32_t row, column;
  KOKKOS_FUNCTION friend bool operator==(Cell const& a, Cell const& b) {
    return a.row == b.row && a.column == b.column;
  }
};

}  // namespace

std::size_t kernels_by_key() {
  Kokkos::Cuda const exec;
  Array<std::int32_t> const keys("keys", 100), unique("unique keys", 100);
  Array<Cell> const cells("cells", 100);
  Array<float> const x("x", 100), y("y", 100);
  Array<double> const wide("wide", 100);
  Array<Kokkos::Experimental::half_t> const halves("halves", 100);
  Array<std::int8_t> const bytes("bytes", 100);
  Array<std::int64_t> const names("names", 100), longs("longs", 100);
  KokkosMMA::inclusive_scan_by_key(exec, keys, halves, y);
  KokkosMMA::exclusive_scan_by_key(exec, names, wide, wide);
  KokkosMMA::reduce_by_key(exec, keys, halves, unique, halves);
  KokkosMMA::reduce_by_key(exec, keys, bytes, unique, longs);
  KokkosMMA::reduce_by_key(exec, names, wide, longs, wide,
                           KokkosMMA::Maximum());
  KokkosMMA::reduce_by_key(exec, cells, wide, cells, wide);
  KokkosMMA::reduce_by_key(exec, bytes, keys, bytes, unique);
  KokkosMMA::exclusive_scan_by_key(exec, keys, x, x);
  KokkosMMA::inclusive_scan_by_key(exec, cells, wide, wide);
  return KokkosMMA::reduce_by_key(exec, keys, x, unique, y);
}
