// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_STENCIL_GRID_HPP
#define KOKKOSMMA_STENCIL_GRID_HPP

#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// \file
/// Input and output of stencil kernels, and the alignment of their rows to
/// 16-byte chunks, the unit in which kernels load and store. The last dimension
/// is contiguous: a grid with a contiguous first dimension has its dimensions
/// reversed.

namespace KokkosMMA::Impl {

template <class Element, int R>
struct StencilGrid {
  using Index = std::int64_t;

  Element const* data;  ///< element 0 of the grid, after ghost cells
  Index stride[R];
  Index extent[R];
  Boundaries<R> boundaries;
  bool reversed;  ///< relative to the caller's dimensions

  /// Element or, beyond boundaries, the value that replaces it. Where constants
  /// meet, that of the caller's first dimension is used. Without an array with
  /// a variable index, which the compiler would put into local memory.
  KOKKOSMMA_INLINE_FUNCTION Element at(Index i) const requires(R == 1) {
    BoundaryCondition const& condition =
        i < 0 ? boundaries.low[0] : boundaries.high[0];
    if ((i < 0 || i >= extent[0]) && condition.kind == Boundary::constant)
      return static_cast<Element>(condition.value);
    return data[boundary_index(condition.kind, i, extent[0])];
  }
  KOKKOSMMA_INLINE_FUNCTION Element at(Index i, Index j) const
      requires(R == 2) {
    bool const in_rows    = 0 <= i && i < extent[0];
    bool const in_columns = 0 <= j && j < extent[1];
    BoundaryCondition const condition_i =
        i < 0 ? boundaries.low[0] : boundaries.high[0];
    BoundaryCondition const condition_j =
        j < 0 ? boundaries.low[1] : boundaries.high[1];
    bool const constant_i = !in_rows && condition_i.kind == Boundary::constant;
    bool const constant_j =
        !in_columns && condition_j.kind == Boundary::constant;
    if (constant_i || constant_j)
      return static_cast<Element>(constant_i && !(constant_j && reversed)
                                      ? condition_i.value
                                      : condition_j.value);
    return data[boundary_index(condition_i.kind, i, extent[0]) * stride[0] +
                boundary_index(condition_j.kind, j, extent[1])];
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

/// Type of the results in a destination that kernels see, otherwise `Other`.
template <class Epilogue, class Other>
struct EpilogueValue {
  using type = Other;
};
template <StencilEpilogue Epilogue, class Other>
struct EpilogueValue<Epilogue, Other> {
  using type = typename Epilogue::value_type;
};
template <class Epilogue, class Other>
using epilogue_value_t = typename EpilogueValue<Epilogue, Other>::type;

template <class Result>
inline constexpr bool takes_lowest_bytes = std::is_integral_v<Result> &&
                                           sizeof(Result) == 1 &&
                                           !std::is_same_v<Result, bool>;
template <>
inline constexpr bool takes_lowest_bytes<void> = false;

/// Number of elements before this one in its 16-byte chunk.
template <class Element>
int chunk_offset(Element const* element) {
  return int(reinterpret_cast<std::uintptr_t>(element) % 16 / sizeof(Element));
}

template <class Element>
bool rows_aligned_16(Element const* rows, std::int64_t stride) {
  return reinterpret_cast<std::uintptr_t>(rows) % 16 == 0 &&
         std::uintptr_t(stride) * sizeof(Element) % 16 == 0;
}

/// Whether all rows have the same offset in their 16-byte chunks.
template <class Element, int R>
bool row_strides_aligned_16(StencilGrid<Element, R> const& grid) {
  bool aligned = true;
  for (int d = 0; d + 1 < R; ++d)
    aligned =
        aligned && std::uint64_t(grid.stride[d]) * sizeof(Element) % 16 == 0;
  return aligned;
}

/// Whether `count` adjacent results can be stored as one vector, or as vectors
/// of 16 bytes, beginning `shift` elements before the start of each row.
template <int R, class Epilogue>
bool vectors_aligned([[maybe_unused]] Epilogue const& epilogue,
                     [[maybe_unused]] int shift, [[maybe_unused]] int count) {
  if constexpr (StencilEpilogue<Epilogue>) {
    constexpr auto size = std::uintptr_t(sizeof(typename Epilogue::value_type));
    auto const unit     = std::min<std::uintptr_t>(16, count * size);
    auto const begin =
        reinterpret_cast<std::uintptr_t>(epilogue.data) - shift * size;
    bool aligned = epilogue.stride[R - 1] == 1 && begin % unit == 0;
    for (int d = 0; d + 1 < R; ++d)
      aligned =
          aligned && std::uintptr_t(epilogue.stride[d]) * size % unit == 0;
    return aligned;
  } else {
    return false;
  }
}

}  // namespace KokkosMMA::Impl

#endif
