// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_REDUCE_HPP
#define KOKKOSMMA_INTERCEPT_REDUCE_HPP

/// \file
/// Kokkos::parallel_reduce on Kokkos::Cuda, intercepted inside Kokkos' dispatch
/// by partial specialisations of Kokkos::Impl::ParallelReduce that are more
/// specialised than Kokkos' own. The template head has been the same since
/// Kokkos 4.1; docs/kokkos_versions.md lists the tested versions.
///
/// Kokkos' own class is reached with a reducer of another type, for which the
/// constraint is false. The reducer is wrapped, not the pair, because Kokkos
/// rebuilds the closure from the functor and the reducer type.
///
/// Everything outside execute() remains Kokkos': profiling hooks, fences after
/// a scalar result, the choice of overload.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleData.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/drop_in/KokkosMMA_FlatPolicy.hpp>
#include <adapters/drop_in/KokkosMMA_ReduceClosure.hpp>
#include <adapters/drop_in/KokkosMMA_RoutedArrays.hpp>
#include <adapters/kokkos/KokkosMMA_RegisterKokkos.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>
#if defined(KOKKOSMMA_EXACT_FUNCTORS)
#include <adapters/drop_in/KokkosMMA_ExactFunctors.hpp>
#endif

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace KokkosMMA::Impl {

/// Closure of a reduction whose value a thread keeps in registers.
template <class Functor, class Reducer, class PolicyT>
class RoutedReduce : public ReduceClosure<Functor, Reducer, PolicyT> {
  using Base = ReduceClosure<Functor, Reducer, PolicyT>;
  using Base::m_policy;
  using Base::m_result;
  using Base::m_result_on_device;
  using typename Base::Call;
  using typename Base::Flat;

 public:
  using Base::Base;
  using typename Base::Policy;
  using typename Base::value_type;

  void execute() { run(nullptr); }

  /// Runs the call and returns the route that ran.
  /// \param plan what the caller decided, or null
  Route run(CallPlan const* plan) {
    static_cast<void>(&kokkos_is_registered<std::void_t<Functor>>);
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    Functor const& functor           = Base::functor();
    Reducer const& reducer           = Base::reducer();
    typename Flat::Index const begin = Flat::begin(m_policy);
    auto const& call = Flat::call(functor, m_policy, Tuning::value.threads);
    ErasedReduce erased{
        {m_policy.space(),
         static_cast<Base const*>(this),
         Base::m_run_native,
         reinterpret_cast<void const*>(
             &Cuda::streamed_reduce<
                 Running, Tuning, typename Flat::Index, value_type, Call,
                 Reducer, has_copies(sizeof(Functor) + sizeof(Reducer))>),
         {std::addressof(call), &reducer, &begin},
         m_result,
         m_result_on_device,
         sizeof(value_type),
         &desul::ensure_cuda_lock_arrays_on_device,
         reported},
        types(),
        Tuning::value,
        sizeof(typename Running::Value),
        nullptr};
    erased.plan         = plan;
    erased.must_wait    = Base::m_must_wait;
    erased.problem.size = Flat::size(m_policy);
    erased.places       = Flat::places(call, erased.problem.size);
    if constexpr (data_visible) {
      Data::describe(functor, erased.problem);
    }
    if constexpr (may_use_mma) {
      erased.use_mma = &use_mma;
    }
#if defined(KOKKOSMMA_EXACT_FUNCTORS)
    if constexpr (may_be_exact) {
      erased.use_exact = &use_exact;
    }
#endif
    return run_reduce(erased);
  }

 private:
  static RoutedReduce const& of(void const* self) {
    return *static_cast<RoutedReduce const*>(static_cast<Base const*>(self));
  }

  using Data    = VisibleData<Functor>;
  using Element = typename Data::Element;

  static constexpr bool data_visible =
      (Data::source == Source::view || Data::source == Source::product) &&
      Flat::pattern == Pattern::range;
  /// Properties of the call that are known at compile time.
  static constexpr ReduceProblem types() {
    ReduceProblem problem;
    problem.pattern       = Flat::pattern;
    problem.source        = data_visible || Data::source == Source::transform
                                ? Data::source
                                : Source::functor;
    problem.input         = scalar_v<Element>;
    problem.value         = number_of_value<value_type>;
    problem.sum           = adds<Reducer>();
    problem.value_bytes   = sizeof(value_type);
    problem.functor_bytes = sizeof(Functor) + sizeof(Reducer);
    return problem;
  }
  // Whether a kernel for these types exists: the route function's answer for a
  // device with all capabilities.
  static constexpr bool may_use_mma = [] {
    if constexpr (data_visible) {
      return Data::sum_exists(types());
    } else {
      return false;
    }
  }();
  using Running = RunningOf<Reducer, value_type>;
  using Tuning  = Cuda::tuning_type<streamed_tuning(
       sizeof(value_type), Flat::indices, adds<Reducer>(), sizeof(Functor),
       sizeof(Kokkos::View<float**, Kokkos::Cuda>))>;

#if defined(KOKKOSMMA_EXACT_FUNCTORS)
  static constexpr bool may_be_exact = exact_sum_exists<Reducer, Call>();
  static void use_exact(void const* self, Cuda::StreamScratch const& scratch) {
    auto const& closure = of(self);
    sum_calls_exactly<Flat, value_type, Call>(
        scratch, closure.functor(), closure.m_policy, closure.m_result,
        closure.m_result_on_device);
  }
#endif

  /// Reduces visible data on the tensor cores.
  static void use_mma(void const* self, Cuda::StreamScratch const& scratch) {
    auto const& closure = of(self);
    Data::sum(closure.functor(), closure.m_policy.space(), scratch,
              std::uint64_t(Flat::begin(closure.m_policy)),
              Flat::size(closure.m_policy), closure.m_result,
              closure.m_result_on_device);
  }
};

/// Closure of a routable reduction. Neither class has a symbol of Kokkos'
/// names.
template <class Functor, class Reducer, class Policy>
using Routed = std::conditional_t<ValueInRegisters<Reducer>,
                                  RoutedReduce<Functor, Reducer, Policy>,
                                  RoutedArrays<Functor, Reducer, Policy>>;

}  // namespace KokkosMMA::Impl

/// Specialises Kokkos' closure for POLICY where WHEN holds. Written in Kokkos'
/// namespace: nvcc 13.0 loses the qualification of names in the constraint of a
/// specialisation that is declared from outside.
#define KOKKOSMMA_IMPL_ROUTE_REDUCE(POLICY, WHEN)                             \
  namespace Kokkos::Impl {                                                    \
  template <class F, class R, class... Traits>                                \
  requires(                                                                   \
      WHEN && !Kokkos::POLICY<Traits...>::is_graph_kernel::value &&           \
      KokkosMMA::Impl::RoutableTypes<                                         \
          F, R,                                                               \
          Kokkos::POLICY<                                                     \
              Traits...>>) class ParallelReduce<CombinedFunctorReducer<F, R,  \
                                                                       void>, \
                                                Kokkos::POLICY<Traits...>,    \
                                                Kokkos::Cuda>                 \
      : public KokkosMMA::Impl::Routed<F, R, Kokkos::POLICY<Traits...>> {     \
    using kokkosmma_base =                                                    \
        KokkosMMA::Impl::Routed<F, R, Kokkos::POLICY<Traits...>>;             \
                                                                              \
   public:                                                                    \
    using kokkosmma_base::kokkosmma_base;                                     \
  };                                                                          \
  }

KOKKOSMMA_IMPL_ROUTE_REDUCE(RangePolicy, KokkosMMA::Impl::OwnFunctor<F>)

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
