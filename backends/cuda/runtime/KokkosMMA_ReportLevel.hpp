// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_REPORT_LEVEL_HPP
#define KOKKOSMMA_REPORT_LEVEL_HPP

#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_RouteByRefusals.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

namespace KokkosMMA::Impl {

/// Warns once that a call does not have the requested level: the results of
/// Kokkos' own code depend on the device, and an opaque functor may do anything
/// with its value.
void report_level_of(char const* pattern, Settings const& settings,
                     Scalar value, RouteDecision const& decision);

}  // namespace KokkosMMA::Impl

#endif
