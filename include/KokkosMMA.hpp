// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HPP
#define KOKKOSMMA_HPP

/// \file
/// All of kokkos-mma.

#include <adapters/algorithms/KokkosMMA_Configuration.hpp>
#include <adapters/algorithms/KokkosMMA_Reduce.hpp>
#include <adapters/algorithms/KokkosMMA_Scan.hpp>
#include <adapters/algorithms/KokkosMMA_Segmented.hpp>
#include <adapters/algorithms/KokkosMMA_Stencil.hpp>
#include <adapters/kokkos/KokkosMMA_Functors.hpp>
#include <adapters/kokkos/KokkosMMA_InterceptReduce.hpp>
#include <adapters/kokkos/KokkosMMA_InterceptScan.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>
#include <adapters/kokkos/KokkosMMA_SegmentPolicy.hpp>
#include <adapters/kokkos/KokkosMMA_StencilPolicy.hpp>
#include <adapters/kokkos/KokkosMMA_TeamCollectives.hpp>
#include <core/KokkosMMA_AutomatonRule.hpp>
#include <core/KokkosMMA_Boundary.hpp>
#include <core/KokkosMMA_ErrorBound.hpp>
#include <core/KokkosMMA_RouteReduce.hpp>
#include <core/KokkosMMA_RouteScan.hpp>
#include <core/KokkosMMA_RouteSegmented.hpp>
#include <core/KokkosMMA_RouteStencil.hpp>
#include <core/KokkosMMA_RunLength.hpp>
#include <core/KokkosMMA_Settings.hpp>
#include <core/KokkosMMA_StencilWeights.hpp>
#include <core/KokkosMMA_Version.hpp>

#endif
