// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SEGMENTED_PROBLEM_HPP
#define KOKKOSMMA_SEGMENTED_PROBLEM_HPP

#include <core/base/KokkosMMA_Operation.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <cstddef>
#include <cstdint>

namespace KokkosMMA::Impl {

/// Memory layout of the segments of a segmented operation.
enum class SegmentLayout : unsigned char {
  packed,      ///< elements are neighbours, segments follow without gaps
  columns,     ///< element i of neighbouring segments are neighbours
  strided,     ///< elements or segments with gaps between them
  unlike,      ///< input and output have different layouts
  interleaved  ///< several values per element, cut into several segments
};

/// Input of the route function of segmented reductions and scans.
struct SegmentedProblem {
  SegmentLayout layout = SegmentLayout::strided;  ///< in memory
  Operation operation  = Operation::sum;          ///< joins the elements
  Scalar input         = Scalar::opaque;          ///< element type
  Scalar accumulator   = Scalar::opaque;          ///< type of the running value
  Scalar output        = Scalar::opaque;          ///< type written
  bool scan            = false;                   ///< not a reduction
  bool csr             = false;                   ///< cut by offsets
  bool packed_offsets  = true;   ///< the offsets have stride one
  bool plain_memory    = true;   ///< every View refers to its elements
  bool on_host         = false;  ///< the execution space is the host's
  bool may_be_exact    = false;  ///< a kernel for exact sums is compiled
  bool mma_compiled    = false;  ///< a KokkosMMA:: call that can reach the
                                 ///< papers' kernel of equal segments
  std::uint64_t segments = 0;    ///< number of segments
};

}  // namespace KokkosMMA::Impl

#endif
