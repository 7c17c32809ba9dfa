// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_TOPOLOGY_HPP
#define KOKKOSMMA_MPI_TOPOLOGY_HPP

#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>
#include <core/stencil/KokkosMMA_Boundary.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// Distribution of the blocks of a grid to ranks, and the boxes of elements
/// that neighbours exchange.

namespace KokkosMMA {
namespace Impl {

/// Box of indices, relative to the first element of this rank's block. Ghost
/// cells have negative indices, or indices beyond the block.
template <int R>
struct IndexBox {
  std::array<std::int64_t, std::size_t(R)> begin{}, end{};

  std::int64_t extent(int d) const { return end[d] - begin[d]; }
  std::int64_t size() const {
    std::int64_t n = 1;
    for (int d = 0; d < R; ++d)
      n *= std::max<std::int64_t>(end[d] - begin[d], 0);
    return n;
  }
  IndexBox meet(IndexBox const& other) const {
    IndexBox result;
    for (int d = 0; d < R; ++d) {
      result.begin[d] = std::max(begin[d], other.begin[d]);
      result.end[d]   = std::min(end[d], other.end[d]);
    }
    return result;
  }
};

/// Arrangement of the ranks as a grid of blocks: that of the communicator's
/// Cartesian topology, which must have R dimensions; without a topology, one
/// after another along dimension 0.
template <int R>
struct MpiTopology {
  MPI_Comm comm  = MPI_COMM_NULL;
  bool cartesian = false;
  int size[R], coordinate[R];

  MpiTopology(char const* who, MPI_Comm comm_) : comm(comm_) {
    check_communicator(who, comm);
    for (int d = 0; d < R; ++d) {
      size[d]       = 1;
      coordinate[d] = 0;
    }
    int kind = MPI_UNDEFINED;
    check_mpi(who, "MPI_Topo_test", MPI_Topo_test(comm, &kind));
    int dimensions = 0;
    if (kind == MPI_CART)
      check_mpi(who, "MPI_Cartdim_get", MPI_Cartdim_get(comm, &dimensions));
    if (kind == MPI_CART && dimensions != R)
      invalid_argument(who, "the communicator has a Cartesian topology of ",
                       dimensions, " dimensions, the grid has ", R,
                       "; make one of ", R,
                       " with MPI_Cart_create, or pass one without");
    if (kind == MPI_CART) {
      int periods[R];
      cartesian = true;
      check_mpi(who, "MPI_Cart_get",
                MPI_Cart_get(comm, R, size, periods, coordinate));
    } else {
      size[0]       = mpi_size(who, comm);
      coordinate[0] = mpi_rank(who, comm);
    }
  }

  int rank_of(char const* who, std::array<int, R> const& coordinates) const {
    if (!cartesian) return coordinates[0];
    int rank = 0;
    check_mpi(who, "MPI_Cart_rank",
              MPI_Cart_rank(comm, coordinates.data(), &rank));
    return rank;
  }
  std::array<int, R> coordinates_of(char const* who, int rank) const {
    std::array<int, R> coordinates{};
    if (cartesian)
      check_mpi(who, "MPI_Cart_coords",
                MPI_Cart_coords(comm, rank, R, coordinates.data()));
    else
      coordinates[0] = rank;
    return coordinates;
  }
};

template <int R>
struct MpiMessage {
  int neighbour, tag_to, tag_from;
  IndexBox<R> to, from;
};

/// First tag of halos; each direction has one. No other traffic on the
/// communicator may use these tags while a call runs.
inline constexpr int mpi_halo_tag = 27500;

/// This rank's block and its messages.
template <int R>
struct MpiBlock {
  MpiTopology<R> topology;
  std::array<std::int64_t, std::size_t(R)> extent;
  std::array<int, std::size_t(R)> radius;
  Boundaries<R> global;  ///< of the whole grid
  Boundaries<R> local;   ///< inner boundaries are halos

  MpiBlock(char const* who, MPI_Comm comm,
           std::array<std::int64_t, std::size_t(R)> const& extent_,
           std::array<int, std::size_t(R)> const& radius_,
           Boundaries<R> const& boundaries)
      : topology(who, comm),
        extent(extent_),
        radius(radius_),
        global(boundaries),
        local(boundaries) {
    for (int d = 0; d < R; ++d) {
      if (inner_low(d)) local.low[d] = {Boundary::halo, 0};
      if (inner_high(d)) local.high[d] = {Boundary::halo, 0};
    }
  }

  /// Whether elements beyond the boundary belong to another rank.
  bool inner_low(int d) const {
    return topology.size[d] > 1 && (topology.coordinate[d] > 0 ||
                                    global.low[d].kind == Boundary::periodic);
  }
  bool inner_high(int d) const {
    return topology.size[d] > 1 &&
           (topology.coordinate[d] < topology.size[d] - 1 ||
            global.high[d].kind == Boundary::periodic);
  }
  /// Whether there are messages: none with a radius of 0.
  bool has_neighbours() const {
    for (int d = 0; d < R; ++d)
      if (radius[d] > 0 && (inner_low(d) || inner_high(d))) return true;
    return false;
  }

  IndexBox<R> own() const {
    IndexBox<R> box;
    for (int d = 0; d < R; ++d) box.end[d] = extent[d];
    return box;
  }
  /// The block with all ghost cells, or with those that the caller fills:
  /// beyond boundaries of the whole grid that are halos.
  IndexBox<R> padded(bool all = true) const {
    IndexBox<R> box = own();
    for (int d = 0; d < R; ++d) {
      if (all || !inner_low(d)) box.begin[d] -= local.ghosts_low(d, radius[d]);
      if (all || !inner_high(d)) box.end[d] += local.ghosts_high(d, radius[d]);
    }
    return box;
  }
  IndexBox<R> given() const { return padded(false); }

  /// Minimum extent of a block in a split dimension: all ghost cells come from
  /// the nearest neighbour, and a mirror reads one element more.
  std::int64_t least_extent(int d) const {
    bool const mirror = global.low[d].kind == Boundary::mirror ||
                        global.high[d].kind == Boundary::mirror;
    return radius[d] + (mirror ? 1 : 0);
  }

  /// One message per neighbour and direction, corners included: the block
  /// beyond two boundaries is another rank's.
  std::vector<MpiMessage<R>> messages(char const* who) const {
    std::vector<MpiMessage<R>> result;
    IndexBox<R> const whole = given();
    int directions          = 1;
    for (int d = 0; d < R; ++d) directions *= 3;
    for (int direction = 0; direction < directions; ++direction) {
      MpiMessage<R> message;
      std::array<int, R> coordinates{};
      bool exists = direction != directions / 2;
      int rest    = direction;
      for (int d = R - 1; d >= 0; --d) {
        int const step = rest % 3 - 1;
        rest /= 3;
        // With a radius of 0 nothing is exchanged. A block may be empty in that
        // dimension; its rank makes no exchange.
        exists = exists &&
                 (step == 0 ||
                  (radius[d] > 0 && (step < 0 ? inner_low(d) : inner_high(d))));
        int const n           = topology.size[d];
        coordinates[d]        = (topology.coordinate[d] + step + n) % n;
        message.to.begin[d]   = step > 0   ? extent[d] - radius[d]
                                : step < 0 ? 0
                                           : whole.begin[d];
        message.to.end[d]     = step > 0   ? extent[d]
                                : step < 0 ? radius[d]
                                           : whole.end[d];
        message.from.begin[d] = message.to.begin[d] + step * radius[d];
        message.from.end[d]   = message.to.end[d] + step * radius[d];
      }
      if (!exists) continue;
      message.neighbour = topology.rank_of(who, coordinates);
      message.tag_to    = mpi_halo_tag + direction;
      message.tag_from  = mpi_halo_tag + directions - 1 - direction;
      result.push_back(message);
    }
    return result;
  }

  /// Checks for equal arguments and matching blocks. All ranks check the same
  /// data, so all of them throw or none.
  void check(char const* who, std::vector<MpiCall> const& calls) const {
    check_same(who, calls,
               calls[0].operation == MpiOperation::exchange_halos
                   ? "radii or boundaries"
                   : "weights, radii, boundaries or numbers of steps");
    bool empty = true;
    for (MpiCall const& call : calls) {
      bool none = false;
      for (int d = 0; d < R; ++d) none = none || call.extent[d] == 0;
      empty = empty && none;
    }
    // All ranks at one coordinate along d must have the extent of the first.
    for (int d = 0; d < R; ++d) {
      std::vector<int> first(std::size_t(topology.size[d]), -1);
      for (int rank = 0; rank < int(calls.size()); ++rank) {
        int& known = first[std::size_t(topology.coordinates_of(who, rank)[d])];
        std::int64_t const n = calls[std::size_t(rank)].extent[d];
        if (known < 0) known = rank;
        if (n != calls[std::size_t(known)].extent[d])
          invalid_argument(who, "the blocks of ranks ", known, " and ", rank,
                           " lie side by side and have ",
                           calls[std::size_t(known)].extent[d], " and ", n,
                           " elements in dimension ", d,
                           "; blocks at the same position along a dimension "
                           "must have the same extent there");
        if (!empty && topology.size[d] > 1 && n < least_extent(d))
          invalid_argument(who, "rank ", rank, " has ", n,
                           " elements in dimension ", d, ", which ",
                           topology.size[d], " blocks share, and a radius of ",
                           radius[d], " needs ", least_extent(d),
                           "; use fewer ranks along this dimension, or another "
                           "Cartesian topology");
      }
    }
  }
};

}  // namespace Impl

namespace mpi {

/// A rank's block of a grid.
template <int R>
struct Block {
  std::array<std::int64_t, std::size_t(R)>
      offset;  ///< index in the grid of the block's first element
  std::array<std::int64_t, std::size_t(R)> extent;  ///< extents of the block
};

/// The calling rank's block of a grid that is divided as evenly as possible.
/// The grid is divided along the Cartesian topology of the communicator, or
/// without one along dimension 0. stencil() also accepts other divisions. The
/// call is local: no communication.
///
/// \code
/// auto const block = mpi::block_of<2>(comm, {rows, columns});
/// \endcode
///
/// \throws std::invalid_argument for no communicator, a topology of another
/// number of dimensions, or negative extents
template <int R>
Block<R> block_of(MPI_Comm comm,
                  std::array<std::int64_t, std::size_t(R)> const& extents) {
  constexpr char const* who = "KokkosMMA::mpi::block_of";
  Impl::MpiTopology<R> const topology(who, comm);
  Block<R> block;
  for (int d = 0; d < R; ++d) {
    if (extents[d] < 0)
      Impl::invalid_argument(who, "the extent of dimension ", d, " is ",
                             extents[d], "; it must be 0 or more");
    std::int64_t const n = topology.size[d], at = topology.coordinate[d];
    std::int64_t const each = extents[d] / n, more = extents[d] % n;
    block.offset[d] = at * each + std::min(at, more);
    block.extent[d] = each + (at < more ? 1 : 0);
  }
  return block;
}

/// The boundaries of the calling rank's block, to pass to a StencilPolicy after
/// exchange_halos(). They are those of the grid, and halos where another block
/// lies beyond a side.
template <int R>
Boundaries<R> block_boundaries(MPI_Comm comm, Boundaries<R> const& boundaries) {
  constexpr char const* who = "KokkosMMA::mpi::block_boundaries";
  boundaries.check(who);
  return Impl::MpiBlock<R>(who, comm, {}, {}, boundaries).local;
}

}  // namespace mpi
}  // namespace KokkosMMA

#endif
