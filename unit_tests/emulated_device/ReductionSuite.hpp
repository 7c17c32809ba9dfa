// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_REDUCTIONSUITE_HPP
#define EMULATEDDEVICE_REDUCTIONSUITE_HPP

#include "KernelSupport.hpp"

#include <KokkosMMA_ExactSum.hpp>
#include <KokkosMMA_ErrorBound.hpp>

/// \file
/// What every kernel of reductions must do, whatever it takes for a group. A
/// `Kernel` offers
///   Case                          what is reduced; name() and groups()
///   cases(bytes, random)          of elements of so many bytes, at all edges
///   few_cases(bytes, random)      one for each path through the kernel
///   each_way<Op, T>(case, x, check)
///                                 calls check(values, use_mma) for each way to
///                                 combine elements x of type T::Bits
///   bound(bytes, n, use_mma)      of the error of a sum of n floats kept in
///                                 float, over the sum of magnitudes
///   has_operations                or only sums

namespace KokkosMMA::Testing {

template <class P>
class Reductions : public KernelSuite<P> {
 public:
  using typename KernelSuite<P>::Kernel;
  using typename KernelSuite<P>::Case;
  using typename KernelSuite<P>::T;
  using typename KernelSuite<P>::Bits;
  using typename KernelSuite<P>::Value;

  /// Every way, against a loop over the elements in their order.
  template <Impl::Operation Op>
  void expect_serial(Case const& c, Row<Bits> const& x) {
    Groups const groups = c.groups();
    std::vector<Value> expected(groups.count,
                                Impl::Combine<Op, Value>::identity());
    for (std::size_t i = 0; i < x.size(); ++i)
      if (auto const group = groups.of(i); group >= 0)
        expected[group] =
            T::template join<Op>(expected[group], T::value_of(x[i]));
    Kernel::template each_way<Op, T>(
        c, x.data(), [&](std::vector<Value> const& values, bool use_mma) {
          for (std::size_t g = 0; g < groups.count; ++g)
            ASSERT_TRUE(same_number(expected[g], values[g]))
                << groups.name << ", " << to_string(Op)
                << (use_mma ? " by products" : "") << ", group " << g << ": "
                << values[g] << ", not " << expected[g];
        });
  }
  template <Impl::Operation Op>
  void expect_exact() {
    this->each_of(Kernel::cases(T::bytes, this->random),
                  [&](Case const& c, Groups const& groups) {
                    expect_serial<Op>(
                        c, this->row_of(groups, [&](Bits& x, auto, auto) {
                          x = T::template draw<Op>(this->random);
                        }));
                  });
  }
};
TYPED_TEST_SUITE_P(Reductions);

TYPED_TEST_P(Reductions, Exact) {
  this->template expect_exact<Impl::Operation::sum>();
  if constexpr (TypeParam::Kernel::has_operations) {
    this->template expect_exact<Impl::Operation::min>();
    // What differs between types is how they are read. One is a sample.
    constexpr Scalar input = TypeParam::T::input;
    if constexpr (input == Scalar::int8 ||
                  (all_types &&
                   (input == Scalar::half || input == Scalar::float32 ||
                    input == Scalar::uint64))) {
      this->template expect_exact<Impl::Operation::max>();
      this->template expect_exact<Impl::Operation::prod>();
    }
  }
}
REGISTER_TYPED_TEST_SUITE_P(Reductions, Exact);

template <class P>
class FloatReductions : public Reductions<P> {
 public:
  using F = Format<P::T::input>;
};
TYPED_TEST_SUITE_P(FloatReductions);

TYPED_TEST_P(FloatReductions, ErrorIsWithinItsBound) {
  using T      = typename TypeParam::T;
  using Value  = typename T::Value;
  using F      = typename TestFixture::F;
  using Kernel = typename TypeParam::Kernel;
  double const epsilon =
      std::max(double(std::numeric_limits<Value>::epsilon()), 0x1p-52);
  auto draws = this->distributions();
  // magnitudes over the whole range of a half
  draws.push_back([&](std::size_t) {
    return std::ldexp(this->random.uniform(-1, 1),
                      int(this->random.integer(-14, 14)));
  });
  for (std::size_t kind = 0; kind < std::size(draws); ++kind)
    this->each_few([&](auto const& c, Groups const& groups) {
      std::vector<ExactSum> exact(groups.count);
      std::vector<double> magnitudes(groups.count);
      std::vector<Value> plain(groups.count);
      std::vector<std::size_t> n(groups.count);
      auto const x = this->row_of(groups, [&](auto& bits, auto g, auto i) {
        bits                = F::encode(draws[kind](i));
        double const number = F::decode(bits);
        exact[g].add(number);
        magnitudes[g] += std::abs(number);
        plain[g] += Value(number);
        ++n[g];
      });
      Kernel::template each_way<Impl::Operation::sum, T>(
          c, x.data(), [&](std::vector<Value> const& values, bool use_mma) {
            for (std::size_t g = 0; g < groups.count; ++g) {
              SCOPED_TRACE(groups.name + ", group " + std::to_string(g) +
                           (use_mma ? " by products" : "") + ", distribution " +
                           std::to_string(kind));
              double const error = exact[g].error_of(double(values[g]));
              double const bound =
                  use_mma && std::is_same_v<Value, float>
                      ? Kernel::bound(T::bytes, n[g])
                      : any_order_bound(n[g] + 1,
                                        std::numeric_limits<Value>::digits);
              ASSERT_LE(error, bound * magnitudes[g]);
              // No worse than a loop, where that has many roundings.
              constexpr bool as_a_loop = !requires {
                typename Kernel::has_its_bound_alone;
              };
              if (as_a_loop && n[g] > 1000 && kind < 2) {
                ASSERT_LE(error, allowed_error(exact[g].error_of(plain[g]),
                                               exact[g].value(), magnitudes[g],
                                               epsilon, epsilon));
              }
            }
          });
    });
}

TYPED_TEST_P(FloatReductions, SameBits) {
  using T     = typename TypeParam::T;
  using Value = typename T::Value;
  this->each_large([&](auto const& c, Groups const& groups) {
    SCOPED_TRACE(groups.name);
    auto const x = this->row_of(groups, [&](auto& bits, auto, auto) {
      bits = TestFixture::F::encode(this->random.normal());
    });
    this->expect_same_bits([&] {
      std::vector<std::vector<Value>> ways;
      TypeParam::Kernel::template each_way<Impl::Operation::sum, T>(
          c, x.data(), [&](std::vector<Value> const& values, bool) {
            ways.push_back(values);
          });
      return ways;
    });
  });
}

TYPED_TEST_P(FloatReductions, WhatIsNotFiniteStaysInItsGroup) {
  using F = typename TestFixture::F;
  for (double const special : {infinity, -infinity, nan})
    this->each_few([&](auto const& c, Groups const& groups) {
      auto x = this->row_of(groups, [](auto& bits, auto, auto i) {
        bits = F::encode(double(i % 7) - 2);
      });
      if (x.size() == 0) return;
      std::vector<std::size_t> of_group;
      auto const group = groups.of(
          std::size_t(this->random.integer(0, std::int64_t(x.size()) - 1)));
      if (group < 0) return;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (groups.of(i) == group) of_group.push_back(i);
      auto const any = [&] {
        return of_group[std::size_t(
            this->random.integer(0, std::int64_t(of_group.size()) - 1))];
      };
      x[any()] = F::encode(special);
      this->template expect_serial<Impl::Operation::sum>(c, x);
      // Another one in the same group: infinities of both signs give NaN.
      x[any()] = F::encode(-infinity);
      this->template expect_serial<Impl::Operation::sum>(c, x);
    });
}

TYPED_TEST_P(FloatReductions, SubnormalsAreAdded) {
  this->each_subnormal([&](auto const& c, auto const& x) {
    this->template expect_serial<Impl::Operation::sum>(c, x);
  });
}

TYPED_TEST_P(FloatReductions, SignsOfZero) {
  using T      = typename TypeParam::T;
  using Value  = typename T::Value;
  using F      = typename TestFixture::F;
  using Kernel = typename TypeParam::Kernel;
  this->each_few([&](auto const& c, Groups const& groups) {
    auto const x = this->row_of(
        groups, [](auto& bits, auto, auto) { bits = F::encode(-0.); });
    std::vector<bool> filled(groups.count);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (groups.of(i) >= 0) filled[groups.of(i)] = true;
    // As a sum that starts from +0.
    Kernel::template each_way<Impl::Operation::sum, T>(
        c, x.data(), [&](std::vector<Value> const& values, bool) {
          for (Value const value : values)
            ASSERT_TRUE(value == 0 && !std::signbit(value)) << groups.name;
        });
    if constexpr (Kernel::has_operations) {
      Kernel::template each_way<Impl::Operation::min, T>(
          c, x.data(), [&](std::vector<Value> const& values, bool) {
            for (std::size_t g = 0; g < groups.count; ++g) {
              ASSERT_TRUE(!filled[g] ||
                          (values[g] == 0 && std::signbit(values[g])))
                  << groups.name << ", group " << g << ": " << values[g];
            }
          });
    }
  });
}

TYPED_TEST_P(FloatReductions, OverflowAsALoopOverTheElements) {
  using T             = typename TypeParam::T;
  using Bits          = typename T::Bits;
  using F             = typename TestFixture::F;
  Bits const largest  = Bits(F::encode(infinity) - 1);
  Bits const negative = Bits(1) << (8 * sizeof(Bits) - 1);
  // Alone the largest number comes through, and two of them give infinity
  // where the sum is no wider.
  for (std::size_t const most : {1, 2, 3})
    for (Bits const sign : {Bits(0), negative})
      this->each_few([&](auto const& c, Groups const& groups) {
        std::vector<std::size_t> seen(groups.count);
        this->template expect_serial<Impl::Operation::sum>(
            c, this->row_of(groups, [&](auto& bits, auto g, auto) {
              bits = Bits(seen[g]++ < most ? largest | sign : 0);
            }));
      });
}

TYPED_TEST_P(FloatReductions, ExtremesPassOverNaN) {
  if constexpr (TypeParam::Kernel::has_operations) {
    using F = typename TestFixture::F;
    this->each_few([&](auto const& c, Groups const& groups) {
      // In the last group nothing is a number.
      auto const x = this->row_of(groups, [&](auto& bits, auto g, auto i) {
        bits = F::encode(
            g + 1 == groups.count || i % 2 ? nan : double(i * 37 % 101) - 50);
      });
      this->template expect_serial<Impl::Operation::min>(c, x);
      this->template expect_serial<Impl::Operation::max>(c, x);
    });
  }
}
REGISTER_TYPED_TEST_SUITE_P(FloatReductions, ErrorIsWithinItsBound, SameBits,
                            WhatIsNotFiniteStaysInItsGroup, SubnormalsAreAdded,
                            SignsOfZero, OverflowAsALoopOverTheElements,
                            ExtremesPassOverNaN);

}  // namespace KokkosMMA::Testing

#endif
