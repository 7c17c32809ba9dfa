// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos::parallel_for with the drop-in against Kokkos' own:
// loop/CONTENDER/TYPE/GROUP/BODY. The names are explained in
// docs/benchmark_cases.md.

#include "loops/Perf_Loops.hpp"

#include <adapters/drop_in/KokkosMMA_ErasedFor.hpp>

#include <deque>

#include "support/Perf_Program.hpp"
#include "support/Perf_Check.hpp"

namespace perf {

// Below 4096 elements the fixed extents of some loops would not fit. Heavy
// bodies take seconds on hosts with more.
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

void* Arena::results(std::size_t bytes) {
  m_words   = (bytes + 3) / 4;
  m_results = m_session.results<std::uint32_t>(m_words);
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

constexpr char const* contenders[] = {"kokkos", "drop_in", "cub"};

struct LoopCase {
  Loop kokkos, drop_in;
  std::vector<Samples> samples = {};  // by contender, once measured
  double indices = 0, bytes = 0;
  std::string route = {}, error = {};

  double seconds(std::size_t k) const { return samples[k].median(); }
  double speedup(std::size_t k) const { return seconds(0) / seconds(k); }
};

class LoopTests {
 public:
  explicit LoopTests(Session& session) : m_session(session), m_arena(session) {}

  void register_all() {
    register_ceilings(m_session);
    for (auto [plain, ours] :
         {std::pair{&kokkos::stream_loops, &drop_in::stream_loops},
          {&kokkos::other_loops, &drop_in::other_loops},
          {&kokkos::grid_loops, &drop_in::grid_loops},
          {&kokkos::volume_loops, &drop_in::volume_loops}}) {
      auto const without = plain(), with = ours();
      for (std::size_t i = 0; i < with.size(); ++i)
        register_loop(m_cases.emplace_back(LoopCase{without[i], with[i]}));
    }
  }

  /// With --mma-summary, a table of all that ran.
  void summarize() const;

 private:
  void register_loop(LoopCase& c) {
    for (std::size_t k = 0; k < (c.kokkos.has_cub ? 3 : 2); ++k)
      register_case(
          m_session,
          std::string("loop/") + contenders[k] + "/" + c.kokkos.type + "/" +
              c.kokkos.name,
          [this, &c, k](benchmark::State& state) { run(state, c, k); });
  }

  void run(benchmark::State& state, LoopCase& c, std::size_t contender) {
    if (c.samples.empty() && c.error.empty()) try {
        measure(c);
      } catch (std::exception const& e) {
        c.error = e.what();
      }
    if (!c.error.empty()) throw std::runtime_error(c.error);
    report(state, c.samples[contender], c.bytes,
           m_session.copy_ceiling().bytes_per_second(), c.indices);
    state.counters["indices"] = c.indices;
    state.counters["speedup"] = c.speedup(contender);
    state.SetLabel(contender == 1 ? c.route : contenders[contender]);
  }

  void measure(LoopCase& c);

  Session& m_session;
  Arena m_arena;
  std::deque<LoopCase> m_cases;  // the registered cases point to them
};

/// What ran the last loop that came to the library.
KokkosMMA::Route& route_of_loops() {
#ifdef KOKKOS_ENABLE_CUDA
  return KokkosMMA::Impl::last_loop_route_of_this_thread();
#else
  static auto route = KokkosMMA::Route::generic;
  return route;
#endif
}

/// Checks, warms up and times all contenders in turn.
void LoopTests::measure(LoopCase& c) {
  m_session.copy_ceiling();  // it writes over the input
  Work const plain        = c.kokkos.make(m_arena);
  std::vector<Call> calls = {plain.call, c.drop_in.make(m_arena).call};
  if (plain.cub) calls.push_back(plain.cub);
  c.indices = plain.indices;
  c.bytes   = plain.bytes;

  std::uint64_t const expected = m_arena.hash_of(calls[0]);
  if (expected == m_arena.hash_of([] {}))
    throw std::runtime_error("Kokkos' own loop has written nothing");
  auto const check = [&](std::size_t contender) {
    if (m_arena.hash_of(calls[contender]) != expected)
      throw std::runtime_error(std::string("the results of ") +
                               contenders[contender] + " are not Kokkos'");
  };
  // A call that the library never sees leaves it as it is.
  route_of_loops() = KokkosMMA::Route::generic;
  check(1);
  // The drop-in finds its launch by measuring the first calls of a loop.
  using Clock    = std::chrono::steady_clock;
  auto const end = Clock::now() + std::chrono::milliseconds(300);
  for (int k = 0; on_cuda && k < 150 && Clock::now() < end; ++k) {
    calls[1]();
    m_arena.exec.fence("perf::warm_up");
  }
  std::vector<Timed> timed;
  for (Call const& call : calls)
    timed.push_back({[call](std::size_t) { call(); }});
  auto const samples = m_session.timer.sample_in_turn(
      m_session.options.samples, timed, on_cuda ? 0.4 : 2.);
  for (std::size_t k = 0; k < calls.size(); ++k) check(k);
  c.route   = KokkosMMA::to_string(route_of_loops());
  c.samples = samples;
}

void LoopTests::summarize() const {
  if (!m_session.options.summary) return;
  std::vector<std::pair<double, std::string>> ratios;
  double logarithms = 0;
  std::cout << std::fixed << std::setprecision(2)
            << "| loop | Kokkos us | drop-in us | Kokkos / drop-in | "
               "CUB / drop-in | drop-in GB/s | route |\n"
               "|---|---:|---:|---:|---:|---:|---|\n";
  for (LoopCase const& c : m_cases) {
    if (c.samples.empty()) continue;
    double const ours = c.seconds(1);
    ratios.emplace_back(c.speedup(1), c.kokkos.type + ("/" + c.kokkos.name));
    logarithms += std::log(c.speedup(1));
    std::cout << "| " << ratios.back().second << " | " << c.seconds(0) * 1e6
              << " | " << ours * 1e6 << " | " << c.speedup(1) << " | "
              << (c.samples.size() > 2 ? c.seconds(2) / ours : 0.) << " | "
              << c.bytes / ours * 1e-9 << " | " << c.route << " |\n";
  }
  std::sort(ratios.begin(), ratios.end());
  std::size_t const n = ratios.size();
  ratios.resize(std::min<std::size_t>(5, n));
  std::cout << "worst:";
  for (auto const& [ratio, name] : ratios)
    std::cout << " " << name << " " << ratio;
  std::cout << "\ngeometric mean of " << n
            << " loops: " << std::exp(logarithms / static_cast<double>(n))
            << "\n";
}

}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_program<perf::LoopTests>("perf_loops", argc, argv);
}
