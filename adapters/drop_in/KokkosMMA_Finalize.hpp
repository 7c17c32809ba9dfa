// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_FINALIZE_HPP
#define KOKKOSMMA_FINALIZE_HPP

/// \file
/// Frees the library's memory in Kokkos::finalize, after the application's
/// finalize hooks, which may still reduce and scan. A finalize hook cannot do
/// that: Kokkos pops the topmost hook after it has run it. A hook that the
/// first reduction of another hook pushes would be popped instead.
///
/// The library is therefore one more entry in Kokkos' list of execution spaces.
/// Kokkos finalizes them in the order of their names, after all hooks.
/// core/base/KokkosMMA_AtFinalize.hpp lists the memory.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_KNOWN_KOKKOS()

// The header includes public ones, which only public headers may do.
#define KOKKOS_IMPL_PUBLIC_INCLUDE
#include <impl/Kokkos_ExecSpaceManager.hpp>
#undef KOKKOS_IMPL_PUBLIC_INCLUDE

#include <cstdio>
#include <iosfwd>
#include <memory>
#include <string>

namespace KokkosMMA::Impl {

class [[gnu::visibility("default")]] FinalizeEntry;
class FinalizeEntry : public Kokkos::Impl::ExecSpaceBase {
 public:
  void initialize(Kokkos::InitializationSettings const&) override {}
  void static_fence(std::string const&) override {}
  void print_configuration(std::ostream&, bool) override {}
  void finalize() override { AtFinalize::run(); }
};

/// Registered before main: a fence of another thread iterates over the list. An
/// entry replaces one of the same name, so a library that could not share the
/// executable's state, for example because that exports no symbols, has another
/// name.
[[gnu::visibility(
    "default")]] inline bool const finalize_entry_registered = [] {
  char name[40];
  std::snprintf(name, sizeof(name), "000_KokkosMMA_%p", AtFinalize::state());
  Kokkos::Impl::ExecSpaceManager::get_instance().register_space_factory(
      name, std::make_unique<FinalizeEntry>());
  return true;
}();

}  // namespace KokkosMMA::Impl

#else

namespace KokkosMMA::Impl {

/// An unknown Kokkos may have another list. Only halo memory is freed, which no
/// finalize hook of the application allocates first.
inline bool const finalize_hook_known = [] {
  AtFinalize::at_first([] { Kokkos::push_finalize_hook(&AtFinalize::run); });
  return true;
}();

}  // namespace KokkosMMA::Impl

#endif

#endif
