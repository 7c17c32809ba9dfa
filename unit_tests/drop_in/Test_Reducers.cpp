// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reducers that Kokkos brings, each with a scalar result and a View, full
// and empty ranges.

#include <KokkosMMA_TestSupport.hpp>

#include <cstdint>
#include <string>

namespace {

using namespace KokkosMMA::Testing;

template <class Exec>
class Reducers : public ::testing::Test {};
TYPED_TEST_SUITE(Reducers, ExecutionSpaces);

constexpr int begin = 3;

/// A reducer whose memory space is still open.
template <template <class...> class Reducer, class... Types>
struct Of {
  template <class Space>
  using type = Reducer<Types..., Space>;
};

/// Odd numbers of both signs in no order, of which no two are the same, so that
/// a place is unique and no product of integers vanishes.
KOKKOS_INLINE_FUNCTION std::int64_t number(int i) {
  return std::int64_t(std::int32_t(i * 2654435761u)) * 2 + 1;
}
template <class T>
KOKKOS_FUNCTION void set(T& value, int i) {
  value = static_cast<T>(number(i));
}
template <class T, class I>
KOKKOS_FUNCTION void set(Kokkos::ValLocScalar<T, I>& value, int i) {
  value.val = static_cast<T>(number(i));
  value.loc = i;
}
template <class T>
KOKKOS_FUNCTION void set(Kokkos::MinMaxScalar<T>& value, int i) {
  value.min_val = value.max_val = static_cast<T>(number(i));
}
template <class T, class I>
KOKKOS_FUNCTION void set(Kokkos::MinMaxLocScalar<T, I>& value, int i) {
  value.min_val = value.max_val = static_cast<T>(number(i));
  value.min_loc = value.max_loc = i;
}

/// Joins the number of an index as the reducer does.
template <class Reducer>
struct JoinNumbers {
  using Value = typename Reducer::value_type;
  KOKKOS_FUNCTION void operator()(int i, Value& update) const {
    Value value;
    set(value, i);
    Reducer(update).join(update, value);
  }
};
/// True at one index and false elsewhere, or the other way round.
template <class Reducer>
struct JoinTruths {
  using Value = typename Reducer::value_type;
  int at;
  bool there;
  KOKKOS_FUNCTION void operator()(int i, Value& update) const {
    Reducer(update).join(update, Value((i == at) == there));
  }
};

/// Reduces over [begin, n) into a scalar and a View, and one by one. An empty
/// range writes the identity into a scalar.
template <class Exec, class Reducer, class Functor>
void check_range(int n, Functor const& functor) {
  SCOPED_TRACE("n = " + std::to_string(n));
  using HostReducer   = typename Reducer::template type<Kokkos::HostSpace>;
  using DeviceReducer = typename Reducer::template type<Exec>;
  using Value         = typename HostReducer::value_type;
  Value expected      = poison<Value>();
  HostReducer(expected).init(expected);
  for (int i = begin; i < n; ++i) functor(i, expected);

  Kokkos::RangePolicy<Exec> const policy(begin, n);
  Value scalar = poison<Value>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce("scalar", policy, functor, HostReducer(scalar));
  EXPECT_TRUE(same_bits(expected, scalar));
  if (n == begin) return;
  EXPECT_TRUE(probe.streamed());
  auto const view = poisoned_view<Value, Exec>();
  probe.reset();
  Kokkos::parallel_reduce("View", policy, functor, DeviceReducer(view));
  EXPECT_TRUE(probe.streamed());
  EXPECT_TRUE(same_bits(expected, value_of(view)));
}
template <class Exec, class Reducer>
void check_numbers() {
  using HostReducer = typename Reducer::template type<Kokkos::HostSpace>;
  for (int n : {begin, begin + 1, 1000, 30011})
    check_range<Exec, Reducer>(n, JoinNumbers<HostReducer>());
}
TYPED_TEST(Reducers, ExtremesAndTheirPlaces) {
  using T     = double;
  using Place = std::int64_t;
  check_numbers<TypeParam, Of<Kokkos::Min, T>>();
  check_numbers<TypeParam, Of<Kokkos::Max, T>>();
  check_numbers<TypeParam, Of<Kokkos::MinMax, T>>();
  check_numbers<TypeParam, Of<Kokkos::MinLoc, T, Place>>();
  check_numbers<TypeParam, Of<Kokkos::MaxLoc, T, Place>>();
  check_numbers<TypeParam, Of<Kokkos::MinMaxLoc, T, Place>>();
}
TYPED_TEST(Reducers, Products) {
  check_numbers<TypeParam, Of<Kokkos::Prod, std::uint64_t>>();
}
/// One index decides, or none: the one before the range.
template <class Exec, class Reducer>
void check_truths(bool there) {
  using HostReducer = typename Reducer::template type<Kokkos::HostSpace>;
  for (int n : {begin, begin + 1, 30011})
    for (int at : {begin - 1, begin, 12345, n - 1})
      check_range<Exec, Reducer>(n, JoinTruths<HostReducer>{at, there});
}
TYPED_TEST(Reducers, LogicalAndBits) {
  check_truths<TypeParam, Of<Kokkos::LOr, int>>(true);
  check_truths<TypeParam, Of<Kokkos::LAnd, int>>(false);
  check_truths<TypeParam, Of<Kokkos::LOr, bool>>(true);
  check_truths<TypeParam, Of<Kokkos::BOr, std::uint64_t>>(true);
  check_truths<TypeParam, Of<Kokkos::BAnd, std::uint64_t>>(false);
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

}  // namespace
