// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cells, their summary and the report: plain Kokkos, for both programs.

#ifndef LIFE_CELLS_HPP
#define LIFE_CELLS_HPP

#include <Kokkos_Core.hpp>

#include "../common/measure.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

// cells(y, x), row after row.
using Cells     = Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, Memory>;
using HostCells = std::vector<std::uint8_t>;
using Grid2D    = Kokkos::MDRangePolicy<
    Space, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>,
    Kokkos::IndexType<std::int64_t>>;

constexpr std::int64_t largest_side = 1 << 17;

inline auto wrapped(HostCells& cells, std::int64_t height, std::int64_t width) {
  return Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, Kokkos::HostSpace,
                      Kokkos::MemoryTraits<Kokkos::Unmanaged>>(cells.data(),
                                                               height, width);
}

// A random half of all cells is alive, the same on every machine.
inline HostCells soup_of(std::int64_t size) {
  HostCells cells(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = scrambled(i) >> 63;
  return cells;
}

struct Population {
  std::int64_t size    = 0;
  std::uint64_t digest = 0;  // of the states and where they are
};

inline Population population_of(Cells const& cells) {
  auto const width = static_cast<std::int64_t>(cells.extent(1));
  Population result;
  Kokkos::parallel_reduce(
      "life::population", Range(0, cells.size()),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & size,
                    std::uint64_t & digest) {
        std::uint64_t const state = cells(i / width, i % width);
        size += state != 0;
        digest += scrambled(256 * static_cast<std::uint64_t>(i) + state);
      },
      result.size, result.digest);
  return result;
}

struct Report {
  std::string pattern, rule, boundary;
  std::int64_t steps;
  int repeat;
  double seconds;
  bool checked = false;
};

inline void print_report(Report const& report, Cells const& cells) {
  auto const size = static_cast<double>(cells.size());
  std::printf(
      "pattern %s\nrule %s\nboundary %s\nexecution_space %s\nruns_on %s\n"
      "width %lld\nheight %lld\ngenerations %lld\n",
      report.pattern.c_str(), report.rule.c_str(), report.boundary.c_str(),
      Space::name(), on_host ? "host" : "device",
      static_cast<long long>(cells.extent(1)),
      static_cast<long long>(cells.extent(0)),
      static_cast<long long>(report.steps));
  if (report.steps > 0) {
    std::printf("seconds %.4g\nupdates_per_second %.4g\n", report.seconds,
                size * static_cast<double>(report.steps) / report.seconds);
  }
  if (report.repeat > 0) {
    std::printf("copy_GBps %.4g\n",
                measure_copy(2. * size, report.repeat) / 1e9);
  }
  Population const found = population_of(cells);
  std::printf("digest %016llx\n",
              static_cast<unsigned long long>(found.digest));
  if (report.checked) std::printf("checked against one thread of the host\n");
  std::printf("population %lld\n", static_cast<long long>(found.size));
}

#endif
