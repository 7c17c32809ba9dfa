// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_SHARED_BARRIER_HPP
#define KOKKOSMMA_EMULATED_DEVICE_SHARED_BARRIER_HPP

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace KokkosMMA::Impl::Cuda {

class SharedBarrier {
 public:
  explicit SharedBarrier(unsigned place) : m_place(place) {}
  void init(unsigned arrivals) {
    state() = {std::uint16_t(arrivals), std::uint16_t(arrivals), 0};
    bulk()  = {};
  }
  void arrive() {
    State& now = state();
    if (--now.missing == 0) {
      now.missing = now.arrivals;
      ++now.phase;
    }
  }
  void arrive_expecting(unsigned bytes) {
    bulk().expected += bytes;
    arrive();
  }
  void copy(void* to, void const* from, unsigned bytes) {
    Testing::EmulatedDevice::check_aligned(to, from, 16);
    if (bytes % 16 != 0)
      Testing::EmulatedDevice::fail("a copy of other than whole vectors");
    bulk().copies.push_back({to, from, bytes});
    bulk().started += bytes;
  }
  /// Zeros, as a part of the bytes that are expected.
  void fill(void* to, unsigned bytes) {
    bulk().copies.push_back({to, nullptr, bytes});
    bulk().started += bytes;
  }
  /// Behind a fill() of these bytes.
  void overwrite(void* to, void const* from, unsigned bytes) {
    bulk().copies.push_back({to, from, bytes});
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
    if (bulk().started != bulk().expected)
      Testing::EmulatedDevice::fail("bytes that no barrier expects");
    for (Copy const& copy : bulk().copies)
      if (copy.from == nullptr)
        std::memset(copy.to, 0, copy.bytes);
      else
        std::memcpy(copy.to, copy.from, copy.bytes);
    bulk() = {};
  }

 private:
  struct State {
    std::uint16_t arrivals, missing;
    std::uint32_t phase;
  };
  static_assert(sizeof(State) == 8);

  struct Copy {
    void* to;
    void const* from;
    unsigned bytes;
  };
  /// Those that arrive when they are waited for.
  struct Bulk {
    unsigned expected = 0;
    unsigned started  = 0;
    std::vector<Copy> copies;
  };
  Bulk& bulk() const {
    static std::map<unsigned, Bulk> of_places;
    return of_places[m_place];
  }

  // Addresses of shared memory are 32 bits wide and relative.
  State& state() const {
    return *reinterpret_cast<State*>(Testing::EmulatedDevice::shared_memory() +
                                     std::int32_t(m_place));
  }
  unsigned m_place;
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
