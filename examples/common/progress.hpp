// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A bar that grows on standard error. C++20 and POSIX.

#ifndef EXAMPLES_COMMON_PROGRESS_HPP
#define EXAMPLES_COMMON_PROGRESS_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include <unistd.h>

// Does nothing if standard error is no terminal: a file should not be filled
// with bars.
class Progress {
 public:
  explicit Progress(std::int64_t total)
      : m_total(total), m_shown(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { clear(); }
  Progress(Progress const&)            = delete;
  Progress& operator=(Progress const&) = delete;

  bool is_shown() const { return m_shown; }

  void show(std::int64_t done) const {
    if (!m_shown) return;
    constexpr int width = 50;
    double const part =
        m_total == 0 ? 1
                     : static_cast<double>(done) / static_cast<double>(m_total);
    int const filled     = static_cast<int>(part * width);
    double const seconds = elapsed();
    char bar[width + 1];
    std::fill(bar, bar + filled, '#');
    std::fill(bar + filled, bar + width, '.');
    bar[width] = '\0';
    std::fprintf(stderr, "\r[%s] %3d%%  %lld/%lld", bar,
                 static_cast<int>(100 * part), static_cast<long long>(done),
                 static_cast<long long>(m_total));
    if (done > 0) {
      std::fprintf(stderr, "  %.0f s left  ", seconds / part - seconds);
    }
    std::fflush(stderr);
  }

  void clear() const {
    if (m_shown) std::fputs("\r\033[K", stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - m_start).count();
  }

  std::int64_t m_total;
  bool m_shown;
  Clock::time_point m_start = Clock::now();
};

#endif
