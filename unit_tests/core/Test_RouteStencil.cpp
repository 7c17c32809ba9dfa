// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The route is a constant expression: most of this is checked by compiling it.

#include <core/stencil/KokkosMMA_RouteStencil.hpp>

#include <gtest/gtest.h>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;

using namespace KokkosMMA::Impl;

constexpr Capability h200{true, 90, 132};
constexpr Capability older{true, 70, 80};
constexpr Capability host{};

constexpr StencilProblem box_of(Scalar input, Scalar accumulator) {
  StencilProblem problem;
  problem.rank        = 2;
  problem.input       = input;
  problem.accumulator = accumulator;
  problem.radius      = 7;
  problem.taps        = 225;
  problem.weights     = WeightForm::ones;
  problem.factors     = MmaOperands::exact;
  problem.each_weight = MmaOperands::exact;
  problem.source      = RowLayout::aligned_16;
  return problem;
}
constexpr StencilProblem box_of_half() {
  return box_of(Scalar::half, Scalar::float32);
}
constexpr StencilProblem box_of_floats() {
  return box_of(Scalar::float32, Scalar::float32);
}
constexpr StencilProblem box_of_words() {
  return box_of(Scalar::int32, Scalar::int32);
}
/// Weights of full rank.
constexpr StencilProblem dense(StencilProblem problem) {
  problem.weights = WeightForm::any;
  problem.factors = MmaOperands::none;
  return problem;
}
/// One outer product, but not of ones.
constexpr StencilProblem weighted(StencilProblem problem, int radius) {
  problem.weights = WeightForm::product;
  problem.radius  = radius;
  return problem;
}
constexpr StencilProblem with_radius(StencilProblem problem, int radius) {
  problem.radius = radius;
  return problem;
}
constexpr StencilProblem with_taps(StencilProblem problem, int taps) {
  problem.taps = taps;
  return problem;
}
constexpr StencilProblem split_weights(StencilProblem problem) {
  problem.each_weight = MmaOperands::split;
  return problem;
}
constexpr StencilProblem split_factors(StencilProblem problem) {
  problem.factors = MmaOperands::split;
  return problem;
}
constexpr StencilProblem with_rank(StencilProblem problem, int rank) {
  problem.rank = rank;
  return problem;
}
constexpr StencilProblem strided(StencilProblem problem) {
  problem.source = RowLayout::strided;
  return problem;
}
constexpr StencilProblem into_another_layout(StencilProblem problem) {
  problem.target = RowLayout::strided;
  return problem;
}
constexpr StencilProblem to_functor(StencilProblem problem) {
  problem.to_functor = true;
  return problem;
}
constexpr StencilProblem without_operands(StencilProblem problem) {
  problem.factors = problem.each_weight = MmaOperands::none;
  return problem;
}
constexpr StencilProblem without_dense(StencilProblem problem) {
  problem.each_weight = MmaOperands::none;
  return problem;
}
constexpr StencilProblem with_odd_pitch(StencilProblem problem) {
  problem.source = RowLayout::contiguous;
  return problem;
}
constexpr StencilProblem unaligned(StencilProblem problem) {
  problem.source = RowLayout::pitch_16;
  return problem;
}
constexpr StencilProblem of_two_radii(StencilProblem problem) {
  problem.one_radius = false;
  return problem;
}
constexpr StencilProblem into_unaligned(StencilProblem problem) {
  problem.target = RowLayout::contiguous;
  return problem;
}
constexpr Capability with_shared(int kilobytes) {
  return {true, 80, 108, kilobytes * 1024};
}
constexpr StencilProblem with_zero_factor(StencilProblem problem) {
  problem.weights = WeightForm::product_with_zeros;
  return problem;
}
constexpr bool says(Refusal const& refusal, std::string_view part) {
  return refusal.reason.find(part) != std::string_view::npos &&
         !refusal.source.empty();
}
constexpr Route automatic(StencilProblem const& problem) {
  return route_stencil(problem, h200, {}).route;
}

static_assert(says(refuse_stencil(box_of_half(), host), "not Cuda"));
static_assert(says(refuse_stencil(box_of_half(), older), "below 8.0"));
static_assert(says(refuse_stencil(strided(box_of_half()), h200), "stride one"));
static_assert(says(refuse_stencil(into_another_layout(box_of_half()), h200),
                   "input and output layouts differ"));
static_assert(says(refuse_stencil(box_of(Scalar::opaque, Scalar::int32), h200),
                   "no kernel keeps these elements"));
static_assert(says(refuse_stencil(box_of(Scalar::half, Scalar::float64), h200),
                   "no kernel keeps these elements"));
static_assert(!refuse_stencil(box_of(Scalar::int8, Scalar::int32), h200));
static_assert(!refuse_stencil(box_of(Scalar::uint64, Scalar::uint64), h200));

static_assert(says(refuse_mma_stencil(with_rank(box_of_half(), 3), h200),
                   "two dimensions"));
static_assert(says(refuse_mma_stencil(box_of_words(), h200),
                   "no elements of this type"));
static_assert(says(refuse_mma_stencil(without_operands(box_of_half()), h200),
                   "no exact operands"));
static_assert(
    says(refuse_mma_stencil(dense(box_of(Scalar::int8, Scalar::int32)), h200),
         "no exact operands"));

static_assert(says(refuse_mma_stencil(with_odd_pitch(dense(box_of_half())),
                                      h200),
                   "multiples of 16 bytes"));
static_assert(!refuse_mma_stencil(with_odd_pitch(box_of_half()), h200));
// Doubles need more shared memory than compute capability 8.0 has, floats more
// than 8.6.
static_assert(says(refuse_mma_stencil(box_of(Scalar::float64, Scalar::float64),
                                      with_shared(163)),
                   "too little shared memory"));
static_assert(!refuse_mma_stencil(box_of(Scalar::float64, Scalar::float64),
                                  with_shared(227)));
static_assert(says(refuse_mma_stencil(dense(box_of_floats()), with_shared(99)),
                   "too little shared memory"));
static_assert(!refuse_mma_stencil(dense(box_of_floats()), with_shared(163)));
static_assert(!refuse_mma_stencil(box_of_floats(), with_shared(99)));
static_assert(says(refuse_mma_stencil(unaligned(without_dense(box_of_floats())),
                                      h200),
                   "float rows are not 16-byte aligned"));
static_assert(!refuse_mma_stencil(dense(box_of_half()), with_shared(99)));

static_assert(route_stencil(box_of_half(), host, {}).route == Route::generic);
static_assert(automatic(box_of_half()) == Route::streamed);
static_assert(automatic(unaligned(box_of_half())) == Route::mma);
static_assert(automatic(unaligned(with_radius(box_of_half(), 6))) ==
              Route::mma);
static_assert(automatic(unaligned(with_radius(box_of_half(), 5))) ==
              Route::streamed);
static_assert(automatic(into_unaligned(box_of_half())) == Route::mma);
static_assert(automatic(into_unaligned(with_radius(box_of_half(), 6))) ==
              Route::streamed);
static_assert(automatic(of_two_radii(box_of_half())) == Route::mma);
static_assert(automatic(of_two_radii(with_radius(
                  box_of(Scalar::uint8, Scalar::int32), 1))) == Route::mma);
static_assert(automatic(into_unaligned(box_of_floats())) == Route::streamed);
static_assert(automatic(box_of(Scalar::bhalf, Scalar::float32)) == Route::mma);
static_assert(automatic(with_radius(box_of(Scalar::bhalf, Scalar::float32),
                                    6)) == Route::streamed);
static_assert(automatic(with_taps(dense(box_of_half()), 29)) == Route::mma);
static_assert(automatic(with_radius(box_of_half(), 8)) == Route::mma);
static_assert(automatic(to_functor(box_of_half())) == Route::streamed);
static_assert(automatic(to_functor(with_radius(box_of_half(), 8))) ==
              Route::streamed);
static_assert(automatic(to_functor(with_radius(box_of_half(), 9))) ==
              Route::mma);
static_assert(automatic(weighted(box_of_half(), 7)) == Route::mma);
static_assert(automatic(weighted(box_of_half(), 3)) == Route::streamed);
static_assert(automatic(weighted(box_of_half(), 4)) == Route::mma);
static_assert(automatic(into_unaligned(weighted(box_of_half(), 4))) ==
              Route::streamed);
static_assert(automatic(into_unaligned(weighted(box_of_half(), 5))) ==
              Route::mma);
static_assert(automatic(of_two_radii(weighted(box_of_half(), 1))) ==
              Route::mma);
static_assert(automatic(split_factors(weighted(box_of_half(), 4))) ==
              Route::streamed);
static_assert(automatic(split_factors(weighted(box_of_half(), 5))) ==
              Route::mma);
static_assert(automatic(split_factors(weighted(box_of(Scalar::bhalf,
                                                      Scalar::float32),
                                               5))) == Route::streamed);
static_assert(automatic(split_factors(weighted(
                  box_of(Scalar::bhalf, Scalar::float32), 6))) == Route::mma);
static_assert(automatic(into_unaligned(
                  split_factors(weighted(box_of_half(), 5)))) == Route::mma);
static_assert(automatic(unaligned(split_factors(weighted(box_of_half(), 4)))) ==
              Route::streamed);
static_assert(automatic(of_two_radii(split_factors(weighted(box_of_half(),
                                                            3)))) ==
              Route::streamed);
static_assert(automatic(of_two_radii(
                  split_factors(weighted(box_of_half(), 4)))) == Route::mma);
static_assert(automatic(to_functor(weighted(box_of_half(), 8))) ==
              Route::streamed);
static_assert(automatic(dense(box_of_half())) == Route::mma);
static_assert(automatic(with_taps(dense(box_of_half()), 49)) == Route::mma);
static_assert(automatic(with_taps(dense(box_of_half()), 25)) ==
              Route::streamed);
static_assert(automatic(box_of(Scalar::uint8, Scalar::int32)) == Route::mma);
static_assert(automatic(with_radius(box_of(Scalar::uint8, Scalar::int32), 5)) ==
              Route::mma);
static_assert(automatic(with_radius(box_of(Scalar::uint8, Scalar::int32), 4)) ==
              Route::streamed);
static_assert(automatic(unaligned(with_radius(
                  box_of(Scalar::uint8, Scalar::int32), 2))) == Route::mma);
static_assert(automatic(unaligned(with_radius(
                  box_of(Scalar::uint8, Scalar::int32), 1))) == Route::mma);
static_assert(automatic(to_functor(with_radius(box_of(Scalar::uint8,
                                                      Scalar::int32),
                                               7))) == Route::streamed);
static_assert(automatic(to_functor(with_radius(
                  box_of(Scalar::uint8, Scalar::int32), 8))) == Route::mma);
static_assert(automatic(unaligned(to_functor(with_radius(
                  box_of(Scalar::uint8, Scalar::int32), 1)))) == Route::mma);
static_assert(automatic(into_unaligned(with_radius(box_of(Scalar::uint8,
                                                          Scalar::int32),
                                                   1))) == Route::streamed);
static_assert(automatic(into_unaligned(with_radius(
                  box_of(Scalar::uint8, Scalar::int32), 2))) == Route::mma);
static_assert(automatic(box_of_floats()) == Route::streamed);
static_assert(automatic(with_radius(box_of_floats(), 8)) == Route::mma);
static_assert(automatic(unaligned(with_radius(box_of_floats(), 8))) ==
              Route::streamed);
static_assert(automatic(into_unaligned(with_radius(box_of_floats(), 8))) ==
              Route::streamed);
static_assert(automatic(weighted(box_of_floats(), 8)) == Route::mma);
static_assert(automatic(split_factors(weighted(box_of_floats(), 8))) ==
              Route::streamed);
static_assert(automatic(split_factors(weighted(box_of_floats(), 9))) ==
              Route::mma);
static_assert(automatic(dense(box_of_floats())) == Route::mma);
static_assert(automatic(with_taps(dense(box_of_floats()), 121)) ==
              Route::streamed);
static_assert(automatic(split_weights(with_taps(dense(box_of_half()), 81))) ==
              Route::streamed);
static_assert(automatic(split_weights(dense(box_of_half()))) == Route::mma);
static_assert(automatic(box_of(Scalar::float64, Scalar::float64)) ==
              Route::streamed);
static_assert(automatic(dense(box_of(Scalar::float64, Scalar::float64))) ==
              Route::mma);
static_assert(automatic(with_rank(box_of_half(), 1)) == Route::streamed);
static_assert(automatic(strided(box_of_half())) == Route::generic);

static_assert(stencil_kernel(box_of_half(), Route::mma) == StencilKernel::band);
static_assert(stencil_kernel(dense(box_of_half()), Route::mma) ==
              StencilKernel::dense_band);
static_assert(stencil_kernel(box_of_floats(), Route::streamed) ==
              StencilKernel::separable);
static_assert(stencil_kernel(with_zero_factor(box_of_floats()),
                             Route::streamed) == StencilKernel::direct);
static_assert(stencil_kernel(dense(box_of_floats()), Route::streamed) ==
              StencilKernel::direct);
static_assert(stencil_kernel(with_rank(box_of_floats(), 1), Route::streamed) ==
              StencilKernel::direct);
static_assert(stencil_kernel(with_rank(unaligned(box_of_floats()), 1),
                             Route::streamed) == StencilKernel::separable);
static_assert(stencil_kernel(with_rank(unaligned(box_of_half()), 1),
                             Route::streamed) == StencilKernel::direct);
static_assert(stencil_kernel(with_rank(unaligned(with_radius(box_of_half(), 3)),
                                       1),
                             Route::streamed) == StencilKernel::separable);
static_assert(stencil_kernel(with_rank(into_unaligned(box_of_floats()), 1),
                             Route::streamed) == StencilKernel::separable);
static_assert(stencil_kernel(with_rank(with_radius(box_of_floats(), 9), 1),
                             Route::streamed) == StencilKernel::separable);
static_assert(stencil_kernel(with_rank(with_radius(box_of_floats(), 1), 3),
                             Route::streamed) == StencilKernel::direct);
static_assert(stencil_kernel(with_rank(box_of_floats(), 3), Route::streamed) ==
              StencilKernel::separable);

// Forced: the route is what was asked for, the refusal says that it cannot run.
static_assert(!refusal_of(route_stencil(box_of_half(), host,
                                        Settings{Route::generic})));
static_assert(!refusal_of(route_stencil(box_of_half(), h200,
                                        Settings{Route::streamed})));
static_assert(says(refusal_of(route_stencil(box_of_words(), h200,
                                            Settings{Route::mma})),
                   "no elements of this type"));
static_assert(says(refusal_of(route_stencil(box_of_half(), host,
                                            Settings{Route::streamed})),
                   "not Cuda"));

TEST(RouteStencil, DecisionAsText) {
  EXPECT_EQ(
      "route generic; not mma: the execution space is not Cuda "
      "(docs/routes.md); not streamed: the execution space is not Cuda "
      "(docs/routes.md)",
      to_string(route_stencil(box_of_half(), host, {})));
}

}  // namespace
