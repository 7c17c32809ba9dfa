// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Processes that share the file in KOKKOSMMA_CHOICES: the second one measures
// nothing and launches the first one's choices from its first call on.

#include "LaunchedCalls.hpp"

#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedTeam.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>

#include <KokkosMMA_ErrorOf.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

constexpr std::uint64_t size = 1 << 18;

/// A team kernel that takes one millisecond in the form `fast`, two otherwise.
template <Impl::NestedLoops fast>
struct TimedTeam {
  struct Functor {};

  TimedTeam() { call.problem = {1 << 20, 128, 1}; }

  /// Returns the form that ran.
  Impl::NestedLoops run() {
    run_team(call);
    return ran;
  }

  static void run_form(void const* self, Impl::NestedLoops form) {
    const_cast<TimedTeam*>(static_cast<TimedTeam const*>(self))->ran = form;
    emulated_clock += form == fast ? 1 : 2;
  }

  Impl::NestedLoops ran     = Impl::NestedLoops::kokkos;
  std::atomic_flag reported = ATOMIC_FLAG_INIT;
  Impl::CachedLaunch cached{Impl::call_types<Functor, TimedTeam*>()};
  Impl::ErasedTeam call{space,
                        "parallel_for",
                        this,
                        &run_form,
                        [](Impl::NestedLoops) { return LoopCall::kernel; },
                        reported,
                        cached,
                        {}};
};

std::filesystem::path file() {
  return std::filesystem::current_path() /
         (std::string("kept_launches_") +
          testing::UnitTest::GetInstance()->current_test_info()->name());
}
std::string text() {
  std::ifstream stream(file());
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Ends the process as Kokkos::finalize does.
[[noreturn]] void finalize(bool as_expected) {
  Impl::AtFinalize::run();
  std::exit(as_expected ? 0 : 1);
}
void start() {
  setenv("KOKKOSMMA_CHOICES", file().c_str(), 1);
  for (char const* const rank :
       {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    unsetenv(rank);
}

using Impl::NestedLoops;

/// Measures; returns whether the faster launches stay.
bool first_process() {
  LoopCall loop(size, 2, 1);
  TimedTeam<NestedLoops::overlapped> team;
  bool measured_own = false;
  for (int n = 0; n < 20; ++n) {
    measured_own = !loop.run() || measured_own;
    team.run();
  }
  return measured_own && loop.run() && team.run() == NestedLoops::overlapped;
}

/// The other launches would be faster now, but nothing measures them.
bool second_process() {
  LoopCall loop(size, 1, 2);
  TimedTeam<NestedLoops::overlapped> team;
  int const events = emulated_events;
  for (int n = 0; n < 20; ++n)
    if (!loop.run() || team.run() != NestedLoops::overlapped) return false;
  return emulated_events == events;
}

/// Of the file, in which the loop's choice is no candidate.
bool process_that_measures_again() {
  LoopCall loop(size, 1, 2);
  for (int n = 0; n < 20; ++n) loop.run();
  return !loop.run();
}

/// Of a source that is compiled with -fno-rtti.
bool process_without_types() {
  LoopCall loop(size, 2, 1, {nullptr, nullptr, sizeof(LoopCall::Invoked)});
  for (int n = 0; n < 20; ++n) loop.run();
  return loop.run();
}

class KeptLaunches : public testing::Test {
 protected:
  KeptLaunches() {
    // Each process starts anew and runs this test only.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
  ~KeptLaunches() override { std::filesystem::remove(file()); }
};

void in_process(bool (*process)()) {
  start();
  finalize(process());
}

TEST_F(KeptLaunches, ASecondProcessMeasuresNothing) {
  auto const succeeds = testing::ExitedWithCode(0);
  EXPECT_EXIT((std::filesystem::remove(file()), in_process(first_process)),
              succeeds, "");
  std::string const written = text();
  EXPECT_TRUE(has_parts(
      written, {" | Kokkos | ", " | overlapped | ", "LoopCall::Invoked\n"}));
  EXPECT_EXIT(in_process(second_process), succeeds, "");
  EXPECT_EQ(text(), written);
}

TEST_F(KeptLaunches, CallsWithoutTypesAreNotKept) {
  EXPECT_EXIT(
      (std::filesystem::remove(file()), in_process(process_without_types)),
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(text().find("parallel_for"), std::string::npos) << text();
}

TEST_F(KeptLaunches, AnIllegalChoiceIsMeasured) {
  auto const succeeds = testing::ExitedWithCode(0);
  EXPECT_EXIT((std::filesystem::remove(file()), in_process(first_process)),
              succeeds, "");
  EXPECT_EXIT(
      {
        std::string edited   = text();
        std::size_t const at = edited.find("| Kokkos |");
        if (at == edited.npos) std::exit(2);
        std::ofstream(file()) << edited.replace(at, 10, "| nobody |");
        in_process(process_that_measures_again);
      },
      succeeds, "");
  EXPECT_EQ(text().find("nobody"), std::string::npos) << text();
  EXPECT_TRUE(has_parts(text(), {"| LoopShape{"}));
}

}  // namespace
