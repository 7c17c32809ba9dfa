// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ACTIVE_TUNING_HPP
#define KOKKOSMMA_ACTIVE_TUNING_HPP

#include <core/routing/KokkosMMA_TuningFile.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

/// \file
/// Choice of the tuning table for a device: the file in KOKKOSMMA_TUNING if it
/// is readable and was measured on this kind of device, else a built-in table.
/// Callers query once per device and keep the reference.

namespace KokkosMMA::Impl {
/// Table named by KOKKOSMMA_TUNING; `path` is empty if the variable is unset.
struct EnvironmentTuning {
  std::string path;
  std::optional<TuningFile> file;
  std::string refusal;  ///< why no device can use the file
};

/// Reads the variable and the file once per process.
[[gnu::cold]] inline EnvironmentTuning const& environment_tuning() {
  static EnvironmentTuning const tuning = [] {
    EnvironmentTuning result;
    char const* const path = std::getenv("KOKKOSMMA_TUNING");
    if (!path || !*path) return result;
    result.path = path;
    try {
      result.file = read_tuning(path);
    } catch (std::invalid_argument const& error) {
      result.refusal = error.what();
    }
    return result;
  }();
  return tuning;
}

/// Why the file in KOKKOSMMA_TUNING cannot be used for a device; empty if it
/// can or if there is no file.
[[gnu::cold]] inline std::string tuning_refusal(TunedDevice const& device) {
  EnvironmentTuning const& environment = environment_tuning();
  if (!environment.file || environment.file->device == device)
    return environment.refusal;
  std::string const measured =
      environment.path + ": measured on " + to_text(environment.file->device);
  if (device.name.empty())
    return measured + "; not used, because there is no CUDA device";
  return measured + ", and this is " + to_text(device) +
         "; run kokkosmma-tune here";
}

/// Prints one warning. An unusable file is not an error.
[[gnu::cold]] inline void warn_of_tuning(std::string const& refusal) {
  static std::atomic_flag warned = ATOMIC_FLAG_INIT;
  if (warned.test_and_set()) return;
  std::fprintf(
      stderr,
      "KokkosMMA: warning: KOKKOSMMA_TUNING: %s. The built-in table is "
      "used.\n",
      refusal.c_str());
}

/// Table for a device; the reference is valid until the process ends.
[[gnu::cold]] inline TuningTable const& tuning_of(TunedDevice const& device) {
  EnvironmentTuning const& environment = environment_tuning();
  TuningTable const& builtin           = builtin_tuning_of(device).table;
  if (environment.path.empty()) return builtin;
  std::string const refusal = tuning_refusal(device);
  if (refusal.empty()) return environment.file->table;
  warn_of_tuning(refusal);
  return builtin;
}

/// Name of the table in use, for output.
[[gnu::cold]] inline std::string tuning_name(TunedDevice const& device) {
  EnvironmentTuning const& environment = environment_tuning();
  std::string builtin                  = device.name.empty()
                                             ? "built-in"
                                             : std::string(builtin_tuning_of(device).name);
  if (environment.path.empty()) return builtin;
  std::string const refusal = tuning_refusal(device);
  if (!refusal.empty()) return builtin + " (not used: " + refusal + ")";
  return environment.path + " (" + environment.file->date + ")";
}

}  // namespace KokkosMMA::Impl

#endif
