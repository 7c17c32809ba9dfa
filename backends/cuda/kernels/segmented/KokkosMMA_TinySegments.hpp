// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_TINY_SEGMENTS_HPP
#define KOKKOSMMA_CUDA_TINY_SEGMENTS_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/atom/KokkosMMA_Warp.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>
#include <core/mma/KokkosMMA_StagedTile.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// Segments of a few elements, one per thread. Neighbouring threads find in L1
/// the lines that one of them has fetched.

namespace KokkosMMA::Impl::Cuda {

inline constexpr int tiny_segments_threads = 256;  ///< per block

template <class Join, Scalar Input, class Value, class Cut, class Store>
__global__ void __launch_bounds__(tiny_segments_threads)
    reduce_tiny_segments(void const* const x, Cut const in,
                         std::uint64_t const count, Store const store) {
  std::uint64_t const stride = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t s = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       s < count; s += stride) {
    std::uint64_t const begin = in.begin(s);
    int const size            = int(in.end(s) - begin);
    auto const* const element =
        static_cast<ElementBits<Input> const*>(x) + begin;
    auto value = Join::identity();
#pragma unroll 8
    for (int e = 0; e < size; ++e)
      value = Join::apply(value, element_value<Warp, Input, Value>(element[e]));
    store(s, value);
  }
}

template <class Join, Scalar Input, class Value, class Cut, class Store>
void launch_tiny_segments(Stream const& space, void const* x, Cut const& in,
                          Store const& store) {
  constexpr unsigned threads = tiny_segments_threads;
  std::uint64_t const blocks =
      std::min<std::uint64_t>((in.count() + threads - 1) / threads, 1u << 30);
  launch_kernel(space, "segmented reduction",
                reduce_tiny_segments<Join, Input, Value, Cut, Store>,
                {unsigned(blocks), threads}, x, in, in.count(), store);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
