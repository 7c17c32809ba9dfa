// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SEGMENTED_HPP
#define KOKKOSMMA_PERF_SEGMENTED_HPP

#include <tuple>
#include <utility>

#include "segmented/Perf_SegmentedCase.hpp"
#include "support/Perf_Energy.hpp"

/// The cases of perf_segmented. The reductions and the scans of every type are
/// instances in sources of their own.
namespace perf {

template <class T>
using Maker = Call (*)(Work<T> const&);

class SegmentedTests {
 public:
  explicit SegmentedTests(Session& session);

  void register_all();

  template <class T>
  void register_reductions();
  template <class T>
  void register_scans();
  template <class T>
  void register_by_key();  // Perf_SegmentedByKey.hpp

 private:
  bool exists(Contender c) const;
  bool measures_energy() const;

  template <class T>
  void register_case(Case const& c, Maker<T> make);
  template <class T>
  void register_equal(Task task, std::vector<std::size_t> const& lengths,
                      std::vector<Contender> const& contenders, Maker<T> make);
  template <class T>
  void register_columns(Task task, std::vector<std::size_t> const& list,
                        std::vector<Contender> const& contenders,
                        Maker<T> make);
  template <class T>
  void run(benchmark::State& state, Case const& c, Maker<T> make);
  template <class T>
  double bytes(Case const& c, Cut const& cut) const;

  /// How the elements of a case are divided into segments.
  Cut cut(Case const& c);
  Offsets const& offsets(Case const& c);

  template <class T>
  ExactSums<T> exact(T const* x, Case const& c, Cut const& cut) {
    std::string const key = c.cut_name() + type_name<T>() + std::to_string(c.n);
    if (m_exact_key != key) {
      m_exact_key.clear();
      m_exact.reset();
      m_exact.emplace(m_session.exec, ExactSum<T>::words * cut.segments);
      exact_sums<T>(m_session.exec, x, cut, *m_exact);
      m_exact_key = key;
    }
    return {m_exact->data(), m_exact->data() + cut.segments};
  }

  Session& m_session;
  std::map<std::tuple<Pattern, std::size_t, std::size_t>, Offsets> m_offsets;
  std::string m_exact_key;
  std::optional<Scratch<std::int64_t>> m_exact;
#ifdef KOKKOS_ENABLE_CUDA
  std::optional<EnergyCounter> m_energy;
#endif
};

template <class T>
double SegmentedTests::bytes(Case const& c, Cut const& cut) const {
  double const written = static_cast<double>(c.scans() ? cut.n : cut.segments);
  double const offset  = c.shape == Shape::ragged32   ? sizeof(std::int32_t)
                         : c.shape == Shape::ragged64 ? sizeof(std::int64_t)
                                                      : 0;
  double const keys =
      c.shape != Shape::keys
          ? 0
          : static_cast<double>(cut.n + (c.scans() ? 0 : cut.segments)) *
                sizeof(int);
  return keys + static_cast<double>(cut.n) * sizeof(T) +
         written * sizeof(sum_type<T>) +
         offset * static_cast<double>(cut.segments + 1);
}

template <class T>
void SegmentedTests::register_case(Case const& c, Maker<T> make) {
  if (!exists(c.contender)) return;
  if (c.contender == Contender::cublas && std::is_integral_v<T>) return;
  if (c.contender == Contender::cub_fixed && !has_cub_fixed<T>) return;
  if (c.contender == Contender::wmma &&
      (!has_wmma<T> || !wmma_takes(c.parameter, c.n)))
    return;
  perf::register_case(
      m_session, c.name<T>(),
      [this, c, make](benchmark::State& state) { run<T>(state, c, make); });
}

template <class T>
void SegmentedTests::register_equal(Task task,
                                    std::vector<std::size_t> const& lengths,
                                    std::vector<Contender> const& contenders,
                                    Maker<T> make) {
  std::size_t const most = m_session.segment_elements<T>();
  for (std::size_t length : sizes(lengths, most))
    for (Contender c : contenders)
      // Whole segments, as not all contenders take a shorter last one.
      register_case<T>({task, c, Shape::equal, Pattern::length, length,
                        most / length * length},
                       make);
}

template <class T>
void SegmentedTests::register_columns(Task task,
                                      std::vector<std::size_t> const& list,
                                      std::vector<Contender> const& contenders,
                                      Maker<T> make) {
  std::size_t const most = m_session.segment_elements<T>();
  for (std::size_t columns : sizes(list, most))
    for (Contender c : contenders)
      register_case<T>({task, c, Shape::columns, Pattern::columns, columns,
                        most / columns * columns},
                       make);
}

template <class T>
void SegmentedTests::register_reductions() {
  using enum Contender;
  bool const all               = m_session.options.all;
  std::size_t const most       = m_session.segment_elements<T>();
  Maker<T> const make          = &reduce_call<T>;
  std::vector<std::size_t> bar = {8,   16,  32,   64,   128,
                                  256, 512, 1024, 4096, 16384};
  std::vector<std::size_t> every, few = {1, 100, 1000, 1 << 20};
  for (int power = 0; power <= 20; ++power)
    every.push_back(std::size_t(1) << power);
  for (std::size_t odd :
       {3,   5,   7,   9,   12,  15,  17,   31,   33,   48,   63,    65,
        100, 127, 129, 255, 257, 500, 1000, 1023, 1025, 5000, 100000})
    every.push_back(odd);
  few.insert(few.end(), bar.begin(), bar.end());
  // All contenders run at the lengths with a bar, one after another on the same
  // data.
  std::vector<std::size_t> const listed =
      sizes(on_cuda || all ? every : few, most);
  for (std::size_t length : listed) {
    bool const everyone =
        all || std::find(bar.begin(), bar.end(), length) != bar.end();
    std::vector<Contender> contenders = {cublas, segmented};
    if (everyone) {
      contenders = {kokkos_team, kokkos_flat, cub_fixed,  cublas, segmented,
                    mma,         streamed,    collective, wmma};
    } else {
      // Peers that may be the fastest at this length.
      if (length <= 65) contenders.push_back(kokkos_flat);
      if (length == 1 << 20)
        contenders.insert(contenders.end(), {mma, streamed});
    }
    // A block for each segment: hundreds of milliseconds for the shortest.
    if (length >= 4096 || (everyone && length >= 16) || all)
      contenders.push_back(cub_offsets);
    register_equal<T>(Task::reduce, {length}, contenders, make);
  }

  auto const ragged = [&](Shape shape, Pattern pattern, std::size_t parameter) {
    std::vector<Contender> contenders = {kokkos_team, cub_offsets, segmented,
                                         unchecked};
    // One thread for half of the data takes seconds.
    if (pattern == Pattern::mean && (parameter <= 64 || all))
      contenders.push_back(kokkos_flat);
    for (Contender c : contenders)
      register_case<T>({Task::reduce, c, shape, pattern, parameter, most},
                       make);
  };
  for (Shape shape : {Shape::ragged32, Shape::ragged64}) {
    bool const both = all || shape == Shape::ragged32;
    for (std::size_t mean : {4, 16, 64, 1024})
      if (both || mean == 16) ragged(shape, Pattern::mean, mean);
    if (!both) continue;
    ragged(shape, Pattern::power_law, 4);
    ragged(shape, Pattern::one_long, 3);
  }

  register_columns<T>(Task::reduce, {16, 64, 1000, 4096},
                      {kokkos_team, kokkos_flat, cublas, segmented, streamed},
                      make);

  if (!measures_energy()) return;
  if constexpr (!std::is_integral_v<T>) {
    for (std::size_t length : {16, 256, 4096})
      register_equal<T>(Task::energy, {length},
                        {segmented, has_cub_fixed<T> ? cub_fixed : cub_offsets},
                        make);
  }
}

template <class T>
void SegmentedTests::register_scans() {
  using enum Contender;
  bool const all                     = m_session.options.all;
  std::size_t const most             = m_session.segment_elements<T>();
  Maker<T> const make                = &scan_call<T>;
  std::vector<std::size_t> const bar = {16, 64, 256, 1024, 16384};
  std::vector<std::size_t> every     = {16,   64,   100,   256,
                                        1000, 1024, 16384, 1 << 20};
  if (all)
    for (int power = 4; power <= 20; ++power)
      every.push_back(std::size_t(1) << power);
  for (std::size_t length : sizes(every, most)) {
    std::vector<Contender> contenders = {segmented};
    if (all || std::find(bar.begin(), bar.end(), length) != bar.end())
      contenders = {kokkos_team, cub_by_key, segmented, streamed, wmma};
    if (length <= 64) contenders.push_back(kokkos_flat);
    register_equal<T>(Task::scan, {length}, contenders, make);
  }
  register_columns<T>(Task::scan, {64, 1000, 4096},
                      {kokkos_flat, segmented, streamed}, make);
  for (auto const& [pattern, parameter] :
       {std::pair(Pattern::mean, 16), std::pair(Pattern::mean, 1024),
        std::pair(Pattern::one_long, 3)}) {
    std::vector<Contender> contenders = {cub_by_key, segmented, unchecked};
    if (pattern == Pattern::mean) contenders.push_back(kokkos_team);
    for (Contender c : contenders)
      register_case<T>({Task::scan, c, Shape::ragged32, pattern,
                        static_cast<std::size_t>(parameter), most},
                       make);
  }
}

template <class T>
void SegmentedTests::run(benchmark::State& state, Case const& c,
                         Maker<T> make) {
  using Sum        = sum_type<T>;
  Exec const& exec = m_session.exec;
  m_session.copy_ceiling();  // measuring it overwrites the data
  Cut const how           = cut(c);
  std::size_t const m     = c.scans() ? how.n : how.segments;
  bool const by_key       = c.shape == Shape::keys;
  std::size_t const room  = by_key ? how.n : m;
  T* const x              = m_session.data<T>(how.n);
  Sum* const y            = m_session.results<Sum>(room);
  ExactSums<T> const sums = exact<T>(x, c, how);
  std::optional<Scratch<T>> ones;
  if (c.contender == Contender::cublas) {
    std::size_t const count =
        c.shape == Shape::columns ? how.n / how.length : how.length;
    ones.emplace(exec, count);
    Kokkos::parallel_for("perf::ones", IndexRange(exec, 0, count),
                         FillOnes<T>{ones->data()});
  }
  std::optional<Scratch<int>> keys;
  if (by_key) {
    keys.emplace(exec, 2 * how.n);
    std::size_t const workers = std::size_t(1) << (on_cuda ? 18 : 8);
    Kokkos::parallel_for("perf::keys", IndexRange(exec, 0, workers),
                         WriteKeys{how, keys->data(), workers});
  }
  Work<T> const work = {exec,
                        c,
                        how,
                        c.ragged() ? &offsets(c) : nullptr,
                        Vector<T>(x, how.n),
                        Vector<Sum>(y, room),
                        ones ? &*ones : nullptr,
                        keys ? keys->data() : nullptr};
  Call call          = make(work);

  // Prefixes of wmma's long segments go through halves, sixteen elements at a
  // time: 2^-11 of them, and as much again for the carries.
  double const allowed =
      c.contender == Contender::wmma
          ? 0x1p-10
          : segment_tolerance<Sum>(how.longest,
                                   c.contender == Contender::kokkos_flat ||
                                       c.contender == Contender::cublas);
  bool const forced = on_cuda && (c.contender == Contender::mma ||
                                  c.contender == Contender::streamed);
  auto const found  = checked_outcome(
       m_session, state, is_ours(c.contender),
      forced ? name_of(c.contender) : "", m, call,
       [&] { poison_bytes(exec, y, m * sizeof(Sum)); },
       [&] {
        Inspection seen =
            inspect_segments<T>(exec, c.scans(), x, y, how, sums, allowed);
        if (by_key && !c.scans())
          seen.add(inspect_all(exec, m, LookAtKeys{work.unique_keys(), m}));
        return seen;
      },
       c.task != Task::energy);
  if (!found) return;

  auto const n         = static_cast<double>(how.n);
  double const moved   = bytes<T>(c, how);
  double const ceiling = c.scans() ? m_session.copy_ceiling().bytes_per_second()
                                   : m_session.read_bytes_per_second();
  if (c.task != Task::energy) report(state, found->samples, moved, ceiling, n);
#ifdef KOKKOS_ENABLE_CUDA
  else
    report_energy(state, m_session.timer, *m_energy, call, moved, ceiling, n);
#endif
  if (!found->reproducible &&
      (is_ours(c.contender) || c.contender == Contender::collective ||
       std::is_integral_v<T>))
    throw std::runtime_error("two runs on the same data differ");
  state.counters["segments"]     = static_cast<double>(how.segments);
  state.counters["reproducible"] = found->reproducible;
  if constexpr (!std::is_integral_v<T>) {
    state.counters["relative_error"] = found->seen.error;
  }
  state.SetLabel(is_ours(c.contender) ? found->route : label_of(c.contender));
}

}  // namespace perf

#endif
