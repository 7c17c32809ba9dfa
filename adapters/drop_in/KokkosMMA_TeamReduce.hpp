// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TEAM_REDUCE_HPP
#define KOKKOSMMA_TEAM_REDUCE_HPP

/// \file
/// Kernel of this library for Kokkos::parallel_reduce over a TeamPolicy. It has
/// the invocations and joins of Kokkos' kernel (4.6 to 5.2) in the same order,
/// with several nested invocations and several values of the last join in
/// flight. Kokkos' last join has one load in flight per lane: a sum of 2^26
/// floats by 65536 teams of 128 threads takes 453 us in Kokkos, 162 us here
/// (H100, CUDA 13.0, 2026-11-26).

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_InterceptNested.hpp>
#include <adapters/drop_in/KokkosMMA_TaggedCall.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_StreamedReduce.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_JoinBlocks.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedTeam.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Arguments of Kokkos' constructor of a team member.
struct TeamLayout {
  int teams;
  int shared_begin;  ///< bytes for joins inside a team
  int shared_size;   ///< bytes after them, for the application
};

template <class Call, class Reducer>
__device__ __forceinline__ void reduce_teams(
    Call const& call, Reducer const& reducer, TeamLayout const& layout,
    Cuda::GridScratch const& scratch,
    Cuda::ResultTarget<typename Reducer::value_type> const& target) {
  using Value   = typename Reducer::value_type;
  using Running = Cuda::RunningValue<Reducer, Value>;
  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 16, team_reduce_memory);
  state_nested_loops<NestedLoops::overlapped>();
  Running const running{reducer};
  // Constructed first, as in Kokkos: an init() may leave members unchanged.
  Value value;
  running.init(value);
  for (int team = int(blockIdx.x); team < layout.teams; team += int(gridDim.x))
    call(Kokkos::Impl::CudaTeamMember(team_reduce_memory, layout.shared_begin,
                                      layout.shared_size, nullptr, 0, team,
                                      layout.teams),
         value);
  Kokkos::Impl::cuda_intra_block_reduction(value, reducer, int(blockDim.y));
  Cuda::join_blocks(value, running, threadIdx.y * blockDim.x + threadIdx.x,
                    blockDim.x * blockDim.y, scratch,
                    [&](Value& total) { running.finish(total, target); });
}

/// \tparam Copies each thread has a copy of functor and reducer
template <bool Copies, class Bounds, class Call, class Reducer>
__global__ void __launch_bounds__(Bounds::maxTperB, Bounds::minBperSM)
    team_reduce(KOKKOSMMA_GRID_CONSTANT Call const call,
                KOKKOSMMA_GRID_CONSTANT Reducer const reducer,
                TeamLayout const layout, Cuda::GridScratch const scratch,
                Cuda::ResultTarget<typename Reducer::value_type> const target) {
  Cuda::Argument<Copies, Call> const calls(call);
  Cuda::Argument<Copies, Reducer> const joins(reducer);
  Impl::reduce_teams(calls.value, joins.value, layout, scratch, target);
}

/// Reduction that this library's kernel supports: a value in registers, and
/// functor and reducer within the limit of kernel arguments, above which it
/// does not compile.
template <class Functor, class Reducer, class Policy>
concept OwnTeamReduce =
    ValueInRegisters<Reducer> &&
    !Policy::experimental_contains_desired_occupancy &&
    sizeof(Functor) + sizeof(Reducer) <= max_argument_functor_bytes;

/// Launch bounds of the policy, or those with which any block can run
/// (FormPolicy in adapters/drop_in/KokkosMMA_InterceptTeam.hpp).
template <class Policy>
using team_bounds_t = std::conditional_t<
    std::is_same_v<typename Policy::launch_bounds, Kokkos::LaunchBounds<>>,
    Kokkos::LaunchBounds<1024, 1>, typename Policy::launch_bounds>;

template <class Functor, class Reducer, class Policy>
void const* kernel_of_team_reduce() {
  return reinterpret_cast<void const*>(
      &team_reduce<has_copies(sizeof(Functor) + sizeof(Reducer)),
                   team_bounds_t<Policy>,
                   TaggedCall<Functor, typename Policy::work_tag>, Reducer>);
}

/// Reduces over teams of the policy's size.
/// \return whether its kernel was launched
template <class Functor, class Reducer, class Policy>
bool run_team_reduce(Functor const& functor, Reducer const& reducer,
                     Policy const& policy, void* result, bool result_on_device,
                     bool must_wait) {
  int const team = policy.team_size();
  if (policy.league_size() <= 0 || team <= 0 || result == nullptr ||
      policy.scratch_size(1, team) > 0)
    return false;
  TeamLayout const layout{
      policy.league_size(), int(sizeof(double)) * (team + 2),
      int(policy.scratch_size(0, team)) +
          int(Kokkos::Impl::FunctorTeamShmemSize<Functor>::value(functor,
                                                                 team))};
  return launch_team_reduce(ErasedTeamReduce{
      policy.space(),
      kernel_of_team_reduce<Functor, Reducer, Policy>(),
      {std::addressof(functor), &reducer, &layout},
      layout.teams,
      layout.shared_begin + layout.shared_size,
      dim3(unsigned(policy.impl_vector_length()), unsigned(team)),
      result,
      result_on_device,
      must_wait,
      sizeof(typename Reducer::value_type),
      &desul::ensure_cuda_lock_arrays_on_device});
}

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
