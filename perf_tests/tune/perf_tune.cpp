// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tune/Perf_Tune.hpp"

#include <cstdio>
#include <ctime>
#include <filesystem>

namespace perf {

using KokkosMMA::Impl::BuiltInTuning;
using KokkosMMA::Impl::never;
using KokkosMMA::Impl::TuningEntry;
using KokkosMMA::Impl::TuningFile;

#ifdef KOKKOS_ENABLE_CUDA

namespace {

TuningEntry const& entry_of(TuningValue value) {
  for (TuningEntry const& entry : KokkosMMA::Impl::tuning_entries)
    if (entry.value == value) return entry;
  throw std::logic_error("perf_tune: a value without a name");
}
std::string figure(TuneCase const& c, double seconds) {
  char text[32];
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
  return all.empty() ? "  not measured: a route can run none of the cases"
                     : all;
}

/// Rounds of a case. Fewer leave no quartiles to speak of.
constexpr int tune_rounds = 9;

}  // namespace

void Tuner::use(TuningTable const& table) {
  m_in_use = table;
  KokkosMMA::Impl::Cuda::use_tuning(exec().cuda_device(), m_in_use);
}

std::vector<Samples> Tuner::rounds(TuneCase const& c,
                                   std::vector<Way> const& ways) {
  std::vector<Timed> timed;
  std::optional<double> first_sum;
  for (Way const& way : ways) {
    Timed const one{.call =
                        [&](std::size_t k) {
                          KokkosMMA::ScopedSettings const scope(
                              KokkosMMA::Settings{way.route});
                          c.call(k);
                        },
                    .prepare = [&] { use(way.table); }};
    // Of the first slice of the data: sums of slices of numbers of both signs
    // differ. Both sides are within the error bounds of sums of positive
    // numbers, and the sum of all results is closer still.
    try {
      one.prepare();
      one.call(0);
    } catch (std::invalid_argument const&) {
      if (way.route == Route::automatic) throw;
      use(m_table);
      return {};
    }
    exec().fence("perf::tune");
    double const sum = c.sum();
    if (!first_sum) first_sum = sum;
    if (!(std::abs(sum - *first_sum) <= 2e-3 * std::abs(*first_sum)))
      throw std::runtime_error("the two sides of " + c.name + " give sums of " +
                               std::to_string(*first_sum) + " and " +
                               std::to_string(sum) +
                               ": one is wrong; please report this");
    timed.push_back(one);
  }
  auto samples = m_session.timer.sample_in_turn(tune_rounds, timed);
  use(m_table);
  return samples;
}

std::optional<Measured> Tuner::both(TuneCase const& c, Way const& taken,
                                    Way const& left) {
  auto const samples = rounds(c, {taken, left});
  if (samples.empty()) return {};
  return Measured{c, BothWays(samples[0].seconds, samples[1].seconds)};
}

void Tuner::choose(TuningValue value, std::vector<int> const& candidates,
                   std::vector<Measured> const& cases,
                   std::function<bool(int, int)> const& takes) {
  TuningEntry const& entry = entry_of(value);
  int const before         = m_table.*value;
  std::vector<int> all{before};
  all.insert(all.end(), candidates.begin(), candidates.end());
  std::vector<BothWays> both;
  for (Measured const& c : cases) both.push_back(c.both);
  int const best = all[best_decisions(all.size(), both, [&](auto c, auto i) {
    return takes(cases[i].of.x, all[c]);
  })];
  m_table.*value = best;
  use(m_table);
  std::string const text    = KokkosMMA::Impl::tuned_value_text(entry, best);
  std::string const was     = KokkosMMA::Impl::tuned_value_text(entry, before);
  std::string const figures = figures_of(cases);
  std::printf("%-28s %-8s (built-in %s)%s\n", std::string(entry.name).c_str(),
              text.c_str(), was.c_str(), figures.c_str());
  std::fflush(stdout);
  if (best != before)
    m_report += std::string(entry.name) + " " + text + " for " + was + ":" +
                figures + "\n";
}

void Tuner::choose_route(TuningValue value,
                         std::vector<TuneCase> const& cases) {
  std::vector<int> candidates;
  std::vector<Measured> measured;
  bool const is_flag = entry_of(value).is_flag();
  for (TuneCase const& c : cases) {
    add(measured, c, {m_table, Route::mma}, {m_table, Route::streamed});
    if (!is_flag) candidates.push_back(c.x);
  }
  if (is_flag)
    choose(value, {1 - m_table.*value}, measured,
           [](int, int flag) { return flag != 0; });
  else {
    candidates.push_back(never);
    choose(value, candidates, measured,
           [](int x, int from) { return x >= from; });
  }
}

void Tuner::choose_limit(TuningValue value,
                         std::vector<Measured> const& cases) {
  std::vector<int> candidates{0};
  for (Measured const& c : cases) candidates.push_back(c.of.x);
  choose(value, candidates, cases, [](int x, int to) { return x <= to; });
}

#endif

namespace {

struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct TuneOptions {
  std::string flag, path;
};

/// `name`: as it was called. Installed, kokkosmma-tune is another name of it.
std::string usage(std::string const& name) {
  return name +
         " --out=FILE        measures the constants of the routes on this GPU "
         "and writes them\n" +
         name +
         " --check=FILE      says whether a table is one that this library "
         "reads\n" +
         name +
         " --built-in=FILE   prints a table as "
         "core/routing/KokkosMMA_BuiltInTunings.hpp has them\n"
         "An application uses a table with KOKKOSMMA_TUNING=FILE.\n"
         "Exit status: 0 done, 1 measuring failed, 2 an invalid command line, "
         "a table that this library does not accept, or nothing to tune "
         "here.\n";
}

TuneOptions parse_tune(int argc, char** argv) {
  TuneOptions options;
  int flags = 0;
  for (int a = 1; a < argc; ++a) {
    std::string const arg   = argv[a];
    std::size_t const value = arg.find('=') + 1;
    TuneOptions const given{arg.substr(0, value), arg.substr(value)};
    if (arg.starts_with("--kokkos-")) continue;
    if (given.flag != "--out=" && given.flag != "--check=" &&
        given.flag != "--built-in=")
      throw UsageError("'" + arg +
                       "' is not a flag; --out=FILE, --check=FILE and "
                       "--built-in=FILE are");
    if (given.path.empty())
      throw UsageError("'" + arg +
                       "' needs the path of a file after the equals sign");
    ++flags;
    options = given;
  }
  if (flags != 1)
    throw UsageError(
        "one of --out=FILE, --check=FILE and --built-in=FILE is needed");
  if (options.flag != "--out=") return options;
  char const* const route = std::getenv("KOKKOSMMA_ROUTE");
  if (route && std::string_view(route) != "auto")
    throw UsageError("KOKKOSMMA_ROUTE is \"" + std::string(route) +
                     "\", and every measurement would be of that route; unset "
                     "it");
  // Before minutes of measuring, not after them.
  namespace fs          = std::filesystem;
  fs::path const target = options.path;
  fs::path const folder =
      target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (fs::is_directory(target) || !fs::is_directory(folder))
    throw UsageError(
        "'" + options.path +
        "' cannot be written: it is a folder, or its folder does not exist");
  fs::path const probe = options.path + ".part";
  bool const existed   = fs::exists(probe);
  if (!std::ofstream(probe, std::ios::app))
    throw UsageError("'" + options.path +
                     "' cannot be written: its folder accepts no file");
  if (!existed) fs::remove(probe);
  return options;
}

/// f(entry, value, other) for each value that is another one there.
template <class F>
void for_each_difference(TuningTable const& table, TuningTable const& other,
                         F const& f) {
  for (TuningEntry const& entry : KokkosMMA::Impl::tuning_entries)
    if (table.*entry.value != other.*entry.value)
      f(entry, table.*entry.value, other.*entry.value);
}

int check_table(std::string const& path) {
  TuningFile const file    = KokkosMMA::Impl::read_tuning(path);
  BuiltInTuning const& own = builtin_tuning_of(file.device);
  std::cout << path << ": a table for " << to_text(file.device) << ", "
            << file.date << "\n";
  for_each_difference(file.table, own.table,
                      [&](TuningEntry const& entry, int value, int built_in) {
                        std::cout << "  " << entry.name << " "
                                  << tuned_value_text(entry, value) << " ("
                                  << own.name << ": "
                                  << tuned_value_text(entry, built_in) << ")\n";
                      });
  return 0;
}

/// The rows for builtin_tuning_with().
int print_built_in(std::string const& path) {
  TuningFile const file = KokkosMMA::Impl::read_tuning(path);
  std::cout << "// " << to_text(file.device) << ", " << file.date << "\n";
  for_each_difference(
      file.table, KokkosMMA::Impl::builtin_tuning,
      [](TuningEntry const& entry, int value, int) {
        std::cout << "{\"" << entry.name << "\", "
                  << (value == never ? "never" : std::to_string(value))
                  << "},\n";
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
               "+-quartiles): tensor cores | additions, a thread for each "
               "segment | not\n";
  // The ceilings, which take a second, bring the clocks to where they stay.
  std::printf("read ceiling %.0f GB/s, copy ceiling %.0f GB/s\n",
              session.read_bytes_per_second() * 1e-9,
              session.copy_ceiling().bytes_per_second() * 1e-9);
  Tuner tuner(session, builtin_tuning_of(device.tuned()).table);
  Instances<Tuner>::run(tuner);
  tuner.choose_limit(&TuningTable::tiny_csr_bytes, tuner.tiny_ragged);
  tuner.choose_limit(&TuningTable::tiny_csr_wide_bytes, tuner.tiny_ragged_wide);

  std::time_t const now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof(date), "%F", std::localtime(&now));
  TuningFile const file{tuner.table(), device.tuned(), date};
  std::string const notes =
      tuner.report().empty()
          ? std::string("the built-in values are the best ones here")
          : "what differs from the built-in table, with what was measured:\n" +
                tuner.report();
  write_whole(options.path, KokkosMMA::Impl::write_tuning(file, notes));
  std::cout << "\nwritten: " << options.path
            << "; use it with KOKKOSMMA_TUNING=" << options.path << "\n";
  return 0;
}

#endif

}  // namespace
}  // namespace perf

int main(int argc, char** argv) {
  using namespace perf;
  std::string const name = std::filesystem::path(argv[0]).filename();
  try {
    if (argc == 2 && std::string_view(argv[1]) == "--help") {
      std::cout << usage(name);
      return 0;
    }
    TuneOptions const options = parse_tune(argc, argv);
    if (options.flag == "--check=") return check_table(options.path);
    if (options.flag == "--built-in=") return print_built_in(options.path);
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
    std::cerr << name << ": there is nothing to tune: " << why
              << ", and every other space uses route generic; nothing was "
                 "written\n";
    return 2;
  } catch (UsageError const& error) {
    std::cerr << name << ": " << error.what() << "\n" << usage(name);
    return 2;
  } catch (std::invalid_argument const& error) {
    std::cerr << name << ": " << error.what() << "\n";
    return 2;
  } catch (std::exception const& error) {
    std::cerr << name << ": " << error.what() << "; no table was written\n";
    return 1;
  }
}
