// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_SAMPLEDTYPES_HPP
#define KOKKOSMMA_SAMPLEDTYPES_HPP

#include <type_traits>

/// \file
/// Fewer types for tests that compile for minutes.

namespace KokkosMMA::Testing {

/// Whether the CMake option KokkosMMA_ENABLE_ALL_TYPES is on.
#ifdef KOKKOSMMA_TEST_ALL_TYPES
inline constexpr bool all_types = true;
#else
inline constexpr bool all_types = false;
#endif

/// The types of a typed test suite: All, or Few of them, of different sizes.
/// Under AddressSanitizer, which looks for accesses outside of memory and so
/// for what depends on the sizes of types alone, the kernels of separable
/// stencils take 420 s of compiling with all types and 130 s with three (g++
/// 12, 2026-11-26).
template <class Few, class All>
using SampledTypes = std::conditional_t<all_types, All, Few>;

}  // namespace KokkosMMA::Testing

#endif
