// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_SAMPLEDTYPES_HPP
#define KOKKOSMMA_SAMPLEDTYPES_HPP

/// \file
/// Fewer types for the tests that a sanitizer watches.

namespace KokkosMMA::Testing {

/// The types of a typed test suite: All, and under AddressSanitizer Few of
/// them. The sanitizer looks for accesses outside of memory, which depend on
/// the sizes of types alone, and triples the time of compiling (the kernels of
/// separable stencils: 420 s with all types; g++ 12, 2026-11-26).
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
template <class Few, class All>
using SampledTypes = Few;
#else
inline constexpr bool sanitized = false;
template <class Few, class All>
using SampledTypes = All;
#endif

}  // namespace KokkosMMA::Testing

#endif
