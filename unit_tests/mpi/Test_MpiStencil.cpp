// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils over ranks against a loop over the whole grid, which every rank has.

#include "MpiSupport.hpp"

#include <algorithms/StencilSupport.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class MpiStencil : public ::testing::Test {};
TYPED_TEST_SUITE(MpiStencil, ExecutionSpaces);

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

/// A part of a grid on the host.
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
StencilWeights<R> integer_weights(Place<R> const& radius, Random& random) {
  typename StencilWeights<R>::Offsets r;
  std::size_t size = 1;
  for (int d = 0; d < R; ++d) {
    r[d] = int(radius[d]);
    size *= std::size_t(2 * radius[d] + 1);
  }
  std::vector<double> values(size);
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
  SCOPED_TRACE("grid " + describe<R>(blocks.whole, boundaries) + ", block " +
               Impl::shape_of(blocks.extent) + " at " +
               Impl::shape_of(blocks.offset) + ", radius " +
               Impl::shape_of(radius) + ", steps " + std::to_string(steps));
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
  using Y   = std::conditional_t<std::is_same_v<T, bool>, std::int32_t, T>;
  TestGrid<Y, R, Kind, Exec> const out(blocks.extent);
  mpi::stencil<Sum>(comm, Exec(), in.view(), out.view(), weights, boundaries,
                    steps);

  HostGrid<R> expected(blocks.whole);
  for (int step = 0; step < steps; ++step) {
    expected = neighbour_sums(step == 0 ? view : expected, blocks.whole,
                              weights, boundaries);
    // What a step writes wraps, or is rounded, as elements are.
    for (double& value : expected.values) {
      if constexpr (std::is_integral_v<Y>)
        value = double(static_cast<Y>(static_cast<std::int64_t>(value)));
      else
        value = double(static_cast<Y>(value));
    }
  }
  EXPECT_TRUE(out.holds(part_of(expected, blocks.offset, blocks.extent),
                        [](double value) { return static_cast<Y>(value); }));
}

template <class T, int R, class Exec, class Kind = Plain<Kokkos::LayoutRight>>
void compare_many(Random& random, int repeats) {
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
      if (which == all.size()) {
        Ranks<R> const ranks;
        compare<T, R, Exec, Kind>(ranks.comm(), random, boundaries, radius,
                                  more, steps);
      } else {
        Ranks<R> const ranks(all[which]);
        compare<T, R, Exec, Kind>(ranks.comm(), random, boundaries, radius,
                                  more, steps);
      }
    }
}

TYPED_TEST(MpiStencil, OneDimension) {
  Random random;
  SCOPED_TRACE(random.note());
  compare_many<float, 1, TypeParam>(random, 20);
  compare_many<std::int32_t, 1, TypeParam, Strided>(random, 10);
}
TYPED_TEST(MpiStencil, TwoDimensions) {
  Random random;
  SCOPED_TRACE(random.note());
  compare_many<float, 2, TypeParam>(random, 12);
  compare_many<double, 2, TypeParam, Framed<Kokkos::LayoutRight>>(random, 6);
  compare_many<float, 2, TypeParam, Plain<Kokkos::LayoutLeft>>(random, 6);
  compare_many<std::int32_t, 2, TypeParam, Strided>(random, 6);
}
TYPED_TEST(MpiStencil, TypesOfElements) {
  Random random;
  SCOPED_TRACE(random.note());
  compare_many<std::int8_t, 2, TypeParam>(random, 4);
  compare_many<std::uint8_t, 2, TypeParam>(random, 4);
  compare_many<std::int64_t, 2, TypeParam>(random, 4);
}
TYPED_TEST(MpiStencil, ThreeDimensions) {
  Random random;
  SCOPED_TRACE(random.note());
  compare_many<double, 3, TypeParam>(random, 2);
}

/// One boundary of every kind on all faces, deterministic.
TYPED_TEST(MpiStencil, EveryBoundary) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int kind = 0; kind < 6; ++kind)
    for (auto const& dimensions : arrangements<2>()) {
      Ranks<2> const ranks(dimensions);
      compare<float, 2, TypeParam, Plain<Kokkos::LayoutRight>>(
          ranks.comm(), random, Boundaries<2>::all(Boundary(kind), 2.), {3, 2},
          {20, 20}, 1);
    }
}

/// 16-bit floats and bytes with other types of results.
TYPED_TEST(MpiStencil, SumsOfOtherTypes) {
  using Exec = TypeParam;
  Random random;
  SCOPED_TRACE(random.note());
  Ranks<2> const ranks;
  Blocks<2> const blocks(ranks.comm(), {9, 9}, random);
  auto const boundaries = Boundaries<2>::all(Boundary::periodic);
  // Without a Cartesian topology every rank has all columns.
  auto const whole = blocks.whole;
  auto const check = [&](auto element, auto result) {
    using T             = decltype(element);
    using Y             = decltype(result);
    auto const weights  = StencilWeights<2>::box(2);
    HostGrid<2> const x = small_integers<T, 2>(whole, random);
    TestGrid<T, 2, Plain<Kokkos::LayoutRight>, Exec> const in(
        part_of(x, blocks.offset, blocks.extent));
    TestGrid<Y, 2, Plain<Kokkos::LayoutRight>, Exec> const out(blocks.extent);
    mpi::stencil(ranks.comm(), Exec(), in.view(), out.view(), weights,
                 boundaries);
    EXPECT_TRUE(out.holds(part_of(neighbour_sums(x, whole, weights, boundaries),
                                  blocks.offset, blocks.extent),
                          [](double value) { return static_cast<Y>(value); }));
  };
  check(half_t(), half_t());
  check(bhalf_t(), float());
  check(std::uint8_t(), std::int32_t());
  check(bool(), std::int32_t());
  check(std::int16_t(), float());
}

/// Uneven data give the bits that one rank computes for the whole grid.
TYPED_TEST(MpiStencil, SameBitsAsOneRank) {
  using Exec = TypeParam;
  if (on_cuda<Exec>) GTEST_SKIP() << "strips may take another route there";
  Random random;
  SCOPED_TRACE(random.note());
  Place<2> const whole = {61, 47};
  HostGrid<2> grid(whole);
  for (double& value : grid.values) value = double(float(random.normal()));
  std::vector<double> w(49);
  for (double& value : w) value = random.normal();
  auto const weights    = StencilWeights<2>::dense(3, w);
  auto const boundaries = Boundaries<2>::all(Boundary::reflect);
  using Kind            = Plain<Kokkos::LayoutRight>;
  TestGrid<float, 2, Kind, Exec> const all_in(grid), all_out(whole);
  stencil(Exec(), all_in.view(), all_out.view(), weights, boundaries, 4);
  HostGrid<2> expected(whole);
  expected.values = all_out.values();
  for (auto const& dimensions : arrangements<2>()) {
    Ranks<2> const ranks(dimensions);
    auto const block = mpi::block_of<2>(ranks.comm(), whole);
    TestGrid<float, 2, Kind, Exec> const in(
        part_of(grid, block.offset, block.extent));
    TestGrid<float, 2, Kind, Exec> const out(block.extent);
    auto const policy = StencilPolicy<Exec, Kokkos::Rank<2>>(
        Exec(), {whole[0], whole[1]}, all_in.view(), weights, boundaries);
    mpi::stencil(ranks.comm(), Exec(), in.view(), out.view(), policy, 4);
    EXPECT_TRUE(out.holds(part_of(expected, block.offset, block.extent),
                          [](double value) { return float(value); }));
  }
}

/// Ghost cells for a functor of one's own: Life over ranks.
TYPED_TEST(MpiStencil, ExchangedHalosForPolicies) {
  using Exec = TypeParam;
  Random random;
  SCOPED_TRACE(random.note());
  Place<2> const whole  = {37, 29};
  auto const weights    = StencilWeights<2>::moore(1);
  auto const boundaries = Boundaries<2>::all(Boundary::periodic);
  HostGrid<2> grid(whole);
  for (double& value : grid.values) value = double(random.integer(0, 1));
  for (auto const& dimensions : arrangements<2>()) {
    Ranks<2> const ranks(dimensions);
    auto const block      = mpi::block_of<2>(ranks.comm(), whole);
    auto const local      = mpi::block_boundaries(ranks.comm(), boundaries);
    Place<2> const padded = with_ghosts<2>(block.extent, {1, 1}, local);
    Place<2> const low    = {local.ghosts_low(0, 1), local.ghosts_low(1, 1)};
    Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, Exec> const cells(
        "cells", padded[0], padded[1]);
    auto const host        = Kokkos::create_mirror_view(cells);
    HostGrid<2> const part = part_of(grid, block.offset, block.extent);
    for (std::size_t i = 0; i < part.values.size(); ++i)
      host(part.place(i)[0] + low[0], part.place(i)[1] + low[1]) =
          std::uint8_t(part.values[i]);
    Kokkos::deep_copy(cells, host);
    mpi::exchange_halos(ranks.comm(), Exec(), cells, {1, 1}, boundaries);
    Kokkos::fence();
    Kokkos::deep_copy(host, cells);
    int wrong = 0;
    for (std::int64_t i = 0; i < padded[0]; ++i)
      for (std::int64_t j = 0; j < padded[1]; ++j)
        wrong += double(host(i, j)) != read_at(grid,
                                               {block.offset[0] + i - low[0],
                                                block.offset[1] + j - low[1]},
                                               whole, {1, 1}, boundaries);
    EXPECT_EQ(0, wrong) << "ghost cells";

    TestGrid<std::int32_t, 2, Plain<Kokkos::LayoutRight>, Exec> const next(
        block.extent);
    auto const to = next.view();
    Kokkos::parallel_for(
        "life",
        StencilPolicy<Exec, Kokkos::Rank<2>>(
            Exec(), {block.extent[0], block.extent[1]}, cells, weights, local),
        Impl::IntoGrid<std::remove_const_t<decltype(to)>>{to});
    EXPECT_TRUE(
        next.holds(part_of(neighbour_sums(grid, whole, weights, boundaries),
                           block.offset, block.extent),
                   [](double value) { return std::int32_t(value); }));
  }
}

TEST(MpiBlocks, EvenCuts) {
  for (auto const& dimensions : arrangements<3>()) {
    Ranks<3> const ranks(dimensions);
    auto const block      = mpi::block_of<3>(ranks.comm(), {10, 3, 0});
    std::int64_t cells[2] = {1, 1};
    for (int d = 0; d < 3; ++d) {
      std::int64_t const n = d == 0 ? 10 : d == 1 ? 3 : 0;
      EXPECT_LE(block.offset[d] + block.extent[d], n);
      EXPECT_GE(block.extent[d], n / dimensions[d]);
      EXPECT_LE(block.extent[d], n / dimensions[d] + 1);
    }
    cells[0] = block.extent[0] * block.extent[1];
    MPI_Allreduce(MPI_IN_PLACE, cells, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(30 * dimensions[2], cells[0]);
  }
  EXPECT_TRUE(
      has_parts(error_of([] { mpi::block_of<1>(MPI_COMM_WORLD, {-1}); }),
                {"KokkosMMA::mpi::block_of", "-1"}));
}

template <class Exec>
using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;

/// Refused on all ranks with these parts, and nothing written.
template <class Exec>
void expect_refused(Matrix<Exec> const& in, Matrix<Exec> const& out,
                    StencilWeights<2> const& weights,
                    Boundaries<2> const& boundaries, int steps,
                    std::vector<std::string> const& parts,
                    Settings const& settings = {}) {
  Kokkos::deep_copy(out, 7.f);
  EXPECT_TRUE(all_refused(error_of([&] {
                            mpi::stencil(MPI_COMM_WORLD, Exec(), in, out,
                                         weights, boundaries, steps, settings);
                          }),
                          parts));
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j) ASSERT_EQ(7.f, host(i, j));
}

TYPED_TEST(MpiStencil, BadArgumentsOfOneRank) {
  using Exec          = TypeParam;
  bool const mine     = world_rank() == world_size() - 1;
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  auto const box      = StencilWeights<2>::box(2);
  Matrix<Exec> const in("in", 10, 12), out("out", 10, 12), other("out", 10, 13);
  expect_refused<Exec>(in, mine ? other : out, box, periodic, 1,
                       {"KokkosMMA::mpi::stencil: ", "has extent 12"});
  expect_refused<Exec>(mine ? out : in, out, box, periodic, 1, {"overlap"});
  if (!on_cuda<Exec>)
    expect_refused<Exec>(in, out, box, periodic, 1, {"route mma"},
                         Settings{mine ? Route::mma : Route::automatic});
  expect_refused<Exec>(in, out, box, periodic, 0, {"steps is 0"});
}

TYPED_TEST(MpiStencil, DifferentArguments) {
  using Exec = TypeParam;
  if (world_size() == 1) GTEST_SKIP() << "two ranks are needed";
  int const rank      = world_rank();
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  auto const box      = StencilWeights<2>::box(2);
  Matrix<Exec> const in("in", 10, 12), out("out", 10, 12);
  std::vector<std::string> const differ = {
      "rank 1 and rank 0 have different weights, radii, boundaries or numbers "
      "of steps"};
  expect_refused<Exec>(in, out, rank == 1 ? StencilWeights<2>::star(2) : box,
                       periodic, 1, differ);
  expect_refused<Exec>(in, out, box,
                       Boundaries<2>::all(Boundary::constant, rank == 1), 1,
                       differ);
  expect_refused<Exec>(in, out, box, periodic, rank == 1 ? 2 : 1, differ);

  // Blocks that do not fit together, or are too thin.
  std::size_t const columns = rank == 1 ? 13 : 12;
  Matrix<Exec> const wide_in("in", 10, columns), wide_out("out", 10, columns);
  expect_refused<Exec>(wide_in, wide_out, box, periodic, 1,
                       {"the blocks of ranks 0 and 1 lie side by side", "12",
                        "13", "dimension 1"});
  std::size_t const rows = rank == 1 ? 2 : 12;
  Matrix<Exec> const thin_in("in", rows, 12), thin_out("out", rows, 12);
  expect_refused<Exec>(
      thin_in, thin_out, box, Boundaries<2>::all(Boundary::mirror), 1,
      {"rank 1 has 2 elements in dimension 0", "needs 3", "fewer ranks"});
  EXPECT_NO_THROW(
      mpi::stencil(MPI_COMM_WORLD, Exec(), thin_in, thin_out, box, periodic));

  // A topology of another number of dimensions.
  Ranks<1> const line(std::array<int, 1>{world_size()});
  EXPECT_TRUE(
      all_refused(error_of([&] {
                    mpi::stencil(line.comm(), Exec(), in, out, box, periodic);
                  }),
                  {"Cartesian topology of 1 dimensions, the grid has 2"}));
  EXPECT_TRUE(all_refused(error_of([&] {
                            mpi::exchange_halos(MPI_COMM_WORLD, Exec(), in,
                                                {rank == 1 ? 2 : 1, 1},
                                                periodic);
                          }),
                          {"KokkosMMA::mpi::exchange_halos", "different"}));
  Kokkos::fence();
}

TYPED_TEST(MpiStencil, NoElements) {
  using Exec = TypeParam;
  Matrix<Exec> const in("in", 0, 12), out("out", 0, 12);
  EXPECT_NO_THROW(mpi::stencil(MPI_COMM_WORLD, Exec(), in, out,
                               StencilWeights<2>::box(2),
                               Boundaries<2>::all(Boundary::nearest), 3));
}

}  // namespace
