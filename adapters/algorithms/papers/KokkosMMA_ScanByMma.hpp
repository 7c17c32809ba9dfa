// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_BY_MMA_HPP
#define KOKKOSMMA_SCAN_BY_MMA_HPP

/// \file
/// Scans by name on tensor cores, which no automatic choice uses: kernels of
/// libkokkosmma_kernels, reached by Route::mma.

#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA() && defined(KOKKOSMMA_PAPER_KERNELS)
#include <backends/cuda/kernels/papers/KokkosMMA_PaperScan.hpp>
#endif

#include <string>

namespace KokkosMMA::Impl {

/// Whether this source reaches a kernel for these types.
template <class Exec, class Functor>
inline constexpr bool has_scan_by_mma = false;

#if KOKKOSMMA_IMPL_ON_CUDA() && defined(KOKKOSMMA_PAPER_KERNELS)
template <class X, class Y, class A, ScanKind Kind>
requires(VisibleScan<ScanInto<X, Y, A, Kind>>::
             visible) inline constexpr bool has_scan_by_mma<Kokkos::Cuda,
                                                            ScanInto<X, Y, A,
                                                                     Kind>> =
    scan_tile_exists(scalar_v<typename X::non_const_value_type>, scalar_v<A>,
                     scalar_v<typename Y::non_const_value_type>) &&
    is_input_of_papers(scalar_v<typename X::non_const_value_type>, scalar_v<A>);

/// Launches it; `total` is nothing, a View of the accumulator or a variable of
/// its type. Returns whether that was possible.
template <class X, class Y, class A, ScanKind Kind, class... Total>
bool scan_by_mma(std::string const& label, Kokkos::Cuda const& exec,
                 ScanInto<X, Y, A, Kind> const& functor, Total&... total) {
  auto const operands = VisibleScan<ScanInto<X, Y, A, Kind>>::operands(functor);
  Cuda::PaperScan scan{scalar_v<typename Y::non_const_value_type>,
                       Kind == ScanKind::inclusive,
                       operands.x,
                       operands.y,
                       functor.x.extent(0),
                       operands.init,
                       nullptr,
                       true};
  [[maybe_unused]] auto const set_total = [&](auto& place) {
    using Place = std::remove_cvref_t<decltype(place)>;
    if constexpr (Kokkos::is_view_v<Place>) {
      scan.total = place.data();
      scan.total_on_device =
          Kokkos::SpaceAccessibility<Kokkos::Cuda,
                                     typename Place::memory_space>::accessible;
    } else {
      scan.total           = &place;
      scan.total_on_device = false;
    }
  };
  (set_total(total), ...);
  AnnouncedScan const announced(label, exec);
  return !Cuda::launch_paper_scan(exec, scan);
}
#endif

}  // namespace KokkosMMA::Impl

#endif
