// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ANNOUNCED_KERNEL_HPP
#define KOKKOSMMA_ANNOUNCED_KERNEL_HPP

#include <adapters/kokkos/KokkosMMA_KnownKokkos.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

#if KOKKOSMMA_IMPL_ON_CUDA()

#include <adapters/kokkos/KokkosMMA_RegisterKokkos.hpp>
#include <backends/cuda/runtime/KokkosMMA_VerboseLines.hpp>

namespace KokkosMMA::Impl {

/// Scope that reports a kernel to Kokkos Tools that no pattern of Kokkos
/// launches.
template <auto Begin, auto End>
class Announced {
 public:
  Announced(std::string const& label, Kokkos::Cuda const& exec)
      : m_announced(Kokkos::Tools::profileLibraryLoaded()) {
    static_cast<void>(&kokkos_is_registered<std::void_t<decltype(Begin)>>);
    if (!m_announced) return;
    VerboseLines::skip_fence();
    Begin(label, Kokkos::Tools::Experimental::device_id(exec), &m_kernel);
  }
  ~Announced() {
    if (!m_announced) return;
    VerboseLines::skip_fence();
    End(m_kernel);
  }
  Announced(Announced const&)            = delete;
  Announced& operator=(Announced const&) = delete;

 private:
  bool m_announced;
  std::uint64_t m_kernel = 0;
};

/// Reported as a loop, a reduction and a scan.
using AnnouncedKernel =
    Announced<Kokkos::Tools::beginParallelFor, Kokkos::Tools::endParallelFor>;
using AnnouncedReduction = Announced<Kokkos::Tools::beginParallelReduce,
                                     Kokkos::Tools::endParallelReduce>;
using AnnouncedScan =
    Announced<Kokkos::Tools::beginParallelScan, Kokkos::Tools::endParallelScan>;

}  // namespace KokkosMMA::Impl

#endif
#endif
