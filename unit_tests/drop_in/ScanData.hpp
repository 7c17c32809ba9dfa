// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_UNIT_TESTS_SCANDATA_HPP
#define KOKKOSMMA_UNIT_TESTS_SCANDATA_HPP

#include <KokkosMMA_ScanSupport.hpp>

#include <cstdint>
#include <vector>

namespace KokkosMMA::Testing {

template <class Exec>
using Longs   = Kokkos::View<std::int64_t*, Exec>;
using Numbers = std::vector<std::int64_t>;

inline constexpr int count = 10007;

/// Integers, so that every association gives the same bits.
template <class Exec>
struct ScanData {
  Random random;
  Numbers exclusive, inclusive;
  std::int64_t sum = 0;
  Kokkos::View<std::int64_t const*, Exec> x =
      make_view<std::int64_t, Exec>(count, [this](std::size_t) {
        std::int64_t const value = random.integer(-1000000, 1000000);
        exclusive.push_back(sum);
        sum += value;
        inclusive.push_back(sum);
        return value;
      });
  /// A functor whose output holds nothing yet.
  ExclusiveSum<std::int64_t, Exec> functor() const {
    return {x, poisoned_array<std::int64_t, Exec>(count + 3)};
  }
};

}  // namespace KokkosMMA::Testing

#endif
