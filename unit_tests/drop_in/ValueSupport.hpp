// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef VALUESUPPORT_HPP
#define VALUESUPPORT_HPP

#include <KokkosMMA_ScanSupport.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace KokkosMMA::Testing {

inline constexpr std::size_t largest_of_scans = 64;

/// Runs a scan whose functor stores what it sees after y, and compares it with
/// the same calls one after the other.
template <class Exec, class Functor>
void check_scan(Functor functor, int begin, int n) {
  using Value = typename Functor::value_type;
  SCOPED_TRACE("value of " + std::to_string(sizeof(Value)) +
               " bytes, n = " + std::to_string(n));
  std::vector<Value> expected(n, poison<Value>());
  auto sequential = functor.with(expected.data());
  Value sum       = functor.neutral();
  for (int i = begin; i < begin + n; ++i) sequential(i, sum, true);

  auto const y        = poisoned_array<Value, Exec>(n + 7);
  auto const parallel = functor.with(y.data());
  auto total          = poisoned_view<Value, Exec>();
  RouteProbe<Exec> probe;
  Kokkos::parallel_scan("value", Kokkos::RangePolicy<Exec>(begin, begin + n),
                        parallel, total);
  EXPECT_TRUE(sizeof(Value) <= largest_of_scans ? probe.streamed()
                                                : probe.went_to_kokkos());
  EXPECT_TRUE(same_bits(sum, value_of(total)));
  EXPECT_TRUE(holds(y, expected));
}

}  // namespace KokkosMMA::Testing

#endif
