// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TUNING_TABLE_HPP
#define KOKKOSMMA_TUNING_TABLE_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <cstddef>
#include <limits>
#include <string_view>

/// \file
/// Run-time constants of routes and kernels in which measured devices differ.
/// Constants compiled into kernels are in core/routing/KokkosMMA_Tuning.hpp.
/// Figures without other data: NVIDIA H200, CUDA 13.0, driver 580.159,
/// 2026-11-21, GB/s.
///
/// No table makes a result wrong. A route function first checks which routes
/// can run, then uses preferences to choose among them. A limit chooses among
/// kernels that support every value; properties that a kernel does not support
/// (a length, an alignment) are checked before the limit. For floating point a
/// table affects the order of additions, within the same error bound.

namespace KokkosMMA::Impl {

/// Limit that no value reaches.
inline constexpr int never = std::numeric_limits<int>::max();

/// Tuning values: those in which the tables of devices differ, and limits that
/// tests vary. The defaults are those of an H200. Flags are 0 or 1.
struct TuningTable {
  /// Whether `auto` uses MMA for elements of 8 bytes: in sums of Views, dot
  /// products, and dense stencils. Sums of 2^24 and 2^28 elements by MMA and by
  /// additions: double 3779 3553 and 4475 4327, int64 3778 3594 and 4489 4441
  /// (2026-11-30), double 2981 and 2996 (H100).
  int mma_8_bytes = 1;

  /// Segments between offsets, of elements of one and two bytes, are summed one
  /// per thread up to this longest size (tiny_csr_limit()). 2^28 elements, a
  /// thread per segment in plain Kokkos and the kernel for uneven lengths: int8
  /// up to 8 and 32 elements 1782, 1726 and 822, 1304; half up to 8 2108 and
  /// 1755. Longer segments lose: half up to 32 2170 and 2793.
  int tiny_csr_bytes = 32;

  /// Whether all values are the same.
  friend constexpr bool operator==(TuningTable const&,
                                   TuningTable const&) = default;
};

/// Defaults, those of the H200.
inline constexpr TuningTable builtin_tuning{};

/// Whether a sum or dot product is faster by MMA, so that `auto` uses MMA if
/// both routes can run.
constexpr bool mma_reduce_pays(Scalar input,
                               TuningTable const& table = builtin_tuning) {
  return size_of(input) < 8 || table.mma_8_bytes != 0;
}

KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Table for all devices of a name.
struct BuiltInTuning {
  std::string_view device;  ///< word in the device's name; empty: any device
  int compute_capability;   ///< of the device; 0: any
  std::string_view name;    ///< of the table, for output
  TuningTable table;        ///< the values
};

/// The first table that matches a device is used.
///
/// H200: the defaults of TuningTable, with their measurements.
///
/// H100: values of two runs that agreed (2026-11-26, copy ceiling 3024 GB/s),
/// where no row got slower. GB/s with the H200's and with these values: rows of
/// 625 doubles 2879 and 2996, of 5000 bytes 2768 and 2913; segments between
/// offsets of up to 32 halves 1593 and 1776, of up to 64 bytes 949 and 1077.
/// Unchanged, since gains are small or some rows lose: sums of 270336 elements
/// over more blocks (16.0 and 15.5 us), long rows of bhalf (+4 to -1 %),
/// columns of doubles (+3.5 to -1.7 %), boxes of radius 7 of halves (+4 %, at
/// periodic boundaries -3 %) and the limits of tiny segments of equal length.
///
/// Other GPUs: additions for sums where they matched MMA even on an H200
/// (additions and MMA, 2^28 elements, GB/s): double 4515 4479, int64 4517 4503.
/// MMA for halves (3644 4493) and bytes (2505 4449). No MMA for doubles in dot
/// products and dense stencils: outside the data centre, tensor cores are no
/// faster with doubles than other units, and MMA needs more operations.
inline constexpr BuiltInTuning builtin_tunings[] = {
    {.device             = "H200",
     .compute_capability = 90,
     .name               = "built-in, H200",
     .table              = {}},
    {.device             = "H100",
     .compute_capability = 90,
     .name               = "built-in, H100",
     .table              = {.tiny_csr_bytes = 64}},
    {.device             = "",
     .compute_capability = 0,
     .name               = "built-in, any GPU",
     .table              = {.mma_8_bytes = 0}},
};

/// Whether a name contains a word delimited by blanks. "NVIDIA H100 80GB HBM3"
/// contains "H100"; "NVIDIA GH200 480GB" does not contain "H200".
constexpr bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t begin = 0; begin <= name.size();) {
    std::size_t const end = name.find(' ', begin) == name.npos
                                ? name.size()
                                : name.find(' ', begin);
    if (name.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

/// Built-in table for a device.
constexpr BuiltInTuning const& builtin_tuning_of(std::string_view name,
                                                 int compute_capability) {
  BuiltInTuning const* at = builtin_tunings;
  while (!at->device.empty() && !(has_word(name, at->device) &&
                                  compute_capability == at->compute_capability))
    ++at;
  return *at;
}

KOKKOSMMA_IMPL_DESIGNATORS_END

}  // namespace KokkosMMA::Impl

#endif
