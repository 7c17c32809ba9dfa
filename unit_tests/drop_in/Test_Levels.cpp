// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Level device_independent on the device that there is: the bits of the same
// operations in plain loops. Devices of any size with any tuning table: the
// tests of the emulated device (KernelSuite). On host execution spaces the
// level changes nothing.

#include <KokkosMMA_ReferenceFold.hpp>
#include <KokkosMMA_TestSupport.hpp>

#include <cstring>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Vector = Kokkos::View<T*, Exec>;

constexpr Settings level{.reproducibility =
                             Reproducibility::device_independent};

template <class T>
struct Add {
  Vector<T> x;
  KOKKOS_FUNCTION void operator()(int i, T& sum) const { sum += x(i); }
};
template <class T>
struct Multiply {
  Vector<T> x;
  KOKKOS_FUNCTION void operator()(int i, T& product) const { product *= x(i); }
};
template <class T>
std::vector<T> numbers(Random& random, std::size_t size, double low,
                       double high) {
  std::vector<T> x(size);
  for (T& each : x) each = T(random.uniform(low, high));
  return x;
}
template <class T>
void expect_bits(T expected, T computed) {
  EXPECT_EQ(0, std::memcmp(&expected, &computed, sizeof(T)))
      << expected << " and " << computed;
}

template <class T>
void expect_reference(Random& random, std::size_t size) {
  SCOPED_TRACE(size);
  ScopedSettings const scope(level);
  Kokkos::RangePolicy<Exec> const policy(0, int(size));
  auto const terms   = numbers<T>(random, size, -1, 1);
  auto const factors = numbers<T>(random, size, 0.5, 1.5);
  T sum = 0, product = 1;
  Kokkos::parallel_reduce("sum", policy, Add<T>{view_of<Exec>(terms)}, sum);
  Kokkos::parallel_reduce("product", policy,
                          Multiply<T>{view_of<Exec>(factors)},
                          Kokkos::Prod<T>(product));
  double exact = 0;
  for (T const each : terms) exact += double(each);
  // Hosts add one after the other: partial sums of some thousands round 40
  // million times, by up to 1 in floats with some seeds.
  EXPECT_NEAR(exact, double(sum),
              (sizeof(T) == 4 ? 2e-2 : 1e-9) * (1 + 1e-5 * double(size)));
  if (!on_cuda<Exec>) return;
  EXPECT_EQ(Route::streamed, last_route());
  expect_bits(reference_fold<T>(
                  Impl::streamed_tuning(sizeof(T), 1, true, sizeof(Add<T>)),
                  size, T(0), [&](std::uint64_t i) { return terms[i]; },
                  [](T a, T b) { return a + b; }),
              sum);
  expect_bits(
      reference_fold<T>(
          Impl::streamed_tuning(sizeof(T), 1, false, sizeof(Multiply<T>)), size,
          T(1), [&](std::uint64_t i) { return factors[i]; },
          [](T a, T b) { return a * b; }),
      product);
}

TEST(Levels, ReductionsHaveTheReferenceBits) {
  Random random;
  for (std::size_t const size :
       {std::size_t(1), std::size_t(random.integer(2, 3000)),
        std::size_t(random.integer(100000, 270000)),
        std::size_t(random.integer(300000, 3000000)),
        std::size_t(40000000 + random.integer(0, 99999))}) {
    expect_reference<float>(random, size);
    expect_reference<double>(random, size);
  }
}

TEST(Levels, OrdersAndExplanations) {
  if (!on_cuda<Exec>) GTEST_SKIP() << "the level is for Cuda";
  Vector<float> const x("x", 1000), y("y", 1000);
  float result = 0;
  std::string const said =
      explain([&] { inclusive_scan(Exec(), x, y, level); });
  EXPECT_NE(said.find("level device_independent"), said.npos) << said;
  EXPECT_NE(said.find("not mma: "), said.npos) << said;
  Settings forced = level;
  forced.route    = Route::mma;
  EXPECT_THROW(inclusive_scan(Exec(), x, y, forced), std::invalid_argument);
  forced.route = Route::generic;
  EXPECT_THROW(inclusive_scan(Exec(), x, y, forced), std::invalid_argument);
  EXPECT_THROW(reduce(Exec(), x, Kokkos::Prod<float>(result), forced),
               std::invalid_argument);
}

}  // namespace
