// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of an application compiled with KOKKOSMMA_EXACT_FUNCTORS: at level exact
// what its functors add is added without rounding.

#include <KokkosMMA_ExactReference.hpp>
#include <KokkosMMA_HostileSums.hpp>
#include <KokkosMMA_TestSupport.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

using Exec = Kokkos::DefaultExecutionSpace;

constexpr Settings exactly{.reproducibility = Reproducibility::exact};

/// Each call adds one element and counts itself.
template <class T>
struct Add {
  Kokkos::View<T const*, Exec> x;
  Kokkos::View<int*, Exec> calls;
  std::int64_t begin;
  KOKKOS_FUNCTION void operator()(std::int64_t i, T& sum) const {
    ++calls(i - begin);
    sum += x(i - begin);
  }
};
/// Has a tag, and a value type of its own.
struct Twice {};
struct AddTwice {
  using value_type = double;
  Kokkos::View<double const*, Exec> x;
  KOKKOS_FUNCTION void operator()(Twice, int i, double& sum) const {
    sum += 2 * x(i);
  }
};
/// What `final` makes of a sum is the application's.
struct WithFinal {
  using value_type = double;
  Kokkos::View<double const*, Exec> x;
  KOKKOS_FUNCTION void operator()(int i, double& sum) const { sum += x(i); }
  KOKKOS_FUNCTION void final(double& sum) const { sum = -sum; }
};

/// NaN have no sign and no payload.
template <class T>
bool same_sum(T expected, T sum) {
  return (std::isnan(expected) && std::isnan(sum)) ||
         std::memcmp(&expected, &sum, sizeof(T)) == 0;
}

template <class T>
Kokkos::View<T*, Exec> on_device(std::vector<double> const& terms) {
  return view_of<Exec>(std::vector<T>(terms.begin(), terms.end()));
}

template <class T>
void expect_exact(HostileSum const& data, Random& random) {
  SCOPED_TRACE(data.name);
  std::size_t const size = data.terms.size();
  ExactReference exact;
  for (double const term : data.terms) exact.add(double(T(term)));
  std::int64_t const begin = random.integer(-5000000000, 5000000000);
  Add<T> const add{on_device<T>(data.terms),
                   Kokkos::View<int*, Exec>("calls", size), begin};
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Policy const policy(begin, begin + std::int64_t(size));
  ScopedSettings const scope(exactly);
  T sum = 7;
  Kokkos::parallel_reduce("sum", policy, add, sum);
  auto const calls = host_copy(add.calls);
  for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(1, calls(i)) << i;
  if (!on_cuda<Exec>) return;
  // Kokkos' sums begin with +0: of terms -0 they are that.
  T const expected =
      T(0) + (sizeof(T) == 4 ? T(exact.as_float()) : exact.as_double());
  EXPECT_TRUE(same_sum(expected, sum)) << expected << " and " << sum;
  Kokkos::View<T, Exec> const reduced("reduced");
  Kokkos::parallel_reduce("Sum", policy, add, Kokkos::Sum<T, Exec>(reduced));
  T in_view = 0;
  Kokkos::deep_copy(in_view, reduced);
  EXPECT_TRUE(same_sum(expected, in_view));
}

TEST(ExactFunctors, HostileData) {
  Random random;
  for (std::size_t const size : {1, 700, 40000}) {
    for (HostileSum const& sum : hostile_sums(random, size, Scalar::float32))
      expect_exact<float>(sum, random);
    for (HostileSum const& sum : hostile_sums(random, size, Scalar::float64))
      expect_exact<double>(sum, random);
  }
}

void check_other_calls() {
  std::vector<double> const terms{1e16, 1, 1, -1e16, 1};
  auto const x = on_device<double>(terms);
  ScopedSettings const scope(exactly);
  double sum = 0;
  Kokkos::parallel_reduce("tag", Kokkos::RangePolicy<Exec, Twice>(0, 5),
                          AddTwice{x}, sum);
  if (on_cuda<Exec>) {
    EXPECT_EQ(6, sum);
  }
  // These run as ever; their sums are exact in any order.
  sum                = 7;
  auto const numbers = on_device<double>({1, 2, 3, 4, 5});
  Kokkos::parallel_reduce("final", Kokkos::RangePolicy<Exec>(0, 5),
                          WithFinal{numbers}, sum);
  EXPECT_EQ(-15, sum);
  Kokkos::parallel_reduce(
      "product", Kokkos::RangePolicy<Exec>(0, 5),
      KOKKOS_LAMBDA(int i, double& p) { p *= i + 1; },
      Kokkos::Prod<double>(sum));
  EXPECT_EQ(120, sum);
  Kokkos::parallel_reduce(
      "nothing", Kokkos::RangePolicy<Exec>(3, 3),
      KOKKOS_LAMBDA(int, double& s) { s += 1; }, sum);
  EXPECT_EQ(0, sum);
  sum = 7;
  Kokkos::parallel_reduce(
      "none of them", Kokkos::RangePolicy<Exec>(0, 5),
      KOKKOS_LAMBDA(int i, double& s) {
        if (x(i) > 1e17) s += x(i);
      },
      sum);
  EXPECT_TRUE(same_sum(0., sum)) << sum;
}
TEST(ExactFunctors, TagsFinalsAndOtherReducers) { check_other_calls(); }

void check_unasked() {
  auto const x = on_device<double>({1, 2, 3, 4});
  double sum   = 7;
  Kokkos::parallel_reduce(
      "plain", Kokkos::RangePolicy<Exec>(0, 4),
      KOKKOS_LAMBDA(int i, double& s) { s += x(i); }, sum);
  EXPECT_EQ(10, sum);
}
TEST(ExactFunctors, OnlyWhereItIsAsked) { check_unasked(); }

}  // namespace
