// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_TEAM_HPP
#define KOKKOSMMA_INTERCEPT_TEAM_HPP

/// \file
/// Kokkos::parallel_for and parallel_reduce over TeamPolicy on Kokkos::Cuda,
/// taken over inside Kokkos' dispatch by partial specialisations that are more
/// specialised than Kokkos' own. Kokkos' kernels run all the same, of a functor
/// of another type: one whose nested reductions have Kokkos' loops, and one in
/// which several calls are under way at a time, which for a reduction is a
/// kernel of ours (adapters/drop_in/KokkosMMA_TeamReduce.hpp). Both have the
/// team size that Kokkos chooses for the first, and make the same calls in the
/// same order: the results have the same bits, and which of both runs is a
/// matter of time alone.

#include <Kokkos_Core.hpp>

#if KOKKOS_VERSION < 40600 || KOKKOS_VERSION >= 60000
#error \
    "KokkosMMA: the interception of team kernels is tested with Kokkos 4.6 to 5.x; use a kokkos-mma that knows this Kokkos"
#endif

#if defined(KOKKOS_ENABLE_CUDA)

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
/// depend on each other it has one call wait for the other rather than use
/// more: rows of a power law took 8650 us so, with bounds 3080, by Kokkos 8530
/// (8 lanes, H100, 2026-11-26). A kernel with bounds of 1024 threads can run
/// with blocks of any size; with bounds of 512 the mean of perf_nested was the
/// same. What it lacks in registers it spills, and Kokkos' loops run then,
/// since they are faster.
template <NestedLoops Loops, class Policy>
struct FormPolicy {
  using type = Policy;
};
template <class... Traits>
requires(std::is_same_v<
         typename Kokkos::TeamPolicy<Traits...>::launch_bounds,
         Kokkos::LaunchBounds<>>) struct FormPolicy<NestedLoops::overlapped,
                                                    Kokkos::TeamPolicy<
                                                        Traits...>> {
  using type = Kokkos::TeamPolicy<Traits..., Kokkos::LaunchBounds<1024, 1>>;
};
template <NestedLoops Loops, class Policy>
using form_policy_t = typename FormPolicy<Loops, Policy>::type;

template <class Functor, class Policy>
concept RoutableTeam =
    !is_team_functor<Functor> && !Policy::is_graph_kernel::value;

/// Of a reduction.
struct ReducedTeams {
  void* pointer;
  bool on_device;
};

/// What both patterns have in common. `Closures::Closure<Loops>` is Kokkos'
/// closure in a form.
template <class Closures, class Policy>
class RoutedTeam {
 public:
  Policy const& get_policy() const { return m_closure.get_policy(); }

  void execute() {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    static SettledLaunch settled;
    Policy const& policy = get_policy();
    run_team(ErasedTeam{policy.space(), Closures::pattern, this, &run, reported,
                        settled, problem(policy)});
  }

  __device__ void operator()() const { m_closure(); }

 protected:
  template <class... Arguments>
  explicit RoutedTeam(Arguments const&... arguments)
      : m_closure(arguments...) {}

 private:
  using Own = typename Closures::template Closure<NestedLoops::kokkos>;

  static TeamProblem problem(Policy const& policy) {
    TeamProblem problem;
    if (policy.league_size() > 0) problem.teams = policy.league_size();
    if (policy.team_size() > 0)
      problem.threads = policy.team_size() * policy.impl_vector_length();
    return problem;
  }

  static void run(void* self, NestedLoops loops) {
    Own& own = static_cast<RoutedTeam*>(self)->m_closure;
    if (loops == NestedLoops::kokkos) {
      own.execute();
      return;
    }
    if constexpr (Closures::has_own_kernel) {
      if (!Closures::launch(own, static_cast<RoutedTeam*>(self)->m_result))
        own.execute();
    } else {
      run_overlapped(own);
    }
  }
  /// A closure of the same bytes runs the other form. It is copied as bytes and
  /// not destroyed: what it holds belongs to the first one.
  static void run_overlapped(Own& own) {
    using Overlapped =
        typename Closures::template Closure<NestedLoops::overlapped>;
    static_assert(sizeof(Own) == sizeof(Overlapped) &&
                  alignof(Own) == alignof(Overlapped));
    alignas(Overlapped) std::byte bytes[sizeof(Overlapped)];
    std::memcpy(bytes, static_cast<void const*>(&own), sizeof(Overlapped));
    reinterpret_cast<Overlapped*>(bytes)->execute();
  }

  Own m_closure;

 protected:
  ReducedTeams m_result{};
};

template <class Functor, class Policy>
struct TeamLoops {
  static constexpr bool has_own_kernel = false;
  static constexpr char const* pattern = "parallel_for";
  template <NestedLoops Loops>
  using Wrapped = TeamFunctor<Functor, void, Loops>;
  template <NestedLoops Loops>
  using Closure =
      Kokkos::Impl::ParallelFor<Wrapped<Loops>, form_policy_t<Loops, Policy>,
                                Kokkos::Cuda>;
};

/// What Kokkos' closure asks for, under the name that it has in this Kokkos.
template <class Policy, class Functor, class Reducer>
int recommended_team_size(Policy const& policy, Functor const& functor,
                          Reducer const& reducer) {
  constexpr Kokkos::ParallelReduceTag tag{};
  if constexpr (requires {
                  policy.team_size_recommended_internal(functor, reducer, tag);
                })
    return policy.team_size_recommended_internal(functor, reducer, tag);
  else
    return policy.team_size_recommended(functor, reducer, tag);
}

template <class Functor, class Reducer, class Policy>
struct TeamReductions {
  static constexpr bool has_own_kernel = OwnTeamReduce<Reducer, Policy>;
  static constexpr char const* pattern = "parallel_reduce";
  template <NestedLoops Loops>
  using Pair = Kokkos::Impl::CombinedFunctorReducer<
      TeamFunctor<Functor, typename Reducer::value_type, Loops>, Reducer>;
  template <NestedLoops Loops>
  using Closure =
      Kokkos::Impl::ParallelReduce<Pair<Loops>, form_policy_t<Loops, Policy>,
                                   Kokkos::Cuda>;

  /// The pair is the first member of Kokkos' closure (4.6 to 5.2).
  template <class Own>
  static bool launch(Own const& own, ReducedTeams const& result) {
    auto const& pair = reinterpret_cast<Pair<NestedLoops::kokkos> const&>(own);
    return run_team_reduce(pair.get_functor().functor, pair.get_reducer(),
                           own.get_policy(), result.pointer, result.on_device);
  }

  /// With the team size that Kokkos chooses where the caller leaves it open.
  static Policy sized(Pair<NestedLoops::kokkos> const& pair,
                      Policy const& policy) {
    Policy sized = policy;
    if (policy.team_size() >= 0) return sized;
    int const size =
        recommended_team_size(policy, pair.get_functor(), pair.get_reducer());
    if (size > 0) sized.impl_set_team_size(std::size_t(size));
    return sized;
  }
};

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
  using Own =
      KokkosMMA::Impl::TeamFunctor<F, void,
                                   KokkosMMA::Impl::NestedLoops::kokkos>;

 public:
  using Policy       = Kokkos::TeamPolicy<Traits...>;
  using functor_type = F;

  static_assert(sizeof(Own) == sizeof(F) && alignof(Own) == alignof(F));

  ParallelFor(F const& functor, Policy const& policy)
      : ParallelFor::RoutedTeam(reinterpret_cast<Own const&>(functor), policy) {
  }
};

template <class F, class R, class... Traits>
requires(KokkosMMA::Impl::RoutableTeam<F, Kokkos::TeamPolicy<Traits...>>&&
             R::static_value_size() !=
         0) class ParallelReduce<CombinedFunctorReducer<F, R, void>,
                                 Kokkos::TeamPolicy<Traits...>, Kokkos::Cuda>
    : public KokkosMMA::Impl::RoutedTeam<
          KokkosMMA::Impl::TeamReductions<F, R, Kokkos::TeamPolicy<Traits...>>,
          Kokkos::TeamPolicy<Traits...>> {
  using Reductions =
      KokkosMMA::Impl::TeamReductions<F, R, Kokkos::TeamPolicy<Traits...>>;
  using Pair =
      typename Reductions::template Pair<KokkosMMA::Impl::NestedLoops::kokkos>;
  using Own = typename Pair::functor_type;

 public:
  using Policy         = Kokkos::TeamPolicy<Traits...>;
  using FunctorType    = F;
  using ReducerType    = R;
  using functor_type   = F;
  using reducer_type   = R;
  using size_type      = Kokkos::Cuda::size_type;
  using value_type     = typename R::value_type;
  using pointer_type   = typename R::pointer_type;
  using reference_type = typename R::reference_type;

  template <class ResultView>
  ParallelReduce(CombinedFunctorReducer<F, R, void> const& pair,
                 Policy const& policy, ResultView const& result)
      : ParallelReduce(Pair(reinterpret_cast<Own const&>(pair.get_functor()),
                            pair.get_reducer()),
                       policy, result, 0) {}

 private:
  template <class ResultView>
  ParallelReduce(Pair const& pair, Policy const& policy,
                 ResultView const& result, int)
      : ParallelReduce::RoutedTeam(pair, Reductions::sized(pair, policy),
                                   result) {
    this->m_result = {
        result.data(),
        KokkosMMA::Impl::device_writes<typename ResultView::memory_space>};
  }
};

}  // namespace Kokkos::Impl

#endif  // KOKKOS_ENABLE_CUDA
#endif
