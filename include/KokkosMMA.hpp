// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_HPP
#define KOKKOSMMA_HPP

/// \file
/// All of kokkos-mma except the calls over MPI ranks (KokkosMMA_Mpi.hpp). A
/// source that uses one kind of call compiles faster with the header of that
/// kind, for example KokkosMMA_Reduce.hpp.

#include <KokkosMMA_Automaton.hpp>
#include <KokkosMMA_Reduce.hpp>
#include <KokkosMMA_Scan.hpp>
#include <KokkosMMA_Segmented.hpp>
#include <KokkosMMA_Stencil.hpp>
#include <KokkosMMA_Team.hpp>

#endif
