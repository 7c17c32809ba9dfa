// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_FACES_HPP
#define KOKKOSMMA_CUDA_STEP_FACES_HPP

#include <backends/cuda/kernels/stencil/sweep/KokkosMMA_DirectSums.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StencilSteps.hpp>

#include <cstdint>

/// \file
/// Two steps of a star of radius 1 at a face of a three-dimensional grid. A
/// warp has one lane per element of a line along the face and sweeps along the
/// face. Elements further inside the grid are in registers. A star has
/// neighbours along one dimension at a time, so the value beyond a boundary
/// follows from two values that a lane has.

namespace KokkosMMA::Impl::Cuda {

/// Results of a warp along its lanes and along its sweep. Sweeps of 4, 8 and 16
/// are within 1 % at 512^3. 10^9 updates per second of half, 256^3, constants:
/// 398, 461 and 423 (H100, CUDA 13.0, 2026-11-27; 4 was measured before
/// StepVolumeKernel computed the ends of rows).
inline constexpr int step_face_row   = 28;
inline constexpr int step_face_lines = 8;
using StepFaces = StepStrips<3, step_face_lines, step_face_row>;

template <class A>
struct BeyondSide {
  Boundary kind;
  A constant;

  __device__ __forceinline__ A operator()(A outermost, A second) const {
    return kind == Boundary::constant ? constant
           : kind == Boundary::mirror ? second
                                      : outermost;
  }
};

template <class A, class Element>
BeyondSide<A> beyond_side(BoundaryCondition const& condition) {
  return {condition.kind,
          static_cast<A>(static_cast<Element>(condition.value))};
}

/// Runs the two steps of a warp.
/// \tparam Arguments of StepVolumeKernel
/// \tparam Normal dimension across the face, not that of rows
template <class Arguments, class A, class Element, int Normal>
struct StepFaceWarp {
  static constexpr int across = 2;           ///< dimension of the lanes
  static constexpr int along  = 1 - Normal;  ///< dimension of the sweep
  static constexpr int steps  = 2;
  static constexpr int depth  = 2 * steps;  ///< elements from the face inwards

  /// Three successive lines of elements, `Depth` elements deep.
  template <int Depth>
  struct Window {
    A value[3][Depth];

    __device__ __forceinline__ void push(A const (&next)[Depth]) {
#pragma unroll
      for (int i = 0; i < Depth; ++i) {
        value[0][i] = value[1][i];
        value[1][i] = value[2][i];
        value[2][i] = next[i];
      }
    }
  };

  Arguments const& in;
  GridBox<3> const& tile;
  bool high;  ///< whether the face is the high one
  BeyondSide<A> beyond_face;
  int index;        ///< of the lane's element
  bool lane_first;  ///< the lane's element is the first at a boundary
  bool lane_last;
  bool lanes_at_boundary;  ///< for any lane of the warp
  Element const* source;   ///< the lane's outermost element of line 0
  Element* target;

  __device__ __forceinline__ StepFaceWarp(Arguments const& arguments,
                                          GridBox<3> const& of_tile,
                                          bool of_high_face)
      : in(arguments),
        tile(of_tile),
        high(of_high_face),
        beyond_face(high ? in.beyond[Normal][1] : in.beyond[Normal][0]) {
    int const n     = extent(across);
    int const first = int(tile.begin[across]) - steps;
    index           = first + int(threadIdx.x % 32);
    bool const ends = in.grid.boundaries.low[across].kind != Boundary::periodic;
    lane_first      = ends && index == 0;
    lane_last       = ends && index == n - 1;
    lanes_at_boundary       = ends && (first < 0 || first + 32 > n);
    std::int64_t const face = high ? extent(Normal) - 1 : 0;
    source                  = in.grid.data + face * in.grid.stride[Normal] +
             inside(across, index) * in.grid.stride[across];
    target = in.epilogue.data + face * in.epilogue.stride[Normal] +
             index * in.epilogue.stride[across];
  }

  __device__ __forceinline__ void run() const {
    int const begin = int(tile.begin[along]);
    int const end   = int(tile.end[along]);
    int const lane  = int(threadIdx.x % 32);
    bool const stores =
        lane >= steps && lane < 32 - steps && index < int(tile.end[across]);
    Window<depth> loaded;
    Window<depth - 1> stepped;
#pragma unroll
    for (int k = 0; k < 3; ++k)
#pragma unroll
      for (int i = 0; i < depth; ++i) {
        loaded.value[k][i] = A(0);
        if (i < depth - 1) stepped.value[k][i] = A(0);
      }
    // Lines that are being loaded.
    A coming[2][depth];
    load(begin - steps, coming[0]);
    load(begin - steps + 1, coming[1]);
#pragma unroll 2
    for (int line = begin - steps; line < end + steps; ++line) {
      loaded.push(coming[0]);
#pragma unroll
      for (int i = 0; i < depth; ++i) coming[0][i] = coming[1][i];
      load(line + 2, coming[1]);

      A next[depth - 1];
      advance(loaded, line - 1, next);
#pragma unroll
      for (int i = 0; i < depth - 1; ++i)
        next[i] = static_cast<A>(static_cast<Element>(next[i]));
      stepped.push(next);

      int const done = line - steps;
      if (done < begin) continue;
      A result[depth - 2];
      advance(stepped, done, result);
      if (!stores) continue;
      Element* const to = target + done * in.epilogue.stride[along];
#pragma unroll
      for (int i = 0; i < depth - 2; ++i)
        to[inwards(i) * in.epilogue.stride[Normal]] =
            static_cast<Element>(result[i]);
    }
  }

 private:
  __device__ __forceinline__ int extent(int d) const {
    return int(in.grid.extent[d]);
  }
  __device__ __forceinline__ int inwards(int i) const { return high ? -i : i; }
  /// Index after applying periodic boundaries, clamped to the grid. Values
  /// loaded beyond other boundaries are not used.
  __device__ __forceinline__ int inside(int d, int i) const {
    int const n = extent(d);
    if (in.grid.boundaries.low[d].kind == Boundary::periodic)
      i += i < 0 ? n : i >= n ? -n : 0;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  }
  __device__ __forceinline__ void load(int line, A (&values)[depth]) const {
    Element const* const from =
        source + inside(along, line) * in.grid.stride[along];
#pragma unroll
    for (int i = 0; i < depth; ++i)
      values[i] = static_cast<A>(from[inwards(i) * in.grid.stride[Normal]]);
  }
  /// Computes the sums of the middle line, from the face inwards.
  template <int Depth>
  __device__ __forceinline__ void advance(Window<Depth> const& window, int line,
                                          A (&sum)[Depth - 1]) const {
    bool const ends = in.grid.boundaries.low[along].kind != Boundary::periodic;
#pragma unroll
    for (int i = 0; i < Depth - 1; ++i) {
      A const centre = window.value[1][i];
      A low[3], upper[3];
      A const inner = window.value[1][i + 1];
      A const outer = i > 0 ? window.value[1][i > 0 ? i - 1 : 0]
                            : beyond_face(centre, inner);
      low[Normal]   = high ? inner : outer;
      upper[Normal] = high ? outer : inner;

      A const before = __shfl_up_sync(~0u, centre, 1);
      A const next   = __shfl_down_sync(~0u, centre, 1);
      low[across]    = before;
      upper[across]  = next;
      if (lanes_at_boundary) {
        if (lane_first) low[across] = in.beyond[across][0](centre, next);
        if (lane_last) upper[across] = in.beyond[across][1](centre, before);
      }

      low[along]   = window.value[0][i];
      upper[along] = window.value[2][i];
      if (ends && line == 0)
        low[along] = in.beyond[along][0](centre, window.value[2][i]);
      if (ends && line == extent(along) - 1)
        upper[along] = in.beyond[along][1](centre, window.value[0][i]);

      A const values[7] = {low[0],   low[1],   low[2],  centre,
                           upper[2], upper[1], upper[0]};
      A of_weights      = A(0);
#pragma unroll
      for (int t = 0; t < 7; ++t)
        of_weights = add_tap(of_weights, in.weight[t], values[t]);
      sum[i] = of_weights;
    }
  }
};

template <class A, class Element, class Arguments>
__device__ __forceinline__ void run_step_face(Arguments const& in,
                                              unsigned warp) {
  if (warp >= in.face_tiles) return;
  int face              = 0;
  GridBox<3> const tile = in.faces.tile(warp, face);
  bool const high       = face % 2 != 0;
  if (face / 2 == 0)
    StepFaceWarp<Arguments, A, Element, 0>(in, tile, high).run();
  else
    StepFaceWarp<Arguments, A, Element, 1>(in, tile, high).run();
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
