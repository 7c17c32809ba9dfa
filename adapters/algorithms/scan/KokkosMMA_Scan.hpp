// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_HPP
#define KOKKOSMMA_SCAN_HPP

#include <adapters/drop_in/KokkosMMA_InterceptScan.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <adapters/kokkos/KokkosMMA_ToolsTuning.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// A scalar, or a View of rank 0, as the place of a total.
template <class Place>
struct TotalOf {
  using Value                   = Place;
  static constexpr bool is_view = false;
  static constexpr int rank     = 0;
};
template <class T, class... P>
struct TotalOf<Kokkos::View<T, P...>> {
  using Value                   = typename Kokkos::View<T, P...>::value_type;
  static constexpr bool is_view = true;
  static constexpr int rank     = int(Kokkos::View<T, P...>::rank());
};

/// Whether the sum of `X`, kept in `Accumulator`, may be stored to this place.
template <class Place, class X, class Accumulator>
constexpr bool total_holds() {
  using Of    = TotalOf<std::remove_cv_t<Place>>;
  using Value = typename Of::Value;
  return Of::rank == 0 && !std::is_const_v<Value> &&
         (Of::is_view ||
          !std::is_const_v<Place>)&&total_fits<Value, X, Accumulator>;
}

/// The place of a total that nobody asked for.
struct NoTotal {};

/// Refuses a total that has no memory or is one of the scanned elements.
template <class X, class Y, class Total>
void check_scan_total(char const* who, X const& x, Y const& y,
                      Total const& total) {
  using Of         = TotalOf<Total>;
  std::string name = "total";
  AddressRange place;
  place.size = sizeof(typename Of::Value);
  if constexpr (Of::is_view) {
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
          static_cast<void const*>(view.data()), "; pass a place of its own");
  };
  refuse_element_of(x);
  refuse_element_of(y);
}

/// Kokkos::parallel_scan with a total of another type than the running sum: it
/// is kept in the sum's type and converted into place.
template <class Exec, class Policy, class Functor, class Total>
void scan_and_convert(std::string const& label, Exec const& exec,
                      Policy const& policy, Functor const& functor,
                      Total& total) {
  using Of          = TotalOf<std::remove_cv_t<Total>>;
  using Value       = typename Of::Value;
  using Accumulator = typename Functor::value_type;
  if constexpr (Of::is_view) {
    Kokkos::View<Accumulator, typename Exec::memory_space> const wide(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                           "KokkosMMA::scan accumulator"));
    Kokkos::parallel_scan(label, policy, functor, wide);
    Kokkos::View<Value, typename Exec::memory_space> const narrow(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                           "KokkosMMA::scan converted"));
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec>(exec, 0, 1),
        KOKKOS_LAMBDA(int) { narrow() = static_cast<Value>(wide()); });
    Kokkos::deep_copy(exec, total, narrow);
  } else {
    Accumulator wide;
    Kokkos::parallel_scan(label, policy, functor, wide);
    total = static_cast<Value>(wide);
  }
}

/// Both scans, after their types were checked.
template <class Exec, class X, class Y, class Accumulator, ScanKind Kind,
          class Total>
void scan(char const* who, Exec const& exec,
          ScanInto<X, Y, Accumulator, Kind> const& functor, Total& total,
          Settings const& settings) {
  using Place              = std::remove_cv_t<Total>;
  using Input              = typename X::non_const_value_type;
  constexpr bool has_total = !std::is_same_v<Place, NoTotal>;
  std::size_t const n      = functor.x.extent(0);

  Settings call             = effective_settings(settings);
  ScanProblem const problem = scan_problem<Accumulator>(functor, n);
  Capability const machine  = capability(exec);
  RouteDecision decision =
      decide_call(who, settings, [&](Settings const& wish) {
        return route_scan(problem, machine, wish, active_tuning(exec));
      });
  // On Cuda the interception records what it did.
  if (n == 0 || !machine.cuda) last_route_of_this_thread() = decision.route;

  if (n == 0) {
    // Kokkos leaves the total of an empty range as it is on some spaces.
    if constexpr (has_total) {
      using Value = typename TotalOf<Place>::Value;
      if constexpr (TotalOf<Place>::is_view) {
        Kokkos::deep_copy(exec, total, Value(0));
      } else {
        total = Value(0);
        exec.fence("KokkosMMA: fence due to the total being a value");
      }
    }
    return;
  }

  RouteOfCall const route(problem, machine, call, decision);
  decision.route = call.route = route.route();
  ScopedSettings const scope(call);
  std::string const label = concatenate(who, "[", to_string(decision.route),
                                        ",", to_string(scalar_v<Input>), "]");
  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> const policy(exec,
                                                                         0, n);
  if constexpr (!has_total) {
    Kokkos::parallel_scan(label, policy, functor);
  } else if constexpr (std::is_same_v<typename TotalOf<Place>::Value,
                                      Accumulator>) {
    Kokkos::parallel_scan(label, policy, functor, total);
  } else {
    scan_and_convert(label, exec, policy, functor, total);
  }
}

}  // namespace Impl

/// Where the total of a scan goes: `exclusive_scan(exec, x, y, Total(sum))`. A
/// scalar variable, for which the call waits, or a View of rank 0.
template <class Place>
class Total {
 public:
  /// A variable that outlives the call, or a View.
  explicit Total(Place& place) : m_place(place) {}
  /// A View that nothing else holds.
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

/// No argument is the total without saying so.
#define KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL(NAME, TOTAL) \
  static_assert(sizeof(TOTAL) == 0,                   \
                NAME ": the total comes by its name, KokkosMMA::Total(place)")

}  // namespace Impl

/// What every scan demands of its space, its Views and its accumulator.
#define KOKKOSMMA_IMPL_CHECK_SCAN(NAME, EXEC, X, Y, ACCUMULATOR) \
  KOKKOSMMA_IMPL_CHECK_EXECUTION_SPACE(NAME, EXEC);              \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, X, "x");            \
  KOKKOSMMA_IMPL_CHECK_REACHABLE(NAME, EXEC, Y, "y");            \
  KOKKOSMMA_IMPL_CHECK_TYPES(NAME, X, Y, "y", ACCUMULATOR)

#define KOKKOSMMA_IMPL_CHECK_SCAN_TOTAL(NAME, PLACE, X, ACCUMULATOR)        \
  static_assert(KokkosMMA::Impl::total_holds<PLACE, X, ACCUMULATOR>(), NAME \
                ": the total must be a scalar variable or a View of rank "  \
                "0, not const, an integer no narrower than the elements "   \
                "for an integer sum, floating point otherwise, and no "     \
                "wider than the accumulator, which can be named: "          \
                "exclusive_scan<double>(...)")

/// Exclusive scan: y(i) = init + x(0) + ... + x(i-1), with init = 0 here.
///
/// \tparam Accumulator type of the running sum. By default the wider of both
///         element types, fp32 for 16-bit floats. Name one to sum in a wider
///         type; it must hold every x(i): floating-point elements take float or
///         double that are no narrower, integers take integers that are no
///         narrower, double, or for 2 bytes float. Integers for a
///         floating-point y are converted first and kept in double
/// \param exec instance on which the scan runs
/// \param x    rank-1 View, contiguous or strided, any alignment, of half_t,
///             bhalf_t, float, double, bool (counted) or integers
/// \param y    View of the same extent, of these types but bool: each prefix is
///             converted to it once; integers are no narrower than those of x.
///             The same elements as x (in place: same address, stride and
///             element size), or no byte in common with x
/// \param settings route. The formulations of the papers, chain lengths and
///             block sizes are for reductions: a formulation other than
///             `chained` keeps a scan off the mma route, the other two have no
///             effect here
///
/// Accuracy and order: integers are exact modulo 2^bits of the accumulator.
/// Floating-point prefixes are sums in the accumulator's type whose association
/// is fixed by the extent, the types and the route; on Cuda repeated calls give
/// the same bits. Neighbouring prefixes are sums of their own, not differences.
/// A NaN or an infinity reaches the prefixes that it reaches in a sequential
/// scan and no other. A 16-bit output is an fp32 prefix rounded once.
///
/// The call returns at once, in order on `exec`.
///
/// One pass over the data on Cuda: tiles are scanned in registers, by shuffles
/// or as products with triangular matrices of ones (Dakkak et al. 2019,
/// "Accelerating reduction and scan using tensor core units"), and learn what
/// comes before them by look-back (Merrill and Garland 2016, "Single-pass
/// parallel prefix scan with decoupled look-back") over fixed windows of tiles.
///
/// \throws std::invalid_argument for different extents, Views that overlap
/// without being the same elements, missing memory, a forced route that cannot
/// run, or settings out of range; nothing is launched or written then.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y>
void exclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Settings const& settings = {}) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::exclusive_scan", Exec, X, Y, A);
  exclusive_scan<Accumulator>(exec, x, y, A(0), settings);
}

/// Exclusive scan from an initial value: y(i) = init + x(0) + ... + x(i-1).
///
/// \param init number, converted to the accumulator; an integer where that is
///        one. A constant or an expression; a variable needs its name,
///        InitialValue(variable), and a total its own, Total(place)
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init>
void exclusive_scan(Exec const& exec, X const& x, Y const& y, Init&& init,
                    Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::exclusive_scan";
  using A                   = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::exclusive_scan", Exec, X, Y, A);
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::exclusive_scan", Init, A);
  Impl::check_settings(who, settings);
  Impl::check_scan_views(who, x, y);
  Impl::NoTotal none;
  Impl::scan(who, exec,
             Impl::ScanInto<X, Y, A, ScanKind::exclusive>{
                 x, y, Impl::initial<A>(init)},
             none, settings);
}

/// Exclusive scan with its total: y(i) = init + x(0) + ... + x(i-1), and
/// total = x(0) + ... + x(n-1), without `init`, as the total of
/// Kokkos::parallel_scan; 0 for empty Views.
///
/// \param total Total(place): a scalar variable, or a View of rank 0 that is no
///        element of x or y, of the accumulator's kind and no wider. With a
///        scalar the call waits for `exec`; with a View of the accumulator's
///        type it returns at once, in order on `exec`
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init, class Place>
void exclusive_scan(Exec const& exec, X const& x, Y const& y, Init&& init,
                    Total<Place> const& total, Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::exclusive_scan";
  using A                   = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::exclusive_scan", Exec, X, Y, A);
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::exclusive_scan", Init, A);
  KOKKOSMMA_IMPL_CHECK_SCAN_TOTAL("KokkosMMA::exclusive_scan", Place, X, A);
  Impl::check_settings(who, settings);
  Impl::check_scan_views(who, x, y);
  Impl::check_scan_total(who, x, y, total.place());
  Impl::scan(who, exec,
             Impl::ScanInto<X, Y, A, ScanKind::exclusive>{
                 x, y, Impl::initial<A>(init)},
             total.place(), settings);
}

/// Exclusive scan with its total, from 0.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, class Place>
void exclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Total<Place> const& total, Settings const& settings = {}) {
  exclusive_scan<Accumulator>(exec, x, y, 0, total, settings);
}

/// Does not compile: a total is named by Total(place).
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init,
          Impl::InitialArgument Bare>
void exclusive_scan(Exec const&, X const&, Y const&, Init&&, Bare&&,
                    Settings const& = {}) {
  KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL("KokkosMMA::exclusive_scan", Bare);
}

/// Inclusive scan: y(i) = x(0) + ... + x(i), in everything else like
/// exclusive_scan().
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y>
void inclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Settings const& settings = {}) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::inclusive_scan", Exec, X, Y, A);
  inclusive_scan<Accumulator>(exec, x, y, A(0), settings);
}

/// Inclusive scan from an initial value: y(i) = init + x(0) + ... + x(i).
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init>
void inclusive_scan(Exec const& exec, X const& x, Y const& y, Init&& init,
                    Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::inclusive_scan";
  using A                   = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::inclusive_scan", Exec, X, Y, A);
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::inclusive_scan", Init, A);
  Impl::check_settings(who, settings);
  Impl::check_scan_views(who, x, y);
  Impl::NoTotal none;
  Impl::scan(who, exec,
             Impl::ScanInto<X, Y, A, ScanKind::inclusive>{
                 x, y, Impl::initial<A>(init)},
             none, settings);
}

/// Inclusive scan with its total, which is without `init`.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init, class Place>
void inclusive_scan(Exec const& exec, X const& x, Y const& y, Init&& init,
                    Total<Place> const& total, Settings const& settings = {}) {
  constexpr char const* who = "KokkosMMA::inclusive_scan";
  using A                   = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::inclusive_scan", Exec, X, Y, A);
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::inclusive_scan", Init, A);
  KOKKOSMMA_IMPL_CHECK_SCAN_TOTAL("KokkosMMA::inclusive_scan", Place, X, A);
  Impl::check_settings(who, settings);
  Impl::check_scan_views(who, x, y);
  Impl::check_scan_total(who, x, y, total.place());
  Impl::scan(who, exec,
             Impl::ScanInto<X, Y, A, ScanKind::inclusive>{
                 x, y, Impl::initial<A>(init)},
             total.place(), settings);
}

/// Inclusive scan with its total, from 0.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, class Place>
void inclusive_scan(Exec const& exec, X const& x, Y const& y,
                    Total<Place> const& total, Settings const& settings = {}) {
  inclusive_scan<Accumulator>(exec, x, y, 0, total, settings);
}

/// Does not compile: a total is named by Total(place).
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y, Impl::InitialArgument Init,
          Impl::InitialArgument Bare>
void inclusive_scan(Exec const&, X const&, Y const&, Init&&, Bare&&,
                    Settings const& = {}) {
  KOKKOSMMA_IMPL_REFUSE_BARE_TOTAL("KokkosMMA::inclusive_scan", Bare);
}

/// Which route both scans would take for these arguments, and why not the
/// others.
template <class Accumulator = void, class Exec, Impl::Rank1View X,
          Impl::Rank1View Y>
std::string explain_scan(Exec const& exec, X const& x, Y const& y,
                         Settings const& settings = {}) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN("KokkosMMA::explain_scan", Exec, X, Y, A);
  Impl::check_settings("KokkosMMA::explain_scan", settings);
  Impl::ScanInto<X, Y, A, ScanKind::exclusive> const functor{x, y, A(0)};
  return Impl::explain_call(settings,
                            [&](Settings const& call) {
                              return route_scan(
                                  Impl::scan_problem<A>(functor, x.extent(0)),
                                  capability(exec), call,
                                  Impl::active_tuning(exec));
                            }) +
         Impl::tuning_note(exec);
}

#undef KOKKOSMMA_IMPL_CHECK_SCAN

}  // namespace KokkosMMA

#endif
