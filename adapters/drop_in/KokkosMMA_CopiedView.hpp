// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_COPIED_VIEW_HPP
#define KOKKOSMMA_COPIED_VIEW_HPP

/// \file
/// Kokkos' functors of a deep_copy() between Views of other layouts or strides
/// and of a fill, which have the same two public members in Kokkos 4.6 to 5.2.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/kernels/loops/KokkosMMA_TiledCopy.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

namespace KokkosMMA::Impl {

/// The copy or fill that a loop's functor performs.
template <class Functor>
struct CopiedView {
  static constexpr bool is_known = false;
};

/// Not a DynamicView, nor a View whose accessor the application defines (5.x).
template <class V>
concept StridedView = Kokkos::is_view_v<V> && !requires {
  requires V::traits::impl_is_customized;
};

/// Plain memory, which each assignment of an element reads or writes.
template <class V, class T>
constexpr bool is_plain_view() {
  return std::is_same_v<typename V::non_const_value_type, T> &&
         std::is_same_v<typename V::reference_type, typename V::value_type&> &&
         std::is_trivially_copyable_v<T> &&
         std::is_trivially_copy_assignable_v<T> && !std::is_volatile_v<T> &&
         alignof(T) <= 16 && sizeof(T) <= 16;
}

template <StridedView To, StridedView From, class Layout, class Exec, int Rank,
          class Index>
struct CopiedView<Kokkos::Impl::ViewCopy<To, From, Layout, Exec, Rank, Index>> {
  using T                        = typename To::value_type;
  using Offset                   = std::int64_t;
  using Strided                  = Cuda::StridedCopy<sizeof(T), alignof(T)>;
  static constexpr bool is_known = Rank >= 1 && Rank <= max_copy_rank &&
                                   is_plain_view<To, T>() &&
                                   is_plain_view<From, T>();

  // In both the same dimension is contiguous.
  using L = typename To::array_layout;
  static constexpr bool only_rows =
      std::is_same_v<L, typename From::array_layout> &&
      !std::is_same_v<L, Kokkos::LayoutStride>;

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
};

/// A fill with a value. Kokkos has two functors for each type of a View; Index
/// holds the offsets of elements. Only where the rates are equal: fills of int8
/// would have 0.91, of parts of matrices 0.985 (H200, CUDA 13.0, 2026-11-30).
template <StridedView To, class Layout, class Exec, class Index>
struct CopiedView<Kokkos::Impl::ViewFill<To, Layout, Exec, 1, Index>> {
  using T       = typename To::value_type;
  using Offset  = Index;
  using Strided = Cuda::StridedCopy<sizeof(T), alignof(T), true>;
  static constexpr bool is_known =
      is_plain_view<To, T>() && (sizeof(T) == 4 || sizeof(T) == 8);

  template <class Functor>
  static void describe(Functor const& functor, ErasedCopy& copy) {
    copy.element_bytes = sizeof(T);
    copy.to            = functor.a.data();
    copy.layouts.to[0] = std::int64_t(functor.a.stride(0));
    std::memcpy(copy.layouts.from, std::addressof(functor.val), sizeof(T));
  }
};

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
