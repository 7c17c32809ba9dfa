// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef STENCILFUNCTORS_HPP
#define STENCILFUNCTORS_HPP

#include "StencilSupport.hpp"

#include <cstdint>
#include <type_traits>

namespace KokkosMMA::Testing {

template <class Value, int R, class Exec>
struct KeepSums {
  Kokkos::View<Pointer<Value, R>, Exec> sums;
  Kokkos::View<Pointer<int, R>, Exec> calls;

  KOKKOS_FUNCTION void operator()(std::int64_t i, Value sum) const {
    sums(i) = sum;
    Kokkos::atomic_inc(&calls(i));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                  Value sum) const {
    sums(i, j) = sum;
    Kokkos::atomic_inc(&calls(i, j));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j,
                                  std::int64_t k, Value sum) const {
    sums(i, j, k) = sum;
    Kokkos::atomic_inc(&calls(i, j, k));
  }
};
template <class Value, int R, class Exec>
KeepSums<Value, R, Exec> keep_sums(Place<R> const& n) {
  using Sums  = Kokkos::View<Pointer<Value, R>, Exec>;
  using Calls = Kokkos::View<Pointer<int, R>, Exec>;
  typename Sums::array_layout layout;
  for (int d = 0; d < R; ++d) layout.dimension[d] = std::size_t(n[d]);
  return {Sums("sums", layout), Calls("calls", layout)};
}

/// Every element was called once, with the sum of its neighbours.
template <class Value, int R, class Exec>
void expect_kept(KeepSums<Value, R, Exec> const& kept,
                 HostGrid<R> const& expected) {
  auto const sums  = host_copy(kept.sums);
  auto const calls = host_copy(kept.calls);
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_EQ(1, view_at(calls, expected.place(i))) << i;
    Value const sum = as_result<Value>(expected.values[i]);
    ASSERT_EQ(sum, view_at(sums, expected.place(i))) << i;
  }
}

template <class T, class Value, int R, class Layout, class Exec>
void calls_of_functors(Place<R> const& extent, int radius) {
  Random random;
  auto const weights     = StencilWeights<R>::moore(radius);
  auto const boundaries  = random_boundaries<R>(random);
  HostGrid<R> const data = small_integers<T, R>(
      with_ghosts<R>(extent, radius_of(weights), boundaries), random);
  TestGrid<T, R, Plain<Layout>, Exec> const x(data);
  auto const kept   = keep_sums<Value, R, Exec>(extent);
  auto const policy = StencilPolicy(Exec(), x.view(), weights, boundaries);
  static_assert(std::is_same_v<Value, typename decltype(policy)::value_type>);
  Kokkos::parallel_for("neighbours", policy, kept);
  expect_kept(kept, neighbour_sums(data, extent, weights, boundaries));
  EXPECT_EQ(policy.route(), last_route());
}

}  // namespace KokkosMMA::Testing

#endif
