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

/// What may be otherwise: with(half, unaligned, weighted).
constexpr auto radius(int r) {
  return [r](P& p) { p.radius = r; };
}
constexpr auto rank(int n) {
  return [n](P& p) { p.rank = n; };
}
/// One outer product, but not of ones.
constexpr auto weighted    = [](P& p) { p.weights = WeightForm::product; };
constexpr auto zero_factor = [](P& p) {
  p.weights = WeightForm::product_with_zeros;
};
/// Weights of full rank.
constexpr auto dense = [](P& p) {
  p.weights = WeightForm::any;
  p.factors = MmaOperands::none;
};
/// An outer product of any fractions.
constexpr auto split = [](P& p) {
  p.weights = WeightForm::product;
  p.factors = MmaOperands::split;
};
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
constexpr auto into_unaligned = [](P& p) { p.target = RowLayout::pitch_16; };
constexpr auto into_odd_pitch = [](P& p) { p.target = RowLayout::contiguous; };
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

static_assert(says(refuse_stencil(half, host), "not Cuda"));
static_assert(says(refuse_stencil(half, v100), "below 8.0"));
static_assert(says(refuse_stencil(with(half, strided), h200), "stride one"));
static_assert(says(refuse_stencil(with(half, into_another_layout), h200),
                   "input and output layouts differ"));
constexpr bool has_kernels(Scalar input, Scalar accumulator) {
  Refusal const refusal = refuse_stencil(box_of(input, accumulator), h200);
  return !says(refusal, "no kernel exists for these types");
}
static_assert(!has_kernels(Scalar::opaque, Scalar::int32) &&
              !has_kernels(Scalar::half, Scalar::float64) &&
              has_kernels(Scalar::int8, Scalar::int32) &&
              has_kernels(Scalar::uint64, Scalar::uint64));

constexpr bool mma_says(std::string_view part, P const& problem,
                        Capability const& capability = h200) {
  return says(refuse_mma_stencil(problem, capability), part);
}
static_assert(mma_says("two dimensions", with(half, rank(3))));
static_assert(mma_says("not support elements of this type", words));
static_assert(mma_says("not exact in the operand type",
                       with(half, without_operands)));
static_assert(mma_says("not exact in the operand type", with(bytes, dense)));
static_assert(mma_says("no multiple of 16 bytes",
                       with(half, dense, odd_pitch)));
static_assert(!refuse_mma_stencil(with(half, odd_pitch), h200));
static_assert(mma_says("float rows are not 16-byte aligned",
                       with(floats, without_dense, unaligned)));
// Doubles need more shared memory than compute capability 8.0 has, others more
// than 8.6.
constexpr bool fits(P const& problem, int kilobytes) {
  return !mma_says("too little shared memory", problem, with_shared(kilobytes));
}
static_assert(!fits(doubles, 163) && fits(doubles, 227) && fits(floats, 99));
static_assert(!fits(with(floats, dense), 99) && fits(with(floats, dense), 163));
static_assert(!fits(with(half, dense), 99) && fits(with(half, dense), 163));
constexpr void large_band(P& problem) { problem.large_band = true; }
static_assert(fits(bytes, 99) && !fits(with(bytes, large_band), 99));
static_assert(fits(with(bytes, large_band), 163));

/// The value from which on `auto` takes the tensor cores; `never`, or -1 if it
/// leaves them again.
template <class... Changes>
constexpr int first_mma(int P::*member, int most, P problem,
                        Changes... changes) {
  problem   = with(problem, changes...);
  int first = never;
  for (int value = 1; value <= most; ++value) {
    problem.*member = value;
    bool const mma  = route_stencil(problem, h200, {}).route == Route::mma;
    if (mma && first == never) first = value;
    if (!mma && first != never) return -1;
  }
  return first;
}
template <class... Changes>
constexpr int mma_radius(P const& problem, Changes... changes) {
  return first_mma(&P::radius, 16, problem, changes...);
}
static_assert(mma_radius(half) == 8 && mma_radius(bhalf) == 8);
static_assert(mma_radius(half, rank(1)) == never);
static_assert(mma_radius(half, unaligned) == 6);
static_assert(mma_radius(half, into_unaligned) == 7);
static_assert(mma_radius(half, into_odd_pitch) == 3);
static_assert(mma_radius(half, two_radii) == 1);
static_assert(mma_radius(half, to_functor) == 9);
static_assert(mma_radius(half, weighted) == 4);
static_assert(mma_radius(half, weighted, into_unaligned) == 5);
static_assert(mma_radius(half, weighted, two_radii) == 1);
static_assert(mma_radius(half, weighted, to_functor) == 9);
static_assert(mma_radius(half, split) == 5 && mma_radius(bhalf, split) == 6);
static_assert(mma_radius(half, split, unaligned) == 5);
static_assert(mma_radius(half, split, into_unaligned) == 5);
static_assert(mma_radius(half, split, two_radii) == 4);
static_assert(mma_radius(bytes) == 5 && mma_radius(bytes, two_radii) == 1);
static_assert(mma_radius(bytes, unaligned) == 1);
static_assert(mma_radius(bytes, into_unaligned) == 2);
static_assert(mma_radius(bytes, to_functor) == 8);
static_assert(mma_radius(bytes, to_functor, unaligned) == 1);
static_assert(mma_radius(floats) == 8 && mma_radius(floats, weighted) == 8);
static_assert(mma_radius(floats, split) == 9);
static_assert(mma_radius(floats, unaligned) == never);
static_assert(mma_radius(floats, into_unaligned) == never);
static_assert(mma_radius(doubles) == never);
/// Whether `auto` takes the tensor cores from `taps` weights of full rank on.
/// All numbers of weights exceed nvcc's limit of calls in a constant
/// expression.
constexpr bool mma_from_taps(P problem, int taps) {
  problem         = with(problem, dense);
  auto const goes = [&problem](int value) {
    problem.taps = value;
    return route_stencil(problem, h200, {}).route == Route::mma;
  };
  return !goes(1) && !goes(taps - 1) && goes(taps) && goes(1089);
}
static_assert(mma_from_taps(half, 28) && mma_from_taps(floats, 150) &&
              mma_from_taps(doubles, 200));
static_assert(route_stencil(with(half, strided), h200, {}).route ==
              Route::generic);

static_assert(stencil_kernel(half, Route::mma) == StencilKernel::band);
static_assert(stencil_kernel(with(half, dense), Route::mma) ==
              StencilKernel::dense_band);
template <class... Changes>
constexpr bool is_separable(P const& problem, Changes... changes) {
  auto const kernel =
      stencil_kernel(with(problem, changes...), Route::streamed);
  return kernel == StencilKernel::separable;
}
static_assert(is_separable(floats) && !is_separable(floats, zero_factor) &&
              !is_separable(floats, dense));
static_assert(!is_separable(floats, rank(1)) &&
              is_separable(floats, radius(9), rank(1)) &&
              is_separable(floats, unaligned, rank(1)) &&
              is_separable(floats, into_unaligned, rank(1)));
static_assert(!is_separable(half, unaligned, rank(1)) &&
              is_separable(half, radius(3), unaligned, rank(1)));
static_assert(is_separable(floats, rank(3)) &&
              !is_separable(floats, radius(1), rank(3)));

// Requested: the refusal says that the route cannot run.
constexpr Refusal requested(P const& problem, Capability const& capability,
                            Route route) {
  return refusal_of(route_stencil(problem, capability, Settings{route}));
}
static_assert(!requested(half, h200, Route::streamed) &&
              says(requested(words, h200, Route::mma),
                   "elements of this type") &&
              says(requested(half, host, Route::streamed), "not Cuda"));

}  // namespace
