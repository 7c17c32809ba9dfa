// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions inside team kernels as applications have them: forces, dense
// matrices, normalised rows, heavy bodies, scratch memory, atomics.

#include "nested/Perf_Nested.hpp"

namespace perf::KOKKOSMMA_PERF_SIDE {

using Level::all, Level::lanes, Level::threads;

/// Exponentials and sines of each element.
struct Chain {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int) const {
    for (int k = 0; k < 8; ++k) x = Kokkos::exp(-x) * Kokkos::sin(x + k);
    u += x;
  }
};
/// The determinant of a matrix of 36 registers.
struct Determinant {
  KOKKOS_FUNCTION void operator()(auto& u, auto x, int) const {
    constexpr int n = 6;
    decltype(x) a[n][n], product = 1;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        x       = x * (2 - x);
        a[i][j] = (i == j ? 4 : 0) + x / (1 + i + j);
      }
    for (int k = 0; k < n; ++k) {
      product *= a[k][k];
      for (int i = k + 1; i < n; ++i)
        for (int j = k + 1; j < n; ++j) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
    }
    u += product / 4096;
  }
};

template <class T>
struct Force {
  T c[3] = {};
  KOKKOS_FUNCTION Force& operator+=(Force const& other) {
    for (int k = 0; k < 3; ++k) c[k] += other.c[k];
    return *this;
  }
};

Vector<int> indices(int n) {
  return Vector<int>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::indices"), n);
}

/// Forces from the neighbours in lists that are nearer than a cut-off.
template <class T, int neighbours, Level level>
Work forces(Arena& a) {
  int const n = std::min(1 << (level == lanes ? 20 : 18), a.elements<T>() / 2);
  auto const near = indices(n * neighbours);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(a.exec, 0, n * neighbours),
      KOKKOS_LAMBDA(int i) {
        near(i) = static_cast<int>((i / neighbours + 1 + mix(i) % 1024) % n);
      });
  Kokkos::View<T* [3], Right, Exec> const x(a.in<T>(), n);
  Kokkos::View<T* [3], Right, Exec> const z(a.out<T>(3 * n), n);
  return each_row<level>(
      a, n, level == lanes ? Team{8, 32} : Team{64, 1}, double(n) * neighbours,
      0,
      KOKKOS_LAMBDA(Nest<level> const& nest, int i) {
        Force<T> force;
        Kokkos::parallel_reduce(
            nest.range(0, neighbours),
            [&](int k, Force<T>& f) {
              int const j = near(i * neighbours + k);
              T d[3], square = 0;
              for (int c = 0; c < 3; ++c) {
                d[c] = x(j, c) - x(i, c);
                square += d[c] * d[c];
              }
              if (square > T(0.4)) return;
              T const s = 1 / (square + 1), s3 = s * s * s;
              T const scale = s3 * (s3 - T(0.5)) * s;
              for (int c = 0; c < 3; ++c) f.c[c] += scale * d[c];
            },
            force);
        nest.once([&] {
          for (int c = 0; c < 3; ++c) z(i, c) = force.c[c];
        });
      },
      10 * tolerance_of<T>());
}

/// Elements at indices from memory.
template <class T, Level level>
Work gather(Arena& a) {
  int const length = level == lanes ? 64 : 2048;
  int const rows   = a.at_most(1 << 25) / length;
  int const n      = rows * length;
  auto const p     = indices(n);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(a.exec, 0, n), KOKKOS_LAMBDA(int i) {
        p(i) = static_cast<int>(1000003ull * i % n);  // a prime
      });
  auto const x = a.in<T>(n), z = a.out_vector<T>(rows);
  return each_row<level>(
      a, rows, level == lanes ? Team{8, 32} : Team{128, 1}, n,
      n * (4. + sizeof(T)),
      KOKKOS_LAMBDA(Nest<level> const& nest, int r) {
        T sum = 0;
        Kokkos::parallel_reduce(
            nest.range(0, length),
            [&](int i, T& u) { u += x(p(r * length + i)); }, sum);
        nest.once([&] { z(r) = sum; });
      },
      tolerance_of<T>());
}

/// Columns that are far from each other in memory: a row of a matrix of
/// LayoutLeft for each thread.
Work strided(Arena& a) {
  int const n = a.elements<double>() / 256;
  Kokkos::View<double**, Kokkos::LayoutLeft, Exec> const x(a.in<double>(), n,
                                                           64);
  auto const z = a.out_vector<double>(n);
  return each_row<lanes>(
      a, n, {16, 16}, 64. * n, 0,
      KOKKOS_LAMBDA(Nest<lanes> const& nest, int r) {
        double sum = 0;
        Kokkos::parallel_reduce(
            nest.range(0, 64), [&](int i, double& u) { u += x(r, i); }, sum);
        nest.once([&] { z(r) = sum; });
      },
      1e-12);
}

/// Rows of 0 to 255 elements.
Work triangle(Arena& a) {
  int const n = a.elements<float>() / 256;
  Kokkos::View<float**, Right, Exec> const x(a.in<float>(), n, 256);
  auto const z = a.out_vector<float>(n);
  return each_row<lanes>(
      a, n, {8, 32}, 127.5 * n, 514. * n,
      KOKKOS_LAMBDA(Nest<lanes> const& nest, int r) {
        float sum = 0;
        Kokkos::parallel_reduce(
            nest.range(0, r % 256), [&](int i, float& u) { u += x(r, i); },
            sum);
        nest.once([&] { z(r) = sum; });
      },
      1e-4);
}

/// y' A x of a matrix of so many rows and columns for each team: a reduction
/// over rows, and in it one over the elements of a row.
template <class T, int rows, int columns>
Work bilinear(Arena& a) {
  int const n = std::max(1, a.at_most(1 << 26) / (rows * columns));
  Kokkos::View<T***, Right, Exec> const m(a.in<T>(), n, rows, columns);
  auto const z = a.out_vector<T>(n);
  return teams(
      a, n, {8, 32}, double(n) * rows * columns,
      double(n) * rows * columns * sizeof(T),
      KOKKOS_LAMBDA(Member const& member) {
        int const b = member.league_rank();
        T form;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, rows),
            [&](int i, T& outer) {
              T product;
              Kokkos::parallel_reduce(
                  Kokkos::ThreadVectorRange(member, columns),
                  [&](int j, T& inner) { inner += m(b, i, j) * m(0, 0, j); },
                  product);
              outer += m(0, 0, i) * product;
            },
            form);
        Kokkos::single(Kokkos::PerTeam(member), [&] { z(b) = form; });
      },
      tolerance_of<T>());
}

/// Small matrices times vectors: their rows by threads, elements by lanes.
template <class T, int size>
Work batched_gemv(Arena& a) {
  int const n = a.at_most(1 << 26) / (size * size);
  Kokkos::View<T***, Right, Exec> const m(a.in<T>(), n, size, size);
  Kokkos::View<T**, Right, Exec> const x(a.in<T>(), n, size),
      z(a.out<T>(n * size), n, size);
  return teams(
      a, n, {size, size}, double(n) * size * size,
      double(n) * size * (size + 2) * sizeof(T),
      KOKKOS_LAMBDA(Member const& member) {
        int const b = member.league_rank();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int i) {
          T sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(member, size),
              [&](int j, T& u) { u += m(b, i, j) * x(b, j); }, sum);
          Kokkos::single(Kokkos::PerThread(member), [&] { z(b, i) = sum; });
        });
      },
      tolerance_of<T>());
}

/// Dots of the columns of pairs of small matrices, by all threads of a team.
template <class T, int size>
Work batched_dot(Arena& a) {
  int const n = a.at_most(1 << 26) / (2 * size * size);
  Kokkos::View<T***, Right, Exec> const x(a.in<T>(), n, size, size),
      y(a.in<T>() + n * size * size, n, size, size);
  auto const z = a.out_vector<T>(n);
  return teams(
      a, n, {4, 32}, double(n) * size * size, 2. * n * size * size * sizeof(T),
      KOKKOS_LAMBDA(Member const& member) {
        int const b = member.league_rank();
        T sum       = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(member, size * size),
            [&](int k, T& u) {
              u += x(b, k / size, k % size) * y(b, k / size, k % size);
            },
            sum);
        Kokkos::single(Kokkos::PerTeam(member), [&] { z(b) = sum; });
      },
      tolerance_of<T>());
}

/// exp(x) over its sum, from the largest element on: two reductions and a loop.
template <class T>
struct Softmax {
  using In                          = T;
  using Out                         = T;
  static constexpr bool writes_rows = true;
  static KOKKOS_FUNCTION void at(auto const& v, auto const& nest, int r) {
    int const length = v.x.extent_int(1);
    T largest, sum;
    Kokkos::parallel_reduce(
        nest.range(0, length),
        [&](int i, T& u) { u = Kokkos::max(u, v.x(r, i)); },
        Kokkos::Max<T>(largest));
    Kokkos::parallel_reduce(
        nest.range(0, length),
        [&](int i, T& u) { u += Kokkos::exp(v.x(r, i) - largest); }, sum);
    Kokkos::parallel_for(nest.range(0, length), [&](int i) {
      v.z(r, i) = length * Kokkos::exp(v.x(r, i) - largest) / sum;
    });
  }
};

/// Rows less their mean over their deviation, from scratch memory.
template <int length>
Work normalised(Arena& a) {
  using Scratch =
      Kokkos::View<float*, Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  int const n = a.at_most(1 << 26) / length;
  Kokkos::View<float**, Right, Exec> const x(a.in<float>(), n, length),
      z(a.out<float>(n * length), n, length);
  return teams(
      a, n, {128, 1, int(Scratch::shmem_size(length))}, double(n) * length,
      8. * n * length,
      KOKKOS_LAMBDA(Member const& member) {
        int const r = member.league_rank();
        Scratch const row(member.team_scratch(0), length);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, length),
                             [&](int i) { row(i) = x(r, i); });
        member.team_barrier();
        float sum, squares;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, length),
            [&](int i, float& u) { u += row(i); }, sum);
        float const mean = sum / length;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, length),
            [&](int i, float& u) { u += (row(i) - mean) * (row(i) - mean); },
            squares);
        float const scale = 1 / Kokkos::sqrt(squares / length);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, length),
                             [&](int i) { z(r, i) = (row(i) - mean) * scale; });
      },
      1e-4);
}

/// Counts in bins beside the number of elements above one half.
Work histogram(Arena& a) {
  constexpr int length = 1024, bins = 4096;
  int const n  = a.at_most(1 << 24) / length;
  auto const x = a.in<float>(n * length);
  auto const z = a.out_vector<int>(bins + 1);
  return teams(
      a, n, {128, 1}, double(n) * length, 4. * n * length,
      KOKKOS_LAMBDA(Member const& member) {
        int const first = member.league_rank() * length;
        int above       = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, length),
            [&](int i, int& u) {
              float const e = x(first + i);
              Kokkos::atomic_add(&z(static_cast<int>(e * bins)), 1);
              u += e > 0.5f;
            },
            above);
        Kokkos::single(Kokkos::PerTeam(member),
                       [&] { Kokkos::atomic_add(&z(bins), above); });
      });
}

std::vector<Line> applications() {
  using F          = float;
  using D          = double;
  Shape const team = {2048, {128, 1}, 0, 1 << 24};
  Shape const row  = {256, {8, 32}, 0, 1 << 24};
  return {
      rows<Sum<D, D, int, Chain>, lanes>("heavy/chain_vector", row),
      rows<Sum<F, F, int, Chain>, threads>("heavy/chain_team", team),
      rows<Sum<D, D, int, Determinant>, lanes>("heavy/registers_vector", row),
      rows<Sum<F, F, int, Determinant>, threads>("heavy/registers_team", team),
      {"double", "application/forces_vector", forces<D, 64, lanes>},
      {"float", "application/forces_vector", forces<F, 32, lanes>},
      {"float", "application/forces_team", forces<F, 128, threads>},
      {"float", "application/gather_vector", gather<F, lanes>},
      {"double", "application/gather_vector", gather<D, lanes>},
      {"float", "application/gather_team", gather<F, threads>},
      {"double", "application/strided", strided},
      {"float", "application/triangle", triangle},
      {"double", "application/bilinear_64x128", bilinear<D, 64, 128>},
      {"float", "application/bilinear_32x32", bilinear<F, 32, 32>},
      {"double", "batched/gemv8", batched_gemv<D, 8>},
      {"double", "batched/gemv16", batched_gemv<D, 16>},
      {"float", "batched/gemv32", batched_gemv<F, 32>},
      {"double", "batched/dot8", batched_dot<D, 8>},
      {"float", "batched/dot32", batched_dot<F, 32>},
      rows<Softmax<F>, lanes>("application/softmax_vector", {256}),
      rows<Softmax<D>, threads>("application/softmax_team", {2048, {128, 1}}),
      {"float", "application/normalised_scratch", normalised<1024>},
      {"float", "application/histogram_atomics", histogram}};
}

}  // namespace perf::KOKKOSMMA_PERF_SIDE
