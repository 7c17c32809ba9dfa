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
/// The library's own tables, one for each kind of device, and which of them
/// holds for a device. `perf_tune --built-in=FILE` prints the rows of a table
/// that it measured in the form that stands here.

namespace KokkosMMA::Impl {
KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// The device that a table was measured on or is requested for: its constants
/// hold for no other.
struct TunedDevice {
  std::string name;            ///< as its driver has it
  int compute_capability = 0;  ///< major * 10 + minor
  int multiprocessors    = 0;  ///< of the device

  /// Whether name, compute capability and multiprocessors are the same.
  friend bool operator==(TunedDevice const&, TunedDevice const&) = default;
};

/// One value of a table by its name in a file: "scan.mma.float",
/// "reduce.spread".
struct TunedValue {
  std::string_view name;
  int value;
};

/// A table that differs from `builtin_tuning` in the values given.
/// \throws std::invalid_argument, and so fails to compile, for a name that no
/// table has and for a value that its entry does not allow
constexpr TuningTable builtin_tuning_with(
    std::initializer_list<TunedValue> differing) {
  TuningTable table = builtin_tuning;
  for (TunedValue const& each : differing) {
    bool found = false;
    for (TuningEntry const& entry : tuning_entries) {
      if (!each.name.starts_with(entry.name)) continue;
      std::string_view const type = each.name.substr(entry.name.size());
      if (entry.value && type.empty()) {
        table.*entry.value = each.value;
        found              = entry.allows(each.value);
      }
      for (int t = 0; entry.values && t < PerType::size; ++t)
        if (entry.has(t) && type.starts_with('.') &&
            type.substr(1) == to_string(PerType::types[t])) {
          (table.*entry.values).values[t] = each.value;
          found                           = entry.allows(each.value);
        }
    }
    if (!found) throw std::invalid_argument("no such value of a tuning table");
  }
  return table;
}

/// A table for devices of one name.
struct BuiltInTuning {
  std::string_view device;  ///< a word of the device's name; empty: any device
  int compute_capability;   ///< of the device; 0: any
  std::string_view name;    ///< of the table, for a person
  TuningTable table;        ///< the values
};

/// The first that fits holds.
///
/// H200: the defaults of TuningTable, with what was measured.
///
/// H100: what perf_tune measured on one in two runs that agreed (2026-11-26,
/// copy ceiling 3024 GB/s), where no row lost by it. GB/s before and after:
/// rows of 625 doubles 2879 and 2996, of 5000 bytes 2768 and 2913; 64 columns
/// of uint8 2460 and 2624, 4096 of them 2629 and 2693; ragged segments of up to
/// 32 halves 1593 and 1776, of up to 16 floats 1887 and 2267, of up to 64 bytes
/// 949 and 1077; of up to 32 floats between 64-bit offsets, checked, 562 and
/// 515 us (2026-11-27). Sums of 270336 elements over more blocks: 16.0 and 15.5
/// us. Left as on the H200, since rows win and lose by them, or win little:
/// products for sums of floats (without them 3.4 % more for 2^23, nothing for
/// 2^27), for long rows of bhalf (+4 to -1 %) and for columns of doubles (+3.5
/// to -1.7 %), boxes of radius 7 of halves (+4, beside periodic boundaries -3
/// %), and the bounds of tiny segments of one length.
///
/// Others: additions for sums where they were as fast as products even on an
/// H200 (2^30 elements, double and int64 2^28, GB/s): float 4548 and 4464,
/// double 4515 and 4479, int32 4549 and 4494, int64 4517 and 4503. Products for
/// halves (3644 and 4493) and bytes (2505 and 4449). No products of doubles in
/// dot products and dense stencils: on GPUs outside the data centre tensor
/// cores are no faster at them than the other units, and a product has more
/// operations than the sum.
inline constexpr BuiltInTuning builtin_tunings[] = {
    {.device             = "H200",
     .compute_capability = 90,
     .name               = "built-in, H200",
     .table              = builtin_tuning_with({})},
    {.device             = "H100",
     .compute_capability = 90,
     .name               = "built-in, H100",
     .table              = builtin_tuning_with({
                      {"reduce.spread", 512},
                      {"columns.mma.int8", 1},
                      {"columns.mma.uint8", 1},
                      {"segments.tiny_csr_bytes", 64},
                      {"segments.tiny_csr_wide_bytes", 128},
     })},
    {.device             = "",
     .compute_capability = 0,
     .name               = "built-in, any GPU",
     .table              = builtin_tuning_with({
                      {"reduce.mma.float", 0},
                      {"reduce.mma.double", 0},
                      {"reduce.mma.int32", 0},
                      {"reduce.mma.int64", 0},
                      {"dot.mma.double", 0},
                      {"stencil.dense_taps.double", never},
     })},
};

/// Whether a name has a word between blanks: "NVIDIA H100 80GB HBM3" has
/// "H100", and "NVIDIA GH200 480GB" has no "H200".
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

/// The library's table for a device.
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
