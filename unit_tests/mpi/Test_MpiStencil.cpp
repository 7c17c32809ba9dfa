// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bits, ghost cells, blocks and errors of stencils over ranks.

#include "MpiStencilSupport.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(MpiStencil);

/// Uneven data give the bits that one rank computes for the whole grid.
TYPED_TEST(MpiStencil, SameBitsAsOneRank) {
  using Exec = TypeParam;
  if (on_cuda<Exec>) GTEST_SKIP() << "strips may take another route there";
  Random random;
  Place<2> const whole = {61, 47};
  HostGrid<2> grid(whole);
  for (double& value : grid.values) value = double(float(random.normal()));
  std::vector<double> w(49);
  for (double& value : w) value = random.normal();
  auto const weights    = StencilWeights<2>::dense(3, w);
  auto const boundaries = Boundaries<2>::all(Boundary::reflect);
  Grid<float, 2, Exec> const all_in(grid), all_out(whole);
  stencil(Exec(), all_in.view(), all_out.view(), weights, boundaries, 4);
  HostGrid<2> expected(whole);
  expected.values = all_out.values();
  for (auto const& dimensions : arrangements<2>()) {
    Ranks<2> const ranks(dimensions);
    auto const block = mpi::block_of<2>(ranks.comm(), whole);
    Grid<float, 2, Exec> const in(part_of(grid, block)), out(block.extent);
    auto const policy =
        StencilPolicy(Exec(), all_in.view(), weights, boundaries);
    mpi::stencil(ranks.comm(), Exec(), in.view(), out.view(), policy, 4);
    EXPECT_TRUE(out.holds(part_of(expected, block), as_result<float>));
  }
}

/// Tensor cores by request, for a constant that is no number of their operands,
/// and two steps.
TYPED_TEST(MpiStencil, RequestedTensorCores) {
  using Exec = TypeParam;
  if (!on_cuda<Exec>) GTEST_SKIP() << "there are no tensor cores";
  Random random;
  Place<2> const whole    = {96, 240};
  auto const weights      = StencilWeights<2>::box(4);
  auto const boundaries   = Boundaries<2>::all(Boundary::constant, 0.1);
  HostGrid<2> const first = small_integers<float, 2>(whole, random);
  HostGrid<2> const second =
      neighbour_sums(neighbour_sums(first, whole, weights, boundaries), whole,
                     weights, boundaries);
  for (auto const& dimensions : arrangements<2>()) {
    Ranks<2> const ranks(dimensions);
    auto const block = mpi::block_of<2>(ranks.comm(), whole);
    Grid<float, 2, Exec> const in(part_of(first, block)), out(block.extent);
    mpi::stencil(ranks.comm(), Exec(), in.view(), out.view(), weights,
                 boundaries, 2, {.route = Route::mma});
    auto const expected = part_of(second, block).values, found = out.values();
    double error = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (double const here = std::abs(found[i] - expected[i]);
          !(here <= error))  // also a NaN
        error = here;
    // Sums of 81 sums of 81 integers up to 4, in float.
    EXPECT_LE(error, 81 * 81 * 4 * 0x1p-20);
  }
}

/// Ghost cells for a functor of one's own: Life over ranks.
TYPED_TEST(MpiStencil, ExchangedHalosForPolicies) {
  using Exec = TypeParam;
  Random random;
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
    RowMajor<std::uint8_t, Exec> const cells("cells", padded[0], padded[1]);
    auto const host        = Kokkos::create_mirror_view(cells);
    HostGrid<2> const part = part_of(grid, block);
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
        wrong += double(host(i, j)) !=
                 grid.at({stands_for(Boundary::periodic,
                                     block.offset[0] + i - low[0], whole[0]),
                          stands_for(Boundary::periodic,
                                     block.offset[1] + j - low[1], whole[1])});
    EXPECT_EQ(0, wrong) << "ghost cells";

    Grid<std::int32_t, 2, Exec> const next(block.extent);
    auto const to = next.view();
    Kokkos::parallel_for("life", StencilPolicy(Exec(), cells, weights, local),
                         Impl::IntoGrid<std::remove_const_t<decltype(to)>>{to});
    EXPECT_TRUE(
        next.holds(part_of(neighbour_sums(grid, whole, weights, boundaries),
                           block.offset, block.extent),
                   as_result<std::int32_t>));
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
  expect_error({"KokkosMMA::mpi::block_of", "-1"},
               [] { mpi::block_of<1>(MPI_COMM_WORLD, {-1}); });
}

template <class Exec>
using Matrix = RowMajor<float, Exec>;

/// Refused on all ranks with these parts, and nothing written.
template <class Exec>
void expect_refused(std::vector<std::string> const& parts,
                    Matrix<Exec> const& in, Matrix<Exec> const& out,
                    auto const&... more) {
  Kokkos::deep_copy(out, 7.f);
  expect_all_refused(
      parts, [&] { mpi::stencil(MPI_COMM_WORLD, Exec(), in, out, more...); });
  auto const host = host_copy(out);
  EXPECT_TRUE(std::all_of(host.data(), host.data() + host.size(),
                          [](float element) { return element == 7; }));
}

TYPED_TEST(MpiStencil, BadArgumentsOfOneRank) {
  using Exec          = TypeParam;
  bool const mine     = world_rank() == world_size() - 1;
  auto const periodic = Boundaries<2>::all(Boundary::periodic);
  auto const box      = StencilWeights<2>::box(2);
  Matrix<Exec> const in("in", 10, 12), out("out", 10, 12), other("out", 10, 13);
  expect_refused<Exec>({"KokkosMMA::mpi::stencil: ", "has extent 12"}, in,
                       mine ? other : out, box, periodic, 1);
  expect_refused<Exec>({"overlap"}, mine ? out : in, out, box, periodic, 1);
  if (!on_cuda<Exec>)
    expect_refused<Exec>({"route mma"}, in, out, box, periodic, 1,
                         Settings{mine ? Route::mma : Route::automatic});
  expect_refused<Exec>({"steps is 0"}, in, out, box, periodic, 0);
  // Only the interior of a block looked at the level, after messages were sent.
  expect_refused<Exec>(
      {"KokkosMMA::mpi::stencil: ", "level exact"}, in, out, box, periodic, 1,
      Settings{.reproducibility = mine ? Reproducibility::exact
                                       : Reproducibility::run_to_run});
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
  expect_refused<Exec>(differ, in, out,
                       rank == 1 ? StencilWeights<2>::star(2) : box, periodic,
                       1);
  expect_refused<Exec>(differ, in, out, box,
                       Boundaries<2>::all(Boundary::constant, rank == 1), 1);
  expect_refused<Exec>(differ, in, out, box, periodic, rank == 1 ? 2 : 1);

  // Blocks that do not fit together, or are too thin.
  std::size_t const columns = rank == 1 ? 13 : 12;
  Matrix<Exec> const wide_in("in", 10, columns), wide_out("out", 10, columns);
  expect_refused<Exec>({"the blocks of ranks 0 and 1 lie side by side", "12",
                        "13", "dimension 1"},
                       wide_in, wide_out, box, periodic, 1);
  std::size_t const rows = rank == 1 ? 2 : 12;
  Matrix<Exec> const thin_in("in", rows, 12), thin_out("out", rows, 12);
  expect_refused<Exec>(
      {"rank 1 has 2 elements in dimension 0", "needs 3", "fewer ranks"},
      thin_in, thin_out, box, Boundaries<2>::all(Boundary::mirror), 1);
  EXPECT_NO_THROW(
      mpi::stencil(MPI_COMM_WORLD, Exec(), thin_in, thin_out, box, periodic));

  // A topology of another number of dimensions.
  Ranks<1> const line(std::array<int, 1>{world_size()});
  expect_all_refused(
      {"Cartesian topology of 1 dimensions, the grid has 2"},
      [&] { mpi::stencil(line.comm(), Exec(), in, out, box, periodic); });
  expect_all_refused(
      {"KokkosMMA::mpi::exchange_halos", "have different radii or boundaries;"},
      [&] {
        mpi::exchange_halos(MPI_COMM_WORLD, Exec(), in, {rank == 1 ? 2 : 1, 1},
                            periodic);
      });
  // Elements whose sizes are equal modulo 256.
  Kokkos::View<std::array<char, 4>*, Exec> const small("small", 8);
  Kokkos::View<std::array<char, 260>*, Exec> const large("large", 8);
  auto const ring = Boundaries<1>::all(Boundary::periodic);
  expect_all_refused(
      {"rank 0 calls exchange_halos of opaque (4 bytes)",
       "rank 1 calls exchange_halos of opaque (260 bytes)"},
      [&] {
        if (rank == 1)
          mpi::exchange_halos(MPI_COMM_WORLD, Exec(), large, {1}, ring);
        else
          mpi::exchange_halos(MPI_COMM_WORLD, Exec(), small, {1}, ring);
      });
  Kokkos::fence();
}

/// Nothing travels across a radius of 0, and a rank may have no rows there.
TYPED_TEST(MpiStencil, HalosOfOneDimension) {
  using Exec = TypeParam;
  Ranks<2> const ranks({world_size(), 1});
  Place<2> const whole  = {world_size() - 1, 5};
  auto const block      = mpi::block_of<2>(ranks.comm(), whole);
  auto const boundaries = Boundaries<2>::all(Boundary::periodic);
  RowMajor<int, Exec> const cells("cells", block.extent[0], block.extent[1]);
  Kokkos::deep_copy(cells, 7);
  mpi::exchange_halos(ranks.comm(), Exec(), cells, {0, 1}, boundaries);
  Kokkos::fence();
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cells);
  for (std::int64_t i = 0; i < block.extent[0]; ++i)
    for (int j = 0; j < 5; ++j) EXPECT_EQ(7, host(i, j));
}

TYPED_TEST(MpiStencil, NoElements) {
  using Exec = TypeParam;
  Matrix<Exec> const in("in", 0, 12), out("out", 0, 12);
  EXPECT_NO_THROW(mpi::stencil(MPI_COMM_WORLD, Exec(), in, out,
                               StencilWeights<2>::box(2),
                               Boundaries<2>::all(Boundary::nearest), 3));
}

}  // namespace
