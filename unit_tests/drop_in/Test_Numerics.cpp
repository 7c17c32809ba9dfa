// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The error of every sum and prefix against the exact one, next to the error of
// Kokkos' own code on the same data; values that are no numbers; the same bits
// in every run.

#include <KokkosMMA_ExactSum.hpp>
#include <KokkosMMA_Instances.hpp>
#include <KokkosMMA_ScanSupport.hpp>
#include <KokkosMMA_SmallFloats.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace {

using Kokkos::Experimental::bhalf_t;
using Kokkos::Experimental::half_t;
using namespace KokkosMMA;
using namespace KokkosMMA::Testing;

KOKKOSMMA_TEST_EVERY_SPACE(Numerics);

TEST(ExactSum, KeepsWhatDoublesLose) {
  ExactSum sum;
  for (double const x : {1., 1e100, 0x1p-60, -1e100, 3.}) sum.add(x);
  EXPECT_EQ(4., sum.value());
  EXPECT_EQ(0x1p-60, sum.error_of(4.));
  EXPECT_EQ(1., sum.error_of(3.) - 0x1p-60);
}

/// Elements one after the other, at a place in [0, 1).
using Draw = double (*)(Random&, std::size_t i, double place, double previous);
struct Distribution {
  char const* name;
  bool sums, prefixes;  ///< which tests take it
  Draw draw;
};
/// Every value fits a half_t. The cancelling ones leave sums far below their
/// summands. In the growing one, late elements are larger than all early
/// prefixes: differences of later sums would not have the early ones.
constexpr Distribution distributions[] = {
    {"uniform in [0, 1)", true, true,
     [](Random& random, std::size_t, double, double) {
       return random.uniform();
     }},
    {"uniform in [-1, 1)", true, false,
     [](Random& random, std::size_t, double, double) {
       return random.uniform(-1., 1.);
     }},
    {"normal", true, true,
     [](Random& random, std::size_t, double, double) {
       return random.normal();
     }},
    {"log-uniform", true, false,
     [](Random& random, std::size_t, double, double) {
       return std::exp2(random.uniform(-12., 3.));
     }},
    {"ill-conditioned", false, true,
     [](Random& random, std::size_t, double, double) {
       return random.uniform(-1., 1.) * std::exp2(random.uniform(-14., 14.));
     }},
    {"cancelling pairs", true, false,
     [](Random& random, std::size_t i, double, double previous) {
       return i % 2 == 1 ? -previous * (1. + 1e-3 * random.uniform())
                         : random.normal() * std::exp2(random.uniform(-8., 8.));
     }},
    {"cancelling", false, true,
     [](Random& random, std::size_t, double, double previous) {
       return std::abs(previous) > 1e-3
                  ? -previous * (1. - 1e-3 * random.uniform())
                  : random.normal() * std::exp2(random.uniform(-8., 8.));
     }},
    {"growing", false, true,
     [](Random& random, std::size_t, double place, double) {
       return random.uniform(0.5, 1.) * std::exp2(28. * place - 14.);
     }},
    {"falling", false, true,
     [](Random& random, std::size_t, double place, double) {
       return random.uniform(0.5, 1.) * std::exp2(14. - 28. * place);
     }},
};

std::vector<double> draw(Distribution const& distribution, Random& random,
                         std::size_t n) {
  std::vector<double> values(n);
  double previous = 0.;
  for (std::size_t i = 0; i < n; ++i)
    values[i] = previous =
        distribution.draw(random, i, double(i) / double(n), previous);
  return values;
}

/// The View of the values, each rounded to T; values becomes what was stored.
template <class T, class Exec>
Kokkos::View<T const*, Exec> stored(std::vector<double>& values) {
  return make_view<T, Exec>(values.size(), [&](std::size_t i) {
    T value;
    if constexpr (sizeof(T) < sizeof(float)) {
      value = static_cast<T>(static_cast<float>(values[i]));
    } else {
      value = static_cast<T>(values[i]);
    }
    values[i] = static_cast<double>(value);
    return value;
  });
}

/// The prefixes of x without the element itself, and the sum of all after
/// them.
template <class T, class Exec>
std::vector<T> prefixes(Kokkos::View<T const*, Exec> const& x, Route route) {
  ScopedSettings const scope(Settings{route});
  std::size_t const n = x.extent(0);
  auto const y        = poisoned_array<T, Exec>(n + 1);
  auto const total    = Kokkos::subview(y, n);
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("numerics", Kokkos::RangePolicy<Exec>(0, n),
                        ExclusiveSum<T, Exec>{x, y}, total);
  EXPECT_TRUE(probe.took(route == Route::automatic ? Route::streamed : route));
  return elements(y);
}

template <class Exec, class T, class Result>
Result sum(Kokkos::View<T const*, Exec> const& x, Route route) {
  ScopedSettings const scope(Settings{route});
  Result result = poison<Result>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_reduce(
      "numerics", Kokkos::RangePolicy<Exec>(0, x.extent(0)),
      ElementSum<T, Exec, Kokkos::View<T const*, Exec>, Result>{x}, result);
  EXPECT_TRUE(probe.took(route == Route::automatic ? Route::streamed : route));
  return result;
}

template <class Exec, class T, class Result>
void check_errors_of_sums() {
  // a 16 bit result is the rounded value of a sum in float
  using Accumulator =
      std::conditional_t<sizeof(Result) < sizeof(float), float, Result>;
  for (std::size_t n :
       {10ul, 1000ul, 30000ul, on_cuda<Exec> ? 1ul << 21 : 1ul << 17})
    for (auto const& distribution : distributions) {
      if (!distribution.sums) continue;
      Random random;
      auto values  = draw(distribution, random, n);
      auto const x = stored<T, Exec>(values);
      ExactSum exact;
      double magnitudes = 0.;
      for (double const value : values) {
        exact.add(value);
        magnitudes += std::abs(value);
      }
      double const ours =
          static_cast<double>(sum<Exec, T, Result>(x, Route::automatic));
      double const theirs =
          static_cast<double>(sum<Exec, T, Result>(x, Route::generic));
      // a sum that a 16 bit result cannot hold has no error to speak of
      if (!std::isfinite(theirs) || !std::isfinite(ours)) {
        EXPECT_GT(std::abs(exact.value()), 0.99 * 65504.)
            << distribution.name << ", n = " << n;
        continue;
      }
      EXPECT_LE(exact.error_of(ours),
                allowed_error(exact.error_of(theirs), exact.value(), magnitudes,
                              epsilon<Result>, epsilon<Accumulator>))
          << distribution.name << ", n = " << n << ": " << ours
          << " with the drop-in, " << theirs << " by Kokkos, " << exact.value()
          << " exact";
    }
}
TYPED_TEST(Numerics, ErrorsOfSums) {
  check_errors_of_sums<TypeParam, double, double>();
  check_errors_of_sums<TypeParam, float, float>();
  check_errors_of_sums<TypeParam, half_t, float>();
  check_errors_of_sums<TypeParam, bhalf_t, float>();
  check_errors_of_sums<TypeParam, half_t, half_t>();
}

/// Errors of every prefix. The largest of all is held to the bound of a sum
/// (see allowed_error). A single one, where chance decides which code is the
/// nearer, may have as many roundings of partial sums as a tree of them has
/// levels.
template <class Exec, class T>
void check_errors() {
  double const accumulator = sizeof(T) < 4 ? epsilon<float> : epsilon<T>;
  for (std::size_t n :
       {10ul, 1000ul, 30000ul, on_cuda<Exec> ? 1ul << 20 : 1ul << 16})
    for (auto const& distribution : distributions) {
      if (!distribution.prefixes) continue;
      Random random;
      SCOPED_TRACE(std::string(distribution.name) +
                   ", n = " + std::to_string(n));
      auto values       = draw(distribution, random, n);
      auto const x      = stored<T, Exec>(values);
      auto const ours   = prefixes<T, Exec>(x, Route::automatic);
      auto const theirs = prefixes<T, Exec>(x, Route::generic);
      ExactSum exact;
      double magnitudes = 0., largest = 0.;
      double our_worst = 0., their_worst = 0.;
      int wrong = 0;
      for (std::size_t i = 0; i <= n; ++i) {
        double const ours_i   = static_cast<double>(ours[i]);
        double const theirs_i = static_cast<double>(theirs[i]);
        double const exact_i  = exact.value();
        // A prefix that 16 bits cannot hold has no error to speak of; Kokkos'
        // own sums overflow on the way to one that they can.
        if (on_cuda<Exec> && !std::isfinite(ours_i) &&
            std::abs(exact_i) < 0.99 * 65504.)
          ++wrong;
        if (std::isfinite(ours_i) && std::isfinite(theirs_i)) {
          double const our_error   = exact.error_of(ours_i);
          double const their_error = exact.error_of(theirs_i);
          our_worst                = std::max(our_worst, our_error);
          their_worst              = std::max(their_worst, their_error);
          largest                  = std::max(largest, std::abs(exact_i));
          if (our_error > allowed_error(their_error, exact_i, magnitudes,
                                        epsilon<T>, 8. * accumulator) &&
              ++wrong == 1)
            ADD_FAILURE() << "prefix " << i << ": " << ours_i
                          << " with the drop-in, " << theirs_i << " by Kokkos, "
                          << exact_i << " exact";
        }
        if (i == n) break;
        exact.add(values[i]);
        magnitudes += std::abs(values[i]);
      }
      EXPECT_EQ(0, wrong) << "prefixes with too large an error";
      EXPECT_LE(our_worst, allowed_error(their_worst, largest, magnitudes,
                                         epsilon<T>, accumulator));
    }
}
TYPED_TEST(Numerics, ErrorsOfPrefixes) {
  check_errors<TypeParam, double>();
  check_errors<TypeParam, float>();
  check_errors<TypeParam, half_t>();
  check_errors<TypeParam, bhalf_t>();
}

/// What a sum is, as far as every order of its summands agrees.
enum class Kind { finite, positive_infinity, negative_infinity, not_a_number };
Kind kind_of(double value) {
  if (std::isnan(value)) return Kind::not_a_number;
  if (std::isinf(value))
    return value > 0. ? Kind::positive_infinity : Kind::negative_infinity;
  return Kind::finite;
}

/// A special value reaches the sum and the prefixes after it, each one of
/// them, and no other.
template <class Exec, class T>
void check_special_values() {
  T const infinity                        = std::numeric_limits<T>::infinity();
  T const nan                             = std::numeric_limits<T>::quiet_NaN();
  T const largest                         = std::numeric_limits<T>::max();
  std::vector<std::vector<T>> const cases = {{infinity},
                                             {-infinity},
                                             {infinity, infinity},
                                             {infinity, -infinity},
                                             {nan},
                                             {nan, infinity},
                                             {largest, largest},
                                             {-largest, -largest},
                                             {infinity, largest}};
  for (std::size_t n : {2, 33, 1024, 100003})
    for (std::size_t which = 0; which < cases.size(); ++which)
      for (int placing = 0; placing < 3; ++placing) {
        Random random;
        SCOPED_TRACE("n = " + std::to_string(n) + ", case " +
                     std::to_string(which));
        std::vector<double> values(n);
        for (auto& value : values) value = random.uniform(-1., 1.);
        // at both ends; anywhere; next to each other
        std::size_t first = 0, second = n - 1;
        if (placing > 0) {
          first  = random.integer(0, n - 2);
          second = placing == 1 ? random.integer(first + 1, n - 1) : first + 1;
        }
        auto const& special = cases[which];
        values[first]       = special[0];
        if (special.size() > 1) values[second] = special[1];
        auto const x      = stored<T, Exec>(values);
        auto const found  = prefixes<T, Exec>(x, Route::automatic);
        T prefix          = 0;
        std::size_t wrong = 0, place = 0;
        for (std::size_t i = 0; i <= n; ++i) {
          if (kind_of(found[i]) != kind_of(prefix) ||
              // ordinary numbers before the first special one
              (i <= first && std::abs(found[i] - prefix) > 0.1)) {
            if (wrong++ == 0) place = i;
          }
          if (i < n) prefix += static_cast<T>(values[i]);
        }
        T const reduced = sum<Exec, T, T>(x, Route::automatic);
        ASSERT_EQ(kind_of(prefix), kind_of(reduced)) << reduced;
        ASSERT_EQ(0u, wrong) << "prefixes of another kind, the first " << place
                             << ": " << found[place] << "; special values at "
                             << first << " and " << second;
      }
}
TYPED_TEST(Numerics, SpecialValues) {
  check_special_values<TypeParam, float>();
  check_special_values<TypeParam, double>();
}

/// Multiples of the smallest number: every sum of them is exact, none is
/// flushed to zero. And zeros: with a sign as Kokkos' own code gives it.
template <class Exec, class T>
void check_small_values() {
  T const unit = std::numeric_limits<T>::denorm_min();
  for (std::size_t n : {1, 31, 1024, 100003}) {
    Random random;
    SCOPED_TRACE("n = " + std::to_string(n));
    std::vector<double> values(n);
    std::vector<T> expected;
    std::int64_t multiple = 0;
    for (auto& value : values) {
      expected.push_back(static_cast<T>(multiple) * unit);
      std::int64_t const m = random.integer(-50, 60);
      multiple += m;
      value = static_cast<double>(m) * unit;
    }
    expected.push_back(static_cast<T>(multiple) * unit);
    auto const x     = stored<T, Exec>(values);
    auto const found = prefixes<T, Exec>(x, Route::automatic);
    EXPECT_EQ(expected.back(), (sum<Exec, T, T>(x, Route::automatic)));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i <= n; ++i) wrong += found[i] != expected[i];
    EXPECT_EQ(0u, wrong);

    std::fill(values.begin(), values.end(), -0.);
    auto const zeros = stored<T, Exec>(values);
    auto const ours  = prefixes<T, Exec>(zeros, Route::automatic);
    for (T const zero : ours) ASSERT_TRUE(same_bits(T(0), zero));
    EXPECT_TRUE(same_bits(sum<Exec, T, T>(zeros, Route::generic),
                          sum<Exec, T, T>(zeros, Route::automatic)));
  }
}
TYPED_TEST(Numerics, SubnormalsAndZeros) {
  check_small_values<TypeParam, float>();
  check_small_values<TypeParam, double>();
}

/// 16 bit data beyond the largest half_t: infinite in a half_t, and not in a
/// float.
TYPED_TEST(Numerics, HalvesBeyondTheirRange) {
  using Exec = TypeParam;
  std::vector<double> values(5, 65504.);
  auto const x = stored<half_t, Exec>(values);
  EXPECT_EQ(5 * 65504.f, (sum<Exec, half_t, float>(x, Route::automatic)));
  if constexpr (!std::is_same_v<half_t, float>) {
    auto const result =
        static_cast<float>(sum<Exec, half_t, half_t>(x, Route::automatic));
    EXPECT_EQ(std::numeric_limits<float>::infinity(), result);
  }
}

/// Prefixes of ones in a 16 bit type: each is the exact number, rounded once.
/// Added one after the other in that type they would stand still early.
template <class Exec, class T, std::uint16_t (*encode)(double)>
void check_ones(std::size_t n) {
  // a Kokkos whose host code adds in 16 bits is none of our affair
  if (!on_cuda<Exec> && sizeof(T) == 2) return;
  auto const x = make_view<T, Exec>(n, [](std::size_t) { return T(1.f); });
  ExclusiveSum<T, Exec> const exclusive{x, poisoned_array<T, Exec>(n)};
  InclusiveSum<T, Exec> const inclusive{x, poisoned_array<T, Exec>(n)};
  Kokkos::RangePolicy<Exec> const policy(0, n);
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan(policy, exclusive);
  EXPECT_TRUE(probe.streamed());
  probe.reset();
  Kokkos::parallel_scan(policy, inclusive);
  EXPECT_TRUE(probe.streamed());
  auto const before = elements(exclusive.y), after = elements(inclusive.y);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    T rounded, next;
    if constexpr (sizeof(T) == 2) {
      std::uint16_t const bits = encode(double(i));
      std::memcpy(static_cast<void*>(&rounded), &bits, 2);
      // the functor's own addition in 16 bits
      std::uint16_t const more = encode(static_cast<float>(rounded) + 1.);
      std::memcpy(static_cast<void*>(&next), &more, 2);
    } else {
      rounded = T(float(i));
      next    = T(float(i + 1));
    }
    wrong += !same_bits(rounded, before[i]) || !same_bits(next, after[i]);
  }
  EXPECT_EQ(0u, wrong);
}
TYPED_TEST(Numerics, OnesOf16Bits) {
  check_ones<TypeParam, half_t, encode_half>(100000);
  check_ones<TypeParam, bhalf_t, encode_bhalf>(100000);
}

/// The same bits in every run, by itself or beside other work that changes
/// which blocks come first.
template <class T, class Exec>
void check_repeatable() {
  Random random;
  std::size_t const longest = on_cuda<Exec> ? (1 << 22) + 9 : (1 << 18) + 9;
  auto const x              = make_view<T, Exec>(longest, [&](std::size_t) {
    return T(static_cast<float>(random.normal() *
                                std::ldexp(1., random.integer(-12, 6))));
  });
  auto const instances      = make_instances<Exec>(3);
  // something else to do for the device
  auto const load = poisoned_array<double, Exec>(1 << 20);
  Kokkos::View<double const*, Exec> const ones =
      make_view<double, Exec>(1 << 20, [](std::size_t) { return 1.; });
  for (std::size_t const n :
       {std::size_t(3), std::size_t(777), std::size_t(5000),
        std::size_t(100003), longest}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    auto const first = poisoned_array<T, Exec>(n);
    auto const again = poisoned_array<T, Exec>(n);
    auto const view  = poisoned_view<T, Exec>();
    T first_total = poison<T>(), total = first_total, first_sum = total;
    ElementSum<T, Exec> const functor{x};
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Exec>(instances[0], 0, n),
                            functor, first_sum);
    Kokkos::parallel_scan(Kokkos::RangePolicy<Exec>(instances[0], 0, n),
                          InclusiveSum<T, Exec>{x, first}, first_total);
    Comparison<T, Exec> const comparison;
    for (int run = 0; run < 20; ++run) {
      Exec const& exec = instances[run % std::min<int>(instances.size(), 2)];
      if (run % 3 == 2)
        for (int k = 0; k < 5; ++k)
          Kokkos::parallel_scan(
              Kokkos::RangePolicy<Exec>(instances.back(), 0, 1 << 20),
              ExclusiveSum<double, Exec>{ones, load});
      Kokkos::deep_copy(
          exec, again,
          Kokkos::subview(x, Kokkos::make_pair(std::size_t(0), n)));
      Kokkos::parallel_scan(Kokkos::RangePolicy<Exec>(exec, 0, n),
                            InclusiveSum<T, Exec>{x, again}, total);
      ASSERT_TRUE(same_bits(first_total, total)) << "run " << run;
      T sum = poison<T>();
      Kokkos::RangePolicy<Exec> const policy(exec, 0, n);
      Kokkos::parallel_reduce(policy, functor, sum);
      ASSERT_TRUE(same_bits(first_sum, sum)) << "run " << run;
      Kokkos::parallel_reduce(policy, functor, view);
      ASSERT_TRUE(same_bits(first_sum, value_of(view))) << "run " << run;
      comparison.enqueue(exec, again, first, n);
      exec.fence();
    }
    EXPECT_EQ(0, comparison.wrong()) << "elements with other bits";
  }
}
TYPED_TEST(Numerics, RunsAreRepeatable) {
  check_repeatable<float, TypeParam>();
  check_repeatable<double, TypeParam>();
  check_repeatable<half_t, TypeParam>();
}

}  // namespace
