// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_BOXES_HPP
#define KOKKOSMMA_MPI_BOXES_HPP

#include <adapters/algorithms/stencil/KokkosMMA_GridViews.hpp>
#include <adapters/mpi/KokkosMMA_MpiTopology.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

/// \file
/// Boxes of elements in memory, and copies between them: used to pack and
/// unpack halos.

namespace KokkosMMA::Impl {

/// An unmanaged View of any strides: one type, and so one kernel, for whole
/// blocks and for parts of them.
template <class T, int R, class Device>
using BoxView = GridView<T, R, Kokkos::LayoutStride, Device>;

template <int R>
Kokkos::LayoutStride box_layout(
    std::array<std::int64_t, std::size_t(R)> const& extent,
    std::array<std::int64_t, std::size_t(R)> const& stride) {
  auto const n = [&](int d) { return std::size_t(extent[d]); };
  auto const s = [&](int d) { return std::size_t(stride[d]); };
  if constexpr (R == 1) {
    return Kokkos::LayoutStride(n(0), s(0));
  } else if constexpr (R == 2) {
    return Kokkos::LayoutStride(n(0), s(0), n(1), s(1));
  } else {
    return Kokkos::LayoutStride(n(0), s(0), n(1), s(1), n(2), s(2));
  }
}

/// Box of elements in memory: address of the first element, and strides.
template <class T, int R>
struct BoxData {
  T* data;
  IndexBox<R> box;
  std::array<std::int64_t, std::size_t(R)> stride;

  T* at(IndexBox<R> const& part) const {
    T* pointer = data;
    for (int d = 0; d < R; ++d)
      pointer += (part.begin[d] - box.begin[d]) * stride[d];
    return pointer;
  }
  template <class Device>
  BoxView<T, R, Device> view(IndexBox<R> const& part) const {
    std::array<std::int64_t, std::size_t(R)> extent;
    for (int d = 0; d < R; ++d) extent[d] = part.extent(d);
    return BoxView<T, R, Device>(at(part), box_layout<R>(extent, stride));
  }
};

template <class V>
auto box_data(V const& view, IndexBox<rank_of<V>> const& box) {
  constexpr int R = rank_of<V>;
  BoxData<typename V::value_type, R> result{view.data(), box, {}};
  for (int d = 0; d < R; ++d) result.stride[d] = std::int64_t(view.stride(d));
  return result;
}
/// Box without gaps in memory, the last dimension fastest.
template <class T, int R>
BoxData<T, R> packed_box(T* data, IndexBox<R> const& box) {
  BoxData<T, R> result{data, box, {}};
  std::int64_t stride = 1;
  for (int d = R - 1; d >= 0; --d) {
    result.stride[d] = stride;
    stride *= box.extent(d);
  }
  return result;
}

template <class T, int R>
struct CopyBox {
  T const* from;
  T* to;
  std::int64_t extent[R], from_stride[R], to_stride[R];

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t source = 0, target = 0;
    for (int d = R - 1; d >= 0; --d) {
      std::int64_t const at = d > 0 ? index % extent[d] : index;
      if (d > 0) index /= extent[d];
      source += at * from_stride[d];
      target += at * to_stride[d];
    }
    to[target] = from[source];
  }
};

/// Copies the intersection of two boxes, in order on `exec`.
template <class Exec, class From, class T, int R>
void copy_box(Exec const& exec, BoxData<From, R> const& from,
              BoxData<T, R> const& to) {
  IndexBox<R> const part = from.box.meet(to.box);
  if (part.size() == 0) return;
  CopyBox<T, R> copy;
  copy.from = from.at(part);
  copy.to   = to.at(part);
  for (int d = 0; d < R; ++d) {
    copy.extent[d]      = part.extent(d);
    copy.from_stride[d] = from.stride[d];
    copy.to_stride[d]   = to.stride[d];
  }
  Kokkos::parallel_for(
      "KokkosMMA::mpi::copy_box",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                 part.size()),
      copy);
}

}  // namespace KokkosMMA::Impl

#endif
