// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_CHECKS_HPP
#define KOKKOSMMA_SEGMENTED_CHECKS_HPP

#include <adapters/kokkos/KokkosMMA_Functors.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Operation.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace KokkosMMA {

/// The dimension of a matrix along which it is reduced or scanned: with 0 the
/// segments are the x(:, j), with 1 the x(i, :).
struct Axis {
  int dimension;  ///< 0 or 1
};

namespace Impl {

template <class V>
inline constexpr bool is_rank_2_view = false;
template <class T, class... P>
inline constexpr bool is_rank_2_view<Kokkos::View<T, P...>> =
    Kokkos::View<T, P...>::rank() == 2;
template <class V>
concept Rank2View = is_rank_2_view<std::remove_cvref_t<V>>;

template <class T>
concept SegmentLength = std::integral<T> && !std::same_as<T, bool>;

/// Offsets of segments: integers of 4 or 8 bytes.
template <class V>
concept OffsetsView = Rank1View<V> &&
    std::is_integral_v<typename std::remove_cvref_t<V>::value_type> &&
    (sizeof(typename std::remove_cvref_t<V>::value_type) == 4 ||
     sizeof(typename std::remove_cvref_t<V>::value_type) == 8);

/// One type for each size and signedness, so that `long` and `long long` share
/// their kernels.
template <class T>
using canonical_t = std::conditional_t<
    !std::is_integral_v<T> || std::is_same_v<T, bool>, T,
    std::conditional_t<
        sizeof(T) == 8,
        std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
        std::conditional_t<sizeof(T) == 4,
                           std::conditional_t<std::is_signed_v<T>, std::int32_t,
                                              std::uint32_t>,
                           T>>>;

/// Type in which the value of a segment is kept. A sum is kept as in the scans,
/// but for the smallest integers. A minimum or maximum is an element, whatever
/// it is written to. Products of the smallest integers for a floating-point
/// result leave 64 bits before they leave double, where their sums do not.
template <Operation Op, class Input, class Output>
struct SegmentAccumulator {
  // Sums of the smallest integers stay within 64 bits, which have kernels.
  using type =
      std::conditional_t<(std::is_integral_v<Input> && sizeof(Input) <= 2 &&
                          is_floating(scalar_v<Output>)),
                         std::int64_t, scan_accumulator_t<Input, Output>>;
};
template <Operation Op, class Input, class Output>
requires(Op == Operation::min ||
         Op == Operation::max) struct SegmentAccumulator<Op, Input, Output> {
  using type =
      std::conditional_t<is_16bit_float(scalar_v<Input>), float, Input>;
};
template <class Input, class Output>
requires(std::is_integral_v<Input>&& is_floating(
    scalar_v<Output>)) struct SegmentAccumulator<Operation::prod, Input,
                                                 Output> {
  using type = double;
};

template <Operation Op, class Accumulator, class X, class Y>
using segment_accumulator_t = canonical_t<at_least_4_bytes_t<std::conditional_t<
    std::is_void_v<Accumulator>,
    typename SegmentAccumulator<Op, typename X::non_const_value_type,
                                typename Y::non_const_value_type>::type,
    std::remove_cv_t<Accumulator>>>>;

/// Bytes that a View of rank 2 spans: rows of neighbours count as one element,
/// so that a matrix and a column next to it are told apart.
template <Rank2View V>
AddressRange range_of(V const& view) {
  AddressRange range;
  std::uintptr_t const element = sizeof(typename V::value_type);
  range.size                   = element;
  range.begin                  = reinterpret_cast<std::uintptr_t>(view.data());
  range.end                    = range.begin;
  if (view.extent(0) == 0 || view.extent(1) == 0) return range;
  struct Dimension {
    std::uintptr_t extent, stride;
  };
  Dimension fast{view.extent(0), std::uintptr_t(view.stride(0)) * element};
  Dimension slow{view.extent(1), std::uintptr_t(view.stride(1)) * element};
  if (fast.extent < 2) fast.stride = 0;
  if (slow.extent < 2) slow.stride = 0;
  if (fast.stride > slow.stride) std::swap(fast, slow);
  range.size += (fast.extent - 1) * fast.stride;
  range.stride = slow.stride;
  range.end += (slow.extent - 1) * slow.stride + range.size;
  return range;
}
template <Rank1View V>
AddressRange range_of(V const& view) {
  return address_range(view);
}

template <class V>
std::string describe(char const* name, V const& view) {
  std::string extents = concatenate(view.extent(0));
  std::string strides = concatenate(view.stride(0));
  if constexpr (V::rank() == 2) {
    extents += concatenate(" x ", view.extent(1));
    strides += concatenate(" x ", view.stride(1));
  }
  AddressRange const range = range_of(view);
  return concatenate(name, " \"", view.label(), "\" of ", extents,
                     " elements of ", sizeof(typename V::value_type),
                     " bytes, stride ", strides, ", at [",
                     reinterpret_cast<void const*>(range.begin), ", ",
                     reinterpret_cast<void const*>(range.end), ")");
}

template <class V>
bool has_elements(V const& view) {
  if constexpr (V::rank() == 2) {
    return view.extent(0) > 0 && view.extent(1) > 0;
  } else {
    return view.extent(0) > 0;
  }
}

template <class V>
void check_memory(char const* who, char const* name, V const& view) {
  if (has_elements(view) && view.data() == nullptr)
    invalid_argument(who, name, " has no memory: ", describe(name, view),
                     "; allocate it");
}

/// Refuses a View to write to in which different elements are one.
template <class V>
void check_distinct(char const* who, char const* name, V const& view) {
  bool same = view.extent(0) > 1 && view.stride(0) == 0;
  if constexpr (V::rank() == 2) {
    same = has_elements(view) &&
           (same || (view.extent(1) > 1 && view.stride(1) == 0));
  }
  if (same)
    invalid_argument(who, "elements of ", name,
                     " are one: ", describe(name, view),
                     "; pass a View with a stride");
}

template <class V, class W>
void check_apart(char const* who, char const* name_v, V const& v,
                 char const* name_w, W const& w) {
  if (has_elements(v) && has_elements(w) &&
      may_share_bytes(range_of(v), range_of(w)))
    invalid_argument(who, "the Views overlap: ", describe(name_v, v), "; ",
                     describe(name_w, w), "; pass Views that share no memory");
}

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
                     "} is no dimension of a View of rank 2; use 0 or 1");
}

/// A result of one element for each segment.
template <class X, Rank1View R>
void check_segment_result(char const* who, char const* name, X const& x,
                          R const& result, std::uint64_t segments) {
  if (result.extent(0) != segments)
    invalid_argument(who, name, " \"", result.label(), "\" has extent ",
                     result.extent(0), "; there are ", segments,
                     " segments: make its extent ", segments);
  check_memory(who, "x", x);
  check_memory(who, name, result);
  check_distinct(who, name, result);
  check_apart(who, "x", x, name, result);
}

template <Rank2View X, Rank2View R>
void check_value_results(char const* who, X const& x, R const& result,
                         std::uint64_t segments) {
  if (result.extent(0) != segments || result.extent(1) != x.extent(1))
    invalid_argument(who, "the result \"", result.label(), "\" has extents ",
                     result.extent(0), " x ", result.extent(1), "; there are ",
                     segments, " segments of elements with ", x.extent(1),
                     " values: make them ", segments, " x ", x.extent(1));
  check_memory(who, "x", x);
  check_memory(who, "the result", result);
  check_distinct(who, "the result", result);
  check_apart(who, "x", x, "the result", result);
}

/// x and y of a scan: one shape, and the same elements or no byte in common.
template <class X, class Y>
void check_scanned(char const* who, X const& x, Y const& y) {
  if constexpr (X::rank() == 1) {
    check_scan_views(who, x, y);
  } else {
    if (x.extent(0) != y.extent(0) || x.extent(1) != y.extent(1))
      invalid_argument(who, "extents differ: ", describe("x", x), "; ",
                       describe("y", y), "; pass Views of one shape");
    check_memory(who, "x", x);
    check_memory(who, "y", y);
    check_distinct(who, "y", y);
    bool const same_place =
        static_cast<void const*>(x.data()) ==
            static_cast<void const*>(y.data()) &&
        sizeof(typename X::value_type) == sizeof(typename Y::value_type) &&
        (x.extent(0) < 2 || x.stride(0) == y.stride(0)) &&
        (x.extent(1) < 2 || x.stride(1) == y.stride(1));
    if (!same_place && has_elements(x) &&
        may_share_bytes(range_of(x), range_of(y)))
      invalid_argument(who, "the Views overlap: ", describe("x", x), "; ",
                       describe("y", y),
                       "; pass the same elements (in place) or Views that "
                       "share no memory");
  }
}

/// Number of segments between these offsets.
template <OffsetsView Offsets>
std::uint64_t checked_offsets_extent(char const* who, Offsets const& offsets) {
  if (offsets.extent(0) == 0)
    invalid_argument(who, "the offsets \"", offsets.label(),
                     "\" are empty; k segments have k + 1 offsets, at least "
                     "one");
  check_memory(who, "offsets", offsets);
  return offsets.extent(0) - 1;
}

/// Whether offset i is no end of a segment of `size` elements.
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

/// Index of an offset, or OffsetFindings::unknown.
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

/// Says what is wrong with offset i of these.
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
  invalid_argument(who, "offsets(", i, ") = ", wrong, " is behind the ", size,
                   " elements of x; offsets are at most ", size);
}

}  // namespace Impl
}  // namespace KokkosMMA

/// What every segmented operation demands. A macro: the text of a static_assert
/// is a literal and starts with the public name.
#define KOKKOSMMA_IMPL_CHECK_SEGMENTED(NAME, EXEC, X, Y, ACCUMULATOR)       \
  static_assert(Kokkos::is_execution_space_v<EXEC>, NAME                    \
                ": the first argument must be an instance of a Kokkos "     \
                "execution space");                                         \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, X, "x");                       \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, Y, "what is written");         \
  static_assert(                                                            \
      KokkosMMA::Impl::is_scan_type<typename X::non_const_value_type>, NAME \
      ": the elements of x must be half_t, bhalf_t, float, double, "        \
      "bool or integers");                                                  \
  static_assert(                                                            \
      KokkosMMA::Impl::is_scan_type<typename Y::non_const_value_type>, NAME \
      ": what is written must be half_t, bhalf_t, float, double, bool or "  \
      "integers");                                                          \
  static_assert(!std::is_const_v<typename Y::value_type>,                   \
                NAME ": what is written must not be const");                \
  static_assert(                                                            \
      KokkosMMA::Impl::accumulator_holds<typename X::non_const_value_type,  \
                                         ACCUMULATOR>(),                    \
      NAME                                                                  \
      ": the accumulator cannot hold the elements of x; floating-point "    \
      "elements need float or double that are no narrower, integers an "    \
      "integer that is no narrower, double, or for 2 bytes float");         \
  static_assert(                                                            \
      KokkosMMA::Impl::may_write<X, Y, ACCUMULATOR>(), NAME                 \
      ": what is written cannot hold the values; an integer holds no "      \
      "floating-point value and none of wider integers, bool none at all: " \
      "make its elements as wide as those of x")

#define KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, V, WHAT)                   \
  static_assert(                                                              \
      Kokkos::SpaceAccessibility<EXEC, typename V::memory_space>::accessible, \
      NAME ": " WHAT                                                          \
           " must be accessible from the execution space; copy it with "      \
           "Kokkos::create_mirror_view_and_copy")

#endif
