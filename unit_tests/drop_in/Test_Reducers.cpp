// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reducers that Kokkos brings, each with a scalar result and a View, full
// and empty ranges.

#include <KokkosMMA_TestSupport.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace {

using namespace KokkosMMA::Testing;

template <class Exec>
class Reducers : public ::testing::Test {};
TYPED_TEST_SUITE(Reducers, ExecutionSpaces);

constexpr int begin = 3;

/// Distinct values in a random order (so that a location is unique), not all of
/// one sign.
template <class T>
std::vector<T> distinct_values(Random& random, int n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), static_cast<T>(-n / 3));
  std::shuffle(values.begin(), values.end(), random.engine());
  return values;
}

/// A reducer whose memory space is still open.
template <template <class...> class Reducer, class... Types>
struct WithTypes {
  template <class Space>
  using type = Reducer<Types..., Space>;
};

/// Reduces over [begin, n) into a scalar and a View; check() sees each result.
template <class Exec, class Reducer, class Functor, class Check>
void reduce_both_ways(int n, Functor const& functor, Check const& check) {
  using HostReducer   = typename Reducer::template type<Kokkos::HostSpace>;
  using DeviceReducer = typename Reducer::template type<Exec>;
  using Value         = typename HostReducer::value_type;
  Kokkos::RangePolicy<Exec> const policy(begin, n);

  Value scalar = poison<Value>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("scalar", policy, functor, HostReducer(scalar));
  EXPECT_TRUE(probe.streamed());
  {
    SCOPED_TRACE("scalar result");
    check(scalar);
  }

  auto const view = poisoned_view<Value, Exec>();
  probe.reset();
  Kokkos::parallel_reduce("View", policy, functor, DeviceReducer(view));
  EXPECT_TRUE(probe.streamed());
  {
    SCOPED_TRACE("result in a View");
    check(value_of(view));
  }
}

/// What each reducer does with one element.
template <class View>
struct MinElement {
  View x;
  template <class T>
  KOKKOS_FUNCTION void operator()(int i, T& update) const {
    if (x(i) < update) update = x(i);
  }
};
template <class View>
struct MaxElement {
  View x;
  template <class T>
  KOKKOS_FUNCTION void operator()(int i, T& update) const {
    if (x(i) > update) update = x(i);
  }
};
template <class View>
struct MinMaxElement {
  View x;
  template <class T>
  KOKKOS_FUNCTION void operator()(int i, Kokkos::MinMaxScalar<T>& u) const {
    if (x(i) < u.min_val) u.min_val = x(i);
    if (x(i) > u.max_val) u.max_val = x(i);
  }
};
template <class View>
struct MinLocElement {
  View x;
  template <class T, class I>
  KOKKOS_FUNCTION void operator()(int i, Kokkos::ValLocScalar<T, I>& u) const {
    if (x(i) < u.val) {
      u.val = x(i);
      u.loc = i;
    }
  }
};
template <class View>
struct MaxLocElement {
  View x;
  template <class T, class I>
  KOKKOS_FUNCTION void operator()(int i, Kokkos::ValLocScalar<T, I>& u) const {
    if (x(i) > u.val) {
      u.val = x(i);
      u.loc = i;
    }
  }
};
template <class View>
struct MinMaxLocElement {
  View x;
  template <class T, class I>
  KOKKOS_FUNCTION void operator()(int i,
                                  Kokkos::MinMaxLocScalar<T, I>& u) const {
    if (x(i) < u.min_val) {
      u.min_val = x(i);
      u.min_loc = i;
    }
    if (x(i) > u.max_val) {
      u.max_val = x(i);
      u.max_loc = i;
    }
  }
};

template <class Exec, class T>
void check_extremes() {
  using View = Kokkos::View<T const*, Exec>;
  for (int n : {begin + 1, 1000, 30011}) {
    Random random;
    SCOPED_TRACE(random.note() + ", n = " + std::to_string(n));
    std::vector<T> const values = distinct_values<T>(random, n);
    View const x =
        make_view<T, Exec>(n, [&](std::size_t i) { return values[i]; });
    auto const [low, high] =
        std::minmax_element(values.begin() + begin, values.end());
    T const smallest = *low, largest = *high;
    int const low_at = low - values.begin(), high_at = high - values.begin();

    reduce_both_ways<Exec, WithTypes<Kokkos::Min, T>>(
        n, MinElement<View>{x}, [&](T result) { EXPECT_EQ(smallest, result); });
    reduce_both_ways<Exec, WithTypes<Kokkos::Max, T>>(
        n, MaxElement<View>{x}, [&](T result) { EXPECT_EQ(largest, result); });
    reduce_both_ways<Exec, WithTypes<Kokkos::MinMax, T>>(
        n, MinMaxElement<View>{x}, [&](Kokkos::MinMaxScalar<T> const& result) {
          EXPECT_EQ(smallest, result.min_val);
          EXPECT_EQ(largest, result.max_val);
        });
    reduce_both_ways<Exec, WithTypes<Kokkos::MinLoc, T, int>>(
        n, MinLocElement<View>{x},
        [&](Kokkos::ValLocScalar<T, int> const& result) {
          EXPECT_EQ(smallest, result.val);
          EXPECT_EQ(low_at, result.loc);
        });
    reduce_both_ways<Exec, WithTypes<Kokkos::MaxLoc, T, std::int64_t>>(
        n, MaxLocElement<View>{x},
        [&](Kokkos::ValLocScalar<T, std::int64_t> const& result) {
          EXPECT_EQ(largest, result.val);
          EXPECT_EQ(high_at, result.loc);
        });
    reduce_both_ways<Exec, WithTypes<Kokkos::MinMaxLoc, T, int>>(
        n, MinMaxLocElement<View>{x},
        [&](Kokkos::MinMaxLocScalar<T, int> const& result) {
          EXPECT_EQ(smallest, result.min_val);
          EXPECT_EQ(largest, result.max_val);
          EXPECT_EQ(low_at, result.min_loc);
          EXPECT_EQ(high_at, result.max_loc);
        });
  }
}
TYPED_TEST(Reducers, ExtremesAndTheirPlaces) {
  check_extremes<TypeParam, double>();
}

/// Products and the logical and bitwise reducers, on words of random bits.
template <class View>
struct ProductElement {
  View x;
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& update) const {
    update *= x(i) | 1;
  }
};
template <class View>
struct OrElement {
  View x;
  std::uint64_t mask;
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& update) const {
    update |= x(i) & mask;
  }
};
template <class View>
struct AndElement {
  View x;
  std::uint64_t mask;
  KOKKOS_FUNCTION void operator()(int i, std::uint64_t& update) const {
    update &= x(i) | mask;
  }
};
/// True at index `at` and nowhere else, or, negated, false only at that index.
struct AnyAt {
  int at;
  template <class Truth>
  KOKKOS_FUNCTION void operator()(int i, Truth& update) const {
    update = update || i == at;
  }
};
struct AllButAt {
  int at;
  KOKKOS_FUNCTION void operator()(int i, int& update) const {
    update = update && i != at;
  }
};

TYPED_TEST(Reducers, ProductsAndBits) {
  using Exec = TypeParam;
  using View = Kokkos::View<std::uint64_t const*, Exec>;
  for (int n : {begin + 1, 1000, 30011}) {
    Random random;
    SCOPED_TRACE(random.note() + ", n = " + std::to_string(n));
    std::vector<std::uint64_t> values(n);
    for (auto& value : values) value = random.bits();
    View const x = make_view<std::uint64_t, Exec>(
        n, [&](std::size_t i) { return values[i]; });

    // odd factors, so that no product vanishes modulo 2^64
    std::uint64_t product = 1, all = ~std::uint64_t(0), any = 0;
    std::uint64_t const mask = random.bits();
    for (int i = begin; i < n; ++i) {
      product *= values[i] | 1;
      all &= values[i] | mask;
      any |= values[i] & mask;
    }
    reduce_both_ways<Exec, WithTypes<Kokkos::Prod, std::uint64_t>>(
        n, ProductElement<View>{x},
        [&](std::uint64_t result) { EXPECT_EQ(product, result); });
    // In Kokkos 5.0 the identity of BAnd is 0.
    if (KOKKOS_VERSION / 100 != 500)
      reduce_both_ways<Exec, WithTypes<Kokkos::BAnd, std::uint64_t>>(
          n, AndElement<View>{x, mask},
          [&](std::uint64_t result) { EXPECT_EQ(all, result); });
    reduce_both_ways<Exec, WithTypes<Kokkos::BOr, std::uint64_t>>(
        n, OrElement<View>{x, mask},
        [&](std::uint64_t result) { EXPECT_EQ(any, result); });

    // one index decides, or none: the index before the range is outside
    for (int at : {begin - 1, begin,
                   static_cast<int>(random.integer(begin, n - 1)), n - 1}) {
      SCOPED_TRACE("deciding index " + std::to_string(at));
      int const inside = at >= begin;
      reduce_both_ways<Exec, WithTypes<Kokkos::LOr, int>>(
          n, AnyAt{at}, [&](int result) { EXPECT_EQ(inside, result); });
      reduce_both_ways<Exec, WithTypes<Kokkos::LAnd, int>>(
          n, AllButAt{at}, [&](int result) { EXPECT_EQ(!inside, result); });
    }
  }
}

/// The logical reducers on bool itself.
TYPED_TEST(Reducers, LogicalOnBool) {
  using Exec = TypeParam;
  Kokkos::RangePolicy<Exec> const policy(begin, 30011);
  for (int at : {begin, 12345, 30010, 30011}) {
    bool const inside = at < 30011;
    bool result       = !inside;
    RouteProbe<Exec> probe;
    Kokkos::parallel_reduce(policy, AnyAt{at}, Kokkos::LOr<bool>(result));
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(inside, result);
  }
}

/// At most 500 doublings and 500 halvings: exact in any order, none of which
/// overflows.
KOKKOS_INLINE_FUNCTION double factor(int i) {
  double const sign = i % 7 == 2 ? -1. : 1.;
  return i % 61 == 5 ? sign * 2. : i % 61 == 6 ? sign * 0.5 : sign;
}

template <class Exec>
void check_floating_product() {
  for (int n : {begin + 1, 1000, 30011}) {
    double result = poison<double>();
    RouteProbe<Exec> probe;
    Kokkos::parallel_reduce(
        "powers of two", Kokkos::RangePolicy<Exec>(begin, n),
        KOKKOS_LAMBDA(int i, double& update) { update *= factor(i); },
        Kokkos::Prod<double>(result));
    double expected = 1.;
    for (int i = begin; i < n; ++i) expected *= factor(i);
    EXPECT_TRUE(probe.streamed());
    EXPECT_EQ(expected, result);
  }
}
TYPED_TEST(Reducers, ProductOfPowersOfTwo) {
  check_floating_product<TypeParam>();
}

/// Products of 16 bits, whose factors 2 and 1/2 in turn leave the type by any
/// order but one.
template <class T>
struct TwosAndHalves {
  KOKKOS_FUNCTION void operator()(int i, T& update) const {
    update *= T(i % 2 == 0 ? 2.f : 0.5f);
  }
};
template <class T, class Exec>
void check_small_products() {
  for (int n : {2, 64, 3000, 300000}) {
    T scalar = poison<T>();
    RouteProbe<Exec> probe;
    Kokkos::parallel_reduce("scalar", Kokkos::RangePolicy<Exec>(0, n),
                            TwosAndHalves<T>(), Kokkos::Prod<T>(scalar));
    EXPECT_TRUE(probe.streamed());
    // The order of a host space is its own.
    if (KokkosMMA::Testing::on_cuda<Exec> && n <= 3000) {
      EXPECT_EQ(1.f, float(scalar)) << n;
    }
    auto const view = poisoned_view<T, Exec>();
    Kokkos::parallel_reduce("View", Kokkos::RangePolicy<Exec>(0, n / 2 * 2 + 1),
                            TwosAndHalves<T>(), Kokkos::Prod<T, Exec>(view));
    if (KokkosMMA::Testing::on_cuda<Exec> && n <= 3000) {
      EXPECT_EQ(2.f, float(value_of(view))) << n;
    }
  }
  T none = poison<T>();
  Kokkos::parallel_reduce("nothing", Kokkos::RangePolicy<Exec>(3, 3),
                          TwosAndHalves<T>(), Kokkos::Prod<T>(none));
  EXPECT_EQ(1.f, float(none));
}
TYPED_TEST(Reducers, ProductsOfSixteenBits) {
  check_small_products<Kokkos::Experimental::half_t, TypeParam>();
  check_small_products<Kokkos::Experimental::bhalf_t, TypeParam>();
}

/// The identities that an empty range writes into a scalar.
template <class Exec, class Reducer, class Functor>
typename Reducer::value_type of_nothing(Functor const& functor) {
  typename Reducer::value_type result = poison<typename Reducer::value_type>();
  Kokkos::parallel_reduce("nothing", Kokkos::RangePolicy<Exec>(begin, begin),
                          functor, Reducer(result));
  return result;
}

TYPED_TEST(Reducers, EmptyRangeWritesTheIdentity) {
  using Exec     = TypeParam;
  using View     = Kokkos::View<double const*, Exec>;
  using Bits     = Kokkos::View<std::uint64_t const*, Exec>;
  using Identity = Kokkos::reduction_identity<double>;
  using Word     = std::uint64_t;
  EXPECT_EQ(Identity::min(),
            (of_nothing<Exec, Kokkos::Min<double>>(MinElement<View>())));
  EXPECT_EQ(Identity::max(),
            (of_nothing<Exec, Kokkos::Max<double>>(MaxElement<View>())));
  auto const both = of_nothing<Exec, Kokkos::MinMaxLoc<double, int>>(
      MinMaxLocElement<View>());
  EXPECT_EQ(Identity::min(), both.min_val);
  EXPECT_EQ(Identity::max(), both.max_val);
  EXPECT_EQ(1u, (of_nothing<Exec, Kokkos::Prod<Word>>(ProductElement<Bits>())));
  // Kokkos 5.0 has 0.
  EXPECT_EQ(Kokkos::reduction_identity<Word>::band(),
            (of_nothing<Exec, Kokkos::BAnd<Word>>(AndElement<Bits>())));
  EXPECT_EQ(0u, (of_nothing<Exec, Kokkos::BOr<Word>>(OrElement<Bits>())));
  EXPECT_EQ(1, (of_nothing<Exec, Kokkos::LAnd<int>>(AllButAt())));
  EXPECT_EQ(0, (of_nothing<Exec, Kokkos::LOr<int>>(AnyAt())));
}

}  // namespace
