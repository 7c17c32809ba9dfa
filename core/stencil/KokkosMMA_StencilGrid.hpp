// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_GRID_HPP
#define KOKKOSMMA_STENCIL_GRID_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

/// \file
/// Input and output of stencil kernels. The last dimension is contiguous: a
/// grid with a contiguous first dimension has its dimensions reversed.

namespace KokkosMMA::Impl {

template <class Element, int R>
struct StencilGrid {
  using Index = std::int64_t;

  Element const* data;  ///< element 0 of the grid, after ghost cells
  Index stride[R];
  Index extent[R];
  Boundaries<R> boundaries;
  bool reversed;  ///< relative to the caller's dimensions

  /// Finds the offset of the element that is used for `at`, which may be beyond
  /// boundaries. False for a constant, which `value` then receives.
  KOKKOSMMA_FORCEINLINE_FUNCTION bool locate(Index const (&at)[R],
                                             Index& offset,
                                             double& value) const {
    offset = 0;
    for (int n = 0; n < R; ++n) {
      // If several constants apply, that of the caller's first dimension wins.
      int const d     = reversed ? R - 1 - n : n;
      bool const low  = at[d] < 0;
      bool const high = at[d] >= extent[d];
      BoundaryCondition const& condition =
          low ? boundaries.low[d] : boundaries.high[d];
      if ((low || high) && condition.kind == Boundary::constant) {
        value = condition.value;
        return false;
      }
      offset += boundary_index(condition.kind, at[d], extent[d]) * stride[d];
    }
    return true;
  }

  /// Element or, beyond boundaries, the value that replaces it.
  KOKKOSMMA_FORCEINLINE_FUNCTION Element at(Index const (&at)[R]) const {
    Index offset = 0;
    double value = 0;
    return locate(at, offset, value) ? data[offset]
                                     : static_cast<Element>(value);
  }
};

/// Type in which an element is loaded with its neighbours. Some may be
/// uninitialized, and a bool must be 0 or 1.
template <class Element>
using LoadedElement =
    std::conditional_t<std::is_same_v<Element, bool>, unsigned char, Element>;

/// Epilogue that stores sums in a View; kernels may store several at once.
template <class Result, int R>
struct StencilTarget {
  using value_type = Result;

  Result* data;
  std::int64_t stride[R];

  template <class Sum>
  KOKKOSMMA_FORCEINLINE_FUNCTION void operator()(std::int64_t const (&at)[R],
                                                 Sum sum) const {
    std::int64_t offset = 0;
    for (int d = 0; d < R; ++d) offset += at[d] * stride[d];
    data[offset] = static_cast<Result>(sum);
  }
};

/// Epilogue that invokes the caller's functor with the caller's indices.
template <class Functor, int R>
struct StencilCall {
  Functor functor;
  bool reversed;

  template <class Sum>
  KOKKOSMMA_FORCEINLINE_FUNCTION void operator()(std::int64_t const (&at)[R],
                                                 Sum sum) const {
    if constexpr (R == 1) {
      functor(at[0], sum);
    } else if constexpr (R == 2) {
      functor(reversed ? at[1] : at[0], reversed ? at[0] : at[1], sum);
    } else {
      functor(reversed ? at[2] : at[0], at[1], reversed ? at[0] : at[2], sum);
    }
  }

  /// Invokes the functor for `Count` elements of a row, `Stride` apart, without
  /// code in between: loads of all invocations can be in flight together unless
  /// they may alias stores.
  template <int Stride, int Count, class Sum>
  KOKKOSMMA_FORCEINLINE_FUNCTION void row(std::int64_t const (&at)[R],
                                          Sum const (&sums)[Count]) const {
    if (reversed)
      calls<true, Stride>(at, sums);
    else
      calls<false, Stride>(at, sums);
  }

 private:
  template <bool Reversed, int Stride, int Count, class Sum>
  KOKKOSMMA_FORCEINLINE_FUNCTION void calls(std::int64_t const (&at)[R],
                                            Sum const (&sums)[Count]) const {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int n = 0; n < Count; ++n) {
      std::int64_t const last = at[R - 1] + n * Stride;
      if constexpr (R == 1) {
        functor(last, sums[n]);
      } else if constexpr (R == 2 && Reversed) {
        functor(last, at[0], sums[n]);
      } else if constexpr (R == 2) {
        functor(at[0], last, sums[n]);
      } else if constexpr (Reversed) {
        functor(last, at[1], at[0], sums[n]);
      } else {
        functor(at[0], at[1], last, sums[n]);
      }
    }
  }
};

/// Epilogue whose destination is visible to kernels, like StencilTarget.
template <class Epilogue>
concept StencilEpilogue = requires {
  typename Epilogue::value_type;
};

}  // namespace KokkosMMA::Impl

#endif
