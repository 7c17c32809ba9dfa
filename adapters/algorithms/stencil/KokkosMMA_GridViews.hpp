// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_GRID_VIEWS_HPP
#define KOKKOSMMA_GRID_VIEWS_HPP

#include <adapters/kokkos/KokkosMMA_AccumulatorTypes.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/generic/KokkosMMA_StencilGeneric.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// Views of rank 1 to 3 as grids: concepts, extents, and the pointers and
/// strides that kernels get.

namespace KokkosMMA::Impl {

template <class V>
inline constexpr bool is_grid_view = false;
template <class T, class... P>
inline constexpr bool is_grid_view<Kokkos::View<T, P...>> =
    1 <= Kokkos::View<T, P...>::rank() && Kokkos::View<T, P...>::rank() <= 3;
/// View of rank 1, 2 or 3.
template <class V>
concept StencilView = is_grid_view<std::remove_cvref_t<V>>;

template <class V>
inline constexpr int rank_of = int(V::rank());

template <class V>
GridExtents<rank_of<V>> extents_of(V const& view) {
  GridExtents<rank_of<V>> extents;
  for (int d = 0; d < rank_of<V>; ++d)
    extents[d] = std::int64_t(view.extent(d));
  return extents;
}

/// Extents as in "3 x 4".
template <std::size_t R>
std::string shape_of(std::array<std::int64_t, R> const& extents) {
  std::string text = concatenate(extents[0]);
  for (std::size_t d = 1; d < R; ++d) text += concatenate(" x ", extents[d]);
  return text;
}

/// The layout of both Views, or LayoutStride if they differ.
template <class X, class Y>
using common_layout_t = std::conditional_t<
    std::is_same_v<typename X::array_layout, typename Y::array_layout>,
    typename Y::array_layout, Kokkos::LayoutStride>;
/// Unmanaged View of a layout chosen by the caller. Operands and intermediate
/// values of steps have this one type, so that one kernel runs all steps.
template <class V, class Layout, bool Const>
using operand_t =
    GridView<std::conditional_t<Const, typename V::non_const_value_type const,
                                typename V::non_const_value_type>,
             rank_of<V>, Layout, typename V::device_type>;

/// Whether kernels reverse the order of the dimensions: in kernels the last
/// dimension is the contiguous one.
template <class V>
bool is_reversed_grid(V const& view) {
  return rank_of<V> > 1 && !last_is_fast(view);
}
/// Dimension of the View that is the last, contiguous one in kernels.
template <int R>
constexpr int fast_dimension(bool is_reversed) {
  return is_reversed ? 0 : R - 1;
}

/// Grid of a View as an argument of kernels: it starts at element 0, after the
/// ghost cells, and has the dimensions in the order of kernels.
template <class X, int R>
auto stencil_grid(X const& x, Boundaries<R> const& boundaries,
                  GridExtents<R> const& extents, GridRadius<R> const& radius,
                  bool is_reversed) {
  using Element = canonical_t<typename X::non_const_value_type>;
  StencilGrid<Element, R> grid{};
  grid.reversed       = is_reversed;
  grid.boundaries     = is_reversed ? reversed(boundaries) : boundaries;
  std::int64_t ghosts = 0;
  for (int d = 0; d < R; ++d) {
    int const from = is_reversed ? R - 1 - d : d;
    grid.extent[d] = extents[from];
    grid.stride[d] = std::int64_t(x.stride(from));
    ghosts += boundaries.ghosts_low(from, radius[from]) * grid.stride[d];
  }
  grid.data = reinterpret_cast<Element const*>(x.data()) + ghosts;
  return grid;
}

/// Layout of the rows of a grid in memory, dimensions in the order of kernels.
template <class Element, int R>
RowLayout row_layout(StencilGrid<Element, R> const& grid) {
  if (grid.stride[R - 1] != 1) return RowLayout::strided;
  if (!row_strides_aligned_16(grid)) return RowLayout::contiguous;
  return reinterpret_cast<std::uintptr_t>(grid.data) % 16 == 0
             ? RowLayout::aligned_16
             : RowLayout::pitch_16;
}
/// Layout of the rows of a View without ghost cells in memory.
template <class V>
RowLayout row_layout(V const& view, bool is_reversed) {
  return row_layout(stencil_grid(view, Boundaries<rank_of<V>>{},
                                 extents_of(view), GridRadius<rank_of<V>>{},
                                 is_reversed));
}

}  // namespace KokkosMMA::Impl

#endif
