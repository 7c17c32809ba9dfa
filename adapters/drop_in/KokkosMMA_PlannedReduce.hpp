// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PLANNED_REDUCE_HPP
#define KOKKOSMMA_PLANNED_REDUCE_HPP

/// \file
/// Reductions whose route the caller has decided. On Cuda they are launched
/// without Kokkos' dispatch, and Kokkos Tools see one reduction; on other
/// spaces they are calls of Kokkos.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <adapters/drop_in/KokkosMMA_InterceptReduce.hpp>
#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#endif

#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

#if KOKKOSMMA_IMPL_ON_CUDA()

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

template <class Policy, class Functor, class Result>
Route reduce_on_cuda(std::string const& label, CallPlan const& plan,
                     Policy const& policy, Functor const& functor,
                     Result& result) {
  using R               = std::remove_cv_t<Result>;
  constexpr bool passed = Kokkos::is_reducer<R>::value;
  auto const view       = view_of_result(result);
  using View            = std::remove_const_t<decltype(view)>;
  using Analysis        = Kokkos::Impl::FunctorAnalysis<
      Kokkos::Impl::FunctorPatternInterface::REDUCE, Policy,
      std::conditional_t<passed, R, Functor>,
      typename View::non_const_value_type>;
  using Reducer = typename Analysis::Reducer;
  static_assert(RoutableTypes<Functor, Reducer, Policy>);
  auto const reducer = [&] {
    if constexpr (passed) {
      return Reducer(result);
    } else {
      return Reducer(functor);
    }
  }();
  auto closure =
      Kokkos::Impl::construct_with_shared_allocation_tracking_disabled<
          RoutedReduce<Functor, Reducer, Policy>>(
          Kokkos::Impl::CombinedFunctorReducer<Functor, Reducer>(functor,
                                                                 reducer),
          policy, view);
  closure.wait_for_result();
  AnnouncedReduction const announced(label, policy.space());
  return waited(policy.space(), closure.run(&plan),
                device_writes<typename View::memory_space>);
}

#endif

/// Runs a reduction and returns the route that ran. The call waits for a result
/// on the host.
/// \param result a variable, a View of rank 0 or a reducer
template <class Policy, class Functor, class Result>
Route run_planned_reduce(std::string const& label, CallPlan const& plan,
                         Policy const& policy, Functor const& functor,
                         Result&& result) {
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (std::is_same_v<typename Policy::execution_space,
                               Kokkos::Cuda>) {
    return reduce_on_cuda(label, plan, policy, functor, result);
  } else
#endif
  {
    Kokkos::parallel_reduce(label, policy, functor, result);
    return plan.decision.route;
  }
}

}  // namespace KokkosMMA::Impl

#endif
