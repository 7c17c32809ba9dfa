// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kokkos' standard scans over Views: on Cuda they are scans by functors, and
// Thrust keeps inclusive scans with an operator.

#include <KokkosMMA_ScanSupport.hpp>

#include <Kokkos_StdAlgorithms.hpp>

#include <string>
#include <vector>

namespace {

namespace KE = Kokkos::Experimental;
using KE::half_t;
using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(StdScans);

/// Elements begin .. begin + length of `y` are `expected(i)`, those around them
/// still the poison.
template <class View, class Expected>
::testing::AssertionResult written(View const& y, std::size_t begin,
                                   std::size_t length,
                                   Expected const& expected) {
  using T            = typename View::non_const_value_type;
  auto const results = elements_of(y);
  for (std::size_t i = 0; i < results.size(); ++i) {
    bool const inside = begin <= i && i < begin + length;
    T const wanted    = inside ? expected(i - begin) : poison<T>();
    if (!same_bits(wanted, results[i]))
      return ::testing::AssertionFailure()
             << "element " << i << " of " << begin << " + " << length
             << " is not what it must be";
  }
  return ::testing::AssertionSuccess();
}

template <class View>
void erase(View const& y) {
  fill(y, [](std::size_t) {
    return poison<typename View::non_const_value_type>();
  });
}

struct Piece {
  std::size_t begin_x, begin_y, length;
};
constexpr std::size_t longest = 30100;
std::vector<Piece> pieces(Random& random) {
  std::vector<Piece> result = {{0, 0, 0}, {3, 1, 1}, {0, 0, longest}};
  for (std::size_t const length : {2, 33, 1025, 8193})
    for (std::size_t const begin : {0, 1, 5})
      result.push_back({begin, (7 * begin + length) % 9, length});
  for (int k = 0; k < 5; ++k)
    result.push_back({std::size_t(random.integer(0, 20)),
                      std::size_t(random.integer(0, 20)),
                      std::size_t(random.integer(1, 30000))});
  return result;
}

/// Small integers: exact in every type, by Views and by iterators. An exclusive
/// sum starts from 9 as an `Init`; without a type it is inclusive.
template <class Exec, class Input, class Output, class Init = void>
void check_sums() {
  constexpr bool exclusive = !std::is_void_v<Init>;
  Random random;
  std::vector<std::int64_t> prefix(longest + 1);
  auto const x    = make_view<Input, Exec>(longest, [&](std::size_t i) {
    std::int64_t const value = random.integer(i % 2 ? 0 : -1, 1);
    prefix[i + 1]            = prefix[i] + value;
    return value;
  });
  auto const scan = [](auto const&... arguments) {
    if constexpr (exclusive) {
      return KE::exclusive_scan(arguments..., Init(9));
    } else {
      return KE::inclusive_scan(arguments...);
    }
  };
  Kokkos::View<Output*, Exec> const y("y", longest);
  for (Piece const& piece : pieces(random)) {
    auto const part = [&](auto const& view, std::size_t begin) {
      return Kokkos::subview(view, Kokkos::pair<std::size_t, std::size_t>(
                                       begin, begin + piece.length));
    };
    // half_t is summed as such by Kokkos: exact up to 2048
    if (sizeof(Input) == 2 && piece.length > 4000) continue;
    auto const expected = [&](std::size_t i) {
      return static_cast<Output>(prefix[piece.begin_x + i + !exclusive] -
                                 prefix[piece.begin_x] + (exclusive ? 9 : 0));
    };
    auto const to = part(y, piece.begin_y);
    for (Route const route : {Route::automatic, Route::generic}) {
      ScopedSettings const scope(Settings{route});
      Route const taken = route == Route::generic ? route : Route::streamed;
      erase(y);
      RouteProbe<Exec> probe;
      auto const end = scan(Exec(), part(x, piece.begin_x), to);
      if (piece.length > 0) {
        EXPECT_TRUE(probe.took(taken));
      }
      EXPECT_EQ(std::ptrdiff_t(piece.length), end - KE::begin(to));
      ASSERT_TRUE(written(y, piece.begin_y, piece.length, expected));

      erase(y);
      auto const from = KE::cbegin(x) + std::ptrdiff_t(piece.begin_x);
      scan("label", Exec(), from, from + std::ptrdiff_t(piece.length),
           KE::begin(to));
      ASSERT_TRUE(written(y, piece.begin_y, piece.length, expected));
    }
  }
}

TYPED_TEST(StdScans, ExclusiveSums) {
  check_sums<TypeParam, std::int32_t, std::int32_t, std::int32_t>();
  check_sums<TypeParam, std::int64_t, std::int64_t, std::int64_t>();
  check_sums<TypeParam, std::int8_t, std::int32_t, std::int32_t>();
  check_sums<TypeParam, float, float, float>();
  check_sums<TypeParam, double, double, double>();
}
TYPED_TEST(StdScans, InclusiveSums) {
  check_sums<TypeParam, std::int32_t, std::int32_t>();
  check_sums<TypeParam, std::uint64_t, std::uint64_t>();
  check_sums<TypeParam, float, float>();
  check_sums<TypeParam, double, double>();
  check_sums<TypeParam, half_t, half_t>();
}

/// Kokkos sums in the type of the elements, here modulo 2^8, and in that of the
/// initial value: types for which no tile kernel exists stay with it.
TYPED_TEST(StdScans, NarrowTypesWrapAsInKokkos) {
  using Exec = TypeParam;
  Random random;
  std::size_t const size = 5000;
  auto const bytes       = make_view<std::int8_t, Exec>(
      size, [&](std::size_t) { return random.integer(-128, 127); });
  auto const floats = make_view<float, Exec>(
      size, [&](std::size_t) { return random.uniform(0, 10); });
  auto const run = [&](Route route) {
    ScopedSettings const scope(Settings{route});
    Kokkos::View<std::int32_t*, Exec> const sums("sums", size);
    Kokkos::View<std::int32_t*, Exec> const truncated("truncated", size);
    KE::inclusive_scan(Exec(), bytes, sums);
    KE::exclusive_scan(Exec(), floats, truncated, 1);
    return std::pair(elements_of(sums), elements_of(truncated));
  };
  auto const [sums, truncated]               = run(Route::automatic);
  auto const [sums_of_kokkos, truncated_too] = run(Route::generic);
  EXPECT_EQ(sums_of_kokkos, sums);
  EXPECT_EQ(truncated_too, truncated);
}

TYPED_TEST(StdScans, StridedViewsAndInPlace) {
  using Exec             = TypeParam;
  std::size_t const size = 7000;
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const matrix("m", size, 3);
  Kokkos::deep_copy(matrix, 1.f);
  auto const x = Kokkos::subview(matrix, Kokkos::ALL, 0);
  auto const y = Kokkos::subview(matrix, Kokkos::ALL, 2);
  RouteProbe<Exec> probe;
  KE::inclusive_scan(Exec(), x, y);
  EXPECT_TRUE(probe.streamed());
  probe.reset();
  KE::exclusive_scan(Exec(), x, x, 5.f);
  EXPECT_TRUE(probe.streamed());
  {
    ScopedSettings const scope(Settings{Route::generic});
    KE::inclusive_scan(Exec(), y, y);
  }
  auto const host = host_copy(matrix);
  double sum      = 0;
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_EQ(float(i + 5), host(i, 0)) << i;
    ASSERT_EQ(1.f, host(i, 1)) << i;
    sum += double(i + 1);
    ASSERT_NEAR(sum, host(i, 2), 1e-4 * sum) << i;  // floats one by one
  }
}

/// x -> a x + b modulo 2^32; composition is associative and does not commute.
struct Affine {
  std::uint32_t a, b;
};
struct Compose {
  KOKKOS_FUNCTION Affine operator()(Affine const& f, Affine const& g) const {
    return {f.a * g.a, f.b * g.a + g.b};
  }
};
struct AddOne {
  KOKKOS_FUNCTION Affine operator()(Affine const& f) const {
    return {f.a, f.b + 1};
  }
};

/// Kokkos applies the operator to a prefix and the initial value, in this
/// order.
std::vector<Affine> composed(std::vector<Affine> const& x, bool inclusive,
                             Affine const* init) {
  std::vector<Affine> y;
  Affine prefix{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    Affine const with = i == 0 ? x[i] : Compose()(prefix, x[i]);
    Affine const what = inclusive ? with : prefix;
    y.push_back(!init                  ? what
                : !inclusive && i == 0 ? *init
                                       : Compose()(what, *init));
    prefix = with;
  }
  return y;
}

TYPED_TEST(StdScans, OperatorsThatDoNotCommute) {
  using Exec = TypeParam;
  Random random;
  for (std::size_t const size : {1, 2, 31, 33, 1000, 8193, 20011}) {
    SCOPED_TRACE(size);
    std::vector<Affine> values(size);
    for (Affine& value : values)
      value = {std::uint32_t(random.bits() | 1), std::uint32_t(random.bits())};
    auto const x                 = view_of<Exec>(values);
    std::vector<Affine> plus_one = values;
    for (Affine& value : plus_one) value = AddOne()(value);
    Kokkos::View<Affine*, Exec> const y("y", size);
    Affine const init{3, 4};
    auto const expect = [&](bool streamed, std::vector<Affine> const& expected,
                            auto const& call) {
      erase(y);
      RouteProbe<Exec> probe;
      call();
      EXPECT_TRUE(streamed ? probe.streamed() : probe.went_to_kokkos());
      EXPECT_TRUE(
          written(y, 0, size, [&](std::size_t i) { return expected[i]; }));
    };
    expect(true, composed(plus_one, false, &init), [&] {
      KE::transform_exclusive_scan(Exec(), x, y, init, Compose(), AddOne());
    });
    expect(true, composed(plus_one, true, nullptr), [&] {
      KE::transform_inclusive_scan(Exec(), x, y, Compose(), AddOne());
    });
    expect(true, composed(plus_one, true, &init), [&] {
      KE::transform_inclusive_scan(Exec(), x, y, Compose(), AddOne(), init);
    });
    expect(true, composed(values, false, &init),
           [&] { KE::exclusive_scan(Exec(), x, y, init, Compose()); });
    expect(true, composed(values, true, &init),
           [&] { KE::inclusive_scan(Exec(), x, y, Compose(), init); });
    // Thrust's, which the library never sees
    expect(false, composed(values, true, nullptr),
           [&] { KE::inclusive_scan(Exec(), x, y, Compose()); });
  }
}

template <class T>
struct Larger {
  KOKKOS_FUNCTION T operator()(T const& a, T const& b) const {
    return a > b ? a : b;
  }
};

/// Kokkos carries such values with a flag and the padding after it. Many
/// tiles, so that sums travel from window to window of them.
template <class T, class Exec>
void check_maxima() {
  Random random;
  SCOPED_TRACE("values of " + std::to_string(sizeof(T)) + " bytes");
  for (std::size_t const size : {1000, 70001, 300011, 1200007}) {
    SCOPED_TRACE(size);
    std::vector<T> values(size);
    for (std::size_t i = 0; i < size; ++i)
      values[i] = T(random.bits() % 50 + i * 50 / size);
    auto const x = view_of<Exec>(values);
    Kokkos::View<T*, Exec> const y("y", size);
    erase(y);
    RouteProbe<Exec> probe;
    KE::inclusive_scan(Exec(), x, y, Larger<T>(), T(7));
    EXPECT_TRUE(probe.streamed());
    T largest = T(7);
    EXPECT_TRUE(written(y, 0, size, [&](std::size_t i) {
      largest = Larger<T>()(largest, values[i]);
      return largest;
    }));
  }
}
TYPED_TEST(StdScans, RunningMaxima) {
  check_maxima<std::uint64_t, TypeParam>();
  check_maxima<double, TypeParam>();
  check_maxima<int, TypeParam>();
  check_maxima<std::int8_t, TypeParam>();
}

}  // namespace
