// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_CUB_HPP
#define KOKKOSMMA_PERF_CUB_HPP

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstddef>
#include <cuda/std/functional>
#include <functional>
#include <type_traits>

#include "support/Perf_Data.hpp"
#include "support/Perf_Timing.hpp"

/// What calls of CUB have in common.
namespace perf {

/// The operator that CUB knows: for another functor that adds, its scans and
/// calls by key do not run the kernels that are tuned for the device.
template <class Sum>
using Plus = ::cuda::std::plus<Sum>;

/// Half types are given to CUB as CUDA's own, which it loads 16 bytes at a
/// time.
template <class T>
using cub_item = std::conditional_t<
    std::is_same_v<T, half_type>, __half,
    std::conditional_t<std::is_same_v<T, bhalf_type>, __nv_bfloat16, T>>;
template <class T>
cub_item<T> const* cub_items(T const* x) {
  return reinterpret_cast<cub_item<T> const*>(x);
}

/// A call(scratch, bytes, arguments...) of CUB with the memory that it asks
/// for, which is there before it is timed. \p arguments are only asked with.
template <class Call, class... Arguments>
std::function<void(Arguments...)> cub_call(Exec const& exec, Call const& call,
                                           Arguments... arguments) {
  std::size_t bytes = 0;
  check_cuda(call(nullptr, bytes, arguments...), "cub");
  Kokkos::View<char*, Exec> const scratch(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "perf::cub"),
      std::max<std::size_t>(bytes, 1));
  exec.fence("perf::cub");
  return [=](Arguments... actual) {
    std::size_t given = bytes;
    check_cuda(call(scratch.data(), given, actual...), "cub");
  };
}

}  // namespace perf
#endif

#endif
