// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_TEAM_HPP
#define KOKKOSMMA_INTERCEPT_TEAM_HPP

/// \file
/// Kokkos::parallel_for and parallel_reduce over TeamPolicy on Kokkos::Cuda,
/// intercepted inside Kokkos' dispatch by partial specialisations that are more
/// specialised than Kokkos' own. There are two kernels of wrapped functors: one
/// with Kokkos' loops for nested reductions; one with several invocations in
/// flight, which for a reduction is this library's
/// (adapters/drop_in/KokkosMMA_TeamReduce.hpp). Both have the team size that
/// Kokkos chooses for the first and make the same invocations in the same
/// order. So results have the same bits, and only the time decides which one
/// runs.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_TeamReduce.hpp>
#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/drop_in/KokkosMMA_ReduceClosure.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedTeam.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace KokkosMMA::Impl {

template <class Functor, class Value, NestedLoops Loops>
struct TeamFunctor;

/// Forwards the functor's team_shmem_size() or shmem_size() to Kokkos.
template <class Wrapper, bool HasTeamShmemSize>
struct TeamShmemSize {};
template <class Wrapper>
struct TeamShmemSize<Wrapper, true> {
  auto team_shmem_size(int team_size) const {
    return static_cast<Wrapper const*>(this)->functor.team_shmem_size(
        team_size);
  }
};
template <class Wrapper, bool HasShmemSize>
struct ShmemSize {};
template <class Wrapper>
struct ShmemSize<Wrapper, true> {
  auto shmem_size(int team_size) const {
    return static_cast<Wrapper const*>(this)->functor.shmem_size(team_size);
  }
};
template <class Value>
struct TeamValue {
  using value_type = Value;
};
template <>
struct TeamValue<void> {};

/// Wrapper with the bytes of a functor, for one form.
/// \tparam Value type that is reduced; void in a loop
template <class Functor, class Value, NestedLoops Loops>
struct TeamFunctor
    : TeamValue<Value>,
      TeamShmemSize<TeamFunctor<Functor, Value, Loops>,
                    Kokkos::Impl::has_member_team_shmem_size<Functor>::value>,
      ShmemSize<TeamFunctor<Functor, Value, Loops>,
                Kokkos::Impl::has_member_shmem_size<Functor>::value> {
  using kokkosmma_native = void;
  Functor functor;

  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Arguments&&... arguments) const {
    state_nested_loops<Loops>();
    functor(static_cast<Arguments&&>(arguments)...);
  }
};

template <class Functor>
inline constexpr bool is_team_functor = false;
template <class Functor, class Value, NestedLoops Loops>
inline constexpr bool is_team_functor<TeamFunctor<Functor, Value, Loops>> =
    true;

/// Policy of a form. Without launch bounds ptxas limits itself to the registers
/// of full occupancy (32 on sm_90, CUDA 13.0) and serialises invocations with
/// dependent loads rather than use more. Rows of power-law length took 8650 us
/// without bounds, 3080 us with them, 8530 us in Kokkos (8 lanes, H100,
/// 2026-11-26). With bounds of 1024 threads blocks of any size can run; bounds
/// of 512 gave the same mean of perf_nested. If the kernel spills, Kokkos'
/// loops are faster and run. A policy may have one bound only: one that names
/// LaunchBounds<> is not changed.
template <NestedLoops Loops, class Policy, bool MayBeBound>
struct FormPolicy {
  using type = Policy;
};
template <class... Traits>
requires(
    Kokkos::TeamPolicy<Traits...>::
        launch_bounds_is_defaulted) struct FormPolicy<NestedLoops::overlapped,
                                                      Kokkos::TeamPolicy<
                                                          Traits...>,
                                                      true> {
  using type = Kokkos::TeamPolicy<Traits..., Kokkos::LaunchBounds<1024, 1>>;
};
/// Largest functor with bounds. Closures of 32 KB, a few hundred bytes more,
/// are in global memory, where bounds do not compile in Kokkos 4.6.
inline constexpr std::size_t max_bound_bytes = 31 * 1024;
template <NestedLoops Loops, class Policy, class Called>
using form_policy_t =
    typename FormPolicy<Loops, Policy, sizeof(Called) <= max_bound_bytes>::type;

template <class Functor, class Policy>
concept RoutableTeam =
    !is_team_functor<Functor> && !Policy::is_graph_kernel::value;

template <class Policy>
TeamProblem team_problem(Policy const& policy) {
  TeamProblem problem;
  if (policy.league_size() > 0) problem.teams = policy.league_size();
  problem.vector = policy.impl_vector_length();
  if (policy.team_size() > 0)
    problem.threads = policy.team_size() * problem.vector;
  return problem;
}

/// Common part of loops and of reductions in Kokkos' kernels. It holds Kokkos'
/// closure, which one of the two forms executes. `Closures::Closure<Loops>` is
/// the closure of a form. No constructor has Kokkos' name: if only some sources
/// of a program use the drop-in, the linker keeps one of two functions with the
/// same name.
template <class Closures, class PolicyT>
class RoutedTeam {
 public:
  using Policy = PolicyT;

  template <class Called, class... Result>
  RoutedTeam(Called const& called, Policy const& policy,
             Result const&... result)
      : m_closure(Closures::wrapped(called), Closures::sized(called, policy),
                  result...) {}

  Policy const& get_policy() const { return m_closure.get_policy(); }

  void execute() const {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    static SettledLaunch settled;
    Policy const& policy = get_policy();
    run_team(ErasedTeam{policy.space(), Closures::pattern, this, &run, &kernel,
                        reported, settled, team_problem(policy)});
  }

  __device__ void operator()() const { m_closure(); }

 private:
  using Own = typename Closures::template Closure<NestedLoops::kokkos>;
  using Overlapped =
      typename Closures::template Closure<NestedLoops::overlapped>;

  static void const* kernel(NestedLoops loops) {
    return loops == NestedLoops::kokkos
               ? kernel_of_kokkos<Own, typename Own::Policy>()
               : kernel_of_kokkos<Overlapped, typename Overlapped::Policy>();
  }
  static void run(void const* self, NestedLoops loops) {
    Own& own = static_cast<RoutedTeam const*>(self)->m_closure;
    if (loops == NestedLoops::kokkos)
      own.execute();
    else
      run_overlapped(own);
  }
  /// Executes the other form in a bytewise copy of the closure. The copy is not
  /// destroyed, because the original owns its resources. The slot of scratch
  /// memory of level 1 is released once: by the original's destructor, or since
  /// kokkos/kokkos#8881 by the execute() that runs.
  static void run_overlapped(Own& own) {
    static_assert(sizeof(Own) == sizeof(Overlapped) &&
                  alignof(Own) == alignof(Overlapped));
    alignas(Overlapped) std::byte bytes[sizeof(Overlapped)];
    std::memcpy(bytes, static_cast<void const*>(&own), sizeof(Overlapped));
    reinterpret_cast<Overlapped*>(bytes)->execute();
  }

  mutable Own m_closure;  ///< a loop's execute() is const, a reduction's is not
};

template <class Functor, class Policy>
struct TeamLoops {
  static constexpr char const* pattern = "parallel_for";
  template <NestedLoops Loops>
  using Wrapped = TeamFunctor<Functor, void, Loops>;
  template <NestedLoops Loops>
  using Closure = Kokkos::Impl::ParallelFor<
      Wrapped<Loops>, form_policy_t<Loops, Policy, Functor>, Kokkos::Cuda>;

  static Wrapped<NestedLoops::kokkos> const& wrapped(Functor const& functor) {
    using Own = Wrapped<NestedLoops::kokkos>;
    static_assert(sizeof(Own) == sizeof(Functor) &&
                  alignof(Own) == alignof(Functor));
    return reinterpret_cast<Own const&>(functor);
  }
  static Policy const& sized(Functor const&, Policy const& policy) {
    return policy;
  }
};

/// Recommended team size, under the function's name in this Kokkos.
template <class Policy, class Functor, class Reducer>
int recommended_team_size(Policy const& policy, Functor const& functor,
                          Reducer const& reducer) {
  constexpr Kokkos::ParallelReduceTag tag{};
  if constexpr (requires {
                  policy.team_size_recommended_internal(functor, reducer, tag);
                }) {
    return policy.team_size_recommended_internal(functor, reducer, tag);
  } else {
    return policy.team_size_recommended(functor, reducer, tag);
  }
}

/// Largest team size that Kokkos' closure accepts.
template <class Policy, class Functor, class Reducer>
int largest_team_size(Policy const& policy, Functor const& functor,
                      Reducer const& reducer) {
  constexpr Kokkos::ParallelReduceTag tag{};
  if constexpr (requires {
                  policy.team_size_max_internal(functor, reducer, tag);
                }) {
    return policy.team_size_max_internal(functor, reducer, tag);
  } else {
    return policy.team_size_max(functor, reducer, tag);
  }
}

/// Kokkos' reducer made of a functor, for that functor in a form. It holds the
/// only copy of the functor.
template <class Reducer, class Wrapped>
struct FormReducer : Reducer {
  using functor_type = Wrapped;
  explicit FormReducer(Wrapped const& wrapped) : Reducer(wrapped.functor) {}
  KOKKOS_FUNCTION Wrapped const& get_functor() const {
    return reinterpret_cast<Wrapped const&>(Reducer::get_functor());
  }
};

template <class Functor, class Reducer, class Policy>
struct TeamReductions {
  static constexpr char const* pattern = "parallel_reduce";
  static constexpr bool reducer_has_functor =
      std::is_same_v<typename Reducer::functor_type, Functor>;
  template <NestedLoops Loops>
  using Wrapped = TeamFunctor<Functor, typename Reducer::value_type, Loops>;
  using Called  = Kokkos::Impl::CombinedFunctorReducer<Functor, Reducer>;
  template <NestedLoops Loops>
  using Pair = Kokkos::Impl::CombinedFunctorReducer<
      Wrapped<Loops>,
      std::conditional_t<reducer_has_functor,
                         FormReducer<Reducer, Wrapped<Loops>>, Reducer>>;
  using OwnPair = Pair<NestedLoops::kokkos>;
  template <NestedLoops Loops>
  using Closure = Kokkos::Impl::ParallelReduce<
      Pair<Loops>, form_policy_t<Loops, Policy, Called>, Kokkos::Cuda>;

  static OwnPair wrapped(Called const& called) {
    using Own = Wrapped<NestedLoops::kokkos>;
    static_assert(sizeof(Own) == sizeof(Functor) &&
                  alignof(Own) == alignof(Functor) &&
                  sizeof(OwnPair) == sizeof(Called));
    auto const& own = reinterpret_cast<Own const&>(called.get_functor());
    if constexpr (reducer_has_functor) {
      return OwnPair(own, FormReducer<Reducer, Own>(own));
    } else {
      return OwnPair(own, called.get_reducer());
    }
  }

  /// Policy with the team size that Kokkos chooses if the caller sets none.
  static Policy sized(Called const& called, Policy const& policy) {
    Policy sized = policy;
    if (policy.team_size() >= 0) return sized;
    OwnPair const pair = wrapped(called);
    int const size =
        recommended_team_size(policy, pair.get_functor(), pair.get_reducer());
    if (size > 0) sized.impl_set_team_size(std::size_t(size));
    return sized;
  }
};

/// Closure of a reduction with this library's kernel. Kokkos' closure is made
/// only if it runs: its constructor reserves one of ten slots of scratch memory
/// of level 1, and since kokkos/kokkos#8881 only execute() frees it.
template <class Reductions, class PolicyT>
class RoutedTeamReduce {
  using Pair   = typename Reductions::OwnPair;
  using Called = typename Reductions::Called;
  using Own    = typename Reductions::template Closure<NestedLoops::kokkos>;

 public:
  using Policy = PolicyT;

  template <class ResultView>
  RoutedTeamReduce(Called const& called, Policy const& policy,
                   ResultView&& result)
      : m_pair(Reductions::wrapped(called)),
        m_policy(Reductions::sized(called, policy)),
        m_result(result.data()),
        m_result_on_device(device_writes<space_of_result_t<ResultView>>),
        m_must_wait(must_wait<ResultView>(called.get_reducer())),
        m_run_native(&run_native<space_of_result_t<ResultView>>) {}

  Policy const& get_policy() const { return m_policy; }

  void execute() {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    static SettledLaunch settled;
    run_team(ErasedTeam{m_policy.space(), Reductions::pattern, this, &run,
                        &kernel, reported, settled, team_problem(m_policy)});
  }

  /// Never runs. When an application queries a policy's team size, Kokkos
  /// queries the runtime for the registers of this function.
  __device__ void operator()() const {
    (*static_cast<Own const*>(static_cast<void const*>(this)))();
  }

 private:
  static void const* kernel(NestedLoops loops) {
    return loops == NestedLoops::kokkos
               ? kernel_of_kokkos<Own, Policy>()
               : kernel_of_team_reduce<typename Called::functor_type,
                                       typename Called::reducer_type, Policy>();
  }
  static void run(void const* self, NestedLoops loops) {
    auto const& routed = *static_cast<RoutedTeamReduce const*>(self);
    if (loops == NestedLoops::kokkos || !routed.launch())
      routed.m_run_native(routed);
  }
  /// \return whether it was launched. For too large a team Kokkos throws.
  bool launch() const {
    typename Called::reducer_type const& reducer = m_pair.get_reducer();
    return m_policy.team_size() <= largest_team_size(m_policy,
                                                     m_pair.get_functor(),
                                                     m_pair.get_reducer()) &&
           run_team_reduce(m_pair.get_functor().functor, reducer, m_policy,
                           m_result, m_result_on_device, m_must_wait);
  }
  template <class MemorySpace>
  static void run_native(RoutedTeamReduce const& routed) {
    Own(routed.m_pair, routed.m_policy,
        NativeResult<typename Pair::reducer_type::pointer_type, MemorySpace>{
            routed.m_result})
        .execute();
  }

  Pair m_pair;
  Policy m_policy;
  typename Pair::reducer_type::pointer_type m_result;
  bool m_result_on_device, m_must_wait;
  void (*m_run_native)(RoutedTeamReduce const&);
  // Bytes that operator() reads as Kokkos' closure.
  static constexpr std::size_t head =
      sizeof(Pair) + sizeof(Policy) + 3 * sizeof(void*);
  std::byte m_rest[sizeof(Own) > head ? sizeof(Own) - head : 1];
};

template <class Functor, class Reducer, class Policy>
using RoutedTeamReduction = std::conditional_t<
    OwnTeamReduce<Functor, Reducer, Policy>,
    RoutedTeamReduce<TeamReductions<Functor, Reducer, Policy>, Policy>,
    RoutedTeam<TeamReductions<Functor, Reducer, Policy>, Policy>>;

}  // namespace KokkosMMA::Impl

namespace Kokkos::Impl {

template <class F, class... Traits>
requires(KokkosMMA::Impl::RoutableTeam<
         F, Kokkos::TeamPolicy<
                Traits...>>) class ParallelFor<F, Kokkos::TeamPolicy<Traits...>,
                                               Kokkos::Cuda>
    : public KokkosMMA::Impl::RoutedTeam<
          KokkosMMA::Impl::TeamLoops<F, Kokkos::TeamPolicy<Traits...>>,
          Kokkos::TeamPolicy<Traits...>> {
  using kokkosmma_base = KokkosMMA::Impl::RoutedTeam<
      KokkosMMA::Impl::TeamLoops<F, Kokkos::TeamPolicy<Traits...>>,
      Kokkos::TeamPolicy<Traits...>>;

 public:
  using functor_type = F;
  using kokkosmma_base::kokkosmma_base;
};

template <class F, class R, class... Traits>
requires(KokkosMMA::Impl::RoutableTeam<F, Kokkos::TeamPolicy<Traits...>>&&
             R::static_value_size() !=
         0) class ParallelReduce<CombinedFunctorReducer<F, R, void>,
                                 Kokkos::TeamPolicy<Traits...>, Kokkos::Cuda>
    : public KokkosMMA::Impl::RoutedTeamReduction<
          F, R, Kokkos::TeamPolicy<Traits...>> {
  using kokkosmma_base =
      KokkosMMA::Impl::RoutedTeamReduction<F, R, Kokkos::TeamPolicy<Traits...>>;

 public:
  using FunctorType    = F;
  using ReducerType    = R;
  using functor_type   = F;
  using reducer_type   = R;
  using size_type      = Kokkos::Cuda::size_type;
  using value_type     = typename R::value_type;
  using pointer_type   = typename R::pointer_type;
  using reference_type = typename R::reference_type;

  using kokkosmma_base::kokkosmma_base;
};

}  // namespace Kokkos::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
