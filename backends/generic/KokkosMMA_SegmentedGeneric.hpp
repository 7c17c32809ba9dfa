// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_GENERIC_HPP
#define KOKKOSMMA_SEGMENTED_GENERIC_HPP

#include <backends/generic/KokkosMMA_HostSpace.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

/// \file
/// Segmented operations in plain Kokkos, for every backend and every layout:
/// the `generic` route, and the reference of the other routes. A thread
/// processes a segment of up to `long_segment` elements, a team a longer one,
/// so that one long segment does not occupy a single thread of a GPU. On host
/// spaces a team is one thread. The association of the additions depends only
/// on the segments and the space.

namespace KokkosMMA::Impl {

inline constexpr std::uint64_t long_segment = 1024;

/// Whether T holds the identity of a minimum or maximum of integers in Value.
template <Operation Op, class Value, class T>
inline constexpr bool holds_identity =
    (Op == Operation::max && std::is_unsigned_v<Value>) ||
    (std::numeric_limits<T>::digits >= std::numeric_limits<Value>::digits &&
     (Op == Operation::min || std::is_signed_v<T>));

/// Whether a minimum or maximum that is the identity of Value has no elements,
/// so that it becomes the identity of To: the largest int32 would be -1 as
/// int8. If an element may be that number, it stays what it is: 0 is the
/// identity of a maximum of unsigned elements.
template <Operation Op, class Input, class Value, class To>
inline constexpr bool identity_is_empty =
    (Op == Operation::min || Op == Operation::max) &&
    std::is_integral_v<Input>&& std::is_integral_v<Value>&& std::is_integral_v<
        To> &&
    !std::is_same_v<To, bool> && !std::is_same_v<To, Value> &&
    !(holds_identity<Op, Value, Input> && holds_identity<Op, Value, To>);

/// Converts a value of elements of type Input to an element of a result.
template <Operation Op, class Input, class To, class Value>
KOKKOS_FORCEINLINE_FUNCTION To result_of(Value value) {
  if constexpr (identity_is_empty<Op, Input, Value, To>) {
    constexpr To identity = Op == Operation::min
                                ? std::numeric_limits<To>::max()
                                : std::numeric_limits<To>::lowest();
    if (value == Combine<Op, Value>::identity()) return identity;
  }
  return static_cast<To>(value);
}

/// Segments between the offsets in a View of any stride.
template <class Offsets>
struct CsrSegments {
  Offsets offsets;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count() const {
    return offsets.extent(0) - 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t s) const {
    return static_cast<std::uint64_t>(offsets(s));
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t end(std::uint64_t s) const {
    return static_cast<std::uint64_t>(offsets(s + 1));
  }
};

/// Lines of a matrix along one of its dimensions: each is a segment with
/// indices from 0 on.
struct MatrixSegments {
  std::uint64_t lines  = 0;
  std::uint64_t length = 0;  ///< may be 0
  int dimension        = 0;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count() const { return lines; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t) const {
    return 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t end(std::uint64_t) const {
    return length;
  }
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) element(X const& x,
                                                     std::uint64_t s,
                                                     std::uint64_t i) const {
    return dimension == 0 ? x(i, s) : x(s, i);
  }
};

template <class Segments, class X>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) element_of(Segments const& segments,
                                                      X const& x,
                                                      std::uint64_t s,
                                                      std::uint64_t i) {
  if constexpr (X::rank() == 1) {
    return x(i);
  } else {
    return segments.element(x, s, i);
  }
}

/// Stores the value of segment s, whose elements have type Input.
template <Operation Op, class Input, class R>
struct IntoResult {
  R result;

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t s,
                                              Value const& value) const {
    using To  = typename R::non_const_value_type;
    result(s) = result_of<Op, Input, To>(value);
  }
};
template <Operation Op, class Value>
struct FoldReducer {
  using reducer    = FoldReducer;
  using value_type = Value;
  using result_view_type =
      Kokkos::View<value_type, Kokkos::AnonymousSpace,
                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_FORCEINLINE_FUNCTION explicit FoldReducer(value_type& value)
      : m_value(&value) {}
  KOKKOS_FORCEINLINE_FUNCTION void init(value_type& value) const {
    value = Combine<Op, Value>::identity();
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(value_type& into,
                                        value_type const& from) const {
    into = Combine<Op, Value>::apply(into, from);
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type& reference() const { return *m_value; }
  KOKKOS_FORCEINLINE_FUNCTION result_view_type view() const {
    return result_view_type(m_value);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool references_scalar() const { return true; }

 private:
  value_type* m_value;
};

/// Calls of_thread(s, begin, end) in one thread for each short segment of a
/// team, then of_team(s, begin, end) in all threads for each longer one.
template <class Member, class Segments, class OfThread, class OfTeam>
KOKKOS_FORCEINLINE_FUNCTION void for_segments_of_team(Member const& member,
                                                      Segments const& segments,
                                                      std::uint64_t per_team,
                                                      OfThread const& of_thread,
                                                      OfTeam const& of_team) {
  constexpr bool on_host    = is_host_space<typename Member::execution_space>;
  std::uint64_t const count = segments.count();
  std::uint64_t const first = std::uint64_t(member.league_rank()) * per_team;
  std::uint64_t const last =
      count - first < per_team ? count : first + per_team;
  auto const is_short = [&](std::uint64_t s) {
    return on_host || segments.end(s) - segments.begin(s) <= long_segment;
  };
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first, last),
                       [&](std::uint64_t s) {
                         if (is_short(s))
                           of_thread(s, segments.begin(s), segments.end(s));
                       });
  if constexpr (!on_host) {
    for (std::uint64_t s = first; s < last; ++s)
      if (!is_short(s)) of_team(s, segments.begin(s), segments.end(s));
  }
}

/// Calls store(s, combination of the elements of segment s) for every s.
template <Operation Op, class Value, class Segments, class X, class Store>
struct GenericReduce {
  using Math = Combine<Op, Value>;

  Segments segments;
  X x;
  Store store;
  std::uint64_t per_team;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    using Index     = std::uint64_t;
    auto const take = [&](Value& into, Index s, Index i) {
      into =
          Math::apply(into, static_cast<Value>(element_of(segments, x, s, i)));
    };
    for_segments_of_team(
        member, segments, per_team,
        [&](Index s, Index begin, Index end) {
          Value value = Math::identity();
          for (Index i = begin; i < end; ++i) take(value, s, i);
          store(s, value);
        },
        [&](Index s, Index begin, Index end) {
          Value value = Math::identity();
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(member, begin, end),
              [&](Index i, Value& into) { take(into, s, i); },
              FoldReducer<Op, Value>(value));
          Kokkos::single(Kokkos::PerTeam(member), [&] { store(s, value); });
        });
  }
};

/// Sets element i of segment s of y to the fold of x up to i, or before i.
template <Operation Op, class Value, bool Inclusive, class Segments, class X,
          class Y>
struct GenericScan {
  Segments segments;
  X x;
  Y y;
  std::uint64_t per_team;

  KOKKOS_FORCEINLINE_FUNCTION void scan_element(std::uint64_t s,
                                                std::uint64_t i,
                                                Value& value) const {
    using Input  = typename X::non_const_value_type;
    using Output = typename Y::non_const_value_type;
    // Read before the element of y is written, which may be the same.
    Value const before = value;
    value              = Combine<Op, Value>::apply(
                     value, static_cast<Value>(element_of(segments, x, s, i)));
    element_of(segments, y, s, i) =
        result_of<Op, Input, Output>(Inclusive ? value : before);
  }
  KOKKOS_FORCEINLINE_FUNCTION void scan(std::uint64_t s, std::uint64_t begin,
                                        std::uint64_t end, Value value) const {
    for (std::uint64_t i = begin; i < end; ++i) scan_element(s, i, value);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    using Index = std::uint64_t;
    Value* const values =
        static_cast<Value*>(member.team_shmem().get_shmem_aligned(
            std::size_t(member.team_size()) * sizeof(Value), 16));
    for_segments_of_team(
        member, segments, per_team,
        [&](Index s, Index begin, Index end) {
          scan(s, begin, end, Combine<Op, Value>::identity());
        },
        [&](Index s, Index begin, Index end) {
          scan_long(member, values, s, begin, end - begin);
        });
  }

 private:
  /// Each thread has a range. It folds its range first; its prefixes then start
  /// from the values of the earlier ranges.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void scan_long(Member const& member,
                                             Value* values, std::uint64_t s,
                                             std::uint64_t begin,
                                             std::uint64_t length) const {
    auto const rank           = std::uint64_t(member.team_rank());
    auto const threads        = std::uint64_t(member.team_size());
    std::uint64_t const range = (length + threads - 1) / threads;
    std::uint64_t const mine  = Kokkos::min(length, rank * range);
    std::uint64_t const end   = Kokkos::min(length, mine + range);
    Value value               = Combine<Op, Value>::identity();
    if (threads > 1) {
      for (std::uint64_t i = begin + mine; i < begin + end; ++i)
        value = Combine<Op, Value>::apply(
            value, static_cast<Value>(element_of(segments, x, s, i)));
      values[rank] = value;
      member.team_barrier();
      value = Combine<Op, Value>::identity();
      for (std::uint64_t r = 0; r < rank; ++r)
        value = Combine<Op, Value>::apply(value, values[r]);
      member.team_barrier();
    }
    scan(s, begin + mine, begin + end, value);
  }
};

/// Policy of one of these functors for `segments` segments, one or more, with
/// `elements` elements in all. Sets per_team of the functor.
template <class Exec, class Functor>
Kokkos::TeamPolicy<Exec> generic_segments_policy(
    Exec const& exec, Functor& functor, std::uint64_t segments,
    std::uint64_t elements, std::size_t scratch_per_thread) {
  constexpr bool on_host = is_host_space<Exec>;
  constexpr int threads  = 128;
  functor.per_team       = elements / segments <= long_segment ? threads : 1;
  auto const league = int((segments + functor.per_team - 1) / functor.per_team);
  using Policy      = Kokkos::TeamPolicy<Exec>;
  int team          = 1;
  if constexpr (!on_host) {
    team = std::min(threads,
                    Policy(exec, league, Kokkos::AUTO)
                        .team_size_max(functor, Kokkos::ParallelForTag()));
  }
  Policy policy(exec, league, team);
  if (scratch_per_thread > 0)
    policy.set_scratch_size(
        0, Kokkos::PerTeam(int(scratch_per_thread) * team + 16));
  return policy;
}

template <class Exec, class Functor>
void run_generic_segments(std::string const& label, Exec const& exec,
                          Functor functor, std::uint64_t segments,
                          std::uint64_t elements,
                          std::size_t scratch_per_thread) {
  auto const policy = generic_segments_policy(exec, functor, segments, elements,
                                              scratch_per_thread);
  Kokkos::parallel_for(label, policy, functor);
}

template <Operation Op, class Value, class Exec, class Segments, class X,
          class Store>
void generic_segmented_reduce(std::string const& label, Exec const& exec,
                              Segments const& segments, std::uint64_t count,
                              std::uint64_t elements, X const& x,
                              Store const& store) {
  run_generic_segments(
      label, exec,
      GenericReduce<Op, Value, Segments, X, Store>{segments, x, store, 1},
      count, elements, 0);
}

template <Operation Op, class Value, bool Inclusive, class Exec, class Segments,
          class X, class Y>
void generic_segmented_scan(std::string const& label, Exec const& exec,
                            Segments const& segments, std::uint64_t count,
                            std::uint64_t elements, X const& x, Y const& y) {
  run_generic_segments(
      label, exec,
      GenericScan<Op, Value, Inclusive, Segments, X, Y>{segments, x, y, 1},
      count, elements, sizeof(Value));
}

/// Whether element i is the first of its run. A NaN equals nothing.
template <class Keys, class Index>
KOKKOS_FORCEINLINE_FUNCTION bool starts_run(Keys const& keys, Index i) {
  return i == 0 || !static_cast<bool>(keys(i) == keys(i - 1));
}

template <class Keys>
struct CountRuns {
  using kokkosmma_functor = void;
  Keys keys;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i,
                                              std::int64_t& runs) const {
    runs += starts_run(keys, i);
  }
};

/// Counts runs, and writes their offsets, the end of the last one, and their
/// keys if there is room.
template <class Keys, class UniqueKeys>
struct FindRuns {
  using kokkosmma_functor = void;
  using value_type        = std::int64_t;
  Keys keys;
  UniqueKeys unique_keys;
  std::int64_t* offsets;

  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, std::int64_t& runs,
                                              bool final) const {
    bool const starts = starts_run(keys, i);
    if (final && starts) {
      offsets[runs] = std::int64_t(i);
      if (std::size_t(runs) < unique_keys.extent(0))
        unique_keys(runs) = keys(i);
    }
    if (starts) ++runs;
    if (final && std::size_t(i) + 1 == keys.extent(0))
      offsets[runs] = std::int64_t(i) + 1;
  }
};

}  // namespace KokkosMMA::Impl

#endif
