// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_STEP_FACES_HPP
#define KOKKOSMMA_CUDA_STEP_FACES_HPP

#include <backends/cuda/arch/KokkosMMA_Kernel.hpp>
#include <backends/cuda/kernels/stencil/KokkosMMA_DirectSums.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>
#include <core/stencil/KokkosMMA_DirectTaps.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>
#include <core/stencil/KokkosMMA_StepStrips.hpp>

#include <cstdint>

/// \file
/// Two steps of a star of radius 1 beside a face of a grid of three dimensions.
/// A block of threads takes both in memory of its own, the first on the
/// elements around its tile too, and finds what lies beyond the boundaries anew
/// in each.

namespace KokkosMMA::Impl::Cuda {

/// The steps of a tile, by threads with a barrier between load(), advance() and
/// finish().
template <class A, class Element>
struct StepFaceTile {
  using Index = std::int64_t;

  /// Elements of the memory for tiles of strips of two elements.
  template <int Side, int Row>
  static constexpr int room = 5 * (Side + 4) * (Row + 4) +
                              4 * (Side + 2) * (Row + 2);

  struct Box {
    int begin[3];
    int size[3];
    unsigned inverse[2];  ///< of sizes 1 and 2, times 2^18, rounded up

    __device__ __forceinline__ int volume() const {
      return size[0] * size[1] * size[2];
    }
    __device__ __forceinline__ int place(int i, int j, int k) const {
      return ((i - begin[0]) * size[1] + j - begin[1]) * size[2] + k - begin[2];
    }
    /// The indices of an element; exact if its number times a size is less
    /// than 2^18.
    __device__ __forceinline__ void indices(int element, int (&at)[3]) const {
      int const row   = int(unsigned(element) * inverse[1] >> 18);
      int const plane = int(unsigned(row) * inverse[0] >> 18);
      at[0]           = begin[0] + plane;
      at[1]           = begin[1] + row - plane * size[1];
      at[2]           = begin[2] + element - row * size[2];
    }
  };

  StencilGrid<Element, 3> const& grid;
  A const (&weight)[7];  ///< in their order
  Box before;            ///< both steps, and the elements around
  Box between;
  Box result;
  A* loaded;
  A* stepped;

  __device__ __forceinline__
  StepFaceTile(StencilGrid<Element, 3> const& of_grid, A const (&of_weight)[7],
               GridBox<3> const& tile, A* memory)
      : grid(of_grid),
        weight(of_weight),
        before(around(tile, 2)),
        between(around(tile, 1)),
        result(around(tile, 0)),
        loaded(memory),
        stepped(memory + before.volume()) {}

  __device__ __forceinline__ void load() const {
    each(
        before,
        [&](int(&at)[3]) {
          double constant = 0;
          return static_cast<A>(resolve<true>(at, constant)
                                    ? grid.data[at[0] * grid.stride[0] +
                                                at[1] * grid.stride[1] + at[2]]
                                    : static_cast<Element>(constant));
        },
        [&](int e, A value) { loaded[e] = value; });
  }
  __device__ __forceinline__ void advance() const {
    each(
        between,
        [&](int(&at)[3]) {
          double constant = 0;
          return static_cast<A>(
              resolve<false>(at, constant)
                  ? static_cast<Element>(sum(before, loaded, at))
                  : static_cast<Element>(constant));
        },
        [&](int e, A value) { stepped[e] = value; });
  }
  template <class Epilogue>
  __device__ __forceinline__ void finish(Epilogue const& epilogue) const {
    each(
        result, [&](int(&at)[3]) { return sum(between, stepped, at); },
        [&](int e, A value) {
          int at[3];
          result.indices(e, at);
          Index const place[3] = {at[0], at[1], at[2]};
          epilogue(place, value);
        });
  }

 private:
  __device__ __forceinline__ unsigned extent(int d) const {
    return unsigned(grid.extent[d]);
  }
  /// Beyond boundaries, one element.
  __device__ __forceinline__ Box around(GridBox<3> const& tile,
                                        int more) const {
    Box box{};
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      int begin = int(tile.begin[d]) - more;
      int end   = int(tile.end[d]) + more;
      if (grid.boundaries.low[d].kind != Boundary::periodic) {
        if (begin < -1) begin = -1;
        if (end > int(extent(d)) + 1) end = int(extent(d)) + 1;
      }
      box.begin[d] = begin;
      box.size[d]  = end - begin;
    }
    for (int d = 0; d < 2; ++d)
      box.inverse[d] = (1u << 18) / unsigned(box.size[d + 1]) + 1;
    return box;
  }
  /// put(element of the box, make(its indices)) for each.
  template <class Make, class Put>
  __device__ __forceinline__ static void each(Box const& box, Make const& make,
                                              Put const& put) {
    constexpr int at_once = 6;  // elements of a thread, for their latency
    int const threads     = int(blockDim.x);
    int const volume      = box.volume();
    for (int first = int(threadIdx.x); first < volume;
         first += at_once * threads) {
      A values[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        int at[3];
        box.indices(min(first + n * threads, volume - 1), at);
        values[n] = make(at);
      }
#pragma unroll
      for (int n = 0; n < at_once; ++n)
        if (first + n * threads < volume) put(first + n * threads, values[n]);
    }
  }
  /// Replaces indices by those of what stands for the element; false where a
  /// constant does.
  /// \tparam InGrid the indices are of the grid, not of memory, which goes on
  ///                beyond periodic boundaries
  template <bool InGrid>
  __device__ __forceinline__ bool resolve(int (&at)[3],
                                          double& constant) const {
    bool is_element = true;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
      if (unsigned(at[d]) < extent(d)) continue;
      BoundaryCondition const& side =
          at[d] < 0 ? grid.boundaries.low[d] : grid.boundaries.high[d];
      if (side.kind == Boundary::constant) {
        // Where constants meet, the caller's first dimension has its own.
        if (is_element || grid.reversed) constant = side.value;
        is_element = false;
      } else if (InGrid || side.kind != Boundary::periodic) {
        at[d] = int(near_boundary_index(side.kind, at[d], grid.extent[d]));
      }
    }
    return is_element;
  }
  __device__ __forceinline__ A sum(Box const& box, A const* values,
                                   int const (&at)[3]) const {
    A const* const centre = values + box.place(at[0], at[1], at[2]);
    int const row         = box.size[2];
    int const plane       = box.size[1] * row;
    int const order[7]    = {-plane, -row, -1, 0, 1, row, plane};
    A of_weights          = A(0);
#pragma unroll
    for (int t = 0; t < 7; ++t)
      of_weights = add_tap(of_weights, weight[t], centre[order[t]]);
    return of_weights;
  }
};

/// Tiles of step_faces, and the threads of each.
inline constexpr int step_face_side    = 8;
inline constexpr int step_face_row     = 32;
inline constexpr int step_face_across  = 16;
inline constexpr int step_face_threads = 128;
using StepFaces =
    StepStrips<3, step_face_side, step_face_row, step_face_across>;

template <class A, class Element, class Epilogue>
struct StepFacesArguments {
  StencilGrid<Element, 3> grid;
  Epilogue epilogue;
  StepFaces faces;
  A weight[7];  ///< in their order
};

template <class A, class Element, class Epilogue>
__global__ void __launch_bounds__(step_face_threads) step_faces(
    KOKKOSMMA_GRID_CONSTANT StepFacesArguments<A, Element, Epilogue> const in) {
  using Tile = StepFaceTile<A, Element>;
  static_assert(Tile::template room<step_face_across, step_face_across> <=
                Tile::template room<step_face_side, step_face_row>);
  __shared__ A memory[Tile::template room<step_face_side, step_face_row>];
  Tile const tile(in.grid, in.weight, in.faces.tile(blockIdx.x), memory);
  tile.load();
  __syncthreads();
  tile.advance();
  __syncthreads();
  tile.finish(in.epilogue);
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
