// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and inclusive scans of segments of random data by all contenders in one
// process, next to the read and copy ceilings measured there.
//
//   segmented_reduce/CONTENDER/TYPE/SEGMENTS/n:N
//   segmented_scan/CONTENDER/TYPE/SEGMENTS/n:N
//   segmented_energy/CONTENDER/TYPE/SEGMENTS/n:N   with --mma-energy
//   segmented_tune/CONTENDER-wW-sS-bB/TYPE/SEGMENTS/n:N   with --mma-tune, and
//                                                  then nothing else
//     CONTENDER  kokkos_team  TeamPolicy, a vector of lanes for each segment (a
//                             team for a column, and where one is very long)
//                kokkos_flat  RangePolicy, a thread for each segment
//                cub_offsets  cub::DeviceSegmentedReduce
//                cub_fixed    the same for segments of one size, where the
//                             toolkit has it
//                cub_by_key   cub::DeviceScan::InclusiveScanByKey
//                cublas       matrix times a vector of ones
//                segmented    KokkosMMA::segmented_reduce and
//                             segmented_inclusive_scan, route left to the
//                             library
//                unchecked    ragged: the same without its check of offsets
//                mma          sums: the same, route mma
//                streamed     the same, route streamed
//                collective   KokkosMMA::vector_reduce in a kernel like that of
//                             kokkos_team, from 1024 elements on team_reduce
//     SEGMENTS   equal/length:L        of L elements
//                ragged32/mean:M       int32 offsets, lengths uniform in 0..2 M
//                ragged32/power_law:S  lengths S u^(-2/3), u uniform
//                ragged32/one_long:3   half of the data in one segment, beside
//                                      up to a million of length 3
//                ragged64/...          the same with int64 offsets
//                along0/columns:C      a row-major matrix of C columns, reduced
//                                      along its rows' index
//
// One Google Benchmark iteration is the median of up to --mma-samples samples;
// it is one line of output. Before it is timed, every result of a case is
// compared with exact sums, and it is run twice for equal bits; the timed calls
// must leave the same bits.

#include "segmented/Perf_Segmented.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <limits>
#include <vector>

#include "support/Perf_Energy.hpp"

namespace perf {

namespace {

struct Narrow {
  std::int64_t const* wide;
  std::int32_t* narrow;
  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    narrow[s] = static_cast<std::int32_t>(wide[s]);
  }
};

/// Where segments of a pattern begin and end: as many as n elements give, the
/// last cut short.
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
      // One segment alone may not be most of the data.
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
  if (!session.options.has("--mma-energy")) return;
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
  if (m_session.options.has("--mma-tune")) return register_tunings(*this);
  register_half_reductions(*this);
  register_half_scans(*this);
  register_bhalf_reductions(*this);
  register_bhalf_scans(*this);
  register_float_reductions(*this);
  register_float_scans(*this);
  register_double_reductions(*this);
  register_double_scans(*this);
  register_int8_reductions(*this);
  register_int8_scans(*this);
  register_int32_reductions(*this);
  register_int32_scans(*this);
}

bool SegmentedTests::exists(Contender c) const {
  switch (c) {
    case Contender::cub_offsets:
    case Contender::cub_fixed:
    case Contender::cub_by_key: return on_cuda;
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
  if (c.shape == Shape::equal) {
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

void SegmentedTests::report(benchmark::State& state, Case const& c,
                            char const* type, Samples const& samples,
                            double bytes, std::string const& route) {
  double const ceiling = c.scans() ? m_session.copy_ceiling().bytes_per_second()
                                   : m_session.read_bytes_per_second();
  double const seconds = samples.median();
  for (auto _ : state) state.SetIterationTime(seconds);
  Row const row = {bytes / seconds, bytes / seconds / ceiling, route};
  state.counters["bytes_per_second"]    = row.rate;
  state.counters["fraction_of_ceiling"] = row.fraction;
  state.counters["variation"]           = samples.variation();
  state.counters["fastest_us"]          = samples.minimum() * 1e6;
  auto line = std::find_if(m_lines.begin(), m_lines.end(), [&](Line const& l) {
    return l.task == c.task && l.type == type && l.shape == c.shape &&
           l.cut == c.cut_name();
  });
  if (line == m_lines.end())
    line = m_lines.insert(
        line, Line{c.task, type, c.shape, c.cut_name(), c.parameter, {}});
  line->rows[c.who()] = row;
}

void SegmentedTests::measure_energy(benchmark::State& state, Case const& c,
                                    char const* type, Call const& call,
                                    double bytes, std::size_t n) {
#ifdef KOKKOS_ENABLE_CUDA
  auto const [seconds, joules, done] =
      steady_energy(m_session.timer, *m_energy, call);
  for (auto _ : state) state.SetIterationTime(seconds / done);
  double const elements                 = done * static_cast<double>(n);
  Energy const energy                   = {type,
                                           c.cut_name(),
                                           c.who(),
                                           bytes * done / seconds,
                                           joules / seconds,
                                           joules / elements};
  state.counters["bytes_per_second"]    = energy.rate;
  state.counters["elements_per_second"] = elements / seconds;
  state.counters["fraction_of_ceiling"] =
      energy.rate / m_session.read_bytes_per_second();
  state.counters["joules_per_element"] = energy.joules_per_element;
  state.counters["watts"]              = energy.watts;
  m_energies.push_back(energy);
#else
  (void)state, (void)c, (void)type, (void)call, (void)bytes, (void)n;
#endif
}

void SegmentedTests::print_table(Task task, Shape shape, char const* title,
                                 std::vector<Contender> const& columns) const {
  bool empty = true;
  for (Line const& line : m_lines)
    empty = empty && (line.task != task || line.shape != shape);
  if (empty) return;
  std::printf("\n%s, GB/s (fraction of the %s ceiling)\n%-7s %-22s", title,
              task == Task::scan ? "copy" : "read", "type", "segments");
  for (Contender c : columns) std::printf(" %12s", name_of(c));
  std::printf("  route\n");
  for (Line const& line : m_lines) {
    if (line.task != task || line.shape != shape) continue;
    std::printf("%-7s %-22s", line.type.c_str(),
                line.cut.substr(line.cut.find('/') + 1).c_str());
    for (Contender c : columns) {
      auto const row = line.rows.find(name_of(c));
      if (row == line.rows.end())
        std::printf(" %12s", "-");
      else
        std::printf(" %5.0f (%.2f)", row->second.rate * 1e-9,
                    row->second.fraction);
    }
    auto const ours = line.rows.find("segmented");
    std::printf("  %s\n",
                ours == line.rows.end() ? "" : ours->second.route.c_str());
  }
}

/// The bars that hold over lengths: no hole, and nowhere below the best peer.
void SegmentedTests::print_summary() const {
  std::printf("\n");
  std::vector<std::string> types;
  for (Line const& line : m_lines)
    if (std::find(types.begin(), types.end(), line.type) == types.end())
      types.push_back(line.type);
  for (Task task : {Task::reduce, Task::scan}) {
    for (std::string const& type : types) {
      Line const* slowest  = nullptr;
      Line const* fastest  = nullptr;
      Line const* worst    = nullptr;
      double against_peers = std::numeric_limits<double>::infinity();
      auto const rate      = [](Line const* line) {
        return line->rows.at("segmented").rate;
      };
      for (Line const& line : m_lines) {
        if (line.task != task || line.type != type ||
            !line.rows.contains("segmented"))
          continue;
        if (line.shape == Shape::equal && line.parameter >= 8) {
          if (!slowest || rate(&line) < rate(slowest)) slowest = &line;
          if (!fastest || rate(&line) > rate(fastest)) fastest = &line;
        }
        for (auto const& [contender, row] : line.rows) {
          bool const ours = contender == "segmented" ||
                            contender == "unchecked" || contender == "mma" ||
                            contender == "streamed" ||
                            contender == "collective";
          if (ours || rate(&line) / row.rate >= against_peers) continue;
          against_peers = rate(&line) / row.rate;
          worst         = &line;
        }
      }
      if (!slowest) continue;
      std::printf("%s, %s: slowest length from 8 up %s at %.2f of the fastest",
                  name_of(task), type.c_str(), slowest->cut.c_str(),
                  rate(slowest) / rate(fastest));
      if (worst)
        std::printf("; against the best peer where it is closest %.2f (%s)",
                    against_peers, worst->cut.c_str());
      std::printf("\n");
    }
  }
}

/// A tuning is a row, a length a column.
void SegmentedTests::print_tuning() const {
  std::vector<std::string> types;
  std::vector<std::size_t> lengths;
  std::map<std::pair<std::string, std::string>, std::map<std::size_t, double>>
      rates;
  for (Line const& line : m_lines) {
    if (line.task != Task::tune) continue;
    if (std::find(lengths.begin(), lengths.end(), line.parameter) ==
        lengths.end())
      lengths.push_back(line.parameter);
    for (auto const& [who, row] : line.rows)
      rates[{line.type, who}][line.parameter] = row.rate;
  }
  if (rates.empty()) return;
  std::sort(lengths.begin(), lengths.end());
  std::printf(
      "\nStaged kernels of equal segments: w warps of a block, s stages of b "
      "bytes; GB/s by length\n\n| type | tuning |");
  for (std::size_t length : lengths) std::printf(" %zu |", length);
  std::printf(" slowest |\n| --- | --- |");
  for (std::size_t c = 0; c <= lengths.size(); ++c) std::printf(" ---: |");
  std::printf("\n");
  for (auto const& [key, by_length] : rates) {
    std::printf("| %s | %s |", key.first.c_str(), key.second.c_str());
    double slowest = std::numeric_limits<double>::infinity();
    for (std::size_t length : lengths) {
      auto const at = by_length.find(length);
      if (at == by_length.end()) {
        std::printf(" - |");
        continue;
      }
      slowest = std::min(slowest, at->second);
      std::printf(" %.0f |", at->second * 1e-9);
    }
    std::printf(" %.0f |\n", slowest * 1e-9);
  }
}

void SegmentedTests::print_energies() const {
  if (m_energies.empty()) return;
  std::printf("\nEnergy of the board over a steady second\n");
  for (Energy const& e : m_energies)
    std::printf("%-7s %-22s %-12s %5.0f GB/s %4.0f W %7.1f pJ per element\n",
                e.type.c_str(), e.cut.c_str(), e.who.c_str(), e.rate * 1e-9,
                e.watts, e.joules_per_element * 1e12);
}

void SegmentedTests::print_tables() {
  print_energies();
  if (m_lines.empty()) return;
  print_tuning();
  using enum Contender;
  print_table(Task::reduce, Shape::equal, "Sums of equal segments",
              {kokkos_team, kokkos_flat, cub_offsets, cub_fixed, cublas,
               segmented, mma, streamed, collective});
  for (Shape shape : {Shape::ragged32, Shape::ragged64})
    print_table(Task::reduce, shape,
                shape == Shape::ragged32
                    ? "Sums of segments between int32 offsets"
                    : "Sums of segments between int64 offsets",
                {kokkos_team, kokkos_flat, cub_offsets, segmented, unchecked});
  print_table(Task::reduce, Shape::columns, "Sums of the columns of a matrix",
              {kokkos_team, kokkos_flat, cublas, segmented, mma, streamed});
  print_table(Task::scan, Shape::equal, "Inclusive scans of equal segments",
              {kokkos_team, cub_by_key, segmented, streamed});
  print_table(Task::scan, Shape::ragged32,
              "Inclusive scans of segments between int32 offsets",
              {kokkos_team, cub_by_key, segmented, unchecked});
  print_table(Task::scan, Shape::columns,
              "Inclusive scans of the columns of a matrix",
              {kokkos_flat, segmented, streamed});
  // On hosts every contender is Kokkos' code, and the closest one is noise.
  if (on_cuda) print_summary();
}

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::SegmentedTests>("perf_segmented", argc, argv);
}
