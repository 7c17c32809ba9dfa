// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_GRAPH_HPP
#define KOKKOSMMA_INTERCEPT_GRAPH_HPP

/// \file
/// Nodes of Kokkos::Experimental::Graph on Kokkos::Cuda: then_parallel_for and
/// then_parallel_reduce over RangePolicy and MDRangePolicy, intercepted by
/// partial specialisations of Kokkos' class of a node.
///
/// Kokkos adds a node to the CUDA graph where it would launch a kernel, and
/// casts the closure to its own node class. Therefore each class here derives
/// from Kokkos' node of a functor of another type, which is never routed, and
/// adds no bytes. Its execute() adds this library's kernel, or lets the base
/// class add Kokkos'. The graph keeps a copy of the arguments; data that the
/// functor refers to lives in the node.
///
/// Nodes over TeamPolicy are Kokkos', of a functor that states Kokkos' nested
/// loops: without a statement a kernel has the registers of the other form, too
/// (adapters/drop_in/KokkosMMA_InterceptTeam.hpp).

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_InterceptFor.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptReduce.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptTeam.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace KokkosMMA::Impl {

template <class Functor, class Policy>
concept RoutableLoopNode =
    Policy::is_graph_kernel::value && !IsNative<Functor> &&
    routable_policy<Policy, sizeof(Functor)>;

/// Node of a reduction whose value a thread keeps in registers.
template <class Functor, class Reducer, class Policy>
concept RoutableReduceNode =
    Policy::is_graph_kernel::value && !IsNative<Reducer> &&
    ValueInRegisters<Reducer> &&
    sizeof(Functor) + sizeof(Reducer) <= max_argument_functor_bytes;

template <class Node>
Cuda::GraphPlace place_of(Node const& node) {
  return {*node.get_cuda_graph_ptr(), node.get_cuda_graph_node_ptr()};
}

/// Node of a loop.
template <class Functor, class PolicyT>
class LoopNode
    : public Kokkos::Impl::GraphNodeKernelImpl<
          Kokkos::Cuda, PolicyT, NativeLoop<Functor>, Kokkos::ParallelForTag> {
  using Native = Kokkos::Impl::GraphNodeKernelImpl<
      Kokkos::Cuda, PolicyT, NativeLoop<Functor>, Kokkos::ParallelForTag>;

 public:
  template <class... Arguments>
  LoopNode(std::string name, Kokkos::Cuda const& space, Functor const& functor,
           Arguments&&... arguments)
      : Native(std::move(name), space, NativeLoop<Functor>(functor),
               std::forward<Arguments>(arguments)...),
        m_functor(functor) {}

  void execute() const {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    static CachedLaunch unused;
    PolicyT const& policy = Native::get_policy();
    ErasedFor call{policy.space(),
                   this,
                   nullptr,
                   nullptr,
                   kernel_of_loop<Functor, PolicyT>(),
                   std::addressof(m_functor),
                   &desul::ensure_cuda_lock_arrays_on_device,
                   reported,
                   unused,
                   loop_of_types<PolicyT>(sizeof(Functor))};
    PolicyLoop<PolicyT>::describe(policy, call.problem);
    if (!add_loop_node(call, place_of(*this))) Native::execute();
  }

 private:
  Functor m_functor;  ///< Kokkos' copy is private
};

/// Node class of a reduction whose value a thread keeps in registers.
template <class Functor, class Reducer, class PolicyT>
class ReduceNode
    : public Kokkos::Impl::GraphNodeKernelImpl<
          Kokkos::Cuda, PolicyT,
          Kokkos::Impl::CombinedFunctorReducer<Functor, NativeReducer<Reducer>>,
          Kokkos::ParallelReduceTag> {
  using NativePair =
      Kokkos::Impl::CombinedFunctorReducer<Functor, NativeReducer<Reducer>>;
  using Native =
      Kokkos::Impl::GraphNodeKernelImpl<Kokkos::Cuda, PolicyT, NativePair,
                                        Kokkos::ParallelReduceTag>;
  using Pair    = Kokkos::Impl::CombinedFunctorReducer<Functor, Reducer>;
  using Flat    = Flattened<PolicyT>;
  using Call    = typename Flat::template Call<Functor>;
  using Value   = typename Reducer::value_type;
  using Running = RunningOf<Reducer, Value>;
  using Tuning  = TuningOf<Reducer, Functor, Flat::indices>;

 public:
  template <class... Arguments>
  ReduceNode(std::string name, Kokkos::Cuda const& space, Pair const& pair,
             Arguments&&... arguments)
      : Native(std::move(name), space,
               NativePair(pair.get_functor(),
                          NativeReducer<Reducer>(pair.get_reducer())),
               std::forward<Arguments>(arguments)...) {}

  void execute() {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    PolicyT const& policy            = Native::get_policy();
    Functor const& functor           = Native::m_functor_reducer.get_functor();
    Reducer const& reducer           = Native::m_functor_reducer.get_reducer();
    typename Flat::Index const begin = Flat::begin(policy);
    auto const& call = Flat::call(functor, policy, Tuning::value.threads);
    ErasedReduce erased{
        {policy.space(),
         this,
         nullptr,
         reinterpret_cast<void const*>(
             &Cuda::streamed_reduce<
                 Running, Tuning, typename Flat::Index, Value, Call, Reducer,
                 has_copies(sizeof(Functor) + sizeof(Reducer))>),
         {std::addressof(call), &reducer, &begin},
         Native::m_result_ptr,
         Native::m_result_ptr_device_accessible,
         sizeof(Value),
         &desul::ensure_cuda_lock_arrays_on_device,
         reported},
        {},
        Tuning::value,
        sizeof(typename Running::Value),
        nullptr};
    erased.problem.pattern       = Flat::pattern;
    erased.problem.value         = number_of_value<Value>;
    erased.problem.sum           = adds<Reducer>();
    erased.problem.value_bytes   = sizeof(Value);
    erased.problem.functor_bytes = sizeof(Functor) + sizeof(Reducer);
    erased.problem.size          = Flat::size(policy);
    erased.places                = Flat::places(call, erased.problem.size);
    if (!add_reduce_node(erased, place_of(*this))) Native::execute();
  }
};

template <class Functor, class Policy>
concept TeamNode = Policy::is_graph_kernel::value && !IsNative<Functor>;
template <class Functor, class Reducer, class Policy>
concept TeamReduceNode = TeamNode<Functor, Policy> &&
    (Reducer::static_value_size() != 0
         ? sizeof(Functor) + sizeof(Reducer) <= max_bound_bytes
         : TeamArrays<Functor, Reducer>);

template <class Functor>
using TeamFunctorOfNode = TeamFunctor<Functor, void, NestedLoops::kokkos>;
template <class Functor, class Policy>
using NodeOfTeams = Kokkos::Impl::GraphNodeKernelImpl<
    Kokkos::Cuda, Policy, TeamFunctorOfNode<Functor>, Kokkos::ParallelForTag>;
template <class Functor, class Reducer, class Policy>
using TeamPairOfNode = TeamPair<Functor, Reducer, Policy, NestedLoops::kokkos>;
template <class Functor, class Reducer, class Policy>
using ReduceNodeOfTeams = Kokkos::Impl::GraphNodeKernelImpl<
    Kokkos::Cuda, Policy,
    typename TeamPairOfNode<Functor, Reducer, Policy>::type,
    Kokkos::ParallelReduceTag>;

}  // namespace KokkosMMA::Impl

/// Specialises Kokkos' class of a node for POLICY, in Kokkos' namespace as
/// KOKKOSMMA_IMPL_ROUTE_REDUCE does.
#define KOKKOSMMA_IMPL_ROUTE_NODES(POLICY)                                  \
  namespace Kokkos::Impl {                                                  \
  template <class F, class... Traits>                                       \
  requires KokkosMMA::Impl::RoutableLoopNode<F, POLICY<Traits...>>          \
  class GraphNodeKernelImpl<Cuda, POLICY<Traits...>, F, ParallelForTag>     \
      : public KokkosMMA::Impl::LoopNode<F, POLICY<Traits...>> {            \
    using kokkosmma_base = KokkosMMA::Impl::LoopNode<F, POLICY<Traits...>>; \
                                                                            \
   public:                                                                  \
    using graph_kernel = GraphNodeKernelImpl;                               \
    using kokkosmma_base::kokkosmma_base;                                   \
  };                                                                        \
  template <class F, class R, class... Traits>                              \
  requires KokkosMMA::Impl::RoutableReduceNode<F, R, POLICY<Traits...>>     \
  class GraphNodeKernelImpl<Cuda, POLICY<Traits...>,                        \
                            CombinedFunctorReducer<F, R, void>,             \
                            ParallelReduceTag>                              \
      : public KokkosMMA::Impl::ReduceNode<F, R, POLICY<Traits...>> {       \
    using kokkosmma_base =                                                  \
        KokkosMMA::Impl::ReduceNode<F, R, POLICY<Traits...>>;               \
                                                                            \
   public:                                                                  \
    using graph_kernel = GraphNodeKernelImpl;                               \
    using kokkosmma_base::kokkosmma_base;                                   \
  };                                                                        \
  }

KOKKOSMMA_IMPL_ROUTE_NODES(RangePolicy)
KOKKOSMMA_IMPL_ROUTE_NODES(MDRangePolicy)

namespace Kokkos::Impl {

template <class F, class... Traits>
requires(KokkosMMA::Impl::TeamNode<
         F, Kokkos::TeamPolicy<
                Traits...>>) class GraphNodeKernelImpl<Kokkos::Cuda,
                                                       Kokkos::TeamPolicy<
                                                           Traits...>,
                                                       F, ParallelForTag>
    : public KokkosMMA::Impl::NodeOfTeams<F, Kokkos::TeamPolicy<Traits...>> {
  using kokkosmma_base =
      KokkosMMA::Impl::NodeOfTeams<F, Kokkos::TeamPolicy<Traits...>>;

 public:
  using graph_kernel = GraphNodeKernelImpl;

  template <class... Arguments>
  GraphNodeKernelImpl(std::string name, Kokkos::Cuda const& space,
                      F const& functor, Arguments&&... arguments)
      : kokkosmma_base(std::move(name), space,
                       KokkosMMA::Impl::TeamFunctorOfNode<F>(functor),
                       std::forward<Arguments>(arguments)...) {}
};

template <class F, class R, class... Traits>
requires(KokkosMMA::Impl::TeamReduceNode<
         F, R,
         Kokkos::TeamPolicy<
             Traits...>>) class GraphNodeKernelImpl<Kokkos::Cuda,
                                                    Kokkos::TeamPolicy<
                                                        Traits...>,
                                                    CombinedFunctorReducer<
                                                        F, R, void>,
                                                    ParallelReduceTag>
    : public KokkosMMA::Impl::ReduceNodeOfTeams<F, R,
                                                Kokkos::TeamPolicy<Traits...>> {
  using kokkosmma_policy = Kokkos::TeamPolicy<Traits...>;
  using kokkosmma_base =
      KokkosMMA::Impl::ReduceNodeOfTeams<F, R, kokkosmma_policy>;

 public:
  using graph_kernel = GraphNodeKernelImpl;

  template <class... Arguments>
  GraphNodeKernelImpl(std::string name, Kokkos::Cuda const& space,
                      CombinedFunctorReducer<F, R, void> const& called,
                      Arguments&&... arguments)
      : kokkosmma_base(
            std::move(name), space,
            KokkosMMA::Impl::TeamPairOfNode<F, R, kokkosmma_policy>::of(
                called.get_functor(), called.get_reducer()),
            std::forward<Arguments>(arguments)...) {}
};

}  // namespace Kokkos::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
