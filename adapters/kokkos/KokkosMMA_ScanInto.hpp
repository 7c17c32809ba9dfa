// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_INTO_HPP
#define KOKKOSMMA_SCAN_INTO_HPP

#include <core/base/KokkosMMA_Combine.hpp>

#include <Kokkos_Core.hpp>

namespace KokkosMMA::Impl {

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

}  // namespace KokkosMMA::Impl

#endif
