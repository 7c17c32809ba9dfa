// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Perf_Tune.hpp"

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
/// GB/s of both sides, or microseconds of small cases.
std::string figure(TuneCase const& c, double seconds) {
  char text[32];
  if (c.of_host)
    std::snprintf(text, sizeof(text), "%.2f us", seconds * 1e6);
  else
    std::snprintf(text, sizeof(text), "%.0f GB/s", c.bytes / seconds * 1e-9);
  return text;
}

}  // namespace

void Tuner::use(TuningTable const& table) {
  m_in_use = table;
  KokkosMMA::Impl::Cuda::use_tuning(exec().cuda_device(), m_in_use);
}

double Tuner::time(TuneCase const& c) {
  // Loads the kernels and fills the data: the first sample decides how many
  // calls a sample has.
  c.call(0);
  exec().fence("perf::tune");
  if (c.of_host) return sample_host(101, c.call).median();
  return sample_briefly(m_session.timer, 7, c.call).median();
}

/// Of the results of the first slice of the data: calls go from slice to slice,
/// and sums of slices of numbers of both signs differ.
double Tuner::sum(TuneCase const& c) const {
  c.call(0);
  exec().fence("perf::tune");
  return c.sum();
}

/// Both sides are within the error bounds of sums of positive numbers, and the
/// sum of all results is closer still: more is a wrong answer.
void Tuner::check(TuneCase const& c, double taken, double left) const {
  if (std::abs(taken - left) <= 2e-3 * std::abs(left) && std::isfinite(taken))
    return;
  throw std::runtime_error(
      "the two sides of " + c.name + " give sums of " + std::to_string(taken) +
      " and " + std::to_string(left) + ": one is wrong; please report this");
}

BothWays Tuner::both(TuneCase const& c, TuningTable const& taken,
                     TuningTable const& left) {
  BothWays seconds{1e30, 1e30};
  double sums[2] = {};
  for (int round = 0; round < 2; ++round) {
    use(taken);
    seconds.taken = std::min(seconds.taken, time(c));
    if (round == 0) sums[0] = sum(c);
    use(left);
    seconds.left = std::min(seconds.left, time(c));
    if (round == 0) sums[1] = sum(c);
  }
  check(c, sums[0], sums[1]);
  use(m_table);
  return seconds;
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

void Tuner::choose_from(PerType TuningTable::*values, Scalar type,
                        std::vector<TuneCase> const& cases, bool is_flag) {
  int const built_in = (m_table.*values)[type];
  TuningTable taken = m_table, left = m_table;
  taken.*values = (m_table.*values).with(type, is_flag ? 1 : 0);
  left.*values  = (m_table.*values).with(type, is_flag ? 0 : never);
  std::vector<int> candidates{built_in};
  if (is_flag) {
    candidates.push_back(1 - built_in);
  } else {
    for (TuneCase const& c : cases) candidates.push_back(c.x);
    candidates.push_back(never);
  }
  std::vector<BothWays> seconds;
  std::string figures;
  for (TuneCase const& c : cases) {
    seconds.push_back(both(c, taken, left));
    figures += "  " + c.name + ": " + figure(c, seconds.back().taken) + " | " +
               figure(c, seconds.back().left);
  }
  std::size_t const best = cheapest_decisions(
      candidates.size(), seconds, [&](std::size_t candidate, std::size_t i) {
        return is_flag ? candidates[candidate] != 0
                       : cases[i].x >= candidates[candidate];
      });
  m_table.*values = (m_table.*values).with(type, candidates[best]);
  auto const text = [&](int value) {
    return is_flag ? std::string(value ? "yes" : "no") : text_of(value);
  };
  say(name_of(values, type), text(candidates[best]), text(built_in), figures);
}

void Tuner::choose_value(int TuningTable::*value, std::vector<int> candidates,
                         std::vector<TuneCase> const& cases) {
  int const built_in = m_table.*value;
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](int c) { return c == built_in; });
  std::vector<std::vector<double>> seconds(
      candidates.size(), std::vector<double>(cases.size(), 1e30));
  std::vector<double> sums(cases.size());
  for (int round = 0; round < 2; ++round)
    for (std::size_t v = 0; v < candidates.size(); ++v) {
      use(with(value, candidates[v]));
      for (std::size_t i = 0; i < cases.size(); ++i) {
        seconds[v][i]    = std::min(seconds[v][i], time(cases[i]));
        double const sum = this->sum(cases[i]);
        if (round == 0 && v == 0) sums[i] = sum;
        check(cases[i], sum, sums[i]);
      }
    }
  std::string figures;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    figures += "  " + cases[i].name + ":";
    for (std::size_t v = 0; v < candidates.size(); ++v)
      figures += " " + std::to_string(candidates[v]) + " " +
                 figure(cases[i], seconds[v][i]) +
                 (v + 1 < candidates.size() ? " |" : "");
  }
  m_table.*value = candidates[fastest_value(seconds)];
  use(m_table);
  say(name_of(value), text_of(m_table.*value), text_of(built_in), figures);
}

template <class Case>
int Tuner::upper_limit(std::vector<Case> const& cases, int present) const {
  std::vector<int> candidates{present, 0};
  std::vector<BothWays> seconds;
  for (Case const& c : cases) {
    candidates.push_back(c.bytes);
    seconds.push_back(c.seconds);
  }
  return candidates[cheapest_decisions(
      candidates.size(), seconds, [&](std::size_t candidate, std::size_t i) {
        return cases[i].bytes <= candidates[candidate];
      })];
}

void Tuner::choose_spread(int TuningTable::*value,
                          std::vector<TuneCase> const& cases) {
  std::vector<RaggedCase> limits;
  std::string figures;
  for (TuneCase const& c : cases) {
    limits.push_back(
        {c.name, c.x, both(c, with(value, 1 << 20), with(value, 0))});
    figures += "  " + c.name + ": " + figure(c, limits.back().seconds.taken) +
               " | " + figure(c, limits.back().seconds.left);
  }
  int const built_in = m_table.*value;
  m_table.*value     = upper_limit(limits, built_in);
  say(name_of(value), text_of(m_table.*value), text_of(built_in), figures);
}

void Tuner::choose_segments() {
  auto const microseconds = [](auto const& cases) {
    std::string figures;
    for (auto const& c : cases) {
      char text[96];
      std::snprintf(text, sizeof(text), "  %s: %.1f | %.1f us", c.name.c_str(),
                    c.seconds.taken * 1e6, c.seconds.left * 1e6);
      figures += text;
    }
    return figures;
  };
  auto const limit = [&](int TuningTable::*value,
                         std::vector<RaggedCase> const& cases) {
    int const built_in = m_table.*value;
    m_table.*value     = upper_limit(cases, built_in);
    say(name_of(value), text_of(m_table.*value), text_of(built_in),
        microseconds(cases));
  };
  limit(&TuningTable::kept_bytes, kept);
  limit(&TuningTable::tiny_csr_bytes, tiny_ragged);

  // From which mean on: the complement of an upper limit.
  int const quads_before = m_table.quads_csr_bytes;
  std::vector<int> froms{quads_before, 1 << 20};
  std::vector<BothWays> seconds;
  for (RaggedCase const& c : quads_ragged) {
    froms.push_back(c.bytes);
    seconds.push_back(c.seconds);
  }
  m_table.quads_csr_bytes = froms[cheapest_decisions(
      froms.size(), seconds, [&](std::size_t candidate, std::size_t i) {
        return quads_ragged[i].bytes >= froms[candidate];
      })];
  say("segments.quads_csr_bytes", text_of(m_table.quads_csr_bytes),
      text_of(quads_before), microseconds(quads_ragged));

  // Four limits that belong together: every combination of measured ones.
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
  seconds.clear();
  for (TinyCase const& c : tiny) seconds.push_back(c.seconds);
  TuningTable const before = m_table;
  m_table                  = tables[cheapest_decisions(
                       tables.size(), seconds, [&](std::size_t candidate, std::size_t i) {
        return KokkosMMA::Impl::segments_are_tiny(tiny[i].elements, tiny[i].bytes,
                                                             tables[candidate]);
      })];
  say("segments.tiny_elements", text_of(m_table.tiny_elements),
      text_of(before.tiny_elements), microseconds(tiny));
  for (auto const value :
       {&TuningTable::tiny_bytes, &TuningTable::tiny_from_elements,
        &TuningTable::tiny_over_bytes})
    say(name_of(value), text_of(m_table.*value), text_of(before.*value),
        "  (with segments.tiny_elements)");
  use(m_table);
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
  KokkosMMA::Impl::for_each_tuned_value(file.table, [](std::string const& name,
                                                 auto const& entry, int value) {
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
                << KokkosMMA::Impl::tuned_value_text(entry, built_in) << ")\n";
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

template <class... T>
struct Types {
  template <class F>
  static void each(F const& f) {
    (f(T{}), ...);
  }
};

/// Every value of the table, in its order.
void tune_all(Tuner& tuner) {
  using All = Types<half_type, bhalf_type, float, double, std::int8_t,
                    std::uint8_t, std::int32_t, std::int64_t>;
  using Small =
      Types<half_type, bhalf_type, float, double, std::int8_t, std::uint8_t>;
  All::each([&](auto t) { tune_reduce<decltype(t)>(tuner); });
  tune_launches(tuner);
  All::each([&](auto t) { tune_scan<decltype(t)>(tuner); });
  All::each([&](auto t) { tune_segments<decltype(t)>(tuner); });
  Small::each([&](auto t) { tune_columns<decltype(t)>(tuner); });
  Types<half_type, float, std::int8_t>::each(
      [&](auto t) { tune_ragged<decltype(t)>(tuner); });
  tuner.choose_segments();
  Types<half_type, bhalf_type, double>::each(
      [&](auto t) { tune_stencil<decltype(t)>(tuner); });
}

int measure(TuneOptions const& options) {
  Options session_options;
  Session session(session_options);
  // The largest of all cases: they keep pointers into both.
  session.results<std::uint64_t>((std::size_t(1) << 29) / 8 + 1024);
  session.data<std::int64_t>((std::size_t(1) << 29) / 8);
  KokkosMMA::Impl::Cuda::Device const& device =
      KokkosMMA::Impl::Cuda::device(session.exec.cuda_device());
  std::cout << "tuning for " << KokkosMMA::Impl::to_text(device.tuned())
            << "\nfigures: with the first of two ways | with the other one "
               "(products | additions, spread | not, a thread for each segment "
               "| not)\n";
  Tuner tuner(session);
  tune_all(tuner);

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
