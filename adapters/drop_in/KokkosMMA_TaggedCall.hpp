// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TAGGED_CALL_HPP
#define KOKKOSMMA_TAGGED_CALL_HPP

/// \file
/// The application's functor as an argument of a kernel.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Largest functor: before compute capability 7.0 arguments have 4096 bytes.
inline constexpr std::size_t max_argument_functor_bytes =
#if defined(KOKKOS_ARCH_MAXWELL) || defined(KOKKOS_ARCH_PASCAL)
    3800;
#else
    max_functor_bytes;
#endif

/// Whether each thread has a copy of a functor of this size. A functor may
/// write to its `mutable` members during an invocation, which cannot be
/// detected. Kokkos 4 passes closures of less than 512 bytes by value; larger
/// ones, and in Kokkos 5 all, are in constant memory, which a functor must not
/// write to there either.
constexpr bool has_copies(std::size_t functor_bytes) {
  return KOKKOS_VERSION < 50000 && functor_bytes < 512;
}

/// Constness of an invocation's arguments. Indices and the flag of a scan are
/// lvalues as in Kokkos, `const` except where Kokkos' are not.
enum class Indices {
  constant,
  writable  ///< of loops over MDRangePolicy since Kokkos 5.1
};

/// Invokes the application's functor with its work tag. Every kernel that
/// receives a functor invokes it here. An argument made for the invocation,
/// such as an index, arrives as an rvalue and is passed as an lvalue. A value
/// that is reduced arrives as an lvalue and is passed unchanged.
///
/// A launch passes the functor itself as the argument: CUDA copies arguments as
/// bytes, and no constructor of the functor runs.
template <class Functor, class Tag, Indices Kind = Indices::constant>
struct TaggedCall {
  /// Whether the running value may have another type than the result.
  static constexpr bool joins_any_value = requires {
    typename Functor::kokkosmma_functor;
  };
  Functor functor;

  explicit TaggedCall(Functor const& f) : functor(f) {}

  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Arguments&&... arguments) const {
    static_assert(sizeof(TaggedCall) == sizeof(Functor) &&
                  alignof(TaggedCall) == alignof(Functor));
    if constexpr (std::is_void_v<Tag>) {
      functor(passed<Arguments>(arguments)...);
    } else {
      functor(Tag(), passed<Arguments>(arguments)...);
    }
  }

 private:
  template <class Argument>
  KOKKOS_FORCEINLINE_FUNCTION static auto& passed(
      std::remove_reference_t<Argument>& argument) {
    if constexpr (std::is_lvalue_reference_v<Argument> ||
                  Kind == Indices::writable) {
      return argument;
    } else {
      return static_cast<std::remove_reference_t<Argument> const&>(argument);
    }
  }
};

#if KOKKOSMMA_IMPL_ON_CUDA()
/// Forwards the team_shmem_size() of a wrapped functor, which Kokkos queries
/// for every pattern when it chooses a block size.
template <class Wrapper, bool HasTeamShmemSize>
struct TeamShmemSize {};
template <class Wrapper>
struct TeamShmemSize<Wrapper, true> {
  auto team_shmem_size(int team_size) const {
    return static_cast<Wrapper const*>(this)->functor.team_shmem_size(
        team_size);
  }
};

/// Wrapper of a functor, closure or reducer that is never routed: Kokkos' own
/// code runs.
template <class T>
concept IsNative = requires {
  typename T::kokkosmma_native;
};

/// Number of indices of a RangePolicy, whose bounds may be in either order.
template <class Policy>
std::uint64_t size_of_range(Policy const& policy) {
  return policy.end() > policy.begin()
             ? std::uint64_t(policy.end()) - std::uint64_t(policy.begin())
             : 0;
}

/// Kernel that Kokkos launches for one of its closures.
template <class Closure, class Policy>
void const* kernel_of_kokkos() {
  return reinterpret_cast<void const*>(
      Kokkos::Impl::CudaParallelLaunch<
          Closure, typename Policy::launch_bounds>::get_kernel_func());
}
#endif

}  // namespace KokkosMMA::Impl

#endif
