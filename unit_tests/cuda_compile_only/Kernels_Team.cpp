// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Collectives inside kernels of TeamPolicy, and a kernel per segment, for the
// preset cuda-compile-only. Nothing here runs.

#include <KokkosMMA.hpp>

#include <cstdint>

namespace {

using Exec   = Kokkos::Cuda;
using Member = Kokkos::TeamPolicy<Exec>::member_type;
template <class T>
using Array = Kokkos::View<T*, Exec>;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;

/// Rows by functors: norms, largest elements, prefixes.
template <class T>
void rows_by_functor(Matrix<T> x, Array<T> sums, Array<T> largest,
                     Matrix<T> prefixes) {
  int const columns = int(x.extent(1));
  Kokkos::parallel_for(
      "rows", Kokkos::TeamPolicy<Exec>(int(x.extent(0)), 128, 2),
      KOKKOS_LAMBDA(Member const& member) {
        int const row = member.league_rank();
        T sum;
        KokkosMMA::team_reduce(
            member, columns,
            [&](int i, T& update) { update += x(row, i) * x(row, i); }, sum);
        T max;
        KokkosMMA::team_reduce(
            member, columns,
            [&](int i, T& update) {
              if (x(row, i) > update) update = x(row, i);
            },
            Kokkos::Max<T>(max));
        T total;
        KokkosMMA::team_scan(
            member, columns,
            [&](int i, T& update, bool final) {
              update += x(row, i);
              if (final) prefixes(row, i) = update;
            },
            total);
        Kokkos::single(Kokkos::PerTeam(member), [&] {
          sums(row)    = sum + total;
          largest(row) = max;
        });
      });
}

/// Rows as Views, by a team and by the lanes of a thread.
template <class T, class Result>
void rows_as_views(Matrix<T const> x, Array<Result> sums,
                   Array<std::int64_t const> offsets, Array<T const> values,
                   Matrix<T> prefixes) {
  Kokkos::parallel_for(
      "rows", Kokkos::TeamPolicy<Exec>(int(x.extent(0)), 8, 32),
      KOKKOS_LAMBDA(Member const& member) {
        int const row = member.league_rank();
        Result sum;
        KokkosMMA::team_reduce(member, Kokkos::subview(x, row, Kokkos::ALL()),
                               sum);
        KokkosMMA::team_inclusive_scan(
            member, Kokkos::subview(x, row, Kokkos::ALL()),
            Kokkos::subview(prefixes, row, Kokkos::ALL()));
        Kokkos::single(Kokkos::PerTeam(member), [&] { sums(row) = sum; });
      });
  Kokkos::parallel_for(
      "ragged rows",
      Kokkos::TeamPolicy<Exec>(int(offsets.extent(0) / 8), 8, 32),
      KOKKOS_LAMBDA(Member const& member) {
        std::int64_t const row = member.league_rank() * 8 + member.team_rank();
        Result sum;
        KokkosMMA::vector_reduce(
            member,
            Kokkos::subview(values,
                            Kokkos::make_pair(offsets(row), offsets(row + 1))),
            sum);
        Kokkos::single(Kokkos::PerThread(member), [&] { sums(row) = sum; });
      });
}

template <class T>
void segments(Exec const& exec, Array<T const> x, Array<int const> offsets,
              Array<float> means) {
  Kokkos::parallel_for(
      "means", KokkosMMA::SegmentPolicy(exec, x, 100),
      KOKKOS_LAMBDA(std::size_t s, float sum) { means(s) = sum / 100; });
  Kokkos::parallel_for(
      "means", KokkosMMA::SegmentPolicy(exec, x, offsets),
      KOKKOS_LAMBDA(std::size_t s, float sum) {
        means(s) = sum / float(offsets(s + 1) - offsets(s));
      });
}

template void rows_by_functor(Matrix<float>, Array<float>, Array<float>,
                              Matrix<float>);
template void rows_by_functor(Matrix<double>, Array<double>, Array<double>,
                              Matrix<double>);

using Kokkos::Experimental::half_t;
template void rows_as_views(Matrix<half_t const>, Array<float>,
                            Array<std::int64_t const>, Array<half_t const>,
                            Matrix<half_t>);
template void rows_as_views(Matrix<float const>, Array<float>,
                            Array<std::int64_t const>, Array<float const>,
                            Matrix<float>);
template void rows_as_views(Matrix<double const>, Array<double>,
                            Array<std::int64_t const>, Array<double const>,
                            Matrix<double>);
template void rows_as_views(Matrix<std::int8_t const>, Array<int>,
                            Array<std::int64_t const>, Array<std::int8_t const>,
                            Matrix<std::int8_t>);
template void segments(Exec const&, Array<half_t const>, Array<int const>,
                       Array<float>);

}  // namespace
