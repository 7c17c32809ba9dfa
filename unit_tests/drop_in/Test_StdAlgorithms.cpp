// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos' standard algorithms over Views, which call parallel_reduce. Sums of
// integers: random_calls, std_reduce. Errors of sums: Test_Numerics.cpp.

#include <KokkosMMA_TestSupport.hpp>

#include <Kokkos_StdAlgorithms.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

namespace KE = Kokkos::Experimental;
using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StdAlgorithms);

constexpr int longest = 30100;

/// Integers whose sum leaves their type, into a floating-point value: Kokkos
/// converts before it adds, and so does every route.
template <class Exec, class T, class Value>
void check_wide_sums() {
  Random random;
  std::int64_t const half =
      std::int64_t(std::uint64_t(std::numeric_limits<T>::max()) / 2 + 1);
  for (std::size_t const size : {16, 30011}) {
    std::vector<T> values(size);
    long double expected = 0;
    for (T& value : values) {
      value = static_cast<T>(half - random.integer(0, half / 100));
      expected += value;
    }
    auto const x = view_of<Exec>(values);
    RouteProbe<Exec> probe;
    Value const sum = KE::reduce(Exec(), x, Value(0));
    EXPECT_TRUE(probe.streamed());
    EXPECT_NEAR(1., double(sum / expected), double(epsilon<Value>) * size);
    probe.reset();
    Value const of_iterators =
        KE::reduce(Exec(), KE::cbegin(x), KE::cend(x), Value(0));
    EXPECT_NEAR(1., double(of_iterators / expected),
                double(epsilon<Value>) * size);
    auto const ones = make_view<T, Exec>(size, [](std::size_t) { return 1; });
    Value const dot = KE::transform_reduce(Exec(), x, ones, Value(0));
    EXPECT_NEAR(1., double(dot / expected), double(epsilon<Value>) * size);
    Kokkos::View<Value*, Exec> const prefixes("prefixes", size);
    KE::exclusive_scan(Exec(), x, prefixes, Value(0));
    Value last = 0;
    Kokkos::deep_copy(last, Kokkos::subview(prefixes, size - 1));
    EXPECT_NEAR(1., double(last / (expected - values.back())),
                double(epsilon<Value>) * size);
  }
}
TYPED_TEST(StdAlgorithms, IntegersIntoFloatingPoint) {
  check_wide_sums<TypeParam, std::int64_t, double>();
  check_wide_sums<TypeParam, std::uint64_t, double>();
  check_wide_sums<TypeParam, std::int64_t, float>();
  check_wide_sums<TypeParam, std::int32_t, double>();
  check_wide_sums<TypeParam, std::uint8_t, float>();
}

/// Floating-point elements into their own type: few ones, so that bhalf_t holds
/// every partial sum.
template <class Exec, class T>
void check_exact_sums() {
  Random random;
  for (std::size_t const size : {16, 20011}) {
    std::vector<float> values(size);
    for (float& value : values)
      value = random.integer(0, 9) ? 0.f : random.integer(0, 1) ? 1.f : -1.f;
    for (std::size_t const begin : {0, 3}) {
      float expected = float(begin);
      for (std::size_t i = begin; i < size; ++i) expected += values[i];
      auto const elements =
          make_view<T, Exec>(size, [&](std::size_t i) { return T(values[i]); });
      auto const x = Kokkos::subview(elements, Kokkos::pair(begin, size));
      auto const ones =
          make_view<T, Exec>(size - begin, [](std::size_t) { return T(1.f); });
      T const init = T(float(begin));
      RouteProbe<Exec> probe;
      EXPECT_EQ(expected, float(KE::reduce(Exec(), x, init)));
      EXPECT_TRUE(probe.streamed());
      probe.reset();
      EXPECT_EQ(expected, float(KE::transform_reduce(Exec(), x, ones, init)));
      EXPECT_TRUE(probe.streamed());
    }
  }
}
TYPED_TEST(StdAlgorithms, FloatingPointOfOneType) {
  check_exact_sums<TypeParam, float>();
  check_exact_sums<TypeParam, Kokkos::Experimental::half_t>();
  check_exact_sums<TypeParam, Kokkos::Experimental::bhalf_t>();
}

/// Operations of the application. Zero is not neutral for them: a thread
/// without work must not take part.
struct Smaller {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t const& a,
                                          std::int64_t const& b) const {
    return a < b ? a : b;
  }
};
struct Multiply {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t const& a,
                                          std::int64_t const& b) const {
    return a * b;
  }
};
struct Shifted {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t const& a) const {
    return a + 1000;
  }
};

TYPED_TEST(StdAlgorithms, OperationsOfTheApplication) {
  using Exec = TypeParam;
  Random random;
  std::vector<std::int64_t> a(longest), b(longest);
  for (auto& value : a) value = random.integer(1, 1000000);
  for (auto& value : b) value = random.integer(-1000000, 1000000);
  auto const x = view_of<Exec>(a);
  auto const y = view_of<Exec>(b);

  // Kokkos' own code takes threads without work for zeros: it needs an element
  // for each
  for (int n : {on_cuda<Exec> ? 1 : 1000, 2000, longest}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    auto const range = Kokkos::pair<int, int>(0, n);
    auto const u = Kokkos::subview(x, range), v = Kokkos::subview(y, range);
    std::int64_t const smallest = *std::min_element(a.begin(), a.begin() + n);
    std::int64_t dot            = 0;
    std::int64_t least_product  = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < n; ++i) {
      dot += a[i] * b[i];
      least_product = std::min(least_product, a[i] * b[i]);
    }
    RouteProbe<Exec> probe;
    EXPECT_EQ(std::min<std::int64_t>(smallest, 5000000),
              KE::reduce(Exec(), u, std::int64_t(5000000), Smaller()));
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(0, KE::reduce(Exec(), u, std::int64_t(0), Smaller()));

    probe.reset();
    EXPECT_EQ(smallest + 1000,
              KE::transform_reduce(Exec(), u, std::int64_t(5000000), Smaller(),
                                   Shifted()));
    EXPECT_TRUE(probe.streamed());

    probe.reset();
    EXPECT_EQ(dot + 11, KE::transform_reduce(Exec(), u, v, std::int64_t(11)));
    EXPECT_TRUE(probe.streamed());

    probe.reset();
    EXPECT_EQ(least_product,
              KE::transform_reduce("label", Exec(), u, v,
                                   std::numeric_limits<std::int64_t>::max(),
                                   Smaller(), Multiply()));
    EXPECT_TRUE(probe.streamed());
  }
}

/// Other algorithms that are reductions inside.
struct IsMultipleOfSeven {
  KOKKOS_FUNCTION bool operator()(std::int64_t value) const {
    return value % 7 == 0;
  }
};

TYPED_TEST(StdAlgorithms, CountAndFind) {
  using Exec   = TypeParam;
  int const n  = 20011;
  auto const x = make_view<std::int64_t, Exec>(
      n, [](std::size_t i) { return (std::int64_t(i) * 7919) % 20011; });
  EXPECT_EQ(2859, KE::count_if(Exec(), x, IsMultipleOfSeven()));
  auto const host = host_copy(x);
  auto const largest =
      std::max_element(host.data(), host.data() + n) - host.data();
  auto const place = KE::max_element(Exec(), x);
  EXPECT_EQ(largest, KE::distance(KE::begin(x), place));
  EXPECT_TRUE(KE::any_of(Exec(), x, IsMultipleOfSeven()));
}

}  // namespace
