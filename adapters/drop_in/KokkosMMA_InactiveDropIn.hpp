// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INACTIVE_DROP_IN_HPP
#define KOKKOSMMA_INACTIVE_DROP_IN_HPP

/// \file
/// The drop-in with a Kokkos that has no CUDA, or whose version is not known.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/routing/KokkosMMA_EnvironmentChoice.hpp>

#include <cstdio>
#include <cstdlib>

namespace KokkosMMA::Impl {

/// As announce_drop_in() of libkokkosmma.
[[gnu::cold]] inline bool announce_inactive_drop_in() {
  environment_route();
  environment_level();
  if (measures_calls())
    static_cast<void>(std::atexit([] {
      std::fprintf(
          stderr,
          "KokkosMMA: no call was intercepted, drop-in inactive: this %s\n",
          KOKKOSMMA_IMPL_KNOWN_KOKKOS() ? "Kokkos has no CUDA"
                                        : "version of Kokkos is not known");
      write_json(
          "{\"drop_in\": \"inactive\", \"not_intercepted_on_cuda\": 0, "
          "\"calls\": []}\n");
    }));
  if (environment_verbose() && KOKKOSMMA_IMPL_KNOWN_KOKKOS())
    std::fprintf(stderr,
                 "KokkosMMA: drop-in inactive: this Kokkos has no CUDA, Kokkos "
                 "%d.%d.%d, execution spaces%s\n",
                 KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
                 KOKKOS_VERSION % 100, enabled_spaces);
  return true;
}
inline bool const drop_in_announced = announce_inactive_drop_in();

}  // namespace KokkosMMA::Impl

#endif
