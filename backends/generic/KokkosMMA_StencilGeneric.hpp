// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_GENERIC_HPP
#define KOKKOSMMA_STENCIL_GENERIC_HPP

#include <backends/generic/KokkosMMA_HostSpace.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

/// \file
/// Stencils in plain Kokkos, for every backend and every layout: the `generic`
/// route, and the reference of the other routes. Neighbours are added in the
/// order of the weights, so that a result does not depend on the space.

namespace KokkosMMA::Impl {

/// Stride of one that the compiler knows. std::integral_constant converts on
/// the host only.
struct UnitStride {
  KOKKOS_FORCEINLINE_FUNCTION constexpr operator int() const { return 1; }
};

// The conversion prevents the deduction of R from these types.
template <int R>
using GridExtents = std::array<std::int64_t, std::size_t(R)>;
template <int R>
using GridRadius = std::array<int, std::size_t(R)>;

/// Unmanaged View of R dimensions of any extent, as GridView.
template <class T, int R>
struct PointerTo {
  using type = typename PointerTo<T, R - 1>::type*;
};
template <class T>
struct PointerTo<T, 0> {
  using type = T;
};
template <class T, int R, class Layout, class Device>
using GridView = Kokkos::View<typename PointerTo<T, R>::type, Layout, Device,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class V, int R>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) element_at(
    V const& view, std::int64_t const (&at)[R]) {
  if constexpr (R == 1) {
    return view(at[0]);
  } else if constexpr (R == 2) {
    return view(at[0], at[1]);
  } else {
    return view(at[0], at[1], at[2]);
  }
}

/// A View with the indices of the grid, which start after its ghost cells, and
/// the conditions beyond its boundaries.
template <class X, int R>
struct Grid {
  X x;
  Boundaries<R> boundaries;
  std::int64_t extent[R];
  std::int8_t radius[R];

  /// First index of a dimension whose neighbours along it are all elements of
  /// the View; safe_end() is one past the last.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t safe_begin(int d) const {
    return radius[d] - boundaries.ghosts_low(d, radius[d]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t safe_end(int d) const {
    return extent[d] - radius[d] + boundaries.ghosts_high(d, radius[d]);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_safe(std::int64_t const (&at)[R]) const {
    bool safe = true;
    for (int d = 0; d < R; ++d)
      safe = safe && safe_begin(d) <= at[d] && at[d] < safe_end(d);
    return safe;
  }
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator[](
      std::int64_t const (&at)[R]) const {
    std::int64_t position[R];
    for (int d = 0; d < R; ++d)
      position[d] = at[d] + boundaries.ghosts_low(d, radius[d]);
    return element_at(x, position);
  }
  /// Returns an element inside the grid or beyond its boundaries.
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION A
  with_boundaries(std::int64_t const (&at)[R]) const {
    std::int64_t position[R];
    for (int d = 0; d < R; ++d) position[d] = at[d];
    double value = 0;
    if (!boundaries.locate(position, extent, value)) return constant<A>(value);
    return static_cast<A>((*this)[position]);
  }
  /// Converts a constant through the type of elements: a negative one then
  /// wraps in an unsigned sum, unlike in a conversion of the double.
  template <class A>
  KOKKOS_FORCEINLINE_FUNCTION static A constant(double value) {
    return static_cast<A>(static_cast<typename X::non_const_value_type>(value));
  }
};

template <class X, int R>
Grid<X, R> make_grid(X const& x, Boundaries<R> const& boundaries,
                     GridExtents<R> const& extents,
                     GridRadius<R> const& radius) {
  Grid<X, R> grid{};
  grid.x          = x;
  grid.boundaries = boundaries;
  for (int d = 0; d < R; ++d) {
    grid.extent[d] = extents[d];
    grid.radius[d] = std::int8_t(radius[d]);
  }
  return grid;
}

template <class A, int R>
struct Tap {
  A weight;
  std::int8_t offset[R];
};

/// Taps of a stencil as an argument of a kernel. A few are stored by value, so
/// that constructing a policy for each step neither allocates nor copies.
/// Together with a functor of one View they stay below 512 bytes: Kokkos passes
/// larger arguments through constant memory, and the next kernel then waits for
/// this one (Cuda/Kokkos_Cuda_KernelLaunch.hpp, ConstantMemoryUseThreshold).
/// They hold radius 14 in one dimension, a box of 3 x 3 in two, of 5 x 5 in
/// float, and a star of radius 1 in three.
template <class A, int R>
struct Taps {
  static constexpr int bytes = R == 1 ? 264 : R == 2 ? 152 : 80;
  static constexpr int few   = bytes / int(sizeof(A) + R);
  Tap<A, R> const* all;  ///< in the memory of the space, if there are more
  int count;
  A weight[few];
  std::int8_t offset[few][R];

  // No pointer to the arrays: taking the address of a kernel's argument would
  // move all of it to local memory.
  KOKKOS_FORCEINLINE_FUNCTION Tap<A, R> operator()(int k) const {
    if (all) return all[k];
    Tap<A, R> tap;
    tap.weight = weight[k];
    for (int d = 0; d < R; ++d) tap.offset[d] = offset[k][d];
    return tap;
  }
};

/// Builder and owner of the taps, in the order of the weights and without those
/// of weight zero.
template <class A, int R, class Space>
class TapList {
 public:
  explicit TapList(StencilWeights<R> const& weights) {
    int const count   = int(weights.taps());
    bool const spills = count > Taps<A, R>::few;
    Kokkos::View<Tap<A, R>*, Kokkos::HostSpace> host;
    if (spills)
      host = Kokkos::View<Tap<A, R>*, Kokkos::HostSpace>(
          Kokkos::view_alloc("KokkosMMA::taps", Kokkos::WithoutInitializing),
          count);
    for (std::size_t at = 0; at < weights.size(); ++at) {
      if (weights.values()[at] == 0) continue;
      Tap<A, R> tap;
      tap.weight         = weight_as<A>(weights.values()[at]);
      auto const offsets = weights.offsets(at);
      for (int d = 0; d < R; ++d) tap.offset[d] = std::int8_t(offsets[d]);
      int const k = m_taps.count++;
      if (spills) {
        host(k) = tap;
      } else {
        m_taps.weight[k] = tap.weight;
        for (int d = 0; d < R; ++d) m_taps.offset[k][d] = tap.offset[d];
      }
    }
    if (spills) {
      m_memory   = Kokkos::create_mirror_view_and_copy(Space(), host);
      m_taps.all = m_memory.data();
    }
  }
  Taps<A, R> const& taps() const { return m_taps; }

 private:
  Taps<A, R> m_taps{};
  Kokkos::View<Tap<A, R> const*, Space> m_memory;
};

/// Calls functor(i, j, .., sum of the neighbours of element (i, j, ..)).
template <class X, class A, int R, class Functor>
struct GenericStencil {
  Grid<X, R> grid;
  Taps<A, R> taps;
  Functor functor;
  bool last_is_fast;

  KOKKOS_FORCEINLINE_FUNCTION static A add(A sum, A weight, A value) {
    return Combine<Operation::sum, A>::apply(
        sum, Combine<Operation::prod, A>::apply(weight, value));
  }

  KOKKOS_FORCEINLINE_FUNCTION A sum(std::int64_t const (&at)[R]) const {
    A sum = 0;
    std::int64_t neighbour[R];
    if (grid.is_safe(at)) {
      for (int k = 0; k < taps.count; ++k) {
        Tap<A, R> const tap = taps(k);
        for (int d = 0; d < R; ++d) neighbour[d] = at[d] + tap.offset[d];
        sum = add(sum, tap.weight, static_cast<A>(grid[neighbour]));
      }
    } else {
      for (int k = 0; k < taps.count; ++k) {
        Tap<A, R> const tap = taps(k);
        for (int d = 0; d < R; ++d) neighbour[d] = at[d] + tap.offset[d];
        sum = add(sum, tap.weight, grid.template with_boundaries<A>(neighbour));
      }
    }
    return sum;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i) const requires(R == 1) {
    functor(i, sum({i}));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t fast, std::int64_t slow) const
      requires(R == 2) {
    std::int64_t const i = last_is_fast ? slow : fast;
    std::int64_t const j = last_is_fast ? fast : slow;
    functor(i, j, sum({i, j}));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t fast, std::int64_t j,
                                  std::int64_t slow) const requires(R == 3) {
    std::int64_t const i = last_is_fast ? slow : fast;
    std::int64_t const k = last_is_fast ? fast : slow;
    functor(i, j, k, sum({i, j, k}));
  }
};

/// Runs of elements along the fast dimension. A host does each operation for a
/// whole run before the next one, which compilers turn into vector
/// instructions. The runs of a panel of the fast dimension are consecutive in
/// memory. The next panel is the neighbour in the next dimension, so that its
/// rows are in the cache. With panels of one run a heat step takes 13 ms
/// instead of 5.8 ms on a grid beyond the cache (2048 x 2048 doubles, g++ 12, 2
/// cores, 2026-11-26).
struct Runs {
  static constexpr std::int64_t length = 256;
  /// In one dimension there are no rows to reuse, and longer panels of a short
  /// line would leave threads idle.
  template <int R>
  static constexpr std::int64_t panel = R == 1 ? length : 8 * length;

  template <int R>
  static std::int64_t count(GridExtents<R> const& extents, bool last_is_fast) {
    int const fast     = last_is_fast ? R - 1 : 0;
    std::int64_t items = (extents[fast] + panel<R> - 1) / panel<R>;
    for (int d = 0; d < R; ++d) items *= d == fast ? 1 : extents[d];
    return items;
  }

  /// Calls run(at, n, inside) for n elements from `at` on whose neighbours
  /// along the fast dimension are elements of the View, and one(at) for each
  /// other element. `inside`: their neighbours in other dimensions are, too.
  template <class X, int R, class One, class Run>
  KOKKOS_FORCEINLINE_FUNCTION static void visit(Grid<X, R> const& grid,
                                                bool last_is_fast,
                                                std::int64_t item,
                                                One const& one,
                                                Run const& run) {
    int const fast = last_is_fast ? R - 1 : 0;
    std::int64_t at[R];
    bool inside = true;
    for (int n = R - 1; n > 0; --n) {
      int const d = last_is_fast ? n - 1 : R - n;
      at[d]       = item % grid.extent[d];
      item /= grid.extent[d];
      inside =
          inside && grid.safe_begin(d) <= at[d] && at[d] < grid.safe_end(d);
    }
    std::int64_t const begin = item * panel<R>;
    std::int64_t const end   = Kokkos::min(begin + panel<R>, grid.extent[fast]);
    std::int64_t const from  = Kokkos::clamp(grid.safe_begin(fast), begin, end);
    std::int64_t const to    = Kokkos::clamp(grid.safe_end(fast), from, end);
    for (at[fast] = begin; at[fast] < from; ++at[fast]) one(at);
    for (at[fast] = from; at[fast] < to; at[fast] += length)
      run(at, int(Kokkos::min(length, to - at[fast])), inside);
    for (at[fast] = to; at[fast] < end; ++at[fast]) one(at);
  }
};

/// Applies the stencil on a host, run by run.
template <class X, class A, int R, class Functor>
struct GenericStencilRuns {
  GenericStencil<X, A, R, Functor> stencil;
  std::int64_t stride;  ///< of the fast dimension

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    Runs::visit(
        stencil.grid, stencil.last_is_fast, item,
        [&](std::int64_t const(&at)[R]) { call(at, stencil.sum(at)); },
        [&](std::int64_t const(&at)[R], int count, bool inside) {
          if (stencil.last_is_fast)
            inside ? run<R - 1>(at, count) : run_beside<R - 1>(at, count);
          else
            inside ? run<0>(at, count) : run_beside<0>(at, count);
        });
  }

 private:
  // Start values and destination of a pass. Not lambdas: g++ 12 does not inline
  // some of their calls, and then does not vectorize.
  struct Zero {
    KOKKOS_FORCEINLINE_FUNCTION A operator()(int) const { return A(0); }
  };
  struct Sums {
    A of[Runs::length];
    KOKKOS_FORCEINLINE_FUNCTION A operator()(int e) const { return of[e]; }
    KOKKOS_FORCEINLINE_FUNCTION void operator()(int e, A sum) { of[e] = sum; }
  };
  template <int Fast>
  struct Element {
    GenericStencilRuns const& runs;
    std::int64_t const (&at)[R];
    KOKKOS_FORCEINLINE_FUNCTION void operator()(int e, A sum) const {
      std::int64_t position[R];
      for (int d = 0; d < R; ++d) position[d] = at[d] + (d == Fast ? e : 0);
      runs.call(position, sum);
    }
  };

  /// Sums the run from `at` on, along a dimension that the compiler knows:
  /// otherwise it does not vectorize.
  template <int Fast>
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t const (&at)[R],
                                       int count) const {
    Zero const zero;
    Element<Fast> const element{*this, at};
    // Stars of radius 1 and the box of 3 x 3 need one pass. Heat step: 0.2 ms
    // with this, 1.4 ms weight by weight, 0.5 ms in a plain MDRangePolicy (512
    // x 512 doubles, 2 cores, g++ 12, 2026-11-26; runs differ by a third).
    if (stride == 1) {
      UnitStride const unit;
      switch (stencil.taps.count) {
        case 5: return add_group<5>(at, count, unit, 0, zero, element);
        case 7: return add_group<7>(at, count, unit, 0, zero, element);
        case 9: return add_group<9>(at, count, unit, 0, zero, element);
        default: break;
      }
    }
    Sums sums;
    for (int e = 0; e < count; ++e) sums.of[e] = A(0);
    int const taps = stencil.taps.count;
    int k          = 0;
    if (stride == 1) {
      UnitStride const unit;
      for (; k + 8 <= taps; k += 8)
        add_group<8>(at, count, unit, k, sums, sums);
      for (; k + 2 <= taps; k += 2)
        add_group<2>(at, count, unit, k, sums, sums);
      for (; k < taps; ++k) add_group<1>(at, count, unit, k, sums, sums);
    } else {
      for (; k < taps; ++k) add_group<1>(at, count, stride, k, sums, sums);
    }
    for (int e = 0; e < count; ++e) element(e, sums(e));
  }
  /// Sums a run that has neighbours beyond a boundary: each tap reads one row
  /// of the grid, or the boundary's constant, for all elements. Star of radius
  /// 4 on 96^3 doubles, updates per second: 1.1e7 element by element, 4.3e7
  /// with this, 3.0e7 to 5.0e7 in plain loops (one thread of a busy machine,
  /// g++ 12, 2026-11-26).
  template <int Fast>
  KOKKOS_FORCEINLINE_FUNCTION void run_beside(std::int64_t const (&at)[R],
                                              int count) const {
    Sums sums;
    for (int e = 0; e < count; ++e) sums.of[e] = A(0);
    for (int k = 0; k < stencil.taps.count; ++k) {
      Tap<A, R> const tap = stencil.taps(k);
      std::int64_t position[R];
      for (int d = 0; d < R; ++d) position[d] = at[d] + tap.offset[d];
      double constant = 0;
      if (!stencil.grid.boundaries.locate(position, stencil.grid.extent,
                                          constant)) {
        A const value = stencil.grid.template constant<A>(constant);
        for (int e = 0; e < count; ++e)
          sums.of[e] = stencil.add(sums.of[e], tap.weight, value);
        continue;
      }
      auto const& first = stencil.grid[position];
      if (stride == 1)
        add_row(sums, count, UnitStride(), &first, tap.weight);
      else
        add_row(sums, count, stride, &first, tap.weight);
    }
    Element<Fast> const element{*this, at};
    for (int e = 0; e < count; ++e) element(e, sums(e));
  }
  template <class Stride, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void add_row(Sums& sums, int count, Stride apart,
                                           Value const* first, A weight) const {
    for (int e = 0; e < count; ++e)
      sums.of[e] =
          stencil.add(sums.of[e], weight, static_cast<A>(first[e * apart]));
  }

  /// Calls into(e, from(e) + N taps from tap k on) for a whole run.
  template <int N, class Stride, class From, class Into>
  KOKKOS_FORCEINLINE_FUNCTION void add_group(std::int64_t const (&at)[R],
                                             int count, Stride apart, int k,
                                             From const& from,
                                             Into& into) const {
    decltype(&stencil.grid[at]) first[N];
    A weight[N];
    for (int n = 0; n < N; ++n) {
      // If N exceeds the taps stored by value, all are in memory. Otherwise g++
      // 12 warns of the arrays' ends.
      Tap<A, R> const tap =
          N > Taps<A, R>::few ? stencil.taps.all[k + n] : stencil.taps(k + n);
      std::int64_t neighbour[R];
      for (int d = 0; d < R; ++d) neighbour[d] = at[d] + tap.offset[d];
      first[n]  = &stencil.grid[neighbour];
      weight[n] = tap.weight;
    }
    for (int e = 0; e < count; ++e) {
      A sum = from(e);
      for (int n = 0; n < N; ++n)
        sum = stencil.add(sum, weight[n], static_cast<A>(first[n][e * apart]));
      into(e, sum);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void call(std::int64_t const (&at)[R],
                                        A sum) const {
    if constexpr (R == 1) {
      stencil.functor(at[0], sum);
    } else if constexpr (R == 2) {
      stencil.functor(at[0], at[1], sum);
    } else {
      stencil.functor(at[0], at[1], at[2], sum);
    }
  }
};

/// Whether the last dimension has a smaller stride than the first.
template <class X>
bool last_is_fast(X const& x) {
  return x.stride(X::rank() - 1) < x.stride(0);
}

template <class Exec, std::size_t R>
auto runs_policy(Exec const& exec, std::array<std::int64_t, R> const& extents,
                 bool last_is_fast) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
      exec, 0, Runs::count<int(R)>(extents, last_is_fast));
}

/// Policy for a functor whose indices are fastest first, for any layout. Kokkos
/// 4.6 gives a block of Cuda 16 x 2 threads, with the first index fastest even
/// for LayoutRight (Cuda/Kokkos_Cuda_MDRangePolicy.hpp). Here whole warps run
/// along the fast dimension, and a block is tall enough that its rows reuse the
/// cache.
template <int R, class Exec>
auto grid_policy(Exec const& exec, GridExtents<R> const& extents,
                 bool last_is_fast) {
  constexpr bool on_host = is_host_space<Exec>;
  using Index            = Kokkos::IndexType<std::int64_t>;
  if constexpr (R == 1) {
    return Kokkos::RangePolicy<Exec, Index>(exec, 0, extents[0]);
  } else {
    constexpr std::int64_t wide    = on_host ? 256 : R == 2 ? 64 : 32;
    constexpr std::int64_t tall[2] = {4, R == 2 ? 1 : on_host ? 4 : 2};
    using Policy                   = Kokkos::MDRangePolicy<
        Exec, Kokkos::Rank<R, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
        Index>;
    typename Policy::point_type low{}, high{};
    typename Policy::tile_type tile{};
    for (int d = 0; d < R; ++d) {
      high[d] = extents[last_is_fast ? R - 1 - d : d];
      tile[d] = d == 0 ? wide : tall[d - 1];
    }
    return Policy(exec, low, high, tile);
  }
}

}  // namespace KokkosMMA::Impl

#endif
