// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_STENCILSUPPORT_HPP
#define EMULATEDDEVICE_STENCILSUPPORT_HPP

#include "DeviceMemory.hpp"

#include <KokkosMMA_Random.hpp>
#include <algorithms/StencilSupport.hpp>
#include <core/stencil/KokkosMMA_FactoredWeights.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace KokkosMMA::Testing {

/// What the elements of a grid are: integers whose sums are exact in every
/// floating-point type, of integer types all values; others in turn, the ends
/// of an integer type, and floating-point numbers so large that results
/// overflow and as small as the type has them, negative zeros, infinities and
/// NaN.
enum class StencilData { integers, large, tiny, zeros, special };

/// How many stencils of this test a kernel has taken. Of each seven data of the
/// first three are integers, then each other kind has its turn.
inline int& stencils_taken() {
  static ::testing::TestInfo const* test = nullptr;
  static int taken                       = 0;
  auto const* const now =
      ::testing::UnitTest::GetInstance()->current_test_info();
  if (now != test) taken = 0;
  test = now;
  return taken;
}

/// The power of two of large and tiny data, which are multiples of the least
/// number.
template <class T>
int stencil_exponent(StencilData data) {
  if (std::is_integral_v<T>) return 0;
  bool const tiny = data == StencilData::tiny;
  if (data != StencilData::large && !tiny) return 0;
  switch (scalar_v<T>) {
    case Scalar::half: return tiny ? -24 : 13;
    case Scalar::bhalf: return tiny ? -133 : 100;
    case Scalar::float32: return tiny ? -149 : 100;
    default: return tiny ? -1074 : 900;
  }
}

template <class T>
T stencil_datum(Random& random, StencilData data = StencilData::integers) {
  if constexpr (std::is_same_v<T, bool>) {
    return data == StencilData::large || random.integer(0, 1) == 1;
  } else if constexpr (std::is_integral_v<T>) {
    if (data == StencilData::large) return std::numeric_limits<T>::max();
    if (data == StencilData::tiny) return std::numeric_limits<T>::min();
    return T(random.bits());
  } else {
    double const infinity = std::numeric_limits<double>::infinity();
    if (data == StencilData::zeros) return T(-0.);
    if (data == StencilData::special && random.integer(0, 200) == 0)
      return T(random.integer(0, 2) == 0 ? std::nan("")
               : random.integer(0, 1)    ? infinity
                                         : -infinity);
    return T(
        std::ldexp(double(random.integer(-4, 4)), stencil_exponent<T>(data)));
  }
}

/// Equal, signs of zeros as well, or both NaN.
template <class T>
bool same_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a == b;
  } else {
    double const x = a, y = b;
    return std::isnan(x) ? std::isnan(y)
                         : x == y && std::signbit(x) == std::signbit(y);
  }
}

/// Where sums for a functor are kept.
template <class Sum, int R>
struct KeepSum {
  DeviceGrid<Sum, R>* grid;
  DeviceGrid<unsigned char, R>* calls;

  template <class... Indices>
  void operator()(Indices... indices_and_sum) const {
    auto const all = std::tuple(indices_and_sum...);
    [&]<std::size_t... d>(std::index_sequence<d...>) {
      Place<R> const place{std::int64_t(std::get<d>(all))...};
      grid->at(place) = std::get<sizeof...(d)>(all);
      ++calls->at(place);
    }
    (std::make_index_sequence<R>());
  }
};

/// One stencil: what is around an element, and how grids lie.
template <int R>
struct StencilCase {
  Place<R> extent;
  StencilWeights<R> weights;
  Boundaries<R> boundaries;
  bool reversed = false;
  Lie in        = {};
  Lie out       = {};

  std::string describe() const {
    std::string text = Testing::describe<R>(extent, boundaries) + "radius";
    for (int d = 0; d < R; ++d) text += " " + std::to_string(weights.radius(d));
    return text + ", rows " + std::to_string(in.extra) + " longer, from " +
           std::to_string(in.before) + " on; of results " +
           std::to_string(out.extra) + ", " + std::to_string(out.before) +
           (reversed ? "; reversed" : "");
  }
};

/// Integers, half of them zeros where `sparse`.
template <int R>
StencilWeights<R> random_weights(typename StencilWeights<R>::Offsets radius,
                                 bool sparse, Random& random, int most = 2) {
  std::vector<double> values(StencilWeights<R>::box(radius).size());
  for (double& value : values)
    value = sparse && random.integer(0, 1)
                ? 0
                : double(random.integer(-most, most));
  return StencilWeights<R>::dense(radius, values);
}

/// What a stencil adds up, reads and writes; `Calls` into a functor.
template <class A_, class Element_, class Result_, bool Calls_ = false>
struct StencilTypes {
  using A                     = A_;
  using Element               = Element_;
  using Result                = Result_;
  static constexpr bool calls = Calls_;
};

/// Grids of at most `most` elements in each dimension and of rows that begin in
/// lines of 16 bytes, or anywhere, and results likewise.
template <int R>
StencilCase<R> random_case(Random& random, StencilWeights<R> const& weights,
                           Place<R> const& most, bool halos = true) {
  StencilCase<R> in{{}, weights, {}};
  for (int d = 0; d < R; ++d) {
    int const radius = weights.radius(d);
    // In a quarter of the cases the elements beyond both ends are all of them.
    in.extent[d] =
        random.integer(0, 3) == 0
            ? random.integer(radius, 2 * radius)
            : random.integer(2 * radius + 1,
                             std::max<std::int64_t>(most[d], 2 * radius + 1));
  }
  in.boundaries  = random_boundaries<R>(random, halos);
  in.reversed    = random.integer(0, 1) == 1;
  auto const lie = [&] {
    return Lie{random.integer(0, 32), random.integer(0, 16)};
  };
  switch (random.integer(0, 2)) {
    case 0: {
      std::int64_t row = in.extent[R - 1];
      for (BoundaryCondition const& condition :
           {in.boundaries.low[R - 1], in.boundaries.high[R - 1]})
        if (condition.kind == Boundary::halo) row += weights.radius(R - 1);
      in.in.extra  = (16 - row % 16) % 16;
      in.out.extra = (16 - in.extent[R - 1] % 16) % 16;
      in.in.before = in.out.before = 16 * random.integer(0, 1);
      break;
    }
    case 1: in.in = lie(); break;
    default: in.in = lie(); in.out = lie();
  }
  return in;
}

/// Weights that are an outer product.
template <int R>
struct Factors {
  std::array<std::vector<double>, R> of;
  bool ones;

  StencilWeights<R> weights() const {
    typename StencilWeights<R>::Offsets radius;
    for (int d = 0; d < R; ++d) radius[d] = int(of[d].size() / 2);
    std::vector<double> values{1.};
    for (auto const& vector : of) {
      std::vector<double> longer;
      for (double const value : values)
        for (double const factor : vector) longer.push_back(value * factor);
      values = longer;
    }
    return StencilWeights<R>::dense(radius, values);
  }
};

template <int R>
Factors<R> box(int radius) {
  Factors<R> factors{{}, true};
  for (auto& vector : factors.of) vector.assign(2 * radius + 1, 1.);
  return factors;
}
/// Small integers, none of which is zero.
template <int R>
Factors<R> random_factors(std::array<int, R> const& radius, Random& random) {
  Factors<R> factors{{}, false};
  for (int d = 0; d < R; ++d)
    for (int i = 0; i < 2 * radius[d] + 1; ++i)
      factors.of[d].push_back(double(random.integer(1, 2)) *
                              (random.integer(0, 3) == 0 ? -1 : 1));
  return factors;
}

/// The sums that a kernel has to find, in the type that it adds up in.
template <class A, class T, int R>
struct ExactSums : StencilTerms<T, R> {
  using StencilTerms<T, R>::StencilTerms;

  A operator()(Place<R> const& element) const {
    A sum{};
    this->for_each(element, [&](double weight, T value) {
      if constexpr (std::is_integral_v<A>) {
        using Bits = std::make_unsigned_t<A>;
        sum        = A(Bits(sum) +
                       Bits(Impl::weight_as<A>(weight)) * Bits(static_cast<A>(value)));
      } else {
        sum += static_cast<A>(weight) * static_cast<A>(value);
      }
    });
    return sum;
  }
};

/// What a grid holds before a kernel writes to it; and after each result that
/// was right has become T{}: that nothing beside these was written.
template <class T, int R>
void fill_bytes(DeviceGrid<T, R>& grid) {
  std::memset(static_cast<void*>(grid.memory()), 0x5a,
              std::size_t(grid.size()) * sizeof(T));
}
template <class T, int R>
void expect_only_written(DeviceGrid<T, R>& grid, std::size_t elements) {
  auto const* const byte =
      reinterpret_cast<unsigned char const*>(grid.memory());
  auto const written =
      std::count_if(byte, byte + grid.size() * std::int64_t(sizeof(T)),
                    [](unsigned char value) { return value != 0x5a; });
  ASSERT_EQ(written, std::ptrdiff_t(elements * sizeof(T)))
      << "bytes beside the results";
}

/// Fills a grid with draw(), and calls check(place, sum, exact sums) for every
/// sum of `launch(grid, sink)`, into a View and, where `Calls`, into a functor.
/// Nothing, where it returns false.
template <class A, class T, class Result, int R, bool Calls, class Draw,
          class Launch, class Check>
void each_sum(StencilCase<R> const& in, Random& random, Draw const& draw,
              Launch const& launch, Check const& check) {
  SCOPED_TRACE(in.describe());
  any_device(random);
  Place<R> low{}, high{}, none{};
  for (int d = 0; d < R; ++d) {
    low[d]  = in.boundaries.ghosts_low(d, in.weights.radius(d));
    high[d] = in.boundaries.ghosts_high(d, in.weights.radius(d));
  }
  DeviceGrid<T, R> source(in.extent, low, high, in.in);
  // What lies between the rows is not for anybody's sums.
  if constexpr (!std::is_integral_v<T>)
    std::fill_n(source.memory(), source.size(),
                T(std::numeric_limits<double>::quiet_NaN()));
  HostGrid<R> const with_ghosts(
      Testing::with_ghosts<R>(in.extent, radius_of(in.weights), in.boundaries));
  for (std::size_t i = 0; i < with_ghosts.values.size(); ++i) {
    Place<R> place = with_ghosts.place(i);
    for (int d = 0; d < R; ++d) place[d] -= low[d];
    source.at(place) = draw();
  }
  Impl::StencilGrid<T, R> grid{
      source.data(), {}, {}, in.boundaries, in.reversed};
  Place<R> stride;
  for (int d = 0; d < R; ++d) {
    grid.stride[d] = stride[d] = source.stride(d);
    grid.extent[d]             = in.extent[d];
  }
  HostGrid<R> const all(in.extent);
  ExactSums<A, T, R> const exact(source.data(), in.extent, stride, in.weights,
                                 in.boundaries, in.reversed);
  if constexpr (Calls) {
    DeviceGrid<A, R> sums(in.extent, none, none, {});
    DeviceGrid<unsigned char, R> calls(in.extent, none, none, {});
    std::fill_n(calls.memory(), calls.size(), 0);
    if (!launch(grid,
                Impl::StencilCall<KeepSum<A, R>, R>{{&sums, &calls}, false}))
      return;
    for (std::size_t i = 0; i < all.values.size(); ++i) {
      Place<R> const place = all.place(i);
      ASSERT_EQ(int(calls.at(place)), 1) << "calls for element " << i;
      ASSERT_NO_FATAL_FAILURE(check(place, sums.at(place), exact));
    }
  } else {
    DeviceGrid<Result, R> results(in.extent, none, none, in.out);
    fill_bytes(results);
    Impl::StencilTarget<Result, R> sink{results.data(), {}};
    for (int d = 0; d < R; ++d) sink.stride[d] = results.stride(d);
    if (!launch(grid, sink)) return;
    for (std::size_t i = 0; i < all.values.size(); ++i) {
      Place<R> const place = all.place(i);
      ASSERT_NO_FATAL_FAILURE(check(place, results.at(place), exact));
      results.at(place) = Result{};
    }
    expect_only_written(results, all.values.size());
  }
}

/// Compares every sum with the exact one; data of every kind in turn.
template <class Types, int R, class Launch>
void expect_exact_sums(StencilCase<R> in, Random& random,
                       Launch const& launch) {
  using T         = typename Types::Element;
  int& taken      = stencils_taken();
  auto const data = StencilData(std::max(0, taken % 7 - 2));
  SCOPED_TRACE("data of kind " + std::to_string(int(data)));
  for (int d = 0; d < R; ++d)
    for (auto* const condition :
         {&in.boundaries.low[d], &in.boundaries.high[d]})
      condition->value =
          std::ldexp(condition->value, stencil_exponent<T>(data));
  each_sum<typename Types::A, T, typename Types::Result, R, Types::calls>(
      in, random, [&] { return stencil_datum<T>(random, data); },
      [&](auto const& grid, auto const& sink) {
        bool const takes = launch(grid, sink);
        taken += takes;
        return takes;
      },
      [](Place<R> const& place, auto sum, auto const& exact) {
        using Sum           = decltype(sum);
        auto const expected = static_cast<Sum>(exact(place));
        ASSERT_TRUE(same_sum(sum, expected))
            << +sum << ", not " << +expected << ", of element "
            << ::testing::PrintToString(place);
      });
}

/// Expects errors, over the sum of magnitudes, to be those of sums in the order
/// of the weights, or two roundings above them: as root mean squares, and the
/// largest error to be at most twice as large. (Largest errors of two orders
/// differ by more than two roundings in one run of fifty, whichever is better:
/// doubles, radius 7.)
template <class A, class T, class Result, int R, class Draw, class Launch>
void expect_accurate_sums(StencilCase<R> const& in, Random& random,
                          Draw const& draw, Launch const& launch) {
  double largest = 0, largest_of_plain = 0;
  double squares = 0, squares_of_plain = 0, elements = 0;
  each_sum<A, T, Result, R, false>(
      in, random, [&] { return T(draw()); }, launch,
      [&](Place<R> const& place, Result sum, auto const& sums) {
        long double exact = 0, magnitude = 0;
        A plain = 0;
        sums.for_each(place, [&](double weight, T value) {
          long double const term = static_cast<long double>(weight) *
                                   static_cast<long double>(value);
          exact += term;
          magnitude += std::abs(term);
          plain += A(weight) * A(value);
        });
        if (magnitude == 0) magnitude = 1;
        ASSERT_TRUE(std::isfinite(sum)) << ::testing::PrintToString(place);
        double const error = double(std::abs(sum - exact) / magnitude);
        double const error_of_plain =
            double(std::abs(plain - exact) / magnitude);
        largest          = std::max(largest, error);
        largest_of_plain = std::max(largest_of_plain, error_of_plain);
        squares += error * error;
        squares_of_plain += error_of_plain * error_of_plain;
        ++elements;
      });
  constexpr double two_roundings = std::numeric_limits<A>::epsilon();
  EXPECT_LE(largest, 2 * largest_of_plain + two_roundings) << in.describe();
  EXPECT_LE(std::sqrt(squares),
            std::sqrt(squares_of_plain) + two_roundings * std::sqrt(elements))
      << in.describe();
}

}  // namespace KokkosMMA::Testing

#endif
