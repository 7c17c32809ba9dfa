// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_AT_FINALIZE_HPP
#define KOKKOSMMA_AT_FINALIZE_HPP

#include <mutex>
#include <vector>

/// \file
/// Functions that release resources before Kokkos' execution spaces end. Each
/// part of the library registers its own: a source compiles only those it uses.
/// adapters/drop_in/KokkosMMA_Finalize.hpp registers run() with Kokkos.
///
/// Here and elsewhere, what has a state is visible by default: a shared library
/// compiled with -fvisibility=hidden, as Python modules are, would otherwise
/// have a state of its own.

namespace KokkosMMA::Impl {

class [[gnu::visibility("default")]] AtFinalize {
 public:
  /// Registers `release`. Kokkos::finalize calls it after the application's
  /// finalize hooks and before the first execution space ends.
  static void add(void (*release)()) {
    AtFinalize& all = instance();
    std::lock_guard<std::mutex> const lock(all.m_mutex);
    if (all.m_releases.empty() && all.m_at_first) all.m_at_first();
    all.m_releases.push_back(release);
  }
  /// Sets the function that the first add() calls.
  static void at_first(void (*function)()) { instance().m_at_first = function; }
  static void run() {
    AtFinalize& all = instance();
    std::lock_guard<std::mutex> const lock(all.m_mutex);
    for (auto const release : all.m_releases) release();
  }
  /// Address that all users of one list have in common.
  static void const* state() { return &instance(); }

 private:
  static AtFinalize& instance() {
    // Never destroyed: a destructor may call Kokkos::finalize.
    static AtFinalize& all = *new AtFinalize;
    return all;
  }

  std::mutex m_mutex;
  std::vector<void (*)()> m_releases;
  void (*m_at_first)() = nullptr;
};

/// The T of this process, whose release() Kokkos::finalize calls. Never
/// destroyed: at exit of the process CUDA may be gone.
template <class T>
T& until_finalize() {
  static T& object = []() -> T& {
    AtFinalize::add([] { until_finalize<T>().release(); });
    return *new T;
  }();
  return object;
}

}  // namespace KokkosMMA::Impl

#endif
