// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INCLUDE_TEAM_HPP
#define KOKKOSMMA_INCLUDE_TEAM_HPP

/// \file
/// Reductions and scans inside the kernels of a TeamPolicy.

#include <adapters/algorithms/team/KokkosMMA_TeamCollectives.hpp>
#include <adapters/kokkos/KokkosMMA_Configuration.hpp>
#include <core/base/KokkosMMA_Version.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#endif
