// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The check of longjmp that comes with it knows one stack.
#undef _FORTIFY_SOURCE

#include "KokkosMMA_EmulatedDevice.hpp"

#include <cuda_runtime.h>

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace KokkosMMA::Testing {
namespace {

constexpr std::size_t stack_bytes = 256 * 1024;
// Turns of all threads after which they are held to wait for what never comes:
// one that reads what others published lets them go on at every read.
constexpr int patience = 10000;
// What a kernel reads before it wrote it: a NaN of every floating-point type,
// and no small integer.
constexpr unsigned char unwritten = 0xff;

alignas(128) unsigned char shared[EmulatedDevice::max_shared_bytes];

struct Copy {
  void* to;
  void const* from;
  int bytes;
  int group;
};

/// Where a thread or the scheduler goes on.
struct Place {
#if defined(__clang__)
  jmp_buf jump;
#else
  void* jump[5];
#endif
  bool was_left = false;
};

/// Of one thread of the block. What runs on its stack goes on with the next
/// block and the next kernel.
struct Thread {
  Place place;
  std::unique_ptr<unsigned char[]> stack;
  bool done = false;
  std::vector<Copy> copies;
  int groups = 0;  ///< committed
};

struct Barrier {
  int arrived         = 0;
  unsigned generation = 0;
  bool any            = false;
  bool result         = false;
};

/// Lanes of a warp that wait for each other.
struct Meeting {
  std::uint32_t arrived = 0;
  unsigned generation   = 0;
  char const* name      = nullptr;
  void* operand[32];
};

constexpr int max_threads = 1024;

struct Block {
  Thread threads[max_threads];
  EmulatedIndex index[max_threads];
  int size    = 0;
  int running = 0;  ///< threads that have not returned
  int current = 0;
  /// Grows when a thread returns, or comes to where others wait for it.
  unsigned long progress = 0;
  Barrier barriers[16];
  Meeting of_all_lanes[max_threads / 32];
  std::map<std::pair<int, std::uint32_t>, Meeting> of_some_lanes;
  void (*call)(void const*) = nullptr;
  void const* kernel        = nullptr;
  Place scheduler;
};

// Never destroyed: a kernel may run at exit of the process.
Block& block                      = *new Block;
void const* scheduler_stack       = nullptr;
std::size_t scheduler_stack_bytes = 0;

// AddressSanitizer has to know the stacks.
void switch_stack([[maybe_unused]] void** kept,
                  [[maybe_unused]] void const* stack,
                  [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(kept, stack, bytes);
#endif
}
void stack_switched([[maybe_unused]] void* kept,
                    [[maybe_unused]] bool from_scheduler) {
#if defined(__SANITIZE_ADDRESS__)
  if (from_scheduler)
    __sanitizer_finish_switch_fiber(kept, &scheduler_stack,
                                    &scheduler_stack_bytes);
  else
    __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
#endif
}

// A jump keeps the mask of signals; swapcontext calls the system for it,
// and tests of band stencils took three times as long. The library's jump, for
// Clang, also encrypts addresses, and would let AddressSanitizer forget what it
// knows of the stack that is left, and mark all of it as free.
#if defined(__clang__)
#define KOKKOSMMA_TEST_SETJMP _setjmp
void jump_to(Place& to) { _longjmp(to.jump, 1); }
#else
#define KOKKOSMMA_TEST_SETJMP __builtin_setjmp
[[gnu::noinline, gnu::no_sanitize_address]] void jump_to(Place& to) {
  __builtin_longjmp(to.jump, 1);
}
#endif

Thread& thread() { return block.threads[block.current]; }

void body();

/// The first time that this thread runs.
[[gnu::noinline, gnu::no_sanitize_address]] void start(Thread& first) {
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp   = first.stack.get();
  context.uc_stack.ss_size = stack_bytes;
  context.uc_link          = nullptr;
  makecontext(&context, body, 0);
  setcontext(&context);
}

[[gnu::noinline, gnu::no_sanitize_address]] void leave(Place& from, Place& to) {
  if (KOKKOSMMA_TEST_SETJMP(from.jump) == 0) {
    from.was_left = true;
    if (to.was_left) jump_to(to);
    start(thread());
  }
}

void body() {
  while (true) {
    stack_switched(nullptr, true);
    block.call(block.kernel);
    Thread& self = thread();
    self.done    = true;
    // What no one waited for may arrive or not.
    self.copies.clear();
    --block.running;
    ++block.progress;
    switch_stack(nullptr, scheduler_stack, scheduler_stack_bytes);
    leave(self.place, block.scheduler);
  }
}

void resume(int t) {
  block.current           = t;
  EmulatedIndex const& at = block.index[t];
  threadIdx               = {at.x, at.y, at.z};
  Thread& next            = thread();
  void* kept              = nullptr;
  switch_stack(&kept, next.stack.get(), stack_bytes);
  leave(block.scheduler, next.place);
  stack_switched(kept, false);
}

void run_block(bool backwards) {
  block.running = block.size;
  for (int t = 0; t < block.size; ++t) {
    block.threads[t].done   = false;
    block.threads[t].groups = 0;
  }
  int idle = 0;
  while (block.running > 0) {
    unsigned long const before = block.progress;
    for (int n = 0; n < block.size; ++n) {
      int const t = backwards ? block.size - 1 - n : n;
      if (!block.threads[t].done) resume(t);
    }
    idle = block.progress == before ? idle + 1 : 0;
    if (idle > patience)
      EmulatedDevice::fail("all threads of a block wait, for what never comes");
  }
}

}  // namespace

void EmulatedDevice::fail(char const* what) {
  std::fprintf(stderr,
               "emulated device: %s (block %u %u %u, thread %u %u %u)\n", what,
               blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
               threadIdx.z);
  std::abort();
}

unsigned char* EmulatedDevice::shared_memory() { return shared; }

void EmulatedDevice::run(EmulatedIndex blocks, EmulatedIndex threads,
                         std::size_t shared_bytes, void (*call)(void const*),
                         void const* kernel) {
  if (block.running > 0) fail("a kernel within a kernel");
  block.size = int(threads.x * threads.y * threads.z);
  if (block.size < 1 || block.size > max_threads || shared_bytes > shared_limit)
    fail("a launch with too many threads or too much shared memory");
  block.call   = call;
  block.kernel = kernel;
  if (blocks.y > 65535 || blocks.z > 65535)
    fail("a grid has more than 65535 blocks along y or z");
  gridDim              = {blocks.x, blocks.y, blocks.z};
  blockDim             = {threads.x, threads.y, threads.z};
  EmulatedIndex* index = block.index;
  for (unsigned z = 0; z < threads.z; ++z)
    for (unsigned y = 0; y < threads.y; ++y)
      for (unsigned x = 0; x < threads.x; ++x) *index++ = {x, y, z};
  for (int t = 0; t < block.size; ++t) {
    auto& stack = block.threads[t].stack;
    if (!stack) stack = std::make_unique<unsigned char[]>(stack_bytes);
  }
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(shared, max_shared_bytes);
#endif
  std::memset(shared, unwritten, max_shared_bytes);
#if defined(__SANITIZE_ADDRESS__)
  ASAN_POISON_MEMORY_REGION(shared + shared_bytes,
                            max_shared_bytes - shared_bytes);
#endif
  bool backwards = false;
  for (unsigned z = 0; z < blocks.z; ++z)
    for (unsigned y = 0; y < blocks.y; ++y)
      for (unsigned x = 0; x < blocks.x; ++x) {
        blockIdx = {x, y, z};
        std::memset(shared, unwritten, shared_bytes);
        run_block(backwards);
        backwards = !backwards;
      }
}

void EmulatedDevice::yield() {
  Thread& self = thread();
  void* kept   = nullptr;
  switch_stack(&kept, scheduler_stack, scheduler_stack_bytes);
  leave(self.place, block.scheduler);
  stack_switched(kept, true);
}

void EmulatedDevice::come_late() {
  auto before = block.progress;
  do {
    before = block.progress;
    yield();
  } while (block.progress != before);
  ++block.progress;
}

void EmulatedDevice::barrier(int id, int threads) {
  if (id < 0 || id > 15) fail("a barrier that no block has");
  Barrier& here             = block.barriers[id];
  unsigned const generation = here.generation;
  ++here.arrived;
  ++block.progress;
  // Threads that returned are not waited for.
  auto const is_last = [&] {
    return here.arrived >= (threads > 0 ? threads : block.running);
  };
  while (here.generation == generation) {
    if (is_last()) {
      here.arrived = 0;
      here.result  = here.any;
      here.any     = false;
      ++here.generation;
      ++block.progress;
    } else {
      yield();
    }
  }
}

bool EmulatedDevice::barrier_or(bool value) {
  Barrier& here = block.barriers[0];
  here.any      = here.any || value;
  barrier(0, 0);
  return here.result;
}

void EmulatedDevice::in_warp(std::uint32_t mask, char const* name,
                             void* operand,
                             void (*call)(void const*, Operands const&),
                             void const* f) {
  int const warp = block.current / 32;
  int const lane = block.current % 32;
  Meeting& here  = mask == 0xffffffffu ? block.of_all_lanes[warp]
                                       : block.of_some_lanes[{warp, mask}];
  if (here.arrived == 0) {
    std::fill_n(here.operand, 32, nullptr);
    here.name = name;
  }
  if (!(mask >> lane & 1)) fail("a lane that its mask lacks");
  if (here.arrived >> lane & 1 ||
      (here.name != name && std::strcmp(here.name, name) != 0))
    fail("lanes of a warp meet in different operations");
  here.operand[lane] = operand;
  here.arrived |= 1u << lane;
  ++block.progress;
  unsigned const generation = here.generation;
  auto const is_complete    = [&] {
    std::uint32_t missing = mask & ~here.arrived;
    for (; missing != 0; missing &= missing - 1) {
      int const t = 32 * warp + std::countr_zero(missing);
      if (t < block.size && !block.threads[t].done) return false;
    }
    return true;
  };
  while (here.generation == generation) {
    if (is_complete()) {
      call(f, here.operand);
      here.arrived = 0;
      ++here.generation;
      ++block.progress;
    } else {
      yield();
    }
  }
}

void EmulatedDevice::check_aligned(void const* to, void const* from,
                                   int bytes) {
  if (reinterpret_cast<std::uintptr_t>(to) % unsigned(bytes) != 0 ||
      reinterpret_cast<std::uintptr_t>(from) % unsigned(bytes) != 0)
    fail("a copy that is not aligned");
}

void EmulatedDevice::copy_async(void* to, void const* from, int bytes) {
  check_aligned(to, from, bytes);
  thread().copies.push_back({to, from, bytes, thread().groups});
}

void EmulatedDevice::commit_copies() { ++thread().groups; }

void EmulatedDevice::wait_for_copies(int pending) {
  Thread& self        = thread();
  auto const is_later = [&](Copy const& copy) {
    return copy.group >= self.groups - pending;
  };
  for (Copy const& copy : self.copies)
    if (!is_later(copy))
      std::memcpy(copy.to, copy.from, std::size_t(copy.bytes));
  std::erase_if(self.copies, [&](Copy const& copy) { return !is_later(copy); });
}

void EmulatedDevice::finish_copies() {
  for (Copy const& copy : thread().copies)
    std::memcpy(copy.to, copy.from, std::size_t(copy.bytes));
  thread().copies.clear();
}

}  // namespace KokkosMMA::Testing
