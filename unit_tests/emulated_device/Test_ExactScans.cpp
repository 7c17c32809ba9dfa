// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exact scans of a range of elements: each prefix has the bits of the correctly
// rounded sum, on devices of any size.

#include "KernelSupport.hpp"

#include <KokkosMMA_ExactReference.hpp>
#include <KokkosMMA_HostileSums.hpp>

#include <backends/cuda/kernels/scan/KokkosMMA_ExactScan.hpp>

#include <cmath>
#include <cstring>
#include <vector>

namespace KokkosMMA::Testing {
namespace {

Kokkos::Cuda const space;

/// What a scan is to give.
struct Expected {
  std::vector<std::uint64_t> prefixes;
  std::uint64_t total;
};

template <Scalar Input>
Expected expected_scan(std::vector<typename Format<Input>::Bits> const& x,
                       std::vector<double> const& others, double initial,
                       bool inclusive, Scalar output, Scalar total) {
  Expected expected;
  ExactReference prefix, sum;
  prefix.add(initial);
  for (double const other : others) prefix.add(other);
  for (auto const bits : x) {
    double const value = Format<Input>::decode(bits);
    if (!inclusive) expected.prefixes.push_back(prefix.bits(output));
    prefix.add(value);
    sum.add(value);
    if (inclusive) expected.prefixes.push_back(prefix.bits(output));
  }
  expected.total = sum.bits(total);
  return expected;
}

/// Where the elements are, and where the prefixes go.
struct Places {
  std::int64_t stride_x, stride_y;
  int before_x, before_y;
  bool in_place;
};

template <Scalar Input, Scalar Output, Scalar Accumulator, bool Inclusive>
void expect_exact(HostileSum const& sum, Random& random, int processors) {
  using F                                     = Format<Input>;
  using Bits                                  = typename F::Bits;
  using Result                                = typename Format<Output>::Bits;
  Impl::Cuda::device_entry(0).multiprocessors = processors;
  std::size_t const size                      = sum.terms.size();
  std::vector<Bits> terms(size);
  for (std::size_t i = 0; i < size; ++i) terms[i] = F::encode(sum.terms[i]);

  Impl::FloatFormat const format = Impl::float_format(Accumulator);
  double const initials[]        = {0., -0., 1.5, -INFINITY,
                                    std::ldexp(-1., format.lowest() + 9)};
  double const initial           = initials[random.integer(0, 4)];
  Scalar const formats[] = {Scalar::half, Scalar::bhalf, Scalar::float32,
                            Scalar::float64};
  Scalar const of_total  = formats[random.integer(0, 3)];
  // Of what precedes the elements elsewhere, as on other ranks.
  bool const has_total = random.integer(0, 2) != 0;
  std::vector<double> others;
  Impl::Superaccumulator<Input> sum_of_others;
  sum_of_others.init();
  if (!has_total && random.integer(0, 1))
    for (int n = 0; n < 3; ++n) {
      Bits const bits =
          terms[std::size_t(random.integer(0, std::int64_t(size) - 1))];
      sum_of_others.add(bits);
      others.push_back(F::decode(bits));
    }
  Impl::Cuda::ExactRangeSum<Input> before;
  std::memcpy(before.limb, sum_of_others.limb, sizeof(before.limb));
  before.flags = sum_of_others.flags;
  Expected const expected =
      expected_scan<Input>(terms, others, initial, Inclusive, Output, of_total);

  auto const some_stride = [&] { return std::int64_t(random.integer(2, 4)); };
  auto const skipped     = [&](Scalar type) {
    return int(random.integer(0, 16 / size_of(type) - 1));
  };
  Places const all[] = {{1, 1, 0, 0, false},
                        {1, 1, skipped(Input), skipped(Output), false},
                        {some_stride(), 1, 0, skipped(Output), false},
                        {1, some_stride(), skipped(Input), 0, false},
                        {1, 1, 0, 0, true},
                        {some_stride(), 0, 0, 0, true}};
  Places places      = all[random.integer(0, Input == Output ? 5 : 3)];
  if (places.in_place) places.stride_y = places.stride_x;
  Row<Bits> x(size * std::size_t(places.stride_x), places.before_x);
  Row<Result> y(size * std::size_t(places.stride_y), places.before_y);
  auto const x_at = [&](std::size_t i) -> Bits& {
    return x[i * std::size_t(places.stride_x)];
  };
  for (std::size_t i = 0; i < size; ++i) x_at(i) = terms[i];

  Impl::Cuda::StreamScratch const scratch(space);
  std::uint64_t total = ~std::uint64_t(0);
  void* const to      = places.in_place ? static_cast<void*>(x.data())
                                        : static_cast<void*>(y.data());
  Impl::FloatFormat const total_format = Impl::float_format(of_total);
  Impl::Cuda::ExactInitial const start{
      std::uint64_t(Format<Accumulator>::encode(initial)), format};
  Impl::Cuda::launch_exact_scan<
      Input, Output, Impl::exact_carrier(Accumulator), Inclusive,
      Impl::Cuda::tuning_type<Impl::Cuda::exact_scan_tuning()>>(
      space, scratch, {x.data(), places.stride_x, to, places.stride_y, size},
      start, total_format, has_total ? &total : nullptr,
      random.integer(0, 1) != 0, others.empty() ? nullptr : &before);
  auto const bytes = std::size_t(size_of(of_total));

  auto const note = [&] {
    return sum.name + ", " + std::to_string(size) + " of " +
           std::string(to_string(Input)) + " as " +
           std::string(to_string(Output)) + " from " + std::to_string(initial) +
           " on " + std::to_string(processors) + " multiprocessors, strides " +
           std::to_string(places.stride_x) + ", " +
           std::to_string(places.stride_y);
  };
  for (std::size_t i = 0; i < size; ++i) {
    std::uint64_t const bits =
        places.in_place ? std::uint64_t(x_at(i))
                        : std::uint64_t(y[i * std::size_t(places.stride_y)]);
    ASSERT_EQ(expected.prefixes[i], bits) << "prefix " << i << ", " << note();
  }
  if (!places.in_place)
    for (std::size_t i = 0; i < y.size(); ++i)
      if (i % std::size_t(places.stride_y) != 0) {
        ASSERT_EQ(Result(~Result(0)), y[i]) << "between, " << note();
      }
  if (has_total) {
    std::uint64_t const read = total & (~std::uint64_t(0) >> (64 - 8 * bytes));
    ASSERT_EQ(expected.total, read) << "total, " << note();
  }
}

/// Types of elements, prefixes and the initial value.
template <Scalar Input, Scalar Output, Scalar Accumulator>
struct Types {
  static constexpr Scalar input       = Input;
  static constexpr Scalar output      = Output;
  static constexpr Scalar accumulator = Accumulator;
};
using AllTypes =
    ::testing::Types<Types<Scalar::half, Scalar::half, Scalar::float32>,
                     Types<Scalar::bhalf, Scalar::float32, Scalar::float32>,
                     Types<Scalar::float32, Scalar::float32, Scalar::float32>,
                     Types<Scalar::float32, Scalar::float64, Scalar::float64>,
                     Types<Scalar::float64, Scalar::float64, Scalar::float64>>;
KOKKOSMMA_TYPED_TESTS(ExactScans, AllTypes);

/// One of both scans: a test has dozens of sums.
template <class T>
void expect_either(HostileSum const& sum, Random& random, int processors) {
  if (random.integer(0, 1))
    expect_exact<T::input, T::output, T::accumulator, true>(sum, random,
                                                            processors);
  else
    expect_exact<T::input, T::output, T::accumulator, false>(sum, random,
                                                             processors);
}

TYPED_TEST(ExactScans, OfAnySizeOnAnyDevice) {
  Random random;
  for (std::size_t const size :
       {std::size_t(1), std::size_t(random.integer(2, 40)),
        std::size_t(random.integer(500, 1100)),
        std::size_t(random.integer(4000, 9000))})
    for (HostileSum const& sum : hostile_sums(random, size, TypeParam::input))
      expect_either<TypeParam>(sum, random, random.integer(0, 1) ? 1 : 7);
  auto const sums = hostile_sums(random, 20011, TypeParam::input);
  for (int const processors : {1, 7, 108, 132})
    for (std::size_t k = 0; k < sums.size(); k += 1 + sums.size() / 5)
      expect_either<TypeParam>(sums[k], random, processors);
}

// The last block stores the total, while others may still scan: a call whose
// total is on the host waits for all of them. One whose total the device can
// write returns at once.
TEST(ExactScanTotals, ArriveOnTheHostAfterAllPrefixes) {
  constexpr std::size_t size = 6000;
  std::vector<float> const x(size, 1);
  std::vector<float> y(size);
  Impl::Cuda::StreamScratch const scratch(space);
  auto const waits = [&](bool total_on_device) {
    int const before = emulated_synchronizations;
    float total      = 0;
    Impl::Cuda::launch_exact_scan<
        Scalar::float32, Scalar::float32, Scalar::float32, true,
        Impl::Cuda::tuning_type<Impl::Cuda::exact_scan_tuning()>>(
        space, scratch,
        {reinterpret_cast<std::uint32_t const*>(x.data()), 1, y.data(), 1,
         size},
        {0, Impl::float_format(Scalar::float32)},
        Impl::float_format(Scalar::float32), &total, total_on_device);
    EXPECT_EQ(total, float(size));
    return emulated_synchronizations - before;
  };
  // Results come by copies, which wait, then through pinned memory.
  for (int n = 0; n < Impl::Cuda::Scratch::results_by_copy; ++n) waits(false);
  EXPECT_EQ(waits(false), 1);
  EXPECT_EQ(waits(true), 0);
}

}  // namespace
}  // namespace KokkosMMA::Testing
