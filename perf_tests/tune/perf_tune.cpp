// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tune/Perf_Tune.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string_view>

namespace perf {

#ifdef KOKKOS_ENABLE_CUDA

using KokkosMMA::Impl::never;
using KokkosMMA::Impl::TuningEntry;

namespace {

std::string name_of(int TuningTable::*value) {
  for (TuningEntry const& entry : KokkosMMA::Impl::tuning_entries)
    if (entry.value == value) return std::string(entry.name);
  throw std::logic_error("perf_tune: a value without a name");
}
std::string name_of(PerType TuningTable::*values, Scalar type) {
  for (TuningEntry const& entry : KokkosMMA::Impl::tuning_entries)
    if (entry.values == values)
      return std::string(entry.name) + "." + std::string(to_string(type));
  throw std::logic_error("perf_tune: values without a name");
}
std::string text_of(int value) {
  return value == never ? "never" : std::to_string(value);
}
/// GB/s, or microseconds of small cases.
std::string figure(TuneCase const& c, double seconds) {
  char text[32];
  if (c.of_host)
    std::snprintf(text, sizeof(text), "%.2f us", seconds * 1e6);
  else
    std::snprintf(text, sizeof(text), "%.0f GB/s", c.bytes / seconds * 1e-9);
  return text;
}
/// Both ways, and by how much the first is faster, with the spread of that.
std::string figures_of(std::vector<Measured> const& cases) {
  std::string all;
  for (auto const& [c, both] : cases) {
    char text[48];
    std::snprintf(text, sizeof(text), " (%+.1f +-%.1f %%)", both.gain * 100,
                  both.spread * 100);
    all += "  " + c.name + ": " + figure(c, both.taken) + " | " +
           figure(c, both.left) + text;
  }
  return all.empty() ? "  not measured: a route refuses all cases" : all;
}

template <class Takes>
std::size_t best_of(std::size_t candidates, std::vector<Measured> const& cases,
                    Takes const& takes) {
  std::vector<BothWays> both;
  for (Measured const& c : cases) both.push_back(c.both);
  return best_decisions(candidates, both, [&](std::size_t candidate, auto i) {
    return takes(candidate, cases[i].of);
  });
}

/// Rounds of a case. Fewer leave no quartiles to speak of.
constexpr int tune_rounds = 9;

}  // namespace

void Tuner::use(TuningTable const& table) {
  m_in_use = table;
  KokkosMMA::Impl::Cuda::use_tuning(exec().cuda_device(), m_in_use);
}

double Tuner::sample(TuneCase const& c, std::size_t calls, std::size_t& k) {
  if (c.of_host) return sample_host(int(calls), c.call).median();
  return m_session.timer.seconds(calls, k, c.call) / double(calls);
}

std::vector<std::vector<double>> Tuner::rounds(TuneCase const& c,
                                               std::vector<Way> const& ways) {
  std::vector<std::vector<double>> seconds(ways.size());
  std::vector<std::size_t> calls(ways.size(), 11);
  std::size_t k   = 0;
  auto const with = [&](std::size_t way, auto const& f) {
    use(ways[way].table);
    KokkosMMA::ScopedSettings const scope(KokkosMMA::Settings{ways[way].route});
    return f();
  };
  double first_sum = 0;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    // Of the first slice of the data: sums of slices of numbers of both signs
    // differ. Both sides are within the error bounds of sums of positive
    // numbers, and the sum of all results is closer still.
    double sum = 0;
    try {
      sum = with(w, [&] {
        c.call(0);
        exec().fence("perf::tune");
        return c.sum();
      });
    } catch (std::invalid_argument const&) {
      if (ways[w].route == Route::automatic) throw;
      use(m_table);
      return {};
    }
    if (w == 0) first_sum = sum;
    if (!(std::abs(sum - first_sum) <= 2e-3 * std::abs(first_sum)))
      throw std::runtime_error("the two sides of " + c.name + " give sums of " +
                               std::to_string(first_sum) + " and " +
                               std::to_string(sum) +
                               ": one is wrong; please report this");
    if (!c.of_host)
      calls[w] = DeviceTimer::calls_of_sample(
          with(w, [&] { return m_session.timer.seconds(4, k, c.call) / 4; }));
  }
  // A B, B A, A B, ...: what a way leaves in the cache, and a clock that rises
  // or falls, meets both alike.
  for (int round = 0; round < tune_rounds; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i) {
      std::size_t const w = round % 2 == 0 ? i : ways.size() - 1 - i;
      seconds[w].push_back(with(w, [&] {
        c.call(k++);
        exec().fence("perf::tune");
        return sample(c, calls[w], k);
      }));
    }
  use(m_table);
  return seconds;
}

std::optional<Measured> Tuner::both(TuneCase const& c, Way const& taken,
                                    Way const& left) {
  auto const seconds = rounds(c, {taken, left});
  if (seconds.empty()) return {};
  return Measured{c, BothWays(seconds[0], seconds[1])};
}

void Tuner::say(std::string const& name, std::string const& value,
                std::string const& before, std::string const& figures) {
  char line[128];
  std::snprintf(line, sizeof(line), "%-28s %-8s (built-in %s)", name.c_str(),
                value.c_str(), before.c_str());
  std::cout << line << figures << std::endl;
  if (value != before)
    m_report += name + " " + value + " for " + before + ":" + figures + "\n";
}

void Tuner::choose_route(PerType TuningTable::*values, Scalar type,
                         std::vector<TuneCase> const& cases, bool is_flag) {
  int const built_in = (m_table.*values)[type];
  std::vector<int> candidates{built_in};
  if (is_flag) candidates.push_back(1 - built_in);
  std::vector<Measured> measured;
  for (TuneCase const& c : cases) {
    add(measured, c, {m_table, Route::mma}, {m_table, Route::streamed});
    if (!is_flag) candidates.push_back(c.x);
  }
  if (!is_flag) candidates.push_back(never);
  int const best =
      candidates[best_of(candidates.size(), measured,
                         [&](std::size_t candidate, TuneCase const& c) {
                           return is_flag ? candidates[candidate] != 0
                                          : c.x >= candidates[candidate];
                         })];
  m_table.*values = (m_table.*values).with(type, best);
  use(m_table);
  auto const text = [&](int value) {
    return is_flag ? std::string(value ? "yes" : "no") : text_of(value);
  };
  say(name_of(values, type), text(best), text(built_in), figures_of(measured));
}

void Tuner::choose_value(int TuningTable::*value, std::vector<int> candidates,
                         std::vector<TuneCase> const& cases) {
  int const built_in = m_table.*value;
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](int c) { return c == built_in; });
  std::vector<Way> ways;
  for (int const candidate : candidates)
    ways.push_back({with(value, candidate)});
  std::vector<std::vector<std::vector<double>>> seconds;
  std::string figures;
  for (TuneCase const& c : cases) {
    seconds.push_back(rounds(c, ways));
    figures += "  " + c.name + ":";
    for (std::size_t v = 0; v < candidates.size(); ++v)
      figures += (v > 0 ? " | " : " ") + std::to_string(candidates[v]) + " " +
                 figure(c, Quartiles(seconds.back()[v]).median);
  }
  m_table.*value = candidates[fastest_value(seconds)];
  use(m_table);
  say(name_of(value), text_of(m_table.*value), text_of(built_in), figures);
}

void Tuner::choose_border(int TuningTable::*value, bool from_it_on,
                          int never_value, std::vector<Measured> const& cases) {
  int const built_in = m_table.*value;
  std::vector<int> candidates{built_in, never_value};
  for (Measured const& c : cases) candidates.push_back(c.of.x);
  m_table.*value = candidates[best_of(
      candidates.size(), cases, [&](std::size_t candidate, TuneCase const& c) {
        return from_it_on ? c.x >= candidates[candidate]
                          : c.x <= candidates[candidate];
      })];
  use(m_table);
  say(name_of(value), text_of(m_table.*value), text_of(built_in),
      figures_of(cases));
}

void Tuner::choose_spread(int TuningTable::*value,
                          std::vector<TuneCase> const& cases) {
  std::vector<Measured> measured;
  for (TuneCase const& c : cases)
    add(measured, c, {with(value, 1 << 20)}, {with(value, 0)});
  choose_border(value, false, 0, measured);
}

void Tuner::choose_segments() {
  choose_border(&TuningTable::kept_bytes, false, 0, kept);
  choose_border(&TuningTable::tiny_csr_bytes, false, 0, tiny_ragged);
  choose_border(&TuningTable::quads_csr_bytes, true, 1 << 20, quads_ragged);
  choose_tiny();
}

/// Four limits that belong together: every combination of measured ones.
void Tuner::choose_tiny() {
  std::vector<TuningTable> tables{m_table};
  for (int const elements : {0, 9, 12, 15, 17, 20, 24, 31})
    for (int const bytes : {36, 48, 60, 72, 96, 124, 160, 256})
      for (int const from : {0, 3, 5, 6, 7, 9})
        for (int const over : {0, 6, 12, 20, 24, 8192}) {
          TuningTable table        = m_table;
          table.tiny_elements      = elements;
          table.tiny_bytes         = bytes;
          table.tiny_from_elements = from;
          table.tiny_over_bytes    = over;
          tables.push_back(table);
        }
  TuningTable const before = m_table;
  m_table                  = tables[best_of(
                       tables.size(), tiny, [&](std::size_t candidate, TuneCase const& c) {
        return KokkosMMA::Impl::segments_are_tiny(
                             c.elements, std::uint64_t(c.x), tables[candidate]);
      })];
  use(m_table);
  say("segments.tiny_elements", text_of(m_table.tiny_elements),
      text_of(before.tiny_elements), figures_of(tiny));
  for (auto const value :
       {&TuningTable::tiny_bytes, &TuningTable::tiny_from_elements,
        &TuningTable::tiny_over_bytes})
    say(name_of(value), text_of(m_table.*value), text_of(before.*value),
        "  (with segments.tiny_elements)");
}

#endif

namespace {

struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct TuneOptions {
  std::string out;    ///< --out=FILE
  std::string check;  ///< --check=FILE
};

constexpr char const* usage =
    "perf_tune --out=FILE     measures the constants of the routes on this "
    "GPU and writes them\n"
    "perf_tune --check=FILE   says whether a table is one that this library "
    "reads\n"
    "An application uses a table with KOKKOSMMA_TUNING=FILE "
    "(docs/tuning.md).\n";

TuneOptions parse_tune(int argc, char** argv) {
  TuneOptions options;
  for (int a = 1; a < argc; ++a) {
    std::string_view const arg = argv[a];
    auto const value           = [&](std::string_view flag, std::string& into) {
      if (arg.substr(0, flag.size()) != flag) return false;
      into = arg.substr(flag.size());
      if (into.empty())
        throw UsageError("'" + std::string(arg) +
                                   "' needs the path of a file after the "
                                             "equals sign");
      return true;
    };
    if (arg.substr(0, 9) == "--kokkos-") continue;
    if (!value("--out=", options.out) && !value("--check=", options.check))
      throw UsageError("'" + std::string(arg) +
                       "' is not a flag; --out=FILE and "
                       "--check=FILE are");
  }
  if (options.out.empty() == options.check.empty())
    throw UsageError("one of --out=FILE and --check=FILE is needed");
  char const* const route = std::getenv("KOKKOSMMA_ROUTE");
  if (!options.out.empty() && route && std::string_view(route) != "auto")
    throw UsageError("KOKKOSMMA_ROUTE is \"" + std::string(route) +
                     "\", and every measurement would be of that route; unset "
                     "it");
  // Before minutes of measuring, not after them.
  if (!options.out.empty()) {
    namespace fs          = std::filesystem;
    fs::path const target = options.out;
    fs::path const folder =
        target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (fs::is_directory(target) || !fs::is_directory(folder))
      throw UsageError(
          "'" + options.out +
          "' cannot be written: it is a folder, or its folder does not exist");
  }
  return options;
}

int check_table(std::string const& path) {
  KokkosMMA::Impl::TuningFile const file = KokkosMMA::Impl::read_tuning(path);
  std::cout << path << ": a table for " << KokkosMMA::Impl::to_text(file.device)
            << ", " << file.date << "\n";
  KokkosMMA::Impl::for_each_tuned_value(
      file.table, [](std::string const& name, auto const& entry, int value) {
        int built_in = value;
        KokkosMMA::Impl::for_each_tuned_value(
            KokkosMMA::Impl::builtin_tuning,
            [&](std::string const& other, auto const&, int v) {
              if (other == name) built_in = v;
            });
        if (value != built_in)
          std::cout << "  " << name << " "
                    << KokkosMMA::Impl::tuned_value_text(entry, value)
                    << " (built-in "
                    << KokkosMMA::Impl::tuned_value_text(entry, built_in)
                    << ")\n";
      });
  return 0;
}

#ifdef KOKKOS_ENABLE_CUDA

/// Whole or not at all: a table that is cut off would be refused, but the one
/// before it would be gone.
void write_whole(std::string const& path, std::string const& text) {
  std::string const part = path + ".part";
  std::ofstream stream(part, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream)
    throw std::runtime_error("'" + part +
                             "' cannot be written; is the disk full?");
  std::filesystem::rename(part, path);
}

int measure(TuneOptions const& options) {
  Session session{Options()};
  // The largest of all cases: they keep pointers into both.
  session.results<std::uint64_t>((std::size_t(1) << 29) / 8 + 1024);
  session.data<std::int64_t>((std::size_t(1) << 30) / 8);
  KokkosMMA::Impl::Cuda::Device const& device =
      KokkosMMA::Impl::Cuda::device(session.exec.cuda_device());
  std::cout << "tuning for " << KokkosMMA::Impl::to_text(device.tuned())
            << "\nfigures: the first of two ways | the other one (median gain "
               "+-quartiles): tensor cores | additions, spread | not, a thread "
               "for each segment | not\n";
  // The ceilings, which take a second, bring the clocks to where they stay.
  std::printf("read ceiling %.0f GB/s, copy ceiling %.0f GB/s\n",
              session.read_bytes_per_second() * 1e-9,
              session.copy_ceiling().bytes_per_second() * 1e-9);
  Tuner tuner(session);
  Instances<Tuner>::run(tuner);
  tune_launches(tuner);
  tuner.choose_segments();

  std::time_t const now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::localtime(&now));
  KokkosMMA::Impl::TuningFile const file{tuner.table(), device.tuned(), date};
  std::string const notes =
      tuner.report().empty()
          ? std::string("the built-in values are the best ones here")
          : "what differs from the built-in table, with what was measured:\n" +
                tuner.report();
  write_whole(options.out, KokkosMMA::Impl::write_tuning(file, notes));
  std::cout << "\nwritten: " << options.out
            << "; use it with KOKKOSMMA_TUNING=" << options.out << "\n";
  return 0;
}

#endif

}  // namespace
}  // namespace perf

int main(int argc, char** argv) {
  using namespace perf;
  try {
    if (argc == 2 && std::string_view(argv[1]) == "--help") {
      std::cout << usage;
      return 0;
    }
    TuneOptions const options = parse_tune(argc, argv);
    if (!options.check.empty()) return check_table(options.check);
#ifdef KOKKOS_ENABLE_CUDA
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
      Kokkos::ScopeGuard const kokkos(argc, argv);
      return measure(options);
    }
    char const* const why = "no CUDA device is here";
#else
    char const* const why = "this Kokkos has no Cuda execution space";
#endif
    std::cerr << "perf_tune: there is nothing to tune: " << why
              << ", and every other space takes route generic; nothing was "
                 "written\n";
    return 2;
  } catch (UsageError const& error) {
    std::cerr << "perf_tune: " << error.what() << "\n" << usage;
    return 2;
  } catch (std::invalid_argument const& error) {
    std::cerr << "perf_tune: " << error.what() << "\n";
    return 2;
  } catch (std::exception const& error) {
    std::cerr << "perf_tune: " << error.what() << "; no table was written\n";
    return 1;
  }
}
