// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mixed.hpp"

#if defined(KOKKOSMMA_DROP_IN_HPP)
#error "this source is compiled without the drop-in header"
#endif

namespace mixed {

struct OnlyWithout {
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update) const {
    update += 5 * i;
  }
  KOKKOS_FUNCTION void operator()(int i, int j, std::int64_t& update) const {
    update -= i * j;
  }
};

Results without_drop_in(Kokkos::View<std::int64_t const*, Exec> const& x) {
  return reduce_all<Exec>(x, OnlyWithout());
}

std::int64_t only_without_drop_in(int n) {
  std::int64_t result = -1;
  Kokkos::parallel_reduce("only here", Kokkos::RangePolicy<Exec>(0, n),
                          OnlyWithout(), result);
  return result;
}

}  // namespace mixed
