// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TEAM_COLLECTIVES_HPP
#define KOKKOSMMA_TEAM_COLLECTIVES_HPP

/// \file
/// Reductions and scans inside a kernel of TeamPolicy. They replace Kokkos'
/// nested parallel_reduce and parallel_scan. All lanes of a team (team_...) or
/// of one thread (vector_...) take part, each with several invocations or loads
/// in flight.
///
/// All lanes of the team (of the thread) call with the same arguments, and
/// every lane gets the result. Any team size and vector length is supported.
/// Earlier writes to elements, outputs and the functor's memory must be visible
/// to the team before the call, as for Kokkos' nested calls. On host spaces
/// these functions are Kokkos' nested calls. On Cuda a team of several warps
/// uses static shared memory for 64 values, and no scratch memory of the team.
/// Writes of a functor or a scan are visible to the participating lanes
/// afterwards.
///
/// 16-bit floats are accumulated in fp32 and rounded once: the functor is
/// invoked with a 16-bit value that starts from zero.

#include <adapters/algorithms/team/KokkosMMA_TeamDispatch.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

namespace KokkosMMA {

/// Reduces with `functor(i, update)` for i in [0, count), by all threads and
/// vector lanes of a team. The functor adds to `update`, or joins with it; one
/// lane invokes it for each i. The order depends on the count and the team
/// only.
///
/// \code
/// float sum = 0;
/// KokkosMMA::team_reduce(
///     member, columns,
///     [&](int i, float& running) { running += matrix(row, i); }, sum);
/// \endcode
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

/// Reduces the elements of a View of rank 1, by all threads and vector lanes of
/// a team. On Cuda contiguous elements of 1, 2 or 4 bytes are read 16 bytes at
/// a time if each lane has more than four of them.
///
/// \param result a variable, which gets the sum, or a reducer of Kokkos; the
///        elements are converted to its value_type
template <class Member, Impl::Rank1View X, Impl::TeamResult Result>
KOKKOS_INLINE_FUNCTION void team_reduce(Member const& member, X const& x,
                                        Result&& result) {
  Impl::reduce_into<true>(member, Impl::ViewElements<X>{x, x.extent(0)},
                          result);
}

/// Reduces with `functor(i, update)` for i in [0, count), by the vector lanes
/// of one thread. Not all threads of the team need to call it, so the call may
/// be in a loop over TeamThreadRange. `result` is a variable, which gets the
/// sum, or a reducer of Kokkos whose join commutes.
template <class Member, std::integral Index, class Functor,
          Impl::TeamResult Result>
KOKKOS_INLINE_FUNCTION void vector_reduce(Member const& member, Index count,
                                          Functor const& functor,
                                          Result&& result) {
  Impl::reduce_into<false>(
      member, Impl::CalledIndices<Index, Functor>{count, functor}, result);
}
/// Reduces the elements of a View of rank 1, by the vector lanes of one thread.
/// `result` is a variable, which gets the sum, or a reducer of Kokkos; the
/// elements are converted to its value_type.
template <class Member, Impl::Rank1View X, Impl::TeamResult Result>
KOKKOS_INLINE_FUNCTION void vector_reduce(Member const& member, X const& x,
                                          Result&& result) {
  Impl::reduce_into<false>(member, Impl::ViewElements<X>{x, x.extent(0)},
                           result);
}

/// Scans with `functor(i, update, final)`, by all threads and vector lanes of a
/// team. The functor adds the contribution of i to `update`. With `final ==
/// true`, once per index, `update` is the sum of the contributions before i.
/// Writes of the functor are visible to the team afterwards.
///
/// \param total a variable or nothing: the sum of all contributions, of a type
///        with += whose value-initialised value is zero. Without it the type of
///        the sum is that of `update`
template <class Member, std::integral Index, class Functor, class... Total>
requires(sizeof...(Total) <= 1) KOKKOS_INLINE_FUNCTION
    void team_scan(Member const& member, Index count, Functor const& functor,
                   Total&... total) {
  Impl::scan_calls<true>(member, count, functor, total...);
}

/// Inclusive scan of a View, by all threads and vector lanes of a team. `y(i) =
/// x(0) + ... + x(i)`, in place when y is x. The Views have rank 1. The extents
/// must be equal.
///
/// \code
/// float total = 0;
/// KokkosMMA::team_inclusive_scan(member, row_of_x, row_of_y, total);
/// \endcode
///
/// \param total a variable or nothing: the sum of all elements, on every lane
template <class Member, Impl::Rank1View X, Impl::Rank1View Y, class... Total>
requires(sizeof...(Total) <= 1) KOKKOS_INLINE_FUNCTION
    void team_inclusive_scan(Member const& member, X const& x, Y const& y,
                             Total&... total) {
  Impl::scan_elements<true, Impl::ScanKind::inclusive>(member, x, y, total...);
}

/// Exclusive scan of a View, by all threads and vector lanes of a team. `y(i) =
/// x(0) + ... + x(i-1)`. Otherwise as team_inclusive_scan().
template <class Member, Impl::Rank1View X, Impl::Rank1View Y, class... Total>
requires(sizeof...(Total) <= 1) KOKKOS_INLINE_FUNCTION
    void team_exclusive_scan(Member const& member, X const& x, Y const& y,
                             Total&... total) {
  Impl::scan_elements<true, Impl::ScanKind::exclusive>(member, x, y, total...);
}

/// Scans with `functor(i, update, final)`, by the vector lanes of one thread.
/// Everything else is as in team_scan().
template <class Member, std::integral Index, class Functor, class... Total>
requires(sizeof...(Total) <= 1) KOKKOS_INLINE_FUNCTION
    void vector_scan(Member const& member, Index count, Functor const& functor,
                     Total&... total) {
  Impl::scan_calls<false>(member, count, functor, total...);
}

/// Inclusive scan of a View, by the vector lanes of one thread. `y(i) = x(0) +
/// ... + x(i)`. Otherwise as team_inclusive_scan().
template <class Member, Impl::Rank1View X, Impl::Rank1View Y, class... Total>
requires(sizeof...(Total) <= 1) KOKKOS_INLINE_FUNCTION
    void vector_inclusive_scan(Member const& member, X const& x, Y const& y,
                               Total&... total) {
  Impl::scan_elements<false, Impl::ScanKind::inclusive>(member, x, y, total...);
}

/// Exclusive scan of a View, by the vector lanes of one thread. `y(i) = x(0) +
/// ... + x(i-1)`. Otherwise as team_inclusive_scan().
template <class Member, Impl::Rank1View X, Impl::Rank1View Y, class... Total>
requires(sizeof...(Total) <= 1) KOKKOS_INLINE_FUNCTION
    void vector_exclusive_scan(Member const& member, X const& x, Y const& y,
                               Total&... total) {
  Impl::scan_elements<false, Impl::ScanKind::exclusive>(member, x, y, total...);
}

}  // namespace KokkosMMA

#endif
