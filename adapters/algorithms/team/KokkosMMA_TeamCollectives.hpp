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

#include <adapters/algorithms/team/KokkosMMA_TeamDispatch.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

namespace KokkosMMA {

/// The team's reduction of what functor(i, update) adds to update, or joins
/// with it, for i in [0, count), each called once by one lane. The order
/// depends only on the count and the team.
///
/// \param result a variable, which gets the sum, or a reducer of Kokkos whose
///        join commutes
template <class Member, std::integral Index, class Functor,
          Impl::TeamResult Result>
KOKKOS_INLINE_FUNCTION void team_reduce(Member const& member, Index count,
                                        Functor const& functor,
                                        Result&& result) {
  Impl::reduce_into<true>(
      member, Impl::CalledIndices<Index, Functor>{count, functor}, result);
}

/// The team's reduction of the elements of a View of rank 1. On Cuda contiguous
/// elements of 1, 2 or 4 bytes are read 16 bytes at a time where each lane has
/// more than four of them.
///
/// \param result a variable, which gets the sum, or a reducer of Kokkos, to
///        whose values the elements are converted
template <class Member, Impl::Rank1View X, Impl::TeamResult Result>
KOKKOS_INLINE_FUNCTION void team_reduce(Member const& member, X const& x,
                                        Result&& result) {
  Impl::reduce_into<true>(member, Impl::ViewElements<X>{x, x.extent(0)},
                          result);
}

/// Reduction by the vector lanes of one thread, which need not be all threads
/// of the team, of what functor(i, update) adds to update, or joins with it,
/// for i in [0, count): also inside a loop over TeamThreadRange. `result` is a
/// variable, which gets the sum, or a reducer of Kokkos whose join commutes.
template <class Member, std::integral Index, class Functor,
          Impl::TeamResult Result>
KOKKOS_INLINE_FUNCTION void vector_reduce(Member const& member, Index count,
                                          Functor const& functor,
                                          Result&& result) {
  Impl::reduce_into<false>(
      member, Impl::CalledIndices<Index, Functor>{count, functor}, result);
}
/// Reduction of the elements of a View of rank 1 by the vector lanes of one
/// thread. `result` is a variable, which gets the sum, or a reducer of Kokkos,
/// to whose values the elements are converted.
template <class Member, Impl::Rank1View X, Impl::TeamResult Result>
KOKKOS_INLINE_FUNCTION void vector_reduce(Member const& member, X const& x,
                                          Result&& result) {
  Impl::reduce_into<false>(member, Impl::ViewElements<X>{x, x.extent(0)},
                           result);
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
/// The team's scan by a functor, without total; the type of the sum is that of
/// `update`.
template <class Member, std::integral Index, class Functor>
KOKKOS_INLINE_FUNCTION void team_scan(Member const& member, Index count,
                                      Functor const& functor) {
  Impl::scanned_value_t<Functor> total;
  Impl::scan_calls<true>(member, count, functor, total);
}

/// The team computes the inclusive scan of a View of rank 1: y(i) = x(0) + ...
/// + x(i). In place when y is x. The extents must be the same. `total` is the
/// sum of all elements, for every lane.
template <class Member, Impl::Rank1View X, Impl::Rank1View Y, class T>
KOKKOS_INLINE_FUNCTION void team_inclusive_scan(Member const& member,
                                                X const& x, Y const& y,
                                                T& total) {
  Impl::scan_elements<true, Impl::ScanKind::inclusive>(member, x, y, total);
}
/// The team computes the inclusive scan of a View of rank 1, without total.
template <class Member, Impl::Rank1View X, Impl::Rank1View Y>
KOKKOS_INLINE_FUNCTION void team_inclusive_scan(Member const& member,
                                                X const& x, Y const& y) {
  Impl::chosen_accumulator_t<void, X, Y> total;
  Impl::scan_elements<true, Impl::ScanKind::inclusive>(member, x, y, total);
}

/// The team computes the exclusive scan of a View of rank 1: y(i) = x(0) + ...
/// + x(i-1). In place when y is x. The extents must be the same. `total` is the
/// sum of all elements, for every lane.
template <class Member, Impl::Rank1View X, Impl::Rank1View Y, class T>
KOKKOS_INLINE_FUNCTION void team_exclusive_scan(Member const& member,
                                                X const& x, Y const& y,
                                                T& total) {
  Impl::scan_elements<true, Impl::ScanKind::exclusive>(member, x, y, total);
}
/// The team computes the exclusive scan of a View of rank 1, without total.
template <class Member, Impl::Rank1View X, Impl::Rank1View Y>
KOKKOS_INLINE_FUNCTION void team_exclusive_scan(Member const& member,
                                                X const& x, Y const& y) {
  Impl::chosen_accumulator_t<void, X, Y> total;
  Impl::scan_elements<true, Impl::ScanKind::exclusive>(member, x, y, total);
}

/// team_scan by the vector lanes of one thread (see vector_reduce).
template <class Member, std::integral Index, class Functor, class T>
KOKKOS_INLINE_FUNCTION void vector_scan(Member const& member, Index count,
                                        Functor const& functor, T& total) {
  Impl::scan_calls<false>(member, count, functor, total);
}
/// Scan by a functor and the vector lanes of one thread, without total; the
/// type of the sum is that of `update`.
template <class Member, std::integral Index, class Functor>
KOKKOS_INLINE_FUNCTION void vector_scan(Member const& member, Index count,
                                        Functor const& functor) {
  Impl::scanned_value_t<Functor> total;
  Impl::scan_calls<false>(member, count, functor, total);
}
/// The vector lanes of one thread compute the inclusive scan of a View of rank
/// 1: y(i) = x(0) + ... + x(i). In place when y is x. The extents must be the
/// same. `total` is the sum of all elements, for every lane.
template <class Member, Impl::Rank1View X, Impl::Rank1View Y, class T>
KOKKOS_INLINE_FUNCTION void vector_inclusive_scan(Member const& member,
                                                  X const& x, Y const& y,
                                                  T& total) {
  Impl::scan_elements<false, Impl::ScanKind::inclusive>(member, x, y, total);
}
/// The vector lanes of one thread compute the inclusive scan of a View of rank
/// 1, without total.
template <class Member, Impl::Rank1View X, Impl::Rank1View Y>
KOKKOS_INLINE_FUNCTION void vector_inclusive_scan(Member const& member,
                                                  X const& x, Y const& y) {
  Impl::chosen_accumulator_t<void, X, Y> total;
  Impl::scan_elements<false, Impl::ScanKind::inclusive>(member, x, y, total);
}

/// The vector lanes of one thread compute the exclusive scan of a View of rank
/// 1: y(i) = x(0) + ... + x(i-1). In place when y is x. The extents must be the
/// same. `total` is the sum of all elements, for every lane.
template <class Member, Impl::Rank1View X, Impl::Rank1View Y, class T>
KOKKOS_INLINE_FUNCTION void vector_exclusive_scan(Member const& member,
                                                  X const& x, Y const& y,
                                                  T& total) {
  Impl::scan_elements<false, Impl::ScanKind::exclusive>(member, x, y, total);
}
/// The vector lanes of one thread compute the exclusive scan of a View of rank
/// 1, without total.
template <class Member, Impl::Rank1View X, Impl::Rank1View Y>
KOKKOS_INLINE_FUNCTION void vector_exclusive_scan(Member const& member,
                                                  X const& x, Y const& y) {
  Impl::chosen_accumulator_t<void, X, Y> total;
  Impl::scan_elements<false, Impl::ScanKind::exclusive>(member, x, y, total);
}

}  // namespace KokkosMMA

#endif
