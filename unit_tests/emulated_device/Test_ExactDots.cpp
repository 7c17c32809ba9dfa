// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exact sums of products: the bits of the correctly rounded sum, on devices of
// any size.

#include "KernelSupport.hpp"

#include <KokkosMMA_ExactReference.hpp>
#include <KokkosMMA_HostileSums.hpp>

#include <backends/cuda/kernels/reduce/KokkosMMA_ExactReduce.hpp>
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>

namespace KokkosMMA::Testing {
namespace {

Kokkos::Cuda const space;

template <class Factors>
double dot_of(Factors const& x, Factors const& y, bool empty,
              bool device_accessible) {
  using Products = Impl::Cuda::ExactProducts<Factors>;
  double result  = NAN;
  Impl::Cuda::launch_exact_reduce<
      Products, Impl::Cuda::tuning_type<Impl::Cuda::exact_products_tuning(
                    Factors::input)>>(
      space, Impl::Cuda::StreamScratch(space), Products{x, y}, empty,
      Impl::float_format(Scalar::float64), &result, device_accessible);
  return result;
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0 || (a != a && b != b);
}

/// Contiguous and strided factors.
template <Scalar Input>
void expect_exact(HostileDot const& dot, Random& random, int processors) {
  using F                                     = Format<Input>;
  using Bits                                  = typename F::Bits;
  Impl::Cuda::device_entry(0).multiprocessors = processors;
  std::size_t const size                      = dot.x.size();
  int const before  = int(random.integer(0, 16 / size_of(Input) - 1));
  auto const stride = std::int64_t(random.integer(2, 5));
  Row<Bits> x(size, before), y(size, before);
  Row<Bits> strided(size * std::size_t(stride), before);
  ExactReference reference;
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = strided[i * std::size_t(stride)] = F::encode(dot.x[i]);
    y[i]                                    = F::encode(dot.y[i]);
    reference.add_product(double(F::decode(x[i])), double(F::decode(y[i])));
  }
  double const exact = reference.as_double();
  auto const check   = [&](char const* how, double result) {
    ASSERT_TRUE(same_bits(exact, result))
        << dot.name << ", " << how << ", " << size << " of " << to_string(Input)
        << " on " << processors << " multiprocessors: " << result
        << " instead of " << exact;
  };
  bool const on_device = random.integer(0, 1) != 0;
  using Vectors        = Impl::Cuda::ExactVectors<Input>;
  using Strided        = Impl::Cuda::ExactStrided<Input>;
  auto const range     = [&](Row<Bits>& row) {
    return Vectors(Impl::vector_range(row.data(), size, size_of(Input)));
  };
  check("contiguous", dot_of(range(x), range(y), size == 0, on_device));
  check("strided", dot_of(Strided{strided.data(), stride, size},
                          Strided{y.data(), 1, size}, size == 0, on_device));
}

KOKKOSMMA_TYPED_TESTS(ExactDots, FloatElements);

TYPED_TEST(ExactDots, OfAnySizeOnAnyDevice) {
  Random random;
  constexpr Scalar input = TypeParam::value;
  // On one multiprocessor the larger size fills the grid.
  for (int const processors : {1, 132})
    for (std::size_t const size :
         {std::size_t(random.integer(1, 40)),
          std::size_t(processors == 1 ? random.integer(16385, 17000)
                                      : random.integer(1000, 3000))})
      for (HostileDot const& dot : hostile_dots(random, size, input))
        expect_exact<input>(dot, random, processors);
  expect_exact<input>({"nothing", {}, {}}, random, 3);
}

// Products that no double holds: of the smallest and of the largest numbers,
// cancelling to others, and to nothing.
TEST(ExactDotsOfDoubles, BeyondTheRange) {
  Random random;
  for (int n = 0; n < 12; ++n) {
    HostileDot dot{"beyond the range", {}, {}};
    auto const add = [&](double x, double y) {
      dot.x.push_back(x);
      dot.y.push_back(y);
    };
    for (int k = 0; k < 300; ++k) {
      double const large = std::ldexp(random.uniform(1, 2), 1000);
      double const other = std::ldexp(random.uniform(1, 2), 900);
      add(large, other);
      add(-large, other);
      double const small = std::ldexp(random.uniform(1, 2), -700);
      add(small, std::ldexp(random.uniform(-2, 2), -600));
      add(0., n % 2 ? large : -small);
    }
    if (n % 3 == 0) add(0x1p-1074, 0x1p-1074);
    if (n % 3 == 1) add(0x1p1023, 0x1.8p1023);
    if (n % 3 == 2) add(-0x1p-537, 0x1p-537);
    if (n == 7) add(INFINITY, 0x1p-1074);
    if (n == 8) add(INFINITY, 0.);
    expect_exact<Scalar::float64>(dot, random, n % 2 ? 1 : 132);
  }
}

// The sums of a lane are full many times.
TYPED_TEST(ExactDots, OfManyInOneBlock) {
  Random random;
  std::size_t const size = 5u << 18;
  HostileDot dot{"many", std::vector<double>(size), std::vector<double>(size)};
  for (std::size_t i = 0; i < dot.x.size(); ++i) {
    dot.x[i] = random.uniform(0.999, 1);
    dot.y[i] = random.normal();
  }
  expect_exact<TypeParam::value>(dot, random, 1);
}

}  // namespace
}  // namespace KokkosMMA::Testing
