// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every source with a call refers to in libkokkosmma, for the version of
// these headers or another one.

#include <core/base/KokkosMMA_Version.hpp>
#ifdef OTHER_VERSION
#undef KOKKOSMMA_VERSION
#define KOKKOSMMA_VERSION OTHER_VERSION
#endif
#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>

int main() {
  using namespace KokkosMMA::Impl;
  return library_has(LibraryInterface()) ? 0 : 1;
}
