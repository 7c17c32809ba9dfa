// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VERSION_HPP
#define KOKKOSMMA_VERSION_HPP

/// \file
/// Version as integers that preprocessor conditions can compare:
/// `KOKKOSMMA_VERSION == major * 10000 + minor * 100 + patch`.

/// Changes with interfaces.
#define KOKKOSMMA_VERSION_MAJOR 0
/// Changes with what is added.
#define KOKKOSMMA_VERSION_MINOR 1
/// Changes with repairs.
#define KOKKOSMMA_VERSION_PATCH 0
/// All three in one integer, for `#if`.
#define KOKKOSMMA_VERSION                                            \
  (KOKKOSMMA_VERSION_MAJOR * 10000 + KOKKOSMMA_VERSION_MINOR * 100 + \
   KOKKOSMMA_VERSION_PATCH)

#endif
