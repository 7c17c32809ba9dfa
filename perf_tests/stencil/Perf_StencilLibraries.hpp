// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_STENCIL_LIBRARIES_HPP
#define KOKKOSMMA_PERF_STENCIL_LIBRARIES_HPP

#include <functional>
#include <string>
#include <vector>

#include "support/Perf_Data.hpp"

/// Peers that are libraries: NPP's box filter and cuDNN's convolution, opened
/// when the program runs.
namespace perf {

/// A sum of neighbours for a library: zeros beyond the boundaries, dimensions
/// and weights slowest first.
struct LibraryStencil {
  Exec exec;
  std::string type;  // as type_name
  void const* in;
  void* out;
  std::vector<std::int64_t> extents;
  int radius;
  std::vector<double> weights;
};

/// Why a library is not there; empty when it is.
std::string npp_missing();
std::string cudnn_missing();

/// Whether it has such elements.
bool npp_takes(std::string const& type, int rank);
bool cudnn_takes(std::string const& type);

/// NPP's mean of a box, of a copy of the grid with zeros around it that is made
/// here.
std::function<void()> npp_box(LibraryStencil const& s);

/// cuDNN's convolution of one image with one channel; of the two algorithms
/// that it recommends for 4 GiB of scratch memory the faster one on these data.
/// All of them take it half a minute of starting (H200, 2026-11-21, floats).
std::function<void()> cudnn_convolution(LibraryStencil const& s);

}  // namespace perf

#endif
