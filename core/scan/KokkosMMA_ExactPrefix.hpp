// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXACT_PREFIX_HPP
#define KOKKOSMMA_EXACT_PREFIX_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <cstdint>

/// \file
/// Exact prefixes. A prefix is an integer in two's complement with digits of 32
/// bits, the lowest first; all digits from some index on are sign digits. Terms
/// are added to its digits as to limbs, and each prefix is rounded separately.

namespace KokkosMMA::Impl {

/// Sign digit of an integer.
KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint32_t sign_digit(
    bool negative) {
  return negative ? 0xffffffffu : 0u;
}

/// Rounds an integer * 2^lowest to nearest, ties to even, as bits of `format`.
/// `top` are the three highest digits below the sign digits, the highest first.
/// \param position index of top[0]
/// \param below nonzero if any lower digit is
/// \param zero result for an integer of zero
KOKKOSMMA_FORCEINLINE_FUNCTION std::uint64_t round_digits(
    std::uint32_t const (&top)[3], int position, std::uint32_t below,
    bool negative, int lowest, FloatFormat const& format, std::uint64_t zero) {
  std::uint64_t low  = std::uint64_t(top[1]) << 32 | top[2];
  std::uint64_t high = top[0];
  if (negative) {
    // -x = ~x + 1; the carry of the one ends at the lowest nonzero digit.
    low  = ~low + (below == 0);
    high = std::uint64_t(std::uint32_t(~top[0])) + (below == 0 && low == 0);
  }
  if (high == 0) return zero;
  int const shift               = countl_zero(high);
  std::uint64_t const magnitude = high << shift | low >> (63 - shift) >> 1;
  bool const inexact            = low << shift != 0 || below != 0;
  return round_integer(magnitude | std::uint64_t(inexact),
                       lowest + 32 * position - shift, negative, format);
}

/// Computes the arguments of round_digits() from digits that arrive one by one,
/// the lowest first. Sign digits are known only at the end: the window is saved
/// wherever a possible sign digit follows another digit, and the last saved
/// window is used.
class DigitWindow {
 public:
  /// Adds digit k. Earlier digits were added or are zeros.
  KOKKOSMMA_FORCEINLINE_FUNCTION void push(std::uint32_t digit, int k) {
    if (digit + 1 <= 1 && digit != m_last[0]) {
      for (int i = 0; i < 3; ++i) m_top[i] = m_last[i];
      m_below_top = m_below;
      m_position  = k - 1;
    }
    m_below |= m_last[2];
    m_last[2] = m_last[1];
    m_last[1] = m_last[0];
    m_last[0] = digit;
  }

  /// \param digits number of digits added; those from there on are sign digits
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint64_t round(bool negative, int digits,
                                                     int lowest,
                                                     FloatFormat const& format,
                                                     std::uint64_t zero) {
    push(sign_digit(negative), digits);
    return round_digits(m_top, m_position, m_below_top, negative, lowest,
                        format, zero);
  }

 private:
  std::uint32_t m_last[3]   = {};  ///< the last three digits, the highest first
  std::uint32_t m_below     = 0;   ///< nonzero if any digit below them is
  std::uint32_t m_top[3]    = {};
  std::uint32_t m_below_top = 0;
  int m_position            = -1;  ///< index of m_top[0]
};

/// Digits of a prefix: zeros before `first`, sign digits from `end` on.
template <int Limbs>
struct ExactDigits {
  /// Two more than a sum needs: a carry and its sign.
  static constexpr int capacity = Limbs + 2;

  std::uint32_t digit[capacity];
  int first;
  int end;
  bool negative;

  /// Requires trimmed digits.
  KOKKOSMMA_FORCEINLINE_FUNCTION bool is_zero() const {
    return first == end && !negative;
  }
  KOKKOSMMA_FORCEINLINE_FUNCTION std::uint32_t operator[](int k) const {
    return k < first ? 0 : k < end ? digit[k] : sign_digit(negative);
  }
  /// Narrows [first, end) to exclude zeros below and sign digits above.
  KOKKOSMMA_FORCEINLINE_FUNCTION void trim() {
    while (end > first && digit[end - 1] == sign_digit(negative)) --end;
    while (first < end && digit[first] == 0) ++first;
  }
  /// Assigns the integer in limbs that may exceed 32 bits.
  KOKKOSMMA_INLINE_FUNCTION void assign(std::int64_t const* limb) {
    std::int64_t carry = 0;
    for (int k = 0; k < Limbs; ++k) {
      std::int64_t const value = limb[k] + carry;
      digit[k]                 = std::uint32_t(value);
      carry                    = value >> 32;
    }
    digit[Limbs] = std::uint32_t(carry);
    negative     = carry < 0;
    first        = 0;
    end          = Limbs + 1;
    trim();
  }
  /// Adds `part` * 2^(32 k); `part` has 32 bits and a sign.
  KOKKOSMMA_INLINE_FUNCTION void add(int k, std::int64_t part) {
    if (part == 0) return;
    if (is_zero()) first = end = k;
    while (first > k) digit[--first] = 0;
    while (end <= k) digit[end++] = sign_digit(negative);
    for (; k < end && part != 0; ++k) {
      std::int64_t const value = std::int64_t(digit[k]) + part;
      digit[k]                 = std::uint32_t(value);
      part                     = value >> 32;
    }
    if (part == 0) return;
    // Sum of the sign digits and the carry.
    std::int64_t const above = part - std::int64_t(negative);
    negative                 = above < 0;
    if (above != -std::int64_t(negative)) digit[end++] = std::uint32_t(above);
  }
  KOKKOSMMA_INLINE_FUNCTION std::uint64_t round(int lowest,
                                                FloatFormat const& format,
                                                std::uint64_t zero) {
    trim();
    std::uint32_t top[3];
    for (int i = 0; i < 3; ++i)
      top[i] = end - 1 - i < first ? 0 : digit[end - 1 - i];
    std::uint32_t below = 0;
    for (int k = first; k < end - 3 && below == 0; ++k) below = digit[k];
    return round_digits(top, end - 1, below, negative, lowest, format, zero);
  }
};

/// Prefix to which terms are added one by one.
template <Scalar Carrier>
class ExactPrefix {
 public:
  static constexpr int lowest = exact_lowest(Carrier);

  ExactPrefix() { m_digits.first = m_digits.end = 0; }

  /// Adds a number given as bits of a format that the carrier includes.
  void add(std::uint64_t bits, FloatFormat const& format) {
    unsigned const of_term = exact_flags(bits, format);
    m_flags |= of_term;
    if (is_special_sum(of_term)) return;
    ExactTerm const term = exact_term(bits, format, lowest);
    if (term.integer != 0)
      split_into_limbs(term.integer, term.position, AddToDigits{m_digits});
  }
  /// Adds an exact sum of terms.
  template <int Limbs, int Lowest>
  void add(ExactLimbs<Limbs, Lowest> const& sum) {
    for (int k = 0; k < Limbs; ++k)
      split_into_limbs(sum.limb[k], 32 * k + Lowest - lowest,
                       AddToDigits{m_digits});
    m_flags |= sum.flags;
  }
  std::uint64_t round(FloatFormat const& format) {
    if (is_special_sum(m_flags)) return special_sum(m_flags, format);
    return m_digits.round(lowest, format,
                          m_flags & exact_has_other ? 0 : format.sign());
  }

 private:
  using Digits = ExactDigits<exact_limbs(Carrier)>;
  /// See AddToLimbs.
  struct AddToDigits {
    Digits& digits;
    KOKKOSMMA_FORCEINLINE_FUNCTION void operator()(int k,
                                                   std::int64_t part) const {
      digits.add(k, part);
    }
  };

  Digits m_digits{};
  unsigned m_flags = 0;
};

}  // namespace KokkosMMA::Impl

#endif
