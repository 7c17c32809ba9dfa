// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STREAMED_REDUCE_LIMITS_HPP
#define KOKKOSMMA_STREAMED_REDUCE_LIMITS_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>

#include <cstddef>
#include <cstdint>

namespace KokkosMMA::Impl {

/// Size limit of flattened multi-dimensional ranges: index division multiplies
/// by a 32-bit reciprocal, which is exact below 2^31.
inline constexpr std::uint64_t max_flattened_indices = std::uint64_t(1) << 31;

/// Largest value of constant size and largest array that a reduction over a
/// range keeps in shared memory, one per thread. With arrays of 16 KB, a
/// multiprocessor of an H100 has room for 14 threads.
inline constexpr std::size_t max_shared_value_bytes = 512;
inline constexpr std::size_t max_array_bytes        = 16 * 1024;

/// Whether a value must be in shared memory. refuse_shared_value(): why it
/// cannot be there, or none.
constexpr bool is_in_shared_memory(ReduceProblem const& problem) {
  return !problem.fixed_size || problem.value_bytes > max_value_bytes;
}
constexpr Refusal refuse_shared_value(ReduceProblem const& problem,
                                      Capability const& capability) {
  if (!is_in_shared_memory(problem)) return {};
  return first_refusal({
      {problem.pattern != Pattern::range && !problem.fixed_size, no_fixed_size},
      {problem.pattern != Pattern::range, too_large_value},
      {problem.fixed_size && problem.value_bytes > max_shared_value_bytes,
       {"the value is larger than 512 bytes"}},
      {problem.value_bytes > max_array_bytes,
       {"the array is larger than 16384 bytes"}},
      {problem.value_bytes == 0,
       {"the array has no values", "value_count of the functor is 0"}},
      {!problem.fixed_size && problem.sum && is_16bit_float(problem.value),
       {"the functor's array cannot hold sums of 16-bit floats in fp32"}},
      {problem.value_bytes + 2048 > std::size_t(capability.shared_bytes),
       {"the value does not fit in the shared memory of a block"}},
  });
}

/// Bytes of local memory that a thread may use. Over a range Kokkos' kernel is
/// as fast as one that spills, except for a register or two, as in sums of
/// int64 into float with 20 in flight. Kernels of large functors have 32
/// registers and may spill: energies of StreamedTuning do 16 to 24 bytes, and
/// are faster. Over a box Kokkos' kernel is slower. Us in Kokkos 5.0.2, and
/// here (bytes), for minima over N arrays of 3840^2 doubles: N = 8 3404, 460
/// (0); 16 5405, 1142 (96); 24 7111, 2807 (432); 32 9531, 4548 (760);
/// CloverLeaf's time step: 4517, 425 (32) (H200, CUDA 13.0, 2026-11-29).
constexpr int max_local_bytes(ReduceProblem const& problem) {
  if (problem.pattern == Pattern::mdrange) return 512;
  return problem.few_registers ? 64 : 8;
}

/// Why the route `streamed` cannot run, or none.
constexpr Refusal refuse_streamed(ReduceProblem const& problem,
                                  Capability const& capability) {
  Refusal const shared_value = refuse_shared_value(problem, capability);
  return first_refusal({
      {!capability.cuda, not_cuda},
      {problem.in_graph && is_in_shared_memory(problem), is_graph_node},
      {!problem.compiled, {"the call has no result, or its box no index"}},
      {bool(shared_value), shared_value},
      {problem.functor_bytes > max_functor_bytes, too_large_functor},
      {problem.pattern == Pattern::mdrange &&
           problem.size >= max_flattened_indices,
       {"the multi-dimensional range has 2^31 indices or more"}},
      {problem.local_bytes > max_local_bytes(problem),
       {"the functor does not fit in the registers of the kernel",
        "the CUDA runtime reports local memory"}},
  });
}

}  // namespace KokkosMMA::Impl

#endif
