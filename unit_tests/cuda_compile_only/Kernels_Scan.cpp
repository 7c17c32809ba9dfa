// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans for the preset cuda-compile-only: plain Kokkos ones as applications
// write them, with the drop-in, of values of several widths; the scans by name
// and their functors on the types that tiles are made of. Nothing here runs.

#include <KokkosMMA.hpp>

#include <cstdint>

namespace {

using Exec = Kokkos::Cuda;
template <class T>
using Array = Kokkos::View<T*, Exec>;

template <class T>
void plain_scans(Array<T> x, Array<T> y, T& total) {
  Kokkos::RangePolicy<Exec> const policy(0, x.extent(0));
  Kokkos::parallel_scan(
      "inclusive", policy, KOKKOS_LAMBDA(int i, T& update, bool last) {
        update += x(i);
        if (last) y(i) = update;
      });
  Kokkos::parallel_scan(
      "exclusive", policy,
      KOKKOS_LAMBDA(int i, T& update, bool last) {
        if (last) y(i) = update;
        update += x(i);
      },
      total);
}

/// Offsets of rows, with one index more than there are rows.
void offsets(Array<std::int64_t> rows, Array<int> lengths) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_scan(
      "offsets", Policy(0, rows.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & update, bool last) {
        if (last) rows(i) = update;
        if (i < std::int64_t(lengths.extent(0))) update += lengths(i);
      });
}

void compaction(Array<double> x, Array<double> kept, int& number) {
  Kokkos::parallel_scan(
      "compaction", Kokkos::RangePolicy<Exec>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i, int& update, bool last) {
        bool const keep = x(i) > 0.;
        if (last && keep) kept(update) = x(i);
        update += keep;
      },
      number);
}

template <int Words>
struct Vector {
  double word[Words];
  KOKKOS_FUNCTION Vector() {
    for (auto& w : word) w = 0.;
  }
  KOKKOS_FUNCTION Vector& operator+=(Vector const& other) {
    for (int k = 0; k < Words; ++k) word[k] += other.word[k];
    return *this;
  }
};

/// x -> factor x + offset, one after the other.
struct Map {
  float factor, offset;
};
struct Recurrence {
  using value_type = Map;
  Array<float> factor, offset, y;
  KOKKOS_FUNCTION void operator()(int i, Map& update, bool last) const {
    join(update, {factor(i), offset(i)});
    if (last) y(i) = update.offset;
  }
  KOKKOS_FUNCTION void init(Map& update) const { update = {1.f, 0.f}; }
  KOKKOS_FUNCTION void join(Map& update, Map const& later) const {
    update = {later.factor * update.factor,
              later.factor * update.offset + later.offset};
  }
};

template <class T>
void of_value() {
  Array<T> const x("x", 100), y("y", 100);
  T total;
  plain_scans<T>(x, y, total);
}

template <class In, class Out = In>
void by_name() {
  Exec const exec;
  Array<In> const x("x", 100);
  Array<Out> const y("y", 100);
  KokkosMMA::exclusive_scan(exec, x, y);
  KokkosMMA::inclusive_scan(exec, x, y);
  Kokkos::parallel_scan("by functor", Kokkos::RangePolicy<Exec>(exec, 0, 100),
                        KokkosMMA::exclusive_scan_into(x, y));
}

}  // namespace

void kernels_scan() {
  of_value<std::int8_t>();
  of_value<std::int16_t>();
  of_value<Kokkos::Experimental::half_t>();
  of_value<float>();
  of_value<int>();
  of_value<double>();
  of_value<std::int64_t>();
  of_value<Kokkos::complex<double>>();
  of_value<Vector<3>>();
  of_value<Vector<8>>();

  Array<double> const x("x", 100);
  Array<float> const f("f", 100);
  int number;
  compaction(x, x, number);
  offsets(Array<std::int64_t>("rows", 101), Array<int>("lengths", 100));
  Kokkos::parallel_scan(Kokkos::RangePolicy<Exec>(0, 100), Recurrence{f, f, f});

  by_name<Kokkos::Experimental::half_t>();
  by_name<Kokkos::Experimental::half_t, float>();
  by_name<Kokkos::Experimental::bhalf_t>();
  by_name<float>();
  by_name<double>();
  by_name<std::int8_t, std::int32_t>();
  by_name<std::uint8_t, std::int32_t>();
  by_name<std::int32_t>();
  by_name<std::int32_t, std::int64_t>();
  by_name<std::int64_t>();
  double total;
  KokkosMMA::exclusive_scan(Exec(), x, x, 1., KokkosMMA::Total(total));
}
