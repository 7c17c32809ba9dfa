// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SPACE_CAPABILITY_HPP
#define KOKKOSMMA_SPACE_CAPABILITY_HPP

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#endif

#include <type_traits>

/// Rejects an unknown Kokkos in a template of `type` that needs Kokkos'
/// internals.
#define KOKKOSMMA_IMPL_CHECK_KNOWN_KOKKOS(name, type)                          \
  static_assert(                                                               \
      KokkosMMA::Impl::known_kokkos<type>, name                                \
      ": this kokkos-mma does not know this version of Kokkos, "               \
      "and the policy would specialise its classes. Call the function of "     \
      "KokkosMMA:: instead, use another version of either library, or define " \
      "KOKKOSMMA_ENABLE_UNKNOWN_KOKKOS to try it")

namespace KokkosMMA {

/// Capability of the device of an execution-space instance.
template <class Exec>
Capability capability(Exec const& exec) {
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    return Impl::Cuda::device(exec.cuda_device());
  }
#endif
  (void)exec;
  return {};
}

namespace Impl {

/// Whether kernels of the library run in an execution space.
template <class Exec>
inline constexpr bool has_own_kernels = false;
#if KOKKOSMMA_IMPL_ON_CUDA()
template <>
inline constexpr bool has_own_kernels<Kokkos::Cuda> = true;
#endif

template <class>
inline constexpr bool known_kokkos = KOKKOSMMA_IMPL_KNOWN_KOKKOS();

/// Tuning table of the device of an execution-space instance. On spaces other
/// than Cuda every route is generic and the table has no effect.
template <class Exec>
TuningTable const& active_tuning(Exec const& exec) {
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    return *Cuda::device(exec.cuda_device()).tuning;
  }
#endif
  (void)exec;
  return builtin_tuning;
}

}  // namespace Impl

}  // namespace KokkosMMA

#endif
