// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_INTO_HPP
#define KOKKOSMMA_SCAN_INTO_HPP

#include <adapters/kokkos/KokkosMMA_AccumulatorTypes.hpp>
#include <core/base/KokkosMMA_Combine.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// \file
/// Scan of one View into another: its functor and its initial value.

namespace KokkosMMA {

/// Passes a variable as the initial value of a scan: `exclusive_scan(exec, x,
/// y, InitialValue(n))`. A bare variable does not compile, because
/// `exclusive_scan(exec, x, y, n)` could mean n as the total. Constants and
/// expressions need no InitialValue.
template <class T>
struct InitialValue {
  T value;  ///< the initial value
};
/// InitialValue(n) holds a copy of n.
template <class T>
InitialValue(T const&) -> InitialValue<T>;

namespace Impl {

template <class T>
struct InitialType {
  using type = T;
};
template <class T>
struct InitialType<InitialValue<T>> {
  using type = T;
};

/// Whether a scan may start from a value of this type.
template <class Init, class Accumulator>
inline constexpr bool may_start_from = is_scan_type<Init> &&
                                       (is_floating(scalar_v<Accumulator>) ||
                                        is_scan_integer<Init>);

/// Whether an argument of type `Init&&` is a variable that holds a number: it
/// could be meant as the total.
template <class Init>
inline constexpr bool is_variable =
    std::is_lvalue_reference_v<Init> &&
    !std::is_const_v<std::remove_reference_t<Init>> &&
    is_scan_type<std::remove_cvref_t<Init>>;

template <class Accumulator, class Init>
Accumulator initial(Init const& init) {
  return static_cast<Accumulator>(init);
}
template <class Accumulator, class T>
Accumulator initial(InitialValue<T> const& init) {
  return static_cast<Accumulator>(init.value);
}

/// Whether prefix i includes element i.
enum class ScanKind : unsigned char { exclusive, inclusive };

/// Scan of x into y: an ordinary functor of Kokkos::parallel_scan. `init` is
/// added to every output; the total does not include it.
template <class X, class Y, class Accumulator, ScanKind Kind>
struct ScanInto {
  using kokkosmma_functor = void;
  using value_type        = Accumulator;
  X x;
  Y y;
  Accumulator init;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Accumulator& update,
                                              bool final) const {
    // Read before y(i) is written: the two may be the same element.
    auto const value = static_cast<Accumulator>(x(i));
    if constexpr (Kind == ScanKind::inclusive) {
      add(update, value);
    }
    if (final) {
      Accumulator prefix = init;
      add(prefix, update);
      y(i) = static_cast<typename Y::non_const_value_type>(prefix);
    }
    if constexpr (Kind == ScanKind::exclusive) {
      add(update, value);
    }
  }

  /// Kokkos' default join would overflow where add() wraps.
  KOKKOS_FORCEINLINE_FUNCTION void join(Accumulator& into,
                                        Accumulator const& from) const {
    add(into, from);
  }
};

}  // namespace Impl
}  // namespace KokkosMMA

/// INIT: the type that a forwarding reference deduces.
#define KOKKOSMMA_IMPL_CHECK_SCAN_INIT(NAME, INIT, ACCUMULATOR)              \
  static_assert(!KokkosMMA::Impl::is_variable<INIT>, NAME                    \
                ": a variable after y may be meant as the initial value or " \
                "as the total; write KokkosMMA::InitialValue(variable) or "  \
                "KokkosMMA::Total(variable)");                               \
  static_assert(                                                             \
      KokkosMMA::Impl::may_start_from<typename KokkosMMA::Impl::InitialType< \
                                          std::remove_cvref_t<INIT>>::type,  \
                                      ACCUMULATOR>,                          \
      NAME                                                                   \
      ": the initial value must be a number that the accumulator can hold: " \
      "an integer for an integer sum; pass a total as "                      \
      "KokkosMMA::Total(variable)")

#endif
