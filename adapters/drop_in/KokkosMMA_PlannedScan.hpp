// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PLANNED_SCAN_HPP
#define KOKKOSMMA_PLANNED_SCAN_HPP

/// \file
/// Scans whose route the caller has decided, as in KokkosMMA_PlannedReduce.hpp.
/// Those on tensor cores, which no automatic choice uses, are kernels of
/// libkokkosmma_kernels, reached by Route::mma.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleScan.hpp>
#include <core/routing/KokkosMMA_CallPlan.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <adapters/drop_in/KokkosMMA_InterceptScan.hpp>
#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#if defined(KOKKOSMMA_PAPER_KERNELS)
#include <backends/cuda/kernels/papers/KokkosMMA_PaperScan.hpp>
#endif
#endif

#include <string>
#include <type_traits>

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
    scan_mma_exists(scalar_v<typename X::non_const_value_type>, scalar_v<A>);

/// Launches it; `total` is nothing, a View of the accumulator or a variable of
/// its type. Returns whether that was possible.
template <class X, class Y, class A, ScanKind Kind, class... Total>
bool scan_by_mma(std::string const& label, Kokkos::Cuda const& exec,
                 ScanInto<X, Y, A, Kind> const& functor, Total&... total) {
  auto const operands = VisibleScan<ScanInto<X, Y, A, Kind>>::operands(functor);
  Cuda::PaperScan scan{scalar_v<typename X::non_const_value_type>,
                       scalar_v<typename Y::non_const_value_type>,
                       Kind == ScanKind::inclusive,
                       operands.x,
                       operands.y,
                       functor.x.extent(0),
                       &operands.init,
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

#if KOKKOSMMA_IMPL_ON_CUDA()

template <class Policy, class Functor, class... Total>
Route scan_on_cuda(std::string const& label, CallPlan const& plan,
                   Policy const& policy, Functor const& functor,
                   Total&... total) {
  AnnouncedScan const announced(label, policy.space());
  if constexpr (sizeof...(Total) == 0) {
    static_assert(routable_scan<Functor, Policy, void>());
    auto closure =
        Kokkos::Impl::construct_with_shared_allocation_tracking_disabled<
            RoutedScan<Functor, Policy, void, NativeScan<Functor, Policy>>>(
            functor, policy);
    return closure.run(&plan);
  } else {
    auto const view = (view_of_result(total), ...);
    using View      = std::remove_const_t<decltype(view)>;
    using Value     = typename View::value_type;
    static_assert(routable_scan<Functor, Policy, Value>());
    auto closure =
        Kokkos::Impl::construct_with_shared_allocation_tracking_disabled<
            RoutedScan<Functor, Policy, Value,
                       NativeScanWithTotal<Functor, Policy, Value>>>(
            functor, policy, view);
    return waited(policy.space(), closure.run(&plan),
                  device_writes<typename View::memory_space>);
  }
}

#endif

/// Runs a scan and returns the route that ran: another than `mma` if that finds
/// no scratch memory. The call waits for a total on the host.
///
/// \param total none, or a variable or a View of rank 0 of the functor's value
/// type
template <class Policy, class Functor, class... Total>
Route run_planned_scan(std::string const& label, CallPlan plan,
                       Policy const& policy, Functor const& functor,
                       Total&... total) {
  static_assert(sizeof...(Total) <= 1);
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (has_scan_by_mma<typename Policy::execution_space, Functor>) {
    if (plan.decision.route == Route::mma) {
      if (scan_by_mma(label, policy.space(), functor, total...))
        return Route::mma;
      plan.decision.route = Route::streamed;
    }
  }
  if constexpr (std::is_same_v<typename Policy::execution_space,
                               Kokkos::Cuda>) {
    return scan_on_cuda(label, plan, policy, functor, total...);
  } else
#endif
  {
    Kokkos::parallel_scan(label, policy, functor, total...);
    return plan.decision.route;
  }
}

}  // namespace KokkosMMA::Impl

#endif
