// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_FINALIZE_HOOK_HPP
#define KOKKOSMMA_FINALIZE_HOOK_HPP

#include <core/base/KokkosMMA_AtFinalize.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// As KokkosMMA_Finalize.hpp, which includes it, for an unknown Kokkos.

namespace KokkosMMA::Impl {

/// An unknown Kokkos may have another list. Only halo memory is freed, which no
/// finalize hook of the application allocates first.
inline bool const finalize_hook_known = [] {
  AtFinalize::at_first([] { Kokkos::push_finalize_hook(&AtFinalize::run); });
  return true;
}();

}  // namespace KokkosMMA::Impl

#endif
