// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_HPP
#define KOKKOSMMA_SCAN_HPP

/// \file
/// Scans and their implementation: checks, route decision, and the launch of a
/// functor whose data are visible.

#include <adapters/algorithms/papers/KokkosMMA_ScanByMma.hpp>
#include <adapters/algorithms/scan/KokkosMMA_ExactScan.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptScan.hpp>
#include <adapters/drop_in/KokkosMMA_PlannedReduce.hpp>
#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_Mistakes.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// Whether the sum of X in `Accumulator` may be stored in a `Place`.
template <class Place, class X, class Accumulator>
constexpr bool total_holds() {
  if constexpr (is_result_view<Place>) {
    return Place::rank() == 0 && !std::is_const_v<typename Place::value_type> &&
           total_fits<value_of_result_t<Place>, X, Accumulator>;
  } else {
    return !std::is_const_v<Place> && total_fits<Place, X, Accumulator>;
  }
}

/// Rejects a total that has no memory or is one of the scanned elements.
template <class X, class Y, class Total>
void check_scan_total(char const* who, X const& x, Y const& y,
                      Total const& total) {
  std::string name = "total";
  AddressRange place;
  place.element = sizeof(value_of_result_t<Total>);
  if constexpr (is_result_view<Total>) {
    name        = concatenate("the total View \"", total.label(), "\"");
    place.begin = reinterpret_cast<std::uintptr_t>(total.data());
    if (place.begin == 0)
      invalid_argument(who, name, " is null; allocate it or pass a scalar");
  } else {
    place.begin = reinterpret_cast<std::uintptr_t>(&total);
  }
  place.end                    = place.begin + place.element;
  auto const refuse_element_of = [&](auto const& view) {
    if (may_share_bytes(address_range(view), place))
      invalid_argument(
          who, name, " at ", reinterpret_cast<void const*>(place.begin),
          " is an element of \"", view.label(), "\" at ",
          static_cast<void const*>(view.data()),
          "; pass a variable or View that is not an element of x or y");
  };
  refuse_element_of(x);
  refuse_element_of(y);
}

/// Scan of a View by name as input of the route function. Its levels of
/// reproducibility depend on the types, also of Views that kernels cannot load.
template <class Exec, class X, class Y, class A, ScanKind Kind>
ScanProblem scan_problem_by_name(ScanInto<X, Y, A, Kind> const& functor) {
  using Functor        = ScanInto<X, Y, A, Kind>;
  ScanProblem problem  = scan_problem(functor, functor.x.extent(0));
  problem.input        = scalar_v<typename X::non_const_value_type>;
  problem.accumulator  = scalar_v<A>;
  problem.output       = scalar_v<typename Y::non_const_value_type>;
  problem.sum          = true;
  problem.on_host      = is_host_space<Exec>;
  problem.may_be_exact = has_exact_scan<Exec, Functor>;
  problem.mma_compiled = has_scan_by_mma<Exec, Functor>;
  return problem;
}

/// Runs a scan and returns the route that ran. The call waits for a total on
/// the host. On Cuda the scan does not use Kokkos' dispatch. Route `mma`
/// launches kernels of libkokkosmma_kernels; if there is no scratch memory for
/// them, route `streamed` runs.
///
/// \param total none, or a variable or a View of rank 0 of the functor's value
/// type
template <class Policy, class Functor, class... Total>
Route run_scan_of(std::string const& label, CallPlan plan, Policy const& policy,
                  Functor const& functor, Total&... total) {
  static_assert(sizeof...(Total) <= 1);
  using Exec = typename Policy::execution_space;
  if constexpr (has_scan_by_mma<Exec, Functor>) {
    if (plan.decision.route == Route::mma) {
      if (scan_by_mma(label, policy.space(), functor, total...))
        return Route::mma;
      plan.decision.route = Route::streamed;
    }
  }
#if KOKKOSMMA_IMPL_ON_CUDA()
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    AnnouncedScan const announced(label, policy.space());
    if constexpr (sizeof...(Total) == 0) {
      static_assert(routable_scan<Functor, Policy, void>());
      return RoutedScan<Functor, Policy, void,
                        NativeScan<Functor, Policy>>::run_planned(plan, functor,
                                                                  policy);
    } else {
      auto const view = (view_of_result(total), ...);
      using View      = std::remove_const_t<decltype(view)>;
      using Value     = typename View::value_type;
      static_assert(routable_scan<Functor, Policy, Value>());
      using Native = NativeScanWithTotal<Functor, Policy, Value>;
      return waited(policy.space(),
                    RoutedScan<Functor, Policy, Value, Native>::run_planned(
                        plan, functor, policy, view),
                    device_writes<typename View::memory_space>);
    }
  } else
#endif
  {
    Kokkos::parallel_scan(label, policy, functor, total...);
    return plan.decision.route;
  }
}

/// Runs every scan of a View x, after its types are checked. `functor` is a
/// functor of this library, with a member x.
template <class Exec, class Functor, class Total>
void scan(std::string const& label, char const* who, Exec const& exec,
          Functor const& functor, Total& total, Settings const& settings) {
  using Place              = std::remove_cv_t<Total>;
  using Accumulator        = typename Functor::value_type;
  using Input              = typename decltype(functor.x)::non_const_value_type;
  constexpr bool has_total = !std::is_same_v<Place, NoTotal>;
  std::size_t const n      = functor.x.extent(0);

  ScanProblem const problem = scan_problem_by_name<Exec>(functor);
  Capability const machine  = capability(exec);
  OfferedLevel const offered =
      offered_level(problem, machine, effective_settings(settings));
  auto decided = decide_or_explain(
      who, settings,
      [&](Settings const& requested) {
        return route_scan(problem, machine, requested);
      },
      offered);
  if (!decided) return;
  RouteDecision decision = decided->decision;
  Settings call          = decided->settings;
  if (n == 0) {
    observed(decision.route);
    // On some spaces Kokkos does not write the total of an empty range.
    if constexpr (has_total) {
      using Value = value_of_result_t<Place>;
      if constexpr (is_result_view<Place>) {
        Kokkos::deep_copy(exec, total, Value(0));
      } else {
        total = Value(0);
        exec.fence("KokkosMMA: fence due to the total being a value");
      }
    }
    return;
  }

  if constexpr (has_exact_scan<Exec, Functor>) {
    if (is_to_be_exact(call.reproducibility, problem.on_host)) {
      std::string const name =
          label.empty()
              ? concatenate(who, "[exact,", to_string(scalar_v<Input>), "]")
              : label;
      Refusal const refusal = exact_scan(name, exec, functor, total);
      if (!refusal) {
        observed(decision.route);
        report_call(who, label, decision);
        return;
      }
      refuse_exact(who, settings, Reproducibility::device_independent, refusal);
      call.reproducibility = Reproducibility::device_independent;
    }
  }
  call.route = decision.route;
  std::string const& name =
      label.empty()
          ? label_of_route<Functor>(who, scalar_v<Input>, decision.route)
          : label;
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> const policy(exec,
                                                                         0, n);
  CallPlan const plan{call, decision};
  Route ran = decision.route;
  if constexpr (!has_total) {
    ran = run_scan_of(name, plan, policy, functor);
  } else if constexpr (std::is_same_v<value_of_result_t<Place>, Accumulator>) {
    ran = run_scan_of(name, plan, policy, functor, total);
  } else {
    ran = run_and_convert<Accumulator>(name, exec, total, [&](auto& wide) {
      return run_scan_of(name, plan, policy, functor, wide);
    });
  }
  observed(ran);
  if (ran == Route::mma) report_call(who, label, decision);
  check_level_of_run(who, settings, decision, ran, problem.accumulator);
}

}  // namespace Impl
}  // namespace KokkosMMA

#define KOKKOSMMA_IMPL_CHECK_SCAN_TOTAL(NAME, PLACE, X, ACCUMULATOR)           \
  static_assert(                                                               \
      KokkosMMA::Impl::total_holds<PLACE, X, ACCUMULATOR>(), NAME              \
      ": the total must be a scalar variable or a View of rank 0, not const; " \
      "for an integer sum an integer no narrower than the elements, "          \
      "otherwise floating point; and no wider than the accumulator, which "    \
      "you can choose: exclusive_scan<double>(...)")

/// Checks the types of scan_views().
#define KOKKOSMMA_IMPL_CHECK_SCAN(NAME)                 \
  KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE(NAME, Exec);     \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, Exec, X, "x");   \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, Exec, Y, "y");   \
  KOKKOSMMA_IMPL_CHECK_TYPES(NAME, X, Y, "y", A);       \
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT(NAME, Init, A);        \
  if constexpr (has_total) {                            \
    KOKKOSMMA_IMPL_CHECK_SCAN_TOTAL(NAME, Place, X, A); \
  }

namespace KokkosMMA::Impl {

/// Checks and runs every scan of a View: `total` may be NoTotal.
template <ScanKind Kind, class Accumulator, class Exec, class X, class Y,
          class Init, class Place>
void scan_views(std::string const& label, Exec const& exec, X const& x,
                Y const& y, Init&& init, Place& total,
                Settings const& settings) {
  constexpr bool exclusive = Kind == ScanKind::exclusive;
  constexpr bool has_total = !std::is_same_v<Place, NoTotal>;
  constexpr char const* who =
      exclusive ? "KokkosMMA::exclusive_scan" : "KokkosMMA::inclusive_scan";
  using A = chosen_accumulator_t<Accumulator, X, Y>;
  if constexpr (exclusive) {
    KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::exclusive_scan")
  } else {
    KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::inclusive_scan")
  }
  check_scan_views(who, x, y);
  if constexpr (has_total) {
    check_scan_total(who, x, y, total);
  }
  scan(label, who, exec, ScanInto<X, Y, A, Kind>{x, y, initial<A>(init)}, total,
       settings);
}

}  // namespace KokkosMMA::Impl

#undef KOKKOSMMA_IMPL_CHECK_SCAN

namespace KokkosMMA {

/// The variable or View that receives the total of a scan:
/// `exclusive_scan(exec, x, y, Total(sum))`. The call waits for a scalar
/// variable. A View has rank 0.
template <class Place>
class Total {
 public:
  /// A variable that outlives the call, or a View.
  explicit Total(Place& place) : m_place(place) {}
  /// A View, as a temporary.
  explicit Total(
      Place&& place) requires Kokkos::is_view_v<std::remove_cv_t<Place>>
      : m_place(place) {}

  /// The variable or View.
  auto& place() const { return m_place; }

 private:
  std::conditional_t<Kokkos::is_view_v<std::remove_cv_t<Place>>, Place const,
                     Place&>
      m_place;
};

namespace Impl {

template <class T>
inline constexpr bool is_total = false;
template <class Place>
inline constexpr bool is_total<Total<Place>> = true;

template <class T>
concept NotSettings = !std::same_as<std::remove_cvref_t<T>, Settings>;
template <class T>
concept InitialArgument = NotSettings<T> && !is_total<std::remove_cvref_t<T>>;

/// Rejects a total that is passed without Total().
#define KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL(NAME, TOTAL)                  \
  static_assert(KokkosMMA::Impl::is_total<std::remove_cvref_t<TOTAL>>, \
                NAME ": pass the total as KokkosMMA::Total(variable)")

/// Calls run(initial value, total) for an argument that is one of them.
template <class Argument, class Run>
void with_init_and_total(Argument&& init_or_total, Run const& run) {
  if constexpr (is_total<std::remove_cvref_t<Argument>>) {
    run(0, init_or_total.place());
  } else {
    NoTotal none;
    run(static_cast<Argument&&>(init_or_total), none);
  }
}

/// Scan with an initial value or a total.
template <ScanKind Kind, class Accumulator, class Exec, class X, class Y,
          class Argument>
void scan_with(Exec const& exec, X const& x, Y const& y,
               Argument&& init_or_total, Settings const& settings) {
  with_init_and_total(static_cast<Argument&&>(init_or_total),
                      [&]<class Init>(Init&& init, auto& total) {
                        scan_views<Kind, Accumulator, Exec, X, Y, Init>(
                            std::string(settings.label), exec, x, y,
                            static_cast<Init&&>(init), total, settings);
                      });
}

}  // namespace Impl

/// Exclusive scan from 0: `y(i) = x(0) + ... + x(i-1)`.
///
/// \code
/// KokkosMMA::exclusive_scan(exec, counts, offsets, KokkosMMA::Total(total));
/// KokkosMMA::exclusive_scan<double>(exec, floats, prefixes);
/// \endcode
///
/// \tparam Accumulator type of the running sum. The default is the wider of
///        both element types (at least 4 bytes for integers), fp32 for 16-bit
///        floats, and double if x has integers and y is floating point.
///        Floating-point elements may be added in float or double, if that is
///        at least as wide. Integers may be added in an integer type at least
///        as wide, in double, or, if they have 1 or 2 bytes, in float. Elements
///        are converted to this type before they are added
/// \param exec instance on which the scan runs
/// \param x rank-1 View, contiguous or strided, any alignment, of half_t,
///        bhalf_t, float, double, bool (counted) or integers
/// \param y View of the same extent and of these types except bool. Each prefix
///        is converted to it once. Integers in y are no narrower than those of
///        x. y is x (in place: same address, stride and element size) or shares
///        no memory with it
/// \param settings route, level of reproducibility and label
///
/// Accuracy and order: integers are exact modulo 2^bits of the accumulator.
/// Floating-point prefixes are sums in the accumulator's type; extent, types
/// and route define the order of additions. On Cuda repeated calls give the
/// same bits. Neighbouring prefixes may be rounded differently: they need not
/// differ by exactly one element. A NaN or an infinity affects the same
/// prefixes as in a sequential scan. A 16-bit output is a prefix in the
/// accumulator's type, rounded once. With Reproducibility::exact each prefix of
/// floating-point elements, and the total, is correctly rounded: its bits are
/// the same on every device and host. On Cuda this level reads x twice.
///
/// The call returns at once; its kernels run in order on `exec`.
///
/// On Cuda the scan is one pass over the data. Tiles are scanned in registers,
/// by shuffles or by MMA with triangular matrices of ones (Dakkak et al. 2019,
/// "Accelerating reduction and scan using tensor core units"). A tile gets the
/// sum of the elements before it by look-back (Merrill and Garland 2016,
/// "Single-pass parallel prefix scan with decoupled look-back") over fixed
/// windows of tiles.
///
/// \throws std::invalid_argument for different extents, Views that overlap
/// without being the same elements, missing memory, a forced route that cannot
/// run, or settings out of range; nothing is launched or written then.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y>
void exclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Settings const& settings = {}) {
  Impl::scan_with<Impl::ScanKind::exclusive, Accumulator>(exec, x, y, 0,
                                                          settings);
}

/// Exclusive scan with one more argument: an initial value,
/// `y(i) = init + x(0) + ... + x(i-1)`, or Total(place), which receives the
/// total.
///
/// \param init_or_total the initial value or Total(place).
///        An initial value is a constant, an expression, or a variable as
///        InitialValue(variable). It is converted to the accumulator's type;
///        an integer accumulator needs an integer initial value.
///        `place` is a scalar variable or a View of rank 0 that receives
///        `x(0) + ... + x(n-1)`: without the initial value, as in
///        Kokkos::parallel_scan, and 0 for empty Views. It is not an element of
///        x or y. Its type is no wider than the accumulator's; both are
///        integers, or both are floating point. The call waits for `exec` if
///        place is a scalar; it returns at once if place is a View of the
///        accumulator's type
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::NotSettings Argument>
void exclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Argument&& init_or_total, Settings const& settings = {}) {
  Impl::scan_with<Impl::ScanKind::exclusive, Accumulator>(
      exec, x, y, static_cast<Argument&&>(init_or_total), settings);
}

/// Exclusive scan from an initial value; also writes the total to `place` of
/// Total(place).
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init, Impl::NotSettings Last>
void exclusive_scan(Exec const& exec, X const& x, Y const& y, Init&& init,
                    Last&& total, Settings const& settings = {}) {
  KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL("KokkosMMA::exclusive_scan", Last);
  if constexpr (Impl::is_total<std::remove_cvref_t<Last>>) {
    Impl::scan_views<Impl::ScanKind::exclusive, Accumulator, Exec, X, Y, Init>(
        std::string(settings.label), exec, x, y, static_cast<Init&&>(init),
        total.place(), settings);
  }
}

/// Inclusive scan from 0: `y(i) = x(0) + ... + x(i)`. Parameters, accuracy,
/// order and errors are those of exclusive_scan().
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y>
void inclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Settings const& settings = {}) {
  Impl::scan_with<Impl::ScanKind::inclusive, Accumulator>(exec, x, y, 0,
                                                          settings);
}

/// Inclusive scan with one more argument: an initial value,
/// `y(i) = init + x(0) + ... + x(i)`, or Total(place), which receives the
/// total.
///
/// \param init_or_total as of exclusive_scan()
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::NotSettings Argument>
void inclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Argument&& init_or_total, Settings const& settings = {}) {
  Impl::scan_with<Impl::ScanKind::inclusive, Accumulator>(
      exec, x, y, static_cast<Argument&&>(init_or_total), settings);
}

/// Inclusive scan from an initial value; also writes the total to `place` of
/// Total(place).
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init, Impl::NotSettings Last>
void inclusive_scan(Exec const& exec, X const& x, Y const& y, Init&& init,
                    Last&& total, Settings const& settings = {}) {
  KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL("KokkosMMA::inclusive_scan", Last);
  if constexpr (Impl::is_total<std::remove_cvref_t<Last>>) {
    Impl::scan_views<Impl::ScanKind::inclusive, Accumulator, Exec, X, Y, Init>(
        std::string(settings.label), exec, x, y, static_cast<Init&&>(init),
        total.place(), settings);
  }
}

/// Deleted overloads of a scan for common mistakes; their error messages name
/// the mistake.
#define KOKKOSMMA_IMPL_DELETE_MISTAKES(SCAN)                                     \
  template <                                                                     \
      class Accumulator = void,                                                  \
      class What        = Mistake::                                              \
          x_and_y_must_have_rank_1_use_segmented_scans_for_the_rows_of_a_matrix, \
      Impl::ExecutionSpace Exec, Impl::AnyView X, Impl::AnyView Y,               \
      class... Rest>                                                             \
  requires(!Impl::Rank1View<X> || !Impl::Rank1View<Y>) void SCAN(                \
      Exec const&, X const&, Y const&, Rest&&...) = delete;                      \
  template <class Accumulator = void,                                            \
            class What        = Mistake::                                        \
                the_first_argument_must_be_an_instance_of_an_execution_space,    \
            Impl::AnyView X, class... Rest>                                      \
  void SCAN(X const&, Rest&&...) = delete

KOKKOSMMA_IMPL_DELETE_MISTAKES(exclusive_scan);
KOKKOSMMA_IMPL_DELETE_MISTAKES(inclusive_scan);

#undef KOKKOSMMA_IMPL_DELETE_MISTAKES

}  // namespace KokkosMMA

#endif
