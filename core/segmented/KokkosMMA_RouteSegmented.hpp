// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_SEGMENTED_HPP
#define KOKKOSMMA_ROUTE_SEGMENTED_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/base/KokkosMMA_Combine.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

enum class SegmentLayout : unsigned char {
  packed,   ///< elements are neighbours, segments follow without gaps
  columns,  ///< element i of neighbouring segments are neighbours
  strided,  ///< elements or segments with gaps between them
  unlike    ///< input and output have different layouts
};

/// Input of the route function of segmented reductions and scans.
struct SegmentedProblem {
  SegmentLayout layout = SegmentLayout::strided;  ///< in memory
  Operation operation  = Operation::sum;          ///< joins the elements
  Scalar input         = Scalar::opaque;          ///< element type
  Scalar accumulator   = Scalar::opaque;          ///< type of the running value
  Scalar output        = Scalar::opaque;          ///< type written
  bool scan            = false;                   ///< not a reduction
  bool csr             = false;                   ///< cut by offsets
  bool packed_offsets  = true;   ///< the offsets have stride one
  bool plain_memory    = true;   ///< every View refers to its elements
  bool on_host         = false;  ///< the execution space is the host's
  bool may_be_exact    = false;  ///< a kernel for exact sums is compiled
  bool mma_compiled    = false;  ///< a KokkosMMA:: call that can reach the
                                 ///< papers' kernel of equal segments
  std::uint64_t segments = 0;    ///< number of segments
};

/// Whether a kernel that loads the data itself is compiled for these types:
/// floating-point elements with a float or double accumulator, integers with
/// one of 4 or 8 bytes, neither narrower than the elements.
constexpr bool segment_kernel_exists(Scalar input, Scalar accumulator) {
  if (input == Scalar::opaque || size_of(accumulator) < size_of(input))
    return false;
  return is_exact_in_any_order(input)
             ? is_exact_in_any_order(accumulator) && size_of(accumulator) >= 4
             : accumulator == Scalar::float32 || accumulator == Scalar::float64;
}

/// The same for scans, which store as many results as they read elements: in
/// the accumulator's type, or rounded to the 16-bit type of the input.
constexpr bool segment_scan_kernel_exists(Scalar input, Scalar accumulator,
                                          Scalar output) {
  return segment_kernel_exists(input, accumulator) &&
         (output == accumulator || (output == input && is_16bit_float(input)));
}

/// Why no kernel of the library can run a problem on any route, or none.
constexpr Refusal refuse_segmented(SegmentedProblem const& problem,
                                   Capability const& capability) {
  bool const compiled =
      problem.scan ? segment_scan_kernel_exists(
                         problem.input, problem.accumulator, problem.output)
                   : segment_kernel_exists(problem.input, problem.accumulator);
  return first_refusal({
      {!capability.cuda, not_cuda},
      {capability.compute_capability < 80, no_async_copy},
      {!compiled,
       {"no kernel exists for these types of elements, accumulator and "
        "output"}},
      {!problem.plain_memory,
       {"the accessor of a View does not return plain references",
        "atomic and other accessors of Kokkos"}},
      {problem.layout == SegmentLayout::strided,
       {"there are gaps between elements or between segments"}},
      {problem.layout == SegmentLayout::unlike,
       {"input and output layouts differ"}},
      {problem.csr && !problem.packed_offsets, {"the offsets are strided"}},
  });
}

/// Why the route `mma` cannot run, or none. A kernel for columns of bytes was
/// removed: 16, 64, 1000 and 4096 columns of int8, fractions of the read
/// ceiling by additions .71 .73 .79 .80, by MMA .75 .78 .74 .77 (H200,
/// 2026-11-28); 64 and 4096 columns of uint8, GB/s by additions 2460 2629, by
/// MMA 2624 2693 (H100, 2026-11-26).
constexpr Refusal refuse_mma_segmented(SegmentedProblem const& problem,
                                       Capability const& capability,
                                       Settings const& settings) {
  if (Refusal const refusal = refuse_segmented(problem, capability))
    return refusal;
  Refusal const order = refuse_products(problem.accumulator, settings);
  return first_refusal({
      {problem.operation != Operation::sum, {"the operation is not a sum"}},
      {problem.csr,
       {"segments of different lengths do not fill the rows of a matrix"}},
      {problem.scan, {"segmented scans have no MMA kernel"}},
      {problem.layout == SegmentLayout::columns,
       {"sums of columns have no MMA kernel"}},
      {!is_input_of_papers(problem.input, problem.accumulator),
       only_half_elements},
      {bool(order), order},
      {!problem.mma_compiled,
       {"sums of equal segments by MMA are no faster, and only a KokkosMMA:: "
        "call with results of the accumulator's type, in a CMake target that "
        "links KokkosMMA::KokkosMMA, reaches their kernels"}},
  });
}

/// Whether `exact` applies: the values are sums of floating-point elements in
/// floating point.
constexpr bool sums_floats(SegmentedProblem const& problem) {
  return problem.operation == Operation::sum && !problem.scan &&
         is_floating(problem.input) && is_floating(problem.accumulator) &&
         is_floating(problem.output);
}

constexpr OfferedLevel offered_level(SegmentedProblem const& problem,
                                     Capability const& capability,
                                     Settings const& settings) {
  bool const sums = problem.may_be_exact && sums_floats(problem);
  if (sums && problem.on_host) return every_level;
  Refusal const no_exact = first_refusal({
      {problem.scan, no_exact_scans},
      {!sums, only_sums_are_exact},
      {problem.layout != SegmentLayout::packed,
       {"exact sums on Cuda need segments whose elements are contiguous, not "
        "columns; copy the matrix to the other layout"}},
  });
  OfferedLevel const kernels =
      level_of_kernels(problem.accumulator, settings,
                       refuse_segmented(problem, capability), no_exact);
  if (!no_exact && kernels.level == Reproducibility::device_independent)
    return every_level_by_cost;
  return no_exact ? without_exact(kernels, settings, no_exact) : kernels;
}

/// Route of a segmented reduction or scan: `mma` is sums of equal segments on
/// tensor cores, which are faster for no type (launch_paper_segments),
/// `streamed` the library's kernels without them, `generic` plain Kokkos.
/// Automatic choice never fails.
constexpr RouteDecision route_segmented(SegmentedProblem const& problem,
                                        Capability const& capability,
                                        Settings const& settings) {
  return route_by_refusals(settings.route,
                           refuse_mma_segmented(problem, capability, settings),
                           refuse_segmented(problem, capability),
                           {"additions are as fast for equal segments"});
}

}  // namespace KokkosMMA::Impl

#endif
