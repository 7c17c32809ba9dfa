// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libkokkosmma is in an executable, in a shared library that it links and in
// one that it loads. They have one state.

#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>

#include <dlfcn.h>

#include <cstdio>

extern "C" void state_of_linked(void const** addresses);

int main(int, char** argv) {
  void* const loaded = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* const symbol = loaded ? dlsym(loaded, "state_of_loaded") : nullptr;
  if (!symbol) {
    std::printf("failed: %s\n", dlerror());
    return 1;
  }
  void const* of_linked[2];
  void const* of_loaded[2];
  state_of_linked(of_linked);
  reinterpret_cast<void (*)(void const**)>(symbol)(of_loaded);
  void const* const own[2] = {&KokkosMMA::Impl::Cuda::device_entry(0),
                              &KokkosMMA::Impl::KokkosFunctions::all()};
  int failures             = 0;
  for (int i = 0; i < 2; ++i)
    if (own[i] != of_linked[i] || own[i] != of_loaded[i]) {
      std::printf("failed: state %d is at %p, %p and %p\n", i, own[i],
                  of_linked[i], of_loaded[i]);
      ++failures;
    }
  return failures;
}
