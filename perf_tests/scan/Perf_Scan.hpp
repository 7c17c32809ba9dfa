// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SCAN_HPP
#define KOKKOSMMA_PERF_SCAN_HPP

#include <tuple>
#include <utility>

#include "support/Perf_Program.hpp"
#include "scan/Perf_ScanCheck.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/device/device_scan.cuh>
#endif

/// The cases of perf_scan. Every type is an instance in a source of its own.
namespace perf {

enum class Contender {
  kokkos,
  kokkos_int64,
  drop_in,
  drop_in_int64,
  visible,
  mma,
  shuffle,
  exact,
  cub
};
enum class Kind {
  exclusive,
  exclusive_warm,
  inclusive,
  inplace,
  total_view,
  total_scalar
};

constexpr char const* name_of(Contender c) {
  constexpr char const* names[] = {"kokkos",        "kokkos_int64", "drop_in",
                                   "drop_in_int64", "visible",      "mma",
                                   "shuffle",       "exact",        "cub"};
  return names[static_cast<int>(c)];
}
constexpr char const* name_of(Kind k) {
  constexpr char const* names[] = {"exclusive",  "exclusive_warm",
                                   "inclusive",  "inplace",
                                   "total_view", "total_scalar"};
  return names[static_cast<int>(k)];
}
constexpr bool has_total(Kind k) {
  return k == Kind::total_view || k == Kind::total_scalar;
}
constexpr Expectation expectation(Contender c) {
  using enum Expectation;
  constexpr Expectation of[] = {kokkos,  kokkos,  drop_in, drop_in, library,
                                library, library, library, cub};
  return of[static_cast<int>(c)];
}

struct Case {
  Contender contender;
  Kind kind;
  std::size_t n;

  template <class T>
  std::string name() const {
    return std::string("scan/") + name_of(contender) + "/" + type_name<T>() +
           "/" + name_of(kind) + "/n:" + std::to_string(n);
  }
  /// On hosts there is only the generic route, and naming another one is an
  /// error.
  KokkosMMA::Settings settings() const {
    if (expectation(contender) == Expectation::kokkos)
      return {.route = KokkosMMA::Route::generic};
    if (on_cuda && contender == Contender::mma)
      return {.route = KokkosMMA::Route::mma};
    if (on_cuda && contender == Contender::shuffle)
      return {.route = KokkosMMA::Route::streamed};
    if (contender == Contender::exact)
      return {.reproducibility = KokkosMMA::Reproducibility::exact};
    return {};
  }
};

/// What an application writes. Kokkos' own code and the drop-in run the same
/// function under different settings; all kinds have one functor and differ in
/// the last argument. Other types of the index have no totals.
template <class T, class Index>
void scan_lambda(Kind kind, Exec const& exec, Vector<T> const& x,
                 Vector<sum_type<T>> const& y,
                 Kokkos::View<sum_type<T>, Exec>& total_view,
                 sum_type<T>& total_scalar) {
  using Sum       = sum_type<T>;
  auto const body = KOKKOS_LAMBDA(Index i, Sum & update, bool final) {
    if (final) y(i) = update;
    update += static_cast<Sum>(x(i));
  };
  RangeOf<Index> const range(exec, 0, x.extent(0));
  if constexpr (std::is_same_v<Index, std::size_t>) {
    if (kind == Kind::total_view)
      return Kokkos::parallel_scan("perf_scan", range, body, total_view);
    if (kind == Kind::total_scalar)
      return Kokkos::parallel_scan("perf_scan", range, body, total_scalar);
  }
  Kokkos::parallel_scan("perf_scan", range, body);
}

/// One contender on one ring of buffers: what is timed and what is checked.
template <class T>
class BufferRing {
 public:
  using Sum = sum_type<T>;

  BufferRing(Session& session, Case const& c)
      : m_exec(session.exec),
        m_case(c),
        m_settings(c.settings()),
        m_total_view("perf::total") {
    // Every call gets the next pair of buffers of a ring that is several times
    // the cache; one pair where the data alone are larger, or are to stay in
    // the cache. Buffers start at multiples of 256 bytes, as allocations do.
    m_stride_in  = aligned<T>(c.n);
    m_stride_out = aligned<Sum>(c.n);
    std::size_t const pair =
        m_stride_in * sizeof(T) + m_stride_out * sizeof(Sum);
    m_slots = c.kind == Kind::exclusive_warm
                  ? 1
                  : (session.rotation_bytes() - 1) / pair + 1;
    // A sample is four calls at least, and each uses up its data.
    if (c.kind == Kind::inplace) m_slots = std::max<std::size_t>(m_slots, 4);
    m_x = session.data<T>((m_slots - 1) * m_stride_in + c.n);
    m_y = session.results<Sum>((m_slots - 1) * m_stride_out + c.n);
#ifdef KOKKOS_ENABLE_CUDA
    if (c.contender == Contender::cub)
      m_cub = cub_call(
          m_exec,
          [n = static_cast<long long>(c.n), stream = m_exec.cuda_stream()](
              void* scratch, std::size_t& bytes, T const* x, Sum* y) {
            return cub::DeviceScan::ExclusiveScan(scratch, bytes, cub_items(x),
                                                  y, Plus<Sum>{}, Sum(0), n,
                                                  stream);
          },
          static_cast<T const*>(nullptr), static_cast<Sum*>(nullptr));
#endif
  }

  /// Elements from buffer to buffer.
  template <class U>
  static constexpr std::size_t aligned(std::size_t n) {
    return (n * sizeof(U) + 255) / 256 * 256 / sizeof(U);
  }

  std::size_t slots() const { return m_slots; }
  std::size_t first(std::size_t k) const { return k % m_slots * m_stride_in; }
  T const* data(std::size_t k) const { return m_x + first(k); }
  Vector<Sum> output(std::size_t k) const {
    return Vector<Sum>(m_y + k % m_slots * m_stride_out, m_case.n);
  }
  Sum total() const { return m_total; }

  /// Call number k.
  void operator()(std::size_t k) {
    Vector<Sum> const y = output(k);
    Vector<T> x(m_x + first(k), m_case.n);
    if constexpr (std::is_same_v<T, Sum>) {
      if (m_case.kind == Kind::inplace) x = y;
    }
    switch (m_case.contender) {
      case Contender::kokkos:
      case Contender::drop_in:
        scan_lambda<T, std::size_t>(m_case.kind, m_exec, x, y, m_total_view,
                                    m_total);
        break;
      case Contender::kokkos_int64:
      case Contender::drop_in_int64:
        scan_lambda<T, std::int64_t>(m_case.kind, m_exec, x, y, m_total_view,
                                     m_total);
        break;
      case Contender::visible:
      case Contender::mma:
      case Contender::shuffle:
      case Contender::exact:
        switch (m_case.kind) {
          case Kind::inclusive:
            KokkosMMA::inclusive_scan(m_exec, x, y, m_settings);
            break;
          case Kind::total_view:
            KokkosMMA::exclusive_scan(
                m_exec, x, y, KokkosMMA::Total(m_total_view), m_settings);
            break;
          case Kind::total_scalar:
            KokkosMMA::exclusive_scan(m_exec, x, y, KokkosMMA::Total(m_total),
                                      m_settings);
            break;
          default: KokkosMMA::exclusive_scan(m_exec, x, y, m_settings);
        }
        break;
      case Contender::cub:
#ifdef KOKKOS_ENABLE_CUDA
        m_cub(x.data(), y.data());
#endif
        break;
    }
  }

  /// Overwrites the results; of a scan in place, writes the data.
  void reset(std::size_t k) {
    if (m_case.kind == Kind::inplace)
      return copy_bytes(m_exec, output(k).data(), data(k),
                        m_case.n * sizeof(T));
    poison_bytes(m_exec, output(k).data(), m_case.n * sizeof(Sum));
    poison_bytes(m_exec, m_total_view.data(), sizeof(Sum));
    m_total = static_cast<Sum>(-12345);
  }

  /// Call number k on a fresh buffer, with the total on the host.
  void run_once(std::size_t k) {
    reset(k);
    (*this)(k);
    if (m_case.kind == Kind::total_view)
      copy_bytes(m_exec, &m_total, m_total_view.data(), sizeof(Sum));
    m_exec.fence("perf::run_once");
  }

  Samples sample(DeviceTimer& timer, int count) {
    Timed timed;
    timed.call = std::ref(*this);
    if (m_case.kind == Kind::inplace) {
      std::size_t const all = (m_slots - 1) * m_stride_in + m_case.n;
      timed.prepare         = [=, this] {
        copy_bytes(m_exec, m_y, m_x, all * sizeof(T));
      };
      timed.most_calls = std::min<std::size_t>(m_slots, 256);
    }
    return timer.sample(count, timed);
  }

 private:
  Exec m_exec;
  Case m_case;
  KokkosMMA::Settings m_settings;
  std::size_t m_stride_in  = 0;
  std::size_t m_stride_out = 0;
  std::size_t m_slots      = 0;
  T* m_x                   = nullptr;
  Sum* m_y                 = nullptr;
  Kokkos::View<Sum, Exec> m_total_view;
  Sum m_total = {};
#ifdef KOKKOS_ENABLE_CUDA
  std::function<void(T const*, Sum*)> m_cub;
#endif
};

class ScanTests {
 public:
  explicit ScanTests(Session& session) : m_session(session) {}

  void register_all();

  template <class T>
  void register_type();

 private:
  struct Verdict {
    double error       = 0;  // relative, the largest seen
    bool reproducible  = true;
    std::uint64_t hash = 0;  // of buffer 0
  };

  template <class T>
  void register_case(Case const& c) {
    if (c.contender == Contender::cub && !on_cuda) return;
    perf::register_case(
        m_session, c.name<T>(),
        [this, c](benchmark::State& state) { run<T>(state, c); });
  }
  template <class T>
  void register_cases(Kind kind, std::vector<std::size_t> const& list,
                      std::vector<Contender> const& contenders) {
    // On tensor cores there are scans of half elements.
    for (std::size_t n : list)
      for (Contender c : contenders)
        if (c != Contender::mma || type_name<T>() == std::string("half"))
          register_case<T>({c, kind, n});
  }

  template <class T>
  void run(benchmark::State& state, Case const& c);
  template <class T>
  Verdict check(BufferRing<T>& ring, Case const& c);

  /// Copies that write \p ratio bytes for each that they read, by 16 bytes.
  Ceiling const& copy_of_ratio(int ratio);

  /// Computed once per data set: (type, first element, n). Only those in use
  /// are kept.
  template <class T>
  ScanReference const& reference(T const* data, std::size_t first,
                                 std::size_t n) {
    auto const key = std::tuple(std::string(type_name<T>()), first, n);
    auto at        = m_references.find(key);
    if (at == m_references.end()) {
      if (m_references.size() >= 8) m_references.clear();
      at = m_references.emplace(key, scan_reference<T>(m_session.exec, data, n))
               .first;
    }
    return at->second;
  }

  Session& m_session;
  std::map<std::tuple<std::string, std::size_t, std::size_t>, ScanReference>
      m_references;
  std::map<int, Ceiling> m_copies;
};

template <class T>
void ScanTests::register_type() {
  using enum Contender;
  using Sum                 = sum_type<T>;
  std::size_t const bytes   = std::max(sizeof(T), sizeof(Sum));
  std::size_t const largest = m_session.fitting(std::size_t(1) << 30, bytes);
  // The size that the bars are for, the largest, and small ones, whose time is
  // mostly that of the launch.
  std::vector<std::size_t> small = {1u << 10, 1u << 14, 1u << 17};
  std::vector<std::size_t> large = {std::size_t(1) << 28, largest};
  std::vector<std::size_t> every = small;
  std::vector<std::size_t> total = small;
  every.insert(every.end(), large.begin(), large.end());
  if (m_session.options.all) {
    for (std::size_t n : {1, 32, 1000003}) every.push_back(n);
    for (std::size_t n = 1 << 10; n <= largest; n *= 2) every.push_back(n);
    for (std::size_t n : {1, 1 << 20, 1 << 24}) total.push_back(n);
  }
  std::vector<Contender> const ours = {visible, mma, shuffle};
  std::vector<Contender> const all  = {kokkos, drop_in, visible,
                                       mma,    shuffle, cub};
  register_cases<T>(Kind::exclusive, sizes(every, largest), all);
  register_cases<T>(Kind::exclusive, sizes(every, largest),
                    {kokkos_int64, drop_in_int64});
  if constexpr (std::is_floating_point_v<Sum>) {
    register_cases<T>(Kind::exclusive, sizes(every, largest), {exact});
  }
  register_cases<T>(Kind::exclusive_warm, sizes(small, largest), all);
  register_cases<T>(Kind::inclusive, sizes(large, largest), {visible, mma});
  if constexpr (std::is_same_v<T, float>) {
    std::size_t const fits =
        m_session.fitting(std::size_t(1) << 28, 4 * sizeof(T));
    register_cases<T>(Kind::inplace, {fits}, {visible, mma, shuffle, cub});
  }
  for (Kind kind : {Kind::total_view, Kind::total_scalar})
    register_cases<T>(kind, sizes(total, largest),
                      {kokkos, drop_in, visible, mma, shuffle});
}

/// Checks the first and the last buffer, each of two runs.
/// \throws std::runtime_error that says how a scan is wrong.
template <class T>
ScanTests::Verdict ScanTests::check(BufferRing<T>& ring, Case const& c) {
  using Sum            = sum_type<T>;
  Exec const& exec     = m_session.exec;
  bool const inclusive = c.kind == Kind::inclusive;
  double const allowed = scan_tolerance<Sum>(exec, c.n);
  Verdict verdict;
  for (std::size_t k : {ring.slots() - 1, std::size_t(0)}) {
    Sum const* const y = ring.output(k).data();
    ScanReference const& expected =
        reference<T>(ring.data(k), ring.first(k), c.n);
    ring.run_once(k);
    Sum const total = ring.total();
    verdict.error   = std::max(
          verdict.error, checked_samples<Sum>(exec, y, c.n, inclusive, expected));
    if (has_total(c.kind))
      verdict.error = std::max(
          verdict.error, checked_error([] { return std::string("total"); },
                                       total, expected.total, allowed));
    Inspection const found = inspect<T>(exec, ring.data(k), y, c.n, inclusive);
    found.check(c.n, "prefixes");

    ring.run_once(k);
    Sum const total_again = ring.total();
    verdict.hash = inspect<T>(exec, ring.data(k), y, c.n, inclusive).hash;
    if (verdict.hash != found.hash ||
        (has_total(c.kind) &&
         std::memcmp(&total, &total_again, sizeof(Sum)) != 0))
      verdict.reproducible = false;
    if (ring.slots() == 1) break;
  }
  return verdict;
}

template <class T>
void ScanTests::run(benchmark::State& state, Case const& c) {
  using Sum = sum_type<T>;
  // Before there is a BufferRing: measuring the ceilings overwrites the data.
  double const ceiling = m_session.copy_ceiling().bytes_per_second();
  double const own_copy =
      copy_of_ratio(sizeof(Sum) / sizeof(T)).bytes_per_second();
  // The drop-in runs with the settings of the environment, as in an
  // application.
  std::optional<KokkosMMA::ScopedSettings> scope;
  if (expectation(c.contender) == Expectation::kokkos)
    scope.emplace(c.settings());

  BufferRing<T> ring(m_session, c);
  Verdict verdict         = check(ring, c);
  std::string const route = checked_route(expectation(c.contender));

  int const count = m_session.options.samples;
  ring.reset(0);
  Samples const samples = c.kind == Kind::total_scalar
                              ? sample_host(3 * count, ring)
                              : ring.sample(m_session.timer, count);
  // Buffer 0 was among those of the timed calls, which ran back to back.
  if (c.kind != Kind::inplace &&
      inspect<T>(m_session.exec, ring.data(0), ring.output(0).data(), c.n,
                 c.kind == Kind::inclusive)
              .hash != verdict.hash)
    verdict.reproducible = false;
  if (!verdict.reproducible &&
      (std::is_integral_v<T> ||
       expectation(c.contender) == Expectation::drop_in ||
       expectation(c.contender) == Expectation::library))
    throw std::runtime_error("two runs on the same data differ");

  auto const n       = static_cast<double>(c.n);
  double const bytes = n * (sizeof(T) + sizeof(Sum));
  report(state, samples, bytes, ceiling, n);
  state.counters["fraction_of_own_copy"] = bytes / samples.median() / own_copy;
  state.counters["reproducible"]         = verdict.reproducible;
  if constexpr (!std::is_integral_v<T>) {
    state.counters["relative_error"] = verdict.error;
  }
  state.SetLabel(route);
}

}  // namespace perf

#endif
