// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_PROBLEM_HPP
#define KOKKOSMMA_PROBLEM_HPP

#include <core/base/KokkosMMA_Scalar.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// Inputs of the route functions of reductions and scans.

namespace KokkosMMA::Impl {

/// Kind of data that a reduction or a scan reads.
enum class Source : unsigned char {
  functor,   ///< an opaque functor: it can only be invoked
  view,      ///< sum of x(i)
  product,   ///< sum of x(i) * y(i)
  transform  ///< sum of op(x(i)): visible data, opaque values
};

/// Shape of the iteration space.
enum class Pattern : unsigned char { range, mdrange };

/// Input of the route function of reductions.
struct ReduceProblem {
  Pattern pattern = Pattern::range;   ///< shape of the iteration space
  Source source   = Source::functor;  ///< kind of data
  Scalar input    = Scalar::opaque;   ///< element type, for visible data
  Scalar value =
      Scalar::opaque;           ///< type of the caller's sum, for visible data
  bool sum            = false;  ///< the reducer adds
  bool contiguous     = false;  ///< stride one
  bool same_alignment = true;   ///< both operands of a product have the same
                                ///< offset from a 16-byte boundary
  bool fixed_size           = true;   ///< the value's size is a constant
  bool in_graph             = false;  ///< the call is a node of a Kokkos graph
  bool compiled             = true;  ///< this library has a kernel for the call
  bool on_host              = false;  ///< the execution space is the host's
  bool intercepted          = false;  ///< a Kokkos call through the drop-in
  std::size_t value_bytes   = 0;      ///< of the reduced value
  std::size_t functor_bytes = 0;      ///< functor and reducer together
  std::uint64_t size        = 0;      ///< indices
  int most_spilled          = 8;      ///< bytes that a kernel may spill
  int local_bytes = 0;  ///< local memory of the kernel: spilled registers
};

/// Input of the route function of scans over a range.
struct ScanProblem {
  Source source      = Source::functor;  ///< functor or view
  Scalar input       = Scalar::opaque;   ///< type read, for visible data
  Scalar accumulator = Scalar::opaque;   ///< type of the running prefix
  Scalar output      = Scalar::opaque;   ///< type written, for visible data
  bool sum           = false;            ///< joining is addition
  bool contiguous    = false;  ///< both Views: stride one, any alignment
  bool on_host       = false;  ///< the execution space is the host's
  bool may_be_exact  = false;  ///< a KokkosMMA:: call, not intercepted
  bool tile_compiled = false;  ///< a visible-data kernel exists for the types
  bool mma_compiled = false;  ///< a KokkosMMA:: call that can reach the papers'
                              ///< kernel of libkokkosmma_kernels
  std::size_t value_bytes   = 0;  ///< of the scanned value
  std::size_t functor_bytes = 0;  ///< functor and reducer together
  std::uint64_t size        = 0;  ///< indices
};

/// ScanProblem::tile_compiled: whether a kernel that loads and stores the data
/// itself is compiled for these types. The output is the accumulator or the
/// input's 16-bit type.
constexpr bool scan_tile_exists(Scalar input, Scalar accumulator,
                                Scalar output) {
  bool const integers =
      accumulator == Scalar::int32 || accumulator == Scalar::uint32 ||
      accumulator == Scalar::int64 || accumulator == Scalar::uint64;
  switch (input) {
    case Scalar::half:
    case Scalar::bhalf:
      return accumulator == Scalar::float32 &&
             (output == accumulator || output == input);
    case Scalar::float32:
    case Scalar::float64: return accumulator == input && output == input;
    case Scalar::int8:
    case Scalar::uint8:
    case Scalar::boolean: return integers && output == accumulator;
    case Scalar::int32:
    case Scalar::uint32:
    case Scalar::int64:
    case Scalar::uint64:
      return integers && size_of(accumulator) >= size_of(input) &&
             output == accumulator;
    case Scalar::opaque: break;
  }
  return false;
}

}  // namespace KokkosMMA::Impl

#endif
