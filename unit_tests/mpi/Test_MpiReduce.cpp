// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums over ranks: values, bits, and what is refused.

#include "MpiSupport.hpp"

#include <algorithms/ExactSupport.hpp>
#include <KokkosMMA_ExactSum.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(MpiReduce);

template <class Exec, class Value, class Terms>
void expect_sum(Value const& expected, Terms const& terms,
                Settings const& settings = {}) {
  Value sum = poison<Value>();
  mpi::reduce(MPI_COMM_WORLD, Exec(), terms, sum, settings);
  EXPECT_TRUE(same_bits(expected, sum))
      << double(expected) << " became " << double(sum);
  auto const view = poisoned_view<Value, Exec>();
  mpi::reduce(MPI_COMM_WORLD, Exec(), terms, view, settings);
  EXPECT_TRUE(same_bits(expected, value_of(view)));
}

/// Integers of all bits: sums wrap, and depend on no cut.
template <class T, class Value, class Exec>
void integers(Random& random) {
  for (Cut const& cut : cuts(random)) {
    SCOPED_TRACE(cut.describe());
    std::vector<T> all(cut.total());
    Value expected = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<T>(random.bits());
      Impl::add(expected, static_cast<Value>(all[i]));
    }
    expect_sum<Exec>(expected, my_part<T, Exec>(cut, all));
  }
}

TYPED_TEST(MpiReduce, IntegersDoNotDependOnTheCut) {
  Random random;
  for_types<Pair<std::int8_t, std::int32_t>, Pair<std::uint32_t, std::uint64_t>,
            Pair<std::int64_t, std::int64_t>>(
      [&]<class A, class B>(Pair<A, B>) { integers<A, B, TypeParam>(random); });
}

/// Within what any order of additions within a rank gives, and one rounding;
/// the same bits on all ranks and in a second run.
template <class T, class Value, class Exec>
void floats(Random& random) {
  using A = Impl::accumulator_t<T, Value>;
  for (Cut const& cut : cuts(random)) {
    SCOPED_TRACE(cut.describe());
    std::vector<T> all(cut.total());
    ExactSum exact;
    double magnitudes = 0;
    std::size_t most  = 1;
    for (T& value : all) {
      value = static_cast<T>(random.normal());
      exact.add(double(value));
      magnitudes += std::abs(double(value));
    }
    for (std::size_t const size : cut.sizes) most = std::max(most, size);
    auto const x = my_part<T, Exec>(cut, all);
    Value first  = poison<Value>();
    mpi::reduce(MPI_COMM_WORLD, Exec(), x, first);
    EXPECT_TRUE(same_on_all_ranks(first));
    expect_sum<Exec>(first, x);
    EXPECT_LE(exact.error_of(double(first)),
              double(most) * epsilon<A> * magnitudes +
                  epsilon<Value> * std::abs(exact.value()));
  }
}

TYPED_TEST(MpiReduce, FloatingPoint) {
  Random random;
  for_types<Pair<half_t, half_t>, Pair<float, float>, Pair<float, double>,
            Pair<double, double>>(
      [&]<class A, class B>(Pair<A, B>) { floats<A, B, TypeParam>(random); });
}

/// Level exact: the correctly rounded sum of all, however it is cut.
template <class T, class Value, class Exec>
void exact_floats(Random& random) {
  Impl::FloatFormat const format = Impl::float_format(scalar_v<T>);
  for (Cut const& cut : cuts(random)) {
    SCOPED_TRACE(cut.describe());
    std::vector<T> all(cut.total());
    ExactReference exact;
    for (T& value : all) {
      value = static_cast<T>(
          std::ldexp(random.uniform(-1, 1),
                     int(random.integer(format.lowest(), format.bias() - 1))));
      exact.add(double(value));
    }
    expect_sum<Exec>(rounded<Value>(exact), my_part<T, Exec>(cut, all),
                     exactly);
  }
}

TYPED_TEST(MpiReduce, ExactSumsDoNotDependOnTheCut) {
  Random random;
  for_types<Pair<float, float>, Pair<float, double>, Pair<double, double>,
            Pair<double, float>>([&]<class A, class B>(Pair<A, B>) {
    exact_floats<A, B, TypeParam>(random);
  });
}

/// The same of products, some beyond the range of their factors.
template <class T, class Value, class Exec>
void exact_dots(Random& random) {
  Impl::FloatFormat const format = Impl::float_format(scalar_v<T>);
  for (Cut const& cut : cuts(random)) {
    SCOPED_TRACE(cut.describe());
    std::vector<T> x_all(cut.total()), y_all(cut.total());
    ExactReference exact, of_squares;
    bool const wide = random.integer(0, 1) != 0;
    for (std::size_t i = 0; i < x_all.size(); ++i) {
      int const least   = wide ? format.lowest() : -20;
      int const largest = wide ? format.bias() / 2 - 30 : 20;
      auto const draw   = [&] {
        return static_cast<T>(std::ldexp(random.uniform(-1, 1),
                                           int(random.integer(least, largest))));
      };
      x_all[i] = draw();
      y_all[i] = draw();
      exact.add_product(double(x_all[i]), double(y_all[i]));
      of_squares.add_product(double(x_all[i]), double(x_all[i]));
    }
    auto const x = my_part<T, Exec>(cut, x_all);
    auto const y = my_part<T, Exec>(cut, y_all);
    expect_sum<Exec>(rounded<Value>(exact), dot(x, y), exactly);
    expect_sum<Exec>(rounded<Value>(of_squares), squares(x), exactly);
  }
}

TYPED_TEST(MpiReduce, ExactDotProductsDoNotDependOnTheCut) {
  Random random;
  for_types<Pair<half_t, float>, Pair<float, double>, Pair<double, double>>(
      [&]<class A, class B>(Pair<A, B>) {
        exact_dots<A, B, TypeParam>(random);
      });
}

TYPED_TEST(MpiReduce, DotProducts) {
  auto const mine  = std::size_t(world_rank() % 2 ? 0 : 7);
  auto const x     = filled<float, TypeParam>(mine, 3);
  auto const y     = filled<float, TypeParam>(mine, -2);
  auto const z     = filled<double, TypeParam>(mine, 2);
  auto const k     = filled<int, TypeParam>(mine, 5);
  double const all = 7. * double((world_size() + 1) / 2);
  double sum       = poison<double>();
  mpi::reduce(MPI_COMM_WORLD, TypeParam(), dot(x, y), sum);
  EXPECT_EQ(-6 * all, sum);
  mpi::reduce(MPI_COMM_WORLD, TypeParam(), dot(x, z), sum);
  EXPECT_EQ(6 * all, sum);
  std::int64_t integer = 0;
  mpi::reduce(MPI_COMM_WORLD, TypeParam(), squares(k), integer);
  EXPECT_EQ(std::int64_t(25 * all), integer);
  expect_all_refused({"KokkosMMA::mpi::reduce", "level exact"}, [&] {
    mpi::reduce(MPI_COMM_WORLD, TypeParam(), dot(x, z), sum, exactly);
  });
  if (world_size() == 1) return;
  expect_all_refused({"KokkosMMA::mpi::reduce", "the ranks differ"}, [&] {
    if (world_rank() == 0)
      mpi::reduce(MPI_COMM_WORLD, TypeParam(), squares(x), sum);
    else
      mpi::reduce(MPI_COMM_WORLD, TypeParam(), x, sum);
  });
}

TYPED_TEST(MpiReduce, ZerosAndSpecials) {
  auto const sum_of_each = [&](std::size_t size, double of_last, double rest,
                               Settings const& settings) {
    bool const last = world_rank() == world_size() - 1;
    auto const x    = make_view<double, TypeParam>(
        size, [&](std::size_t) { return last ? of_last : rest; });
    double sum = poison<double>();
    mpi::reduce(MPI_COMM_WORLD, TypeParam(), x, sum, settings);
    return sum;
  };
  double const inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(same_bits(0., sum_of_each(0, 1, 1, exactly)));
  EXPECT_TRUE(same_bits(-0., sum_of_each(3, -0., -0., exactly)));
  EXPECT_TRUE(same_bits(world_size() == 1 ? -0. : 0.,
                        sum_of_each(1, -0., 0., exactly)));
  for (Settings const& settings : {Settings{}, exactly}) {
    for (double const value : {inf, -inf})
      EXPECT_EQ(value, sum_of_each(2, value, 1, settings));
    EXPECT_TRUE(std::isnan(sum_of_each(2, std::nan(""), 1, settings)));
    if (world_size() > 1) {
      EXPECT_TRUE(std::isnan(sum_of_each(1, inf, -inf, settings)));
    }
  }
}

TYPED_TEST(MpiReduce, OneLevelOnAllRanks) {
  if (world_size() == 1) return;
  auto const x = make_view<double, TypeParam>(5, [](std::size_t) { return 1; });
  double sum   = 0;
  Settings settings;
  if (world_rank() == 0) settings.reproducibility = Reproducibility::exact;
  expect_all_refused(
      {"KokkosMMA::mpi::reduce", "levels of reproducibility"},
      [&] { mpi::reduce(MPI_COMM_WORLD, TypeParam(), x, sum, settings); });
}

TYPED_TEST(MpiReduce, StridedViewsAndRoutes) {
  using Exec = TypeParam;
  Kokkos::View<float**, Kokkos::LayoutLeft, Exec> const matrix("matrix", 3, 50);
  Kokkos::deep_copy(matrix, float(world_rank() + 1));
  auto const row = Kokkos::subview(matrix, 1, Kokkos::ALL());
  int const n    = world_size();
  float sum      = poison<float>();
  mpi::reduce(MPI_COMM_WORLD, Exec(), row, sum, {.route = Route::generic});
  EXPECT_EQ(float(50 * n * (n + 1) / 2), sum);
  EXPECT_EQ(Route::generic, last_route());
}

/// What one rank adds and another takes away is not lost to rounding.
TYPED_TEST(MpiReduce, RanksCancel) {
  using Exec = TypeParam;
  if (world_size() < 3) GTEST_SKIP() << "three ranks are needed";
  double const parts[] = {1e17, 3., -1e17};
  auto const x =
      filled<double, Exec>(1, world_rank() < 3 ? parts[world_rank()] : 0.);
  double sum = 0;
  mpi::reduce(MPI_COMM_WORLD, Exec(), x, sum);
  EXPECT_EQ(3., sum);
}

TYPED_TEST(MpiReduce, PartsOfTheWorld) {
  using Exec = TypeParam;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &half);
  auto const x = filled<int, Exec>(7, 1);
  int size = 0, sum = 0;
  MPI_Comm_size(half, &size);
  mpi::reduce(half, Exec(), x, sum);
  EXPECT_EQ(7 * size, sum);
  MPI_Comm_free(&half);
}

TYPED_TEST(MpiReduce, OneRankIsRefused) {
  using Exec      = TypeParam;
  int const last  = world_size() - 1;
  auto const x    = filled<float, Exec>(5, 1.f);
  auto const view = poisoned_view<float, Exec>();
  Kokkos::View<float, Exec> const null;
  auto const place = world_rank() == last ? null : view;
  std::string const text =
      error_of([&] { mpi::reduce(MPI_COMM_WORLD, Exec(), x, place); });
  EXPECT_TRUE(all_refused(text, {"KokkosMMA::mpi::reduce", "is null"}));
  if (world_rank() != last) {
    EXPECT_TRUE(has_parts(text, {"rank " + std::to_string(last) + " of " +
                                 std::to_string(world_size())}));
    EXPECT_TRUE(same_bits(poison<float>(), value_of(view)));
  }
  // and goes on afterwards
  mpi::reduce(MPI_COMM_WORLD, Exec(), x, view);
  EXPECT_EQ(5.f * float(world_size()), value_of(view));
}

/// Errors name the call, at every level.
TYPED_TEST(MpiReduce, ViewsWithoutMemory) {
  using Exec = TypeParam;
  Kokkos::View<double*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      none(nullptr, 4);
  double sum = poison<double>();
  for (Settings const& settings : {Settings{}, exactly})
    expect_all_refused({"KokkosMMA::mpi::reduce: x has no memory"}, [&] {
      mpi::reduce(MPI_COMM_WORLD, Exec(), none, sum, settings);
    });
  EXPECT_TRUE(same_bits(poison<double>(), sum));
}

/// Kokkos Tools see the caller's label, at every level.
TYPED_TEST(MpiReduce, Labels) {
  using Exec    = TypeParam;
  auto const x  = filled<double, Exec>(5, 1.);
  double sum    = 0;
  auto const of = [&](Settings settings) {
    settings.label = "mine";
    return kernel_labels([&] {
      mpi::reduce(MPI_COMM_WORLD, Exec(), x, sum, settings);
      mpi::reduce(MPI_COMM_WORLD, Exec(), dot(x, x), sum, settings);
    });
  };
  std::set<std::string> const mine{"mine"};
  EXPECT_EQ(mine, of({}));
  EXPECT_EQ(mine, of(exactly));
}

TYPED_TEST(MpiReduce, DifferentCalls) {
  using Exec       = TypeParam;
  auto const x     = filled<float, Exec>(5, 1.f);
  float narrow     = poison<float>();
  double wide      = poison<double>();
  bool const other = world_rank() == 1;
  if (!on_cuda<Exec>) {
    expect_all_refused({"route mma was requested but cannot run"}, [&] {
      mpi::reduce(MPI_COMM_WORLD, Exec(), x, narrow,
                  Settings{world_rank() == 0 ? Route::mma : Route::automatic});
    });
  }
  if (world_size() > 1) {
    expect_all_refused({"the ranks differ",
                        "rank 0 calls reduce of float (4 bytes) into float",
                        "rank 1 calls reduce of float (4 bytes) into double"},
                       [&] {
                         if (other)
                           mpi::reduce(MPI_COMM_WORLD, Exec(), x, wide);
                         else
                           mpi::reduce(MPI_COMM_WORLD, Exec(), x, narrow);
                       });
    expect_all_refused(
        {"the ranks differ", "rank 1 calls exclusive_scan of float"}, [&] {
          if (other)
            mpi::exclusive_scan(MPI_COMM_WORLD, Exec(), x, x);
          else
            mpi::reduce(MPI_COMM_WORLD, Exec(), x, narrow);
        });
  }
  EXPECT_TRUE(same_bits(poison<float>(), narrow));
  EXPECT_TRUE(same_bits(poison<double>(), wide));
}

TYPED_TEST(MpiReduce, Communicators) {
  using Exec   = TypeParam;
  auto const x = filled<float, Exec>(5, 1.f);
  float sum    = poison<float>();
  expect_error({"KokkosMMA::mpi::reduce: the communicator is MPI_COMM_NULL"},
               [&] { mpi::reduce(MPI_COMM_NULL, Exec(), x, sum); });
  if (world_size() > 1) {
    MPI_Comm side, both;
    int const group = world_rank() == 0 ? 0 : 1;
    MPI_Comm_split(MPI_COMM_WORLD, group, 0, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, group == 0 ? 1 : 0, 1, &both);
    expect_all_refused({"the communicator is an intercommunicator"},
                       [&] { mpi::reduce(both, Exec(), x, sum); });
    MPI_Comm_free(&both);
    MPI_Comm_free(&side);
  }
  EXPECT_TRUE(same_bits(poison<float>(), sum));
}

TEST(MpiEnvironment, GpuAware) {
  EXPECT_EQ(-1, Impl::parse_gpu_aware(nullptr));
  EXPECT_EQ(-1, Impl::parse_gpu_aware(""));
  EXPECT_EQ(0, Impl::parse_gpu_aware("0"));
  EXPECT_EQ(1, Impl::parse_gpu_aware("1"));
  expect_error({"KOKKOSMMA_MPI_GPU_AWARE", "\"yes\"", "0", "1"},
               [] { Impl::parse_gpu_aware("yes"); });
}

/// MPI's own errors, where the handler of the communicator lets them return.
TEST(MpiEnvironment, ErrorsOfMpi) {
  EXPECT_NO_THROW(Impl::check_mpi("who", "MPI_Send", MPI_SUCCESS));
  try {
    Impl::check_mpi("who", "MPI_Send", MPI_ERR_TAG);
    ADD_FAILURE() << "an error was taken for success";
  } catch (std::runtime_error const& error) {
    EXPECT_TRUE(has_parts(error.what(), {"who: MPI_Send: ", "TAG"}));
  }
}

}  // namespace
