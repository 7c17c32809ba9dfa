// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_NESTED_HPP
#define KOKKOSMMA_INTERCEPT_NESTED_HPP

/// \file
/// Kokkos::parallel_reduce inside team kernels on Kokkos::Cuda: overloads with
/// the template heads of Kokkos' own and a constraint, which makes them the
/// better match. All that differs from Kokkos is the loop of a lane; values are
/// joined by Kokkos.
///
/// A team kernel is compiled in two forms
/// (adapters/drop_in/KokkosMMA_InterceptTeam.hpp), and the functor's code is
/// the same text in both. A reduction learns in which form it is from a fact
/// that the kernel states to the compiler.

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)

#include <backends/cuda/kernels/loops/KokkosMMA_StridedCalls.hpp>

#include <type_traits>

namespace KokkosMMA::Impl {

/// How the reductions inside a team kernel are compiled.
enum class NestedLoops {
  kokkos,     ///< one call per round, as by Kokkos
  overlapped  ///< several
};

// Kokkos launches teams in grids of one block along z. A kernel with overlapped
// loops states another number to the compiler, which then drops the branch that
// is not taken, with its registers: the choice costs nothing at run time. A
// kernel that states nothing, such as a node of a graph, reads the true number.
inline constexpr unsigned grid_depth           = 1;
inline constexpr unsigned stated_if_overlapped = 2;

template <NestedLoops Loops>
KOKKOS_FORCEINLINE_FUNCTION void state_nested_loops() {
  KOKKOS_IF_ON_DEVICE(
      (__builtin_assume(gridDim.z == (Loops == NestedLoops::overlapped
                                          ? stated_if_overlapped
                                          : grid_depth));))
}

#if defined(__CUDA_ARCH__) || defined(__CUDACC__)
/// The calls of one lane of a nested reduction.
template <class Index, class Closure, class T>
__device__ void nested_calls(Index begin, Index end, unsigned lane,
                             unsigned lanes, Closure const& closure, T& value) {
  if (gridDim.z == stated_if_overlapped)
    Cuda::overlapped_strided_calls(begin, end, lane, lanes, closure, value);
  else
    Cuda::strided_calls(begin, end, lane, lanes, closure, value);
}
#endif

/// What Kokkos makes of a nested reduction's result: of a reducer, or of a
/// variable and the closure, which may have members init and join.
template <class Initial, class Value>
using nested_reducer_t = typename Kokkos::Impl::FunctorAnalysis<
    Kokkos::Impl::FunctorPatternInterface::REDUCE,
    Kokkos::TeamPolicy<Kokkos::Cuda>, Initial, Value>::Reducer;

template <class Index>
concept NestedIndex = std::is_integral_v<Index>;

}  // namespace KokkosMMA::Impl

/// Both overloads for a range: with a reducer and with a variable. LANE and
/// LANES are expressions of the thread, JOIN joins `value` by `reducer`.
#define KOKKOSMMA_IMPL_NESTED_REDUCE(RANGE, LANE, LANES, JOIN)                 \
  namespace Kokkos {                                                           \
  template <typename iType, class Closure, class ReducerType>                  \
  requires(KokkosMMA::Impl::NestedIndex<iType>) KOKKOS_INLINE_FUNCTION std::   \
      enable_if_t<Kokkos::is_reducer<ReducerType>::value> parallel_reduce(     \
          const Impl::RANGE<iType, Impl::CudaTeamMember>& loop_boundaries,     \
          const Closure& closure, const ReducerType& result) {                 \
    KOKKOS_IF_ON_DEVICE((                                                      \
        using Value = typename ReducerType::value_type;                        \
        KokkosMMA::Impl::nested_reducer_t<ReducerType, Value> reducer(result); \
        Value value; reducer.init(&value); KokkosMMA::Impl::nested_calls(      \
            loop_boundaries.start, loop_boundaries.end, LANE, LANES, closure,  \
            value);                                                            \
        JOIN reducer.final(&value); result.reference() = value;))              \
    KOKKOS_IF_ON_HOST(((void)loop_boundaries; (void)closure; (void)result;     \
                       Kokkos::abort("Should only run on the device!");))      \
  }                                                                            \
  template <typename iType, class Closure, typename ValueType>                 \
  requires(KokkosMMA::Impl::NestedIndex<iType>) KOKKOS_INLINE_FUNCTION         \
      std::enable_if_t<!Kokkos::is_reducer<ValueType>::value> parallel_reduce( \
          const Impl::RANGE<iType, Impl::CudaTeamMember>& loop_boundaries,     \
          const Closure& closure, ValueType& result) {                         \
    KOKKOS_IF_ON_DEVICE((                                                      \
        using Reducer = KokkosMMA::Impl::nested_reducer_t<Closure, ValueType>; \
        Reducer reducer(closure); typename Reducer::value_type value{};        \
        reducer.init(&value); KokkosMMA::Impl::nested_calls(                   \
            loop_boundaries.start, loop_boundaries.end, LANE, LANES, closure,  \
            value);                                                            \
        JOIN reducer.final(&value); result = value;))                          \
    KOKKOS_IF_ON_HOST(((void)loop_boundaries; (void)closure; (void)result;))   \
  }                                                                            \
  }

KOKKOSMMA_IMPL_NESTED_REDUCE(TeamThreadRangeBoundariesStruct, threadIdx.y,
                             blockDim.y,
                             loop_boundaries.member.impl_team_reduce(reducer,
                                                                     value);)
KOKKOSMMA_IMPL_NESTED_REDUCE(ThreadVectorRangeBoundariesStruct, threadIdx.x,
                             blockDim.x,
                             Impl::CudaTeamMember::impl_vector_reduce(reducer,
                                                                      value);)
KOKKOSMMA_IMPL_NESTED_REDUCE(
    TeamVectorRangeBoundariesStruct, threadIdx.y* blockDim.x + threadIdx.x,
    blockDim.x* blockDim.y,
    loop_boundaries.member.impl_vector_reduce(reducer, value);
    loop_boundaries.member.impl_team_reduce(reducer, value);)

#endif  // KOKKOS_ENABLE_CUDA
#endif
