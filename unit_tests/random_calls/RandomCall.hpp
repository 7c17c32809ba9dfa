// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RANDOM_CALLS_RANDOM_CALL_HPP
#define RANDOM_CALLS_RANDOM_CALL_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// One call with its parameters and its memory, and a row of the table of
/// kinds. Nothing here names a functor: these types are the same in both twins.

namespace random_calls {

using Exec        = Kokkos::DefaultExecutionSpace;
using DeviceSpace = Exec::memory_space;
using Half        = Kokkos::Experimental::half_t;

/// All that is drawn at random, as numbers that shrinking can halve.
struct Parameters {
  enum Field : int {
    begin,        ///< six of them
    extent = 6,   ///< six
    tile   = 12,  ///< six; 0: Kokkos chooses the tiles
    chunk  = 18,  ///< 0: Kokkos chooses
    team,         ///< size; 0: Kokkos::AUTO
    vector,       ///< length
    inner,        ///< indices of nested loops
    stride,       ///< between elements of strided Views
    count,        ///< values of an array
    shift,        ///< elements before the first from a 64-byte boundary
    repeats,      ///< calls one after the other
    where,        ///< the result: 0 scalar, 1 host View, 2 device View
    values,       ///< kind of numbers, see fill() in Memory.cpp
    level,        ///< 0 default, 1 device_independent, 2 route streamed
    threads,      ///< host threads that call at once
    instance,     ///< of the execution space
    seed,         ///< of the numbers
    fields
  };
  std::int64_t v[fields] = {};

  std::int64_t& operator[](int field) { return v[field]; }
  std::int64_t operator[](int field) const { return v[field]; }
  friend bool operator==(Parameters const&, Parameters const&) = default;
};

enum class Element : unsigned char { f64, f32, half, i64, i32, u8 };
/// Numbers whose results do not depend on the order, and normal ones, whose
/// sums are compared within a bound.
enum class Numbers : unsigned char { any, sums, products, ordered, normal };

/// What a kind of call accepts, and how it is compared.
struct Limits {
  int rank           = 1;
  std::int64_t most  = 1 << 20;                ///< indices
  std::int64_t low   = -100000;                ///< begin
  std::int64_t high  = std::int64_t(1) << 30;  ///< end
  Element element    = Element::f64;
  Numbers numbers    = Numbers::any;
  int y_bytes        = 8;      ///< of what is written for an index
  int result_bytes   = 0;      ///< of a result
  bool float_results = false;  ///< of type `element`, compared as numbers
  bool float_y       = false;
  bool one_result    = false;  ///< repetitions have the same bits
  bool teams = false, strided = false, arrays = false;
  /// Kokkos needs a power of two of threads, and races with several lanes.
  bool scans_teams    = false;
  bool chunks         = true;   ///< of 8 and 16 bits Kokkos' own may overflow
  bool host_reference = false;  ///< where plain Kokkos is wrong
  int most_repeats    = 130;
};

/// A call on its way to a kind: parameters, and where its memory begins.
struct Call {
  Parameters p;
  Exec const* space = nullptr;
  char* device      = nullptr;  ///< for the execution space, or for host loops
  char* host        = nullptr;
  std::size_t x_at = 0, y_at = 0, calls_at = 0, result_at = 0;
  std::size_t host_result_at = 0;
  std::size_t result_stride  = 0;

  template <class T>
  T const* x() const {
    return reinterpret_cast<T const*>(device + x_at);
  }
  template <class T>
  T* y() const {
    return reinterpret_cast<T*>(device + y_at);
  }
  int* calls() const { return reinterpret_cast<int*>(device + calls_at); }
  /// The result of a repetition.
  template <class T>
  T* device_result(std::int64_t repeat) const {
    return reinterpret_cast<T*>(device + result_at +
                                std::size_t(repeat) * result_stride);
  }
  template <class T>
  T* host_result(std::int64_t repeat) const {
    return reinterpret_cast<T*>(host + host_result_at +
                                std::size_t(repeat) * result_stride);
  }
  std::int64_t operator[](int field) const { return p[field]; }
};

struct Kind {
  char const* name;
  Limits limits;
  void (*run)(Call const&);
};
using Table = std::vector<Kind>;

// Of both twins: the sources of kinds are compiled twice.
#define RANDOM_CALLS_TABLES(NAMESPACE) \
  namespace NAMESPACE {                \
  void add_loops(Table&);              \
  void add_boxes(Table&);              \
  void add_reductions(Table&);         \
  void add_reducers(Table&);           \
  void add_scans(Table&);              \
  void add_teams(Table&);              \
  void add_graphs(Table&);             \
  void add_chains(Table&);             \
  }
RANDOM_CALLS_TABLES(intercepted)
RANDOM_CALLS_TABLES(plain)
#undef RANDOM_CALLS_TABLES

}  // namespace random_calls

#endif
