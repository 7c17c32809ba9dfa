// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_FUNCTORS_HPP
#define KOKKOSMMA_SCAN_FUNCTORS_HPP

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_ScanInto.hpp>
#include <adapters/kokkos/KokkosMMA_ViewChecks.hpp>
#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleData.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/scan/KokkosMMA_TileScan.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Functors of scans, and the Views that their types show.

namespace KokkosMMA {
namespace Impl {

/// Views of a scan at run time: element i is read at `x + i * stride_x` and
/// written at `y + i * stride_y`, in elements.
template <class Accumulator>
struct ScanOperands {
  void const* x           = nullptr;
  void* y                 = nullptr;
  std::ptrdiff_t stride_x = 1;
  std::ptrdiff_t stride_y = 1;
  Accumulator init{};

  bool contiguous() const { return stride_x == 1 && stride_y == 1; }
};

template <class X, class Y, class A, ScanKind Kind>
requires(is_plain_source<X>&&
             is_plain_memory<Y>) struct VisibleScan<ScanInto<X, Y, A, Kind>> {
  using Functor                 = ScanInto<X, Y, A, Kind>;
  static constexpr bool visible = true;
  using Input                   = typename X::non_const_value_type;
  using Output                  = typename Y::non_const_value_type;
  static constexpr bool tile_compiled =
      scan_tile_exists(scalar_v<Input>, scalar_v<A>, scalar_v<Output>);

  static ScanOperands<A> operands(Functor const& f) {
    // A View of one element has the stride of the View that it is a part of.
    bool const one = f.x.extent(0) < 2;
    return {f.x.data(), f.y.data(), one ? 1 : std::ptrdiff_t(f.x.stride(0)),
            one ? 1 : std::ptrdiff_t(f.y.stride(0)), f.init};
  }
  static void describe(Functor const& f, ScanProblem& problem) {
    problem.source        = Source::view;
    problem.input         = scalar_v<Input>;
    problem.accumulator   = scalar_v<A>;
    problem.output        = scalar_v<Output>;
    problem.sum           = true;
    problem.contiguous    = operands(f).contiguous();
    problem.tile_compiled = tile_compiled;
  }

#if KOKKOSMMA_IMPL_ON_CUDA()
  /// Scans elements [begin, begin + size) in tiles, or returns false if they
  /// are strided.
  template <class T>
  static bool scan(Functor const& f, Cuda::Stream const& stream,
                   Cuda::StreamScratch const& scratch, std::uint64_t begin,
                   std::uint64_t size, T* total, bool total_on_device) {
    using Value = std::conditional_t<
        std::is_floating_point_v<A>, A,
        std::conditional_t<sizeof(A) == 8, std::uint64_t, std::uint32_t>>;
    using Scan =
        WarpScanShuffle<Cuda::Warp, ScanElements<scalar_v<Input>, Value>,
                        Kind == ScanKind::inclusive>;
    ScanOperands<A> const all = operands(f);
    if (!all.contiguous()) return false;
    Cuda::launch_tile_scan<Scan, Output, T,
                           Cuda::tuning_type<tile_scan_tuning>>(
        stream, scratch, static_cast<Input const*>(all.x) + begin,
        static_cast<Output*>(all.y) + begin, size, static_cast<Value>(all.init),
        total, total_on_device);
    return true;
  }
#endif
};

/// Scan of a View as input of the route function.
template <class Functor>
ScanProblem scan_problem(Functor const& functor, std::uint64_t size) {
  ScanProblem problem;
  problem.value_bytes   = sizeof(typename Functor::value_type);
  problem.functor_bytes = sizeof(Functor);
  problem.size          = size;
  if constexpr (VisibleScan<Functor>::visible) {
    VisibleScan<Functor>::describe(functor, problem);
  }
  return problem;
}

}  // namespace Impl

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
/// \tparam Accumulator type of the running sum and of the total, as for
///        exclusive_scan()
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
