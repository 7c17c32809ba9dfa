// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions and scans inside kernels of teams: groups of all vector lengths
// and teams that fill parts of warps, counts around those that change the way.

#include "KernelSupport.hpp"

#include <backends/cuda/kernels/team/KokkosMMA_TeamCollectives.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_TeamScans.hpp>
#include <core/base/KokkosMMA_Errors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;
using Impl::Operation;
using Impl::Cuda::LaneGroup;

struct Shape {
  unsigned threads, lanes;
  unsigned size() const { return threads * lanes; }
};
constexpr Shape shapes[] = {{1, 1},  {1, 2},  {3, 4},  {5, 8},
                            {3, 16}, {2, 32}, {37, 1}, {8, 32}};

/// Around one, four and five elements for each of a group's lanes, two vectors
/// of 16 bytes for each, and what is left of them.
std::vector<int> counts(unsigned group, int per_vector) {
  int const lanes = int(group);
  std::vector<int> all{0, 1, 2, 8, 31, 33};
  for (int const around : {lanes, 2 * lanes, 4 * lanes, 5 * lanes, 7 * lanes,
                           2 * lanes * per_vector, 5 * lanes * per_vector})
    for (int const off : {-1, 0, 1}) all.push_back(std::max(around + off, 0));
  all.push_back(2 * lanes * per_vector + 2 * per_vector - 1);
  return all;
}

/// f(group, lane of the team) for all threads of a team; of vectors, where
/// every other one stays away.
template <class F>
void run_team(Shape shape, bool whole_team, F const& f) {
  EmulatedDevice::run({1, 1, 1}, {shape.lanes, shape.threads, 1}, 0, [&] {
    if (!whole_team && threadIdx.y % 2 == 1) return;
    EXPECT_EQ(LaneGroup::vector().mask, LaneGroup::vector_as_kokkos().mask);
    f(whole_team ? LaneGroup::team() : LaneGroup::vector_as_kokkos(),
      threadIdx.y * blockDim.x + threadIdx.x);
  });
}

template <class Value>
struct Add {
  static constexpr bool commutes = true;
  void init(Value& value) const { value = 0; }
  void join(Value& into, Value const& from) const { into += from; }
};
template <class Value>
struct Largest {
  static constexpr bool commutes = false;
  void init(Value& value) const {
    value = std::numeric_limits<Value>::lowest();
  }
  void join(Value& into, Value const& from) const {
    if (into < from) into = from;
  }
};

template <class Case>
class TeamKernels : public ::testing::Test {
 protected:
  using Bits  = typename Case::Bits;
  using Value = typename Case::Value;

  /// f(shape, whole team, elements, expected prefixes) for a row of each count,
  /// off the vectors in turn.
  template <class F>
  void for_each_row(F const& f) {
    Random random;
    for (Shape const shape : shapes)
      for (bool const whole_team : {false, true})
        for (int const count : counts(whole_team ? shape.size() : shape.lanes,
                                      16 / Case::bytes)) {
          SCOPED_TRACE(Impl::concatenate(shape.threads, " x ", shape.lanes,
                                         whole_team ? ", team, " : ", vector, ",
                                         count));
          Row<Bits> row(std::size_t(count),
                        int(random.integer(0, 16 / Case::bytes - 1)));
          std::vector<Value> sums{0};
          for (int i = 0; i < count; ++i) {
            row[i] = Case::template draw<Operation::sum>(random);
            sums.push_back(Case::template join<Operation::sum>(
                sums.back(), Case::value_of(row[i])));
          }
          f(shape, whole_team, row, sums);
          if (this->HasFatalFailure()) return;
        }
  }
  /// Whether the threads that took part all got what was expected.
  static void check(Shape shape, bool whole_team,
                    std::vector<Value> const& results, Value expected) {
    for (unsigned t = 0; t < shape.size(); ++t) {
      if (!whole_team && t / shape.lanes % 2 == 1) continue;
      ASSERT_EQ(expected, results[t]) << "lane " << t;
    }
  }
};

using Cases =
    SampledTypes<::testing::Types<Combined<Scalar::half, float>,
                                  Combined<Scalar::int8, std::int32_t>,
                                  Combined<Scalar::float64, double>>,
                 ::testing::Types<Combined<Scalar::bhalf, float>,
                                  Combined<Scalar::float32, float>,
                                  Combined<Scalar::uint8, std::uint64_t>,
                                  Combined<Scalar::boolean, std::int32_t>,
                                  Combined<Scalar::int32, std::int64_t>,
                                  Combined<Scalar::int64, std::int64_t>>>;
TYPED_TEST_SUITE(TeamKernels, Cases);

TYPED_TEST(TeamKernels, SumsAndLargestOfMemory) {
  using Value = typename TypeParam::Value;
  this->for_each_row([&](Shape shape, bool whole_team, auto const& row,
                         std::vector<Value> const& sums) {
    std::vector<Value> results(shape.size()), largest(shape.size());
    run_team(shape, whole_team, [&](LaneGroup const& group, unsigned thread) {
      using namespace Impl::Cuda;
      Add<Value> const add;
      Largest<Value> const most;
      results[thread] = join_group(group,
                                   reduce_memory<TypeParam::input, true, Value>(
                                       group, row.data(), row.size(), add),
                                   add);
      largest[thread] =
          join_group(group,
                     reduce_memory<TypeParam::input, false, Value>(
                         group, row.data(), row.size(), most),
                     most);
    });
    this->check(shape, whole_team, results, sums.back());
    Value expected = std::numeric_limits<Value>::lowest();
    for (std::size_t i = 0; i < row.size(); ++i)
      expected = TypeParam::template join<Operation::max>(
          expected, TypeParam::value_of(row[i]));
    this->check(shape, whole_team, largest, expected);
  });
}

TYPED_TEST(TeamKernels, FunctorsAreCalledOnce) {
  using Value = typename TypeParam::Value;
  this->for_each_row([&](Shape shape, bool whole_team, auto const& row,
                         std::vector<Value> const& sums) {
    std::vector<Value> results(shape.size());
    std::vector<int> calls(row.size());
    run_team(shape, whole_team, [&](LaneGroup const& group, unsigned thread) {
      Add<Value> const add;
      results[thread] = Impl::Cuda::join_group(
          group,
          Impl::Cuda::reduce_calls<Value>(group, std::uint32_t(row.size()), add,
                                          [&](std::uint32_t i, Value& sum) {
                                            sum += TypeParam::value_of(row[i]);
                                            ++calls[i];
                                          }),
          add);
    });
    this->check(shape, whole_team, results, sums.back());
    int const groups = whole_team ? 1 : int(shape.threads + 1) / 2;
    for (int const n : calls) ASSERT_EQ(groups, n);
  });
}

TYPED_TEST(TeamKernels, PrefixesOfMemoryAndOfFunctors) {
  using Bits  = typename TypeParam::Bits;
  using Value = typename TypeParam::Value;
  int turn    = 0;
  this->for_each_row([&](Shape shape, bool whole_team, auto const& row,
                         std::vector<Value> const& sums) {
    // Only one group writes.
    if (!whole_team) shape.threads = 1;
    std::vector<Value> totals(shape.size()), called(shape.size()),
        prefixes(row.size());
    std::vector<int> calls(row.size());
    // The same place in a vector as the elements, and others.
    Row<Value> inclusive(row.size(), turn % int(16 / sizeof(Value)));
    Row<Bits> const& in = row;
    ++turn;
    run_team(shape, whole_team, [&](LaneGroup const& group, unsigned thread) {
      using namespace Impl::Cuda;
      Add<Value> const add;
      auto const scan = [&](std::uint32_t count, auto& source) {
        return whole_team ? scan_units<Value>(group, count, add, source)
                          : scan_vector<Value>(group, count, add, source);
      };
      MemoryUnits<TypeParam::input, Value, Value, true, Add<Value>> units(
          in.data(), inclusive.data(), unsigned(in.size()), add);
      totals[thread] = in.size() == 0 ? Value(0) : scan(units.units(), units);
      struct Call {
        Row<Bits> const& in;
        std::vector<Value>& prefixes;
        std::vector<int>& calls;
        void contribute(std::uint32_t i, Value& sum) const {
          sum += TypeParam::value_of(in[i]);
        }
        void finish(std::uint32_t i, Value& prefix) const {
          prefixes[i] = prefix;
          ++calls[i];
        }
      };
      Call const call{in, prefixes, calls};
      CalledUnits<Call> source{call};
      called[thread] = scan(std::uint32_t(in.size()), source);
    });
    this->check(shape, whole_team, totals, sums.back());
    this->check(shape, whole_team, called, sums.back());
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(sums[i + 1], inclusive[i]) << i;
      ASSERT_EQ(sums[i], prefixes[i]) << i;
      ASSERT_EQ(1, calls[i]) << i;
    }
  });
}

}  // namespace
