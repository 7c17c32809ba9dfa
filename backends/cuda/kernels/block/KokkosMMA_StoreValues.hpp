// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STORE_VALUES_HPP
#define KOKKOSMMA_CUDA_STORE_VALUES_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// Values of the host in device memory. Arguments of kernels are copied at the
/// launch, in stream order: the host does not wait, and a graph contains them.

namespace KokkosMMA::Impl::Cuda {

template <class Element>
struct RepeatedValue {
  Element value;
  __device__ Element operator[](int) const { return value; }
};

struct TablePart {
  static constexpr int size = 448;  // 3584 bytes of at most 4096
  std::uint64_t word[size];
  __device__ std::uint64_t operator[](int i) const { return word[i]; }
};

template <class Values, class Element>
__global__ void store_values(KOKKOSMMA_GRID_CONSTANT Values const values,
                             Element* const to, int const count) {
  for (int i = int(threadIdx.x); i < count; i += int(blockDim.x))
    to[i] = values[i];
}

template <class Element>
void store_constant(Stream const& space, Element* to, Element value,
                    int count) {
  launch_kernel(space, "store_values",
                store_values<RepeatedValue<Element>, Element>, {1, 256},
                RepeatedValue<Element>{value}, to, count);
}

/// A template, so that only a source that launches it has the kernel.
template <int Threads = 128>
void store_table(Stream const& space, std::uint64_t* to,
                 std::vector<std::uint64_t> const& words) {
  for (std::size_t at = 0; at < words.size(); at += TablePart::size) {
    std::size_t const count =
        std::min(words.size() - at, std::size_t(TablePart::size));
    TablePart part;
    std::copy_n(words.begin() + std::ptrdiff_t(at), count, part.word);
    launch_kernel(space, "store_values", store_values<TablePart, std::uint64_t>,
                  {1, Threads}, part, to + at, int(count));
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
