// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENT_POLICY_HPP
#define KOKKOSMMA_SEGMENT_POLICY_HPP

/// \file
/// An execution policy of the library's own: Kokkos::parallel_for over
/// segments, whose functor receives the value of each. Kokkos knows it by the
/// member type execution_policy and runs it by Impl::ParallelFor, whose
/// template head and constructor have been the same since Kokkos 4.1.

#include <adapters/algorithms/segmented/KokkosMMA_Segmented.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOS_VERSION < 40600 || KOKKOS_VERSION >= 60000
#error \
    "KokkosMMA: SegmentPolicy is tested with Kokkos 4.6 to 5.x; use a kokkos-mma that knows this Kokkos"
#endif

#if defined(KOKKOS_ENABLE_CUDA)
#include <backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace KokkosMMA {
namespace Impl {

template <class Exec>
inline constexpr bool has_segment_launchers =
#if defined(KOKKOS_ENABLE_CUDA)
    std::is_same_v<Exec, Kokkos::Cuda>;
#else
    false;
#endif

/// `Cut` is EqualSegments, or the View of the offsets.
template <class Exec, Operation Op, class A, class X, class Cut>
class SegmentedPolicy {
 public:
  using execution_policy = SegmentedPolicy;
  using execution_space  = Exec;
  using index_type       = std::size_t;
  using work_tag         = void;
  using value_type       = A;

  static constexpr bool ragged = !std::is_same_v<Cut, EqualSegments>;

  SegmentedPolicy(Exec const& exec, X const& x, Cut const& cut,
                  Settings const& settings)
      : m_space(exec), m_x(x), m_cut(cut), m_settings(settings) {}

  Exec const& space() const { return m_space; }
  X const& elements() const { return m_x; }
  Cut const& cut() const { return m_cut; }

  std::uint64_t segments() const {
    if constexpr (ragged) {
      return m_cut.extent(0) - 1;
    } else {
      return m_cut.count();
    }
  }
  RouteDecision decide() const {
    return decide_segmented("KokkosMMA::SegmentPolicy", m_space, problem(),
                            false, m_settings);
  }

 private:
  SegmentedProblem problem() const {
    // What the functor does with the value is its own matter: it counts as a
    // result in the values' own type.
    Kokkos::View<A*, Exec> const result;
    if constexpr (ragged) {
      return ragged_problem<Op, A>(m_x, m_cut, result, false);
    } else {
      return equal_problem<Op, A>(m_x, result, false, m_cut);
    }
  }

  Exec m_space;
  X m_x;
  Cut m_cut;
  Settings m_settings;
};

/// Gives the value of a segment to the caller's functor.
template <class Functor, class A>
struct CallWithSegment {
  Functor functor;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t s, A value) const {
    functor(static_cast<std::size_t>(s), value);
  }
};

template <class Functor, class Policy>
class SegmentedFor;

template <class Functor, class Exec, Operation Op, class A, class X, class Cut>
class SegmentedFor<Functor, SegmentedPolicy<Exec, Op, A, X, Cut>> {
 public:
  using Policy       = SegmentedPolicy<Exec, Op, A, X, Cut>;
  using functor_type = Functor;

  // The copies made here, where Kokkos does not count references, are the ones
  // that the kernels get.
  SegmentedFor(Functor const& functor, Policy const& policy)
      : m_store{functor}, m_policy(policy) {}

  Policy const& get_policy() const { return m_policy; }

  void execute() const {
    Route const route = launchable ? m_policy.decide().route : Route::generic;
    last_route_of_this_thread() = route;
    if (m_policy.segments() == 0) return;
    if constexpr (launchable) {
      if (route != Route::generic) {
        launch(route == Route::mma);
        return;
      }
    }
    if constexpr (Policy::ragged) {
      execute_generic(ViewSegments<Cut>{m_policy.cut()});
    } else {
      execute_generic(m_policy.cut());
    }
  }

 private:
  using Store                     = CallWithSegment<Functor, A>;
  static constexpr Scalar input   = scalar_v<typename X::non_const_value_type>;
  static constexpr bool plain_cut = [] {
    if constexpr (Policy::ragged) {
      return is_plain_source<Cut>;
    } else {
      return true;
    }
  }();
  // Kernels take the functor as an argument.
  static constexpr bool launchable =
      has_segment_launchers<Exec> && is_plain_source<X> && plain_cut &&
      segment_kernel_exists(input, scalar_v<A>) &&
      sizeof(Functor) <= max_functor_bytes;

  void launch([[maybe_unused]] bool products) const {
#if defined(KOKKOS_ENABLE_CUDA)
    Exec const& space = m_policy.space();
    Cuda::check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
    // Functors may use atomics that take a lock; its state is per translation
    // unit.
    desul::ensure_cuda_lock_arrays_on_device();
    if constexpr (Policy::ragged) {
      auto const* const offsets = canonical_pointer(m_policy.cut());
      using Offset              = std::remove_cvref_t<decltype(*offsets)>;
      Cuda::launch_csr_reduce<Op, input, A>(
          space, m_policy.elements().data(),
          OffsetSegments<Offset>{offsets, m_policy.segments()}, m_store,
          m_policy.elements().extent(0));
    } else {
      Cuda::launch_segmented_reduce<Op, input, A>(
          space, m_policy.elements().data(), m_policy.cut(), m_store, products);
    }
#endif
  }

  /// Kokkos' own closure, so that its tools see no call but the user's.
  template <class Segments>
  void execute_generic(Segments const& segments) const {
    using Reduce = GenericReduce<FoldOne<Op, A>, Segments, AtElement<X>, Store>;
    Reduce functor{segments, {m_policy.elements()}, m_store, 1};
    auto const policy =
        generic_segments_policy(m_policy.space(), functor, m_policy.segments(),
                                m_policy.elements().extent(0), 0);
    using Closure =
        Kokkos::Impl::ParallelFor<Reduce, std::remove_const_t<decltype(policy)>,
                                  Exec>;
    auto closure =
        Kokkos::Impl::construct_with_shared_allocation_tracking_disabled<
            Closure>(functor, policy);
    closure.execute();
  }

  Store m_store;
  Policy m_policy;
};

template <class Exec, class X, class A>
constexpr void check_segment_policy_types() {
  KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE("KokkosMMA::SegmentPolicy", Exec);
  KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::SegmentPolicy", Exec, X, "x");
  KOKKOSMMA_IMPL_CHECK_ELEMENTS("KokkosMMA::SegmentPolicy", X, A);
}

}  // namespace Impl

/// A policy for Kokkos::parallel_for: functor(s, value) is called once for
/// every segment s with the segment's sum, on the device.
///
/// \code
/// Kokkos::parallel_for(
///     "rows", KokkosMMA::SegmentPolicy<Exec>(exec, x, length), functor);
/// \endcode
///
/// A function, because the type of the policy depends on those of the Views.
///
/// \tparam Op          minimum, maximum or product instead of the sum
/// \tparam Accumulator type of the value; else the type of the elements, at
///                     least 4 bytes wide
/// \param exec    instance on which the call runs, asynchronously
/// \param x       View of rank 1, contiguous or strided, any alignment
/// \param segment_length  elements of a segment, of which the last may have
///                fewer
/// \param settings route, and whether offsets are checked
///
/// \throws std::invalid_argument for a length of 0 or a forced route that
/// cannot run; parallel_for throws nothing.
template <class Exec, Operation Op = Operation::sum, class Accumulator = void,
          Impl::Rank1View X, Impl::SegmentLength Length>
auto SegmentPolicy(Exec const& exec, X const& x, Length segment_length,
                   Settings const& settings = {}) {
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, X>;
  constexpr char const* who = "KokkosMMA::SegmentPolicy";
  Impl::check_segment_policy_types<Exec, X, A>();
  Impl::check_settings(who, settings);
  std::uint64_t const length = Impl::checked_length(who, segment_length);
  Impl::check_memory(who, "x", x);
  Impl::EqualSegments const segments{
      x.extent(0), std::min(length, std::max<std::uint64_t>(x.extent(0), 1))};
  Impl::SegmentedPolicy<Exec, Op, A, X, Impl::EqualSegments> const policy(
      exec, x, segments, settings);
  policy.decide();
  return policy;
}

/// Likewise with segment s in [offsets(s), offsets(s + 1)). The offsets are
/// checked here, which waits for `exec`, and not again by parallel_for: a
/// policy that is used many times is checked once. Settings::check_offsets opts
/// out.
///
/// \param offsets View of rank 1 of integers of 4 or 8 bytes; segments may be
///                empty: their sum is 0
/// \throws std::invalid_argument for offsets that decrease or lie outside of x,
/// naming the first
template <class Exec, Operation Op = Operation::sum, class Accumulator = void,
          Impl::Rank1View X, Impl::OffsetsView Offsets>
auto SegmentPolicy(Exec const& exec, X const& x, Offsets const& offsets,
                   Settings const& settings = {}) {
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, X>;
  constexpr char const* who = "KokkosMMA::SegmentPolicy";
  Impl::check_segment_policy_types<Exec, X, A>();
  static_assert(Impl::is_reachable<Exec, Offsets>,
                "KokkosMMA::SegmentPolicy: the offsets must be accessible from "
                "the execution space; copy them with "
                "Kokkos::create_mirror_view_and_copy");
  Impl::check_settings(who, settings);
  Impl::checked_offsets_extent(who, offsets);
  Impl::check_memory(who, "x", x);
  Impl::SegmentedPolicy<Exec, Op, A, X, Offsets> const policy(exec, x, offsets,
                                                              settings);
  policy.decide();
  Impl::check_offsets(who, exec, x, offsets, settings);
  return policy;
}

}  // namespace KokkosMMA

namespace Kokkos::Impl {
template <class Functor, class Exec, KokkosMMA::Operation Op, class A, class X,
          class Cut>
class ParallelFor<Functor,
                  KokkosMMA::Impl::SegmentedPolicy<Exec, Op, A, X, Cut>, Exec>
    : public KokkosMMA::Impl::SegmentedFor<
          Functor, KokkosMMA::Impl::SegmentedPolicy<Exec, Op, A, X, Cut>> {
  using kokkosmma_base = KokkosMMA::Impl::SegmentedFor<
      Functor, KokkosMMA::Impl::SegmentedPolicy<Exec, Op, A, X, Cut>>;

 public:
  using kokkosmma_base::kokkosmma_base;
};
}  // namespace Kokkos::Impl

#endif
