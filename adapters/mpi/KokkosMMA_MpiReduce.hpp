// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_REDUCE_HPP
#define KOKKOSMMA_MPI_REDUCE_HPP

#include <adapters/algorithms/reduce/KokkosMMA_Reduce.hpp>
#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace KokkosMMA {
namespace Impl {

/// The sum of what all ranks hold, as integers: the same whoever adds first.
template <Scalar Input>
void add_over_ranks(char const* who, MPI_Comm comm,
                    Superaccumulator<Input>& sum) {
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

}  // namespace Impl

namespace mpi {

/// Sum of the elements of all ranks' Views, on every rank: what
/// KokkosMMA::reduce gives for the Views one behind another.
///
/// \param comm   communicator of one group; all its ranks make the call, with
///               the same types
/// \param exec   instance on which this rank's sum runs
/// \param x      this rank's elements, as many as it has: also none
/// \param result scalar, or View of rank 0, overwritten with the same bits on
///               every rank
/// \param settings route, formulation, chain length, block size; they may
///               differ between ranks
///
/// Each rank reduces its View in one pass, in the accumulator's type; one
/// MPI_Allgather of 64 bytes per rank carries the sums and the checks; every
/// rank adds them in rank order. Integers: exact modulo 2^bits, whatever the
/// number of ranks. Floating point: the error of the local sums, and one
/// rounding. The same bits for the same number of ranks, sizes and devices:
/// nothing is left to the order of MPI_Allreduce. With reproducibility
/// Reproducibility::exact, which all ranks ask for, floating-point sums are
/// rounded correctly: the same bits for any number of ranks, sizes and devices.
/// Then MPI_Allreduce adds integers, 88 bytes of floats or 544 of doubles.
///
/// The call waits for `exec`, also with a View as result, which it then writes
/// in order on `exec`.
///
/// \throws std::invalid_argument on every rank when one rank's arguments are
/// refused (see KokkosMMA::reduce) or types differ; nothing is written then.
template <class Exec, Impl::Rank1View X, class Result>
void reduce(MPI_Comm comm, Exec const& exec, X const& x, Result&& result,
            Settings const& settings = {}) {
  using R                   = std::remove_cvref_t<Result>;
  using Value               = typename Impl::ResultOf<R>::Value;
  using Element             = typename X::non_const_value_type;
  using Accumulator         = Impl::accumulator_t<Element, Value>;
  constexpr char const* who = "KokkosMMA::mpi::reduce";
  Impl::check_reduce_types<Exec, X, R>();
  static_assert(!Impl::ResultOf<R>::is_reducer,
                "KokkosMMA::mpi::reduce: the result must be a scalar or a View "
                "of rank 0; the operation over ranks is the sum");
  Impl::refuse_explain(who, "explain KokkosMMA::reduce on this rank's View");

  constexpr bool sums_floats = Impl::is_floating(scalar_v<Element>) &&
                               Impl::is_floating(scalar_v<Value>);
  [[maybe_unused]] Impl::Superaccumulator<sums_floats ? scalar_v<Element>
                                                      : Scalar::float32>
      exact;

  Impl::MpiCall call;
  call.operation   = Impl::MpiOperation::reduce;
  call.input       = scalar_v<Element>;
  call.output      = scalar_v<Value>;
  call.accumulator = scalar_v<Accumulator>;
  call.bytes       = sizeof(Element);
  std::vector<Impl::MpiCall> const calls =
      Impl::agree(who, comm, call, [&](Impl::MpiCall& mine) {
        if constexpr (Impl::ResultOf<R>::is_view) {
          if (result.data() == nullptr)
            Impl::invalid_argument(who, "the result View \"", result.label(),
                                   "\" is null; allocate it or pass a scalar");
        }
        mine.extent[0] = std::int64_t(x.extent(0));
        Impl::ReducedView<X> const terms{x};
        Impl::ReduceProblem const problem =
            Impl::reduce_problem<Exec, R>(terms);
        Settings const mine_settled = Impl::settle_level(
            who, settings,
            Impl::level_of_reduction<Impl::ReducedView<X>>(
                problem, capability(exec), Impl::effective_settings(settings)));
        mine.same = std::uint64_t(mine_settled.reproducibility);
        if constexpr (sums_floats) {
          if (mine_settled.reproducibility != Reproducibility::run_to_run) {
            Impl::check_settings(who, settings);
            Impl::check_memory(who, "x", x);
            Impl::decide_call(
                who, settings,
                [&](Settings const& wish) {
                  return Impl::route_reduce(problem, capability(exec), wish);
                },
                Impl::every_level);
            Impl::Refusal const refusal = Impl::exact_limbs_of(
                Impl::concatenate(who, "[exact]"), exec, x, exact);
            if (refusal)
              throw std::runtime_error(Impl::concatenate(
                  who, ": the exact sum cannot be had: ", refusal.reason, " (",
                  refusal.source, ")"));
            return;
          }
        }
        Accumulator part;
        KokkosMMA::reduce(exec, x, part, settings);
        mine.put(part);
      });
  Impl::check_same(who, calls, "levels of reproducibility");
  if constexpr (sums_floats) {
    if (calls[0].same != std::uint64_t(Reproducibility::run_to_run)) {
      Impl::add_over_ranks(who, comm, exact);
      Impl::put_result(exec, result,
                       Impl::value_of_bits<Value>(
                           exact.round(Impl::float_format(scalar_v<Value>))));
      return;
    }
  }
  Impl::put_result(exec, result,
                   static_cast<Value>(Impl::sum_in_rank_order(
                       Accumulator(0), calls, calls.size())));
}

}  // namespace mpi
}  // namespace KokkosMMA

#endif
