// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_HPP
#define KOKKOSMMA_SEGMENTED_HPP

/// \file
/// Segmented operations and their implementation, one template for each:
/// checks, route decision, launch. Overloads of segments_of() and
/// describe_call() hold the differences between segments of one length, between
/// offsets, and along an axis of a matrix.

#include <adapters/algorithms/segmented/KokkosMMA_SegmentedChecks.hpp>
#include <adapters/algorithms/segmented/KokkosMMA_SegmentedKernels.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <backends/generic/KokkosMMA_SegmentedGeneric.hpp>
#include <core/segmented/KokkosMMA_RouteSegmented.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Segments of a row of elements; only the last may be below `length`.
template <Rank1View X, SegmentLength Length>
EqualSegments segments_of(char const* who, X const& x, Length length) {
  std::uint64_t const size = x.extent(0);
  return {size, std::min(checked_length(who, length),
                         std::max<std::uint64_t>(size, 1))};
}
template <Rank1View X, OffsetsView Offsets>
CsrSegments<Offsets> segments_of(char const* who, X const&,
                                 Offsets const& offsets) {
  checked_offsets_extent(who, offsets);
  return {offsets};
}
template <Rank2View X>
MatrixSegments segments_of(char const* who, X const& x, Axis axis) {
  check_axis(who, axis);
  return {x.extent(1 - axis.dimension), x.extent(axis.dimension),
          axis.dimension};
}

/// Stride between the results of neighbouring segments. The stride of a
/// dimension of one element has no meaning.
template <class V>
std::ptrdiff_t stride_of_results(V const& view, std::size_t dimension) {
  return view.extent(dimension) < 2 ? 1
                                    : std::ptrdiff_t(view.stride(dimension));
}

/// A checked dimension of a matrix, as 0 or 1: g++ 12 warns of an index whose
/// range it does not know.
constexpr int one_of_two(int dimension) { return dimension == 0 ? 0 : 1; }

/// Memory layout of the lines of a matrix along a dimension: packed (one after
/// another), columns (element i of neighbouring lines adjacent), or strided.
template <Rank2View X>
SegmentLayout matrix_layout(X const& x, int dimension) {
  int const axis             = one_of_two(dimension);
  int const other            = one_of_two(1 - dimension);
  std::uint64_t const lines  = x.extent(other);
  std::uint64_t const length = x.extent(axis);
  std::uint64_t const stride = x.stride(axis);
  std::uint64_t const across = x.stride(other);
  if ((length < 2 || stride == 1) && (lines < 2 || across == length))
    return SegmentLayout::packed;
  if (lines > 1 && across == 1 && stride >= lines)
    return SegmentLayout::columns;
  return SegmentLayout::strided;
}

/// Describes the types and memory of a call, without its segments.
template <Operation Op, class A, class X, class Y>
SegmentedCall types_of_call(bool scan) {
  SegmentedCall call;
  call.problem.scan         = scan;
  call.problem.operation    = Op;
  call.problem.input        = scalar_v<typename X::non_const_value_type>;
  call.problem.accumulator  = scalar_v<A>;
  call.problem.output       = scalar_v<typename Y::non_const_value_type>;
  call.problem.plain_memory = is_plain_source<X> && is_plain_memory<Y>;
  call.problem.mma_compiled = !scan && has_segments_by_mma<Op, A, X, Y>;
  return call;
}

template <Operation Op, class A, class X, class Y>
SegmentedCall describe_call(X const& x, EqualSegments const& segments,
                            Y const& y, bool scan) {
  SegmentedCall call    = types_of_call<Op, A, X, Y>(scan);
  call.problem.layout   = is_contiguous(x) && (!scan || is_contiguous(y))
                              ? SegmentLayout::packed
                              : SegmentLayout::strided;
  call.problem.segments = segments.count();
  call.packed           = segments;
  call.store_stride     = stride_of_results(y, 0);
  return call;
}

template <Operation Op, class A, class X, class Offsets, class Y>
SegmentedCall describe_call(X const& x, CsrSegments<Offsets> const& segments,
                            Y const& y, bool scan) {
  SegmentedCall call        = describe_call<Op, A>(x, EqualSegments{}, y, scan);
  SegmentedProblem& problem = call.problem;
  problem.csr               = true;
  problem.packed_offsets    = is_contiguous(segments.offsets);
  problem.plain_memory      = problem.plain_memory && is_plain_source<Offsets>;
  problem.segments          = segments.count();
  return call;
}

/// Describes a call along a dimension of a matrix, without its output.
template <Operation Op, class A, class Y, class X>
SegmentedCall describe_lines(X const& x, int dimension, bool scan) {
  SegmentedCall call    = types_of_call<Op, A, X, Y>(scan);
  call.columns          = x.extent(one_of_two(1 - dimension));
  call.rows             = x.extent(one_of_two(dimension));
  call.stride           = x.stride(one_of_two(dimension));
  call.packed           = {call.columns * call.rows, call.rows};
  call.problem.layout   = matrix_layout(x, dimension);
  call.problem.segments = call.columns;
  return call;
}

template <Operation Op, class A, class X, class Y>
SegmentedCall describe_call(X const& x, MatrixSegments const& segments,
                            Y const& y, bool scan) {
  SegmentedCall call = describe_lines<Op, A, Y>(x, segments.dimension, scan);
  if constexpr (Y::rank() == 1) {
    call.store_stride = stride_of_results(y, 0);
  } else {
    SegmentLayout const written = matrix_layout(y, segments.dimension);
    call.y_stride               = y.stride(segments.dimension);
    if (written == SegmentLayout::strided)
      call.problem.layout = written;
    else if (call.problem.layout != SegmentLayout::strided &&
             call.problem.layout != written)
      call.problem.layout = SegmentLayout::unlike;
  }
  return call;
}

/// Whether kernels are compiled for these types on this space.
template <class Exec, class A, bool Scan, class X, class Y, class Segments>
constexpr bool has_segment_kernel() {
  constexpr Scalar input  = scalar_v<typename X::non_const_value_type>;
  constexpr Scalar output = scalar_v<typename Y::non_const_value_type>;
  bool plain              = is_plain_source<X> && is_plain_memory<Y>;
  if constexpr (is_csr<Segments>) {
    plain = plain && is_plain_source<decltype(Segments::offsets)>;
  }
  return has_own_kernels<Exec> && plain &&
         (Scan ? segment_scan_kernel_exists(input, scalar_v<A>, output)
               : segment_kernel_exists(input, scalar_v<A>));
}

/// Whether the sums of segments of these types can be exact on this space.
template <class Exec, class A, class X, class R, class Segments>
constexpr bool has_exact_segments() {
  return is_floating(scalar_v<typename X::non_const_value_type>) &&
         is_floating(scalar_v<A>) &&
         is_floating(scalar_v<typename R::non_const_value_type>) &&
         (is_host_space<Exec> ||
          has_segment_kernel<Exec, A, false, X, R, Segments>());
}

/// The caller's label, or else a default. The default is empty if nothing reads
/// it, because building it takes a microsecond.
inline std::string segmented_label(std::string const& label, char const* who,
                                   Route route,
                                   SegmentedProblem const& problem) {
  if (!label.empty()) return label;
  if (route != Route::generic && !Kokkos::Tools::profileLibraryLoaded())
    return {};
  return concatenate(who, "[", to_string(route), ",",
                     to_string(problem.operation), ",",
                     to_string(problem.input), "]");
}

/// Decides on a call and reports the decision; empty inside explain().
template <class Exec>
std::optional<RouteDecision> decide_segmented(char const* who,
                                              std::string const& label,
                                              Exec const& exec,
                                              SegmentedProblem const& problem,
                                              Settings const& settings) {
  std::optional<CallPlan> const plan = decide_or_explain(
      who, settings,
      [&](Settings const& call) {
        return route_segmented(problem, capability(exec), call);
      },
      offered_level(problem, capability(exec), effective_settings(settings)));
  if (!plan) return std::nullopt;
  report_call(who, label, plan->decision);
  return plan->decision;
}

/// \return upper bound of the lengths of segments
template <class Exec, Rank1View X, class Offsets>
std::uint64_t check_offsets(char const* who, Exec const& exec, X const& x,
                            CsrSegments<Offsets> const& segments,
                            Settings const& settings) {
  if (!effective_settings(settings).check_offsets)
    return OffsetFindings::unknown;
  Offsets const& offsets     = segments.offsets;
  OffsetFindings const found = [&] {
    if constexpr (has_own_kernels<Exec> && is_plain_source<Offsets>) {
      if (is_contiguous(offsets))
        return findings_of_offsets(exec, segments, x.extent(0));
    }
    return OffsetFindings{first_bad_offset(exec, offsets, x.extent(0))};
  }();
  if (found.first_bad != OffsetFindings::unknown)
    refuse_offset(who, offsets, std::size_t(found.first_bad), x.extent(0));
  return found.longest;
}
/// Other segments have no offsets.
template <class Exec, class X, class Segments>
std::uint64_t check_offsets(char const*, Exec const&, X const&, Segments const&,
                            Settings const&) {
  return OffsetFindings::unknown;
}

/// Rejects an output that shares memory with the offsets.
template <class Segments, class Y>
void check_apart_from_offsets(char const* who, Segments const& segments,
                              char const* name, Y const& y) {
  if constexpr (is_csr<Segments>) {
    check_apart(who, "offsets", segments.offsets, name, y);
  }
}

/// Reduces one segment or more on a route that can run.
template <Operation Op, class A, class Exec, class X, class Segments, class R>
void reduce_segments([[maybe_unused]] Route route, std::string const& name,
                     Exec const& exec, X const& x, Segments const& segments,
                     R const& result, SegmentedCall const& call,
                     [[maybe_unused]] std::uint64_t longest) {
  if constexpr (has_segment_kernel<Exec, A, false, X, R, Segments>()) {
    // A matrix without elements has results, but nothing to load.
    if (route != Route::generic && (X::rank() == 1 || has_elements(x))) {
      launch_segmented_reduce<Op, A>(name, exec, x, segments, result, call,
                                     longest, route == Route::mma);
      return;
    }
  }
  using Element = typename X::non_const_value_type;
  generic_segmented_reduce<Op, A>(name, exec, segments, call.problem.segments,
                                  x.size(), x,
                                  IntoResult<Op, Element, R>{result});
}

/// Computes exact sums of segments if the level of the call requires it.
/// \return whether it did; false also if exact sums are not available
template <class Exec, class X, class Segments, class R>
bool take_exact_segments(char const* who, std::string const& name,
                         Exec const& exec, X const& x, Segments const& segments,
                         R const& result, SegmentedCall const& call,
                         std::uint64_t longest, Settings const& settings) {
  if constexpr (X::rank() == 2) {
    // reduce_segments() writes the sums of empty segments; segments of length 0
    // cannot be counted.
    if (!has_elements(x)) return false;
  }
  Settings const level =
      settle_level(who, settings,
                   offered_level(call.problem, capability(exec),
                                 effective_settings(settings)));
  if (!is_to_be_exact(level.reproducibility, is_host_space<Exec>)) return false;
  Refusal const refusal =
      exact_segments(name, exec, x, segments, result, call, longest);
  if (!refusal) return true;
  refuse_exact(who, settings, Reproducibility::device_independent, refusal);
  return false;
}

/// Runs every segmented reduction: `cut` is a length, offsets or an Axis.
template <SegmentOperation Op, class Exec, class X, class Cut, class R>
void run_segmented_reduce(std::string const& label, Exec const& exec,
                          X const& x, Cut const& cut, R const& result,
                          Settings const& settings) {
  constexpr char const* who = "KokkosMMA::segmented_reduce";
  constexpr Operation op    = Op::operation;
  using A                   = segment_accumulator_t<Op, X, R>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_reduce", Exec, X, R,
                                 "the result", A);
  if constexpr (OffsetsView<Cut>) {
    KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::segmented_reduce", Exec, Cut,
                                   "offsets");
  }
  auto const segments = segments_of(who, x, cut);
  check_segment_result(who, "the result", x, result, segments.count());
  check_apart_from_offsets(who, segments, "the result", result);
  SegmentedCall call = describe_call<op, A>(x, segments, result, false);
  constexpr bool sums_floats =
      op == Operation::sum &&
      has_exact_segments<Exec, A, X, R,
                         std::remove_const_t<decltype(segments)>>();
  call.problem.on_host      = is_host_space<Exec>;
  call.problem.may_be_exact = sums_floats;
  auto const decision =
      decide_segmented(who, label, exec, call.problem, settings);
  if (!decision) return;
  std::uint64_t const longest = check_offsets(who, exec, x, segments, settings);
  Route const route           = decision->route;
  observed(route);
  if (call.problem.segments == 0) return;
  std::string const name = segmented_label(label, who, route, call.problem);
  if constexpr (sums_floats) {
    if (take_exact_segments(who, name, exec, x, segments, result, call, longest,
                            settings))
      return;
  }
  // The launch shape depends on the level of the scope.
  ScopedSettings const level(only_level(settings));
  reduce_segments<op, A>(route, name, exec, x, segments, result, call, longest);
}

/// Scans one segment or more on a route that can run.
template <Operation Op, class A, bool Inclusive, class Exec, class X,
          class Segments, class Y>
void scan_segments([[maybe_unused]] Route route, std::string const& name,
                   Exec const& exec, X const& x, Segments const& segments,
                   Y const& y, SegmentedCall const& call) {
  if constexpr (has_segment_kernel<Exec, A, true, X, Y, Segments>()) {
    if (route != Route::generic) {
      launch_segmented_scan<Op, A, Inclusive>(name, exec, x, segments, y, call);
      return;
    }
  }
  generic_segmented_scan<Op, A, Inclusive>(
      name, exec, segments, call.problem.segments, x.size(), x, y);
}

/// Runs both segmented scans: `cut` is a length, offsets or an Axis.
template <bool Inclusive, SegmentOperation Op, class Exec, class X, class Cut,
          class Y>
void run_segmented_scan(std::string const& label, Exec const& exec, X const& x,
                        Cut const& cut, Y const& y, Settings const& settings) {
  constexpr char const* who = Inclusive ? "KokkosMMA::segmented_inclusive_scan"
                                        : "KokkosMMA::segmented_exclusive_scan";
  constexpr Operation op    = Op::operation;
  using A                   = segment_accumulator_t<Op, X, Y>;
  if constexpr (Inclusive) {
    KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_inclusive_scan", Exec,
                                   X, Y, "y", A);
  } else {
    KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_exclusive_scan", Exec,
                                   X, Y, "y", A);
  }
  if constexpr (OffsetsView<Cut>) {
    KOKKOSMMA_IMPL_CHECK_REACHABLE(
        "KokkosMMA::segmented_inclusive_scan, "
        "segmented_exclusive_scan",
        Exec, Cut, "offsets");
  }
  auto const segments = segments_of(who, x, cut);
  check_scan_views(who, x, y);
  check_apart_from_offsets(who, segments, "y", y);
  SegmentedCall const call = describe_call<op, A>(x, segments, y, true);
  auto const decision =
      decide_segmented(who, label, exec, call.problem, settings);
  if (!decision) return;
  check_offsets(who, exec, x, segments, settings);
  Route const route = decision->route;
  observed(route);
  if (call.problem.segments == 0 || !has_elements(x)) return;
  std::string const name = segmented_label(label, who, route, call.problem);
  ScopedSettings const level(only_level(settings));
  scan_segments<op, A, Inclusive>(route, name, exec, x, segments, y, call);
}

}  // namespace KokkosMMA::Impl

namespace KokkosMMA {

/// Sums each segment of a View: `result(s)` is the sum of the elements of
/// segment `s`.
///
/// \code
/// segmented_reduce(exec, x, 256, sums);           // equal segments
/// segmented_reduce(exec, x, offsets, sums);       // as in compressed rows
/// segmented_reduce(exec, matrix, Axis{1}, sums);  // the rows of a matrix
/// \endcode
///
/// The rank of x and the type of `segments` define segment s:
/// - rank 1, an integer n: x(s n) ... x(s n + n - 1); the last may be shorter
/// - rank 1, offsets: x(offsets(s)) ... x(offsets(s + 1) - 1)
/// - rank 2, Axis{0}: the column x(:, s)
/// - rank 2, Axis{1}: the row x(s, :)
///
/// \param exec instance on which the reduction runs
/// \param x View of half_t, bhalf_t, float, double, bool (counted) or integers,
///        of any stride and alignment
/// \param segments a length, an Axis, or offsets.
///        A length is at least 1; beyond the extent it gives one segment.
///        Offsets are integers of 4 or 8 bytes, one more than segments. They do
///        not decrease and do not exceed the extent of x. Elements before the
///        first offset and after the last are ignored. A kernel checks the
///        offsets and the call waits for it, unless Settings::check_offsets is
///        false
/// \param result View of any stride that shares no memory with x
/// \param settings route, level of reproducibility, and whether offsets are
///        checked. With Reproducibility::exact a sum of floating-point elements
///        into a floating-point result is correctly rounded: its bits depend on
///        the elements of its segment only. On Cuda this requires segments
///        stored one after another
///
/// Values are accumulated in the wider of both element types, in fp32 for
/// 16-bit floats, in 4 bytes or more for integers, and converted to the result
/// once. Integers with a floating-point result are accumulated in int64_t, or
/// in double from 4 bytes on. Integers are exact modulo 2^bits of that type.
/// The order of additions is fixed by the segments, the types and the route:
/// repeated calls on a device give the same bits. A NaN or an infinity affects
/// only the result of its segment. An empty segment gives 0.
///
/// After the check of offsets the call returns at once, in order on `exec`.
///
/// \throws std::invalid_argument for a length below 1, offsets that are
/// negative, decrease or exceed the extent (naming the first of them), a result
/// of the wrong extent, overlapping Views, missing memory, a forced route that
/// cannot run, or settings out of range; nothing is launched or written then.
template <class Exec, class X, class Segments, class R>
requires Impl::ReducedSegments<Segments, X, R>
void segmented_reduce(Exec const& exec, X const& x, Segments const& segments,
                      R const& result, Settings const& settings = {}) {
  Impl::run_segmented_reduce<Plus<>>(std::string(settings.label), exec, x,
                                     segments, result, settings);
}

/// Reduces each segment of a View with an operation such as `Maximum()`; one
/// with a type, such as `Plus<double>()`, keeps the values in that type.
///
/// \code
/// segmented_reduce(exec, x, 256, largest, Maximum());
/// segmented_reduce(exec, floats, offsets, sums, Plus<double>());
/// \endcode
///
/// \param operation Plus, Multiplies, Minimum or Maximum. `Operation<T>`
///        accumulates in T, which must hold every element. Without T a minimum
///        or maximum uses the element type, other operations the type
///        documented for the sum. An empty segment gives the operation's
///        identity
template <class Exec, class X, class Segments, class R,
          Impl::SegmentOperation Op>
requires Impl::ReducedSegments<Segments, X, R>
void segmented_reduce(Exec const& exec, X const& x, Segments const& segments,
                      R const& result, [[maybe_unused]] Op operation,
                      Settings const& settings = {}) {
  Impl::run_segmented_reduce<Op>(std::string(settings.label), exec, x, segments,
                                 result, settings);
}

/// Inclusive scan within each segment: `y(i)` is the sum of its segment's
/// elements up to `x(i)`.
///
/// \code
/// segmented_inclusive_scan(exec, x, 256, y);
/// segmented_inclusive_scan(exec, matrix, Axis{0}, prefixes);
/// \endcode
///
/// \param exec instance on which the scan runs
/// \param x View of rank 1 or 2 of half_t, bhalf_t, float, double, bool
///        (counted) or integers, of any stride and alignment
/// \param segments for rank 1 a length or offsets, for rank 2 an Axis, as in
///        segmented_reduce(). Elements of y outside of all segments are left as
///        they are
/// \param y View of the extents of x: each prefix is converted to it once. It
///        is x (in place: same address, stride and element size) or shares no
///        memory with x
/// \param settings route, and whether offsets are checked
///
/// Accumulator, accuracy, order, return and errors are those of
/// segmented_reduce(). A NaN or an infinity affects only later prefixes of its
/// segment.
template <class Exec, class X, class Segments, class Y>
requires Impl::ScannedSegments<Segments, X, Y>
void segmented_inclusive_scan(Exec const& exec, X const& x,
                              Segments const& segments, Y const& y,
                              Settings const& settings = {}) {
  Impl::run_segmented_scan<true, Plus<>>(std::string(settings.label), exec, x,
                                         segments, y, settings);
}

/// Inclusive scan within each segment with a given operation. The operation is
/// Plus<T>, Multiplies, Minimum or Maximum, as in segmented_reduce().
template <class Exec, class X, class Segments, class Y,
          Impl::SegmentOperation Op>
requires Impl::ScannedSegments<Segments, X, Y>
void segmented_inclusive_scan(Exec const& exec, X const& x,
                              Segments const& segments, Y const& y,
                              [[maybe_unused]] Op operation,
                              Settings const& settings = {}) {
  Impl::run_segmented_scan<true, Op>(std::string(settings.label), exec, x,
                                     segments, y, settings);
}

/// Exclusive scan within each segment: `y(i)` is the sum of its segment's
/// elements before `x(i)`. The first prefix is 0. Arguments, errors and
/// accuracy are those of segmented_inclusive_scan().
template <class Exec, class X, class Segments, class Y>
requires Impl::ScannedSegments<Segments, X, Y>
void segmented_exclusive_scan(Exec const& exec, X const& x,
                              Segments const& segments, Y const& y,
                              Settings const& settings = {}) {
  Impl::run_segmented_scan<false, Plus<>>(std::string(settings.label), exec, x,
                                          segments, y, settings);
}

/// Exclusive scan within each segment with a given operation. The operation is
/// Plus<T>, Multiplies, Minimum or Maximum, as in segmented_reduce(). The first
/// prefix of a segment is the operation's identity.
template <class Exec, class X, class Segments, class Y,
          Impl::SegmentOperation Op>
requires Impl::ScannedSegments<Segments, X, Y>
void segmented_exclusive_scan(Exec const& exec, X const& x,
                              Segments const& segments, Y const& y,
                              [[maybe_unused]] Op operation,
                              Settings const& settings = {}) {
  Impl::run_segmented_scan<false, Op>(std::string(settings.label), exec, x,
                                      segments, y, settings);
}

}  // namespace KokkosMMA

#endif
