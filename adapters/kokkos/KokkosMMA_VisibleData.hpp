// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VISIBLE_DATA_HPP
#define KOKKOSMMA_VISIBLE_DATA_HPP

#include <adapters/kokkos/KokkosMMA_Functors.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>

#include <cstddef>
#include <cstdint>

namespace KokkosMMA::Impl {

/// Data that a functor reads, if its type shows them ("visible data"): element
/// i is at `x + i * stride_x`. Without a specialisation the functor is opaque:
/// the library can only invoke it.
template <class Functor>
struct VisibleData {
  static constexpr Source source = Source::functor;
  using Element                  = void;
};

/// Addresses and strides of visible data, known at run time.
struct VisibleOperands {
  void const* x           = nullptr;
  void const* y           = nullptr;
  std::ptrdiff_t stride_x = 1;
  std::ptrdiff_t stride_y = 1;

  bool contiguous() const { return stride_x == 1 && stride_y == 1; }
  bool same_alignment() const {
    return !y || reinterpret_cast<std::uintptr_t>(x) % 16 ==
                     reinterpret_cast<std::uintptr_t>(y) % 16;
  }
};

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

/// Iterator over plain memory: it dereferences to a reference.
template <class Iterator>
concept PlainIterator =
    std::is_lvalue_reference_v<typename Iterator::reference>;

template <class Iterator>
std::ptrdiff_t stride_of(Iterator const& first) {
  return &first[1] - &first[0];
}

template <class X>
requires is_plain_memory<X>
struct VisibleData<Load<X>> {
  static constexpr Source source = Source::view;
  using Element                  = typename X::non_const_value_type;
  static VisibleOperands operands(Load<X> const& f) {
    return {f.x.data(), nullptr, std::ptrdiff_t(f.x.stride(0)), 1};
  }
  static std::uint64_t extent(Load<X> const& f) { return f.x.extent(0); }
};

template <class X, class Y>
requires(is_plain_memory<X>&& is_plain_memory<Y>&& std::is_same_v<
         typename X::non_const_value_type,
         typename Y::non_const_value_type>) struct VisibleData<Dot<X, Y>> {
  static constexpr Source source = Source::product;
  using Element                  = typename X::non_const_value_type;
  static VisibleOperands operands(Dot<X, Y> const& f) {
    return {f.x.data(), f.y.data(), std::ptrdiff_t(f.x.stride(0)),
            std::ptrdiff_t(f.y.stride(0))};
  }
  static std::uint64_t extent(Dot<X, Y> const& f) { return f.x.extent(0); }
};

template <class X, class Op>
struct VisibleData<Transform<X, Op>> {
  static constexpr Source source = Source::transform;
  using Element                  = typename X::non_const_value_type;
  static VisibleOperands operands(Transform<X, Op> const& f) {
    return {f.x.data(), nullptr, std::ptrdiff_t(f.x.stride(0)), 1};
  }
  static std::uint64_t extent(Transform<X, Op> const& f) {
    return f.x.extent(0);
  }
};

}  // namespace KokkosMMA::Impl

#endif
