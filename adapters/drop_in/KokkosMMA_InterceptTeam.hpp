// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_TEAM_HPP
#define KOKKOSMMA_INTERCEPT_TEAM_HPP

/// \file
/// Kokkos::parallel_for and parallel_reduce over TeamPolicy on Kokkos::Cuda,
/// intercepted inside Kokkos' dispatch by partial specialisations that are more
/// specialised than Kokkos' own. There are two kernels, with functors of
/// another type: one has Kokkos' loops for nested reductions; the other has
/// several invocations in flight at a time, and for a reduction it is this
/// library's (adapters/drop_in/KokkosMMA_TeamReduce.hpp). Both have the team
/// size that Kokkos chooses for the first and make the same invocations in the
/// same order: the results have the same bits, and only the time decides which
/// one runs.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_ErasedTeam.hpp>
#include <adapters/drop_in/KokkosMMA_TeamReduce.hpp>
#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/drop_in/KokkosMMA_ReduceClosure.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace KokkosMMA::Impl {

template <class Functor, class Value, NestedLoops Loops>
struct TeamFunctor;

/// Kokkos asks functors for the shared memory of a team by one of two names.
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

/// A functor of the same bytes in one form.
/// \tparam Value that is reduced; void in a loop
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

/// The policy of a form. Without launch bounds ptxas keeps to the registers of
/// a multiprocessor full of threads (32 on sm_90, CUDA 13.0), and where loads
/// depend on each other it serialises the invocations rather than use more:
/// rows of a power law took 8650 us, with bounds 3080 us, by Kokkos 8530 (8
/// lanes, H100, 2026-11-26). A kernel with bounds of 1024 threads can run with
/// blocks of any size; with bounds of 512 the mean of perf_nested was the same.
/// What it lacks in registers it spills, and Kokkos' loops run then, since they
/// are faster. A policy takes one bound at most: one that names LaunchBounds<>
/// stays as it is.
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
/// Closures of 32 KB, a few hundred bytes of which are not what is called, are
/// in global memory. With bounds that does not compile in Kokkos 4.6.
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

/// What a loop and a reduction of Kokkos' two kernels have in common: an object
/// of it holds Kokkos' closure, which one of the two forms executes.
/// `Closures::Closure<Loops>` is the closure in a form. No constructor of it
/// has Kokkos' name: in a program of sources with and without the drop-in the
/// linker keeps one of two functions of a name.
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
  /// A closure of the same bytes runs the other form. It is copied as bytes and
  /// not destroyed: what it holds belongs to the first one. The place for
  /// scratch memory of level 1 is given back once: by that destructor, or from
  /// kokkos/kokkos#8881 on by the execute() that runs.
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

/// What Kokkos' closure requires, under the name that it has in this Kokkos.
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

/// The largest team with which Kokkos' closure can be made.
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

/// The reducer that Kokkos makes of a functor, for that functor in a form: it
/// holds the functor, and Kokkos keeps no other copy beside it.
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

  /// With the team size that Kokkos chooses where the caller leaves it open.
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

/// A reduction with this library's kernel. Kokkos' closure is made where it
/// runs and not before: its constructor reserves one of ten slots of scratch
/// memory of level 1, and from kokkos/kokkos#8881 on only execute() frees it.
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

  /// Never runs: where an application asks a policy for a team size, Kokkos
  /// asks the runtime how many registers this has.
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
  /// \return whether it could. For a team that is too large Kokkos throws.
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
