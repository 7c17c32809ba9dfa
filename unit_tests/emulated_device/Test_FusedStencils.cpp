// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sweeps for several steps, and the strips at the boundaries that they leave.

#include "StencilSupport.hpp"

#include <backends/cuda/kernels/stencil/KokkosMMA_FusedStencil.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_BoundaryStrips.hpp>
#include <core/stencil/KokkosMMA_StencilFusion.hpp>
#include <core/stencil/KokkosMMA_StencilPlan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

/// False where no kernel takes so many steps of these weights.
template <class A, int R>
bool expect_fused(StencilWeights<R> const& weights, Random& random) {
  Place<R> most;
  most.fill(90);
  most[R - 1] = R == 1 ? 5000 : 600;
  // Sums of steps are exact: small integers, whose sums of four steps fit.
  StencilCase<R> in = random_case<R>(random, weights, most, false);
  for (int d = 0; d < R; ++d)
    in.extent[d] = std::max<std::int64_t>(in.extent[d], 12);
  int const steps = int(random.integer(2, 4));
  SCOPED_TRACE(in.describe() + ", steps " + std::to_string(steps));
  any_device(random);
  Place<R> const none{};
  DeviceGrid<A, R> source(in.extent, none, none, in.in);
  DeviceGrid<A, R> results(in.extent, none, none, in.out);
  std::fill_n(results.memory(), results.size(),
              std::numeric_limits<A>::quiet_NaN());
  for (std::int64_t i = 0; i < source.size(); ++i)
    source.memory()[i] = stencil_datum<A>(random);
  // Weights are those of the kernels' dimensions.
  Impl::StencilPlan<R> const plan(
      in.reversed ? Impl::reversed(weights) : weights, in.reversed);
  EXPECT_TRUE(plan.product);
  auto const composed = Impl::compose(*plan.product, steps);
  if (!Impl::Cuda::takes_fused(composed)) return false;
  Impl::StencilGrid<A, R> grid{
      source.data(), {}, {}, in.boundaries, in.reversed};
  Impl::StencilTarget<A, R> sink{results.data(), {}};
  for (int d = 0; d < R; ++d) {
    grid.stride[d] = source.stride(d);
    grid.extent[d] = in.extent[d];
    sink.stride[d] = results.stride(d);
  }
  Impl::Cuda::launch_fused_stencil<A, R>(Kokkos::Cuda(), grid, composed, sink);
  Impl::Cuda::launch_boundary_strips<A, R>(Kokkos::Cuda(), grid, plan, steps,
                                           sink);

  HostGrid<R> const all(in.extent);
  DeviceGrid<A, R> now(in.extent, none, none, {});
  DeviceGrid<A, R> after(in.extent, none, none, {});
  for (int step = 0; step < steps; ++step) {
    ExactSums<A, A, R> const sums(in, grid);
    for (std::size_t i = 0; i < all.values.size(); ++i)
      after.at(all.place(i)) = sums(all.place(i));
    std::copy_n(after.memory(), after.size(), now.memory());
    grid.data = now.data();
    for (int d = 0; d < R; ++d) grid.stride[d] = now.stride(d);
  }
  for (std::size_t i = 0; i < all.values.size(); ++i)
    if (results.at(all.place(i)) != now.at(all.place(i))) {
      ADD_FAILURE() << "element " << i << " is " << results.at(all.place(i))
                    << ", not " << now.at(all.place(i));
      break;
    }
  return true;
}

template <class A, int R>
void fused_stencils() {
  Random random;
  SCOPED_TRACE(random.note());
  int taken = 0;
  for (int n = 0; n < 12; ++n) {
    std::array<int, R> radius;
    radius.fill(1);
    taken += expect_fused<A, R>(
        n % 2 == 0 ? StencilWeights<R>::box(1)
                   : random_factors<R>(radius, random).weights(),
        random);
  }
  EXPECT_GE(taken, 6);
}

TEST(FusedKernels, FloatLines) { fused_stencils<float, 1>(); }
TEST(FusedKernels, DoubleLines) { fused_stencils<double, 1>(); }
TEST(FusedKernels, Floats) { fused_stencils<float, 2>(); }
TEST(FusedKernels, Doubles) { fused_stencils<double, 2>(); }

}  // namespace
