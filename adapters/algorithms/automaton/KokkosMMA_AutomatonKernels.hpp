// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_AUTOMATON_KERNELS_HPP
#define KOKKOSMMA_AUTOMATON_KERNELS_HPP

#include <adapters/kokkos/KokkosMMA_AnnouncedKernel.hpp>
#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>
#include <core/automaton/KokkosMMA_AutomatonRule.hpp>
#include <core/automaton/KokkosMMA_RouteAutomaton.hpp>
#include <core/stencil/KokkosMMA_StencilGrid.hpp>

#include <Kokkos_Core.hpp>

#if KOKKOSMMA_IMPL_ON_CUDA()
#include <backends/cuda/runtime/KokkosMMA_Launch.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_AutomatonLaunch.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedCounts.hpp>
#include <backends/cuda/kernels/automaton/KokkosMMA_PackedLife.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// The library's kernels for automata, with one interface for all backends.

namespace KokkosMMA::Impl {

/// Kernels of an execution space; none without a specialisation.
template <class Exec>
struct AutomatonKernels {
  static constexpr bool exist = false;
};

#if KOKKOSMMA_IMPL_ON_CUDA()
template <>
struct AutomatonKernels<Kokkos::Cuda> {
  static constexpr bool exist = true;

  /// Bytes of temporary memory that run_packed needs.
  template <class Cell>
  static std::size_t packed_memory(StencilGrid<Cell, 2> const& cells,
                                   AutomatonRule const& rule) {
    static_assert(max_packed_row == Cuda::packed_counts_columns);
    std::int64_t const rows = cells.extent[0], columns = cells.extent[1];
    return has_bits(rule)
               ? Cuda::packed_life_memory(rows, columns)
               : Cuda::packed_counts_memory(rows, columns, rule.radius());
  }

  /// Runs all generations, in place.
  template <class Cell>
  static void run_packed(std::string const& label, Kokkos::Cuda const& exec,
                         StencilGrid<Cell, 2> const& cells,
                         AutomatonRule const& rule, std::int64_t steps,
                         void* memory) {
    AnnouncedKernel const announced(label, exec);
    Cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    auto* const to = const_cast<Cell*>(cells.data);
    if (has_bits(rule))
      Cuda::launch_packed_life(exec, cells, to, cells.stride[0], rule, steps,
                               memory);
    else
      Cuda::launch_packed_counts(exec, cells, to, cells.stride[0], rule, steps,
                                 memory);
  }

  /// Runs one generation; `rule` is an AutomatonRule, or a neighbourhood, a
  /// radius and a functor.
  template <class Cell, class... Rule>
  static void run(std::string const& label, Kokkos::Cuda const& exec,
                  StencilGrid<Cell, 2> const& from, Cell* to,
                  std::int64_t to_stride, Rule const&... rule) {
    AnnouncedKernel const announced(label, exec);
    Cuda::check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
    Cuda::launch_automaton(exec, from, to, to_stride, rule...);
  }

  template <class Cell>
  static void copy(Kokkos::Cuda const& exec, StencilGrid<Cell, 2> const& from,
                   Cell* to, std::int64_t to_stride) {
    auto const width = std::size_t(from.extent[1]);
    Cuda::check(cudaMemcpy2DAsync(to, std::size_t(to_stride), from.data,
                                  std::size_t(from.stride[0]), width,
                                  std::size_t(from.extent[0]),
                                  cudaMemcpyDeviceToDevice, exec.cuda_stream()),
                "cudaMemcpy2DAsync");
  }
};
#endif

}  // namespace KokkosMMA::Impl

#endif
