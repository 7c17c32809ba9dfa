// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REDUCE_CLOSURE_HPP
#define KOKKOSMMA_REDUCE_CLOSURE_HPP

/// \file
/// Base class of closures that replace Kokkos' in the dispatch of a reduction,
/// with the fallback to Kokkos' own code.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_FlatPolicy.hpp>
#include <adapters/drop_in/KokkosMMA_RoutableReduce.hpp>

#include <core/routing/KokkosMMA_Route.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>

namespace KokkosMMA::Impl {

/// Wrapper of a reducer that is never routed.
template <class Reducer>
struct NativeReducer : Reducer {
  using kokkosmma_native = void;
  NativeReducer(Reducer const& from) : Reducer(from) {}
  explicit NativeReducer(typename Reducer::functor_type const& functor)
      : Reducer(functor) {}
};

/// Result argument for the constructors of Kokkos' closures, which read only
/// the address of a View.
template <class Pointer, class MemorySpace>
struct NativeResult {
  using memory_space = MemorySpace;
  Pointer pointer;
  Pointer data() const { return pointer; }
};

template <class MemorySpace>
inline constexpr bool device_writes =
    Kokkos::SpaceAccessibility<Kokkos::Cuda, MemorySpace>::accessible;

template <class ResultView>
using space_of_result_t =
    typename std::remove_cvref_t<ResultView>::memory_space;

/// Whether the call itself must wait for its result: for a host View of the
/// caller, which Kokkos passes unchanged. Kokkos waits for variables, and for
/// reducers of variables, whose Views are temporaries.
template <class ResultView, class Reducer>
bool must_wait([[maybe_unused]] Reducer const& reducer) {
  if constexpr (device_writes<space_of_result_t<ResultView>>) {
    return false;
  } else if constexpr (std::is_lvalue_reference_v<ResultView>) {
    return true;
  } else if constexpr (requires {
                         reducer.get_functor().references_scalar();
                       }) {
    return !reducer.get_functor().references_scalar();
  } else {
    return false;
  }
}

/// Closure of a routable reduction, with the interface of Kokkos' closure and
/// no symbol of Kokkos' names. Kokkos' own closure is constructed only if it
/// runs: copying a functor with Views is a page of code.
template <class Functor, class Reducer, class PolicyT>
class ReduceClosure {
 public:
  using Policy         = PolicyT;
  using FunctorType    = Functor;
  using ReducerType    = Reducer;
  using functor_type   = Functor;
  using reducer_type   = Reducer;
  using value_type     = typename Reducer::value_type;
  using pointer_type   = typename Reducer::pointer_type;
  using reference_type = typename Reducer::reference_type;
  using index_type     = typename Policy::index_type;

  template <class ResultView>
  ReduceClosure(
      Kokkos::Impl::CombinedFunctorReducer<Functor, Reducer> const& pair,
      Policy const& policy, ResultView&& result)
      : m_pair(pair.get_functor(), NativeReducer<Reducer>(pair.get_reducer())),
        m_policy(policy),
        m_result(result.data()),
        m_result_on_device(device_writes<space_of_result_t<ResultView>>),
        m_must_wait(must_wait<ResultView>(pair.get_reducer())),
        m_run_native(&run_native<space_of_result_t<ResultView>>) {}

  Policy const& get_policy() const { return m_policy; }

  /// Lets the call itself wait for a result on the host.
  void wait_for_result() { m_must_wait = !m_result_on_device; }

 protected:
  using Flat = Flattened<Policy>;
  using Call = typename Flat::template Call<Functor>;
  using NativePair =
      Kokkos::Impl::CombinedFunctorReducer<Functor, NativeReducer<Reducer>>;

  Functor const& functor() const { return m_pair.get_functor(); }
  Reducer const& reducer() const { return m_pair.get_reducer(); }

  NativePair m_pair;
  Policy m_policy;
  pointer_type m_result;
  bool m_result_on_device, m_must_wait;
  /// Runs Kokkos' own code for a pointer to this class.
  void (*m_run_native)(void const*);

 private:
  template <class MemorySpace>
  static void run_native(void const* self) {
    auto const& closure = *static_cast<ReduceClosure const*>(self);
    Kokkos::Impl::ParallelReduce<NativePair, Policy, Kokkos::Cuda>(
        closure.m_pair, closure.m_policy,
        NativeResult<pointer_type, MemorySpace>{closure.m_result})
        .execute();
  }
};

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
