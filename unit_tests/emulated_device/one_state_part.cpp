// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A shared library with a copy of libkokkosmma.

#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/base/KokkosMMA_AtFinalize.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

extern "C" [[gnu::visibility("default")]] void state_of_part(
    void const** addresses) {
  addresses[0] = &KokkosMMA::Impl::Cuda::device_entry(0);
  addresses[1] = &KokkosMMA::Impl::KokkosFunctions::all();
  addresses[2] = &KokkosMMA::Impl::scoped_settings();
  addresses[3] = KokkosMMA::Impl::AtFinalize::state();
}
