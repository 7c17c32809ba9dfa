// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INCLUDE_SEGMENTED_HPP
#define KOKKOSMMA_INCLUDE_SEGMENTED_HPP

/// \file
/// Reductions and scans of many segments, and by key.

#include <adapters/algorithms/segmented/KokkosMMA_ByKey.hpp>
#include <adapters/algorithms/segmented/KokkosMMA_SegmentPolicy.hpp>
#include <adapters/algorithms/segmented/KokkosMMA_Segmented.hpp>
#include <adapters/kokkos/KokkosMMA_Configuration.hpp>
#include <core/base/KokkosMMA_Version.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/segmented/KokkosMMA_RouteSegmented.hpp>

#endif
