// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace {

/// Ranks other than 0 say only what went wrong, and who says it.
class FailuresOnly : public ::testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : m_rank(rank) {}
  void OnTestStart(::testing::TestInfo const& test) override {
    m_test = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(::testing::TestPartResult const& part) override {
    if (part.failed())
      std::fprintf(stderr, "rank %d, %s: %s:%d: %s\n", m_rank, m_test.c_str(),
                   part.file_name() ? part.file_name() : "?",
                   part.line_number(), part.message());
  }

 private:
  int m_rank;
  std::string m_test;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ::testing::InitGoogleTest(&argc, argv);
  // An exception that a test did not expect ends the job: the other ranks would
  // wait for this one.
  GTEST_FLAG_SET(catch_exceptions, false);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(rank));
  }
  // The same data are drawn on every rank.
  unsigned long long seed = std::random_device{}();
  MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  setenv("KOKKOSMMA_TEST_SEED", std::to_string(seed).c_str(), 0);
  int failed = 0;
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    failed = RUN_ALL_TESTS();
  }
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
