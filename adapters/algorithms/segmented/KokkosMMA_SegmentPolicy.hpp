// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENT_POLICY_HPP
#define KOKKOSMMA_SEGMENT_POLICY_HPP

/// \file
/// A policy of Kokkos::parallel_for over segments, whose functor receives the
/// value of each. Kokkos recognises a policy by its member type
/// execution_policy and runs it with Impl::ParallelFor, whose template head and
/// constructor have been the same since Kokkos 4.1.

#include <adapters/algorithms/segmented/KokkosMMA_Segmented.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp>
#include <backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// Type of segments that a policy stores for a length or a View of offsets.
template <class LengthOrOffsets>
using policy_segments_t =
    std::conditional_t<OffsetsView<LengthOrOffsets>,
                       CsrSegments<LengthOrOffsets>, EqualSegments>;

}  // namespace Impl

/// Policy for `Kokkos::parallel_for` that gives the functor each segment and
/// its sum: `functor(s, sum)`. The functor is invoked once for every segment s,
/// on the device.
///
/// \code
/// Kokkos::parallel_for(
///     "rows", KokkosMMA::SegmentPolicy(exec, x, 256),
///     KOKKOS_LAMBDA(std::size_t s, float sum) { mean(s) = sum / 256; });
/// KokkosMMA::SegmentPolicy(exec, x, offsets, KokkosMMA::Maximum());
/// \endcode
///
/// The template arguments are deduced from those of the constructor. The type
/// of the value is that of the elements, at least 4 bytes wide, or the one that
/// the operation names, as in Plus<double>().
template <class Exec, class X, class Segments, class Op = Plus<>>
class SegmentPolicy {
  KOKKOSMMA_IMPL_CHECK_KNOWN_KOKKOS("KokkosMMA::SegmentPolicy", Exec);

 public:
  using execution_policy =
      SegmentPolicy;                    ///< marks the class as a Kokkos policy
  using execution_space = Exec;         ///< space of the call
  using index_type      = std::size_t;  ///< index of a segment
  using work_tag        = void;         ///< the functor has no tag
  /// Type of the value of a segment.
  using value_type = Impl::segment_accumulator_t<Op, X, X>;

  /// Policy over the sums of segments.
  ///
  /// \param exec instance on which parallel_for runs, asynchronously
  /// \param x View of rank 1, of any stride and alignment
  /// \param segments a length, where the last segment may be shorter; or a View
  ///        of offsets, as in segmented_reduce(). The constructor checks the
  ///        offsets, which waits for `exec`, unless Settings::check_offsets is
  ///        false; parallel_for does not check them again
  /// \param settings route, and whether offsets are checked
  ///
  /// \throws std::invalid_argument for a length of 0, offsets that decrease or
  /// exceed the extent of x, or a forced route that cannot run; parallel_for
  /// throws nothing
  template <class LengthOrOffsets>
  SegmentPolicy(Exec const& exec, X const& x, LengthOrOffsets const& segments,
                Settings const& settings = {})
      : m_space(exec),
        m_x(x),
        m_segments(cut(x, segments)),
        m_settings(Impl::without_label(settings)) {
    check_types<LengthOrOffsets>();
    Impl::check_memory(name, "x", x);
    // explain() records the decision of parallel_for; nothing runs before it.
    if (Impl::explains_calls()) return;
    static_cast<void>(plan());
    Impl::check_offsets(name, exec, x, m_segments, settings);
  }
  /// Policy over the results of an operation on segments.
  ///
  /// \param operation Plus, Multiplies, Minimum or Maximum
  template <class LengthOrOffsets>
  SegmentPolicy(Exec const& exec, X const& x, LengthOrOffsets const& segments,
                [[maybe_unused]] Op operation, Settings const& settings = {})
      : SegmentPolicy(exec, x, segments, settings) {}

  /// The execution-space instance.
  Exec const& space() const { return m_space; }
  /// The elements.
  X const& elements() const { return m_x; }
  /// The segments.
  Segments const& segments() const { return m_segments; }
  /// Optional with the settings and the route decision of parallel_for; empty
  /// inside explain().
  auto plan() const {
    Impl::SegmentedProblem const problem = described();
    Capability const machine             = capability(m_space);
    return Impl::decide_or_explain(
        name, m_settings,
        [&](Settings const& call) {
          return Impl::route_segmented(problem, machine, call);
        },
        Impl::offered_level(problem, machine,
                            Impl::effective_settings(m_settings)));
  }
  /// The settings of the call.
  Settings const& settings() const { return m_settings; }

 private:
  static constexpr char const* name = "KokkosMMA::SegmentPolicy";

  template <class LengthOrOffsets>
  static constexpr void check_types() {
    KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE("KokkosMMA::SegmentPolicy", Exec);
    KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::SegmentPolicy", Exec, X, "x");
    KOKKOSMMA_IMPL_CHECK_ELEMENTS("KokkosMMA::SegmentPolicy", X, value_type);
    if constexpr (Impl::OffsetsView<LengthOrOffsets>) {
      KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::SegmentPolicy", Exec,
                                     LengthOrOffsets, "offsets");
    }
  }
  template <class LengthOrOffsets>
  static Segments cut(X const& x, LengthOrOffsets const& segments) {
    static_assert(Impl::SegmentLength<LengthOrOffsets> ||
                      Impl::OffsetsView<LengthOrOffsets>,
                  "KokkosMMA::SegmentPolicy: the segments must be an integer "
                  "length or a View of offsets of 4 or 8 bytes");
    return Impl::segments_of(name, x, segments);
  }
  Impl::SegmentedProblem described() const {
    // The functor's use of the value is unknown; it counts as a result of the
    // value's type.
    Impl::SegmentedProblem problem =
        Impl::describe_call<Op::operation, value_type>(
            m_x, m_segments, Kokkos::View<value_type*, Exec>(), false)
            .problem;
    problem.on_host      = Impl::is_host_space<Exec>;
    problem.mma_compiled = false;
    return problem;
  }

  Exec m_space;
  X m_x;
  Segments m_segments;
  Settings m_settings;
};

/// SegmentPolicy(exec, x, segments): sums.
template <class Exec, class X, class LengthOrOffsets>
SegmentPolicy(Exec const&, X const&, LengthOrOffsets const&,
              Settings const& = {})
    -> SegmentPolicy<Exec, X, Impl::policy_segments_t<LengthOrOffsets>>;
/// SegmentPolicy(exec, x, segments, Maximum()): another operation.
template <class Exec, class X, class LengthOrOffsets, Impl::SegmentOperation Op>
SegmentPolicy(Exec const&, X const&, LengthOrOffsets const&, Op,
              Settings const& = {})
    -> SegmentPolicy<Exec, X, Impl::policy_segments_t<LengthOrOffsets>, Op>;

}  // namespace KokkosMMA

#if KOKKOSMMA_IMPL_KNOWN_KOKKOS()

namespace KokkosMMA::Impl {

/// Passes the value of a segment to the caller's functor.
template <class Functor, class A>
struct CallWithSegment {
  Functor functor;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t s, A value) const {
    functor(static_cast<std::size_t>(s), value);
  }
};

template <class Functor, class Policy>
class SegmentedFor;

template <class Functor, class Exec, class X, class Segments, class Op>
class SegmentedFor<Functor, SegmentPolicy<Exec, X, Segments, Op>> {
 public:
  using Policy       = SegmentPolicy<Exec, X, Segments, Op>;
  using functor_type = Functor;

  // Kernels get the copies made here, while Kokkos does not count references.
  SegmentedFor(Functor const& functor, Policy const& policy)
      : m_store{functor}, m_policy(policy) {}

  Policy const& get_policy() const { return m_policy; }

  void execute() const {
    auto const plan = m_policy.plan();
    if (!plan) return;
    Route const route = launchable ? plan->decision.route : Route::generic;
    observed(route);
    if (m_policy.segments().count() == 0) return;
    if constexpr (launchable) {
      if (route != Route::generic) {
        ScopedSettings const level(only_level(m_policy.settings()));
        launch();
        return;
      }
    }
    execute_generic();
  }

 private:
  using A     = typename Policy::value_type;
  using Store = CallWithSegment<Functor, A>;
  // The functor is a kernel argument, whose size is limited.
  static constexpr bool launchable =
      has_segment_kernel<Exec, A, false, X, Kokkos::View<A*, Exec>,
                         Segments>() &&
      sizeof(Functor) <= max_functor_bytes;

  void launch() const {
#if KOKKOSMMA_IMPL_ON_CUDA()
    Exec const& space = m_policy.space();
    Cuda::check(cudaSetDevice(space.cuda_device()), "cudaSetDevice");
    // Functors may use atomics that lock; the state of a lock is per
    // translation unit.
    desul::ensure_cuda_lock_arrays_on_device();
    X const& x               = m_policy.elements();
    Segments const& segments = m_policy.segments();
    constexpr Scalar input   = scalar_v<typename X::non_const_value_type>;
    if constexpr (is_csr<Segments>) {
      Cuda::launch_csr_reduce<Op::operation, input, A>(
          space, x.data(), offset_segments(segments), m_store, x.extent(0));
    } else {
      Cuda::launch_segmented_reduce<Op::operation, input, A>(space, x.data(),
                                                             segments, m_store);
    }
#endif
  }

  /// Runs Kokkos' own closure, so that Kokkos Tools see only the user's call.
  void execute_generic() const {
    using Reduce = GenericReduce<Op::operation, A, Segments, X, Store>;
    Reduce functor{m_policy.segments(), m_policy.elements(), m_store, 1};
    auto const policy = generic_segments_policy(
        m_policy.space(), functor, m_policy.segments().count(),
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

}  // namespace KokkosMMA::Impl

namespace Kokkos::Impl {
template <class Functor, class Exec, class X, class Segments, class Op>
class ParallelFor<Functor, KokkosMMA::SegmentPolicy<Exec, X, Segments, Op>,
                  Exec>
    : public KokkosMMA::Impl::SegmentedFor<
          Functor, KokkosMMA::SegmentPolicy<Exec, X, Segments, Op>> {
  using kokkosmma_base = KokkosMMA::Impl::SegmentedFor<
      Functor, KokkosMMA::SegmentPolicy<Exec, X, Segments, Op>>;

 public:
  using kokkosmma_base::kokkosmma_base;
};
}  // namespace Kokkos::Impl

#endif  // KOKKOSMMA_IMPL_KNOWN_KOKKOS
#endif
