// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_GENERIC_HPP
#define KOKKOSMMA_SEGMENTED_GENERIC_HPP

#include <core/base/KokkosMMA_Operation.hpp>
#include <core/segmented/KokkosMMA_Segments.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

/// \file
/// Segmented operations in plain Kokkos: what runs on every backend, for every
/// layout, and the reference of the other routes. A segment up to
/// `long_segment` elements belongs to a thread, a longer one to a team, so that
/// one long segment among many short ones does not keep a thread of a GPU for
/// ever. On host spaces a team is one thread. Who adds what to what depends on
/// the segments and the space alone.

namespace KokkosMMA::Impl {

inline constexpr std::uint64_t long_segment = 1024;

/// A value as an element of a result. What no element took part in, a minimum
/// or maximum that is still the identity, becomes the identity of the result's
/// type: the largest int32 would be -1 as int8.
template <Operation Op, class To, class Value>
KOKKOS_FORCEINLINE_FUNCTION To result_of(Value value) {
  if constexpr ((Op == Operation::min || Op == Operation::max) &&
                std::is_integral_v<To> && !std::is_same_v<To, bool> &&
                !std::is_same_v<To, Value>) {
    constexpr To identity = Op == Operation::min
                                ? std::numeric_limits<To>::max()
                                : std::numeric_limits<To>::lowest();
    if (value == Combine<Op, Value>::identity()) return identity;
  }
  return static_cast<To>(value);
}

/// Offsets in a View of any stride.
template <class Offsets>
struct ViewSegments {
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

/// Rows or columns of a matrix: each is a segment of its own indices.
struct LineSegments {
  std::uint64_t lines  = 0;
  std::uint64_t length = 0;  ///< may be 0

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count() const { return lines; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t) const {
    return 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t end(std::uint64_t) const {
    return length;
  }
};

/// Equal segments of elements that have several values: segment s of value k
/// has the number s * values + k.
struct ValueSegments {
  EqualSegments elements;
  std::uint64_t values = 1;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count() const {
    return elements.count() * values;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t s) const {
    return elements.begin(s / values);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t end(std::uint64_t s) const {
    return elements.end(s / values);
  }
};

template <class X>
struct AtElement {
  using Value = typename X::non_const_value_type;
  X x;
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator()(std::uint64_t,
                                                        std::uint64_t i) const {
    return x(i);
  }
};
/// Of a matrix along a dimension.
template <class X>
struct AtLine {
  using Value = typename X::non_const_value_type;
  X x;
  int dimension;
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator()(std::uint64_t s,
                                                        std::uint64_t i) const {
    return dimension == 0 ? x(i, s) : x(s, i);
  }
};
template <class X>
struct AtValue {
  using Value = typename X::non_const_value_type;
  X x;
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator()(std::uint64_t s,
                                                        std::uint64_t i) const {
    return x(i, s % x.extent(1));
  }
};

template <Operation Op, class V>
struct FoldOne {
  using Value = V;
  KOKKOS_FORCEINLINE_FUNCTION static Value identity() {
    return Combine<Op, V>::identity();
  }
  template <class Element>
  KOKKOS_FORCEINLINE_FUNCTION static void take(Value& into,
                                               Element const& element) {
    into = Combine<Op, V>::apply(into, static_cast<V>(element));
  }
  KOKKOS_FORCEINLINE_FUNCTION static void join(Value& into, Value const& from) {
    into = Combine<Op, V>::apply(into, from);
  }
};

/// Sum and sum of squares; the elements are converted before they are squared.
template <class V, class W>
struct FoldMoments {
  struct Value {
    V sum;
    W squares;
  };
  KOKKOS_FORCEINLINE_FUNCTION static Value identity() { return {V(0), W(0)}; }
  template <class Element>
  KOKKOS_FORCEINLINE_FUNCTION static void take(Value& into,
                                               Element const& element) {
    using Add    = Combine<Operation::sum, V>;
    using AddW   = Combine<Operation::sum, W>;
    auto const w = static_cast<W>(element);
    into.sum     = Add::apply(into.sum, static_cast<V>(element));
    into.squares =
        AddW::apply(into.squares, Combine<Operation::prod, W>::apply(w, w));
  }
  KOKKOS_FORCEINLINE_FUNCTION static void join(Value& into, Value const& from) {
    into.sum = Combine<Operation::sum, V>::apply(into.sum, from.sum);
    into.squares =
        Combine<Operation::sum, W>::apply(into.squares, from.squares);
  }
};

template <Operation Op, class R>
struct IntoResult {
  R result;
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t s,
                                              Value const& value) const {
    result(s) = result_of<Op, typename R::non_const_value_type>(value);
  }
};
template <Operation Op, class R>
struct IntoMatrix {
  R result;
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t s,
                                              Value const& value) const {
    result(s / result.extent(1), s % result.extent(1)) =
        result_of<Op, typename R::non_const_value_type>(value);
  }
};
template <class Sums, class Squares>
struct IntoMoments {
  Sums sums;
  Squares squares;
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t s,
                                              Value const& value) const {
    sums(s) = static_cast<typename Sums::non_const_value_type>(value.sum);
    squares(s) =
        static_cast<typename Squares::non_const_value_type>(value.squares);
  }
};

/// A reducer of Kokkos for the values of a fold.
template <class Fold>
struct FoldReducer {
  using reducer    = FoldReducer;
  using value_type = typename Fold::Value;
  using result_view_type =
      Kokkos::View<value_type, Kokkos::AnonymousSpace,
                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  KOKKOS_FORCEINLINE_FUNCTION explicit FoldReducer(value_type& value)
      : m_value(&value) {}
  KOKKOS_FORCEINLINE_FUNCTION void init(value_type& value) const {
    value = Fold::identity();
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(value_type& into,
                                        value_type const& from) const {
    Fold::join(into, from);
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type& reference() const { return *m_value; }
  KOKKOS_FORCEINLINE_FUNCTION result_view_type view() const {
    return result_view_type(m_value);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool references_scalar() const { return true; }

 private:
  value_type* m_value;
};

/// store(s, fold of element(s, i) over the i of segment s) for every s.
template <class Fold, class Segments, class Element, class Store>
struct GenericReduce {
  Segments segments;
  Element element;
  Store store;
  std::uint64_t per_team;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    using Value               = typename Fold::Value;
    std::uint64_t const count = segments.count();
    std::uint64_t const first = std::uint64_t(member.league_rank()) * per_team;
    std::uint64_t const last =
        count - first < per_team ? count : first + per_team;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, first, last),
                         [&](std::uint64_t s) {
                           std::uint64_t const begin = segments.begin(s);
                           std::uint64_t const end   = segments.end(s);
                           if (end - begin > long_segment) return;
                           Value value = Fold::identity();
                           for (std::uint64_t i = begin; i < end; ++i)
                             Fold::take(value, element(s, i));
                           store(s, value);
                         });
    for (std::uint64_t s = first; s < last; ++s) {
      std::uint64_t const begin = segments.begin(s);
      std::uint64_t const end   = segments.end(s);
      if (end - begin <= long_segment) continue;
      Value value = Fold::identity();
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, begin, end),
          [&](std::uint64_t i, Value& into) {
            Fold::take(into, element(s, i));
          },
          FoldReducer<Fold>(value));
      Kokkos::single(Kokkos::PerTeam(member), [&] { store(s, value); });
    }
  }
};

/// to(s, i) = the fold of element(s, j) over the j of segment s up to i.
template <Operation Op, class Value, bool Inclusive, class Segments,
          class Element, class To>
struct GenericScan {
  Segments segments;
  Element element;
  To to;
  std::uint64_t per_team;

  KOKKOS_FORCEINLINE_FUNCTION void scan(std::uint64_t s, std::uint64_t begin,
                                        std::uint64_t end, Value value) const {
    using Output = typename To::Value;
    for (std::uint64_t i = begin; i < end; ++i) {
      // Read before to(s, i) is written: the two may be the same element.
      Value const before = value;
      value =
          Combine<Op, Value>::apply(value, static_cast<Value>(element(s, i)));
      to(s, i) = result_of<Op, Output>(Inclusive ? value : before);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::uint64_t const count = segments.count();
    std::uint64_t const first = std::uint64_t(member.league_rank()) * per_team;
    std::uint64_t const last =
        count - first < per_team ? count : first + per_team;
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, first, last), [&](std::uint64_t s) {
          std::uint64_t const begin = segments.begin(s);
          std::uint64_t const end   = segments.end(s);
          if (end - begin <= long_segment)
            scan(s, begin, end, Combine<Op, Value>::identity());
        });
    // Each thread takes a stretch: the values of all stretches, then, behind
    // those of the stretches before it, its prefixes.
    auto const rank     = std::uint64_t(member.team_rank());
    auto const threads  = std::uint64_t(member.team_size());
    Value* const values = static_cast<Value*>(
        member.team_shmem().get_shmem_aligned(threads * sizeof(Value), 16));
    for (std::uint64_t s = first; s < last; ++s) {
      std::uint64_t const begin  = segments.begin(s);
      std::uint64_t const length = segments.end(s) - begin;
      if (length <= long_segment) continue;
      std::uint64_t const stretch = (length + threads - 1) / threads;
      std::uint64_t const mine    = min(length, rank * stretch);
      std::uint64_t const end     = min(length, mine + stretch);
      Value value                 = Combine<Op, Value>::identity();
      if (threads > 1) {
        for (std::uint64_t i = begin + mine; i < begin + end; ++i)
          value = Combine<Op, Value>::apply(value,
                                            static_cast<Value>(element(s, i)));
        values[rank] = value;
        member.team_barrier();
        value = Combine<Op, Value>::identity();
        for (std::uint64_t r = 0; r < rank; ++r)
          value = Combine<Op, Value>::apply(value, values[r]);
        member.team_barrier();
      }
      scan(s, begin + mine, begin + end, value);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t min(std::uint64_t a,
                                                       std::uint64_t b) {
    return b < a ? b : a;
  }
};

/// How one of these functors runs over `segments` segments, one or more, with
/// so many elements in all; says so to the functor, too.
template <class Exec, class Functor>
Kokkos::TeamPolicy<Exec> generic_segments_policy(
    Exec const& exec, Functor& functor, std::uint64_t segments,
    std::uint64_t elements, std::size_t scratch_per_thread) {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                 typename Exec::memory_space>::accessible;
  constexpr int threads = 128;
  functor.per_team      = elements / segments <= long_segment ? threads : 1;
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
  if (segments == 0) return;
  auto const policy = generic_segments_policy(exec, functor, segments, elements,
                                              scratch_per_thread);
  Kokkos::parallel_for(label, policy, functor);
}

template <class Fold, class Exec, class Segments, class Element, class Store>
void generic_segmented_reduce(std::string const& label, Exec const& exec,
                              Segments const& segments, std::uint64_t count,
                              std::uint64_t elements, Element const& element,
                              Store const& store) {
  run_generic_segments(label, exec,
                       GenericReduce<Fold, Segments, Element, Store>{
                           segments, element, store, 1},
                       count, elements, 0);
}

template <Operation Op, class Value, bool Inclusive, class Exec, class Segments,
          class Element, class To>
void generic_segmented_scan(std::string const& label, Exec const& exec,
                            Segments const& segments, std::uint64_t count,
                            std::uint64_t elements, Element const& element,
                            To const& to) {
  run_generic_segments(label, exec,
                       GenericScan<Op, Value, Inclusive, Segments, Element, To>{
                           segments, element, to, 1},
                       count, elements, sizeof(Value));
}

}  // namespace KokkosMMA::Impl

#endif
