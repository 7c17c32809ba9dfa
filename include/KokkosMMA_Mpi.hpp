// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_HPP
#define KOKKOSMMA_MPI_HPP

/// \file
/// The operations of kokkos-mma over the ranks of an MPI communicator. For
/// programs that link KokkosMMA::mpi.

#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>
#include <adapters/mpi/KokkosMMA_MpiHalo.hpp>
#include <adapters/mpi/KokkosMMA_MpiReduce.hpp>
#include <adapters/mpi/KokkosMMA_MpiScan.hpp>
#include <adapters/mpi/KokkosMMA_MpiTopology.hpp>

#endif
