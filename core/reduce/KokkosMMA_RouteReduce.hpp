// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_REDUCE_HPP
#define KOKKOSMMA_ROUTE_REDUCE_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/routing/KokkosMMA_Refusal.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <cstddef>

namespace KokkosMMA::Impl {

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
/// registers and may spill: energies do 16 to 24 bytes, and are faster.
/// Energies of 143748, 256000 and 1000188 atoms take 67, 83 and 298 us; with 64
/// registers 107, 116, 430; with one invocation in flight 77, 90, 379; in
/// Kokkos 81, 96, 387. Sums of ten arrays of 2^24 take 307 to 320 us with each
/// of these kernels, 378 in Kokkos. One loop for tiles and rest, with a
/// condition on the second invocation, reaches 0.91 to 0.98 of these rates.
/// Over a box Kokkos' kernel is slower. Microseconds of Kokkos and of this
/// library (bytes spilled) for minima over N arrays of 3840^2 doubles: N = 8
/// 3404, 460 (0); 16 5405, 1142 (96); 24 7111, 2807 (432); 32 9531, 4548 (760);
/// CloverLeaf's time step 4517, 425 (32). This kernel (512 x 2, two in flight)
/// and others over boxes, us (all figures: H200, CUDA 13.0, Kokkos 5.0.2,
/// 2026-11-29):
///
/// | kernel                  | minima, 12, 16 | roots, 8, 12, 16 | CloverLeaf |
/// |-------------------------|----------------|------------------|------------|
/// | 512 x 2, two in flight  | 677 1142       | 878 1247 1661    | 425        |
/// | 512 x 2, four in flight | 1171 2235      | 819 1453 2340    |            |
/// | 256 x 2, 128 registers  | 505 744        | 1102 1623 3101   | 597        |
constexpr int max_local_bytes(ReduceProblem const& problem) {
  if (problem.pattern == Pattern::mdrange) return 512;
  return problem.most_spilled;
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

/// Why tensor cores cannot sum these elements into a value of this type, or
/// none. They sum integers modulo 2^64, which is exact for integer values. For
/// a floating-point value the integer sum must not wrap; 2^47 integers of 1
/// byte do not. They sum doubles in double and 16-bit floats in float, then
/// round to the type of the value. No kernel sums elements of 4 bytes: MMA and
/// additions, 2^30 elements, GB/s: float 4461 4422, int32 4505 4436 (H200,
/// 2026-11-29), float 2959 3026, int32 2983 3024 (H100).
constexpr Refusal refuse_sum_types(Scalar input, Scalar value) {
  bool const integers = !is_floating(input);
  return first_refusal({
      {value == Scalar::opaque || value == Scalar::boolean,
       {"the sum is neither a number of 1, 4 or 8 bytes nor a 16-bit float"}},
      {!integers && !is_floating(value),
       {"the sum is an integer, and the elements are floating point"}},
      {!integers && input != Scalar::float64 && value == Scalar::float64,
       {"the sum has type double, but tensor cores accumulate these elements "
        "in float"}},
      {integers && is_floating(value) && size_of(input) == 8,
       {"the sum is floating point, and integers of 8 bytes would wrap before "
        "they are converted"}},
      {size_of(input) == 4, {"additions are as fast for elements of 4 bytes"}},
  });
}

/// Why the route `mma` cannot run, or none.
constexpr Refusal refuse_mma(ReduceProblem const& problem,
                             Capability const& capability,
                             Settings const& settings) {
  // The type of a functor's sum is no reason to look at.
  if (problem.source == Source::functor)
    return capability.cuda ? opaque_functor : not_cuda;
  bool const product  = problem.source == Source::product;
  Refusal const types = refuse_sum_types(problem.input, problem.value);
  Refusal const order = refuse_products(problem.value, settings);
  return first_refusal({
      {!capability.cuda, not_cuda},
      {!capability.tensor_cores(), no_tensor_cores},
      {problem.in_graph, is_graph_node},
      {!problem.compiled, {"the call has no result, or its box no index"}},
      {problem.source == Source::transform,
       {"the transformed values are not in memory; streamed is as fast"}},
      {!problem.sum, {"the reducer is not a sum"}},
      {!capability.sums_on_tensor_cores(problem.input), no_encoding},
      {!problem.contiguous,
       {"the View is strided: its elements do not fill 16-byte loads"}},
      {product && size_of(problem.input) >= 4 &&
           problem.input != Scalar::float64,
       {"products of this type are not exact on the tensor cores"}},
      {bool(types), types},
      {bool(order), order},
      {product && problem.input == Scalar::boolean,
       {"products of bool are logical ands"}},
      {!problem.same_alignment,
       {"the two Views are aligned differently within 16 bytes"}},
  });
}

/// Whether `exact` applies: the call is KokkosMMA::'s own sum of a View or of
/// products, with floating-point elements and result.
constexpr bool sums_floats(ReduceProblem const& problem) {
  return problem.sum && !problem.intercepted &&
         (problem.source == Source::view ||
          problem.source == Source::product) &&
         is_floating(problem.input) && is_floating(problem.value);
}

/// Levels of reproducibility of a reduction. Integer sums are always exact.
constexpr OfferedLevel offered_level(ReduceProblem const& problem,
                                     Capability const& capability,
                                     Settings const& settings) {
  if (problem.sum && !is_floating(problem.input) &&
      is_exact_in_any_order(problem.value) && problem.input != Scalar::opaque)
    return every_level;
  bool const exact = sums_floats(problem);
  if (exact && problem.on_host) return every_level;
  Refusal const no_exact = first_refusal({
      {!problem.sum, {"the reduction is not a sum"}},
      {problem.input == Scalar::opaque,
       {"the two factors have different types"}},
      {!exact,
       {"the rounding of a floating-point sum of integers depends on the "
        "route"}},
  });
  // Minima, maxima and products of integers are not rounded, either.
  OfferedLevel const kernels = level_of_kernels(
      problem.value, settings, refuse_streamed(problem, capability), no_exact);
  return exact && kernels.level != Reproducibility::run_to_run ? every_level
                                                               : kernels;
}

/// Route of an exact sum, which adds integers: on the GPU without tensor cores,
/// or on the host.
constexpr RouteDecision route_exact_sum(Capability const& capability,
                                        Settings const& settings) {
  return route_by_refusals(settings.route,
                           capability.cuda
                               ? Refusal{"tensor cores round their sums, and "
                                         "an exact sum was requested"}
                               : not_cuda,
                           capability.cuda ? Refusal{} : not_cuda, {});
}

/// Route of a reduction. `auto` uses `mma` for visible data (known Views) if a
/// kernel exists and the tuning table enables it for the type, `streamed` for
/// other types and for opaque functors, and Kokkos' code otherwise.
constexpr RouteDecision route_reduce(
    ReduceProblem const& problem, Capability const& capability,
    Settings const& settings, TuningTable const& tuning = builtin_tuning) {
  if (settings.reproducibility != Reproducibility::run_to_run &&
      sums_floats(problem))
    return route_exact_sum(capability, settings);
  Refusal const mma = refuse_mma(problem, capability, settings);
  bool const prefers_additions =
      !mma && !mma_reduce_pays(problem.input, tuning);
  return route_by_refusals(
      settings.route, mma, refuse_streamed(problem, capability),
      prefers_additions
          ? Refusal{"additions are as fast for this type", "tuning table"}
          : Refusal{});
}

}  // namespace KokkosMMA::Impl

#endif
