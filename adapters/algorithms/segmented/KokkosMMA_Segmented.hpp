// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_HPP
#define KOKKOSMMA_SEGMENTED_HPP

#include <adapters/algorithms/segmented/KokkosMMA_SegmentedDispatch.hpp>

#include <Kokkos_Core.hpp>

#include <string>

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
/// once. Integers are exact modulo 2^bits of that type. The order of additions
/// is fixed by the segments, the types and the route: repeated calls on a
/// device give the same bits. A NaN or an infinity affects only the result of
/// its segment. An empty segment gives 0.
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

/// Reduces each segment of a View with a given operation, optionally in another
/// type.
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
