// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXACT_SUM_HPP
#define KOKKOSMMA_EXACT_SUM_HPP

/// \file
/// Exact sums of Views, after the checks and decision of reduce(): a kernel on
/// Cuda, Kokkos::parallel_reduce with a superaccumulator on hosts.

#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_ViewTraits.hpp>
#include <backends/generic/KokkosMMA_ExactGeneric.hpp>
#include <backends/generic/KokkosMMA_HostSpace.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#endif

#include <cstdint>
#include <string>
#include <type_traits>

namespace KokkosMMA::Impl {

template <class Result>
struct ValueOfResult {
  using type = Result;
};
template <class T, class... P>
struct ValueOfResult<Kokkos::View<T, P...>> {
  using type = typename Kokkos::View<T, P...>::non_const_value_type;
};
/// Type of a variable, or element type of a View of rank 0.
template <class Result>
using value_of_result_t =
    typename ValueOfResult<std::remove_cv_t<Result>>::type;
template <class Result>
inline constexpr bool is_result_view =
    Kokkos::is_view_v<std::remove_cv_t<Result>>;

struct ResultAddress {
  void* data;
  bool on_device;  ///< whether kernels of the execution space can write to it
};
template <class Exec, class Result>
ResultAddress address_of_result(Result& result) {
  if constexpr (is_result_view<Result>) {
    return {
        result.data(),
        Kokkos::SpaceAccessibility<Exec,
                                   typename Result::memory_space>::accessible};
  } else {
    return {&result, false};
  }
}

/// Stores a host value in the caller's variable or View. Kokkos::deep_copy of a
/// value would turn -0 into +0 (Kokkos 5.2).
template <class Exec, class Result, class Value>
void put_result(Exec const& exec, Result& result, Value const& value) {
  if constexpr (is_result_view<Result>) {
    Kokkos::deep_copy(
        exec, result,
        Kokkos::View<Value const, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&value));
    exec.fence("KokkosMMA: fence due to the result being copied");
  } else {
    result = value;
  }
}

/// The same for an exact sum, which it rounds.
template <class Exec, class Result, class Sum>
void put_exact(Exec const& exec, Result& result, Sum& sum) {
  using Value = value_of_result_t<Result>;
  put_result(exec, result,
             value_of_bits<Value>(sum.round(float_format(scalar_v<Value>))));
}

template <class Narrow, class Wide>
struct ConvertValue {
  Narrow narrow;
  Wide wide;
  KOKKOS_FUNCTION void operator()(int) const {
    narrow() = static_cast<typename Narrow::value_type>(wide());
  }
};

/// Calls run(result of type Wide), converts that value once and stores it in
/// `result`. Returns the route that ran.
template <class Wide, class Exec, class Result, class Run>
Route run_and_convert(std::string const& label, Exec const& exec,
                      Result& result, Run const& run) {
  using Value = value_of_result_t<Result>;
  if constexpr (is_result_view<Result>) {
    using Space     = typename Exec::memory_space;
    using WideView  = Kokkos::View<Wide, Space>;
    using ValueView = Kokkos::View<Value, Space>;
    WideView const wide(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                           "KokkosMMA::accumulator"));
    Route const ran = run(wide);
    ValueView const narrow(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                              "KokkosMMA::converted"));
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         ConvertValue<ValueView, WideView>{narrow, wide});
    Kokkos::deep_copy(exec, result, narrow);
    return ran;
  } else {
    Wide wide;
    Route const ran = run(wide);
    result          = static_cast<Value>(wide);
    return ran;
  }
}

#if KOKKOSMMA_IMPL_ON_CUDA()
template <Scalar Input, class X>
auto exact_vectors(X const& x) {
  return Cuda::ExactVectors<Input>(
      vector_range(x.data(), x.extent(0), size_of(Input)));
}
template <Scalar Input, class X>
auto exact_strided(X const& x) {
  return Cuda::ExactStrided<Input>{
      reinterpret_cast<ElementBits<Input> const*>(x.data()),
      std::int64_t(x.stride(0)), x.extent(0)};
}

/// Calls launch(elements, tuning) with the elements that the kernel loads.
template <class X, class Launch>
void launch_exact(ExactViewTerms<X> const& terms, Launch const& launch) {
  constexpr Scalar input = ExactViewTerms<X>::input;
  using Tuning           = Cuda::tuning_type<Cuda::exact_tuning(input)>;
  if (is_contiguous(terms.x))
    launch(exact_vectors<input>(terms.x), Tuning());
  else
    launch(exact_strided<input>(terms.x), Tuning());
}
template <class X, class Y, class Launch>
void launch_exact(ExactDotTerms<X, Y> const& terms, Launch const& launch) {
  constexpr Scalar input = ExactDotTerms<X, Y>::input;
  using Tuning = Cuda::tuning_type<Cuda::exact_products_tuning(input)>;
  if (is_contiguous(terms.x) && is_contiguous(terms.y) &&
      same_alignment(terms.x, terms.y))
    launch(
        Cuda::ExactProducts<Cuda::ExactVectors<input>>{
            exact_vectors<input>(terms.x), exact_vectors<input>(terms.y)},
        Tuning());
  else
    launch(
        Cuda::ExactProducts<Cuda::ExactStrided<input>>{
            exact_strided<input>(terms.x), exact_strided<input>(terms.y)},
        Tuning());
}

/// Launches an exact sum on the stream of `exec`. Returns the reason if that is
/// impossible; nothing is launched then.
template <class Terms>
Refusal exact_sum_on_cuda(std::string const& label, Kokkos::Cuda const& exec,
                          Terms const& terms, FloatFormat const& format,
                          void* result, bool result_on_device) {
  AnnouncedReduction const announced(label, exec);
  return with_scratch(
      exec, result_on_device, [&](Cuda::StreamScratch const& scratch) {
        launch_exact(terms, [&](auto const& elements, auto tuning) {
          Cuda::launch_exact_reduce<std::decay_t<decltype(elements)>,
                                    decltype(tuning)>(exec, scratch, elements,
                                                      terms.size() == 0, format,
                                                      result, result_on_device);
        });
      });
}
#endif

/// Computes the exact sum of terms, not rounded. Returns the reason if it is
/// currently not available.
template <class Exec, class Terms>
Refusal exact_limbs_of(std::string const& label, Exec const& exec,
                       Terms const& terms, typename Terms::Sum& sum) {
  if constexpr (is_host_space<Exec>) {
    sum = exact_sum_on_host(label, exec, terms);
    return {};
  } else {
#if KOKKOSMMA_IMPL_ON_CUDA()
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
      Refusal const refusal = exact_sum_on_cuda(
          label, exec, terms, Cuda::exact_as_limbs, &sum, false);
      if (!refusal) sum.carry();
      return refusal;
    }
#endif
    return no_exact_sum;
  }
}

/// Stores the exact sum of terms in a host variable or a View of rank 0.
/// Returns the reason if it is currently not available.
template <class Exec, class Terms, class Result>
Refusal exact_sum(std::string const& label, Exec const& exec,
                  Terms const& terms, Result& result) {
  if constexpr (is_host_space<Exec>) {
    auto sum = exact_sum_on_host(label, exec, terms);
    put_exact(exec, result, sum);
    return {};
  } else {
#if KOKKOSMMA_IMPL_ON_CUDA()
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
      ResultAddress const at = address_of_result<Exec>(result);
      return exact_sum_on_cuda(
          label, exec, terms, float_format(scalar_v<value_of_result_t<Result>>),
          at.data, at.on_device);
    }
#endif
    return no_exact_sum;
  }
}

}  // namespace KokkosMMA::Impl

#endif
