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
/// The library is therefore one more entry in Kokkos' list of execution spaces.
/// Kokkos ends them in the order of their names, after all hooks. What it gives
/// back stands in core/base/KokkosMMA_AtFinalize.hpp.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_KNOWN_KOKKOS()

// It includes public headers, which refuse that to all but public ones.
#define KOKKOS_IMPL_PUBLIC_INCLUDE
#include <impl/Kokkos_ExecSpaceManager.hpp>
#undef KOKKOS_IMPL_PUBLIC_INCLUDE

#include <iosfwd>
#include <memory>
#include <string>

namespace KokkosMMA::Impl {

class FinalizeEntry : public Kokkos::Impl::ExecSpaceBase {
 public:
  void initialize(Kokkos::InitializationSettings const&) override {}
  void static_fence(std::string const&) override {}
  void print_configuration(std::ostream&, bool) override {}
  void finalize() override { AtFinalize::run(); }
};

/// Before main: a fence of another thread iterates over the list.
inline bool const finalize_entry_registered = [] {
  Kokkos::Impl::ExecSpaceManager::get_instance().register_space_factory(
      "000_KokkosMMA", std::make_unique<FinalizeEntry>());
  return true;
}();

}  // namespace KokkosMMA::Impl

#else

namespace KokkosMMA::Impl {

/// That list may be another one here. What is given back is memory for halos,
/// which a hook of the application does not ask for first.
inline bool const finalize_hook_known = [] {
  AtFinalize::at_first([] { Kokkos::push_finalize_hook(&AtFinalize::run); });
  return true;
}();

}  // namespace KokkosMMA::Impl

#endif

#endif
