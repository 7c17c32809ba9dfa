// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REDUCE_HPP
#define KOKKOSMMA_REDUCE_HPP

#include <adapters/algorithms/reduce/KokkosMMA_ReduceDispatch.hpp>
#include <adapters/kokkos/KokkosMMA_Mistakes.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace KokkosMMA {

/// Reduces the elements of a View, or the element-wise products of two Views,
/// to one value: their sum, or the result of a Kokkos reducer.
///
/// \code
/// reduce(exec, x, sum);  // float sum
/// reduce(exec, KokkosMMA::dot(x, y), energy);
/// reduce(exec, x, Kokkos::Max<float>(largest));
/// reduce(exec, x, Kokkos::Sum<double>(norm), {.label = "norm"});
/// \endcode
///
/// \param exec instance on which the reduction runs
/// \param x View of rank 1, contiguous or strided, of any alignment, of half_t,
///        bhalf_t, float, double, bool (counted) or integers of 1, 4 or 8
///        bytes; or KokkosMMA::dot(x, y) or squares(x) of such Views, whose
///        reducer is a sum
/// \param result scalar or View of rank 0 that is overwritten by the sum; or
///        Kokkos::Sum, KokkosMMA::Sum, Kokkos::Prod, Kokkos::Min or Kokkos::Max
///        of a scalar or View. Its type may be wider than that of the elements,
///        which are converted. For an empty x it is the reducer's identity
/// \param settings route, level of reproducibility and label. With
///        Reproducibility::exact a sum of floating-point elements into a
///        floating-point result is correctly rounded: its bits depend on the
///        elements only
///
/// Accuracy: an integer result must be at least as wide as the elements;
/// integer sums wrap in its type. Integers summed into a
/// floating-point result do not wrap: sums that may exceed 64 bits use double.
/// 16-bit floats are summed in fp32, other floats at least in the wider of
/// element and result type; the result is rounded once. Factors are converted
/// to the type of the running sum before they are multiplied. The order of
/// additions is fixed: repeated calls on a device give the same bits. A minimum
/// or maximum compares as Kokkos::Min and Kokkos::Max do: NaNs are ignored.
/// With Reproducibility::exact, products of factors of one floating-point type
/// and their sums are not rounded; only a floating-point result is.
///
/// If the result is a scalar, the call waits for `exec`. If it is a View, the
/// call returns at once and its kernels run in order on `exec`; it waits only
/// if a route other than mma rounds the result from a wider type.
///
/// \throws std::invalid_argument for a null result View, a forced route that
/// cannot run, a level that is not available, or settings out of range; nothing
/// is launched or written then.
template <class Exec, Impl::Summable X, class Result>
void reduce(Exec const& exec, X const& x, Result&& result,
            Settings const& settings = {}) {
  using R = std::remove_cvref_t<Result>;
  Impl::CheckedReduce<X>::template check<Exec, R>();
  if constexpr (Impl::may_reduce<Exec, R>) {
    Impl::run_reduce(std::string(settings.label), exec,
                     Impl::CheckedReduce<X>::terms(x), result, settings);
  }
}

// Common mistakes: deleted overloads whose error messages name the mistake.
template <class What = Mistake::
              x_must_have_rank_1_use_segmented_reduce_for_the_rows_of_a_matrix,
          Impl::ExecutionSpace Exec, Impl::ViewOfOtherRank X, class... Rest>
void reduce(Exec const&, X const&, Rest&&...) = delete;
template <
    class What =
        Mistake::the_first_argument_must_be_an_instance_of_an_execution_space,
    class X, class... Rest>
requires(Impl::AnyView<X> || Impl::Summable<X>) void reduce(X const&,
                                                            Rest&&...) = delete;
template <class What = Mistake::
              the_result_is_missing_pass_a_scalar_a_View_of_rank_0_or_a_reducer,
          Impl::ExecutionSpace Exec, Impl::Summable X>
void reduce(Exec const&, X const&) = delete;

}  // namespace KokkosMMA

#endif
