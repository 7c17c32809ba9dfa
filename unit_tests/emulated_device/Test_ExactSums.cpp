// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exact sums of a range of elements: the bits of the correctly rounded sum, on
// devices of any size.

#include "KernelSupport.hpp"

#include <KokkosMMA_ExactReference.hpp>
#include <KokkosMMA_HostileSums.hpp>

#include <backends/cuda/kernels/reduce/KokkosMMA_ExactReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>

#include <atomic>
#include <type_traits>

namespace KokkosMMA::Testing {
namespace {

Kokkos::Cuda const space;

template <class Elements>
std::uint64_t sum_of(Elements const& elements, bool empty, Scalar format,
                     bool device_accessible) {
  std::uint64_t result = 0;
  Impl::Cuda::launch_exact_reduce<
      Elements,
      Impl::Cuda::tuning_type<Impl::Cuda::exact_tuning(Elements::input)>>(
      space, Impl::Cuda::StreamScratch(space), elements, empty,
      Impl::float_format(format), &result, device_accessible);
  return result;
}

/// A call of a functor for each element, some of which add nothing.
template <Scalar Input>
struct AddElement {
  using Real = Impl::Cuda::exact_real_t<Input>;
  Impl::ElementBits<Input> const* x;
  std::int64_t begin;
  std::atomic<std::size_t>* calls;
  void operator()(std::int64_t i, Real& sum) const {
    ++*calls;
    auto const bits = x[i - begin];
    if (bits != Impl::Cuda::exact_nothing<Input>)
      sum += Impl::Cuda::exact_real<Input>(bits);
  }
};

/// The same elements contiguous, from any place of a 16-byte line, and with a
/// stride, forwards and backwards.
template <Scalar Input>
void expect_exact(HostileSum const& sum, Random& random, int processors) {
  using F                                     = Format<Input>;
  using Bits                                  = typename F::Bits;
  Impl::Cuda::device_entry(0).multiprocessors = processors;
  std::size_t const size                      = sum.terms.size();
  int const before  = int(random.integer(0, 16 / size_of(Input) - 1));
  auto const stride = std::int64_t(random.integer(2, 5));
  Row<Bits> x(size, before);
  Row<Bits> strided(size * std::size_t(stride), before);
  ExactReference reference;
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = strided[i * std::size_t(stride)] = F::encode(sum.terms[i]);
    reference.add(F::decode(x[i]));
  }
  Scalar const formats[] = {Input, Scalar::half, Scalar::bhalf, Scalar::float32,
                            Scalar::float64};
  Scalar const format    = formats[random.integer(0, 4)];
  std::uint64_t const exact = reference.bits(format);
  auto const check          = [&](char const* how, std::uint64_t bits) {
    ASSERT_EQ(exact, bits) << sum.name << ", " << how << ", " << size << " of "
                           << to_string(Input) << " as " << to_string(format)
                           << " on " << processors << " multiprocessors";
  };
  bool const on_device = random.integer(0, 1) != 0;
  check("contiguous", sum_of(Impl::Cuda::ExactVectors<Input>(Impl::vector_range(
                                 x.data(), size, size_of(Input))),
                             size == 0, format, on_device));
  bool const backwards = random.integer(0, 1) != 0;
  std::int64_t const s = backwards ? -stride : stride;
  check("strided",
        sum_of(
            Impl::Cuda::ExactStrided<Input>{
                strided.data() +
                    (backwards && size ? stride * std::int64_t(size - 1) : 0),
                s, size},
            size == 0, format, on_device));
  if constexpr (Input == Scalar::float32 || Input == Scalar::float64) {
    using Call                     = AddElement<Input>;
    std::atomic<std::size_t> calls = 0;
    std::int64_t const begin       = random.integer(-9, 9);
    auto const check_calls = [&]<bool Copies>(std::bool_constant<Copies>) {
      calls = 0;
      check(Copies ? "calls of copies" : "calls",
            sum_of(
                Impl::Cuda::ExactCalls<Call, std::int64_t, typename Call::Real,
                                       Copies>{
                    {x.data(), begin, &calls}, begin, size},
                size == 0, format, on_device));
      EXPECT_EQ(size, calls);
    };
    check_calls(std::false_type());
    check_calls(std::true_type());
  }
}

/// The limbs themselves, on their way to the host or in memory.
template <Scalar Input>
void expect_limbs(HostileSum const& sum, bool device_accessible,
                  double largest_limb = INFINITY) {
  using F = Format<Input>;
  Row<typename F::Bits> x(sum.terms.size(), 0);
  Impl::Superaccumulator<Input> expected, limbs;
  expected.init();
  for (std::size_t i = 0; i < x.size(); ++i)
    expected.add(x[i] = F::encode(sum.terms[i]));
  Impl::Cuda::launch_exact_reduce<
      Impl::Cuda::ExactVectors<Input>,
      Impl::Cuda::tuning_type<Impl::Cuda::exact_tuning(Input)>>(
      space, Impl::Cuda::StreamScratch(space),
      Impl::Cuda::ExactVectors<Input>(
          Impl::vector_range(x.data(), x.size(), size_of(Input))),
      x.size() == 0, Impl::Cuda::exact_as_limbs, &limbs, device_accessible);
  for (std::int64_t const limb : limbs.limb)
    ASSERT_LE(std::abs(double(limb)), largest_limb);
  limbs.carry();
  expected.carry();
  for (int k = 0; k < expected.limbs; ++k)
    ASSERT_EQ(expected.limb[k], limbs.limb[k]) << "limb " << k;
  EXPECT_EQ(expected.flags, limbs.flags);
  EXPECT_EQ(expected.empty, limbs.empty);
}

KOKKOSMMA_TYPED_TESTS(ExactSums, FloatElements);

TYPED_TEST(ExactSums, OfAnySizeOnAnyDevice) {
  Random random;
  constexpr Scalar input = TypeParam::value;
  for (std::size_t const size :
       {std::size_t(1), std::size_t(random.integer(2, 40)),
        std::size_t(random.integer(500, 1000)),
        std::size_t(random.integer(4000, 9000))})
    for (HostileSum const& sum : hostile_sums(random, size, input))
      expect_exact<input>(sum, random, random.integer(0, 1) ? 1 : 7);
  auto const sums = hostile_sums(random, 20011, input);
  for (int const processors : {1, 7, 108, 132})
    for (std::size_t k = 0; k < sums.size(); k += 1 + sums.size() / 3)
      expect_exact<input>(sums[k], random, processors);
}

TYPED_TEST(ExactSums, OfNothing) {
  Random random;
  for (int n = 0; n < 5; ++n)
    expect_exact<TypeParam::value>({"nothing", {}}, random, 3);
}

TYPED_TEST(ExactSums, AsLimbs) {
  Random random;
  constexpr Scalar input = TypeParam::value;
  for (std::size_t const size : {1, 100, 5000})
    for (HostileSum const& sum : hostile_sums(random, size, input))
      expect_limbs<input>(sum, random.integer(0, 1) != 0);
  expect_limbs<input>({"nothing", {}}, false);
}

// The sums of a lane are full many times.
TYPED_TEST(ExactSums, OfManyInOneBlock) {
  Random random;
  std::size_t const size =
      TypeParam::value == Scalar::float64 ? 7u << 20 : 2u << 20;
  for (double const low : {0.999, -1.}) {
    HostileSum sum{"many", std::vector<double>(size)};
    for (double& term : sum.terms) term = random.uniform(low, 1);
    expect_exact<TypeParam::value>(sum, random, 1);
  }
  // And so are limbs, to which all but the large go, each as far up as a limb
  // takes floats. Those of doubles take 2^31, and half has none.
  if (TypeParam::value == Scalar::half || TypeParam::value == Scalar::float64)
    return;
  HostileSum sum{"small beside large", std::vector<double>(size)};
  for (std::size_t i = 0; i < size; ++i)
    sum.terms[i] = i % 8 ? std::ldexp(random.uniform(1.9, 1.99), -95)
                         : std::ldexp(i % 16 ? 1. : -1., 100);
  expect_exact<TypeParam::value>(sum, random, 1);
}

// Limbs that blocks add up in grow with the blocks, not with the numbers, of
// which 2^31 are as much as a limb holds.
TEST(ExactLimbs, OfBlocksHaveCarried) {
  constexpr Scalar input                      = Scalar::float64;
  constexpr auto tuning                       = Impl::Cuda::exact_tuning(input);
  constexpr int processors                    = 3;
  constexpr std::size_t size                  = 1 << 17;
  Impl::Cuda::device_entry(0).multiprocessors = processors;
  for (double const sign : {1., -1.}) {
    HostileSum sum{"full limbs", full_limbs(size)};
    for (double& term : sum.terms) term *= sign;
    expect_limbs<input>(sum, false,
                        2 * processors * tuning.min_blocks * 0x1p32);
  }
}

}  // namespace
}  // namespace KokkosMMA::Testing
