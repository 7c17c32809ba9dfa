// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exact sums of segments: the bits of the correctly rounded sum of each, of any
// length, between any offsets, on devices of any size.

#include "KernelSupport.hpp"

#include <KokkosMMA_ExactReference.hpp>
#include <KokkosMMA_HostileSums.hpp>

#include <backends/cuda/kernels/segmented/KokkosMMA_ExactSegments.hpp>

namespace KokkosMMA::Testing {
namespace {

Kokkos::Cuda const space;

/// Small tiles, shares and ranges, so that few elements have segments of all
/// kinds; and the library's own.
constexpr Impl::Cuda::ExactSegmentsTuning tuning_of(Scalar input, bool small) {
  Impl::Cuda::ExactSegmentsTuning tuning =
      Impl::Cuda::exact_segments_tuning(input);
  if (small) {
    tuning.threads = 64;
    tuning.vectors = 1;
    tuning.tiles   = 3;
    tuning.weight  = 5;
  }
  return tuning;
}

template <Scalar InputType, bool Small>
struct Case {
  static constexpr Scalar input = InputType;
  using Tuning = Impl::Cuda::tuning_type<tuning_of(InputType, Small)>;
  using Bits   = Impl::ElementBits<InputType>;
};

template <class P>
class ExactSegments : public ::testing::Test {
 public:
  static constexpr Scalar input = P::input;
  using Bits                    = typename P::Bits;
  using F                       = Format<input>;
  Random random;

  template <class Segments>
  void expect(std::string const& name, Row<Bits> const& x,
              Segments const& segments, int processors) {
    Impl::Cuda::device_entry(0).multiprocessors = processors;
    std::size_t const count                     = segments.count();
    Scalar const formats[] = {input, input, Scalar::float32, Scalar::float64,
                              Scalar::half};
    Scalar const format    = formats[random.integer(0, 4)];
    auto const stride      = std::ptrdiff_t(random.integer(1, 3));
    std::vector<std::uint64_t> results(count * std::size_t(stride), 0);
    // Places of the results' size, at the end of which a sentinel is kept.
    auto const shape = Impl::Cuda::ExactSegmentsShape::of(
        P::Tuning::value, input, processors, x.size());
    std::vector<unsigned> slots(
        Impl::Cuda::ExactSlot<Impl::exact_limbs(input)>::counters *
            shape.slots(x.size()),
        0);
    Impl::FloatFormat const f = Impl::float_format(format);
    int const words           = 64 / (1 + f.fraction_bits + f.exponent_bits);
    Impl::Cuda::launch_exact_segments<input, typename P::Tuning>(
        space, x.data(), segments, x.size(), shape, slots.data(),
        {results.data(), words * stride, f});
    for (std::size_t s = 0; s < count; ++s) {
      ExactReference reference;
      for (std::uint64_t i = segments.begin(s); i < segments.end(s); ++i)
        reference.add(F::decode(x[i]));
      ASSERT_EQ(reference.bits(format), results[s * std::size_t(stride)])
          << name << ", segment " << s << ", [" << segments.begin(s) << ", "
          << segments.end(s) << ") of " << x.size() << " " << to_string(input)
          << " as " << to_string(format) << " on " << processors
          << " multiprocessors";
    }
    EXPECT_EQ(std::vector<unsigned>(slots.size(), 0), slots);
  }

  int offset() {
    return random.integer(0, 1)
               ? 0
               : int(random.integer(0, 16 / size_of(input) - 1));
  }
  Row<Bits> row_of(std::vector<double> const& terms) {
    Row<Bits> x(terms.size(), offset());
    for (std::size_t i = 0; i < terms.size(); ++i) x[i] = F::encode(terms[i]);
    return x;
  }
  std::vector<HostileSum> sums(std::size_t size) {
    auto all = hostile_sums(random, size, input);
    HostileSum ordinary{"normal", std::vector<double>(size)};
    for (double& term : ordinary.terms) term = random.normal();
    all.push_back(ordinary);
    HostileSum windows{"two windows", std::vector<double>(size)};
    for (double& term : windows.terms)
      term = std::ldexp(random.normal(), int(random.integer(-25, 25)));
    all.push_back(windows);
    return all;
  }

  /// Lengths up to `longest`, some of them none; elements before and after.
  template <class Offset>
  std::vector<Offset> offsets_of(std::size_t size, std::size_t longest) {
    std::vector<Offset> offsets{Offset(random.integer(0, 3))};
    for (;;) {
      auto const length = random.integer(0, 3) == 0
                              ? random.integer(0, 2)
                              : random.integer(0, std::int64_t(longest));
      if (std::size_t(offsets.back()) + std::size_t(length) > size) {
        if (offsets.size() > 1) break;
        continue;  // at least one segment
      }
      offsets.push_back(Offset(offsets.back() + Offset(length)));
    }
    return offsets;
  }
};

using Cases =
    ::testing::Types<Case<Scalar::float32, true>, Case<Scalar::float64, true>,
                     Case<Scalar::half, true>, Case<Scalar::bhalf, true>,
                     Case<Scalar::float32, false>>;
TYPED_TEST_SUITE(ExactSegments, Cases);

TYPED_TEST(ExactSegments, OfOneLength) {
  auto const draw = [&](int from, int to) {
    return std::uint64_t(this->random.integer(from, to));
  };
  std::uint64_t const lengths[] = {
      1,    draw(2, 7),       16,   64, 128, draw(65, 127), draw(200, 900),
      1024, draw(1000, 5000), 30000};
  for (HostileSum const& sum : this->sums(3001)) {
    auto const x = this->row_of(sum.terms);
    for (int n = 0; n < 3; ++n) {
      this->expect(
          sum.name, x,
          Impl::EqualSegments{
              x.size(), std::min<std::uint64_t>(lengths[draw(0, 9)], x.size())},
          n == 0 ? 1 : 132);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(ExactSegments, BetweenOffsets) {
  auto const check = [&]<class Offset>(HostileSum const& sum,
                                       std::size_t longest, Offset) {
    auto const x       = this->row_of(sum.terms);
    auto const offsets = this->template offsets_of<Offset>(x.size(), longest);
    this->expect(
        sum.name, x,
        Impl::OffsetSegments<Offset>{offsets.data(), offsets.size() - 1},
        int(this->random.integer(1, 9)));
  };
  for (HostileSum const& sum : this->sums(4000)) {
    check(sum, std::size_t(this->random.integer(1, 200)), std::int64_t());
    check(sum, std::size_t(this->random.integer(500, 5000)), std::int64_t());
    if (this->HasFatalFailure()) return;
  }
  std::vector<std::int64_t> const none(3000, 7);
  auto const x = this->row_of(std::vector<double>(10, 1));
  this->expect("empty", x,
               Impl::OffsetSegments<std::int64_t>{none.data(), 2999}, 2);
}

// Two windows below the top of the range, and a negative sum: limbs end where
// its magnitude does (2026-11-26: its sign went to flags after them).
TYPED_TEST(ExactSegments, AtTheTopOfTheRange) {
  int const bias = Impl::float_format(TestFixture::input).bias();
  std::vector<double> terms(6000);
  for (double& term : terms)
    term = std::ldexp(this->random.uniform(-1, 1),
                      bias - 6 - int(this->random.integer(0, 60)));
  auto const x = this->row_of(terms);
  for (std::uint64_t const length : {100, 300, 900, 6000})
    this->expect("top of the range", x, Impl::EqualSegments{x.size(), length},
                 2);
}

// Long ones, each of several blocks, and many short ones beside.
TYPED_TEST(ExactSegments, OfManyBlocks) {
  auto const all = this->sums(60000);
  for (std::size_t k = 0; k < all.size(); k += 1 + all.size() / 5) {
    auto const x = this->row_of(all[k].terms);
    std::vector<std::int64_t> const offsets{0,     0,     3,     29000, 29001,
                                            29001, 29064, 41000, 59990, 59990};
    this->expect(all[k].name, x,
                 Impl::OffsetSegments<std::int64_t>{offsets.data(), 9}, 132);
    this->expect(all[k].name, x, Impl::EqualSegments{x.size(), x.size()}, 7);
    if (this->HasFatalFailure()) return;
  }
}

// What blocks add to the limbs of a segment grows with their parts of it, not
// with its numbers, of which 2^31 are as much as a limb holds: so much is there
// before, and taken away one limb further.
TEST(ExactSegmentLimbs, OfBlocksHaveCarried) {
  using P                                     = Case<Scalar::float64, true>;
  constexpr int processors                    = 3;
  constexpr std::size_t size                  = 1 << 16;
  Impl::Cuda::device_entry(0).multiprocessors = processors;
  auto const terms                            = full_limbs(size);
  for (std::int64_t const sign : {1, -1}) {
    Row<P::Bits> x(size, 0);
    ExactReference reference;
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = Format<P::input>::encode(double(sign) * terms[i]);
      reference.add(double(sign) * terms[i]);
    }
    using Slot       = Impl::Cuda::ExactSlot<Impl::exact_limbs(P::input)>;
    auto const shape = Impl::Cuda::ExactSegmentsShape::of(
        P::Tuning::value, P::input, processors, size);
    ASSERT_GT(size, shape.whole);
    std::vector<Slot> slots(shape.slots(size), Slot{});
    std::int64_t const before = (std::int64_t(1) << 31) - (1 << 12);
    slots[0].limb[20]         = sign * (before << 32);
    slots[0].limb[21]         = -sign * before;
    std::uint64_t result      = 0;
    Impl::Cuda::launch_exact_segments<P::input, P::Tuning>(
        space, x.data(), Impl::EqualSegments{size, size}, size, shape,
        reinterpret_cast<unsigned*>(slots.data()),
        {&result, 1, Impl::float_format(P::input)});
    EXPECT_EQ(reference.bits(P::input), result);
    for (std::int64_t const limb : slots[0].limb) EXPECT_EQ(limb, 0);
  }
}

}  // namespace
}  // namespace KokkosMMA::Testing
