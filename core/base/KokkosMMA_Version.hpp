// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VERSION_HPP
#define KOKKOSMMA_VERSION_HPP

/// \file
/// Version as integers for preprocessor conditions:
/// `KOKKOSMMA_VERSION == major * 10000 + minor * 100 + patch`.

/// Major version: increases when an interface changes.
#define KOKKOSMMA_VERSION_MAJOR 0
/// Minor version: increases when a feature is added.
#define KOKKOSMMA_VERSION_MINOR 1
/// Patch version: increases with bug fixes only.
#define KOKKOSMMA_VERSION_PATCH 0
/// The version as one integer for `#if`: major * 10000 + minor * 100 + patch.
#define KOKKOSMMA_VERSION                                            \
  (KOKKOSMMA_VERSION_MAJOR * 10000 + KOKKOSMMA_VERSION_MINOR * 100 + \
   KOKKOSMMA_VERSION_PATCH)

#endif
