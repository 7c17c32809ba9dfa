// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PLANNED_RESULT_HPP
#define KOKKOSMMA_PLANNED_RESULT_HPP

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// Results of calls by name.

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <type_traits>

namespace KokkosMMA::Impl {

/// View of a result: of a variable, of a View or of a reducer.
template <class Result>
auto view_of_result(Result& result) {
  using R = std::remove_cv_t<Result>;
  if constexpr (Kokkos::is_reducer<R>::value) {
    return result.view();
  } else if constexpr (Kokkos::is_view_v<R>) {
    return result;
  } else {
    return Kokkos::View<R, Kokkos::HostSpace,
                        Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&result);
  }
}

/// Kokkos' own code does not wait for a result on the host.
inline Route waited(Kokkos::Cuda const& exec, Route ran, bool on_device) {
  if (ran == Route::generic && !on_device)
    exec.fence("KokkosMMA: fence due to the result being on the host");
  return ran;
}

}  // namespace KokkosMMA::Impl

#endif
#endif
