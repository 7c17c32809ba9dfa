// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VIEW_CHECKS_HPP
#define KOKKOSMMA_VIEW_CHECKS_HPP

/// \file
/// Checks of a call's Views, of any rank: types and accessibility at compile
/// time; extents, memory and aliasing before any launch.

#include <adapters/kokkos/KokkosMMA_AccumulatorTypes.hpp>
#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <core/base/KokkosMMA_Errors.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace KokkosMMA::Impl {

template <class V>
inline constexpr bool is_rank_2_view = false;
template <class T, class... P>
inline constexpr bool is_rank_2_view<Kokkos::View<T, P...>> =
    Kokkos::View<T, P...>::rank() == 2;
template <class V>
concept Rank2View = is_rank_2_view<std::remove_cvref_t<V>>;

template <class Exec, class V>
inline constexpr bool is_reachable =
    Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible;

/// Whether all extents are positive. View::size() is 0 for a View without
/// memory, whatever its extents (Kokkos 5.2).
template <class V>
bool has_elements(V const& view) {
  for (std::size_t d = 0; d < V::rank(); ++d)
    if (view.extent(d) == 0) return false;
  return true;
}

template <class V, class W>
bool same_extents(V const& v, W const& w) {
  for (std::size_t d = 0; d < V::rank(); ++d)
    if (v.extent(d) != w.extent(d)) return false;
  return true;
}

/// Extents as in "3 x 4".
template <class V>
std::string describe_extents(V const& view) {
  std::string text;
  for (std::size_t d = 0; d < V::rank(); ++d)
    text += concatenate(d ? " x " : "", view.extent(d));
  return text;
}

/// Bytes that a View spans, and the dimensions of two or more indices, in order
/// of their strides.
struct AddressRange {
  std::uintptr_t begin     = 0;
  std::uintptr_t end       = 0;
  std::uintptr_t element   = 0;   ///< bytes
  int dimensions           = 0;   ///< of two or more indices
  std::uintptr_t stride[8] = {};  ///< in bytes
  std::uintptr_t last[8]   = {};  ///< largest index
};

template <class V>
AddressRange address_range(V const& view) {
  static_assert(V::rank() <= 8);
  AddressRange range;
  range.element = sizeof(typename V::value_type);
  range.begin   = reinterpret_cast<std::uintptr_t>(view.data());
  range.end     = range.begin;
  if (!has_elements(view)) return range;
  range.end += range.element;
  for (std::size_t d = 0; d < V::rank(); ++d) {
    if (view.extent(d) < 2) continue;
    std::uintptr_t const last = view.extent(d) - 1;
    std::uintptr_t const stride =
        std::uintptr_t(view.stride(d)) * range.element;
    range.end += last * stride;
    int at = range.dimensions++;
    for (; at > 0 && range.stride[at - 1] > stride; --at) {
      range.stride[at] = range.stride[at - 1];
      range.last[at]   = range.last[at - 1];
    }
    range.stride[at] = stride;
    range.last[at]   = last;
  }
  return range;
}

/// Whether elements of two ranges may overlap; false only if they do not. The
/// dimensions of the smallest strides make blocks, whose distances are
/// multiples of a divisor of the other strides plus a constant. Blocks of any
/// number of dimensions are tried: columns of a matrix, fields of an array of
/// structures, and slabs of a box are separate.
inline bool may_share_bytes(AddressRange const& x, AddressRange const& y) {
  if (x.begin >= y.end || y.begin >= x.end) return false;
  // std::gcd without <numeric>, which every source of an application with the
  // drop-in would parse.
  auto const divisor = [](std::uintptr_t a, std::uintptr_t b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a;
  };
  std::uintptr_t size_x = x.element;  // of a block
  for (int i = 0; i <= x.dimensions; ++i) {
    std::uintptr_t of_x = 0;
    for (int d = i; d < x.dimensions; ++d) of_x = divisor(of_x, x.stride[d]);
    std::uintptr_t size_y = y.element;
    for (int j = 0; j <= y.dimensions; ++j) {
      std::uintptr_t step = of_x;
      for (int d = j; d < y.dimensions; ++d) step = divisor(step, y.stride[d]);
      if (step != 0) {
        // Distances from blocks of y to blocks of x are `offset` modulo `step`.
        std::uintptr_t const offset =
            x.begin >= y.begin ? (x.begin - y.begin) % step
                               : (step - (y.begin - x.begin) % step) % step;
        if (offset >= size_y && step - offset >= size_x) return false;
      }
      if (j < y.dimensions) size_y += y.last[j] * y.stride[j];
    }
    if (i < x.dimensions) size_x += x.last[i] * x.stride[i];
  }
  return true;
}

/// Describes a View in an error message: label, shape, strides and addresses.
template <class V>
std::string describe(char const* name, V const& view) {
  std::string strides;
  for (std::size_t d = 0; d < V::rank(); ++d)
    strides += concatenate(d ? " x " : "", view.stride(d));
  AddressRange const range = address_range(view);
  return concatenate(name, " \"", view.label(), "\" of ",
                     describe_extents(view), " elements of ",
                     sizeof(typename V::value_type), " bytes, stride ", strides,
                     ", at [", reinterpret_cast<void const*>(range.begin), ", ",
                     reinterpret_cast<void const*>(range.end), ")");
}

template <class V>
void check_memory(char const* who, char const* name, V const& view) {
  if (has_elements(view) && view.data() == nullptr)
    invalid_argument(who, name, " has no memory: ", describe(name, view),
                     "; allocate it");
}

/// Rejects an output View in which different indices have one address.
template <class V>
void check_distinct(char const* who, char const* name, V const& view) {
  if (!has_elements(view)) return;
  for (std::size_t d = 0; d < V::rank(); ++d)
    if (view.extent(d) > 1 && view.stride(d) == 0)
      invalid_argument(who, name, " has stride 0, so its elements alias: ",
                       describe(name, view),
                       "; pass a View whose strides are 1 or more");
}

template <class V, class W>
bool may_overlap(V const& v, W const& w) {
  return has_elements(v) && has_elements(w) &&
         may_share_bytes(address_range(v), address_range(w));
}

/// Rejects Views that share memory; `remedy` states what the call allows.
template <class V, class W>
void check_apart(char const* who, char const* name_v, V const& v,
                 char const* name_w, W const& w,
                 char const* remedy = "pass Views that share no memory") {
  if (may_overlap(v, w))
    invalid_argument(who, "the Views overlap: ", describe(name_v, v), "; ",
                     describe(name_w, w), "; ", remedy);
}

/// Whether element i of both Views is the same memory, for every i.
template <class V, class W>
bool same_elements(V const& v, W const& w) {
  if (static_cast<void const*>(v.data()) !=
          static_cast<void const*>(w.data()) ||
      sizeof(typename V::value_type) != sizeof(typename W::value_type))
    return false;
  for (std::size_t d = 0; d < V::rank(); ++d)
    if (v.extent(d) > 1 && v.stride(d) != w.stride(d)) return false;
  return true;
}

/// Checks x and y of a scan: equal extents; same elements or no shared byte.
template <class X, class Y>
void check_scan_views(char const* who, X const& x, Y const& y) {
  if (!same_extents(x, y))
    invalid_argument(who, "extents differ: ", describe("x", x), "; ",
                     describe("y", y), "; pass Views of the same extents");
  check_memory(who, "x", x);
  check_memory(who, "y", y);
  check_distinct(who, "y", y);
  if (!same_elements(x, y))
    check_apart(
        who, "x", x, "y", y,
        "pass the same elements (in place) or Views that share no memory");
}

}  // namespace KokkosMMA::Impl

// Macros, because a static_assert needs a literal, which starts with the public
// name.

#define KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE(NAME, EXEC) \
  static_assert(Kokkos::is_execution_space_v<EXEC>,      \
                NAME ": exec must be an instance of a Kokkos execution space")

#define KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, V, WHAT)                \
  static_assert(KokkosMMA::Impl::is_reachable<EXEC, V>,                    \
                NAME ": " WHAT                                             \
                     " must be accessible from the execution space; copy " \
                     "it with Kokkos::create_mirror_view_and_copy")

/// Checks the element types of the input and of the output, which messages call
/// OUTPUT, and the accumulator type.
#define KOKKOSMMA_IMPL_CHECK_TYPES(NAME, X, Y, OUTPUT, ACCUMULATOR)            \
  KOKKOSMMA_IMPL_CHECK_ELEMENTS(NAME, X, ACCUMULATOR);                         \
  static_assert(                                                               \
      KokkosMMA::Impl::is_scan_type<typename Y::non_const_value_type>,         \
      NAME ": the elements of " OUTPUT                                         \
           " must be half_t, bhalf_t, float, double, bool or integers");       \
  static_assert(!std::is_const_v<typename Y::value_type>, NAME                 \
                ": " OUTPUT " is written, so its elements must not be const"); \
  static_assert(KokkosMMA::Impl::may_write<X, Y, ACCUMULATOR>(), NAME          \
                ": " OUTPUT                                                    \
                " cannot hold the values: an integer cannot hold "             \
                "floating-point values or wider integers, and bool cannot "    \
                "hold sums; make its elements as wide as those of x")

/// Checks the element type of the input and the accumulator type.
#define KOKKOSMMA_IMPL_CHECK_ELEMENTS(NAME, X, ACCUMULATOR)                  \
  static_assert(                                                             \
      KokkosMMA::Impl::is_scan_type<typename X::non_const_value_type>, NAME  \
      ": the elements of x must be half_t, bhalf_t, float, double, bool or " \
      "integers; use a functor of your own and Kokkos for other types");     \
  static_assert(                                                             \
      KokkosMMA::Impl::accumulator_holds<typename X::non_const_value_type,   \
                                         ACCUMULATOR>(),                     \
      NAME                                                                   \
      ": the accumulator cannot hold the elements of x; floating-point "     \
      "elements need float or double that are no narrower, integers an "     \
      "integer that is no narrower, double, or for 2 bytes float")

#endif
