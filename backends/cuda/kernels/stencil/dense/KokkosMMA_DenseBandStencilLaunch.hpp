// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_DENSE_BAND_STENCIL_LAUNCH_HPP
#define KOKKOSMMA_CUDA_DENSE_BAND_STENCIL_LAUNCH_HPP

#include <backends/cuda/kernels/block/KokkosMMA_RunKernel.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/stencil/dense/KokkosMMA_DenseBandStencil.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_SweepStencilLaunch.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_SplitWeights.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace KokkosMMA::Impl::Cuda {

/// Launches the kernel, asynchronously, with 215 KB of shared memory for
/// double, 113 for half with results of half, 123 for float with results of
/// float.
template <class Kernel>
void launch_dense_band_kernel(Stream const& space,
                              typename Kernel::Task const& task) {
  using Block     = typename Kernel::Block;
  auto const& gpu = device(space.device);
  constexpr int most =
      stencil_dense_shared_bytes(scalar_v<typename Kernel::Element>);
  static_assert(Kernel::shared_bytes <= most);
  auto const facts = kernel_facts(space.device, run_kernel<Kernel>,
                                  Block::threads, Kernel::shared_bytes);
  std::int64_t const slots =
      std::int64_t(gpu.multiprocessors) * std::max(1, facts.resident_blocks);
  // A thread block loads 2 * reach more rows than it has sums. Therefore it
  // gets at least as many rows of sums.
  constexpr std::int64_t least = Kernel::Band::taps;
  std::int64_t const blocks    = std::clamp<std::int64_t>(
      task.work.panel_rows * task.work.blocks / least, 1, slots);
  launch_kernel(space, "dense_band", run_kernel<Kernel>,
                {unsigned(blocks), Block::threads, Kernel::shared_bytes}, task);
}

/// Encodes weights as operands, scaled by 2^exponent, since half has a small
/// range of exponents.
template <class Element>
struct DenseBandOperands {
  int exponent = 0;

  explicit DenseBandOperands(StencilWeights<2> const& weights) {
    if constexpr (is_band_half<Element>) {
      double largest = 0;
      for (double const w : weights.values())
        largest = std::max(largest, std::abs(w));
      if (largest > 0) exponent = HalfOperand::top - std::ilogb(largest);
    }
  }
  /// Returns nothing if the weight would have to be rounded.
  auto operator()(double weight) const {
    if constexpr (std::is_same_v<Element, double>) {
      return std::optional<double>(weight);
    } else {
      return exact_operand<weight_operand_t<is_band_half<Element>>>(weight,
                                                                    exponent);
    }
  }
  static bool are_exact(StencilWeights<2> const& weights) {
    DenseBandOperands const operands(weights);
    return std::all_of(weights.values().begin(), weights.values().end(),
                       [&](double w) { return operands(w).has_value(); });
  }
};

/// Sets up the task and launches the kernel. are_exact(weights) must hold.
template <int Reach, class Element, class Epilogue>
void launch_dense_sweep(Stream const& space,
                        StencilGrid<Element, 2> const& grid,
                        StencilWeights<2> const& weights,
                        Epilogue const& epilogue) {
  using Kernel                    = DenseBandKernel<Element, Epilogue, Reach>;
  using Block                     = typename Kernel::Block;
  constexpr std::int64_t elements = Kernel::elements;
  DenseBandWork work{};
  auto const address = reinterpret_cast<std::uintptr_t>(grid.data);
  work.shift         = int(address / sizeof(Element) % elements);
  work.panel_rows    = (grid.extent[0] + 15) / 16;
  work.blocks =
      (grid.extent[1] + work.shift + Block::columns - 1) / Block::columns;
  for (int d = 0; d < 2; ++d) {
    work.radius[d] = weights.radius(d);
    work.low[d]    = -grid.boundaries.ghosts_low(d, weights.radius(d));
    work.high[d] =
        grid.extent[d] + grid.boundaries.ghosts_high(d, weights.radius(d));
  }
  // Half, 10^9 sums per second at cost 2 and cost 3 (H200, CUDA 13.0,
  // 2026-11-22). Constant boundaries: 533 and 528 at radius 4, 480 and 470 at
  // radius 7. Periodic: 466 and 505, 468 and 475. Cost 1 reached 255 at radius
  // 7 in an earlier version of the kernel, cost 2 reached 372.
  bool loads_beyond_boundaries = false;
  for (BoundaryCondition const& condition :
       {grid.boundaries.low[1], grid.boundaries.high[1]})
    loads_beyond_boundaries =
        loads_beyond_boundaries || condition.kind != Boundary::constant;
  int const at_boundaries =
      sizeof(Element) == 2 && loads_beyond_boundaries ? 3 : 2;
  work.boundary_cost = work.blocks > 1 ? at_boundaries : 1;
  using Staged       = typename Epilogue::value_type;
  work.aligned =
      vectors_aligned<2>(epilogue, work.shift, 16 / int(sizeof(Staged)));
  DenseBandOperands<Element> const operands(weights);
  using Sum = typename Kernel::Sum;
  typename Kernel::Task task{
      grid, work, {}, Sum(std::ldexp(1., -operands.exponent)), 0, epilogue};
  for (int tap = 0; tap < Kernel::Band::taps; ++tap)
    for (int v = 0; v < Kernel::values; ++v) {
      double const weight =
          weights.weight({tap - Kernel::reach, v - Kernel::Band::side});
      task.largest         = std::max(task.largest, Sum(std::abs(weight)));
      task.weights[tap][v] = *operands(weight);
    }
  launch_dense_band_kernel<Kernel>(space, task);
}
/// Launches the kernel of the smallest reach that covers the weights.
template <class Element, class Epilogue, int... Reach>
void launch_dense_sweep(Stream const& space,
                        StencilGrid<Element, 2> const& grid,
                        StencilWeights<2> const& weights,
                        Epilogue const& epilogue,
                        std::integer_sequence<int, Reach...>) {
  using Types = DenseBandTypes<Element>;
  static_assert(std::max({Reach...}) ==
                stencil_dense_radius(scalar_v<Element>));
  static_assert(
      ((Types::template Band<Reach>::side == stencil_dense_side) && ...));
  ((weights.radius(0) <= Reach &&
    weights.radius(1) <= Types::template Band<Reach>::side &&
    (launch_dense_sweep<Reach>(space, grid, weights, epilogue), true)) ||
   ...);
}

/// Whether launch_dense_band_stencil() takes the weights.
template <class Element>
bool takes_dense_band(StencilWeights<2> const& weights) {
  constexpr Scalar input = scalar_v<Element>;
  if (weights.radius(0) > stencil_dense_radius(input) ||
      weights.radius(1) > stencil_dense_side)
    return false;
  if constexpr (input == Scalar::float64) {
    return true;
  } else {
    // Keeps the scales of the sums and their inverses in the range of normal
    // numbers.
    double largest = 0;
    for (double const w : weights.values())
      largest = std::max(largest, std::abs(w));
    if (largest == 0) return true;
    return 0x1p-100 < largest && largest < 0x1p100 &&
           DenseBandOperands<Element>::are_exact(weights);
  }
}

/// Whether stored sums can be recomputed: results represent Inf and NaN.
template <class Epilogue>
constexpr bool dense_band_stores() {
  return is_floating(scalar_v<epilogue_value_t<Epilogue, bool>>);
}

/// Launches a stencil with takes_dense_band(weights), asynchronously. Functors
/// and integer results run in the direct kernel.
/// \pre 16-byte chunks begin at the same columns of every row, and blocks have
/// stencil_dense_shared_bytes()
template <class A, class Element, class Epilogue>
void launch_dense_band_stencil(Stream const& space,
                               StencilGrid<Element, 2> const& grid,
                               StencilWeights<2> const& weights,
                               Epilogue const& epilogue) {
  if constexpr (dense_band_stores<Epilogue>()) {
    launch_dense_sweep(space, grid, weights, epilogue,
                       typename DenseBandTypes<Element>::Reaches());
  } else {
    launch_direct_stencil<A, 2>(space, grid, weights, epilogue);
  }
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
