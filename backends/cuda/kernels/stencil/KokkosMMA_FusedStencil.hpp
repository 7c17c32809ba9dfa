// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_FUSED_STENCIL_HPP
#define KOKKOSMMA_CUDA_FUSED_STENCIL_HPP

#include <backends/cuda/kernels/stencil/KokkosMMA_SweepStencilLaunch.hpp>
#include <core/stencil/KokkosMMA_StencilFusion.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <vector>

/// \file
/// One sweep for several steps of weights that are one outer product: sums
/// along the rows, then down the columns, both from the ends to the middle,
/// where the weights are large. So the sum is small while it is rounded most.
/// Floats are summed in double and rounded once.

namespace KokkosMMA::Impl::Cuda {

template <int R, int Radius>
struct FusedFactors {
  double at[R][2 * Radius + 1];
};

/// A thread has two columns, a batch four rows. H200, 2026-11-21, 16384^2,
/// constant boundaries, sweeps of radius 2, 3, 4 in 10^9 elements per second
/// (copy: 493 float, 258 double):
///
///   float  2 columns, 4 rows  319 281 261    4 columns, 1 row  293 198 170
///   double                    192 204 201    2 columns, 1 row  182 143 172
///
/// The latter also had one thread for each vector beside a boundary. Periodic
/// and reflecting boundaries took 2 to 3 % longer than constants.
template <int R, class Element, int Radius>
constexpr SweepTuning fused_tuning() {
  SweepTuning t = sweep_tuning<double, R, Element, Radius, false>();
  t.columns     = 2;
  t.min_blocks  = R == 1 ? 8 : 4;
  t.batch       = 4;
  t.stages      = 4;
  return t;
}

template <class A, int R, class Element, int Radius>
struct FusedShape : SweepLayout<A, R, Element, Radius, false,
                                fused_tuning<R, Element, Radius>()> {
  using Taps = FusedFactors<R, Radius>;
};

template <class A, int R, class Element, class Epilogue, int Radius>
using FusedArguments =
    SweepArguments<A, R, Element, Epilogue, FusedShape<A, R, Element, Radius>>;

/// value(o) is what belongs to the factor at o. Of two products that are added
/// up, compilers choose which one is rounded: it must be the smaller one.
template <int Radius, class Value>
__device__ __forceinline__ double sum_to_middle(
    double const (&factor)[2 * Radius + 1], Value const& value) {
  double low  = factor[0] * value(0);
  double high = factor[2 * Radius] * value(2 * Radius);
#pragma unroll
  for (int o = 1; o < Radius; ++o) {
    low  = fma(factor[o], value(o), low);
    high = fma(factor[2 * Radius - o], value(2 * Radius - o), high);
  }
  return fma(factor[Radius], value(Radius), low) + high;
}

template <class A, int R, class Element, class Epilogue, int Radius>
__global__ void __launch_bounds__(
    (FusedShape<A, R, Element, Radius>::threads),
    (FusedShape<A, R, Element, Radius>::tuning.min_blocks))
    fused_stencil(FusedArguments<A, R, Element, Epilogue, Radius> const in) {
  using Shape           = FusedShape<A, R, Element, Radius>;
  using Index           = std::int64_t;
  constexpr int columns = Shape::columns;
  constexpr int before  = R > 1 ? 2 * Radius : 0;

  KOKKOSMMA_DYNAMIC_SHARED(unsigned char, 32, memory);
  PlaneSweep<Shape, R, A, Element> const sweep(in, memory);

  // Of the rows before this one, the oldest first.
  double rows[before + 1][columns];
#pragma unroll
  for (int k = 0; k <= before; ++k)
#pragma unroll
    for (int x = 0; x < columns; ++x) rows[k][x] = 0;

  auto const step = [&](Element const* corner, Index plane) {
    double values[Shape::window];
#pragma unroll
    for (int u = 0; u < Shape::window / columns; ++u)
      read_values<columns>(corner - Shape::side + u * columns,
                           values + u * columns);
#pragma unroll
    for (int x = 0; x < columns; ++x)
      rows[before][x] = sum_to_middle<Radius>(in.taps.at[R - 1], [&](int o) {
        return values[Shape::side - Radius + o + x];
      });
    A sums[columns];
#pragma unroll
    for (int x = 0; x < columns; ++x) {
      if constexpr (R == 1) {
        sums[x] = static_cast<A>(rows[0][x]);
      } else {
        sums[x] = static_cast<A>(sum_to_middle<Radius>(
            in.taps.at[0], [&](int o) { return rows[o][x]; }));
      }
    }
#pragma unroll
    for (int k = 0; k < before; ++k)
#pragma unroll
      for (int x = 0; x < columns; ++x) rows[k][x] = rows[k + 1][x];
    if (plane - Shape::reach < sweep.begin || plane - Shape::reach >= sweep.end)
      return;
    if constexpr (R == 1) {
      Index at[1] = {sweep.column + plane * Shape::tile_x};
      in.store(at, sums, sweep.staging);
    } else {
      Index at[2] = {plane - Shape::reach, sweep.column};
      in.store(at, sums, sweep.staging);
    }
  };
  sweep.over(in.source, [&](Element const* corner, Index plane, int const*) {
#pragma unroll 1
    for (int b = 0; b < Shape::batch; ++b)
      step(corner + b * Shape::pitch, plane + b);
  });
}

template <int Radius, class A, int R, class Element, class Epilogue>
void launch_fused_of(
    Kokkos::Cuda const& space, StencilGrid<Element, R> const& grid,
    std::array<std::vector<double>, std::size_t(R)> const& factors,
    Epilogue const& epilogue) {
  if (factors[0].size() == 2 * Radius + 1) {
    std::array<int, std::size_t(R)> radius;
    radius.fill(Radius);
    launch_sweep<FusedShape<A, R, Element, Radius>,
                 FusedArguments<A, R, Element, Epilogue, Radius>, A>(
        space, fused_stencil<A, R, Element, Epilogue, Radius>, grid, radius,
        epilogue, [&](auto& taps) {
          for (std::size_t d = 0; d < R; ++d)
            std::copy(factors[d].begin(), factors[d].end(), taps.at[d]);
        });
  } else if constexpr (Radius > 2) {
    launch_fused_of<Radius - 1, A>(space, grid, factors, epilogue);
  }
}

/// Whether launch_fused_stencil takes these factors: of one radius, 2 to 4, in
/// each of one or two dimensions, none of them 0.
template <std::size_t R>
bool takes_fused(std::array<std::vector<double>, R> const& factors) {
  for (auto const& factor : factors) {
    if (factor.size() != factors[0].size() || factor.size() < 5 ||
        factor.size() > 2 * std::size_t(fused_max_radius) + 1)
      return false;
    for (double const value : factor)
      if (value == 0) return false;
  }
  return R < 3;
}

/// The sweep for several steps in float or double; `factors` are those of all
/// of them (compose). A is the type of the results of a step.
template <class A, int R, class Element, class Epilogue>
void launch_fused_stencil(
    Kokkos::Cuda const& space, StencilGrid<Element, R> const& grid,
    std::array<std::vector<double>, std::size_t(R)> const& factors,
    Epilogue const& epilogue) {
  static_assert(R < 3 &&
                (std::is_same_v<A, float> || std::is_same_v<A, double>));
  for (int d = 0; d < R; ++d)
    if (grid.extent[d] == 0) return;
  launch_fused_of<fused_max_radius, A>(space, grid, factors, epilogue);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
