// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_STENCIL_HPP
#define KOKKOSMMA_ROUTE_STENCIL_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

namespace KokkosMMA::Impl {

/// Structure of the weights of a stencil. Each value implies the properties of
/// those before it, except for the zeros.
enum class WeightForm : unsigned char {
  any,                 ///< no outer product
  product_with_zeros,  ///< one outer product with a zero in a factor
  product,             ///< one outer product
  ones                 ///< a box of ones
};

template <class Factored>
WeightForm weight_form(Factored const& factored) {
  return factored.is_box              ? WeightForm::ones
         : !factored.product          ? WeightForm::any
         : factored.has_zero_factor() ? WeightForm::product_with_zeros
                                      : WeightForm::product;
}

/// Representation of numbers as operands of the tensor cores.
enum class MmaOperands : unsigned char {
  none,   ///< not representable
  exact,  ///< one operand, up to a power of two
  split   ///< sums of two or three operands
};

/// Memory layout of the rows of a View. Each value implies the properties of
/// those before it: two Views have the smaller value in common.
enum class RowLayout : unsigned char {
  strided,     ///< the fast dimension's stride is not one
  contiguous,  ///< stride one; rows of any alignment
  pitch_16,    ///< row pitch is a multiple of 16 bytes
  aligned_16   ///< rows are 16-byte aligned
};

/// Input of the route function of stencils.
struct StencilProblem {
  int rank            = 0;               ///< dimensions of the grid
  Scalar input        = Scalar::opaque;  ///< element type
  Scalar accumulator  = Scalar::opaque;  ///< type of the sums
  int radius          = 0;               ///< largest of all dimensions
  bool one_radius     = true;  ///< the radius is the same in all dimensions
  int taps            = 0;     ///< number of nonzero weights
  WeightForm weights  = WeightForm::any;    ///< their structure
  MmaOperands factors = MmaOperands::none;  ///< factors of an outer product
  bool large_band     = false;  ///< their kernel needs stencil_large_band_bytes
  bool exact_weights  = false;  ///< each weight is one exact operand
  RowLayout source    = RowLayout::strided;     ///< layout of the input
  RowLayout target    = RowLayout::aligned_16;  ///< layout of the output
  bool to_functor     = false;  ///< sums go to a functor, not to a View

  constexpr bool is_product() const { return weights != WeightForm::any; }
  constexpr bool rows_aligned_16() const {
    return source == RowLayout::aligned_16 && target == RowLayout::aligned_16;
  }
};

/// Algorithm of the library's kernels for the sums of a stencil.
enum class StencilKernel {
  separable,  ///< one dimension after the other
  direct,     ///< weight by weight
  band,       ///< two MMA with band matrices, one per dimension
  dense_band  ///< an MMA with a band matrix per row of weights
};

/// Whether kernels without tensor cores are compiled for sums of this type:
/// 16-bit floats in float, bytes in 4-byte integers, others in their own.
constexpr bool stencil_kernel_exists(Scalar input, Scalar accumulator) {
  if (is_16bit_float(input)) return accumulator == Scalar::float32;
  if (size_of(input) == 1)
    return accumulator == Scalar::int32 || accumulator == Scalar::uint32;
  return input != Scalar::opaque && input == accumulator;
}

/// Whether `band` kernels are compiled: for 16-bit floats, for floats split
/// into three of them, and for bytes.
constexpr bool stencil_band_exists(Scalar input, Scalar accumulator) {
  return stencil_kernel_exists(input, accumulator) &&
         (size_of(input) <= 2 || input == Scalar::float32);
}
/// Whether `dense_band` kernels are compiled: for 16-bit floats, floats split
/// into three of them, and doubles.
constexpr bool stencil_dense_band_exists(Scalar input, Scalar accumulator) {
  return stencil_kernel_exists(input, accumulator) &&
         (is_16bit_float(input) || input == Scalar::float32 ||
          input == Scalar::float64);
}
/// Largest radius along the columns and along the rows of their weights. Larger
/// ones need more sums per thread than registers hold.
constexpr int stencil_dense_radius(Scalar input) {
  return is_16bit_float(input) ? 8 : 7;
}
inline constexpr int stencil_dense_side = 8;

/// Whether the factors of an outer product are operands of a `band` kernel.
constexpr bool has_band_factors(StencilProblem const& problem) {
  return problem.is_product() && problem.factors != MmaOperands::none;
}
/// Whether a `band` kernel can compute a stencil. Those of floats need 16-byte
/// aligned rows.
constexpr bool takes_stencil_band(StencilProblem const& problem) {
  return stencil_band_exists(problem.input, problem.accumulator) &&
         problem.rank == 2 && has_band_factors(problem) &&
         (size_of(problem.input) <= 2 ||
          problem.source == RowLayout::aligned_16);
}

/// Maximum shared memory of a block of a `dense_band` kernel.
constexpr int stencil_dense_shared_bytes(Scalar input) {
  return input == Scalar::float64 ? 220 * 1024 : 160 * 1024;
}

/// Maximum shared memory of a block of a `band` kernel. Except for some
/// functors, it is below the 99 KB of compute capability 8.6, 8.9 and 12.
inline constexpr int stencil_large_band_bytes = 124 * 1024;

/// Why no kernel of the library can run a stencil, or none.
constexpr Refusal refuse_stencil(StencilProblem const& problem,
                                 Capability const& capability) {
  return first_refusal({
      {!capability.cuda, not_cuda},
      {capability.compute_capability < 80, no_async_copy},
      {!stencil_kernel_exists(problem.input, problem.accumulator),
       {"no kernel exists for these types of elements and accumulator"}},
      {problem.source == RowLayout::strided,
       {"neither the first nor the last dimension has stride one"}},
      {problem.target == RowLayout::strided,
       {"input and output layouts differ"}},
  });
}

/// Why the route `mma` cannot run, or none.
constexpr Refusal refuse_mma_stencil(StencilProblem const& problem,
                                     Capability const& capability) {
  if (Refusal const refusal = refuse_stencil(problem, capability))
    return refusal;
  bool const band_exists =
      stencil_band_exists(problem.input, problem.accumulator);
  bool const dense_exists =
      stencil_dense_band_exists(problem.input, problem.accumulator);
  bool const takes_band = takes_stencil_band(problem);
  bool const takes_weights =
      takes_band || (dense_exists && problem.exact_weights);
  int const shared_bytes = !takes_band
                               ? stencil_dense_shared_bytes(problem.input)
                           : problem.large_band ? stencil_large_band_bytes
                                                : 0;
  return first_refusal({
      {problem.rank != 2, {"the tensor-core stencils have two dimensions"}},
      {!band_exists && !dense_exists,
       {"tensor cores do not support elements of this type"}},
      {!takes_weights && has_band_factors(problem),
       {"float rows are not 16-byte aligned"}},
      {!takes_weights,
       {"the weights are not exact in the operand type of the tensor cores"}},
      {!takes_band && problem.source < RowLayout::pitch_16,
       {"the distance of rows in the input, or in the memory between two "
        "steps, is no multiple of 16 bytes"}},
      {shared_bytes > capability.shared_bytes,
       {"a block has too little shared memory on this device"}},
  });
}

/// Smallest radii at which sums for a functor are computed on tensor cores;
/// they reach it through shared memory. 10^9 sums per second, H200, CUDA 13.0,
/// 2026-11-23 (8192^2, periodic). Half on tensor cores: 261 at radius 7, 187
/// above 8. Half without: boxes of radius 7, 8, 11, 16 700, 271, 137, 112,
/// other products of radius 1, 3, 5, 8, 11 610, 481, 313, 272, 137. Boxes of
/// bytes of radius 3 and 7: 454 and 458 on tensor cores, 1036 and 834 without,
/// 1091 without at radius 1.
inline constexpr int functor_radius          = 9;
inline constexpr int functor_byte_box_radius = 8;

/// Smallest radii of 16-bit floats at which kernels without tensor cores are
/// slower if rows of the input, or of the output, are not 16-byte aligned. 10^9
/// sums per second of half, radius 1 to 7, kernels timed separately, H200, CUDA
/// 13.0, 2026-11-23 (" 2026-11-24). Boxes of radius 1 now run like products.
///
/// | not aligned             | tensor cores | without                     |
/// |-------------------------|--------------|-----------------------------|
/// | input, boxes            | 801"         | 979 949 932 870 813 760 235 |
/// | input, products         | 801"         | 960 905 782 590 506 385 235 |
/// | output, boxes           | 504          | 959 916 900 822 775 710 239 |
/// | output, products        | 504          | 884 879 731 570 475 370 240 |
/// | input, split factors    | 552          | as products                 |
/// | output, split factors   | 502          | as products                 |
/// | input, uint8 boxes 1-4  | 1750"        | 1638 509 424 415            |
/// | output, uint8 boxes 1-4 | 898"         | 1325 506 427 417            |
///
/// Output rows of odd pitch have no kernels of fixed radius. Boxes of half of
/// radius 1 to 7, 2048 x 2045 and 8192 x 8189, microseconds on tensor cores 34
/// 33 35 36 37 37 39 and 153 155 157 157 157 158 160, without 23 24 50 52 73 77
/// 86 and 139 174 198 194 316 323 348 (H200, 2026-11-30).
inline constexpr int unaligned_input_radius  = 6;
inline constexpr int unaligned_output_radius = 7;
inline constexpr int odd_pitch_output_radius = 3;

/// Smallest radius of boxes that use MMA. Byte stencils other than boxes always
/// use MMA if they can: it is much faster. The limit for bytes is that of
/// uint8; int8 and bool have the same kernels without MMA. Only int8 of radius
/// 1 was timed: 1914 without MMA, 1773 with it (before sums were packed two to
/// a word).
constexpr int mma_box_radius(Scalar input) {
  return size_of(input) == 1 ? 5 : 8;
}
/// Smallest radius of weights that are one outer product.
constexpr int mma_product_radius(Scalar input) {
  return input == Scalar::float32 ? 8 : 4;
}
/// Smallest number of nonzero weights, for all other weights.
constexpr int mma_dense_taps(Scalar input, TuningTable const& tuning) {
  if (input == Scalar::float64) return tuning.mma_8_bytes != 0 ? 200 : never;
  return input == Scalar::float32 ? 150 : 28;
}

/// Whether tensor cores are faster for a stencil that they can compute. The
/// first rule that applies decides, from some value on.
///
/// 10^9 sums per second, 16384^2 half unless a type is named, H200, CUDA 13.0,
/// 2026-11-23; * in a program that times this library only, ' the day before, "
/// as * on 2026-11-24; copy 1069, with " 1048:
///
/// | weights, radius         | tensor cores    | without          |
/// |-------------------------|-----------------|------------------|
/// | box 1 3 7 8             | 912 909 899 893 | 1013 999 929 313 |
/// | box 7                   | 927"            | 948"             |
/// | box 1 7, periodic       | 910 894         | 1012 940         |
/// | box 1 7, halo           | 759 749         | 995 647*         |
/// | box 11 16               | 770* 830"       | 150 123*         |
/// | product 1 3 5           | 910 907 899     | 1008 921 692*    |
/// | split factors 4 5 6 7   | 720" at all     | 875 685 546 449* |
/// | split factors 8 9 11 16 | 668 - 469 468*  | 325 162 150 122* |
/// | star 1 6 7 8            | 536 487 486 430 | 1007 505 446 426 |
/// | dense 1 2 3 4           | 537 537 532 536 | 997 631 446 293  |
/// | dense 7 8               | 483' 427'       | 110' 87'         |
/// | float, dense 4 7        | 182 184'        | 261 110'         |
/// | float, box 7 8          | 400* at both    | 500* 341*        |
/// | float, box 9 11 16      | 382 413" 391*   | 167 155 130*     |
/// | float, split 8          | 283*            | 341*             |
/// | float, split 9 11 16    | 283 285 284*    | 179 160 133*     |
/// | double, dense 6 7       | 78' 78'         | 82' 63'          |
///
/// Boxes of bhalf of radius 7, 935" and 901", follow the rule of half; split
/// factors of bhalf of radius 5 were only timed before 2026-11-24: 629. Without
/// tensor cores, there are no kernels of fixed radius for products of two radii
/// and for radii from 8 on.
/// Boxes of ones of uint8 of radius up to 8 reach 1893" on tensor cores;
/// without, radius 1 to 4 1961, 1924, 1915, 1853" (copy 2074), 5 to 7 1707,
/// 1465, 1442* (copy 2050). Dense weights on small grids: 33, 50 and 98 us
/// (half, float, double, radius 7, 1024^2), without tensor cores 96, 108 and
/// 101.
constexpr bool mma_stencil_pays(StencilProblem const& problem,
                                TuningTable const& tuning = builtin_tuning) {
  Scalar const input        = problem.input;
  int const radius          = problem.radius;
  bool const bytes          = size_of(input) == 1;
  bool const two_bytes      = size_of(input) == 2;
  bool const box            = problem.weights == WeightForm::ones;
  bool const split          = problem.factors == MmaOperands::split;
  bool const aligned        = problem.rows_aligned_16();
  bool const aligned_output = problem.target == RowLayout::aligned_16;
  int const output_later    = aligned_output ? 0 : 1;
  int const split_later     = input == Scalar::bhalf && aligned ? 2 : 1;
  // Whether kernels without tensor cores are as fast up to some radius.
  bool const bytes_have_rival =
      box && problem.one_radius &&
      (aligned || (radius == 1 && !problem.to_functor && !aligned_output));
  int const unaligned_radius = aligned_output ? unaligned_input_radius
                               : problem.target < RowLayout::pitch_16
                                   ? odd_pitch_output_radius
                                   : unaligned_output_radius;
  bool const floats_have_rival =
      !two_bytes ||
      (problem.one_radius && (aligned || radius < unaligned_radius));
  struct Rule {
    bool applies;
    int value;
    int from;
  };
  Rule const rules[] = {
      // Bytes: boxes of uint8 above; unaligned ones in the previous table.
      {bytes && !bytes_have_rival, radius, 0},
      {bytes && problem.to_functor, radius, functor_byte_box_radius},
      {bytes, radius, mma_box_radius(input)},
      // Weights without outer product: the rows "dense" and "star".
      {!problem.is_product(), problem.taps, mma_dense_taps(input, tuning)},
      // Outer products that no `band` kernel supports; by measurement, also
      // functors and unaligned floats.
      {!takes_stencil_band(problem), radius, never},
      {problem.to_functor && radius < functor_radius, radius, never},
      {!two_bytes && !aligned, radius, never},
      // The rows "box", "split" and "product".
      {floats_have_rival && box, radius, mma_box_radius(input)},
      {floats_have_rival && split, radius,
       mma_product_radius(input) + split_later},
      {floats_have_rival, radius, mma_product_radius(input) + output_later},
      // Two radii or unaligned rows: kernels without tensor cores are slower.
      {split, radius, mma_product_radius(input)},
  };
  for (Rule const& rule : rules)
    if (rule.applies) return rule.value >= rule.from;
  return true;
}

/// Largest radius for which one dimension is summed weight by weight; in
/// unaligned rows of 1- and 2-byte elements only from the second radius on.
/// Fractions of the rate of a copy, separable and direct, 2^28 elements of
/// radius 1, 3, 7, H200, CUDA 13.0, 2026-11-23: half 0.82 0.81 0.65 and 0.97
/// 0.94 0.91, float 0.89 0.89 0.85 and 0.98 0.97 0.95, double 0.93 0.93 0.92
/// and 0.98 0.97 0.92. Unaligned, radius 1 and 7: half 0.68 0.44 and 0.63 0.53,
/// uint8 0.41 0.22 and 0.39 0.28, float 0.90 0.80 and 0.46 0.44, double 0.92
/// 0.75 and 0.59 0.54.
inline constexpr int direct_radius_1d           = 8;
inline constexpr int direct_unaligned_radius_1d = 4;
/// Largest radius for which three dimensions are summed weight by weight. Boxes
/// of ones, 640^3, 10^9 sums per second, separable and direct, H200,
/// 2026-11-24: half 230 394, float 216 384, double 109 219.
inline constexpr int direct_radius_3d = 1;

/// Kernel of a route that can run.
constexpr StencilKernel stencil_kernel(StencilProblem const& problem,
                                       Route route) {
  bool const mma    = route == Route::mma;
  bool const direct = problem.rows_aligned_16() ||
                      (size_of(problem.input) <= 2 &&
                       problem.radius >= direct_unaligned_radius_1d);
  struct Rule {
    bool applies;
    StencilKernel kernel;
  };
  Rule const rules[] = {
      {mma && takes_stencil_band(problem), StencilKernel::band},
      {mma, StencilKernel::dense_band},
      {problem.weights < WeightForm::product, StencilKernel::direct},
      {problem.rank == 1 && problem.radius <= direct_radius_1d && direct,
       StencilKernel::direct},
      {problem.rank == 3 && problem.radius <= direct_radius_3d,
       StencilKernel::direct},
  };
  for (Rule const& rule : rules)
    if (rule.applies) return rule.kernel;
  return StencilKernel::separable;
}

/// Levels of reproducibility of a stencil. Integer sums are the same in any
/// order.
constexpr OfferedLevel level_of_stencil(Scalar accumulator) {
  return is_exact_in_any_order(accumulator) ? every_level : run_to_run_only;
}

/// Route of a stencil: `mma` is MMA with band matrices, `streamed` the
/// library's kernels without tensor cores, `generic` plain Kokkos. Automatic
/// choice never fails.
constexpr RouteDecision route_stencil(
    StencilProblem const& problem, Capability const& capability,
    Settings const& settings, TuningTable const& tuning = builtin_tuning) {
  return route_by_refusals(
      settings.route, refuse_mma_stencil(problem, capability),
      refuse_stencil(problem, capability),
      mma_stencil_pays(problem, tuning)
          ? Refusal{}
          : Refusal{"kernels without tensor cores are as fast"});
}

}  // namespace KokkosMMA::Impl

#endif
