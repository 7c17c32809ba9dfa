// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RouteSupport.hpp"

#include <core/scan/KokkosMMA_RouteScan.hpp>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;
using enum Scalar;
using P = ScanProblem;

/// A call that both routes take.
constexpr P scan_of_halves() {
  P problem;
  problem.source        = Source::view;
  problem.input         = half;
  problem.accumulator   = float32;
  problem.output        = float32;
  problem.sum           = true;
  problem.contiguous    = true;
  problem.tile_compiled = true;
  problem.mma_compiled  = true;
  problem.value_bytes   = 4;
  problem.functor_bytes = 40;
  problem.size          = 1000;
  return problem;
}
constexpr Route chosen(P const& problem, Capability const& capability,
                       Route requested = {}) {
  return route_scan(problem, capability, Settings{requested}).route;
}
static_assert(!refuse_mma(scan_of_halves(), a100, {}) &&
              !refuse_streamed(scan_of_halves(), v100));

/// A functor of which nothing is known.
constexpr P a_functor =
    with(P{}, &P::value_bytes, 16, &P::functor_bytes, 100, &P::size, 1000);
static_assert(!refuse_streamed(a_functor, v100));

/// What the routes say of the first call with these changes, on an H200.
template <class... Changes>
constexpr Refusal streamed(Changes... changes) {
  return refuse_streamed(with(scan_of_halves(), changes...), h200);
}
template <class... Changes>
constexpr Refusal mma(Changes... changes) {
  return refuse_mma(with(scan_of_halves(), changes...), h200, {});
}
static_assert(!streamed() && !mma());

static_assert(says(refuse_streamed(scan_of_halves(), host), "not Cuda"));
static_assert(!streamed(&P::value_bytes, 64));
static_assert(says(streamed(&P::value_bytes, 65), "larger than 64 bytes"));
static_assert(!streamed(&P::functor_bytes, 32400));
static_assert(says(streamed(&P::functor_bytes, 32401), "than 32400 bytes"));
static_assert(!streamed(&P::size, std::uint64_t(1) << 40));
/// Kernels count tiles in 32 bits: a larger number would have lost bits.
constexpr bool runs(std::size_t value_bytes, std::uint64_t size) {
  return !streamed(&P::value_bytes, value_bytes, &P::size, size);
}
constexpr std::uint64_t tiles_31_bits = std::uint64_t(1) << 31;
static_assert(runs(64, tiles_31_bits * 256 - 1));
static_assert(!runs(64, tiles_31_bits * 256));
static_assert(!runs(64, tiles_31_bits * 512 + 256));
static_assert(runs(8, tiles_31_bits * 4096 - 1));
static_assert(!runs(8, tiles_31_bits * 4096));
static_assert(runs(2, tiles_31_bits * 3584 - 1));
static_assert(!runs(2, ~std::uint64_t(0)));
static_assert(!streamed(&P::tile_compiled, false));
// What only `mma` cares about.
static_assert(!streamed(&P::source, Source::functor, &P::input, opaque, &P::sum,
                        false, &P::contiguous, false, &P::tile_compiled,
                        false));

template <class... Changes>
constexpr OfferedLevel offered_by(Route route, Capability const& machine,
                                  Changes... changes) {
  return offered_level(
      with(scan_of_halves(), &P::input, float32, &P::accumulator, float32,
           &P::output, float32, &P::may_be_exact, true, changes...),
      machine, {.route = route, .reproducibility = Reproducibility::exact});
}
template <class... Changes>
constexpr OfferedLevel offered(Capability const& machine, Changes... changes) {
  return offered_by(Route::automatic, machine, changes...);
}
static_assert(offered(h200).level == Reproducibility::exact);
static_assert(offered(h200, &P::output, half).level == Reproducibility::exact);
static_assert(offered(host, &P::on_host, true).level == Reproducibility::exact);
// Of calls that are not by name, and of integers in floating point.
static_assert(offered(h200, &P::may_be_exact, false).level ==
              Reproducibility::device_independent);
static_assert(says(offered(h200, &P::may_be_exact, false).refusal,
                   "KokkosMMA::exclusive_scan"));
static_assert(offered(h200, &P::input, int32).level ==
              Reproducibility::device_independent);
static_assert(offered(host).level == Reproducibility::run_to_run);
static_assert(offered(h200).is_cheaper_in_fixed_order &&
              !offered(host, &P::on_host, true).is_cheaper_in_fixed_order);
constexpr OfferedLevel by_kokkos = offered_by(Route::generic, h200);
static_assert(by_kokkos.level == Reproducibility::run_to_run &&
              says(by_kokkos.refusal, "generic"));
static_assert(offered(host, &P::accumulator, int64).level ==
              Reproducibility::exact);

static_assert(says(refuse_mma(scan_of_halves(), host, {}), "not Cuda"));
static_assert(says(refuse_mma(scan_of_halves(), v100, {}), "below 8.0"));
static_assert(says(refuse_mma(scan_of_halves(), {true, 79, 80}, {}),
                   "below 8.0"));
static_assert(says(mma(&P::source, Source::functor), "opaque"));
static_assert(says(mma(&P::sum, false), "not a sum"));
static_assert(says(mma(&P::tile_compiled, false), "no tile kernel"));
static_assert(says(mma(&P::contiguous, false), "strided"));
static_assert(says(mma(&P::mma_compiled, false), "KokkosMMA::KokkosMMA"));
constexpr P of_types(Scalar input, Scalar kept) {
  return with(scan_of_halves(), &P::input, input, &P::accumulator, kept,
              &P::output, kept);
}
constexpr auto is_not_of_papers = [](Types const& types) {
  P const problem = of_types(types.input, types.accumulator);
  return says(refuse_mma(problem, h200, {}), "only half elements") &&
         chosen(problem, h200) == Route::streamed &&
         chosen(problem, h200, Route::mma) == Route::streamed &&
         chosen(problem, v100) == Route::streamed &&
         chosen(problem, host) == Route::generic;
};
static_assert(all({{bhalf, float32},
                   {half, float64},
                   {float32, float32},
                   {float64, float64},
                   {int8, int32},
                   {boolean, int32},
                   {int64, int64}},
                  is_not_of_papers));
// What only `streamed` cares about.
static_assert(!mma(&P::functor_bytes, 40000));

// --- the first reason in the order of the list is the one that is given ----
constexpr P many_wrong =
    with(scan_of_halves(), &P::source, Source::functor, &P::sum, false,
         &P::contiguous, false, &P::tile_compiled, false, &P::value_bytes, 65);
static_assert(says(refuse_streamed(many_wrong, host), "not Cuda"));
static_assert(says(refuse_streamed(many_wrong, h200), "64 bytes"));
static_assert(says(refuse_mma(many_wrong, v100, {}), "below 8.0"));
static_assert(says(refuse_mma(many_wrong, h200, {}), "opaque"));

constexpr auto tile = [](Types const& t) {
  return scan_tile_exists(t.input, t.accumulator, t.output);
};
static_assert(all({{half, float32},
                   {half, float32, half},
                   {bhalf, float32, bhalf},
                   {float32, float32},
                   {float64, float64},
                   {int8, int32},
                   {boolean, int32},
                   {int32, int32},
                   {int64, int64}},
                  tile));
static_assert(none({{half, float32, bhalf},
                    {half, float64},
                    {int64, int32},
                    {int8, int8},
                    {opaque, int32},
                    {int32, opaque}},
                   tile));

static_assert(chosen(scan_of_halves(), h200) == Route::streamed);
static_assert(chosen(scan_of_halves(), h200, Route::mma) == Route::mma);
static_assert(!refusal_of(route_scan(scan_of_halves(), h200,
                                     Settings{Route::mma})));
static_assert(chosen(scan_of_halves(), v100) == Route::streamed);
static_assert(chosen(scan_of_halves(), host) == Route::generic);
static_assert(chosen(a_functor, h200) == Route::streamed);
static_assert(chosen(a_functor, host) == Route::generic);
// The tensor cores are better than Kokkos' own code, whatever they pay.
static_assert(chosen(with(scan_of_halves(), &P::functor_bytes, 40000), h200) ==
              Route::mma);

}  // namespace
