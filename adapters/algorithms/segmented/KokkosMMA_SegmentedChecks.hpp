// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_CHECKS_HPP
#define KOKKOSMMA_SEGMENTED_CHECKS_HPP

#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/segmented/KokkosMMA_RouteSegmented.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace KokkosMMA {

/// The dimension along which a matrix is reduced or scanned. With 0 the
/// segments are the columns x(:, j), with 1 the rows x(i, :).
struct Axis {
  int dimension;  ///< 0 or 1
};

/// Operation of segmented calls: the sum; its identity is 0. Integers wrap.
/// Plus<double>() keeps the values in double, as std::plus<double> does; Plus()
/// keeps them in the type that the call documents.
template <class T = void>
struct Plus {
  using value_type                           = T;  ///< type of the values
  static constexpr Impl::Operation operation = Impl::Operation::sum;  ///< sum
};

/// Operation of segmented calls: the product; its identity is 1. Integers wrap.
/// Multiplies<double>() keeps the values in double.
template <class T = void>
struct Multiplies {
  using value_type = T;  ///< type of the values
  static constexpr Impl::Operation operation =
      Impl::Operation::prod;  ///< product
};

/// Operation of segmented calls: the minimum; its identity is the largest
/// number of the type. As with Kokkos::Min, NaNs are ignored. Minimum<double>()
/// keeps the values in double.
template <class T = void>
struct Minimum {
  using value_type = T;  ///< type of the values
  static constexpr Impl::Operation operation =
      Impl::Operation::min;  ///< minimum
};

/// Operation of segmented calls: the maximum; its identity is the lowest number
/// of the type. As with Kokkos::Max, NaNs are ignored. Maximum<double>() keeps
/// the values in double.
template <class T = void>
struct Maximum {
  using value_type = T;  ///< type of the values
  static constexpr Impl::Operation operation =
      Impl::Operation::max;  ///< maximum
};

namespace Impl {

/// Types Plus, Multiplies, Minimum and Maximum.
template <class T>
concept SegmentOperation =
    std::same_as<decltype(T::operation), Operation const>;

template <class T>
concept SegmentLength = std::integral<T> && !std::same_as<T, bool>;

/// Offsets of segments: integers of 4 or 8 bytes.
template <class V>
concept OffsetsView = Rank1View<V> &&
    std::is_integral_v<typename std::remove_cvref_t<V>::value_type> &&
    (sizeof(typename std::remove_cvref_t<V>::value_type) == 4 ||
     sizeof(typename std::remove_cvref_t<V>::value_type) == 8);

/// Argument that divides the elements of x into segments with results R: for a
/// row a length or offsets, for a matrix an Axis.
template <class S, class X, class R>
concept ReducedSegments = (Rank1View<X> && Rank1View<R> &&
                           (SegmentLength<S> || OffsetsView<S>)) ||
                          (Rank2View<X> && Rank1View<R> &&
                           std::same_as<S, Axis>);

/// Argument that divides the elements of x and y into segments for a scan: a
/// length or offsets for rank 1, an Axis for matrices.
template <class S, class X, class Y>
concept ScannedSegments = (Rank1View<X> && Rank1View<Y> &&
                           (SegmentLength<S> || OffsetsView<S>)) ||
                          (Rank2View<X> && Rank2View<Y> &&
                           std::same_as<S, Axis>);

/// Default accumulator type of a segment. Sums use that of scans, except for
/// the smallest integers. Minimum and maximum use the element type or a wider
/// one, whatever the result: an empty segment gets the identity of the result's
/// type if that is an integer. Products of integers with a floating-point
/// result use double, because they exceed 64 bits sooner than double.
template <Operation Op, class Input, class Output>
struct SegmentAccumulator {
  // Sums of the smallest integers fit into 64 bits, which have kernels.
  using type =
      std::conditional_t<(std::is_integral_v<Input> && sizeof(Input) <= 2 &&
                          is_floating(scalar_v<Output>)),
                         std::int64_t, scan_accumulator_t<Input, Output>>;
};
template <Operation Op, class Input, class Output>
requires(Op == Operation::min ||
         Op == Operation::max) struct SegmentAccumulator<Op, Input, Output> {
  // With another integer type as result the identity, by which result_of()
  // recognises an empty segment, must be no element: 8 bytes for elements of 4,
  // and a signed type for unsigned elements and a signed result, where 0 is the
  // identity of the maximum. Elements of 8 bytes have no such type: an empty
  // segment then gives the identity of theirs.
  static constexpr bool integers =
      std::is_integral_v<Input> && std::is_integral_v<Output>;
  static constexpr bool to_signed =
      integers && std::is_unsigned_v<Input> && std::is_signed_v<Output>;
  static constexpr bool needs_room =
      integers && sizeof(Input) == 4 &&
      (sizeof(Output) > 4 ||
       std::is_signed_v<Input> != std::is_signed_v<Output>);
  using Room =
      std::conditional_t<std::is_signed_v<Input> || std::is_signed_v<Output>,
                         std::int64_t, std::uint64_t>;
  using type = std::conditional_t<
      is_16bit_float(scalar_v<Input>), float,
      std::conditional_t<needs_room, Room,
                         std::conditional_t<(to_signed && sizeof(Input) <= 2),
                                            std::int32_t, Input>>>;
};
template <class Input, class Output>
requires(std::is_integral_v<Input>&& is_floating(
    scalar_v<Output>)) struct SegmentAccumulator<Operation::prod, Input,
                                                 Output> {
  using type = double;
};

template <SegmentOperation Op, class X, class Y>
using segment_accumulator_t = canonical_t<at_least_4_bytes_t<std::conditional_t<
    std::is_void_v<typename Op::value_type>,
    typename SegmentAccumulator<Op::operation, typename X::non_const_value_type,
                                typename Y::non_const_value_type>::type,
    std::remove_cv_t<typename Op::value_type>>>>;

template <SegmentLength Length>
std::uint64_t checked_length(char const* who, Length length) {
  if (length <= 0)
    invalid_argument(who, "segment_length is ", +length,
                     "; it must be 1 or more");
  return static_cast<std::uint64_t>(length);
}

inline void check_axis(char const* who, Axis axis) {
  if (axis.dimension != 0 && axis.dimension != 1)
    invalid_argument(who, "Axis{", axis.dimension,
                     "} is not a dimension of a View of rank 2; use 0 or 1");
}

template <class X, class R>
void check_segment_result(char const* who, char const* name, X const& x,
                          R const& result, std::uint64_t segments) {
  if (result.extent(0) != segments)
    invalid_argument(who, name, " \"", result.label(), "\" has extent ",
                     result.extent(0), "; there are ", segments,
                     " segments: make its extent ", segments);
  check_memory(who, name, result);
  check_distinct(who, name, result);
  check_memory(who, "x", x);
  check_apart(who, "x", x, name, result);
}

/// Number of segments between the offsets, which it checks for memory.
template <OffsetsView Offsets>
std::uint64_t checked_offsets_extent(char const* who, Offsets const& offsets) {
  if (offsets.extent(0) == 0)
    invalid_argument(who, "the offsets \"", offsets.label(),
                     "\" are empty; k segments have k + 1 offsets, at least "
                     "one");
  check_memory(who, "offsets", offsets);
  return offsets.extent(0) - 1;
}

/// Functor that finds the first offset that is negative, decreases, or exceeds
/// `size`.
template <class Offsets>
struct BadOffset {
  using value_type = std::int64_t;
  Offsets offsets;
  std::uint64_t size;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    using Offset   = typename Offsets::non_const_value_type;
    Offset const o = offsets(i);
    bool bad       = static_cast<std::uint64_t>(o) > size;
    if constexpr (std::is_signed_v<Offset>) {
      bad = bad || o < 0;
    }
    if (i > 0) bad = bad || o < offsets(i - 1);
    if (bad && i < first) first = i;
  }
};

/// Index of the first wrong offset, or OffsetFindings::unknown.
template <class Exec, class Offsets>
std::uint64_t first_bad_offset(Exec const& exec, Offsets const& offsets,
                               std::uint64_t size) {
  constexpr auto none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first  = none;
  Kokkos::parallel_reduce(
      "KokkosMMA::check_offsets",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
          exec, 0, std::int64_t(offsets.extent(0))),
      BadOffset<Offsets>{offsets, size}, Kokkos::Min<std::int64_t>(first));
  return first == none ? OffsetFindings::unknown : std::uint64_t(first);
}

/// Throws the error that describes the wrong offset i.
template <class Offsets>
[[noreturn]] void refuse_offset(char const* who, Offsets const& offsets,
                                std::size_t i, std::uint64_t size) {
  using Offset     = typename Offsets::non_const_value_type;
  auto const value = [&](std::size_t k) {
    Offset one{};
    Kokkos::deep_copy(one, Kokkos::subview(offsets, k));
    return one;
  };
  Offset const wrong = value(i);
  if constexpr (std::is_signed_v<Offset>) {
    if (wrong < 0)
      invalid_argument(who, "offsets(", i, ") = ", wrong,
                       " is negative; offsets are 0 or more");
  }
  if (i > 0)
    if (Offset const before = value(i - 1); wrong < before)
      invalid_argument(who, "offsets(", i, ") = ", wrong, " is below offsets(",
                       i - 1, ") = ", before, "; offsets must not decrease");
  invalid_argument(who, "offsets(", i, ") = ", wrong, " is beyond the ", size,
                   " elements of x; offsets are at most ", size);
}

}  // namespace Impl
}  // namespace KokkosMMA

/// Checks the types of the Views of a segmented operation; OUTPUT is the name
/// of the output.
#define KOKKOSMMA_IMPL_CHECK_SEGMENTED(NAME, EXEC, X, Y, OUTPUT, ACCUMULATOR) \
  KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE(NAME, EXEC);                           \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, X, "x");                         \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, Y, OUTPUT);                      \
  KOKKOSMMA_IMPL_CHECK_TYPES(NAME, X, Y, OUTPUT, ACCUMULATOR)

#endif
