// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INTERCEPT_NESTED_HPP
#define KOKKOSMMA_INTERCEPT_NESTED_HPP

/// \file
/// Kokkos::parallel_reduce and parallel_scan inside team kernels
/// on Kokkos::Cuda: overloads with the template heads of Kokkos' own and a
/// constraint, which makes them the better match.
///
/// A team kernel is compiled in two forms
/// (adapters/drop_in/KokkosMMA_InterceptTeam.hpp) with the same functor code.
/// Nested calls know the form from an assumption that the kernel states to the
/// compiler. The first form uses exactly Kokkos' expressions: equivalent ones
/// cost registers (47 instead of 40 in one kernel, CUDA 13.0).

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/loops/KokkosMMA_TeamProblem.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_RoutableReduce.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_OverlappedScan.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_StridedCalls.hpp>

#include <type_traits>

namespace KokkosMMA::Impl {

/// Form of a team kernel. Each kernel assumes a value, so that the compiler
/// drops the other branches and their registers. The variable is never written:
/// a kernel without an assumption, or whose assumption the compiler forgets,
/// reads 0, which is Kokkos' form. It has the registers of both forms.
///
/// In constant memory, because nvcc 12.4 and 13.0 keep assumptions about it
/// across stores and barriers. They have no __builtin_constant_p for device
/// code. One variable per source: a common one would need relocatable device
/// code.
static __constant__ unsigned form_of_team_kernel;
// nvlink -dlto treats a variable that the host does not name as 0, and a kernel
// that assumes 1 as empty (nvlink of CUDA 12.4, nvJitLink of 13.0).
[[gnu::used]] static void const* const form_may_be_written =
    &form_of_team_kernel;

__device__ __forceinline__ bool is_overlapped() {
  return form_of_team_kernel == static_cast<unsigned>(NestedLoops::overlapped);
}

// The assumption is the comparison of the branches itself. An assumption of the
// value (== 0 or == 1) was lost where nvcc 13.0 moved the load out of a loop:
// in 19 of 22 kernels of the first form of one source, and in 3 of the second.
// These kept both branches and their registers, and a scan of a team's threads
// took 1.13 of Kokkos' time (1000 int, H200, 2026-11-27). The build
// cuda-compile-only searches PTX for these loads.
template <NestedLoops Loops>
KOKKOS_FORCEINLINE_FUNCTION void state_nested_loops() {
  KOKKOS_IF_ON_DEVICE((
      if constexpr (Loops == NestedLoops::overlapped) {
        __builtin_assume(is_overlapped());
      } else { __builtin_assume(!is_overlapped()); }))
}

/// Reducer that Kokkos builds for a nested reduction: from a reducer, or from a
/// variable and the closure, which may have members init and join.
template <class Initial, class Value>
using nested_reducer_t = typename Kokkos::Impl::FunctorAnalysis<
    Kokkos::Impl::FunctorPatternInterface::REDUCE,
    Kokkos::TeamPolicy<Kokkos::Cuda>, Initial, Value>::Reducer;

/// Whether join(a, b) and join(b, a) have the same bits, as for sums and
/// products. The maximum of +0 and -0 is the first of them.
template <class Reducer, class T>
inline constexpr bool joins_commute =
    std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
    (adds<Reducer>() || is_prod_reducer<typename Reducer::functor_type>);

/// Makes the invocations of one lane.
template <class Index, class Closure, class T>
__device__ void nested_calls(Index begin, Index end, unsigned lane,
                             unsigned lanes, Closure const& closure, T& value) {
  if (is_overlapped()) {
    Cuda::overlapped_strided_calls(begin, end, lane, lanes, closure, value);
  } else {
    Cuda::strided_calls(begin, end, lane, lanes, closure, value);
  }
}

/// Mask of the vector's lanes in the thread's warp.
__device__ inline unsigned vector_mask() {
  unsigned const lanes = blockDim.x;
  return lanes == 32 ? ~0u : ((1u << lanes) - 1) << (threadIdx.y * lanes % 32);
}
/// Synchronises the vector's lanes. Kokkos computes the mask by divisions: of
/// the 190 instructions of a row of 64 floats, its reduction and the single()
/// after it, the two divisions of each were 74 (16 lanes, sm_90, CUDA 13.0).
__device__ inline void sync_vector() {
  if (is_overlapped())
    __syncwarp(vector_mask());
  else
    __syncwarp(blockDim.x == 32
                   ? 0xffffffff
                   : ((1 << blockDim.x) - 1)
                         << (threadIdx.y % (32 / blockDim.x)) * blockDim.x);
}

/// Joins the values of a vector's lanes in every lane. Kokkos joins by halves
/// into the first lane and broadcasts the result. In this butterfly exchange
/// every lane makes the additions of the first one.
template <class Reducer, class T>
__device__ void join_vector(Reducer const& reducer, T& value) {
  if constexpr (joins_commute<Reducer, T>) {
    if (is_overlapped()) {
      unsigned const lanes = blockDim.x;
      unsigned const mask  = vector_mask();
      for (unsigned step = lanes / 2; step > 0; step /= 2) {
        T other = __shfl_xor_sync(mask, value, int(step), int(lanes));
        reducer.join(&value, &other);
      }
      return;
    }
  }
  Kokkos::Impl::CudaTeamMember::impl_vector_reduce(reducer, value);
}

template <class Index>
using ThreadsOfTeam =
    Kokkos::Impl::TeamThreadRangeBoundariesStruct<Index,
                                                  Kokkos::Impl::CudaTeamMember>;
template <class Index>
using LanesOfThread = Kokkos::Impl::ThreadVectorRangeBoundariesStruct<
    Index, Kokkos::Impl::CudaTeamMember>;
template <class Index>
using LanesOfTeam =
    Kokkos::Impl::TeamVectorRangeBoundariesStruct<Index,
                                                  Kokkos::Impl::CudaTeamMember>;

template <class Index, class Closure, class Reducer, class T>
__device__ void reduce_nested(ThreadsOfTeam<Index> const& range,
                              Closure const& closure, Reducer const& reducer,
                              T& value) {
  Impl::nested_calls(range.start, range.end, threadIdx.y, blockDim.y, closure,
                     value);
  range.member.impl_team_reduce(reducer, value);
}
template <class Index, class Closure, class Reducer, class T>
__device__ void reduce_nested(LanesOfThread<Index> const& range,
                              Closure const& closure, Reducer const& reducer,
                              T& value) {
  Impl::nested_calls(range.start, range.end, threadIdx.x, blockDim.x, closure,
                     value);
  Impl::join_vector(reducer, value);
}
template <class Index, class Closure, class Reducer, class T>
__device__ void reduce_nested(LanesOfTeam<Index> const& range,
                              Closure const& closure, Reducer const& reducer,
                              T& value) {
  Impl::nested_calls(range.start, range.end,
                     threadIdx.y * blockDim.x + threadIdx.x,
                     blockDim.x * blockDim.y, closure, value);
  Impl::join_vector(reducer, value);
  range.member.impl_team_reduce(reducer, value);
}

/// Wrapper of a reducer that selects Kokkos' own scan.
template <class Reducer>
struct ScanOfKokkos : Reducer {
  using kokkosmma_native = void;
  KOKKOS_FUNCTION explicit ScanOfKokkos(Reducer const& reducer)
      : Reducer(reducer) {}
};

/// Whether scans with the reducer have a form with several rounds in flight.
template <class Reducer>
constexpr bool scans_overlap() {
  if constexpr (!Kokkos::is_reducer<Reducer>::value || IsNative<Reducer> ||
                std::is_final_v<Reducer> ||
                !std::is_copy_constructible_v<Reducer>) {
    return false;
  } else {
    using Value = typename Reducer::value_type;
    return std::is_arithmetic_v<Value> &&
           (sizeof(Value) == 4 || sizeof(Value) == 8);
  }
}

/// Wrapper of a closure that selects Kokkos' own scan of a team.
template <class Closure, class T>
struct TeamScanOfKokkos {
  using kokkosmma_native = void;
  using value_type       = T;
  Closure const& closure;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index& i, T& value,
                                              bool&& final) const {
    closure(i, value, static_cast<bool&&>(final));
  }
};

template <class Closure>
using scanned_t = typename Kokkos::Impl::FunctorAnalysis<
    Kokkos::Impl::FunctorPatternInterface::SCAN, void, Closure,
    void>::value_type;

/// Whether scans of a team's threads have a form with several rounds in flight.
template <class Closure, class T>
concept OverlappedTeamScan =
    !IsNative<Closure> && std::is_arithmetic_v<T> &&
    (sizeof(T) == 4 || sizeof(T) == 8) && std::is_same_v<scanned_t<Closure>, T>;

/// Access to Kokkos' shared memory for joins inside a team: 8 bytes per thread
/// and 16 more (4.6 to 5.2). Other memory would have to fit in addition to the
/// application's. The member is private, but an explicit instantiation may name
/// its address.
template <auto Member>
struct TeamReduceMember {
  friend __device__ void* team_memory(
      Kokkos::Impl::CudaTeamMember const& member) {
    return member.*Member;
  }
};
template struct TeamReduceMember<&Kokkos::Impl::CudaTeamMember::m_team_reduce>;
__device__ void* team_memory(Kokkos::Impl::CudaTeamMember const& member);

template <class Index, class Closure, class T>
__device__ void scan_of_team(ThreadsOfTeam<Index> const& range,
                             Closure const& closure, T& total) {
  if (is_overlapped()) {
    Cuda::ScanTeam const team{threadIdx.y, blockDim.y};
    // With longer vectors the threads of a team do not form warps.
    if (blockDim.x == 1 && team.takes()) {
      using Wide = decltype(Index() + int());
      total      = Cuda::overlapped_team_scan<2, T>(
          team, static_cast<Wide>(range.start), static_cast<Wide>(range.end),
          closure, static_cast<T*>(team_memory(range.member)));
      return;
    }
  }
  Kokkos::parallel_scan(range, TeamScanOfKokkos<Closure, T>{closure}, total);
}

}  // namespace KokkosMMA::Impl

/// Kokkos' two overloads for a range: with a reducer and with a variable.
#define KOKKOSMMA_IMPL_ROUTE_NESTED(RANGE)                                     \
  namespace Kokkos {                                                           \
  template <typename iType, class Closure, class ReducerType>                  \
  requires(std::is_integral_v<iType>) KOKKOS_INLINE_FUNCTION std::             \
      enable_if_t<Kokkos::is_reducer<ReducerType>::value> parallel_reduce(     \
          const Impl::RANGE<iType, Impl::CudaTeamMember>& loop_boundaries,     \
          const Closure& closure, const ReducerType& result) {                 \
    KOKKOS_IF_ON_DEVICE((                                                      \
        using Value   = typename ReducerType::value_type;                      \
        using Reducer = KokkosMMA::Impl::nested_reducer_t<ReducerType, Value>; \
        Reducer reducer(result); Value value; reducer.init(&value);            \
        KokkosMMA::Impl::reduce_nested(loop_boundaries, closure, reducer,      \
                                       value);                                 \
        reducer.final(&value); result.reference() = value;))                   \
    KOKKOS_IF_ON_HOST(((void)loop_boundaries; (void)closure; (void)result;     \
                       Kokkos::abort("Should only run on the device!");))      \
  }                                                                            \
  template <typename iType, class Closure, typename ValueType>                 \
  requires(std::is_integral_v<iType>) KOKKOS_INLINE_FUNCTION                   \
      std::enable_if_t<!Kokkos::is_reducer<ValueType>::value> parallel_reduce( \
          const Impl::RANGE<iType, Impl::CudaTeamMember>& loop_boundaries,     \
          const Closure& closure, ValueType& result) {                         \
    KOKKOS_IF_ON_DEVICE((                                                      \
        using Reducer = KokkosMMA::Impl::nested_reducer_t<Closure, ValueType>; \
        Reducer reducer(closure); typename Reducer::value_type value{};        \
        reducer.init(&value); KokkosMMA::Impl::reduce_nested(                  \
            loop_boundaries, closure, reducer, value);                         \
        reducer.final(&value); result = value;))                               \
    KOKKOS_IF_ON_HOST(((void)loop_boundaries; (void)closure; (void)result;))   \
  }                                                                            \
  }

KOKKOSMMA_IMPL_ROUTE_NESTED(TeamThreadRangeBoundariesStruct)
KOKKOSMMA_IMPL_ROUTE_NESTED(ThreadVectorRangeBoundariesStruct)
KOKKOSMMA_IMPL_ROUTE_NESTED(TeamVectorRangeBoundariesStruct)

// Kokkos' other overloads of a vector's scan call this one.
namespace Kokkos {
template <typename iType, class Closure, typename ReducerType>
requires(
    std::is_integral_v<iType>&& KokkosMMA::Impl::scans_overlap<ReducerType>())
    KOKKOS_INLINE_FUNCTION
    std::enable_if_t<Kokkos::is_reducer<ReducerType>::value> parallel_scan(
        const Impl::ThreadVectorRangeBoundariesStruct<
            iType, Impl::CudaTeamMember>& loop_boundaries,
        const Closure& closure, const ReducerType& reducer) {
  KOKKOS_IF_ON_DEVICE((
      if (KokkosMMA::Impl::is_overlapped()) {
        using Value = typename ReducerType::value_type;
        Value sum;
        reducer.init(sum);
        KokkosMMA::Impl::Cuda::overlapped_scan(
            static_cast<int>(loop_boundaries.end),
            {threadIdx.x, blockDim.x, KokkosMMA::Impl::vector_mask()}, closure,
            [&](Value& value, Value const& other) {
              reducer.join(value, other);
            },
            sum);
        reducer.reference() = sum;
      } else {
        Kokkos::parallel_scan(
            loop_boundaries, closure,
            KokkosMMA::Impl::ScanOfKokkos<ReducerType>(reducer));
      }))
  KOKKOS_IF_ON_HOST(((void)loop_boundaries; (void)closure; (void)reducer;
                     Kokkos::abort("Should only run on the device!");))
}
}  // namespace Kokkos

// Without and with the total.
namespace Kokkos {
template <typename iType, typename FunctorType>
requires(std::is_integral_v<iType>&& KokkosMMA::Impl::OverlappedTeamScan<
         FunctorType, KokkosMMA::Impl::scanned_t<FunctorType>>)
    KOKKOS_INLINE_FUNCTION
    void parallel_scan(const Impl::TeamThreadRangeBoundariesStruct<
                           iType, Impl::CudaTeamMember>& loop_bounds,
                       const FunctorType& lambda) {
  KOKKOS_IF_ON_DEVICE(
      (KokkosMMA::Impl::scanned_t<FunctorType> total;
       KokkosMMA::Impl::scan_of_team(loop_bounds, lambda, total);))
  KOKKOS_IF_ON_HOST(((void)loop_bounds; (void)lambda;
                     Kokkos::abort("Should only run on the device!");))
}
template <typename iType, typename FunctorType, typename ValueType>
requires(std::is_integral_v<iType>&&
             KokkosMMA::Impl::OverlappedTeamScan<FunctorType, ValueType>)
    KOKKOS_INLINE_FUNCTION
    void parallel_scan(const Impl::TeamThreadRangeBoundariesStruct<
                           iType, Impl::CudaTeamMember>& loop_bounds,
                       const FunctorType& lambda, ValueType& return_val) {
  KOKKOS_IF_ON_DEVICE(
      (KokkosMMA::Impl::scan_of_team(loop_bounds, lambda, return_val);))
  KOKKOS_IF_ON_HOST(((void)loop_bounds; (void)lambda; (void)return_val;
                     Kokkos::abort("Should only run on the device!");))
}
}  // namespace Kokkos

// Kokkos' other functions that compute the vector's mask by divisions.
namespace Kokkos {
template <typename iType, class Closure>
requires(std::is_integral_v<iType>) KOKKOS_INLINE_FUNCTION void parallel_for(
    const Impl::ThreadVectorRangeBoundariesStruct<iType, Impl::CudaTeamMember>&
        loop_boundaries,
    const Closure& closure) {
  KOKKOS_IF_ON_DEVICE((for (iType i = loop_boundaries.start + threadIdx.x;
                            i < loop_boundaries.end; i += blockDim.x)
                           closure(i);
                       KokkosMMA::Impl::sync_vector();))
  KOKKOS_IF_ON_HOST(((void)loop_boundaries; (void)closure;))
}
template <class FunctorType>
requires(std::is_class_v<FunctorType>) KOKKOS_INLINE_FUNCTION
    void single(const Impl::VectorSingleStruct<Impl::CudaTeamMember>&,
                const FunctorType& lambda) {
  KOKKOS_IF_ON_DEVICE(
      (if (threadIdx.x == 0) lambda(); KokkosMMA::Impl::sync_vector();))
  KOKKOS_IF_ON_HOST(((void)lambda;))
}
template <class FunctorType>
requires(std::is_class_v<FunctorType>) KOKKOS_INLINE_FUNCTION
    void single(const Impl::ThreadSingleStruct<Impl::CudaTeamMember>&,
                const FunctorType& lambda) {
  KOKKOS_IF_ON_DEVICE((if (threadIdx.x == 0 && threadIdx.y == 0) lambda();
                       KokkosMMA::Impl::sync_vector();))
  KOKKOS_IF_ON_HOST(((void)lambda;))
}
}  // namespace Kokkos

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
