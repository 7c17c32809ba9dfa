// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_DISPATCH_HPP
#define KOKKOSMMA_SCAN_DISPATCH_HPP

/// \file
/// Implementation of scans: checks, route decision, and the launch of a functor
/// whose data are visible.

#include <adapters/algorithms/scan/KokkosMMA_ExactScan.hpp>
#include <adapters/algorithms/papers/KokkosMMA_ScanByMma.hpp>
#include <adapters/drop_in/KokkosMMA_PlannedScan.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// Whether the sum of X in `Accumulator` may be stored in a `Place`.
template <class Place, class X, class Accumulator>
constexpr bool total_holds() {
  if constexpr (is_view_place<Place>) {
    return Place::rank() == 0 && !std::is_const_v<typename Place::value_type> &&
           total_fits<value_of_place_t<Place>, X, Accumulator>;
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
  place.size = sizeof(value_of_place_t<Total>);
  if constexpr (is_view_place<Total>) {
    name        = concatenate("the total View \"", total.label(), "\"");
    place.begin = reinterpret_cast<std::uintptr_t>(total.data());
    if (place.begin == 0)
      invalid_argument(who, name, " is null; allocate it or pass a scalar");
  } else {
    place.begin = reinterpret_cast<std::uintptr_t>(&total);
  }
  place.end                    = place.begin + place.size;
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

/// Runs a scan by kernels of libkokkosmma_kernels where its route is `mma`,
/// else as run_planned_scan(). If these find no scratch memory, another route
/// runs.
template <class Policy, class Functor, class... Total>
Route run_scan_of(std::string const& label, CallPlan plan, Policy const& policy,
                  Functor const& functor, Total&... total) {
  if constexpr (has_scan_by_mma<typename Policy::execution_space, Functor>) {
    if (plan.decision.route == Route::mma) {
      if (scan_by_mma(label, policy.space(), functor, total...))
        return Route::mma;
      plan.decision.route = Route::streamed;
    }
  }
  return run_planned_scan(label, plan, policy, functor, total...);
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

  ScanProblem problem      = scan_problem(functor, n);
  problem.on_host          = is_host_space<Exec>;
  problem.may_be_exact     = has_exact_scan<Exec, Functor>;
  problem.mma_compiled     = has_scan_by_mma<Exec, Functor>;
  Capability const machine = capability(exec);
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
    last_route_of_this_thread() = decision.route;
    // On some spaces Kokkos does not write the total of an empty range.
    if constexpr (has_total) {
      using Value = value_of_place_t<Place>;
      if constexpr (is_view_place<Place>) {
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
        last_route_of_this_thread() = decision.route;
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
  } else if constexpr (std::is_same_v<value_of_place_t<Place>, Accumulator>) {
    ran = run_scan_of(name, plan, policy, functor, total);
  } else {
    ran = run_and_convert<Accumulator>(name, exec, total, [&](auto& wide) {
      return run_scan_of(name, plan, policy, functor, wide);
    });
  }
  last_route_of_this_thread() = ran;
  if (ran == Route::mma) report_call(who, label, decision);
  check_level_of_run(who, settings, decision, ran, problem.accumulator);
}

}  // namespace Impl
}  // namespace KokkosMMA

/// Checks the execution space, Views and accumulator of a scan.
#define KOKKOSMMA_IMPL_CHECK_SCAN(NAME, EXEC, X, Y, ACCUMULATOR) \
  KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE(NAME, EXEC);              \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, X, "x");            \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, Y, "y");            \
  KOKKOSMMA_IMPL_CHECK_TYPES(NAME, X, Y, "y", ACCUMULATOR)

#define KOKKOSMMA_IMPL_CHECK_SCAN_TOTAL(NAME, PLACE, X, ACCUMULATOR)           \
  static_assert(                                                               \
      KokkosMMA::Impl::total_holds<PLACE, X, ACCUMULATOR>(), NAME              \
      ": the total must be a scalar variable or a View of rank 0, not const; " \
      "for an integer sum an integer no narrower than the elements, "          \
      "otherwise floating point; and no wider than the accumulator, which "    \
      "you can choose: exclusive_scan<double>(...)")

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
    KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::exclusive_scan", Exec, X, Y, A);
    KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::exclusive_scan", Init, A);
  } else {
    KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::inclusive_scan", Exec, X, Y, A);
    KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::inclusive_scan", Init, A);
  }
  check_scan_views(who, x, y);
  if constexpr (has_total) {
    if constexpr (exclusive) {
      KOKKOSMMA_IMPL_CHECK_SCAN_TOTAL("KokkosMMA::exclusive_scan", Place, X, A);
    } else {
      KOKKOSMMA_IMPL_CHECK_SCAN_TOTAL("KokkosMMA::inclusive_scan", Place, X, A);
    }
    check_scan_total(who, x, y, total);
  }
  scan(label, who, exec, ScanInto<X, Y, A, Kind>{x, y, initial<A>(init)}, total,
       settings);
}

}  // namespace KokkosMMA::Impl

#undef KOKKOSMMA_IMPL_CHECK_SCAN

#endif
