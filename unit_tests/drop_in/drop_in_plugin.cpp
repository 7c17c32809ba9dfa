// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos::finalize releases this program's memory although it has loaded, and
// unloaded, a shared library that uses kokkos-mma, too. The argument is that
// library.

#include <adapters/drop_in/KokkosMMA_Finalize.hpp>

#include <dlfcn.h>

#include <cstdio>

static int releases = 0;

int main(int, char** argv) {
  Kokkos::initialize();
  KokkosMMA::Impl::AtFinalize::add([] { ++releases; });
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::printf("failed: %s\n", dlerror());
  if (library != nullptr) dlclose(library);
  Kokkos::finalize();
  if (releases != 1) std::printf("failed: %d releases\n", releases);
  return library == nullptr || releases != 1;
}
