// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_REDUCE_HPP
#define KOKKOSMMA_MPI_REDUCE_HPP

#include <adapters/algorithms/reduce/KokkosMMA_Reduce.hpp>
#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <vector>

namespace KokkosMMA {
namespace Impl {

/// A value of the host into the place that the caller named.
template <class Exec, class Place, class Value>
void put_result(Exec const& exec, Place& place, Value const& value) {
  if constexpr (Kokkos::is_view_v<std::remove_cv_t<Place>>) {
    Kokkos::deep_copy(exec, place, value);
  } else {
    place = value;
  }
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
/// nothing is left to the order of MPI_Allreduce.
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
        Accumulator part;
        KokkosMMA::reduce(exec, x, part, settings);
        mine.put(part);
      });
  Impl::put_result(exec, result,
                   static_cast<Value>(Impl::sum_in_rank_order(
                       Accumulator(0), calls, calls.size())));
}

}  // namespace mpi
}  // namespace KokkosMMA

#endif
