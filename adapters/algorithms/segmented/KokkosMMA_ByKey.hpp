// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_BY_KEY_HPP
#define KOKKOSMMA_BY_KEY_HPP

/// \file
/// Operations by key: neighbouring elements with equal keys are a run. On Cuda
/// a kernel compares the keys that it reads beside the elements. Where it
/// cannot run, a scan finds the runs, which are segments between offsets then.

#include <adapters/algorithms/segmented/KokkosMMA_Segmented.hpp>
#include <adapters/kokkos/KokkosMMA_ScanInto.hpp>
#include <adapters/kokkos/KokkosMMA_TemporaryMemory.hpp>
#include <backends/generic/KokkosMMA_SegmentedGeneric.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/segmented/KokkosMMA_RunsByKey.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Type of a key: comparable with ==, and trivially copyable.
template <class T>
concept Key = std::is_trivially_copyable_v<T> &&
    requires(T const& a, T const& b) {
  static_cast<bool>(a == b);
};

template <class Keys, class X>
void check_keys(char const* who, Keys const& keys, X const& x) {
  if (keys.extent(0) != x.extent(0))
    invalid_argument(who, "extents differ: ", describe("keys", keys), "; ",
                     describe("x", x), "; pass one key for each element");
  check_memory(who, "keys", keys);
}

template <class V>
void check_room(char const* who, char const* name, V const& view,
                std::size_t runs) {
  if (view.extent(0) < runs)
    invalid_argument(who, name, " \"", view.label(), "\" has extent ",
                     view.extent(0), "; there are ", runs,
                     " runs of equal keys: make its extent ", runs, " or more");
}

}  // namespace KokkosMMA::Impl

#define KOKKOSMMA_IMPL_CHECK_KEYS(NAME, EXEC, KEYS)                        \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, KEYS, "keys");                \
  static_assert(KokkosMMA::Impl::Key<typename KEYS::non_const_value_type>, \
                NAME                                                       \
                ": the keys must be trivially copyable and have an "       \
                "operator==; mark an operator== of your own KOKKOS_FUNCTION")

namespace KokkosMMA::Impl {

template <class Exec>
using KeyOffsets =
    Kokkos::View<std::int64_t const*, typename Exec::memory_space,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Exec>
using KeyRange = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// Finds the runs of equal keys with FindRuns and returns their number.
template <class Exec, class Functor>
std::int64_t find_runs(Exec const& exec, Functor const& functor, Route route) {
  ScopedSettings const same_route(Settings{route});
  std::int64_t runs = 0;
  Kokkos::parallel_scan(
      "KokkosMMA::find_runs",
      KeyRange<Exec>(exec, 0, std::int64_t(functor.keys.extent(0))), functor,
      runs);
  return runs;
}

#if KOKKOSMMA_IMPL_ON_CUDA()

/// Scans runs of keys without gaps in one pass, or returns why it cannot.
template <Operation Op, class A, bool Inclusive, class Keys, class X, class Y>
Refusal scan_runs(std::string const& label, Kokkos::Cuda const& exec,
                  Keys const& keys, X const& x, Y const& y) {
  return with_scratch(exec, true, [&](Cuda::StreamScratch const& scratch) {
    AnnouncedKernel const announced(label, exec);
    Cuda::launch_scan_by_key<Op, scalar_v<typename X::non_const_value_type>, A,
                             Inclusive>(exec, scratch, keys.data(), x.data(),
                                        x.extent(0), canonical_pointer(y));
  });
}

/// Reduces runs of keys without gaps in one pass, or returns why it cannot.
template <Operation Op, class A, class Keys, class X, class UniqueKeys, class R>
Refusal reduce_runs(std::string const& label, Kokkos::Cuda const& exec,
                    Keys const& keys, X const& x, UniqueKeys const& unique_keys,
                    R const& result, std::int64_t& runs) {
  using Store = StridedStore<Op, typename X::non_const_value_type,
                             typename R::non_const_value_type>;
  return with_scratch(exec, false, [&](Cuda::StreamScratch const& scratch) {
    AnnouncedKernel const announced(label, exec);
    Cuda::launch_reduce_by_key<Op, scalar_v<typename X::non_const_value_type>,
                               A>(
        exec, scratch, keys.data(), x.data(), x.extent(0), unique_keys.data(),
        stride_of_results(unique_keys, 0),
        Store{result.data(), stride_of_results(result, 0)}, &runs, false);
  });
}

#endif

/// Runs every reduction by key. Returns the number of runs; 0 inside explain().
template <SegmentOperation Op, class Exec, class Keys, class X,
          class UniqueKeys, class R>
std::size_t run_reduce_by_key(std::string const& label, Exec const& exec,
                              Keys const& keys, X const& x,
                              UniqueKeys const& unique_keys, R const& result,
                              Settings const& settings) {
  constexpr char const* who = "KokkosMMA::reduce_by_key";
  constexpr Operation op    = Op::operation;
  using A                   = segment_accumulator_t<Op, X, R>;
  KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::reduce_by_key", Exec, X, R,
                                 "the result", A);
  KOKKOSMMA_IMPL_CHECK_KEYS("KokkosMMA::reduce_by_key", Exec, Keys);
  KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::reduce_by_key", Exec, UniqueKeys,
                                 "unique_keys");
  static_assert(std::is_same_v<typename UniqueKeys::value_type,
                               typename Keys::non_const_value_type>,
                "KokkosMMA::reduce_by_key: the elements of unique_keys are "
                "written and must be of the keys' type, not const");
  check_keys(who, keys, x);
  check_memory(who, "x", x);
  check_memory(who, "unique_keys", unique_keys);
  check_memory(who, "the result", result);
  check_distinct(who, "unique_keys", unique_keys);
  check_distinct(who, "the result", result);
  check_apart(who, "keys", keys, "unique_keys", unique_keys);
  check_apart(who, "keys", keys, "the result", result);
  check_apart(who, "x", x, "unique_keys", unique_keys);
  check_apart(who, "x", x, "the result", result);
  check_apart(who, "unique_keys", unique_keys, "the result", result);

  using Offsets          = KeyOffsets<Exec>;
  std::size_t const size = keys.extent(0);
  std::size_t const room = std::min({size, std::size_t(unique_keys.extent(0)),
                                     std::size_t(result.extent(0))});
  SegmentedCall call     = describe_call<op, A>(
      x, CsrSegments<Offsets>{Offsets(nullptr, room + 1)}, result, false);
  auto const decision =
      decide_segmented(who, label, exec, call.problem, settings);
  if (!decision) return 0;
  Route const route = decision->route;
  observed(route);
  if (size == 0) return 0;

  auto runs = std::int64_t(size);
  // With room for any number of runs no check is needed.
  if (room < size) {
    ScopedSettings const same_route(Settings{route});
    Kokkos::parallel_reduce("KokkosMMA::count_runs",
                            KeyRange<Exec>(exec, 0, runs),
                            CountRuns<Keys>{keys}, runs);
    observed(route);
    check_room(who, "unique_keys", unique_keys, std::size_t(runs));
    check_room(who, "the result", result, std::size_t(runs));
  }
  std::string const name = segmented_label(label, who, route, call.problem);
  // The launch shape depends on the level of the scope.
  ScopedSettings const level(only_level(settings));
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (has_segment_kernel<Exec, A, false, X, R, EqualSegments>() &&
                is_plain_source<Keys> && is_plain_memory<UniqueKeys>) {
    if (route != Route::generic && is_contiguous(keys) &&
        !reduce_runs<op, A>(name, exec, keys, x, unique_keys, result, runs))
      return std::size_t(runs);
  }
#endif
  TemporaryMemory<Exec, typename Exec::memory_space> const memory(
      exec, "KokkosMMA::offsets",
      (std::size_t(runs) + 1) * sizeof(std::int64_t));
  auto* const offsets = static_cast<std::int64_t*>(memory.data());
  runs = find_runs(exec, FindRuns<Keys, UniqueKeys>{keys, unique_keys, offsets},
                   route);
  observed(route);
  call.problem.segments = std::uint64_t(runs);
  reduce_segments<op, A>(
      route, name, exec, x,
      CsrSegments<Offsets>{Offsets(offsets, std::size_t(runs) + 1)}, result,
      call, OffsetFindings::unknown);
  return std::size_t(runs);
}

template <ScanKind Kind, SegmentOperation Op, class Exec, class Keys, class X,
          class Y>
void run_scan_by_key(std::string const& label, Exec const& exec,
                     Keys const& keys, X const& x, Y const& y,
                     Settings const& settings) {
  constexpr bool inclusive  = Kind == ScanKind::inclusive;
  constexpr char const* who = inclusive ? "KokkosMMA::inclusive_scan_by_key"
                                        : "KokkosMMA::exclusive_scan_by_key";
  using A                   = segment_accumulator_t<Op, X, Y>;
  if constexpr (inclusive) {
    KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::inclusive_scan_by_key", Exec, X,
                                   Y, "y", A);
    KOKKOSMMA_IMPL_CHECK_KEYS("KokkosMMA::inclusive_scan_by_key", Exec, Keys);
  } else {
    KOKKOSMMA_IMPL_CHECK_SEGMENTED("KokkosMMA::exclusive_scan_by_key", Exec, X,
                                   Y, "y", A);
    KOKKOSMMA_IMPL_CHECK_KEYS("KokkosMMA::exclusive_scan_by_key", Exec, Keys);
  }
  check_keys(who, keys, x);
  check_scan_views(who, x, y);
  check_apart(who, "keys", keys, "y", y);

  using Offsets          = KeyOffsets<Exec>;
  using NoKeys           = Kokkos::View<typename Keys::non_const_value_type*,
                              typename Exec::memory_space>;
  constexpr Operation op = Op::operation;
  std::size_t const size = keys.extent(0);
  SegmentedCall call     = describe_call<op, A>(
      x, CsrSegments<Offsets>{Offsets(nullptr, size + 1)}, y, true);
  auto const decision =
      decide_segmented(who, label, exec, call.problem, settings);
  if (!decision) return;
  Route const route = decision->route;
  observed(route);
  if (size == 0) return;
  std::string const name = segmented_label(label, who, route, call.problem);
  ScopedSettings const level(only_level(settings));
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (has_segment_kernel<Exec, A, true, X, Y, EqualSegments>() &&
                is_plain_source<Keys>) {
    if (route != Route::generic && is_contiguous(keys) &&
        !scan_runs<op, A, inclusive>(name, exec, keys, x, y))
      return;
  }
#endif
  TemporaryMemory<Exec, typename Exec::memory_space> const memory(
      exec, "KokkosMMA::offsets", (size + 1) * sizeof(std::int64_t));
  auto* const offsets = static_cast<std::int64_t*>(memory.data());
  std::int64_t const runs =
      find_runs(exec, FindRuns<Keys, NoKeys>{keys, NoKeys(), offsets}, route);
  observed(route);
  call.problem.segments = std::uint64_t(runs);
  scan_segments<op, A, inclusive>(
      route, name, exec, x,
      CsrSegments<Offsets>{Offsets(offsets, std::size_t(runs) + 1)}, y, call);
}

}  // namespace KokkosMMA::Impl

#undef KOKKOSMMA_IMPL_CHECK_KEYS

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
///        the call first reads the keys once more to count the runs
/// \param settings route
/// \return the number of runs; 0 for no keys and inside explain()
///
/// Accumulator and accuracy are those of segmented_reduce(). The order of
/// additions is fixed by the runs, the types, the alignment of x and the route:
/// repeated calls on a device give the same bits. A NaN or an infinity affects
/// only the result of its run.
///
/// The call waits until the runs are counted; the results are written in order
/// on `exec`. On Cuda it is one pass over keys and x. The route `generic`, and
/// keys with gaps between them, need temporary memory: 8 bytes for each run
/// that fits into unique_keys and result, at most 8 bytes for each key.
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
