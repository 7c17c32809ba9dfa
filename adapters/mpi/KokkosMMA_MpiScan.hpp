// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_SCAN_HPP
#define KOKKOSMMA_MPI_SCAN_HPP

#include <adapters/algorithms/reduce/KokkosMMA_Reduce.hpp>
#include <adapters/algorithms/scan/KokkosMMA_Scan.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>
#include <adapters/mpi/KokkosMMA_MpiReduce.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace KokkosMMA {
namespace Impl {

/// Sum of x in the accumulator of a scan, with the scan's label. A forced route
/// applies to the scan; the sum uses it only if it can.
template <class A, class Exec, class X>
A local_total(Exec const& exec, X const& x, Settings const& settings) {
  A sum{};
  Settings requested;
  requested.route = settings.route;
  ScopedSettings const scope(requested);
  if constexpr (scalar_v<typename X::non_const_value_type> == Scalar::opaque) {
    // Integers of 2 bytes, which KokkosMMA::reduce does not support.
    Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> const policy(
        exec, 0, x.extent(0));
    Kokkos::parallel_reduce(settings.label.empty()
                                ? std::string("KokkosMMA::mpi::scan total")
                                : std::string(settings.label),
                            policy, load(x), sum);
  } else {
    Settings named;
    named.label = settings.label;
    KokkosMMA::reduce(exec, x, sum, named);
  }
  return sum;
}

/// Level that a scan over ranks offers: exact if the local scan offers it, else
/// run-to-run, because rounded sums of ranks are added.
inline OfferedLevel level_over_ranks(ScanProblem const& problem,
                                     Capability const& machine,
                                     Settings const& settings) {
  OfferedLevel offered = offered_level(problem, machine, settings);
  if (offered.level != Reproducibility::exact)
    offered = {Reproducibility::run_to_run,
               {"sums of ranks are rounded before they are added"}};
  return offered;
}

/// Exact scan of this rank's elements, from the exact sum of previous ranks.
template <class Exec, class Scan, class Sum, class Total>
void exact_scan_over_ranks(char const* who, MPI_Comm comm, Exec const& exec,
                           Scan const& scan, Sum const& mine, Total& total,
                           std::string const& label) {
  if constexpr (!std::is_same_v<std::remove_cv_t<Total>, NoTotal>) {
    Sum all = mine;
    add_over_ranks(who, comm, all);
    put_exact(exec, total, all);
  }
  Sum const before = exact_sum_before_rank(who, comm, mine);
  NoTotal none;
  check_exact(who, exact_scan(label, exec, scan, none, &before));
}

/// Checks and runs every scan over ranks: `total` may be NoTotal.
template <ScanKind Kind, class Accumulator, class Exec, class X, class Y,
          class Init, class Total>
void scan_over_ranks(MPI_Comm comm, Exec const& exec, X const& x, Y const& y,
                     Init&& initial_value, Total& total,
                     Settings const& settings) {
  constexpr bool has_total  = !std::is_same_v<std::remove_cv_t<Total>, NoTotal>;
  constexpr char const* who = Kind == ScanKind::exclusive
                                  ? "KokkosMMA::mpi::exclusive_scan"
                                  : "KokkosMMA::mpi::inclusive_scan";
  using A                   = chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_TYPES("KokkosMMA::mpi::exclusive_scan, inclusive_scan",
                             X, Y, "y", A);
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT(
      "KokkosMMA::mpi::exclusive_scan, inclusive_scan", Init, A);
  if constexpr (has_total) {
    KOKKOSMMA_IMPL_CHECK_SCAN_TOTAL(
        "KokkosMMA::mpi::exclusive_scan, inclusive_scan", Total, X, A);
  }
  A const init = initial<A>(initial_value);
  refuse_explain(who, "explain the KokkosMMA:: scan of this rank's Views");
  MpiCall call;
  call.operation   = Kind == ScanKind::exclusive ? MpiOperation::exclusive_scan
                                                 : MpiOperation::inclusive_scan;
  call.input       = scalar_v<typename X::non_const_value_type>;
  call.output      = scalar_v<typename Y::non_const_value_type>;
  call.accumulator = scalar_v<A>;
  call.bytes       = sizeof(typename X::non_const_value_type);
  call.total       = has_total;
  ScanInto<X, Y, A, Kind> const scan{x, y, init};
  constexpr bool may_be_exact = has_exact_scan<Exec, ScanInto<X, Y, A, Kind>>;
  [[maybe_unused]]
  typename ExactSumOver<may_be_exact, ReducedView<X>>::type exact;
  [[maybe_unused]] bool is_exact   = false;
  std::vector<MpiCall> const calls = agree(who, comm, call, [&](MpiCall& mine) {
    check_scan_views(who, x, y);
    if constexpr (has_total) {
      check_scan_total(who, x, y, total);
    }
    ScanProblem const problem = scan_problem_by_name<Exec>(scan);
    Capability const machine  = capability(exec);
    Settings const level      = settle_level(
             who, settings,
             level_over_ranks(problem, machine, effective_settings(settings)));
    RouteDecision const decision =
        route_scan(problem, machine, effective_settings(settings));
    if (settings.route != Route::automatic) check_route(who, decision);
    mine.extent[0] = std::int64_t(x.extent(0));
    MpiChecksum checksum;
    checksum.add(init);
    checksum.add(level.reproducibility);
    mine.same = checksum.value();
    if constexpr (may_be_exact) {
      is_exact = level.reproducibility != Reproducibility::run_to_run;
      if (is_exact) {
        check_exact(who, exact_limbs_of(exact_label(who, settings), exec,
                                        ExactViewTerms<X>{x}, exact));
        observed(decision.route);
        report_call(who, std::string(settings.label), decision);
        return;
      }
    }
    // With one rank only a total needs the sum.
    if (mpi_size(who, comm) > 1 || has_total)
      mine.put(local_total<A>(exec, x, settings));
  });
  check_same(who, calls, "initial values or levels of reproducibility");
  if constexpr (may_be_exact) {
    if (is_exact) {
      exact_scan_over_ranks(who, comm, exec, scan, exact, total,
                            exact_label(who, settings));
      if constexpr (has_total && !is_result_view<Total>) {
        exec.fence("KokkosMMA: fence due to the total being a value");
      }
      return;
    }
  }
  if constexpr (has_total) {
    using Value = value_of_result_t<Total>;
    put_result(
        exec, total,
        static_cast<Value>(sum_in_rank_order(A(0), calls, calls.size())));
  }
  scan_with<Kind, A>(
      exec, x, y,
      sum_in_rank_order(init, calls, std::size_t(mpi_rank(who, comm))),
      settings);
  if constexpr (has_total && !is_result_view<Total>) {
    exec.fence("KokkosMMA: fence due to the total being a value");
  }
}

/// Scan over ranks with an initial value or a total.
template <ScanKind Kind, class Accumulator, class Exec, class X, class Y,
          class Argument>
void scan_over_ranks_with(MPI_Comm comm, Exec const& exec, X const& x,
                          Y const& y, Argument&& init_or_total,
                          Settings const& settings) {
  with_init_and_total(static_cast<Argument&&>(init_or_total),
                      [&]<class Init>(Init&& init, auto& total) {
                        scan_over_ranks<Kind, Accumulator, Exec, X, Y, Init>(
                            comm, exec, x, y, static_cast<Init&&>(init), total,
                            settings);
                      });
}

}  // namespace Impl

namespace mpi {

/// Exclusive scan over the elements of all ranks, in rank order: `y(i)` is the
/// sum of all elements before `x(i)`.
///
/// \code
/// mpi::exclusive_scan(comm, exec, x, y, 0, KokkosMMA::Total(total));
/// \endcode
///
/// \tparam Accumulator type of the running sum, as for
///        KokkosMMA::exclusive_scan
/// \param comm an intracommunicator; all its ranks make the call, with the
///        same types, and the same initial value
/// \param x this rank's elements, any number of them, 0 included
/// \param y View of the same extent; the same elements as x or none of them
///
/// The scan reads the elements twice and writes the prefixes once: each rank
/// sums its elements, one MPI_Allgather of 64 bytes per rank exchanges the sums
/// and the checks, and the local scan starts from the sum of the ranks before.
/// Adding this sum to a finished local scan would read and write the prefixes
/// once more.
///
/// Integers: the same elements in any number of ranks give the same prefixes,
/// modulo 2^bits of the accumulator. Floating point: the error of the local
/// scans and one rounding per rank, and bitwise reproducible for the same
/// number of ranks, sizes and devices. The first prefix of a rank is the
/// rank-order sum of totals. It may differ by rounding from the last prefix of
/// the rank before plus one element.
///
/// The call waits until this rank's sum is known; the scan itself then runs in
/// order on `exec`.
///
/// \throws std::invalid_argument on every rank if arguments of a rank are
/// rejected (see KokkosMMA::exclusive_scan), or if types or initial values
/// differ; nothing is written then.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y>
void exclusive_scan(MPI_Comm comm, Exec const& exec, X const& x, Y const& y,
                    Settings const& settings = {}) {
  Impl::scan_over_ranks_with<Impl::ScanKind::exclusive, Accumulator>(
      comm, exec, x, y, 0, settings);
}

/// Exclusive scan over the ranks from an initial value, `init` plus all
/// elements before `x(i)`, or with a total.
///
/// \param init_or_total as of KokkosMMA::exclusive_scan. Every rank gets the
///        total of all ranks, without `init`
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::NotSettings Argument>
void exclusive_scan(MPI_Comm comm, Exec const& exec, X const& x, Y const& y,
                    Argument&& init_or_total, Settings const& settings = {}) {
  Impl::scan_over_ranks_with<Impl::ScanKind::exclusive, Accumulator>(
      comm, exec, x, y, static_cast<Argument&&>(init_or_total), settings);
}

/// Exclusive scan over the ranks from an initial value; also writes a total.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init, Impl::NotSettings Last>
void exclusive_scan(MPI_Comm comm, Exec const& exec, X const& x, Y const& y,
                    Init&& init, Last&& total, Settings const& settings = {}) {
  KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL("KokkosMMA::mpi::exclusive_scan", Last);
  if constexpr (Impl::is_total<std::remove_cvref_t<Last>>) {
    Impl::scan_over_ranks<Impl::ScanKind::exclusive, Accumulator, Exec, X, Y,
                          Init>(comm, exec, x, y, static_cast<Init&&>(init),
                                total.place(), settings);
  }
}

/// Inclusive scan over the elements of all ranks, in rank order. `y(i)` is the
/// result of exclusive_scan() plus `x(i)`.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y>
void inclusive_scan(MPI_Comm comm, Exec const& exec, X const& x, Y const& y,
                    Settings const& settings = {}) {
  Impl::scan_over_ranks_with<Impl::ScanKind::inclusive, Accumulator>(
      comm, exec, x, y, 0, settings);
}

/// Inclusive scan over the ranks from an initial value, `init` plus all
/// elements up to `x(i)`, or with a total.
///
/// \param init_or_total as of KokkosMMA::exclusive_scan. Every rank gets the
///        total of all ranks, without `init`
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::NotSettings Argument>
void inclusive_scan(MPI_Comm comm, Exec const& exec, X const& x, Y const& y,
                    Argument&& init_or_total, Settings const& settings = {}) {
  Impl::scan_over_ranks_with<Impl::ScanKind::inclusive, Accumulator>(
      comm, exec, x, y, static_cast<Argument&&>(init_or_total), settings);
}

/// Inclusive scan over the ranks from an initial value; also writes a total.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init, Impl::NotSettings Last>
void inclusive_scan(MPI_Comm comm, Exec const& exec, X const& x, Y const& y,
                    Init&& init, Last&& total, Settings const& settings = {}) {
  KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL("KokkosMMA::mpi::inclusive_scan", Last);
  if constexpr (Impl::is_total<std::remove_cvref_t<Last>>) {
    Impl::scan_over_ranks<Impl::ScanKind::inclusive, Accumulator, Exec, X, Y,
                          Init>(comm, exec, x, y, static_cast<Init&&>(init),
                                total.place(), settings);
  }
}

}  // namespace mpi
}  // namespace KokkosMMA

#endif
