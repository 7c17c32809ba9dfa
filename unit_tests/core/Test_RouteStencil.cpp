// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RouteSupport.hpp"

#include <core/stencil/KokkosMMA_RouteStencil.hpp>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;
using P = StencilProblem;

constexpr P box_of(Scalar input, Scalar accumulator) {
  P problem;
  problem.rank          = 2;
  problem.input         = input;
  problem.accumulator   = accumulator;
  problem.radius        = 7;
  problem.taps          = 225;
  problem.weights       = WeightForm::ones;
  problem.factors       = MmaOperands::exact;
  problem.exact_weights = true;
  problem.source        = RowLayout::aligned_16;
  return problem;
}
constexpr P half    = box_of(Scalar::half, Scalar::float32);
constexpr P bhalf   = box_of(Scalar::bhalf, Scalar::float32);
constexpr P floats  = box_of(Scalar::float32, Scalar::float32);
constexpr P doubles = box_of(Scalar::float64, Scalar::float64);
constexpr P bytes   = box_of(Scalar::uint8, Scalar::int32);
constexpr P words   = box_of(Scalar::int32, Scalar::int32);

/// What may be otherwise: with(half, unaligned, radius(6)).
constexpr auto radius(int r) {
  return [r](P& p) { p.radius = r; };
}
constexpr auto taps(int n) {
  return [n](P& p) { p.taps = n; };
}
constexpr auto rank(int n) {
  return [n](P& p) { p.rank = n; };
}
/// One outer product, but not of ones.
constexpr auto weighted(int r) {
  return [r](P& p) {
    p.weights = WeightForm::product;
    p.radius  = r;
  };
}
constexpr auto zero_factor = [](P& p) {
  p.weights = WeightForm::product_with_zeros;
};
/// Weights of full rank.
constexpr auto dense = [](P& p) {
  p.weights = WeightForm::any;
  p.factors = MmaOperands::none;
};
constexpr auto split_factors    = [](P& p) { p.factors = MmaOperands::split; };
constexpr auto without_dense    = [](P& p) { p.exact_weights = false; };
constexpr auto without_operands = [](P& p) {
  p.factors       = MmaOperands::none;
  p.exact_weights = false;
};
constexpr auto two_radii      = [](P& p) { p.one_radius = false; };
constexpr auto to_functor     = [](P& p) { p.to_functor = true; };
constexpr auto strided        = [](P& p) { p.source = RowLayout::strided; };
constexpr auto odd_pitch      = [](P& p) { p.source = RowLayout::contiguous; };
constexpr auto unaligned      = [](P& p) { p.source = RowLayout::pitch_16; };
constexpr auto into_unaligned = [](P& p) { p.target = RowLayout::contiguous; };
constexpr auto into_another_layout = [](P& p) {
  p.target = RowLayout::strided;
};
template <class... Changes>
constexpr P with(P problem, Changes... changes) {
  (changes(problem), ...);
  return problem;
}
constexpr Capability with_shared(int kilobytes) {
  return {true, 80, 108, kilobytes * 1024};
}
template <class... Changes>
constexpr Route automatic(P const& problem, Changes... changes) {
  return route_stencil(with(problem, changes...), h200, {}).route;
}

static_assert(says(refuse_stencil(half, host), "not Cuda"));
static_assert(says(refuse_stencil(half, v100), "below 8.0"));
static_assert(says(refuse_stencil(with(half, strided), h200), "stride one"));
static_assert(says(refuse_stencil(with(half, into_another_layout), h200),
                   "input and output layouts differ"));
static_assert(says(refuse_stencil(box_of(Scalar::opaque, Scalar::int32), h200),
                   "no kernel exists for these types"));
static_assert(says(refuse_stencil(box_of(Scalar::half, Scalar::float64), h200),
                   "no kernel exists for these types"));
static_assert(!refuse_stencil(box_of(Scalar::int8, Scalar::int32), h200));
static_assert(!refuse_stencil(box_of(Scalar::uint64, Scalar::uint64), h200));

static_assert(says(refuse_mma_stencil(with(half, rank(3)), h200),
                   "two dimensions"));
static_assert(says(refuse_mma_stencil(words, h200),
                   "not support elements of this type"));
static_assert(says(refuse_mma_stencil(with(half, without_operands), h200),
                   "not exact in the operand type"));
static_assert(says(
    refuse_mma_stencil(with(box_of(Scalar::int8, Scalar::int32), dense), h200),
    "not exact in the operand type"));

static_assert(says(refuse_mma_stencil(with(half, dense, odd_pitch), h200),
                   "no multiple of 16 bytes"));
static_assert(!refuse_mma_stencil(with(half, odd_pitch), h200));
// Doubles need more shared memory than compute capability 8.0 has, others more
// than 8.6.
static_assert(says(refuse_mma_stencil(doubles, with_shared(163)),
                   "too little shared memory"));
static_assert(!refuse_mma_stencil(doubles, with_shared(227)));
static_assert(says(refuse_mma_stencil(with(floats, dense), with_shared(99)),
                   "too little shared memory"));
static_assert(says(refuse_mma_stencil(with(half, dense), with_shared(99)),
                   "too little shared memory"));
static_assert(!refuse_mma_stencil(with(floats, dense), with_shared(163)));
static_assert(!refuse_mma_stencil(with(half, dense), with_shared(163)));
static_assert(!refuse_mma_stencil(floats, with_shared(99)));
static_assert(says(refuse_mma_stencil(with(floats, without_dense, unaligned),
                                      h200),
                   "float rows are not 16-byte aligned"));

static_assert(route_stencil(half, host, {}).route == Route::generic);
static_assert(automatic(half) == Route::streamed);
static_assert(automatic(half, unaligned) == Route::mma);
static_assert(automatic(half, radius(6), unaligned) == Route::mma);
static_assert(automatic(half, radius(5), unaligned) == Route::streamed);
static_assert(automatic(half, into_unaligned) == Route::mma);
static_assert(automatic(half, radius(6), into_unaligned) == Route::streamed);
static_assert(automatic(half, two_radii) == Route::mma);
static_assert(automatic(bytes, radius(1), two_radii) == Route::mma);
static_assert(automatic(floats, into_unaligned) == Route::streamed);
static_assert(automatic(bhalf) == Route::mma);
static_assert(automatic(bhalf, radius(6)) == Route::streamed);
static_assert(automatic(half, dense, taps(29)) == Route::mma);
static_assert(automatic(half, radius(8)) == Route::mma);
static_assert(automatic(half, to_functor) == Route::streamed);
static_assert(automatic(half, radius(8), to_functor) == Route::streamed);
static_assert(automatic(half, radius(9), to_functor) == Route::mma);
static_assert(automatic(half, weighted(7)) == Route::mma);
static_assert(automatic(half, weighted(3)) == Route::streamed);
static_assert(automatic(half, weighted(4)) == Route::mma);
static_assert(automatic(half, weighted(4), into_unaligned) == Route::streamed);
static_assert(automatic(half, weighted(5), into_unaligned) == Route::mma);
static_assert(automatic(half, weighted(1), two_radii) == Route::mma);
static_assert(automatic(half, weighted(4), split_factors) == Route::streamed);
static_assert(automatic(half, weighted(5), split_factors) == Route::mma);
static_assert(automatic(bhalf, weighted(5), split_factors) == Route::streamed);
static_assert(automatic(bhalf, weighted(6), split_factors) == Route::mma);
static_assert(automatic(half, weighted(5), split_factors, into_unaligned) ==
              Route::mma);
static_assert(automatic(half, weighted(4), split_factors, unaligned) ==
              Route::streamed);
static_assert(automatic(half, weighted(3), split_factors, two_radii) ==
              Route::streamed);
static_assert(automatic(half, weighted(4), split_factors, two_radii) ==
              Route::mma);
static_assert(automatic(half, weighted(8), to_functor) == Route::streamed);
static_assert(automatic(half, dense) == Route::mma);
static_assert(automatic(half, dense, taps(49)) == Route::mma);
static_assert(automatic(half, dense, taps(25)) == Route::streamed);
static_assert(automatic(bytes) == Route::mma);
static_assert(automatic(bytes, radius(5)) == Route::mma);
static_assert(automatic(bytes, radius(4)) == Route::streamed);
static_assert(automatic(bytes, radius(2), unaligned) == Route::mma);
static_assert(automatic(bytes, radius(1), unaligned) == Route::mma);
static_assert(automatic(bytes, radius(7), to_functor) == Route::streamed);
static_assert(automatic(bytes, radius(8), to_functor) == Route::mma);
static_assert(automatic(bytes, radius(1), to_functor, unaligned) == Route::mma);
static_assert(automatic(bytes, radius(1), into_unaligned) == Route::streamed);
static_assert(automatic(bytes, radius(2), into_unaligned) == Route::mma);
static_assert(automatic(floats) == Route::streamed);
static_assert(automatic(floats, radius(8)) == Route::mma);
static_assert(automatic(floats, radius(8), unaligned) == Route::streamed);
static_assert(automatic(floats, radius(8), into_unaligned) == Route::streamed);
static_assert(automatic(floats, weighted(8)) == Route::mma);
static_assert(automatic(floats, weighted(8), split_factors) == Route::streamed);
static_assert(automatic(floats, weighted(9), split_factors) == Route::mma);
static_assert(automatic(floats, dense) == Route::mma);
static_assert(automatic(floats, dense, taps(121)) == Route::streamed);
static_assert(automatic(doubles) == Route::streamed);
static_assert(automatic(doubles, dense) == Route::mma);
static_assert(automatic(half, rank(1)) == Route::streamed);
static_assert(automatic(half, strided) == Route::generic);

static_assert(stencil_kernel(half, Route::mma) == StencilKernel::band);
static_assert(stencil_kernel(with(half, dense), Route::mma) ==
              StencilKernel::dense_band);
static_assert(stencil_kernel(floats, Route::streamed) ==
              StencilKernel::separable);
static_assert(stencil_kernel(with(floats, zero_factor), Route::streamed) ==
              StencilKernel::direct);
static_assert(stencil_kernel(with(floats, dense), Route::streamed) ==
              StencilKernel::direct);
static_assert(stencil_kernel(with(floats, rank(1)), Route::streamed) ==
              StencilKernel::direct);
static_assert(stencil_kernel(with(floats, unaligned, rank(1)),
                             Route::streamed) == StencilKernel::separable);
static_assert(stencil_kernel(with(half, unaligned, rank(1)), Route::streamed) ==
              StencilKernel::direct);
static_assert(stencil_kernel(with(half, radius(3), unaligned, rank(1)),
                             Route::streamed) == StencilKernel::separable);
static_assert(stencil_kernel(with(floats, into_unaligned, rank(1)),
                             Route::streamed) == StencilKernel::separable);
static_assert(stencil_kernel(with(floats, radius(9), rank(1)),
                             Route::streamed) == StencilKernel::separable);
static_assert(stencil_kernel(with(floats, radius(1), rank(3)),
                             Route::streamed) == StencilKernel::direct);
static_assert(stencil_kernel(with(floats, rank(3)), Route::streamed) ==
              StencilKernel::separable);

// Requested: the refusal says that the route cannot run, and another one does.
static_assert(!refusal_of(route_stencil(half, host, Settings{Route::generic})));
static_assert(!refusal_of(route_stencil(half, h200,
                                        Settings{Route::streamed})));
static_assert(says(refusal_of(route_stencil(words, h200, Settings{Route::mma})),
                   "not support elements of this type"));
static_assert(says(refusal_of(route_stencil(half, host,
                                            Settings{Route::streamed})),
                   "not Cuda"));

TEST(RouteStencil, DecisionAsText) {
  EXPECT_EQ(
      "route generic; neither mma nor streamed: the execution space is not "
      "Cuda",
      to_string(route_stencil(half, host, {})));
}

}  // namespace
