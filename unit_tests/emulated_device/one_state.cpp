// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The shared libraries that are the arguments have a copy of libkokkosmma each,
// and this executable may have one. They have one state.

#include <dlfcn.h>

#include <cstdio>

#if defined(EXECUTABLE_HAS_LIBRARY)
extern "C" void state_of_part(void const** addresses);
#endif

int main(int argc, char** argv) {
  void const* first[4] = {};
#if defined(EXECUTABLE_HAS_LIBRARY)
  state_of_part(first);
#endif
  int failures = argc < 3;
  for (int part = 1; part < argc; ++part) {
    void* const library = dlopen(argv[part], RTLD_NOW | RTLD_LOCAL);
    void* const symbol  = library ? dlsym(library, "state_of_part") : nullptr;
    if (!symbol) {
      std::printf("failed: %s\n", dlerror());
      return 1;
    }
    void const* state[4];
    reinterpret_cast<void (*)(void const**)>(symbol)(state);
    for (int i = 0; i < 4; ++i) {
      if (!first[i]) first[i] = state[i];
      if (first[i] != state[i]) {
        std::printf("failed: state %d is at %p, and in %s at %p\n", i, first[i],
                    argv[part], state[i]);
        ++failures;
      }
    }
  }
  return failures;
}
