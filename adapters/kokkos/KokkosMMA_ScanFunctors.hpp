// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_FUNCTORS_HPP
#define KOKKOSMMA_SCAN_FUNCTORS_HPP

#include <adapters/kokkos/KokkosMMA_ScanArguments.hpp>
#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleScan.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace KokkosMMA {
namespace Impl {

template <class Functor, class Init>
Functor starting_from(Functor functor, Init const& init) {
  functor.init = initial<typename Functor::value_type>(init);
  return functor;
}

}  // namespace Impl

/// Functor for `Kokkos::parallel_scan`: writes `y(i) = x(0) + ... + x(i-1)`.
/// The range is [0, x.extent(0)); the call may have a total, the sum of all
/// x(i).
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
/// \throws std::invalid_argument unless x and y have one extent and are the
/// same elements (in place) or share no memory
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y>
auto exclusive_scan_into(X const& x, Y const& y) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_TYPES("KokkosMMA::exclusive_scan_into", X, Y, "y", A);
  Impl::check_scan_views("KokkosMMA::exclusive_scan_into", x, y);
  return Impl::ScanInto<X, Y, A, Impl::ScanKind::exclusive>{x, y, A(0)};
}

/// Functor for `Kokkos::parallel_scan`: writes `y(i) = init + x(0) + ... +
/// x(i-1)`. A total is the sum of all x(i), without `init`. Asynchrony and
/// errors are those of the functor without `init`.
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y,
          class Init>
auto exclusive_scan_into(X const& x, Y const& y, Init&& init) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::exclusive_scan_into", Init, A);
  return Impl::starting_from(exclusive_scan_into<Accumulator>(x, y), init);
}

/// Functor for `Kokkos::parallel_scan`: writes `y(i) = x(0) + ... + x(i)`.
/// Parameters, asynchrony and errors are those of exclusive_scan_into().
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y>
auto inclusive_scan_into(X const& x, Y const& y) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_TYPES("KokkosMMA::inclusive_scan_into", X, Y, "y", A);
  Impl::check_scan_views("KokkosMMA::inclusive_scan_into", x, y);
  return Impl::ScanInto<X, Y, A, Impl::ScanKind::inclusive>{x, y, A(0)};
}

/// Functor for `Kokkos::parallel_scan`: writes `y(i) = init + x(0) + ... +
/// x(i)`. A total is the sum of all x(i), without `init`. Asynchrony and errors
/// are those of the functor without `init`.
template <class Accumulator = void, Impl::Rank1View X, Impl::Rank1View Y,
          class Init>
auto inclusive_scan_into(X const& x, Y const& y, Init&& init) {
  using A = Impl::chosen_accumulator_t<Accumulator, X, Y>;
  KOKKOSMMA_IMPL_CHECK_SCAN_INIT("KokkosMMA::inclusive_scan_into", Init, A);
  return Impl::starting_from(inclusive_scan_into<Accumulator>(x, y), init);
}

}  // namespace KokkosMMA

#endif
