// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_SCAN_HPP
#define KOKKOSMMA_INTERCEPT_SCAN_HPP

/// \file
/// Kokkos::parallel_scan over RangePolicy on Kokkos::Cuda, intercepted as in
/// KokkosMMA_InterceptReduce.hpp. The partial specialisations here have the
/// arguments of Kokkos' own and a constraint, so the compiler prefers them.
/// NativeFunctor, which the constraint rejects, wraps functors for Kokkos' own.

#include <adapters/drop_in/KokkosMMA_InterceptReduce.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleData.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <backends/cuda/kernels/scan/KokkosMMA_StreamedScan.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Wrapper of a functor. The wrapper is never routed. It declares the value
/// type, which Kokkos deduces from pointers to the functor's own members.
template <class Functor, class Value>
struct NativeFunctor : Functor {
  using kokkosmma_native = void;
  using value_type       = Value;
  explicit NativeFunctor(Functor const& functor) : Functor(functor) {}
  using Functor::operator();
  // Kokkos takes the functor's address; the functor may overload `&`.
  KOKKOS_FORCEINLINE_FUNCTION auto* operator&() const { return this; }
};

/// Wrapper of a final functor, which cannot be a base class.
template <class Functor, class Value>
requires std::is_final_v<Functor>
struct NativeFunctor<Functor, Value> {
  using kokkosmma_native = void;
  using value_type       = Value;
  Functor functor;
  explicit NativeFunctor(Functor const& f) : functor(f) {}
  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Arguments&&... arguments) const {
    functor(static_cast<Arguments&&>(arguments)...);
  }
};

template <class Functor, class Value>
Functor const& functor_of(NativeFunctor<Functor, Value> const& native) {
  if constexpr (std::is_final_v<Functor>) {
    return native.functor;
  } else {
    return native;
  }
}

/// Reducer of Kokkos' default sum. Kokkos' own would hold a copy of the
/// functor.
template <class T>
struct DefaultSum {
  KOKKOS_FORCEINLINE_FUNCTION void init(T* value) const { new (value) T(); }
  KOKKOS_FORCEINLINE_FUNCTION void join(T* into, T const* from) const {
    *into += *from;
  }
};

/// `Result` is the type of the total, void without one.
template <class Functor, class Policy, class Result>
using ScanAnalysis =
    Kokkos::Impl::FunctorAnalysis<Kokkos::Impl::FunctorPatternInterface::SCAN,
                                  Policy, Functor, Result>;

template <class Analysis>
inline constexpr bool is_default_sum =
    !Analysis::has_join_member_function && !Analysis::has_init_member_function;

template <class Analysis>
using ScanReducer =
    std::conditional_t<is_default_sum<Analysis>,
                       DefaultSum<typename Analysis::value_type>,
                       typename Analysis::Reducer>;

template <class Functor, class Policy, class Result>
constexpr bool routable_scan() {
  if constexpr (IsNative<Functor> || !std::is_class_v<Functor> ||
                Policy::is_graph_kernel::value) {
    return false;
  } else {
    using Analysis = ScanAnalysis<Functor, Policy, Result>;
    using Value    = typename Analysis::value_type;
    return Analysis::StaticValueSize == sizeof(Value) &&
           sizeof(Value) <= max_value_bytes &&
           (!std::is_final_v<Functor> ||
            is_default_sum<Analysis>)&&sizeof(Functor) +
                   sizeof(ScanReducer<Analysis>) <=
               max_argument_functor_bytes;
  }
}

/// Closure of a routable scan, with the interface of Kokkos' closures. Its
/// functions have other symbols than Kokkos'. `Native` is Kokkos' closure,
/// constructed only if it runs.
template <class Functor, class PolicyT, class Result, class Native>
class RoutedScan {
  using Analysis = ScanAnalysis<Functor, PolicyT, Result>;
  using Reducer  = ScanReducer<Analysis>;

 public:
  using Policy         = PolicyT;
  using value_type     = typename Analysis::value_type;
  using pointer_type   = typename Analysis::pointer_type;
  using reference_type = typename Analysis::reference_type;
  using functor_type   = Functor;

  template <class... ResultView>
  RoutedScan(Functor const& functor, Policy const& policy,
             ResultView const&... result)
      : m_functor(functor),
        m_policy(policy),
        m_run_native(&run_native<typename ResultView::memory_space...>) {
    ((m_result           = result.data(),
      m_result_on_device = device_writes<typename ResultView::memory_space>),
     ...);
  }

  Policy const& get_policy() const { return m_policy; }

  void execute() {
    // Without indices Kokkos does not write the total.
    if (size() == 0)
      m_run_native(this);
    else
      run(nullptr);
  }

  /// run() for a call by name. Copies of Views do not change reference counts.
  static Route run_planned(CallPlan const& plan, auto const&... arguments) {
    auto const closure =
        Kokkos::Impl::construct_with_shared_allocation_tracking_disabled<
            RoutedScan>(arguments...);
    return closure.run(&plan);
  }

  /// Runs the call, which has indices, and returns the route that ran.
  /// \param plan what the caller decided, or null
  Route run(CallPlan const* plan) const {
    static_cast<void>(&kokkos_is_registered<std::void_t<Functor>>);
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    auto const kernel                = reinterpret_cast<void const*>(
        &Cuda::streamed_scan<Scanned, Tuning, Index, value_type, Call, Reducer,
                             has_copies(sizeof(Functor) + sizeof(Reducer))>);
    constexpr std::size_t shared =
        sizeof(Cuda::StreamedScanMemory<typename Scanned::Value, Tuning>);
    Index const begin  = m_policy.begin();
    auto const reducer = [&]() -> Reducer {
      if constexpr (is_default_sum<Analysis>) {
        return {};
      } else {
        return Reducer{functor()};
      }
    }();
    ErasedScan erased{{m_policy.space(),
                       this,
                       m_run_native,
                       kernel,
                       {std::addressof(functor()), &reducer, &begin},
                       m_result,
                       m_result_on_device,
                       sizeof(value_type),
                       &desul::ensure_cuda_lock_arrays_on_device,
                       reported},
                      {},
                      Tuning::value,
                      shared,
                      Cuda::look_back_size<typename Scanned::Value>,
                      nullptr};
    erased.plan                  = plan;
    erased.may_lose_errors       = OwnFunctor<Functor>;
    erased.problem.value_bytes   = sizeof(value_type);
    erased.problem.functor_bytes = sizeof(Functor) + sizeof(Reducer);
    erased.problem.size          = size();
    if constexpr (Data::visible) {
      Data::describe(functor(), erased.problem);
    }
    if constexpr (tile_compiled()) {
      erased.scan_tiles = &scan_tiles;
    }
    return run_scan(erased);
  }

 private:
  using Index = typename Policy::member_type;
  using Data  = VisibleScan<Functor>;
  using Call  = TaggedCall<Functor, typename Policy::work_tag>;

  static constexpr bool sum_in_float =
      is_16bit_float(scalar_v<value_type>) && is_default_sum<Analysis>;
  using Scanned = std::conditional_t<
      sum_in_float, Cuda::ScannedSumInFloat<Reducer, value_type>,
      std::conditional_t<
          has_no_identity<value_type>,
          WithoutIdentity<Cuda::ScannedValue<Reducer, value_type>>,
          Cuda::ScannedValue<Reducer, value_type>>>;
  using Tuning =
      Cuda::tuning_type<streamed_scan_tuning(sizeof(typename Scanned::Value))>;

  static constexpr bool tile_compiled() {
    if constexpr (Data::visible) {
      return Data::tile_compiled;
    } else {
      return false;
    }
  }

  Functor const& functor() const { return Impl::functor_of(m_functor); }
  std::uint64_t size() const { return size_of_range(m_policy); }

  template <class... MemorySpace>
  static void run_native(void const* self) {
    auto const& closure = *static_cast<RoutedScan const*>(self);
    Native(closure.m_functor, closure.m_policy,
           NativeResult<pointer_type, MemorySpace>{closure.m_result}...)
        .execute();
  }

  /// Scans visible data, or returns false if they are strided.
  static bool scan_tiles(void const* self, Cuda::StreamScratch const& scratch) {
    auto const& closure = *static_cast<RoutedScan const*>(self);
    return Data::scan(closure.functor(), closure.m_policy.space(), scratch,
                      std::uint64_t(closure.m_policy.begin()), closure.size(),
                      closure.m_result, closure.m_result_on_device);
  }

  NativeFunctor<Functor, value_type> m_functor;
  Policy m_policy;
  pointer_type m_result   = nullptr;
  bool m_result_on_device = false;
  void (*m_run_native)(void const*);
};

template <class Functor, class Policy>
using NativeScan = Kokkos::Impl::ParallelScan<
    NativeFunctor<Functor,
                  typename ScanAnalysis<Functor, Policy, void>::value_type>,
    Policy, Kokkos::Cuda>;
template <class Functor, class Policy, class Result>
using NativeScanWithTotal = Kokkos::Impl::ParallelScanWithTotal<
    NativeFunctor<Functor,
                  typename ScanAnalysis<Functor, Policy, Result>::value_type>,
    Policy, Result, Kokkos::Cuda>;

/// `type` is the functor that this library's kernel invokes, with the outputs
/// of `Functor`; `Native` is Kokkos' own scan. KokkosMMA_StdScans.hpp has
/// specialisations, for scans without a total.
template <class Functor>
struct ScannedInstead {
  using type = Functor;
  template <class Policy>
  using Native = NativeScan<Functor, Policy>;
};

template <class F, class Policy>
using RoutedScanOf =
    RoutedScan<typename ScannedInstead<F>::type, Policy, void,
               typename ScannedInstead<F>::template Native<Policy>>;
template <class F, class Policy, class Result>
using RoutedScanWithTotalOf =
    RoutedScan<F, Policy, Result, NativeScanWithTotal<F, Policy, Result>>;

/// \tparam Own whether the functor is one of this library
template <class Functor, class Policy, bool Own, class Result = void>
concept RoutableScan = (OwnFunctor<Functor> == Own) &&
                       (routable_scan<Functor, Policy, Result>());

}  // namespace KokkosMMA::Impl

/// Specialises Kokkos' closures, in Kokkos' namespace as
/// KOKKOSMMA_IMPL_ROUTE_REDUCE does.
#define KOKKOSMMA_IMPL_ROUTE_SCAN(OWN)                                        \
  namespace Kokkos::Impl {                                                    \
  template <class F, class... Traits>                                         \
  requires KokkosMMA::Impl::RoutableScan<F, RangePolicy<Traits...>, OWN>      \
  class ParallelScan<F, RangePolicy<Traits...>, Cuda>                         \
      : public KokkosMMA::Impl::RoutedScanOf<F, RangePolicy<Traits...>> {     \
    using kokkosmma_base =                                                    \
        KokkosMMA::Impl::RoutedScanOf<F, RangePolicy<Traits...>>;             \
                                                                              \
   public:                                                                    \
    using kokkosmma_base::kokkosmma_base;                                     \
  };                                                                          \
  template <class F, class R, class... Traits>                                \
  requires KokkosMMA::Impl::RoutableScan<F, RangePolicy<Traits...>, OWN, R>   \
  class ParallelScanWithTotal<F, RangePolicy<Traits...>, R, Cuda>             \
      : public KokkosMMA::Impl::RoutedScanWithTotalOf<                        \
            F, RangePolicy<Traits...>, R> {                                   \
    using kokkosmma_base =                                                    \
        KokkosMMA::Impl::RoutedScanWithTotalOf<F, RangePolicy<Traits...>, R>; \
                                                                              \
   public:                                                                    \
    using kokkosmma_base::kokkosmma_base;                                     \
  };                                                                          \
  }

KOKKOSMMA_IMPL_ROUTE_SCAN(true)

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
