// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VIEW_TRAITS_HPP
#define KOKKOSMMA_VIEW_TRAITS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace KokkosMMA::Impl {

template <class V>
inline constexpr bool is_rank_1_view = false;
template <class T, class... P>
inline constexpr bool is_rank_1_view<Kokkos::View<T, P...>> =
    Kokkos::View<T, P...>::rank() == 1;

template <class V>
concept Rank1View = is_rank_1_view<std::remove_cvref_t<V>>;

/// Whether the elements are neighbours in memory. The stride of a View of one
/// element has no meaning.
template <Rank1View V>
bool is_contiguous(V const& view) {
  return view.extent(0) < 2 || view.stride(0) == 1;
}

/// Whether two Views begin at the same offset within 16 bytes.
template <class X, class Y>
bool same_alignment(X const& x, Y const& y) {
  auto const offset = [](auto const& view) {
    return reinterpret_cast<std::uintptr_t>(view.data()) % 16;
  };
  return offset(x) == offset(y);
}

// Atomic and other accessors do not return a reference to memory.
template <class X>
inline constexpr bool is_plain_memory =
    std::is_lvalue_reference_v<typename X::reference_type>;

// Kokkos reads const random-access Views through the read-only cache, by value.
// Their elements are in plain memory nevertheless.
template <class X>
inline constexpr bool is_plain_source =
    is_plain_memory<X> ||
    (std::is_const_v<typename X::value_type> &&
     X::memory_traits::is_random_access && !X::memory_traits::is_atomic);

}  // namespace KokkosMMA::Impl

#endif
