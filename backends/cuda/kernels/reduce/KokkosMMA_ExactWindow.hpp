// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CUDA_EXACT_WINDOW_HPP
#define KOKKOSMMA_CUDA_EXACT_WINDOW_HPP

#include <backends/cuda/arch/KokkosMMA_AddNearest.hpp>
#include <core/base/KokkosMMA_Bits.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <cstdint>
#include <type_traits>

/// \file
/// Exact sum of the numbers that the lanes of a warp load. A number is cut into
/// parts by additions: t = x + m, where m = 1.5 * 2^k and x is below m / 3,
/// rounds x to a multiple of the last bit of m. The bits of t minus those of m
/// are that multiple as an integer, and x - (t - m) is exact: it is the
/// remainder for the next part (Dekker 1971, Ogita, Rump and Oishi 2005). The
/// integers are summed modulo 2^32 or 2^64, which is exact while their sum
/// fits. A window has two parts: 45 bits of floats, 103 of doubles. The
/// remainder is added exactly to limbs in shared memory. A window moves up when
/// a number is too large for it, and down when all numbers that a warp loads
/// are in its lower part and leave remainders.

namespace KokkosMMA::Impl::Cuda {

template <class Real>
struct RealBits {
  using Bits    = std::uint32_t;
  using Integer = std::int32_t;
};
template <>
struct RealBits<double> {
  using Bits    = std::uint64_t;
  using Integer = std::int64_t;
};

/// Positions of a window: the exponent field of its first m. A product of
/// doubles comes as two numbers, the rounded product and its error. The error
/// has no bits in the first part, so windows of products have three parts.
template <Scalar Input, bool Products = false>
struct ExactWindow {
  static constexpr FloatFormat format = float_format(exact_carrier(Input));
  static constexpr int fraction       = format.fraction_bits;
  static constexpr int special        = format.special();
  static constexpr int parts          = Products ? 3 : 2;
  /// Distance from the last bit of a part to that of the next, which holds a
  /// remainder of at most half a last bit, with a bit to spare.
  static constexpr int step = fraction - 1;
  /// Lowest window: its last bit is that of the smallest number.
  static constexpr int lowest = 1 + step * (parts - 1);
  /// Highest window: its m is finite. Larger numbers have no window.
  static constexpr int highest = special - 1;
  /// Window above the exponent of its largest number. Two would fit the number;
  /// three let the next one be twice as large.
  static constexpr int above = 3;
  /// Whether one window holds all values: 2^-24 to 2^16 for half.
  static constexpr bool whole = Input == Scalar::half;
  static constexpr int first  = whole ? format.bias() + 15 + 2 : lowest;
  /// Terms per number in a lane's sum of a part: number, error or both.
  __device__ static constexpr int terms_of(int part) {
    return Products && part == 1 ? 2 : 1;
  }
  /// Most numbers whose integers fit a sum of one word.
  static constexpr int capacity =
      ((1 << (format.exponent_bits + 1)) - 1) / (Products ? 2 : 1);
};

/// Sum of a lane in a window: one integer for each part.
template <Scalar Input, bool Products = false>
class ExactLaneSum {
 public:
  using Window  = ExactWindow<Input, Products>;
  using Real    = std::conditional_t<Input == Scalar::float64, double, float>;
  using Bits    = typename RealBits<Real>::Bits;
  using Integer = typename RealBits<Real>::Integer;

 protected:
  static constexpr unsigned all = 0xffffffffu;
  static constexpr int fraction = Window::fraction;
  static constexpr Bits sign    = Bits(1) << (8 * sizeof(Bits) - 1);

  __device__ static Bits bits_of(Real x) { return bit_cast<Bits>(x); }
  __device__ static int exponent_of(Bits bits) {
    return int(bits >> fraction) & Window::special;
  }
  /// Bits of the m of a part.
  __device__ Bits pattern(int part) const {
    return Bits(m_window - part * Window::step) << fraction |
           Bits(1) << (fraction - 1);
  }
  __device__ Real m(int part) const { return bit_cast<Real>(pattern(part)); }

  /// Computes t = x + m. Returns the bits in which any t differs from m. Those
  /// of the exponent differ where a number is too large or not finite.
  template <int Values>
  __device__ Bits shift(Real const (&x)[Values], Real (&t)[Values]) const {
    Bits changed = 0;
#pragma unroll
    for (int k = 0; k < Values; ++k) {
      t[k] = AddNearest::sum(x[k], m(0));
      changed |= bits_of(t[k]) ^ pattern(0);
    }
    return changed;
  }

  /// Adds both parts of x and leaves the remainder in x.
  template <int Values>
  __device__ void cut(Real (&x)[Values], Real const (&t)[Values]) {
    m_count += Values;
    Real const m0 = m(0);
    Real const m1 = m(1);
#pragma unroll
    for (int k = 0; k < Values; ++k) {
      m_sum[0] += bits_of(t[k]);
      x[k] = AddNearest::difference(x[k], AddNearest::difference(t[k], m0));
      Real const t1 = AddNearest::sum(x[k], m1);
      m_sum[1] += bits_of(t1);
      if constexpr (!Window::whole) {
        x[k] = AddNearest::difference(x[k], AddNearest::difference(t1, m1));
      }
    }
  }

  /// Adds the errors to the parts after the first, and leaves remainders. The
  /// error of a product that fits the first part is below the last bit of that
  /// part, so it fits the second.
  template <int Values>
  __device__ void cut_errors(Real (&error)[Values]) {
#pragma unroll
    for (int part = 1; part < Window::parts; ++part) {
      Real const shift = m(part);
#pragma unroll
      for (int k = 0; k < Values; ++k) {
        Real const t = AddNearest::sum(error[k], shift);
        m_sum[part] += bits_of(t);
        error[k] =
            AddNearest::difference(error[k], AddNearest::difference(t, shift));
      }
    }
  }

  /// The sum of a part, in units of its last bit.
  __device__ Integer sum_of(int part) const {
    return Integer(m_sum[part] -
                   Bits(m_count * Window::terms_of(part)) * pattern(part));
  }
  /// Position of that last bit above the lowest bit of limb 0. A number with
  /// exponent field e has its last bit at e - 1.
  __device__ int position_of(int part) const {
    return m_window - part * Window::step - 1;
  }

  int m_window              = Window::first;
  int m_count               = 0;   ///< numbers that a lane has added to m_sum
  Bits m_sum[Window::parts] = {};  ///< patterns, modulo 2^bits
};

/// Shared memory of one warp. Bins of doubles do not carry: the limbs of a
/// block have room for 2^30 numbers or 2^29 products, those of 256 blocks for
/// 2^38 or 2^37. A number adds less than 2^32 to a limb, and so does the error
/// of a product. A product of doubles as integers adds less than 4 * 2^32, and
/// a drained window, once for 64 numbers or more, less than 6 * 2^32.
template <Scalar Input, int Columns>
struct ExactWarpMemory {
  static constexpr int limbs = exact_limbs(Input);
  /// Limbs that a single number may add to.
  static constexpr int bins = exact_carrier(Input) == Scalar::float64 ? 66 : 9;
  static constexpr bool has_bins = !ExactWindow<Input>::whole;

  /// Bins k * Columns + lane % Columns belong to a lane.
  std::int64_t bin[has_bins ? bins * Columns : 1];
  std::int64_t limb[limbs];
};

/// Part of a warp's sum that a lane holds. All lanes make each call.
template <Scalar Input, int Columns, bool Products = false>
class ExactWarpSum : ExactLaneSum<Input, Products> {
  using Lane = ExactLaneSum<Input, Products>;

 public:
  using typename Lane::Bits;
  using typename Lane::Integer;
  using typename Lane::Real;
  using typename Lane::Window;
  using Memory = ExactWarpMemory<Input, Columns>;

  __device__ ExactWarpSum(Memory& memory, int lane)
      : m_memory(memory), m_lane(lane) {
    for (int k = lane; k < Memory::limbs; k += 32) memory.limb[k] = 0;
    __syncwarp();
  }

  /// Adds numbers, and overwrites them.
  template <int Values>
  __device__ void add(Real (&x)[Values]) {
    static_assert(!Products);
    add_with(x, x);
  }
  /// Adds products and their rounding errors, and overwrites both. Errors are
  /// finite, even if the product is not.
  template <int Values>
  __device__ void add(Real (&x)[Values], Real (&error)[Values]) {
    static_assert(Products);
    add_with(x, error);
  }

  /// Records that another number than -0 was added; uniform in the warp.
  __device__ void note_other(bool is_there) {
    if (is_there) m_flags |= exact_has_other;
  }

  /// Completes the sum of the warp in memory.limb.
  /// \return flags of this lane; those of the warp are the union over lanes
  __device__ unsigned finish() {
    drain();
    if constexpr (!Window::whole && Columns == 32) {
      if (m_flags & bins_in_use) carry_bins();
    }
    __syncwarp();
    if constexpr (!Window::whole) {
      if (m_flags & bins_in_use)
        for (int k = m_lane; k < Memory::bins; k += 32) {
          std::int64_t sum = 0;
#pragma unroll 8
          for (int c = 0; c < Columns; ++c)
            sum += m_memory.bin[k * Columns + (c + m_lane) % Columns];
          m_memory.limb[k] += sum;
        }
    }
    return m_flags & ~bins_in_use;
  }

 private:
  using Lane::all;
  using Lane::bits_of;
  using Lane::cut;
  using Lane::exponent_of;
  using Lane::fraction;
  using Lane::m_count;
  using Lane::m_sum;
  using Lane::m_window;
  using Lane::shift;
  using Lane::sign;

  template <int Values>
  __device__ void add_with(Real (&x)[Values], Real (&error)[Values]) {
    if (!(m_flags & exact_has_other)) look_for_others(x);
    Real t[Values];
    Bits changed;
    bool in_window;
    // Draining and shifting appear once, whatever moves the window: the code of
    // a kernel is half as long.
    for (;;) {
      if (m_wanted != m_window || m_count + Values > Window::capacity) {
        drain();
        m_window = m_wanted;
      }
      changed   = shift(x, t);
      in_window = !__any_sync(all, int(changed >> fraction) != 0);
      if (in_window || !adapt(x)) break;
    }
    if (in_window) {
      cut(x, t);
      if constexpr (Products) {
        this->cut_errors(error);
      }
    }
    if constexpr (!Window::whole) {
      bool rests = add_rest(x);
      if constexpr (Products) {
        rests = add_rest(error) || rests;
      }
      if (rests && in_window && !__any_sync(all, changed != 0))
        m_wanted = max(m_window - Window::step, Window::lowest);
    }
  }
  /// Adds remainders to the bins. Returns whether any lane had one.
  template <int Values>
  __device__ bool add_rest(Real const (&x)[Values]) {
    Bits rest = 0;
#pragma unroll
    for (int k = 0; k < Values; ++k) rest |= bits_of(x[k]);
    bool const some = __any_sync(all, (rest << 1) != 0);
    if (some) add_to_bins(x);
    return some;
  }

  template <int Values>
  __device__ void look_for_others(Real const (&x)[Values]) {
    Bits others = 0;
#pragma unroll
    for (int k = 0; k < Values; ++k) others |= bits_of(x[k]) ^ sign;
    note_other(__any_sync(all, others != 0));
  }

  /// Removes numbers that are not finite and requests the window above the
  /// largest of the rest. Returns whether to try again.
  template <int Values>
  __device__ bool adapt(Real (&x)[Values]) {
    int largest  = 0;
    bool special = false;
#pragma unroll
    for (int k = 0; k < Values; ++k) {
      Bits const bits    = bits_of(x[k]);
      int const exponent = exponent_of(bits);
      if (exponent == Window::special) {
        m_flags |= exact_flag_of(bits << (8 * sizeof(Bits) - fraction),
                                 (bits & sign) != 0);
        x[k]    = bit_cast<Real>(Bits(sign));
        special = true;
      } else {
        largest = max(largest, exponent);
      }
    }
    if constexpr (!Window::whole) {
#pragma unroll
      for (int lanes = 16; lanes > 0; lanes /= 2)
        largest = max(largest, __shfl_xor_sync(all, largest, lanes));
      int const wanted = min(largest + Window::above, Window::highest);
      m_wanted         = max(wanted, m_window);
    }
    return m_wanted != m_window || __any_sync(all, special);
  }

  /// Moves the sums of the lanes to the limbs of the warp.
  __device__ void drain() {
    if (m_count == 0) return;
#pragma unroll
    for (int p = 0; p < Window::parts; ++p) {
      Integer const sum  = this->sum_of(p);
      int const position = this->position_of(p);
      m_sum[p]           = 0;
      if constexpr (sizeof(Bits) == 4) {
        add_of_lanes(sum, position);
      } else {
        add_of_lanes(std::int64_t(std::uint32_t(std::uint64_t(sum))), position);
        add_of_lanes(sum >> 32, position + 32);
      }
    }
    m_count = 0;
  }
  /// Adds one number per lane, of at most 32 bits and a sign.
  __device__ void add_of_lanes(std::int64_t value, int position) {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2)
      value += __shfl_xor_sync(all, value, lanes);
    if (m_lane == 0)
      split_into_limbs(value, position, [&](int k, std::int64_t part) {
        m_memory.limb[k] += part;
      });
  }

  /// Parts of a number, and the bin of the first. A float has one part; 255
  /// floats fit in a bin between carries.
  struct BinParts {
    static constexpr int count = sizeof(Bits) == 4 ? 1 : 3;
    int first;
    std::int64_t part[count];
  };
  static constexpr int bin_capacity     = 255;
  static constexpr unsigned bins_in_use = 1u << 31;

  __device__ static BinParts bin_parts(Bits bits) {
    int const exponent = exponent_of(bits);
    int const position = max(exponent, 1) - 1;
    Bits const mantissa =
        (bits & ((Bits(1) << fraction) - 1)) | Bits(exponent != 0) << fraction;
    auto const integer = Integer(bits & sign ? Bits(0) - mantissa : mantissa);
    BinParts parts;
    parts.first = position / 32 * Columns;
    if constexpr (sizeof(Bits) == 4) {
      parts.part[0] = std::int64_t(integer) << position % 32;
    } else {
      split_into_limbs(integer, position % 32,
                       [&](int k, std::int64_t part) { parts.part[k] = part; });
    }
    return parts;
  }

  template <int Values>
  __device__ void add_to_bins(Real const (&x)[Values]) {
    std::int64_t* const column = m_memory.bin + m_lane % Columns;
    if (!(m_flags & bins_in_use)) {
      m_flags |= bins_in_use;
      for (int k = m_lane; k < Memory::bins * Columns; k += 32)
        m_memory.bin[k] = 0;
      __syncwarp();
    }
    if constexpr (Columns == 32) {
      if (m_bin_count + Values > bin_capacity) carry_bins();
      m_bin_count += Values;
    }
#pragma unroll
    for (int k = 0; k < Values; ++k) {
      Bits const bits = bits_of(x[k]);
      bool const some = (bits << 1) != 0;
      if (Columns < 32 && !__any_sync(all, some)) continue;
      BinParts const parts = bin_parts(bits);
      auto const add       = [&] {
#pragma unroll
        for (int p = 0; p < BinParts::count; ++p)
          column[parts.first + p * Columns] += parts.part[p];
      };
      if constexpr (Columns == 32) {
        if (some) add();
      } else {
        // Lanes of the same column add one after the other.
#pragma unroll
        for (int part = 0; part < 32 / Columns; ++part) {
          if (some && m_lane / Columns == part) add();
          __syncwarp();
        }
      }
    }
  }

  /// Propagates the carries in the lane's own column of bins.
  __device__ void carry_bins() {
    std::int64_t carry = 0;
#pragma unroll 1
    for (int k = 0; k < Memory::bins; ++k) {
      std::int64_t const sum        = m_memory.bin[k * 32 + m_lane] + carry;
      m_memory.bin[k * 32 + m_lane] = std::int64_t(std::uint32_t(sum));
      carry                         = sum >> 32;
    }
    m_memory.bin[(Memory::bins - 1) * 32 + m_lane] += carry << 32;
    m_bin_count = 0;
  }

  Memory& m_memory;
  int m_lane;
  int m_wanted    = Window::first;  ///< window of the next numbers
  int m_bin_count = 0;  ///< numbers in a lane's bins since the last carry
  /// Flags of the lane: numbers that are not finite. Flags of the warp:
  /// exact_has_other and bins_in_use. One word for both, because sums of
  /// products of doubles have no register left (CUDA 13.0, sm_90).
  unsigned m_flags = 0;
};

/// Adds to limbs to which other threads add too.
struct AtomicAddToLimbs {
  std::int64_t* limb;
  __device__ void operator()(int k, std::int64_t part) const {
    if (part != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(limb + k),
                static_cast<unsigned long long>(part));
  }
};

/// Rounds a sum in limbs in shared memory with one warp; lane 0 returns it.
/// Zero limbs cost only a ballot. The limbs are overwritten.
template <int Limbs>
__device__ std::uint64_t round_by_warp(std::int64_t* limb, int lane,
                                       unsigned flags, bool empty, int lowest,
                                       FloatFormat const& format) {
  int first = Limbs;
  int end   = 0;
  for (int k = 0; k < Limbs; k += 32) {
    unsigned const nonzero =
        __ballot_sync(0xffffffffu, k + lane < Limbs && limb[k + lane] != 0);
    if (nonzero == 0) continue;
    if (first == Limbs) first = k + __ffs(int(nonzero)) - 1;
    // One more, for the carry of the last nonzero limb.
    end = min(k + 33 - countl_zero(nonzero), Limbs);
  }
  __syncwarp();  // all lanes have read the limbs
  return lane == 0 ? round_limbs(limb, first, end, flags, empty, lowest, format)
                   : 0;
}

}  // namespace KokkosMMA::Impl::Cuda

#endif
