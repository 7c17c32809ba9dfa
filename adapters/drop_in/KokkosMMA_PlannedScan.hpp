// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PLANNED_SCAN_HPP
#define KOKKOSMMA_PLANNED_SCAN_HPP

/// \file
/// Scans whose route the caller has decided, as in KokkosMMA_PlannedReduce.hpp.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <adapters/drop_in/KokkosMMA_InterceptScan.hpp>
#include <adapters/drop_in/KokkosMMA_PlannedReduce.hpp>
#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#endif

#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

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

/// Runs a scan and returns the route that ran. The call waits for a total on
/// the host.
///
/// \param total none, or a variable or a View of rank 0 of the functor's value
/// type
template <class Policy, class Functor, class... Total>
Route run_planned_scan(std::string const& label, CallPlan const& plan,
                       Policy const& policy, Functor const& functor,
                       Total&... total) {
  static_assert(sizeof...(Total) <= 1);
#if KOKKOSMMA_IMPL_ON_CUDA()
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
