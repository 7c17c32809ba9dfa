// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays and times of the examples. Plain Kokkos.

#ifndef EXAMPLES_COMMON_MEASURE_HPP
#define EXAMPLES_COMMON_MEASURE_HPP

#include <Kokkos_Core.hpp>

#include "command_line.hpp"
#include "memory.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

using Space  = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
using Range  = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

constexpr bool on_host =
    std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>;

template <class Value>
using Array = Kokkos::View<Value*, Memory>;

// Kokkos throws when an allocation fails.
template <class View, class... Extents>
View allocated(std::string const& label, Extents... extents) {
  auto const count = (std::int64_t(1) * ... * extents);
  if constexpr (on_host) {
    require_memory(static_cast<double>(count) *
                       sizeof(typename View::non_const_value_type),
                   "the array " + label, "give a smaller problem");
  }
  try {
    return View(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                extents...);
  } catch (std::exception const& error) {
    throw InputError("no memory for " + std::to_string(count) +
                     " elements of the array " + label +
                     "; give a smaller problem. " + error.what());
  }
}

template <class Value>
Array<Value> uninitialized(std::string const& label, std::int64_t size) {
  return allocated<Array<Value>>(label, size);
}

// Pseudo-random bits, the same on every machine.
KOKKOS_INLINE_FUNCTION std::uint64_t scrambled(std::uint64_t index) {
  std::uint64_t bits = (index + 1) * 0x9e3779b97f4a7c15u;
  bits               = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  bits               = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93u;
  return bits ^ (bits >> 32);
}

// One call as an application makes it: from the call until its result is on the
// host.
template <class Body>
double median_seconds(int repeat, Body const& body) {
  body();
  Kokkos::fence();
  std::vector<double> seconds;
  for (int i = 0; i < repeat; ++i) {
    Kokkos::Timer const timer;
    body();
    Kokkos::fence();
    seconds.push_back(timer.seconds());
  }
  auto const middle = seconds.begin() + repeat / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

struct alignas(16) Words {
  std::uint64_t low;
  std::uint64_t high;
};

// Bytes per second, read plus written, of a copy within this memory that moves
// as many bytes.
inline double measure_copy(double bytes, int repeat) {
  auto const count =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes) / 2 /
                                    static_cast<std::int64_t>(sizeof(Words)));
  Array<Words> const from = uninitialized<Words>("from", count);
  Array<Words> const to   = uninitialized<Words>("to", count);
  Kokkos::parallel_for(
      "measure::words", Range(0, count), KOKKOS_LAMBDA(std::int64_t i) {
        from(i) = {scrambled(2 * i), scrambled(2 * i + 1)};
      });
  double const seconds =
      median_seconds(repeat, [&] { Kokkos::deep_copy(to, from); });
  return 2. * static_cast<double>(count) * sizeof(Words) / seconds;
}

#endif
