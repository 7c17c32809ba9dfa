// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of each route against an exact sum, next to the error of Kokkos'
// own code, and the papers' formulations. Subnormal numbers, zeros and
// overflow: the suites of the emulated device. Bits that repeat:
// Test_Calls.cpp.

#include "NumericsSupport.hpp"

#include <KokkosMMA_ErrorBound.hpp>
#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/kernels/papers/KokkosMMA_PaperReduce.hpp>
#endif

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(ReduceNumerics);

/// Data and their exact sum.
template <class Element, class Exec>
struct Sample {
  ExactSum exact;
  double magnitudes = 0;
  Kokkos::View<Element*, Exec> x;  // last: filling it adds to the others

  template <class Draw>
  Sample(std::size_t size, Draw const& draw)
      : x(make_view<Element, Exec>(size, [&](std::size_t i) {
          Element const value = static_cast<Element>(draw(i));
          exact.add(static_cast<double>(value));
          magnitudes += std::abs(static_cast<double>(value));
          return value;
        })) {}
};

template <class Element, class Value, class Exec>
void expect_no_worse_than_kokkos() {
  Random random(types<Element, Value>());
  for (Numbers const numbers :
       {Numbers::uniform, Numbers::normal, Numbers::alternating,
        Numbers::spread, Numbers::tiny})
    for (std::size_t const size : {37, 1000, 300007}) {
      Sample<Element, Exec> const sample(
          size, [&](std::size_t i) { return draw(numbers, random, i, size); });
      // half_t ends at 65504
      if (sizeof(Value) == 2 && std::abs(sample.exact.value()) > 30000)
        continue;
      double const error_of_kokkos = sample.exact.error_of(
          double(sum_of<Value>(Exec(), sample.x, Settings{Route::generic})));
      double const allowed = allowed_error(
          error_of_kokkos, sample.exact.value(), sample.magnitudes,
          epsilon<Value>, epsilon<wide_t<Element>>);
      for (Route const route : routes<Exec>(visible_to_mma<Element, Value>)) {
        SCOPED_TRACE(joined(trace(route, size), ", ", numbers));
        Value const computed = sum_of<Value>(Exec(), sample.x, Settings{route});
        EXPECT_LE(sample.exact.error_of(double(computed)), allowed)
            << "Kokkos' own error " << error_of_kokkos;
      }
    }
}

TYPED_TEST(ReduceNumerics, ErrorNoLargerThanKokkos) {
  for_types<Pair<float, float>, Pair<double, double>, Pair<half_t, float>,
            Pair<half_t, half_t>, Pair<bhalf_t, float>>(
      [&]<class A, class B>(Pair<A, B>) {
        expect_no_worse_than_kokkos<A, B, TypeParam>();
      });
}

template <class Element, class Value, class Exec>
void expect_non_finite_as_in_any_order() {
  Random random;
  for (std::size_t const size : {1, 33, 5001})
    for (double const first : {inf, -inf, quiet_nan})
      for (double const second : {0., inf, -inf, quiet_nan}) {
        std::size_t const i =
            std::size_t(random.integer(0, std::int64_t(size) - 1));
        std::size_t const j =
            std::size_t(random.integer(0, std::int64_t(size) - 1));
        auto const x = make_view<Element, Exec>(size, [&](std::size_t k) {
          return float(k == i                   ? first
                       : k == j && second != 0. ? second
                                                : random.uniform(-1, 1));
        });
        double const expected = second != 0. && i != j ? first + second : first;
        for (Route const route : routes<Exec>(visible_to_mma<Element, Value>)) {
          double const computed =
              double(sum_of<Value>(Exec(), x, Settings{route}));
          ASSERT_TRUE(same_number(expected, computed))
              << trace(route, size) << ": " << first << " at " << i << ", "
              << second << " at " << j << " give " << computed;
        }
      }
}

TYPED_TEST(ReduceNumerics, NonFiniteValues) {
  for_types<Pair<float, float>, Pair<double, double>, Pair<half_t, float>,
            Pair<bhalf_t, float>>([&]<class A, class B>(Pair<A, B>) {
    expect_non_finite_as_in_any_order<A, B, TypeParam>();
  });
}

TYPED_TEST(ReduceNumerics, OnesBeyondTheReachOfHalf) {
  auto const x = filled<half_t, TypeParam>(100000, 1.f);
  auto const y = Kokkos::subview(x, Range(1, 60001));
  for (Route const route : routes<TypeParam>()) {
    SCOPED_TRACE(trace(route, 0));
    EXPECT_EQ(1e5f, sum_of<float>(TypeParam(), x, Settings{route}));
    EXPECT_EQ(6e4f, float(sum_of<half_t>(TypeParam(), y, Settings{route})));
    EXPECT_EQ(6e4f,
              float((sum_in_view<half_t, typename TypeParam::memory_space>(
                  TypeParam(), y, Settings{route}))));
  }
}

#if KOKKOSMMA_IMPL_ON_CUDA()

/// Sum by the papers' kernels.
template <class Value>
Value paper_sum(Kokkos::View<half_t const*, Kokkos::Cuda> const& x,
                Impl::PaperSettings const& settings) {
  Kokkos::Cuda const exec;
  Value result(-77);
  Impl::Cuda::launch_paper_reduce(
      exec, Impl::Cuda::StreamScratch(exec),
      Impl::vector_range(x.data(), x.size(), sizeof(half_t)), settings, &result,
      false);
  return result;
}

/// Calls check(settings) for all formulations, chain lengths and block sizes.
template <class Check>
void for_each_formulation(Check const& check) {
  using enum Impl::Formulation;
  for (Impl::Formulation const formulation :
       {chained, recurrence, single_pass, split})
    for (int const chain_length : {1, 4, 8, 32})
      for (int const block_size : {32, 128, 512}) {
        SCOPED_TRACE(joined(to_string(formulation), ", R ", chain_length,
                            ", B ", block_size));
        check(Impl::PaperSettings{formulation, chain_length, block_size});
      }
}

template <class Value>
void expect_exact_formulations() {
  Random random;
  for (std::size_t const size :
       {0, 1, 7, 8, 255, 256, 257, 65535, 65537, 1000003}) {
    SCOPED_TRACE(size);
    double expected = 0;
    auto const memory =
        make_view<half_t, Kokkos::Cuda>(size + 3, [&](std::size_t i) {
          int const value = int(random.integer(-1, 1));
          if (i >= 3) expected += value;
          return float(i < 3 ? 5 : value);
        });
    auto const x = Kokkos::subview(memory, Range(3, 3 + size));
    if (sizeof(Value) == 2 && std::abs(expected) > 2000) continue;
    for_each_formulation([&](Impl::PaperSettings const& settings) {
      EXPECT_EQ(expected, double(paper_sum<Value>(x, settings)));
    });
  }
}

TEST(PaperReduce, IsExactForIntegers) {
  expect_exact_formulations<float>();
  expect_exact_formulations<half_t>();
}

TEST(PaperReduce, OfUniformData) {
  Random random;
  Sample<half_t, Kokkos::Cuda> const sample(
      300001, [&](std::size_t) { return random.uniform(); });
  for_each_formulation([&](Impl::PaperSettings const& settings) {
    // two products per vector are chained and one more adds the columns,
    // through three levels in the recurrence; a single warp makes
    // size / (256 * R) passes
    double const passes = 300001. / (256 * settings.chain_length * 100);
    double const bound  = 3 * chained_sum_bound(2 * settings.chain_length + 1,
                                                std::uint64_t(passes) + 40);
    EXPECT_LE(sample.exact.error_of(paper_sum<float>(sample.x, settings)),
              bound * sample.magnitudes);
  });
}

#endif

}  // namespace
