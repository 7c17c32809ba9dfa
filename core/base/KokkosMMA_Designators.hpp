// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_DESIGNATORS_HPP
#define KOKKOSMMA_DESIGNATORS_HPP

/// \file
/// Macros around functions with designated initialisers. nvcc 13.0 writes them
/// to the host code in the old GNU syntax, of which clang warns.

#if defined(__clang__) && defined(__CUDACC__)
#define KOKKOSMMA_IMPL_DESIGNATORS_BEGIN \
  _Pragma("clang diagnostic push")       \
      _Pragma("clang diagnostic ignored \"-Wgnu-designator\"")
#define KOKKOSMMA_IMPL_DESIGNATORS_END _Pragma("clang diagnostic pop")
#else
#define KOKKOSMMA_IMPL_DESIGNATORS_BEGIN
#define KOKKOSMMA_IMPL_DESIGNATORS_END
#endif

#endif
