// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_FUNCTORS_HPP
#define KOKKOSMMA_SCAN_FUNCTORS_HPP

#include <adapters/kokkos/KokkosMMA_ScanInto.hpp>
#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleScan.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

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
