// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_VISIBLE_DATA_HPP
#define KOKKOSMMA_VISIBLE_DATA_HPP

#include <core/routing/KokkosMMA_Problem.hpp>

/// \file
/// Kernels for functors whose type shows the data that they read ("visible
/// data"). The headers that define such functors specialise these templates, so
/// that a source with opaque functors includes no kernel that it cannot run.

namespace KokkosMMA::Impl {

/// Data of a functor of a reduction. The default is an opaque functor: the
/// library can only invoke it. A specialisation has describe(), and sum() if
/// `source` is `view` or `product`; see KokkosMMA_Functors.hpp.
template <class Functor>
struct VisibleData {
  static constexpr Source source = Source::functor;
  using Element                  = void;
};

/// Data of a functor of a scan, likewise; see KokkosMMA_ScanFunctors.hpp.
template <class Functor>
struct VisibleScan {
  static constexpr bool visible = false;
};

}  // namespace KokkosMMA::Impl

#endif
