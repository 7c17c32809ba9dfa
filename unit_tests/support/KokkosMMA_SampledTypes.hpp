// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_SAMPLEDTYPES_HPP
#define KOKKOSMMA_SAMPLEDTYPES_HPP

/// \file
/// Fewer types for tests that compile for minutes.

namespace KokkosMMA::Testing {

/// The types of a typed test suite: All with the CMake option
/// KokkosMMA_ENABLE_ALL_TYPES, else Few of them, of different sizes. Under
/// AddressSanitizer, which looks for accesses outside of memory and so for what
/// depends on the sizes of types alone, the kernels of separable stencils take
/// 420 s of compiling with all types and 130 s with three (g++ 12, 2026-11-26).
#ifdef KOKKOSMMA_TEST_ALL_TYPES
template <class Few, class All>
using SampledTypes = All;
#else
template <class Few, class All>
using SampledTypes = Few;
#endif

}  // namespace KokkosMMA::Testing

#endif
