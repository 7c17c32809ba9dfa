// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_LINE_HPP
#define KOKKOSMMA_CUDA_STEP_LINE_HPP

#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_RunKernel.hpp>
#include <backends/cuda/kernels/block/KokkosMMA_TuningType.hpp>
#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepStencilTuning.hpp>
#include <backends/cuda/kernels/stencil/steps/KokkosMMA_StepSums.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// Several steps of a one-dimensional stencil in one sweep, each rounded like a
/// single step. A warp computes the steps of its elements in registers.
/// Neighbours come from other lanes. Lanes at both ends hold elements of the
/// adjacent warps; their sums become invalid step by step and are not stored.

namespace KokkosMMA::Impl::Cuda {

/// Sets the elements beyond the boundaries in a warp's row for the next step.
/// `elements` is memory for the row.
template <int V, int Radius, class A, class Element>
__device__ __forceinline__ void set_beyond(StencilGrid<Element, 1> const& grid,
                                           std::int64_t column, A* elements,
                                           A (&row)[V]) {
  int const lane       = int(threadIdx.x % 32);
  std::int64_t const n = grid.extent[0];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < V; ++i) elements[lane * V + i] = row[i];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < V; ++i) {
    std::int64_t const at = column + i;
    bool const low        = at < 0;
    if (low ? at < -Radius : at < n || at >= n + Radius) continue;
    BoundaryCondition const& condition =
        low ? grid.boundaries.low[0] : grid.boundaries.high[0];
    if (condition.kind == Boundary::constant)
      row[i] = static_cast<A>(static_cast<Element>(condition.value));
    else
      row[i] = elements[near_boundary_index(condition.kind, at, n) -
                        (column - lane * V)];
  }
}

/// \tparam Inward sums go from the ends to the middle, like FactorSums, instead
///   of in the order of the weights
template <class Tuning, class A, class Element, class Epilogue, int Radius,
          bool Inward>
struct StepLineKernel {
  static constexpr int threads    = Tuning::value.threads;
  static constexpr int min_blocks = Tuning::value.min_blocks;

  struct Task {
    StencilGrid<Element, 1> grid;
    Epilogue epilogue;
    std::int64_t origin;  ///< first element of the first warp
    std::int64_t warps;
    bool loads;  ///< in vectors
    bool stores;
    int steps;
    SeparableFactors<A, Radius, true> weights;
  };

  __device__ __forceinline__ static void run(Task const& in) {
    using Index         = std::int64_t;
    constexpr int V     = Tuning::value.columns;
    constexpr int warps = Tuning::value.threads / 32;
    __shared__ A memory[warps][32 * V];
    Index const warp = Index(blockIdx.x) * warps + threadIdx.x / 32;
    if (warp >= in.warps) return;
    int const lane     = int(threadIdx.x % 32);
    int const skip     = (in.steps * Radius + V - 1) / V;  // lanes at each end
    Index const n      = in.grid.extent[0];
    Index const first  = in.origin + (warp * (32 - 2 * skip) - skip) * V;
    Index const column = first + lane * V;

    A row[V];
    if (in.loads && 0 <= column && column + V <= n) {
      read_values<V>(in.grid.data + column, row);
    } else {
#pragma unroll
      for (int i = 0; i < V; ++i) {
        Index const at = column + i;
        bool const needed =
            at >= -in.steps * Radius && at < n + in.steps * Radius;
        row[i] = needed ? static_cast<A>(in.grid.at(at)) : A(0);
      }
    }
    bool const is_open = in.grid.boundaries.low[0].kind != Boundary::periodic &&
                         (first < 0 || first + 32 * V > n);
#pragma unroll 1
    for (int step = 1;; ++step) {
      RowWindow<A, V, Radius> const window(row);
#pragma unroll
      for (int x = 0; x < V; ++x) {
        A sum          = A(0);
        auto const add = [&](int o) {
          sum = multiply_add(in.weights.at[Radius + o], window.at(x + o), sum);
        };
        if constexpr (Inward) {
#pragma unroll
          for (int o = Radius; o > 0; --o) {
            add(-o);
            add(o);
          }
          add(0);
          // A single step adds the weighted row to +0, so that a sum which
          // underflows to -0 is +0.
          sum = multiply_add(A(1), sum, A(0));
        } else {
#pragma unroll
          for (int o = -Radius; o <= Radius; ++o) add(o);
        }
        row[x] = static_cast<A>(static_cast<Element>(sum));
      }
      if (step == in.steps) break;
      if (is_open)
        set_beyond<V, Radius>(in.grid, column, memory[threadIdx.x / 32], row);
    }
    if (skip <= lane && lane < 32 - skip) {
      auto const clamped = [](Index i) {
        return int(i < 0 ? 0 : i > V ? V : i);
      };
      store_step<V>(in.epilogue.data + column, 0, clamped(-column),
                    clamped(n - column), in.stores, row);
    }
  }
};

template <class A, class Element, class Epilogue, class Update = NoUpdate>
void launch_step_stencil(Stream const& space,
                         StencilGrid<Element, 1> const& grid,
                         FactoredWeights<1> const& factored, StepForm form,
                         int steps, Epilogue const& epilogue,
                         Update const& = {}) {
  auto const launch = [&](auto radius, auto inward) {
    constexpr int Radius = decltype(radius)::value;
    using Tuning         = tuning_type<step_line_tuning(Radius)>;
    using Kernel         = StepLineKernel<Tuning, A, Element, Epilogue, Radius,
                                  decltype(inward)::value>;
    constexpr int V      = Tuning::value.columns;
    constexpr int warps  = Kernel::threads / 32;
    StencilAlignment const alignment = stencil_alignment<V>(grid, epilogue);
    std::int64_t const width = (32 - 2 * ((steps * Radius + V - 1) / V)) * V;
    typename Kernel::Task in{
        grid,
        epilogue,
        alignment.origin,
        (grid.extent[0] - alignment.origin + width - 1) / width,
        alignment.loads,
        alignment.stores,
        steps,
        {}};
    for (int o = 0; o <= 2 * Radius; ++o)
      in.weights.at[o] =
          weight_as<A>(factored.kernel_weights.values()[std::size_t(o)]);
    launch_kernel(
        space, "step_line", run_kernel<Kernel>,
        {checked_blocks((in.warps + warps - 1) / warps), Kernel::threads}, in);
    return true;
  };
  if (!with_one_radius<1, step_line_radius>(
          factored.kernel_weights.radius(0), [&](auto radius) {
            return form == StepForm::inward ? launch(radius, std::true_type())
                                            : launch(radius, std::false_type());
          }))
    refuse_steps();
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
