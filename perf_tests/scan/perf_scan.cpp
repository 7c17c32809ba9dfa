// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prefix sums of random data by all contenders in one process, next to the copy
// ceilings measured there.
//
//   scan/CONTENDER/TYPE/KIND/n:N
//     CONTENDER  kokkos   Kokkos' own code (route generic) for a plain lambda
//                drop_in  the same lambda, route left to the library
//                visible  KokkosMMA::exclusive_scan on the Views, route left to
//                         the library
//                mma      the same, route mma
//                shuffle  the same, route streamed
//                cub      cub::DeviceScan, accumulating in the result type
//                         (Cuda only)
//     KIND       exclusive       device time per call, data that no cache holds
//                exclusive_warm  the same on one pair of small buffers
//                inclusive       what the library offers beside it
//                inplace         float: the output is the input
//                total_view      exclusive, and the total stays on the device
//                total_scalar    exclusive, and the total is on the host when
//                                the call returns: host time of single calls
//
// One Google Benchmark iteration is the median of --mma-samples samples, each
// of at least 200 us of back-to-back calls; it is one line of output. Before it
// is timed a case is checked, and run twice for equal bits; the timed calls
// must leave the same bits.

#include "scan/Perf_Scan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace perf {

namespace {

struct alignas(4) Words1 {
  std::uint32_t word[1];
};
struct alignas(8) Words2 {
  std::uint32_t word[2];
};
struct alignas(16) Words4 {
  std::uint32_t word[4];
};

/// Reads one, two or four words and writes four.
template <class In>
struct WideningCopy {
  In const* in;
  Words4* out;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    constexpr std::size_t words = sizeof(In) / sizeof(std::uint32_t);
    In const item               = in[i];
    Words4 wide;
    for (std::size_t w = 0; w < 4; ++w) wide.word[w] = item.word[w % words];
    out[i] = wide;
  }
};
template <class In>
Ceiling measured_copy(Session& session, std::size_t n) {
  auto const* const in = reinterpret_cast<In const*>(
      session.data<std::int64_t>(n * sizeof(In) / sizeof(std::int64_t)));
  Words4* const out = session.results<Words4>(n);
  return {session.timer.sample(std::max(session.options.samples, 3),
                               [&](std::size_t) {
                                 Kokkos::parallel_for(
                                     "perf::copy",
                                     IndexRange(session.exec, 0, n),
                                     WideningCopy<In>{in, out});
                               }),
          static_cast<double>(n) * (sizeof(In) + sizeof(Words4))};
}

}  // namespace

Ceiling const& ScanTests::copy_of_ratio(int ratio) {
  auto const at = m_copies.find(ratio);
  if (at != m_copies.end()) return at->second;
  // As many bytes as the largest case may read and write, and on hosts past the
  // cache.
  std::size_t const bytes = std::min(
      m_session.machine.pool_bytes,
      std::max(m_session.options.max_n * 4, m_session.rotation_bytes()));
  std::size_t const n    = bytes / 256 * 256 / (2 * sizeof(Words4));
  Ceiling const ceiling  = ratio == 1   ? measured_copy<Words4>(m_session, n)
                           : ratio == 2 ? measured_copy<Words2>(m_session, n)
                                        : measured_copy<Words1>(m_session, n);
  return m_copies[ratio] = ceiling;
}

void ScanTests::register_all() {
  register_ceilings(m_session);
  for (int ratio : {1, 2, 4})
    register_ceiling(
        m_session, "copy/written_per_read:" + std::to_string(ratio),
        [this, ratio]() -> Ceiling const& { return copy_of_ratio(ratio); },
        [this] { return m_session.copy_ceiling().bytes_per_second(); });
  register_half_types(*this);
  register_float(*this);
  register_double(*this);
  register_byte_types(*this);
  register_integer_types(*this);
}

void ScanTests::print_tables() {
  if (m_rows.empty()) return;
  std::vector<Column> const columns = {
      {"kokkos", "Kokkos"}, {"drop_in", "drop-in"}, {"visible", "visible"},
      {"mma", "mma"},       {"shuffle", "shuffle"}, {"cub", "CUB"}};
  double const ceiling = m_session.copy_ceiling().bytes_per_second();
  std::printf(
      "\nExclusive scan, sum, GB/s read plus written and fraction of the copy "
      "ceiling (%.0f GB/s)\n",
      ceiling * 1e-9);
  m_rows.print_rates("exclusive", ceiling, columns, {"drop_in", "visible"});
  m_rows.print_times("Small n, data in no cache", "exclusive", columns);
  m_rows.print_times("Small n, data in cache", "exclusive_warm", columns);
  m_rows.print_times("Small n, total in a View", "total_view", columns);
  m_rows.print_times("Small n, total in a host scalar", "total_scalar",
                     columns);
  m_rows.print_smallest_speedup({"drop_in", "drop-in"});
  m_rows.print_smallest_speedup({"visible", "visible"});
}

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::ScanTests>("perf_scan", argc, argv);
}
