// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STD_SCANS_HPP
#define KOKKOSMMA_STD_SCANS_HPP

/// \file
/// Scans of Kokkos' standard algorithms over Views, without an operator.
/// exclusive_scan calls parallel_scan with a functor that is recognised by its
/// type: its values carry a flag each, which a sum does not need.
/// inclusive_scan calls Thrust on Cuda, through an overload; a more constrained
/// overload is added here. Kokkos calls it by a qualified name, so this header
/// must precede Kokkos' own; otherwise Thrust runs. With an operator or a
/// transformation, parallel_scan runs their functor like any other.

#include <adapters/drop_in/KokkosMMA_InterceptScan.hpp>
#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>

#if KOKKOSMMA_IMPL_ON_CUDA()

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

template <class Iterator>
inline constexpr bool is_view_iterator = false;
template <class T, class... P>
inline constexpr bool is_view_iterator<
    Kokkos::Experimental::Impl::RandomAccessIterator<Kokkos::View<T, P...>>> =
    true;

/// Iterator over plain memory: it dereferences to a reference.
template <class Iterator>
concept PlainIterator =
    std::is_lvalue_reference_v<typename Iterator::reference>;

// Other mixtures of types convert as in Kokkos' functor.
template <class From, class Dest, class Accumulator>
concept StdSum = PlainIterator<From> && PlainIterator<Dest> &&
    scan_tile_exists(scalar_v<typename From::value_type>, scalar_v<Accumulator>,
                     scalar_v<typename Dest::value_type>);

/// Default inclusive scans that are not left to Thrust. Outputs marked as
/// random-access, which has no meaning for a View that is written, are
/// excluded: through_thrust() marks them to call Kokkos' overload.
template <class From, class Dest>
concept InclusiveStdScan =
    is_view_iterator<From> && is_view_iterator<Dest> &&
    !Dest::view_type::memory_traits::is_random_access &&
    StdSum<From, Dest,
           std_accumulator_t<std::remove_const_t<typename From::value_type>>>;

/// Functor of a sum, as the application could have written it: y[i] is `init`
/// and the sum of x[0] to x[i], or to x[i - 1].
template <class From, class Dest, class Accumulator, bool Inclusive>
struct StdSumScan {
  using value_type = Accumulator;
  From x;
  Dest y;
  Accumulator init;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::ptrdiff_t i,
                                              Accumulator& sum,
                                              bool final) const {
    // Read before y[i] is written: the two may be the same element.
    auto const value = static_cast<Accumulator>(x[i]);
    if constexpr (Inclusive) {
      add(sum, value);
    }
    if (final) {
      Accumulator prefix = init;
      add(prefix, sum);
      y[i] = static_cast<typename Dest::value_type>(prefix);
    }
    if constexpr (!Inclusive) {
      add(sum, value);
    }
  }
  /// Kokkos' default join would overflow where add() wraps.
  KOKKOS_FORCEINLINE_FUNCTION void join(Accumulator& into,
                                        Accumulator const& from) const {
    add(into, from);
  }
};

/// Functor of an exclusive scan, made from Kokkos' functor.
template <class From, class Dest, class Accumulator, class KokkosFunctor>
struct StdExclusiveScan : StdSumScan<From, Dest, Accumulator, false> {
  /// Lives until the call returns.
  KokkosFunctor const* kokkos;

  StdExclusiveScan(KokkosFunctor const& f)
      : StdSumScan<From, Dest, Accumulator, false>{f.m_first_from,
                                                   f.m_first_dest,
                                                   static_cast<Accumulator>(
                                                       f.m_init_value)},
        kokkos(&f) {}
};

/// Kokkos' own scan of its own functor.
template <class KokkosFunctor, class Policy>
class StdNativeScan : public NativeScan<KokkosFunctor, Policy> {
  using Value = typename ScanAnalysis<KokkosFunctor, Policy, void>::value_type;

 public:
  template <class Functor>
  StdNativeScan(Functor const& functor, Policy const& policy)
      : NativeScan<KokkosFunctor, Policy>(
            NativeFunctor<KokkosFunctor, Value>(*functor.kokkos), policy) {}
};

template <class From, class Dest, class Value, class KokkosFunctor>
struct ScannedByStdSum {
  using type =
      StdExclusiveScan<From, Dest, std_accumulator_t<Value>, KokkosFunctor>;
  template <class Policy>
  using Native = StdNativeScan<KokkosFunctor, Policy>;
};

template <class Exec, class Index, class Value, class From, class Dest>
requires StdSum<From, Dest, std_accumulator_t<Value>>
struct ScannedInstead<Kokkos::Experimental::Impl::
                          ExclusiveScanDefaultFunctorForKnownNeutralElement<
                              Exec, Index, Value, From, Dest>>
    : ScannedByStdSum<From, Dest, Value,
                      Kokkos::Experimental::Impl::
                          ExclusiveScanDefaultFunctorForKnownNeutralElement<
                              Exec, Index, Value, From, Dest>> {
};
template <class Exec, class Index, class Value, class From, class Dest>
requires StdSum<From, Dest, std_accumulator_t<Value>>
struct ScannedInstead<
    Kokkos::Experimental::Impl::TransformExclusiveScanFunctorWithValueWrapper<
        Exec, Index, Value, From, Dest,
        Kokkos::Experimental::Impl::StdExclusiveScanDefaultJoinFunctor<Value>,
        Kokkos::Experimental::Impl::
            StdNumericScanIdentityReferenceUnaryFunctor>>
    : ScannedByStdSum<
          From, Dest, Value,
          Kokkos::Experimental::Impl::
              TransformExclusiveScanFunctorWithValueWrapper<
                  Exec, Index, Value, From, Dest,
                  Kokkos::Experimental::Impl::
                      StdExclusiveScanDefaultJoinFunctor<Value>,
                  Kokkos::Experimental::Impl::
                      StdNumericScanIdentityReferenceUnaryFunctor>> {
};

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
      // Bounds are checked where Kokkos is configured to.
      return Layout(n, n > 1 ? std::size_t(&dest[1] - &dest[0]) : 1);
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

/// Functor of an inclusive scan, which Kokkos' own code computes by Thrust.
template <class From, class Dest>
struct StdInclusiveScan
    : StdSumScan<
          From, Dest,
          std_accumulator_t<std::remove_const_t<typename From::value_type>>,
          true> {
  std::function<void()> const* thrust;
};
/// Runs Thrust where RoutedScan runs Kokkos' own code.
struct ThrustScan {
  std::function<void()> const& thrust;

  template <class Functor, class Policy>
  ThrustScan(Functor const& functor, Policy const&) : thrust(*functor.thrust) {}
  void execute() const { thrust(); }
};

template <class From, class Dest>
Dest std_inclusive_scan(std::string const& label, Kokkos::Cuda const& exec,
                        From const& first, From const& last, Dest const& dest) {
  using Functor = StdInclusiveScan<From, Dest>;
  using Policy =
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::size_t>>;
  if (last - first < 1) return through_thrust(label, exec, first, last, dest);

  std::function<void()> const thrust = [&] {
    through_thrust(label, exec, first, last, dest);
  };
  Kokkos::Profiling::pushRegion(label + " via Kokkos::parallel_scan");
  {
    AnnouncedScan const announced(label, exec);
    RoutedScan<Functor, Policy, void, ThrustScan>(
        Functor{{first, dest, {}}, &thrust},
        Policy(exec, 0, std::size_t(last - first)))
        .execute();
  }
  exec.fence("Kokkos::inclusive_scan_default_op: fence after operation");
  Kokkos::Profiling::popRegion();
  return dest + (last - first);
}

}  // namespace KokkosMMA::Impl

namespace Kokkos::Experimental::Impl {

template <class InputIteratorType, class OutputIteratorType>
requires KokkosMMA::Impl::InclusiveStdScan<InputIteratorType,
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
