// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REDUCE_HPP
#define KOKKOSMMA_REDUCE_HPP

/// \file
/// reduce() and its implementation: checks, route decision, and the launch of a
/// functor whose data are visible.

#include <adapters/algorithms/reduce/KokkosMMA_ExactSum.hpp>
#include <adapters/drop_in/KokkosMMA_PlannedReduce.hpp>
#include <adapters/kokkos/KokkosMMA_AccumulatorTypes.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_Functors.hpp>
#include <adapters/kokkos/KokkosMMA_Mistakes.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Properties of the result argument of a reduction: a scalar, a View of rank 0
/// or a reducer.
template <class R>
struct ResultOf {
  using Value                          = R;
  static constexpr bool is_view        = false;
  static constexpr bool is_reducer     = false;
  static constexpr Operation operation = Operation::sum;
  static_assert(!Kokkos::is_reducer<R>::value,
                "KokkosMMA::reduce: the reducer must be Kokkos::Sum, "
                "KokkosMMA::Sum, Kokkos::Prod, Kokkos::Min or Kokkos::Max; use "
                "Kokkos::parallel_reduce for others");
};
template <class T, class... P>
struct ResultOf<Kokkos::View<T, P...>> {
  using Value = typename Kokkos::View<T, P...>::non_const_value_type;
  static constexpr bool is_view        = true;
  static constexpr bool is_reducer     = false;
  static constexpr Operation operation = Operation::sum;
  static_assert(Kokkos::View<T, P...>::rank() == 0,
                "KokkosMMA::reduce: the result must be a scalar, a View of "
                "rank 0 or a reducer");
  static_assert(!std::is_const_v<T>,
                "KokkosMMA::reduce: the result View must not be const");
};
template <class Reducer, Operation Op>
struct ResultOfReducer {
  using Value                          = typename Reducer::value_type;
  static constexpr bool is_view        = false;
  static constexpr bool is_reducer     = true;
  static constexpr Operation operation = Op;
};
template <class T, class S>
struct ResultOf<Kokkos::Sum<T, S>>
    : ResultOfReducer<Kokkos::Sum<T, S>, Operation::sum> {};
template <class T, class S>
struct ResultOf<KokkosMMA::Sum<T, S>>
    : ResultOfReducer<KokkosMMA::Sum<T, S>, Operation::sum> {};
template <class T, class S>
struct ResultOf<Kokkos::Prod<T, S>>
    : ResultOfReducer<Kokkos::Prod<T, S>, Operation::prod> {};
template <class T, class S>
struct ResultOf<Kokkos::Min<T, S>>
    : ResultOfReducer<Kokkos::Min<T, S>, Operation::min> {};
template <class T, class S>
struct ResultOf<Kokkos::Max<T, S>>
    : ResultOfReducer<Kokkos::Max<T, S>, Operation::max> {};

/// Functor of Kokkos::parallel_reduce that joins x(i) with an operation.
template <class X, Operation Op>
struct LoadAndJoin {
  using kokkosmma_functor = void;
  X x;

  template <class Index, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Value& value) const {
    value = Combine<Op, Value>::apply(value, converted<Value>(x(i)));
  }
};

/// Elements of a View as operands of a reduction.
template <class X>
struct ReducedView {
  using Element                  = typename X::non_const_value_type;
  static constexpr Source source = Source::view;
  static constexpr Scalar input  = scalar_v<Element>;
  static constexpr bool is_plain = is_plain_source<X>;
  X x;

  std::size_t size() const { return x.extent(0); }
  void describe(ReduceProblem& problem) const {
    problem.contiguous    = is_contiguous(x);
    problem.functor_bytes = sizeof(Load<X>);
  }
  void check(char const* who) const { check_memory(who, "x", x); }
  /// Functor for Kokkos::parallel_reduce; its data are visible for a sum.
  template <Operation Op>
  auto functor() const {
    if constexpr (Op == Operation::sum) {
      return load(x);
    } else {
      return LoadAndJoin<X, Op>{x};
    }
  }
  auto exact_terms() const { return ExactViewTerms<X>{x}; }
};

/// Products of the elements of two Views as operands.
template <class X, class Y>
struct ReducedDot {
  // Factors are converted to the accumulator, whose type depends on the wider
  // element type.
  using First                           = typename X::non_const_value_type;
  using Second                          = typename Y::non_const_value_type;
  static constexpr bool second_is_wider = is_floating(scalar_v<First>) &&
                                                  is_floating(scalar_v<Second>)
                                              ? sizeof(Second) > sizeof(First)
                                              : keeps_sums<First, Second>;
  using Element = std::conditional_t<second_is_wider, Second, First>;
  static constexpr Source source = Source::product;
  static constexpr bool is_same  = std::is_same_v<First, Second>;
  static constexpr Scalar input  = is_same ? scalar_v<First> : Scalar::opaque;
  static constexpr bool is_plain = is_plain_source<X> && is_plain_source<Y>;
  X x;
  Y y;

  std::size_t size() const { return x.extent(0); }
  void describe(ReduceProblem& problem) const {
    problem.contiguous     = is_contiguous(x) && is_contiguous(y);
    problem.same_alignment = same_alignment(x, y);
    problem.functor_bytes  = sizeof(Dot<X, Y>);
  }
  void check(char const* who) const {
    check_memory(who, "x", x);
    check_memory(who, "y", y);
  }
  template <Operation Op>
  auto functor() const {
    static_assert(Op == Operation::sum,
                  "KokkosMMA::reduce: the reducer of a dot product must be "
                  "Kokkos::Sum or KokkosMMA::Sum; use Kokkos::parallel_reduce "
                  "for others");
    return Dot<X, Y>{x, y};
  }
  auto exact_terms() const { return ExactDotTerms<X, Y>{x, y}; }
};

/// Result argument of Kokkos::parallel_reduce for an operation: a reducer of
/// `place`, a value or a View; for a sum `place` itself.
template <Operation Op, class Value, class Place>
decltype(auto) result_argument(Place& place) {
  using Space = typename std::conditional_t<
      Kokkos::is_view_v<std::remove_cv_t<Place>>, Place,
      Kokkos::View<Value, Kokkos::HostSpace>>::memory_space;
  if constexpr (Op == Operation::sum) {
    return (place);
  } else if constexpr (Op == Operation::prod) {
    return Kokkos::Prod<Value, Space>(place);
  } else if constexpr (Op == Operation::min) {
    return Kokkos::Min<Value, Space>(place);
  } else {
    return Kokkos::Max<Value, Space>(place);
  }
}

template <class Exec, class R, class Terms>
ReduceProblem reduce_problem(Terms const& terms) {
  using Of = ResultOf<R>;
  ReduceProblem problem;
  problem.source      = Terms::source;
  problem.on_host     = is_host_space<Exec>;
  problem.input       = Terms::input;
  problem.value       = scalar_v<typename Of::Value>;
  problem.sum         = Of::operation == Operation::sum;
  problem.value_bytes = sizeof(typename Of::Value);
  problem.size        = terms.size();
  terms.describe(problem);
  // A kernel on a device can only invoke x(i), as it does an opaque functor.
  if (!problem.on_host && !Terms::is_plain) problem.source = Source::functor;
  return problem;
}

/// Whether the code of a reduction is compiled. After a failed static_assert
/// its errors would only hide the message.
template <class Exec, class R>
inline constexpr bool may_reduce =
    Kokkos::is_execution_space_v<Exec>&&
        scalar_v<typename ResultOf<R>::Value> != Scalar::opaque;
template <class Exec, class T, class... P>
inline constexpr bool may_reduce<Exec, Kokkos::View<T, P...>> =
    Kokkos::is_execution_space_v<Exec>&& Kokkos::View<T, P...>::rank() == 0;

template <class Exec, class X, class R>
constexpr void check_reduce_types() {
  using Element = typename X::non_const_value_type;
  using Value   = typename ResultOf<R>::Value;
  KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE("KokkosMMA::reduce", Exec);
  if constexpr (Kokkos::is_execution_space_v<Exec>) {
    KOKKOSMMA_IMPL_CHECK_REACHABLE("KokkosMMA::reduce", Exec, X, "x");
  }
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

/// Operands of a reduction of a View, or of a dot product, and the check of
/// their types.
template <class X>
struct CheckedReduce {
  template <class Exec, class R>
  static constexpr void check() {
    check_reduce_types<Exec, X, R>();
  }
  static ReducedView<X> terms(X const& x) { return {x}; }
};
template <class X, class Y>
struct CheckedReduce<Dot<X, Y>> {
  template <class Exec, class R>
  static constexpr void check() {
    check_reduce_types<Exec, X, R>();
    check_reduce_types<Exec, Y, R>();
  }
  static ReducedDot<X, Y> terms(Dot<X, Y> const& dot) { return {dot.x, dot.y}; }
};

/// Accumulator type. Minimum and maximum use the result's type: rounding keeps
/// the order. Products of integers for a floating-point result use double,
/// because they exceed the range of a 64-bit integer sooner than that of
/// double.
template <class Element, class R, class Value = typename ResultOf<R>::Value>
using reduce_accumulator_t = std::conditional_t<
    ResultOf<R>::operation == Operation::min ||
        ResultOf<R>::operation == Operation::max,
    Value,
    std::conditional_t<ResultOf<R>::operation == Operation::prod &&
                           std::is_integral_v<Element> &&
                           is_floating(scalar_v<Value>),
                       double, accumulator_t<Element, Value>>>;

/// Calls f(variable) with the variable or View that a result argument is or
/// refers to.
template <class Result, class F>
auto with_variable(Result& result, F const& f) {
  if constexpr (!ResultOf<std::remove_cv_t<Result>>::is_reducer) {
    return f(result);
  } else if (result.references_scalar()) {
    return f(result.reference());
  } else {
    auto const view = result.view();
    return f(view);
  }
}

template <class R>
void check_result_place(char const* who, R const& result) {
  if constexpr (ResultOf<R>::is_view) {
    if (result.data() == nullptr)
      invalid_argument(who, "the result View \"", result.label(),
                       "\" is null; allocate it or pass a scalar");
  } else if constexpr (ResultOf<R>::is_reducer) {
    if (result.view().data() == nullptr)
      invalid_argument(who,
                       "the View of the reducer is null; allocate it or pass "
                       "a reducer of a scalar");
  }
}

/// Level that a reduction offers. Kernels read memory, host code invokes x(i).
template <class Terms>
OfferedLevel level_of_reduction(ReduceProblem const& problem,
                                Capability const& machine,
                                Settings const& settings) {
  if (machine.cuda && !Terms::is_plain)
    return {Reproducibility::run_to_run, {"x(i) is not an element in memory"}};
  return offered_level(problem, machine, settings);
}

/// Runs every reduction of Views. The default label is a name such as
/// `KokkosMMA::reduce[mma,float]`.
template <class Exec, class Terms, class Result>
void run_reduce(std::string const& label, Exec const& exec, Terms const& terms,
                Result& result, Settings const& settings) {
  using R                   = std::remove_cv_t<Result>;
  using Of                  = ResultOf<R>;
  using Value               = typename Of::Value;
  using Element             = typename Terms::Element;
  using Accumulator         = reduce_accumulator_t<Element, R>;
  constexpr Operation op    = Of::operation;
  constexpr char const* who = "KokkosMMA::reduce";
  check_result_place(who, result);
  terms.check(who);

  ReduceProblem problem    = reduce_problem<Exec, R>(terms);
  Capability const machine = capability(exec);
  OfferedLevel const offered =
      level_of_reduction<Terms>(problem, machine, effective_settings(settings));
  auto const route_of = [&](Settings const& requested) {
    return route_reduce(problem, machine, requested, active_tuning(exec));
  };
  auto decided = decide_or_explain(who, settings, route_of, offered);
  if (!decided) return;
  RouteDecision decision = decided->decision;
  Settings call          = decided->settings;
  if constexpr (op == Operation::sum && is_floating(Terms::input) &&
                is_floating(scalar_v<Value>)) {
    if (call.reproducibility != Reproducibility::run_to_run) {
      std::string const name =
          label.empty()
              ? concatenate(who, "[exact,", to_string(scalar_v<Element>), "]")
              : label;
      Refusal const refusal = with_variable(result, [&](auto& variable) {
        return exact_sum(name, exec, terms.exact_terms(), variable);
      });
      if (!refusal) {
        observed(decision.route);
        report_call(who, label, decision);
        return;
      }
      refuse_exact(who, settings, Reproducibility::run_to_run, refusal);
      problem.intercepted = true;
      decision            = route_of(call);
    }
  }
  call.route = decision.route;
  std::string const& name =
      label.empty()
          ? label_of_route<Terms>(who, scalar_v<Element>, decision.route)
          : label;
  CallPlan const plan{call, decision};
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> const policy(
      exec, 0, terms.size());
  auto const functor = terms.template functor<op>();
  // Route mma converts sums in the kernel. So does route streamed for 16-bit
  // floats, which it keeps in fp32. run_and_convert() converts afterwards.
  bool const rounds_itself =
      op == Operation::sum &&
      (decision.route == Route::mma ||
       (decision.route == Route::streamed && is_16bit_float(scalar_v<Value>) &&
        std::is_same_v<Accumulator, float>));
  constexpr bool rounds = !std::is_same_v<Accumulator, Value>;
  Route ran             = decision.route;
  bool const converted  = rounds && !rounds_itself;
  if (!converted) ran = run_planned_reduce(name, plan, policy, functor, result);
  if constexpr (rounds) {
    // Kokkos' own kernel, which runs if the planned one cannot be launched, has
    // added in the type of the result.
    if (converted || ran != decision.route)
      ran = with_variable(result, [&](auto& variable) {
        return run_and_convert<Accumulator>(
            name, exec, variable, [&](auto& wide) {
              return run_planned_reduce(name, plan, policy, functor,
                                        result_argument<op, Accumulator>(wide));
            });
      });
  }
  check_level_of_run(who, settings, decision, ran, problem.value);
  observed(ran);
}

}  // namespace KokkosMMA::Impl

namespace KokkosMMA {

/// Reduces a View to one value: the sum, or the result of a Kokkos reducer; for
/// dot(a, b) and squares(a) the sum of the element-wise products.
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
///        which are converted. An empty x gives the reducer's identity
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
/// With Reproducibility::exact, products of two factors of the same
/// floating-point type are exact, and their sum is rounded once, at the end.
///
/// If the result is a scalar, the call waits for `exec`. If it is a View, the
/// call returns at once and its kernels run in order on `exec`; it waits only
/// if the running value has another type and is converted after the kernel.
/// Route mma, and route streamed for fp32 sums into 16-bit floats, convert it
/// in the kernel.
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
