// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_ANNOUNCED_KERNEL_HPP
#define KOKKOSMMA_ANNOUNCED_KERNEL_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#ifdef KOKKOS_ENABLE_CUDA

namespace KokkosMMA::Impl {

/// Tells Kokkos Tools of a kernel that no pattern of Kokkos starts, as of a
/// loop.
class AnnouncedKernel {
 public:
  AnnouncedKernel(std::string const& label, Kokkos::Cuda const& exec)
      : m_announced(Kokkos::Tools::profileLibraryLoaded()) {
    if (m_announced)
      Kokkos::Tools::beginParallelFor(
          label, Kokkos::Tools::Experimental::device_id(exec), &m_kernel);
  }
  ~AnnouncedKernel() {
    if (m_announced) Kokkos::Tools::endParallelFor(m_kernel);
  }
  AnnouncedKernel(AnnouncedKernel const&)            = delete;
  AnnouncedKernel& operator=(AnnouncedKernel const&) = delete;

 private:
  bool m_announced;
  std::uint64_t m_kernel = 0;
};

/// The same, as of a reduction.
class AnnouncedReduction {
 public:
  AnnouncedReduction(std::string const& label, Kokkos::Cuda const& exec)
      : m_announced(Kokkos::Tools::profileLibraryLoaded()) {
    if (m_announced)
      Kokkos::Tools::beginParallelReduce(
          label, Kokkos::Tools::Experimental::device_id(exec), &m_kernel);
  }
  ~AnnouncedReduction() {
    if (m_announced) Kokkos::Tools::endParallelReduce(m_kernel);
  }
  AnnouncedReduction(AnnouncedReduction const&)            = delete;
  AnnouncedReduction& operator=(AnnouncedReduction const&) = delete;

 private:
  bool m_announced;
  std::uint64_t m_kernel = 0;
};

}  // namespace KokkosMMA::Impl

#endif
#endif
