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

/// The device that a table was measured on or is asked for: its constants hold
/// for no other.
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
/// H100: what perf_tune measured on one (2026-11-25, copy ceiling 3024 GB/s)
/// and found faster, products against additions in GB/s: rows of 2048 doubles
/// 2969 and 2689, of 625 2297 and 2227, of 128 and 512 no slower; rows of 16384
/// bytes 2854 and 2566, of 5000 2163 and 2092, of 64 to 4096 1 to 5 % slower;
/// 16 to 4096 columns of bytes 0.9 to 6.6 % faster. reduce.spread stays: the
/// run preferred 256, but with blocks of which a third had no work. Values of
/// bhalf, float, uint8, int32 and int64, of scans and stencils were not
/// measured on one.
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
                      {"segments.mma_bytes.double", 1024},
                      {"segments.mma_bytes.int8", 5000},
                      {"columns.mma.int8", 1},
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
