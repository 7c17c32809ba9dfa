// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_DATA_HPP
#define KOKKOSMMA_PERF_DATA_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Input data of the performance tests: random values and a reference sum that
/// shares no code with any contender.
namespace perf {

#ifdef KOKKOS_ENABLE_CUDA
using Exec = Kokkos::Cuda;
#else
using Exec = Kokkos::DefaultExecutionSpace;
#endif
template <class Index>
using RangeOf    = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
using IndexRange = RangeOf<std::size_t>;
using half_type  = Kokkos::Experimental::half_t;
using bhalf_type = Kokkos::Experimental::bhalf_t;
template <class T>
using Vector = Kokkos::View<T*, Exec>;

// Without a device that has them, Kokkos makes half_t and bhalf_t other names
// for float: measuring them again would only repeat float's rows under a wrong
// name.
inline constexpr bool has_half  = !std::is_same_v<half_type, float>;
inline constexpr bool has_bhalf = !std::is_same_v<bhalf_type, float> &&
                                  !std::is_same_v<bhalf_type, half_type>;

/// The type that a sum of T is accumulated and returned in.
template <class T>
using sum_type = std::conditional_t<
    std::is_integral_v<T> && sizeof(T) == 1, std::int32_t,
    std::conditional_t<std::is_integral_v<T> || (sizeof(T) >= sizeof(float)), T,
                       float>>;

template <class T>
constexpr char const* type_name() {
  if constexpr (has_half && std::is_same_v<T, half_type>) {
    return "half";
  } else if constexpr (has_bhalf && std::is_same_v<T, bhalf_type>) {
    return "bhalf";
  } else if constexpr (std::is_same_v<T, float>) {
    return "float";
  } else if constexpr (std::is_same_v<T, double>) {
    return "double";
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return "int8";
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return "uint8";
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return "int32";
  } else {
    static_assert(std::is_same_v<T, std::int64_t>,
                  "perf::type_name: not a type of these tests");
    return "int64";
  }
}

/// Bits of the index, mixed until neighbours have nothing in common (the output
/// function of splitmix64).
KOKKOS_INLINE_FUNCTION std::uint64_t mix(std::uint64_t i) {
  std::uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
  h               = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h               = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

/// Element i of the data. Floating point: uniform in [0, 1), the distribution
/// on which a biased rounding shows. Integers: both signs, and so small that
/// the sum of 2^30 (8-byte types: 2^29) of them fits its type. uint8: the flags
/// of a selection.
template <class T>
KOKKOS_INLINE_FUNCTION T random_value(std::uint64_t i) {
  std::uint64_t const h = mix(i);
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(h >> 11) * 0x1p-53;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return static_cast<std::int8_t>(static_cast<int>(h >> 56) - 128);
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return static_cast<std::uint8_t>(h >> 63);
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return static_cast<std::int32_t>(h >> 49) - 16384;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return static_cast<std::int64_t>(h >> 20) - (std::int64_t(1) << 43);
  } else {
    return static_cast<T>(static_cast<float>(h >> 40) * 0x1p-24f);
  }
}

template <class T>
struct Fill {
  T* data;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    data[i] = random_value<T>(i);
  }
};

/// An exact enough sum: 64-bit integers, or an unevaluated sum of two doubles
/// (error near 2^-100 of the terms).
struct ReferenceSum {
  std::int64_t integer = 0;
  double high          = 0;
  double low           = 0;

  KOKKOS_INLINE_FUNCTION void add(double v) {
    double const sum  = high + v;
    double const back = sum - high;
    low += (high - (sum - back)) +
           (v - back);  // what the rounding of high + v lost, exactly
    high = sum;
  }
  KOKKOS_INLINE_FUNCTION void add(ReferenceSum const& other) {
    integer += other.integer;
    add(other.high);
    low += other.low;
  }
  /// An element of the data, in the type that it is accumulated in.
  template <class T>
  KOKKOS_INLINE_FUNCTION void add_element(T const& element) {
    if constexpr (std::is_integral_v<T>) {
      integer += static_cast<std::int64_t>(element);
    } else {
      add(static_cast<double>(static_cast<sum_type<T>>(element)));
    }
  }
  long double floating() const { return static_cast<long double>(high) + low; }
};

/// Worker w sums elements w, w + workers, ... by itself, or their magnitudes.
template <class T, bool magnitudes>
struct PartialReference {
  T const* data;
  std::size_t n;
  std::size_t workers;
  Kokkos::View<ReferenceSum*, Exec> partial;  // (workers)

  KOKKOS_FUNCTION void operator()(std::size_t w) const {
    ReferenceSum sum;
    for (std::size_t i = w; i < n; i += workers) {
      T const x = data[i];
      sum.add_element(magnitudes && x < T(0) ? T(-x) : x);
    }
    partial(w) = sum;
  }
};

/// The few partial sums are added on the host.
template <class T, bool magnitudes = false>
ReferenceSum reference_sum(Exec const& exec, T const* data, std::size_t n) {
  std::size_t const workers =
      std::min<std::size_t>(std::max<std::size_t>(n, 1), std::size_t(1) << 16);
  Kokkos::View<ReferenceSum*, Exec> partial(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "perf::reference"),
      workers);
  Kokkos::parallel_for(
      "perf::reference", IndexRange(exec, 0, workers),
      PartialReference<T, magnitudes>{data, n, workers, partial});
  exec.fence("perf::reference");
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, partial);
  ReferenceSum total;
  for (std::size_t w = 0; w < workers; ++w) total.add(host(w));
  return total;
}

}  // namespace perf

#endif
