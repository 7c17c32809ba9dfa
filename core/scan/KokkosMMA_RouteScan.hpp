// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ROUTE_SCAN_HPP
#define KOKKOSMMA_ROUTE_SCAN_HPP

#include <core/base/KokkosMMA_Capability.hpp>
#include <core/routing/KokkosMMA_Problem.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/routing/KokkosMMA_StreamedTuning.hpp>

#include <cstdint>

namespace KokkosMMA::Impl {

/// Whether the number of tiles exceeds 31 bits: kernels count tiles in 32 bits,
/// and each block counts one tile more than there are.
constexpr bool has_too_many_tiles(ScanProblem const& problem) {
  StreamedScanTuning const tuning = streamed_scan_tuning(problem.value_bytes);
  return problem.size / unsigned(tuning.threads * tuning.items) >> 31 != 0;
}

/// Why the route `streamed` cannot run, or none.
constexpr Refusal refuse_streamed(ScanProblem const& problem,
                                  Capability const& capability) {
  return first_refusal({
      {!capability.cuda, not_cuda},
      {problem.value_bytes > max_value_bytes, too_large_value},
      {problem.functor_bytes > max_functor_bytes, too_large_functor},
      {has_too_many_tiles(problem), {"the range has 2^31 tiles or more"}},
  });
}

/// Why the route `mma` cannot run, or none.
constexpr Refusal refuse_mma(ScanProblem const& problem,
                             Capability const& capability,
                             Settings const& settings) {
  Refusal const order = refuse_products(problem.accumulator, settings);
  return first_refusal({
      {!capability.cuda, not_cuda},
      {!capability.tensor_cores(), no_tensor_cores},
      {problem.source != Source::view, opaque_functor},
      {!problem.sum, {"the scan is not a sum"}},
      {!problem.tile_compiled,
       {"no tile kernel exists for these types of elements, accumulator and "
        "output"}},
      {!problem.contiguous,
       {"a View is strided: its elements do not fill 16-byte accesses"}},
      {!is_input_of_papers(problem.input, problem.accumulator),
       only_half_elements},
      {bool(order), order},
      {!problem.mma_compiled,
       {"scans by MMA are no faster, and only a KokkosMMA:: call in a "
        "CMake target that links KokkosMMA::KokkosMMA reaches their kernels"}},
  });
}

/// Whether `exact` applies: the prefixes are sums of floating-point elements in
/// floating point.
constexpr bool sums_floats(ScanProblem const& problem) {
  return problem.may_be_exact && problem.sum && is_floating(problem.input) &&
         is_floating(problem.accumulator) && is_floating(problem.output);
}

/// Levels of reproducibility of a scan of a View. Tiles and windows are
/// constants of the kernels, independent of the grid.
constexpr OfferedLevel offered_level(ScanProblem const& problem,
                                     Capability const& capability,
                                     Settings const& settings) {
  bool const sums = sums_floats(problem);
  if (sums && problem.on_host) return every_level;
  OfferedLevel const kernels =
      level_of_kernels(problem.accumulator, settings,
                       refuse_streamed(problem, capability), no_exact_scans);
  if (sums && kernels.level == Reproducibility::device_independent)
    return every_level_by_cost;
  return sums ? kernels : without_exact(kernels, settings, no_exact_scans);
}

/// Route of a scan. Visible data and opaque functors use `streamed`, everything
/// else Kokkos' code: MMA is faster for no type
/// (launch_paper_scan), whatever the tuning table. Automatic choice never
/// fails.
constexpr RouteDecision route_scan(ScanProblem const& problem,
                                   Capability const& capability,
                                   Settings const& settings) {
  return route_by_refusals(settings.route,
                           refuse_mma(problem, capability, settings),
                           refuse_streamed(problem, capability),
                           {"shuffles are as fast for every type"});
}

}  // namespace KokkosMMA::Impl

#endif
