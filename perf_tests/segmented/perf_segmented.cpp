// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and inclusive scans of segments of random data by every contender:
// segmented_reduce/CONTENDER/TYPE/SEGMENTS/n:N, segmented_scan/... and, with
// --mma-energy, segmented_energy/...
// docs/developers/benchmarks.md explains the names.

#include "segmented/Perf_Segmented.hpp"

namespace perf {

namespace {

struct Narrow {
  std::int64_t const* wide;
  std::int32_t* narrow;
  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    narrow[s] = static_cast<std::int32_t>(wide[s]);
  }
};

/// Offsets of the segments of a pattern over n elements; the last segment may
/// be shorter.
std::vector<std::int64_t> ragged_offsets(Pattern pattern, std::size_t parameter,
                                         std::size_t n) {
  std::vector<std::int64_t> offsets = {0};
  std::size_t filled                = 0;
  auto const append                 = [&](std::size_t length) {
    filled += length;
    offsets.push_back(static_cast<std::int64_t>(filled));
  };
  if (pattern == Pattern::one_long) {
    std::size_t const half = n / 2;
    std::size_t const count =
        std::min<std::size_t>(std::size_t(1) << 20, (n - half) / parameter);
    for (std::size_t s = 0; s <= count; ++s)
      append(s == count / 2 ? half : parameter);
    return offsets;
  }
  for (std::size_t s = 0; filled < n; ++s) {
    std::uint64_t const random = mix(s);
    std::size_t length         = 0;
    if (pattern == Pattern::mean) {
      length = (random >> 32) * (2 * parameter + 1) >> 32;
    } else {
      double const u = static_cast<double>((random >> 11) + 1) * 0x1p-53;
      // A single segment may not be most of the data.
      length = static_cast<std::size_t>(
          std::min(static_cast<double>(parameter) * std::pow(u, -2. / 3),
                   static_cast<double>(n) / 16));
    }
    append(std::min(length, n - filled));
  }
  return offsets;
}

}  // namespace

SegmentedTests::SegmentedTests(Session& session) : m_session(session) {
  std::string const cublas = cublas_missing();
  benchmark::AddCustomContext("cublas", cublas.empty() ? "found" : cublas);
  benchmark::AddCustomContext("cub_fixed_size",
                              has_cub_fixed<float> ? "found" : "not in CUB");
  if (on_cuda && !cublas.empty())
    std::cerr << "perf_segmented: no cuBLAS: " << cublas << "\n";
  if (!session.options.energy) return;
  std::string energy = "no Cuda execution space";
#ifdef KOKKOS_ENABLE_CUDA
  m_energy.emplace();
  energy = m_energy->missing();
#endif
  benchmark::AddCustomContext("energy_counter",
                              energy.empty() ? "found" : energy);
  if (!energy.empty())
    std::cerr << "perf_segmented: no energy will be measured: " << energy
              << "\n";
}

void SegmentedTests::register_all() {
  register_ceilings(m_session);
  Instances<SegmentedTests>::run(*this);
}

bool SegmentedTests::exists(Contender c) const {
  switch (c) {
    case Contender::cub_offsets:
    case Contender::cub_fixed:
    case Contender::cub_by_key:
    case Contender::wmma: return on_cuda;
    case Contender::cublas: return cublas_missing().empty();
    default: return true;
  }
}

bool SegmentedTests::measures_energy() const {
#ifdef KOKKOS_ENABLE_CUDA
  return m_energy && m_energy->missing().empty();
#else
  return false;
#endif
}

Offsets const& SegmentedTests::offsets(Case const& c) {
  auto const key = std::tuple(c.pattern, c.parameter, c.n);
  auto const at  = m_offsets.find(key);
  if (at != m_offsets.end()) return at->second;
  std::vector<std::int64_t> const host =
      ragged_offsets(c.pattern, c.parameter, c.n);
  Offsets made;
  made.n = static_cast<std::size_t>(host.back());
  for (std::size_t s = 1; s < host.size(); ++s)
    made.longest =
        std::max(made.longest, static_cast<std::size_t>(host[s] - host[s - 1]));
  Exec const& exec = m_session.exec;
  made.wide        = Vector<std::int64_t>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "perf::offsets"),
      host.size());
  made.narrow = Vector<std::int32_t>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "perf::offsets"),
      host.size());
  copy_bytes(exec, made.wide.data(), host.data(),
             host.size() * sizeof(std::int64_t));
  Kokkos::parallel_for("perf::offsets", IndexRange(exec, 0, host.size()),
                       Narrow{made.wide.data(), made.narrow.data()});
  exec.fence("perf::offsets");
  return m_offsets[key] = made;
}

Cut SegmentedTests::cut(Case const& c) {
  Cut cut;
  cut.n      = c.n;
  cut.length = c.parameter;
  if (c.shape == Shape::equal || c.shape == Shape::keys) {
    cut.kind     = Cut::Kind::equal;
    cut.segments = c.n / c.parameter;
    cut.longest  = c.parameter;
  } else if (c.shape == Shape::columns) {
    cut.kind     = Cut::Kind::columns;
    cut.segments = c.parameter;
    cut.longest  = c.n / c.parameter;
  } else {
    Offsets const& o = offsets(c);
    cut.kind         = Cut::Kind::offsets;
    cut.n            = o.n;
    cut.segments     = o.wide.extent(0) - 1;
    cut.longest      = o.longest;
    cut.offsets      = o.wide.data();
  }
  return cut;
}

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::SegmentedTests>("perf_segmented", argc, argv);
}
