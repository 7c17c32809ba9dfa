// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TUNING_TABLE_HPP
#define KOKKOSMMA_TUNING_TABLE_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

/// \file
/// Run-time constants of routes and launches, which can be measured on the
/// user's device (perf_tune) and read from a file (docs/developers/tuning.md).
/// Constants compiled into kernels are in core/routing/KokkosMMA_Tuning.hpp.
/// Figures without other data: NVIDIA H200, CUDA 13.0, driver 580.159,
/// 2026-11-21, GB/s.
///
/// No table makes a result wrong. A route function first checks which routes
/// can run, then uses preferences to choose among them. A limit chooses among
/// kernels that support every value which the entry allows; properties that a
/// kernel does not support (a length, an alignment) are checked before the
/// limit. Launch sizes are clamped on use, and kernels loop over the rest of
/// the range. The table thus affects the speed of integer sums, and for
/// floating point also the order of additions, within the same error bound.

namespace KokkosMMA::Impl {

/// Limit that no value reaches.
inline constexpr int never = std::numeric_limits<int>::max();

/// One value per kind of element. Signed and unsigned integers of 4 and 8 bytes
/// share a value, and flags use that of uint8: their kernels do not differ in
/// speed.
struct PerType {
  /// Number of kinds of elements.
  static constexpr int size = 8;
  /// Element type that represents each kind.
  static constexpr Scalar types[size] = {
      Scalar::half, Scalar::bhalf, Scalar::float32, Scalar::float64,
      Scalar::int8, Scalar::uint8, Scalar::int32,   Scalar::int64};

  int values[size];  ///< in the order of `types`

  /// `opaque` has no value of its own: no route that reads values supports it.
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
  /// Value of an element type.
  constexpr int operator[](Scalar scalar) const {
    return values[index(scalar)];
  }

  /// Table with one value for all kinds.
  static constexpr PerType all(int value) {
    return {{value, value, value, value, value, value, value, value}};
  }
  /// Copy with another value for one kind.
  constexpr PerType with(Scalar scalar, int value) const {
    PerType result               = *this;
    result.values[index(scalar)] = value;
    return result;
  }

  /// Whether all values are the same.
  friend constexpr bool operator==(PerType const&, PerType const&) = default;
};

/// Tuning values; the defaults are those of an H200. Flags are 0 or 1.
struct TuningTable {
  /// Whether `auto` sums visible data by MMA. Sums of 2^30 elements by MMA and
  /// by additions: double 4506 and 4335, int64 4499 and 4457 (2026-11-29),
  /// double 2981 and 2996 (H100).
  PerType reduce_mma = PerType::all(1);
  /// Whether `auto` forms dot products of two Views on tensor cores.
  PerType dot_mma = PerType::all(1);
  /// Up to this many 16-byte vectors per multiprocessor, a sum of visible data
  /// uses small blocks on all multiprocessors.
  int reduce_mma_spread = 2048;
  /// Up to this many indices per multiprocessor, a reduction by an opaque
  /// functor has one index per thread, as in Kokkos. An expensive functor then
  /// runs on as many threads as there. Blocks have 256 threads; with 512, too
  /// few blocks fill the multiprocessors: 1e5 invocations of hundreds of
  /// operations 99 us with 256, 121 with 512, 102 in Kokkos (H100). 131072
  /// floats: 3.5 us with one index per thread, 3.3 with 8.
  int reduce_spread = 2048;

  /// Tiles of a short range, with fewer indices per thread, so that an
  /// expensive functor runs on more threads. 131072 floats: 32 tiles 5.0 us, 64
  /// 5.5, 128 6.7, 512 8.7.
  int scan_spread_tiles = 64;

  /// Largest number of elements of equal segments that are summed one per
  /// thread, if their length is no power of two of vectors (segments_are_tiny).
  /// 2^28 elements, one per thread and in staged tiles:
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
  /// From 9 elements on, the first figure is a thread per segment in plain
  /// Kokkos. One-byte elements, 9, 12, 15, 17: 2624, 3200, 3220, 2570 and 2396,
  /// 2852, 2638, 2633.
  int tiny_elements      = 17;
  int tiny_bytes         = 96;  ///< largest size of these segments
  int tiny_from_elements = 7;   ///< fewest elements, or
  int tiny_over_bytes    = 12;  ///< size that they exceed
  /// Segments between offsets are summed one per thread up to this longest
  /// size, which the check of the offsets finds. 2^28 elements, a thread per
  /// segment in plain Kokkos and the kernel for uneven lengths: int8 up to 8
  /// and 32 elements 1782, 1726 and 822, 1304; half up to 8 2108 and 1755;
  /// int32 up to 8 2899 and 2780. Longer segments lose: half up to 32 2170 and
  /// 2793, int32 3033 and 3466.
  int tiny_csr_bytes = 32;  ///< of elements of one and two bytes
  /// Microseconds of 2^28 floats, checked 64-bit offsets, with one segment per
  /// thread and without: up to 16 elements 472, 499 (H200), up to 32 422, 404;
  /// H100 515, 562.
  int tiny_csr_wide_bytes = 64;  ///< other elements
  /// Smallest mean size of segments between offsets that quads of lanes sum.
  /// Floats of uniform lengths, quads and other kernel: 0..128 3059, 2762; 0..8
  /// 2578, 2830; 0..32 3439, 3506.
  int quads_csr_bytes = 96;
  /// Rows up to this size use normal loads, longer ones bypass the caches:
  /// results of short rows are an eighth of the traffic or more. Halves,
  /// segments of 8, 16, 32, 64, 256, 1024: cached 4083, 4208, 4141, 4086, 4133,
  /// 4193; bypassing 3871, 4038, 4080, 4279, 4353, 4325.
  int kept_bytes = 64;

  /// Smallest radius of boxes that use MMA; the measurements are at
  /// mma_stencil_pays. Byte stencils other than boxes always use MMA if they
  /// can: it is much faster. The limit for bytes is that of uint8; int8 and
  /// bool have the same kernels without MMA. Only int8 of radius 1 was timed:
  /// 1914 without MMA, 1773 with it (before sums were packed two to a word).
  PerType stencil_box_radius = PerType::all(8)
                                   .with(Scalar::bhalf, 7)
                                   .with(Scalar::int8, 5)
                                   .with(Scalar::uint8, 5);
  /// Smallest radius of weights that are one outer product.
  PerType stencil_product_radius = PerType::all(3)
                                       .with(Scalar::half, 4)
                                       .with(Scalar::bhalf, 4)
                                       .with(Scalar::float32, 8);
  /// Smallest number of nonzero weights, for all other weights.
  PerType stencil_dense_taps =
      PerType::all(28).with(Scalar::float32, 150).with(Scalar::float64, 200);

  /// Whether all values are the same.
  friend constexpr bool operator==(TuningTable const&,
                                   TuningTable const&) = default;
};

/// Defaults, those of the H200. Other devices:
/// core/routing/KokkosMMA_BuiltInTunings.hpp.
inline constexpr TuningTable builtin_tuning{};

/// Member for one value. An alias, since nvcc writes the type with parentheses
/// of which its host compiler warns.
using TuningValue = int TuningTable::*;
/// Member for a row of values.
using TuningValues = PerType TuningTable::*;

/// Name and allowed range of a value, or of a row of values, of the table.
/// Either `value` or `values` is set.
struct TuningEntry {
  std::string_view name;  ///< in a file
  int least;              ///< smallest value allowed
  int most;               ///< largest value allowed besides `never`
  bool or_never;          ///< `never` is allowed too
  unsigned types;         ///< bit i: PerType::types[i] has a value
  TuningValue value;      ///< set for an entry with one value
  TuningValues values;    ///< set for an entry with a value per type

  /// Whether the value is yes or no.
  constexpr bool is_flag() const { return least == 0 && most == 1; }
  /// Whether PerType::types[type] has a value.
  constexpr bool has(int type) const { return types >> type & 1u; }
  /// Whether a value may be x.
  constexpr bool allows(int x) const {
    return (or_never && x == never) || (least <= x && x <= most);
  }
  /// Allowed values as text.
  [[gnu::cold]] std::string allowed() const {
    if (is_flag()) return "yes or no";
    std::string text = std::to_string(least) + " to " + std::to_string(most);
    if (or_never) text += ", or never";
    return text;
  }
};

constexpr unsigned type_bits(std::initializer_list<Scalar> types) {
  unsigned bits = 0;
  for (Scalar const type : types) bits |= 1u << PerType::index(type);
  return bits;
}
inline constexpr unsigned dot_type_bits =
    type_bits({Scalar::half, Scalar::bhalf, Scalar::float64, Scalar::int8,
               Scalar::uint8});
inline constexpr unsigned sum_type_bits =
    dot_type_bits | type_bits({Scalar::int64});
inline constexpr unsigned small_float_bits =
    type_bits({Scalar::half, Scalar::bhalf});

constexpr TuningEntry flags_entry(std::string_view name, unsigned types,
                                  PerType TuningTable::*values) {
  return {name, 0, 1, false, types, nullptr, values};
}
constexpr TuningEntry limits_entry(std::string_view name, int most,
                                   unsigned types,
                                   PerType TuningTable::*values) {
  return {name, 0, most, true, types, nullptr, values};
}
constexpr TuningEntry value_entry(std::string_view name, int least, int most,
                                  int TuningTable::*value) {
  return {name, least, most, false, 0, value, nullptr};
}

/// All entries, in the order of a file.
inline constexpr TuningEntry tuning_entries[] = {
    flags_entry("reduce.mma", sum_type_bits, &TuningTable::reduce_mma),
    flags_entry("dot.mma", dot_type_bits, &TuningTable::dot_mma),
    value_entry("reduce.mma_spread", 0, 1 << 20,
                &TuningTable::reduce_mma_spread),
    value_entry("reduce.spread", 0, 1 << 20, &TuningTable::reduce_spread),
    value_entry("scan.spread_tiles", 1, 4096, &TuningTable::scan_spread_tiles),
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

/// Whether a sum (or a dot product, if `product`) is faster by MMA, so that
/// `auto` uses MMA if both routes can run.
constexpr bool mma_reduce_pays(Scalar input, bool product,
                               TuningTable const& table = builtin_tuning) {
  return product ? table.dot_mma[input] != 0 : table.reduce_mma[input] != 0;
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
