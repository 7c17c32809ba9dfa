// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXACT_GENERIC_HPP
#define KOKKOSMMA_EXACT_GENERIC_HPP

#include <core/mma/KokkosMMA_VectorRange.hpp>
#include <core/reduce/KokkosMMA_Superaccumulator.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

namespace KokkosMMA::Impl {

/// Functor of Kokkos::parallel_reduce on host execution spaces: the exact sum
/// of a View, an index for each chunk of elements.
template <Scalar Input, class X>
struct ExactSumOfChunks {
  using value_type                   = Superaccumulator<Input>;
  static constexpr std::size_t chunk = 4096;  ///< elements
  X x;

  std::size_t chunks() const { return (x.extent(0) + chunk - 1) / chunk; }

  void operator()(std::size_t c, value_type& sum) const {
    using Element         = typename X::non_const_value_type;
    using Bits            = typename Unsigned<sizeof(Element)>::type;
    std::size_t const end = std::min(x.extent(0), (c + 1) * chunk);
    for (std::size_t i = c * chunk; i < end; ++i)
      sum.add(std::bit_cast<Bits>(static_cast<Element>(x(i))));
    sum.carry();
  }
  void init(value_type& sum) const { sum.init(); }
  void join(value_type& into, value_type const& from) const {
    into.merge(from);
  }
};

/// The exact sum of a View, as bits of a format.
template <Scalar Input, class Exec, class X>
std::uint64_t exact_sum_on_host(std::string const& label, Exec const& exec,
                                X const& x, FloatFormat const& format) {
  ExactSumOfChunks<Input, X> const functor{x};
  Superaccumulator<Input> sum;
  Kokkos::parallel_reduce(
      label,
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(
          exec, 0, functor.chunks()),
      functor, sum);
  return sum.round(format);
}

}  // namespace KokkosMMA::Impl

#endif
