// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Level exact of KokkosMMA::exclusive_scan and inclusive_scan: the bits of the
// correctly rounded prefixes on every execution space.

#include "ExactSupport.hpp"

#include <KokkosMMA_HostileSums.hpp>
#include <KokkosMMA_Recorder.hpp>

#include <array>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class ScanExact : public ::testing::Test {
 public:
  Random random;

  /// Both scans of the same elements from a value, with their totals,
  /// contiguous from any place of a 16-byte line and with strides.
  template <class T, class Result, class Accumulator>
  void expect_exact(HostileSum const& sum) {
    std::size_t const size = sum.terms.size();
    auto const before      = std::size_t(random.integer(0, 5));
    auto const stride      = std::size_t(random.integer(1, 3));
    auto const memory      = make_view<T, Exec>(size + before, [&](auto i) {
      return i < before ? double(NAN) : sum.terms[i - before];
    });
    auto const x = Kokkos::subview(memory, Range(before, memory.extent(0)));
    Kokkos::View<Result**, Kokkos::LayoutRight, Exec> const matrix(
        "matrix", size, stride);
    Kokkos::deep_copy(matrix, poison<Result>());
    auto const y            = Kokkos::subview(matrix, Kokkos::ALL(), 0);
    double const initials[] = {0, -0., 3, std::ldexp(1., -20), INFINITY};
    auto const initial      = Accumulator(initials[random.integer(0, 4)]);

    auto const host_x = host_copy(x);
    ExactReference all;
    for (std::size_t i = 0; i < size; ++i) all.add(double(host_x(i)));
    auto const check = [&](bool inclusive) {
      auto const host = host_copy(matrix);
      ExactReference prefix;
      prefix.add(double(initial));
      for (std::size_t i = 0; i < size; ++i) {
        if (inclusive) prefix.add(double(host_x(i)));
        ASSERT_TRUE(same_sum(rounded<Result>(prefix), host(i, 0)))
            << sum.name << ", prefix " << i << " of " << size << ", "
            << types<T, Result>() << ", inclusive " << inclusive;
        if (!inclusive) prefix.add(double(host_x(i)));
      }
    };

    Accumulator total = poison<Accumulator>();
    exclusive_scan<Accumulator>(Exec(), x, y, InitialValue(initial),
                                Total(total), exactly);
    EXPECT_EQ(on_cuda<Exec> ? Route::streamed : Route::generic, last_route());
    check(false);
    EXPECT_TRUE(same_sum(rounded<Accumulator>(all), total)) << sum.name;

    Kokkos::View<Accumulator, Exec> const total_view("total");
    inclusive_scan<Accumulator>(Exec(), x, y, InitialValue(initial),
                                Total(total_view), exactly);
    check(true);
    EXPECT_TRUE(same_sum(rounded<Accumulator>(all), host_copy(total_view)()))
        << sum.name;
  }

  template <class T, class Result, class Accumulator>
  void expect_all_exact(std::size_t size) {
    for (HostileSum const& sum : hostile_sums(random, size, scalar_v<T>))
      expect_exact<T, Result, Accumulator>(sum);
  }
};
TYPED_TEST_SUITE(ScanExact, ExecutionSpaces);

TYPED_TEST(ScanExact, HostileData) {
  for (std::size_t const size : {1, 100, 2500}) {
    this->template expect_all_exact<float, float, float>(size);
    this->template expect_all_exact<double, double, double>(size);
    this->template expect_all_exact<half_t, half_t, float>(size);
    this->template expect_all_exact<bhalf_t, float, float>(size);
    this->template expect_all_exact<float, double, double>(size);
  }
}

// Of several threads and blocks.
TYPED_TEST(ScanExact, ManyElements) {
  std::size_t const size = 70001;
  HostileSum wide{"60 binary orders", std::vector<double>(size)};
  for (double& term : wide.terms)
    term =
        std::ldexp(this->random.normal(), int(this->random.integer(-30, 30)));
  this->template expect_exact<double, double, double>(wide);
  this->template expect_exact<float, float, float>(wide);
}

TYPED_TEST(ScanExact, InPlace) {
  std::vector<double> terms(5000);
  for (double& term : terms) term = this->random.normal();
  auto const x = make_view<double, TypeParam>(
      terms.size(), [&](std::size_t i) { return terms[i]; });
  inclusive_scan(TypeParam(), x, x, exactly);
  auto const host = host_copy(x);
  ExactReference prefix;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    prefix.add(terms[i]);
    ASSERT_TRUE(same_bits(prefix.as_double(), host(i))) << i;
  }
}

// A scope's request counts as the call's does; of a host device_independent is
// the one order that devices have, too; integers are exact as they are.
TYPED_TEST(ScanExact, WhoAsks) {
  auto const expect = [](auto const& numbers, Settings const& settings) {
    using T                = std::decay_t<decltype(numbers[0])>;
    std::size_t const size = numbers.size();
    auto const x           = make_view<T, TypeParam>(
        size, [&](std::size_t i) { return numbers[i]; });
    auto const y = filled<T, TypeParam>(size, poison<T>());
    inclusive_scan(TypeParam(), x, y, settings);
    auto const host = host_copy(y);
    EXPECT_EQ(T(2), host(3));
    EXPECT_EQ(numbers[4] + 2, host(4));
  };
  auto const with = [&](Settings const& settings) {
    expect(std::array{1e16, 1., 1., -1e16, 1.}, settings);
    expect(std::array{1e8f, 1.f, 1.f, -1e8f, 1.f}, settings);
  };
  with(exactly);
  if (!on_cuda<TypeParam>)
    with({.reproducibility = Reproducibility::device_independent});
  {
    ScopedSettings const scope(exactly);
    with({});
  }
  auto const integers = filled<int, TypeParam>(9, 1);
  inclusive_scan(TypeParam(), integers, integers, exactly);
  EXPECT_EQ(9, host_copy(integers)(8));
  auto const keys = filled<int, TypeParam>(9, 1);
  inclusive_scan_by_key(TypeParam(), keys, keys, integers, exactly);
  EXPECT_EQ(9, host_copy(integers)(8));
  auto const x = filled<float, TypeParam>(9, 1);
  expect_error(
      {"KokkosMMA::inclusive_scan_by_key", "level exact", "segmented_reduce"},
      [&] { inclusive_scan_by_key(TypeParam(), keys, x, x, exactly); });
}

/// The level depends on the types, not on the accessor: scans of atomic Views
/// were refused on hosts, and integers everywhere.
TYPED_TEST(ScanExact, AtomicViews) {
  using Atomic        = Kokkos::MemoryTraits<Kokkos::Atomic>;
  auto const integers = filled<int, TypeParam>(9, 1);
  Kokkos::View<int*, TypeParam, Atomic> const atomic_integers = integers;
  inclusive_scan(TypeParam(), atomic_integers, atomic_integers, exactly);
  EXPECT_EQ(9, host_copy(integers)(8));
  if (on_cuda<TypeParam>) return;
  double const numbers[] = {1e16, 1, 1, -1e16, 1};
  auto const x           = make_view<double, TypeParam>(
      5, [&](std::size_t i) { return numbers[i]; });
  auto const y = filled<double, TypeParam>(5, 0);
  Kokkos::View<double*, TypeParam, Atomic> const to = y;
  inclusive_scan(TypeParam(), x, to, exactly);
  EXPECT_EQ(3, host_copy(y)(4));
}

TYPED_TEST(ScanExact, NothingHasNoPrefixes) {
  Kokkos::View<float*, TypeParam> const none("none", 0);
  float total = 3;
  exclusive_scan(TypeParam(), none, none, Total(total), exactly);
  EXPECT_TRUE(same_bits(0.f, total));
}

/// Some host spaces launch asynchronously (HPX), and both passes over the
/// chunks read memory of the call: it waits for each.
TEST(HostScanExact, WaitsForBothPasses) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<double*, Exec> const x("x", 100), y("y", 100);
  static int fences;
  fences = 0;
  Recorder recorder;
  Kokkos::Tools::Experimental::set_begin_fence_callback(
      [](char const* name, std::uint32_t, std::uint64_t*) {
        fences += std::string_view(name).starts_with("KokkosMMA: fence after");
      });
  exclusive_scan(Exec(), x, y, exactly);
  EXPECT_EQ(fences, 2);
}

}  // namespace
