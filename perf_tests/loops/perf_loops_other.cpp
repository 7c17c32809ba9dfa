// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops that are not bound by streams: addresses from memory, atomics,
// divergence, arithmetic, few indices, large functors, Kokkos' own loops.

#include <Kokkos_Random.hpp>

#include "loops/Perf_Loops.hpp"

namespace perf::KOKKOSMMA_PERF_SIDE {

template <class T, bool scatters>
Work permute(Arena& a) {
  int const n = a.at_most(1 << 26);
  Vector<int> const p("perf::permutation", n);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(a.exec, 0, n), KOKKOS_LAMBDA(int i) {
        p(i) = static_cast<int>(1000003ull * i % n);  // a prime
      });
  auto const x = a.in<T>(n), z = a.out_vector<T>(n);
  return range(
      a, n, 4 + 2 * sizeof(T), KOKKOS_LAMBDA(int i) {
        z(scatters ? p(i) : i) = x(scatters ? i : p(i));
      });
}

/// An integer added to one of `bins`: a random one, or that of the neighbours.
template <int bins, bool random>
Work atomics(Arena& a) {
  int const n   = a.at_most(bins < 1024 ? 1 << 22 : 1 << 26);
  auto const x  = a.in<std::int32_t>(n);
  auto const z  = a.out_vector<std::int32_t>(bins);
  int const run = (n + bins - 1) / bins;
  return range(
      a, n, 4, KOKKOS_LAMBDA(int i) {
        int const bin = random ? (x(i) + 16384) % bins : i / run;
        Kokkos::atomic_add(&z(bin), x(i));
      });
}

/// Of `period` pairs of warps one works; with 0 the data of each index decide.
template <int period>
struct EarlyReturn {
  static constexpr int arrays = 2;
  static KOKKOS_FUNCTION void at(auto const& v, int i) {
    if constexpr (period == 0) {
      if (v.x(i) < 0.5f) return;
    } else if (i / 64 % period != 0) {
      return;
    }
    v.z(i) = v.x(i);
  }
};

/// Row sums of a sparse matrix, a thread for each row: rows of 1 to 15 entries,
/// or of 4 and, one of 512, of 4096.
template <bool skewed>
Work row_sums(Arena& a) {
  int const n = a.elements<float>() / 64;
  Vector<int> const from("perf::offsets", n + 1);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(a.exec, 0, n + 1), KOKKOS_LAMBDA(int i) {
        int const row = i % 512, start = row > 0 ? 4092 + 4 * row : 0;
        from(i) = skewed ? i / 512 * (4092 + 2048) + start
                         : 8 * i + static_cast<int>(mix(i) % 8);
      });
  auto const x = a.in<float>(2 * a.elements<float>()),
             z = a.out_vector<float>(n);
  return range(
      a, n, skewed ? 56 : 40, KOKKOS_LAMBDA(int i) {
        float sum = 0;
        for (int k = from(i); k < from(i + 1); ++k) sum += x(k);
        z(i) = sum;
      });
}

/// Forces on each of `most` particles, from so many neighbours.
template <int most, int neighbours>
Work forces(Arena& a) {
  int const n = a.at_most(most);
  Kokkos::View<float* [3], Left, Exec> const x(a.in<float>(), n);
  Kokkos::View<float* [3], Left, Exec> const z(a.out<float>(3 * n), n);
  return range(
      a, n, 0, KOKKOS_LAMBDA(int i) {
        float force[3][4] = {};  // four sums of each component
        float const at[3] = {x(i, 0), x(i, 1), x(i, 2)};
        for (int k = 0; k < neighbours; ++k) {
          int const j = (i + 1 + 7 * k) % n;
          float d[3], square = 0.01f;
          for (int c = 0; c < 3; ++c) {
            d[c]   = x(j, c) - at[c];
            square = Kokkos::fma(d[c], d[c], square);
          }
          float const scale = 1 / (square * Kokkos::sqrt(square));
          for (int c = 0; c < 3; ++c)
            force[c][k % 4] = Kokkos::fma(scale, d[c], force[c][k % 4]);
        }
        for (int c = 0; c < 3; ++c)
          z(i, c) = (force[c][0] + force[c][1]) + (force[c][2] + force[c][3]);
      });
}

/// Which generator of the pool an index gets is left to chance.
Work random_numbers(Arena& a) {
  int const n  = a.at_most(1 << 22);
  auto const z = a.out_vector<float>(n);
  Kokkos::Random_XorShift64_Pool<Exec> const pool(20261125);
  return range(
      a, n, 0, KOKKOS_LAMBDA(int i) {
        auto generator = pool.get_state();
        float sum      = 0;
        for (int k = 0; k < 8; ++k) sum += generator.frand();
        pool.free_state(generator);
        z(i) = sum >= 0 && sum <= 8 ? 1.f : 0.f;
      });
}

/// A few indices, and what an application waits for: the launch and the fence.
Work few_and_fence(Arena& a) {
  int const n  = a.at_most(1000);
  auto const x = a.in<double>(n), z = a.out_vector<double>(n);
  Work work = range(
      a, n, 16, KOKKOS_LAMBDA(int i) { z(i) = 2 * x(i); });
  work.call = [exec = a.exec, call = work.call] {
    call();
    exec.fence("perf::few_and_fence");
  };
  work.waits = true;
  return work;
}

/// A functor of so many bytes.
template <int bytes>
struct Captured {
  static constexpr int count = (bytes - int{sizeof(Vector<float>)}) / 4;
  Vector<float> z;
  float table[count];
  KOKKOS_FUNCTION void operator()(int i) const { z(i) = table[i % count]; }
};
template <int bytes, int most>
Work captured(Arena& a) {
  int const n = a.at_most(most);
  Captured<bytes> body{a.out_vector<float>(n), {}};
  for (int k = 0; k < body.count; ++k) body.table[k] = static_cast<float>(k);
  return range(a, n, 0, body);
}

/// An element that Kokkos' own loops set: it has no default of zeros.
struct Cell {
  float value = 1;
};

template <class Layout>
Work fill(Arena& a, Layout const& layout) {
  Kokkos::View<Cell*, Layout, Exec> const z(
      reinterpret_cast<Cell*>(a.out<float>(a.elements<float>())), layout);
  return {[exec = a.exec, z] { Kokkos::deep_copy(exec, z, Cell{5}); },
          double(z.size()), 4. * double(z.size())};
}
Work fill_all(Arena& a) { return fill(a, Left(a.elements<float>())); }
Work fill_strided(Arena& a) {
  return fill(a, Kokkos::LayoutStride(a.elements<float>() / 2, 2));
}

/// With its allocation; the last elements are looked at.
Work initialise(Arena& a) {
  int const n = a.at_most(1 << 24), seen = 256;
  Vector<Cell> const z(reinterpret_cast<Cell*>(a.out<float>(seen)), seen);
  return {[exec = a.exec, n, z] {
            Vector<Cell> const made(Kokkos::view_alloc(exec, "perf::made"), n);
            Kokkos::deep_copy(exec, z,
                              Kokkos::subview(made, std::pair(n - seen, n)));
          },
          double(n)};
}

/// deep_copy between layouts.
template <class Data, class From, class To>
Work relayout(Arena& a) {
  From from;
  To to;
  constexpr int rank = Kokkos::View<Data, From, Exec>::rank();
  int const side =
      static_cast<int>(std::pow(a.elements<float>(), 1. / rank) + 1e-6);
  for (int r = 0; r < rank; ++r) from.dimension[r] = to.dimension[r] = side;
  Kokkos::View<Data, From, Exec> const x(reinterpret_cast<Cell*>(a.in<float>()),
                                         from);
  Kokkos::View<Data, To, Exec> const z(
      reinterpret_cast<Cell*>(a.out<float>(x.size())), to);
  return {[exec = a.exec, x, z] { Kokkos::deep_copy(exec, z, x); },
          double(x.size()), 8. * double(x.size())};
}

std::vector<Line> other_loops() {
  using Scale = Combine<2, 0, 1>;
  return {{"float", "rank1/gather", permute<float, false>},
          {"double", "rank1/gather", permute<double, false>},
          {"float", "rank1/scatter", permute<float, true>},
          {"double", "rank1/scatter", permute<double, true>},
          {"int32", "rank1/atomic1", atomics<1, true>},
          {"int32", "rank1/atomic256", atomics<256, true>},
          {"int32", "rank1/atomic32768", atomics<32768, true>},
          {"int32", "rank1/atomic_runs", atomics<1 << 16, false>},
          {"float", "rank1/rows", row_sums<false>},
          {"float", "rank1/rows_skewed", row_sums<true>},
          {"float", "rank1/forces", forces<1 << 22, 64>},
          {"float", "rank1/forces_few", forces<4096, 1024>},
          {"float", "rank1/random", random_numbers},
          loop<float, 1, EarlyReturn<0>>("masked"),
          loop<float, 1, EarlyReturn<2>>("early2"),
          loop<float, 1, EarlyReturn<16>>("early16"),
          loop<float, 1, Polynomial>("polynomial"),
          loop<double, 1, Polynomial>("polynomial"),
          loop<float, 1, Scale>("few1", {.fixed = {1}}),
          loop<float, 1, Scale>("few32", {.fixed = {32}}),
          loop<float, 1, Scale>("few1000", {.fixed = {1000}}),
          loop<float, 1, Scale>("few10000", {.fixed = {10000}}),
          loop<float, 1, Scale>("few100000", {.fixed = {100000}}),
          {"double", "rank1/few1000_fence", few_and_fence},
          {"float", "functor/1024", captured<1024, 1000>},
          {"float", "functor/4096", captured<4096, 1000>},
          {"float", "functor/16384", captured<16384, 1000>},
          {"float", "functor/30720", captured<30720, 1000>},
          {"float", "functor/1024_many", captured<1024, 1 << 24>},
          {"float", "functor/4096_many", captured<4096, 1 << 24>},
          {"float", "functor/30720_many", captured<30720, 1 << 24>},
          {"float", "view/fill", fill_all},
          {"float", "view/fill_strided", fill_strided},
          {"float", "view/initialise", initialise},
          {"float", "view/left_to_right2", relayout<Cell**, Left, Right>},
          {"float", "view/right_to_left2", relayout<Cell**, Right, Left>},
          {"float", "view/left_to_right3", relayout<Cell***, Left, Right>},
          {"float", "view/right_to_left3", relayout<Cell***, Right, Left>}};
}

}  // namespace perf::KOKKOSMMA_PERF_SIDE
