// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos' standard algorithms over Views. Sums of integers: random_calls,
// std_reduce.

#include <KokkosMMA_ExactSum.hpp>
#include <KokkosMMA_TestSupport.hpp>

#include <Kokkos_StdAlgorithms.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

namespace KE = Kokkos::Experimental;
using KE::bhalf_t;
using KE::half_t;
using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StdAlgorithms);

/// Every alignment of the first element, lengths around what a warp takes at
/// once.
struct Piece {
  int begin, length;
};
std::vector<Piece> pieces(Random& random) {
  std::vector<Piece> result;
  for (int length : {1, 15, 16, 17, 255, 4096, 30011})
    for (int begin : {0, 1, 3, 8}) result.push_back({begin, length});
  for (int k = 0; k < 10; ++k)
    result.push_back({static_cast<int>(random.integer(0, 20)),
                      static_cast<int>(random.integer(1, 30000))});
  return result;
}
constexpr int longest = 30100;
std::string describe(Piece const& piece) {
  return std::to_string(piece.length) + " elements from " +
         std::to_string(piece.begin);
}
template <class View>
auto part_of(View const& x, Piece const& piece) {
  return Kokkos::subview(
      x, Kokkos::pair<int, int>(piece.begin, piece.begin + piece.length));
}

/// Floating-point sums: no less accurate than Kokkos' own.
template <class Exec, class T>
void check_floating_sum() {
  using Accumulator = std::conditional_t<sizeof(T) < sizeof(float), float, T>;
  Random random;
  std::vector<double> values(longest);
  Kokkos::View<T*, Exec> const x("x", longest);
  auto const host = Kokkos::create_mirror_view(x);
  for (int i = 0; i < longest; ++i) {
    double const value = random.normal() * std::exp2(random.uniform(-4., 0.));
    if constexpr (sizeof(T) < sizeof(float)) {
      host(i) = static_cast<T>(static_cast<float>(value));
    } else {
      host(i) = static_cast<T>(value);
    }
    values[i] = static_cast<double>(host(i));
  }
  Kokkos::deep_copy(x, host);

  for (Piece const& piece : pieces(random)) {
    SCOPED_TRACE(describe(piece));
    auto const part = part_of(x, piece);
    ExactSum exact;
    double magnitudes = 0.;
    for (int i = piece.begin; i < piece.begin + piece.length; ++i) {
      exact.add(values[i]);
      magnitudes += std::abs(values[i]);
    }
    RouteProbe<Exec> probe;
    double const ours = static_cast<double>(KE::reduce(Exec(), part, T(0)));
    EXPECT_TRUE(probe.streamed());
    double theirs;
    {
      ScopedSettings const scope(Settings{Route::generic});
      theirs = static_cast<double>(KE::reduce(Exec(), part, T(0)));
    }
    EXPECT_LE(exact.error_of(ours),
              allowed_error(exact.error_of(theirs), exact.value(), magnitudes,
                            epsilon<T>, epsilon<Accumulator>))
        << ours << " with the drop-in, " << theirs << " by Kokkos";
  }
}
TYPED_TEST(StdAlgorithms, SumsOfFloats) {
  check_floating_sum<TypeParam, float>();
  check_floating_sum<TypeParam, double>();
  check_floating_sum<TypeParam, half_t>();
  check_floating_sum<TypeParam, bhalf_t>();
}

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

/// The default product and sum of two ranges. Small whole numbers, so every
/// order of additions is exact. For halves a kernel of this library would use
/// local memory, so Kokkos' own code runs.
template <class Exec, class T>
void check_dot_product() {
  Random random;
  std::vector<std::int64_t> prefix(longest + 1, 0);
  Kokkos::View<T*, Exec> const x("x", longest), y("y", longest);
  auto const left  = Kokkos::create_mirror_view(x);
  auto const right = Kokkos::create_mirror_view(y);
  for (int i = 0; i < longest; ++i) {
    auto const a  = random.integer(-1, 1);
    auto const b  = random.integer(-1, 1);
    left(i)       = static_cast<T>(float(a));
    right(i)      = static_cast<T>(float(b));
    prefix[i + 1] = prefix[i] + a * b;
  }
  Kokkos::deep_copy(x, left);
  Kokkos::deep_copy(y, right);
  for (Piece const& piece : pieces(random)) {
    SCOPED_TRACE(describe(piece));
    auto const expected =
        prefix[piece.begin + piece.length] - prefix[piece.begin];
    RouteProbe<Exec> probe;
    EXPECT_EQ(double(expected),
              double(KE::transform_reduce(Exec(), part_of(x, piece),
                                          part_of(y, piece), T(0.f))));
    if (sizeof(T) > 2) {
      EXPECT_TRUE(probe.streamed());
    }
  }
}
TYPED_TEST(StdAlgorithms, DotProduct) {
  check_dot_product<TypeParam, double>();
  check_dot_product<TypeParam, half_t>();
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
