// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REDUCE_HPP
#define KOKKOSMMA_REDUCE_HPP

#include <adapters/kokkos/KokkosMMA_Functors.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptReduce.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <adapters/kokkos/KokkosMMA_ToolsTuning.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

template <class R>
struct ResultOf {
  using Value                   = R;
  static constexpr bool is_view = false;
};
template <class T, class... P>
struct ResultOf<Kokkos::View<T, P...>> {
  using Value = typename Kokkos::View<T, P...>::non_const_value_type;
  static constexpr bool is_view = true;
  static_assert(Kokkos::View<T, P...>::rank() == 0,
                "KokkosMMA::reduce: the result must be a scalar or a View of "
                "rank 0");
  static_assert(!std::is_const_v<T>,
                "KokkosMMA::reduce: the result View must not be const");
};

template <class Exec, class X, class R>
ReduceProblem reduce_problem(X const& x) {
  using Element = typename X::non_const_value_type;
  using Value   = typename ResultOf<R>::Value;
  ReduceProblem problem;
  problem.source        = Source::view;
  problem.input         = scalar_v<Element>;
  problem.value         = scalar_v<Value>;
  problem.sum           = true;
  problem.contiguous    = x.stride(0) == 1 || x.extent(0) < 2;
  problem.value_bytes   = sizeof(Value);
  problem.functor_bytes = sizeof(Load<X>);
  problem.size          = x.extent(0);
  return problem;
}

template <class Exec, class X, class R>
constexpr void check_reduce_types() {
  using Element = typename X::non_const_value_type;
  using Value   = typename ResultOf<R>::Value;
  static_assert(
      Kokkos::is_execution_space_v<Exec>,
      "KokkosMMA::reduce: the first argument must be an instance of a "
      "Kokkos execution space");
  static_assert(
      Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible,
      "KokkosMMA::reduce: x must be accessible from the execution space; copy "
      "it "
      "with Kokkos::create_mirror_view_and_copy");
  static_assert(
      scalar_v<Element> != Scalar::opaque,
      "KokkosMMA::reduce: the elements must be half_t, bhalf_t, float, "
      "double, bool or integers of 1, 4 or 8 bytes; use "
      "Kokkos::parallel_reduce with a reducer of your own for other types");
  static_assert(
      scalar_v<Value> != Scalar::opaque && scalar_v<Value> != Scalar::boolean,
      "KokkosMMA::reduce: the result must be half_t, bhalf_t, float, double or "
      "an integer of 1, 4 or 8 bytes");
  static_assert(keeps_sums<Element, Value>,
                "KokkosMMA::reduce: an integer result cannot hold a sum of "
                "floating-point elements or of wider integers; make the result "
                "as wide as the elements, or convert them with "
                "KokkosMMA::transform");
}

// A result that is not its own accumulator: the sum is kept in a value of the
// accumulator's type and rounded into place.
template <class Accumulator, class Exec, class Policy, class Functor,
          class Result>
void reduce_and_round(std::string const& label, Exec const& exec,
                      Policy const& policy, Functor const& functor,
                      Result& result) {
  using Target = ResultOf<std::remove_cv_t<Result>>;
  using Value  = typename Target::Value;
  if constexpr (Target::is_view) {
    Kokkos::View<Accumulator, typename Exec::memory_space> const wide(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                           "KokkosMMA::reduce accumulator"));
    Kokkos::parallel_reduce(label, policy, functor, wide);
    Kokkos::View<Value, typename Exec::memory_space> const narrow(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                           "KokkosMMA::reduce rounded"));
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec>(exec, 0, 1),
        KOKKOS_LAMBDA(int) { narrow() = static_cast<Value>(wide()); });
    Kokkos::deep_copy(exec, result, narrow);
  } else {
    Accumulator wide;
    Kokkos::parallel_reduce(label, policy, functor, wide);
    result = static_cast<Value>(wide);
  }
}

}  // namespace Impl

/// Sum of the elements of a View: result = sum over i of x(i).
///
/// \param exec   instance on which the sum runs
/// \param x      rank-1 View, contiguous or strided, any alignment, of half_t,
///               bhalf_t, float, double, bool (counted) or integers
/// \param result scalar, or View of rank 0, overwritten; may be wider than x
/// \param settings route, formulation, chain length, block size
///
/// Accuracy: integers are exact modulo 2^bits of an integer result, which is no
/// narrower than they are; for a floating-point result no sum of theirs wraps,
/// and what is more than 64 bits can hold is kept in double. 16-bit floats are
/// accumulated in fp32, other floats at least in the wider of the two types,
/// and rounded once. The order of additions is fixed: repeated calls on a
/// device give the same bits. An empty x gives 0.
///
/// With a View as result the call returns at once, in order on `exec`, unless
/// the result is rounded from a wider type by another route than mma; with a
/// scalar it waits for `exec`.
///
/// \throws std::invalid_argument for a null result View, a forced route that
/// cannot run, or settings out of range; nothing is launched or written then.
template <class Exec, Impl::Rank1View X, class Result>
void reduce(Exec const& exec, X const& x, Result&& result,
            Settings const& settings = {}) {
  using R                   = std::remove_cvref_t<Result>;
  using Value               = typename Impl::ResultOf<R>::Value;
  using Element             = typename X::non_const_value_type;
  using Accumulator         = Impl::accumulator_t<Element, Value>;
  constexpr char const* who = "KokkosMMA::reduce";
  Impl::check_reduce_types<Exec, X, R>();
  Impl::check_settings(who, settings);
  if constexpr (Impl::ResultOf<R>::is_view) {
    if (result.data() == nullptr)
      Impl::invalid_argument(who, "the result View \"", result.label(),
                             "\" is null; allocate it or pass a scalar");
  }
  if (x.extent(0) > 0 && x.data() == nullptr)
    Impl::invalid_argument(who, "x has ", x.extent(0),
                           " elements and no memory; allocate it");

  Settings call               = Impl::effective_settings(settings);
  Impl::ReduceProblem const problem = Impl::reduce_problem<Exec, X, R>(x);
  Capability const machine    = capability(exec);
  Impl::RouteDecision decision =
      Impl::decide_call(who, settings, [&](Settings const& wish) {
        return route_reduce(problem, machine, wish, Impl::active_tuning(exec));
      });

  Impl::RouteOfCall const route(problem, machine, call, decision);
  decision.route = call.route = route.route();
  ScopedSettings const scope(call);
  std::string const label =
      Impl::concatenate(who, "[", to_string(decision.route), ",",
                        to_string(scalar_v<Element>), "]");
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> const policy(
      exec, 0, x.extent(0));
  // Kernels of ours keep sums of 16-bit floats in fp32 themselves.
  bool const rounds_itself =
      decision.route == Route::mma || (decision.route == Route::streamed &&
                                       Impl::is_16bit_float(scalar_v<Value>) &&
                                       std::is_same_v<Accumulator, float>);
  if constexpr (std::is_same_v<Accumulator, Value>) {
    Kokkos::parallel_reduce(label, policy, load(x), result);
  } else if (rounds_itself)
    Kokkos::parallel_reduce(label, policy, load(x), result);
  else
    Impl::reduce_and_round<Accumulator>(label, exec, policy, load(x), result);
  Impl::last_route_of_this_thread() = decision.route;
}

/// Which route `reduce` would take for these arguments, and why not the others.
template <class Exec, Impl::Rank1View X, class Result>
std::string explain_reduce(Exec const& exec, X const& x, Result const&,
                           Settings const& settings = {}) {
  using R = std::remove_cvref_t<Result>;
  Impl::check_reduce_types<Exec, X, R>();
  Impl::check_settings("KokkosMMA::explain_reduce", settings);
  return Impl::explain_call(settings,
                            [&](Settings const& call) {
                              return route_reduce(
                                  Impl::reduce_problem<Exec, X, R>(x),
                                  capability(exec), call,
                                  Impl::active_tuning(exec));
                            }) +
         Impl::tuning_note(exec);
}

}  // namespace KokkosMMA

#endif
