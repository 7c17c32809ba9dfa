// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_RANDOM_HPP
#define KOKKOSMMA_RANDOM_HPP

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <source_location>
#include <string>

namespace KokkosMMA::Testing {

/// Fresh random numbers in every run. Failures during its lifetime name the
/// seed, with which KOKKOSMMA_TEST_SEED repeats a run, and `more`.
class Random {
 public:
  explicit Random(
      std::string const& more        = "",
      std::source_location const& at = std::source_location::current())
      : m_seed(choose_seed()),
        m_engine(m_seed),
        m_trace(at.file_name(), int(at.line()),
                "repeat with KOKKOSMMA_TEST_SEED=" + std::to_string(m_seed) +
                    more) {}

  std::mt19937_64& engine() { return m_engine; }
  std::uint64_t bits() { return m_engine(); }
  /// Integer in [low, high].
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(m_engine);
  }
  double uniform(double low = 0., double high = 1.) {
    return std::uniform_real_distribution<double>(low, high)(m_engine);
  }
  double normal() { return std::normal_distribution<double>()(m_engine); }

 private:
  static std::uint64_t choose_seed() {
    if (char const* text = std::getenv("KOKKOSMMA_TEST_SEED"))
      return std::strtoull(text, nullptr, 10);
    return std::random_device{}();
  }
  std::uint64_t m_seed;
  std::mt19937_64 m_engine;
  ::testing::ScopedTrace m_trace;
};

}  // namespace KokkosMMA::Testing

#endif
