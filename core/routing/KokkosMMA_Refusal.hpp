// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REFUSAL_HPP
#define KOKKOSMMA_REFUSAL_HPP

#include <core/routing/KokkosMMA_Route.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

/// \file
/// Why a route cannot run a call, and the choice of a route by the reasons
/// against each.

namespace KokkosMMA::Impl {

/// Why a route cannot run a problem.
struct Refusal {
  std::string_view reason;       ///< empty: the route can run
  std::string_view source = {};  ///< the source of the limit, or empty

  /// Whether there is a reason.
  constexpr explicit operator bool() const { return !reason.empty(); }
};

/// Row of a table of reasons why a route cannot run.
struct RefusalRule {
  bool applies;
  Refusal refusal;
};

/// Reason of the first rule that applies; empty if none does.
constexpr Refusal first_refusal(std::initializer_list<RefusalRule> rules) {
  for (RefusalRule const& rule : rules)
    if (rule.applies) return rule.refusal;
  return {};
}

// Reasons that several operations share.
inline constexpr Refusal not_cuda{"the execution space is not Cuda"};
inline constexpr Refusal no_tensor_cores{
    "the device has no usable tensor cores (compute capability below 8.0)",
    "PTX ISA, mma target notes"};
inline constexpr Refusal no_async_copy{
    "the device cannot copy to shared memory asynchronously (compute "
    "capability below 8.0)",
    "PTX ISA, cp.async"};
inline constexpr Refusal opaque_functor{
    "the functor is opaque: the library cannot see its data"};
inline constexpr Refusal no_encoding{
    "tensor cores do not support this element type"};
inline constexpr Refusal is_graph_node{"the call is a graph node"};
inline constexpr Refusal no_fixed_size{
    "the value has no fixed size",
    "an array whose length is known only at run time"};
inline constexpr Refusal too_large_value{"the value is larger than 64 bytes"};
inline constexpr Refusal too_large_functor{
    "functor and reducer are larger than 32400 bytes", "kernel argument limit"};
/// Largest value that the route `streamed` keeps in registers: a block stores
/// one per warp in shared memory and one per block in scratch memory.
inline constexpr std::size_t max_value_bytes = 64;
/// Largest value of constant size and largest array that a reduction over a
/// range keeps in shared memory, one per thread. With arrays of 16 KB, a
/// multiprocessor of an H100 has room for 14 threads.
inline constexpr std::size_t max_shared_value_bytes = 512;
inline constexpr std::size_t max_array_bytes        = 16 * 1024;

/// Size limit of flattened multi-dimensional ranges: index division multiplies
/// by a 32-bit reciprocal, which is exact below 2^31.
inline constexpr std::uint64_t max_flattened_indices = std::uint64_t(1) << 31;

/// Largest functor of this library's kernels. A kernel can have 32764 bytes of
/// arguments (CUDA 12.1, compute capability 7.0), of which they use a few
/// hundred for themselves. Kokkos passes larger functors through global memory.
inline constexpr std::size_t max_functor_bytes = 32400;

/// Route of a call and the reasons against the faster ones.
struct RouteDecision {
  Route route = Route::generic;  ///< the route of the call
  /// Route that the call, a scope or the environment requested.
  Route asked = Route::automatic;
  Refusal mma;       ///< empty when the route is mma
  Refusal streamed;  ///< empty when the route is mma or streamed
};

/// Why the requested route cannot run, or none. It is an error where the call
/// itself requests the route.
constexpr Refusal refusal_of(RouteDecision const& decision) {
  return decision.asked == Route::mma        ? decision.mma
         : decision.asked == Route::streamed ? decision.streamed
                                             : Refusal{};
}

/// Decides from the reasons against each route: for `asked` if that can run,
/// otherwise as for `automatic`, which always finds a route.
/// \param preference why `auto` prefers streamed although both can run, or none
constexpr RouteDecision route_by_refusals(Route asked, Refusal const& mma,
                                          Refusal const& streamed,
                                          Refusal const& preference) {
  RouteDecision decision{asked, asked, mma, streamed};
  if (asked != Route::automatic && !refusal_of(decision)) return decision;
  if (!mma && !streamed) decision.mma = preference;
  decision.route = !decision.mma ? Route::mma
                   : !streamed   ? Route::streamed
                                 : Route::generic;
  return decision;
}

}  // namespace KokkosMMA::Impl

#endif
