// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libkokkosmma is in this executable and in the shared libraries that are its
// arguments. They have one state.

#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>

#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  void const* const own[2] = {&KokkosMMA::Impl::Cuda::device_entry(0),
                              &KokkosMMA::Impl::KokkosFunctions::all()};
  int failures             = argc < 2;
  for (int part = 1; part < argc; ++part) {
    void* const library = dlopen(argv[part], RTLD_NOW | RTLD_LOCAL);
    void* const symbol  = library ? dlsym(library, "state_of_part") : nullptr;
    if (!symbol) {
      std::printf("failed: %s\n", dlerror());
      return 1;
    }
    void const* state[2];
    reinterpret_cast<void (*)(void const**)>(symbol)(state);
    for (int i = 0; i < 2; ++i)
      if (own[i] != state[i]) {
        std::printf("failed: state %d is at %p, and in %s at %p\n", i, own[i],
                    argv[part], state[i]);
        ++failures;
      }
  }
  return failures;
}
