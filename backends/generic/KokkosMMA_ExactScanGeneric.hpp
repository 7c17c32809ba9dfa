// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_EXACT_SCAN_GENERIC_HPP
#define KOKKOSMMA_EXACT_SCAN_GENERIC_HPP

#include <backends/generic/KokkosMMA_ExactGeneric.hpp>
#include <core/scan/KokkosMMA_ExactPrefix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace KokkosMMA::Impl {

/// Exact scan of x into y on a host: chunks are summed, then each chunk is
/// scanned from the sum of the earlier ones.
/// \param others sum of the elements before x, or null
/// \return sum of all elements, without the initial value and the others
template <bool Inclusive, class Exec, class X, class Y, class Initial>
auto exact_scan_on_host(std::string const& label, Exec const& exec, X const& x,
                        Y const& y, Initial const& initial,
                        typename ExactViewTerms<X>::Sum const* others) {
  using Terms                    = ExactViewTerms<X>;
  using Sum                      = typename Terms::Sum;
  using Output                   = typename Y::non_const_value_type;
  constexpr Scalar carrier       = exact_carrier(scalar_v<Initial>);
  constexpr FloatFormat of_input = float_format(Terms::input);
  constexpr FloatFormat of_y     = float_format(scalar_v<Output>);
  std::size_t const n            = x.extent(0);
  std::size_t const chunk        = exec.concurrency() > 1
                                       ? ExactSumOfChunks<Terms>::chunk
                                       : std::size_t(1) << 24;
  std::size_t const chunks       = (n + chunk - 1) / chunk;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;

  std::vector<Sum> sums(chunks);
  Kokkos::parallel_for(label, Policy(exec, 0, chunks), [&](std::size_t c) {
    sums[c].init();
    std::size_t const begin = c * chunk;
    Terms{x}.add(begin, std::min(n, begin + chunk), sums[c]);
    sums[c].carry();
  });
  exec.fence("KokkosMMA: fence after the sums of an exact scan");

  ExactPrefix<carrier> prefix;
  prefix.add(exact_bits(initial), float_format(scalar_v<Initial>));
  if (others != nullptr) prefix.add(*others);
  std::vector<ExactPrefix<carrier>> before(chunks);
  Sum total;
  total.init();
  for (std::size_t c = 0; c < chunks; ++c) {
    before[c] = prefix;
    prefix.add(sums[c]);
    total.merge(sums[c]);
  }

  Kokkos::parallel_for(label, Policy(exec, 0, chunks), [&](std::size_t c) {
    ExactPrefix<carrier> running = before[c];
    std::size_t const end        = std::min(n, (c + 1) * chunk);
    for (std::size_t i = c * chunk; i < end; ++i) {
      // Read before y(i) is written, which may be the same element.
      std::uint64_t const bits = exact_bits(x, i);
      if constexpr (Inclusive) {
        running.add(bits, of_input);
      }
      y(i) = value_of_bits<Output>(running.round(of_y));
      if constexpr (!Inclusive) {
        running.add(bits, of_input);
      }
    }
  });
  return total;
}

}  // namespace KokkosMMA::Impl

#endif
