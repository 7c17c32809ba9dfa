// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_REDUCE_HPP
#define KOKKOSMMA_MPI_REDUCE_HPP

#include <adapters/algorithms/reduce/KokkosMMA_Reduce.hpp>
#include <adapters/kokkos/KokkosMMA_AccumulatorTypes.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace KokkosMMA {
namespace Impl {

/// Adds exact sums over all ranks, as integers: the order has no effect.
template <int Limbs, int Lowest>
void add_over_ranks(char const* who, MPI_Comm comm,
                    ExactLimbs<Limbs, Lowest>& sum) {
  constexpr unsigned not_empty = 1u << 31;
  unsigned flags               = sum.flags | (sum.empty ? 0u : not_empty);
  sum.carry();
  check_mpi(who, "MPI_Allreduce",
            MPI_Allreduce(MPI_IN_PLACE, sum.limb, sum.limbs, MPI_INT64_T,
                          MPI_SUM, comm));
  check_mpi(
      who, "MPI_Allreduce",
      MPI_Allreduce(MPI_IN_PLACE, &flags, 1, MPI_UNSIGNED, MPI_BOR, comm));
  sum.flags = flags & ~not_empty;
  sum.empty = !(flags & not_empty);
}

/// Throws if an exact sum is temporarily not available.
[[gnu::cold]] inline void check_exact(char const* who, Refusal const& refusal) {
  if (refusal)
    throw std::runtime_error(concatenate(
        who, ": exact sums are not available: ", to_string(refusal)));
}

/// The caller's label, or else a default, of the kernels of an exact call.
inline std::string exact_label(char const* who, Settings const& settings) {
  return settings.label.empty() ? concatenate(who, "[exact]")
                                : std::string(settings.label);
}

template <class Sum>
Sum exact_sum_before_rank(char const* who, MPI_Comm comm, Sum mine) {
  Sum before;
  before.init();
  mine.carry();
  Sum received;
  check_mpi(who, "MPI_Exscan",
            MPI_Exscan(mine.limb, received.limb, mine.limbs, MPI_INT64_T,
                       MPI_SUM, comm));
  check_mpi(
      who, "MPI_Exscan",
      MPI_Exscan(&mine.flags, &received.flags, 1, MPI_UNSIGNED, MPI_BOR, comm));
  // MPI_Exscan leaves the result of rank 0 undefined.
  if (mpi_rank(who, comm) == 0) return before;
  received.empty = false;
  received.carry();
  return received;
}

struct NoExactSum {};

/// Type of the exact sum of terms; NoExactSum if `Exact` is false.
template <bool Exact, class Terms>
struct ExactSumOver {
  using type = NoExactSum;
};
template <class Terms>
struct ExactSumOver<true, Terms> {
  using type =
      typename decltype(std::declval<Terms const&>().exact_terms())::Sum;
};

template <class Exec, class Terms, class Result>
void reduce_over_ranks(MPI_Comm comm, Exec const& exec, Terms const& terms,
                       Result& result, Settings const& settings) {
  using R                   = std::remove_cv_t<Result>;
  using Value               = typename ResultOf<R>::Value;
  using Element             = typename Terms::Element;
  using Accumulator         = accumulator_t<Element, Value>;
  constexpr char const* who = "KokkosMMA::mpi::reduce";
  static_assert(!ResultOf<R>::is_reducer,
                "KokkosMMA::mpi::reduce: the result must be a scalar or a View "
                "of rank 0; the operation over ranks is the sum");
  refuse_explain(who, "explain KokkosMMA::reduce on this rank's View");

  constexpr bool sums_floats =
      is_floating(Terms::input) && is_floating(scalar_v<Value>);
  [[maybe_unused]] typename ExactSumOver<sums_floats, Terms>::type exact;

  MpiCall call;
  call.operation   = Terms::source == Source::product ? MpiOperation::dot
                                                      : MpiOperation::reduce;
  call.input       = Terms::input;
  call.output      = scalar_v<Value>;
  call.accumulator = scalar_v<Accumulator>;
  call.bytes       = sizeof(Element);
  std::vector<MpiCall> const calls = agree(who, comm, call, [&](MpiCall& mine) {
    check_result_place(who, result);
    terms.check(who);
    mine.extent[0]              = std::int64_t(terms.size());
    ReduceProblem const problem = reduce_problem<Exec, R>(terms);
    Capability const machine    = capability(exec);
    Settings const level =
        settle_level(who, settings,
                     level_of_reduction<Terms>(problem, machine,
                                               effective_settings(settings)));
    mine.same = std::uint64_t(level.reproducibility);
    if constexpr (sums_floats) {
      if (level.reproducibility != Reproducibility::run_to_run) {
        CallPlan const plan = decide_call(
            who, settings,
            [&](Settings const& requested) {
              return route_reduce(problem, machine, requested);
            },
            every_level);
        check_exact(who, exact_limbs_of(exact_label(who, settings), exec,
                                        terms.exact_terms(), exact));
        observed(plan.decision.route);
        report_call(who, std::string(settings.label), plan.decision);
        return;
      }
    }
    Accumulator part;
    run_reduce(std::string(settings.label), exec, terms, part, settings);
    mine.put(part);
  });
  check_same(who, calls, "levels of reproducibility");
  if constexpr (sums_floats) {
    if (calls[0].same != std::uint64_t(Reproducibility::run_to_run)) {
      add_over_ranks(who, comm, exact);
      put_exact(exec, result, exact);
      return;
    }
  }
  put_result(exec, result,
             static_cast<Value>(
                 sum_in_rank_order(Accumulator(0), calls, calls.size())));
}

}  // namespace Impl

namespace mpi {

/// Sums the elements of the Views of all ranks, or the element-wise products if
/// x is dot(a, b) or squares(a); every rank gets the sum. The result is that of
/// KokkosMMA::reduce for the Views one after another.
///
/// \code
/// mpi::reduce(comm, exec, x, sum);
/// mpi::reduce(comm, exec, KokkosMMA::dot(x, y), energy);
/// \endcode
///
/// \param comm an intracommunicator; all its ranks make the call, with the
///        same types
/// \param exec instance on which this rank's sum runs
/// \param x this rank's elements, any number of them, 0 included; or
///        KokkosMMA::dot(x, y) or squares(x) of this rank's Views
/// \param result scalar, or View of rank 0, overwritten with the same bits on
///        every rank
/// \param settings route; it may differ between ranks
///
/// Each rank reduces its View in one pass, in the accumulator's type. One
/// MPI_Allgather of 64 bytes per rank exchanges the sums and the checks; every
/// rank adds the sums in rank order. Integers are exact modulo 2^bits for any
/// number of ranks. Floating point has the error of the local sums and one
/// rounding. Results are bitwise reproducible for the same number of ranks,
/// sizes and devices. With Reproducibility::exact, which all ranks must
/// request, floating-point sums are correctly rounded: the same bits for any
/// number of ranks, sizes and devices, and products are not rounded either.
/// Then MPI_Allreduce adds integers: 88 bytes for floats and for products of
/// half_t, 544 for doubles and for products of bhalf_t and float, 1088 for
/// products of double.
///
/// The call waits for `exec`, also with a View as result. It then writes the
/// View, in order on `exec`.
///
/// \throws std::invalid_argument on every rank if arguments of a rank are
/// rejected (see KokkosMMA::reduce) or types differ; nothing is written then.
template <class Exec, Impl::Summable X, class Result>
void reduce(MPI_Comm comm, Exec const& exec, X const& x, Result&& result,
            Settings const& settings = {}) {
  using Reduce = Impl::CheckedReduce<X>;
  Reduce::template check<Exec, std::remove_cvref_t<Result>>();
  Impl::reduce_over_ranks(comm, exec, Reduce::terms(x), result, settings);
}

}  // namespace mpi
}  // namespace KokkosMMA

#endif
