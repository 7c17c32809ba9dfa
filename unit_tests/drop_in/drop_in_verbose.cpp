// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// drop_in_verbose [fork]: what KOKKOSMMA_VERBOSE=1 prints of each kind of call
// on Cuda, with its label; nothing on host spaces. With `fork` a child process
// computes: before Kokkos::initialize nothing may have touched CUDA. Fails with
// a line that says what is missing.

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Team = Kokkos::TeamPolicy<Exec>;

template <int N>
struct Doubles {
  double v[N];
  KOKKOS_FUNCTION Doubles() {
    for (double& x : v) x = 0;
  }
  KOKKOS_FUNCTION Doubles& operator+=(Doubles const& other) {
    for (int k = 0; k < N; ++k) v[k] += other.v[k];
    return *this;
  }
};

struct Count {
  using value_type = double;
  template <class Index>
  KOKKOS_FUNCTION void operator()(Index, double& sum) const {
    sum += 1;
  }
  KOKKOS_FUNCTION void operator()(int, int, double& sum) const { sum += 1; }
  KOKKOS_FUNCTION void operator()(Team::member_type const&, double& sum) const {
    sum += 1;
  }
};
template <class Value>
struct CountInto {
  using value_type = Value;
  KOKKOS_FUNCTION void operator()(int, Value& sum) const { sum.v[0] += 1; }
  KOKKOS_FUNCTION void operator()(int, Value& sum, bool) const {
    sum.v[0] += 1;
  }
};
struct CountArrays {
  using value_type = double[];
  unsigned value_count;
  KOKKOS_FUNCTION void operator()(int, double* sums) const {
    for (unsigned k = 0; k < value_count; ++k) sums[k] += 1;
  }
};
struct CountScan {
  KOKKOS_FUNCTION void operator()(int, int& sum, bool) const { sum += 1; }
};
struct DoNothing {
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(Indices...) const {}
};
struct DoNothingInTeams {
  KOKKOS_FUNCTION void operator()(Team::member_type const&) const {}
};
/// A functor of another type for the same label.
struct CountAgain : Count {};

int failures = 0;
void expect(bool holds, std::string const& what) {
  if (holds) return;
  std::printf("failed: %s\n", what.c_str());
  ++failures;
}

void make_calls() {
  Kokkos::RangePolicy<Exec> const range(0, 100);
  double sum = 0;
  for (int round = 0; round < 2; ++round) {
    Kokkos::parallel_reduce("a sum", range, Count{}, sum);
    Kokkos::parallel_reduce(
        "a grid", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {9, 9}),
        Count{}, sum);
    Kokkos::parallel_reduce("teams", Team(7, 1), Count{}, sum);
    expect(sum == 7, "the sum over teams");
    Doubles<9> large;
    Kokkos::parallel_reduce("72 bytes", range, CountInto<Doubles<9>>{}, large);
    expect(large.v[0] == 100, "the sum of 72 bytes");
    Doubles<65> larger;
    Kokkos::parallel_reduce("520 bytes", range, CountInto<Doubles<65>>{},
                            larger);
    expect(larger.v[0] == 100, "the sum of 520 bytes");
    double array[3];
    Kokkos::parallel_reduce("arrays", range, CountArrays{3}, array);
    expect(array[2] == 100, "the sums of arrays");
    Kokkos::parallel_for("a loop", range, DoNothing{});
    Kokkos::parallel_for(
        "a box", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {9, 9}),
        DoNothing{});
    Kokkos::parallel_for("tiles",
                         Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(
                             {0, 0, 0}, {9, 9, 9}, {3, 3, 3}),
                         DoNothing{});
    Kokkos::parallel_for(
        "bounded",
        Kokkos::RangePolicy<Exec, Kokkos::LaunchBounds<128, 2>>(0, 100),
        DoNothing{});
    Kokkos::parallel_for("a loop of teams", Team(7, 1), DoNothingInTeams{});
    Kokkos::parallel_scan("a scan", range, CountScan{});
    Kokkos::parallel_scan("a scan of 72 bytes", range, CountInto<Doubles<9>>{});
  }
  Kokkos::parallel_reduce(
      "on the host",
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, 100),
      CountAgain{}, sum);
  Kokkos::fence();
}

int compute(int argc, char** argv) {
  std::string text;
  {
    Kokkos::ScopeGuard const guard(argc, argv);
    char name[]             = "/tmp/kokkosmma_verbose_XXXXXX";
    int const file          = mkstemp(name);
    int const stderr_before = dup(2);
    dup2(file, 2);
    make_calls();
    std::fflush(stderr);
    dup2(stderr_before, 2);
    std::ostringstream lines;
    lines << std::ifstream(name).rdbuf();
    text = lines.str();
    unlink(name);
  }
  auto const times = [&](std::string const& part) {
    int n = 0;
    for (auto at = text.find(part); at != std::string::npos;
         at      = text.find(part, at + 1))
      ++n;
    return n;
  };
  expect(times("on the host") == 0, "nothing of a host space");
#if defined(KOKKOS_ENABLE_CUDA)
  char const* const bounded =
      KOKKOS_VERSION < 50000
          ? "parallel_for \"bounded\" route generic; not streamed: the policy "
            "has launch bounds"
          : "parallel_for \"bounded\" n=100 route streamed";
  for (char const* const line :
       {"KokkosMMA: device ",
        "parallel_reduce \"a sum\" n=100 value=8 bytes route streamed",
        "parallel_reduce \"a grid\" n=81 value=8 bytes route streamed",
        "parallel_reduce \"teams\" teams=7 route streamed",
        "parallel_for \"a loop of teams\" teams=7 route streamed",
        "parallel_reduce \"72 bytes\" n=100 value=72 bytes route streamed",
        "parallel_reduce \"520 bytes\" route generic; not streamed: the value "
        "is larger than 512 bytes",
        "parallel_reduce \"arrays\" n=100 value=24 bytes route streamed",
        "parallel_for \"a loop\" n=100 route streamed; not mma",
        "parallel_for \"a box\" n=81 route streamed",
        "parallel_for \"tiles\" n=729 route generic",
        "not streamed: the caller gave the tiles", bounded,
        "parallel_scan \"a scan\" n=100 value=4 bytes route streamed",
        "parallel_scan \"a scan of 72 bytes\" route generic; not streamed: "
        "excluded at compile time"})
    expect(times(line) == 1,
           std::string("one line \"") + line + "\" in\n" + text);
  expect(times("KokkosMMA: ") == 14, "no other line in\n" + text);
#else
  expect(text.empty(), "no line without Cuda in\n" + text);
#endif
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "fork") != 0) return compute(argc, argv);
  pid_t const child = fork();
  if (child == 0) return compute(argc, argv);
  int status = 0;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child");
  return failures;
}
