// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of ranges by calls of the application's functor. That
// each index is called once, and in its order: random_calls, sum_* and scan_*.

#include "DeviceMemory.hpp"
#include "SumReducer.hpp"

#include <KokkosMMA_ReferenceFold.hpp>

#include <backends/cuda/kernels/block/KokkosMMA_LastBlockReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_NodeScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_KernelScratch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_StreamedReduce.hpp>
#include <backends/cuda/kernels/team/KokkosMMA_JoinBlocks.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

Kokkos::Cuda const space;

constexpr auto streamed = Impl::streamed_tuning(8);

/// The sum of a reduction in so many blocks. As nodes of graphs are launched:
/// all threads have to wait for the kernel before.
template <class Value, class Call>
Value reduced(Call const& call, std::uint64_t size, unsigned blocks,
              unsigned threads, Impl::Cuda::GridScratch const& scratch,
              Impl::CallOrder order) {
  using Sum     = SumReducer<Value>;
  using Running = Impl::Cuda::RunningValue<Sum, Value>;
  using Tuning  = Impl::Cuda::tuning_type<Impl::streamed_tuning(sizeof(Value))>;
  Value total   = -1;
  Impl::Cuda::launch_kernel(
      space, "streamed_reduce",
      Impl::Cuda::streamed_reduce<Running, Tuning, std::int64_t, Value, Call,
                                  Sum>,
      {blocks, threads, 0, true}, call, Sum(), std::int64_t(0), size, order,
      scratch, Impl::Cuda::ResultTarget<Value>{&total, nullptr});
  return total;
}
template <class Value>
Impl::Cuda::GridScratch scratch_of(unsigned blocks, unsigned threads) {
  return Impl::Cuda::StreamScratch(space)->grid(
      Impl::Cuda::partials_of_warps(blocks, threads), sizeof(Value));
}

/// Reduces in every order of the calls, by calls into a value or into a running
/// one that is rounded at the end, and compares with a fold in the order that
/// all of them have.
template <class Running, class Reducer, class Value, bool Sum = true,
          class Element, class Join>
void expect_reference_bits(Random& random, Element const& element,
                           Join const& join) {
  constexpr auto tuned = Impl::streamed_tuning(sizeof(Value), 1, Sum);
  using Tuning         = Impl::Cuda::tuning_type<tuned>;
  using Folded         = typename Running::Value;
  auto const blocks    = unsigned(random.integer(1, 8));
  unsigned subranges   = 1;
  if (Impl::may_divide_parts(tuned) && blocks > 1)
    subranges = unsigned(random.integer(1, 4));
  auto const orders = Impl::call_orders(tuned, false, subranges);
  EXPECT_GT(orders.count, 1);
  constexpr auto tile = std::int64_t(tuned.threads) * tuned.most_calls;
  auto const begin    = random.integer(0, 1) ? (std::int64_t(1) << 40) + 3 : 3;
  auto const whole    = blocks * random.integer(0, 3) * tile;
  auto const size     = std::uint64_t(
          whole + random.integer(0, random.integer(0, 1) == 0 ? 2000 : 6 * tile));
  SCOPED_TRACE(size);
  Value const expected(reference_fold<Folded>(
      tuned, {blocks, unsigned(tuned.threads)}, size, Folded(0.f),
      [&](std::uint64_t i) {
        return static_cast<Folded>(element(begin + std::int64_t(i)));
      },
      join, subranges));
  auto const call = [element, join](std::int64_t i, Value& value) {
    value = static_cast<Value>(
        join(static_cast<Folded>(value), static_cast<Folded>(element(i))));
  };
  for (int order = 0; order < orders.count; ++order) {
    Value total;
    std::memset(static_cast<void*>(&total), 0xee, sizeof(Value));
    unsigned const grid = orders[order].one_each ? blocks * subranges : blocks;
    Impl::Cuda::launch_kernel(
        space, "streamed_reduce",
        Impl::Cuda::streamed_reduce<Running, Tuning, std::int64_t, Value,
                                    std::remove_const_t<decltype(call)>,
                                    Reducer>,
        {grid, unsigned(tuned.threads)}, call, Reducer(), begin, size,
        orders[order], scratch_of<Folded>(grid, unsigned(tuned.threads)),
        Impl::Cuda::ResultTarget<Value>{&total, nullptr});
    EXPECT_EQ(0, std::memcmp(&expected, &total, sizeof(Value)))
        << "order " << order << ", " << blocks << " blocks, "
        << tuned.accumulators << " accumulators of " << sizeof(Folded)
        << " bytes";
  }
}

/// A value of two words.
struct Complex {
  float re, im;
  Complex() = default;
  explicit Complex(float v) : re(v), im(v - 1) {}
  Complex& operator+=(Complex const& other) { return *this = *this + other; }
  friend Complex operator+(Complex a, Complex const& b) {
    a.re += b.re;
    a.im += b.im;
    return a;
  }
};

/// A join that no order but that of the indices repeats.
struct LastDigits {
  void init(double* value) const { *value = 0; }
  void join(double* into, double const* from) const {
    *into = *into / 3 + *from;
  }
  void final(double*) const {}
};

TEST(CallKernels, EveryOrderOfCallsHasTheSameBits) {
  Random random;
  std::vector<float> x(1 << 17);
  for (float& element : x) element = float(random.normal());
  auto const element = [x = x.data()](std::int64_t i) {
    return x[i % (1 << 17)];
  };
  auto const small = [x = x.data()](std::int64_t i) {
    return int(16 * x[i % (1 << 17)]) % 8;
  };
  auto const add   = []<class Value>(Value a, Value b) { return Value(a + b); };
  auto const check = [&]<class Value>(Value, auto const& of) {
    using Sum = SumReducer<Value>;
    expect_reference_bits<Impl::Cuda::RunningValue<Sum, Value>, Sum, Value>(
        random, of, add);
  };
  for (int n = 0; n < 4; ++n) {
    any_device(random);
    check(float(), element);
    check(double(), element);
    check(std::int32_t(), small);
    check(std::int8_t(), small);
    expect_reference_bits<Impl::Cuda::RunningInFloat<Impl::Operation::sum,
                                                     SumReducer<Half>, Half>,
                          SumReducer<Half>, Half>(
        random, [&](std::int64_t i) { return static_cast<Half>(element(i)); },
        add);
    expect_reference_bits<
        Impl::Cuda::RunningValue<SumReducer<Complex>, Complex>,
        SumReducer<Complex>, Complex>(random, element, add);
    expect_reference_bits<Impl::Cuda::RunningValue<LastDigits, double>,
                          LastDigits, double, false>(
        random, element, [](double a, double b) { return a / 3 + b; });
  }
}

/// With a thread for each index no thread calls twice.
TEST(CallKernels, SpreadReductionsCallOnceInAThread) {
  Random random;
  constexpr unsigned threads = Impl::spread_threads;
  for (int n = 0; n < 8; ++n) {
    any_device(random);
    auto const blocks        = unsigned(random.integer(1, 7));
    std::uint64_t const size = blocks * threads - (n < 4 ? 0 : n);
    SCOPED_TRACE(size);
    std::vector<int> calls(blocks * threads, 0);
    auto const call = [calls = calls.data()](std::int64_t, std::int64_t& sum) {
      ++calls[blockIdx.x * threads + threadIdx.x];
      ++sum;
    };
    EXPECT_EQ(reduced<std::int64_t>(call, size, blocks, threads,
                                    scratch_of<std::int64_t>(blocks, threads),
                                    any_order(streamed, random)),
              std::int64_t(size));
    EXPECT_EQ(*std::max_element(calls.begin(), calls.end()), 1);
  }
}

/// Which block calls each index of a range with 1024 for each block.
template <class Value>
std::vector<unsigned> block_of_each(unsigned blocks, Impl::CallOrder order) {
  unsigned const threads   = Impl::streamed_tuning(sizeof(Value)).threads;
  std::uint64_t const size = blocks * 1024;
  std::vector<unsigned> block_of(size);
  auto const call = [block_of = block_of.data()](std::int64_t i, Value& sum) {
    block_of[i] = blockIdx.x;
    ++sum;
  };
  EXPECT_EQ(reduced<Value>(call, size, blocks, threads,
                           scratch_of<Value>(blocks, threads), order),
            Value(size));
  return block_of;
}
/// Blocks half a grid apart have whole parts equally far from both ends.
template <class Value>
void expect_balance(Random& random) {
  auto const half = unsigned(random.integer(2, 5));
  auto const block_of =
      block_of_each<Value>(2 * half, Impl::CallOrder{.subranges = 1});
  for (std::size_t i = 0; i < block_of.size() / 2; ++i)
    ASSERT_EQ(block_of[i] + half, block_of[block_of.size() - 1 - i]) << i;
}
TEST(CallKernels, BlocksOfAMultiprocessorBalance) {
  Random random;
  // Of kernels that may divide a part, and of others.
  static_assert(Impl::may_divide_parts(streamed) &&
                !Impl::may_divide_parts(Impl::streamed_tuning(4)));
  expect_balance<std::int64_t>(random);
  expect_balance<std::int32_t>(random);
}

/// Each block has a subrange, the first one the last.
TEST(CallKernels, SubrangesStartFromTheEnd) {
  Random random;
  auto const blocks   = unsigned(2 * random.integer(1, 4));
  auto const block_of = block_of_each<std::int64_t>(
      blocks, {.one_each = true, .from_end = true, .subranges = 2});
  for (std::size_t i = 0; i < block_of.size(); ++i)
    ASSERT_EQ(block_of[i], blocks - 1 - i / 1024) << i;
}

/// A node of a graph is launched with the same arguments each time, and two at
/// the same time have scratch of their own.
TEST(CallKernels, NodesReplay) {
  Random random;
  auto& pool            = Impl::Cuda::NodeScratch::instance();
  unsigned const* first = nullptr;
  for (int n = 0; n < 8; ++n) {
    any_device(random);
    auto const size   = std::uint64_t(n < 6 ? n : random.integer(1, 70000));
    auto const blocks = unsigned(random.integer(1, 7));
    SCOPED_TRACE(size);
    auto const call = [](std::int64_t i, double& sum) { sum += 1. / (1 + i); };
    cudaGraph graph;
    std::size_t const bytes =
        Impl::Cuda::partials_of_warps(7, streamed.threads) * sizeof(double);
    auto const scratch = pool.take(0, &graph, bytes);
    auto const other   = pool.take(0, &graph, bytes);
    EXPECT_NE(scratch.ticket, other.ticket);
    EXPECT_NE(scratch.partials, other.partials);
    if (n > 0) {
      EXPECT_TRUE(scratch.ticket == first || other.ticket == first)
          << "the memory of the graph before";
    }
    first              = scratch.ticket;
    double const total = reduced<double>(call, size, blocks, streamed.threads,
                                         scratch, any_order(streamed, random));
    for (int replay = 0; replay < 3; ++replay) {
      EXPECT_EQ(*scratch.ticket, 0u);
      EXPECT_EQ(total, reduced<double>(call, size, blocks, streamed.threads,
                                       scratch, any_order(streamed, random)));
    }
    cudaGraphDestroy(&graph);
  }
}

template <class T>
void join_values(T const* values, Impl::Cuda::GridScratch const scratch,
                 T* total) {
  T value = values[blockIdx.x];
  Impl::Cuda::join_blocks(value, Impl::Cuda::Plus<T>(),
                          threadIdx.y * blockDim.x + threadIdx.x,
                          blockDim.x * blockDim.y, scratch,
                          [total](T const& sum) { *total = sum; });
}
/// As Kokkos joins the values of blocks: by the lanes of a warp, in turn, and
/// then of lanes.
template <class T>
T joined_as_kokkos(std::vector<T> const& values, std::size_t threads) {
  std::size_t const lanes = std::min<std::size_t>(threads, 32);
  std::vector<T> of_lane(lanes, T(0));
  for (std::size_t b = 0; b < values.size(); ++b)
    of_lane[b % lanes] += values[b];
  for (std::size_t step = 1; step < lanes; step *= 2)
    for (std::size_t lane = 0; lane + step < lanes; ++lane)
      if (lane + step < values.size()) of_lane[lane] += of_lane[lane + step];
  return of_lane[0];
}
template <class T>
void check_joins(Random& random) {
  for (unsigned const threads : {1u, 4u, 32u, 96u})
    for (int const blocks : {1, 2, 31, 33, 700}) {
      std::vector<T> values(blocks);
      for (T& each : values) each = T(random.uniform(-1, 1) * 1024);
      T total      = -7;
      auto scratch = Impl::Cuda::StreamScratch(space)->grid(blocks, sizeof(T));
      for (int launch = 0; launch < 2; ++launch)
        Impl::Cuda::launch_kernel(
            space, "join_values", join_values<T>,
            {unsigned(blocks),
             dim3(threads > 4 ? 4 : 1, threads > 4 ? threads / 4 : threads)},
            values.data(), scratch, &total);
      ASSERT_EQ(total, joined_as_kokkos(values, threads))
          << threads << " threads, " << blocks;
    }
}
TEST(CallKernels, ValuesOfBlocksAreJoinedAsByKokkos) {
  Random random;
  check_joins<float>(random);
  check_joins<double>(random);
  check_joins<std::int8_t>(random);
}

}  // namespace
