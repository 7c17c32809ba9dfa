// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/Perf_SideTests.hpp"

#include "support/Perf_Check.hpp"
#include "support/Perf_Program.hpp"

namespace perf {

// Below 4096 elements the fixed extents of some bodies would not fit. Heavy
// bodies take seconds on hosts with more than 2^20.
Arena::Arena(Session& session)
    : exec(session.exec),
      m_session(session),
      m_max_n(std::max(static_cast<int>(session.fitting(
                           1 << (on_cuda ? 28 : 20), 2 * sizeof(float))),
                       4096)) {}

template <class T>
T* Arena::in() const {
  return m_session.data<T>(2 * std::size_t(elements<T>()));
}
template float* Arena::in<float>() const;
template double* Arena::in<double>() const;
template std::int8_t* Arena::in<std::int8_t>() const;
template std::int32_t* Arena::in<std::int32_t>() const;
template std::int64_t* Arena::in<std::int64_t>() const;
#if defined(KOKKOS_HALF_T_IS_FLOAT) && !KOKKOS_HALF_T_IS_FLOAT
template half_type* Arena::in<half_type>() const;
#endif

void* Arena::results(std::size_t bytes, std::size_t floating_bytes) {
  m_words          = (bytes + 3) / 4;
  m_floating_bytes = floating_bytes;
  m_results        = m_session.results<std::uint32_t>(m_words);
  return m_results;
}

struct LookAtWords {
  std::uint32_t const* words;
  std::size_t n;
  KOKKOS_FUNCTION void operator()(std::size_t w, std::size_t workers,
                                  Inspection& found) const {
    for_own_items(n, w, workers,
                  [&](std::size_t i) { found.take(i, words[i]); });
  }
};

std::uint64_t Arena::hash_of(Call const& call) const {
  poison_bytes(exec, m_results, 4 * m_words);
  call();
  return inspect_all(exec, m_words, LookAtWords{m_results, m_words}).hash;
}

void Arena::keep() {
  if (m_kept.extent(0) < m_words)
    m_kept = Vector<std::uint32_t>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "perf::kept"),
        m_words);
  copy_bytes(exec, m_kept.data(), m_results, 4 * m_words);
}

template <class T>
struct LookAtDifferences {
  T const *values, *kept;
  std::size_t n;
  double tolerance;
  KOKKOS_FUNCTION void operator()(std::size_t w, std::size_t workers,
                                  Inspection& found) const {
    for_own_items(n, w, workers, [&](std::size_t i) {
      double const expected = static_cast<double>(kept[i]);
      found.judge(
          i, std::is_integral_v<T>
                 ? values[i] == kept[i]
                 : Kokkos::abs(static_cast<double>(values[i]) - expected) <=
                       tolerance * (1 + Kokkos::abs(expected)));
    });
  }
};

template <class T>
std::size_t differing(Exec const& exec, std::uint32_t const* values,
                      std::uint32_t const* kept, std::size_t words,
                      double tolerance) {
  std::size_t const n = words * sizeof(*values) / sizeof(T);
  return inspect_all(exec, n,
                     LookAtDifferences<T>{reinterpret_cast<T const*>(values),
                                          reinterpret_cast<T const*>(kept), n,
                                          tolerance})
      .wrong;
}

std::size_t Arena::wrong(double tolerance) const {
  auto* const count = tolerance > 0 && m_floating_bytes == sizeof(float)
                          ? &differing<float>
                      : tolerance > 0 && m_floating_bytes == sizeof(double)
                          ? &differing<double>
                          : &differing<std::uint32_t>;
  return count(exec, m_results, m_kept.data(), m_words, tolerance);
}

void SideTests::register_tables(
    std::vector<std::pair<Table*, Table*>> const& tables) {
  register_ceilings(m_session);
  for (auto [plain, ours] : tables) {
    auto const without = plain(), with = ours();
    for (std::size_t i = 0; i < with.size(); ++i)
      register_body(m_cases.emplace_back(SideCase{without[i], with[i]}));
  }
}

void SideTests::register_body(SideCase& c) {
  c.contenders = {"kokkos", "drop_in"};
  if (c.kokkos.has_int64) c.contenders.push_back("kokkos_int64");
  if (c.kokkos.has_cub) c.contenders.push_back("cub");
  for (std::size_t k = 0; k < c.contenders.size(); ++k)
    register_case(m_session,
                  std::string(m_program.prefix) + "/" + c.contenders[k] + "/" +
                      c.kokkos.type + "/" + c.kokkos.name,
                  [this, &c, k](benchmark::State& state) { run(state, c, k); });
}

void SideTests::run(benchmark::State& state, SideCase& c,
                    std::size_t contender) {
  if (c.samples.empty() && c.error.empty()) try {
      measure(c);
    } catch (std::exception const& e) {
      c.error = e.what();
    }
  if (!c.error.empty()) throw std::runtime_error(c.error);
  report(state, c.samples[contender], c.bytes, ceiling(), c.indices);
  state.counters["indices"] = c.indices;
  state.counters["speedup"] = c.speedup(contender);
  if (contender == 1) state.counters["kokkos_bits"] = c.kokkos_bits;
  std::string_view const name = c.contenders[contender];
  state.SetLabel(contender == 1 ? c.route : name == "cub" ? "cub" : "kokkos");
}

/// Checks, warms up and times all contenders in turn.
void SideTests::measure(SideCase& c) {
  ceiling();  // measuring it overwrites the input
  Work const plain        = c.kokkos.make(m_arena);
  std::vector<Call> calls = {plain.call, c.drop_in.make(m_arena).call};
  if (plain.int64) calls.push_back(plain.int64);
  if (plain.cub) calls.push_back(plain.cub);
  c.indices = plain.indices;
  c.bytes   = plain.bytes;

  std::uint64_t const kokkos = m_arena.hash_of(calls[0]);
  m_arena.keep();
  if (kokkos == m_arena.hash_of([] {}))
    throw std::runtime_error("Kokkos' own code has written nothing");
  // A call that the library never sees leaves it as it is.
  m_program.route() = KokkosMMA::Route::generic;
  auto const check  = [&](std::size_t contender) {
    std::uint64_t const hash = m_arena.hash_of(calls[contender]);
    if (std::size_t const wrong = m_arena.wrong(plain.tolerance))
      throw std::runtime_error(
           std::string("the results of ") + c.contenders[contender] +
           " are not Kokkos': " + std::to_string(wrong) + " differ");
    return hash;
  };
  for (std::size_t k = 1; k < calls.size(); ++k) check(k);
  // The drop-in finds the launch of a loop by measuring its first calls.
  using Clock    = std::chrono::steady_clock;
  auto const end = Clock::now() + std::chrono::milliseconds(300);
  for (int k = 0; on_cuda && k < 150 && Clock::now() < end; ++k) {
    calls[1]();
    m_arena.exec.fence("perf::warm_up");
  }
  std::vector<std::uint64_t> hashes;
  for (std::size_t k = 0; k < calls.size(); ++k) hashes.push_back(check(k));
  std::vector<Timed> timed;
  for (Call const& call : calls) {
    Timed& added = timed.emplace_back();
    added.call   = [call](std::size_t) { call(); };
    added.waits  = plain.waits;
  }
  auto const samples = m_session.timer.sample_in_turn(
      m_session.options.samples, timed, on_cuda ? 0.4 : 2.);
  for (std::size_t k = 0; k < calls.size(); ++k)
    if (check(k) != hashes[k])
      throw std::runtime_error(std::string("two runs of ") + c.contenders[k] +
                               " differ");
  c.kokkos_bits = hashes[1] == kokkos;
  c.route       = KokkosMMA::to_string(m_program.route());
  c.samples     = samples;
}

void SideTests::summarize() const {
  if (!m_session.options.summary) return;
  std::vector<std::pair<double, std::string>> ratios;
  double logarithms = 0;
  std::cout << std::fixed << std::setprecision(2) << "| " << m_program.noun
            << " | Kokkos us | drop-in us | Kokkos / drop-in | CUB / drop-in | "
               "drop-in GB/s | Kokkos, of the ceiling | drop-in, of the "
               "ceiling | route |\n"
               "|---|---:|---:|---:|---:|---:|---:|---:|---|\n";
  for (SideCase const& c : m_cases) {
    if (c.samples.empty()) continue;
    double const ours = c.seconds(1), rate = c.bytes / ours;
    ratios.emplace_back(c.speedup(1), c.kokkos.type + ("/" + c.kokkos.name));
    logarithms += std::log(c.speedup(1));
    std::cout << "| " << ratios.back().second << " | " << c.seconds(0) * 1e6
              << " | " << ours * 1e6 << " | " << c.speedup(1) << " | "
              << c.against("cub") << " | " << rate * 1e-9 << " | "
              << rate / c.speedup(1) / ceiling() << " | " << rate / ceiling()
              << " | " << c.route << " |\n";
  }
  std::sort(ratios.begin(), ratios.end());
  std::size_t const n = ratios.size();
  auto const list     = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      std::cout << " " << ratios[i].second << " " << ratios[i].first;
  };
  std::cout << "worst:";
  list(std::min<std::size_t>(5, n));
  std::cout << "\nbelow 0.98:";
  list(static_cast<std::size_t>(std::count_if(
      ratios.begin(), ratios.end(), [](auto& r) { return r.first < 0.98; })));
  std::cout << "\ngeometric mean of " << n << " " << m_program.noun << ": "
            << std::exp(logarithms / static_cast<double>(n)) << "\n";
}

}  // namespace perf
