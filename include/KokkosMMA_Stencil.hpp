// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INCLUDE_STENCIL_HPP
#define KOKKOSMMA_INCLUDE_STENCIL_HPP

/// \file
/// Neighbourhood sums on grids of one to three dimensions.

#include <adapters/algorithms/stencil/KokkosMMA_Stencil.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilPolicy.hpp>
#include <adapters/kokkos/KokkosMMA_Configuration.hpp>
#include <core/base/KokkosMMA_Version.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_RouteStencil.hpp>
#include <core/stencil/KokkosMMA_StencilWeights.hpp>

#endif
