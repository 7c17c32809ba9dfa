// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_BY_KEY_HPP
#define KOKKOSMMA_BY_KEY_HPP

#include <adapters/algorithms/segmented/KokkosMMA_ByKeyDispatch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace KokkosMMA {

/// Sums the elements of each run of equal neighbouring keys; returns the number
/// of runs. `unique_keys(s)` is the key of run s, `result(s)` the sum of its
/// elements.
///
/// \code
/// // keys 7 7 3 3 3 7, x 1 2 3 4 5 6
/// auto const runs = reduce_by_key(exec, keys, x, unique_keys, sums);
/// // runs 3, unique_keys 7 3 7, sums 3 12 6
/// \endcode
///
/// For one sum per key, sort by key first.
///
/// \param exec instance on which the reduction runs
/// \param keys View of rank 1 of any trivially copyable type with an
///        operator==: numbers, structs. Floating-point keys compare as numbers:
///        0 and -0 are equal, a NaN equals no key, so each NaN is a run of its
///        own
/// \param x View of the extent of keys of half_t, bhalf_t, float, double, bool
///        (counted) or integers, of any stride and alignment; it may be the
///        keys
/// \param unique_keys View of the keys' type: the first key of each run
/// \param result View of the sums. It and unique_keys share no memory with
///        keys, x or each other, and have an extent no less than the number of
///        runs; elements after the last run are left as they are. If both have
///        the extent of keys, there is room for any number of runs; otherwise
///        the keys are read once more, to count them first
/// \param settings route
/// \return the number of runs; 0 for no keys and inside explain()
///
/// Accumulator and accuracy are those of segmented_reduce(). The order of
/// additions is fixed by the runs, the types, the alignment of x and the route:
/// repeated calls on a device give the same bits. A NaN or an infinity affects
/// only the result of its run.
///
/// The call waits for `exec` until the runs are counted. It returns in order on
/// `exec`. On Cuda it is one pass over keys and x. The route `generic`, and
/// keys with gaps between them, need 8 bytes of memory for each run that
/// unique_keys and result have room for, at most for each key.
///
/// \throws std::invalid_argument for different extents of keys and x, results
/// without room for all runs, overlapping Views, missing memory, a forced route
/// that cannot run, or settings out of range; no result is written then.
template <class Exec, Impl::Rank1View Keys, Impl::Rank1View X,
          Impl::Rank1View UniqueKeys, Impl::Rank1View R>
std::size_t reduce_by_key(Exec const& exec, Keys const& keys, X const& x,
                          UniqueKeys const& unique_keys, R const& result,
                          Settings const& settings = {}) {
  return Impl::run_reduce_by_key<Plus<>>(std::string(settings.label), exec,
                                         keys, x, unique_keys, result,
                                         settings);
}

/// Reduces the elements of each run with a given operation. The operation is
/// Plus<T>, Multiplies, Minimum or Maximum, as in segmented_reduce().
template <class Exec, Impl::Rank1View Keys, Impl::Rank1View X,
          Impl::Rank1View UniqueKeys, Impl::Rank1View R,
          Impl::SegmentOperation Op>
std::size_t reduce_by_key(Exec const& exec, Keys const& keys, X const& x,
                          UniqueKeys const& unique_keys, R const& result,
                          [[maybe_unused]] Op operation,
                          Settings const& settings = {}) {
  return Impl::run_reduce_by_key<Op>(std::string(settings.label), exec, keys, x,
                                     unique_keys, result, settings);
}

/// Exclusive scan within runs of equal neighbouring keys: `y(i)` is the sum of
/// the run's elements before `x(i)`. The first prefix is 0.
///
/// \code
/// // keys 7 7 3 3 3 7, x 1 2 3 4 5 6
/// exclusive_scan_by_key(exec, keys, x, y);  // y 0 1 0 3 7 0
/// \endcode
///
/// \param exec instance on which the scan runs
/// \param keys View of rank 1 of keys, as in reduce_by_key()
/// \param x View of the extent of keys of half_t, bhalf_t, float, double, bool
///        (counted) or integers, of any stride and alignment
/// \param y View of the extent of x that shares no memory with keys: each
///        prefix is converted to it once. It is x (in place: same address,
///        stride and element size) or shares no memory with x
/// \param settings route
///
/// The accumulator is that of segmented_exclusive_scan(). Integers are exact
/// modulo 2^bits of it. The extent, the types and the route define the order of
/// floating-point additions; on Cuda repeated calls give the same bits.
/// A NaN or an infinity affects only later prefixes of its run.
///
/// For contiguous Views on Cuda the call is one pass over keys and x, allocates
/// no memory and returns at once, in order on `exec`. Otherwise it allocates
/// memory and waits until the runs are counted.
///
/// \throws std::invalid_argument for different extents, overlapping Views,
/// missing memory, a forced route that cannot run, or settings out of range;
/// nothing is launched or written then.
template <class Exec, Impl::Rank1View Keys, Impl::Rank1View X,
          Impl::Rank1View Y>
void exclusive_scan_by_key(Exec const& exec, Keys const& keys, X const& x,
                           Y const& y, Settings const& settings = {}) {
  Impl::run_scan_by_key<Impl::ScanKind::exclusive, Plus<>>(
      std::string(settings.label), exec, keys, x, y, settings);
}

/// Exclusive scan by key with a given operation. The operation is Plus<T>,
/// Multiplies, Minimum or Maximum, as in segmented_reduce(). The first prefix
/// of a run is the operation's identity.
template <class Exec, Impl::Rank1View Keys, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::SegmentOperation Op>
void exclusive_scan_by_key(Exec const& exec, Keys const& keys, X const& x,
                           Y const& y, [[maybe_unused]] Op operation,
                           Settings const& settings = {}) {
  Impl::run_scan_by_key<Impl::ScanKind::exclusive, Op>(
      std::string(settings.label), exec, keys, x, y, settings);
}

/// Inclusive scan within runs of equal neighbouring keys: `y(i)` is the sum of
/// the run's elements up to `x(i)`. Arguments, errors and accuracy are those of
/// exclusive_scan_by_key().
template <class Exec, Impl::Rank1View Keys, Impl::Rank1View X,
          Impl::Rank1View Y>
void inclusive_scan_by_key(Exec const& exec, Keys const& keys, X const& x,
                           Y const& y, Settings const& settings = {}) {
  Impl::run_scan_by_key<Impl::ScanKind::inclusive, Plus<>>(
      std::string(settings.label), exec, keys, x, y, settings);
}

/// Inclusive scan by key with a given operation. The operation is Plus<T>,
/// Multiplies, Minimum or Maximum, as in segmented_reduce().
template <class Exec, Impl::Rank1View Keys, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::SegmentOperation Op>
void inclusive_scan_by_key(Exec const& exec, Keys const& keys, X const& x,
                           Y const& y, [[maybe_unused]] Op operation,
                           Settings const& settings = {}) {
  Impl::run_scan_by_key<Impl::ScanKind::inclusive, Op>(
      std::string(settings.label), exec, keys, x, y, settings);
}

}  // namespace KokkosMMA

#endif
