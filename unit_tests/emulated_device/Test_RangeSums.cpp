// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and dot products of a whole range of elements, by chained products, and
// the papers' formulations of them.

#include "ReductionSuite.hpp"

#include <backends/cuda/kernels/papers/KokkosMMA_PaperReduce.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_MmaReduce.hpp>

namespace KokkosMMA::Testing {
namespace {

Kokkos::Cuda const space;

constexpr int longest_chain   = 32;  // of PaperSettings
constexpr int chain_lengths[] = {1, 2, 8, longest_chain};

/// Into the caller's host memory, or memory that the device sees.
template <Scalar Input, class Value>
Value sum_of(void const* x, std::size_t size, int chain_length,
             bool device_accessible = true) {
  Value result(-77);
  Impl::Cuda::launch_mma_reduce(
      space, Impl::Cuda::StreamScratch(space),
      Impl::Cuda::SumOperands<Input>{
          Impl::vector_range(x, size, size_of(Input))},
      &result, device_accessible, chain_length);
  return result;
}
template <Scalar Input, class Value>
Value dot_of(void const* x, void const* y, std::size_t size, int chain_length) {
  Value result(-77);
  Impl::Cuda::launch_mma_reduce(
      space, Impl::Cuda::StreamScratch(space),
      Impl::Cuda::DotOperands<Input>{
          Impl::vector_range(x, size, size_of(Input)),
          Impl::vector_range(y, size, size_of(Input))},
      &result, false, chain_length, 128);
  return result;
}

/// Around a vector, a warp's vectors, a block's step and beyond.
std::vector<std::size_t> sizes(int bytes, Random& random) {
  std::vector<std::size_t> all{0, 1, 2, 15, 16, 17, 4999};
  std::size_t const warp = std::size_t(32 * 16 / bytes);
  for (std::size_t const edge : {warp, 2 * warp, 32 * warp})
    for (std::size_t const size : {edge - 1, edge, edge + 1})
      all.push_back(size);
  for (int n = 0; n < 12; ++n)
    all.push_back(std::size_t(random.integer(1, n % 2 ? 200 : 40000)));
  return all;
}

struct RangeSum : KernelOf<WholeRange, false> {
  static constexpr bool has_level = false;
  static std::vector<Case> cases(int bytes, Random& random) {
    std::vector<Case> all;
    for (std::size_t const size : sizes(bytes, random)) all.push_back({size});
    return all;
  }
  static std::vector<Case> few_cases(int bytes, Random& random) {
    return {{1},
            {9},
            {std::size_t(random.integer(100, 600))},
            {std::size_t(40000 / bytes) + 3},
            {std::size_t(random.integer(20000, 30000))}};
  }
  template <Impl::Operation, class T, class Check>
  static void each_way(Case const& c, typename T::Bits const* x,
                       Check const& check) {
    int const chain = chain_lengths[c.size % 4];
    check(std::vector<typename T::Value>{sum_of<T::input, typename T::Value>(
              x, c.size, chain, chain != 2)},
          true);
  }
  /// A flush adds the rows and the pieces of a float; then lanes, warps and
  /// blocks are added.
  static double bound(int bytes, std::size_t n) {
    return 1.01 *
           chained_sum_bound(longest_chain, n * std::size_t(bytes) / 512 + 40);
  }
};
template <class T>
using OfRange = OfKernel<RangeSum, T>;
/// Elements of 4 bytes have no kernel.
template <template <class> class Of>
using SummedIntegers =
    SampledTypes<::testing::Types<Of<Combined<Scalar::int8, std::int32_t>>>,
                 ::testing::Types<Of<Combined<Scalar::int8, std::int64_t>>,
                                  Of<Combined<Scalar::uint8, std::uint32_t>>,
                                  Of<Combined<Scalar::uint8, std::uint64_t>>,
                                  Of<Combined<Scalar::boolean, std::int32_t>>,
                                  Of<Combined<Scalar::int64, std::int64_t>>,
                                  Of<Combined<Scalar::uint64, std::uint64_t>>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(RangeOfIntegers, Reductions,
                               SummedIntegers<OfRange>);
// Sums of floats are kept as float until the end.
using RangeFloats =
    ::testing::Types<OfRange<Combined<Scalar::half, float>>,
                     OfRange<Combined<Scalar::bhalf, float>>,
                     OfRange<Combined<Scalar::float64, double>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(RangeOfFloats, Reductions, RangeFloats);
INSTANTIATE_TYPED_TEST_SUITE_P(Range, FloatReductions, RangeFloats);

KOKKOSMMA_TYPED_TESTS(RangeIntegers, SummedIntegers<std::type_identity_t>);

// The accumulators of the tensor cores come closest to their ends.
TYPED_TEST(RangeIntegers, Extremes) {
  using Bits          = typename TypeParam::Bits;
  constexpr Bits ones = Bits(~Bits(0));
  constexpr Bits top  = Bits(ones >> 1);
  bool const is_bool  = TypeParam::input == Scalar::boolean;
  Row<Bits> x(20001, 1);
  for (Bits const bits : {ones, top, Bits(~top), Bits(1), Bits(0)}) {
    if (is_bool && bits > 1) continue;
    std::fill(x.data(), x.data() + x.size(), bits);
    using Value      = typename TypeParam::Value;
    auto const exact = Value(std::uint64_t(TypeParam::value_of(bits)) *
                             std::uint64_t(x.size()));
    for (int const chain : chain_lengths)
      EXPECT_EQ(exact,
                (sum_of<TypeParam::input, Value>(x.data(), x.size(), chain)))
          << "all " << +bits << ", chain " << chain;
    // Modulo 2^32 is not enough where a result is floating-point.
    using Wide      = std::conditional_t<std::is_signed_v<Value>, std::int64_t,
                                    std::uint64_t>;
    auto const wide = Wide(std::uint64_t(TypeParam::value_of(bits)) * x.size());
    EXPECT_EQ(double(wide),
              (sum_of<TypeParam::input, double>(x.data(), x.size(), 8)))
        << "all " << +bits;
  }
}

template <class T>
class Dots : public ::testing::Test {
 public:
  using Bits  = typename T::Bits;
  using Value = typename T::Value;
  Random random;

  /// draw(i, operand) gives numbers; check(x, y, size, chain) looks at them.
  template <class Draw, class Check>
  void each(std::vector<std::size_t> const& all, Draw const& draw,
            Check const& check) {
    for (std::size_t const size : all) {
      any_tuned_device(random);
      // Both start at the same place of a 16-byte boundary.
      int const before = int(random.integer(0, 16 / T::bytes - 1));
      Row<Bits> x(size, before), y(size, before);
      for (std::size_t i = 0; i < size; ++i) {
        x[i] = draw(i, 0);
        y[i] = draw(i, 1);
      }
      int const chain = chain_lengths[random.integer(0, 3)];
      SCOPED_TRACE("size " + std::to_string(size) + ", chain " +
                   std::to_string(chain));
      check(x, y, chain);
    }
  }
};
using DotTypes = ::testing::Types<
    Combined<Scalar::half, float>, Combined<Scalar::bhalf, float>,
    Combined<Scalar::float64, double>, Combined<Scalar::int8, std::int64_t>,
    Combined<Scalar::uint8, std::int64_t>>;
TYPED_TEST_SUITE(Dots, DotTypes);

TYPED_TEST(Dots, Exact) {
  using T     = TypeParam;
  using Value = typename T::Value;
  this->each(
      sizes(T::bytes, this->random),
      [&](auto, auto) {
        return T::template draw<Impl::Operation::sum>(this->random);
      },
      [&](auto const& x, auto const& y, int chain) {
        Value exact(0);
        for (std::size_t i = 0; i < x.size(); ++i)
          exact += T::value_of(x[i]) * T::value_of(y[i]);
        ASSERT_EQ(exact, (dot_of<T::input, Value>(x.data(), y.data(), x.size(),
                                                  chain)));
      });
}

TYPED_TEST(Dots, IntegerExtremes) {
  using Bits = typename TypeParam::Bits;
  if constexpr (!TypeParam::floating) {
    for (Bits const bits : {Bits(0x7f), Bits(0x80), Bits(0xff)})
      this->each(
          {20001}, [&](auto, auto) { return bits; },
          [&](auto const& x, auto const& y, int chain) {
            std::int64_t const value = TypeParam::value_of(bits);
            EXPECT_EQ(20001 * value * value,
                      (dot_of<TypeParam::input, std::int64_t>(
                          x.data(), y.data(), x.size(), chain)));
          });
  }
}

TYPED_TEST(Dots, ErrorIsWithinItsBound) {
  using T = TypeParam;
  if constexpr (T::floating) {
    using F                                               = Format<T::input>;
    std::function<double(std::size_t, int)> const draws[] = {
        [&](std::size_t, int) { return this->random.uniform(); },
        [&](std::size_t, int) { return this->random.normal(); },
        // signs alternate: the sum lies far below its terms
        [&](std::size_t i, int operand) {
          return (operand && i % 2 ? -1 : 1) * (100 + this->random.uniform());
        },
        // factors whose products are far apart
        [&](std::size_t, int) {
          return std::ldexp(this->random.uniform(-1, 1),
                            int(this->random.integer(-10, 10)));
        }};
    for (auto const& draw : draws)
      this->each(
          {1, 100, 4999, 30000},
          [&](std::size_t i, int operand) {
            return F::encode(draw(i, operand));
          },
          [&](auto const& x, auto const& y, int chain) {
            ExactSum exact;
            double magnitudes = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
              double const a = F::decode(x[i]), b = F::decode(y[i]);
              exact.add(a * b);
              exact.add(std::fma(a, b, -(a * b)));
              magnitudes += std::abs(a * b);
            }
            double const bound =
                T::input == Scalar::float64
                    ? any_order_bound(x.size() + 1, 53)
                    : 1.01 * chained_sum_bound(chain, x.size() / 128 + 40);
            ASSERT_LE(exact.error_of((dot_of<T::input, typename T::Value>(
                          x.data(), y.data(), x.size(), chain))),
                      bound * magnitudes);
          });
  }
}

// A value that is no number meets only its own partner, never the zeros and
// other elements that share the matrix with it.
TYPED_TEST(Dots, NonFiniteValues) {
  using T = TypeParam;
  if constexpr (T::floating) {
    using F = Format<T::input>;
    for (double const value : {infinity, -infinity, nan})
      for (double const partner : {2., -2., 0.})
        for (int repeat = 0; repeat < 5; ++repeat) {
          std::size_t const size = std::size_t(this->random.integer(1, 1000));
          auto const at =
              std::size_t(this->random.integer(0, std::int64_t(size) - 1));
          this->each(
              {size},
              [&](std::size_t i, int operand) {
                return F::encode(i != at   ? this->random.uniform(-1, 1)
                                 : operand ? partner
                                           : value);
              },
              [&](auto const& x, auto const& y, int chain) {
                double const computed = dot_of<T::input, typename T::Value>(
                    x.data(), y.data(), x.size(), chain);
                ASSERT_TRUE(same_number(value * partner, computed))
                    << value << " * " << partner << " at " << at << ": "
                    << computed;
              });
        }
  }
}

/// The papers' formulations, of half values. Column sums as half, which the
/// papers keep, would overflow for some of these.
struct PaperSum : RangeSum {
  /// Sums of many roundings in float, than which a loop may be luckier.
  using has_its_bound_alone = void;
  template <Impl::Operation, class T, class Check>
  static void each_way(Case const& c, std::uint16_t const* x,
                       Check const& check) {
    using enum Impl::Formulation;
    for (Impl::Formulation const formulation :
         {single_pass, split, recurrence, chained}) {
      float result = -77;
      Impl::Cuda::launch_paper_reduce(
          space, Impl::Cuda::StreamScratch(space),
          Impl::vector_range(x, c.size, 2),
          {formulation, chain_lengths[c.size % 4], 128}, &result, true);
      check(std::vector<float>{result}, true);
    }
  }
  /// Every pass of a chain ends with a second product.
  static double bound(int, std::size_t n) {
    return 1.01 * chained_sum_bound(2 * 32 + 1, n / 256 + 60);
  }
};
using OfPapers =
    ::testing::Types<OfKernel<PaperSum, Combined<Scalar::half, float>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Papers, Reductions, OfPapers);
INSTANTIATE_TYPED_TEST_SUITE_P(Papers, FloatReductions, OfPapers);

}  // namespace
}  // namespace KokkosMMA::Testing
