// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTED_ARRAYS_HPP
#define KOKKOSMMA_ROUTED_ARRAYS_HPP

/// \file
/// Reductions to arrays whose length is known at run time, and to values of
/// more than 64 bytes.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_ReduceClosure.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ArrayReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace KokkosMMA::Impl {

/// Whether value_count is a non-static member.
template <class Functor>
concept HasCount = requires {
  requires std::is_member_object_pointer_v<decltype(&Functor::value_count)>;
};

/// Closure of a reduction whose value a thread keeps in shared memory.
template <class Functor, class Reducer, class PolicyT>
class RoutedArrays : public ReduceClosure<Functor, Reducer, PolicyT> {
  using Base = ReduceClosure<Functor, Reducer, PolicyT>;
  using typename Base::Call;
  using typename Base::Flat;

 public:
  using Base::Base;
  using typename Base::value_type;

  void execute() {
    static std::atomic_flag reported = ATOMIC_FLAG_INIT;
    Reducer const& reducer           = Base::reducer();
    typename Flat::Index const begin = Flat::begin(Base::m_policy);
    auto const& call         = Flat::call(Base::functor(), Base::m_policy, 0);
    void const* in_registers = nullptr;
    if constexpr (has_count) {
      in_registers = kernel<true>();
    }
    ErasedArrays erased{{Base::m_policy.space(),
                         static_cast<Base const*>(this),
                         Base::m_run_native,
                         kernel<false>(),
                         {std::addressof(call), &reducer, &begin},
                         Base::m_result,
                         Base::m_result_on_device,
                         reducer.value_size(),
                         &desul::ensure_cuda_lock_arrays_on_device,
                         reported},
                        {},
                        Tuning::value,
                        reducer.value_count(),
                        alignof(value_type),
                        in_registers};
    erased.must_wait             = Base::m_must_wait;
    erased.problem.size          = Flat::size(Base::m_policy);
    erased.problem.fixed_size    = !is_array;
    erased.problem.sum           = adds<Reducer>();
    erased.problem.value_bytes   = erased.value_bytes;
    erased.problem.functor_bytes = sizeof(Functor) + sizeof(Reducer);
    run_arrays(erased);
  }

 private:
  static constexpr bool is_array = is_array_reducer<Reducer>;
  // Copying and adding numbers has no side effects.
  static constexpr bool sums_numbers =
      is_array && adds<Reducer>() && std::is_trivially_copyable_v<value_type> &&
      sizeof(value_type) <= 16;
  // The array may belong to the functor or to a separate reducer. Large
  // functors would be copied to local memory.
  static constexpr bool has_count =
      is_array && sizeof(value_type) <= 16 && sizeof(Functor) <= 1024 &&
      HasCount<Functor> && HasCount<typename Reducer::functor_type>;
  using Tuning = Cuda::tuning_type<array_tuning(is_array, sizeof(value_type))>;

  template <bool InRegisters>
  static void const* kernel() {
    return reinterpret_cast<void const*>(
        &Cuda::array_reduce<Tuning, InRegisters, sums_numbers,
                            typename Flat::Index, value_type, Call, Reducer,
                            has_copies(sizeof(Functor) + sizeof(Reducer))>);
  }
};

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
