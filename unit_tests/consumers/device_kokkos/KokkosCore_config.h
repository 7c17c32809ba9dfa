// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// As Kokkos' build generates it: it is only for Kokkos_Macros.hpp, and once.
#if !defined(KOKKOS_MACROS_HPP) || defined(KOKKOS_CORE_CONFIG_H)
#error "only Kokkos_Macros.hpp includes this"
#else
#define KOKKOS_CORE_CONFIG_H
#endif

#if defined(OTHER_KOKKOS_VERSION)
#define KOKKOS_VERSION OTHER_KOKKOS_VERSION
#else
#define KOKKOS_VERSION 50202
#endif
#if defined(DEVICE_KOKKOS_CUDA)
#define KOKKOS_ENABLE_CUDA
#elif defined(DEVICE_KOKKOS_HIP)
#define KOKKOS_ENABLE_HIP
#elif defined(DEVICE_KOKKOS_SYCL)
#define KOKKOS_ENABLE_SYCL
#elif defined(DEVICE_KOKKOS_OPENMP)
#define KOKKOS_ENABLE_OPENMP
#endif
