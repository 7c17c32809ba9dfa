// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_EMULATED_DEVICE_KERNEL_HPP
#define KOKKOSMMA_EMULATED_DEVICE_KERNEL_HPP

#include <backends/cuda/arch/KokkosMMA_GridDependency.hpp>
#include <backends/cuda/arch/KokkosMMA_KernelParameters.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

namespace KokkosMMA::Testing {
inline int emulated_following = 0;  ///< launches that may start early
}

namespace KokkosMMA::Impl::Cuda {

struct KernelGrid {
  dim3 blocks;
  dim3 threads;
  int shared_bytes = 0;
  bool follows     = false;
};

template <class Kernel>
cudaError_t emulate_kernel(KernelGrid const& grid, Kernel const& kernel) {
  GridDependency::waits = 0;
  Testing::emulated_following += grid.follows;
  Testing::EmulatedDevice::run({grid.blocks.x, grid.blocks.y, grid.blocks.z},
                               {grid.threads.x, grid.threads.y, grid.threads.z},
                               grid.shared_bytes, kernel);
  std::uint64_t const threads = std::uint64_t(grid.blocks.x) * grid.blocks.y *
                                grid.blocks.z * grid.threads.x *
                                grid.threads.y * grid.threads.z;
  if (grid.follows && GridDependency::waits != threads) {
    std::fprintf(stderr,
                 "emulated device: %llu of %llu threads of a grid that may "
                 "begin before the one in front of it is done called "
                 "GridDependency::wait; all of them have to\n",
                 static_cast<unsigned long long>(GridDependency::waits),
                 static_cast<unsigned long long>(threads));
    std::abort();
  }
  return cudaSuccess;
}

template <class... Parameters, class... Arguments>
cudaError_t enqueue_kernel(cudaStream_t, void (*kernel)(Parameters...),
                           KernelGrid const& grid, Arguments&&... arguments) {
  std::tuple<Parameters...> const values(std::forward<Arguments>(arguments)...);
  return emulate_kernel(grid, [&] { std::apply(kernel, values); });
}

/// Launch by address and pointers to the arguments, of a kernel that
/// kernel_address() has returned.
using LaunchByAddress =
    std::function<cudaError_t(KernelGrid const&, void const* const*)>;
inline std::map<void const*, LaunchByAddress>& launches_by_address() {
  // Never destroyed: a kernel may run at exit of the process.
  static auto& launches = *new std::map<void const*, LaunchByAddress>;
  return launches;
}
template <class... Parameters>
void const* kernel_address(void (*kernel)(Parameters...)) {
  auto const address             = reinterpret_cast<void const*>(kernel);
  launches_by_address()[address] = [=](KernelGrid const& grid,
                                       void const* const* arguments) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return enqueue_kernel(
          nullptr, kernel, grid,
          *static_cast<std::remove_cvref_t<Parameters> const*>(
              arguments[I])...);
    }
    (std::index_sequence_for<Parameters...>());
  };
  return address;
}
inline cudaError_t enqueue_kernel(cudaStream_t, void const* kernel,
                                  KernelGrid const& grid,
                                  void const* const* arguments) {
  return launches_by_address().at(kernel)(grid, arguments);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
