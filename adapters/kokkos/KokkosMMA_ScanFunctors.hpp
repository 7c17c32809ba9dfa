// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_FUNCTORS_HPP
#define KOKKOSMMA_SCAN_FUNCTORS_HPP

#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleScan.hpp>
#include <core/base/KokkosMMA_Errors.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace KokkosMMA {

/// Passes a variable as the initial value of a scan: `exclusive_scan(exec, x,
/// y, InitialValue(n))`. A bare variable does not compile, because
/// `exclusive_scan(exec, x, y, n)` could mean n as the total. Constants and
/// expressions need no InitialValue.
template <class T>
struct InitialValue {
  T value;  ///< the initial value
};
/// InitialValue(n) holds a copy of n.
template <class T>
InitialValue(T const&) -> InitialValue<T>;

namespace Impl {

template <class T>
struct InitialType {
  using type = T;
};
template <class T>
struct InitialType<InitialValue<T>> {
  using type = T;
};

/// Whether a scan may start from a value of this type.
template <class Init, class Accumulator>
inline constexpr bool may_start_from = is_scan_type<Init> &&
                                       (is_floating(scalar_v<Accumulator>) ||
                                        is_scan_integer<Init>);

/// Whether an argument of type `Init&&` is a variable that holds a number: it
/// could be meant as the total.
template <class Init>
inline constexpr bool is_variable =
    std::is_lvalue_reference_v<Init> &&
    !std::is_const_v<std::remove_reference_t<Init>> &&
    is_scan_type<std::remove_cvref_t<Init>>;

template <class Accumulator, class Init>
Accumulator initial(Init const& init) {
  return static_cast<Accumulator>(init);
}
template <class Accumulator, class T>
Accumulator initial(InitialValue<T> const& init) {
  return static_cast<Accumulator>(init.value);
}

}  // namespace Impl
}  // namespace KokkosMMA

/// INIT: the type that a forwarding reference deduces.
#define KOKKOSMMA_IMPL_CHECK_SCAN_INIT(NAME, INIT, ACCUMULATOR)              \
  static_assert(!KokkosMMA::Impl::is_variable<INIT>, NAME                    \
                ": a variable after y may be meant as the initial value or " \
                "as the total; write KokkosMMA::InitialValue(variable) or "  \
                "KokkosMMA::Total(variable)");                               \
  static_assert(                                                             \
      KokkosMMA::Impl::may_start_from<typename KokkosMMA::Impl::InitialType< \
                                          std::remove_cvref_t<INIT>>::type,  \
                                      ACCUMULATOR>,                          \
      NAME                                                                   \
      ": the initial value must be a number that the accumulator can hold: " \
      "an integer for an integer sum; pass a total as "                      \
      "KokkosMMA::Total(variable)")

namespace KokkosMMA {

/// Functor for `Kokkos::parallel_scan`: writes `y(i) = init + x(0) + ... +
/// x(i-1)`. The range is [0, x.extent(0)); the call may have a total, the sum
/// of all x(i), without `init`.
///
/// \code
/// Kokkos::parallel_scan("offsets", n, KokkosMMA::exclusive_scan_into(x, y));
/// \endcode
///
/// On Kokkos::Cuda a kernel of this library reads and writes the Views, which
/// it knows from the functor's type. On other spaces Kokkos invokes the
/// functor. Asynchrony is that of Kokkos::parallel_scan.
///
/// \tparam Accumulator type of the running sum and of the total; by default the
///        wider of the two element types, fp32 for 16-bit floats
/// \param init initial value, 0 by default: a constant or an expression; a
///        variable as InitialValue(variable)
/// \throws std::invalid_argument unless x and y have one extent and are the
/// same elements (in place) or share no memory
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y,
          class Init        = int>
auto exclusive_scan_into(X const& x, Y const& y, Init&& init = 0) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_TYPES("KokkosMMA::exclusive_scan_into", X, Y, "y", A);
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::exclusive_scan_into", Init, A);
  Impl::check_scan_views("KokkosMMA::exclusive_scan_into", x, y);
  return Impl::ScanInto<X, Y, A, Impl::ScanKind::exclusive>{
      x, y, Impl::initial<A>(init)};
}

/// Functor for `Kokkos::parallel_scan`: writes `y(i) = init + x(0) + ... +
/// x(i)`. Parameters, asynchrony and errors are those of exclusive_scan_into().
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y,
          class Init        = int>
auto inclusive_scan_into(X const& x, Y const& y, Init&& init = 0) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_TYPES("KokkosMMA::inclusive_scan_into", X, Y, "y", A);
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::inclusive_scan_into", Init, A);
  Impl::check_scan_views("KokkosMMA::inclusive_scan_into", x, y);
  return Impl::ScanInto<X, Y, A, Impl::ScanKind::inclusive>{
      x, y, Impl::initial<A>(init)};
}

}  // namespace KokkosMMA

#endif
