// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RouteSupport.hpp"

#include <core/loops/KokkosMMA_LaunchChooser.hpp>
#include <core/loops/KokkosMMA_LoopCandidates.hpp>
#include <core/loops/KokkosMMA_LoopParts.hpp>
#include <core/loops/KokkosMMA_ForProblem.hpp>
#include <core/loops/KokkosMMA_RouteTeam.hpp>
#include <core/loops/KokkosMMA_CachedLaunch.hpp>

#include <KokkosMMA_Random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;
using P = ForProblem;

using Extents = std::initializer_list<std::uint64_t>;
template <class Sizes = Extents>
constexpr LoopSpace space_of(Sizes const& extents) {
  LoopSpace space;
  space.rank = int(extents.size());
  std::copy(extents.begin(), extents.end(), space.extent.begin());
  return space;
}
constexpr P loop_over(Extents extents) {
  P problem;
  problem.space         = space_of(extents);
  problem.functor_bytes = 48;
  return problem;
}

template <class... Changes>
constexpr Refusal streamed(Changes... changes) {
  return refuse_streamed(with(loop_over({1000, 20}), changes...));
}
static_assert(!streamed());
static_assert(!streamed(&P::max_threads, 32));
static_assert(says(streamed(&P::max_threads, 31), "threads of a warp"));
static_assert(says(streamed(&P::copies_with_bounds, true), "launch bounds"));
static_assert(says(streamed(&P::batched, true), "batch size"));
static_assert(!streamed(&P::user_tiles, true));
static_assert(says(streamed(&P::tiles_stay, true), "gave the tiles"));
static_assert(says(streamed(&P::tool_tunes, true), "Kokkos Tools"));
static_assert(says(streamed(&P::indices_fit, false), "index type"));
static_assert(!streamed(&P::functor_bytes, 32400));
static_assert(says(streamed(&P::functor_bytes, 32401), "than 32400 bytes"));
constexpr Refusal over(Extents extents) {
  return refuse_streamed(loop_over(extents));
}
static_assert(!over({(std::uint64_t(1) << 60) - 1}) && !over({0}));
static_assert(route_team(Route::automatic).route == Route::streamed);
static_assert(route_team(Route::mma).route == Route::streamed);
static_assert(route_team(Route::generic).route == Route::generic);
static_assert(says(over({std::uint64_t(1) << 60}), "2^60"));
static_assert(!over({7, (1u << 31) - 1}) && says(over({7, 1u << 31}), "2^31"));
static_assert(says(over({1, 2, 3, 4, 5, 1u << 31}), "2^31"));

// Blocks of up to 1024 threads come up to the end of a range.
constexpr int top = std::numeric_limits<int>::max();
static_assert(!overflows_in_kokkos(0, 7) && !overflows_in_kokkos(-top, -2000));
static_assert(!overflows_in_kokkos(0, top - 1024) &&
              !overflows_in_kokkos(9, 3));
static_assert(overflows_in_kokkos(5, top - 1023));
static_assert(overflows_in_kokkos(-top, 7) && overflows_in_kokkos(-2000, top));
static_assert(!overflows_in_kokkos(7u, ~0u - 1024));
static_assert(overflows_in_kokkos(7u, ~0u - 1023));
static_assert(!overflows_in_kokkos<std::int64_t>(0, top));
static_assert(overflows_in_kokkos<std::uint64_t>(1, ~std::uint64_t(0)));
static_assert(overflows_in_kokkos<short>(0, 1));
// Kokkos' launch repeats invocations if pairs of tiles exceed a grid.
constexpr int in_y[] = {9, 9, 384, 171, 1, 1}, in_z[] = {9, 9, 1, 1, 256, 256};
static_assert(repeats_in_kokkos(in_y, 5) && repeats_in_kokkos(in_y, 6) &&
              !repeats_in_kokkos(in_y, 4));
static_assert(repeats_in_kokkos(in_z, 6) && !repeats_in_kokkos(in_z, 5));
constexpr int fits[] = {99999, 99999, 1, 65535, 255, 257};
static_assert(!repeats_in_kokkos(fits, 6));

static_assert(route_for(loop_over({9})).route == Route::streamed);
static_assert(route_for(loop_over({9}), Route::generic).route ==
              Route::generic);
static_assert(route_for(with(loop_over({9}), &P::batched, true)).route ==
              Route::generic);
static_assert(says(refusal_of(route_for(loop_over({9}), Route::mma)),
                   "a loop computes no sums"));

static_assert(space_of({3, 4, 5}).size() == 60 && space_of({3, 0}).size() == 0);
static_assert(space_of({1u << 31, 1u << 31, 1u << 31}).size() ==
              ~std::uint64_t(0));

TEST(LoopShape, SmallLoopsReachAllMultiprocessors) {
  for (std::uint64_t n = 1; n < min_large_indices; n = n * 5 / 4 + 1) {
    LoopShape const shape = small_loop_shape(space_of({n}), 132, 1024);
    auto const threads    = std::uint64_t(shape.width * shape.height);
    EXPECT_EQ(shape.calls, 1);
    EXPECT_GE(threads, 32u);
    EXPECT_LE(threads, 128u);
    if (threads > 32) {
      EXPECT_GE(n / threads, 132u) << n;
    }
  }
  EXPECT_EQ(small_loop_shape(space_of({60000}), 132, 64),
            (LoopShape{64, 1, 1}));
  EXPECT_EQ(small_loop_shape(space_of({300, 200}), 132, 1024),
            (LoopShape{64, 2, 1}));
}

std::vector<LoopShape> shapes_of(LoopCandidates const& all) {
  return {all.shapes.begin(), all.shapes.begin() + all.count};
}
void expect_shapes(LoopSpace const& space, LoopLimits const& limits,
                   std::vector<LoopShape> const& expected) {
  EXPECT_EQ(shapes_of(loop_candidates(space, limits)), expected);
}
constexpr LoopLimits any_launch{false, false, 132, 1024};
constexpr LoopLimits own_launches{true, false, 132, 1024};
constexpr LoopLimits given_tiles{false, true, 132, 1024};

TEST(LoopShape, CandidatesFillTheDevice) {
  LoopSpace const large = space_of({1u << 28});
  expect_shapes(large, any_launch,
                {kokkos_shape, {256, 1, 4}, {256, 1, 1}, {512, 1, 8}});
  // Launch bounds.
  expect_shapes(large, {true, false, 132, 256},
                {{256, 1, 4}, {256, 1, 1}, {256, 1, 8}});
  expect_shapes(large, {true, false, 132, 128},
                {{128, 1, 4}, {128, 1, 1}, {128, 1, 8}});
  EXPECT_EQ(loop_candidates(space_of({4096, 4096}), {true, false, 132, 64})[0],
            (LoopShape{64, 1, 4}));
  for (int bound = 32; bound <= 1024; ++bound)
    for (int rank = 1; rank <= LoopSpace::max_rank; ++rank) {
      LoopSpace space = large;
      space.rank      = rank;
      LoopCandidates const all =
          loop_candidates(space, {true, false, 132, bound});
      EXPECT_GT(all.count, 0);
      for (LoopShape const& shape : shapes_of(all))
        EXPECT_LE(shape.width * shape.height, bound);
    }
  expect_shapes(space_of({1u << 18}), own_launches, {{256, 1, 1}});
  // Which runs until Kokkos' own is measured.
  auto const first = [](LoopSpace const& space, LoopLimits const& limits) {
    return loop_candidates(space, limits).first;
  };
  LoopSpace const box = space_of({4096, 4096});
  EXPECT_EQ(first(box, any_launch), 1);
  EXPECT_EQ(first(box, own_launches), 0);
  EXPECT_EQ(first(space_of({64, 64}), any_launch), 0);
  EXPECT_EQ(first(large, any_launch), 1);
  EXPECT_EQ(first(space_of({1u << 21}), any_launch), 0);
  LoopLimits of_functor    = any_launch;
  of_functor.functor_bytes = most_first_bytes;
  EXPECT_EQ(first(large, of_functor), 1);
  of_functor.functor_bytes = most_first_bytes + 1;
  EXPECT_EQ(first(large, of_functor), 0);
  EXPECT_EQ(first(box, of_functor), 1);
  LoopSpace const small = space_of({4096});
  EXPECT_LT(small.size(), min_large_indices);
  expect_shapes(small, any_launch, {{32, 1, 1}, kokkos_shape});
  expect_shapes(small, own_launches, {{32, 1, 1}});
  expect_shapes(space_of({900}), any_launch, {{32, 1, 1}});
  expect_shapes(space_of({64, 64, 2}), any_launch,
                {{32, 1, 1}, {32, 1, 1, 2}, kokkos_shape});
}

/// Every dimension is the fast one once, with the same shape for all sizes.
TEST(LoopShape, EveryDimensionIsACandidate) {
  for (int rank = 2; rank <= LoopSpace::max_rank; ++rank) {
    LoopSpace space;
    space.rank = rank;
    for (int d = 0; d < rank; ++d) space.extent[std::size_t(d)] = 64;
    space.extent[0]          = 1u << 18;
    LoopCandidates const all = loop_candidates(space, any_launch);
    EXPECT_EQ(all[0], kokkos_shape);
    EXPECT_EQ(all[1], (LoopShape{64, 4, 4, 0}));
    EXPECT_EQ(all[2].fast, rank - 1);
    std::set<int> fast;
    for (int c = 1; c <= rank; ++c) {
      fast.insert(all[c].fast);
      // Those in between only where neither end of the order is far better.
      EXPECT_EQ(all.required[std::size_t(c)], c < 3 ? 0 : 6);
    }
    EXPECT_EQ(int(fast.size()), rank);
    ASSERT_LE(all.count, LaunchChooser::max_candidates);
    for (int c = rank + 1; c < all.count; ++c)
      EXPECT_EQ(all.required[std::size_t(c)],
                all[c] == transpose_shape
                    ? 6 | (rank == 2 ? LaunchChooser::at_once : 0)
                : all[c].fast == 0 ? 2
                                   : 4);
  }
}

/// Milliseconds of a float loop over 2^28 elements on an H200 (Kokkos 5.0.2,
/// 2026-11-29): in Kokkos, with lanes along the first and the last dimension.
/// The times of this library's slow orders follow from the time of a dozen
/// calls. Those of lanes along a dimension in between were not measured.
struct TimedRow {
  char const* name;
  std::vector<std::uint64_t> extents;
  float kokkos, first, last;
  float between = 5;

  float best() const { return std::min(first, last); }
  float of(LoopShape const& shape) const {
    if (shape == kokkos_shape) return kokkos;
    float const time     = shape.fast == 0                         ? first
                           : shape.fast == int(extents.size()) - 1 ? last
                                                                   : between;
    bool const likeliest = shape == LoopShape{64, 4, 4, shape.fast};
    return likeliest ? time : 1.1f * time;
  }
};
TimedRow const timed_rows[] = {
    {"2D copy, Left", {16384, 16384}, 5.06f, 0.73f, 4.4f},
    {"2D 5-point, Left", {16382, 16382}, 5.06f, 0.65f, 6.9f},
    {"3D copy, Left", {640, 640, 640}, 2.48f, 0.73f, 16.1f},
    {"3D 7-point, Left", {638, 638, 638}, 2.46f, 0.83f, 19.0f},
    {"2D copy, Right", {16384, 16384}, 5.06f, 4.4f, 0.72f},
    {"2D 5-point, Right", {16382, 16382}, 5.06f, 6.9f, 0.81f},
    {"3D copy, Right", {640, 640, 640}, 15.83f, 16.3f, 0.72f},
    {"3D 7-point, Right", {638, 638, 638}, 18.55f, 16.9f, 0.89f}};

/// Milliseconds by which a part takes longer than its share of the loop: of
/// transposes, as below (H200, 2026-11-30).
float time_of_launch(LoopShape const& shape) {
  return shape == transpose_shape ? 0.0145f : 0.0078f;
}

/// The parts of a loop's first call, whose results are there at once.
/// \param time milliseconds of the whole loop in a shape
/// \return milliseconds of the call, with its rest
template <class Time>
float run_in_parts(LaunchChooser& chooser, LoopCandidates const& all,
                   LoopParts parts, Time const& time) {
  float share = 1, spent = 0;
  auto const run = [&](LaunchChooser::Candidates some, bool large) {
    for (int n = 0; n < parts_per_candidate; ++n)
      for (int c = 0; c < all.count; ++c)
        if (some >> c & 1) {
          float const factor = parts.factor_of(parts.next(all[c].fast, large));
          float const launch = time_of_launch(all[c]);
          chooser.begin_part();
          chooser.measured_part(c, time(all[c]) + factor * launch, large);
          share -= 1 / factor;
          spent += time(all[c]) / factor + launch;
        }
  };
  run(all.in_parts, false);
  auto const then =
      LaunchChooser::Candidates(all.then_in_parts & chooser.promising());
  if (then) run(LaunchChooser::Candidates(then | 1u << chooser.choice()), true);
  return spent + share * time(all[chooser.choice()]);
}

/// Milliseconds of the first, second, ... dozen calls.
/// \param ahead whether the host makes a dozen calls before it waits
/// \param time milliseconds in a shape
template <class Time>
std::vector<float> dozens(std::vector<std::uint64_t> const& extents,
                          Time const& time, bool ahead) {
  LoopSpace const space    = space_of(extents);
  LoopCandidates const all = loop_candidates(space, any_launch);
  LaunchChooser chooser(all.count, all.first, false, all.required.data());
  LoopParts const parts(space, std::popcount(all.in_parts));
  std::vector<float> spent(4, 0);
  for (float& dozen : spent) {
    std::vector<int> running;
    for (int call = 0; call < 12; ++call) {
      if (parts.any() && &dozen == spent.data() && call == 0) {
        dozen += run_in_parts(chooser, all, parts, time);
        continue;
      }
      int const measured = chooser.next();
      int const c        = measured < 0 ? chooser.choice() : measured;
      dozen += time(all[c]);
      if (measured >= 0) running.push_back(c);
      if (ahead && call < 11) continue;
      for (int const each : running) chooser.measured(each, time(all[each]));
      running.clear();
    }
  }
  return spent;
}

TEST(LoopShape, TheFirstDozenCallsTakeNoLongerThanADozenOfKokkos) {
  for (TimedRow const& row : timed_rows)
    for (bool const ahead : {false, true}) {
      SCOPED_TRACE(testing::Message() << row.name << " " << ahead);
      auto const time  = [&](LoopShape const& shape) { return row.of(shape); };
      auto const spent = dozens(row.extents, time, ahead);
      EXPECT_LE(spent[0], 12 * row.kokkos);
      EXPECT_LE(spent[0], 12 * 1.3f * row.best());
      EXPECT_LE(spent[1], 12 * 1.05f * row.best());
      EXPECT_LE(spent[3], 12 * 1.01f * row.best());
    }
}

/// Loops whose arrays are contiguous in one dimension. Kokkos' launch lies
/// along the first.
TEST(LoopShape, TheOrderThatSuitsTheArraysIsChosenSoon) {
  for (int rank = 2; rank <= LoopSpace::max_rank; ++rank)
    for (int contiguous = 0; contiguous < rank; ++contiguous) {
      SCOPED_TRACE(testing::Message() << rank << ": " << contiguous);
      std::vector<std::uint64_t> extents(std::size_t(rank), 20);
      extents[0]        = 1u << 20;
      float const plain = contiguous == 0 ? 1.3f : 17;
      auto const time   = [&](LoopShape const& shape) {
        return shape == kokkos_shape      ? plain
                 : shape.fast != contiguous ? 17
                 : shape.calls == 4         ? 1
                                            : 1.2f;
      };
      auto const spent = dozens(extents, time, false);
      if (contiguous > 0) {
        EXPECT_LE(spent[0], 12 * plain);
      }
      EXPECT_FLOAT_EQ(spent[2], 12);
      EXPECT_FLOAT_EQ(spent[3], 12);
    }
}

/// Milliseconds of a transpose of 8000^2 doubles with tiles of 32 x 32, from
/// Parallel Research Kernels (H200, Kokkos 5.0.2, 2026-11-29).
float transpose_time(LoopShape const& shape) {
  if (shape == kokkos_shape) return 1.11f;
  if (shape == transpose_shape) return 0.715f;
  if (shape.width == 32) return 1.26f;
  return shape.calls == 4 ? 1.21f : 1.8f;
}

/// Milliseconds of the calls, after the first one if it runs in parts, if the
/// host makes one each 4 us until 1000 are on their way, and reads a result
/// when it is there.
/// \param time milliseconds in a shape
template <class Time>
float calls_of_a_host_ahead(LoopSpace const& space, LoopLimits const& limits,
                            int calls, Time const& time) {
  LoopCandidates const all = loop_candidates(space, limits);
  LaunchChooser chooser(
      all.count, all.first, false, all.required.data(),
      limits.user_tiles ? FirstCandidate::of_caller : FirstCandidate::usual);
  LoopParts const parts(space, std::popcount(all.in_parts));
  if (parts.any()) run_in_parts(chooser, all, parts, time);
  struct Result {
    float at;
    int candidate;
  };
  std::vector<Result> results;
  std::size_t read = 0;
  float host       = 0;
  std::vector<float> ends;
  for (int call = 0; call < calls; ++call) {
    host += 0.004f;
    if (ends.size() >= 1000) host = std::max(host, ends[ends.size() - 1000]);
    for (; read < results.size() && results[read].at <= host; ++read)
      chooser.measured(results[read].candidate,
                       time(all[results[read].candidate]));
    int const measured = chooser.next();
    int const c        = measured < 0 ? chooser.choice() : measured;
    ends.push_back(std::max(host, ends.empty() ? 0 : ends.back()) +
                   time(all[c]));
    if (measured >= 0) results.push_back({ends.back(), c});
  }
  return ends.back();
}

/// Long before a whole loop is measured, the choice follows the parts.
TEST(LoopShape, AHostFarAheadRunsTransposesInTheirShape) {
  for (LoopLimits const& limits : {any_launch, given_tiles, own_launches})
    for (int const calls : {100, 300, 1000, 3000, 10000}) {
      SCOPED_TRACE(testing::Message() << limits.user_tiles << " " << calls);
      EXPECT_LE(calls_of_a_host_ahead(space_of({8000, 8000}), limits, calls,
                                      transpose_time),
                float(calls) * 0.715f + 12);
    }
}

/// Where nothing runs in parts, the first measurements count soon.
TEST(LoopShape, AHostFarAheadLeavesWhatIsSlower) {
  auto const transpose = [](LoopShape const& shape) {
    return 0.065f * transpose_time(shape);
  };
  for (LoopLimits const& limits : {any_launch, given_tiles})
    EXPECT_LE(
        calls_of_a_host_ahead(space_of({2048, 2048}), limits, 1000, transpose),
        1.15f * 1000 * transpose(transpose_shape));
  auto const time = [](LoopShape const& shape) {
    return shape == kokkos_shape ? 0.127f : shape.calls == 8 ? 0.22f : 0.165f;
  };
  EXPECT_LE(calls_of_a_host_ahead(space_of({1u << 24}), any_launch, 1000, time),
            1.1f * 127);
  auto const small = [](LoopShape const& shape) {
    return shape.fast == 1 ? 0.005f : 0.02f;
  };
  EXPECT_LE(
      calls_of_a_host_ahead(space_of({1024, 1024}), any_launch, 100, small),
      0.9f);
}

/// The shape of transposes runs no part if one end of the order is far better.
TEST(LaunchChooser, IsPromisingIfNothingRequiredIsHopelessByParts) {
  LaunchChooser::Candidates const required[] = {0, 0, 0, 6};
  LaunchChooser chooser(4, 0, false, required);
  chooser.begin_part();
  EXPECT_EQ(chooser.promising(), 0);
  chooser.measured_part(1, 10);
  EXPECT_EQ(chooser.promising(), 0xF);
  for (int n = 0; n < 2; ++n) chooser.begin_part();
  chooser.measured_part(0, 30);
  chooser.measured_part(2, 14);
  EXPECT_EQ(chooser.promising(), 0xF);
  chooser.begin_part();
  chooser.measured_part(0, 9);
  EXPECT_EQ(chooser.promising(), 7);
}

/// The candidate with parts of both sizes gives the scale, unless its large
/// parts were disturbed or have no result.
TEST(LaunchChooser, ScalesTheTimeOfALargePart) {
  LaunchChooser chooser(3);
  for (int n = 0; n < 4; ++n) chooser.begin_part();
  chooser.measured_part(0, 2);
  chooser.measured_part(1, 1.5f);
  chooser.measured_part(2, 0.6f, true);
  chooser.measured_part(1, 1, true);
  EXPECT_FLOAT_EQ(chooser.milliseconds(0), 2);
  EXPECT_FLOAT_EQ(chooser.milliseconds(1), 1.5f);
  EXPECT_FLOAT_EQ(chooser.milliseconds(2), 0.9f);
  EXPECT_EQ(chooser.choice(), 2);

  LaunchChooser disturbed(2);
  for (int n = 0; n < 4; ++n) disturbed.begin_part();
  disturbed.measured_part(0, 1);
  disturbed.measured_part(0, 10, true);
  disturbed.measured_part(1, 3, true);
  EXPECT_EQ(disturbed.promising(), 0);
  disturbed.measured_part(1, 2, true);
  EXPECT_FLOAT_EQ(disturbed.milliseconds(1), 2);
  EXPECT_EQ(disturbed.choice(), 0);

  LaunchChooser lost(2);
  for (int n = 0; n < 3; ++n) lost.begin_part();
  lost.measured_part(0, 1);
  lost.measured_part(1, 0.5f, true);
  lost.lost_part();
  EXPECT_FALSE(lost.milliseconds(1) < 1e9f);
  EXPECT_EQ(lost.choice(), 0);
}

/// Among candidates that lead, a later one needs a gain.
TEST(LaunchChooser, PrefersEarlierLeadingCandidates) {
  for (float const last : {0.99f, 0.9f}) {
    LaunchChooser chooser(3);
    for (int n = 0; n < 3; ++n) chooser.begin_part();
    chooser.measured_part(0, 1.3f);
    chooser.measured_part(1, 1);
    chooser.measured_part(2, last);
    EXPECT_EQ(chooser.choice(), last > LaunchChooser::gain ? 1 : 2);
  }
}

/// Parts and rest are the box.
TEST(LoopParts, CoverABoxOnce) {
  EXPECT_FALSE(LoopParts(space_of({1u << 28}), 4).any());
  EXPECT_FALSE(LoopParts(space_of({2048, 2048}), 3).any());
  EXPECT_FALSE(LoopParts(space_of({16384, 16384}), 1).any());
  for (auto const& extents : {std::vector<std::uint64_t>{16382, 16382},
                              {1u << 26, 3},
                              {3, 1u << 26},
                              {638, 638, 638},
                              {100000, 20, 100},
                              {128, 128, 128, 128},
                              {128, 130, 16, 12, 10},
                              {130, 128, 8, 8, 8, 9}}) {
    LoopSpace space      = space_of(extents);
    space.begin[1]       = -5;
    int const candidates = space.rank + 1;
    LoopParts parts(space, candidates);
    ASSERT_TRUE(parts.any());
    std::uint64_t covered = 0;
    LoopSpace at          = space;
    int const small_ones  = parts_per_candidate * candidates;
    for (int n = 0; n < small_ones + 2 * parts_per_candidate; ++n) {
      int const fast       = n % space.rank;
      bool const large     = n >= small_ones;
      LoopSpace const part = parts.next(fast, large);
      if (large) {
        EXPECT_NEAR(parts.factor_of(part), 20, 5);
      }
      EXPECT_NEAR(double(space.size()) / double(part.size()),
                  parts.factor_of(part), 1e-3);
      EXPECT_GE(part.size(), min_part_indices * 3 / 4);
      EXPECT_GE(part.extent[std::size_t(fast)],
                std::min<std::uint64_t>(64, at.extent[std::size_t(fast)]));
      int divided = 0;
      for (int d = 0; d < space.rank; ++d) {
        auto const k = std::size_t(d);
        EXPECT_EQ(part.begin[k], at.begin[k]);
        if (part.extent[k] == at.extent[k]) continue;
        ++divided;
        at.begin[k] += std::int64_t(part.extent[k]);
        at.extent[k] -= part.extent[k];
      }
      EXPECT_EQ(divided, 1);
      covered += part.size();
    }
    EXPECT_EQ(parts.rest().begin, at.begin);
    EXPECT_EQ(parts.rest().extent, at.extent);
    EXPECT_EQ(covered + parts.rest().size(), space.size());
    EXPECT_LE(covered, space.size() / 2);
  }
}

/// The launch that the caller asked for comes first, and runs until it is
/// measured.
TEST(LoopShape, GivenTilesAreTheFirstCandidate) {
  for (std::uint64_t const extent : {30, 90, 4096}) {
    LoopSpace const space    = space_of({extent, extent});
    LoopCandidates const all = loop_candidates(space, given_tiles);
    EXPECT_EQ(all[0], kokkos_shape);
    EXPECT_EQ(all.first, 0);
    EXPECT_EQ(all.count > 1, space.size() >= min_measured_indices);
    LoopCandidates const forced =
        loop_candidates(space, {true, true, 132, 1024});
    for (int c = 0; c < forced.count; ++c) EXPECT_NE(forced[c], kokkos_shape);
  }
  // Other tiles, another choice.
  P problem = loop_over({4096, 4096});
  std::set<unsigned> classes{loop_class(problem)};
  problem.user_tiles = true;
  for (int a = 1; a <= 64; a *= 2)
    for (int b = 1; a * b <= 1024; b *= 2) {
      int const tiles[] = {a, b};
      problem.tiles     = number_of_tiles(tiles, 2);
      EXPECT_LT(problem.tiles, 1u << 11);
      classes.insert(loop_class(problem));
    }
  EXPECT_GE(classes.size(), 50u);  // of 57
  EXPECT_LT(*classes.rbegin(), 1u << 24);
}

TEST(GivenTiles, AreKeptOnlyIfAskedFor) {
  EXPECT_EQ(GivenTiles::keep, parse_tiles("keep").value);
  for (char const* const text : {"", "measure"}) {
    EXPECT_EQ(GivenTiles::measure, parse_tiles(text).value);
    EXPECT_TRUE(parse_tiles(text).error.empty());
  }
  EXPECT_EQ(GivenTiles::measure, parse_tiles("Keep").value);
  EXPECT_NE(parse_tiles("Keep").error.find("KOKKOSMMA_TILES=\"Keep\""),
            std::string::npos);
}

/// A choice is kept by the number of the candidate.
TEST(LoopShape, ASizeClassHasTheSameCandidates) {
  Random random;
  for (int bits = 18; bits < 40; ++bits)
    for (int n = 0; n < 20; ++n) {
      std::uint64_t const least = std::uint64_t(1) << bits;
      auto const any            = [&] {
        return least + std::uint64_t(random.integer(0, 1 << 30)) % least;
      };
      LoopSpace const a = space_of({any()}), b = space_of({any()});
      ASSERT_EQ(loop_size_class(a), loop_size_class(b));
      ASSERT_EQ(loop_candidates(a, any_launch).shapes,
                loop_candidates(b, any_launch).shapes);
    }
}

TEST(LoopShape, SizesThatAreAlikeShareAChoice) {
  EXPECT_EQ(loop_size_class(space_of({70000})),
            loop_size_class(space_of({130000})));
  EXPECT_NE(loop_size_class(space_of({70000})),
            loop_size_class(space_of({140000})));
  EXPECT_NE(loop_size_class(space_of({1000, 90})),
            loop_size_class(space_of({90, 1000})));
}

TEST(TeamSizes, ThatAreAlikeShareAChoice) {
  unsigned const one = team_size_class({1000, 128, 8});
  EXPECT_EQ(one, team_size_class({600, 128, 8}));
  EXPECT_NE(one, team_size_class({2000, 128, 8}));
  EXPECT_NE(one, team_size_class({1000, 256, 8}));
  // The lanes of a vector share the loop of a thread.
  EXPECT_NE(one, team_size_class({1000, 128, 1}));
  EXPECT_NE(one, team_size_class({1000, 128, 32}));
  // Each combination has its own, within what a call remembers.
  std::set<unsigned> classes;
  std::size_t count = 0;
  for (int threads = 0; threads <= 1024; ++threads)
    for (int vector = 1; vector <= 32; vector *= 2)
      for (std::uint64_t teams = 0; teams < std::uint64_t(1) << 32;
           teams               = 2 * teams + 1, ++count)
        classes.insert(team_size_class({teams, threads, vector}));
  EXPECT_EQ(count, classes.size());
  EXPECT_LT(*classes.rbegin(), 1u << 18);
}

TEST(CachedLaunch, IsOfOneLoop) {
  Impl::CachedLaunch cached;
  for (bool const forced : {false, true})
    for (int const device : {0, 1, 7})
      for (LoopShape const& shape :
           {kokkos_shape, LoopShape{512, 1, 8}, LoopShape{16, 16, 1},
            LoopShape{32, 16, 4, 5}, LoopShape{1024, 1024, 127, 7}}) {
        unsigned const one   = loop_size_class(space_of({1}));
        unsigned const large = loop_size_class(space_of({~std::uint64_t(0)}));
        unsigned const teams = team_size_class({0x7fffffff, 1024, 32});
        for (unsigned const size_class : {one, large, teams, (1u << 24) - 1}) {
          EXPECT_FALSE(cached.find({device, size_class, forced}));
          cached.keep({device, size_class, forced}, shape);
          EXPECT_EQ(cached.find({device, size_class, forced}), shape);
          EXPECT_FALSE(cached.find({device + 1, size_class, forced}));
          EXPECT_FALSE(cached.find({device, size_class, !forced}));
          EXPECT_FALSE(cached.find({device, size_class - 1, forced}));
          cached.keep({device + 1, size_class, forced}, kokkos_shape);
        }
      }
}

/// Every index of a range lies in one block, and a grid has so many blocks.
TEST(LoopShape, RangesAreCovered) {
  Random random;
  for (int n = 0; n < 2000; ++n) {
    std::uint64_t const bits = random.integer(1, 60);
    std::uint64_t const size = std::max<std::uint64_t>(
        1, (std::uint64_t(1) << bits) -
               random.integer(1, 1 << 20) % (std::uint64_t(1) << bits));
    LoopShape const shape = range_shapes[random.integer(0, 2)];
    LoopSpace space       = space_of({size});
    space.begin[0]        = -7;
    LoopGrid grid;
    LoopRange const range = lay_out_range(space, shape, grid);
    ASSERT_GT(grid.blocks, 0u);
    ASSERT_LE(grid.blocks, max_loop_blocks);
    ASSERT_EQ(grid.threads, unsigned(shape.width));
    ASSERT_EQ(range.size, size);
    ASSERT_EQ(range.begin, std::uint64_t(-7));
    ASSERT_LT(range.tile, std::uint64_t(1) << 32);
    ASSERT_GE(range.tile, std::uint64_t(shape.width * shape.calls));
    // The last block has at least one index and ends with the range.
    ASSERT_LT((grid.blocks - 1) * range.tile, size);
    ASSERT_GE(grid.blocks * range.tile, size);
  }
}

static_assert(loop_order(4, 3) == std::array<int, 6>{3, 2, 1, 0});
static_assert(loop_order(4, 2) == std::array<int, 6>{2, 0, 1, 3});

/// Threads that a narrow dimension leaves go to the next ones. Where each index
/// of a box is, random calls on the emulated device show.
TEST(LoopShape, NarrowBoxesHaveWholeBlocks) {
  LoopGrid grid;
  auto const threads = [&](LoopSpace const& space, LoopShape const& shape,
                           int d) {
    LoopBox const box = lay_out_box(space, shape, grid);
    int const calls =
        d == looped_dimension(space.rank, shape.fast) ? shape.calls : 1;
    return int(box.dimension[d].tile) / calls;
  };
  LoopSpace const space = space_of({3, 5, 1000});
  EXPECT_EQ(threads(space, {64, 4, 4}, 0), 4);
  EXPECT_EQ(threads(space, {64, 4, 4}, 1), 8);
  EXPECT_EQ(threads(space, {64, 4, 4}, 2), 8);
  EXPECT_EQ(threads(space_of({1, 1000}), {64, 4, 4}, 0), 1);
  EXPECT_EQ(threads(space_of({1, 1000}), {64, 4, 4}, 1), 256);
  EXPECT_EQ(threads(space_of({2, 2, 2, 2, 2, 900}), {64, 4, 4}, 5), 8);
  // More blocks than a grid has.
  lay_out_box(space_of({1, 1, 1u << 30, 1u << 30}), {64, 4, 1}, grid);
  EXPECT_EQ(grid.blocks, 0u);
  // The mirror image along the last dimension.
  LoopSpace const cube = space_of({640, 640, 640});
  EXPECT_EQ(threads(cube, {64, 4, 4, 2}, 2), 64);
  EXPECT_EQ(threads(cube, {64, 4, 4, 2}, 1), 4);
  EXPECT_EQ(threads(cube, {64, 4, 4, 2}, 0), 1);
}

/// Candidates that the chooser requests next.
void expect_next(LaunchChooser& chooser, std::vector<int> const& candidates) {
  for (int const c : candidates) EXPECT_EQ(chooser.next(), c);
}
constexpr int none = LaunchChooser::none;

/// Measures what the chooser requests, until it requests nothing.
/// \param time milliseconds of a candidate, the n-th time
/// \return the candidates in the order of their launches
template <class Time>
std::vector<int> measure_all(LaunchChooser& chooser, Time const& time) {
  std::vector<int> begun;
  for (int c = chooser.next(); c != none; c = chooser.next()) {
    auto const n = std::count(begun.begin(), begun.end(), c);
    chooser.measured(c, float(time(c, int(n))));
    begun.push_back(c);
  }
  return begun;
}
std::vector<int> measure_all(LaunchChooser& chooser,
                             std::vector<float> const& times) {
  return measure_all(chooser,
                     [&](int c, int) { return times[std::size_t(c)]; });
}
/// How often each of `count` candidates was launched.
std::vector<int> launches(std::vector<int> const& begun, int count) {
  std::vector<int> of;
  for (int c = 0; c < count; ++c)
    of.push_back(int(std::count(begun.begin(), begun.end(), c)));
  return of;
}
LaunchChooser chooser_after(std::vector<float> const& times) {
  LaunchChooser chooser(int(times.size()));
  measure_all(chooser, times);
  EXPECT_TRUE(chooser.is_final());
  return chooser;
}

TEST(LaunchChooser, TakesTheFastestByThreePerCent) {
  EXPECT_EQ(chooser_after({10, 9.85f, 9.75f}).choice(), 0);
  EXPECT_EQ(chooser_after({10, 9, 8.85f}).choice(), 1);
  EXPECT_EQ(chooser_after({10, 9, 8.7f}).choice(), 2);
  EXPECT_EQ(chooser_after({10, 9.85f, 9.6f}).choice(), 2);
  EXPECT_EQ(chooser_after({8, 9, 10}).choice(), 0);
  EXPECT_EQ(chooser_after({5}).choice(), 0);
  // Times that events cannot tell apart.
  EXPECT_EQ(chooser_after({0.004f, 0.0036f}).choice(), 0);
  EXPECT_EQ(chooser_after({0.004f, 0.003f}).choice(), 1);
}

TEST(LaunchChooser, GoesRoundAndCountsTheLeastTime) {
  LaunchChooser chooser(3);
  // The first round loads code.
  EXPECT_EQ(measure_all(chooser,
                        [](int c, int n) { return n == 0 ? 50 + c : 10 - c; }),
            (std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(chooser.choice(), 2);
  EXPECT_EQ(chooser.milliseconds(2), 8);
}

/// The first time may be that of loading code: two are needed to give up.
TEST(LaunchChooser, MeasuresWhatIsFarSlowerTwice) {
  LaunchChooser chooser(3);
  float const times[] = {10, 15.5f, 14.5f};
  auto const begun    = measure_all(
         chooser, [&](int c, int n) { return n == 0 ? 900 : times[c]; });
  EXPECT_EQ(launches(begun, 3), (std::vector<int>{3, 2, 3}));
  EXPECT_TRUE(chooser.is_final());
  EXPECT_EQ(chooser.choice(), 0);
}

/// Until both have been measured twice, the first one runs, unless the second
/// is clearly faster and no first launch explains that.
TEST(LaunchChooser, ChoosesLittleByOneMeasurement) {
  for (float const fast : {9.f, 5.f}) {
    LaunchChooser chooser(2);
    EXPECT_EQ(chooser.choice(), 0);
    // Without a result only what runs anyway is measured again.
    expect_next(chooser, {0, 1, 0, none, none});
    chooser.measured(0, 10);
    chooser.measured(1, fast);
    EXPECT_EQ(chooser.choice(), 0);
    EXPECT_EQ(chooser.next(), 1);
    chooser.measured(0, 10);
    EXPECT_EQ(chooser.choice(), fast < 9 ? 1 : 0);
    EXPECT_FALSE(chooser.is_final());
    chooser.measured(1, fast);
    EXPECT_EQ(chooser.choice(), 1);
  }
}

/// A host far ahead of the device takes the candidate that it was given.
TEST(LaunchChooser, RunsTheToldOneUntilTheFirstIsMeasured) {
  LaunchChooser chooser(3, 1);
  EXPECT_EQ(chooser.choice(), 1);
  expect_next(chooser, {1, 0, 2, 1, none});
  chooser.measured(0, 1);
  EXPECT_EQ(chooser.choice(), 1);
  EXPECT_EQ(chooser.next(), 0);
  chooser.measured(0, 1);
  EXPECT_EQ(chooser.choice(), 0);
  chooser.measured(1, 0.9f);
  EXPECT_EQ(chooser.choice(), 0);
  chooser.measured(1, 0.9f);
  EXPECT_EQ(chooser.choice(), 1);

  // It cannot run, or nothing is known in the end: the order of trust.
  LaunchChooser without(3, 1);
  without.cannot_run(1);
  EXPECT_EQ(without.choice(), 0);
  LaunchChooser lost(2, 1);
  for (int c = lost.next(); c != none; c = lost.next()) lost.lost(c);
  EXPECT_TRUE(lost.is_final());
  EXPECT_EQ(lost.choice(), 0);
}

/// What loses by a factor is measured once, except the first one, whose launch
/// may move memory.
TEST(LaunchChooser, MeasuresWhatLosesByAFactorOnce) {
  for (float const slow : {26.f, 24.f}) {
    LaunchChooser chooser(3);
    EXPECT_EQ(launches(measure_all(chooser, {170, slow, 10}), 3),
              (std::vector<int>{2, slow > 25 ? 1 : 2, 3}));
    EXPECT_EQ(chooser.choice(), 2);
  }
  // Microseconds are too short to tell.
  LaunchChooser brief(2);
  EXPECT_EQ(measure_all(brief, {0.01f, 0.05f}),
            (std::vector<int>{0, 1, 0, 1, 0}));
}

/// By then the candidate that was given may have lost: the fastest so far runs.
TEST(LaunchChooser, LeavesTheToldOneIfItLosesByAFactor) {
  LaunchChooser chooser(4, 1);
  expect_next(chooser, {1, 0, 2, 3});
  chooser.measured(0, 100);
  chooser.measured(1, 100);
  EXPECT_EQ(chooser.choice(), 1);
  chooser.measured(2, 10);
  EXPECT_EQ(chooser.choice(), 2);
  chooser.measured(3, 9);
  EXPECT_EQ(chooser.choice(), 3);
}

/// A candidate that loses by a factor in its parts never runs a whole loop, and
/// candidates that depend on it neither.
TEST(LaunchChooser, PartsExclude) {
  LaunchChooser::Candidates const required[] = {0, 0, 0, 6, 2, 4, 6};
  LaunchChooser chooser(7, 1, false, required);
  float const parts[] = {30, 20, 2, 3};
  for (int n = 0; n < 8; ++n) chooser.begin_part();
  EXPECT_EQ(chooser.next(), none);
  EXPECT_FALSE(chooser.decided());
  for (int c = 0; c < 4; ++c) chooser.measured_part(c, parts[c]);
  // One disturbed part of two.
  for (int c = 0; c < 3; ++c) chooser.measured_part(c, 900);
  EXPECT_TRUE(chooser.awaits_parts());
  EXPECT_EQ(chooser.next(), none);
  EXPECT_EQ(chooser.choice(), 1);
  chooser.lost_part();
  EXPECT_EQ(chooser.choice(), 2);
  EXPECT_EQ(measure_all(chooser, {2, 2, 2, 2, 2, 1.5f, 2}),
            (std::vector<int>{2, 3, 5, 2, 3, 5, 2, 3, 5}));
  EXPECT_TRUE(chooser.is_final());
  EXPECT_EQ(chooser.choice(), 5);
  EXPECT_EQ(chooser.milliseconds(0), 30);
  EXPECT_EQ(chooser.milliseconds(5), 1.5f);

  // 1.5 times as long excludes; what then depends on it never runs.
  for (float const slow : {14.5f, 15.5f}) {
    LaunchChooser::Candidates const on_first[] = {0, 1, 0};
    LaunchChooser third(3, 0, false, on_first);
    for (int n = 0; n < 2; ++n) third.begin_part();
    third.measured_part(0, slow);
    third.measured_part(2, 10);
    EXPECT_EQ(third.choice(), 2);
    EXPECT_EQ(
        launches(measure_all(third, {9, 9, 9}), 3),
        slow < 15 ? (std::vector<int>{3, 3, 3}) : (std::vector<int>{0, 0, 3}));
    EXPECT_EQ(third.choice(), slow < 15 ? 0 : 2);
  }
  // Tiles of the caller, which parts may cut, are excluded by 2.5 times.
  for (float const slow : {24.f, 26.f}) {
    LaunchChooser given(2, 0, false, nullptr, FirstCandidate::of_caller);
    for (int n = 0; n < 2; ++n) given.begin_part();
    given.measured_part(0, slow);
    given.measured_part(1, 10);
    EXPECT_EQ(launches(measure_all(given, {9, 10}), 2)[0] > 0, slow < 25);
  }
  // They do not count for what then runs parts: that of a transpose does, whose
  // orders are equally slow. It leads by its parts, and is measured.
  for (float const other : {21.f, 40.f}) {
    LaunchChooser::Candidates const on_both[] = {0, 0, 0, 6};
    LaunchChooser given(4, 0, false, on_both, FirstCandidate::of_caller);
    for (int n = 0; n < 3; ++n) given.begin_part();
    given.measured_part(0, 10);
    given.measured_part(1, 20);
    given.measured_part(2, other);
    EXPECT_EQ(given.promising(), other < 30 ? 0xF : 7);
    if (other > 30) continue;
    given.begin_part();
    given.measured_part(3, 6);
    EXPECT_EQ(given.choice(), 3);
    measure_all(given, {10, 20, 21, 6});
    EXPECT_EQ(given.choice(), 3);
  }
  // What is slower, but not by that factor, runs less, and is measured.
  for (float const first_part : {11.5f, 12.5f}) {
    LaunchChooser close(2, 1);
    for (int n = 0; n < 2; ++n) close.begin_part();
    close.measured_part(0, 10);
    close.measured_part(1, first_part);
    EXPECT_EQ(close.choice(), first_part < 12 ? 1 : 0);
    if (first_part > 12) expect_next(close, {1});
  }
}

/// Where whole loops tell otherwise than their parts, they are right.
TEST(LaunchChooser, WholeLoopsOverruleParts) {
  LaunchChooser chooser(3, 0);
  for (int n = 0; n < 3; ++n) chooser.begin_part();
  float const parts[] = {10, 8, 7};
  for (int c = 0; c < 3; ++c) chooser.measured_part(c, parts[c]);
  EXPECT_EQ(chooser.choice(), 2);
  expect_next(chooser, {0, 1, 2});
  chooser.measured(0, 10);
  EXPECT_EQ(chooser.choice(), 2);
  EXPECT_EQ(chooser.next(), 0);
  chooser.measured(1, 9);
  chooser.measured(2, 11);
  EXPECT_EQ(chooser.choice(), 1);
  // The first one is measured twice before the others: they remain.
  chooser.measured(0, 10);
  EXPECT_EQ(chooser.choice(), 1);
  expect_next(chooser, {1, 2});
  chooser.measured(1, 9.9f);
  chooser.measured(2, 9.8f);
  EXPECT_EQ(chooser.choice(), 1);
}

/// A candidate waits for the ones that it depends on, and does not run if one
/// of these is hopeless.
TEST(LaunchChooser, MeasuresWhatDependsOnOthersLater) {
  LaunchChooser::Candidates const required[] = {0, 0, 0, 2, 4, 6};
  auto const begun = [&](std::vector<float> const& times) {
    LaunchChooser chooser(6, 0, false, required);
    expect_next(chooser, {0, 1, 2, 0, none});
    for (int const c : {0, 1, 2, 0}) chooser.measured(c, times[std::size_t(c)]);
    auto const all = launches(measure_all(chooser, times), 6);
    EXPECT_TRUE(chooser.is_final());
    return all;
  };
  EXPECT_EQ(begun({10, 20, 9, 1, 9, 1}), (std::vector<int>{1, 1, 2, 0, 3, 0}));
  EXPECT_EQ(begun({10, 9, 90, 9, 1, 1}), (std::vector<int>{1, 2, 0, 3, 0, 0}));
  EXPECT_EQ(begun({10, 9, 9, 9, 9, 9}), (std::vector<int>{1, 2, 2, 3, 3, 3}));
}

TEST(LaunchChooser, SettlesWithoutWhatIsLostOrCannotRun) {
  LaunchChooser chooser(3);
  EXPECT_EQ(chooser.next(), 0);
  chooser.lost(0);
  EXPECT_EQ(chooser.next(), 1);
  chooser.cannot_run(1);
  chooser.lost(1);
  EXPECT_EQ(launches(measure_all(chooser, {2, 2, 1}), 3)[1], 0);
  EXPECT_TRUE(chooser.is_final());
  EXPECT_EQ(chooser.choice(), 2);
  // The first one cannot run: the next that can.
  LaunchChooser forced(2);
  forced.cannot_run(0);
  EXPECT_EQ(forced.choice(), 1);
}

/// All measurements of two candidates, of which the first takes 10 ms.
void measure_six(LaunchChooser& chooser, float second) {
  for (int n = 0; n < 6; ++n) {
    int const c = chooser.next();
    chooser.measured(c, c == 0 ? 10 : second);
  }
}

/// One measurement of watch_period calls, and two bad ones give a choice up.
TEST(LaunchChooser, WatchesAChoiceOtherThanTheFirst) {
  constexpr int period = LaunchChooser::watch_period;
  LaunchChooser chooser(2, 0, true);
  auto const measure = [&](float second) {
    int const c = chooser.next();
    if (c != none) chooser.measured(c, c == 0 ? 10 : second);
    return c;
  };
  measure_six(chooser, 9);
  EXPECT_TRUE(chooser.decided());
  EXPECT_FALSE(chooser.is_final());
  int measured = 0;
  for (int n = 0; n < 10 * period; ++n) measured += measure(12) == 1;
  EXPECT_EQ(measured, 10);
  EXPECT_EQ(chooser.choice(), 1);
  for (int n = 0; n < period; ++n) measure(13);
  EXPECT_EQ(chooser.choice(), 1);
  for (int n = 0; n < period; ++n) measure(13);
  EXPECT_EQ(chooser.choice(), 0);
  EXPECT_TRUE(chooser.is_final());
  expect_next(chooser, std::vector<int>(200, none));
}

/// With data for which all other candidates are slow, the first one remains.
TEST(LaunchChooser, GivesUpEveryChoiceThatTurnsSlow) {
  constexpr int two_measurements = 2 * LaunchChooser::watch_period;
  LaunchChooser chooser(3, 0, true);
  auto const measure = [&](float second, float third) {
    int const c = chooser.next();
    if (c != none) chooser.measured(c, c == 0 ? 10 : c == 1 ? second : third);
  };
  for (int n = 0; n < 9; ++n) measure(8, 9);
  EXPECT_EQ(chooser.choice(), 1);
  for (int n = 0; n < two_measurements; ++n) measure(20, 20);
  EXPECT_EQ(chooser.choice(), 2);
  for (int n = 0; n < two_measurements; ++n) measure(20, 20);
  EXPECT_EQ(chooser.choice(), 0);
  EXPECT_TRUE(chooser.is_final());
}

/// While a measurement is on its way the choice stays.
TEST(LaunchChooser, KeepsTheChoiceWhileItIsMeasured) {
  LaunchChooser chooser(2, 0, true);
  measure_six(chooser, 9);
  while (chooser.next() == none) EXPECT_EQ(chooser.choice(), 1);
  EXPECT_EQ(chooser.choice(), 1);
  // No second one before that has come.
  expect_next(chooser, std::vector<int>(200, none));
  chooser.measured(1, 9);
  EXPECT_EQ(chooser.choice(), 1);
  EXPECT_FALSE(chooser.is_final());
}

TEST(LaunchChooser, TheFirstCandidateIsNotWatched) {
  LaunchChooser chooser(2, 0, true);
  measure_six(chooser, 10);
  EXPECT_TRUE(chooser.is_final());
  expect_next(chooser, std::vector<int>(200, none));
}

/// A first candidate of 10 us is kept, one of 30 us is not.
TEST(LaunchChooser, KeepsWhatIsShort) {
  for (float const first : {0.01f, 0.03f})
    for (bool const kept : {false, true}) {
      LaunchChooser chooser(
          2, 0, true, nullptr,
          kept ? FirstCandidate::kept_if_short : FirstCandidate::usual);
      chooser.measured(chooser.next(), first);
      while (chooser.next() != none) {
      }
      for (int n = 0; n < 2; ++n) chooser.measured(1, first / 2);
      for (int n = 0; n < 2; ++n) chooser.measured(0, first);
      EXPECT_EQ(chooser.choice(), kept && first < 0.02f ? 0 : 1);
    }
}

/// Nothing is to be gained where the first candidate takes microseconds.
TEST(LaunchChooser, ShortLaunchesAreNotCompared) {
  LaunchChooser chooser(3, 0, true);
  EXPECT_EQ(measure_all(chooser, {0.015f, 0.012f, 0.012f}),
            (std::vector<int>{0, 1, 2, 0, 0}));
  EXPECT_TRUE(chooser.is_final());
  EXPECT_EQ(chooser.choice(), 0);
}

}  // namespace
