// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The route is a constant expression: most of this is checked by compiling it.

#include <core/stencil/KokkosMMA_RouteStencil.hpp>

#include <gtest/gtest.h>

namespace {

using namespace KokkosMMA;

using namespace KokkosMMA::Impl;

constexpr Capability h200{true, 90, 132};
constexpr Capability older{true, 70, 80};
constexpr Capability host{};

constexpr StencilProblem box_of(Scalar input, Scalar accumulator) {
  StencilProblem problem;
  problem.rank           = 2;
  problem.input          = input;
  problem.accumulator    = accumulator;
  problem.radius         = 7;
  problem.taps           = 225;
  problem.box_of_ones    = true;
  problem.one_product    = true;
  problem.band_operands  = true;
  problem.dense_operands = true;
  problem.contiguous     = true;
  problem.size           = 1 << 20;
  return problem;
}
constexpr StencilProblem box_of_halfs() {
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
  problem.box_of_ones = problem.one_product = problem.band_operands = false;
  return problem;
}
/// One outer product, but not of ones.
constexpr StencilProblem weighted(StencilProblem problem, int radius) {
  problem.box_of_ones = false;
  problem.radius      = radius;
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
constexpr StencilProblem in_pieces(StencilProblem problem) {
  problem.dense_in_pieces = true;
  return problem;
}
constexpr StencilProblem sums_of_operands(StencilProblem problem) {
  problem.band_in_pieces = true;
  return problem;
}
constexpr StencilProblem with_rank(StencilProblem problem, int rank) {
  problem.rank = rank;
  return problem;
}
constexpr StencilProblem strided(StencilProblem problem) {
  problem.contiguous = false;
  return problem;
}
constexpr StencilProblem into_another_layout(StencilProblem problem) {
  problem.target_contiguous = false;
  return problem;
}
constexpr StencilProblem to_functor(StencilProblem problem) {
  problem.to_functor = true;
  return problem;
}
constexpr StencilProblem without_operands(StencilProblem problem) {
  problem.band_operands = problem.dense_operands = false;
  return problem;
}
constexpr StencilProblem without_dense(StencilProblem problem) {
  problem.dense_operands = false;
  return problem;
}
constexpr StencilProblem with_odd_rows(StencilProblem problem) {
  problem.dense_rows = false;
  return problem;
}
constexpr StencilProblem unaligned(StencilProblem problem) {
  problem.aligned_rows = false;
  return problem;
}
constexpr StencilProblem of_two_radii(StencilProblem problem) {
  problem.one_radius = false;
  return problem;
}
constexpr StencilProblem into_unaligned(StencilProblem problem) {
  problem.aligned_results = false;
  return problem;
}
constexpr Capability with_shared(int kilobytes) {
  return {true, 80, 108, kilobytes * 1024};
}
constexpr StencilProblem with_zero_factor(StencilProblem problem) {
  problem.zero_factor = true;
  return problem;
}
constexpr bool says(Refusal const& refusal, std::string_view part) {
  return refusal.reason.find(part) != std::string_view::npos &&
         !refusal.source.empty();
}
constexpr Route automatic(StencilProblem const& problem) {
  return route_stencil(problem, h200, {}).route;
}

static_assert(says(refuse_stencil(box_of_halfs(), host), "not Cuda"));
static_assert(says(refuse_stencil(box_of_halfs(), older), "below 8.0"));
static_assert(says(refuse_stencil(strided(box_of_halfs()), h200),
                   "stride one"));
static_assert(says(refuse_stencil(into_another_layout(box_of_halfs()), h200),
                   "laid out otherwise"));
static_assert(says(refuse_stencil(box_of(Scalar::opaque, Scalar::int32), h200),
                   "no kernel keeps these elements"));
static_assert(says(refuse_stencil(box_of(Scalar::half, Scalar::float64), h200),
                   "no kernel keeps these elements"));
static_assert(!refuse_stencil(box_of(Scalar::int8, Scalar::int32), h200));
static_assert(!refuse_stencil(box_of(Scalar::uint64, Scalar::uint64), h200));

static_assert(says(refuse_mma_stencil(with_rank(box_of_halfs(), 3), h200),
                   "two dimensions"));
static_assert(says(refuse_mma_stencil(box_of_words(), h200),
                   "no elements of this type"));
static_assert(says(refuse_mma_stencil(without_operands(box_of_halfs()), h200),
                   "no exact operands"));
static_assert(
    says(refuse_mma_stencil(dense(box_of(Scalar::int8, Scalar::int32)), h200),
         "no exact operands"));

static_assert(says(refuse_mma_stencil(with_odd_rows(dense(box_of_halfs())),
                                      h200),
                   "multiples of 16 bytes"));
static_assert(!refuse_mma_stencil(with_odd_rows(box_of_halfs()), h200));
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
                   "begin anywhere in a line"));
static_assert(!refuse_mma_stencil(dense(box_of_halfs()), with_shared(99)));

static_assert(route_stencil(box_of_halfs(), host, {}).route == Route::generic);
static_assert(automatic(box_of_halfs()) == Route::streamed);
static_assert(automatic(unaligned(box_of_halfs())) == Route::mma);
static_assert(automatic(unaligned(with_radius(box_of_halfs(), 6))) ==
              Route::mma);
static_assert(automatic(unaligned(with_radius(box_of_halfs(), 5))) ==
              Route::streamed);
static_assert(automatic(into_unaligned(box_of_halfs())) == Route::mma);
static_assert(automatic(into_unaligned(with_radius(box_of_halfs(), 6))) ==
              Route::streamed);
static_assert(automatic(of_two_radii(box_of_halfs())) == Route::mma);
static_assert(automatic(of_two_radii(with_radius(
                  box_of(Scalar::uint8, Scalar::int32), 1))) == Route::mma);
static_assert(automatic(into_unaligned(box_of_floats())) == Route::streamed);
static_assert(automatic(box_of(Scalar::bhalf, Scalar::float32)) == Route::mma);
static_assert(automatic(with_radius(box_of(Scalar::bhalf, Scalar::float32),
                                    6)) == Route::streamed);
static_assert(automatic(with_taps(dense(box_of_halfs()), 29)) == Route::mma);
static_assert(automatic(with_radius(box_of_halfs(), 8)) == Route::mma);
static_assert(automatic(to_functor(box_of_halfs())) == Route::streamed);
static_assert(automatic(to_functor(with_radius(box_of_halfs(), 8))) ==
              Route::streamed);
static_assert(automatic(to_functor(with_radius(box_of_halfs(), 9))) ==
              Route::mma);
static_assert(automatic(weighted(box_of_halfs(), 7)) == Route::mma);
static_assert(automatic(weighted(box_of_halfs(), 3)) == Route::streamed);
static_assert(automatic(weighted(box_of_halfs(), 4)) == Route::mma);
static_assert(automatic(into_unaligned(weighted(box_of_halfs(), 4))) ==
              Route::streamed);
static_assert(automatic(into_unaligned(weighted(box_of_halfs(), 5))) ==
              Route::mma);
static_assert(automatic(of_two_radii(weighted(box_of_halfs(), 1))) ==
              Route::mma);
static_assert(automatic(sums_of_operands(weighted(box_of_halfs(), 4))) ==
              Route::streamed);
static_assert(automatic(sums_of_operands(weighted(box_of_halfs(), 5))) ==
              Route::mma);
static_assert(automatic(sums_of_operands(weighted(box_of(Scalar::bhalf,
                                                         Scalar::float32),
                                                  5))) == Route::streamed);
static_assert(automatic(sums_of_operands(weighted(
                  box_of(Scalar::bhalf, Scalar::float32), 6))) == Route::mma);
static_assert(automatic(into_unaligned(sums_of_operands(weighted(box_of_halfs(),
                                                                 5)))) ==
              Route::mma);
static_assert(automatic(unaligned(sums_of_operands(weighted(box_of_halfs(),
                                                            4)))) ==
              Route::streamed);
static_assert(automatic(of_two_radii(sums_of_operands(weighted(box_of_halfs(),
                                                               3)))) ==
              Route::streamed);
static_assert(automatic(of_two_radii(sums_of_operands(weighted(box_of_halfs(),
                                                               4)))) ==
              Route::mma);
static_assert(automatic(to_functor(weighted(box_of_halfs(), 8))) ==
              Route::streamed);
static_assert(automatic(dense(box_of_halfs())) == Route::mma);
static_assert(automatic(with_taps(dense(box_of_halfs()), 49)) == Route::mma);
static_assert(automatic(with_taps(dense(box_of_halfs()), 25)) ==
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
static_assert(automatic(sums_of_operands(weighted(box_of_floats(), 8))) ==
              Route::streamed);
static_assert(automatic(sums_of_operands(weighted(box_of_floats(), 9))) ==
              Route::mma);
static_assert(automatic(dense(box_of_floats())) == Route::mma);
static_assert(automatic(with_taps(dense(box_of_floats()), 121)) ==
              Route::streamed);
static_assert(automatic(in_pieces(with_taps(dense(box_of_halfs()), 81))) ==
              Route::streamed);
static_assert(automatic(in_pieces(dense(box_of_halfs()))) == Route::mma);
static_assert(automatic(box_of(Scalar::float64, Scalar::float64)) ==
              Route::streamed);
static_assert(automatic(dense(box_of(Scalar::float64, Scalar::float64))) ==
              Route::mma);
static_assert(automatic(with_rank(box_of_halfs(), 1)) == Route::streamed);
static_assert(automatic(strided(box_of_halfs())) == Route::generic);

static_assert(stencil_kernel(box_of_halfs(), Route::mma) ==
              StencilKernel::band);
static_assert(stencil_kernel(dense(box_of_halfs()), Route::mma) ==
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
static_assert(stencil_kernel(with_rank(unaligned(box_of_halfs()), 1),
                             Route::streamed) == StencilKernel::direct);
static_assert(
    stencil_kernel(with_rank(unaligned(with_radius(box_of_halfs(), 3)), 1),
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
static_assert(!refusal_of(route_stencil(box_of_halfs(), host,
                                        Settings{Route::generic})));
static_assert(!refusal_of(route_stencil(box_of_halfs(), h200,
                                        Settings{Route::streamed})));
static_assert(says(refusal_of(route_stencil(box_of_words(), h200,
                                            Settings{Route::mma})),
                   "no elements of this type"));
static_assert(says(refusal_of(route_stencil(box_of_halfs(), host,
                                            Settings{Route::streamed})),
                   "not Cuda"));

TEST(RouteStencil, DecisionAsText) {
  EXPECT_EQ(
      "route generic; not mma: the execution space is not Cuda "
      "(docs/routes.md); not streamed: the execution space is not Cuda "
      "(docs/routes.md)",
      to_string(route_stencil(box_of_halfs(), host, {})));
}

}  // namespace
