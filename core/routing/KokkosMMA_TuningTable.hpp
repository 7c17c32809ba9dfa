// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TUNING_TABLE_HPP
#define KOKKOSMMA_TUNING_TABLE_HPP

#include <core/base/KokkosMMA_Scalar.hpp>
#include <core/routing/KokkosMMA_Tuning.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

/// \file
/// Constants of the routes and launches that are values at run time, so that
/// they can be measured on the user's device (perf_tune) and read from a file
/// (docs/developers/tuning.md). What is compiled into a kernel is in
/// core/routing/KokkosMMA_Tuning.hpp. Figures: one NVIDIA H200, CUDA 13.0,
/// driver 580.159, 2026-11-21, GB/s.
///
/// No table can make a result wrong. A route function consults preferences
/// after all checks of what can run, and chooses among the routes that can. A
/// limit chooses among kernels, each of which supports any value that the entry
/// allows; what a kernel does not support (a length, an alignment) is checked
/// before the limit. Sizes of launches are clamped where they are used, and the
/// kernels loop over what a grid leaves. So the table decides how fast a sum of
/// integers is, and for floating point also the order of its additions, within
/// the same bound.

namespace KokkosMMA::Impl {

/// A limit that nothing reaches.
inline constexpr int never = std::numeric_limits<int>::max();

/// A value for each kind of element. Signed and unsigned integers of 4 and 8
/// bytes share theirs, and flags that of uint8: their kernels differ in nothing
/// that takes time.
struct PerType {
  /// Kinds of elements.
  static constexpr int size = 8;
  /// The one that stands for each of them.
  static constexpr Scalar types[size] = {
      Scalar::half, Scalar::bhalf, Scalar::float32, Scalar::float64,
      Scalar::int8, Scalar::uint8, Scalar::int32,   Scalar::int64};

  int values[size];  ///< in the order of `types`

  /// `opaque` has no value of its own: no route that uses a value runs it.
  static constexpr int index(Scalar scalar) {
    switch (scalar) {
      case Scalar::opaque:
      case Scalar::half: return 0;
      case Scalar::bhalf: return 1;
      case Scalar::float32: return 2;
      case Scalar::float64: return 3;
      case Scalar::int8: return 4;
      case Scalar::uint8:
      case Scalar::boolean: return 5;
      case Scalar::int32:
      case Scalar::uint32: return 6;
      case Scalar::int64:
      case Scalar::uint64: return 7;
    }
    return 0;
  }
  /// The value of an element type.
  constexpr int operator[](Scalar scalar) const {
    return values[index(scalar)];
  }

  /// One value for all of them.
  static constexpr PerType all(int value) {
    return {{value, value, value, value, value, value, value, value}};
  }
  /// This table with another value for one kind.
  constexpr PerType with(Scalar scalar, int value) const {
    PerType result               = *this;
    result.values[index(scalar)] = value;
    return result;
  }

  /// Whether all values are the same.
  friend constexpr bool operator==(PerType const&, PerType const&) = default;
};

/// The values, with what was measured on an H200 as defaults. Flags are 0 or 1.
struct TuningTable {
  /// Whether `auto` sums visible data by MMA. Sums of 2^30 elements, MMA and
  /// additions: float 4620 and 4645, double 4634 and 4643.
  PerType reduce_mma = PerType::all(1);
  /// Whether `auto` forms dot products of two Views on tensor cores.
  PerType dot_mma = PerType::all(1);
  /// R where the call leaves it open.
  int reduce_chain_length = mma_tuning.chain_length;
  /// B where the call leaves it open.
  int reduce_block_size = mma_tuning.threads;
  /// Blocks of 512 threads for each multiprocessor; smaller ones fill as many
  /// threads.
  int reduce_blocks = mma_tuning.min_blocks;
  /// Up to this many vectors of 16 bytes per multiprocessor a sum of visible
  /// data is spread over small blocks.
  int reduce_mma_spread = 2048;
  /// Up to this many indices per multiprocessor a reduction by an opaque
  /// functor is spread one index per thread, as Kokkos does: an expensive
  /// functor then meets as many threads as before. Blocks have 256 threads:
  /// with 512, and so fewer blocks than multiprocessors have room for, 1e5
  /// calls of hundreds of operations took 121 us instead of 99 (H100, Kokkos
  /// 102). n = 131072 floats: 3.5 us so, 3.3 us with 8 calls per thread.
  int reduce_spread = 2048;
  /// Shared memory of a multiprocessor for running arrays, and values of more
  /// than 64 bytes, of a reduction by an opaque functor. What is left of 256 KB
  /// is L1, in which rows wait for the rest of their lines to be used. Dot
  /// products of 64 columns of 2^21 doubles, LayoutLeft and LayoutRight: 916
  /// and 1171 us with 128 KB, 818 and 1127 with 164, 807 and 1167 with 196, 795
  /// and 2061 with 228; of 16 columns all the same (H100, 2026-11-26).
  int reduce_array_bytes = 196 * 1024;

  /// Whether `auto` scans visible data by MMA. It does for no type (see
  /// the table of tile_scan_tuning; int32 3487 against 3730, int64 2741 against
  /// 3755): a scan writes what it reads, so a shuffle has two bytes of traffic
  /// or more to hide behind where a reduction has one, and splitting the sums
  /// of rows exactly costs more instructions than five shuffles per 128
  /// elements.
  PerType scan_mma = PerType::all(0);
  /// Tiles over which a short range is spread, with fewer indices per thread:
  /// an expensive functor then meets more threads. 131072 floats: 32 tiles
  /// 5.0 us, 64 5.5, 128 6.7, 512 8.7.
  int scan_spread_tiles = 64;

  /// Equal segments of so many bytes and more are summed by MMA. They are
  /// nowhere: with four bytes in an instruction and 7 exchanges for 8 rows of
  /// vectors, additions keep up with the loads too (2^28 elements, additions
  /// and MMA):
  ///
  /// | segment | half      | int8      | float     |
  /// |---------|-----------|-----------|-----------|
  /// | 16      | 4240 4153 | 3648 3777 | 4307 4243 |
  /// | 64      | 4112 4005 | 3869 3718 | 4377 4293 |
  /// | 256     | 4418 4316 | 3930 3865 | 4535 4438 |
  /// | 1024    | 4401 4304 | 4035 4056 | 4514 4425 |
  /// | 16384   | 4378 4175 | 4133 3922 | 4430 3378 |
  /// | 100     | 3449 1864 | 3338      | 3807 1854 |
  ///
  /// Lengths that are no power of two of vectors fill the rows of an operand
  /// with masked vectors.
  PerType segments_mma_bytes = PerType::all(never);
  /// Whether columns of a matrix are summed by MMA. Not measured yet.
  PerType columns_mma = PerType::all(0);
  /// Equal segments that are no power of two of vectors are summed one per
  /// thread when they have no more elements and bytes than the first two and no
  /// fewer elements than the third or more bytes than the fourth (2^28
  /// elements, so and in staged tiles):
  ///
  /// | segment | half      | float     | double    |
  /// |---------|-----------|-----------|-----------|
  /// | 3       | 2271 3225 | 3428 3551 | 4350      |
  /// | 5       | 2868 2908 | 4031 3816 | 4000      |
  /// | 7       | 3396 3235 | 4334 3656 | 3725      |
  /// | 9       | 3741 3431 | 4368 3859 | 4002 3821 |
  /// | 12      | 3937 3649 | 4354 3738 | 4068 3715 |
  /// | 15      | 3915 3609 | 4086 3861 | 3087 3872 |
  /// | 17      | 3614 3474 | 3901 3704 | 3280 3738 |
  /// | 31      | 2832 3661 | 3161 3837 | 2425 3785 |
  ///
  /// From 9 elements on the first figure is a thread per segment in plain
  /// Kokkos. One-byte elements, 9, 12, 15, 17: 2624, 3200, 3220, 2570 and 2396,
  /// 2852, 2638, 2633.
  int tiny_elements      = 17;
  int tiny_bytes         = 96;  ///< the second of these limits
  int tiny_from_elements = 7;   ///< the third
  int tiny_over_bytes    = 12;  ///< the fourth
  /// Segments between offsets are summed one per thread when the longest is no
  /// longer than this, which is known from the check of the offsets. 2^28
  /// elements, of a thread per segment in plain Kokkos and of the kernel of
  /// uneven lengths: int8 up to 8 and 32 elements 1782, 1726 and 822, 1304;
  /// half up to 8 2108 and 1755; int32 up to 8 2899 and 2780. Longer ones lose:
  /// half up to 32 2170 and 2793, int32 3033 and 3466.
  int tiny_csr_bytes = 32;  ///< of elements of one and two bytes
  /// Microseconds of 2^28 floats, 64-bit offsets, checked: up to 16 elements
  /// 472 so, 499 the other way (H200), up to 32 422, 404; H100 515, 562.
  int tiny_csr_wide_bytes = 64;  ///< of others
  /// Segments between offsets of so many bytes on average are summed by quads
  /// of lanes. Floats of uniform lengths 0..128: 3059 so, 2762 as the others;
  /// 0..8: 2578 so, 2830 as the others; 0..32: 3439, 3506.
  int quads_csr_bytes = 96;
  /// Rows of so few bytes, whose results are an eighth of the traffic or more,
  /// are loaded as other data are, longer ones past the caches: halves,
  /// segments of 8, 16, 32, 64, 256, 1024 4083, 4208, 4141, 4086, 4133, 4193
  /// kept and 3871, 4038, 4080, 4279, 4353, 4325 past them.
  int kept_bytes = 64;

  /// Stencils use MMA from this radius or number of weights on; the
  /// measurements are at mma_stencil_pays. Those of bytes other than boxes
  /// do wherever they can: nothing else comes near. The limit of bytes is that
  /// of uint8; int8 and bool have the same kernels without MMA. Of them
  /// int8 of radius 1 was timed, before sums were two to a word: 1914 without
  /// MMA, 1773 with it.
  PerType stencil_box_radius = PerType::all(8)
                                   .with(Scalar::bhalf, 7)
                                   .with(Scalar::int8, 5)
                                   .with(Scalar::uint8, 5);
  /// The radius of weights that are one outer product.
  PerType stencil_product_radius = PerType::all(3)
                                       .with(Scalar::half, 4)
                                       .with(Scalar::bhalf, 4)
                                       .with(Scalar::float32, 8);
  /// The number of weights other than zero, for all other weights.
  PerType stencil_dense_taps =
      PerType::all(28).with(Scalar::float32, 150).with(Scalar::float64, 200);

  /// Whether all values are the same.
  friend constexpr bool operator==(TuningTable const&,
                                   TuningTable const&) = default;
};

/// The defaults: the H200's. Those of other devices are in
/// core/routing/KokkosMMA_BuiltInTunings.hpp.
inline constexpr TuningTable builtin_tuning{};

/// A value of the table. By these names, since nvcc writes the types out with
/// parentheses that its host compiler warns of.
using TuningValue = int TuningTable::*;
/// A row of values of the table.
using TuningValues = PerType TuningTable::*;

/// A value or a row of values of the table: its name in files and what it may
/// be. An entry has one of the two members.
struct TuningEntry {
  std::string_view name;  ///< in a file
  int least;              ///< smallest value allowed
  int most;               ///< largest value allowed, apart from `never`
  int step;               ///< the value is a multiple of it
  bool or_never;          ///< `never` is allowed too
  unsigned types;         ///< bit i: PerType::types[i] has a value
  TuningValue value;      ///< of an entry with one value
  TuningValues values;    ///< of an entry with one for each type

  /// Whether it is yes or no.
  constexpr bool is_flag() const { return least == 0 && most == 1; }
  /// Whether PerType::types[type] has a value.
  constexpr bool has(int type) const { return types >> type & 1u; }
  /// Whether a value may be x.
  constexpr bool allows(int x) const {
    return (or_never && x == never) ||
           (least <= x && x <= most && x % step == 0);
  }
  /// The values that it may have, for a person.
  [[gnu::cold]] std::string allowed() const {
    if (is_flag()) return "yes or no";
    std::string text;
    if (step > 1) text += "multiples of " + std::to_string(step) + ", ";
    text += std::to_string(least) + " to " + std::to_string(most);
    if (or_never) text += ", or never";
    return text;
  }
};

constexpr unsigned type_bits(std::initializer_list<Scalar> types) {
  unsigned bits = 0;
  for (Scalar const type : types) bits |= 1u << PerType::index(type);
  return bits;
}
inline constexpr unsigned all_type_bits = (1u << PerType::size) - 1;
inline constexpr unsigned dot_type_bits =
    type_bits({Scalar::half, Scalar::bhalf, Scalar::float64, Scalar::int8,
               Scalar::uint8});
inline constexpr unsigned small_float_bits =
    type_bits({Scalar::half, Scalar::bhalf});

constexpr TuningEntry flags_entry(std::string_view name, unsigned types,
                                  PerType TuningTable::*values) {
  return {name, 0, 1, 1, false, types, nullptr, values};
}
constexpr TuningEntry limits_entry(std::string_view name, int most,
                                   unsigned types,
                                   PerType TuningTable::*values) {
  return {name, 0, most, 1, true, types, nullptr, values};
}
constexpr TuningEntry value_entry(std::string_view name, int least, int most,
                                  int TuningTable::*value, int step = 1) {
  return {name, least, most, step, false, 0, value, nullptr};
}

/// Every entry, in the order of a file.
inline constexpr TuningEntry tuning_entries[] = {
    flags_entry("reduce.mma", all_type_bits, &TuningTable::reduce_mma),
    flags_entry("dot.mma", dot_type_bits, &TuningTable::dot_mma),
    value_entry("reduce.chain_length", 1, max_chain_length,
                &TuningTable::reduce_chain_length),
    value_entry("reduce.block_size", 32, mma_tuning.threads,
                &TuningTable::reduce_block_size, 32),
    value_entry("reduce.blocks", 1, 8, &TuningTable::reduce_blocks),
    value_entry("reduce.mma_spread", 0, 1 << 20,
                &TuningTable::reduce_mma_spread),
    value_entry("reduce.spread", 0, 1 << 20, &TuningTable::reduce_spread),
    value_entry("reduce.array_bytes", 16 * 1024, 256 * 1024,
                &TuningTable::reduce_array_bytes, 1024),
    flags_entry("scan.mma", all_type_bits, &TuningTable::scan_mma),
    value_entry("scan.spread_tiles", 1, 4096, &TuningTable::scan_spread_tiles),
    limits_entry("segments.mma_bytes", 1 << 26, all_type_bits,
                 &TuningTable::segments_mma_bytes),
    flags_entry("columns.mma",
                type_bits({Scalar::half, Scalar::bhalf, Scalar::float32,
                           Scalar::float64, Scalar::int8, Scalar::uint8}),
                &TuningTable::columns_mma),
    value_entry("segments.tiny_elements", 0, 1024, &TuningTable::tiny_elements),
    value_entry("segments.tiny_bytes", 0, 8192, &TuningTable::tiny_bytes),
    value_entry("segments.tiny_from_elements", 0, 1024,
                &TuningTable::tiny_from_elements),
    value_entry("segments.tiny_over_bytes", 0, 8192,
                &TuningTable::tiny_over_bytes),
    value_entry("segments.tiny_csr_bytes", 0, 8192,
                &TuningTable::tiny_csr_bytes),
    value_entry("segments.tiny_csr_wide_bytes", 0, 8192,
                &TuningTable::tiny_csr_wide_bytes),
    value_entry("segments.quads_csr_bytes", 0, 1 << 20,
                &TuningTable::quads_csr_bytes),
    value_entry("segments.kept_bytes", 0, 8192, &TuningTable::kept_bytes),
    limits_entry("stencil.box_radius", 16, small_float_bits,
                 &TuningTable::stencil_box_radius),
    limits_entry("stencil.product_radius", 16, small_float_bits,
                 &TuningTable::stencil_product_radius),
    limits_entry("stencil.dense_taps", 1089,
                 type_bits({Scalar::half, Scalar::bhalf, Scalar::float64}),
                 &TuningTable::stencil_dense_taps),
};

/// Calls f(name, entry, value) for every value of a table, const or not.
template <class Table, class F>
void for_each_tuned_value(Table& table, F const& f) {
  for (TuningEntry const& entry : tuning_entries) {
    if (entry.value) {
      f(std::string(entry.name), entry, table.*entry.value);
      continue;
    }
    for (int t = 0; t < PerType::size; ++t)
      if (entry.has(t))
        f(std::string(entry.name) + "." +
              std::string(to_string(PerType::types[t])),
          entry, (table.*entry.values).values[t]);
  }
}

/// Whether every value is one that its entry allows.
constexpr bool is_valid(TuningTable const& table) {
  for (TuningEntry const& entry : tuning_entries) {
    if (entry.value && !entry.allows(table.*entry.value)) return false;
    if (entry.values)
      for (int t = 0; t < PerType::size; ++t)
        if (entry.has(t) && !entry.allows((table.*entry.values).values[t]))
          return false;
  }
  return true;
}

/// Whether a sum (or a dot product, if `product`) by MMA is the faster
/// one, so that `auto` uses it where both can run.
constexpr bool mma_reduce_pays(Scalar input, bool product,
                               TuningTable const& table = builtin_tuning) {
  return product ? table.dot_mma[input] != 0 : table.reduce_mma[input] != 0;
}
/// Whether a scan by MMA is the faster one.
constexpr bool mma_scan_pays(Scalar input, Scalar /*accumulator*/,
                             TuningTable const& table = builtin_tuning) {
  return table.scan_mma[input] != 0;
}
/// Whether sums of equal segments by MMA are the faster ones.
constexpr bool mma_segments_pay(Scalar input, std::uint64_t segment_bytes,
                                TuningTable const& table = builtin_tuning) {
  int const from = table.segments_mma_bytes[input];
  return from != never && segment_bytes >= std::uint64_t(from);
}
/// Whether sums of columns by MMA are the faster ones; scans of columns have
/// none.
constexpr bool mma_columns_pay(Scalar input, bool scan,
                               TuningTable const& table = builtin_tuning) {
  return !scan && table.columns_mma[input] != 0;
}

/// Whether equal segments are summed one per thread.
constexpr bool segments_are_tiny(std::uint64_t elements, std::uint64_t bytes,
                                 TuningTable const& table = builtin_tuning) {
  return elements <= std::uint64_t(table.tiny_elements) &&
         bytes <= std::uint64_t(table.tiny_bytes) &&
         (elements >= std::uint64_t(table.tiny_from_elements) ||
          bytes > std::uint64_t(table.tiny_over_bytes));
}

}  // namespace KokkosMMA::Impl

#endif
