// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MPISTENCILSUPPORT_HPP
#define MPISTENCILSUPPORT_HPP

#include "MpiSupport.hpp"

#include <algorithms/StencilSupport.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace KokkosMMA::Testing {

/// A communicator whose ranks lie as a grid, or as they are.
template <int R>
class Ranks {
 public:
  Ranks() { MPI_Comm_dup(MPI_COMM_WORLD, &m_comm); }
  explicit Ranks(std::array<int, R> const& dimensions) {
    int const periods[3] = {0, 0, 0};
    MPI_Cart_create(MPI_COMM_WORLD, R, dimensions.data(), periods, 0, &m_comm);
  }
  Ranks(Ranks const&)            = delete;
  Ranks& operator=(Ranks const&) = delete;
  ~Ranks() { MPI_Comm_free(&m_comm); }
  MPI_Comm comm() const { return m_comm; }

 private:
  MPI_Comm m_comm;
};

/// All grids of ranks with as many as there are.
template <int R>
std::vector<std::array<int, R>> arrangements() {
  std::vector<std::array<int, R>> result;
  std::array<int, R> dimensions;
  dimensions.fill(1);
  for (;;) {
    int ranks = 1;
    for (int const n : dimensions) ranks *= n;
    if (ranks == world_size()) result.push_back(dimensions);
    int d = 0;
    while (d < R && dimensions[d] == world_size()) dimensions[d++] = 1;
    if (d == R) return result;
    ++dimensions[d];
  }
}

/// The blocks of a grid that is cut unevenly, alike on every rank.
template <int R>
struct Blocks {
  Place<R> whole, offset, extent;

  Blocks(MPI_Comm comm, Place<R> const& least, Random& random) {
    Impl::MpiTopology<R> const topology("test", comm);
    for (int d = 0; d < R; ++d) {
      whole[d] = 0;
      for (int at = 0; at < topology.size[d]; ++at) {
        std::int64_t const n = least[d] + random.integer(0, 9);
        if (at == topology.coordinate[d]) {
          offset[d] = whole[d];
          extent[d] = n;
        }
        whole[d] += n;
      }
    }
  }
};

template <int R>
HostGrid<R> part_of(HostGrid<R> const& grid, Place<R> const& offset,
                    Place<R> const& extent) {
  HostGrid<R> part(extent);
  for (std::size_t i = 0; i < part.values.size(); ++i) {
    Place<R> place = part.place(i);
    for (int d = 0; d < R; ++d) place[d] += offset[d];
    part.values[i] = grid.at(place);
  }
  return part;
}

template <int R>
HostGrid<R> part_of(HostGrid<R> const& grid, auto const& block) {
  return part_of(grid, block.offset, block.extent);
}

template <int R>
StencilWeights<R> integer_weights(Place<R> const& radius, Random& random) {
  typename StencilWeights<R>::Offsets r;
  for (int d = 0; d < R; ++d) r[d] = int(radius[d]);
  std::vector<double> values(StencilWeights<R>::box(r).size());
  for (double& value : values) value = double(random.integer(0, 2));
  return StencilWeights<R>::dense(r, values);
}

/// One stencil over the ranks of `comm`; `least` extents of a block.
template <class T, int R, class Exec, class Kind>
void compare(MPI_Comm comm, Random& random, Boundaries<R> const& boundaries,
             Place<R> const& radius, Place<R> const& more, int steps) {
  Impl::MpiTopology<R> const topology("test", comm);
  Place<R> least;
  for (int d = 0; d < R; ++d) {
    bool const mirror = boundaries.low[d].kind == Boundary::mirror ||
                        boundaries.high[d].kind == Boundary::mirror;
    least[d] = radius[d] + (mirror ? 1 : 0) + more[d];
  }
  Blocks<R> const blocks(comm, least, random);
  SCOPED_TRACE(joined("grid ", describe<R>(blocks.whole, boundaries),
                      ", block ", Impl::shape_of(blocks.extent), " at ",
                      Impl::shape_of(blocks.offset), ", radius ",
                      Impl::shape_of(radius), ", steps ", steps));
  StencilWeights<R> const weights = integer_weights<R>(radius, random);

  // The whole grid with the caller's ghost cells, and this rank's part of it.
  HostGrid<R> view = small_integers<T, R>(
      with_ghosts<R>(blocks.whole, radius, boundaries), random);
  Place<R> begin = blocks.offset, given = blocks.extent;
  for (int d = 0; d < R; ++d) {
    bool const low  = boundaries.low[d].kind == Boundary::halo;
    bool const high = boundaries.high[d].kind == Boundary::halo;
    // Ghost cells below the grid shift all blocks but the first.
    if (low && topology.coordinate[d] > 0) begin[d] += radius[d];
    if (low && topology.coordinate[d] == 0) given[d] += radius[d];
    if (high && topology.coordinate[d] == topology.size[d] - 1)
      given[d] += radius[d];
  }
  TestGrid<T, R, Kind, Exec> const in(part_of(view, begin, given));
  using Sum = Impl::stencil_accumulator_t<void, T, T>;
  TestGrid<T, R, Kind, Exec> const out(blocks.extent);
  mpi::stencil<Sum>(comm, Exec(), in.view(), out.view(), weights, boundaries,
                    steps);

  HostGrid<R> expected(blocks.whole);
  for (int step = 0; step < steps; ++step) {
    expected = neighbour_sums(step == 0 ? view : expected, blocks.whole,
                              weights, boundaries);
    // What a step writes wraps, or is rounded, as elements are.
    for (double& value : expected.values) value = double(as_result<T>(value));
  }
  EXPECT_TRUE(out.holds(part_of(expected, blocks), as_result<T>));
}

template <class T, int R, class Exec, class Kind = Plain<Kokkos::LayoutRight>>
void compare_many(int repeats) {
  Random random;
  auto const all = arrangements<R>();
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (std::size_t which = 0; which <= all.size(); ++which) {
      int const steps                = int(random.integer(1, 3));
      Boundaries<R> const boundaries = random_boundaries<R>(random, steps == 1);
      Place<R> radius, more;
      for (int d = 0; d < R; ++d) {
        radius[d] = random.integer(1, R == 3 ? 2 : 4);
        // Thin blocks, and such with an interior.
        more[d] = random.integer(0, 1) * 3 * radius[d];
      }
      auto const ranks = which == all.size()
                             ? std::make_unique<Ranks<R>>()
                             : std::make_unique<Ranks<R>>(all[which]);
      compare<T, R, Exec, Kind>(ranks->comm(), random, boundaries, radius, more,
                                steps);
    }
}

}  // namespace KokkosMMA::Testing

#endif
