// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_LOGIC_HPP
#define KOKKOSMMA_EMULATED_DEVICE_LOGIC_HPP

#include <backends/emulated/atom/KokkosMMA_Warp.hpp>

#include <cstdint>

namespace KokkosMMA::Impl::Cuda {

template <int Table>
struct Logic {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return Emulated::Warp::logic<Table>(a, b, c);
  }
};

}  // namespace KokkosMMA::Impl::Cuda

#endif
