// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions to arrays and to large values, whose running values are in shared
// memory.

#include "DeviceMemory.hpp"

#include <backends/cuda/kernels/reduce/KokkosMMA_ArrayReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/runtime/KokkosMMA_StreamScratch.hpp>
#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

Kokkos::Cuda const space;

/// Value e of what index i adds: 9000 of them fit in 32 bits.
template <class T>
T addend(std::int64_t i, unsigned e) {
  return static_cast<T>((2 * i + 1) * (i + 3 * std::int64_t(e) + 1) % 10007);
}

/// A functor as the adapter hands it over, and its reducer as Kokkos makes it.
template <class T>
struct AddArrays {
  unsigned value_count;
  int* calls;
  void operator()(std::int64_t i, T* update) const {
    ++calls[i];
    for (unsigned e = 0; e < value_count; ++e)
      update[e] = static_cast<T>(update[e] + addend<T>(i, e));
  }
};
template <class Functor>
struct Called {
  Functor functor;
  template <class Update>
  void operator()(std::int64_t i, Update&& update) const {
    functor(i, static_cast<Update&&>(update));
  }
};
template <class T, class Functor>
struct SumOfArrays {
  Functor functor;
  static T* reference(T* value) { return value; }
  unsigned value_count() const { return functor.value_count; }
  Functor const& get_functor() const { return functor; }
  void init(T* value) const {
    for (unsigned e = 0; e < functor.value_count; ++e) value[e] = T(0);
  }
  void join(T* into, T const* from) const {
    for (unsigned e = 0; e < functor.value_count; ++e)
      into[e] = static_cast<T>(into[e] + from[e]);
  }
  /// Once: of integers twice shows.
  void final(T* value) const {
    if constexpr (std::is_integral_v<T>) {
      for (unsigned e = 0; e < functor.value_count; ++e) value[e] ^= T(0x55);
    }
  }
};

struct Launch {
  std::uint64_t size;
  int resident_threads;
  bool to_host;
};

/// The array that a launch leaves, with poison after it.
template <bool InRegisters, bool SumsNumbers, class T, class Functor,
          class Reducer>
std::vector<T> reduced(Functor const& functor, Reducer const& reducer,
                       unsigned count, std::int64_t begin,
                       Launch const& launch) {
  using Tuning = Impl::Cuda::tuning_type<Impl::array_tuning(true, 8)>;
  Impl::Cuda::Device const& device = Impl::Cuda::device(0);
  Impl::ArrayShape const shape     = Impl::array_reduce_shape(
          Tuning::value, count, Impl::array_stride(count * sizeof(T), alignof(T)),
          launch.size, device.multiprocessors, EmulatedDevice::max_shared_bytes,
          launch.resident_threads, Impl::Cuda::max_partials);
  std::size_t const bytes = count * sizeof(T);
  std::vector<T> result(count + 1);
  std::memset(static_cast<void*>(result.data()), 0xa5, bytes + sizeof(T));
  auto const go = [&](Impl::Cuda::ResultTarget<void> const& target) {
    Impl::Cuda::launch_kernel(
        space, "array_reduce",
        Impl::Cuda::array_reduce<Tuning, InRegisters, SumsNumbers, std::int64_t,
                                 T, Called<Functor>, Reducer>,
        {shape.launch.blocks, shape.launch.threads, shape.shared_bytes()},
        Called<Functor>{functor}, reducer, begin, launch.size,
        Impl::Cuda::StreamScratch(space)->grid(shape.launch.blocks, bytes),
        Impl::Cuda::ResultTarget<T>{static_cast<T*>(target.memory),
                                    target.words},
        shape.layout);
  };
  Impl::Cuda::StreamScratch(space).deliver(result.data(), bytes,
                                           !launch.to_host, go);
  return result;
}

template <bool InRegisters, bool SumsNumbers, class T>
void expect_sums(unsigned count, Launch const& launch) {
  SCOPED_TRACE("array of " + std::to_string(count) + " values of " +
               std::to_string(sizeof(T)) +
               " bytes, n = " + std::to_string(launch.size));
  std::int64_t const begin = 5;
  std::vector<int> calls(launch.size + std::size_t(begin), 0);
  AddArrays<T> const functor{count, calls.data()};
  SumOfArrays<T, AddArrays<T>> const reducer{functor};
  auto const result = reduced<InRegisters, SumsNumbers, T>(
      functor, reducer, count, begin, launch);

  std::vector<T> expected(count + 1, T(0));
  for (std::uint64_t i = 0; i < launch.size; ++i) {
    ASSERT_EQ(1, calls[std::size_t(begin) + i]) << "index " << i;
    for (unsigned e = 0; e < count; ++e)
      expected[e] =
          static_cast<T>(expected[e] + addend<T>(begin + std::int64_t(i), e));
  }
  for (unsigned e = 0; e < count; ++e) expected[e] ^= T(0x55);
  std::memset(static_cast<void*>(&expected[count]), 0xa5, sizeof(T));
  EXPECT_EQ(expected, result);
}

Launch any_launch(Random& random, int n) {
  any_device(random);
  return {n < 4 ? std::uint64_t(n) : std::uint64_t(random.integer(1, 9000)),
          int(random.integer(1, 16)) * 128, random.integer(0, 1) == 0};
}

TEST(ArrayKernels, SumsOfEveryLength) {
  Random random;
  int n = 0;
  for (unsigned const count : {1u, 2u, 3u, 4u, 7u, 16u, 33u, 180u, 300u}) {
    expect_sums<false, true, std::int64_t>(count, any_launch(random, n));
    expect_sums<false, false, std::int64_t>(count, any_launch(random, ++n));
    expect_sums<false, true, std::uint8_t>(count, any_launch(random, n));
  }
  expect_sums<false, true, std::int32_t>(1024, {700, 1024, true});
  expect_sums<false, true, std::int64_t>(2048, {90, 1024, true});
  expect_sums<false, false, std::int64_t>(2048, {90, 1024, false});
}

TEST(ArrayKernels, FewValuesInRegisters) {
  Random random;
  for (int n = 0; n < 8; ++n)
    for (unsigned count = 1; count <= Impl::most_in_registers; ++count) {
      expect_sums<true, true, std::int64_t>(count, any_launch(random, n));
      expect_sums<true, false, std::int32_t>(count, any_launch(random, n));
    }
}

/// A value of 200 bytes that is no sum of numbers: the smallest contribution,
/// word by word, and what the empty range leaves.
struct Large {
  std::uint64_t word[25];
};
struct SmallestWords {
  void operator()(std::int64_t i, Large& update) const {
    for (unsigned e = 0; e < 25; ++e)
      update.word[e] = std::min(update.word[e], addend<std::uint64_t>(i, e));
  }
};
struct SmallestWordsReducer {
  static Large& reference(Large* value) { return *value; }
  void init(Large* value) const {
    for (auto& word : value->word) word = ~std::uint64_t(0);
  }
  void join(Large* into, Large const* from) const {
    for (unsigned e = 0; e < 25; ++e)
      into->word[e] = std::min(into->word[e], from->word[e]);
  }
  void final(Large* value) const { value->word[0] ^= 1; }
};

TEST(ArrayKernels, LargeValues) {
  Random random;
  for (int n = 0; n < 9; ++n) {
    Launch const launch = any_launch(random, n);
    SCOPED_TRACE("n = " + std::to_string(launch.size));
    auto const result = reduced<false, false, Large>(
        SmallestWords(), SmallestWordsReducer(), 1, 7, launch);
    Large expected;
    SmallestWordsReducer const reducer;
    reducer.init(&expected);
    for (std::uint64_t i = 0; i < launch.size; ++i)
      SmallestWords()(7 + std::int64_t(i), expected);
    reducer.final(&expected);
    EXPECT_EQ(0, std::memcmp(&expected, &result[0], sizeof(Large)));
  }
}

/// The same bits from run to run, of numbers whose sum depends on the order.
struct AddDoubles {
  unsigned value_count;
  double const* x;
  void operator()(std::int64_t i, double* update) const {
    for (unsigned e = 0; e < value_count; ++e) update[e] += x[i + e];
  }
};

TEST(ArrayKernels, SameBitsFromRunToRun) {
  Random random;
  any_device(random);
  unsigned const count = 6;
  Launch const launch{5000, 1024, false};
  std::vector<double> x(launch.size + count);
  for (auto& each : x) each = random.normal();
  AddDoubles const functor{count, x.data()};
  auto const run = [&] {
    return reduced<false, true, double>(
        functor, SumOfArrays<double, AddDoubles>{functor}, count, 0, launch);
  };
  auto const first = run();
  auto const again = run();
  EXPECT_EQ(0, std::memcmp(first.data(), again.data(),
                           first.size() * sizeof(double)));
  for (unsigned e = 0; e < count; ++e) {
    double sum = 0;
    for (std::uint64_t i = 0; i < launch.size; ++i) sum += x[i + e];
    EXPECT_NEAR(sum, first[e], 1e-9);
  }
}

}  // namespace
