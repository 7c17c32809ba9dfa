// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CONFIGURATION_HPP
#define KOKKOSMMA_CONFIGURATION_HPP

#include <adapters/kokkos/KokkosMMA_EnabledSpaces.hpp>
#include <adapters/kokkos/KokkosMMA_HalfTypes.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <adapters/kokkos/KokkosMMA_SpaceCapability.hpp>
#include <core/reduce/KokkosMMA_RouteReduce.hpp>
#include <core/scan/KokkosMMA_RouteScan.hpp>
#include <core/base/KokkosMMA_Version.hpp>

#include <Kokkos_Core.hpp>

#include <ostream>
#include <string>

namespace KokkosMMA {
namespace Impl {

inline std::string dotted_version(int version) {
  return concatenate(version / 10000, ".", version / 100 % 100, ".",
                     version % 100);
}

/// Accumulator of scans in the table of routes.
constexpr Scalar scan_accumulator(Scalar input) {
  return is_16bit_float(input) ? Scalar::float32
         : size_of(input) == 1 ? Scalar::int32
                               : input;
}

inline void print_route_table(std::ostream& out, Capability const& capability,
                              TuningTable const& tuning) {
  // `route(scalar, settings)` decides the route for elements of this type.
  auto const print = [&](char const* name, auto const& route) {
    out << "  " << name << ":";
    for (Scalar const scalar :
         {Scalar::half, Scalar::bhalf, Scalar::float32, Scalar::float64,
          Scalar::int8, Scalar::uint8, Scalar::int32, Scalar::int64})
      out << " " << to_string(scalar) << "="
          << to_string(decide_requested(effective_settings(),
                                        [&](Settings const& requested) {
                                          return route(scalar, requested);
                                        })
                           .route);
    out << "\n";
  };
  auto const common = [](auto& problem, Source source, Scalar scalar) {
    problem.source        = source;
    problem.input         = scalar;
    problem.sum           = true;
    problem.contiguous    = true;
    problem.value_bytes   = 8;
    problem.functor_bytes = 64;
    problem.size          = std::uint64_t(1) << 28;
  };
  auto const reduce = [&](Source source) {
    return [&, source](Scalar scalar, Settings const& requested) {
      ReduceProblem problem;
      common(problem, source, scalar);
      problem.value = scalar;
      return route_reduce(problem, capability, requested, tuning);
    };
  };
  auto const scan = [&](Source source) {
    return [&, source](Scalar scalar, Settings const& requested) {
      ScanProblem problem;
      common(problem, source, scalar);
      problem.accumulator = scan_accumulator(scalar);
      problem.output      = problem.accumulator;
      problem.tile_compiled =
          source == Source::view &&
          scan_tile_exists(scalar, problem.accumulator, problem.output);
      return route_scan(problem, capability, requested, tuning);
    };
  };
  print("sum of a View", reduce(Source::view));
  print("dot product", reduce(Source::product));
  print("functor of the application", reduce(Source::functor));
  print("scan of a View", scan(Source::view));
  print("scan functor of the application", scan(Source::functor));
}

}  // namespace Impl

/// Names the tuning table of the default Cuda device. It is a built-in one
/// ("built-in, H200"; on hosts "built-in") or the file in KOKKOSMMA_TUNING. If
/// that file was rejected, the text says why.
inline std::string tuning_description() {
#if KOKKOSMMA_IMPL_ON_CUDA()
  return tuning_name(Impl::Cuda::device(Kokkos::Cuda().cuda_device()).tuned());
#else
  return Impl::tuning_name(Impl::TunedDevice{});
#endif
}

/// Prints the data for a bug report: versions, devices, tuning table and
/// routes. In detail: execution spaces, compute capability, types with
/// tensor-core sums, and the route of each kind of reduction and scan under the
/// current settings. Call it after Kokkos::initialize.
inline void print_configuration(std::ostream& out) {
  out << "KokkosMMA " << Impl::dotted_version(KOKKOSMMA_VERSION) << "\n"
      << "Kokkos " << Impl::dotted_version(KOKKOS_VERSION)
      << ", execution spaces:" << Impl::enabled_spaces << "\n";
  Capability default_space = capability(Kokkos::DefaultExecutionSpace());
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
      << " multiprocessors\n"
      << "tensor-core sums: "
      << (default_space.tensor_cores() ? "half bhalf float double int8 uint8 "
                                         "int32 uint32 int64 uint64 bool"
                                       : "none (needs compute capability 8.0)")
      << "\n";
#else
  out << (KOKKOSMMA_IMPL_KNOWN_KOKKOS()
              ? "this Kokkos has no CUDA: every route is generic\n"
              : "this version of Kokkos is not known: every route is "
                "generic\n");
#endif
  out << "tuning table: " << tuning_description() << "\n";
  Impl::EnvironmentRoute const& asked = Impl::environment_route();
  if (!asked.error.empty())
    out << asked.error << "\n";
  else if (asked.route != Route::automatic)
    out << "KOKKOSMMA_ROUTE=" << to_string(asked.route)
        << ": where it can run\n";
  Impl::EnvironmentLevel const& level = Impl::environment_level();
  if (!level.error.empty())
    out << level.error << "\n";
  else if (level.level != Reproducibility::run_to_run)
    out << "KOKKOSMMA_REPRODUCIBILITY=" << to_string(level.level)
        << ": where it is available\n";
  if (!default_space.cuda) return;
  out << "routes on " << Kokkos::DefaultExecutionSpace::name() << ":\n";
  Impl::print_route_table(out, default_space,
                          Impl::active_tuning(Kokkos::DefaultExecutionSpace()));
}

}  // namespace KokkosMMA

#endif
