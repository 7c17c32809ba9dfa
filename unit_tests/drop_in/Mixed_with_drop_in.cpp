// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Mixed.hpp"

#if !defined(KOKKOSMMA_DROP_IN_HPP)
#error "this source is compiled with the drop-in header in front of it"
#endif

namespace mixed {

struct OnlyWith {
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update) const {
    update += 2 * i;
  }
  KOKKOS_FUNCTION void operator()(int i, int j, std::int64_t& update) const {
    update += i * j;
  }
};

Results with_drop_in(Kokkos::View<std::int64_t const*, Exec> const& x) {
  return reduce_all<Exec>(x, OnlyWith());
}

}  // namespace mixed
