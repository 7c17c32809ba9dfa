// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_HPP
#define KOKKOSMMA_EMULATED_DEVICE_HPP

#include <cstddef>
#include <cstdint>

/// \file
/// Runs the kernels of backends/cuda where there is no GPU: each thread of a
/// block is a coroutine of one host thread, and blocks run one after the other,
/// so that they may wait for blocks before them. A launch returns when all have
/// run.
///
/// What a kernel may not rely on is kept from it: threads take turns forwards
/// in one block and backwards in the next, asynchronous copies arrive when they
/// are waited for and not before, and shared memory begins each block with
/// bytes that no kernel wrote. What would hang a GPU, or is undefined there
/// (threads of a warp that meet in different operations, lines that are not
/// aligned), ends the program with a message.

namespace KokkosMMA::Testing {

struct EmulatedIndex {
  unsigned x, y, z;
};

class EmulatedDevice {
 public:
  /// Of the H100 and H200, less what the runtime takes.
  static constexpr int max_shared_bytes = 227 * 1024;
  /// Limit of launches. Compute capability 8.6, 8.9 and 12 have 99 KB.
  static inline std::size_t shared_limit = max_shared_bytes;

  template <class Kernel>
  static void run(EmulatedIndex blocks, EmulatedIndex threads,
                  std::size_t shared_bytes, Kernel const& kernel) {
    run(
        blocks, threads, shared_bytes,
        [](void const* each) { (*static_cast<Kernel const*>(each))(); },
        &kernel);
  }

  /// Waits for `threads` threads of the block at barrier `id`; 0 for all.
  static void barrier(int id, int threads);
  /// Waits for all threads; returns whether `value` is true of any.
  static bool barrier_or(bool value);

  /// Once all lanes of `mask` are here, each with its operand, `f` gets these
  /// by lane, null for other lanes. `name` says what they mean to do.
  template <class F>
  static void in_warp(std::uint32_t mask, char const* name, void* operand,
                      F const& f) {
    in_warp(
        mask, name, operand,
        [](void const* of_last, Operands const& operands) {
          (*static_cast<F const*>(of_last))(operands);
        },
        &f);
  }

  /// Lets other threads go on; to be called in a loop until what is waited for
  /// is there.
  static void yield();
  /// Lets the other threads go on for as long as they can without this one.
  static void come_late();

  /// Ends the program where an address is no multiple of `bytes`.
  static void check_aligned(void const* to, void const* from, int bytes);
  static void copy_async(void* to, void const* from, int bytes);
  static void commit_copies();
  /// Until at most `pending` groups of this thread's copies are under way.
  static void wait_for_copies(int pending);
  static void finish_copies();

  static unsigned char* shared_memory();

  [[noreturn]] static void fail(char const* what);

 private:
  using Operands = void* [32];

  // Without std::function: every lane would make one for every operation.
  static void run(EmulatedIndex blocks, EmulatedIndex threads,
                  std::size_t shared_bytes, void (*call)(void const*),
                  void const* kernel);
  static void in_warp(std::uint32_t mask, char const* name, void* operand,
                      void (*call)(void const*, Operands const&),
                      void const* f);
};

}  // namespace KokkosMMA::Testing

#endif
