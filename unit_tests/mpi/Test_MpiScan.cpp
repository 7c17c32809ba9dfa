// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans over ranks against one sequential scan of all elements.

#include "MpiSupport.hpp"

#include <KokkosMMA_ExactSum.hpp>
#include <algorithms/ExactSupport.hpp>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(MpiScan);

template <Impl::ScanKind Kind, class Accumulator = void, class... Arguments>
void scan_ranks(Arguments&&... arguments) {
  if constexpr (Kind == Impl::ScanKind::exclusive) {
    mpi::exclusive_scan<Accumulator>(MPI_COMM_WORLD,
                                     std::forward<Arguments>(arguments)...);
  } else {
    mpi::inclusive_scan<Accumulator>(MPI_COMM_WORLD,
                                     std::forward<Arguments>(arguments)...);
  }
}

/// Values whose sums are exact in every type, or integers of all bits: the
/// prefixes depend on no cut.
template <Impl::ScanKind Kind, class T, class Y, class Exec>
void exact_scans(Random& random) {
  using A =
      Impl::chosen_accumulator_t<void, Kokkos::View<T*>, Kokkos::View<Y*>>;
  for (Cut const& cut : cuts(random)) {
    SCOPED_TRACE(cut.describe());
    std::vector<T> all(cut.total());
    std::vector<std::int64_t> sums(cut.total());
    for (std::size_t i = 0; i < all.size(); ++i) {
      // Prefixes that 16-bit floats hold: the values cancel.
      sums[i] = std::is_integral_v<Y> ? std::int64_t(T(random.bits()))
                : i % 2               ? -sums[i - 1]
                                      : random.integer(-4, 4);
      all[i]  = static_cast<T>(sums[i]);
    }
    auto const x       = my_part<T, Exec>(cut, all);
    std::int64_t total = 0;
    for (std::int64_t const value : sums) total += value;
    auto const check = [&](auto const& y, std::int64_t init,
                           auto const&... more) {
      scan_ranks<Kind>(Exec(), x, y, more...);
      auto const expected = sequential_scan<Kind>(sums, init);
      EXPECT_TRUE(holds(y, [&](std::size_t i) {
        return static_cast<Y>(static_cast<A>(expected[cut.before() + i]));
      }));
    };
    auto const y = poisoned_array<Y, Exec>(cut.mine());
    check(y, 0);
    check(poisoned_array<Y, Exec>(cut.mine()), 3, 3);
    A scalar = poison<A>();
    check(poisoned_array<Y, Exec>(cut.mine()), 3, 3, Total(scalar));
    EXPECT_EQ(static_cast<A>(total), scalar);
    auto const view = poisoned_view<A, Exec>();
    check(y, 0, 0, Total(view));
    EXPECT_EQ(static_cast<A>(total), value_of(view));
    if constexpr (std::is_same_v<T, Y>) check(x, 0);
  }
}

TYPED_TEST(MpiScan, PrefixesDoNotDependOnTheCut) {
  Random random;
  for_types<Pair<std::int16_t, std::int32_t>, Pair<std::int32_t, std::int32_t>,
            Pair<std::uint32_t, std::uint64_t>, Pair<half_t, half_t>,
            Pair<float, double>>([&]<class A, class B>(Pair<A, B>) {
    exact_scans<Impl::ScanKind::exclusive, A, B, TypeParam>(random);
    exact_scans<Impl::ScanKind::inclusive, A, B, TypeParam>(random);
  });
}

/// Prefixes of floating-point data within what any order gives, and the same
/// bits again.
template <class T, class Accumulator, class Exec>
void bounded_scans(Random& random) {
  for (Cut const& cut : cuts(random)) {
    SCOPED_TRACE(cut.describe());
    std::vector<T> all(cut.total());
    for (T& value : all) value = static_cast<T>(random.normal());
    auto const x     = my_part<T, Exec>(cut, all);
    auto const y     = poisoned_array<Accumulator, Exec>(cut.mine());
    auto const again = poisoned_array<Accumulator, Exec>(cut.mine());
    mpi::inclusive_scan<Accumulator>(MPI_COMM_WORLD, Exec(), x, y);
    mpi::inclusive_scan<Accumulator>(MPI_COMM_WORLD, Exec(), x, again);
    auto const computed = elements_of(y);
    EXPECT_TRUE(holds(again, computed));
    long double exact       = 0;
    double magnitudes       = 0;
    std::size_t const first = cut.before();
    for (std::size_t i = 0; i < first + cut.mine(); ++i) {
      exact += (long double)(double(all[i]));
      magnitudes += std::abs(double(all[i]));
      if (i < first) continue;
      double const error =
          std::abs(double((long double)(computed[i - first]) - exact));
      ASSERT_LE(error, double(i + 2) * epsilon<Accumulator> * magnitudes)
          << "element " << i;
    }
  }
}

TYPED_TEST(MpiScan, FloatingPoint) {
  Random random;
  bounded_scans<float, float, TypeParam>(random);
  bounded_scans<float, double, TypeParam>(random);
  bounded_scans<double, double, TypeParam>(random);
}

/// Errors on one rank reach all, and nothing is written.
TYPED_TEST(MpiScan, OneRankIsRefused) {
  using Exec          = TypeParam;
  int const last      = world_size() - 1;
  std::size_t const n = world_rank() == last ? 11 : 10;
  auto const x        = filled<float, Exec>(10, 1.f);
  auto const y        = poisoned_array<float, Exec>(n);
  float total         = poison<float>();
  expect_all_refused(
      {"KokkosMMA::mpi::exclusive_scan: ", "extents differ", "of 11"},
      [&] { mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y, Total(total)); });
  EXPECT_TRUE(holds(y, poison<float>()));
  EXPECT_TRUE(same_bits(poison<float>(), total));
  if (!on_cuda<Exec>) {
    expect_all_refused({"KokkosMMA::mpi::inclusive_scan", "route mma"}, [&] {
      mpi::inclusive_scan(
          MPI_COMM_WORLD, Exec(), x, x,
          Settings{world_rank() == last ? Route::mma : Route::automatic});
    });
    EXPECT_TRUE(holds(x, 1.f));
  }
}

/// Level exact: the correctly rounded prefixes of all, however they are cut.
template <Impl::ScanKind Kind, class T, class Y, class A, class Exec>
void exact_prefixes(Random& random) {
  Impl::FloatFormat const format = Impl::float_format(scalar_v<T>);
  for (Cut const& cut : cuts(random)) {
    SCOPED_TRACE(cut.describe());
    std::vector<T> all(cut.total());
    A const init = A(random.normal());
    ExactReference prefix, sum;
    prefix.add(double(init));
    std::vector<Y> expected(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<T>(
          std::ldexp(random.uniform(-1, 1),
                     int(random.integer(format.lowest(), format.bias() - 9))));
      if (Kind == Impl::ScanKind::exclusive) expected[i] = rounded<Y>(prefix);
      prefix.add(double(all[i]));
      sum.add(double(all[i]));
      if (Kind == Impl::ScanKind::inclusive) expected[i] = rounded<Y>(prefix);
    }
    auto const x = my_part<T, Exec>(cut, all);
    auto const y = poisoned_array<Y, Exec>(cut.mine());
    A total      = poison<A>();
    scan_ranks<Kind, A>(Exec(), x, y, InitialValue(init), Total(total),
                        exactly);
    EXPECT_TRUE(
        holds(y, [&](std::size_t i) { return expected[cut.before() + i]; }));
    EXPECT_TRUE(same_bits(rounded<A>(sum), total));
  }
}

TYPED_TEST(MpiScan, ExactPrefixesDoNotDependOnTheCut) {
  Random random;
  using enum Impl::ScanKind;
  exact_prefixes<inclusive, double, double, double, TypeParam>(random);
  exact_prefixes<exclusive, double, double, double, TypeParam>(random);
  exact_prefixes<inclusive, float, float, float, TypeParam>(random);
  exact_prefixes<exclusive, float, double, double, TypeParam>(random);
}

/// Kokkos Tools see the caller's label, at every level.
TYPED_TEST(MpiScan, Labels) {
  using Exec    = TypeParam;
  double total  = 0;
  int count     = 0;
  auto const x  = filled<double, Exec>(5, 1.);
  auto const y  = poisoned_array<double, Exec>(5);
  auto const n  = filled<std::int16_t, Exec>(5, std::int16_t(1));
  auto const m  = poisoned_array<int, Exec>(5);
  auto const of = [&](Settings settings) {
    settings.label = "mine";
    return kernel_labels([&] {
      mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y, 0, Total(total),
                          settings);
      mpi::inclusive_scan(MPI_COMM_WORLD, Exec(), x, y, settings);
    });
  };
  std::set<std::string> const mine{"mine"};
  EXPECT_EQ(mine, of({}));
  EXPECT_EQ(mine, of(exactly));
  EXPECT_EQ(mine, kernel_labels([&] {
              mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), n, m, 0, Total(count),
                                  {.label = "mine"});
            }));
}

TYPED_TEST(MpiScan, DifferentCalls) {
  using Exec = TypeParam;
  if (world_size() == 1) GTEST_SKIP() << "two ranks are needed";
  auto const x       = filled<float, Exec>(10, 1.f);
  auto const y       = poisoned_array<float, Exec>(10);
  auto const refused = [&](std::vector<std::string> const& parts,
                           auto const& call) {
    expect_all_refused(parts, call);
    EXPECT_TRUE(holds(y, poison<float>()));
  };
  auto const scan = [&](auto const&... more) {
    mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y, more...);
  };
  refused({"different initial values"}, [&] { scan(float(world_rank())); });
  refused({"levels of reproducibility"}, [&] {
    Settings settings;
    if (world_rank() == 0) settings.reproducibility = Reproducibility::exact;
    scan(settings);
  });
  bool const other = world_rank() == 0;
  refused({"the ranks differ", "rank 0 calls exclusive_scan",
           "rank 1 calls inclusive_scan"},
          [&] {
            if (other)
              scan();
            else
              mpi::inclusive_scan(MPI_COMM_WORLD, Exec(), x, y);
          });
  float total = poison<float>();
  refused({"the ranks differ", "with a total"},
          [&] { other ? scan(Total(total)) : scan(0); });
  refused({"the ranks differ", "sums in double", "sums in float"}, [&] {
    if (other)
      mpi::exclusive_scan<double>(MPI_COMM_WORLD, Exec(), x, y);
    else
      scan();
  });
}

}  // namespace
