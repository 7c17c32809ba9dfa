// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_SHARED_BARRIER_HPP
#define KOKKOSMMA_EMULATED_DEVICE_SHARED_BARRIER_HPP

#include <cuda_runtime.h>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

class SharedBarrier {
 public:
  explicit SharedBarrier(unsigned place) : m_place(place) {}
  void init(unsigned arrivals) {
    state() = {std::uint16_t(arrivals), std::uint16_t(arrivals), 0};
  }
  void arrive() {
    State& now = state();
    if (--now.missing == 0) {
      now.missing = now.arrivals;
      ++now.phase;
    }
  }
  void arrive_behind_copies() {
    Testing::EmulatedDevice::finish_copies();
    arrive();
  }
  /// One warp of a block is late at every barrier, as far behind the others as
  /// they let it be: what nobody waits for is overwritten before it reads.
  void wait(unsigned parity) {
    if (threadIdx.x / 32 == blockIdx.x % ((blockDim.x + 31) / 32))
      Testing::EmulatedDevice::come_late();
    while (state().phase % 2 == parity) Testing::EmulatedDevice::yield();
  }

 private:
  struct State {
    std::uint16_t arrivals, missing;
    std::uint32_t phase;
  };
  static_assert(sizeof(State) == 8);

  // Addresses of shared memory are 32 bits wide and relative.
  State& state() const {
    return *reinterpret_cast<State*>(Testing::EmulatedDevice::shared_memory() +
                                     std::int32_t(m_place));
  }
  unsigned m_place;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
