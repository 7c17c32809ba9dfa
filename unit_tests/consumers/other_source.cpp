// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Never includes Kokkos, and could by hand.
#if defined(other_source_with_the_header)
#elif defined(KOKKOSMMA_VERSION) || defined(KOKKOS_ENABLE_CUDA) || \
    defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL) ||   \
    defined(KOKKOS_ENABLE_OPENMP) || defined(KOKKOS_MACROS_HPP) || \
    defined(KOKKOS_CORE_CONFIG_H)
#error "the header has done something"
#endif
int other_source(void);
int other_source(void) { return 0; }
