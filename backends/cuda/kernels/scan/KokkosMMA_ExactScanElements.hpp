// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_SCAN_ELEMENTS_HPP
#define KOKKOSMMA_CUDA_EXACT_SCAN_ELEMENTS_HPP

#include <backends/cuda/kernels/block/KokkosMMA_VectorAccess.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactElements.hpp>
#include <backends/cuda/kernels/reduce/KokkosMMA_ExactGroup.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Loads, terms and stores of an exact scan.

namespace KokkosMMA::Impl::Cuda {

/// Input and output of a scan. Element i is x[i * stride_x], its prefix y[i *
/// stride_y]; x and y may be the same.
template <Scalar Input>
struct ExactScanViews {
  ElementBits<Input> const* x;
  std::int64_t stride_x;
  void* y;
  std::int64_t stride_y;
  std::uint64_t size;
  std::uint64_t range = 0;  ///< elements per block: a multiple of its tile
  /// Whether both strides are 1, and the values of a thread are aligned to 16
  /// bytes or to their total size.
  bool vectors = false;
};

/// Initial value, which is added to every prefix, but not to the total.
struct ExactInitial {
  std::uint64_t bits;
  FloatFormat format;

  __device__ ExactTerm term(int lowest) const {
    return is_finite() ? exact_term(bits, format, lowest) : ExactTerm{0, 0};
  }
  __device__ bool is_finite() const {
    return (int(bits >> format.fraction_bits) & format.special()) !=
           format.special();
  }
  __device__ unsigned flags() const {
    unsigned const other = bits != format.sign() ? exact_has_other : 0u;
    std::uint64_t const fraction =
        bits & ((std::uint64_t(1) << format.fraction_bits) - 1);
    return is_finite()
               ? other
               : other | exact_flag_of(fraction, (bits & format.sign()) != 0);
  }
};

/// An element as a mantissa times 2^position, where position 0 is the lowest
/// bit of the limbs of the prefixes.
template <Scalar Input>
struct ExactScanElement {
  using Mantissa =
      std::conditional_t<size_of(Input) == 8, std::uint64_t, std::uint32_t>;
  /// Digits that an element adds to: its mantissa is shifted by < 32 bits.
  static constexpr int digits = size_of(Input) == 8 ? 3 : 2;
  Mantissa mantissa;
  int position;
  bool negative;

  /// \return the flags of the element
  template <int Lowest>
  __device__ unsigned assign(ElementBits<Input> bits) {
    constexpr FloatFormat format = exact_format_of<Input>;
    constexpr auto ones = Mantissa((Mantissa(1) << format.fraction_bits) - 1);
    constexpr auto sign = Mantissa(format.sign());
    Mantissa const all  = bits;
    int const field     = int(all >> format.fraction_bits) & format.special();
    bool const finite   = field != format.special();
    negative            = (all & sign) != 0;
    mantissa            = finite
                              ? (all & ones) | Mantissa(field != 0) << format.fraction_bits
                              : 0;
    position = (field == 0 ? 0 : field - 1) + format.lowest() - Lowest;
    unsigned const other = all != sign ? unsigned(exact_has_other) : 0u;
    return finite ? other : other | exact_flag_of(all & ones, negative);
  }
  __device__ int first_digit() const { return position / 32; }
  /// Contribution of the element to digit k.
  __device__ std::int64_t at(int k) const {
    unsigned const of       = unsigned(k - first_digit());
    int const shift         = position % 32;
    std::uint64_t const low = std::uint64_t(mantissa) << shift;
    std::uint32_t magnitude = of == 0   ? std::uint32_t(low)
                              : of == 1 ? std::uint32_t(low >> 32)
                                        : 0;
    if constexpr (digits == 3) {
      if (of == 2)
        magnitude = std::uint32_t(mantissa >> 32 >> (31 - shift) >> 1);
    }
    return negative ? -std::int64_t(magnitude) : std::int64_t(magnitude);
  }
  /// The element in units of 2^origin, where origin <= position.
  template <int Words>
  __device__ ExactInteger<Words> integer(int origin) const {
    unsigned const shift    = unsigned(position - origin);
    std::uint64_t const low = std::uint64_t(mantissa) << shift % 64;
    std::uint64_t const high =
        std::uint64_t(mantissa) >> 1 >> (63 - shift % 64);
    std::uint64_t const flip = negative ? ~std::uint64_t(0) : 0;
    std::uint64_t carry      = flip & 1;
    ExactInteger<Words> value;
#pragma unroll
    for (int k = 0; k < Words; ++k) {
      std::uint64_t const word = shift / 64 == unsigned(k)       ? low
                                 : shift / 64 + 1 == unsigned(k) ? high
                                                                 : 0;
      value.word[k]            = (word ^ flip) + carry;
      carry                    = value.word[k] < carry;
    }
    return value;
  }
};

/// Loads elements from `first` on. Past `end` they are -0: no sum changes.
template <Scalar Input, int N>
__device__ void load_scan_elements(ExactScanViews<Input> const& views,
                                   std::uint64_t first, std::uint64_t end,
                                   ElementBits<Input> (&bits)[N]) {
  if (views.vectors && first + N <= end) {
    read_values<N>(views.x + first, bits);
    return;
  }
#pragma unroll
  for (int j = 0; j < N; ++j)
    bits[j] = first + j < end
                  ? views.x[std::int64_t(first + j) * views.stride_x]
                  : exact_nothing<Input>;
}
template <Scalar Input, class Bits, int N>
__device__ void store_prefixes(ExactScanViews<Input> const& views,
                               std::uint64_t first, std::uint64_t end,
                               Bits const (&bits)[N]) {
  auto* const y = static_cast<Bits*>(views.y);
  if (views.vectors && first + N <= end) {
    store_elements<false>(y + first, bits);
    return;
  }
#pragma unroll
  for (int j = 0; j < N; ++j)
    if (first + j < end) y[std::int64_t(first + j) * views.stride_y] = bits[j];
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
