// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VISIBLE_SCAN_HPP
#define KOKKOSMMA_VISIBLE_SCAN_HPP

#include <adapters/kokkos/KokkosMMA_Functors.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleData.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Scans whose functor type shows the input and output Views.

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

/// Views of a scan at run time: element i is read at `x + i * stride_x` and
/// written at `y + i * stride_y`, in elements.
template <class Accumulator>
struct ScanOperands {
  void const* x           = nullptr;
  void* y                 = nullptr;
  std::ptrdiff_t stride_x = 1;
  std::ptrdiff_t stride_y = 1;
  Accumulator init{};

  bool contiguous() const { return stride_x == 1 && stride_y == 1; }
};

/// Data that the functor of a scan reads and writes, if its type shows them.
/// The default is an opaque functor. A visible scan is a sum in `Accumulator`,
/// which may differ from the functor's value type.
template <class Functor>
struct VisibleScan {
  static constexpr bool visible = false;
};

template <class X, class Y, class A, ScanKind Kind>
requires(is_plain_source<X>&&
             is_plain_memory<Y>) struct VisibleScan<ScanInto<X, Y, A, Kind>> {
  static constexpr bool visible  = true;
  static constexpr ScanKind kind = Kind;
  using Input                    = typename X::non_const_value_type;
  using Output                   = typename Y::non_const_value_type;
  using Accumulator              = A;

  static ScanOperands<A> operands(ScanInto<X, Y, A, Kind> const& f) {
    // A View of one element has the stride of the View that it is a part of.
    bool const one = f.x.extent(0) < 2;
    return {f.x.data(), f.y.data(), one ? 1 : std::ptrdiff_t(f.x.stride(0)),
            one ? 1 : std::ptrdiff_t(f.y.stride(0)), f.init};
  }
};

/// Scan as input of the route function; `Value` is the type that Kokkos joins.
template <class Value, class Functor>
ScanProblem scan_problem(Functor const& functor, std::uint64_t size) {
  using Data = VisibleScan<Functor>;
  ScanProblem problem;
  problem.value_bytes   = sizeof(Value);
  problem.functor_bytes = sizeof(Functor);
  problem.size          = size;
  // Integer sums are the same in any order, also in a value of several parts.
  if constexpr (requires { typename Functor::kokkosmma_kept_in; }) {
    problem.accumulator = scalar_v<typename Functor::kokkosmma_kept_in>;
  }
  if constexpr (Data::visible) {
    problem.source      = Source::view;
    problem.input       = scalar_v<typename Data::Input>;
    problem.accumulator = scalar_v<typename Data::Accumulator>;
    problem.output      = scalar_v<typename Data::Output>;
    problem.sum         = true;
    problem.contiguous  = Data::operands(functor).contiguous();
    problem.tile_compiled =
        scan_tile_exists(problem.input, problem.accumulator, problem.output);
  }
  return problem;
}

}  // namespace KokkosMMA::Impl

#endif
