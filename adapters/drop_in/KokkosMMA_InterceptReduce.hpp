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
/// a scalar result, the choice of overload. Reductions of values and of arrays
/// have a closure each; policies become ranges of indices.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleData.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/drop_in/KokkosMMA_MultiIndex.hpp>
#include <adapters/drop_in/KokkosMMA_RoutableReduce.hpp>
#include <adapters/drop_in/KokkosMMA_TaggedCall.hpp>
#include <adapters/kokkos/KokkosMMA_RegisterKokkos.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ArrayReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>
#if defined(KOKKOSMMA_EXACT_FUNCTORS)
#include <adapters/drop_in/KokkosMMA_ExactFunctors.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace KokkosMMA::Impl {

/// A policy as one range of indices and a functor that is invoked with them.
template <class Policy>
struct Flattened;

template <class... Traits>
struct Flattened<Kokkos::RangePolicy<Traits...>> {
  using Policy                     = Kokkos::RangePolicy<Traits...>;
  using Index                      = typename Policy::member_type;
  static constexpr Pattern pattern = Pattern::range;
  static constexpr int indices     = 1;

  static std::uint64_t size(Policy const& policy) {
    return size_of_range(policy);
  }
  static Index begin(Policy const& policy) { return policy.begin(); }
  template <class Functor>
  using Call = TaggedCall<Functor, typename Policy::work_tag>;

  /// Argument of a kernel that expects a Call: the functor itself.
  template <class Functor>
  static Functor const& call(Functor const& functor, Policy const&, int) {
    return functor;
  }
  /// Number of elements that a kernel iterates over.
  template <class Functor>
  static std::uint64_t places(Functor const&, std::uint64_t size) {
    return size;
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
      // Saturates: the policy is rejected, whatever the exact number.
      if (product < max_flattened_indices) product *= std::uint64_t(extent);
    }
    return product;
  }
  static Index begin(Policy const&) { return 0; }
  template <class Functor>
  using Call = MultiIndexCall<TaggedCall<Functor, typename Policy::work_tag>,
                              typename Policy::index_type, int(Policy::rank),
                              Policy::inner_direction == Kokkos::Iterate::Left>;

  /// \param threads block size for which the kernel is tuned
  template <class Functor>
  static Call<Functor> call(Functor const& functor, Policy const& policy,
                            int threads) {
    using Tagged = TaggedCall<Functor, typename Policy::work_tag>;
    return multi_index_call<Tagged, typename Policy::index_type,
                            int(Policy::rank),
                            Policy::inner_direction == Kokkos::Iterate::Left>(
        functor, policy.m_lower, policy.m_upper, threads);
  }
  template <class Call>
  static std::uint64_t places(Call const& call, std::uint64_t size) {
    return size == 0 ? 0 : call.places();
  }
};

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

template <class MemorySpace>
inline constexpr bool host_writes =
    Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                               MemorySpace>::accessible;

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

/// Closure of a routable reduction, with the interface of Kokkos' closure. Its
/// functions have other symbols than Kokkos'. Kokkos' own closure is
/// constructed only if it runs: copying a functor with Views is a page of code.
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
        m_result_on_host(host_writes<space_of_result_t<ResultView>>),
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

  /// The call without the types of functor and value.
  /// \param call, begin the kernel's first and third argument
  ErasedCall erased_call(void const* kernel, void const* call,
                         void const* begin, std::size_t value_bytes,
                         std::atomic_flag& reported,
                         CallPlan const* plan = nullptr) const {
    return {m_policy.space(),
            this,
            m_run_native,
            kernel,
            {call, &reducer(), begin},
            m_result,
            m_result_on_device,
            value_bytes,
            &desul::ensure_cuda_lock_arrays_on_device,
            reported,
            plan,
            m_must_wait,
            m_result_on_host};
  }

  NativePair m_pair;
  Policy m_policy;
  pointer_type m_result;
  bool m_result_on_device, m_must_wait, m_result_on_host;
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
    typename Flat::Index const begin = Flat::begin(m_policy);
    auto const& call = Flat::call(functor, m_policy, Tuning::value.threads);
    auto const kernel =
        &Cuda::streamed_reduce<Running, Tuning, typename Flat::Index,
                               value_type, Call, Reducer,
                               has_copies(sizeof(Functor) + sizeof(Reducer))>;
    ErasedReduce erased{Base::erased_call(reinterpret_cast<void const*>(kernel),
                                          std::addressof(call), &begin,
                                          sizeof(value_type), reported, plan),
                        types(), Tuning::value, sizeof(typename Running::Value),
                        nullptr};
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
  using Tuning  = TuningOf<Reducer, Functor, Flat::indices>;

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

/// Whether value_count is a non-static member and an integer.
template <class Functor>
concept HasCount = requires {
  requires std::is_member_object_pointer_v<decltype(&Functor::value_count)>;
  requires std::is_integral_v<decltype(Functor::value_count)>;
};

/// Closure of a reduction whose value a thread keeps in shared memory.
template <class Functor, class Reducer, class PolicyT>
class RoutedArrays : public ReduceClosure<Functor, Reducer, PolicyT> {
  using Base = ReduceClosure<Functor, Reducer, PolicyT>;
  using typename Base::Call;
  using typename Base::Flat;

 public:
  using Base::Base;
  using typename Base::value_type;

  void execute() {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    Reducer const& reducer           = Base::reducer();
    typename Flat::Index const begin = Flat::begin(Base::m_policy);
    auto const& call = Flat::call(Base::functor(), Base::m_policy, 0);
    ErasedArrays erased{
        Base::erased_call(kernel<false>(), std::addressof(call), &begin,
                          reducer.value_size(), reported),
        {},
        Tuning::value,
        reducer.value_count(),
        alignof(value_type),
        nullptr};
    if constexpr (has_count) {
      if (unsigned(Base::functor().value_count) == erased.count)
        erased.kernel_in_registers = kernel<true>();
    }
    erased.problem.size          = Flat::size(Base::m_policy);
    erased.problem.fixed_size    = !is_array;
    erased.problem.sum           = adds<Reducer>();
    erased.problem.value_bytes   = erased.value_bytes;
    erased.problem.functor_bytes = sizeof(Functor) + sizeof(Reducer);
    run_arrays(erased);
  }

 private:
  static constexpr bool is_array = is_array_reducer<Reducer>;
  // Copying and adding numbers has no side effects.
  static constexpr bool sums_numbers =
      is_array && adds<Reducer>() && std::is_trivially_copyable_v<value_type> &&
      sizeof(value_type) <= 16;
  // Large functors would be copied to local memory. The functor's value_count
  // is another number if the array belongs to a separate reducer.
  static constexpr bool has_count =
      is_array && sizeof(value_type) <= 16 && sizeof(Functor) <= 1024 &&
      HasCount<Functor> && HasCount<typename Reducer::functor_type>;
  using Tuning = Cuda::tuning_type<array_tuning(is_array, sizeof(value_type))>;

  template <bool InRegisters>
  static void const* kernel() {
    return reinterpret_cast<void const*>(
        &Cuda::array_reduce<Tuning, InRegisters, sums_numbers,
                            typename Flat::Index, value_type, Call, Reducer,
                            has_copies(sizeof(Functor) + sizeof(Reducer))>);
  }
};

/// Closure of a routable reduction.
template <class Functor, class Reducer, class Policy>
using Routed = std::conditional_t<ValueInRegisters<Reducer>,
                                  RoutedReduce<Functor, Reducer, Policy>,
                                  RoutedArrays<Functor, Reducer, Policy>>;

/// \tparam Own whether the functor is one of this library
template <class Functor, class Reducer, class Policy, bool Own>
concept RoutableReduce = (OwnFunctor<Functor> == Own) &&
                         !Policy::is_graph_kernel::value
                         && RoutableTypes<Functor, Reducer, Policy>;

}  // namespace KokkosMMA::Impl

/// Specialises Kokkos' closure for POLICY. Written in Kokkos' namespace: nvcc
/// 13.0 loses the qualification of names in the constraint of a specialisation
/// that is declared from outside.
#define KOKKOSMMA_IMPL_ROUTE_REDUCE(POLICY, OWN)                              \
  namespace Kokkos::Impl {                                                    \
  template <class F, class R, class... Traits>                                \
  requires KokkosMMA::Impl::RoutableReduce<F, R, POLICY<Traits...>, OWN>      \
  class ParallelReduce<CombinedFunctorReducer<F, R, void>, POLICY<Traits...>, \
                       Cuda>                                                  \
      : public KokkosMMA::Impl::Routed<F, R, POLICY<Traits...>> {             \
    using kokkosmma_base = KokkosMMA::Impl::Routed<F, R, POLICY<Traits...>>;  \
                                                                              \
   public:                                                                    \
    using kokkosmma_base::kokkosmma_base;                                     \
  };                                                                          \
  }

KOKKOSMMA_IMPL_ROUTE_REDUCE(RangePolicy, true)

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
