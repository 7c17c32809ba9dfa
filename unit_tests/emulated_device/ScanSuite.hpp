// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_SCANSUITE_HPP
#define EMULATEDDEVICE_SCANSUITE_HPP

#include "KernelSupport.hpp"

#include <KokkosMMA_ExactSum.hpp>
#include <KokkosMMA_ErrorBound.hpp>

#include <utility>
#include <vector>

/// \file
/// What every kernel of scans must do, whatever it takes for a group. A
/// `Kernel` offers Case, cases() and few_cases() as for reductions, and
///   each_way<Op, T>(case, x, y_of, check)
///                            scans x into what y_of() returns and calls
///                            check(inclusive, use_mma), for each way to do it
///   init<T>()                what prefixes start from: scan_start or 0
///   has_operations           or only sums

namespace KokkosMMA::Testing {

/// Tests of rounding start from 0.
inline int scan_start = 3;

template <class P>
class Scans : public KernelSuite<P> {
 public:
  using typename KernelSuite<P>::Kernel;
  using typename KernelSuite<P>::Case;
  using typename KernelSuite<P>::T;
  using typename KernelSuite<P>::Bits;
  using typename KernelSuite<P>::Value;

  Scans() { scan_start = 3; }

  /// Calls check(y, inclusive, use_mma) for every way. What belongs to no group
  /// must stay.
  template <Impl::Operation Op, class Check>
  void each_way(Case const& c, Row<Bits> const& x, Check const& check) {
    Groups const groups = c.groups();
    int const before    = this->offset(sizeof(Value));
    Row<Value> const untouched(x.size(), before);
    std::unique_ptr<Row<Value>> y;
    Kernel::template each_way<Op, T>(
        c, x.data(),
        [&] {
          y = std::make_unique<Row<Value>>(x.size(), before);
          return y->data();
        },
        [&](bool inclusive, bool use_mma) {
          SCOPED_TRACE(
              groups.name + (inclusive ? ", inclusive " : ", exclusive ") +
              std::string(to_string(Op)) + (use_mma ? " by products" : ""));
          for (std::size_t i = 0; i < x.size(); ++i)
            if (groups.of(i) < 0) {
              ASSERT_EQ(0, std::memcmp(&untouched[i], &(*y)[i], sizeof(Value)))
                  << "element " << i << " of no group";
            }
          check(*y, inclusive, use_mma);
        });
  }
  /// Every way, against a loop over the elements in their order.
  template <Impl::Operation Op>
  void expect_serial(Case const& c, Row<Bits> const& x) {
    Groups const groups = c.groups();
    each_way<Op>(c, x, [&](Row<Value> const& y, bool inclusive, bool) {
      std::vector<Value> running(groups.count,
                                 Op == Impl::Operation::sum
                                     ? Kernel::template init<T>()
                                     : Impl::Combine<Op, Value>::identity());
      for (std::size_t i = 0; i < x.size(); ++i) {
        auto const group = groups.of(i);
        if (group < 0) continue;
        Value const before   = running[group];
        running[group]       = T::template join<Op>(before, T::value_of(x[i]));
        Value const expected = inclusive ? running[group] : before;
        ASSERT_TRUE(same_number(expected, y[i]))
            << "element " << i << " of group " << group << ": " << y[i]
            << ", not " << expected;
      }
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
TYPED_TEST_SUITE_P(Scans);

TYPED_TEST_P(Scans, Exact) {
  using T = typename TypeParam::T;
  this->template expect_exact<Impl::Operation::sum>();
  if constexpr (TypeParam::Kernel::has_operations) {
    // What differs between types is how they are read. One is a sample.
    if constexpr (std::is_same_v<typename T::Value, std::int32_t> ||
                  (all_types &&
                   (T::input == Scalar::half || T::input == Scalar::float64))) {
      this->template expect_exact<Impl::Operation::min>();
      this->template expect_exact<Impl::Operation::max>();
      this->template expect_exact<Impl::Operation::prod>();
    }
  }
}

TYPED_TEST_P(Scans, InPlace) {
  using T     = typename TypeParam::T;
  using Value = typename T::Value;
  using Bits  = typename T::Bits;
  if constexpr (sizeof(Bits) == sizeof(Value)) {
    this->each_few([&](auto const& c, Groups const& groups) {
      auto const x = this->row_of(groups, [&](Bits& bits, auto, auto) {
        bits = T::template draw<Impl::Operation::sum>(this->random);
      });
      std::vector<std::vector<Value>> apart;
      this->template each_way<Impl::Operation::sum>(
          c, x, [&](Row<Value> const& y, bool, bool) {
            apart.emplace_back(y.data(), y.data() + y.size());
          });
      Row<Bits> both(x.size(), 1);
      std::size_t way = 0;
      TypeParam::Kernel::template each_way<Impl::Operation::sum, T>(
          c, both.data(),
          [&] {
            std::memcpy(both.data(), x.data(), x.size() * sizeof(Bits));
            return reinterpret_cast<Value*>(both.data());
          },
          [&](bool, bool) {
            auto const* const y = reinterpret_cast<Value*>(both.data());
            for (std::size_t i = 0; i < x.size(); ++i)
              if (groups.of(i) >= 0) {
                ASSERT_EQ(apart[way][i], y[i]) << groups.name << ", " << i;
              }
            ++way;
          });
    });
  }
}
REGISTER_TYPED_TEST_SUITE_P(Scans, Exact, InPlace);

template <class P>
class FloatScans : public Scans<P> {
 public:
  using F = Format<P::T::input>;
  FloatScans() { scan_start = 0; }
};
TYPED_TEST_SUITE_P(FloatScans);

TYPED_TEST_P(FloatScans, ErrorIsWithinItsBound) {
  using Value             = typename TypeParam::T::Value;
  using F                 = typename TestFixture::F;
  using Kernel            = typename TypeParam::Kernel;
  constexpr Scalar scalar = TypeParam::T::input;
  double const epsilon    = std::numeric_limits<Value>::epsilon();
  // Exponents whose numbers and their sums neither overflow nor vanish.
  constexpr int widest = scalar == Scalar::half      ? 14
                         : scalar == Scalar::float64 ? 1000
                                                     : 110;
  auto draws           = this->distributions();
  // hundreds of neighbours cancel hundreds of others
  draws.push_back([&](std::size_t i) {
    return (i / 256 % 2 ? -1 : 1) * (100 + this->random.uniform());
  });
  // every element is larger than all before it, within a row of a tile and
  // beyond: it must not take digits from their prefixes
  draws.push_back([&](std::size_t i) {
    int const steps = int(i % 71) - 35;
    return std::ldexp(this->random.uniform(1, 2), widest * steps / 36);
  });
  // and smaller than all before it
  draws.push_back([&](std::size_t i) {
    int const steps = 35 - int(i % 71);
    return std::ldexp(this->random.uniform(1, 2), widest * steps / 36);
  });
  for (std::size_t kind = 0; kind < std::size(draws); ++kind)
    this->each_few([&](auto const& c, Groups const& groups) {
      auto const x = this->row_of(groups, [&](auto& bits, auto, auto i) {
        bits = F::encode(draws[kind](i));
      });
      this->template each_way<Impl::Operation::sum>(
          c, x, [&](Row<Value> const& y, bool inclusive, bool use_mma) {
            struct Running {
              ExactSum exact;
              double magnitudes = 0;
              double largest = 0, our_largest = 0;  // errors, first a loop's
              double largest_sum = 0;
              Value plain   = Kernel::template init<typename TypeParam::T>();
              std::size_t n = 0;
            };
            std::vector<Running> running(groups.count);
            for (Running& g : running) {
              g.exact.add(double(g.plain));
              g.magnitudes = std::abs(double(g.plain));
            }
            for (std::size_t i = 0; i < x.size(); ++i) {
              if (groups.of(i) < 0) continue;
              Running& g     = running[groups.of(i)];
              auto const add = [&] {
                double const number = F::decode(x[i]);
                g.exact.add(number);
                g.magnitudes += std::abs(number);
                g.plain += Value(number);
                g.largest =
                    std::max(g.largest, g.exact.error_of(double(g.plain)));
                ++g.n;
              };
              if (inclusive) add();
              double const error  = g.exact.error_of(double(y[i]));
              bool const in_float = use_mma && std::is_same_v<Value, float>;
              double const bound =
                  in_float ? 1.02 * chained_sum_bound(2, 60 + g.n / 512)
                           : any_order_bound(
                                 g.n + 2, std::numeric_limits<Value>::digits);
              ASSERT_LE(error, bound * g.magnitudes)
                  << "distribution " << kind << ", element " << i;
              g.our_largest = std::max(g.our_largest, error);
              g.largest_sum =
                  std::max(g.largest_sum, std::abs(g.exact.value()));
              if (!inclusive) add();
            }
            // By chance one prefix of a loop is better than the kernel's.
            for (Running const& g : running)
              if (kind < 2) {
                ASSERT_LE(g.our_largest,
                          allowed_error(g.largest, g.largest_sum, g.magnitudes,
                                        epsilon, epsilon))
                    << "distribution " << kind << ", group "
                    << &g - running.data();
              }
          });
    });
}

TYPED_TEST_P(FloatScans, SameBits) {
  using Value = typename TypeParam::T::Value;
  this->each_large([&](auto const& c, Groups const& groups) {
    auto const x = this->row_of(groups, [&](auto& bits, auto, auto) {
      bits = TestFixture::F::encode(this->random.normal());
    });
    // Results that begin elsewhere may have other bits.
    auto const place = this->random.engine();
    this->expect_same_bits([&] {
      auto const next = std::exchange(this->random.engine(), place);
      std::vector<std::vector<Value>> ways;
      this->template each_way<Impl::Operation::sum>(
          c, x, [&](Row<Value> const& y, bool, bool) {
            ways.emplace_back(y.data(), y.data() + y.size());
          });
      this->random.engine() = next;
      return ways;
    });
  });
}

TYPED_TEST_P(FloatScans, WhatIsNotFiniteReachesWhatFollowsInItsGroup) {
  using F = typename TestFixture::F;
  for (double const special : {infinity, -infinity, nan})
    this->each_few([&](auto const& c, Groups const& groups) {
      if (groups.elements == 0) return;
      auto x = this->row_of(groups, [](auto& bits, auto, auto i) {
        bits = F::encode(double(i % 7) - 2);
      });
      // Some in any groups, then infinities of both signs side by side, a lane
      // apart and a row apart.
      for (std::size_t const step : {0, 1, 4, 16, 128}) {
        auto const at =
            std::size_t(this->random.integer(0, std::int64_t(x.size()) - 1));
        if (groups.of(at) >= 0) x[at] = F::encode(special);
        std::size_t const other = at + step;
        if (step && other < x.size() && groups.of(other) >= 0)
          x[other] = F::encode(-special);
      }
      this->template expect_serial<Impl::Operation::sum>(c, x);
    });
}

TYPED_TEST_P(FloatScans, SubnormalsAreAdded) {
  this->each_subnormal([&](auto const& c, auto const& x) {
    this->template expect_serial<Impl::Operation::sum>(c, x);
  });
}

TYPED_TEST_P(FloatScans, NegativeZerosGiveZero) {
  using F     = typename TestFixture::F;
  using Value = typename TypeParam::T::Value;
  this->each_few([&](auto const& c, Groups const& groups) {
    auto const x = this->row_of(
        groups, [](auto& bits, auto, auto) { bits = F::encode(-0.); });
    this->template each_way<Impl::Operation::sum>(
        c, x, [&](Row<Value> const& y, bool, bool) {
          for (std::size_t i = 0; i < y.size(); ++i)
            ASSERT_TRUE(groups.of(i) < 0 || !std::signbit(y[i]))
                << "element " << i << ": " << y[i];
        });
  });
}

TYPED_TEST_P(FloatScans, OverflowAsALoopOverTheElements) {
  using F             = typename TestFixture::F;
  using Bits          = typename F::Bits;
  Bits const largest  = Bits(F::encode(infinity) - 1);
  Bits const negative = Bits(1) << (8 * sizeof(Bits) - 1);
  // Everywhere, in one row, once in a row, once in a tile.
  for (std::size_t const period : {1, 2, 16, 256})
    for (Bits const sign : {Bits(0), negative})
      this->each_few([&](auto const& c, Groups const& groups) {
        // More sums of half values would be rounded.
        if (groups.elements / period > 8000) return;
        this->template expect_serial<Impl::Operation::sum>(
            c, this->row_of(groups, [&](auto& bits, auto, auto i) {
              bits = Bits(i % period == period / 2 ? largest | sign : sign);
            }));
      });
}

TYPED_TEST_P(FloatScans, ExtremesPassOverNaN) {
  if constexpr (TypeParam::Kernel::has_operations) {
    using F = typename TestFixture::F;
    this->each_few([&](auto const& c, Groups const& groups) {
      // In the last group nothing is a number.
      auto const x = this->row_of(groups, [&](auto& bits, auto g, auto i) {
        bool const is_nan =
            g + 1 == groups.count || this->random.integer(0, 2) == 0;
        bits = F::encode(is_nan ? nan : double(i * 37 % 101) - 50);
      });
      this->template expect_serial<Impl::Operation::min>(c, x);
      this->template expect_serial<Impl::Operation::max>(c, x);
    });
  }
}
REGISTER_TYPED_TEST_SUITE_P(FloatScans, ErrorIsWithinItsBound, SameBits,
                            WhatIsNotFiniteReachesWhatFollowsInItsGroup,
                            SubnormalsAreAdded, NegativeZerosGiveZero,
                            OverflowAsALoopOverTheElements,
                            ExtremesPassOverNaN);

}  // namespace KokkosMMA::Testing

#endif
