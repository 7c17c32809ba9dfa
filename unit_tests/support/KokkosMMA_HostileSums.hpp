// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_HOSTILESUMS_HPP
#define KOKKOSMMA_HOSTILESUMS_HPP

#include <KokkosMMA_Random.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace KokkosMMA::Testing {

/// Doubles whose exact sum is hard to get. They are rounded to the elements'
/// type by whoever uses them, before the reference adds them.
struct HostileSum {
  std::string name;
  std::vector<double> terms;
};

/// Over the whole range of a type, its subnormal numbers included.
inline std::vector<HostileSum> hostile_sums(Random& random, std::size_t size,
                                            Scalar type) {
  Impl::FloatFormat const format = Impl::float_format(type);
  int const low = format.lowest(), high = format.bias();
  std::vector<HostileSum> all;
  auto const add = [&](char const* name, auto const& term) {
    std::vector<double> terms(size);
    for (std::size_t i = 0; i < size; ++i) terms[i] = term(i);
    all.push_back({name, terms});
    return terms;
  };
  auto const wide = [&](int from, int to) {
    return std::ldexp(random.uniform(1, 2) * (random.integer(0, 1) ? 1 : -1),
                      int(random.integer(from, to)));
  };
  auto const shuffle = [&](std::vector<double>& terms) {
    std::shuffle(terms.begin(), terms.end(), random.engine());
  };
  int const middle = std::clamp(0, low + 30, high - 31);
  add("uniform", [&](std::size_t) { return random.uniform(); });
  add("normal", [&](std::size_t) { return random.normal(); });
  add("zeros", [&](std::size_t i) { return i % 3 ? 0. : -0.; });
  add("negative zeros", [](std::size_t) { return -0.; });
  add("small integers",
      [&](std::size_t) { return double(random.integer(-99, 99)); });
  add("60 binary orders",
      [&](std::size_t) { return wide(middle - 30, middle + 30); });
  auto terms = add("whole range", [&](std::size_t) { return wide(low, high); });
  std::sort(terms.begin(), terms.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  all.push_back({"whole range, ascending", terms});
  std::reverse(terms.begin(), terms.end());
  all.push_back({"whole range, descending", terms});
  // Every term has its opposite but for a few, by far smaller.
  for (std::size_t i = 1; i < size; i += 2) terms[i] = -terms[i - 1];
  for (std::size_t i = 0; i < size; i += size / 3 + 1)
    terms[i] = std::ldexp(random.uniform(1, 2), low + 2);
  shuffle(terms);
  all.push_back({"cancelling but for small terms", terms});
  for (std::size_t i = 1; i < size; i += 2) terms[i] = -terms[i - 1];
  if (size % 2) terms[size - 1] = 0;
  shuffle(terms);
  all.push_back({"cancelling to zero", terms});
  // Half a unit of the sum, a bit more and a bit less, far apart.
  for (double const more : {0., 1., -1.}) {
    std::vector<double> ties(size, 0.);
    int const top = std::min(high, middle + 20);
    ties[0]       = std::ldexp(1., top);
    for (int const fraction : {7, 10, 23, 52})
      if (size > std::size_t(fraction)) {
        std::vector<double> tie    = ties;
        tie[std::size_t(fraction)] = std::ldexp(1., top - fraction - 1);
        tie[1]                     = std::ldexp(more, low);
        shuffle(tie);
        all.push_back({"tie", tie});
      }
  }
  // Windows that the next numbers do not fit.
  add("rising and falling", [&](std::size_t i) {
    int const range = high - low;
    int const at    = int(i / 7 % std::size_t(2 * range));
    return std::ldexp(random.uniform(-1, 1),
                      low + (at < range ? at : 2 * range - at));
  });
  add("rare large numbers", [&](std::size_t) {
    return random.integer(0, 600) ? std::ldexp(random.normal(), low + 4)
                                  : std::ldexp(random.normal(), high - 4);
  });
  add("smallest", [&](std::size_t) {
    return std::ldexp(double(random.integer(-40, 40)), low);
  });
  add("largest",
      [&](std::size_t i) { return std::ldexp(i % 3 ? 1.75 : -1.5, high); });
  add("beyond the range", [&](std::size_t) { return std::ldexp(1.5, high); });
  double const infinity = std::numeric_limits<double>::infinity();
  double const nan      = std::numeric_limits<double>::quiet_NaN();
  for (auto const& specials : {std::vector<double>{infinity},
                               {-infinity},
                               {infinity, -infinity},
                               {nan},
                               {nan, infinity},
                               {infinity, infinity}}) {
    std::vector<double> some(size);
    for (double& each : some) each = wide(low, high);
    for (double const special : specials)
      some[std::size_t(random.integer(0, std::int64_t(size) - 1))] = special;
    all.push_back({"not finite", some});
  }
  return all;
}

/// Of limb 20 of a sum of doubles as much as a number can have, which no window
/// holds beside the ones that are there, and that cancel.
inline std::vector<double> full_limbs(std::size_t size) {
  std::vector<double> terms(size, std::ldexp(0x1p53 - 1, 32 * 20 - 1074));
  for (std::size_t i = 0; i < size; i += 64) terms[i] = i / 64 % 2 ? -1 : 1;
  return terms;
}

/// Factors whose sum of products is hard to get: hostile terms beside ones,
/// beside powers of two, beside themselves and beside others.
struct HostileDot {
  std::string name;
  std::vector<double> x, y;
};
inline std::vector<HostileDot> hostile_dots(Random& random, std::size_t size,
                                            Scalar type) {
  Impl::FloatFormat const format = Impl::float_format(type);
  std::vector<HostileDot> all;
  auto const sums = hostile_sums(random, size, type);
  for (HostileSum const& sum : sums) {
    auto const& x          = sum.terms;
    std::vector<double> y  = x;
    std::int64_t const way = random.integer(0, 4);
    int const power =
        int(random.integer(format.lowest() / 2, format.bias() / 2));
    if (way < 2)
      for (double& each : y) each = way ? std::ldexp(1., power) : 1;
    if (way == 2) {
      // Products within a few binary orders, of any factors.
      for (double& each : y)
        each = std::ldexp(random.uniform(-1, 1),
                          each == 0 || !std::isfinite(each)
                              ? 0
                              : -std::ilogb(each) + int(power / 4));
    }
    if (way == 3)
      y = sums[std::size_t(random.integer(0, std::int64_t(sums.size()) - 1))]
              .terms;
    all.push_back({sum.name + " beside " + std::to_string(way), x, y});
  }
  return all;
}

}  // namespace KokkosMMA::Testing

#endif
