// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_TEAM_HPP
#define KOKKOSMMA_INTERCEPT_TEAM_HPP

/// \file
/// Kokkos::parallel_for and parallel_reduce over TeamPolicy on Kokkos::Cuda,
/// intercepted inside Kokkos' dispatch by partial specialisations that are more
/// specialised than Kokkos' own. A functor has two kernels. The first has
/// Kokkos' loops in nested reductions. The second has several invocations in
/// flight; for parallel_reduce it is this library's
/// (adapters/drop_in/KokkosMMA_TeamReduce.hpp). Both have the caller's team
/// size, or the one that Kokkos chooses for the first, and make the same
/// invocations in the same order. So results have the same bits, and only the
/// time decides which kernel runs.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_TeamReduce.hpp>
#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptReduce.hpp>
#include <adapters/drop_in/KokkosMMA_TaggedCall.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedTeam.hpp>

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace KokkosMMA::Impl {

template <class Value>
struct TeamValue {
  using value_type = Value;
  template <class Functor>
  explicit TeamValue(Functor const&) {}
};
template <>
struct TeamValue<void> {
  template <class Functor>
  explicit TeamValue(Functor const&) {}
};
template <class Element>
struct TeamValue<Element[]> {
  using value_type = Element[];
  unsigned value_count;
  template <class Functor>
  explicit TeamValue(Functor const& f) : value_count(unsigned(f.value_count)) {}
};

/// Wrapper of a functor for one kind of nested loops.
/// \tparam Value type that is reduced, an array of unknown length for arrays;
///         void in a loop
template <class Functor, class Value, NestedLoops Loops>
struct TeamFunctor
    : TeamValue<Value>,
      TeamShmemSize<TeamFunctor<Functor, Value, Loops>,
                    Kokkos::Impl::has_member_team_shmem_size<Functor>::value> {
  using kokkosmma_native = void;
  Functor functor;

  explicit TeamFunctor(Functor const& f) : TeamValue<Value>(f), functor(f) {}

  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Arguments&&... arguments) const {
    state_nested_loops<Loops>();
    functor(static_cast<Arguments&&>(arguments)...);
  }
};

/// Policy of Kokkos' closure. Without launch bounds ptxas limits itself to the
/// registers of full occupancy (32 on sm_90, CUDA 13.0) and serialises
/// invocations with dependent loads rather than use more. Rows of power-law
/// length took 8650 us without bounds, 3080 us with them, 8530 us in Kokkos (8
/// lanes, H100, 2026-11-26). With bounds of 1024 threads blocks of any size can
/// run; bounds of 512 gave the same mean of perf_nested. If the kernel spills,
/// Kokkos' loops are faster and run. A policy can have only one LaunchBounds,
/// so one that names it is not changed.
template <NestedLoops Loops, class Policy, class Called>
struct FormPolicy {
  using type = Policy;
};
/// Largest functor with launch bounds. Its closure is a few hundred bytes
/// larger; closures of 32 KB are in global memory, where Kokkos 4.6 does not
/// compile with bounds.
inline constexpr std::size_t max_bound_bytes = 31 * 1024;
template <class Policy, class Called>
concept MayBeBound = Policy::launch_bounds_is_defaulted &&
                     sizeof(Called) <= max_bound_bytes;
template <class Called, class... Traits>
requires MayBeBound<Kokkos::TeamPolicy<Traits...>, Called>
struct FormPolicy<NestedLoops::overlapped, Kokkos::TeamPolicy<Traits...>,
                  Called> {
  using type = Kokkos::TeamPolicy<Traits..., Kokkos::LaunchBounds<1024, 1>>;
};
template <NestedLoops Loops, class Policy, class Called>
using form_policy_t = typename FormPolicy<Loops, Policy, Called>::type;

template <class Functor, class Policy>
concept RoutableTeam = !IsNative<Functor> && !Policy::is_graph_kernel::value;

template <class Policy>
TeamProblem team_problem(Policy const& policy) {
  TeamProblem problem;
  if (policy.league_size() > 0) problem.teams = policy.league_size();
  problem.vector = policy.impl_vector_length();
  if (policy.team_size() > 0)
    problem.threads = policy.team_size() * problem.vector;
  return problem;
}

/// Members of a closure of this library, or Kokkos' closure, never constructed.
/// When an application queries a team size, Kokkos asks the CUDA runtime for
/// the registers of the kernel that invokes ParallelFor or ParallelReduce: this
/// library's class. Its operator() invokes Kokkos' closure, whose registers
/// then count. The kernel is never launched. Members beside the closure would
/// double its size, and Kokkos would pass it in another way.
template <class Members, class Closure>
union MembersOrClosure {
  template <class... Arguments>
  explicit MembersOrClosure(Arguments const&... arguments)
      : members{arguments...} {}
  MembersOrClosure(MembersOrClosure const& from) : members(from.members) {}
  ~MembersOrClosure() { members.~Members(); }
  Members members;
  Closure closure;
};

/// Closure of a loop over teams, with the interface of Kokkos' closure. Its
/// functions have other symbols than Kokkos'. Kokkos' closure is constructed
/// only to run: the constructor reserves one of ten slots of level-1 scratch
/// memory, which since kokkos/kokkos#8881 only execute() frees.
template <class Functor, class PolicyT>
class RoutedTeamFor {
 public:
  using Policy = PolicyT;

  RoutedTeamFor(Functor const& functor, Policy const& policy)
      : m_own(functor, policy) {}

  Policy const& get_policy() const { return m_own.members.policy; }

  void execute() const {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    static CachedLaunch cached(call_types<Functor, Policy>());
    run_team(ErasedTeam{get_policy().space(), "parallel_for", this, &run,
                        &kernel, reported, cached, team_problem(get_policy())});
  }

  __device__ void operator()() const { m_own.closure(); }

 private:
  template <NestedLoops Loops>
  using Wrapped = TeamFunctor<Functor, void, Loops>;
  template <NestedLoops Loops>
  using OfForm = form_policy_t<Loops, Policy, Functor>;
  template <NestedLoops Loops>
  using Closure =
      Kokkos::Impl::ParallelFor<Wrapped<Loops>, OfForm<Loops>, Kokkos::Cuda>;

  /// Policy with the team size that Kokkos chooses if the caller sets none.
  static Policy sized(Wrapped<NestedLoops::kokkos> const& functor,
                      Policy const& policy) {
    Policy sized = policy;
    if (policy.team_size() >= 0) return sized;
    int const size =
        policy.team_size_recommended(functor, Kokkos::ParallelForTag());
    if (size > 0) sized.impl_set_team_size(std::size_t(size));
    return sized;
  }
  static void const* kernel(NestedLoops loops) {
    constexpr auto kokkos = NestedLoops::kokkos;
    constexpr auto other  = NestedLoops::overlapped;
    return loops == kokkos ? kernel_of_kokkos<Closure<kokkos>, OfForm<kokkos>>()
                           : kernel_of_kokkos<Closure<other>, OfForm<other>>();
  }
  static void run(void const* self, NestedLoops loops) {
    auto const& own = static_cast<RoutedTeamFor const*>(self)->m_own.members;
    constexpr auto other = NestedLoops::overlapped;
    if (loops == NestedLoops::kokkos)
      Closure<NestedLoops::kokkos>(own.wrapped, own.policy).execute();
    else
      Closure<other>(Wrapped<other>(own.wrapped.functor),
                     OfForm<other>(own.policy))
          .execute();
  }

  struct Members {
    Members(Functor const& f, Policy const& p)
        : wrapped(f), policy(sized(wrapped, p)) {}
    // Wrapped once, because copying a host and device lambda allocates memory.
    Wrapped<NestedLoops::kokkos> wrapped;
    Policy policy;
  };
  MembersOrClosure<Members, Closure<NestedLoops::kokkos>> m_own;
};

/// Recommended team size. Kokkos' versions name the function differently.
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

/// Whether the reducer is Kokkos' default sum, of a functor without members
/// init, join and final. Such a reducer contains the functor.
template <class Functor, class Reducer>
inline constexpr bool sums_a_variable =
    std::is_same_v<typename Reducer::functor_type, Functor> &&
    !Reducer::has_init_member_function() &&
    !Reducer::has_join_member_function() &&
    !Reducer::has_final_member_function();

/// Functor and reducer for one kind of nested loops.
template <class Functor, class Reducer, class Policy, NestedLoops Loops>
struct TeamPair {
  static constexpr bool sums = sums_a_variable<Functor, Reducer>;
  using Wrapped = TeamFunctor<Functor, typename Reducer::value_type, Loops>;
  // The default sum is made of the wrapper: the pair then has the functor once.
  // With a functor that has init, join or final the pair has it twice.
  using ReducerOf = std::conditional_t<
      sums,
      typename Kokkos::Impl::FunctorAnalysis<
          Kokkos::Impl::FunctorPatternInterface::REDUCE, Policy, Wrapped,
          typename Reducer::value_type>::Reducer,
      Reducer>;
  using type = Kokkos::Impl::CombinedFunctorReducer<Wrapped, ReducerOf>;

  static type of(Functor const& functor, Reducer const& reducer) {
    Wrapped const wrapped(functor);
    if constexpr (sums) {
      return type(wrapped, ReducerOf(wrapped));
    } else {
      return type(wrapped, reducer);
    }
  }
};
/// Arrays: the reducer has their length from the functor that it contains.
template <class Functor, class Reducer, class Policy, NestedLoops Loops>
requires(Reducer::static_value_size() ==
         0) struct TeamPair<Functor, Reducer, Policy, Loops> {
  using type = Kokkos::Impl::CombinedFunctorReducer<
      TeamFunctor<Functor, typename Functor::value_type, Loops>, Reducer>;

  static type of(Functor const& functor, Reducer const& reducer) {
    return type(
        TeamFunctor<Functor, typename Functor::value_type, Loops>(functor),
        reducer);
  }
};

/// Kokkos' own code runs if a pair is too large for the policy's launch bounds.
template <class Functor, class Reducer, class Policy>
concept RoutableTeamReduce =
    RoutableTeam<Functor, Policy> &&(Reducer::static_value_size() != 0) &&
    (Policy::launch_bounds::maxTperB == 0 ||
     sizeof(typename TeamPair<Functor, Reducer, Policy,
                              NestedLoops::kokkos>::type) <= max_bound_bytes);

/// Reduction of arrays. Its pair has the functor twice.
template <class Functor, class Reducer>
concept TeamArrays = Reducer::static_value_size()
== 0 && std::is_array_v<typename Functor::value_type> &&
    sizeof(Functor) + sizeof(Reducer) <= max_bound_bytes;

/// Closure of a reduction of arrays: Kokkos' own, of a functor that states its
/// nested loops. A kernel that states none has both kinds, and the registers of
/// the larger one. These limit the size of a team, and Kokkos would throw for
/// teams that its own kernel can run.
template <class Functor, class Reducer, class Policy>
using ArrayPair = TeamPair<Functor, Reducer, Policy, NestedLoops::kokkos>;
template <class Functor, class Reducer, class Policy>
using ArrayClosure = Kokkos::Impl::ParallelReduce<
    typename ArrayPair<Functor, Reducer, Policy>::type, Policy, Kokkos::Cuda>;

/// The same for a reduction over teams. The kernel for NestedLoops::overlapped
/// is this library's if that supports the reduction (OwnTeamReduce), else
/// Kokkos'.
template <class Functor, class Reducer, class PolicyT>
class RoutedTeamReduce {
 public:
  using Policy = PolicyT;
  using Called = Kokkos::Impl::CombinedFunctorReducer<Functor, Reducer>;

  template <class ResultView>
  RoutedTeamReduce(Called const& called, Policy const& policy,
                   ResultView&& result)
      : m_own(called, sized(called, policy), result.data(),
              device_writes<space_of_result_t<ResultView>>,
              must_wait<ResultView>(called.get_reducer()),
              &run_in_kokkos<space_of_result_t<ResultView>>) {}

  Policy const& get_policy() const { return m_own.members.policy; }

  void execute() {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    static CachedLaunch cached(call_types<Functor, Policy>());
    run_team(ErasedTeam{get_policy().space(), "parallel_reduce", this, &run,
                        &kernel, reported, cached, team_problem(get_policy())});
  }

  __device__ void operator()() const { m_own.closure(); }

 private:
  static constexpr bool own_kernel = OwnTeamReduce<Functor, Reducer, Policy>;
  template <NestedLoops Loops>
  using Pair = typename TeamPair<Functor, Reducer, Policy, Loops>::type;
  template <NestedLoops Loops>
  using OfForm = form_policy_t<Loops, Policy, Pair<Loops>>;
  template <NestedLoops Loops>
  using Closure =
      Kokkos::Impl::ParallelReduce<Pair<Loops>, OfForm<Loops>, Kokkos::Cuda>;
  using Pointer = typename Reducer::pointer_type;

  template <NestedLoops Loops>
  static Pair<Loops> pair(Called const& called) {
    return TeamPair<Functor, Reducer, Policy, Loops>::of(called.get_functor(),
                                                         called.get_reducer());
  }
  /// Policy with the team size that Kokkos chooses if the caller sets none.
  static Policy sized(Called const& called, Policy const& policy) {
    Policy sized = policy;
    if (policy.team_size() >= 0) return sized;
    auto const own = pair<NestedLoops::kokkos>(called);
    int const size = Impl::recommended_team_size(policy, own.get_functor(),
                                                 own.get_reducer());
    if (size > 0) sized.impl_set_team_size(std::size_t(size));
    return sized;
  }
  static void const* kernel(NestedLoops loops) {
    constexpr auto kokkos = NestedLoops::kokkos;
    constexpr auto other  = NestedLoops::overlapped;
    if (loops == kokkos)
      return kernel_of_kokkos<Closure<kokkos>, OfForm<kokkos>>();
    if constexpr (own_kernel) {
      return kernel_of_team_reduce<Functor, Reducer, Policy>();
    } else {
      return kernel_of_kokkos<Closure<other>, OfForm<other>>();
    }
  }
  template <NestedLoops Loops, class MemorySpace>
  void run_form() const {
    Closure<Loops>(pair<Loops>(m_own.members.called),
                   OfForm<Loops>(get_policy()),
                   NativeResult<Pointer, MemorySpace>{m_own.members.result})
        .execute();
  }
  template <class MemorySpace>
  static void run_in_kokkos(RoutedTeamReduce const& routed, NestedLoops loops) {
    if constexpr (!own_kernel) {
      if (loops == NestedLoops::overlapped)
        return routed.template run_form<NestedLoops::overlapped, MemorySpace>();
    }
    routed.template run_form<NestedLoops::kokkos, MemorySpace>();
  }
  static void run(void const* self, NestedLoops loops) {
    auto const& routed = *static_cast<RoutedTeamReduce const*>(self);
    if constexpr (own_kernel) {
      if (loops == NestedLoops::overlapped && routed.launch()) return;
    }
    routed.m_own.members.run_in_kokkos(routed, loops);
  }
  /// Returns false if Kokkos must run the call. It throws for teams that are
  /// too large.
  bool launch() const {
    auto const& own = m_own.members;
    auto const made = pair<NestedLoops::kokkos>(own.called);
    return own.policy.team_size() <=
               Impl::largest_team_size(own.policy, made.get_functor(),
                                       made.get_reducer()) &&
           Impl::run_team_reduce(
               own.called.get_functor(), own.called.get_reducer(), own.policy,
               own.result, own.result_on_device, own.must_wait);
  }

  struct Members {
    Called called;
    Policy policy;
    Pointer result;
    bool result_on_device, must_wait;
    void (*run_in_kokkos)(RoutedTeamReduce const&, NestedLoops);
  };
  MembersOrClosure<Members, Closure<NestedLoops::kokkos>> m_own;
};

}  // namespace KokkosMMA::Impl

namespace Kokkos::Impl {

template <class F, class... Traits>
requires KokkosMMA::Impl::RoutableTeam<F, TeamPolicy<Traits...>>
class ParallelFor<F, TeamPolicy<Traits...>, Cuda>
    : public KokkosMMA::Impl::RoutedTeamFor<F, TeamPolicy<Traits...>> {
  using kokkosmma_base =
      KokkosMMA::Impl::RoutedTeamFor<F, TeamPolicy<Traits...>>;

 public:
  using functor_type = F;
  using kokkosmma_base::kokkosmma_base;
};

template <class F, class R, class... Traits>
requires KokkosMMA::Impl::RoutableTeamReduce<F, R, TeamPolicy<Traits...>>
class ParallelReduce<CombinedFunctorReducer<F, R, void>, TeamPolicy<Traits...>,
                     Cuda>
    : public KokkosMMA::Impl::RoutedTeamReduce<F, R, TeamPolicy<Traits...>> {
  using kokkosmma_base =
      KokkosMMA::Impl::RoutedTeamReduce<F, R, TeamPolicy<Traits...>>;

 public:
  using FunctorType    = F;
  using ReducerType    = R;
  using functor_type   = F;
  using reducer_type   = R;
  using size_type      = Cuda::size_type;
  using value_type     = typename R::value_type;
  using pointer_type   = typename R::pointer_type;
  using reference_type = typename R::reference_type;
  using kokkosmma_base::kokkosmma_base;
};

template <class F, class R, class... Traits>
requires(KokkosMMA::Impl::RoutableTeam<F, Kokkos::TeamPolicy<Traits...>>&&
             KokkosMMA::Impl::TeamArrays<
                 F, R>) class ParallelReduce<CombinedFunctorReducer<F, R, void>,
                                             Kokkos::TeamPolicy<Traits...>,
                                             Kokkos::Cuda>
    : public KokkosMMA::Impl::ArrayClosure<F, R,
                                           Kokkos::TeamPolicy<Traits...>> {
  using kokkosmma_policy = Kokkos::TeamPolicy<Traits...>;
  using kokkosmma_base = KokkosMMA::Impl::ArrayClosure<F, R, kokkosmma_policy>;

 public:
  using FunctorType  = F;
  using functor_type = F;

  template <class ResultView>
  ParallelReduce(CombinedFunctorReducer<F, R, void> const& called,
                 kokkosmma_policy const& policy, ResultView const& result)
      : kokkosmma_base(KokkosMMA::Impl::ArrayPair<F, R, kokkosmma_policy>::of(
                           called.get_functor(), called.get_reducer()),
                       policy, result) {}
};

}  // namespace Kokkos::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
