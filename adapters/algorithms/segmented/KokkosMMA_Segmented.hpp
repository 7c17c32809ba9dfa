// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_HPP
#define KOKKOSMMA_SEGMENTED_HPP

#include <adapters/algorithms/segmented/KokkosMMA_SegmentedChecks.hpp>
#include <backends/generic/KokkosMMA_SegmentedGeneric.hpp>
#include <adapters/algorithms/segmented/KokkosMMA_SegmentedKernels.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <core/segmented/KokkosMMA_RouteSegmented.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// A problem on a matrix and how it looks to a kernel.
struct SegmentedCall {
  SegmentedProblem problem;
  EqualSegments packed;  ///< all elements, where the layout is packed
  std::uint64_t lines         = 0;  ///< columns, where it is that
  std::uint64_t length        = 0;
  std::uint64_t stride        = 1;  ///< of columns
  std::uint64_t y_stride      = 1;
  std::ptrdiff_t store_stride = 1;  ///< between the results of neighbours
};

template <Operation Op, class A, class X, class Y>
SegmentedProblem segmented_problem() {
  SegmentedProblem problem;
  problem.operation    = Op;
  problem.input        = scalar_v<typename X::non_const_value_type>;
  problem.accumulator  = scalar_v<A>;
  problem.output       = scalar_v<typename Y::non_const_value_type>;
  problem.plain_memory = is_plain_source<X> && is_plain_memory<Y>;
  return problem;
}

template <Rank1View V>
bool is_packed(V const& view) {
  return view.extent(0) < 2 || view.stride(0) == 1;
}

template <Rank1View V>
std::ptrdiff_t store_stride(V const& view) {
  return view.extent(0) < 2 ? 1 : std::ptrdiff_t(view.stride(0));
}

template <Operation Op, class A, class X, class Y>
SegmentedProblem equal_problem(X const& x, Y const& y, bool scan,
                               EqualSegments const& segments) {
  SegmentedProblem problem = segmented_problem<Op, A, X, Y>();
  problem.layout           = is_packed(x) && (!scan || is_packed(y))
                                 ? SegmentLayout::packed
                                 : SegmentLayout::strided;
  problem.segments         = segments.count();
  problem.segment_length   = segments.length;
  return problem;
}

template <Operation Op, class A, class X, class Offsets, class Y>
SegmentedProblem ragged_problem(X const& x, Offsets const& offsets, Y const& y,
                                bool scan) {
  SegmentedProblem problem = equal_problem<Op, A>(x, y, scan, {});
  problem.csr           = true;
  problem.packed_offsets   = is_packed(offsets);
  problem.plain_memory     = problem.plain_memory && is_plain_source<Offsets>;
  problem.segments         = offsets.extent(0) - 1;
  problem.segment_length =
      x.extent(0) / std::max<std::uint64_t>(problem.segments, 1);
  return problem;
}

/// Lines of a matrix along a dimension: rows that follow each other are equal
/// segments; columns need no more than neighbours that are neighbours.
struct MatrixLines {
  SegmentLayout layout = SegmentLayout::strided;
  std::uint64_t lines  = 0;
  std::uint64_t length = 0;
  std::uint64_t stride = 1;
};
template <Rank2View X>
MatrixLines lines_of(X const& x, int dimension) {
  MatrixLines result;
  result.lines               = x.extent(1 - dimension);
  result.length              = x.extent(dimension);
  std::uint64_t const stride = x.stride(dimension);
  std::uint64_t const across = x.stride(1 - dimension);
  result.stride              = stride;
  if ((result.length < 2 || stride == 1) &&
      (result.lines < 2 || across == result.length))
    result.layout = SegmentLayout::packed;
  else if (result.lines > 1 && across == 1 && stride >= result.lines)
    result.layout = SegmentLayout::columns;
  return result;
}

template <Operation Op, class A, class X, class Y>
SegmentedCall line_call(MatrixLines const& lines) {
  SegmentedCall call;
  call.problem                = segmented_problem<Op, A, X, Y>();
  call.problem.layout         = lines.layout;
  call.problem.segments       = lines.lines;
  call.problem.segment_length = lines.length;
  call.packed                 = {lines.lines * lines.length, lines.length};
  call.lines                  = lines.lines;
  call.length                 = lines.length;
  call.stride                 = lines.stride;
  return call;
}

template <Operation Op, class A, Rank2View X, Rank1View R>
SegmentedCall line_reduce_call(X const& x, Axis axis, R const& result) {
  SegmentedCall call = line_call<Op, A, X, R>(lines_of(x, axis.dimension));
  call.store_stride  = store_stride(result);
  return call;
}

template <Operation Op, class A, Rank2View X, Rank2View Y>
SegmentedCall line_scan_call(X const& x, Axis axis, Y const& y) {
  MatrixLines const to = lines_of(y, axis.dimension);
  SegmentedCall call   = line_call<Op, A, X, Y>(lines_of(x, axis.dimension));
  call.y_stride        = to.stride;
  if (to.layout == SegmentLayout::strided)
    call.problem.layout = to.layout;
  else if (call.problem.layout != SegmentLayout::strided &&
           call.problem.layout != to.layout)
    call.problem.layout = SegmentLayout::unlike;
  return call;
}

/// k values per element. One segment is the columns of the matrix; several are
/// equal segments where the values are stored one after the other, no segment
/// is shorter, and the results lie in the same order.
template <Operation Op, class A, Rank2View X, Rank2View R>
SegmentedCall value_call(X const& x, EqualSegments const& segments,
                         R const& result) {
  std::uint64_t const count  = segments.count();
  std::uint64_t const values = x.extent(1);
  SegmentedCall call         = line_call<Op, A, X, R>(lines_of(x, 0));
  call.problem.segments      = count * values;
  if (count > 1) {
    bool const whole   = values < 2 || segments.size % segments.length == 0;
    bool const ordered = values < 2 || std::uint64_t(result.stride(1)) ==
                                           count * result.stride(0);
    if (call.problem.layout != SegmentLayout::packed || !whole || !ordered)
      call.problem.layout = SegmentLayout::interleaved;
    call.problem.segment_length = segments.length;
    call.packed.length          = segments.length;
    call.store_stride           = std::ptrdiff_t(result.stride(0));
  } else {
    call.store_stride = values < 2 ? 1 : std::ptrdiff_t(result.stride(1));
  }
  return call;
}

template <class Exec>
RouteDecision decide_segmented(char const* who, Exec const& exec,
                               SegmentedProblem const& problem, bool scan,
                               Settings const& settings) {
  return decide_call(who, settings, [&](Settings const& call) {
    return route_segmented(problem, capability(exec), call, scan,
                           active_tuning(exec));
  });
}

template <class Exec>
std::string explain_segmented(char const* who, Exec const& exec,
                              SegmentedProblem const& problem, bool scan,
                              Settings const& settings) {
  check_settings(who, settings);
  return explain_call(settings,
                      [&](Settings const& call) {
                        return route_segmented(problem, capability(exec), call,
                                               scan, active_tuning(exec));
                      }) +
         tuning_note(exec);
}

/// Empty where nobody would read it: making it takes a microsecond.
inline std::string segmented_label(char const* who, Route route,
                                   SegmentedProblem const& problem) {
  if (route != Route::generic && !Kokkos::Tools::profileLibraryLoaded())
    return {};
  return concatenate(who, "[", to_string(route), ",",
                     to_string(problem.operation), ",",
                     to_string(problem.input), "]");
}

/// \return no less than the elements of any segment
template <class Exec, Rank1View X, OffsetsView Offsets>
std::uint64_t check_offsets(char const* who, Exec const& exec, X const& x,
                            Offsets const& offsets, Settings const& settings) {
  if (!effective_settings(settings).check_offsets)
    return OffsetFindings::unknown;
  OffsetFindings const found = [&] {
    if constexpr (SegmentKernels<Exec>::exist && is_plain_source<Offsets>) {
      if (is_packed(offsets))
        return SegmentKernels<Exec>::findings_of_offsets(
            exec, canonical_pointer(offsets), offsets.extent(0) - 1,
            x.extent(0));
    }
    return OffsetFindings{first_bad_offset(exec, offsets, x.extent(0))};
  }();
  if (found.first_bad != OffsetFindings::unknown)
    refuse_offset(who, offsets, std::size_t(found.first_bad), x.extent(0));
  return found.longest;
}

/// Whether kernels are compiled for these types on this space.
template <class Exec, class A, bool Scan, class X, class Y, class... Offsets>
constexpr bool has_segment_kernel() {
  constexpr Scalar input  = scalar_v<typename X::non_const_value_type>;
  constexpr Scalar output = scalar_v<typename Y::non_const_value_type>;
  return SegmentKernels<Exec>::exist && is_plain_source<X> &&
         is_plain_memory<Y> && (is_plain_source<Offsets> && ...) &&
         (Scan ? segment_scan_kernel_exists(input, scalar_v<A>, output)
               : segment_kernel_exists(input, scalar_v<A>));
}

template <Operation Op, class A, class Exec, Rank1View X, Rank1View R>
void reduce_equal(char const* who, Exec const& exec, X const& x,
                  std::uint64_t length, R const& result,
                  Settings const& settings) {
  using Element = typename X::non_const_value_type;
  using Result  = typename R::non_const_value_type;
  EqualSegments const segments{
      x.extent(0), std::min(length, std::max<std::uint64_t>(x.extent(0), 1))};
  check_segment_result(who, "the result", x, result, segments.count());
  SegmentedProblem const problem =
      equal_problem<Op, A>(x, result, false, segments);
  RouteDecision const decision =
      decide_segmented(who, exec, problem, false, settings);
  last_route_of_this_thread() = decision.route;
  if (problem.segments == 0) return;
  std::string const label = segmented_label(who, decision.route, problem);
  if constexpr (has_segment_kernel<Exec, A, false, X, R>()) {
    if (decision.route != Route::generic) {
      SegmentKernels<Exec>::template reduce<Op, Element, A>(
          label, exec, x.data(), segments,
          StridedStore<Op, Result>{result.data(), store_stride(result)},
          decision.route == Route::mma);
      return;
    }
  }
  generic_segmented_reduce<FoldOne<Op, A>>(
      label, exec, segments, problem.segments, x.extent(0), AtElement<X>{x},
      IntoResult<Op, R>{result});
}

template <Operation Op, class A, class Exec, Rank1View X, OffsetsView Offsets,
          Rank1View R>
void reduce_ragged(char const* who, Exec const& exec, X const& x,
                   Offsets const& offsets, R const& result,
                   Settings const& settings) {
  using Element             = typename X::non_const_value_type;
  using Result              = typename R::non_const_value_type;
  std::uint64_t const count = checked_offsets_extent(who, offsets);
  check_segment_result(who, "the result", x, result, count);
  check_apart(who, "offsets", offsets, "the result", result);
  SegmentedProblem const problem =
      ragged_problem<Op, A>(x, offsets, result, false);
  RouteDecision const decision =
      decide_segmented(who, exec, problem, false, settings);
  [[maybe_unused]] std::uint64_t const longest =
      check_offsets(who, exec, x, offsets, settings);
  last_route_of_this_thread() = decision.route;
  if (count == 0) return;
  std::string const label = segmented_label(who, decision.route, problem);
  if constexpr (has_segment_kernel<Exec, A, false, X, R, Offsets>()) {
    if (decision.route != Route::generic) {
      SegmentKernels<Exec>::template reduce_ragged<Op, Element, A>(
          label, exec, x.data(), x.extent(0), canonical_pointer(offsets), count,
          longest,
          StridedStore<Op, Result>{result.data(), store_stride(result)});
      return;
    }
  }
  generic_segmented_reduce<FoldOne<Op, A>>(
      label, exec, ViewSegments<Offsets>{offsets}, count, x.extent(0),
      AtElement<X>{x}, IntoResult<Op, R>{result});
}

/// The kernel of a matrix, where there is one for the call; false otherwise.
template <Operation Op, class A, class Exec, Rank2View X, class R>
bool reduce_matrix(std::string const& label, Exec const& exec, X const& x,
                   R const& result, SegmentedCall const& call, Route route) {
  using Element = typename X::non_const_value_type;
  using Result  = typename R::non_const_value_type;
  if constexpr (has_segment_kernel<Exec, A, false, X, R>()) {
    // Without elements there is nothing to load, and results all the same.
    if (route == Route::generic || x.size() == 0) return false;
    StridedStore<Op, Result> const store{result.data(), call.store_stride};
    bool const products = route == Route::mma;
    if (call.problem.layout == SegmentLayout::packed)
      SegmentKernels<Exec>::template reduce<Op, Element, A>(
          label, exec, x.data(), call.packed, store, products);
    else
      SegmentKernels<Exec>::template reduce_columns<Op, Element, A>(
          label, exec, x.data(), call.length, call.lines, call.stride, store,
          products);
    return true;
  }
  return false;
}

template <Operation Op, class A, class Exec, Rank2View X, Rank1View R>
void reduce_lines(char const* who, Exec const& exec, X const& x, Axis axis,
                  R const& result, Settings const& settings) {
  check_axis(who, axis);
  check_segment_result(who, "the result", x, result,
                       x.extent(1 - axis.dimension));
  SegmentedCall const call = line_reduce_call<Op, A>(x, axis, result);
  RouteDecision const decision =
      decide_segmented(who, exec, call.problem, false, settings);
  last_route_of_this_thread() = decision.route;
  if (call.lines == 0) return;
  std::string const label = segmented_label(who, decision.route, call.problem);
  if (reduce_matrix<Op, A>(label, exec, x, result, call, decision.route))
    return;
  generic_segmented_reduce<FoldOne<Op, A>>(
      label, exec, LineSegments{call.lines, call.length}, call.lines, x.size(),
      AtLine<X>{x, axis.dimension}, IntoResult<Op, R>{result});
}

template <Operation Op, class A, class Exec, Rank2View X, Rank2View R>
void reduce_values(char const* who, Exec const& exec, X const& x,
                   std::uint64_t length, R const& result,
                   Settings const& settings) {
  EqualSegments const segments{
      x.extent(0), std::min(length, std::max<std::uint64_t>(x.extent(0), 1))};
  check_value_results(who, x, result, segments.count());
  SegmentedCall const call = value_call<Op, A>(x, segments, result);
  RouteDecision const decision =
      decide_segmented(who, exec, call.problem, false, settings);
  last_route_of_this_thread() = decision.route;
  if (call.problem.segments == 0) return;
  std::string const label = segmented_label(who, decision.route, call.problem);
  if (reduce_matrix<Op, A>(label, exec, x, result, call, decision.route))
    return;
  generic_segmented_reduce<FoldOne<Op, A>>(
      label, exec, ValueSegments{segments, x.extent(1)}, call.problem.segments,
      x.size(), AtValue<X>{x}, IntoMatrix<Op, R>{result});
}

template <Operation Op, class A, bool Inclusive, class Exec, Rank1View X,
          Rank1View Y>
void scan_equal(char const* who, Exec const& exec, X const& x,
                std::uint64_t length, Y const& y, Settings const& settings) {
  using Element = typename X::non_const_value_type;
  EqualSegments const segments{
      x.extent(0), std::min(length, std::max<std::uint64_t>(x.extent(0), 1))};
  check_scan_views(who, x, y);
  SegmentedProblem const problem = equal_problem<Op, A>(x, y, true, segments);
  RouteDecision const decision =
      decide_segmented(who, exec, problem, true, settings);
  last_route_of_this_thread() = decision.route;
  if (problem.segments == 0) return;
  std::string const label = segmented_label(who, decision.route, problem);
  if constexpr (has_segment_kernel<Exec, A, true, X, Y>()) {
    if (decision.route != Route::generic) {
      SegmentKernels<Exec>::template scan<Op, Element, A, Inclusive>(
          label, exec, x.data(), x.extent(0), segments, canonical_pointer(y));
      return;
    }
  }
  generic_segmented_scan<Op, A, Inclusive>(label, exec, segments,
                                           problem.segments, x.extent(0),
                                           AtElement<X>{x}, AtElement<Y>{y});
}

template <Operation Op, class A, bool Inclusive, class Exec, Rank1View X,
          OffsetsView Offsets, Rank1View Y>
void scan_ragged(char const* who, Exec const& exec, X const& x,
                 Offsets const& offsets, Y const& y, Settings const& settings) {
  using Element             = typename X::non_const_value_type;
  std::uint64_t const count = checked_offsets_extent(who, offsets);
  check_scan_views(who, x, y);
  check_apart(who, "offsets", offsets, "y", y);
  SegmentedProblem const problem = ragged_problem<Op, A>(x, offsets, y, true);
  RouteDecision const decision =
      decide_segmented(who, exec, problem, true, settings);
  check_offsets(who, exec, x, offsets, settings);
  last_route_of_this_thread() = decision.route;
  if (count == 0 || x.extent(0) == 0) return;
  std::string const label = segmented_label(who, decision.route, problem);
  if constexpr (has_segment_kernel<Exec, A, true, X, Y, Offsets>()) {
    if (decision.route != Route::generic) {
      SegmentKernels<Exec>::template scan_ragged<Op, Element, A, Inclusive>(
          label, exec, x.data(), x.extent(0), canonical_pointer(offsets), count,
          canonical_pointer(y));
      return;
    }
  }
  generic_segmented_scan<Op, A, Inclusive>(
      label, exec, ViewSegments<Offsets>{offsets}, count, x.extent(0),
      AtElement<X>{x}, AtElement<Y>{y});
}

template <Operation Op, class A, bool Inclusive, class Exec, Rank2View X,
          Rank2View Y>
void scan_lines(char const* who, Exec const& exec, X const& x, Axis axis,
                Y const& y, Settings const& settings) {
  using Element = typename X::non_const_value_type;
  check_axis(who, axis);
  check_scan_views(who, x, y);
  SegmentedCall const call = line_scan_call<Op, A>(x, axis, y);
  RouteDecision const decision =
      decide_segmented(who, exec, call.problem, true, settings);
  last_route_of_this_thread() = decision.route;
  if (x.size() == 0) return;
  std::string const label = segmented_label(who, decision.route, call.problem);
  if constexpr (has_segment_kernel<Exec, A, true, X, Y>()) {
    if (decision.route != Route::generic) {
      if (call.problem.layout == SegmentLayout::packed)
        SegmentKernels<Exec>::template scan<Op, Element, A, Inclusive>(
            label, exec, x.data(), call.packed.size, call.packed,
            canonical_pointer(y));
      else
        SegmentKernels<Exec>::template scan_columns<Op, Element, A, Inclusive>(
            label, exec, x.data(), call.length, call.lines, call.stride,
            canonical_pointer(y), call.y_stride);
      return;
    }
  }
  generic_segmented_scan<Op, A, Inclusive>(
      label, exec, LineSegments{call.lines, call.length}, call.lines, x.size(),
      AtLine<X>{x, axis.dimension}, AtLine<Y>{y, axis.dimension});
}

/// Sums and sums of squares, after the extents were checked.
template <class V, class W, class Exec, Rank1View X, class Segments,
          Rank1View Sums, Rank1View Squares>
void moments(char const* who, Exec const& exec, X const& x,
             Segments const& segments, SegmentedProblem problem,
             Sums const& sums, Squares const& squares,
             Settings const& settings) {
  problem.moments = true;
  RouteDecision const decision =
      decide_segmented(who, exec, problem, false, settings);
  last_route_of_this_thread() = decision.route;
  generic_segmented_reduce<FoldMoments<V, W>>(
      segmented_label(who, decision.route, problem), exec, segments,
      problem.segments, x.extent(0), AtElement<X>{x},
      IntoMoments<Sums, Squares>{sums, squares});
}

template <Rank1View X, Rank1View Sums, Rank1View Squares>
void check_moments(char const* who, X const& x, Sums const& sums,
                   Squares const& squares, std::uint64_t segments) {
  check_segment_result(who, "the sums", x, sums, segments);
  check_segment_result(who, "the squares", x, squares, segments);
  check_apart(who, "the sums", sums, "the squares", squares);
}

}  // namespace Impl

/// Reduction of equal segments: result(s) = x(s * length) + ... up to the end
/// of segment s, which is `length` elements later; the last segment may be
/// shorter.
///
/// \tparam Op what joins the elements: sum, min, max or prod, as Kokkos'
///         reducers of these names: integers wrap, and a minimum or maximum is
///         none of the NaNs of its segment
/// \tparam Accumulator type in which a segment is kept. By default the wider of
///         both element types, fp32 for 16-bit floats, at least 4 bytes for
///         integers; for a minimum or maximum the elements' own. Name one to
///         add in a wider type; it must hold every element
/// \param exec   instance on which the reduction runs
/// \param x      rank-1 View, contiguous or strided, any alignment, of half_t,
///               bhalf_t, float, double, bool (counted) or integers
/// \param segment_length 1 or more; a length beyond the extent is one segment
/// \param result View of as many elements as there are segments, any stride,
///               sharing no memory with x. Each value is converted once
/// \param settings route
///
/// Integers are exact modulo 2^bits of the accumulator. The order of additions
/// is fixed by the segments, the types and the route: repeated calls on a
/// device give the same bits. No segment feels a NaN or an infinity of another.
///
/// The call returns at once, in order on `exec`.
///
/// \throws std::invalid_argument for a length below 1, a result of the wrong
/// extent, overlapping Views, missing memory, a forced route that cannot run,
/// or settings out of range; nothing is launched or written then.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::SegmentLength Length, Impl::Rank1View R>
void segmented_reduce(Exec const& exec, X const& x, Length segment_length,
                      R const& result, Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_reduce";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, R>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_reduce", Exec, X, R, A);
  Impl::check_settings(who, settings);
  Impl::reduce_equal<Op, A>(who, exec, x,
                            Impl::checked_length(who, segment_length), result,
                            settings);
}

/// Reduction of segments between offsets, as in compressed rows: result(s) =
/// x(offsets(s)) + ... + x(offsets(s + 1) - 1). An empty segment gives 0, for
/// other operations what changes no element: 1, the largest or the smallest
/// number.
///
/// \param offsets View of one element more than there are segments, of integers
///        of 4 or 8 bytes that do not decrease and are not behind the end of x.
///        Elements may lie before the first and behind the last offset; they
///        take no part. By default a kernel checks the offsets and the call
///        waits for it; Settings::check_offsets = false leaves it out
///
/// \throws std::invalid_argument also for offsets that are negative, decrease
/// or lie behind the end of x, naming the first of them.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::OffsetsView Offsets, Impl::Rank1View R>
void segmented_reduce(Exec const& exec, X const& x, Offsets const& offsets,
                      R const& result, Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_reduce";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, R>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_reduce", Exec, X, R, A);
  KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::segmented_reduce", Exec, Offsets,
                                 "offsets");
  Impl::check_settings(who, settings);
  Impl::reduce_ragged<Op, A>(who, exec, x, offsets, result, settings);
}

/// Reduction of a matrix along a dimension: result(j) = sum over i of x(i, j)
/// with Axis{0}, result(i) = sum over j of x(i, j) with Axis{1}.
///
/// \param x rank-2 View of any layout. Lines that follow each other and columns
///          whose neighbours are neighbours take the kernels, others plain
///          Kokkos
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank2View X, Impl::Rank1View R>
void segmented_reduce(Exec const& exec, X const& x, Axis axis, R const& result,
                      Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_reduce";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, R>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_reduce", Exec, X, R, A);
  Impl::check_settings(who, settings);
  Impl::reduce_lines<Op, A>(who, exec, x, axis, result, settings);
}

/// Reduction of several values per element, each by itself: result(s, k) = sum
/// of x(i, k) over the i of segment s. With a length of x.extent(0) or more, or
/// with values stored one after the other and segments that divide the extent,
/// the kernels run, otherwise plain Kokkos.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank2View X, Impl::SegmentLength Length, Impl::Rank2View R>
void segmented_reduce(Exec const& exec, X const& x, Length segment_length,
                      R const& result, Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_reduce";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, R>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_reduce", Exec, X, R, A);
  Impl::check_settings(who, settings);
  Impl::reduce_values<Op, A>(who, exec, x,
                             Impl::checked_length(who, segment_length), result,
                             settings);
}

/// Inclusive scan within equal segments: y(i) = the sum of the elements of its
/// segment from the first up to x(i). With another operation, join for sum.
///
/// \tparam Op, Accumulator as in segmented_reduce()
/// \param x, segment_length as in segmented_reduce()
/// \param y View of the extent of x: each prefix is converted to it once. The
///        same elements as x (in place: same address, stride and element size),
///        or no byte in common with x
/// \param settings route
///
/// Accuracy, order, errors and return as in segmented_reduce(). A NaN or an
/// infinity reaches the later prefixes of its own segment and no other.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::SegmentLength Length, Impl::Rank1View Y>
void segmented_inclusive_scan(Exec const& exec, X const& x,
                              Length segment_length, Y const& y,
                              Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_inclusive_scan";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_inclusive_scan", Exec, X,
                                 Y, A);
  Impl::check_settings(who, settings);
  Impl::scan_equal<Op, A, true>(
      who, exec, x, Impl::checked_length(who, segment_length), y, settings);
}

/// Inclusive scan within segments between offsets, which are as in
/// segmented_reduce(). Elements of y outside of all segments are left alone.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::OffsetsView Offsets, Impl::Rank1View Y>
void segmented_inclusive_scan(Exec const& exec, X const& x,
                              Offsets const& offsets, Y const& y,
                              Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_inclusive_scan";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_inclusive_scan", Exec, X,
                                 Y, A);
  KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::segmented_inclusive_scan", Exec,
                                 Offsets, "offsets");
  Impl::check_settings(who, settings);
  Impl::scan_ragged<Op, A, true>(who, exec, x, offsets, y, settings);
}

/// Inclusive scan of a matrix along a dimension, as in segmented_reduce(): of
/// each x(:, j) with Axis{0}, of each x(i, :) with Axis{1}. x and y have the
/// same extents; where their layouts differ, plain Kokkos runs.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank2View X, Impl::Rank2View Y>
void segmented_inclusive_scan(Exec const& exec, X const& x, Axis axis,
                              Y const& y, Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_inclusive_scan";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_inclusive_scan", Exec, X,
                                 Y, A);
  Impl::check_settings(who, settings);
  Impl::scan_lines<Op, A, true>(who, exec, x, axis, y, settings);
}

/// Exclusive scan within equal segments: y(i) = the sum of the elements of its
/// segment before x(i); the first of a segment is what changes no element: 0,
/// for other operations 1, the largest or the smallest number. In everything
/// else like segmented_inclusive_scan().
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::SegmentLength Length, Impl::Rank1View Y>
void segmented_exclusive_scan(Exec const& exec, X const& x,
                              Length segment_length, Y const& y,
                              Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_exclusive_scan";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_exclusive_scan", Exec, X,
                                 Y, A);
  Impl::check_settings(who, settings);
  Impl::scan_equal<Op, A, false>(
      who, exec, x, Impl::checked_length(who, segment_length), y, settings);
}

/// Exclusive scan within segments between offsets, which are as in
/// segmented_reduce(). Elements of y outside of all segments are left alone.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::OffsetsView Offsets, Impl::Rank1View Y>
void segmented_exclusive_scan(Exec const& exec, X const& x,
                              Offsets const& offsets, Y const& y,
                              Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_exclusive_scan";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_exclusive_scan", Exec, X,
                                 Y, A);
  KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::segmented_exclusive_scan", Exec,
                                 Offsets, "offsets");
  Impl::check_settings(who, settings);
  Impl::scan_ragged<Op, A, false>(who, exec, x, offsets, y, settings);
}

/// Exclusive scan of a matrix along a dimension, as in segmented_reduce(): of
/// each x(:, j) with Axis{0}, of each x(i, :) with Axis{1}. x and y have the
/// same extents; where their layouts differ, plain Kokkos runs.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank2View X, Impl::Rank2View Y>
void segmented_exclusive_scan(Exec const& exec, X const& x, Axis axis,
                              Y const& y, Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_exclusive_scan";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_exclusive_scan", Exec, X,
                                 Y, A);
  Impl::check_settings(who, settings);
  Impl::scan_lines<Op, A, false>(who, exec, x, axis, y, settings);
}

/// Sum and sum of squares of every equal segment in one pass over x: what mean
/// and variance are made of.
///
/// \tparam Accumulator type of both; by default that of a sum of x for each
///         result. The elements are converted to it before they are squared
/// \param sums, squares Views of as many elements as there are segments; they
///        share no memory with x or with each other
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::SegmentLength Length, Impl::Rank1View Sums,
          Impl::Rank1View Squares>
void segmented_moments(Exec const& exec, X const& x, Length segment_length,
                       Sums const& sums, Squares const& squares,
                       Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_moments";
  constexpr Operation sum   = Operation::sum;
  using V = Impl::segment_accumulator_t<sum, Accumulator, X, Sums>;
  using W = Impl::segment_accumulator_t<sum, Accumulator, X, Squares>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_moments", Exec, X, Sums,
                                 V);
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_moments", Exec, X,
                                 Squares, W);
  Impl::check_settings(who, settings);
  Impl::EqualSegments const segments{
      x.extent(0), std::min(Impl::checked_length(who, segment_length),
                            std::max<std::uint64_t>(x.extent(0), 1))};
  Impl::check_moments(who, x, sums, squares, segments.count());
  Impl::moments<V, W>(who, exec, x, segments,
                      Impl::equal_problem<sum, V>(x, sums, false, segments),
                      sums, squares, settings);
}

/// Sum and sum of squares of every segment between offsets.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::OffsetsView Offsets, Impl::Rank1View Sums,
          Impl::Rank1View Squares>
void segmented_moments(Exec const& exec, X const& x, Offsets const& offsets,
                       Sums const& sums, Squares const& squares,
                       Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::segmented_moments";
  constexpr Operation sum   = Operation::sum;
  using V = Impl::segment_accumulator_t<sum, Accumulator, X, Sums>;
  using W = Impl::segment_accumulator_t<sum, Accumulator, X, Squares>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_moments", Exec, X, Sums,
                                 V);
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::segmented_moments", Exec, X,
                                 Squares, W);
  KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::segmented_moments", Exec, Offsets,
                                 "offsets");
  Impl::check_settings(who, settings);
  std::uint64_t const count = Impl::checked_offsets_extent(who, offsets);
  Impl::check_moments(who, x, sums, squares, count);
  Impl::check_apart(who, "offsets", offsets, "the sums", sums);
  Impl::check_apart(who, "offsets", offsets, "the squares", squares);
  Impl::check_offsets(who, exec, x, offsets, settings);
  Impl::moments<V, W>(who, exec, x, Impl::ViewSegments<Offsets>{offsets},
                      Impl::ragged_problem<sum, V>(x, offsets, sums, false),
                      sums, squares, settings);
}

/// Which route segmented_reduce() would take for these arguments, and why not
/// the others.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::SegmentLength Length, Impl::Rank1View R>
std::string explain_segmented_reduce(Exec const& exec, X const& x,
                                     Length segment_length, R const& result,
                                     Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::explain_segmented_reduce";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, R>;
  Impl::EqualSegments const segments{
      x.extent(0), std::min(Impl::checked_length(who, segment_length),
                            std::max<std::uint64_t>(x.extent(0), 1))};
  return Impl::explain_segmented(
      who, exec, Impl::equal_problem<Op, A>(x, result, false, segments), false,
      settings);
}
/// Likewise between offsets.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::OffsetsView Offsets, Impl::Rank1View R>
std::string explain_segmented_reduce(Exec const& exec, X const& x,
                                     Offsets const& offsets, R const& result,
                                     Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::explain_segmented_reduce";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, R>;
  Impl::checked_offsets_extent(who, offsets);
  return Impl::explain_segmented(
      who, exec, Impl::ragged_problem<Op, A>(x, offsets, result, false), false,
      settings);
}
/// Likewise for a matrix, along a dimension.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank2View X, Impl::Rank1View R>
std::string explain_segmented_reduce(Exec const& exec, X const& x, Axis axis,
                                     R const& result,
                                     Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::explain_segmented_reduce";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, R>;
  Impl::check_axis(who, axis);
  return Impl::explain_segmented(
      who, exec, Impl::line_reduce_call<Op, A>(x, axis, result).problem, false,
      settings);
}
/// Likewise with several values per element.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank2View X, Impl::SegmentLength Length, Impl::Rank2View R>
std::string explain_segmented_reduce(Exec const& exec, X const& x,
                                     Length segment_length, R const& result,
                                     Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::explain_segmented_reduce";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, R>;
  Impl::EqualSegments const segments{
      x.extent(0), std::min(Impl::checked_length(who, segment_length),
                            std::max<std::uint64_t>(x.extent(0), 1))};
  return Impl::explain_segmented(
      who, exec, Impl::value_call<Op, A>(x, segments, result).problem, false,
      settings);
}

/// Which route both segmented scans would take for these arguments, and why not
/// the others.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::SegmentLength Length, Impl::Rank1View Y>
std::string explain_segmented_scan(Exec const& exec, X const& x,
                                   Length segment_length, Y const& y,
                                   Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::explain_segmented_scan";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, Y>;
  Impl::EqualSegments const segments{
      x.extent(0), std::min(Impl::checked_length(who, segment_length),
                            std::max<std::uint64_t>(x.extent(0), 1))};
  return Impl::explain_segmented(
      who, exec, Impl::equal_problem<Op, A>(x, y, true, segments), true,
      settings);
}
/// Likewise between offsets.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank1View X, Impl::OffsetsView Offsets, Impl::Rank1View Y>
std::string explain_segmented_scan(Exec const& exec, X const& x,
                                   Offsets const& offsets, Y const& y,
                                   Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::explain_segmented_scan";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, Y>;
  Impl::checked_offsets_extent(who, offsets);
  return Impl::explain_segmented(
      who, exec, Impl::ragged_problem<Op, A>(x, offsets, y, true), true,
      settings);
}
/// Likewise for a matrix, along a dimension.
template <Operation Op = Operation::sum, class Accumulator = void, class Exec,
          Impl::Rank2View X, Impl::Rank2View Y>
std::string explain_segmented_scan(Exec const& exec, X const& x, Axis axis,
                                   Y const& y, Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::explain_segmented_scan";
  using A = Impl::segment_accumulator_t<Op, Accumulator, X, Y>;
  Impl::check_axis(who, axis);
  return Impl::explain_segmented(
      who, exec, Impl::line_scan_call<Op, A>(x, axis, y).problem, true,
      settings);
}

#undef KOKKOSMMA_IMPL_CHECK_SEGMENTED
}  // namespace KokkosMMA

#endif
