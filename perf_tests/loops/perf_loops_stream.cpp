// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over neighbouring elements, structures and strided arrays.

#include "loops/Perf_Loops.hpp"

namespace perf::KOKKOSMMA_PERF_SIDE {

/// Sums of the fields of structures (Right), or of as many arrays (Left).
template <int fields, class Layout>
Work sums(Arena& a) {
  int const n = a.elements<float>() / fields;
  Kokkos::View<float* [fields], Layout, Exec> const x(a.in<float>(), n);
  auto const z = a.out_vector<float>(n);
  return range(
      a, n, 4 * (fields + 1), KOKKOS_LAMBDA(int i) {
        float sum = 0;
        for (int f = 0; f < fields; ++f) sum += x(i, f);
        z(i) = sum;
      });
}

template <class T, int stride>
Work strided(Arena& a) {
  using V     = Kokkos::View<T*, Kokkos::LayoutStride, Exec>;
  int const n = a.elements<T>() / stride;
  Kokkos::LayoutStride const layout(n, stride);
  V const x(a.in<T>(), layout), z(a.out<T>(n * stride), layout);
  return range(
      a, n, 2 * sizeof(T), KOKKOS_LAMBDA(int i) { z(i) = x(i); });
}

struct Iota {
  static constexpr int arrays = 1;
  static KOKKOS_FUNCTION void at(auto const& v, auto i) { v.z(i) = i; }
};

template <class T>
void add_type(std::vector<Line>& loops) {
  loops.insert(
      loops.end(),
      {loop<T, 1, Combine<0, 0, 3>>("fill"), loop<T, 1, Copy>("copy"),
       loop<T, 1, Combine<2, 0>>("mul"), loop<T, 1, Combine<1, 1>>("add"),
       loop<T, 1, Combine<1, 2>>("triad"), loop<T, 1, Combine<2, 4>>("axpby"),
       loop<T, 1, Star>("points3")});
}

std::vector<Line> stream_loops() {
  std::vector<Line> loops = {
      {"float", "rank1/structures3", sums<3, Right>},
      {"float", "rank1/structures6", sums<6, Right>},
      {"float", "rank1/structures8", sums<8, Right>},
      {"float", "rank1/arrays3", sums<3, Left>},
      {"float", "rank1/arrays6", sums<6, Left>},
      {"float", "rank1/strided2", strided<float, 2>},
      {"double", "rank1/strided8", strided<double, 8>},
      loop<std::int32_t, 1, Iota>("iota"),
      loop<std::int64_t, 1, Iota, Right, along, std::int64_t>("iota"),
      loop<float, 1, Copy, Right, along, std::int64_t>("copy_int64"),
      loop<float, 1, Copy, Right, along, unsigned>("copy_unsigned")};
  add_type<float>(loops);
  add_type<double>(loops);
  if constexpr (has_half) add_type<half_type>(loops);
  add_type<std::int8_t>(loops);
  return loops;
}

}  // namespace perf::KOKKOSMMA_PERF_SIDE
