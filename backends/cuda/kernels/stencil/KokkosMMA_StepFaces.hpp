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

/// Tiles of step_faces, and the threads of each. A row of a tile, with two
/// elements on either side, has a lane for each.
inline constexpr int step_face_side    = 8;
inline constexpr int step_face_row     = 28;
inline constexpr int step_face_threads = 128;
using StepFaces = StepStrips<3, step_face_side, step_face_row>;

/// The steps of a tile, by threads with a barrier between load(), advance() and
/// finish().
/// \tparam Along the dimension of the tile's rows, 1 or 2
template <class A, class Element, int Along>
struct StepFaceTile {
  using Index = std::int64_t;

  static constexpr int other = 3 - Along;  ///< dimension of a plane's rows
  static constexpr int pitch = 32;
  /// Elements of the memory: five planes of rows, and four.
  static constexpr int room =
      (5 * (step_face_side + 4) + 4 * (step_face_side + 2)) * pitch;

  struct Box {
    int begin[3];
    int size[3];
    unsigned inverse;  ///< of the rows of a plane, times 2^16, rounded up

    __device__ __forceinline__ int rows() const {
      return size[0] * size[other];
    }
    __device__ __forceinline__ int place(int const (&at)[3]) const {
      return ((at[0] - begin[0]) * size[other] + at[other] - begin[other]) *
                 pitch +
             at[Along] - begin[Along];
    }
    /// The indices of a lane's element in a row.
    __device__ __forceinline__ void indices(int row, int lane,
                                            int (&at)[3]) const {
      int const plane = int(unsigned(row) * inverse >> 16);
      at[0]           = begin[0] + plane;
      at[other]       = begin[other] + row - plane * size[other];
      at[Along]       = begin[Along] + lane;
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
        stepped(memory + before.rows() * pitch) {}

  __device__ __forceinline__ void load() const {
    each(
        before,
        [&](int(&at)[3]) {
          double constant = 0;
          if (!is_inside(at) && !resolve<true>(at, constant))
            return static_cast<A>(static_cast<Element>(constant));
          return static_cast<A>(grid.data[at[0] * grid.stride[0] +
                                          at[1] * grid.stride[1] + at[2]]);
        },
        [&](int row, int lane, A value) {
          loaded[row * pitch + lane] = value;
        });
  }
  __device__ __forceinline__ void advance() const {
    each(
        between,
        [&](int(&at)[3]) {
          double constant = 0;
          if (!is_inside(at) && !resolve<false>(at, constant))
            return static_cast<A>(static_cast<Element>(constant));
          return static_cast<A>(static_cast<Element>(sum(before, loaded, at)));
        },
        [&](int row, int lane, A value) {
          stepped[row * pitch + lane] = value;
        });
  }
  template <class Epilogue>
  __device__ __forceinline__ void finish(Epilogue const& epilogue) const {
    each(
        result, [&](int(&at)[3]) { return sum(between, stepped, at); },
        [&](int row, int lane, A value) {
          int at[3];
          result.indices(row, lane, at);
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
    box.inverse = (1u << 16) / unsigned(box.size[other]) + 1;
    return box;
  }
  /// put(row of the box, lane, make(indices)) for each element.
  template <class Make, class Put>
  __device__ __forceinline__ static void each(Box const& box, Make const& make,
                                              Put const& put) {
    constexpr int at_once = 4;  // rows of a warp, for their latency
    constexpr int warps   = step_face_threads / 32;
    int const lane        = int(threadIdx.x % 32);
    int const rows        = box.rows();
    if (lane >= box.size[Along]) return;
    for (int first = int(threadIdx.x / 32); first < rows;
         first += at_once * warps) {
      A values[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        int at[3];
        box.indices(min(first + n * warps, rows - 1), lane, at);
        values[n] = make(at);
      }
#pragma unroll
      for (int n = 0; n < at_once; ++n)
        if (first + n * warps < rows) put(first + n * warps, lane, values[n]);
    }
  }
  __device__ __forceinline__ bool is_inside(int const (&at)[3]) const {
    return unsigned(at[0]) < extent(0) && unsigned(at[1]) < extent(1) &&
           unsigned(at[2]) < extent(2);
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
    A const* const centre = values + box.place(at);
    int step[3];
    step[0]            = box.size[other] * pitch;
    step[other]        = pitch;
    step[Along]        = 1;
    int const order[7] = {-step[0], -step[1], -step[2], 0,
                          step[2],  step[1],  step[0]};
    A of_weights       = A(0);
#pragma unroll
    for (int t = 0; t < 7; ++t)
      of_weights = add_tap(of_weights, weight[t], centre[order[t]]);
    return of_weights;
  }
};

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
  __shared__ A memory[StepFaceTile<A, Element, 2>::room];
  GridBox<3> const box = in.faces.tile(blockIdx.x);
  auto const take      = [&](auto const& tile) {
    tile.load();
    __syncthreads();
    tile.advance();
    __syncthreads();
    tile.finish(in.epilogue);
  };
  // Strips across the last dimension have two columns.
  bool const is_across = box.end[2] - box.begin[2] <= 2 &&
                         in.grid.boundaries.low[2].kind != Boundary::periodic;
  if (is_across)
    take(StepFaceTile<A, Element, 1>(in.grid, in.weight, box, memory));
  else
    take(StepFaceTile<A, Element, 2>(in.grid, in.weight, box, memory));
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
