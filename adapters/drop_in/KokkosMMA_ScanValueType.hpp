// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_VALUE_TYPE_HPP
#define KOKKOSMMA_SCAN_VALUE_TYPE_HPP

#include <Kokkos_Core.hpp>

namespace KokkosMMA::Impl {

/// The type of the running value of a scan's functor, as Kokkos finds it.
template <class Functor>
using scanned_value_t = typename Kokkos::Impl::FunctorAnalysis<
    Kokkos::Impl::FunctorPatternInterface::SCAN, void, Functor,
    void>::value_type;

}  // namespace KokkosMMA::Impl

#endif
