// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COPIED_VIEW_HPP
#define KOKKOSMMA_COPIED_VIEW_HPP

/// \file
/// Kokkos' functor of a deep_copy() between Views of other layouts or strides,
/// which has the same two public members in Kokkos 4.6 to 5.2.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/kernels/loops/KokkosMMA_TiledCopy.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>

#include <cstdint>
#include <type_traits>

namespace KokkosMMA::Impl {

/// The copy that a loop's functor performs.
template <class Functor>
struct CopiedView {
  static constexpr bool is_known = false;
};

/// Not a DynamicView, nor a View whose accessor the application defines (5.x).
template <class V>
concept StridedView = Kokkos::is_view_v<V> && !requires {
  requires V::traits::impl_is_customized;
};

template <StridedView To, StridedView From, class Layout, class Exec, int Rank,
          class Index>
struct CopiedView<Kokkos::Impl::ViewCopy<To, From, Layout, Exec, Rank, Index>> {
  using T = typename To::value_type;
  // Plain memory, which each assignment of an element reads or writes.
  static constexpr bool is_known =
      Rank >= 1 && Rank <= max_copy_rank &&
      std::is_same_v<T, typename From::non_const_value_type> &&
      std::is_same_v<typename To::reference_type, T&> &&
      std::is_same_v<typename From::reference_type,
                     typename From::value_type&> &&
      std::is_trivially_copyable_v<T> &&
      std::is_trivially_copy_assignable_v<T> && alignof(T) <= 16 &&
      sizeof(T) <= 16;

  // In both the same dimension is contiguous.
  template <class L>
  static constexpr bool both_have =
      std::is_same_v<typename To::array_layout, L>&&
          std::is_same_v<typename From::array_layout, L>;
  static constexpr bool only_rows =
      both_have<Kokkos::LayoutLeft> || both_have<Kokkos::LayoutRight>;

  template <class Functor>
  static void describe(Functor const& functor, ErasedCopy& copy) {
    if constexpr (Rank > 1) {
      copy.kernel = reinterpret_cast<void const*>(
          &Cuda::copy_tiles<Cuda::CopyElement<T>, only_rows>);
    }
    copy.only_rows     = only_rows;
    copy.element_bytes = sizeof(T);
    copy.from          = functor.b.data();
    copy.to            = functor.a.data();
    copy.layouts.rank  = Rank;
    for (int d = 0; d < Rank; ++d) {
      copy.layouts.extent[d] = functor.a.extent(d);
      copy.layouts.from[d]   = std::int64_t(functor.b.stride(d));
      copy.layouts.to[d]     = std::int64_t(functor.a.stride(d));
    }
  }

  /// Kernel where no tiles are copied.
  template <class Policy>
  static void const* kernel() {
    using Strided = Cuda::StridedCopy<sizeof(T), alignof(T)>;
    if constexpr (Rank == 1) {
      return reinterpret_cast<void const*>(
          &Cuda::streamed_for<std::int64_t, Strided>);
    } else {
      return reinterpret_cast<void const*>(
          &Cuda::streamed_for<std::int64_t, Strided,
                              Cuda::BoxLoop<Rank, Policy::left>>);
    }
  }
};

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
