// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prefix sums of random data by every contender: scan/CONTENDER/TYPE/KIND/n:N.
// docs/developers/benchmarks.md explains the names.

#include "scan/Perf_Scan.hpp"

namespace perf {

namespace {

template <int n>
struct alignas(4 * n) Words {
  std::uint32_t word[n];
};

/// Reads one, two or four words and writes four.
template <class In>
struct WideningCopy {
  In const* in;
  Words<4>* out;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    constexpr std::size_t words = sizeof(In) / sizeof(std::uint32_t);
    In const item               = in[i];
    Words<4> wide;
    for (std::size_t w = 0; w < 4; ++w) wide.word[w] = item.word[w % words];
    out[i] = wide;
  }
};
template <class In>
Ceiling measured_copy(Session& session, std::size_t n) {
  auto const* const in = reinterpret_cast<In const*>(
      session.data<std::int64_t>(n * sizeof(In) / sizeof(std::int64_t)));
  Words<4>* const out = session.results<Words<4>>(n);
  return {session.timer.sample(std::max(session.options.samples, 3),
                               [&](std::size_t) {
                                 Kokkos::parallel_for(
                                     "perf::copy",
                                     IndexRange(session.exec, 0, n),
                                     WideningCopy<In>{in, out});
                               }),
          static_cast<double>(n) * (sizeof(In) + sizeof(Words<4>))};
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
  std::size_t const n    = bytes / 256 * 256 / (2 * sizeof(Words<4>));
  Ceiling const ceiling  = ratio == 1   ? measured_copy<Words<4>>(m_session, n)
                           : ratio == 2 ? measured_copy<Words<2>>(m_session, n)
                                        : measured_copy<Words<1>>(m_session, n);
  return m_copies[ratio] = ceiling;
}

void ScanTests::register_all() {
  register_ceilings(m_session);
  for (int ratio : {1, 2, 4})
    register_ceiling(
        m_session, "copy/written_per_read:" + std::to_string(ratio),
        [this, ratio]() -> Ceiling const& { return copy_of_ratio(ratio); },
        [this] { return m_session.copy_ceiling().bytes_per_second(); });
  Instances<ScanTests>::run(*this);
}

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::ScanTests>("perf_scan", argc, argv);
}
