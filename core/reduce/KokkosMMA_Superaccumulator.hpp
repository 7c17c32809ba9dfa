// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SUPERACCUMULATOR_HPP
#define KOKKOSMMA_SUPERACCUMULATOR_HPP

#include <core/base/KokkosMMA_Bits.hpp>
#include <core/base/KokkosMMA_HostDevice.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <cstdint>

/// \file
/// Exact sums of floating-point numbers. Every finite number of a format is an
/// integer times the format's smallest number, a power of two. A sum of these
/// integers is exact in limbs of 64 bits whose weights are 2^32 apart: it does
/// not depend on the order or grouping of the terms, and is rounded once.

namespace KokkosMMA::Impl {

/// Binary interchange format of IEEE 754, or bfloat16.
struct FloatFormat {
  int fraction_bits;
  int exponent_bits;

  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int bias() const {
    return (1 << (exponent_bits - 1)) - 1;
  }
  /// Exponent field of infinities and NaNs.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int special() const {
    return (1 << exponent_bits) - 1;
  }
  /// Exponent of the smallest number, a power of two.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr int lowest() const {
    return 1 - bias() - fraction_bits;
  }
  /// Bits of -0.
  KOKKOSMMA_FORCEINLINE_FUNCTION constexpr std::uint64_t sign() const {
    return std::uint64_t(1) << (fraction_bits + exponent_bits);
  }
};

/// Format of a floating-point element.
constexpr FloatFormat float_format(Scalar scalar) {
  return scalar == Scalar::half      ? FloatFormat{10, 5}
         : scalar == Scalar::bhalf   ? FloatFormat{7, 8}
         : scalar == Scalar::float32 ? FloatFormat{23, 8}
                                     : FloatFormat{52, 11};
}

/// Type whose limbs hold the sums of a format.
constexpr Scalar exact_carrier(Scalar scalar) {
  return scalar == Scalar::float64 ? Scalar::float64 : Scalar::float32;
}
/// Limbs of a sum of 2^63 of the largest numbers, with sign: 2 x 2^127 x 2^63
/// over 2^-149 are 341 bits, 2 x 2^1023 x 2^63 over 2^-1074 are 2162.
constexpr int exact_limbs(Scalar scalar) {
  return exact_carrier(scalar) == Scalar::float64 ? 68 : 11;
}
/// Exponent of the lowest bit of limb 0.
constexpr int exact_lowest(Scalar scalar) {
  return float_format(exact_carrier(scalar)).lowest();
}
/// Variables for device code, which cannot call host functions if the compiler
/// lacks relaxed constexpr.
template <Scalar Input>
inline constexpr int exact_lowest_of = exact_lowest(Input);
template <Scalar Input>
inline constexpr FloatFormat exact_format_of = float_format(Input);

/// Layout of the limbs of a sum. Limbs of products of doubles, 2^-2148 to
/// 2^2048, are those of doubles with more below and above.
struct ExactCarrier {
  int limbs;
  int lowest;  ///< exponent of the lowest bit of limb 0
  int offset;  ///< of limb 0 of the window's numbers
};
constexpr ExactCarrier sum_carrier(Scalar scalar) {
  return {exact_limbs(scalar), exact_lowest(scalar), 0};
}
constexpr ExactCarrier double_products_carrier() {
  constexpr int below = 34;
  return {136, exact_lowest(Scalar::float64) - 32 * below, below};
}
/// Type whose limbs hold exact products of two elements: float for half, double
/// for bfloat16, float and double.
constexpr Scalar product_scalar(Scalar scalar) {
  return scalar == Scalar::half ? Scalar::float32 : Scalar::float64;
}
constexpr ExactCarrier product_carrier(Scalar scalar) {
  return scalar == Scalar::float64 ? double_products_carrier()
                                   : sum_carrier(product_scalar(scalar));
}

/// Properties of the terms that limbs do not store.
enum ExactFlags : unsigned {
  exact_has_nan            = 1,
  exact_has_infinity       = 2,
  exact_has_minus_infinity = 4,
  exact_has_other = 8  ///< a term that is not -0: an exact zero is then +0
};

/// Flag of an infinity or a NaN.
KOKKOSMMA_FORCEINLINE_FUNCTION unsigned exact_flag_of(std::uint64_t fraction,
                                                      bool negative) {
  return fraction != 0 ? exact_has_nan
         : negative    ? exact_has_minus_infinity
                       : exact_has_infinity;
}

/// Flags of a term, given as bits of a format.
KOKKOSMMA_FORCEINLINE_FUNCTION unsigned exact_flags(std::uint64_t bits,
                                                    FloatFormat const& format) {
  unsigned const other = bits != format.sign() ? unsigned(exact_has_other) : 0u;
  if ((int(bits >> format.fraction_bits) & format.special()) !=
      format.special())
    return other;
  std::uint64_t const ones = (std::uint64_t(1) << format.fraction_bits) - 1;
  return other | exact_flag_of(bits & ones, (bits & format.sign()) != 0);
}
/// Whether any term is infinite or NaN.
KOKKOSMMA_FORCEINLINE_FUNCTION bool is_special_sum(unsigned flags) {
  return flags &
         (exact_has_nan | exact_has_infinity | exact_has_minus_infinity);
}

/// Splits value * 2^position into parts for three limbs: calls add(limb,
/// integer), each integer below 2^32 in magnitude.
template <class Add>
KOKKOSMMA_FORCEINLINE_FUNCTION void split_into_limbs(std::int64_t value,
                                                     int position,
                                                     Add const& add) {
  int const limb          = position / 32;
  int const shift         = position % 32;
  std::int64_t const rest = (value >> (31 - shift)) >> 1;
  add(limb, std::int64_t(std::uint32_t(std::uint64_t(value) << shift)));
  add(limb + 1, std::int64_t(std::uint32_t(std::uint64_t(rest))));
  add(limb + 2, rest >> 32);
}

/// Finite number as integer * 2^position; position 0 is the lowest bit of the
/// carrier's limbs.
struct ExactTerm {
  std::int64_t integer;
  int position;
};
KOKKOSMMA_FORCEINLINE_FUNCTION ExactTerm exact_term(std::uint64_t bits,
                                                    FloatFormat const& format,
                                                    int lowest) {
  std::uint64_t const fraction =
      bits & ((std::uint64_t(1) << format.fraction_bits) - 1);
  int const field     = int(bits >> format.fraction_bits) & format.special();
  bool const negative = bits >> (format.fraction_bits + format.exponent_bits);
  bool const normal   = field != 0;
  auto const integer =
      std::int64_t(fraction | std::uint64_t(normal) << format.fraction_bits);
  return {negative ? -integer : integer,
          field - int(normal) + format.lowest() - lowest};
}

inline constexpr int lowest_of_double_products =
    double_products_carrier().lowest;

/// Splits the product of two finite doubles, given as bits, into parts for
/// limbs of double_products_carrier(): calls add(limb, integer), up to six
/// times per limb, each integer below 2^32 in magnitude, their sum below 4 *
/// 2^32.
template <class Add>
KOKKOSMMA_INLINE_FUNCTION void split_product(std::uint64_t x, std::uint64_t y,
                                             Add const& add) {
  constexpr FloatFormat format = exact_format_of<Scalar::float64>;
  constexpr int lowest         = lowest_of_double_products;
  // Positions are the exponents of the integers' last bits.
  ExactTerm const a    = exact_term(x, format, 0);
  ExactTerm const b    = exact_term(y, format, 0);
  bool const negative  = (a.integer < 0) != (b.integer < 0);
  auto const magnitude = [](std::int64_t integer) {
    return std::uint64_t(integer < 0 ? -integer : integer);
  };
  std::uint64_t const u        = magnitude(a.integer);
  std::uint64_t const v        = magnitude(b.integer);
  int const position           = a.position + b.position - lowest;
  constexpr std::uint64_t half = 0xffffffffu;
  std::uint64_t const parts[3] = {
      (u & half) * (v & half), (u & half) * (v >> 32) + (u >> 32) * (v & half),
      (u >> 32) * (v >> 32)};
  // The middle part has 54 bits, since the upper halves of doubles have 21.
  for (int k = 0; k < 3; ++k)
    for (int h = 0; h < 2; ++h) {
      auto const part = std::int64_t(parts[k] >> 32 * h & half);
      split_into_limbs(negative ? -part : part, position + 32 * (k + h), add);
    }
}

/// Carries bits of limbs [first, end) above 32 bits into the next limb. All
/// limbs but the last become digits of 32 bits; the last keeps the sign.
KOKKOSMMA_INLINE_FUNCTION void carry_limbs(std::int64_t* limb, int first,
                                           int end) {
  std::int64_t carry = 0;
  for (int k = first; k < end - 1; ++k) {
    std::int64_t const value = limb[k] + carry;
    limb[k]                  = std::int64_t(std::uint32_t(value));
    carry                    = value >> 32;
  }
  limb[end - 1] += carry;
}

/// Adds the value of a limb to limbs that accumulate many of them, with
/// add(limb, integer). Bits above 32 go to the next limb, so that 2^30 values
/// of any size fit. The carry is a division: small negative values change one
/// limb.
template <class Add>
KOKKOSMMA_FORCEINLINE_FUNCTION void carry_into_next(int k, int limbs,
                                                    std::int64_t value,
                                                    Add const& add) {
  constexpr std::int64_t next = std::int64_t(1) << 32;
  std::int64_t const above    = k + 1 < limbs ? value / next : 0;
  std::int64_t const rest     = value - above * next;
  if (rest != 0) add(k, rest);
  if (above != 0) add(k + 1, above);
}

/// 64 bits of digits from bit `at` on; zeros from digit `end` on.
KOKKOSMMA_INLINE_FUNCTION std::uint64_t bits_of_limbs(std::int64_t const* limb,
                                                      int end, int at) {
  auto const digit = [&](int k) {
    return k < end ? std::uint64_t(limb[k]) : std::uint64_t(0);
  };
  int const k             = at / 32;
  int const shift         = at % 32;
  std::uint64_t const low = digit(k) | digit(k + 1) << 32;
  return shift == 0 ? low : low >> shift | digit(k + 2) << (64 - shift);
}

/// Nearest number of `format` to magnitude * 2^exponent, magnitude > 0, ties to
/// even, as bits; infinity beyond the largest. The last bit of a 64-bit
/// magnitude may represent any bits below it (sticky).
KOKKOSMMA_FORCEINLINE_FUNCTION std::uint64_t round_integer(
    std::uint64_t magnitude, int exponent, bool negative,
    FloatFormat const& format) {
  int const bit = 63 - countl_zero(magnitude);
  // Lowest bit that the result keeps.
  int const last       = bit - format.fraction_bits > format.lowest() - exponent
                             ? bit - format.fraction_bits
                             : format.lowest() - exponent;
  std::uint64_t number = 0;
  if (last <= 0) {
    number = magnitude << -last;
  } else if (last <= 64) {
    std::uint64_t const half = std::uint64_t(1) << (last - 1);
    number                   = magnitude >> (last - 1) >> 1;
    bool const more          = (magnitude & (half - 1)) != 0;
    if ((magnitude & half) && (more || (number & 1))) ++number;
  }
  // A number with one bit more than the format, after rounding or if it is
  // normal, increments the exponent field.
  auto const field    = std::uint64_t(last + exponent - format.lowest());
  std::uint64_t value = (field << format.fraction_bits) + number;
  std::uint64_t const infinity = std::uint64_t(format.special())
                                 << format.fraction_bits;
  if (value > infinity) value = infinity;
  return negative ? value | format.sign() : value;
}

/// Sum of infinite terms and NaNs by IEEE 754 addition, as bits: infinities of
/// both signs, or a NaN, give the positive quiet NaN.
KOKKOSMMA_FORCEINLINE_FUNCTION std::uint64_t special_sum(
    unsigned flags, FloatFormat const& format) {
  std::uint64_t const infinity = std::uint64_t(format.special())
                                 << format.fraction_bits;
  constexpr unsigned both = exact_has_infinity | exact_has_minus_infinity;
  if (flags & exact_has_nan || (flags & both) == both)
    return infinity | std::uint64_t(1) << (format.fraction_bits - 1);
  return flags & exact_has_infinity ? infinity : format.sign() | infinity;
}

/// Rounds the sum in limbs [first, end) to the nearest number of `format`, ties
/// to even, as bits, and overwrites the limbs. Limbs outside are zero.
/// Infinities, NaNs and the sign of zero follow IEEE 754 addition without
/// intermediate rounding or overflow: a zero is negative if all terms were and
/// there was one; a sum beyond the range of the format is infinite.
/// \param lowest exponent of the lowest bit of limb 0
KOKKOSMMA_INLINE_FUNCTION std::uint64_t round_limbs(std::int64_t* limb,
                                                    int first, int end,
                                                    unsigned flags, bool empty,
                                                    int lowest,
                                                    FloatFormat const& format) {
  if (is_special_sum(flags)) return special_sum(flags, format);

  if (first < end) carry_limbs(limb, first, end);
  bool const negative = first < end && limb[end - 1] < 0;
  if (negative) {
    for (int k = first; k < end; ++k) limb[k] = -limb[k];
    carry_limbs(limb, first, end);
  }
  int top = end - 1;
  while (top >= first && limb[top] == 0) --top;
  if (top < first) return empty || flags & exact_has_other ? 0 : format.sign();

  int bit = 32 * top;  // highest bit that is set
  for (std::uint64_t rest = std::uint64_t(limb[top]) >> 1; rest != 0;
       rest >>= 1)
    ++bit;
  if (bit < 64)
    return round_integer(bits_of_limbs(limb, end, 0), lowest, negative, format);
  int const below         = bit - 63;
  std::uint64_t magnitude = bits_of_limbs(limb, end, below);
  for (int k = first; k < end && 32 * k < below; ++k) {
    int const bits = below - 32 * k;
    std::uint64_t const mask =
        bits >= 32 ? 0xffffffffu : (std::uint64_t(1) << bits) - 1;
    if (std::uint64_t(limb[k]) & mask) magnitude |= 1;
  }
  return round_integer(magnitude, lowest + below, negative, format);
}

/// Exact sum in limbs, on the host or in one thread.
template <int Limbs, int Lowest>
struct ExactLimbs {
  static constexpr int limbs = Limbs;

  std::int64_t limb[limbs];
  unsigned flags;
  bool empty;

  KOKKOSMMA_INLINE_FUNCTION void init() {
    for (std::int64_t& each : limb) each = 0;
    flags = 0;
    empty = true;
  }
  /// Adds another sum. Both must have called carry().
  KOKKOSMMA_INLINE_FUNCTION void merge(ExactLimbs const& other) {
    for (int k = 0; k < limbs; ++k) limb[k] += other.limb[k];
    carry();
    flags |= other.flags;
    empty = empty && other.empty;
  }
  KOKKOSMMA_INLINE_FUNCTION void carry() { carry_limbs(limb, 0, limbs); }
  /// Sum as bits of a format; destroys the limbs.
  KOKKOSMMA_INLINE_FUNCTION std::uint64_t round(FloatFormat const& format) {
    return round_limbs(limb, 0, limbs, flags, empty, Lowest, format);
  }
};

/// Adds to limbs. Not a lambda: in a host function it would be host code, which
/// functions for both sides may not call.
struct AddToLimbs {
  std::int64_t* limb;
  KOKKOSMMA_FORCEINLINE_FUNCTION void operator()(int k,
                                                 std::int64_t part) const {
    limb[k] += part;
  }
};

/// Exact sum of up to 2^63 numbers of a format. Needs a carry() after each 2^30
/// numbers: add() changes a limb by less than 2^32.
template <Scalar Input>
struct Superaccumulator : ExactLimbs<exact_limbs(Input), exact_lowest(Input)> {
  using Limbs = ExactLimbs<exact_limbs(Input), exact_lowest(Input)>;
  using Limbs::empty;
  using Limbs::flags;
  using Limbs::limb;

  /// Adds a number given as bits.
  KOKKOSMMA_FORCEINLINE_FUNCTION void add(std::uint64_t bits) {
    constexpr FloatFormat format = exact_format_of<Input>;
    unsigned const of_term       = exact_flags(bits, format);
    empty                        = false;
    flags |= of_term;
    if (is_special_sum(of_term)) return;
    ExactTerm const term = exact_term(bits, format, exact_lowest_of<Input>);
    if (term.integer == 0) return;
    split_into_limbs(term.integer, term.position, AddToLimbs{limb});
  }
};

/// Exact sum of up to 2^63 products of two numbers of a format. Needs a carry()
/// after each 2^28: add() changes a limb by less than 4 * 2^32.
template <Scalar Input>
struct ProductAccumulator
    : ExactLimbs<product_carrier(Input).limbs, product_carrier(Input).lowest> {
  using Limbs =
      ExactLimbs<product_carrier(Input).limbs, product_carrier(Input).lowest>;
  using Limbs::empty;
  using Limbs::flags;
  using Limbs::limb;

  /// Adds the product of two numbers given as bits.
  KOKKOSMMA_INLINE_FUNCTION void add(std::uint64_t x, std::uint64_t y) {
    constexpr FloatFormat format     = exact_format_of<Input>;
    constexpr std::uint64_t sign     = format.sign();
    constexpr std::uint64_t infinity = std::uint64_t(format.special())
                                       << format.fraction_bits;
    bool const negative   = ((x ^ y) & sign) != 0;
    std::uint64_t const a = x & (sign - 1);
    std::uint64_t const b = y & (sign - 1);
    bool const some       = a != 0 && b != 0;
    empty                 = false;
    flags |= some || !negative ? unsigned(exact_has_other) : 0u;
    if (a >= infinity || b >= infinity) {
      bool const is_nan = a > infinity || b > infinity || !some;
      flags |= exact_has_other | exact_flag_of(is_nan, negative);
    } else if (some) {
      AddToLimbs const add_to{limb};
      if constexpr (Input == Scalar::float64) {
        split_product(x, y, add_to);
      } else {
        ExactTerm const u = exact_term(x, format, 0);
        ExactTerm const v = exact_term(y, format, 0);
        split_into_limbs(
            u.integer * v.integer,
            u.position + v.position - product_carrier(Input).lowest, add_to);
      }
    }
  }
};

}  // namespace KokkosMMA::Impl

#endif
