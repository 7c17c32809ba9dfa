// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_FUNCTORS_HPP
#define KOKKOSMMA_FUNCTORS_HPP

#include <adapters/kokkos/KokkosMMA_AccumulatorTypes.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_SumReducer.hpp>
#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <adapters/kokkos/KokkosMMA_VisibleData.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/reduce/KokkosMMA_MmaReduce.hpp>
#endif

#include <cstdint>
#include <type_traits>

namespace KokkosMMA {
namespace Impl {

/// Adds `a * b` to `sum`. Integers wrap, as in add().
template <class Value>
KOKKOSMMA_FORCEINLINE_FUNCTION void add_product(Value& sum, Value a, Value b) {
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    // At least as wide as int: narrower operands would be promoted to it.
    using Bits = std::make_unsigned_t<decltype(a + 0)>;
    add(sum, static_cast<Value>(static_cast<Bits>(a) * static_cast<Bits>(b)));
  } else {
    sum += a * b;
  }
}

// The functors have no value_type: Kokkos would use it instead of the type of
// the caller's result. That type is known, and checked, in operator().
#define KOKKOSMMA_IMPL_CHECK_SUM(NAME, FROM, TO)                               \
  static_assert((KokkosMMA::Impl::keeps_sums<FROM, TO>), NAME                  \
                ": an integer sum cannot hold floating-point numbers or "      \
                "wider integers; sum into a type that is as wide, or convert " \
                "the elements with KokkosMMA::transform")

/// Sum of x(i).
template <class X>
struct Load {
  using kokkosmma_functor = void;
  X x;

  template <class Index, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Value& sum) const {
    KOKKOSMMA_IMPL_CHECK_SUM("KokkosMMA::load",
                             typename X::non_const_value_type, Value);
    add(sum, converted<Value>(x(i)));
  }
};

/// Sum of x(i) * y(i); the factors are converted first, so the product is not
/// rounded to their type.
template <class X, class Y>
struct Dot {
  using kokkosmma_functor = void;
  X x;
  Y y;

  template <class Index, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Value& sum) const {
    KOKKOSMMA_IMPL_CHECK_SUM("KokkosMMA::dot, squares",
                             typename X::non_const_value_type, Value);
    KOKKOSMMA_IMPL_CHECK_SUM("KokkosMMA::dot, squares",
                             typename Y::non_const_value_type, Value);
    add_product(sum, converted<Value>(x(i)), converted<Value>(y(i)));
  }
};

/// Sum of op(x(i)).
template <class X, class Op>
struct Transform {
  using kokkosmma_functor = void;
  X x;
  Op op;

  template <class Index, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index i, Value& sum) const {
    KOKKOSMMA_IMPL_CHECK_SUM("KokkosMMA::transform",
                             std::remove_cvref_t<decltype(op(x(i)))>, Value);
    add(sum, converted<Value>(op(x(i))));
  }
};

#undef KOKKOSMMA_IMPL_CHECK_SUM

}  // namespace Impl

/// Functor for `Kokkos::parallel_reduce`: the sum of the elements of a View.
/// The range lies within [0, x.extent(0)).
///
/// \code
/// double sum;
/// Kokkos::parallel_reduce(x.extent(0), KokkosMMA::load(x), sum);
/// \endcode
///
/// The reducer is a sum: none, Kokkos::Sum or KokkosMMA::Sum. On Kokkos::Cuda a
/// kernel of this library reads the View, which it knows from the functor's
/// type, and may add on the tensor cores. On other spaces Kokkos invokes the
/// functor. Elements are converted to the type of the sum before they are
/// added; a sum in half_t or bhalf_t is accumulated in fp32 and rounded once.
/// An integer sum of floating-point elements or of wider integers does not
/// compile. Asynchrony is that of Kokkos::parallel_reduce.
template <Impl::Rank1View X>
auto load(X const& x) {
  return Impl::Load<X>{x};
}

/// Functor for `Kokkos::parallel_reduce` with a sum: the inner product of two
/// Views. Factors are converted to the type of the sum before they are
/// multiplied; a sum in half_t or bhalf_t is accumulated in fp32 and rounded
/// once. On Kokkos::Cuda a kernel of this library reads both Views and may use
/// the tensor cores. On other spaces Kokkos invokes the functor.
///
/// \throws std::invalid_argument when the extents differ
template <Impl::Rank1View X, Impl::Rank1View Y>
auto dot(X const& x, Y const& y) {
  if (x.extent(0) != y.extent(0))
    Impl::invalid_argument("KokkosMMA::dot", "extents differ: x \"", x.label(),
                           "\" has ", x.extent(0), ", y \"", y.label(),
                           "\" has ", y.extent(0),
                           "; pass Views of the same extent");
  return Impl::Dot<X, Y>{x, y};
}

/// Functor for `Kokkos::parallel_reduce` with a sum: the sum of the squares of
/// a View's elements. Elements are converted to the type of the sum before they
/// are multiplied. On Kokkos::Cuda a kernel of this library reads the View and
/// may use the tensor cores. On other spaces Kokkos invokes the functor.
template <Impl::Rank1View X>
auto squares(X const& x) {
  return Impl::Dot<X, X>{x, x};
}

/// Functor for `Kokkos::parallel_reduce` with a sum: the sum of `op(x(i))`.
/// `op` is invoked on the device with an element of x; its result is converted
/// to the type of the sum. Tensor cores are not used: the values exist in
/// registers only.
template <Impl::Rank1View X, class Op>
auto transform(X const& x, Op const& op) {
  return Impl::Transform<X, Op>{x, op};
}

namespace Impl {

/// Common part of data that tensor cores may sum.
struct SummedByMma {
  /// Whether tensor cores of some device can sum the elements.
  static constexpr bool sum_exists(ReduceProblem problem) {
    problem.contiguous = true;
    return !refuse_mma(problem, Capability{true, 90, 1}, Settings{});
  }
#if KOKKOSMMA_IMPL_ON_CUDA()
  /// Elements [begin, begin + size) for a kernel.
  template <class X>
  static VectorRange part_of(X const& x, std::uint64_t begin,
                             std::uint64_t size) {
    return vector_range(x.data() + begin, size, sizeof(typename X::value_type));
  }
#endif
};

template <class X>
requires is_plain_source<X>
struct VisibleData<Load<X>> : SummedByMma {
  static constexpr Source source = Source::view;
  using Element                  = typename X::non_const_value_type;

  static void describe(Load<X> const& f, ReduceProblem& problem) {
    problem.contiguous = f.x.stride(0) == 1;
  }
#if KOKKOSMMA_IMPL_ON_CUDA()
  /// Sums x(begin) to x(begin + size - 1) on the tensor cores.
  template <class T>
  static void sum(Load<X> const& f, Cuda::Stream const& stream,
                  Cuda::StreamScratch const& scratch, std::uint64_t begin,
                  std::uint64_t size, T* result, bool result_on_device) {
    Cuda::launch_mma_reduce(
        stream, scratch,
        Cuda::SumOperands<scalar_v<Element>>{part_of(f.x, begin, size)}, result,
        result_on_device);
  }
#endif
};

template <class X, class Y>
requires(is_plain_source<X>&& is_plain_source<Y>&& std::is_same_v<
         typename X::non_const_value_type,
         typename Y::non_const_value_type>) struct VisibleData<Dot<X, Y>>
    : SummedByMma {
  static constexpr Source source = Source::product;
  using Element                  = typename X::non_const_value_type;

  static void describe(Dot<X, Y> const& f, ReduceProblem& problem) {
    problem.contiguous     = f.x.stride(0) == 1 && f.y.stride(0) == 1;
    problem.same_alignment = same_alignment(f.x, f.y);
  }
#if KOKKOSMMA_IMPL_ON_CUDA()
  /// Sums the products x(i) * y(i), likewise.
  template <class T>
  static void sum(Dot<X, Y> const& f, Cuda::Stream const& stream,
                  Cuda::StreamScratch const& scratch, std::uint64_t begin,
                  std::uint64_t size, T* result, bool result_on_device) {
    Cuda::launch_mma_reduce(
        stream, scratch,
        Cuda::DotOperands<scalar_v<Element>>{part_of(f.x, begin, size),
                                             part_of(f.y, begin, size)},
        result, result_on_device);
  }
#endif
};

template <class X, class Op>
struct VisibleData<Transform<X, Op>> {
  static constexpr Source source = Source::transform;
  using Element                  = typename X::non_const_value_type;

  static void describe(Transform<X, Op> const&, ReduceProblem&) {}
};

}  // namespace Impl
}  // namespace KokkosMMA

#endif
