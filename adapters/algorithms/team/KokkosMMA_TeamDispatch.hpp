// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TEAM_DISPATCH_HPP
#define KOKKOSMMA_TEAM_DISPATCH_HPP

/// \file
/// Implementation of the team collectives: device functions on Cuda, Kokkos'
/// nested calls elsewhere. WholeTeam: all lanes of the team take part,
/// otherwise those of one thread.

#include <adapters/kokkos/KokkosMMA_AccumulatorTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_ScanInto.hpp>
#include <adapters/kokkos/KokkosMMA_SumReducer.hpp>
#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/team/KokkosMMA_TeamCollectives.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_TeamScans.hpp>
#endif

#include <cstdint>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

template <class Functor, class Result, class Index, class Value, class Final>
std::type_identity<Value> scanned_value(Result (Functor::*)(Index, Value&,
                                                            Final));
template <class Functor, class Result, class Index, class Value, class Final>
std::type_identity<Value> scanned_value(Result (Functor::*)(Index, Value&,
                                                            Final) const);

template <class Functor>
struct ScannedValueOf : decltype(Impl::scanned_value(&Functor::operator())) {};
template <class Functor>
requires requires { typename Functor::value_type; }
struct ScannedValueOf<Functor> {
  using type = typename Functor::value_type;
};

/// Type of the running value of a scan's functor, as Kokkos finds it:
/// value_type, or the type of the second parameter of operator().
template <class Functor>
using scanned_value_t = typename ScannedValueOf<Functor>::type;

template <class Member>
inline constexpr bool is_cuda_member =
#if KOKKOSMMA_IMPL_ON_CUDA()
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

/// Whether R is a product of 16-bit floats, accumulated in fp32 like sums.
template <class R>
inline constexpr bool is_small_product = false;
template <class T, class Space>
inline constexpr bool is_small_product<Kokkos::Prod<T, Space>> =
    is_16bit_float(scalar_v<T>);

template <class R>
concept TeamReducer = Kokkos::is_reducer<R>::value;

/// Result argument of a reduction: a variable, or a reducer.
template <class R>
concept TeamResult = TeamReducer<std::remove_cvref_t<R>> ||
    (std::is_lvalue_reference_v<R> &&
     !std::is_const_v<std::remove_reference_t<R>>);

template <class T>
using team_sum_t = std::conditional_t<is_16bit_float(scalar_v<T>), float, T>;

/// Joiner of sums, for reductions and scans; starts from zero.
template <class Value>
struct TeamSum {
  static constexpr bool commutes = std::is_arithmetic_v<Value>;
  KOKKOS_FORCEINLINE_FUNCTION void init(Value& value) const { value = Value{}; }
  KOKKOS_FORCEINLINE_FUNCTION void join(Value& into, Value const& from) const {
    add(into, from);
  }
};

struct TeamProduct {
  static constexpr bool commutes = true;
  KOKKOS_FORCEINLINE_FUNCTION void init(float& value) const { value = 1; }
  KOKKOS_FORCEINLINE_FUNCTION void join(float& into, float const& from) const {
    into *= from;
  }
};

/// Invokes a functor that adds to a `T`, or joins with it, on a running value
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

/// Invokes the functor of a scan of `T` on a running value of type `Value`.
template <class Index, class T, class Value, class Functor>
struct TeamScanCall {
  using value_type = Value;
  Functor const& functor;

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
      // Before the final invocation, which may overwrite input of this one.
      Value after = running;
      contribute(i, after);
      if (final) finish(i, running);
      running = after;
    }
  }
};

template <class Reducer>
struct TeamJoin {
  static constexpr bool commutes = false;
  using Value                    = typename Reducer::value_type;
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
    joiner.join(running, converted<Value>(x(i)));
  }
};

/// Counter type for an Index: a lane may count a team size beyond the end.
template <class Index>
using count_t =
    std::conditional_t<(sizeof(Index) < 4 ||
                        (sizeof(Index) == 4 && std::is_signed_v<Index>)),
                       std::uint32_t, std::uint64_t>;

template <bool WholeTeam, class Member, class Index>
KOKKOS_FORCEINLINE_FUNCTION auto lanes_of(Member const& member, Index count) {
  if constexpr (WholeTeam) {
    return Kokkos::TeamVectorRange(member, count);
  } else {
    return Kokkos::ThreadVectorRange(member, count);
  }
}

#if KOKKOSMMA_IMPL_ON_CUDA()

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
  return WholeTeam ? Cuda::LaneGroup::team()
                   : Cuda::LaneGroup::vector_as_kokkos();
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

/// Joins one value per lane into the result. Values of more than 16 bytes use
/// Kokkos' nested reduction and its memory.
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
    group.sync_warp();
  }
}

template <bool WholeTeam, class Value, class Index, class Source>
__device__ Value scan_source(Cuda::LaneGroup const& group, Index units,
                             Source& source) {
  if constexpr (WholeTeam) {
    return Cuda::scan_units<Value>(group, units, TeamSum<Value>{}, source);
  } else {
    return Cuda::scan_vector<Value>(group, units, TeamSum<Value>{}, source);
  }
}

template <bool WholeTeam, class Value, unsigned PerLane, class Index,
          class Call>
__device__ Value scan_calls_on_cuda(Cuda::LaneGroup const& group, Index count,
                                    Call const& call) {
  Cuda::CalledUnits<Call, PerLane> source{call};
  return scan_source<WholeTeam, Value>(
      group, static_cast<count_t<Index>>(count > 0 ? count : 0), source);
}

template <bool WholeTeam, ScanKind Kind, class Value, class X, class Y>
__device__ Value scan_elements_on_cuda(X const& x, Y const& y) {
  using Element            = typename X::non_const_value_type;
  using Output             = typename Y::non_const_value_type;
  std::uint64_t const size = x.extent(0);
  // Scans of floats use 40 registers; with vector_as_kokkos() here, 44.
  auto const group =
      WholeTeam ? Cuda::LaneGroup::team() : Cuda::LaneGroup::vector();
  if constexpr (is_plain_source<X> && is_plain_memory<Y>) {
    if (x.stride(0) == 1 && y.stride(0) == 1 && size > group.size &&
        size < 0x80000000u) {
      Cuda::MemoryUnits<scalar_v<Element>, Value, Output,
                        Kind == ScanKind::inclusive, TeamSum<Value>>
      source(x.data(), y.data(), unsigned(size), TeamSum<Value>{});
      return scan_source<WholeTeam, Value>(group, source.units(), source);
    }
  }
  ScanInto<X, Y, Value, Kind> const functor{x, y, Value(0)};
  // One unit per lane: with several, 64-bit indices need 48 registers (floats).
  return scan_calls_on_cuda<WholeTeam, Value, 1>(
      group, size,
      TeamScanCall<std::uint64_t, Value, Value, ScanInto<X, Y, Value, Kind>>{
          functor});
}

#endif  // KOKKOSMMA_IMPL_ON_CUDA

template <class Element>
inline constexpr bool is_named_element = scalar_v<Element> != Scalar::opaque;

// A variable: device functions must not call may_write().
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

/// Operands of a reduction: contributions of a functor for each index.
template <class Index, class Functor>
struct CalledIndices {
  Index count;
  Functor const& functor;

  template <class T>
  using Sum = team_sum_t<T>;

  template <class>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr void check() {}

  template <class T, class Value, class Joiner>
  KOKKOS_FORCEINLINE_FUNCTION auto call(Joiner const&) const {
    return TeamCall<Index, T, Value, Functor, Joiner>{functor};
  }

#if KOKKOSMMA_IMPL_ON_CUDA()
  template <bool, class T, class Value, class Joiner>
  __device__ Value of_lane(Cuda::LaneGroup const& group,
                           Joiner const& joiner) const {
    Value const value = Cuda::reduce_calls<Value>(
        group, static_cast<count_t<Index>>(count > 0 ? count : 0), joiner,
        call<T, Value>(joiner));
    // Makes the functor's writes visible.
    group.sync_warp();
    return value;
  }
#endif
};

/// Operands of a reduction: the elements of a View of rank 1.
template <class X>
struct ViewElements {
  X const& x;
  std::uint64_t count;
  using Element = typename X::non_const_value_type;

  template <class T>
  using Sum = at_least_4_bytes_t<accumulator_t<Element, T>>;

  /// \tparam T type of the sum; void for other reductions
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr void check() {
    check_team_types<X, std::conditional_t<std::is_void_v<T>, Element, T>>();
  }

  template <class, class Value, class Joiner>
  KOKKOS_FORCEINLINE_FUNCTION auto call(Joiner const& joiner) const {
    return TeamElements<X, Value, Joiner>{x, joiner};
  }

#if KOKKOSMMA_IMPL_ON_CUDA()
  template <bool IsSum, class T, class Value, class Joiner>
  __device__ Value of_lane(Cuda::LaneGroup const& group,
                           Joiner const& joiner) const {
    if constexpr (is_plain_source<X>) {
      if (x.stride(0) == 1 || count < 2)
        return Cuda::reduce_memory<scalar_v<Element>, IsSum, Value>(
            group, x.data(), count, joiner);
    }
    return Cuda::reduce_calls<Value>(group, count, joiner,
                                     call<T, Value>(joiner));
  }
#endif
};

/// Reduces `source` by `joiner` into `result`, which is a Value or a reducer.
template <bool WholeTeam, bool IsSum, class T, class Value, class Member,
          class Source, class Joiner, class Result>
KOKKOS_INLINE_FUNCTION void reduce_by(Member const& member,
                                      Source const& source,
                                      Joiner const& joiner, Result&& result) {
  if constexpr (is_cuda_member<Member>) {
#if KOKKOSMMA_IMPL_ON_CUDA()
    KOKKOS_IF_ON_DEVICE(
        (Cuda::LaneGroup const group = lane_group<WholeTeam>();
         join_lanes<WholeTeam>(
             member, group,
             source.template of_lane<IsSum, T, Value>(group, joiner), joiner,
             result);))
    KOKKOS_IF_ON_HOST(((void)member; (void)source; (void)joiner; (void)result;))
#endif
  } else {
    Kokkos::parallel_reduce(lanes_of<WholeTeam>(member, source.count),
                            source.template call<T, Value>(joiner), result);
  }
}

/// Reduces `source` into a variable, by addition, or with a reducer.
template <bool WholeTeam, class Member, class Source, class Result>
KOKKOS_INLINE_FUNCTION void reduce_into(Member const& member,
                                        Source const& source, Result& result) {
  using Reducer = std::remove_const_t<Result>;
  if constexpr (is_plain_sum<Reducer>) {
    reduce_into<WholeTeam>(member, source, result.reference());
  } else if constexpr (is_small_product<Reducer>) {
    using T = typename Reducer::value_type;
    Source::template check<T>();
    float product;
    if constexpr (is_cuda_member<Member>) {
      reduce_by<WholeTeam, false, T, float>(member, source, TeamProduct{},
                                            product);
    } else {
      reduce_by<WholeTeam, false, T, float>(member, source, TeamProduct{},
                                            Kokkos::Prod<float>(product));
    }
    result.reference() = static_cast<T>(product);
  } else if constexpr (TeamReducer<Reducer>) {
    using T = typename Reducer::value_type;
    Source::template check<void>();
    reduce_by<WholeTeam, false, T, T>(member, source, TeamJoin<Reducer>{result},
                                      result);
  } else {
    using Value = typename Source::template Sum<Result>;
    Source::template check<Result>();
    Value sum{};
    reduce_by<WholeTeam, true, Result, Value>(member, source, TeamSum<Value>{},
                                              sum);
    result = static_cast<Result>(sum);
  }
}

template <bool WholeTeam, class Member, class Index, class Functor, class T>
KOKKOS_INLINE_FUNCTION void scan_calls(Member const& member, Index count,
                                       Functor const& functor, T& total) {
  using Value = team_sum_t<T>;
  TeamScanCall<Index, T, Value, Functor> const call{functor};
  if constexpr (is_cuda_member<Member>) {
#if KOKKOSMMA_IMPL_ON_CUDA()
    KOKKOS_IF_ON_DEVICE(
        (total = static_cast<T>(scan_calls_on_cuda<WholeTeam, Value, 4>(
             lane_group<WholeTeam>(), count, call));))
    KOKKOS_IF_ON_HOST(((void)member; (void)count; (void)call; (void)total;))
#endif
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

template <bool WholeTeam, class Member, class Index, class Functor>
KOKKOS_INLINE_FUNCTION void scan_calls(Member const& member, Index count,
                                       Functor const& functor) {
  scanned_value_t<Functor> total;
  scan_calls<WholeTeam>(member, count, functor, total);
}

template <bool WholeTeam, ScanKind Kind, class Member, class X, class Y,
          class T>
KOKKOS_INLINE_FUNCTION void scan_elements(Member const& member, X const& x,
                                          Y const& y, T& total) {
  using Value = chosen_accumulator_t<void, X, Y>;
  static_assert(may_scan_into<X, Y>,
                "KokkosMMA::team_inclusive_scan, ...: the elements must be "
                "half_t, bhalf_t, float, double, bool or integers of 1, 4 or 8 "
                "bytes, and an integer output no narrower than an integer "
                "input; use the form with a functor for other types");
  static_assert(total_fits<T, X, Value>,
                "KokkosMMA::team_inclusive_scan, ...: the total must be "
                "floating point if y is, an integer if y is, no narrower than "
                "the elements of x, and no wider than the running sum, which "
                "has the wider of the two element types and at least 4 bytes");
#if defined(KOKKOS_ENABLE_DEBUG)
  if (x.extent(0) != y.extent(0))
    Kokkos::abort(
        "KokkosMMA::team_inclusive_scan, ...: the extents of x and y differ");
#endif
  if constexpr (is_cuda_member<Member>) {
#if KOKKOSMMA_IMPL_ON_CUDA()
    KOKKOS_IF_ON_DEVICE(
        (total = static_cast<T>(
             scan_elements_on_cuda<WholeTeam, Kind, Value>(x, y));))
    KOKKOS_IF_ON_HOST(((void)member; (void)x; (void)y; (void)total;))
#endif
  } else {
    ScanInto<X, Y, Value, Kind> const functor{x, y, Value(0)};
    Value sum;
    scan_calls<WholeTeam>(member, std::uint64_t(x.extent(0)), functor, sum);
    total = static_cast<T>(sum);
  }
}
template <bool WholeTeam, ScanKind Kind, class Member, class X, class Y>
KOKKOS_INLINE_FUNCTION void scan_elements(Member const& member, X const& x,
                                          Y const& y) {
  chosen_accumulator_t<void, X, Y> total;
  scan_elements<WholeTeam, Kind>(member, x, y, total);
}

}  // namespace Impl
}  // namespace KokkosMMA

#endif
