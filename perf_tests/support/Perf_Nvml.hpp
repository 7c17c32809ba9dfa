// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_NVML_HPP
#define KOKKOSMMA_PERF_NVML_HPP

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <stdexcept>
#include <string>
#include <utility>

#include "support/Perf_SharedLibrary.hpp"
#include "support/Perf_Timing.hpp"

namespace perf {

/// What NVML says of the current device. It is opened when the program runs,
/// and toolkits may come without its header, so the few functions are declared
/// here.
class Nvml {
 public:
  enum class Clock : int { sm = 1, memory = 2 };  // nvmlClockType_t

  Nvml() : m_library({"libnvidia-ml.so.1"}) {
    int (*init)()                                 = nullptr;
    int (*by_bus)(char const* bus, void** device) = nullptr;
    m_library.load(init, "nvmlInit_v2");
    m_library.load(by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
    if (!m_library.usable()) return;
    int device = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetPCIBusId(m_bus, sizeof(m_bus), device),
               "cudaDeviceGetPCIBusId");
    int status = init();
    if (status == 0) status = by_bus(m_bus, &m_device);
    if (status != 0) fail(status, "the device");
  }

  /// Empty when it can be used.
  std::string const& missing() const { return m_library.missing(); }

  /// Since the driver was loaded; steps come some tens of milliseconds apart.
  /// \throws std::runtime_error where the device has no such counter.
  double joules() const {
    unsigned long long millijoules = 0;
    if (int const status =
            ask("nvmlDeviceGetTotalEnergyConsumption", &millijoules);
        status != 0)
      throw std::runtime_error("nvmlDeviceGetTotalEnergyConsumption returned " +
                               std::to_string(status));
    return static_cast<double>(millijoules) * 1e-3;
  }

  std::string driver_version() const {
    char text[96]                   = {};
    int (*get)(char*, unsigned int) = nullptr;
    m_library.find(get, "nvmlSystemGetDriverVersion");
    int const status = get ? get(text, sizeof(text)) : not_there;
    return status == 0 ? text : unknown(status);
  }
  /// In MHz, at this moment.
  std::string clock(Clock which) const {
    unsigned int mhz = 0;
    int const status =
        ask("nvmlDeviceGetClockInfo", static_cast<int>(which), &mhz);
    return status == 0 ? std::to_string(mhz) : unknown(status);
  }
  std::string power_limit_watts() const {
    unsigned int milliwatts = 0;
    int const status = ask("nvmlDeviceGetEnforcedPowerLimit", &milliwatts);
    return status == 0 ? std::to_string(milliwatts / 1000) : unknown(status);
  }
  /// Why clocks are lower than they could be, at this moment.
  std::string clock_limits() const {
    unsigned long long reasons = 0;
    int const status =
        ask("nvmlDeviceGetCurrentClocksThrottleReasons", &reasons);
    if (status != 0) return unknown(status);
    std::string text;
    for (auto const& [bit, name] :
         {std::pair(0x1, "idle"),
          std::pair(0x2, "clocks set by an application"),
          std::pair(0x4, "power cap"), std::pair(0x8, "hardware slowdown"),
          std::pair(0x10, "sync boost"), std::pair(0x20, "temperature"),
          std::pair(0x40, "temperature (hardware)"),
          std::pair(0x80, "power brake"), std::pair(0x100, "display clock")})
      if (reasons & static_cast<unsigned long long>(bit))
        text += (text.empty() ? "" : ", ") + std::string(name);
    return text.empty() ? "none" : text;
  }

 protected:
  void fail(int status, char const* what) {
    m_library.set_missing("NVML returned " + std::to_string(status) + " for " +
                          what + " at " + m_bus);
  }
  template <class... Arguments>
  int ask(char const* name, Arguments... arguments) const {
    int (*get)(void*, Arguments...) = nullptr;
    m_library.find(get, name);
    return get ? get(m_device, arguments...) : not_there;
  }

 private:
  static constexpr int not_there = 13;  // NVML_ERROR_FUNCTION_NOT_FOUND
  static std::string unknown(int status) {
    return "unknown: NVML returned " + std::to_string(status);
  }

  SharedLibrary m_library;
  char m_bus[32] = {};
  void* m_device = nullptr;
};

/// NVML on a device with an energy counter; missing() says where there is none.
class EnergyCounter : public Nvml {
 public:
  EnergyCounter() {
    if (!missing().empty()) return;
    unsigned long long unused = 0;
    if (int const status = ask("nvmlDeviceGetTotalEnergyConsumption", &unused);
        status != 0)
      fail(status, "the energy counter of the device");
  }
};

}  // namespace perf

#endif

#endif
