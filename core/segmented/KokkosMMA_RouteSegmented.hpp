// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_SEGMENTED_HPP
#define KOKKOSMMA_ROUTE_SEGMENTED_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {
constexpr bool is_wide_integer(Scalar scalar) {
  return scalar == Scalar::int32 || scalar == Scalar::uint32 ||
         scalar == Scalar::int64 || scalar == Scalar::uint64;
}
constexpr bool is_small_integer(Scalar scalar) {
  return scalar == Scalar::int8 || scalar == Scalar::uint8 ||
         scalar == Scalar::boolean;
}
constexpr bool is_small_float(Scalar scalar) {
  return scalar == Scalar::half || scalar == Scalar::bhalf;
}

/// Whether a kernel that loads the data itself is compiled for values of this
/// type: floating-point elements into float or double that are no narrower,
/// integers into 4 or 8 bytes that are no narrower.
constexpr bool segment_kernel_exists(Scalar input, Scalar accumulator) {
  if (input == Scalar::opaque || size_of(accumulator) < size_of(input))
    return false;
  return is_small_integer(input) || is_wide_integer(input)
             ? is_wide_integer(accumulator)
             : accumulator == Scalar::float32 || accumulator == Scalar::float64;
}

/// A scan writes as many results as it reads elements, and so stores them
/// itself: in the type of the values, or rounded to the 16-bit input's.
constexpr bool segment_scan_kernel_exists(Scalar input, Scalar accumulator,
                                          Scalar output) {
  return segment_kernel_exists(input, accumulator) &&
         (output == accumulator || (output == input && is_small_float(input)));
}

/// Whether the tensor cores keep these elements in this accumulator: floats in
/// their own type or float, integers modulo 2^bits of 4 bytes or their own.
constexpr bool segment_products_exist(Scalar input, Scalar accumulator) {
  if (!segment_kernel_exists(input, accumulator)) return false;
  return size_of(accumulator) == (size_of(input) < 4 ? 4 : size_of(input));
}

/// The first reason for which the kernels of the library do not take a problem
/// on any route, or none.
constexpr Refusal refuse_segmented(SegmentedProblem const& problem,
                                   Capability const& capability, bool scan) {
  struct Rule {
    bool applies;
    Refusal refusal;
  };
  bool const compiled =
      scan ? segment_scan_kernel_exists(problem.input, problem.accumulator,
                                        problem.output)
           : segment_kernel_exists(problem.input, problem.accumulator);
  Rule const rules[] = {
      {!capability.cuda, {"the execution space is not Cuda", "docs/routes.md"}},
      {capability.compute_capability < 80,
       {"the device cannot copy to shared memory asynchronously (compute "
        "capability below 8.0)",
        "PTX ISA, cp.async"}},
      {problem.moments,
       {"sums and sums of squares are two values per segment, and the kernels "
        "keep one",
        "backends/cuda/kernels/segmented/KokkosMMA_SegmentedReduce.hpp"}},
      {!compiled,
       {"no kernel exists for these types of elements, accumulator and output",
        "core/segmented/KokkosMMA_RouteSegmented.hpp"}},
      {!problem.plain_memory,
       {"a View does not refer to its elements",
        "atomic and other accessors of Kokkos"}},
      {problem.layout == SegmentLayout::strided,
       {"there are gaps between elements or between segments",
        "docs/segmented.md"}},
      {problem.layout == SegmentLayout::unlike,
       {"input and output layouts differ", "docs/segmented.md"}},
      {problem.layout == SegmentLayout::interleaved,
       {"several values per element are cut into several segments",
        "docs/segmented.md"}},
      {problem.csr && !problem.packed_offsets,
       {"the offsets are strided", "docs/segmented.md"}},
  };
  for (Rule const& rule : rules)
    if (rule.applies) return rule.refusal;
  return {};
}

/// The first reason for which the `mma` route refuses, or none.
constexpr Refusal refuse_mma_segmented(SegmentedProblem const& problem,
                                       Capability const& capability,
                                       Settings const& settings, bool scan) {
  if (Refusal const refusal = refuse_segmented(problem, capability, scan))
    return refusal;
  struct Rule {
    bool applies;
    Refusal refusal;
  };
  Rule const rules[] = {
      {problem.operation != Operation::sum,
       {"the operation is not a sum", "docs/routes.md"}},
      {problem.csr,
       {"variable-size segments do not fill the rows of a product",
        "backends/cuda/kernels/segmented/KokkosMMA_CsrReduce.hpp"}},
      {scan,
       {"segmented scans have no MMA kernel",
        "backends/cuda/kernels/segmented/KokkosMMA_SegmentedScan.hpp"}},
      {problem.layout == SegmentLayout::columns &&
           is_wide_integer(problem.input),
       {"columns of wide integers take four or eight products for what one "
        "addition does",
        "column_products_exist"}},
      {!segment_products_exist(problem.input, problem.accumulator),
       {"the tensor cores accumulate in float, in double for double, or in "
        "integers of the element size and at least 4 bytes",
        "segment_products_exist"}},
      {settings.formulation != Formulation::chained,
       {"the papers' formulations exist for whole sums of half_t alone",
        "Navarro et al. 2020"}},
  };
  for (Rule const& rule : rules)
    if (rule.applies) return rule.refusal;
  return {};
}

constexpr RouteDecision route_segmented(
    SegmentedProblem const& problem, Capability const& capability,
    Settings const& settings, bool scan,
    TuningTable const& tuning = builtin_tuning) {
  RouteDecision decision;
  decision.mma      = refuse_mma_segmented(problem, capability, settings, scan);
  decision.streamed = refuse_segmented(problem, capability, scan);
  if (settings.route != Route::automatic) {
    decision.route = settings.route;
    return decision;
  }
  // A preference, not a capability limit: a forced mma never meets it.
  bool const pays =
      problem.layout == SegmentLayout::columns
          ? mma_columns_pay(problem.input, scan, tuning)
          : mma_segments_pay(problem.input,
                             problem.segment_length * size_of(problem.input),
                             tuning);
  if (!decision.mma && !pays)
    decision.mma = {"additions are as fast for these segments",
                    "mma_segments_pay, core/routing/KokkosMMA_TuningTable.hpp"};
  if (!decision.mma)
    decision.route = Route::mma;
  else if (!decision.streamed)
    decision.route = Route::streamed;
  return decision;
}

/// Route of a segmented reduction: `mma` is products on tensor cores,
/// `streamed` the library's kernels without them, `generic` plain Kokkos.
/// Automatic choice never fails. With a forced route, `route` is that route and
/// the caller checks the refusal.
constexpr RouteDecision route_segmented_reduce(
    SegmentedProblem const& problem, Capability const& capability,
    Settings const& settings, TuningTable const& tuning = builtin_tuning) {
  return route_segmented(problem, capability, settings, false, tuning);
}

/// Route of a segmented scan, like route_segmented_reduce().
constexpr RouteDecision route_segmented_scan(
    SegmentedProblem const& problem, Capability const& capability,
    Settings const& settings, TuningTable const& tuning = builtin_tuning) {
  return route_segmented(problem, capability, settings, true, tuning);
}

}  // namespace KokkosMMA::Impl

#endif
