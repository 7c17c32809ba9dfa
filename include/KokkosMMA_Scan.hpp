// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INCLUDE_SCAN_HPP
#define KOKKOSMMA_INCLUDE_SCAN_HPP

/// \file
/// Prefix sums: KokkosMMA::inclusive_scan and exclusive_scan, and functors
/// for Kokkos::parallel_scan.

#include <adapters/algorithms/scan/KokkosMMA_Scan.hpp>
#include <adapters/drop_in/KokkosMMA_InterceptScan.hpp>
#include <adapters/kokkos/KokkosMMA_Configuration.hpp>
#include <adapters/kokkos/KokkosMMA_ScanFunctors.hpp>
#include <core/base/KokkosMMA_Version.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>

#endif
