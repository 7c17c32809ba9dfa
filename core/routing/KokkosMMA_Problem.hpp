// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PROBLEM_HPP
#define KOKKOSMMA_PROBLEM_HPP

#include <core/base/KokkosMMA_Operation.hpp>
#include <core/base/KokkosMMA_Scalar.hpp>

#include <cstddef>
#include <cstdint>

namespace KokkosMMA::Impl {

/// What is known of the data that a reduction or a scan reads.
enum class Source : unsigned char {
  functor,   ///< an opaque functor: only its calls are known
  view,      ///< sum of x(i)
  product,   ///< sum of x(i) * y(i)
  transform  ///< sum of op(x(i)): the data are known, the values are not
};

/// Shape of the iteration space.
enum class Pattern : unsigned char { range, mdrange };

/// A reduction as values: what the route function needs and nothing else.
struct ReduceProblem {
  Pattern pattern = Pattern::range;   ///< shape of the iteration space
  Source source   = Source::functor;  ///< what is known of the data
  Scalar input = Scalar::opaque;  ///< element type, where the data are visible
  Scalar value =
      Scalar::opaque;  ///< what the caller's sum is, where data are visible
  bool sum        = false;  ///< the reducer adds
  bool contiguous = false;  ///< stride one
  bool same_alignment =
      true;  ///< both operands of a product meet 16-byte lines together
  bool fixed_size         = true;   ///< the size of the value is a constant
  bool in_graph           = false;  ///< the call is a node of a Kokkos graph
  bool compiled           = true;   ///< this library has a kernel for this call
  bool on_host            = false;  ///< the execution space is the host's
  bool intercepted        = false;  ///< by the functor's calls, not by name
  std::size_t value_bytes = 0;      ///< of the value that is joined
  std::size_t functor_bytes = 0;    ///< functor and reducer together
  std::uint64_t size        = 0;    ///< indices
  int local_bytes = 0;  ///< local memory of our kernel: spilled registers
};

/// A scan over a range as values: what the route function needs and nothing
/// else.
struct ScanProblem {
  Source source      = Source::functor;  ///< functor or view
  Scalar input       = Scalar::opaque;   ///< what is read, where visible
  Scalar accumulator = Scalar::opaque;   ///< what the prefixes are kept in
  Scalar output      = Scalar::opaque;   ///< what is written, where visible
  bool sum           = false;            ///< joining is addition
  bool contiguous    = false;  ///< both Views: stride one, any alignment
  bool fixed_size    = true;   ///< the size of the value is a constant
  bool in_graph      = false;  ///< the call is a node of a Kokkos graph
  bool on_host       = false;  ///< the execution space is the host's
  bool may_be_exact  = false;  ///< it is called by name
  bool compiled      = true;   ///< a kernel for the opaque functor exists
  bool tile_compiled = false;  ///< a visible-data kernel exists for the types
  std::size_t value_bytes   = 0;  ///< of the value that is joined
  std::size_t functor_bytes = 0;  ///< functor and reducer together
  std::uint64_t size        = 0;  ///< indices
};

/// Bytes of the elements that a call reads and writes; 0 where they are not
/// known.
template <class Problem>
constexpr double known_bytes(Problem const&) {
  return 0;
}
constexpr double known_bytes(ReduceProblem const& problem) {
  return double(problem.size) * double(size_of(problem.input)) *
         (problem.source == Source::product ? 2 : 1);
}
constexpr double known_bytes(ScanProblem const& problem) {
  return double(problem.size) *
         double(size_of(problem.input) + size_of(problem.output));
}

/// How the segments of a segmented operation lie in memory.
enum class SegmentLayout : unsigned char {
  packed,      ///< elements are neighbours, segments follow without gaps
  columns,     ///< element i of neighbouring segments are neighbours
  strided,     ///< elements or segments with gaps between them
  unlike,      ///< what is read and what is written lie in different ways
  interleaved  ///< several values per element, cut into several segments
};

/// A segmented reduction or scan as values: what the route function needs and
/// nothing else.
struct SegmentedProblem {
  SegmentLayout layout      = SegmentLayout::strided;  ///< in memory
  Operation operation       = Operation::sum;  ///< what joins the elements
  Scalar input              = Scalar::opaque;  ///< element type
  Scalar accumulator        = Scalar::opaque;  ///< what the values are kept in
  Scalar output             = Scalar::opaque;  ///< what is written
  bool scan                 = false;           ///< not a reduction
  bool csr                  = false;           ///< cut by offsets
  bool packed_offsets       = true;            ///< the offsets have stride one
  bool moments              = false;  ///< sums and sums of squares in one pass
  bool plain_memory         = true;   ///< every View refers to its elements
  bool on_host              = false;  ///< the execution space is the host's
  bool may_be_exact         = false;  ///< a kernel for exact sums is compiled
  bool computed             = false;  ///< the elements are the results of calls
  std::size_t functor_bytes = 0;      ///< of what is called for them
  std::uint64_t segments    = 0;      ///< their number
  std::uint64_t segment_length =
      0;  ///< the mean one, rounded, where cut by offsets
};

}  // namespace KokkosMMA::Impl

#endif
