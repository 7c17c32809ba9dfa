// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans over ranks against one sequential scan of all elements.

#include "MpiSupport.hpp"

#include <KokkosMMA_ExactSum.hpp>

#include <cmath>
#include <cstdint>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

template <class Exec>
class MpiScan : public ::testing::Test {};
TYPED_TEST_SUITE(MpiScan, ExecutionSpaces);

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

/// Values whose sums are exact in every type: the prefixes depend on no cut.
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
      bool const bit = std::is_same_v<T, bool> || std::is_unsigned_v<T>;
      sums[i]        = bit     ? random.integer(0, 1)
                       : i % 2 ? -sums[i - 1]
                               : random.integer(-4, 4);
      all[i]         = static_cast<T>(sums[i]);
    }
    auto const place = [&](std::size_t i) { return cut.before() + i; };
    auto const x     = make_view<T, Exec>(
        cut.mine(), [&](std::size_t i) { return all[place(i)]; });
    std::int64_t total = 0;
    for (std::int64_t const value : sums) total += value;
    auto const expect = [&](std::vector<std::int64_t> const& expected,
                            auto const& y) {
      EXPECT_TRUE(same_elements_as(
          [&](std::size_t i) {
            return static_cast<Y>(static_cast<A>(expected[place(i)]));
          },
          elements_of(y)));
    };
    auto const plain = sequential_scan<Kind>(sums, 0);
    auto const y     = poisoned_array<Y, Exec>(cut.mine());
    scan_ranks<Kind>(Exec(), x, y);
    expect(plain, y);
    auto const moved   = sequential_scan<Kind>(sums, 3);
    auto const y_moved = poisoned_array<Y, Exec>(cut.mine());
    scan_ranks<Kind>(Exec(), x, y_moved, 3);
    expect(moved, y_moved);
    auto const y_total = poisoned_array<Y, Exec>(cut.mine());
    A scalar           = poison<A>();
    scan_ranks<Kind>(Exec(), x, y_total, 3, Total(scalar));
    EXPECT_EQ(static_cast<A>(total), scalar);
    expect(moved, y_total);
    auto const view = poisoned_view<A, Exec>();
    scan_ranks<Kind>(Exec(), x, y_total, 0, Total(view));
    EXPECT_EQ(static_cast<A>(total), value_of(view));
    expect(plain, y_total);
    if constexpr (std::is_same_v<T, Y>) {
      scan_ranks<Kind>(Exec(), x, x);
      expect(plain, x);
    }
  }
}

template <Impl::ScanKind Kind, class Exec>
void exact_scans_of_all_types() {
  Random random;
  SCOPED_TRACE(random.note());
  exact_scans<Kind, bool, std::int32_t, Exec>(random);
  exact_scans<Kind, std::int8_t, std::int32_t, Exec>(random);
  exact_scans<Kind, std::int16_t, std::int32_t, Exec>(random);
  exact_scans<Kind, std::int32_t, std::int32_t, Exec>(random);
  exact_scans<Kind, std::uint32_t, std::uint64_t, Exec>(random);
  exact_scans<Kind, std::int64_t, std::int64_t, Exec>(random);
  exact_scans<Kind, half_t, half_t, Exec>(random);
  exact_scans<Kind, bhalf_t, float, Exec>(random);
  exact_scans<Kind, float, float, Exec>(random);
  exact_scans<Kind, float, double, Exec>(random);
  exact_scans<Kind, double, double, Exec>(random);
}
TYPED_TEST(MpiScan, ExclusiveDoesNotDependOnTheCut) {
  exact_scans_of_all_types<Impl::ScanKind::exclusive, TypeParam>();
}
TYPED_TEST(MpiScan, InclusiveDoesNotDependOnTheCut) {
  exact_scans_of_all_types<Impl::ScanKind::inclusive, TypeParam>();
}

/// All bits of integers: sums wrap.
TYPED_TEST(MpiScan, IntegersWrap) {
  using Exec = TypeParam;
  Random random;
  SCOPED_TRACE(random.note());
  for (Cut const& cut : cuts(random)) {
    SCOPED_TRACE(cut.describe());
    std::vector<std::uint32_t> all(cut.total()), expected(cut.total());
    std::uint32_t sum = 77;
    for (std::size_t i = 0; i < all.size(); ++i) {
      expected[i] = sum;
      all[i]      = std::uint32_t(random.bits());
      sum += all[i];
    }
    auto const x = make_view<std::int32_t, Exec>(
        cut.mine(),
        [&](std::size_t i) { return std::int32_t(all[cut.before() + i]); });
    auto const y       = poisoned_array<std::int32_t, Exec>(cut.mine());
    std::int32_t total = 0;
    mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y, 77, Total(total));
    EXPECT_EQ(sum - 77, std::uint32_t(total));
    EXPECT_TRUE(same_elements_as(
        [&](std::size_t i) { return std::int32_t(expected[cut.before() + i]); },
        elements_of(y)));
  }
}

/// Prefixes of floating-point data within what any order gives, and the same
/// bits again.
template <class T, class Accumulator, class Exec>
void bounded_scans(Random& random) {
  for (Cut const& cut : cuts(random)) {
    SCOPED_TRACE(cut.describe());
    std::vector<T> all(cut.total());
    for (T& value : all) value = static_cast<T>(random.normal());
    auto const x = make_view<T, Exec>(
        cut.mine(), [&](std::size_t i) { return all[cut.before() + i]; });
    auto const y     = poisoned_array<Accumulator, Exec>(cut.mine());
    auto const again = poisoned_array<Accumulator, Exec>(cut.mine());
    mpi::inclusive_scan<Accumulator>(MPI_COMM_WORLD, Exec(), x, y);
    mpi::inclusive_scan<Accumulator>(MPI_COMM_WORLD, Exec(), x, again);
    auto const computed = elements_of(y);
    EXPECT_TRUE(same_elements_as([&](std::size_t i) { return computed[i]; },
                                 elements_of(again)));
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
  SCOPED_TRACE(random.note());
  bounded_scans<float, float, TypeParam>(random);
  bounded_scans<float, double, TypeParam>(random);
  bounded_scans<double, double, TypeParam>(random);
}

/// Errors on one rank reach all, and nothing is written.
TYPED_TEST(MpiScan, OneRankIsRefused) {
  using Exec          = TypeParam;
  int const last      = world_size() - 1;
  std::size_t const n = world_rank() == last ? 11 : 10;
  auto const x = make_view<float, Exec>(10, [](std::size_t) { return 1.f; });
  auto const y = poisoned_array<float, Exec>(n);
  float total  = poison<float>();
  std::string const text = error_of(
      [&] { mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y, Total(total)); });
  EXPECT_TRUE(all_refused(
      text, {"KokkosMMA::mpi::exclusive_scan: ", "extents differ", "of 11"}));
  EXPECT_TRUE(same_elements_as([](std::size_t) { return poison<float>(); },
                               elements_of(y)));
  EXPECT_TRUE(same_bits(poison<float>(), total));
  if (!on_cuda<Exec>) {
    EXPECT_TRUE(all_refused(
        error_of([&] {
          mpi::inclusive_scan(
              MPI_COMM_WORLD, Exec(), x, x,
              Settings{world_rank() == last ? Route::mma : Route::automatic});
        }),
        {"KokkosMMA::mpi::inclusive_scan", "route mma"}));
    EXPECT_TRUE(
        same_elements_as([](std::size_t) { return 1.f; }, elements_of(x)));
  }
}

TYPED_TEST(MpiScan, DifferentCalls) {
  using Exec = TypeParam;
  if (world_size() == 1) GTEST_SKIP() << "two ranks are needed";
  auto const x = make_view<float, Exec>(10, [](std::size_t) { return 1.f; });
  auto const y = poisoned_array<float, Exec>(10);
  auto const untouched = [&] {
    EXPECT_TRUE(same_elements_as([](std::size_t) { return poison<float>(); },
                                 elements_of(y)));
  };
  EXPECT_TRUE(all_refused(error_of([&] {
                            mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y,
                                                float(world_rank()));
                          }),
                          {"different initial values"}));
  untouched();
  EXPECT_TRUE(all_refused(error_of([&] {
                            if (world_rank() == 0)
                              mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y);
                            else
                              mpi::inclusive_scan(MPI_COMM_WORLD, Exec(), x, y);
                          }),
                          {"the ranks differ", "rank 0 calls exclusive_scan",
                           "rank 1 calls inclusive_scan"}));
  untouched();
  float total = poison<float>();
  EXPECT_TRUE(all_refused(
      error_of([&] {
        if (world_rank() == 0)
          mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y, Total(total));
        else
          mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y, 0);
      }),
      {"the ranks differ", "with a total"}));
  untouched();
  EXPECT_TRUE(
      all_refused(error_of([&] {
                    if (world_rank() == 0)
                      mpi::exclusive_scan<double>(MPI_COMM_WORLD, Exec(), x, y);
                    else
                      mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, y);
                  }),
                  {"the ranks differ", "sums in double", "sums in float"}));
  untouched();
}

}  // namespace
