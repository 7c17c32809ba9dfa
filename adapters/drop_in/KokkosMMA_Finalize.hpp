// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_FINALIZE_HPP
#define KOKKOSMMA_FINALIZE_HPP

/// \file
/// Gives the library's memory back in Kokkos::finalize, after the application's
/// finalize hooks, which may still reduce and scan. A finalize hook of our own
/// could not: Kokkos takes the topmost hook off its stack after it has run it,
/// so a hook that is pushed meanwhile, by the first reduction of a hook, makes
/// that one run again.
///
/// So the library is one more entry in Kokkos' list of execution spaces. Kokkos
/// ends them in the order of their names, after all hooks.

#include <Kokkos_Core.hpp>

// It includes public headers, which refuse that to all but public ones.
#define KOKKOS_IMPL_PUBLIC_INCLUDE
#include <impl/Kokkos_ExecSpaceManager.hpp>
#undef KOKKOS_IMPL_PUBLIC_INCLUDE

#if defined(KOKKOS_ENABLE_CUDA)
#include <backends/cuda/runtime/KokkosMMA_StreamMemory.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#endif

#include <iosfwd>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace KokkosMMA::Impl {

class EntryAmongSpaces : public Kokkos::Impl::ExecSpaceBase {
 public:
  void initialize(Kokkos::InitializationSettings const&) override {}
  void static_fence(std::string const&) override {}
  void print_configuration(std::ostream&, bool) override {}
  void finalize() override {
    for (auto const release : releases()) release();
  }

  static void add(void (*release)()) {
    static std::mutex mutex;
    std::lock_guard<std::mutex> const lock(mutex);
    if (releases().empty())
      Kokkos::Impl::ExecSpaceManager::get_instance().register_space_factory(
          "000_KokkosMMA", std::make_unique<EntryAmongSpaces>());
    releases().push_back(release);
  }

 private:
  static std::vector<void (*)()>& releases() {
    static std::vector<void (*)()> all;
    return all;
  }
};

/// Calls `release` in Kokkos::finalize, once the application's hooks have run
/// and before the first execution space ends.
inline void at_finalize(void (*release)()) { EntryAmongSpaces::add(release); }

#if defined(KOKKOS_ENABLE_CUDA)
/// Before main: no call has to look whether it was done.
inline bool const released_at_finalize = [] {
  at_finalize([] {
    Cuda::ScratchPool::instance().release();
    Cuda::MemoryPools::instance().release();
  });
  return true;
}();
#endif

}  // namespace KokkosMMA::Impl

#endif
