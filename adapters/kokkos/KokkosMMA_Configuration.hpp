// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CONFIGURATION_HPP
#define KOKKOSMMA_CONFIGURATION_HPP

#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <core/base/KokkosMMA_Errors.hpp>
#include <core/base/KokkosMMA_Version.hpp>
#include <core/routing/KokkosMMA_EnvironmentChoice.hpp>
#include <core/routing/KokkosMMA_Reproducibility.hpp>
#include <core/routing/KokkosMMA_Route.hpp>

#include <Kokkos_Core.hpp>

#include <ostream>
#include <string>

namespace KokkosMMA {
namespace Impl {

inline std::string dotted_version(int version) {
  return concatenate(version / 10000, ".", version / 100 % 100, ".",
                     version % 100);
}

}  // namespace Impl

/// Names the tuning table of the default Cuda device ("built-in, H200"; without
/// Cuda "built-in").
inline std::string tuning_description() {
#if KOKKOSMMA_IMPL_ON_CUDA()
  Impl::Cuda::Device const& device =
      Impl::Cuda::device(Kokkos::Cuda().cuda_device());
  return std::string(
      Impl::builtin_tuning_of(device.name, device.compute_capability).name);
#else
  return "built-in";
#endif
}

/// Prints the data for a bug report: versions, execution spaces, device,
/// tuning table, and the settings of the environment that influence routes.
/// Call it after Kokkos::initialize.
inline void print_configuration(std::ostream& out) {
  out << "KokkosMMA " << Impl::dotted_version(KOKKOSMMA_VERSION) << "\n"
      << "Kokkos " << Impl::dotted_version(KOKKOS_VERSION)
      << ", execution spaces:" << Impl::enabled_spaces << "\n";
#if KOKKOSMMA_IMPL_ON_CUDA()
  int runtime = 0;
  int driver  = 0;
  Impl::Cuda::check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  Impl::Cuda::check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  Impl::Cuda::Device const& device =
      Impl::Cuda::device(Kokkos::Cuda().cuda_device());
  out << "CUDA runtime " << runtime / 1000 << "." << runtime % 1000 / 10
      << ", driver for CUDA " << driver / 1000 << "." << driver % 1000 / 10
      << "\n"
      << "device " << device.id << ": " << device.name
      << ", compute capability " << device.compute_capability / 10 << "."
      << device.compute_capability % 10 << ", " << device.multiprocessors
      << " multiprocessors\n";
#else
  out << (KOKKOSMMA_IMPL_KNOWN_KOKKOS()
              ? "this Kokkos has no CUDA: every route is generic\n"
              : "this version of Kokkos is not known: every route is "
                "generic\n");
#endif
  out << "tuning table: " << tuning_description() << "\n";
  auto const& asked = Impl::environment_route();
  if (!asked.error.empty())
    out << asked.error << "\n";
  else if (asked.value != Route::automatic)
    out << "KOKKOSMMA_ROUTE=" << to_string(asked.value)
        << ": where it can run\n";
  auto const& level = Impl::environment_level();
  if (!level.error.empty())
    out << level.error << "\n";
  else if (level.value != Reproducibility::run_to_run)
    out << "KOKKOSMMA_REPRODUCIBILITY=" << to_string(level.value)
        << ": where it is available\n";
}

}  // namespace KokkosMMA

#endif
