// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A shared library that uses kokkos-mma.

#include <adapters/drop_in/KokkosMMA_Finalize.hpp>

extern "C" [[gnu::visibility("default")]] void use_kokkosmma() {
  KokkosMMA::Impl::AtFinalize::add([] {});
}
