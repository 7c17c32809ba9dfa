// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TEAM_COLLECTIVES_HPP
#define KOKKOSMMA_TEAM_COLLECTIVES_HPP

/// \file
/// Reductions and scans inside a kernel of TeamPolicy: what Kokkos' nested
/// parallel_reduce and parallel_scan do, by all lanes of a team (team_...) or
/// of one thread (vector_...), with several calls or loads under way per lane.
///
/// All lanes of the team (of the thread) call with the same arguments, and
/// every one gets the result. Any team size and vector length will do. What an
/// element, a functor's memory, or an output held before must be visible to the
/// team already, as for Kokkos' nested calls. On host spaces they are Kokkos'
/// nested calls. On Cuda a team of several warps uses 64 values of shared
/// memory of its own, no team or thread scratch. What a functor or a scan wrote
/// is visible to the lanes that took part afterwards.
///
/// 16-bit floats are accumulated in fp32 and rounded once: the functor is
/// called with a 16-bit value that starts from zero.

#include <adapters/drop_in/KokkosMMA_ScanValueType.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <backends/cuda/kernels/team/KokkosMMA_TeamCollectives.hpp>
#endif

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

template <class Member>
inline constexpr bool is_cuda_member =
#if defined(KOKKOS_ENABLE_CUDA)
    std::is_same_v<typename Member::execution_space, Kokkos::Cuda>;
#else
    false;
#endif

template <class R>
inline constexpr bool is_plain_sum = false;
template <class T, class Space>
inline constexpr bool is_plain_sum<Kokkos::Sum<T, Space>> = true;
template <class T, class Space>
inline constexpr bool is_plain_sum<KokkosMMA::Sum<T, Space>> = true;

/// Products of 16-bit floats, which are kept in fp32 as sums are.
template <class R>
inline constexpr bool is_small_product = false;
template <class T, class Space>
inline constexpr bool is_small_product<Kokkos::Prod<T, Space>> =
    is_16bit_float(scalar_v<T>);

template <class R>
concept TeamReducer = Kokkos::is_reducer<R>::value;

/// What a sum of `T` is kept in.
template <class T>
using team_sum_t = std::conditional_t<is_16bit_float(scalar_v<T>), float, T>;

/// A sum from zero, as the joiner that reductions and scans take.
template <class Value>
struct TeamSum {
  KOKKOS_FORCEINLINE_FUNCTION void init(Value& value) const { value = Value{}; }
  KOKKOS_FORCEINLINE_FUNCTION void join(Value& into, Value const& from) const {
    add(into, from);
  }
};

/// A product from one.
struct TeamProduct {
  KOKKOS_FORCEINLINE_FUNCTION void init(float& value) const { value = 1; }
  KOKKOS_FORCEINLINE_FUNCTION void join(float& into, float const& from) const {
    into *= from;
  }
};

/// Calls a functor that adds to a `T`, or joins with it, with a running value
/// of type `Value`.
template <class Index, class T, class Value, class Functor,
          class Joiner = TeamSum<Value>>
struct TeamCall {
  using value_type = Value;
  Functor const& functor;

  template <class I>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(I i, Value& running) const {
    if constexpr (std::is_same_v<T, Value>) {
      functor(static_cast<Index>(i), running);
    } else {
      Value from;
      Joiner().init(from);
      T contribution(from);
      functor(static_cast<Index>(i), contribution);
      Joiner().join(running, static_cast<Value>(contribution));
    }
  }
};

/// Likewise for the functor of a scan.
template <class Index, class T, class Value, class Functor>
struct TeamScanCall {
  using value_type = Value;
  Functor const& functor;

  /// value += what i adds
  template <class I>
  KOKKOS_FORCEINLINE_FUNCTION void contribute(I i, Value& value) const {
    if constexpr (std::is_same_v<T, Value>) {
      functor(static_cast<Index>(i), value, false);
    } else {
      T contribution(0.f);
      functor(static_cast<Index>(i), contribution, false);
      value += static_cast<Value>(contribution);
    }
  }
  template <class I>
  KOKKOS_FORCEINLINE_FUNCTION void finish(I i, Value& prefix) const {
    if constexpr (std::is_same_v<T, Value>) {
      functor(static_cast<Index>(i), prefix, true);
    } else {
      T rounded(prefix);
      functor(static_cast<Index>(i), rounded, true);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Value& running,
                                              bool final) const {
    if constexpr (std::is_same_v<T, Value>) {
      functor(i, running, final);
    } else {
      // Before the final call, which may write what the other one reads.
      Value after = running;
      contribute(i, after);
      if (final) finish(i, running);
      running = after;
    }
  }
};

template <class Reducer>
struct TeamJoin {
  using Value = typename Reducer::value_type;
  Reducer const& reducer;

  KOKKOS_FORCEINLINE_FUNCTION void init(Value& value) const {
    if constexpr (requires { reducer.init(value); }) {
      reducer.init(value);
    } else {
      value = Value();
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(Value& into, Value const& from) const {
    reducer.join(into, from);
  }
};

/// Elements of a View as a functor for Kokkos' nested calls.
template <class X, class Value, class Joiner>
struct TeamElements {
  X const& x;
  Joiner const& joiner;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Value& running) const {
    joiner.join(running, static_cast<Value>(x(i)));
  }
};

template <class Index>
using count_t =
    std::conditional_t<sizeof(Index) <= 4, std::uint32_t, std::uint64_t>;

template <bool WholeTeam, class Member, class Index>
KOKKOS_FORCEINLINE_FUNCTION auto lanes_of(Member const& member, Index count) {
  if constexpr (WholeTeam) {
    return Kokkos::TeamVectorRange(member, count);
  } else {
    return Kokkos::ThreadVectorRange(member, count);
  }
}

#if defined(KOKKOS_ENABLE_CUDA)

/// The value of one lane, once.
template <class Value, class Joiner>
struct LaneValue {
  Value const& value;
  Joiner const& joiner;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(unsigned, Value& running) const {
    joiner.join(running, value);
  }
};

template <bool WholeTeam>
__device__ Cuda::LaneGroup lane_group() {
  return WholeTeam ? Cuda::LaneGroup::team() : Cuda::LaneGroup::vector();
}

template <class Value>
__device__ void deliver_to(Value& result, Value const& value) {
  result = value;
}
template <TeamReducer Reducer>
__device__ void deliver_to(Reducer const& reducer,
                           typename Reducer::value_type value) {
  if constexpr (requires { reducer.final(value); }) {
    reducer.final(value);
  }
  reducer.reference() = value;
}

/// The last step: one value per lane. Values of more than 16 bytes leave the
/// memory for it to Kokkos.
template <bool WholeTeam, class Member, class Value, class Joiner, class Result>
__device__ void join_lanes(Member const& member, Cuda::LaneGroup const& group,
                           Value const& value, Joiner const& joiner,
                           Result&& result) {
  (void)member;
  if constexpr (sizeof(Value) <= 16) {
    deliver_to(result, Cuda::join_group(group, value, joiner));
  } else {
    LaneValue<Value, Joiner> const once{value, joiner};
    if (WholeTeam && member.team_size() > 1)
      Kokkos::parallel_reduce(Kokkos::TeamVectorRange(member, group.size), once,
                              result);
    else
      Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(member, group.size),
                              once, result);
    __syncwarp(group.mask);
  }
}

template <bool WholeTeam, class Value, class Member, class Index, class Call,
          class Joiner, class Result>
__device__ void reduce_calls_on_cuda(Member const& member, Index count,
                                     Call const& call, Joiner const& joiner,
                                     Result&& result) {
  Cuda::LaneGroup const group = lane_group<WholeTeam>();
  Value const mine            = Cuda::reduce_calls<!WholeTeam, Value>(
      group, static_cast<count_t<Index>>(count > 0 ? count : 0), joiner, call);
  join_lanes<WholeTeam>(member, group, mine, joiner, result);
}

template <bool WholeTeam, bool Sum, class Value, class Member, class X,
          class Joiner, class Result>
__device__ void reduce_elements_on_cuda(Member const& member, X const& x,
                                        Joiner const& joiner, Result&& result) {
  using Element               = typename X::non_const_value_type;
  constexpr Scalar input      = scalar_v<Element>;
  std::uint64_t const size    = x.extent(0);
  Cuda::LaneGroup const group = lane_group<WholeTeam>();
  if constexpr (is_plain_source<X>) {
    if (x.stride(0) == 1 || size < 2) {
      Value const mine =
          Cuda::reduce_memory<input, Sum, Value>(group, x.data(), size, joiner);
      join_lanes<WholeTeam>(member, group, mine, joiner, result);
      return;
    }
  }
  Value const mine = Cuda::reduce_calls<!WholeTeam, Value>(
      group, size, joiner, TeamElements<X, Value, Joiner>{x, joiner});
  join_lanes<WholeTeam>(member, group, mine, joiner, result);
}

template <bool WholeTeam, class Value, class Index, class Call>
__device__ Value scan_calls_on_cuda(Index count, Call const& call) {
  Cuda::CalledUnits<Call> source{call};
  return Cuda::scan_units < sizeof(Value) <= 8 ? 4 : 1,
         Value > (lane_group<WholeTeam>(),
                  static_cast<count_t<Index>>(count > 0 ? count : 0),
                  TeamSum<Value>{}, source);
}

template <bool WholeTeam, ScanKind Kind, class Value, class X, class Y>
__device__ Value scan_elements_on_cuda(X const& x, Y const& y) {
  using Element            = typename X::non_const_value_type;
  constexpr int rows       = 2;
  std::uint64_t const size = x.extent(0);
  if constexpr (is_plain_source<X> && is_plain_memory<Y>) {
    if ((x.stride(0) == 1 && y.stride(0) == 1) || size < 2) {
      TeamSum<Value> const joiner;
      Cuda::MemoryUnits<scalar_v<Element>, Value,
                        typename Y::non_const_value_type,
                        Kind == ScanKind::inclusive, rows, TeamSum<Value>>
          source(x.data(), y.data(), size, joiner);
      return Cuda::scan_units<rows, Value>(lane_group<WholeTeam>(),
                                           source.units(), joiner, source);
    }
  }
  ScanInto<X, Y, Value, Kind> const functor{x, y, Value(0)};
  return scan_calls_on_cuda<WholeTeam, Value>(
      size,
      TeamScanCall<std::uint64_t, Value, Value, ScanInto<X, Y, Value, Kind>>{
          functor});
}

#endif  // KOKKOS_ENABLE_CUDA

template <bool WholeTeam, class Member, class Index, class Functor, class T>
KOKKOS_INLINE_FUNCTION void reduce_calls(Member const& member, Index count,
                                         Functor const& functor, T& result) {
  using Value = team_sum_t<T>;
  TeamCall<Index, T, Value, Functor> const call{functor};
  if constexpr (is_cuda_member<Member>) {
    KOKKOS_IF_ON_DEVICE((Value sum; reduce_calls_on_cuda<WholeTeam, Value>(
                             member, count, call, TeamSum<Value>{}, sum);
                         result = static_cast<T>(sum);))
    KOKKOS_IF_ON_HOST(((void)member; (void)count; (void)call; (void)result;))
  } else {
    Value sum{};
    Kokkos::parallel_reduce(lanes_of<WholeTeam>(member, count), call, sum);
    result = static_cast<T>(sum);
  }
}

template <bool WholeTeam, class Member, class Index, class Functor,
          class Reducer>
KOKKOS_INLINE_FUNCTION void reduce_calls_with(Member const& member, Index count,
                                              Functor const& functor,
                                              Reducer const& reducer) {
  if constexpr (is_plain_sum<Reducer>) {
    reduce_calls<WholeTeam>(member, count, functor, reducer.reference());
  } else if constexpr (is_small_product<Reducer>) {
    using T = typename Reducer::value_type;
    TeamCall<Index, T, float, Functor, TeamProduct> const call{functor};
    if constexpr (is_cuda_member<Member>) {
      KOKKOS_IF_ON_DEVICE((float product;
                           reduce_calls_on_cuda<WholeTeam, float>(
                               member, count, call, TeamProduct{}, product);
                           reducer.reference() = static_cast<T>(product);))
      KOKKOS_IF_ON_HOST(((void)member; (void)count; (void)call; (void)reducer;))
    } else {
      float product;
      Kokkos::parallel_reduce(lanes_of<WholeTeam>(member, count), call,
                              Kokkos::Prod<float>(product));
      reducer.reference() = static_cast<T>(product);
    }
  } else if constexpr (is_cuda_member<Member>) {
    using Value = typename Reducer::value_type;
    TeamCall<Index, Value, Value, Functor> const call{functor};
    KOKKOS_IF_ON_DEVICE(
        (reduce_calls_on_cuda<WholeTeam, Value>(
             member, count, call, TeamJoin<Reducer>{reducer}, reducer);))
    KOKKOS_IF_ON_HOST(((void)member; (void)count; (void)call; (void)reducer;))
  } else {
    Kokkos::parallel_reduce(lanes_of<WholeTeam>(member, count), functor,
                            reducer);
  }
}

template <class Element>
inline constexpr bool is_named_element = scalar_v<Element> != Scalar::opaque;

// A device function may not call what computes this.
template <class X, class Y>
inline constexpr bool may_scan_into =
    is_named_element<typename X::non_const_value_type>&&
        is_named_element<typename Y::non_const_value_type>&&
        may_write<X, Y, chosen_accumulator_t<void, X, Y>>();

template <class X, class T>
KOKKOS_FORCEINLINE_FUNCTION constexpr void check_team_types() {
  using Element = typename X::non_const_value_type;
  static_assert(is_named_element<Element>,
                "KokkosMMA::team_reduce, vector_reduce: the elements must be "
                "half_t, bhalf_t, float, double, bool or integers of 1, 4 or 8 "
                "bytes; use the form with a functor for other types");
  static_assert(keeps_sums<Element, T>,
                "KokkosMMA::team_reduce, vector_reduce: an integer result "
                "cannot hold a sum of floating-point elements or of wider "
                "integers; make it as wide as the elements");
}

template <bool WholeTeam, class Member, class X, class T>
KOKKOS_INLINE_FUNCTION void reduce_elements(Member const& member, X const& x,
                                            T& result) {
  using Value =
      at_least_4_bytes_t<accumulator_t<typename X::non_const_value_type, T>>;
  check_team_types<X, T>();
  if constexpr (is_cuda_member<Member>) {
    KOKKOS_IF_ON_DEVICE((Value sum;
                         reduce_elements_on_cuda<WholeTeam, true, Value>(
                             member, x, TeamSum<Value>{}, sum);
                         result = static_cast<T>(sum);))
    KOKKOS_IF_ON_HOST(((void)member; (void)x; (void)result;))
  } else {
    Value sum{};
    TeamSum<Value> const joiner;
    Kokkos::parallel_reduce(
        lanes_of<WholeTeam>(member, std::uint64_t(x.extent(0))),
        TeamElements<X, Value, TeamSum<Value>>{x, joiner}, sum);
    result = static_cast<T>(sum);
  }
}

template <bool WholeTeam, class Member, class X, class Reducer>
KOKKOS_INLINE_FUNCTION void reduce_elements_with(Member const& member,
                                                 X const& x,
                                                 Reducer const& reducer) {
  using Value = typename Reducer::value_type;
  if constexpr (is_plain_sum<Reducer>) {
    reduce_elements<WholeTeam>(member, x, reducer.reference());
  } else if constexpr (is_small_product<Reducer>) {
    check_team_types<X, Value>();
    TeamProduct const joiner;
    if constexpr (is_cuda_member<Member>) {
      KOKKOS_IF_ON_DEVICE((float product;
                           reduce_elements_on_cuda<WholeTeam, false, float>(
                               member, x, joiner, product);
                           reducer.reference() = static_cast<Value>(product);))
      KOKKOS_IF_ON_HOST(((void)member; (void)joiner; (void)reducer;))
    } else {
      float product;
      Kokkos::parallel_reduce(
          lanes_of<WholeTeam>(member, std::uint64_t(x.extent(0))),
          TeamElements<X, float, TeamProduct>{x, joiner},
          Kokkos::Prod<float>(product));
      reducer.reference() = static_cast<Value>(product);
    }
  } else {
    check_team_types<X, typename X::non_const_value_type>();
    TeamJoin<Reducer> const joiner{reducer};
    if constexpr (is_cuda_member<Member>) {
      KOKKOS_IF_ON_DEVICE((reduce_elements_on_cuda<WholeTeam, false, Value>(
                               member, x, joiner, reducer);))
      KOKKOS_IF_ON_HOST(((void)member; (void)joiner;))
    } else {
      Kokkos::parallel_reduce(
          lanes_of<WholeTeam>(member, std::uint64_t(x.extent(0))),
          TeamElements<X, Value, TeamJoin<Reducer>>{x, joiner}, reducer);
    }
  }
}

template <bool WholeTeam, class Member, class Index, class Functor, class T>
KOKKOS_INLINE_FUNCTION void scan_calls(Member const& member, Index count,
                                       Functor const& functor, T& total) {
  using Value = team_sum_t<T>;
  TeamScanCall<Index, T, Value, Functor> const call{functor};
  if constexpr (is_cuda_member<Member>) {
    KOKKOS_IF_ON_DEVICE((
        total =
            static_cast<T>(scan_calls_on_cuda<WholeTeam, Value>(count, call));))
    KOKKOS_IF_ON_HOST(((void)member; (void)count; (void)call; (void)total;))
  } else {
    Value sum{};
    if constexpr (WholeTeam) {
      Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, count), call, sum);
    } else {
      Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member, count), call,
                            sum);
    }
    total = static_cast<T>(sum);
  }
}

template <bool WholeTeam, ScanKind Kind, class Member, class X, class Y,
          class T>
KOKKOS_INLINE_FUNCTION void scan_elements(Member const& member, X const& x,
                                          Y const& y, T& total) {
  using Value = chosen_accumulator_t<void, X, Y>;
  static_assert(may_scan_into<X, Y>,
                "KokkosMMA::team_scan, vector_scan: the elements must be "
                "half_t, bhalf_t, float, double, bool or integers of 1, 4 or 8 "
                "bytes, and an integer output no narrower than an integer "
                "input; use the form with a functor for other types");
  static_assert(total_fits<T, X, Value>,
                "KokkosMMA::team_scan, vector_scan: the total must be "
                "floating point where y is, an integer where y is, no narrower "
                "than the elements of x, and no wider than the sum: that of "
                "the wider elements, at least 4 bytes");
#if defined(KOKKOS_ENABLE_DEBUG)
  if (x.extent(0) != y.extent(0))
    Kokkos::abort(
        "KokkosMMA::team_scan, vector_scan: the extents of x and y differ");
#endif
  if constexpr (is_cuda_member<Member>) {
    KOKKOS_IF_ON_DEVICE(
        (total = static_cast<T>(
             scan_elements_on_cuda<WholeTeam, Kind, Value>(x, y));))
    KOKKOS_IF_ON_HOST(((void)member; (void)x; (void)y; (void)total;))
  } else {
    ScanInto<X, Y, Value, Kind> const functor{x, y, Value(0)};
    Value sum;
    scan_calls<WholeTeam>(member, std::uint64_t(x.extent(0)), functor, sum);
    total = static_cast<T>(sum);
  }
}

}  // namespace Impl

/// The team's sum: result = sum of what functor(i, update) adds to update, for
/// i in [0, count), each called once by one lane. The order of additions
/// depends on the count and the team alone.
template <class Member, std::integral Index, class Functor, class T>
requires(!Impl::TeamReducer<T>) KOKKOS_INLINE_FUNCTION
    void team_reduce(Member const& member, Index count, Functor const& functor,
                     T& result) {
  Impl::reduce_calls<true>(member, count, functor, result);
}

/// Likewise with a reducer of Kokkos, whose join commutes.
template <class Member, std::integral Index, class Functor,
          Impl::TeamReducer Reducer>
KOKKOS_INLINE_FUNCTION void team_reduce(Member const& member, Index count,
                                        Functor const& functor,
                                        Reducer const& reducer) {
  Impl::reduce_calls_with<true>(member, count, functor, reducer);
}

/// The team's sum of the elements of a View of rank 1. On Cuda contiguous data
/// are read 16 bytes at a time, and 16-bit floats and bytes are summed by
/// tensor cores where the team is made of whole warps.
template <class Member, Impl::Rank1View X, class T>
requires(!Impl::TeamReducer<T>) KOKKOS_INLINE_FUNCTION
    void team_reduce(Member const& member, X const& x, T& result) {
  Impl::reduce_elements<true>(member, x, result);
}

/// Likewise with a reducer, whose values the elements are converted to.
template <class Member, Impl::Rank1View X, Impl::TeamReducer Reducer>
KOKKOS_INLINE_FUNCTION void team_reduce(Member const& member, X const& x,
                                        Reducer const& reducer) {
  Impl::reduce_elements_with<true>(member, x, reducer);
}

/// team_reduce by the vector lanes of one thread, which need not be all
/// threads of the team: also inside a loop over TeamThreadRange.
template <class Member, std::integral Index, class Functor, class T>
requires(!Impl::TeamReducer<T>) KOKKOS_INLINE_FUNCTION
    void vector_reduce(Member const& member, Index count,
                       Functor const& functor, T& result) {
  Impl::reduce_calls<false>(member, count, functor, result);
}
/// Likewise with a reducer of Kokkos, whose join commutes.
template <class Member, std::integral Index, class Functor,
          Impl::TeamReducer Reducer>
KOKKOS_INLINE_FUNCTION void vector_reduce(Member const& member, Index count,
                                          Functor const& functor,
                                          Reducer const& reducer) {
  Impl::reduce_calls_with<false>(member, count, functor, reducer);
}
/// The sum of the elements of a View of rank 1 by the lanes of one thread.
template <class Member, Impl::Rank1View X, class T>
requires(!Impl::TeamReducer<T>) KOKKOS_INLINE_FUNCTION
    void vector_reduce(Member const& member, X const& x, T& result) {
  Impl::reduce_elements<false>(member, x, result);
}
/// Likewise with a reducer, whose values the elements are converted to.
template <class Member, Impl::Rank1View X, Impl::TeamReducer Reducer>
KOKKOS_INLINE_FUNCTION void vector_reduce(Member const& member, X const& x,
                                          Reducer const& reducer) {
  Impl::reduce_elements_with<false>(member, x, reducer);
}

/// The team's scan: functor(i, update, final) adds the contribution of i to
/// update; with final == true, once per index, update comes in as the sum of
/// the contributions before i. `total` is the sum of all. What the functor
/// writes is visible to the team afterwards.
///
/// \tparam T a type with += whose value-initialised value is zero
template <class Member, std::integral Index, class Functor, class T>
KOKKOS_INLINE_FUNCTION void team_scan(Member const& member, Index count,
                                      Functor const& functor, T& total) {
  Impl::scan_calls<true>(member, count, functor, total);
}
/// Likewise without total; the type of the sum is that of `update`.
template <class Member, std::integral Index, class Functor>
KOKKOS_INLINE_FUNCTION void team_scan(Member const& member, Index count,
                                      Functor const& functor) {
  Impl::scanned_value_t<Functor> total;
  Impl::scan_calls<true>(member, count, functor, total);
}

/// The team's scan of a View of rank 1: y(i) = x(0) + ... + x(i), or without
/// x(i) when exclusive. In place when y is x. The extents must be the same.
template <ScanKind Kind = ScanKind::inclusive, class Member, Impl::Rank1View X,
          Impl::Rank1View Y, class T>
KOKKOS_INLINE_FUNCTION void team_scan(Member const& member, X const& x,
                                      Y const& y, T& total) {
  Impl::scan_elements<true, Kind>(member, x, y, total);
}
/// Likewise without total.
template <ScanKind Kind = ScanKind::inclusive, class Member, Impl::Rank1View X,
          Impl::Rank1View Y>
KOKKOS_INLINE_FUNCTION void team_scan(Member const& member, X const& x,
                                      Y const& y) {
  Impl::chosen_accumulator_t<void, X, Y> total;
  Impl::scan_elements<true, Kind>(member, x, y, total);
}

/// team_scan by the vector lanes of one thread (see vector_reduce).
template <class Member, std::integral Index, class Functor, class T>
KOKKOS_INLINE_FUNCTION void vector_scan(Member const& member, Index count,
                                        Functor const& functor, T& total) {
  Impl::scan_calls<false>(member, count, functor, total);
}
/// Likewise without total; the type of the sum is that of `update`.
template <class Member, std::integral Index, class Functor>
KOKKOS_INLINE_FUNCTION void vector_scan(Member const& member, Index count,
                                        Functor const& functor) {
  Impl::scanned_value_t<Functor> total;
  Impl::scan_calls<false>(member, count, functor, total);
}
/// team_scan of a View of rank 1 by the vector lanes of one thread.
template <ScanKind Kind = ScanKind::inclusive, class Member, Impl::Rank1View X,
          Impl::Rank1View Y, class T>
KOKKOS_INLINE_FUNCTION void vector_scan(Member const& member, X const& x,
                                        Y const& y, T& total) {
  Impl::scan_elements<false, Kind>(member, x, y, total);
}
/// Likewise without total.
template <ScanKind Kind = ScanKind::inclusive, class Member, Impl::Rank1View X,
          Impl::Rank1View Y>
KOKKOS_INLINE_FUNCTION void vector_scan(Member const& member, X const& x,
                                        Y const& y) {
  Impl::chosen_accumulator_t<void, X, Y> total;
  Impl::scan_elements<false, Kind>(member, x, y, total);
}

}  // namespace KokkosMMA

#endif
