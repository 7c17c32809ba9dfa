// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random calls of every kind that the drop-in accepts, each beside plain Kokkos
// or loops on the host. See CONTRIBUTING.md.

#include "Drawing.hpp"
#include "Memory.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace random_calls {
namespace {

struct Options {
  std::uint64_t seed = 0;
  double seconds     = 10;
  std::int64_t calls = -1;  ///< as many as there is time for
  std::string only   = {};
  std::string with   = {};
  bool list          = false;
};

/// Numbers that are none, and options without a value, end the program.
Options read_options(int argc, char** argv) {
  Options options{.seed = std::random_device{}()};
  for (int a = 1; a < argc; ++a) {
    std::string_view const name = argv[a];
    if (name == "--list") {
      options.list = true;
      continue;
    }
    char const* const value = a + 1 < argc ? argv[++a] : nullptr;
    char* end               = nullptr;
    if (value != nullptr && name == "--only") {
      options.only = value;
    } else if (value != nullptr && name == "--with") {
      options.with = value;
    } else if (value != nullptr && name == "--seed") {
      options.seed = std::strtoull(value, &end, 10);
    } else if (value != nullptr && name == "--seconds") {
      options.seconds = std::strtod(value, &end);
    } else if (value != nullptr && name == "--calls") {
      options.calls = std::strtoll(value, &end, 10);
    }
    if (value == nullptr ||
        (end == nullptr && options.only != value && options.with != value) ||
        (end != nullptr && *end != '\0')) {
      std::fprintf(stderr,
                   "random_calls: \"%s %s\" is not understood; allowed: --seed "
                   "N, --seconds N, --calls N, --only NAME, --with "
                   "PARAMETERS and --list\n",
                   argv[a - (value != nullptr)], value ? value : "");
      std::exit(2);
    }
  }
  return options;
}

/// What runs now, for the message of a crash.
char current[1024] = "";
extern "C" void tell_current_call(int signal) {
  std::fputs(current, stderr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Whether the kernels run on the emulated device, in the memory of the host.
#if defined(RANDOM_CALLS_EMULATED)
constexpr bool emulated = true;
#else
constexpr bool emulated = false;
#endif

struct Twins {
  Kind intercepted, plain;
  bool has_failed = false;  ///< and is left out from then on
};

constexpr char const* thrown = "the drop-in threw: ";

/// The last error of CUDA of this host thread, which is cleared: an application
/// may query it much later, as CUB does before each of its algorithms.
std::string last_error_of_cuda() {
#if defined(KOKKOS_ENABLE_CUDA)
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) return cudaGetErrorName(error);
#endif
  return {};
}

std::vector<Twins> all_kinds(std::string const& only) {
  Table ours, theirs;
  intercepted::add_loops(ours), plain::add_loops(theirs);
  intercepted::add_boxes(ours), plain::add_boxes(theirs);
  intercepted::add_reductions(ours), plain::add_reductions(theirs);
  intercepted::add_reducers(ours), plain::add_reducers(theirs);
  intercepted::add_scans(ours), plain::add_scans(theirs);
  intercepted::add_chains(ours), plain::add_chains(theirs);
#if !defined(RANDOM_CALLS_EMULATED)
  intercepted::add_teams(ours), plain::add_teams(theirs);
  intercepted::add_graphs(ours), plain::add_graphs(theirs);
#endif
  std::vector<Twins> all;
  for (std::size_t k = 0; k < ours.size(); ++k)
    if (only.empty() || only == ours[k].name)
      all.push_back({ours[k], theirs[k]});
  return all;
}

/// Instances that may run at the same time.
std::vector<Exec> instances() {
  int const wanted = std::clamp(Exec().concurrency(), 1, 4);
#if defined(KOKKOS_ENABLE_CUDA)
  auto all = Kokkos::Experimental::partition_space(Exec(),
                                                   std::vector<int>(wanted, 1));
  all.insert(all.begin(), Exec());
  return all;
#else
  // Loops of two host threads at once are for devices.
  static_cast<void>(wanted);
  return {Exec()};
#endif
}

/// One call with the drop-in, from several host threads at once, and its twin.
/// \return what differs
std::string outcome_of(Twins const& twins, Parameters const& p,
                       std::vector<Exec> const& spaces) {
  auto const threads = std::size_t(p[Parameters::threads]);
  std::vector<Plan> plans;
  std::vector<Image> before, ours, theirs;
  for (std::size_t t = 0; t < threads; ++t) {
    Parameters of_thread = p;
    of_thread[Parameters::instance] =
        (p[Parameters::instance] + std::int64_t(t)) %
        std::int64_t(spaces.size());
    of_thread[Parameters::seed] += std::int64_t(t);
    plans.emplace_back(twins.plain.limits, of_thread);
    before.push_back(plans[t].image());
  }
  ours = theirs       = before;
  auto const space_of = [&](std::size_t t) -> Exec const& {
    return spaces[(std::size_t(p[Parameters::instance]) + t) % spaces.size()];
  };
  std::vector<std::string> errors(threads), left(threads);
  auto const run = [&](std::size_t t) {
    try {
      plans[t].run(twins.intercepted, space_of(t), ours[t], emulated);
      left[t] = last_error_of_cuda();
    } catch (std::exception const& error) {
      errors[t] = std::string(thrown) + error.what();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back(run, t);
  run(0);
  for (std::thread& other : others) other.join();
  for (std::size_t t = 0; t < threads; ++t) {
    if (!errors[t].empty()) return errors[t];
    plans[t].run(twins.plain, space_of(t), theirs[t],
                 emulated || twins.plain.limits.host_reference);
    std::string const left_by_kokkos = last_error_of_cuda();
    if (left[t] != left_by_kokkos)
      return "the drop-in leaves the last error of CUDA \"" + left[t] +
             "\", Kokkos \"" + left_by_kokkos + '"';
    std::string const difference =
        plans[t].difference(before[t], ours[t], theirs[t]);
    if (!difference.empty()) return difference;
  }
  return {};
}

/// Calls that may be made to find smaller parameters.
constexpr int most_attempts = 300;

void report_failure(Options const& options, Twins const& twins,
                    Parameters const& drawn, std::string const& what,
                    std::vector<Exec> const& spaces) {
  char const* const name = twins.intercepted.name;
  std::printf("random_calls: %s fails, seed %llu: %s\n  drawn: %s\n", name,
              static_cast<unsigned long long>(options.seed), what.c_str(),
              to_text(drawn).c_str());
  std::fflush(stdout);
  std::string last = what;
  int left         = what.starts_with(thrown) ? 0 : most_attempts;
  auto const fails = [&](Parameters const& p) {
    if (left-- <= 0) return false;
    std::snprintf(current, sizeof(current),
                  "random_calls: ended while shrinking %s --with %s\n", name,
                  to_text(p).c_str());
    // Which launch runs may depend on the calls before.
    for (int attempt = 0; attempt < 2; ++attempt) {
      std::string const text = outcome_of(twins, p, spaces);
      if (text.empty()) continue;
      last = text;
      return true;
    }
    return false;
  };
  Parameters const smallest = shrink(twins.plain.limits, drawn, fails);
  if (smallest == drawn)
    std::printf("  nothing smaller fails: it may depend on the calls before\n");
  std::printf("  smallest: %s\n  %s\n", to_text(smallest).c_str(),
              last.c_str());
  std::printf("  repeat with: random_calls --only %s --with %s\n", name,
              to_text(smallest).c_str());
  std::printf("  or from the start: random_calls --seed %llu%s%s\n",
              static_cast<unsigned long long>(options.seed),
              options.only.empty() ? "" : " --only ", options.only.c_str());
  std::fflush(stdout);
}

int run_all(Options const& options) {
  std::vector<Twins> kinds = all_kinds(options.only);
  if (kinds.empty()) {
    std::fprintf(stderr, "random_calls: no kind is named \"%s\"; --list\n",
                 options.only.c_str());
    return 2;
  }
  std::vector<Exec> const spaces = instances();
  int const host_threads         = spaces.size() > 1 ? 3 : 1;
  using Clock                    = std::chrono::steady_clock;
  auto const end =
      Clock::now() + std::chrono::duration<double>(options.seconds);
  std::mt19937_64 engine(options.seed);
  std::vector<std::size_t> order(kinds.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::int64_t calls   = 0;
  std::size_t seen     = 0;
  std::size_t failures = 0;
  for (; options.calls < 0 ? Clock::now() < end : calls < options.calls;
       ++calls) {
    std::size_t const turn = std::size_t(calls) % order.size();
    if (turn == 0) std::shuffle(order.begin(), order.end(), engine);
    seen         = std::max(seen, turn + 1);
    Twins& twins = kinds[order[turn]];
    if (twins.has_failed) continue;
    Parameters const p =
        options.with.empty()
            ? draw(twins.plain.limits, engine, int(spaces.size()), host_threads)
            : from_text(twins.plain.limits, options.with);
    std::snprintf(current, sizeof(current),
                  "random_calls: ended in --only %s --with %s, seed %llu\n",
                  twins.plain.name, to_text(p).c_str(),
                  static_cast<unsigned long long>(options.seed));
    std::string const what = outcome_of(twins, p, spaces);
    if (what.empty()) continue;
    report_failure(options, twins, p, what, spaces);
    ++failures;
    twins.has_failed = true;
    // After an error of CUDA nothing runs.
    if (what.starts_with(thrown)) break;
  }
  std::printf("random_calls: %lld calls of %zu kinds, %zu failures\n",
              static_cast<long long>(calls), seen, failures);
  return failures > 0;
}

}  // namespace
}  // namespace random_calls

int main(int argc, char** argv) {
  using namespace random_calls;
  Options options = read_options(argc, argv);
  if (!options.with.empty() && options.calls < 0) options.calls = 1;
  if (options.list) {
    for (Twins const& twins : all_kinds(options.only))
      std::puts(twins.plain.name);
    return 0;
  }
  std::printf("random_calls: --seed %llu\n",
              static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  for (int const signal : {SIGABRT, SIGSEGV, SIGTERM, SIGFPE, SIGBUS})
    std::signal(signal, tell_current_call);
  Kokkos::ScopeGuard const kokkos;
  return run_all(options);
}
