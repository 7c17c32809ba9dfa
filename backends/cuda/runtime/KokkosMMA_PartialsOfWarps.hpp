// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_PARTIALS_OF_WARPS_HPP
#define KOKKOSMMA_CUDA_PARTIALS_OF_WARPS_HPP

#include <cstddef>

namespace KokkosMMA::Impl::Cuda {

/// Number of partial results of join_scattered_warps().
constexpr std::size_t partials_of_warps(unsigned blocks, unsigned threads) {
  return std::size_t(blocks) * (1 + threads / 32);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
