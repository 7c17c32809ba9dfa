// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_BUILT_IN_TUNINGS_HPP
#define KOKKOSMMA_BUILT_IN_TUNINGS_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/routing/KokkosMMA_TuningTable.hpp>

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

/// \file
/// Built-in tuning tables, one per kind of device, and the choice among them.
/// `perf_tune --built-in=FILE` prints the rows of a measured table in the
/// format used here.

namespace KokkosMMA::Impl {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Device on which a table was measured, or for which one is requested. A table
/// is valid for this kind of device only.
struct TunedDevice {
  std::string name;            ///< as reported by the driver
  int compute_capability = 0;  ///< major * 10 + minor
  int multiprocessors    = 0;  ///< of the device

  /// Whether name, compute capability and multiprocessors are the same.
  friend bool operator==(TunedDevice const&, TunedDevice const&) = default;
};

/// Value of a table by its name in a file.
struct TunedValue {
  std::string_view name;
  int value;
};

/// Table that differs from `builtin_tuning` in the given values.
/// \throws std::invalid_argument, thus fails to compile, for an unknown name
/// and for a value outside the range of its entry
constexpr TuningTable builtin_tuning_with(
    std::initializer_list<TunedValue> differing) {
  TuningTable table = builtin_tuning;
  for (TunedValue const& each : differing) {
    bool found = false;
    for (TuningEntry const& entry : tuning_entries) {
      if (each.name != entry.name) continue;
      table.*entry.value = each.value;
      found              = entry.allows(each.value);
    }
    if (!found) throw std::invalid_argument("no such value of a tuning table");
  }
  return table;
}

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
/// H100: values from two runs of perf_tune that agreed (2026-11-26, copy
/// ceiling 3024 GB/s), where no row got slower. GB/s with the H200's and with
/// these values: rows of 625 doubles 2879 and 2996, of 5000 bytes 2768 and
/// 2913; segments between offsets of up to 32 halves 1593 and 1776, of up to 16
/// floats 1887 and 2267, of up to 64 bytes 949 and 1077. Up to 32 floats,
/// checked 64-bit offsets: 562 and 515 us (2026-11-27). Unchanged, since gains
/// are small or some rows lose: sums of 270336 elements over more blocks (16.0
/// and 15.5 us), long rows of bhalf (+4 to -1 %), columns of doubles (+3.5 to
/// -1.7 %), boxes of radius 7 of halves (+4 %, next to periodic boundaries -3
/// %) and the limits of tiny segments of equal length.
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
     .table              = builtin_tuning_with({})},
    {.device             = "H100",
     .compute_capability = 90,
     .name               = "built-in, H100",
     .table              = builtin_tuning_with({
                      {"segments.tiny_csr_bytes", 64},
                      {"segments.tiny_csr_wide_bytes", 128},
     })},
    {.device             = "",
     .compute_capability = 0,
     .name               = "built-in, any GPU",
     .table              = builtin_tuning_with({
                      {"reduce.mma.double", 0},
                      {"reduce.mma.int64", 0},
                      {"dot.mma.double", 0},
                      {"stencil.dense_taps.double", never},
     })},
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
[[gnu::cold]] inline BuiltInTuning const& builtin_tuning_of(
    TunedDevice const& device) {
  return builtin_tuning_of(device.name, device.compute_capability);
}

KOKKOSMMA_IMPL_DESIGNATORS_END
}  // namespace KokkosMMA::Impl

#endif
