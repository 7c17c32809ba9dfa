// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXACT_GENERIC_HPP
#define KOKKOSMMA_EXACT_GENERIC_HPP

#include <backends/generic/KokkosMMA_SegmentedGeneric.hpp>
#include <core/mma/KokkosMMA_VectorRange.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>
#include <core/routing/KokkosMMA_RouteDecision.hpp>
#include <core/scan/KokkosMMA_ExactPrefix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace KokkosMMA::Impl {

inline constexpr Refusal no_exact_sum{
    "exact sums run on Cuda and on host execution spaces"};

template <class Element>
auto exact_bits(Element const& element) {
  return std::bit_cast<typename Unsigned<sizeof(Element)>::type>(element);
}
template <class X>
auto exact_bits(X const& x, std::size_t i) {
  return exact_bits(static_cast<typename X::non_const_value_type>(x(i)));
}

template <class Value>
Value value_of_bits(std::uint64_t bits) {
  return std::bit_cast<Value>(
      static_cast<typename Unsigned<sizeof(Value)>::type>(bits));
}

/// Exact sum of many numbers. Mantissas are added in a counter per sign and
/// exponent, with one addition each (Neal 2015, "Fast exact summation using
/// small and large superaccumulators"). 32 KB of counters for doubles.
template <Scalar Input>
class BinnedSum {
 public:
  static constexpr FloatFormat format = float_format(Input);
  static constexpr int bins           = 2 << format.exponent_bits;

  explicit BinnedSum(Superaccumulator<Input>& sum) : m_sum(sum) {}

  /// Adds the numbers of [begin, end); bits_of(i) returns their bits.
  template <class Bits>
  void add(std::size_t begin, std::size_t end, Bits const& bits_of) {
    constexpr std::uint64_t one = std::uint64_t(1) << format.fraction_bits;
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t const bits = bits_of(i);
      auto const bin           = unsigned(bits >> format.fraction_bits);
      auto const field         = bin & unsigned(format.special());
      // Zeros, subnormal numbers, infinities and NaNs.
      if (field - 1 >= unsigned(format.special()) - 1) {
        m_sum.add(bits);
        continue;
      }
      m_bin[bin] += (bits & (one - 1)) | one;
      if (m_bin[bin] >> 63) spill(bin);
    }
    for (unsigned bin = 0; bin < unsigned(bins); ++bin)
      if (m_bin[bin] != 0) spill(bin);
  }

 private:
  void spill(unsigned bin) {
    auto const field    = int(bin) & format.special();
    int const position  = field - 1 + format.lowest() - exact_lowest(Input);
    bool const negative = bin >> format.exponent_bits;
    for (int half = 0; half < 2; ++half) {
      auto const part = std::int64_t(m_bin[bin] >> 32 * half & 0xffffffffu);
      split_into_limbs(negative ? -part : part, position + 32 * half,
                       AddToLimbs{m_sum.limb});
    }
    m_sum.flags |= exact_has_other;
    m_sum.empty = false;
    m_bin[bin]  = 0;
  }

  Superaccumulator<Input>& m_sum;
  std::uint64_t m_bin[bins] = {};
};

/// Adds the numbers of [begin, end), given as their bits. ns per number on one
/// core of a plain sum, of this, and with each number split into limbs: double
/// 1.0, 1.4 to 2.1, 5.8; float 1.0, 1.2 to 1.8, 6.3 (AMD EPYC, g++ 12 -O2 and
/// -O3, normal and 200 binary orders, 2026-11-26).
template <Scalar Input, class Bits>
void add_exactly(Superaccumulator<Input>& sum, std::size_t begin,
                 std::size_t end, Bits const& bits_of) {
  if (end - begin >= std::size_t(BinnedSum<Input>::bins))
    BinnedSum<Input>(sum).add(begin, end, bits_of);
  else
    for (std::size_t i = begin; i < end; ++i) sum.add(bits_of(i));
}

template <class X>
struct ExactViewTerms {
  static constexpr Scalar input = scalar_v<typename X::non_const_value_type>;
  using Sum                     = Superaccumulator<input>;
  X x;

  std::size_t size() const { return x.extent(0); }
  void add(std::size_t begin, std::size_t end, Sum& sum) const {
    add_exactly(sum, begin, end,
                [&](std::size_t i) { return exact_bits(x, i); });
  }
};

template <class Segments, class X>
struct ExactSegmentTerms {
  using Element                 = typename X::non_const_value_type;
  static constexpr Scalar input = scalar_v<Element>;
  using Sum                     = Superaccumulator<input>;
  Segments const& segments;
  X const& x;
  std::uint64_t s;

  std::size_t size() const {
    return std::size_t(segments.end(s) - segments.begin(s));
  }
  void add(std::size_t begin, std::size_t end, Sum& sum) const {
    std::uint64_t const first = segments.begin(s);
    add_exactly(sum, begin, end, [&](std::size_t i) {
      return exact_bits(
          static_cast<Element>(element_of(segments, x, s, first + i)));
    });
  }
};

/// Products of the elements of two Views of one type as terms.
template <class X, class Y>
struct ExactDotTerms {
  static constexpr Scalar input = scalar_v<typename X::non_const_value_type>;
  using Sum                     = ProductAccumulator<input>;
  X x;
  Y y;

  std::size_t size() const { return x.extent(0); }
  void add(std::size_t begin, std::size_t end, Sum& sum) const {
    for (std::size_t i = begin; i < end; ++i)
      sum.add(exact_bits(x, i), exact_bits(y, i));
  }
};

/// Functor of Kokkos::parallel_reduce on host execution spaces: exact sum of
/// terms, with one index per chunk of terms.
template <class Terms>
struct ExactSumOfChunks {
  using value_type                   = typename Terms::Sum;
  static constexpr std::size_t chunk = 16384;
  Terms terms;

  std::size_t chunks() const { return (terms.size() + chunk - 1) / chunk; }

  void operator()(std::size_t c, value_type& sum) const {
    std::size_t const begin = c * chunk;
    terms.add(begin, std::min<std::size_t>(terms.size(), begin + chunk), sum);
    sum.carry();
  }
  KOKKOS_FUNCTION void init(value_type& sum) const { sum.init(); }
  KOKKOS_FUNCTION void join(value_type& into, value_type const& from) const {
    into.merge(from);
  }
};

template <class Terms>
void add_all(Terms const& terms, typename Terms::Sum& sum) {
  constexpr std::size_t between_carries = std::size_t(1) << 30;
  std::size_t const size                = terms.size();
  for (std::size_t begin = 0; begin < size; begin += between_carries) {
    if (begin > 0) sum.carry();
    terms.add(begin, std::min(size, begin + between_carries), sum);
  }
}

/// Returns the exact sum of terms, not rounded.
template <class Exec, class Terms>
typename Terms::Sum exact_sum_on_host(std::string const& label,
                                      Exec const& exec, Terms const& terms) {
  ExactSumOfChunks<Terms> const functor{terms};
  typename Terms::Sum sum;
  Kokkos::parallel_reduce(
      label,
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(
          exec, 0, functor.chunks()),
      functor, sum);
  return sum;
}

/// Calls store(s, sum of segment s, not rounded) for every segment on a host.
/// One thread sums a segment, unless it is long enough for all threads.
template <class Exec, class Segments, class X, class Store>
void exact_segments_on_host(std::string const& label, Exec const& exec,
                            Segments const& segments, std::uint64_t count,
                            X const& x, Store const& store) {
  using Terms              = ExactSegmentTerms<Segments, X>;
  std::size_t const shared = exec.concurrency() > 1
                                 ? 16 * ExactSumOfChunks<Terms>::chunk
                                 : ~std::size_t(0);
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>,
                          Kokkos::IndexType<std::uint64_t>>(exec, 0, count),
      [&](std::uint64_t s) {
        Terms const terms{segments, x, s};
        if (terms.size() > shared) return;
        typename Terms::Sum sum;
        sum.init();
        add_all(terms, sum);
        store(s, sum);
      });
  exec.fence("KokkosMMA: fence after exact sums of segments");
  for (std::uint64_t s = 0; s < count; ++s) {
    Terms const terms{segments, x, s};
    if (terms.size() <= shared) continue;
    auto sum = exact_sum_on_host(label, exec, terms);
    store(s, sum);
  }
}

/// Exact scan of x into y on a host: chunks are summed, then each chunk is
/// scanned from the sum of the earlier ones.
/// \param others sum of the elements before x, or null
/// \return sum of all elements, without the initial value and the others
template <bool Inclusive, class Exec, class X, class Y, class Initial>
auto exact_scan_on_host(std::string const& label, Exec const& exec, X const& x,
                        Y const& y, Initial const& initial,
                        typename ExactViewTerms<X>::Sum const* others) {
  using Terms                    = ExactViewTerms<X>;
  using Sum                      = typename Terms::Sum;
  using Output                   = typename Y::non_const_value_type;
  constexpr Scalar carrier       = exact_carrier(scalar_v<Initial>);
  constexpr FloatFormat of_input = float_format(Terms::input);
  constexpr FloatFormat of_y     = float_format(scalar_v<Output>);
  std::size_t const n            = x.extent(0);
  std::size_t const chunk        = exec.concurrency() > 1
                                       ? ExactSumOfChunks<Terms>::chunk
                                       : std::size_t(1) << 24;
  std::size_t const chunks       = (n + chunk - 1) / chunk;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;

  std::vector<Sum> sums(chunks);
  Kokkos::parallel_for(label, Policy(exec, 0, chunks), [&](std::size_t c) {
    sums[c].init();
    std::size_t const begin = c * chunk;
    Terms{x}.add(begin, std::min(n, begin + chunk), sums[c]);
    sums[c].carry();
  });
  exec.fence("KokkosMMA: fence after the sums of an exact scan");

  ExactPrefix<carrier> prefix;
  prefix.add(exact_bits(initial), float_format(scalar_v<Initial>));
  if (others != nullptr) prefix.add(*others);
  std::vector<ExactPrefix<carrier>> before(chunks);
  Sum total;
  total.init();
  for (std::size_t c = 0; c < chunks; ++c) {
    before[c] = prefix;
    prefix.add(sums[c]);
    total.merge(sums[c]);
  }

  Kokkos::parallel_for(label, Policy(exec, 0, chunks), [&](std::size_t c) {
    ExactPrefix<carrier> running = before[c];
    std::size_t const end        = std::min(n, (c + 1) * chunk);
    for (std::size_t i = c * chunk; i < end; ++i) {
      // Read before y(i) is written, which may be the same element.
      std::uint64_t const bits = exact_bits(x, i);
      if constexpr (Inclusive) {
        running.add(bits, of_input);
      }
      y(i) = value_of_bits<Output>(running.round(of_y));
      if constexpr (!Inclusive) {
        running.add(bits, of_input);
      }
    }
  });
  exec.fence("KokkosMMA: fence after the prefixes of an exact scan");
  return total;
}

}  // namespace KokkosMMA::Impl

#endif
