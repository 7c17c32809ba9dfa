// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A destructor at exit of the process runs a call that KOKKOSMMA_VERBOSE
// reports. Thread-local objects are destroyed by then, and nothing writes to
// their memory.

#include <backends/cuda/runtime/KokkosMMA_KokkosFunctions.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace {

/// Memory that was given back. It is never used again.
struct Freed {
  unsigned char* memory;
  std::size_t size;
};
Freed freed[100000];
std::size_t freed_count = 0;

constexpr std::size_t header = 64;

bool freed_is_untouched() {
  for (std::size_t i = 0; i < freed_count; ++i)
    for (std::size_t k = 0; k < freed[i].size; ++k)
      if (freed[i].memory[k] != 0xdd) return false;
  return true;
}

}  // namespace

void* operator new(std::size_t size) {
  auto* const memory = static_cast<unsigned char*>(std::malloc(size + header));
  if (memory == nullptr) throw std::bad_alloc();
  std::memcpy(memory, &size, sizeof(size));
  return memory + header;
}
void operator delete(void* pointer) noexcept {
  if (pointer == nullptr) return;
  auto* const memory = static_cast<unsigned char*>(pointer);
  std::size_t size   = 0;
  std::memcpy(&size, memory - header, sizeof(size));
  std::memset(memory, 0xdd, size);
  if (freed_count < std::size(freed)) freed[freed_count++] = {memory, size};
}
void operator delete(void* pointer, std::size_t) noexcept {
  operator delete(pointer);
}

using namespace KokkosMMA::Impl;

static ToolCallbacks callbacks{};

static void run(std::string const& label) {
  std::uint64_t id = 0;
  callbacks.begin[1](label.c_str(), 0, &id);
  std::string const seen = VerboseLines::seen();
  callbacks.end[1](id);
  if (seen == '"' + label + '"' && freed_is_untouched()) return;
  std::printf("failed: %s, %s\n", label.c_str(), seen.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

// Constructed before, and destroyed after, all objects of the library.
static struct AtExit {
  AtExit() { setenv("KOKKOSMMA_VERBOSE", "1", 1); }
  ~AtExit() { run("at exit, with a name too long for a short string"); }
} const at_exit;

int main() {
  auto& kokkos           = KokkosFunctions::all();
  kokkos.read_callbacks  = [](ToolCallbacks& all) { all = callbacks; };
  kokkos.write_callbacks = [](ToolCallbacks const& all) { callbacks = all; };
  kokkos.is_cuda         = [](std::uint32_t) { return true; };
  if (!VerboseLines::listen(true) || callbacks.begin[1] == nullptr) return 1;
  run("in main");
  return 0;
}
