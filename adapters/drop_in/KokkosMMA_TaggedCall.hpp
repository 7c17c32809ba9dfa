// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TAGGED_CALL_HPP
#define KOKKOSMMA_TAGGED_CALL_HPP

/// \file
/// The application's functor as an argument of a kernel.

#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace KokkosMMA::Impl {

/// GPUs before compute capability 7.0 have 4096 bytes of kernel arguments.
inline constexpr std::size_t max_argument_functor_bytes =
#if defined(KOKKOS_ARCH_MAXWELL) || defined(KOKKOS_ARCH_PASCAL)
    3800;
#else
    max_functor_bytes;
#endif

/// Calls the application's functor with its work tag.
template <class Functor, class Tag>
struct TaggedCall {
  Functor functor;

  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Arguments&&... arguments) const {
    if constexpr (std::is_void_v<Tag>) {
      functor(static_cast<Arguments&&>(arguments)...);
    } else {
      functor(Tag(), static_cast<Arguments&&>(arguments)...);
    }
  }
};

/// A functor seen as its tagged call, which has the same bytes. A launch takes
/// these and calls no constructor.
template <class Tag, class Functor>
TaggedCall<Functor, Tag> const& tagged(Functor const& functor) {
  using Call = TaggedCall<Functor, Tag>;
  static_assert(sizeof(Call) == sizeof(Functor));
  return reinterpret_cast<Call const&>(functor);
}

}  // namespace KokkosMMA::Impl

#endif
