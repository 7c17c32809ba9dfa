// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REFUSAL_HPP
#define KOKKOSMMA_REFUSAL_HPP

#include <cstddef>
#include <initializer_list>
#include <string_view>

/// \file
/// Why a route cannot run a call.

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

/// Largest functor of this library's kernels. A kernel can have 32764 bytes of
/// arguments (CUDA 12.1, compute capability 7.0), of which they use a few
/// hundred for themselves. Kokkos passes larger functors through global memory.
inline constexpr std::size_t max_functor_bytes = 32400;

}  // namespace KokkosMMA::Impl

#endif
