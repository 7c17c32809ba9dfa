// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXACT_SCAN_HPP
#define KOKKOSMMA_EXACT_SCAN_HPP

/// \file
/// Exact scans, after the checks and decision of a scan: kernels on Cuda,
/// running superaccumulators on hosts.

#include <adapters/algorithms/reduce/KokkosMMA_ExactSum.hpp>
#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>
#include <backends/generic/KokkosMMA_ExactGeneric.hpp>
#include <backends/generic/KokkosMMA_HostSpace.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/scan/KokkosMMA_ExactScan.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#endif

#include <algorithm>
#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Placeholder for the total in a call without one.
struct NoTotal {};

template <class Exec, class Functor>
inline constexpr bool has_exact_scan = false;
/// Kernels read memory, so Cuda needs visible Views; host code invokes x(i).
template <class Exec, class X, class Y, class A, ScanKind Kind>
inline constexpr bool has_exact_scan<Exec, ScanInto<X, Y, A, Kind>> =
    is_floating(scalar_v<typename X::non_const_value_type>) &&
    is_floating(scalar_v<A>) &&
    is_floating(scalar_v<typename Y::non_const_value_type>) &&
    (is_host_space<Exec>
#if KOKKOSMMA_IMPL_ON_CUDA()
     || (std::is_same_v<Exec, Kokkos::Cuda> &&
         VisibleScan<ScanInto<X, Y, A, Kind>>::visible)
#endif
    );

#if KOKKOSMMA_IMPL_ON_CUDA()
/// Launches an exact scan on the stream of `exec`. Returns the reason if that
/// is impossible; nothing is launched then.
template <class X, class Y, class A, ScanKind Kind, class Place>
Refusal exact_scan_on_cuda(std::string const& label, Kokkos::Cuda const& exec,
                           ScanInto<X, Y, A, Kind> const& scan, Place& total,
                           typename ExactViewTerms<X>::Sum const* others) {
  constexpr Scalar input   = scalar_v<typename X::non_const_value_type>;
  constexpr Scalar output  = scalar_v<typename Y::non_const_value_type>;
  constexpr bool has_total = !std::is_same_v<std::remove_cv_t<Place>, NoTotal>;
  using Value              = value_of_result_t<Place>;
  auto const operands = VisibleScan<ScanInto<X, Y, A, Kind>>::operands(scan);
  Cuda::ExactScanViews<input> const views{
      static_cast<ElementBits<input> const*>(operands.x),
      operands.stride_x,
      operands.y,
      operands.stride_y,
      scan.x.extent(0),
      0};
  Cuda::ExactInitial const initial{exact_bits(scan.init),
                                   float_format(scalar_v<A>)};
  ResultAddress at{nullptr, true};
  if constexpr (has_total) {
    at = address_of_result<Kokkos::Cuda>(total);
  }
  bool const on_device = at.on_device;
  Cuda::ExactRangeSum<input> before;
  if (others != nullptr) {
    std::copy(others->limb, others->limb + others->limbs, before.limb);
    before.flags = others->flags;
  }
  AnnouncedScan const announced(label, exec);
  return with_scratch(exec, on_device, [&](Cuda::StreamScratch const& scratch) {
    Cuda::launch_exact_scan<input, output, exact_carrier(scalar_v<A>),
                            Kind == ScanKind::inclusive,
                            Cuda::tuning_type<Cuda::exact_scan_tuning()>>(
        exec, scratch, views, initial,
        has_total ? float_format(scalar_v<Value>) : FloatFormat{}, at.data,
        on_device, others != nullptr ? &before : nullptr);
  });
}
#endif

/// Runs an exact scan. Returns the reason if it is currently not available.
/// \param total host variable, View of rank 0, or NoTotal
/// \param others sum of elements before x on other ranks, with NoTotal; or null
template <class Exec, class X, class Y, class A, ScanKind Kind, class Place>
Refusal exact_scan(std::string const& label, Exec const& exec,
                   ScanInto<X, Y, A, Kind> const& scan,
                   [[maybe_unused]] Place& total,
                   typename ExactViewTerms<X>::Sum const* others = nullptr) {
  if constexpr (is_host_space<Exec>) {
    auto sum = exact_scan_on_host<Kind == ScanKind::inclusive>(
        label, exec, scan.x, scan.y, scan.init, others);
    if constexpr (!std::is_same_v<std::remove_cv_t<Place>, NoTotal>) {
      put_exact(exec, total, sum);
    }
    return {};
  } else {
#if KOKKOSMMA_IMPL_ON_CUDA()
    return exact_scan_on_cuda(label, exec, scan, total, others);
#else
    return no_exact_sum;
#endif
  }
}

}  // namespace KokkosMMA::Impl

#endif
