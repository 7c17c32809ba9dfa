// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ERASED_NODES_HPP
#define KOKKOSMMA_ERASED_NODES_HPP

#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.hpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.hpp>
#include <backends/cuda/runtime/KokkosMMA_GraphPlace.hpp>

/// \file
/// Intercepted nodes of a Kokkos graph without the types of their functors: the
/// choice of the kernel and its insertion into the CUDA graph. Compiled once,
/// in libkokkosmma.

namespace KokkosMMA::Impl {

/// Adds a node that invokes the functor once per index.
/// \return whether it is this library's; if not, the caller adds Kokkos' own
bool add_loop_node(ErasedFor const& call, Cuda::GraphPlace const& place);

/// Adds the node of a reduction.
/// \return whether it is this library's; if not, the caller adds Kokkos' own
bool add_reduce_node(ErasedReduce& call, Cuda::GraphPlace const& place);

}  // namespace KokkosMMA::Impl

#endif
