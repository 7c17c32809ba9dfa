// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_SCAN_HPP
#define KOKKOSMMA_INTERCEPT_SCAN_HPP

/// \file
/// Kokkos::parallel_scan over RangePolicy on Kokkos::Cuda, taken over as
/// KokkosMMA_InterceptReduce.hpp says: here by partial specialisations of the
/// same shape as Kokkos' own, which are preferred because they are constrained.
/// Kokkos' own class is reached with a functor of another type.

#include <adapters/drop_in/KokkosMMA_InterceptReduce.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>
#include <adapters/kokkos/KokkosMMA_ToolsTuning.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#if defined(KOKKOS_ENABLE_CUDA)

#include <backends/cuda/kernels/scan/KokkosMMA_StreamedScan.hpp>
#include <backends/cuda/kernels/scan/KokkosMMA_TileScan.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <algorithm>
#include <type_traits>

namespace KokkosMMA::Impl {

/// The same functor as another type, for which nothing is routed. The type of
/// its value must be said: Kokkos deduces it from pointers to the functor's own
/// members.
template <class Functor, class Value>
struct NativeFunctor : Functor {
  using kokkosmma_native = void;
  using value_type       = Value;
  explicit NativeFunctor(Functor const& functor) : Functor(functor) {}
  using Functor::operator();
};

/// A functor that cannot be a base, and is only called.
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

/// Kokkos' default sum; its own reducer would carry a copy of the functor.
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

/// Values without a neutral element, of the standard algorithms with a custom
/// operation: one that no call has touched says so, and joining it changes
/// nothing.
template <class Reducer, class T>
struct ScannedWithoutIdentity : Cuda::ScannedValue<Reducer, T> {
  __device__ void join(T& into, T const& from) const {
    if (from.is_initial) return;
    if (into.is_initial)
      into = from;
    else
      this->reducer.join(&into, &from);
  }
};

/// What the registers of a tile scan hold for an accumulator: integers modulo
/// 2^bits.
template <class Accumulator>
using tile_value_t = std::conditional_t<
    std::is_floating_point_v<Accumulator>, Accumulator,
    std::conditional_t<sizeof(Accumulator) == 8, std::uint64_t, std::uint32_t>>;

/// The tuning of the tile scan as a type (see TunedFor).
template <bool Products, bool EightColumns>
struct TileTunedFor {
  static constexpr TileScanTuning value =
      tile_scan_tuning(Products, EightColumns);
};

/// A scope or the environment asks for a route wherever it can run: an
/// application's calls never fail because of it.
inline RouteDecision decide_scan(ScanProblem const& problem,
                                 Settings const& settings,
                                 Kokkos::Cuda const& space) {
  Capability const machine  = Cuda::capability(space);
  TuningTable const& tuning = Cuda::tuning(space);
  return decide_wish(settings, [&](Settings const& wish) {
    return route_scan(problem, machine, wish, tuning);
  });
}

/// What Kokkos' closures are for a routable scan: constructed and executed the
/// same way, no symbol of Kokkos' names in it. `Native` is Kokkos' own.
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
      : m_native(NativeFunctor<Functor, value_type>(functor), policy,
                 result...),
        m_functor(functor),
        m_policy(policy) {
    (set_result(result), ...);
  }

  Policy const& get_policy() const { return m_policy; }

  void execute() {
    std::uint64_t const size = Flat::size(m_policy);
    if (size == 0) {  // Kokkos leaves the total as it is
      m_native.execute();
      return;
    }
    Settings const settings = effective_settings();
    ScanProblem problem     = scan_problem<value_type>(m_functor, size);
    problem.functor_bytes   = sizeof(Functor) + sizeof(Reducer);
    RouteDecision decision  = decide(problem, settings);
    RouteOfCall const call(problem, Cuda::capability(m_policy.space()),
                           settings, decision);
    decision.route                   = call.route();
    bool const done                  = run(decision, size);
    last_route_of_this_thread()      = decision.route;
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    if (environment_verbose())
      report_route(reported, "parallel_scan", size, sizeof(value_type),
                   decision);
    if (!done) m_native.execute();
  }

 private:
  using Flat  = Flattened<Policy>;
  using Index = typename Flat::Index;
  using Data  = VisibleScan<Functor>;
  using Call  = TaggedCall<Functor, typename Policy::work_tag>;

  static constexpr bool sum_in_float = is_16bit_float(scalar_v<value_type>) &&
                                       !Analysis::has_join_member_function &&
                                       !Analysis::has_init_member_function;
  using Scanned = std::conditional_t<
      sum_in_float, Cuda::ScannedSumInFloat<Reducer, value_type>,
      std::conditional_t<has_no_identity<value_type>,
                         ScannedWithoutIdentity<Reducer, value_type>,
                         Cuda::ScannedValue<Reducer, value_type>>>;
  using Tuned = Cuda::ScanTunedFor<sizeof(typename Scanned::Value)>;

  static constexpr ScanProblem types() {
    ScanProblem problem;
    if constexpr (Data::visible) {
      problem.input       = scalar_v<typename Data::Input>;
      problem.accumulator = scalar_v<typename Data::Accumulator>;
      problem.output      = scalar_v<typename Data::Output>;
    }
    return problem;
  }
  static constexpr bool tile_compiled =
      Data::visible &&
      scan_tile_exists(types().input, types().accumulator, types().output);
  static constexpr bool eight_columns =
      types().input == Scalar::int64 || types().input == Scalar::uint64;
  static constexpr bool products_compiled =
      tile_compiled && scan_products_exist(types().input, types().accumulator);

  template <class View>
  void set_result(View const& view) {
    m_result = view.data();
    m_result_on_device =
        Kokkos::SpaceAccessibility<Kokkos::Cuda,
                                   typename View::memory_space>::accessible;
  }

  RouteDecision decide(ScanProblem const& problem,
                       Settings const& settings) const {
    if (settings.route == Route::generic) return RouteDecision{};
    return decide_scan(problem, settings, m_policy.space());
  }

  /// Launches our kernel, or makes the route generic and says why not.
  bool run(RouteDecision& decision, std::uint64_t size) const {
    if (decision.route == Route::generic) return false;
    Refusal const refusal = with_scratch(
        m_policy.space(), total_on_device(),
        [&](Cuda::StreamScratch const& scratch) {
          if constexpr (products_compiled) {
            if (decision.route == Route::mma) {
              scan_tiles_of_memory<WarpScanMma,
                                   TileTunedFor<true, eight_columns>>(scratch,
                                                                      size);
              return;
            }
          }
          if constexpr (tile_compiled) {
            if (Data::operands(m_functor).contiguous()) {
              scan_tiles_of_memory<WarpScanShuffle, TileTunedFor<false, false>>(
                  scratch, size);
              return;
            }
          }
          stream(scratch, size);
        });
    if (refusal) decision = {Route::generic, decision.asked, refusal, refusal};
    return !refusal;
  }

  bool total_on_device() const { return m_result_on_device || !m_result; }

  /// Launches kernel(sink, scratch) with `words` of scratch, the total on its
  /// way to where it is wanted. The last tile's total may come before the final
  /// calls of other tiles; what these write is there when a call with a total
  /// on the host returns, also where that is a View, after which Kokkos itself
  /// does not wait.
  template <class Launch>
  void deliver_total(Cuda::StreamScratch const& scratch, std::uint64_t words,
                     Launch const& launch) const {
    Cuda::ScanScratch const scan = scratch->scan(words);
    scratch.deliver(
        m_result, total_on_device(),
        [&](Cuda::ResultSink<value_type> const& sink) { launch(sink, scan); });
    if (!total_on_device()) scratch.wait();
  }

  Reducer reducer() const {
    if constexpr (is_default_sum<Analysis>) {
      return {};
    } else {
      return Reducer{m_functor};
    }
  }

  unsigned grid(unsigned tiles, int resident_blocks) const {
    int const processors =
        Cuda::device(m_policy.space().cuda_device()).multiprocessors;
    return std::min(tiles, unsigned(processors) * unsigned(resident_blocks));
  }

  void stream(Cuda::StreamScratch const& scratch, std::uint64_t size) const {
    using Value                         = typename Scanned::Value;
    constexpr StreamedScanTuning tuning = Tuned::value;
    constexpr unsigned threads          = tuning.threads;
    constexpr std::size_t shared =
        sizeof(Cuda::StreamedScanMemory<Value, Tuned>);
    auto const kernel =
        &Cuda::streamed_scan<Scanned, Tuned, Index, value_type, Call, Reducer>;
    Kokkos::Cuda const& space = m_policy.space();
    Cuda::KernelFacts const facts =
        Cuda::kernel_facts(space.cuda_device(), kernel, threads + 32, shared);
    // Functors may use atomics that take a lock; its state is per translation
    // unit.
    desul::ensure_cuda_lock_arrays_on_device();
    unsigned const rows = streamed_scan_rows(Cuda::tuning(space), tuning, size);
    auto const tiles = unsigned((size + threads * rows - 1) / (threads * rows));
    deliver_total(
        scratch, Cuda::look_back_words<Value>(tiles),
        [&](Cuda::ResultSink<value_type> const& sink,
            Cuda::ScanScratch const& scan) {
          Cuda::launch_kernel(
              space, "streamed_scan",
              Cuda::streamed_scan<Scanned, Tuned, Index, value_type, Call,
                                  Reducer>,
              {grid(tiles, facts.resident_blocks), threads + 32, shared},
              Call{m_functor}, reducer(), Flat::begin(m_policy), size, rows,
              tiles, scan, sink);
        });
  }

  template <template <class, class, bool> class TileScan, class TileTuned>
  void scan_tiles_of_memory(Cuda::StreamScratch const& scratch,
                            std::uint64_t size) const {
    using Accumulator = typename Data::Accumulator;
    using Value       = tile_value_t<Accumulator>;
    using Input       = typename Data::Input;
    using Output      = typename Data::Output;
    using Encoding    = ScanEncoding<scalar_v<Input>, Value>;
    using Scan =
        TileScan<Cuda::Warp, Encoding, Data::kind == ScanKind::inclusive>;
    constexpr std::size_t shared =
        sizeof(Cuda::TileScanMemory<Scan, TileTuned>);
    constexpr unsigned threads = TileTuned::value.threads;
    constexpr std::uint64_t per_tile =
        threads / 32 * TileTuned::value.tiles * 64 * Encoding::elements;
    auto const kernel = &Cuda::tile_scan<Scan, Output, value_type, TileTuned>;
    Kokkos::Cuda const& space = m_policy.space();
    Cuda::KernelFacts const facts =
        Cuda::kernel_facts(space.cuda_device(), kernel, threads + 32, shared);

    auto const operands     = Data::operands(m_functor);
    std::size_t const begin = std::size_t(Flat::begin(m_policy));
    auto const* const x =
        static_cast<unsigned char const*>(operands.x) + begin * sizeof(Input);
    auto* const y = static_cast<Output*>(operands.y) + begin;
    std::size_t const skip =
        reinterpret_cast<std::uintptr_t>(x) % Encoding::bytes / sizeof(Input);
    Output* const shifted = y - skip;
    Cuda::TileScanOperands<Output, Value> const arguments{
        x - skip * sizeof(Input),
        shifted,
        skip,
        size,
        static_cast<Value>(operands.init),
        reinterpret_cast<std::uintptr_t>(shifted) %
                (Encoding::elements * sizeof(Output)) ==
            0};
    auto const tiles = unsigned((skip + size + per_tile - 1) / per_tile);
    deliver_total(
        scratch, Cuda::look_back_words<Value>(tiles),
        [&](Cuda::ResultSink<value_type> const& sink,
            Cuda::ScanScratch const& scan) {
          Cuda::launch_kernel(
              space, "tile_scan",
              Cuda::tile_scan<Scan, Output, value_type, TileTuned>,
              {grid(tiles, facts.resident_blocks), threads + 32, shared},
              arguments, tiles, scan, sink);
        });
  }

  Native m_native;
  Functor m_functor;
  Policy m_policy;
  pointer_type m_result   = nullptr;
  bool m_result_on_device = false;
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

}  // namespace KokkosMMA::Impl

/// Specialises Kokkos' closures where WHEN holds; in Kokkos' namespace as
/// KOKKOSMMA_IMPL_ROUTE_REDUCE is.
#define KOKKOSMMA_IMPL_ROUTE_SCAN(WHEN)                                       \
  namespace Kokkos::Impl {                                                    \
  template <class F, class... Traits>                                         \
  requires(WHEN &&                                                            \
           KokkosMMA::Impl::routable_scan<                                    \
               F, Kokkos::RangePolicy<Traits...>,                             \
               void>()) class ParallelScan<F, Kokkos::RangePolicy<Traits...>, \
                                           Kokkos::Cuda>                      \
      : public KokkosMMA::Impl::RoutedScan<                                   \
            F, Kokkos::RangePolicy<Traits...>, void,                          \
            KokkosMMA::Impl::NativeScan<F, Kokkos::RangePolicy<Traits...>>> { \
    using kokkosmma_base = KokkosMMA::Impl::RoutedScan<                       \
        F, Kokkos::RangePolicy<Traits...>, void,                              \
        KokkosMMA::Impl::NativeScan<F, Kokkos::RangePolicy<Traits...>>>;      \
                                                                              \
   public:                                                                    \
    using kokkosmma_base::kokkosmma_base;                                     \
  };                                                                          \
  template <class F, class Result, class... Traits>                           \
  requires(WHEN &&                                                            \
           KokkosMMA::Impl::routable_scan<                                    \
               F, Kokkos::RangePolicy<Traits...>,                             \
               Result>()) class ParallelScanWithTotal<F,                      \
                                                      Kokkos::RangePolicy<    \
                                                          Traits...>,         \
                                                      Result, Kokkos::Cuda>   \
      : public KokkosMMA::Impl::RoutedScan<                                   \
            F, Kokkos::RangePolicy<Traits...>, Result,                        \
            KokkosMMA::Impl::NativeScanWithTotal<                             \
                F, Kokkos::RangePolicy<Traits...>, Result>> {                 \
    using kokkosmma_base = KokkosMMA::Impl::RoutedScan<                       \
        F, Kokkos::RangePolicy<Traits...>, Result,                            \
        KokkosMMA::Impl::NativeScanWithTotal<                                 \
            F, Kokkos::RangePolicy<Traits...>, Result>>;                      \
                                                                              \
   public:                                                                    \
    using kokkosmma_base::kokkosmma_base;                                     \
  };                                                                          \
  }

KOKKOSMMA_IMPL_ROUTE_SCAN(KokkosMMA::Impl::OwnFunctor<F>)

#endif  // KOKKOS_ENABLE_CUDA
#endif
