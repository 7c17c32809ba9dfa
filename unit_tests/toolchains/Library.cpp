// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// libkokkosmma, as one source.

#include <backends/cuda/runtime/KokkosMMA_ErasedCalls.cpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedFor.cpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedNodes.cpp>
#include <backends/cuda/runtime/KokkosMMA_ErasedTeam.cpp>
#include <backends/cuda/runtime/KokkosMMA_KeptChoices.cpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.cpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.cpp>
#include <backends/cuda/runtime/KokkosMMA_TimedCall.cpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.cpp>
