// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_DROP_IN_ROUTES_HPP
#define KOKKOSMMA_DROP_IN_ROUTES_HPP

/// \file
/// Intercepts parallel_for, parallel_reduce and parallel_scan for the functors
/// of the application, of Kokkos' standard algorithms and of Kokkos' Views.
/// Only the drop-in header includes this file.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

// Without CUDA nothing is intercepted.
#if !KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_InactiveDropIn.hpp>

#else

#include <adapters/drop_in/KokkosMMA_InterceptFor.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptGraph.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptReduce.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptScan.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptTeam.hpp>
#include <adapters/drop_in/KokkosMMA_StdScans.hpp>
#include <adapters/kokkos/KokkosMMA_RegisterKokkos.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>

namespace KokkosMMA::Impl {

template <class Call>  // as for kokkos_is_registered
inline bool const drop_in_announced = register_kokkos() &&
                                      announce_drop_in(KOKKOS_VERSION,
                                                       enabled_spaces);

template <class Policy>
inline constexpr bool is_team_policy = false;
template <class... Traits>
inline constexpr bool is_team_policy<Kokkos::TeamPolicy<Traits...> > = true;
template <class Policy>
inline constexpr bool is_flat_policy = false;
template <class... Traits>
inline constexpr bool is_flat_policy<Kokkos::RangePolicy<Traits...> > = true;
template <class... Traits>
inline constexpr bool is_flat_policy<Kokkos::MDRangePolicy<Traits...> > = true;

template <class Policy>
concept OnCuda = std::is_same_v<typename Policy::execution_space, Kokkos::Cuda>;

/// Records for KOKKOSMMA_VERBOSE, REPORT and COMPARE why a loop or a reduction
/// of these types is not intercepted, before Kokkos Tools are notified. A scan
/// has the types of a loop, and no reason is printed for it.
template <class Policy, class F>
void announce_call(F const*) {
  if constexpr (is_flat_policy<Policy>) {
    if constexpr (!routable_policy<Policy, sizeof(F)>) {
      VerboseLines::announce_refusal("parallel_for",
                                     refusal_of_loop<Policy>(sizeof(F)));
    }
  }
}
template <class Policy, class F, class R>
void announce_call(Kokkos::Impl::CombinedFunctorReducer<F, R, void> const*) {
  constexpr bool flat = is_flat_policy<Policy>;
  // Another library may have a policy of its own.
  if constexpr (!IsNative<R> && (flat || is_team_policy<Policy>)) {
    using Value             = typename R::value_type;
    constexpr bool in_graph = Policy::is_graph_kernel::value;
    constexpr bool sized    = R::static_value_size() == sizeof(Value);
    constexpr bool routed =
        flat ? RoutableTypes<F, R, Policy> && !in_graph : sized;
    if constexpr (!routed) {
      ReduceProblem types;
      types.pattern =
          is_range_policy<Policy> ? Pattern::range : Pattern::mdrange;
      types.in_graph   = in_graph;
      types.fixed_size = sized;
      types.value      = scalar_v<Value>;
      types.sum        = adds<R>();
      if (flat) {  // teams run Kokkos' own kernels
        types.value_bytes   = sizeof(Value);
        types.functor_bytes = sizeof(F) + sizeof(R);
      }
      announce_refused(types);
    }
  }
}

}  // namespace KokkosMMA::Impl

// Kokkos constructs a ToolResponse for every call before it notifies Kokkos
// Tools, and with KOKKOS_ENABLE_TUNING a second one afterwards.
// Declared as in those versions from 4.6 to 5.2 that have it.
namespace Kokkos::Tools::Impl {
template <class Policy, class FunctorType>
struct ToolResponse;
template <KokkosMMA::Impl::OnCuda Policy, class F>
struct ToolResponse<Policy, F> {
  Policy policy;
  ToolResponse(Policy const& p) : policy(p) {
    static_cast<void>(&KokkosMMA::Impl::drop_in_announced<std::void_t<F> >);
    KokkosMMA::Impl::announce_call<Policy>(static_cast<F const*>(nullptr));
#if !defined(KOKKOS_ENABLE_TUNING)
    if (KokkosMMA::Impl::reports_calls())
      KokkosMMA::Impl::VerboseLines::skip_fence();
#endif
  }
};
}  // namespace Kokkos::Tools::Impl

KOKKOSMMA_IMPL_ROUTE_REDUCE(RangePolicy, false)
KOKKOSMMA_IMPL_ROUTE_REDUCE(MDRangePolicy, false)
KOKKOSMMA_IMPL_ROUTE_SCAN(false)

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
