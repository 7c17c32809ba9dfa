// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTED_ARRAYS_HPP
#define KOKKOSMMA_ROUTED_ARRAYS_HPP

/// \file
/// Reductions to arrays whose length is known at run time, and to values of
/// more than 64 bytes.

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/drop_in/KokkosMMA_ErasedCalls.hpp>
#include <adapters/drop_in/KokkosMMA_ReduceClosure.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ArrayReduce.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace KokkosMMA::Impl {

struct ErasedArrays : ErasedCall {
  ReduceProblem problem;
  ArrayTuning tuning;
  unsigned count;
  std::size_t alignment;
  /// Kernel for arrays of few values; null if none is compiled.
  void const* kernel_in_registers;
};

/// Largest value of Kokkos' own kernel: values of 32 threads and two more use
/// 48 KB (4.6 to 5.2).
inline constexpr std::size_t most_bytes_of_kokkos = 48 * 1024 / 34;

// Declarations, as in adapters/drop_in/KokkosMMA_ErasedFor.hpp.
#if defined(__CUDA_ARCH__)
template <class Call>
bool run_arrays(Call& call);
#else

template <class Call>
void launch_array_reduce(Call const& call, Cuda::KernelFacts const& facts,
                         Cuda::StreamScratch const& scratch) {
  call.ensure_locks();
  Cuda::LaunchLayout const layout = Cuda::launch_layout(call.space);
  std::size_t const stride = array_stride(call.value_bytes, call.alignment);
  int const shared =
      Cuda::shared_bytes_of_kernel(call.space.cuda_device(), call.kernel);
  ArrayShape const shape =
      layout.fixed ? fixed_array_shape(call.tuning, call.count, stride,
                                       call.problem.size, Cuda::max_partials)
                   : array_reduce_shape(
                         layout.tuning, call.tuning, call.count, stride,
                         call.problem.size, layout.multiprocessors, shared,
                         facts.resident_blocks * array_facts_threads,
                         Cuda::max_partials);
  Cuda::GridScratch const grid =
      scratch->grid(shape.launch.blocks, call.value_bytes);
  scratch.deliver(
      call.result, call.value_bytes, call.result_on_device,
      [&](Cuda::ResultTarget<void> const& target) {
        void const* const arguments[] = {call.arguments[0],
                                         call.arguments[1],
                                         call.arguments[2],
                                         &call.problem.size,
                                         &grid,
                                         &target,
                                         &shape.layout};
        Cuda::check_launch(
            Cuda::enqueue_kernel(scratch.stream(), call.kernel,
                                 {shape.launch.blocks, shape.launch.threads,
                                  shape.shared_bytes()},
                                 arguments),
            "array_reduce");
      });
  wait_for_result(call, scratch);
}

/// \return whether this library's kernel runs; if not, the caller runs Kokkos'
template <class Call>
bool run_arrays(Call& call) {
  Settings settings = effective_settings();
  std::optional<ScopedSettings> scope;
  // Kokkos throws for larger values, so KOKKOSMMA_COMPARE must not run it.
  if (settings.route == Route::automatic &&
      call.value_bytes > most_bytes_of_kokkos) {
    settings.route = Route::streamed;
    scope.emplace(settings);
  }
  Cuda::KernelFacts facts{};
  auto const ask = [&](void const* kernel) {
    facts = Cuda::facts_of_kernel(call.space.cuda_device(), kernel,
                                  array_facts_threads, 0);
    // Spilled bytes depend on the architecture.
    if (settings.reproducibility != Reproducibility::run_to_run)
      facts.local_bytes = 0;
    return facts.local_bytes == 0;
  };
  if (settings.route == Route::generic || call.result == nullptr) {
    call.problem.compiled = false;
  } else if (call.count <= Cuda::most_in_registers &&
             call.kernel_in_registers != nullptr &&
             ask(call.kernel_in_registers)) {
    call.kernel = call.kernel_in_registers;
  } else {
    ask(call.kernel);
  }
  call.problem.local_bytes = facts.local_bytes;
  return run_call(
      call, "parallel_reduce", call.problem, call.result_on_device, settings,
      [](auto const&... arguments) { return route_reduce(arguments...); },
      [&](Route, Cuda::StreamScratch const& scratch) {
        launch_array_reduce(call, facts, scratch);
      });
}

#endif  // __CUDA_ARCH__

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
    Call const& call         = Flat::call(Base::functor(), Base::m_policy, 0);
    void const* in_registers = nullptr;
    if constexpr (has_count) {
      in_registers = kernel<true>();
    }
    ErasedArrays erased{{Base::m_policy.space(),
                         this,
                         kernel<false>(),
                         {&call, &reducer, &begin},
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
    if (!run_arrays(erased)) Base::execute_native();
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
    return Cuda::array_reduce_kernel<
        has_copies(sizeof(Functor) + sizeof(Reducer)), Tuning, InRegisters,
        sums_numbers, typename Flat::Index, value_type, Call, Reducer>();
  }
};

}  // namespace KokkosMMA::Impl

#endif  // KOKKOSMMA_IMPL_ON_CUDA
#endif
