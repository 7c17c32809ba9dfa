// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_RELAXED_HPP
#define KOKKOSMMA_EMULATED_DEVICE_RELAXED_HPP

#include <cuda_runtime.h>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

// Loads stand in loops that wait for a store of another thread.
struct Relaxed64 {
  static std::uint64_t load(std::uint64_t const* from) {
    Testing::EmulatedDevice::yield();
    return *from;
  }
  static void store(std::uint64_t* to, std::uint32_t low, std::uint32_t high) {
    *to = std::uint64_t(high) << 32 | low;
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
