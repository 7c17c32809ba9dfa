// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_REDUCE_HPP
#define KOKKOSMMA_INTERCEPT_REDUCE_HPP

/// \file
/// Kokkos::parallel_reduce on Kokkos::Cuda, taken over inside Kokkos' dispatch
/// by partial specialisations of Kokkos::Impl::ParallelReduce that are more
/// specialised than Kokkos' own. The template head has been the same since
/// Kokkos 4.1; the versions accepted are those this file was tested with.
///
/// Kokkos' own class is reached with a reducer of another type, for which the
/// constraint is false. Wrapping the reducer and not the pair matters: Kokkos
/// rebuilds the closure from the functor and the reducer type.
///
/// Everything outside execute() stays Kokkos': profiling hooks, fences after a
/// scalar result, the choice of overload.

#include <adapters/kokkos/KokkosMMA_Functors.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleData.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOS_VERSION < 40600 || KOKKOS_VERSION >= 60000
#error \
    "KokkosMMA: the interception of Kokkos::parallel_reduce is tested with Kokkos 4.6 to 5.x; use a kokkos-mma that knows this Kokkos"
#endif

#if defined(KOKKOS_ENABLE_CUDA)

#include <adapters/drop_in/KokkosMMA_MultiIndex.hpp>
#include <adapters/kokkos/KokkosMMA_ToolsTuning.hpp>
#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/kokkos/KokkosMMA_VerboseLines.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_MmaReduce.hpp>
#include <backends/cuda/kernels/papers/KokkosMMA_PaperReduce.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_StreamedReduce.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <atomic>
#include <cstdio>
#include <new>
#include <string>
#include <type_traits>

// Declared here so that an application that does not use them need not parse
// them.
namespace Kokkos::Experimental::Impl {
template <class Scalar>
struct ValueWrapperForNoNeutralElement;
template <class Scalar, class Joiner, class Space>
struct ReducerWithArbitraryJoinerNoNeutralElement;
template <class Value>
struct StdTranformReduceDefaultJoinFunctor;
}  // namespace Kokkos::Experimental::Impl

namespace KokkosMMA::Impl {

/// The same reducer as another type, for which nothing is routed.
template <class Reducer>
struct NativeReducer : Reducer {
  using kokkosmma_native = void;
  NativeReducer(Reducer const& reducer) : Reducer(reducer) {}
  explicit NativeReducer(typename Reducer::functor_type const& functor)
      : Reducer(functor) {}
};

template <class T>
concept IsNative = requires {
  typename T::kokkosmma_native;
};

/// Functors of this library: routed in every translation unit that has their
/// definition, with or without the drop-in header.
template <class F>
concept OwnFunctor = requires {
  typename F::kokkosmma_functor;
};

template <class R>
inline constexpr bool is_sum_reducer = false;
template <class T, class Space>
inline constexpr bool is_sum_reducer<Kokkos::Sum<T, Space>> = true;
template <class T, class Space>
inline constexpr bool is_sum_reducer<KokkosMMA::Sum<T, Space>> = true;
template <class T, class Space>
inline constexpr bool is_sum_reducer<
    Kokkos::Experimental::Impl::ReducerWithArbitraryJoinerNoNeutralElement<
        T, Kokkos::Experimental::Impl::StdTranformReduceDefaultJoinFunctor<T>,
        Space>> = true;

template <class R>
inline constexpr bool is_prod_reducer = false;
template <class T, class Space>
inline constexpr bool is_prod_reducer<Kokkos::Prod<T, Space>> = true;

/// Whether joining is addition and the identity is zero: Kokkos' default, or a
/// reducer known to do that.
template <class Reducer>
constexpr bool adds() {
  return is_sum_reducer<typename Reducer::functor_type> ||
         (!Reducer::has_join_member_function() &&
          !Reducer::has_init_member_function());
}

/// GPUs before compute capability 7.0 have 4096 bytes of kernel arguments.
inline constexpr std::size_t max_argument_functor_bytes =
#if defined(KOKKOS_ARCH_MAXWELL) || defined(KOKKOS_ARCH_PASCAL)
    3800;
#else
    max_functor_bytes;
#endif

template <class Functor, class Reducer>
concept RoutableTypes =
    !IsNative<Reducer> &&
    Reducer::static_value_size() == sizeof(typename Reducer::value_type) &&
    sizeof(typename Reducer::value_type) <= max_value_bytes &&
    sizeof(Functor) + sizeof(Reducer) <= max_argument_functor_bytes;

/// The standard algorithms' custom reductions have no identity: a value that no
/// call has touched says so, and joining it changes nothing. (Kokkos' own join
/// does not look, and takes a zero from idle threads.)
template <class Reducer, class T>
struct RunningWithoutIdentity : Cuda::RunningValue<Reducer, T> {
  __device__ void join(T& into, T const& from) const {
    if (from.is_initial) return;
    if (into.is_initial)
      into = from;
    else
      this->reducer.join(&into, &from);
  }
};

template <class T>
inline constexpr bool has_no_identity = false;
template <class T>
inline constexpr bool has_no_identity<
    Kokkos::Experimental::Impl::ValueWrapperForNoNeutralElement<T>> = true;

/// The number in a value that a sum is stored to, and how it gets there.
template <class T>
struct SumValue : Cuda::ConvertTotal<T> {
  using Number = T;
};
template <class T>
struct SumValue<
    Kokkos::Experimental::Impl::ValueWrapperForNoNeutralElement<T>> {
  using Number = T;
  template <class Total>
  __device__ static auto from(Total total) {
    return Kokkos::Experimental::Impl::ValueWrapperForNoNeutralElement<T>{
        static_cast<T>(total), false};
  }
};

/// Calls the application's functor with its work tag.
template <class Functor, class Tag>
struct TaggedCall {
  Functor functor;

  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Arguments&&... arguments) const {
    if constexpr (std::is_void_v<Tag>) {
      functor(static_cast<Arguments&&>(arguments)...);
    } else {
      functor(Tag(), static_cast<Arguments&&>(arguments)...);
    }
  }
};

/// A policy as one range of indices and a functor that takes them.
template <class Policy>
struct Flattened;

template <class... Traits>
struct Flattened<Kokkos::RangePolicy<Traits...>> {
  using Policy                     = Kokkos::RangePolicy<Traits...>;
  using Index                      = typename Policy::member_type;
  static constexpr Pattern pattern = Pattern::range;
  static constexpr int indices     = 1;

  static std::uint64_t size(Policy const& policy) {
    return policy.end() > policy.begin()
               ? std::uint64_t(policy.end()) - std::uint64_t(policy.begin())
               : 0;
  }
  static Index begin(Policy const& policy) { return policy.begin(); }
  template <class Functor>
  static auto call(Functor const& functor, Policy const&) {
    return TaggedCall<Functor, typename Policy::work_tag>{functor};
  }
};

template <class... Traits>
struct Flattened<Kokkos::MDRangePolicy<Traits...>> {
  using Policy                     = Kokkos::MDRangePolicy<Traits...>;
  using Index                      = std::uint32_t;
  static constexpr Pattern pattern = Pattern::mdrange;
  static constexpr int indices     = int(Policy::rank);

  static std::uint64_t size(Policy const& policy) {
    std::uint64_t product = 1;
    for (int d = 0; d < int(Policy::rank); ++d) {
      auto const extent = policy.m_upper[d] - policy.m_lower[d];
      if (extent <= 0) return 0;
      // Saturates: a refusal follows, the exact number is not needed.
      if (product < max_flattened_indices) product *= std::uint64_t(extent);
    }
    return product;
  }
  static Index begin(Policy const&) { return 0; }
  template <class Functor>
  static auto call(Functor const& functor, Policy const& policy) {
    using Tagged = TaggedCall<Functor, typename Policy::work_tag>;
    return multi_index_call<Tagged, typename Policy::index_type,
                            int(Policy::rank),
                            Policy::inner_direction == Kokkos::Iterate::Left>(
        Tagged{functor}, policy.m_lower, policy.m_upper);
  }
};

/// The line of a call for KOKKOSMMA_VERBOSE, once for each `reported`.
inline void report_route(std::atomic_flag& reported, char const* call,
                         std::uint64_t size, std::size_t value_bytes,
                         RouteDecision const& decision) {
  std::string const label = VerboseLines::seen();
  if (reported.test_and_set()) return;
  std::fprintf(stderr, "KokkosMMA: %s %s%sn=%llu value=%zu bytes %s\n", call,
               label.c_str(), label.empty() ? "" : " ",
               static_cast<unsigned long long>(size), value_bytes,
               to_string(decision).c_str());
}

/// Runs `launch(scratch)`, or says what the call meets that Kokkos has its own
/// answer to: a device without room for scratch, and a captured stream whose
/// result the host would wait for.
template <class Launch>
Refusal with_scratch(Kokkos::Cuda const& space, bool result_on_device,
                     Launch const& launch) {
  try {
    Cuda::StreamScratch const scratch(space);
    if (scratch.captured() && !result_on_device)
      return {"the stream is captured and the result goes to the host",
              "a captured kernel has not run when the call returns"};
    launch(scratch);
    return {};
  } catch (std::bad_alloc const&) {
    return {"the device has no memory left for scratch",
            "backends/cuda/runtime/KokkosMMA_StreamScratch.hpp"};
  }
}

/// A scope or the environment asks for a route wherever it can run: an
/// application's calls never fail because of it.
inline RouteDecision decide_reduce(ReduceProblem const& problem,
                                   Settings const& settings,
                                   Kokkos::Cuda const& space) {
  Capability const machine  = Cuda::capability(space);
  TuningTable const& tuning = Cuda::tuning(space);
  return decide_wish(settings, [&](Settings const& wish) {
    return route_reduce(problem, machine, wish, tuning);
  });
}

/// What Kokkos' closure is for a routable reduction: constructed and executed
/// the same way, no symbol of Kokkos' names in it.
template <class Functor, class Reducer, class PolicyT>
class RoutedReduce {
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
  RoutedReduce(
      Kokkos::Impl::CombinedFunctorReducer<Functor, Reducer> const& pair,
      Policy const& policy, ResultView const& result)
      : m_native(
            {pair.get_functor(), NativeReducer<Reducer>(pair.get_reducer())},
            policy, result),
        m_pair(pair),
        m_policy(policy),
        m_result(result.data()),
        m_result_on_device(
            Kokkos::SpaceAccessibility<
                Kokkos::Cuda, typename ResultView::memory_space>::accessible) {}

  Policy const& get_policy() const { return m_policy; }

  void execute() {
    Settings const settings       = effective_settings();
    ReduceProblem const asked_for = problem(settings);
    RouteDecision decision        = decide(asked_for, settings);
    RouteOfCall const call(asked_for, Cuda::capability(m_policy.space()),
                           settings, decision);
    decision.route                   = call.route();
    bool const done                  = run(decision, settings);
    last_route_of_this_thread()      = decision.route;
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    if (environment_verbose())
      report_route(reported, "parallel_reduce", Flat::size(m_policy),
                   sizeof(value_type), decision);
    if (!done) m_native.execute();
  }

 private:
  using Flat    = Flattened<Policy>;
  using Data    = VisibleData<Functor>;
  using Element = typename Data::Element;
  using Native  = Kokkos::Impl::ParallelReduce<
      Kokkos::Impl::CombinedFunctorReducer<Functor, NativeReducer<Reducer>>,
      Policy, Kokkos::Cuda>;
  static constexpr Scalar element = scalar_v<Element>;
  static constexpr Scalar value =
      scalar_v<typename SumValue<value_type>::Number>;

  static constexpr bool data_visible =
      (Data::source == Source::view || Data::source == Source::product) &&
      Flat::pattern == Pattern::range;
  /// What is known of the data when the call is compiled.
  static constexpr ReduceProblem types() {
    ReduceProblem problem;
    problem.pattern = Flat::pattern;
    problem.source  = data_visible || Data::source == Source::transform
                          ? Data::source
                          : Source::functor;
    problem.input   = element;
    problem.value   = value;
    problem.sum     = adds<Reducer>();
    return problem;
  }
  // Whether a kernel for these types exists: what the route function says of a
  // device that can do everything.
  static constexpr bool may_multiply = [] {
    ReduceProblem problem = types();
    problem.contiguous    = true;
    return !refuse_mma(problem, Capability{true, 90, 1}, Settings{});
  }();
  static constexpr bool multiplies =
      is_prod_reducer<typename Reducer::functor_type>;
  static constexpr bool kept_in_float =
      (adds<Reducer>() || multiplies) && is_16bit_float(scalar_v<value_type>);
  using Running = std::conditional_t<
      kept_in_float,
      Cuda::RunningInFloat<multiplies ? Operation::prod : Operation::sum,
                           Reducer, value_type>,
      std::conditional_t<has_no_identity<value_type>,
                         RunningWithoutIdentity<Reducer, value_type>,
                         Cuda::RunningValue<Reducer, value_type>>>;
  using Call = decltype(Flat::call(std::declval<Functor const&>(),
                                   std::declval<Policy const&>()));
  using Tuned =
      Cuda::TunedFor<sizeof(value_type), Flat::indices, adds<Reducer>()>;

  static auto kernel() {
    return &Cuda::streamed_reduce<Running, Tuned, typename Flat::Index,
                                  value_type, Call, Reducer>;
  }
  Cuda::KernelFacts const& facts() const {
    static Cuda::KernelFacts const once = Cuda::kernel_facts(
        m_policy.space().cuda_device(), kernel(), Tuned::value.threads);
    return once;
  }

  ReduceProblem problem(Settings const& settings) const {
    ReduceProblem problem = types();
    // Nothing of ours runs, and the runtime is not asked about the kernel.
    if (settings.route == Route::generic || m_result == nullptr) {
      problem.compiled = false;
      return problem;
    }
    problem.value_bytes   = sizeof(value_type);
    problem.functor_bytes = sizeof(Functor) + sizeof(Reducer);
    problem.size          = Flat::size(m_policy);
    problem.local_bytes   = facts().local_bytes;
    if constexpr (data_visible) {
      VisibleOperands const operands = Data::operands(m_pair.get_functor());
      problem.contiguous             = operands.contiguous();
      problem.same_alignment         = operands.same_alignment();
    }
    return problem;
  }

  RouteDecision decide(ReduceProblem const& problem,
                       Settings const& settings) const {
    if (settings.route == Route::generic) return RouteDecision{};
    return decide_reduce(problem, settings, m_policy.space());
  }

  /// Launches our kernel, or makes the route generic and says why not.
  bool run(RouteDecision& decision, Settings const& settings) const {
    if (decision.route == Route::generic) return false;
    Refusal const refusal =
        with_scratch(m_policy.space(), m_result_on_device,
                     [&](Cuda::StreamScratch const& scratch) {
                       if constexpr (may_multiply) {
                         if (decision.route == Route::mma) {
                           multiply(scratch, settings);
                           return;
                         }
                       }
                       stream(scratch);
                     });
    if (refusal) decision = {Route::generic, decision.asked, refusal, refusal};
    return !refusal;
  }

  void multiply(Cuda::StreamScratch const& scratch,
                Settings const& settings) const {
    VisibleOperands const operands = Data::operands(m_pair.get_functor());
    std::size_t const skip =
        std::size_t(Flat::begin(m_policy)) * sizeof(Element);
    auto const range = [&](void const* data) {
      return vector_range(static_cast<char const*>(data) + skip,
                          Flat::size(m_policy), sizeof(Element));
    };
    auto const launch = [&](auto const& with) {
      Cuda::launch_mma_reduce<SumValue<value_type>>(
          m_policy.space(), scratch, with, settings.chain_length,
          settings.block_size, m_result, m_result_on_device);
    };
    if constexpr (Data::source == Source::view && element == Scalar::half) {
      if (settings.formulation != Formulation::chained) {
        Cuda::launch_paper_reduce(m_policy.space(), scratch, range(operands.x),
                                  settings, m_result, m_result_on_device);
        return;
      }
    }
    if constexpr (Data::source == Source::view) {
      launch(Cuda::SumOperands<element>{range(operands.x)});
    } else {
      launch(Cuda::DotOperands<element>{range(operands.x), range(operands.y)});
    }
  }

  void stream(Cuda::StreamScratch const& scratch) const {
    Kokkos::Cuda const& space = m_policy.space();
    // Functors may use atomics that take a lock; its state is per translation
    // unit.
    desul::ensure_cuda_lock_arrays_on_device();
    std::uint64_t const size   = Flat::size(m_policy);
    Cuda::Device const& device = Cuda::device(space.cuda_device());
    LaunchShape const shape    = streamed_reduce_shape(
           *device.tuning, Tuned::value, size, device.multiprocessors,
           facts().resident_blocks, Cuda::max_partials);
    Cuda::GridScratch const grid =
        scratch->grid(shape.blocks, sizeof(typename Running::Value));
    scratch.deliver(
        m_result, m_result_on_device,
        [&](Cuda::ResultSink<value_type> const& sink) {
          Cuda::launch_kernel(
              space, "streamed_reduce",
              Cuda::streamed_reduce<Running, Tuned, typename Flat::Index,
                                    value_type, Call, Reducer>,
              {shape.blocks, shape.threads},
              Flat::call(m_pair.get_functor(), m_policy), m_pair.get_reducer(),
              Flat::begin(m_policy), size, grid, sink);
        });
    // The value may come before what the functor wrote to other memory of the
    // host. Kokkos waits here too, and after a scalar once more.
    if (!m_result_on_device) scratch.wait();
  }

  Native m_native;
  Kokkos::Impl::CombinedFunctorReducer<Functor, Reducer> m_pair;
  Policy m_policy;
  pointer_type m_result;
  bool m_result_on_device;
};

}  // namespace KokkosMMA::Impl

/// Specialises Kokkos' closure for POLICY where WHEN holds. Written in Kokkos'
/// namespace: nvcc 13.0 loses the qualification of names in the constraint of a
/// specialisation that is declared from outside.
#define KOKKOSMMA_IMPL_ROUTE_REDUCE(POLICY, WHEN)                              \
  namespace Kokkos::Impl {                                                     \
  template <class F, class R, class... Traits>                                 \
  requires(                                                                    \
      WHEN && !Kokkos::POLICY<Traits...>::is_graph_kernel::value &&            \
      KokkosMMA::Impl::RoutableTypes<                                          \
          F, R>) class ParallelReduce<CombinedFunctorReducer<F, R, void>,      \
                                      Kokkos::POLICY<Traits...>, Kokkos::Cuda> \
      : public KokkosMMA::Impl::RoutedReduce<F, R,                             \
                                             Kokkos::POLICY<Traits...>> {      \
    using kokkosmma_base =                                                     \
        KokkosMMA::Impl::RoutedReduce<F, R, Kokkos::POLICY<Traits...>>;        \
                                                                               \
   public:                                                                     \
    using kokkosmma_base::kokkosmma_base;                                      \
  };                                                                           \
  }

KOKKOSMMA_IMPL_ROUTE_REDUCE(RangePolicy, KokkosMMA::Impl::OwnFunctor<F>)

#endif  // KOKKOS_ENABLE_CUDA
#endif
