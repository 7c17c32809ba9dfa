// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_DROP_IN_ROUTES_HPP
#define KOKKOSMMA_DROP_IN_ROUTES_HPP

/// \file
/// Routes the application's own functors, and those with which the standard
/// algorithms of Kokkos call parallel_reduce and parallel_scan. Only the
/// drop-in header includes it.

#include <adapters/kokkos/KokkosMMA_EnabledSpaces.hpp>
#include <core/KokkosMMA_Verbose.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdio>

namespace KokkosMMA::Impl {

/// Says once, before main, that the header is in the program. CUDA is not
/// asked: a child that is forked later could not use it any more.
inline bool announce_drop_in() {
  if (!environment_verbose()) return false;
#if defined(KOKKOS_ENABLE_CUDA)
  char const* const what = "";
#else
  char const* const what =
      "; parallel_reduce and parallel_scan take route generic (no Cuda "
      "execution space in this Kokkos)";
#endif
  std::fprintf(
      stderr,
      "KokkosMMA: drop-in active, Kokkos %d.%d.%d, execution spaces%s%s\n",
      KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100,
      enabled_spaces, what);
  return true;
}
inline bool const drop_in_announced = announce_drop_in();

}  // namespace KokkosMMA::Impl

// On other spaces nothing is taken over, and a source pays for nothing.
#if defined(KOKKOS_ENABLE_CUDA)

#include <adapters/kokkos/KokkosMMA_InterceptReduce.hpp>
#include <adapters/kokkos/KokkosMMA_InterceptScan.hpp>
#include <adapters/kokkos/KokkosMMA_StdScans.hpp>

namespace Kokkos::Experimental::Impl {
template <class IteratorType, class ValueType>
struct StdReduceDefaultFunctor;
template <class ValueType>
struct StdTranformReduceDefaultBinaryTransformFunctor;
template <class IndexType, class IteratorType1, class IteratorType2,
          class ReducerType, class TransformType>
struct StdTransformReduceTwoIntervalsFunctor;
}  // namespace Kokkos::Experimental::Impl

namespace KokkosMMA::Impl {

/// Kokkos::Experimental::reduce with the default sum.
template <class Iterator, class Value>
requires PlainIterator<Iterator>
struct VisibleData<
    Kokkos::Experimental::Impl::StdReduceDefaultFunctor<Iterator, Value>> {
  using Functor =
      Kokkos::Experimental::Impl::StdReduceDefaultFunctor<Iterator, Value>;
  static constexpr Source source = Source::view;
  using Element                  = typename Iterator::value_type;
  static VisibleOperands operands(Functor const& f) {
    return {&f.m_first[0], nullptr, stride_of(f.m_first), 1};
  }
};

/// Kokkos::Experimental::transform_reduce of two ranges with the default
/// product and sum.
template <class Index, class Iterator1, class Iterator2, class Value,
          class Space>
requires(PlainIterator<Iterator1>&& PlainIterator<Iterator2>&& std::is_same_v<
         typename Iterator1::value_type, typename Iterator2::value_type>) struct
    VisibleData<
        Kokkos::Experimental::Impl::StdTransformReduceTwoIntervalsFunctor<
            Index, Iterator1, Iterator2,
            Kokkos::Experimental::Impl::
                ReducerWithArbitraryJoinerNoNeutralElement<
                    Value,
                    Kokkos::Experimental::Impl::
                        StdTranformReduceDefaultJoinFunctor<Value>,
                    Space>,
            Kokkos::Experimental::Impl::
                StdTranformReduceDefaultBinaryTransformFunctor<Value>>> {
  static constexpr Source source = Source::product;
  using Element                  = typename Iterator1::value_type;
  template <class Functor>
  static VisibleOperands operands(Functor const& f) {
    return {&f.m_first1[0], &f.m_first2[0], stride_of(f.m_first1),
            stride_of(f.m_first2)};
  }
};

}  // namespace KokkosMMA::Impl

KOKKOSMMA_IMPL_ROUTE_REDUCE(RangePolicy, !KokkosMMA::Impl::OwnFunctor<F>)
KOKKOSMMA_IMPL_ROUTE_REDUCE(MDRangePolicy, !KokkosMMA::Impl::OwnFunctor<F>)
KOKKOSMMA_IMPL_ROUTE_SCAN(!KokkosMMA::Impl::OwnFunctor<F>)

#endif  // KOKKOS_ENABLE_CUDA
#endif
