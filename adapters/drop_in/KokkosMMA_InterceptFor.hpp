// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_FOR_HPP
#define KOKKOSMMA_INTERCEPT_FOR_HPP

/// \file
/// Kokkos::parallel_for on Kokkos::Cuda over RangePolicy and MDRangePolicy,
/// intercepted inside Kokkos' dispatch by partial specialisations of
/// Kokkos::Impl::ParallelFor that are more specialised than Kokkos' own. Loops
/// whose types no kernel of this library supports keep Kokkos' class.
///
/// To run Kokkos' own class, the functor is wrapped in NativeLoop, for which
/// RoutableLoop is false. Kokkos' class is constructed only if it runs.
/// RoutedFor has the same first data members as Kokkos' class: if only some
/// sources of a program use the drop-in, the linker may merge the destructors
/// of both.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_CopiedView.hpp>
#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/drop_in/KokkosMMA_TaggedCall.hpp>
#include <adapters/kokkos/KokkosMMA_RegisterKokkos.hpp>
#include <backends/cuda/kernels/loops/KokkosMMA_StreamedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Functor wrapper whose loops always run Kokkos' own code.
template <class Functor>
struct NativeLoop
    : TeamShmemSize<NativeLoop<Functor>,
                    Kokkos::Impl::has_member_team_shmem_size<Functor>::value> {
  using kokkosmma_native = void;
  Functor functor;

  explicit NativeLoop(Functor const& f) : functor(f) {}

  template <class... Arguments>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Arguments&&... arguments) const {
    functor(static_cast<Arguments&&>(arguments)...);
  }
};

/// Whether `value`, a bound that Kokkos stores as a signed number, fits Index.
/// An unsigned Index holds no negative bound.
template <class Index>
constexpr bool fits_index(std::int64_t value) {
  return static_cast<std::int64_t>(static_cast<Index>(value)) == value &&
         (std::is_signed_v<Index> || value >= 0);
}

/// Index space of a policy, and the types of the kernel for it.
template <class Policy>
struct PolicyLoop;

template <class... Traits>
struct PolicyLoop<Kokkos::RangePolicy<Traits...>> {
  using Policy                  = Kokkos::RangePolicy<Traits...>;
  using Kernel                  = Cuda::RangePolicyLoop;
  static constexpr int rank     = 1;
  static constexpr auto indices = Indices::constant;

  static void describe(Policy const& policy, ForProblem& problem) {
    problem.space.begin[0]  = static_cast<std::int64_t>(policy.begin());
    problem.space.extent[0] = size_of_range(policy);
    problem.kokkos_is_wrong = overflows_in_kokkos(policy.begin(), policy.end());
  }
  template <class Native>
  static auto native_kernel(Policy const&) {
    return &kernel_of_kokkos<Native, Policy>;
  }
};

template <class... Traits>
struct PolicyLoop<Kokkos::MDRangePolicy<Traits...>> {
  using Policy               = Kokkos::MDRangePolicy<Traits...>;
  using Index                = typename Policy::index_type;
  static constexpr int rank  = int(Policy::rank);
  static constexpr bool left = Policy::inner_direction == Kokkos::Iterate::Left;
  using Kernel = std::conditional_t<rank == 1, Cuda::RangePolicyLoop,
                                    Cuda::MDRangePolicyLoop<rank, left>>;
  static constexpr auto indices =
      KOKKOS_VERSION < 50100 ? Indices::constant : Indices::writable;

  static void describe(Policy const& policy, ForProblem& problem) {
    problem.user_tiles = !policy.impl_tune_tile_size();
    if (problem.user_tiles) {
      problem.tiles      = number_of_tiles(policy.m_tile, rank);
      problem.tiles_stay = keeps_given_tiles();
    }
#if defined(KOKKOS_ENABLE_TUNING)
    problem.tool_tunes = Kokkos::tune_internals();
#endif
    for (int d = 0; d < rank; ++d) {
      int const dimension      = left ? d : rank - 1 - d;
      std::int64_t const begin = policy.m_lower[dimension];
      std::int64_t const end   = policy.m_upper[dimension];
      problem.space.begin[d]   = begin;
      problem.space.extent[d] =
          end > begin ? std::uint64_t(end) - std::uint64_t(begin) : 0;
      problem.indices_fit = problem.indices_fit && fits_index<Index>(begin) &&
                            (end <= begin || fits_index<Index>(end - 1));
      problem.kokkos_is_wrong |= overflows_in_kokkos(static_cast<Index>(begin),
                                                     static_cast<Index>(end));
    }
    // Kokkos launches nothing if this number overflows the index type to 0.
    problem.kokkos_is_wrong |=
        policy.m_num_tiles == 0 ||
        (KOKKOS_VERSION < 50200 && repeats_in_kokkos(policy.m_tile_end, rank));
  }
  /// The policy over a part of its box.
  static Policy part_of(Policy policy, LoopSpace const& part) {
    for (int d = 0; d < rank; ++d) {
      int const dimension       = left ? d : rank - 1 - d;
      policy.m_lower[dimension] = part.begin[d];
      policy.m_upper[dimension] =
          part.begin[d] + static_cast<std::int64_t>(part.extent[d]);
    }
    policy.impl_change_tile_size(policy.m_tile);
    policy.m_num_tiles = 1;  // only compared with 0, see describe()
    return policy;
  }
  template <class Native>
  static auto native_kernel([[maybe_unused]] Policy const& policy) {
#if KOKKOS_VERSION < 50200
    return &kernel_of_kokkos<Native, Policy>;
#else
    // Kokkos 5.2 has two kernels. The one with grid strides runs if the numbers
    // of tiles exceed its grid in y or z.
    constexpr int z_begin = rank > 4 ? 4 : rank == 4 ? 3 : 2;
    std::int64_t y = 1, z = 1;
    for (int d = rank < 4 ? 1 : 2; d < rank; ++d)
      (d < z_begin ? y : z) *= policy.m_tile_end[left ? d : rank - 1 - d];
    using F = typename Native::functor_type;
    using Kokkos::Impl::ParallelForMDRange;
    return y > 65535 || z > 65535
               ? &kernel_of_kokkos<ParallelForMDRange<F, true, Policy>, Policy>
               : &kernel_of_kokkos<ParallelForMDRange<F, false, Policy>,
                                   Policy>;
#endif
  }
};

template <class Functor, class Policy>
void const* kernel_of_loop() {
  using Loop   = PolicyLoop<Policy>;
  using Bounds = typename Policy::launch_bounds;
  using Call   = TaggedCall<Functor, typename Policy::work_tag, Loop::indices>;
  return reinterpret_cast<void const*>(
      &Cuda::streamed_for<typename Policy::index_type, Call,
                          typename Loop::Kernel, has_copies(sizeof(Functor)),
                          Bounds::maxTperB, Bounds::minBperSM>);
}

template <class Policy>
inline constexpr bool is_batched = false;
template <class Policy>
requires(Policy::static_batch_size::batch_size >
         1) inline constexpr bool is_batched<Policy> = true;

/// Properties of a loop that are known at compile time.
template <class Policy>
constexpr ForProblem loop_of_types(std::size_t functor_bytes) {
  ForProblem problem;
  problem.space.rank  = PolicyLoop<Policy>::rank;
  problem.max_threads = int(Policy::launch_bounds::maxTperB);
  problem.copies_with_bounds =
      problem.max_threads > 0 && has_copies(functor_bytes);
  problem.batched       = is_batched<Policy>;
  problem.functor_bytes = functor_bytes;
  return problem;
}
template <class Policy>
constexpr Refusal refusal_of_loop(std::size_t functor_bytes) {
  return refuse_streamed(loop_of_types<Policy>(functor_bytes));
}

/// Loops that Kokkos instantiates and never runs: the loop that destroys the
/// elements of a View, if their type is trivially destructible (4.6 to 5.2).
template <class Functor, class Tag>
inline constexpr bool never_runs = false;
template <class Device, class T>
inline constexpr bool
    never_runs<Kokkos::Impl::ViewValueFunctor<Device, T>,
               typename Kokkos::Impl::ViewValueFunctor<Device, T>::DestroyTag> =
        std::is_trivially_destructible_v<T>;
/// Kokkos also instantiates ViewCopy between device and host. That loop runs
/// for pinned host memory only, and then as Kokkos' own.
template <class To, class From, class Layout, int Rank, class Index, class Tag>
inline constexpr bool never_runs<
    Kokkos::Impl::ViewCopy<To, From, Layout, Kokkos::Cuda, Rank, Index>, Tag> =
    !std::is_same_v<typename To::execution_space,
                    typename From::execution_space>;

template <class Policy, std::size_t Bytes>
inline constexpr bool routable_policy =
    Bytes <= max_argument_functor_bytes && !refusal_of_loop<Policy>(Bytes);
template <class Functor, class Policy>
concept RoutableLoop = !Policy::is_graph_kernel::value && !IsNative<Functor> &&
                       !never_runs<Functor, typename Policy::work_tag> &&
                       routable_policy<Policy, sizeof(Functor)>;

/// Closure of a routable loop, with the interface of Kokkos' closure.
template <class Functor, class PolicyT>
class RoutedFor {
 public:
  using Policy       = PolicyT;
  using functor_type = Functor;

  RoutedFor(Functor const& functor, Policy const& policy)
      : m_native(functor), m_policy(policy) {}

  Policy const& get_policy() const { return m_policy; }

  template <class OtherPolicy, class OtherFunctor>
  static int max_tile_size_product(OtherPolicy const& policy,
                                   OtherFunctor const& functor) {
    return Native::max_tile_size_product(policy, functor);
  }

  void execute() const {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    static CachedLaunch cached(call_types<Functor, Policy>());
    using Loop = PolicyLoop<Policy>;
    ErasedFor call{m_policy.space(),
                   this,
                   &run_native,
                   Loop::template native_kernel<Native>(m_policy),
                   nullptr,
                   std::addressof(m_native.functor),
                   &desul::ensure_cuda_lock_arrays_on_device,
                   reported,
                   cached,
                   loop_of_types<Policy>(sizeof(Functor))};
    Loop::describe(m_policy, call.problem);
    if constexpr (CopiedView<Functor>::is_known) {
      using Copy = CopiedView<Functor>;
      Copy::describe(m_native.functor, call.copy);
      call.functor = static_cast<CopiedArrays const*>(&call.copy);
      call.kernel  = reinterpret_cast<void const*>(
          &Cuda::streamed_for<typename Copy::Offset, typename Copy::Strided,
                              typename Loop::Kernel>);
    } else {
      call.kernel = kernel_of_loop<Functor, Policy>();
    }
    run_for(call);
  }

 private:
  using Native =
      Kokkos::Impl::ParallelFor<NativeLoop<Functor>, Policy, Kokkos::Cuda>;
  static void run_native(void const* self, LoopSpace const* part) {
    auto const& routed = *static_cast<RoutedFor const*>(self);
    auto const run     = [&](Policy const& policy) {
      Native(routed.m_native, policy).execute();
    };
    if constexpr (PolicyLoop<Policy>::rank > 1) {
      if (part) return run(PolicyLoop<Policy>::part_of(routed.m_policy, *part));
    }
    run(routed.m_policy);
  }

  // The functor is wrapped in the constructor, because each further copy of a
  // host and device lambda allocates memory.
  NativeLoop<Functor> m_native;
  Policy m_policy;
  static_assert(sizeof(NativeLoop<Functor>) == sizeof(Functor));
};

}  // namespace KokkosMMA::Impl

/// Specialises Kokkos' closure for POLICY. Written in Kokkos' namespace: nvcc
/// 13.0 loses the qualification of names in the constraint of a specialisation
/// that is declared from outside.
#define KOKKOSMMA_IMPL_ROUTE_FOR(POLICY)                                     \
  namespace Kokkos::Impl {                                                   \
  template <class F, class... Traits>                                        \
  requires KokkosMMA::Impl::RoutableLoop<F, POLICY<Traits...>>               \
  class ParallelFor<F, POLICY<Traits...>, Cuda>                              \
      : public KokkosMMA::Impl::RoutedFor<F, POLICY<Traits...>> {            \
    using kokkosmma_base = KokkosMMA::Impl::RoutedFor<F, POLICY<Traits...>>; \
                                                                             \
   public:                                                                   \
    using kokkosmma_base::kokkosmma_base;                                    \
  };                                                                         \
  }

KOKKOSMMA_IMPL_ROUTE_FOR(RangePolicy)
KOKKOSMMA_IMPL_ROUTE_FOR(MDRangePolicy)

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
