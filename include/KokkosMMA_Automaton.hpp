// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_INCLUDE_AUTOMATON_HPP
#define KOKKOSMMA_INCLUDE_AUTOMATON_HPP

/// \file
/// Cellular automata.

#include <adapters/algorithms/automaton/KokkosMMA_Automaton.hpp>
#include <adapters/kokkos/KokkosMMA_Configuration.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/automaton/KokkosMMA_RuleNotation.hpp>
#include <core/base/KokkosMMA_Version.hpp>
#include <core/routing/KokkosMMA_Settings.hpp>

#endif
