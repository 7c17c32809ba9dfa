// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STD_SCANS_HPP
#define KOKKOSMMA_STD_SCANS_HPP

/// \file
/// Scans of Kokkos' standard algorithms over Views, as sums of visible data.
/// exclusive_scan calls parallel_scan with a functor that is recognised by its
/// type. inclusive_scan without an operator calls Thrust on Cuda, through an
/// overload; a more constrained overload is added here. Kokkos calls it by a
/// qualified name, so this header must precede Kokkos' own; otherwise Thrust
/// runs. Operators and transformations of the caller are opaque: parallel_scan
/// runs them like any other functor.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleScan.hpp>
#include <core/base/KokkosMMA_Verbose.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>
#include <type_traits>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>

// The first is Kokkos' functor for the default sum up to 4.x; the others
// compose it since 5.0.
namespace Kokkos::Experimental::Impl {
template <class ExeSpace, class IndexType, class ValueType, class FirstFrom,
          class FirstDest>
struct ExclusiveScanDefaultFunctorForKnownNeutralElement;
template <class ExeSpace, class IndexType, class ValueType, class FirstFrom,
          class FirstDest, class BinaryOpType, class UnaryOpType>
struct TransformExclusiveScanFunctorWithValueWrapper;
template <class ValueType>
struct StdExclusiveScanDefaultJoinFunctor;
struct StdNumericScanIdentityReferenceUnaryFunctor;
template <class T>
class RandomAccessIterator;
}  // namespace Kokkos::Experimental::Impl

namespace KokkosMMA::Impl {

/// Accumulator type: as in Kokkos the type of the initial value, or without one
/// of the elements, which wraps if it is narrow. But 16-bit floats are summed
/// in fp32, as everywhere in this library.
template <class Value>
using std_accumulator_t =
    std::conditional_t<is_16bit_float(scalar_v<Value>), float, Value>;

// Without a tile kernel the functor is invoked, so that mixed types convert as
// in Kokkos.
template <class From, class Dest, class Accumulator>
concept StdTile = PlainIterator<From> && PlainIterator<Dest> &&
    scan_tile_exists(scalar_v<typename From::value_type>, scalar_v<Accumulator>,
                     scalar_v<typename Dest::value_type>);

template <class Functor, class Value, class From, class Dest>
struct VisibleStdExclusiveScan {
  static constexpr bool visible  = true;
  static constexpr ScanKind kind = ScanKind::exclusive;
  using Input                    = typename From::value_type;
  using Output                   = typename Dest::value_type;
  using Accumulator              = std_accumulator_t<Value>;

  static ScanOperands<Accumulator> operands(Functor const& f) {
    return {&f.m_first_from[0], &f.m_first_dest[0], stride_of(f.m_first_from),
            stride_of(f.m_first_dest),
            static_cast<Accumulator>(f.m_init_value)};
  }
};

template <class Exec, class Index, class Value, class From, class Dest>
requires StdTile<From, Dest, std_accumulator_t<Value>>
struct VisibleScan<Kokkos::Experimental::Impl::
                       ExclusiveScanDefaultFunctorForKnownNeutralElement<
                           Exec, Index, Value, From, Dest>>
    : VisibleStdExclusiveScan<
          Kokkos::Experimental::Impl::
              ExclusiveScanDefaultFunctorForKnownNeutralElement<
                  Exec, Index, Value, From, Dest>,
          Value, From, Dest> {
};

template <class Exec, class Index, class Value, class From, class Dest>
requires StdTile<From, Dest, std_accumulator_t<Value>>
struct VisibleScan<
    Kokkos::Experimental::Impl::TransformExclusiveScanFunctorWithValueWrapper<
        Exec, Index, Value, From, Dest,
        Kokkos::Experimental::Impl::StdExclusiveScanDefaultJoinFunctor<Value>,
        Kokkos::Experimental::Impl::
            StdNumericScanIdentityReferenceUnaryFunctor>>
    : VisibleStdExclusiveScan<
          Kokkos::Experimental::Impl::
              TransformExclusiveScanFunctorWithValueWrapper<
                  Exec, Index, Value, From, Dest,
                  Kokkos::Experimental::Impl::
                      StdExclusiveScanDefaultJoinFunctor<Value>,
                  Kokkos::Experimental::Impl::
                      StdNumericScanIdentityReferenceUnaryFunctor>,
          Value, From, Dest> {
};

template <class Iterator>
inline constexpr bool is_view_iterator = false;
template <class T, class... P>
inline constexpr bool is_view_iterator<
    Kokkos::Experimental::Impl::RandomAccessIterator<Kokkos::View<T, P...>>> =
    true;

/// Default inclusive scans that a tile kernel supports. Outputs marked as
/// random-access, which has no meaning for a View that is written, are
/// excluded: through_thrust() marks them to call Kokkos' overload.
template <class From, class Dest>
concept InclusiveStdTile =
    is_view_iterator<From> && is_view_iterator<Dest> &&
    !Dest::view_type::memory_traits::is_random_access &&
    StdTile<From, Dest, std_accumulator_t<typename From::value_type>>;

/// Calls Kokkos' own overload, which serves all other iterators.
template <class From, class Dest>
Dest through_thrust(std::string const& label, Kokkos::Cuda const& exec,
                    From const& first, From const& last, Dest const& dest) {
  using View   = typename Dest::view_type;
  using Layout = typename View::array_layout;
  using Marked = Kokkos::View<
      typename View::data_type, Layout, typename View::device_type,
      Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>>;
  auto const n      = std::size_t(last - first);
  auto const layout = [&] {
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      return Layout(n, std::size_t(stride_of(dest)));
    } else {
      return Layout(n);
    }
  }();
  // Found by argument-dependent lookup, at the end of the translation unit.
  inclusive_scan_default_op_exespace_impl(
      label, exec, first, last,
      Kokkos::Experimental::Impl::RandomAccessIterator<Marked>(
          Marked(&dest[0], layout)));
  return dest + (last - first);
}

template <class From, class Dest>
Dest std_inclusive_scan(std::string const& label, Kokkos::Cuda const& exec,
                        From const& first, From const& last, Dest const& dest) {
  using Input       = typename From::value_type;
  using Output      = typename Dest::value_type;
  using Accumulator = std_accumulator_t<Input>;
  using Unmanaged   = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using X           = Kokkos::View<Input const*, Kokkos::LayoutStride,
                         typename From::view_type::device_type, Unmanaged>;
  using Y           = Kokkos::View<Output*, Kokkos::LayoutStride,
                         typename Dest::view_type::device_type, Unmanaged>;
  if (last - first < 1) return through_thrust(label, exec, first, last, dest);

  auto const n = std::size_t(last - first);
  ScanInto<X, Y, Accumulator, ScanKind::inclusive> const functor{
      X(&first[0], Kokkos::LayoutStride(n, std::size_t(stride_of(first)))),
      Y(&dest[0], Kokkos::LayoutStride(n, std::size_t(stride_of(dest)))),
      Accumulator(0)};
  auto const problem = scan_problem<Accumulator>(functor, n);
  RouteDecision const decision =
      decide_wish(effective_settings(), [&](Settings const& wish) {
        return route_scan(problem, Cuda::capability(exec.cuda_device()), wish,
                          Cuda::tuning(exec.cuda_device()));
      });
  if (decision.route == Route::generic) {
    last_route_of_this_thread() = Route::generic;
    Settings const asked        = effective_settings();
    if (asked.reproducibility != Reproducibility::run_to_run)
      report_level_of("Kokkos::Experimental::inclusive_scan", asked,
                      problem.accumulator, decision);
    return through_thrust(label, exec, first, last, dest);
  }
  // Not compared: Kokkos' own code is Thrust, not parallel_scan.
  std::optional<ScopedSettings> not_compared;
  if (environment_compare()) not_compared.emplace(Settings{decision.route});
  Kokkos::Profiling::pushRegion(label + " via Kokkos::parallel_scan");
  Kokkos::parallel_scan(
      label,
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::size_t>>(exec, 0,
                                                                        n),
      functor);
  exec.fence("Kokkos::inclusive_scan_default_op: fence after operation");
  Kokkos::Profiling::popRegion();
  return dest + (last - first);
}

}  // namespace KokkosMMA::Impl

namespace Kokkos::Experimental::Impl {

template <class InputIteratorType, class OutputIteratorType>
requires KokkosMMA::Impl::InclusiveStdTile<InputIteratorType,
                                           OutputIteratorType>
    OutputIteratorType inclusive_scan_default_op_exespace_impl(
        const std::string& label, const Cuda& ex, InputIteratorType first_from,
        InputIteratorType last_from, OutputIteratorType first_dest) {
  return KokkosMMA::Impl::std_inclusive_scan(label, ex, first_from, last_from,
                                             first_dest);
}

}  // namespace Kokkos::Experimental::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
