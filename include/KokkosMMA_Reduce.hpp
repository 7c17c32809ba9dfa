// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INCLUDE_REDUCE_HPP
#define KOKKOSMMA_INCLUDE_REDUCE_HPP

/// \file
/// Sums and other reductions: KokkosMMA::reduce, and functors for
/// Kokkos::parallel_reduce.

#include <adapters/algorithms/reduce/KokkosMMA_Reduce.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptReduce.hpp>
#include <adapters/kokkos/KokkosMMA_Configuration.hpp>
#include <adapters/kokkos/KokkosMMA_Functors.hpp>
#include <core/base/KokkosMMA_Version.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#endif
