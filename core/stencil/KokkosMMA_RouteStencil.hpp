// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_STENCIL_HPP
#define KOKKOSMMA_ROUTE_STENCIL_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/segmented/KokkosMMA_RouteSegmented.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

namespace KokkosMMA::Impl {

/// How the library's kernels form the sums of a stencil.
enum class StencilKernel {
  separable,  ///< one dimension after the other
  direct,     ///< weight by weight
  band,       ///< two products with band matrices, one per dimension
  dense_band  ///< a product with a band matrix for every row of weights
};

/// The name of a kernel in words.
constexpr char const* to_string(StencilKernel kernel) {
  switch (kernel) {
    case StencilKernel::separable: return "separable";
    case StencilKernel::direct: return "direct";
    case StencilKernel::band: return "band";
    case StencilKernel::dense_band: return "dense band";
  }
  return "unknown";
}

/// Whether kernels without tensor cores are compiled for sums of this type:
/// 16-bit floats in float, bytes in 4-byte integers, all others in their own.
constexpr bool stencil_kernel_exists(Scalar input, Scalar accumulator) {
  if (is_small_float(input)) return accumulator == Scalar::float32;
  if (is_small_integer(input))
    return accumulator == Scalar::int32 || accumulator == Scalar::uint32;
  return input != Scalar::opaque && input == accumulator;
}

/// Whether products of band matrices are: of 16-bit floats, of floats as three
/// of them each, and of bytes.
constexpr bool stencil_band_exists(Scalar input, Scalar accumulator) {
  return stencil_kernel_exists(input, accumulator) &&
         (size_of(input) <= 2 || input == Scalar::float32);
}
/// Whether a product for every row of weights is: of 16-bit floats, floats as
/// three of them each, and doubles.
constexpr bool stencil_dense_band_exists(Scalar input, Scalar accumulator) {
  return stencil_kernel_exists(input, accumulator) &&
         (is_small_float(input) || input == Scalar::float32 ||
          input == Scalar::float64);
}

/// Whether one product of two factors is formed so. Floats have kernels for
/// rows that begin with lines.
constexpr bool takes_stencil_band(StencilProblem const& problem) {
  return stencil_band_exists(problem.input, problem.accumulator) &&
         problem.rank == 2 && problem.one_product && problem.band_operands &&
         (size_of(problem.input) <= 2 || problem.aligned_rows);
}

/// Shared memory of a block that multiplies by every row of weights, at most.
/// 16-bit floats have a kernel that needs little.
constexpr int stencil_dense_shared_bytes(Scalar input) {
  return input == Scalar::float64   ? 220 * 1024
         : input == Scalar::float32 ? 160 * 1024
                                    : 0;
}

/// The first reason for which no kernel of the library takes a stencil, or
/// none.
constexpr Refusal refuse_stencil(StencilProblem const& problem,
                                 Capability const& capability) {
  struct Rule {
    bool applies;
    Refusal refusal;
  };
  Rule const rules[] = {
      {!capability.cuda, {"the execution space is not Cuda", "docs/routes.md"}},
      {capability.compute_capability < 80,
       {"the device cannot copy to shared memory asynchronously (compute "
        "capability below 8.0)",
        "PTX ISA, cp.async"}},
      {!stencil_kernel_exists(problem.input, problem.accumulator),
       {"no kernel keeps these elements in this accumulator",
        "stencil_kernel_exists"}},
      {!problem.contiguous,
       {"neither the first nor the last dimension has stride one",
        "core/stencil/KokkosMMA_StencilGrid.hpp"}},
      {!problem.target_contiguous,
       {"what is written is laid out otherwise than what is read",
        "core/stencil/KokkosMMA_StencilGrid.hpp"}},
  };
  for (Rule const& rule : rules)
    if (rule.applies) return rule.refusal;
  return {};
}

/// The first reason for which the `mma` route refuses, or none.
constexpr Refusal refuse_mma_stencil(StencilProblem const& problem,
                                     Capability const& capability) {
  if (Refusal const refusal = refuse_stencil(problem, capability))
    return refusal;
  bool const band = stencil_band_exists(problem.input, problem.accumulator);
  bool const dense =
      stencil_dense_band_exists(problem.input, problem.accumulator);
  bool const takes_band = takes_stencil_band(problem);
  struct Rule {
    bool applies;
    Refusal refusal;
  };
  Rule const rules[] = {
      {problem.rank != 2,
       {"band products are of two dimensions", "docs/stencils.md"}},
      {!band && !dense,
       {"the tensor cores take no elements of this type as they are",
        "stencil_dense_band_exists"}},
      {!takes_band && !(dense && problem.dense_operands) &&
           problem.one_product && problem.band_operands,
       {"rows of floats begin anywhere in a line",
        "core/stencil/KokkosMMA_RouteStencil.hpp"}},
      {!takes_band && !(dense && problem.dense_operands),
       {"the weights are no exact operands of the tensor cores",
        "docs/stencils.md"}},
      {!takes_band && !problem.dense_rows,
       {"the rows that are read, those between two steps among them, do not "
        "begin multiples of 16 bytes apart",
        "core/stencil/KokkosMMA_WarpDenseBand.hpp"}},
      {!takes_band &&
           stencil_dense_shared_bytes(problem.input) > capability.shared_bytes,
       {"a block has too little shared memory on this device",
        "stencil_dense_shared_bytes"}},
  };
  for (Rule const& rule : rules)
    if (rule.applies) return rule.refusal;
  return {};
}

/// Whether products on tensor cores are taken where they can be.
/// 16384^2 halfs, H200, CUDA 13.0, 2026-11-23, 10^9 sums per second; * of a
/// program without peers, ' the day before, " without peers on 2026-11-24; copy
/// 1069, with " 1048:
///
/// | weights, radius    | tensor cores    | without          |
/// |--------------------|-----------------|------------------|
/// | box 1 3 7 8        | 912 909 899 893 | 1013 999 929 313 |
/// | box 7              | 927"            | 948"             |
/// | box 1 7, periodic  | 910 894         | 1012 940         |
/// | box 1 7, halo      | 759 749         | 995 647*         |
/// | box 11 16          | 770* 830"       | 150 123*         |
/// | product 1 3 5      | 910 907 899     | 1008 921 692*    |
/// | in pieces 4 5 6 7  | 720" at all     | 875 685 546 449* |
/// | 8 9 11 16          | 668 - 469 468*  | 325 162 150 122* |
/// | star 1 6 7 8       | 536 487 486 430 | 1007 505 446 426 |
/// | dense 1 2 3 4      | 537 537 532 536 | 997 631 446 293  |
/// | dense 7 8          | 483' 427'       | 110' 87'         |
/// | dense, pieces 3    | 309             | 448              |
/// | dense, pieces 5 7  | 235' 193'       | 185' 109'        |
/// | float, dense 4 7   | 182 184'        | 261 110'         |
/// | float, box 7 8     | 400* at both    | 500* 341*        |
/// | 9 11 16            | 382 413" 391*   | 167 155 130*     |
/// | float, in pieces 8 | 283*            | 341*             |
/// | 9 11 16            | 283 285 284*    | 179 160 133*     |
/// | double, dense 6 7  | 78' 78'         | 82' 63'          |
///
/// Boxes of bhalfs of radius 7: 935" and 901". Products of two radii have no
/// kernel of one without tensor cores, nor has any radius from 8 on. Where rows
/// or results begin anywhere in their lines, of radius 1 to 7, by kernels
/// themselves:
///
/// | anywhere                   | tensor cores | without                     |
/// |----------------------------|--------------|-----------------------------|
/// | rows, half boxes           | 801"         | 979 949 932 870 813 760 235 |
/// | rows, half products        | 801"         | 960 905 782 590 506 385 235 |
/// | results, half boxes        | 504          | 959 916 900 822 775 710 239 |
/// | results, half products     | 504          | 884 879 731 570 475 370 240 |
/// | rows, in pieces            | 552          | as products                 |
/// | results, in pieces         | 502          | as products                 |
/// | rows, uint8 boxes 1 to 4   | 1750"        | 1638 509 424 415            |
/// | results, uint8 boxes 1 - 4 | 898"         | 1325 506 427 417            |
///
/// A box of ones of uint8 of radius up to 8 reaches 1893" on tensor cores;
/// without, of radius 1 to 4 1961, 1924, 1915, 1853" (copy 2074), of 5 to 7
/// 1707, 1465, 1442* (copy 2050). Dense weights that are sums of bhalfs reach
/// 169 and 139' at radius 5 and 7.
///
/// A functor is called by way of shared memory, 261* of halfs at radius 7 and
/// 187* beyond 8, on tensor cores; without, boxes of radius 7, 8, 11, 16 have
/// 700, 271, 137, 112, other products of radius 1, 3, 5, 8, 11: 610, 481, 313,
/// 272, 137 (perf_tune, 8192^2, periodic). So functors get products from radius
/// 9 on. Boxes of bytes of radius 3 and 7: 454 and 458 on tensor cores, 1036
/// and 834 without; of radius 1 1091.
///
/// On small grids dense weights take 33, 50 and 98 us (half, float, double,
/// radius 7, 1024^2) and 96, 108 and 101 without.
///
/// The limits are those of the tuning table.
constexpr bool mma_stencil_pays(StencilProblem const& problem,
                                TuningTable const& tuning = builtin_tuning) {
  bool const lines = problem.aligned_rows && problem.aligned_results;
  if (size_of(problem.input) == 1) {
    // Boxes of one radius alone have kernels that are as fast; where results
    // begin anywhere, of radius 1.
    bool const exists = problem.box_of_ones && problem.one_radius &&
                        (lines || (problem.radius == 1 && !problem.to_functor &&
                                   !problem.aligned_results));
    int const limit = !exists ? 0
                      : problem.to_functor
                          ? 8
                          : tuning.stencil_box_radius[problem.input];
    return problem.radius >= limit;
  }
  if (problem.one_product) {
    if (!takes_stencil_band(problem)) return false;
    bool const small = size_of(problem.input) == 2;
    // Of 16-bit floats of one radius there are kernels that are as fast: up to
    // 6 where results begin anywhere, up to 5 where rows alone do.
    bool const exists =
        !small ||
        (problem.one_radius &&
         (lines || problem.radius < (problem.aligned_results ? 6 : 7)));
    int const limit = problem.box_of_ones && exists
                          ? tuning.stencil_box_radius[problem.input]
                      : exists || problem.band_in_pieces
                          ? tuning.stencil_product_radius[problem.input]
                          : 0;
    // Of bhalfs radius 5 was timed before 2026-11-24 alone: 629 in pieces.
    bool const is_slow = problem.input == Scalar::bhalf && lines;
    // Not added to a limit, which may be the largest integer.
    int const later = problem.box_of_ones || !exists ? 0
                      : problem.band_in_pieces       ? 1 + is_slow
                                                     : !problem.aligned_results;
    return problem.radius - later >= limit && (small || lines) &&
           problem.radius >= (problem.to_functor ? 9 : 0);
  }
  return problem.taps / (problem.dense_in_pieces ? 3 : 1) >=
         tuning.stencil_dense_taps[problem.input];
}

/// The kernel of a route that does not refuse.
constexpr StencilKernel stencil_kernel(StencilProblem const& problem,
                                       Route route) {
  if (route == Route::mma)
    return takes_stencil_band(problem) ? StencilKernel::band
                                       : StencilKernel::dense_band;
  // H200, CUDA 13.0, 2026-11-23, separable and direct. Boxes of ones of radius
  // 1, 640^3, 10^9 sums per second: half 230 394, float 216 384, double 109
  // 219 (2026-11-24). 2^28 elements of one dimension, radius 1, 3, 7, part of
  // a copy's rate: half 0.82 0.81 0.65 and 0.97 0.94 0.91, float 0.89 0.89 0.85
  // and 0.98 0.97 0.95, double 0.93 0.93 0.92 and 0.98 0.97 0.92. Elements that
  // do not begin in a line, radius 1 and 7: half 0.68 0.44 and 0.63 0.53, uint8
  // 0.41 0.22 and 0.39 0.28, float 0.90 0.80 and 0.46 0.44, double 0.92 0.75
  // and 0.59 0.54.
  bool const aligned = problem.aligned_rows && problem.aligned_results;
  bool const by_weight =
      aligned || (size_of(problem.input) <= 2 && problem.radius >= 4);
  bool const is_small = problem.rank == 1   ? problem.radius <= 8 && by_weight
                        : problem.rank == 3 ? problem.radius == 1
                                            : false;
  return problem.one_product && !problem.zero_factor && !is_small
             ? StencilKernel::separable
             : StencilKernel::direct;
}

/// Route of a stencil: `mma` is band products on tensor cores, `streamed` the
/// library's kernels without them, `generic` plain Kokkos. Automatic choice
/// never fails. With a forced route, `route` is that route and the caller
/// checks the refusal.
constexpr RouteDecision route_stencil(
    StencilProblem const& problem, Capability const& capability,
    Settings const& settings, TuningTable const& tuning = builtin_tuning) {
  RouteDecision decision;
  decision.mma      = refuse_mma_stencil(problem, capability);
  decision.streamed = refuse_stencil(problem, capability);
  if (settings.route != Route::automatic) {
    decision.route = settings.route;
    return decision;
  }
  // A matter of taste, not of ability: a forced mma never meets it.
  if (!decision.mma && !mma_stencil_pays(problem, tuning))
    decision.mma = {"kernels without tensor cores are as fast",
                    "mma_stencil_pays"};
  if (!decision.mma)
    decision.route = Route::mma;
  else if (!decision.streamed)
    decision.route = Route::streamed;
  return decision;
}

}  // namespace KokkosMMA::Impl

#endif
