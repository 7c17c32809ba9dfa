// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CHECK_KNOWN_KOKKOS_HPP
#define KOKKOSMMA_CHECK_KNOWN_KOKKOS_HPP

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

/// Rejects an unknown Kokkos in a template of `type` that needs Kokkos'
/// internals.
#define KOKKOSMMA_IMPL_CHECK_KNOWN_KOKKOS(name, type)                          \
  static_assert(                                                               \
      KokkosMMA::Impl::known_kokkos<type>, name                                \
      ": this kokkos-mma does not know this version of Kokkos, "               \
      "and the policy would specialise its classes. Call the function of "     \
      "KokkosMMA:: instead, use another version of either library, or define " \
      "KOKKOSMMA_ENABLE_UNKNOWN_KOKKOS to try it")

namespace KokkosMMA::Impl {

template <class>
inline constexpr bool known_kokkos = KOKKOSMMA_IMPL_KNOWN_KOKKOS();

}  // namespace KokkosMMA::Impl

#endif
