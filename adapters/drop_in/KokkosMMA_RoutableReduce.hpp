// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTABLE_REDUCE_HPP
#define KOKKOSMMA_ROUTABLE_REDUCE_HPP

/// \file
/// Reductions that the drop-in intercepts, the storage of their values, and
/// traits of Kokkos' reducers.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_TaggedCall.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_StreamedReduce.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

// Declared here so that an application that does not use them need not parse
// them.
namespace KokkosMMA {
template <class Scalar, class Space>
struct Sum;
}
namespace Kokkos::Experimental::Impl {
template <class Scalar>
struct ValueWrapperForNoNeutralElement;
template <class Scalar, class Joiner, class Space>
struct ReducerWithArbitraryJoinerNoNeutralElement;
template <class Value>
struct StdTranformReduceDefaultJoinFunctor;
}  // namespace Kokkos::Experimental::Impl

namespace KokkosMMA::Impl {

/// Functor of this library: routed in every translation unit that has its
/// definition, with or without the drop-in header.
template <class F>
concept OwnFunctor = requires {
  typename F::kokkosmma_functor;
};

template <class R>
inline constexpr bool is_sum_reducer = false;
template <class T, class Space>
inline constexpr bool is_sum_reducer<Kokkos::Sum<T, Space>> = true;
template <class T, class Space>
inline constexpr bool is_sum_reducer<KokkosMMA::Sum<T, Space>> = true;
template <class T, class Space>
inline constexpr bool is_sum_reducer<
    Kokkos::Experimental::Impl::ReducerWithArbitraryJoinerNoNeutralElement<
        T, Kokkos::Experimental::Impl::StdTranformReduceDefaultJoinFunctor<T>,
        Space>> = true;

template <class R>
inline constexpr bool is_prod_reducer = false;
template <class T, class Space>
inline constexpr bool is_prod_reducer<Kokkos::Prod<T, Space>> = true;

/// Whether joining is addition and the identity is zero: Kokkos' default, or a
/// reducer known to do that.
template <class Reducer>
constexpr bool adds() {
  return is_sum_reducer<typename Reducer::functor_type> ||
         (!Reducer::has_join_member_function() &&
          !Reducer::has_init_member_function());
}

/// Operations on the values of the standard algorithms' custom reductions and
/// scans, which have no identity. A value that no invocation has written is
/// marked; joining it changes nothing. (Kokkos' join ignores the mark and adds
/// the zeros of idle threads.)
template <class Operations>
struct WithoutIdentity : Operations {
  using T = typename Operations::Value;

  __device__ void join(T& into, T const& from) const {
    if (from.is_initial) return;
    if (into.is_initial)
      into = from;
    else
      this->reducer.join(&into, &from);
  }
};

template <class T>
inline constexpr bool has_no_identity = false;
template <class T>
inline constexpr bool has_no_identity<
    Kokkos::Experimental::Impl::ValueWrapperForNoNeutralElement<T>> = true;

/// Chooses a thread's accumulator for a reduction: fp32 for sums and products
/// of 16-bit floats.
template <class Reducer, class T>
struct RunningChoice {
  static constexpr bool multiplies =
      is_prod_reducer<typename Reducer::functor_type>;
  static constexpr bool in_float =
      (adds<Reducer>() || multiplies) && is_16bit_float(scalar_v<T>);
  using type = std::conditional_t<
      in_float,
      Cuda::RunningInFloat<multiplies ? Operation::prod : Operation::sum,
                           Reducer, T>,
      std::conditional_t<has_no_identity<T>,
                         WithoutIdentity<Cuda::RunningValue<Reducer, T>>,
                         Cuda::RunningValue<Reducer, T>>>;
};
template <class Reducer, class T>
using RunningOf = typename RunningChoice<Reducer, T>::type;

/// Tuning of a reduction whose functor takes `Indices` indices. A host and
/// device lambda has 8 bytes more than its captures.
template <class Reducer, class Functor, int Indices>
using TuningOf = Cuda::tuning_type<streamed_tuning(
    sizeof(typename Reducer::value_type), Indices, adds<Reducer>(),
    sizeof(Functor), sizeof(Kokkos::View<float**, Kokkos::Cuda>),
    sizeof(Functor) <= sizeof(Kokkos::View<float*, Kokkos::Cuda>) + 8)>;

/// Whether a reducer joins arrays whose length is known at run time.
template <class Reducer>
inline constexpr bool is_array_reducer =
    std::is_pointer_v<typename Reducer::reference_type>;

/// Reducer whose value a thread keeps in registers.
template <class Reducer>
concept ValueInRegisters = Reducer::static_value_size()
== sizeof(typename Reducer::value_type) &&
    sizeof(typename Reducer::value_type) <= max_value_bytes;

/// Reducer of arrays or larger values, which a thread keeps in shared memory.
template <class Reducer>
concept ValueInSharedMemory =
    !ValueInRegisters<Reducer> &&
    sizeof(typename Reducer::value_type) <= max_shared_value_bytes &&
    alignof(typename Reducer::value_type) <= 128 &&
    !has_no_identity<typename Reducer::value_type> &&
    !(is_array_reducer<Reducer> && adds<Reducer>() &&
      is_16bit_float(scalar_v<typename Reducer::value_type>));

template <class Policy>
inline constexpr bool is_range_policy = false;
template <class... Traits>
inline constexpr bool is_range_policy<Kokkos::RangePolicy<Traits...>> = true;

template <class Functor, class Reducer, class Policy>
concept RoutableTypes =
    !IsNative<Reducer> &&
    (ValueInRegisters<Reducer> ||
     (is_range_policy<Policy> && ValueInSharedMemory<Reducer>)) &&
    sizeof(Functor) + sizeof(Reducer) <= max_argument_functor_bytes;

/// Type of a reduced value, without Kokkos' wrapper.
template <class T>
inline constexpr Scalar number_of_value = scalar_v<T>;
template <class T>
inline constexpr Scalar number_of_value<
    Kokkos::Experimental::Impl::ValueWrapperForNoNeutralElement<T>> =
    scalar_v<T>;

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
