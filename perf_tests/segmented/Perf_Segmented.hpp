// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SEGMENTED_HPP
#define KOKKOSMMA_PERF_SEGMENTED_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <KokkosMMA.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "papers/Perf_PaperSums.hpp"
#include "support/Perf_Program.hpp"
#include "support/Perf_Data.hpp"
#include "support/Perf_Energy.hpp"
#include "support/Perf_Libraries.hpp"
#include "segmented/Perf_SegmentedCheck.hpp"
#include "segmented/Perf_SegmentedPeers.hpp"
#include "support/Perf_Session.hpp"
#include "support/Perf_Timing.hpp"

/// The cases of perf_segmented. The reductions and the scans of every type are
/// instances in sources of their own.
namespace perf {

enum class Task { reduce, scan, energy };
enum class Contender {
  kokkos_team,
  kokkos_flat,
  cub_offsets,
  cub_fixed,
  cub_by_key,
  cublas,
  segmented,
  unchecked,
  mma,
  streamed,
  collective,
  wmma
};
enum class Shape { equal, ragged32, ragged64, columns };
enum class Pattern { length, mean, power_law, one_long, columns };

constexpr char const* name_of(Task t) {
  constexpr char const* names[] = {"segmented_reduce", "segmented_scan",
                                   "segmented_energy"};
  return names[static_cast<int>(t)];
}
constexpr char const* name_of(Contender c) {
  constexpr char const* names[] = {"kokkos_team", "kokkos_flat", "cub_offsets",
                                   "cub_fixed",   "cub_by_key",  "cublas",
                                   "segmented",   "unchecked",   "mma",
                                   "streamed",    "collective",  "wmma"};
  return names[static_cast<int>(c)];
}
constexpr char const* name_of(Shape s) {
  constexpr char const* names[] = {"equal", "ragged32", "ragged64", "along0"};
  return names[static_cast<int>(s)];
}
constexpr char const* name_of(Pattern p) {
  constexpr char const* names[] = {"length", "mean", "power_law", "one_long",
                                   "columns"};
  return names[static_cast<int>(p)];
}

/// What stands where the library's calls have their route.
constexpr char const* label_of(Contender c) {
  if (c == Contender::kokkos_team || c == Contender::kokkos_flat)
    return "kokkos";
  if (c == Contender::collective) return "collective";
  if (c == Contender::wmma) return "wmma";
  return c == Contender::cublas ? "cublas" : "cub";
}
/// The library's calls, which take a route.
constexpr bool is_ours(Contender c) {
  return c == Contender::segmented || c == Contender::unchecked ||
         c == Contender::mma || c == Contender::streamed;
}

struct Case {
  Task task;
  Contender contender;
  Shape shape;
  Pattern pattern;
  std::size_t parameter;  // length, mean length, shortest, short ones, columns
  std::size_t n;

  bool ragged() const {
    return shape == Shape::ragged32 || shape == Shape::ragged64;
  }
  bool scans() const { return task == Task::scan; }
  std::string cut_name() const {
    return std::string(name_of(shape)) + "/" + name_of(pattern) + ":" +
           std::to_string(parameter);
  }
  template <class T>
  std::string name() const {
    return std::string(name_of(task)) + "/" + name_of(contender) + "/" +
           type_name<T>() + "/" + cut_name() + "/n:" + std::to_string(n);
  }
  /// Hosts have no route but Kokkos' own code, and asking for another one by
  /// name is an error there.
  KokkosMMA::Settings settings() const {
    KokkosMMA::Settings s;
    if (contender == Contender::unchecked) s.check_offsets = false;
    if (on_cuda && contender == Contender::mma) s.route = KokkosMMA::Route::mma;
    if (on_cuda && contender == Contender::streamed)
      s.route = KokkosMMA::Route::streamed;
    return s;
  }
};

/// Offsets of segments, on the device, in both widths.
struct Offsets {
  std::size_t n = 0, longest = 0;
  Vector<std::int64_t> wide;
  Vector<std::int32_t> narrow;
};

/// What a contender works on.
template <class T>
struct Work {
  Exec exec;
  Case c;
  Cut cut;
  Offsets const* offsets;  // ragged
  Vector<T> x;
  Vector<sum_type<T>> y;   // sums, or prefixes
  Scratch<T> const* ones;  // cublas: as many as a segment has elements
};

/// The library's call of a case, on segments of any kind.
template <class T, class Segments>
Call own_reduce(Work<T> const& w, Segments const& segments) {
  return [w, segments, settings = w.c.settings()] {
    KokkosMMA::segmented_reduce(w.exec, w.x, segments, w.y, settings);
  };
}
template <class T>
Call own_column_reduce(Work<T> const& w) {
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const x(
      w.x.data(), w.cut.n / w.cut.length, w.cut.length);
  return [w, x, settings = w.c.settings()] {
    KokkosMMA::segmented_reduce(w.exec, x, KokkosMMA::Axis{0}, w.y, settings);
  };
}
template <class T, class Segments>
Call own_scan(Work<T> const& w, Segments const& segments) {
  return [w, segments, settings = w.c.settings()] {
    KokkosMMA::segmented_inclusive_scan(w.exec, w.x, segments, w.y, settings);
  };
}

template <class T>
Call own_column_scan(Work<T> const& w) {
  using Matrix = Kokkos::View<sum_type<T>**, Kokkos::LayoutRight, Exec>;
  std::size_t const rows = w.cut.n / w.cut.length;
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> const x(w.x.data(), rows,
                                                       w.cut.length);
  Matrix const y(w.y.data(), rows, w.cut.length);
  return [w, x, y, settings = w.c.settings()] {
    KokkosMMA::segmented_inclusive_scan(w.exec, x, KokkosMMA::Axis{0}, y,
                                        settings);
  };
}

/// Kokkos' teams and threads on segments of any kind.
template <class T, class Rows>
Call kokkos_reduce(Work<T> const& w, Rows const& rows) {
  if (w.c.contender == Contender::kokkos_flat)
    return [w, rows] {
      kokkos_flat_reduce<T>(w.exec, rows, w.cut.segments, w.x, w.y);
    };
  // A vector of 32 lanes would be alone with the long one.
  if (w.c.pattern == Pattern::one_long)
    return [w, rows] {
      kokkos_block_reduce<T>(w.exec, rows, w.cut.segments, w.x, w.y);
    };
  return [w, rows, shape = TeamShape(w.cut.n / w.cut.segments)] {
    kokkos_team_reduce<T>(w.exec, rows, w.cut.segments, shape, w.x, w.y);
  };
}
template <class T, class Rows>
Call kokkos_scan(Work<T> const& w, Rows const& rows) {
  return [w, rows, shape = TeamShape(w.cut.n / w.cut.segments)] {
    kokkos_team_scan<T>(w.exec, rows, w.cut.segments, shape, w.x, w.y);
  };
}

#ifdef KOKKOSMMA_PERF_HAS_CUBLAS_HEADER
/// Equal segments are the columns of a column-major matrix, columns its rows.
template <class T>
Call cublas_reduce(Work<T> const& w) {
  bool const columns     = w.c.shape == Shape::columns;
  std::size_t const rows = w.cut.length;
  return [w, columns, rows] {
    Cublas::instance().multiply<T>(w.exec, !columns, rows, w.cut.n / rows,
                                   w.x.data(), w.ones->data(), w.y.data());
  };
}
#endif

[[noreturn]] inline void no_such_case(Case const& c) {
  throw std::logic_error(std::string("perf: no ") + name_of(c.contender) +
                         " for " + name_of(c.task) + " " + c.cut_name());
}

template <class T>
Call reduce_call(Work<T> const& w) {
  Case const& c = w.c;
  EqualRows const equal{w.cut.length};
  if (is_ours(c.contender)) {
    switch (c.shape) {
      case Shape::equal: return own_reduce(w, w.cut.length);
      case Shape::ragged32: return own_reduce(w, w.offsets->narrow);
      case Shape::ragged64: return own_reduce(w, w.offsets->wide);
      case Shape::columns: return own_column_reduce(w);
    }
  }
  if (c.contender == Contender::collective && c.shape == Shape::equal)
    return [w, equal] {
      collective_reduce<T>(w.exec, equal, w.cut.segments, w.x, w.y);
    };
  if (c.contender == Contender::kokkos_team ||
      c.contender == Contender::kokkos_flat) {
    if (c.shape == Shape::equal) return kokkos_reduce(w, equal);
    if (c.shape == Shape::ragged32)
      return kokkos_reduce(w,
                           OffsetRows<std::int32_t>{w.offsets->narrow.data()});
    if (c.shape == Shape::ragged64)
      return kokkos_reduce(w, OffsetRows<std::int64_t>{w.offsets->wide.data()});
    std::size_t const rows = w.cut.n / w.cut.length;
    if (c.contender == Contender::kokkos_team)
      return [w, rows] {
        kokkos_team_columns<T>(w.exec, rows, w.cut.length, w.x, w.y);
      };
    return [w, rows] {
      kokkos_flat_columns<T>(w.exec, rows, w.cut.length, w.x, w.y);
    };
  }
#ifdef KOKKOS_ENABLE_CUDA
  if (c.contender == Contender::cub_offsets) {
    if (c.shape == Shape::equal)
      return cub_segmented_reduce<T>(
          w.exec, w.x.data(), w.y.data(), w.cut.segments,
          thrust::make_transform_iterator(
              thrust::counting_iterator<long long>(0),
              TimesLength{static_cast<long long>(w.cut.length)}));
    if (c.shape == Shape::ragged32)
      return cub_segmented_reduce<T>(
          w.exec, w.x.data(), w.y.data(), w.cut.segments,
          static_cast<std::int32_t const*>(w.offsets->narrow.data()));
    if (c.shape == Shape::ragged64)
      return cub_segmented_reduce<T>(
          w.exec, w.x.data(), w.y.data(), w.cut.segments,
          static_cast<std::int64_t const*>(w.offsets->wide.data()));
  }
  if constexpr (has_cub_fixed<T>) {
    if (c.contender == Contender::cub_fixed)
      return cub_fixed_reduce<T>(w.exec, w.x.data(), w.y.data(), w.cut.segments,
                                 static_cast<int>(w.cut.length));
  }
#endif
#ifdef KOKKOSMMA_PERF_HAS_CUBLAS_HEADER
  if constexpr (!std::is_integral_v<T>) {
    if (c.contender == Contender::cublas) return cublas_reduce(w);
  }
#endif
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (has_wmma<T>) {
    if (c.contender == Contender::wmma)
      return wmma_segments(w.exec, false, w.x.data(), w.y.data(),
                           w.cut.segments, w.cut.length);
  }
#endif
  no_such_case(c);
}

template <class T>
Call scan_call(Work<T> const& w) {
  Case const& c = w.c;
  if (is_ours(c.contender)) {
    if (c.shape == Shape::equal) return own_scan(w, w.cut.length);
    if (c.shape == Shape::ragged32) return own_scan(w, w.offsets->narrow);
    if (c.shape == Shape::columns) return own_column_scan(w);
  }
  if (c.contender == Contender::kokkos_flat && c.shape == Shape::columns)
    return [w] {
      kokkos_flat_column_scan<T>(w.exec, w.cut.n / w.cut.length, w.cut.length,
                                 w.x, w.y);
    };
  if (c.contender == Contender::kokkos_team) {
    if (c.shape == Shape::equal) return kokkos_scan(w, EqualRows{w.cut.length});
    if (c.shape == Shape::ragged32)
      return kokkos_scan(w, OffsetRows<std::int32_t>{w.offsets->narrow.data()});
  }
#ifdef KOKKOS_ENABLE_CUDA
  if (c.contender == Contender::cub_by_key) {
    if (c.shape == Shape::equal)
      return cub_by_key_scan<T>(
          w.exec,
          thrust::make_transform_iterator(
              thrust::counting_iterator<unsigned>(0),
              OverLength{static_cast<unsigned>(w.cut.length)}),
          w.x.data(), w.y.data(), w.cut.n);
    if (c.shape == Shape::ragged32) {
      Scratch<int> const keys(w.exec, w.cut.n);
      std::size_t const workers = std::size_t(1) << 18;
      Kokkos::parallel_for("perf::keys", IndexRange(w.exec, 0, workers),
                           WriteKeys{w.cut, keys.data(), workers});
      return [keys, call = cub_by_key_scan<T>(
                        w.exec, static_cast<int const*>(keys.data()),
                        w.x.data(), w.y.data(), w.cut.n)] { call(); };
    }
  }
#endif
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (has_wmma<T>) {
    if (c.contender == Contender::wmma)
      return wmma_segments(w.exec, true, w.x.data(), w.y.data(), w.cut.segments,
                           w.cut.length);
  }
#endif
  no_such_case(c);
}

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

 private:
  /// Most elements of a case; 4 and fewer bytes 2^28, 8 bytes 2^27, on hosts
  /// 2^22.
  template <class T>
  std::size_t largest() const {
    std::size_t const bytes = std::max(sizeof(T), sizeof(sum_type<T>));
    return m_session.fitting(
        std::size_t(1) << (on_cuda ? (bytes == 8 ? 27 : 28) : 22), bytes);
  }
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

  /// How the elements of a case are cut. Kept until a case has another one.
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
  return static_cast<double>(cut.n) * sizeof(T) +
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
  std::size_t const most = largest<T>();
  for (std::size_t length : sizes(lengths, most))
    for (Contender c : contenders)
      // Whole segments: not all contenders take another last one.
      register_case<T>({task, c, Shape::equal, Pattern::length, length,
                        most / length * length},
                       make);
}

template <class T>
void SegmentedTests::register_columns(Task task,
                                      std::vector<std::size_t> const& list,
                                      std::vector<Contender> const& contenders,
                                      Maker<T> make) {
  std::size_t const most = largest<T>();
  for (std::size_t columns : sizes(list, most))
    for (Contender c : contenders) {
      // A thread for each of a few columns takes seconds.
      if (c == Contender::kokkos_flat && columns < 1000) continue;
      register_case<T>({task, c, Shape::columns, Pattern::columns, columns,
                        most / columns * columns},
                       make);
    }
}

template <class T>
void SegmentedTests::register_reductions() {
  using enum Contender;
  bool const all               = m_session.options.all;
  std::size_t const most       = largest<T>();
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
  // Lengths with a bar meet everyone, in a row on the same data.
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
      // Peers that may be the best one there.
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

  register_columns<T>(
      Task::reduce, {16, 64, 1000, 4096},
      {kokkos_team, kokkos_flat, cublas, segmented, mma, streamed}, make);

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
  std::size_t const most             = largest<T>();
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
  T* const x              = m_session.data<T>(how.n);
  Sum* const y            = m_session.results<Sum>(m);
  ExactSums<T> const sums = exact<T>(x, c, how);
  std::optional<Scratch<T>> ones;
  if (c.contender == Contender::cublas) {
    std::size_t const count =
        c.shape == Shape::columns ? how.n / how.length : how.length;
    ones.emplace(exec, count);
    Kokkos::parallel_for("perf::ones", IndexRange(exec, 0, count),
                         FillOnes<T>{ones->data()});
  }
  Work<T> const work = {exec,
                        c,
                        how,
                        c.ragged() ? &offsets(c) : nullptr,
                        Vector<T>(x, how.n),
                        Vector<Sum>(y, m),
                        ones ? &*ones : nullptr};
  Call call          = make(work);

  // Prefixes of wmma's long segments go through halves, sixteen elements at a
  // time: 2^-11 of them, and as much again for the carries.
  double const allowed =
      c.contender == Contender::wmma
          ? 0x1p-10
          : segment_tolerance<Sum>(how.longest,
                                   c.contender == Contender::kokkos_flat ||
                                       c.contender == Contender::cublas);
  auto const run_once = [&] {
    poison_bytes(exec, y, m * sizeof(Sum));
    call();
    return inspect_segments<T>(exec, c.scans(), x, y, how, sums, allowed);
  };
  bool const forced = on_cuda && (c.contender == Contender::mma ||
                                  c.contender == Contender::streamed);
  Inspection seen;
  try {
    seen = run_once();
  } catch (std::invalid_argument const& refusal) {
    // The same arguments pass without a route: it is the route that does not
    // take them.
    if (!forced) throw;
    return report_refusal(state, refusal);
  }
  std::string const route = is_ours(c.contender)
                                ? checked_route(Expectation::library)
                                : label_of(c.contender);
  if (forced && route != name_of(c.contender))
    throw std::runtime_error("route " + std::string(name_of(c.contender)) +
                             " was asked for and route " + route + " ran");
  seen.check(m, "results");
  bool reproducible = run_once().hash == seen.hash;

  auto const n         = static_cast<double>(how.n);
  double const moved   = bytes<T>(c, how);
  double const ceiling = c.scans() ? m_session.copy_ceiling().bytes_per_second()
                                   : m_session.read_bytes_per_second();
  if (c.task == Task::energy) {
#ifdef KOKKOS_ENABLE_CUDA
    report_energy(state, m_session.timer, *m_energy, call, moved, ceiling, n);
#endif
  } else {
    report(state,
           sample_briefly(m_session.timer, m_session.options.samples,
                          [&](std::size_t) { call(); }),
           moved, ceiling, n);
    Inspection const after =
        inspect_segments<T>(exec, c.scans(), x, y, how, sums, allowed);
    reproducible = reproducible && after.hash == seen.hash;
  }
  if (!reproducible &&
      (is_ours(c.contender) || c.contender == Contender::collective ||
       std::is_integral_v<T>))
    throw std::runtime_error("two runs on the same data differ");
  state.counters["segments"]     = static_cast<double>(how.segments);
  state.counters["reproducible"] = reproducible;
  if constexpr (!std::is_integral_v<T>) {
    state.counters["relative_error"] = seen.error;
  }
  state.SetLabel(route);
}

}  // namespace perf

#endif
