// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_AT_FINALIZE_HPP
#define KOKKOSMMA_AT_FINALIZE_HPP

#include <mutex>
#include <vector>

/// \file
/// What has to be released before the execution spaces of Kokkos end. Each
/// part of the library registers what it holds, so a source that uses none
/// compiles none; adapters/drop_in/KokkosMMA_Finalize.hpp has Kokkos call it.

namespace KokkosMMA::Impl {

class AtFinalize {
 public:
  /// Calls `release` in Kokkos::finalize, once the application's finalize hooks
  /// have run and before the first execution space ends.
  static void add(void (*release)()) {
    AtFinalize& all = instance();
    std::lock_guard<std::mutex> const lock(all.m_mutex);
    if (all.m_releases.empty() && all.m_at_first) all.m_at_first();
    all.m_releases.push_back(release);
  }
  /// Called by the first add().
  static void at_first(void (*function)()) { instance().m_at_first = function; }
  static void run() {
    AtFinalize& all = instance();
    std::lock_guard<std::mutex> const lock(all.m_mutex);
    for (auto const release : all.m_releases) release();
  }

 private:
  static AtFinalize& instance() {
    // Never destroyed: an application may end Kokkos in a destructor.
    static AtFinalize& all = *new AtFinalize;
    return all;
  }

  std::mutex m_mutex;
  std::vector<void (*)()> m_releases;
  void (*m_at_first)() = nullptr;
};

}  // namespace KokkosMMA::Impl

#endif
