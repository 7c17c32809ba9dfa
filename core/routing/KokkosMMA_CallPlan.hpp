// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CALL_PLAN_HPP
#define KOKKOSMMA_CALL_PLAN_HPP

#include <core/routing/KokkosMMA_RouteByRefusals.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

namespace KokkosMMA::Impl {

/// A call that is decided and not yet launched.
struct CallPlan {
  Settings settings;  ///< effective, with the level that the call gets
  RouteDecision decision;
};

}  // namespace KokkosMMA::Impl

#endif
